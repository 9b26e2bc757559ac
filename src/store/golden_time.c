/* What a result says about time, and which of two is faster. */
#include "store/golden.h"

#include <string.h>

static double number_at(const json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}

static bool is_simulated(const json_t *item, const char *hardware) {
    const char *backend = json_string_value(json_object_get(item, "backend"));
    return (backend && !strcmp(backend, "sim")) || !strncmp(hardware, "sim-", 4);
}

/* The predicted time in ms; 0 when there is none. */
static double predicted_ms(const json_t *item) {
    static const struct {
        const char *key;
        double ms;
    } UNITS[] = {{"time_ms", 1.0}, {"time_us", 1e-3}, {"time_ns", 1e-6}};
    const json_t *prediction = json_object_get(item, "prediction");
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        double t = number_at(prediction, UNITS[i].key);
        if (t > 0) return t * UNITS[i].ms;
    }
    return 0;
}

GoldenTime golden_time(const json_t *item) {
    const char *hardware = json_string_value(json_object_get(item, "hardware")),
               *chip = json_string_value(json_object_get(item, "chip"));
    GoldenTime t = {.hardware = hardware ? hardware : "", .chip = ""};
    const char *dash = strrchr(t.hardware, '-');
    t.chip = chip ? chip : dash ? dash + 1 : t.hardware;
    const json_t *performance = json_object_get(item, "performance");
    double median = number_at(performance, "median"), mean = number_at(performance, "mean");
    double measured = median > 0 ? median : mean;
    bool simulated = is_simulated(item, t.hardware);
    double ms = simulated ? predicted_ms(item) : measured;
    if (!(ms > 0)) return t;
    t.kind = simulated ? GOLDEN_PREDICTED : GOLDEN_MEASURED;
    t.ms = ms;
    return t;
}

int golden_compare(const GoldenTime *a, const GoldenTime *b, bool *comparable) {
    *comparable = a->kind != GOLDEN_NO_TIME && a->kind == b->kind && !strcmp(a->chip, b->chip);
    if (!*comparable) return 0;
    return a->ms < b->ms ? -1 : a->ms > b->ms ? 1 : 0;
}

const char *golden_class(const json_t *item) {
    static const struct {
        double at_least;
        const char *name;
    } CLASSES[] = {{1.0, "faster"}, {0.8, "near"}, {0.1, "slow"}, {0.0, "very-slow"}};
    GoldenTime t = golden_time(item);
    double speedup = number_at(item, "speedup");
    if (t.kind != GOLDEN_MEASURED || !(speedup > 0)) return "unmeasured";
    size_t i = 0;
    while (speedup < CLASSES[i].at_least) i++;
    return CLASSES[i].name;
}
