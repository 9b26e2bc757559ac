/* One request to the service over libcurl. */
#include "server/client.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "net/post.h"
#include "store/traj.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MAX_BYTES ((size_t)256 << 20)
#define TIMEOUT_S        3600.0
#define BUSY_TRIES       60 /* a full queue: this often, as far apart as the service asks */
#define BUSY_WAIT_MAX_S  30

typedef struct Exchange {
    const ClientOptions *o;
    bool stream;
    char *text; /* the answer, or the line that is coming */
    size_t n, cap;
    long status;
    json_t *final; /* of a stream */
    char error[1024];
    Post post;
} Exchange;

/* ---- the answer ------------------------------------------------------------------------------ */

static void tell(const ClientOptions *o, const char *line) {
    if (o->on_log) o->on_log(o->log_ctx, line);
}

/* A log line may hold several lines of text. */
static void tell_text(const ClientOptions *o, const char *text) {
    while (*text) {
        char line[2048];
        size_t n = strcspn(text, "\n"), k = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, text, k);
        line[k] = '\0';
        tell(o, line);
        text += n;
        if (*text) text++;
    }
}

static void take_line(Exchange *x, const char *line, size_t n) {
    json_t *m = json_loadb(line, n, 0, NULL);
    const char *type = json_string_value(json_object_get(m, "type"));
    if (type && !strcmp(type, "log")) {
        const char *text = json_string_value(json_object_get(m, "data"));
        tell_text(x->o, text ? text : "");
    } else if (type && !strcmp(type, "result")) {
        json_object_del(m, "type");
        json_decref(x->final);
        x->final = json_incref(m);
    } else if (type && !strcmp(type, "error")) {
        const char *text = json_string_value(json_object_get(m, "message"));
        snprintf(x->error, sizeof x->error, "%s", text ? text : "an error without a message");
    } /* meta: the log says the same; other types are for readers to come */
    json_decref(m);
}

static void take_lines(Exchange *x) {
    size_t at = 0;
    for (char *end; (end = memchr(x->text + at, '\n', x->n - at)); at = (size_t)(end - x->text) + 1)
        take_line(x, x->text + at, (size_t)(end - x->text) - at);
    memmove(x->text, x->text + at, x->n - at);
    x->n -= at;
}

static size_t on_data(char *data, size_t one, size_t n, void *ctx) {
    (void)one;
    Exchange *x = ctx;
    if (x->n + n > ANSWER_MAX_BYTES) return 0;
    if (x->n + n + 1 > x->cap) {
        size_t cap = x->cap ? x->cap : 8192;
        while (cap < x->n + n + 1) cap *= 2;
        char *more = realloc(x->text, cap);
        if (!more) return 0;
        x->text = more;
        x->cap = cap;
    }
    memcpy(x->text + x->n, data, n);
    x->n += n;
    curl_easy_getinfo(x->post.curl, CURLINFO_RESPONSE_CODE, &x->status);
    if (x->stream && x->status == 200) take_lines(x);
    return n;
}

/* ---- the request ----------------------------------------------------------------------------- */

/* .../verify -> .../verify_stream, as the established client does it. */
static const char *choose_url(Arena *a, const ClientOptions *o, bool *stream) {
    const char *env = getenv("ASCEND_VERIFY_URL"), *url = o->url        ? o->url
                                                          : env && *env ? env
                                                                        : CLIENT_DEFAULT_URL;
    static const char STREAM[] = "/verify_stream", PLAIN[] = "/verify";
    size_t n = strlen(url);
    bool is_stream = n >= sizeof STREAM - 1 && !strcmp(url + n - (sizeof STREAM - 1), STREAM);
    bool is_plain = n >= sizeof PLAIN - 1 && !strcmp(url + n - (sizeof PLAIN - 1), PLAIN);
    *stream = o->stream || is_stream;
    if (!*stream || is_stream) return url;
    if (is_plain) return arena_printf(a, "%s_stream", url);
    while (n > 0 && url[n - 1] == '/') n--;
    return arena_printf(a, "%.*s%s", (int)n, url, STREAM);
}

static const char *absolute(Arena *a, const char *path) {
    char cwd[PATH_MAX];
    return path[0] == '/' || !getcwd(cwd, sizeof cwd) ? path : arena_printf(a, "%s/%s", cwd, path);
}

static bool set_source(Arena *a, json_t *body, const char *key, const char *path, Err *err) {
    const char *text = fs_read(a, path, NULL, err);
    json_t *value = text ? json_string(text) : NULL;
    if (!text) return false;
    if (!value) return err_set(err, ERR_BAD_INPUT, path, "this is not UTF-8 text");
    json_object_set_new(body, key, value);
    return true;
}

static json_t *make_body(Arena *a, const ClientOptions *o, Err *err) {
    json_t *body = json_pack("{s:s, s:s, s:s, s:s}", "op", o->op, "reference_path", o->reference_path,
                             "kernel_code_path", o->kernel_code_path, "language", "ascendc");
    if (!body) {
        err_set(err, ERR_BAD_INPUT, NULL, "the operator's name or a path is not UTF-8");
        return NULL;
    }
    const struct {
        const char *key, *text;
    } texts[] = {
        {"standard", o->standard}, {"chip", o->chip}, {"category", o->category}, {"devices", o->devices},
        {"schedule", o->model.schedule}, {"toolchain", o->model.toolchain}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].text) json_object_set_new(body, texts[i].key, json_string(texts[i].text));
    if (o->devices) { /* a list, as older services want it */
        json_t *list = json_array();
        char *rest = arena_strdup(a, o->devices);
        for (char *part; (part = strsep(&rest, ","));)
            if (part[strspn(part, " ")]) json_array_append_new(list, json_string(part + strspn(part, " ")));
        json_object_set_new(body, "devices", list);
    }
    if (o->no_cache) json_object_set_new(body, "no_cache", json_true());
    if (o->model.strict) json_object_set_new(body, "strict", json_true());
    if (o->model.exact) json_object_set_new(body, "exact", json_true());
    if (o->send_sources && (!set_source(a, body, "reference_src", o->reference_path, err) ||
                            !set_source(a, body, "kernel_code_src", o->kernel_code_path, err))) {
        json_decref(body);
        return NULL;
    }
    return body;
}

static bool find_token(Arena *a, const ClientOptions *o, const char **token, Err *err) {
    *token = getenv("ASCEND_VERIFY_TOKEN");
    if (!o->token_file) return true;
    char *text = fs_read(a, o->token_file, NULL, err);
    if (!text) return err_context(err, "--token-file");
    text[strcspn(text, "\r\n")] = '\0';
    *token = text;
    return true;
}

static bool curl_failed(const char *url, CURLcode rc, Err *err) {
    if (rc == CURLE_COULDNT_CONNECT || rc == CURLE_COULDNT_RESOLVE_HOST) {
        err_set(err, ERR_NOT_FOUND, NULL, "no verification service at %s: %s", url, curl_easy_strerror(rc));
        return err_hint(err, "start one with `opwright serve`, or add --local to verify on this machine");
    }
    ErrCode code = rc == CURLE_OPERATION_TIMEDOUT                                  ? ERR_TIMEOUT
                   : rc == CURLE_URL_MALFORMAT || rc == CURLE_UNSUPPORTED_PROTOCOL ? ERR_USAGE
                                                                                   : ERR_IO;
    return err_set(err, code, NULL, "asking %s: %s", url, curl_easy_strerror(rc));
}

/* An answer that is no 200. */
static bool refused(Exchange *x, Err *err) {
    json_t *o = x->text ? json_loadb(x->text, x->n, 0, NULL) : NULL;
    const char *detail = json_string_value(json_object_get(o, "detail"));
    const char *hint = json_string_value(json_object_get(json_object_get(o, "error"), "hint"));
    ErrCode code = x->status >= 500 ? ERR_INTERNAL : ERR_BAD_INPUT;
    err_set(err, code, NULL, "the service answered %ld: %s", x->status, detail ? detail : "without a reason");
    if (x->status == 401) err_hint(err, "give --token-file FILE, or set ASCEND_VERIFY_TOKEN");
    else if (hint) err_hint(err, "%s", hint);
    json_decref(o);
    return false;
}

/* Performs until the answer is another than "the queue is full". */
static bool perform(Exchange *x, const char *url, Err *err) {
    for (int i = 0;; i++) {
        x->n = 0;
        x->status = 0;
        CURLcode rc = curl_easy_perform(x->post.curl);
        curl_easy_getinfo(x->post.curl, CURLINFO_RESPONSE_CODE, &x->status);
        if (rc != CURLE_OK) return curl_failed(url, rc, err);
        if (x->status == 200) return true;
        if (x->status != 429 || i == BUSY_TRIES) return refused(x, err);
        curl_off_t wait_s = 0;
        curl_easy_getinfo(x->post.curl, CURLINFO_RETRY_AFTER, &wait_s);
        tell(x->o, "the service's queue is full; trying again");
        sleep(wait_s > 0 && wait_s < BUSY_WAIT_MAX_S ? (unsigned)wait_s : 5);
    }
}

static bool take_answer(Exchange *x, json_t **out, Err *err) {
    if (x->stream && x->n > 0) take_line(x, x->text, x->n); /* a last line without its end */
    if (x->stream && !x->final && x->error[0])
        return err_set(err, ERR_INTERNAL, NULL, "the service says: %s", x->error);
    json_t *o = x->stream ? json_incref(x->final) : json_loadb(x->text ? x->text : "", x->n, 0, NULL);
    bool ok = json_is_integer(json_object_get(o, "exit_code")) && json_object_get(o, "result");
    if (!ok) {
        json_decref(o);
        return err_set(err, ERR_INTERNAL, NULL,
                       x->stream ? "the stream ended without a result"
                                 : "the answer is not that of a verification service");
    }
    *out = o;
    return true;
}

static bool ask(Arena *a, const ClientOptions *o, json_t **out, Err *err) {
    Exchange x = {.o = o};
    const char *url = choose_url(a, o, &x.stream);
    const char *token = NULL;
    json_t *body = make_body(a, o, err);
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    bool ok = text && find_token(a, o, &token, err);
    if (ok) {
        ok = post_begin(a, &x.post, url, token, text, o->timeout_s > 0 ? o->timeout_s : TIMEOUT_S, on_data, &x);
        if (!ok) err_set(err, ERR_INTERNAL, NULL, "cannot start libcurl");
        ok = ok && perform(&x, url, err) && take_answer(&x, out, err);
        post_end(&x.post);
    }
    json_decref(x.final);
    json_decref(body);
    free(text);
    free(x.text);
    return ok;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

bool client_keep(Arena *a, const char *path, const char *code, const json_t *answer, Err *err) {
    const char *slash = strrchr(path, '/');
    if (slash && slash != path && !fs_make_dirs(arena_strndup(a, path, (size_t)(slash - path)), err)) return false;
    char *text = json_dumps(answer, JSON_INDENT(2));
    bool ok = text ? fs_write(path, text, strlen(text), err)
                   : err_set(err, ERR_INTERNAL, NULL, "the answer cannot be written as JSON");
    free(text);
    const char *traj = slash ? arena_printf(a, "%.*s/traj.json", (int)(slash - path), path) : "traj.json";
    return ok && traj_append(a, traj, code, answer, err);
}

static json_t *text_json(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("(text is not UTF-8)");
}

json_t *client_answer(Arena *a, const char *reference_path, const char *kernel_code_path, int exit_code,
                      json_t *result, const char *summary) {
    return json_pack("{s:i, s:o, s:o, s:o, s:o}", "exit_code", exit_code, "reference_path",
                     text_json(absolute(a, reference_path)), "kernel_code_path",
                     text_json(absolute(a, kernel_code_path)), "result", result, "summary", text_json(summary));
}

bool client_verify(Arena *a, const ClientOptions *options, ClientAnswer *answer, Err *err) {
    ClientOptions o = *options;
    *answer = (ClientAnswer){.exit_code = 1};
    o.reference_path = absolute(a, o.reference_path);
    o.kernel_code_path = absolute(a, o.kernel_code_path);
    Err unread = {0};
    const char *code =
        fs_read(a, o.kernel_code_path, NULL, &unread); /* may lie on the service's machine alone */
    answer->json = code ? client_precheck(a, &o, code) : NULL;
    if (!answer->json && !ask(a, &o, &answer->json, err)) return false;
    answer->exit_code = (int)json_integer_value(json_object_get(answer->json, "exit_code"));
    const char *summary = json_string_value(json_object_get(answer->json, "summary"));
    answer->summary = arena_strdup(a, summary ? summary : "");
    if (!o.result_json_path) return true;
    return client_keep(a, o.result_json_path, code ? code : "", answer->json, err);
}
