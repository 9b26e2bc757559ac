/* Steps: running the vendor's tools, and what their output says about the description. */
#include "cann/cann_int.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAIL_BYTES 1500 /* of a tool's output, when no line of it names a place */

static void log_line(const CannJob *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void log_line(const CannJob *j, const char *fmt, ...) {
    if (!j->o->on_log) return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    j->o->on_log(j->o->log_ctx, text);
}

bool cann_step(CannJob *j, const char *name, const char *const *argv, const char *cwd, ProcResult *r,
               double *seconds, Err *err) {
    log_line(j, "%s ...", name);
    Proc p;
    if (!proc_start(&p, argv, cwd, err) || !proc_wait(&p, j->arena, j->limit_s, r, err)) {
        err_context(err, "%s", name);
        return false;
    }
    *seconds = r->wall_s;
    log_line(j, "%s: %s in %.1f s", name,
             r->timed_out        ? "stopped at its time limit"
             : r->exit_code == 0 ? "done"
                                 : "failed",
             r->wall_s);
    return true;
}

void cann_fail(CannJob *j, Verdict v, const char *check, const char *stage, const char *section,
               const char *text, const char *text_zh, const char *hint, const char *hint_zh) {
    Diag d = {.check = check,
              .stage = stage,
              .source = section,
              .text = text,
              .text_zh = text_zh,
              .hint = hint,
              .hint_zh = hint_zh};
    diag_add(&j->diags, &d);
    if (verdict_rank(v) > verdict_rank(j->report.verdict)) j->report.verdict = v;
    if (!j->report.error_message) j->report.error_message = text;
}

/* The file name at the end of `line[0..n)` in front of a needle: where it starts. */
static size_t path_start(const char *line, size_t at) {
    while (at > 0 && !isspace((unsigned char)line[at - 1]) && !strchr("'\"[(", line[at - 1])) at--;
    return at;
}

/* One line with the path of a section's file replaced by the section's name, so that it reads as our own
 * compilers' lines do; what the vendor's logger puts before the path goes. NULL: no such path. */
static const char *section_line(const CannJob *j, const char *line) {
    const struct {
        DescSource section;
        const char *file;
    } FILES[] = {{DESC_KERNEL, arena_printf(j->arena, "op_kernel/%s.cpp:", j->snake)},
                 {DESC_HOST_TILING, arena_printf(j->arena, "%s_tiling.h:", j->snake)},
                 {DESC_HOST_OPERATOR, arena_printf(j->arena, "op_host/%s.cpp:", j->snake)},
                 {DESC_PYTHON_BIND, "op.cpp:"}};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        const char *at = strstr(line, FILES[i].file);
        size_t n = strlen(FILES[i].file);
        if (!at || !isdigit((unsigned char)at[n])) continue;
        if (FILES[i].section == DESC_PYTHON_BIND &&
            path_start(line, (size_t)(at - line)) != (size_t)(at - line) && at[-1] != '/')
            continue;
        return arena_printf(j->arena, "%s:%s", DESC_SOURCE_NAMES[FILES[i].section], at + n);
    }
    return NULL;
}

static char *section_log(const CannJob *j, const char *output) {
    StrBuf sb;
    strbuf_init(&sb, j->arena);
    for (const char *p = output; *p;) {
        size_t n = strcspn(p, "\n");
        const char *line = arena_strndup(j->arena, p, n), *ours = section_line(j, line);
        strbuf_printf(&sb, "%s\n", ours ? ours : line);
        p += n + (p[n] == '\n');
    }
    return sb.text;
}

/* Lines that say error without a place ("[ERROR] ..."), else the end. */
static const char *what_it_said(const CannJob *j, const char *output) {
    StrBuf sb;
    strbuf_init(&sb, j->arena);
    for (const char *p = output; *p && sb.n_bytes < TAIL_BYTES;) {
        size_t n = strcspn(p, "\n");
        const char *line = arena_strndup(j->arena, p, n > 400 ? 400 : n);
        if (strstr(line, "rror")) strbuf_printf(&sb, "%s%s", sb.n_bytes ? "\n" : "", line);
        p += n + (p[n] == '\n');
    }
    if (sb.n_bytes) return sb.text;
    size_t n = strlen(output);
    return arena_strdup(j->arena, n > TAIL_BYTES ? output + n - TAIL_BYTES : output);
}

void cann_tool_failed(CannJob *j, const char *name, const char *section, const ProcResult *r) {
    Arena *a = j->arena;
    const char *output = cann_unmangle(j, section_log(j, r->output));
    if (r->timed_out) {
        const char *text = arena_printf(a, "%s was not done after %.0f s", name, j->limit_s);
        cann_fail(j, VERDICT_INFRA_ERROR, "compile-timeout", "build", section, text,
                  arena_printf(a, "%s 在 %.0f 秒内未完成", name, j->limit_s),
                  "give more time with --time-limit", "请用 --time-limit 增加时间");
        return;
    }
    size_t before = j->diags.n;
    if (compile_log_parse(j->desc, j->home, output, &j->diags) > 0) {
        for (size_t i = before; i < j->diags.n;
             i++) { /* this is the vendor's own compiler: nothing is missing in a model */
            Diag *d = &j->diags.at[i];
            if (!d->not_modelled) continue;
            d->not_modelled = false;
            d->check = "compile";
            d->hint = d->hint_zh = NULL;
        }
        if (verdict_rank(VERDICT_FAIL) > verdict_rank(j->report.verdict)) j->report.verdict = VERDICT_FAIL;
        if (!j->report.error_message && j->diags.n > before)
            j->report.error_message = j->diags.at[before].text;
        return;
    }
    const char *text =
        arena_printf(a, "%s failed with status %d: %s", name, r->exit_code, what_it_said(j, output));
    /* msopgen judges what the description says; without a place in it the toolkit is the more likely culprit.
     */
    cann_fail(j, section ? VERDICT_FAIL : VERDICT_INFRA_ERROR, "compile", "build", section, text,
              arena_printf(a, "%s 失败，状态码 %d: %s", name, r->exit_code, what_it_said(j, output)),
              "opwright explain says what such a message means", "可用 opwright explain 解读该信息");
}
