/* Fingerprints of wrong results: each row is recognised where it is meant, and not where the result is right or wrong at random. */
#include "verify/fingerprint.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the five above first */
#include <cmocka.h>

enum { ROWS = 24, COLS = 126, N = ROWS * COLS, BLOCKS = 8, SLICE = N / BLOCKS, TILE = 200 };
static float e[N], a[N], before[N];

static void fresh(void) {
    srand(7);
    for (int i = 0; i < N; i++) {
        e[i] = (float)(0.25 + 0.5 * rand() / RAND_MAX);
        a[i] = e[i];
        before[i] = (float)(0.25 + 0.5 * rand() / RAND_MAX);
    }
}

static void nothing(void) {}
static void nan_all(void) { for (int i = 0; i < N; i++) a[i] = NAN; }
static void zero_all(void) { for (int i = 0; i < N; i++) a[i] = 0; }
static void constant(void) { for (int i = 0; i < N; i++) a[i] = 1.5f; }
static void base_ten(void) { for (int i = 0; i < N; i++) a[i] = e[i] * 0.4342944819f; }
static void sum_for_mean(void) { for (int i = 0; i < N; i++) a[i] = e[i] * COLS; }
static void biased(void) { for (int i = 0; i < N; i++) a[i] = e[i] * 125.0f / 126.0f; }
static void sign(void) { for (int i = 0; i < N; i++) a[i] = -e[i]; }
static void offset(void) { for (int i = 0; i < N; i++) a[i] = e[i] + 3; }
static void inverted(void) { for (int i = 0; i < N; i++) a[i] = 1 - e[i]; }
static void reciprocal(void) { for (int i = 0; i < N; i++) a[i] = 1 / e[i]; }
static void square(void) { for (int i = 0; i < N; i++) a[i] = e[i] * e[i]; }
static void root(void) { for (int i = 0; i < N; i++) a[i] = sqrtf(e[i]); }
static void transposed(void) { for (int i = 0; i < N; i++) a[i] = e[i % ROWS * COLS + i / ROWS]; }
static void shifted(void) { for (int i = 0; i + 5 < N; i++) a[i] = e[i + 5]; }
static void old_tile(void) { for (int i = 2000; i < 2256; i++) a[i] = e[i - 256]; }
static void stale(void) { memcpy(a, before, sizeof a); }
static void wrong_nan(void) { for (int i = 100; i < 120; i++) a[i] = NAN; }
static void wrong_zero(void) { for (int r = 0; r < ROWS; r++) for (int i = 120; i < COLS; i++) a[r * COLS + i] = 0; }
static void sentinel(void) { for (int i = 10; i < 900; i += 13) a[i] = -FLT_MAX; }
static void leftover(void) { for (int i = 10; i < 900; i += 13) a[i] = 7; }
static void infinite(void) { for (int i = 10; i < 900; i += 7 + i % 5) a[i] = INFINITY; }
static void cores(void) { for (int b = 3; b < 6; b += 2) for (int i = 0; i < SLICE; i++) a[b * SLICE + i] += (float)(1 + rand() % 7); }
static void tail(void) { for (int i = 2900; i < N; i++) a[i] += (float)(1 + rand() % 7); }
static void rows(void) { for (int r = 0; r < ROWS; r++) for (int i = 0; i < 6; i++) a[r * COLS + i] += (float)(1 + rand() % 7); }
static void tiles(void) { for (int t = 0; t + TILE < N; t += TILE) for (int i = 0; i < 9; i++) a[t + TILE - 1 - i] += (float)(1 + rand() % 7); }
static void second_tiles(void) { for (int t = TILE; t + TILE < N; t += 2 * TILE) for (int i = 0; i < TILE; i++) a[t + i] += (float)(1 + rand() % 7); }
static void shares(void) { for (int b = 0; b < BLOCKS; b++) for (int i = 0; i < 7; i++) a[b * SLICE + i] += (float)(1 + rand() % 7); }
static void bf16(void) { for (int i = 0; i < N; i++) a[i] = bf16_to_f32(bf16_from_f32(e[i])); }
static void half(void) { for (int i = 0; i < N; i++) a[i] = f16_to_f32(f16_from_f32(e[i])) + (e[i] > 0.4f && e[i] < 0.41f ? 1.0f / 1024 : 0); }
static void rounding(void) { for (int i = 0; i < N; i++) a[i] = e[i] * (1 + 0.004f * ((float)rand() / (float)RAND_MAX - 0.5f)); }
static void noise(void) { for (int i = 0; i < N; i++) a[i] = e[i] + (float)(rand() % 1000) * 0.01f - 5; }

static const struct {
    void (*spoil)(void);
    const char *id, *part; /* of the English text */
} CASES[] = {
    {nothing, NULL, NULL}, {noise, NULL, NULL}, {nan_all, "all-nan", ""}, {zero_all, "all-zero", ""}, {constant, "constant", "1.5"},
    {base_ten, "constant-ratio", "1/ln 10"}, {sum_for_mean, "constant-ratio", "126 elements: a sum instead of a mean"}, {biased, "constant-ratio", "biased variance"},
    {sign, "constant-ratio", "the sign"}, {offset, "constant-offset", "plus 3"}, {inverted, "inverted", ""}, {reciprocal, "reciprocal", ""}, {square, "square", ""},
    {root, "square-root", ""}, {transposed, "transposed", ""}, {shifted, "shifted", "+5 elements"}, {old_tile, "shifted", "-256 elements"}, {stale, "stale", ""},
    {wrong_nan, "wrong-are-nan", ""}, {wrong_zero, "wrong-are-zero", ""}, {wrong_zero, "periodic", "126 elements (one row): 6 in each, the first at 120"},
    {sentinel, "wrong-are-one-number", "FLT_MAX"}, {leftover, "wrong-are-one-number", "7"}, {infinite, "overflow", "float32"},
    {cores, "whole-cores", "3, 5 of 8 blocks"}, {tail, "tail", "element 2900 of 3024"}, {rows, "periodic", "one row"}, {tiles, "periodic", "200 elements (one tile: what one copy stores): 9 in each"},
    {second_tiles, "periodic", "400 elements (2 tiles, of what one copy stores): 200 in each"}, {shares, "periodic", "378 elements (the share of one block): 7 in each"}, {bf16, "narrowed", "bfloat16"}, {half, "narrowed", "half"},
    {rounding, "small-errors", ""},
};

static Fingerprint look(Arena *arena) {
    const FingerInput in = {.dtype = DTYPE_F32, .n = N, .expected = e, .actual = a, .before = before, .dims = {ROWS, COLS}, .rank = 2, .block_dim = BLOCKS, .tile = TILE};
    Fingerprint f;
    fingerprint(arena, &in, &f);
    return f;
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena *arena = arena_new();
        fresh();
        CASES[i].spoil();
        Fingerprint f = look(arena);
        const FingerHit *hit = NULL;
        for (size_t k = 0; k < f.n_hits; k++)
            if (CASES[i].id && !strcmp(f.hits[k].id, CASES[i].id)) hit = &f.hits[k];
        if (!CASES[i].id && f.n_hits) fail_msg("case %zu: %s", i, f.hits[0].text);
        if (CASES[i].id && !hit) fail_msg("case %zu: no %s; first %s", i, CASES[i].id, f.n_hits ? f.hits[0].text : "none");
        if (hit && !strstr(hit->text, CASES[i].part)) fail_msg("case %zu: %s", i, hit->text);
        if (hit) assert_true(strlen(hit->text_zh) > 5 && hit->hint && hit->hint_zh && !strstr(hit->text, "(null)") && !strchr(hit->text_zh, '%'));
        arena_free(arena);
    }
}

static void test_integers(void **state) {
    (void)state;
    int32_t want[64], got[64];
    for (int i = 0; i < 64; i++) want[i] = i * 4099, got[i] = (int16_t)(want[i] & 0xffff);
    const FingerInput in = {.dtype = DTYPE_I32, .n = 64, .expected = want, .actual = got, .dims = {64}, .rank = 1};
    Arena *arena = arena_new();
    Fingerprint f;
    fingerprint(arena, &in, &f);
    assert_true(f.n_hits > 0);
    assert_string_equal(f.hits[0].id, "truncated-16-bit");
    bool mask[40], inverse[40];
    for (int i = 0; i < 40; i++) mask[i] = i % 3 == 0, inverse[i] = !mask[i];
    const FingerInput masks = {.dtype = DTYPE_BOOL, .n = 40, .expected = mask, .actual = inverse, .dims = {40}, .rank = 1};
    fingerprint(arena, &masks, &f);
    assert_true(f.n_hits > 0);
    assert_string_equal(f.hits[0].id, "inverted");
    arena_free(arena);
}

/* Nothing, one element, a scalar: no pattern is claimed and nothing is read past the end. */
static void test_small(void **state) {
    (void)state;
    float *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    assert_non_null(one);
    assert_non_null(other);
    *one = 1, *other = 2;
    Arena *arena = arena_new();
    Fingerprint f;
    const FingerInput none = {.dtype = DTYPE_F32, .n = 0, .expected = one, .actual = other, .rank = 1}, single = {.dtype = DTYPE_F32, .n = 1, .expected = one, .actual = other};
    fingerprint(arena, &none, &f);
    assert_int_equal(f.n_hits, 0);
    fingerprint(arena, &single, &f);
    json_t *j = fingerprint_json(&single, &f);
    assert_true(json_number_value(json_object_get(j, "share")) == 1.0);
    json_decref(j);
    arena_free(arena);
    free(one);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_integers), cmocka_unit_test(test_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
