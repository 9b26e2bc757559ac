/* opwright trace: the values an instruction of the kernel reads and leaves, at one line of one block. */
#include "cli/check_int.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "desc/cxx_lex.h"
#include "desc/desc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_DEFAULT 16

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright trace DESC.py --reference REF.py --at kernel_src:LINE [options]\n\n"
                "Runs a description once and prints the values of the tensors of the instruction at a line, after it has run.\n\n"
                "  --reference FILE    PyTorch reference: its inputs are taken\n"
                "  --at PLACE          kernel_src:57, or 57\n"
                "  --core N            block (GetBlockIdx), default 0\n"
                "  --hit K             which time the line is reached in that block, default 1\n"
                "  --tensor NAME       only this tensor: as the line names it, its role (dst, src, src0, ...), or a kernel argument\n"
                "  --count N           how many values of each, default 16\n"
                "  --shape SHAPES      sizes of the inputs, 33x100,100; default: the file's own\n"
                "  --dtype NAME        of floating inputs with --shape\n"
                "  --schedule NAME     in-order (default), lazy or random:SEED\n"
                "  --chip NAME         default Ascend910B4\n"
                "  --json              print the operands as JSON\n\n"
                "exit status: 0 found, 2 bad input or nothing ran at that place, 3 a failure of opwright or the machine\n");
}

enum { OPT_REF = 256, OPT_AT, OPT_CORE, OPT_HIT, OPT_TENSOR, OPT_COUNT, OPT_SHAPE, OPT_DTYPE, OPT_CHIP, OPT_JSON };

typedef struct Args {
    VerifyOptions options;
    const char *tensor, *shape, *dtype;
    double core, hit, count;
    int line;
    bool as_json, help;
} Args;

static bool parse_number(const char *option, const char *text, double *out, Err *err) {
    if (!strcmp(text, "0") && !strcmp(option, "core")) {
        *out = 0;
        return true;
    }
    return cli_parse_positive(option, text, out, err);
}

static bool parse_place(const char *text, int *line, Err *err) {
    const char *number = !strncmp(text, "kernel_src:", 11) ? text + 11 : text;
    char *end;
    long n = isdigit((unsigned char)*number) ? strtol(number, &end, 10) : 0;
    if (n <= 0 || n > 1000000 || *end) return err_set(err, ERR_USAGE, NULL, "--at takes kernel_src:LINE, not `%s`", text);
    *line = (int)n;
    return true;
}

static bool parse_one(int c, Args *args, Err *err) {
    switch (c) {
    case OPT_REF: args->options.reference_path = optarg; return true;
    case OPT_AT: return parse_place(optarg, &args->line, err);
    case OPT_CORE: return parse_number("core", optarg, &args->core, err);
    case OPT_HIT: return parse_number("hit", optarg, &args->hit, err);
    case OPT_COUNT: return parse_number("count", optarg, &args->count, err);
    case OPT_TENSOR: args->tensor = optarg; return true;
    case OPT_SHAPE: args->shape = optarg; return true;
    case OPT_DTYPE: args->dtype = optarg; return true;
    case OPT_CHIP: args->options.chip = optarg; return true;
    case OPT_JSON: args->as_json = true; return true;
    case 'h': args->help = true; return true;
    default: return model_option(c, &args->options.model, err);
    }
}

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    static const struct option OPTIONS[] = {{"reference", required_argument, NULL, OPT_REF}, {"at", required_argument, NULL, OPT_AT},
                                            {"core", required_argument, NULL, OPT_CORE},     {"hit", required_argument, NULL, OPT_HIT},
                                            {"tensor", required_argument, NULL, OPT_TENSOR}, {"count", required_argument, NULL, OPT_COUNT},
                                            {"shape", required_argument, NULL, OPT_SHAPE},   {"dtype", required_argument, NULL, OPT_DTYPE},
                                            {"chip", required_argument, NULL, OPT_CHIP},     {"json", no_argument, NULL, OPT_JSON},
                                            MODEL_OPTIONS,                                   {"help", no_argument, NULL, 'h'},
                                            {0}};
    args->hit = 1;
    args->count = COUNT_DEFAULT;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;)
        if (!parse_one(c, args, err)) return false;
    if (args->help) return true;
    if (argc - optind != 1) return err_set(err, ERR_USAGE, NULL, argc == optind ? "no description given" : "one description at a time");
    if (!args->options.reference_path) return err_set(err, ERR_USAGE, NULL, "--reference is missing");
    if (!args->line) return err_set(err, ERR_USAGE, NULL, "--at is missing: which line of kernel_src");
    if (args->options.model.schedule && !strcmp(args->options.model.schedule, "all")) return err_set(err, ERR_USAGE, NULL, "one schedule at a time");
    args->options.kernel_code_path = argv[optind];
    return true;
}

/* Argument `index` of the first call of `api` in that line, as it is written; NULL when there is none. */
static const char *argument_text(Arena *a, const char *source, int line, const char *api, size_t index) {
    CxxTokens t = cxx_lex(a, source);
    size_t i = 0;
    while (i < t.n && !(t.at[i].line == line && cxx_is(&t.at[i], api))) i++;
    while (i < t.n && !cxx_is(&t.at[i], "(")) i++;
    const char *from = i < t.n ? t.at[i].text + 1 : NULL;
    int depth = 0;
    for (; i < t.n; i++) {
        const CxxToken *k = &t.at[i];
        if (cxx_is(k, "(") || cxx_is(k, "[") || cxx_is(k, "{")) depth++;
        bool closes = cxx_is(k, ")") || cxx_is(k, "]") || cxx_is(k, "}");
        if ((depth == 1 && cxx_is(k, ",")) || (closes && depth == 1)) {
            if (index-- == 0) {
                while (isspace((unsigned char)*from)) from++;
                return arena_strndup(a, from, (size_t)(k->text - from));
            }
            if (closes) return NULL;
            from = k->text + 1;
        }
        if (closes) depth--;
    }
    return NULL;
}

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* Arguments come as dst, src or src0, src1; the name the source gives an operand, or its role. */
static const char *name_of(Arena *a, const json_t *operand, const Desc *d, int line) {
    const char *role = text_at(operand, "role");
    size_t index = !strcmp(role, "dst") ? 0 : !strcmp(role, "src1") ? 2 : 1;
    const char *name = strcmp(role, "element") ? argument_text(a, d->source[DESC_KERNEL], line, text_at(operand, "api"), index) : NULL;
    return name ? name : role;
}

static bool is_wanted(const char *tensor, const char *name, const json_t *operand) {
    size_t n = tensor ? strlen(tensor) : 0;
    return !tensor || !strcmp(tensor, text_at(operand, "role")) || !strcmp(tensor, text_at(operand, "memory")) ||
           (!strncmp(name, tensor, n) && !isalnum((unsigned char)name[n]) && name[n] != '_');
}

static void print_operand(const json_t *o, const char *name, size_t count, FILE *to) {
    const json_t *values = json_object_get(o, "values");
    fprintf(to, "%s (%s of %s): %s byte %" JSON_INTEGER_FORMAT ", %s, %" JSON_INTEGER_FORMAT " elements\n", name, text_at(o, "role"), text_at(o, "api"), text_at(o, "memory"),
            json_integer_value(json_object_get(o, "offset")), text_at(o, "dtype"), json_integer_value(json_object_get(o, "n")));
    for (size_t i = 0; i < json_array_size(values) && i < count; i++) {
        const json_t *v = json_array_get(values, i);
        fputs(i == 0 ? "   " : i % 8 == 0 ? "\n   " : "", to);
        if (json_is_null(v)) fputs(" unwritten", to);
        else if (json_is_string(v)) fprintf(to, " %s", json_string_value(v));
        else fprintf(to, " %.9g", json_number_value(v));
    }
    fputs(json_array_size(values) > count ? " ...\n" : "\n", to);
}

static bool print_trace(Arena *a, const Args *args, const VerifyResult *r, const Desc *d, Err *err) {
    const json_t *trace = json_object_get(r->json, "trace");
    const json_t *launch = json_array_get(json_object_get(r->json, "launches"), 0);
    if (json_array_size(trace) == 0) {
        err_set(err, ERR_BAD_INPUT, NULL, "no instruction ran at kernel_src:%d in block %.0f (time %.0f)", args->line, args->core, args->hit);
        return err_hint(err, "the launch has %" JSON_INTEGER_FORMAT " blocks; name a line with a copy, a vector instruction, a reduction or a GetValue; the verdict is %s",
                        json_integer_value(json_object_get(launch, "block_dim")), text_at(r->json, "verdict"));
    }
    json_t *shown = json_array();
    for (size_t i = 0; i < json_array_size(trace); i++) {
        json_t *o = json_array_get(trace, i);
        const char *name = name_of(a, o, d, args->line);
        if (!is_wanted(args->tensor, name, o)) continue;
        json_object_set_new(o, "name", json_string(name));
        json_array_append(shown, o);
        if (!args->as_json) print_operand(o, name, (size_t)args->count, stdout);
    }
    bool found = json_array_size(shown) > 0;
    if (args->as_json && found) {
        char *text = json_dumps(shown, JSON_INDENT(2));
        puts(text ? text : "[]");
        free(text);
    }
    json_decref(shown);
    if (found) return true;
    err_set(err, ERR_BAD_INPUT, NULL, "the instruction at kernel_src:%d has no tensor %s", args->line, args->tensor);
    return err_hint(err, "leave --tensor out to see what it has");
}

static bool run(Arena *a, Args *args, Err *err) {
    VerifyOptions *o = &args->options;
    if (!fs_check_readable(o->kernel_code_path, err) || !fs_check_readable(o->reference_path, err)) return false;
    o->op = check_op_name(a, o->kernel_code_path);
    o->trace = arena_printf(a, "trace:%.0f:%d:%.0f", args->core, args->line, args->hit);
    Bridge *b = cli_start_bridge(a, err);
    if (!b) return false;
    VerifyResult r = {0};
    DescViolation *rules;
    size_t n_rules;
    bool ok = check_cases(a, b, &args->shape, args->shape ? 1 : 0, args->dtype, o, err);
    if (ok && !o->cases) {
        VerifyCase *own = ARENA_NEW(a, VerifyCase);
        *own = (VerifyCase){.label = "trial 0", .spec = json_pack("{s:s, s:i}", "kind", "own", "trial", 0)};
        o->cases = own;
        o->n_cases = 1;
    }
    const Desc *d = NULL;
    if (ok) ok = verify_run(a, b, o, &r, err) && (d = desc_load(a, b, o->kernel_code_path, &rules, &n_rules, err)) && print_trace(a, args, &r, d, err);
    for (size_t i = 0; i < o->n_cases; i++) json_decref(o->cases[i].spec);
    json_decref(r.json);
    bridge_stop(b);
    return ok;
}

int cli_trace(int argc, char **argv) {
    Err err = {0};
    Args args = {0};
    Arena *a = arena_new();
    bool ok = parse_args(argc, argv, &args, &err);
    if (ok && args.help) print_usage(stdout);
    else if (ok) ok = run(a, &args, &err);
    int status = ok ? 0 : cli_report(&err);
    arena_free(a);
    return status;
}
