/* Findings: text from checks.def in two languages, equal ones folded. */
#include "sim/sim_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FINDINGS = 512 }; /* different ones; later ones only count in the last */

static const struct {
    const char *id;
    SimSeverity severity;
    const char *text, *text_zh, *hint, *hint_zh;
} CHECKS[CHK_ID_COUNT] = {
#define E SIM_ERROR
#define W SIM_WARNING
#define N SIM_NOTE
#define CHECK(ident, id, severity, text, zh, hint, hint_zh) [CHK_ID_##ident] = {id, severity, text, zh, hint, hint_zh},
#include "sim/checks.def"
#undef CHECK
#undef E
#undef W
#undef N
};

const char *loc_file(OwLoc loc)
{
    return loc.file ? loc.file : "?";
}

/* Where a finding belongs. */
typedef struct Where {
    SimSeverity severity;
    uint32_t block;
    OwLoc loc, other; /* other.file NULL: none */
    const char *api;
} Where;

static Finding *find(Sim *s, CheckId id, const Where *w)
{
    const char *file = loc_file(w->loc);
    for (size_t i = 0; i < s->findings.n; i++) {
        Finding *f = &s->findings.at[i];
        if (f->pub.line == w->loc.line && f->pub.other_line == w->other.line && strcmp(f->pub.check, CHECKS[id].id) == 0 &&
            strcmp(f->pub.file, file) == 0)
            return f;
    }
    return NULL;
}

static char *format(Arena *a, const char *fmt, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, fmt, args);
    return arena_strdup(a, text);
}

/* Without checks: only what makes the launch end as it does. */
static bool ends_launch(CheckId id)
{
    static const CheckId IDS[] = {CHK_ID_NOT_MODELLED, CHK_ID_ASSERT, CHK_ID_GUARD_HIT, CHK_ID_INSN_LIMIT, CHK_ID_BLOCK_DIM, CHK_ID_FLAG_NO_SET, CHK_ID_QUE_EMPTY, CHK_ID_QUE_EVENTS,
                                  CHK_ID_QUE_EXHAUSTED, CHK_ID_DEADLOCK, CHK_ID_CORE_DEADLOCK, CHK_ID_SYNC_BLOCKS, CHK_ID_SYNC_MIX, CHK_ID_SYNC_USED, CHK_ID_SYNC_MISSING,
                                  CHK_ID_IB_ARGUMENT};
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++)
        if (IDS[i] == id) return true;
    return false;
}

static void report(Sim *s, Where w, CheckId id, va_list args)
{
    if (s->given_up) { /* it is told when the blocks run one after the other */
        __atomic_store_n(s->given_up, true, __ATOMIC_RELAXED);
        return;
    }
    if (s->options.no_checks && !ends_launch(id)) return;
    SimSeverity severity = s->options.strict && w.severity == SIM_WARNING ? SIM_ERROR : w.severity;
    Finding *known = find(s, id, &w);
    if (!known && s->findings.n >= MAX_FINDINGS) known = &s->findings.at[MAX_FINDINGS - 1];
    if (known) {
        known->pub.count++;
        if (known->id == id && severity < known->pub.severity) known->pub.severity = severity; /* races differ in it */
        return;
    }
    va_list args_zh;
    va_copy(args_zh, args);
    Finding f = {.id = id,
                 .pub = {.check = CHECKS[id].id,
                         .severity = severity,
                         .file = arena_strdup(s->arena, loc_file(w.loc)),
                         .line = w.loc.line,
                         .other_file = w.other.file ? arena_strdup(s->arena, w.other.file) : NULL,
                         .other_line = w.other.line,
                         .api = arena_strdup(s->arena, w.api ? w.api : ""),
                         .block = w.block,
                         .count = 1,
                         .text = format(s->arena, CHECKS[id].text, args),
                         .text_zh = format(s->arena, CHECKS[id].text_zh, args_zh),
                         .hint = CHECKS[id].hint,
                         .hint_zh = CHECKS[id].hint_zh}};
    va_end(args_zh);
    vec_push(s->arena, &s->findings, f);
}

void sim_report(Core *c, CheckId id, ...)
{
    va_list args;
    va_start(args, id);
    report(c->sim, (Where){CHECKS[id].severity, c->block, c->loc, {NULL, 0}, c->api}, id, args);
    va_end(args);
}

void sim_report_at(Core *c, OwLoc loc, const char *api, CheckId id, ...)
{
    va_list args;
    va_start(args, id);
    report(c->sim, (Where){CHECKS[id].severity, c->block, loc, {NULL, 0}, api}, id, args);
    va_end(args);
}

void sim_report_race(Core *c, SimSeverity severity, const Site *earlier, const Site *later, CheckId id, ...)
{
    va_list args;
    va_start(args, id);
    report(c->sim, (Where){severity, c->block, later->loc, earlier->loc, later->api}, id, args);
    va_end(args);
}

void sim_report_launch(Sim *s, CheckId id, ...)
{
    va_list args;
    va_start(args, id);
    OwLoc nowhere = {"kernel_src", 0};
    report(s, (Where){CHECKS[id].severity, 0, nowhere, {NULL, 0}, s->launch ? s->launch->op_name : ""}, id, args);
    va_end(args);
}

size_t sim_n_findings(const Sim *s)
{
    return s->findings.n;
}

const SimFinding *sim_finding(const Sim *s, size_t i)
{
    return &s->findings.at[i].pub;
}
