/* What a device report says beyond its text: how many cores stopped, and whether at one place. */
#include "explain/explain_int.h"

#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES_MAX   128 /* more than any chip has */
#define OFFSETS_MAX 16

struct Facts {
    bool core[CORES_MAX];
    uint64_t offset[OFFSETS_MAX]; /* of the program counter, bytes from the kernel's start */
    size_t n_cores, n_offsets;
    bool more_offsets;
};

Facts *facts_new(Arena *a) {
    return ARENA_NEW(a, Facts);
}

/* The number after `key` in the line, in base 10 or with 0x; false when there is none. */
static bool number_after(const char *line, const char *key, uint64_t *out) {
    const char *p = strstr(line, key);
    if (!p) return false;
    p += strlen(key);
    char *end;
    *out = strtoull(p, &end, 0);
    return end != p && *p != '-';
}

void facts_line(Facts *f, const char *line) {
    uint64_t core, start, current;
    if (!number_after(line, "core id is ", &core) || !strstr(line, "exception")) return;
    if (core < CORES_MAX && !f->core[core]) {
        f->core[core] = true;
        f->n_cores++;
    }
    if (!number_after(line, "pc start: ", &start) || !number_after(line, "current: ", &current) ||
        current < start)
        return;
    for (size_t i = 0; i < f->n_offsets; i++)
        if (f->offset[i] == current - start) return;
    if (f->n_offsets == OFFSETS_MAX) f->more_offsets = true;
    else f->offset[f->n_offsets++] = current - start;
}

static const char *core_list(Arena *a, const Facts *f) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < CORES_MAX; i++)
        if (f->core[i]) strbuf_printf(&sb, "%s%zu", sb.n_bytes ? ", " : "", i);
    return sb.text;
}

static const char *offset_list(Arena *a, const Facts *f) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < f->n_offsets; i++)
        strbuf_printf(&sb, "%s0x%llx", i ? ", " : "", (unsigned long long)f->offset[i]);
    if (f->more_offsets) strbuf_add(&sb, ", ...");
    return sb.text;
}

void facts_print(Arena *a, const Facts *f, const char *out[EXPLAIN_N_LANGS]) {
    out[EXPLAIN_EN] = out[EXPLAIN_ZH] = "";
    if (!f->n_cores) return;
    const char *cores = core_list(a, f), *offsets = f->n_offsets ? offset_list(a, f) : "?";
    if (f->n_cores == 1) {
        out[EXPLAIN_EN] = arena_printf(a,
                                       "one core reported (%s, at byte %s of the kernel): look at what "
                                       "differs for its block first, such as the last tile or the remainder",
                                       cores, offsets);
        out[EXPLAIN_ZH] =
            arena_printf(a, "只有一个核上报（%s，位于核函数第 %s 字节）：先看该核的不同之处，例如尾块或余数",
                         cores, offsets);
    } else if (f->n_offsets == 1) {
        out[EXPLAIN_EN] = arena_printf(a,
                                       "%zu cores reported (%s), all at byte %s of the kernel: likely every "
                                       "block runs into it, not only the last",
                                       f->n_cores, cores, offsets);
        out[EXPLAIN_ZH] = arena_printf(
            a, "%zu 个核上报（%s），都在核函数第 %s 字节：很可能每个核都会出错，而不只是最后一个", f->n_cores,
            cores, offsets);
    } else {
        out[EXPLAIN_EN] =
            arena_printf(a, "%zu cores reported (%s), at bytes %s of the kernel", f->n_cores, cores, offsets);
        out[EXPLAIN_ZH] =
            arena_printf(a, "%zu 个核上报（%s），位于核函数第 %s 字节", f->n_cores, cores, offsets);
    }
}
