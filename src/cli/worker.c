/* opwright worker: verifies the jobs that services on this or other machines put into a shared queue. */
#include "cli/cli.h"
#include "server/redis_worker.h"

#include <getopt.h>
#include <stdio.h>

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright worker --queue redis://HOST:PORT/DB [options]\n\n"
                "  --queue URL              redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]; or the password in OPWRIGHT_QUEUE_PASSWORD\n"
                "  --devices LIST           sim:0,sim:1 or npu:0,npu:1 (env ASCEND_VERIFY_DEVICE_POOL); default the NPUs that can\n"
                "                           be used here, else one simulated AI Core for each host core\n"
                "  --claim-after SECONDS    take over a job whose worker was silent for so long, default 30\n"
                "  --time-limit SECONDS     for each stage of a job, default 120 (NPU: 600)\n"
                "  --job-limit SECONDS      for a whole job, default 900 (NPU: 3600)\n"
                "  --memory-limit MB        for the candidate, default 8192\n"
                "  --state-dir FOLDER       default the first free of $XDG_STATE_HOME/opwright/worker-N\n\n"
                "SIGTERM finishes the jobs it has and ends; a second one gives them back to the queue.\n");
}

enum { OPT_QUEUE = 256, OPT_DEVICES, OPT_CLAIM, OPT_STAGE, OPT_JOB, OPT_MEMORY, OPT_STATE };

static const struct option OPTIONS[] = {
    {"queue", required_argument, NULL, OPT_QUEUE},        {"devices", required_argument, NULL, OPT_DEVICES},
    {"claim-after", required_argument, NULL, OPT_CLAIM},  {"time-limit", required_argument, NULL, OPT_STAGE},
    {"job-limit", required_argument, NULL, OPT_JOB},      {"memory-limit", required_argument, NULL, OPT_MEMORY},
    {"state-dir", required_argument, NULL, OPT_STATE},    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool parse_one(int c, WorkerOptions *o, char **queue, bool *help, Err *err) {
    switch (c) {
    case OPT_QUEUE: *queue = optarg; return true;
    case OPT_DEVICES: o->serve.devices = optarg; return true;
    case OPT_CLAIM: return cli_parse_positive("claim-after", optarg, &o->claim_after_s, err);
    case OPT_STAGE: return cli_parse_positive("time-limit", optarg, &o->serve.stage_limit_s, err);
    case OPT_JOB: return cli_parse_positive("job-limit", optarg, &o->serve.job_limit_s, err);
    case OPT_MEMORY: return cli_parse_positive("memory-limit", optarg, &o->serve.memory_mb, err);
    case OPT_STATE: o->serve.state_dir = optarg; return true;
    case 'h': *help = true; return true;
    default: return false;
    }
}

static bool run(WorkerOptions *o, char *queue, Err *err) {
    if (!queue) {
        err_set(err, ERR_USAGE, NULL, "--queue is missing: where do the jobs come from?");
        return err_hint(err, "give --queue redis://HOST:PORT, the one the services were started with");
    }
    Arena *a = arena_new();
    RedisUrl url = {0};
    o->url = &url;
    bool ok = redis_url_parse(a, queue, &url, err) && worker_run(o, err);
    arena_free(a);
    return ok;
}

int cli_worker(int argc, char **argv) {
    WorkerOptions o = {0};
    Err err = {0};
    char *queue = NULL;
    bool help = false;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, &err)) != -1;)
        if (!parse_one(c, &o, &queue, &help, &err)) return cli_report(&err);
    if (help) {
        print_usage(stdout);
        return 0;
    }
    if (optind < argc) {
        err_set(&err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
        return cli_report(&err);
    }
    return run(&o, queue, &err) ? 0 : cli_report(&err);
}
