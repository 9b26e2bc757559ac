/* Frame parser: good frames, and everything that is not one. */
#include "bridge/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool parse(Arena *a, const char *text, FrameHead *h, Err *err) {
    return frame_parse_json(a, text, strlen(text), h, err);
}

static void lengths(void **state) {
    (void)state;
    Err err;
    size_t n = 0;
    assert_true(frame_json_length((const uint8_t[]){0x02, 0x01, 0, 0}, &n, &err));
    assert_int_equal(n, 258);
    assert_false(frame_json_length((const uint8_t[]){0, 0, 0, 0}, &n, &err));
    assert_int_equal(err.code, ERR_INTERNAL);
    assert_false(frame_json_length((const uint8_t[]){0xff, 0xff, 0xff, 0xff}, &n, &err));
    assert_false(frame_json_length((const uint8_t[]){1, 0, 0, 4}, &n, &err)); /* one above 64 MiB */
    assert_true(frame_json_length((const uint8_t[]){0, 0, 0, 4}, &n, &err));
}

static void good_frames(void **state) {
    (void)state;
    Err err;
    FrameHead h;
    Arena *a = arena_new();
    assert_true(parse(a, "{\"id\":7,\"blobs\":[3,0,4294967296]}", &h, &err));
    assert_int_equal(json_integer_value(json_object_get(h.value, "id")), 7);
    assert_int_equal(h.n_blobs, 3);
    assert_true(h.total_bytes == 4294967299u && h.blob_bytes[2] == 4294967296u);
    json_decref(h.value);
    static const char *const NONE[] = {"{}", "{\"blobs\":[]}", "{\"blobs\":null}"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(parse(a, NONE[i], &h, &err));
        assert_int_equal(h.n_blobs, 0);
        json_decref(h.value);
    }
    arena_free(a);
}

static void bad_frames(void **state) {
    (void)state;
    static const char *const BAD[] = {
        "",
        "{",
        "[]",
        "12",
        "\"x\"",
        "{\"a\":1} {\"b\":2}",
        "{\"a\":1,\"a\":2}",
        "{\"blobs\":3}",
        "{\"blobs\":[-1]}",
        "{\"blobs\":[1.5]}",
        "{\"blobs\":[\"1\"]}",
        "{\"blobs\":[true]}",
        "{\"blobs\":[1099511627777]}",
        "{\"blobs\":[1099511627776,1]}",
        "{\"blobs\":[9223372036854775807,9223372036854775807]}",
        "{\"blobs\":[99999999999999999999999]}",
        "{\"a\":\"\xff\"}",
        "not JSON",
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Err err = {0};
        FrameHead h;
        assert_false(parse(a, BAD[i], &h, &err));
        assert_int_equal(err.code, ERR_INTERNAL);
        assert_true(strlen(err.message) > 10);
        assert_null(h.value);
    }
    arena_free(a);
}

static void truncation(void **state) {
    (void)state;
    const char *text = "{\"id\":1,\"result\":{\"x\":[1,2,{\"y\":\"z\"}]},\"blobs\":[8]}";
    Arena *a = arena_new();
    for (size_t n = 0; n < strlen(text); n++) { /* every prefix is refused */
        Err err;
        FrameHead h;
        assert_false(frame_parse_json(a, text, n, &h, &err));
    }
    arena_free(a);
}

static void printing(void **state) {
    (void)state;
    Err err;
    Arena *a = arena_new();
    json_t *value = json_pack("{s:s, s:i}", "text", "gr\xc3\xbc\xc3\x9f", "n", 5);
    size_t n = 0, n_json = 0;
    char *frame = frame_print(a, value, &n, &err);
    assert_non_null(frame);
    assert_true(frame_json_length((const uint8_t *)frame, &n_json, &err));
    assert_int_equal(n_json + FRAME_HEAD_BYTES, n);
    FrameHead h;
    assert_true(frame_parse_json(a, frame + FRAME_HEAD_BYTES, n_json, &h, &err));
    assert_true(json_equal(h.value, value));
    json_decref(h.value);
    json_decref(value);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),    cmocka_unit_test(good_frames), cmocka_unit_test(bad_frames),
        cmocka_unit_test(truncation), cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
