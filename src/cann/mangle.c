/* The operator's unique name. Packages of different jobs, and older copies of the same operator, must not be
 * taken for each other: the device finds an operator by its type. So type and kernel name get a suffix, in
 * every section, by plain replacement of text: header names, tiling classes and aclnn functions are made of
 * them. */
#include "cann/cann_int.h"

#include "base/names.h"
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SUFFIX_LETTERS                                                                                       \
    7 /* 8e9 names; a longer suffix makes file names too long for the vendor's build of long operators */

const char *cann_suffix(Arena *a) {
    unsigned char bytes[SUFFIX_LETTERS];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        /* no entropy yet: the process and the time differ between jobs, too */
        unsigned long mix = (unsigned long)getpid() * 2654435761u + (unsigned long)(time_now_s() * 1e6);
        for (size_t i = 0; i < sizeof bytes; i++, mix /= 26) bytes[i] = (unsigned char)(mix % 26);
    }
    char text[SUFFIX_LETTERS + 2] = "X"; /* a capital: the snake-case name then gets "_x..." */
    for (size_t i = 0; i < sizeof bytes; i++) text[i + 1] = (char)('a' + bytes[i] % 26);
    return arena_strdup(a, text);
}

char *cann_replace(Arena *a, const char *text, const char *from, const char *to) {
    StrBuf sb;
    strbuf_init(&sb, a);
    size_t n = strlen(from);
    for (const char *at; n && (at = strstr(text, from)); text = at + n) {
        strbuf_addn(&sb, text, (size_t)(at - text));
        strbuf_add(&sb, to);
    }
    strbuf_add(&sb, text);
    return sb.text;
}

void cann_mangle(CannJob *j) {
    Arena *a = j->arena;
    j->suffix = cann_suffix(a);
    j->op = arena_printf(a, "%s%s", j->desc->op, j->suffix);
    j->snake = names_snake_case(a, j->op);
    j->library = "custom_ops_lib";
    j->model_file = "";
    j->model_class = "ModelNew";
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        const char *text = cann_replace(a, j->desc->source[i], j->desc->op, j->op);
        j->source[i] = cann_replace(a, text, j->desc->kernel_name, j->snake);
    }
    j->model_src = j->source[DESC_MODEL];
}

const char *cann_unmangle(const CannJob *j, const char *text) {
    text = cann_replace(j->arena, text, j->op, j->desc->op);
    return cann_replace(j->arena, text, j->snake, j->desc->kernel_name);
}
