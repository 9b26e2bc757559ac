/* opwright ops: what the generator knows, from the same tables it works with. */
#include "cli/cli.h"
#include "codegen/codegen.h"
#include "graph/graph.h"
#include "lower/family.h"
#include "lower/kir.h"

#include <stdio.h>
#include <stdlib.h>

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright ops [--json]\n\nLists every PyTorch operator a reference may use, with its "
                "formula.\n");
}

int cli_ops(int argc, char **argv) {
    static const struct option OPTIONS[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool as_json = false;
    Err err = {0};
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, &err)) != -1;) {
        if (c == 'h') {
            print_usage(stdout);
            return 0;
        }
        if (c == '?') return cli_report(&err);
        as_json = true;
    }
    if (optind < argc) {
        err_set(&err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
        return cli_report(&err);
    }
    if (as_json) {
        json_t *ops = gen_known_ops();
        json_t *anchors = json_array();
        for (size_t i = 0; i < plan_anchor_count(); i++)
            json_array_append_new(anchors, json_string(plan_anchor_name(i)));
        json_t *doc = json_pack("{s:o, s:o}", "ops", ops, "anchors", anchors);
        char *text = json_dumps(doc, JSON_INDENT(1));
        puts(text);
        free(text);
        json_decref(doc);
        return 0;
    }
    for (size_t i = 0; i < pointwise_count(); i++)
        printf("%-44s %s\n", pointwise_at(i)->target, pointwise_at(i)->text);
    for (size_t i = 0; i < graph_view_count(); i++)
        printf("%-44s a view: other sizes or strides of the same elements\n", graph_view_name(i));
    for (size_t i = 0; i < plan_fill_count(); i++) printf("%-44s a tensor of one value\n", plan_fill_name(i));
    for (size_t i = 0; i < plan_anchor_count(); i++)
        printf("%-44s family %s: %s\n", plan_anchor_name(i), plan_anchor_family(i)->name,
               plan_anchor_family(i)->what);
    return 0;
}
