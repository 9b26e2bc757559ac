/* Answers of a model and of its endpoint: any bytes either give a change that really is one, or a reason. */
#include "improve/chat.h"
#include "improve/patch.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    const char *text = arena_strndup(a, (const char *)data, n_bytes), *answer = text + strlen(text);
    if (answer < text + n_bytes) answer++; /* behind a NUL: what is said about the text before it */
    Err err = {0};
    size_t n = 0;
    const char *now = patch_apply(a, text, answer, &n, &err);
    if (now ? !n || !strcmp(now, text) : !err.message[0]) __builtin_trap();
    ChatAnswer chat = {0};
    err = (Err){0};
    bool ok = chat_parse(a, text, n_bytes, &chat, &err);
    if (ok ? !chat.text || chat.n_tokens < 0 : !err.message[0]) __builtin_trap();
    arena_free(a);
    return 0;
}
