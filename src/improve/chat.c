/* libcurl, and patience. */
#include "improve/chat.h"

#include "base/strbuf.h"
#include "net/post.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MAX_BYTES ((size_t)16 << 20)
#define TIMEOUT_S        300.0
#define KEY_MIN_BYTES    4 /* a shorter "key" is in every text */

const char *chat_blot(Arena *a, const char *text, const char *key) {
    size_t n = key ? strlen(key) : 0;
    if (n < KEY_MIN_BYTES || !strstr(text, key)) return text;
    StrBuf sb;
    strbuf_init(&sb, a);
    for (const char *at; (at = strstr(text, key)); text = at + n) {
        strbuf_addn(&sb, text, (size_t)(at - text));
        strbuf_add(&sb, "***");
    }
    strbuf_add(&sb, text);
    return sb.text;
}

/* ---- one request ----------------------------------------------------------------------------- */

typedef struct Exchange {
    Post post;
    const ChatOptions *o;
    char *text;
    size_t n, cap;
    long status;
    CURLcode rc;
} Exchange;

static size_t on_data(char *data, size_t one, size_t n, void *ctx) {
    (void)one;
    Exchange *x = ctx;
    if (x->n + n > ANSWER_MAX_BYTES) return 0;
    if (x->n + n + 1 > x->cap) {
        size_t cap = x->cap ? x->cap : 16384;
        while (cap < x->n + n + 1) cap *= 2;
        char *more = realloc(x->text, cap);
        if (!more) return 0;
        x->text = more;
        x->cap = cap;
    }
    memcpy(x->text + x->n, data, n);
    x->n += n;
    x->text[x->n] = '\0';
    return n;
}

static char *make_body(const ChatOptions *o, const ChatMessage *messages, size_t n, Err *err) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "role", messages[i].role, "content", messages[i].content));
    bool whole = json_array_size(list) == n;
    json_t *body = whole ? json_pack("{s:s, s:O}", "model", o->model, "messages", list) : NULL;
    if (body && o->max_tokens > 0) json_object_set_new(body, "max_tokens", json_integer(o->max_tokens));
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    if (!text) err_set(err, ERR_BAD_INPUT, NULL, "the question holds text that is not UTF-8");
    json_decref(body);
    json_decref(list);
    return text;
}

static const char *make_url(Arena *a, const char *base) {
    static const char PATH[] = "/chat/completions";
    size_t n = strlen(base);
    while (n > 0 && base[n - 1] == '/') n--;
    bool whole = n >= sizeof PATH - 1 && !strncmp(base + n - (sizeof PATH - 1), PATH, sizeof PATH - 1);
    return arena_printf(a, "%.*s%s", (int)n, base, whole ? "" : PATH);
}

/* ---- what came back -------------------------------------------------------------------------- */

bool chat_parse(Arena *a, const char *body, size_t n_bytes, ChatAnswer *answer, Err *err) {
    json_error_t e;
    json_t *o = json_loadb(body, n_bytes, 0, &e);
    if (!o) return err_set(err, ERR_BAD_INPUT, NULL, "the endpoint's answer is not JSON, or it is cut off");
    const json_t *choice = json_array_get(json_object_get(o, "choices"), 0);
    const char *text = json_string_value(json_object_get(json_object_get(choice, "message"), "content"));
    const char *finish = json_string_value(json_object_get(choice, "finish_reason"));
    answer->text = arena_strdup(a, text ? text : "");
    answer->cut = finish && !strcmp(finish, "length");
    json_int_t total = json_integer_value(json_object_get(json_object_get(o, "usage"), "total_tokens"));
    answer->n_tokens = total > 0 && total < 1000000000 ? (long)total : 0;
    json_decref(o);
    return text || answer->cut ||
           err_set(err, ERR_BAD_INPUT, NULL, "the endpoint's answer has no choices[0].message.content");
}

static bool passes_by_itself(const Exchange *x) {
    static const long STATUSES[] = {408, 409, 425, 429, 500, 502, 503, 504, 529};
    static const CURLcode CODES[] = {CURLE_PARTIAL_FILE, CURLE_RECV_ERROR,         CURLE_SEND_ERROR,
                                     CURLE_GOT_NOTHING,  CURLE_OPERATION_TIMEDOUT, CURLE_COULDNT_CONNECT};
    for (size_t i = 0; x->rc != CURLE_OK && i < sizeof CODES / sizeof CODES[0]; i++)
        if (x->rc == CODES[i]) return true;
    for (size_t i = 0; x->rc == CURLE_OK && i < sizeof STATUSES / sizeof STATUSES[0]; i++)
        if (x->status == STATUSES[i]) return true;
    return false;
}

/* What the endpoint says about a failure. */
static const char *said(Arena *a, const Exchange *x) {
    json_t *o = x->text ? json_loadb(x->text, x->n, 0, NULL) : NULL;
    const json_t *error = json_object_get(o, "error");
    const char *text = json_string_value(json_is_string(error) ? error : json_object_get(error, "message"));
    if (!text) text = json_string_value(json_object_get(o, "message"));
    const char *copy = text ? arena_strndup(a, text, strnlen(text, 600)) : "without a reason";
    json_decref(o);
    return chat_blot(a, copy, x->o->key);
}

static bool failed(Arena *a, const Exchange *x, const char *url, Err *err) {
    if (x->rc != CURLE_OK) {
        ErrCode code = x->rc == CURLE_OPERATION_TIMEDOUT                                     ? ERR_TIMEOUT
                       : x->rc == CURLE_URL_MALFORMAT || x->rc == CURLE_UNSUPPORTED_PROTOCOL ? ERR_USAGE
                                                                                             : ERR_IO;
        return err_set(err, code, NULL, "asking %s: %s", chat_blot(a, url, x->o->key),
                       curl_easy_strerror(x->rc));
    }
    err_set(err, x->status >= 500 || x->status == 429 ? ERR_IO : ERR_USAGE, NULL,
            "the endpoint answered %ld: %s", x->status, said(a, x));
    if (x->status == 401 || x->status == 403)
        err_hint(err,
                 "set OPWRIGHT_API_KEY (or the variable that --key-env names) to a key of this endpoint");
    if (x->status == 404)
        err_hint(err, "--base-url is what stands before /chat/completions; --model names one of its models");
    return false;
}

/* ---- patience -------------------------------------------------------------------------------- */

static void tell(const ChatOptions *o, const char *line) {
    if (o->on_log) o->on_log(o->log_ctx, line);
}

/* False when the endpoint asks for more than we wait. */
static bool pause_before(Arena *a, Exchange *x, int n_done, Err *err) {
    const ChatOptions *o = x->o;
    double first = o->retry_wait_s > 0 ? o->retry_wait_s : 1, most = o->max_wait_s > 0 ? o->max_wait_s : 120;
    double wait_s = first * (double)(1u << (n_done - 1 > 10 ? 10 : n_done - 1));
    if (wait_s > most) wait_s = most;
    curl_off_t asked = 0;
    curl_easy_getinfo(x->post.curl, CURLINFO_RETRY_AFTER, &asked);
    if (x->rc == CURLE_OK && asked > 0) wait_s = (double)asked;
    if (wait_s > most) return err_set(err, ERR_IO, NULL, "the endpoint asks to wait %.0f s", wait_s);
    tell(o, arena_printf(a, "endpoint: %s; again in %.1f s",
                         x->rc != CURLE_OK ? curl_easy_strerror(x->rc)
                                           : arena_printf(a, "status %ld", x->status),
                         wait_s));
    usleep((useconds_t)(wait_s * 1e6));
    return true;
}

static bool converse(Arena *a, Exchange *x, const char *url, ChatAnswer *answer, Err *err) {
    int most = x->o->max_requests > 0 ? x->o->max_requests : 6;
    for (int n_done = 1;; n_done++) {
        x->n = 0;
        x->status = 0;
        x->rc = curl_easy_perform(x->post.curl);
        curl_easy_getinfo(x->post.curl, CURLINFO_RESPONSE_CODE, &x->status);
        answer->n_requests = n_done;
        bool again = passes_by_itself(x);
        *err = (Err){0};
        if (x->rc == CURLE_OK && x->status == 200) {
            if (chat_parse(a, x->text ? x->text : "", x->n, answer, err)) return true;
            again = true;
        } else {
            failed(a, x, url, err);
        }
        if (!again || n_done == most) return again ? err_context(err, "after %d requests", n_done) : false;
        Err why = *err;
        if (!pause_before(a, x, n_done, err)) return err_context(err, "%s", why.message);
    }
}

bool chat_ask(Arena *a, const ChatOptions *o, const ChatMessage *messages, size_t n, ChatAnswer *answer,
              Err *err) {
    *answer = (ChatAnswer){.text = ""};
    char *body = make_body(o, messages, n, err);
    if (!body) return false;
    Exchange x = {.o = o};
    const char *url = make_url(a, o->base_url);
    bool ok = post_begin(a, &x.post, url, o->key, body, o->timeout_s > 0 ? o->timeout_s : TIMEOUT_S, on_data, &x);
    if (!ok) err_set(err, ERR_INTERNAL, NULL, "cannot start libcurl");
    ok = ok && converse(a, &x, url, answer, err);
    answer->text = chat_blot(a, answer->text, o->key);
    post_end(&x.post);
    free(x.text);
    free(body);
    return ok;
}
