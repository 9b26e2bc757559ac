/* Counters in Prometheus' text form. */
#include "server/service.h"

#include "base/fs.h"

#include <string.h>

const double SERVICE_BOUNDS_S[SERVICE_BUCKETS - 1] = {0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120, 600};

static const char *const VERDICT_NAMES[6] = {"PASS",         "FAIL",        "REJECTED",
                                             "NOT_MODELLED", "INFRA_ERROR", "none"};

void metrics_observe(Histogram *h, double seconds) {
    size_t i = 0;
    while (i < SERVICE_BUCKETS - 1 && seconds > SERVICE_BOUNDS_S[i]) i++;
    h->count[i]++;
    h->sum_s += seconds;
}

void metrics_count_verdict_locked(Service *s, const Job *j) {
    size_t i = 0;
    while (i < 5 && strcmp(VERDICT_NAMES[i], j->verdict) != 0) i++;
    s->counters.verdict[i]++;
}

static void print_one(StrBuf *sb, const char *name, const char *kind, const char *help, double value) {
    strbuf_printf(sb, "# HELP opwright_%s %s\n# TYPE opwright_%s %s\nopwright_%s %.17g\n", name, help, name,
                  kind, name, value);
}

static void print_histogram(StrBuf *sb, const char *name, const char *help, const Histogram *h) {
    uint64_t n = 0;
    strbuf_printf(sb, "# HELP opwright_%s %s\n# TYPE opwright_%s histogram\n", name, help, name);
    for (size_t i = 0; i < SERVICE_BUCKETS; i++) {
        n += h->count[i];
        if (i < SERVICE_BUCKETS - 1)
            strbuf_printf(sb, "opwright_%s_bucket{le=\"%g\"} %llu\n", name, SERVICE_BOUNDS_S[i],
                          (unsigned long long)n);
        else strbuf_printf(sb, "opwright_%s_bucket{le=\"+Inf\"} %llu\n", name, (unsigned long long)n);
    }
    strbuf_printf(sb, "opwright_%s_sum %.6f\nopwright_%s_count %llu\n", name, h->sum_s, name,
                  (unsigned long long)n);
}

char *metrics_print_locked(Arena *a, Service *s) {
    StrBuf sb;
    strbuf_init(&sb, a);
    const Counters *c = &s->counters;
    strbuf_add(&sb,
               "# HELP opwright_jobs_total Finished jobs by verdict.\n# TYPE opwright_jobs_total counter\n");
    for (size_t i = 0; i < 6; i++)
        strbuf_printf(&sb, "opwright_jobs_total{verdict=\"%s\"} %llu\n", VERDICT_NAMES[i],
                      (unsigned long long)c->verdict[i]);
    print_one(&sb, "jobs_accepted_total", "counter", "Jobs accepted.", (double)c->accepted);
    print_one(&sb, "jobs_refused_total", "counter", "Jobs refused because the queue was full.",
              (double)c->refused);
    print_one(&sb, "jobs_cancelled_total", "counter", "Jobs cancelled on request.", (double)c->cancelled);
    print_one(&sb, "queue_length", "gauge", "Jobs that wait.", (double)s->n_queue);
    print_one(&sb, "jobs_running", "gauge", "Jobs that run.", (double)s->n_running);
    print_one(&sb, "devices", "gauge", "Devices in the pool.", (double)s->n_slots);
    print_one(&sb, "worker_starts_total", "counter", "Worker processes started.", (double)c->worker_starts);
    print_one(&sb, "worker_restarts_total", "counter",
              "Worker processes that died or were ended, and were replaced.", (double)c->worker_deaths);
    print_one(&sb, "cache_hits_total", "counter", "Jobs answered from the cache.", (double)c->cache_hits);
    print_one(&sb, "cache_misses_total", "counter", "Jobs that had to be verified.", (double)c->cache_misses);
    print_one(&sb, "cache_entries", "gauge", "Results in the cache.", (double)cache_size(s->cache));
    print_one(&sb, "http_requests_total", "counter", "HTTP requests.", (double)c->http_requests);
    print_one(&sb, "uptime_seconds", "gauge", "Seconds since the service started.",
              time_now_s() - s->started_s);
    print_histogram(&sb, "job_seconds", "Seconds from acceptance to the result.", &c->total);
    print_histogram(&sb, "wait_seconds", "Seconds a job waited for a device.", &c->waiting);
    return sb.text;
}
