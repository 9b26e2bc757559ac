/* Builds a description: one kernel library per dtype combination, the host library and the binding, compiled
 * by child processes side by side. `#line` gives the user's sections their names, so that compiler messages
 * and the simulator's findings speak of kernel_src:57. */
#include "verify/compile.h"
#include "verify/lang.h"
#include "verify/narrow.h"

#include "cage/cage.h"
#include "base/fs.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMPILER_MEMORY_BYTES (4ull << 30) /* of one process; the binding with PyTorch's headers takes about 1 GiB */

typedef struct Job {
    const char *const *argv;
    const char *output; /* library */
    double limit_s;
    Arena *arena; /* of the thread that runs it */
    ProcResult result;
    bool started, failed_us;
    Err err;
} Job;

typedef struct Pool {
    Job *jobs;
    size_t n, next;
    double deadline_s;
    const char *dir;
    pthread_mutex_t lock;
} Pool;

static void *pool_thread(void *arg) {
    Pool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        size_t i = p->next++;
        pthread_mutex_unlock(&p->lock);
        if (i >= p->n) return NULL;
        Job *j = &p->jobs[i];
        Proc proc;
        double left = p->deadline_s - time_now_s();
        const CageSpec cage = {.writable = p->dir, .memory_bytes = COMPILER_MEMORY_BYTES, .cpu_s = (uint32_t)(left > 0 ? left : 0) + 2};
        j->failed_us = !proc_start(&proc, cage_argv(j->arena, &cage, j->argv), p->dir, &j->err) ||
                       !proc_wait(&proc, j->arena, left > 0.1 ? left : 0.1, &j->result, &j->err);
    }
}

/* Runs all jobs, as many at a time as there are cores (at least two: one often waits for its files). */
static void pool_run(Pool *p) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n_threads = cores > 2 ? (size_t)cores : 2;
    pthread_t threads[16];
    if (n_threads > 16) n_threads = 16;
    if (n_threads > p->n) n_threads = p->n;
    size_t started = 0;
    pthread_mutex_init(&p->lock, NULL);
    while (started + 1 < n_threads && pthread_create(&threads[started], NULL, pool_thread, p) == 0) started++;
    pool_thread(p);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&p->lock);
}

/* ---------------------------------------------------------------------------------------------------- the
 * sources */

static bool write_text(const char *dir, const char *name, const StrBuf *sb, Arena *a, Err *err) {
    return fs_write(arena_printf(a, "%s/%s", dir, name), sb->text, sb->n_bytes, err);
}

static void add_section(StrBuf *sb, const Desc *d, DescSource s) {
    strbuf_printf(sb, "#line 1 \"%s\"\n", DESC_SOURCE_NAMES[s]);
    strbuf_add(sb, s == DESC_KERNEL ? narrow_marks(sb->arena, d->source[s]) : d->source[s]);
    strbuf_add(sb, "\n");
}

/* HW: OpDef::Input: the name of a tensor, upper-cased, gives DTYPE_, ORIG_DTYPE_ and FORMAT_ macros in its
 * kernel. */
static void add_macros(StrBuf *sb, Arena *a, const DescTensor *t, size_t combo) {
    char *upper = arena_strdup(a, t->name);
    for (char *p = upper; *p; p++) *p = (char)toupper((unsigned char)*p);
    const DTypeInfo *type = dtype_info(t->types[combo]);
    strbuf_printf(sb, "#define DTYPE_%s %s\n#define ORIG_DTYPE_%s %s\n#define FORMAT_%s FORMAT_%s\n", upper,
                  type->cxx, upper, type->ge, upper, t->formats[combo]);
}

static bool write_kernel(Arena *a, const Desc *d, const char *dir, size_t combo, Err *err) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < d->n_inputs; i++) add_macros(&sb, a, &d->inputs[i], combo);
    for (size_t i = 0; i < d->n_outputs; i++) add_macros(&sb, a, &d->outputs[i], combo);
    strbuf_printf(&sb, "#define OW_OP %s\n#include \"%s_tiling.h\"\n", d->op, d->kernel_name);
    add_section(&sb, d, DESC_KERNEL);
    /* What the simulator calls; after the user's text, where its types are known. */
    strbuf_add(&sb, "#line 1 \"kernel_entry\"\n#ifndef OW_KERNEL_OPERATOR_H\n#error kernel_src does not "
                    "include kernel_operator.h\n#endif\n");
    strbuf_printf(&sb, "OW_KERNEL_ENTRY(%s, %zu)\n", d->kernel_name, d->n_inputs + d->n_outputs + 2);
    return write_text(dir, arena_printf(a, "kernel_%zu.cpp", combo), &sb, a, err);
}

static bool write_sources(Arena *a, const Desc *d, const char *dir, Err *err) {
    StrBuf tiling, host, bind;
    strbuf_init(&tiling, a);
    strbuf_init(&host, a);
    strbuf_init(&bind, a);
    strbuf_add(&tiling, "#pragma once\n");
    add_section(&tiling, d, DESC_HOST_TILING);
    add_section(&host, d, DESC_HOST_OPERATOR);
    add_section(&bind, d, DESC_PYTHON_BIND);
    if (!write_text(dir, arena_printf(a, "%s_tiling.h", d->kernel_name), &tiling, a, err)) return false;
    if (!write_text(dir, "host.cpp", &host, a, err) || !write_text(dir, "binding.cpp", &bind, a, err))
        return false;
    for (size_t i = 0; i < d->n_combos; i++)
        if (!write_kernel(a, d, dir, i, err)) return false;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- the
 * jobs */

static Job make_job(Arena *a, const Toolchain *t, CompileSide side, const char *dir, const char *stem, const char *text) {
    return (Job){.output = compile_output(a, side, dir, stem), .argv = compile_command(a, t, side, dir, stem, text), .arena = arena_new()};
}

/* The compiler named no fault of the source: it crashed, was killed, or found no room. */
static bool compiler_failed(const Job *j, Err *err) {
    const char *text = j->result.output;
    size_t n = strlen(text), keep = n > 600 ? 600 : n;
    if (j->result.signal_no)
        return err_set(err, ERR_INTERNAL, NULL, "the compiler was killed by signal %d: %s",
                       j->result.signal_no, text + n - keep);
    return err_set(err, ERR_INTERNAL, NULL, "the compiler failed with status %d: %s", j->result.exit_code,
                   text + n - keep);
}

/* What one finished job means; false for failures of ours. */
static bool take_job(Arena *a, const Toolchain *t, const Desc *d, const Job *j, double limit_s, Build *b,
                     DiagList *diags, Err *err) {
    if (j->failed_us) {
        *err = j->err;
        return false;
    }
    if (j->result.timed_out) {
        const char *text = arena_printf(a, "the compiler was not done after %.0f s", limit_s);
        Diag slow = {.check = "compile-timeout",
                     .stage = "build",
                     .text = text,
                     .text_zh = arena_printf(a, "编译超过 %.0f 秒", limit_s),
                     .hint = "look for templates that expand without end, or raise the time limit",
                     .hint_zh = "请检查是否有无限展开的模板, 或提高时间上限"};
        diag_add(diags, &slow);
        b->timed_out = true;
    } else if (j->result.exit_code != 0) {
        if (compile_log_parse(d, t->home, j->result.output, diags) == 0) return compiler_failed(j, err);
    } else {
        return true;
    }
    b->ok = false;
    return true;
}

/* One pass of clang for each combination: casts and calls depend on the types. */
static size_t add_lang_jobs(Arena *a, const Toolchain *t, const Desc *d, const char *dir, Job *jobs) {
    if (!t->lang || !t->clang) return 0;
    for (size_t i = 0; i < d->n_combos; i++) jobs[i] = make_job(a, t, SIDE_LANG, dir, arena_printf(a, "kernel_%zu", i), d->source[DESC_KERNEL]);
    return d->n_combos;
}

/* What the pass found. One that was not done says nothing: the compiler proper will. */
static void take_lang(Arena *a, const Toolchain *t, const Desc *d, const Job *jobs, size_t n, Build *b, DiagList *diags) {
    LangPass pass = {.diags = diags, .toolchain = t->lang};
    size_t before = diag_count(diags, DIAG_ERROR);
    b->lang = !t->lang ? "none" : "tokens";
    lang_tokens(&pass, d->source[DESC_KERNEL]);
    for (size_t i = 0; i < n; i++) {
        Err ignored = {0};
        const char *tree = jobs[i].failed_us || jobs[i].result.timed_out || jobs[i].result.signal_no ? NULL : fs_read(a, jobs[i].output, NULL, &ignored);
        if (!tree) continue;
        b->lang = "clang";
        lang_messages(&pass, jobs[i].result.output);
        lang_ast(&pass, tree);
    }
    if (diag_count(diags, DIAG_ERROR) > before) b->ok = false;
}

bool build_run(Arena *a, const Toolchain *t, const Desc *d, const char *dir, double limit_s, Build *b,
               DiagList *diags, Err *err) {
    double start = time_now_s();
    size_t n = d->n_combos + 2;
    *b = (Build){.dir = dir,
                 .n_kernels = d->n_combos,
                 .ok = true,
                 .kernel_sos = ARENA_ARRAY(a, d->n_combos, const char *)};
    if (!write_sources(a, d, dir, err)) return false;
    Job *jobs = ARENA_ARRAY(a, n + d->n_combos, Job);
    for (size_t i = 0; i < d->n_combos; i++)
        jobs[i] = make_job(a, t, SIDE_KERNEL, dir, arena_printf(a, "kernel_%zu", i), d->source[DESC_KERNEL]);
    jobs[n - 2] = make_job(a, t, SIDE_HOST, dir, "host", d->source[DESC_HOST_OPERATOR]);
    jobs[n - 1] = make_job(a, t, SIDE_BINDING, dir, "binding", d->source[DESC_PYTHON_BIND]);
    size_t n_lang = add_lang_jobs(a, t, d, dir, jobs + n);
    Pool pool = {.jobs = jobs, .n = n + n_lang, .deadline_s = start + limit_s, .dir = dir};
    pool_run(&pool);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        ok = take_job(a, t, d, &jobs[i], limit_s, b, diags, err);
        if (i < d->n_combos) {
            b->kernel_sos[i] = jobs[i].output;
            b->kernel_s += jobs[i].result.wall_s;
        }
    }
    if (ok) take_lang(a, t, d, jobs + n, n_lang, b, diags);
    b->host_so = jobs[n - 2].output;
    b->host_s = jobs[n - 2].result.wall_s;
    b->binding_so = jobs[n - 1].output;
    b->binding_s = jobs[n - 1].result.wall_s;
    b->wall_s = time_now_s() - start;
    for (size_t i = 0; i < n + n_lang; i++) arena_free(jobs[i].arena);
    return ok;
}
