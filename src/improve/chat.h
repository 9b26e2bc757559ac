/* One question to an OpenAI-compatible endpoint (POST BASE/chat/completions). What passes by itself is tried
 * again: a full endpoint (429, with its Retry-After), 5xx, a cut connection, an answer that is no JSON. */
#ifndef OPWRIGHT_IMPROVE_CHAT_H
#define OPWRIGHT_IMPROVE_CHAT_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef struct ChatOptions {
    const char *base_url; /* "https://host/v1"; with or without /chat/completions */
    const char *model;
    const char *key; /* NULL: none is sent. Never in a message, a log or an answer: it is blotted out there */
    double timeout_s;                            /* of one request; 0: 300 */
    double retry_wait_s;                         /* before the second request, doubled each time; 0: 1 */
    double max_wait_s;                           /* an endpoint that asks for more is given up; 0: 120 */
    int max_requests;                            /* 0: 6 */
    long max_tokens;                             /* of an answer; 0: the endpoint's */
    void (*on_log)(void *ctx, const char *line); /* may be NULL */
    void *log_ctx;
} ChatOptions;

typedef struct ChatMessage {
    const char *role, *content;
} ChatMessage;

typedef struct ChatAnswer {
    const char *text;
    bool cut;      /* the endpoint stopped it at its length limit */
    long n_tokens; /* of question and answer, as the endpoint counts; 0: it does not say */
    int n_requests;
} ChatAnswer;

bool chat_ask(Arena *a, const ChatOptions *o, const ChatMessage *messages, size_t n, ChatAnswer *answer,
              Err *err) ERR_CHECKED;
/* A copy without the key; also of text that came from elsewhere. */
const char *chat_blot(Arena *a, const char *text, const char *key);

/* The body of an answer: text, cut, n_tokens. False when it is none; *err says what is missing. */
bool chat_parse(Arena *a, const char *body, size_t n_bytes, ChatAnswer *answer, Err *err) ERR_CHECKED;

#endif
