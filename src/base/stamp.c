#include "base/stamp.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void add(Sha256 *h, const char *path, const struct stat *st) {
    char text[96];
    snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
    sha256_add_field(h, path);
    sha256_add_field(h, text);
}

void stamp_file(Sha256 *h, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0) add(h, path, &st);
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

void stamp_tree(Sha256 *h, const char *folder) {
    char *const roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    for (const FTSENT *e; walk && (e = fts_read(walk));) {
        bool compiled = e->fts_namelen > 4 && !strcmp(e->fts_name + e->fts_namelen - 4, ".pyc");
        if (e->fts_info == FTS_F && !compiled) add(h, e->fts_path, e->fts_statp);
    }
    if (walk) fts_close(walk);
}
