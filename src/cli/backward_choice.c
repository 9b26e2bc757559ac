/* What the forward operator saves for the gradient: of the sets the bridge proposes the one with which both together move the fewest bytes. */
#include "base/fs.h"
#include "cli/backward_int.h"
#include "cli/gen_int.h"
#include "lower/cost.h"

#include <string.h>

/* Bytes between memory and cores of the operator of a reference module, with the sizes it has; negative when it cannot be generated. */
static double bytes_of(Arena *a, Bridge *b, const BackwardArgs *args, const char *model, const char *name) {
    Err ignored = {0};
    GenResult gen;
    Graph *g = gen_trace(a, b, model, name, args->stage_limit_s, NULL, &ignored);
    const GenOptions o = {.chip = args->target->chip, .op_name = name};
    if (!g || !gen_operator(a, g, &o, &gen, &ignored)) return -1;
    double sum = 0;
    for (size_t i = 0; i < gen.plan->passes.n; i++) sum += cost_of_pass(gen.plan, i).bytes;
    return sum;
}

static bool write_text(Arena *a, const char *dir, const char *name, const json_t *text, Err *err) {
    const char *s = json_string_value(text);
    return s && fs_write(arena_printf(a, "%s/%s", dir, name), s, strlen(s), err);
}

/* Of one choice, in a folder of its own: the bytes of forward and gradient. */
static bool weigh(Arena *a, Bridge *b, const BackwardArgs *args, const char *dir, const json_t *choice, const json_t *spec, double *bytes, Err *err) {
    const char *forward_dir = arena_printf(a, "%s/forward", dir);
    if (!fs_make_dirs(forward_dir, err) || !write_text(a, dir, "forward_spec.py", spec, err) || !write_text(a, dir, "model.py", json_object_get(choice, "model"), err) ||
        !write_text(a, forward_dir, "model.py", json_object_get(choice, "forward"), err))
        return false;
    double gradient = bytes_of(a, b, args, arena_printf(a, "%s/model.py", dir), "gradient");
    double forward = gradient < 0 ? -1 : bytes_of(a, b, args, arena_printf(a, "%s/model.py", forward_dir), "forward");
    *bytes = forward < 0 ? -1 : gradient + forward;
    return true;
}

static bool choose(Arena *a, Bridge *b, BackwardArgs *args, const char *dir, const json_t *reply, json_t **saved, Err *err) {
    const json_t *choices = json_object_get(reply, "choices");
    double least = -1, first = -1;
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const json_t *choice = json_array_get(choices, i);
        double bytes;
        if (!weigh(a, b, args, arena_printf(a, "%s/%zu", dir, i), choice, json_object_get(reply, "spec"), &bytes, err)) return false;
        if (i == 0) first = bytes;
        if (bytes < 0 || (least >= 0 && bytes >= least)) continue; /* of equals the one that saves less */
        least = bytes;
        json_decref(*saved);
        *saved = json_incref(json_object_get(choice, "saved"));
    }
    size_t n = json_array_size(*saved);
    if (n > 0 && first >= 0)
        progress_stage(&args->progress, "forward saves %zu value%s: both operators move %.4g MB in place of %.4g MB", n, n > 1 ? "s" : "", least / 1e6, first / 1e6);
    else if (json_array_size(choices) > 1)
        progress_stage(&args->progress, "forward saves nothing: computing it again moves no more bytes");
    return true;
}

bool backward_choose(Arena *a, Bridge *b, BackwardArgs *args, json_t **saved, Err *err) {
    *saved = json_array();
    json_t *params = json_pack("{s:s}", "path", args->spec);
    if (!params) return err_set(err, ERR_BAD_INPUT, args->spec, "the name of the file is not UTF-8");
    BridgeReply reply = {0};
    const BridgeLimits limits = {.wall_s = args->stage_limit_s};
    Err ignored = {0}; /* backward_truth says it better */
    char *dir = NULL;
    bool ok = true;
    if (bridge_call(b, a, "backward_choices", params, &limits, &reply, &ignored))
        ok = (dir = fs_temp_dir(a, "opwright-choice", err)) && choose(a, b, args, dir, reply.result, saved, err);
    json_decref(params);
    bridge_reply_clear(&reply);
    if (dir) fs_remove_tree(dir);
    return ok;
}
