/* From checked requests to jobs: reads the sources, finds the devices and the key, and takes all of a batch
 * or none. */
#include "server/redis_front.h"
#include "server/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices --------------------------------------------------------------------------------- */

static size_t find_device(const Service *s, const char *name) {
    size_t i = 0;
    while (i < s->n_slots && strcmp(s->slots[i].device, name) != 0) i++;
    return i;
}

static bool has_npu(const Service *s) {
    bool any = false;
    for (size_t i = 0; i < s->n_slots; i++) any = any || s->slots[i].npu;
    return any;
}

/* Scripts name NPUs. Where there are none the simulated core that stands in is named in the log and in the
 * result. */
static bool resolve_devices(const Service *s, Job *j, const char *where, Err *err) {
    if (s->o.queue) return front_resolve_devices(j, where, err);
    size_t *wants = ARENA_ARRAY(j->arena, j->request.n_devices, size_t);
    StrBuf sb;
    strbuf_init(&sb, j->arena);
    for (size_t i = 0; i < j->request.n_devices; i++) {
        const char *name = j->request.devices[i];
        size_t k = find_device(s, name);
        if (k == s->n_slots && !strncmp(name, "npu:", 4) && !has_npu(s)) {
            k = (size_t)atoi(name + 4) % s->n_slots;
            strbuf_printf(&sb, "%s%s is not here: %s, a simulated AI Core, stands in for it",
                          sb.n_bytes ? "; " : "", name, s->slots[k].device);
        }
        if (k == s->n_slots) {
            StrBuf names;
            strbuf_init(&names, j->arena);
            for (size_t d = 0; d < s->n_slots; d++)
                strbuf_printf(&names, "%s%s", d ? ", " : "", s->slots[d].device);
            return err_set(err, ERR_BAD_INPUT, where, "%s is not in the device pool: %.300s", name,
                           names.text);
        }
        bool seen = false;
        for (size_t d = 0; d < j->n_wants; d++) seen = seen || wants[d] == k;
        if (!seen) wants[j->n_wants++] = k;
    }
    j->wants = wants;
    bool npu = s->slots[j->n_wants ? wants[0] : 0].npu;
    for (size_t d = 1; d < j->n_wants; d++)
        if (s->slots[wants[d]].npu != npu)
            return err_set(err, ERR_BAD_INPUT, where, "names NPUs and simulated AI Cores");
    j->backend = npu ? "cann" : "sim";
    if (sb.n_bytes) j->note = sb.text;
    return true;
}

/* ---- sources --------------------------------------------------------------------------------- */

static void copy_request(Arena *a, const Request *from, Request *to) {
    *to = *from;
#define FIELD(name, kind, max_bytes) to->name = from->name ? arena_strdup(a, from->name) : NULL;
#include "server/request.def"
#undef FIELD
    const char **devices = ARENA_ARRAY(a, from->n_devices, const char *);
    for (size_t i = 0; i < from->n_devices; i++) devices[i] = arena_strdup(a, from->devices[i]);
    to->devices = devices;
}

/* Cases of the reference: the .json of the same name beside it (formats: the second form of a reference). */
static const char *read_cases(Arena *a, const Service *s, const char *reference_path) {
    size_t n = strlen(reference_path);
    Err ignored = {0};
    if (n < 4 || strcmp(reference_path + n - 3, ".py") != 0) return NULL;
    return source_read(a, &s->root, arena_printf(a, "%.*s.json", (int)n - 3, reference_path), &ignored);
}

/* Fills key and the texts to run from copies: those that came along, and under a root all. False: a file
 * cannot be read. */
static bool read_sources(const Service *s, Job *j, const char *prefix, Err *err) {
    Request *r = &j->request;
    Arena *a = j->arena;
    const char *reference = r->reference_src, *cases = NULL, *desc = r->kernel_code_src;
    const char *imports[2] = {NULL, NULL}; /* what came as text has no folder of its own */
    if (!reference && !(reference = source_read(a, &s->root, r->reference_path, err))) {
        snprintf(err->where, sizeof err->where, "%sreference_path", prefix);
        return false;
    }
    if (!r->reference_src) {
        cases = read_cases(a, s, r->reference_path);
        imports[0] = source_imports(a, &s->root, r->reference_path, reference);
    }
    if (!desc && !(desc = source_read(a, &s->root, r->kernel_code_path, err))) {
        snprintf(err->where, sizeof err->where, "%skernel_code_path", prefix);
        return false;
    }
    if (!r->kernel_code_src) imports[1] = source_imports(a, &s->root, r->kernel_code_path, desc);
    const KeyTexts texts = {reference, cases, desc, imports[0], imports[1]};
    key_of(s, r, j->backend, &texts, j->key);
    bool copies = s->root.path != NULL || s->o.queue; /* other machines have not these files */
    if (r->reference_src || copies) j->reference_text = reference, j->reference_cases = cases;
    if (r->kernel_code_src || copies) j->kernel_code_text = desc;
    r->reference_src = r->kernel_code_src = NULL; /* kept once */
    if (!r->reference_path) r->reference_path = arena_printf(a, "%s_torch_reference.py", r->op);
    if (!r->kernel_code_path) r->kernel_code_path = arena_printf(a, "%s.py", r->op);
    return true;
}

/* ---- acceptance ------------------------------------------------------------------------------ */

static void accept_locked(Service *s, Job *j) {
    j->id = s->next_id++;
    s->counters.accepted++;
    job_hold(j);             /* the caller's; the first is the service's */
    if (j->key[0] == '\0') { /* a file could not be read: note says why */
        char *summary = arena_printf(j->arena, "NOT JUDGED %s: %s", j->request.op, j->note);
        job_log(j, "%s", j->note);
        service_finish_locked(s, j, JOB_DONE, 2,
                              job_plain_result(&j->request, j->backend, NULL, j->note, NULL), summary);
        return;
    }
    json_t *hit = j->request.no_cache ? NULL : cache_find(s->cache, j->key);
    if (hit) return service_answer_cached_locked(s, j, hit);
    s->counters.cache_misses++;
    store_write_live(s->store, j);
    queue_push_locked(s, j);
}

/* Jobs that were made but not accepted are released again. */
static void drop_jobs(Job **jobs, size_t n) {
    for (size_t i = 0; i < n; i++) job_release(jobs[i]);
}

SubmitStatus service_submit(Service *s, const Request *items, size_t n, bool batch, Job **jobs, Err *err) {
    for (size_t i = 0; i < n; i++) {
        Job *j = jobs[i] = job_new(0);
        copy_request(j->arena, &items[i], &j->request);
        const char *prefix = batch ? arena_printf(j->arena, "items[%zu].", i) : "";
        SubmitStatus status = SUBMIT_OK;
        Err e = {0};
        if (!resolve_devices(s, j, arena_printf(j->arena, "%sdevices", prefix), err)) {
            status = SUBMIT_BAD;
        } else if (!read_sources(s, j, prefix, &e)) {
            j->note = arena_printf(j->arena, "%s: %s", e.where, e.message);
            if (s->root.path) *err = e, status = SUBMIT_FORBIDDEN;
        }
        if (status == SUBMIT_OK) continue;
        drop_jobs(jobs, i + 1);
        return status;
    }
    pthread_mutex_lock(&s->lock);
    SubmitStatus status = s->draining ? SUBMIT_CLOSING : SUBMIT_OK;
    size_t n_now = s->n_slots > s->n_running ? s->n_slots - s->n_running : 0; /* these need not wait */
    if (status == SUBMIT_OK && s->n_queue + n > s->o.queue_limit + n_now) {
        status = SUBMIT_FULL;
        s->counters.refused += n;
    }
    for (size_t i = 0; i < n && status == SUBMIT_OK; i++) accept_locked(s, jobs[i]);
    if (status == SUBMIT_OK) queue_dispatch_locked(s);
    pthread_mutex_unlock(&s->lock);
    if (status != SUBMIT_OK) drop_jobs(jobs, n);
    return status;
}
