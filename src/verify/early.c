/* Builds a description before Python has read it. desc_peek guesses the sources; when the worker later gives
 * the same six texts, the libraries are what a build would have made, and the seconds PyTorch took to import
 * were not lost. */
#include "verify/verify_int.h"

#include "base/fs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct Early {
    Arena *arena; /* of the thread while it runs */
    pthread_t thread;
    bool running;
    Toolchain tools;
    Desc *desc;
    const char *dir;
    double limit_s;
    Build build;
    DiagList diags;
    bool ok;
    Err err;
};

static void *early_thread(void *arg) {
    Early *e = arg;
    e->ok = build_run(e->arena, &e->tools, e->desc, e->dir, e->limit_s, &e->build, &e->diags, &e->err);
    return NULL;
}

Early *early_start(const Toolchain *t, const char *dir, const char *description, double limit_s) {
    Arena *a = arena_new();
    Err ignored = {0};
    const char *source[DESC_N_SOURCES];
    const char *text = fs_read(a, description, NULL, &ignored);
    Early *e = ARENA_NEW(a, Early);
    *e = (Early){
        .arena = a, .tools = *t, .dir = arena_strdup(a, dir), .limit_s = limit_s, .diags = {.arena = a}};
    e->desc = text && desc_peek(a, text, source) ? desc_from_peek(a, description, source) : NULL;
    e->running = e->desc && pthread_create(&e->thread, NULL, early_thread, e) == 0;
    if (e->running) return e;
    arena_free(a);
    return NULL;
}

static void early_join(Early *e) {
    if (e->running) pthread_join(e->thread, NULL);
    e->running = false;
}

bool early_take(Early *e, const Desc *d, Build *b, DiagList *diags) {
    for (int i = 0; e && i < DESC_N_SOURCES; i++)
        if (strcmp(e->desc->source[i], d->source[i]) != 0) return false;
    if (!e) return false;
    early_join(e);
    if (!e->ok) return false; /* a failure of ours: the build proper will say what it was */
    *b = e->build;
    for (size_t i = 0; i < e->diags.n; i++) diag_add(diags, &e->diags.at[i]);
    return true;
}

void early_free(Early *e) {
    if (!e) return;
    early_join(e);
    arena_free(e->arena);
}
