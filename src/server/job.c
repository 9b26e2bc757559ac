/* Jobs and their three JSON forms: answer, brief, record. */
#include "server/job.h"

#include "base/fs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAX_BYTES (1u << 20)

static const char *const STATES[JOB_N_STATES] = {[JOB_QUEUED] = "queued",
                                                 [JOB_RUNNING] = "running",
                                                 [JOB_DONE] = "done",
                                                 [JOB_CANCELLED] = "cancelled",
                                                 [JOB_ABORTED] = "aborted"};

const char *job_state_name(JobState s) {
    return STATES[s];
}

bool job_state_find(const char *name, JobState *out) {
    for (int s = 0; name && s < JOB_N_STATES; s++)
        if (!strcmp(STATES[s], name)) {
            *out = (JobState)s;
            return true;
        }
    return false;
}

bool job_finished(const Job *j) {
    return j->state != JOB_QUEUED && j->state != JOB_RUNNING;
}

Job *job_new(uint64_t id) {
    Arena *a = arena_new();
    Job *j = ARENA_NEW(a, Job);
    j->arena = a;
    j->id = id;
    j->stage = "waiting";
    j->device_names = "";
    j->backend = "sim";
    j->summary = j->verdict = "";
    j->ahead = SIZE_MAX;
    j->accepted_at = time(NULL);
    j->accepted_s = time_now_s();
    j->refs = 1;
    strbuf_init(&j->lines, a);
    strbuf_init(&j->log, a);
    return j;
}

void job_hold(Job *j) {
    j->refs++;
}

void job_release(Job *j) {
    if (!j || --j->refs > 0) return;
    json_decref(j->result);
    arena_free(j->arena);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void wake_all(Job *j) {
    JobWatch *w = j->watches;
    j->watches = NULL;
    while (w) {
        JobWatch *next = w->next;
        w->next = NULL;
        w->wake(w->ctx);
        w = next;
    }
}

void job_watch(Job *j, JobWatch *w) {
    w->next = j->watches;
    j->watches = w;
}

void job_unwatch(Job *j, JobWatch *w) {
    for (JobWatch **p = &j->watches; *p; p = &(*p)->next)
        if (*p == w) {
            *p = w->next;
            w->next = NULL;
            return;
        }
}

/* Takes o, which may be NULL. */
static void add_line(Job *j, json_t *o) {
    char *text = o && j->request.stream ? json_dumps(o, JSON_COMPACT) : NULL;
    if (text) {
        strbuf_add(&j->lines, text);
        strbuf_add(&j->lines, "\n");
    }
    free(text);
    json_decref(o);
    wake_all(j);
}

void job_log(Job *j, const char *fmt, ...) {
    char text[8192];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text - 1, fmt, ap);
    va_end(ap);
    if (n < 0 || j->log_full) return;
    if ((size_t)n > sizeof text - 2) n = (int)sizeof text - 2;
    text[n++] = '\n';
    text[n] = '\0';
    if (j->log.n_bytes + (size_t)n > LOG_MAX_BYTES) {
        snprintf(text, sizeof text, "(the log is full: what follows is left out)\n");
        j->log_full = true;
    }
    strbuf_add(&j->log, text);
    json_t *data = json_string(text);
    add_line(j, json_pack("{s:s, s:o}", "type", "log", "data",
                          data ? data : json_string("(text is not UTF-8)\n")));
}

/* "sim:0, sim:1" as a list. */
static json_t *device_list(const Job *j) {
    json_t *list = json_array();
    for (const char *s = j->device_names; *s;) {
        size_t n = strcspn(s, ",");
        json_array_append_new(list, json_stringn(s, n));
        s += n;
        s += strspn(s, ", ");
    }
    return list;
}

const char *job_reference_label(const Job *j) {
    if (j->request.reference_path) return j->request.reference_path;
    return arena_printf(j->arena, "%s_torch_reference.py", j->request.op);
}

const char *job_kernel_code_label(const Job *j) {
    if (j->request.kernel_code_path) return j->request.kernel_code_path;
    return arena_printf(j->arena, "%s.py", j->request.op);
}

/* As job_log, but there are many of these (each departure moves all that wait), so the line is not built from
 * JSON values. */
void job_log_place(Job *j, size_t ahead) {
    if (j->log_full || j->log.n_bytes > LOG_MAX_BYTES / 2) return;
    const char *ending = ahead == 1 ? "" : "s";
    strbuf_printf(&j->log, "waiting: %zu operator%s ahead of this one\n", ahead, ending);
    if (j->request.stream)
        strbuf_printf(&j->lines,
                      "{\"type\":\"log\",\"data\":\"waiting: %zu operator%s ahead of this one\\n\"}\n", ahead,
                      ending);
    wake_all(j);
}

void job_meta(Job *j) {
    add_line(j,
             json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:I}", "type", "meta", "op", j->request.op,
                       "reference_path", job_reference_label(j), "kernel_code_path", job_kernel_code_label(j),
                       "devices", device_list(j), "language", j->request.language, "job", (json_int_t)j->id));
}

json_t *job_plain_result(const Request *r, const char *backend, const char *verdict, const char *message,
                         const char *hint) {
    json_t *text = json_string(message);
    if (!text) text = json_string("(text is not UTF-8)");
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:b, s:b, s:n, s:s, s:s, s:o, s:s, s:s?, s:[]}", "index", 0, "op",
                  r->op, "category", r->category ? r->category : "custom", "language", r->language,
                  "compiled", 0, "correctness", 0, "performance", "compile_info", "", "correctness_info", "",
                  "error_message", text, "backend", backend, "verdict", verdict, "checks");
    if (hint && *hint) json_object_set_new(o, "hint", json_string(hint));
    return json_pack("[o]", o);
}

json_t *job_error_result(Arena *a, const Request *r, const char *backend, const Err *err, int *exit_code,
                         const char **summary) {
    int status = err_exit_status(err->code);
    bool infra = status == 3;
    const char *message = err->where[0] ? arena_printf(a, "%s: %s", err->where, err->message)
                                        : arena_strdup(a, err->message);
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_printf(&sb, "%s %s: %s\n", infra ? "INFRA_ERROR" : "NOT JUDGED", r->op, message);
    if (err->hint[0]) strbuf_printf(&sb, "      fix: %s\n", err->hint);
    *exit_code = status;
    *summary = sb.text;
    return job_plain_result(r, backend, infra ? "INFRA_ERROR" : NULL, message, err->hint);
}

static void take_result(Job *j, int exit_code, json_t *result, const char *summary) {
    const char *verdict = json_string_value(json_object_get(json_array_get(result, 0), "verdict"));
    j->exit_code = exit_code;
    j->result = result;
    j->summary = arena_strdup(j->arena, summary ? summary : "");
    j->verdict = verdict ? verdict : "";
}

void job_finish(Job *j, JobState state, int exit_code, json_t *result, const char *summary) {
    take_result(j, exit_code, result, summary);
    j->state = state;
    j->stage = "done";
    j->finished_at = time(NULL);
    j->finished_s = time_now_s();
    json_t *o = NULL;
    if (j->request.stream) {
        json_t *answer = job_answer_json(j, false, false);
        o = json_pack("{s:s}", "type", "result");
        json_object_update(o, answer);
        json_decref(answer);
    }
    add_line(j, o);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

json_t *job_answer_json(const Job *j, bool with_op, bool with_logs) {
    json_t *o = json_object();
    if (with_op) json_object_set_new(o, "op", json_string(j->request.op));
    json_object_set_new(o, "exit_code", json_integer(j->exit_code));
    json_object_set_new(o, "reference_path", json_string(job_reference_label(j)));
    json_object_set_new(o, "kernel_code_path", json_string(job_kernel_code_label(j)));
    json_object_set(o, "result", j->result);
    json_object_set_new(o, "summary", json_string(j->summary));
    if (with_logs) json_object_set_new(o, "logs", json_string(j->log.text));
    json_object_set_new(o, "job", json_integer((json_int_t)j->id));
    json_object_set_new(o, "cached", json_boolean(j->cached));
    return o;
}

static void set_time(json_t *o, const char *key, time_t t) {
    char text[32];
    struct tm tm;
    if (t == 0 || !gmtime_r(&t, &tm)) return;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_object_set_new(o, key, json_string(text));
}

static time_t get_time(const json_t *o, const char *key) {
    struct tm tm = {0};
    const char *text = json_string_value(json_object_get(o, key));
    return text && strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm(&tm) : 0;
}

/* The stable ids of the errors a result holds, without repeats: what the dashboard calls error classes. */
static json_t *error_classes(const json_t *result) {
    json_t *list = json_array();
    const json_t *checks = json_object_get(json_array_get(result, 0), "checks");
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *c = json_array_get(checks, i);
        const char *severity = json_string_value(json_object_get(c, "severity"));
        json_t *id = json_object_get(c, "check");
        bool seen = !severity || strcmp(severity, "error") != 0 || !json_is_string(id);
        for (size_t k = 0; k < json_array_size(list) && !seen; k++)
            seen = json_equal(json_array_get(list, k), id);
        if (!seen) json_array_append(list, id);
    }
    return list;
}

json_t *job_brief_json(const Job *j) {
    json_t *o = json_pack("{s:I, s:s, s:s, s:s, s:o, s:s, s:s, s:b}", "id", (json_int_t)j->id, "op",
                          j->request.op, "state", STATES[j->state], "stage", j->stage, "devices",
                          device_list(j), "reference_path", job_reference_label(j), "kernel_code_path",
                          job_kernel_code_label(j), "cached", (int)j->cached);
    double now = time_now_s();
    set_time(o, "accepted_at", j->accepted_at);
    set_time(o, "started_at", j->started_at);
    set_time(o, "finished_at", j->finished_at);
    if (j->state == JOB_QUEUED) {
        if (j->ahead != SIZE_MAX) json_object_set_new(o, "ahead", json_integer((json_int_t)j->ahead));
        json_object_set_new(o, "waited_s", json_real(now - j->accepted_s));
    }
    if (j->state == JOB_RUNNING) json_object_set_new(o, "ran_s", json_real(now - j->started_s));
    if (!job_finished(j)) return o;
    if (j->finished_s > 0) json_object_set_new(o, "took_s", json_real(j->finished_s - j->accepted_s));
    json_object_set_new(o, "exit_code", json_integer(j->exit_code));
    json_object_set_new(o, "verdict", *j->verdict ? json_string(j->verdict) : json_null());
    size_t n_line = strcspn(j->summary, "\n");
    json_object_set_new(o, "summary", json_stringn(j->summary, n_line));
    json_object_set_new(o, "errors", error_classes(j->result));
    return o;
}

json_t *job_record_json(const Job *j) {
    json_t *o = job_brief_json(j);
    json_object_set_new(o, "request", request_json(&j->request));
    if (j->reference_text) json_object_set_new(o, "reference_text", json_string(j->reference_text));
    if (j->kernel_code_text) json_object_set_new(o, "kernel_code_text", json_string(j->kernel_code_text));
    if (j->reference_cases) json_object_set_new(o, "reference_cases", json_string(j->reference_cases));
    json_object_set_new(o, "key", json_string(j->key));
    json_object_set_new(o, "backend", json_string(j->backend));
    json_object_set_new(o, "logs", json_string(j->log.text));
    if (!j->result) return o;
    json_object_set_new(o, "summary", json_string(j->summary));
    json_object_set(o, "result", j->result);
    return o;
}

static const char *copy_text(Arena *a, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strdup(a, s) : NULL;
}

static void restore_outcome(Job *j, const json_t *o) {
    json_t *result = json_object_get(o, "result");
    j->accepted_at = get_time(o, "accepted_at");
    j->started_at = get_time(o, "started_at");
    j->finished_at = get_time(o, "finished_at");
    const json_t *took = json_object_get(o, "took_s");
    j->finished_s = json_is_number(took) ? j->accepted_s + json_number_value(took) : 0;
    j->cached = json_is_true(json_object_get(o, "cached"));
    const char *log = json_string_value(json_object_get(o, "logs"));
    if (log) strbuf_add(&j->log, log);
    if (!json_is_array(result)) return;
    take_result(j, (int)json_integer_value(json_object_get(o, "exit_code")), json_incref(result),
                json_string_value(json_object_get(o, "summary")));
    j->stage = "done";
}

static const char *restore_devices(Arena *a, const json_t *o) {
    StrBuf sb;
    strbuf_init(&sb, a);
    const json_t *list = json_object_get(o, "devices");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name) strbuf_printf(&sb, "%s%s", i ? "," : "", name);
    }
    return sb.text;
}

Job *job_from_record(const json_t *o) {
    json_int_t id = json_integer_value(json_object_get(o, "id"));
    json_t *request = json_object_get(o, "request");
    char *text = json_is_object(request) ? json_dumps(request, JSON_COMPACT) : NULL;
    const char *key = json_string_value(json_object_get(o, "key"));
    Job *j = job_new(id > 0 ? (uint64_t)id : 0);
    Request *items = NULL;
    size_t n = 0;
    Err err = {0};
    bool ok = text && id > 0 && key && strlen(key) == SHA256_HEX - 1 &&
              job_state_find(json_string_value(json_object_get(o, "state")), &j->state) &&
              request_parse(j->arena, text, strlen(text), false, &items, &n, &err);
    free(text);
    if (!ok) {
        job_release(j);
        return NULL;
    }
    memcpy(j->key, key, SHA256_HEX);
    j->request = *items;
    j->reference_text = copy_text(j->arena, o, "reference_text");
    j->kernel_code_text = copy_text(j->arena, o, "kernel_code_text");
    j->reference_cases = copy_text(j->arena, o, "reference_cases");
    j->device_names = restore_devices(j->arena, o);
    const char *backend = copy_text(j->arena, o, "backend");
    if (backend) j->backend = backend;
    j->restored = true;
    restore_outcome(j, o);
    if (job_finished(j) && !j->result)
        j->state = JOB_RUNNING; /* half a record: treated as one that was cut off */
    return j;
}
