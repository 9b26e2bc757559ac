/* opwright serve: the verification service. Its workers are the same program, started by itself. */
#include "cli/cli.h"
#include "server/redis_link.h"
#include "server/serve.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright serve [options]\n\n"
                "  --host ADDRESS           default 127.0.0.1; any other than loopback needs --token-file\n"
                "  --port N                 default 23457; 0: a free one\n"
                "  --port-file FILE         write the port there when the service listens\n"
                "  --token-file FILE        requests must carry this token: Authorization: Bearer TOKEN\n"
                "  --root FOLDER            requests may name files in this folder only\n"
                "  --devices LIST           sim:0,sim:1 or npu:0,npu:1 (env ASCEND_VERIFY_DEVICE_POOL); "
                "default the NPUs that can\n"
                "                           be used here, else one simulated AI Core for each host core\n"
                "  --max-inflight N         jobs at once (env ASCEND_VERIFY_MAX_INFLIGHT); default one for "
                "each device\n"
                "  --queue-limit N          jobs that wait, default 1000; more are answered 429\n"
                "  --queue URL              redis://HOST:PORT/DB: hand the jobs to `opwright worker` there "
                "(docs/scale_out.md)\n"
                "  --body-limit MB          of a request, default 32\n"
                "  --time-limit SECONDS     for each stage of a job, default 120 (NPU: 600)\n"
                "  --job-limit SECONDS      for a whole job, default 900 (NPU: 3600)\n"
                "  --memory-limit MB        for the candidate, default 8192\n"
                "  --receive-limit SECONDS  for sending a request, default 60\n"
                "  --cache N                results kept, default 1000\n"
                "  --state-dir FOLDER       records of jobs; default $XDG_STATE_HOME/opwright/serve\n\n"
                "SIGTERM finishes what was accepted and ends; a second one stops at once.\n");
}

enum {
    OPT_HOST = 256,
    OPT_PORT,
    OPT_PORT_FILE,
    OPT_TOKEN,
    OPT_ROOT,
    OPT_DEVICES,
    OPT_INFLIGHT,
    OPT_QUEUE,
    OPT_SHARED,
    OPT_BODY,
    OPT_STAGE,
    OPT_JOB,
    OPT_MEMORY,
    OPT_RECEIVE,
    OPT_CACHE,
    OPT_STATE
};

static const struct option OPTIONS[] = {
    {"host", required_argument, NULL, OPT_HOST},
    {"port", required_argument, NULL, OPT_PORT},
    {"port-file", required_argument, NULL, OPT_PORT_FILE},
    {"token-file", required_argument, NULL, OPT_TOKEN},
    {"root", required_argument, NULL, OPT_ROOT},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"max-inflight", required_argument, NULL, OPT_INFLIGHT},
    {"queue-limit", required_argument, NULL, OPT_QUEUE},
    {"body-limit", required_argument, NULL, OPT_BODY},
    {"time-limit", required_argument, NULL, OPT_STAGE},
    {"job-limit", required_argument, NULL, OPT_JOB},
    {"memory-limit", required_argument, NULL, OPT_MEMORY},
    {"receive-limit", required_argument, NULL, OPT_RECEIVE},
    {"cache", required_argument, NULL, OPT_CACHE},
    {"queue", required_argument, NULL, OPT_SHARED},
    {"state-dir", required_argument, NULL, OPT_STATE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool parse_count(const char *option, unsigned long max, size_t *out, Err *err) {
    char *end;
    unsigned long n = strtoul(optarg, &end, 10);
    if (end == optarg || *end || optarg[0] == '-' || n == 0 || n > max)
        return err_set(err, ERR_USAGE, NULL, "--%s takes a number from 1 to %lu, not `%s`", option, max,
                       optarg);
    *out = n;
    return true;
}

static bool parse_port(ServeOptions *o, Err *err) {
    char *end;
    unsigned long n = strtoul(optarg, &end, 10);
    if (end == optarg || *end || optarg[0] == '-' || n > 65535)
        return err_set(err, ERR_USAGE, NULL, "--port takes a number from 0 to 65535, not `%s`", optarg);
    o->port = (unsigned)n;
    return true;
}

static bool parse_one(int c, ServeOptions *o, bool *help, Err *err) {
    size_t mb;
    switch (c) {
    case OPT_HOST:
        o->host = optarg;
        return true;
    case OPT_PORT:
        return parse_port(o, err);
    case OPT_PORT_FILE:
        o->port_file = optarg;
        return true;
    case OPT_TOKEN:
        o->token_file = optarg;
        return true;
    case OPT_ROOT:
        o->root = optarg;
        return true;
    case OPT_DEVICES:
        o->devices = optarg;
        return true;
    case OPT_INFLIGHT:
        return parse_count("max-inflight", 1000, &o->max_inflight, err);
    case OPT_QUEUE:
        return parse_count("queue-limit", 100000, &o->queue_limit, err);
    case OPT_BODY:
        if (!parse_count("body-limit", 1024, &mb, err)) return false;
        o->body_limit_bytes = mb << 20;
        return true;
    case OPT_STAGE:
        return cli_parse_positive("time-limit", optarg, &o->stage_limit_s, err);
    case OPT_JOB:
        return cli_parse_positive("job-limit", optarg, &o->job_limit_s, err);
    case OPT_MEMORY:
        return cli_parse_positive("memory-limit", optarg, &o->memory_mb, err);
    case OPT_RECEIVE:
        return cli_parse_positive("receive-limit", optarg, &o->receive_limit_s, err);
    case OPT_CACHE:
        return parse_count("cache", 1000000, &o->cache_limit, err);
    case OPT_STATE:
        o->state_dir = optarg;
        return true;
    case 'h':
        *help = true;
        return true;
    default:
        return false;
    }
}

/* Jobs go to the workers of a shared queue. */
static bool serve_queue(ServeOptions *o, char *text, Err *err) {
    Arena *a = arena_new();
    RedisUrl url = {0};
    bool ok = !o->devices ||
              err_set(err, ERR_USAGE, NULL,
                      "--devices and --queue do not go together: with a queue the workers have the devices");
    ok = ok && redis_url_parse(a, text, &url, err);
    o->queue = &url;
    ok = ok && serve_run(o, err);
    arena_free(a);
    return ok;
}

int cli_serve(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--worker-of"))
        return serve_worker_run(argv[2]); /* how the service starts its workers */
    ServeOptions o = {.port = 23457};
    Err err = {0};
    char *queue = NULL;
    bool help = false;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, &err)) != -1;)
        if (c == OPT_SHARED) queue = optarg;
        else if (!parse_one(c, &o, &help, &err)) return cli_report(&err);
    if (help) {
        print_usage(stdout);
        return 0;
    }
    if (optind < argc) {
        err_set(&err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
        return cli_report(&err);
    }
    bool ok = queue ? serve_queue(&o, queue, &err) : serve_run(&o, &err);
    return ok ? 0 : cli_report(&err);
}
