/* SHA-256 against the examples of FIPS 180-4 and its lengths around a block against one-byte steps. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void digest(const char *text, size_t n, size_t step, char hex[SHA256_HEX]) {
    Sha256 s;
    uint8_t out[SHA256_BYTES];
    sha256_init(&s);
    for (size_t i = 0; i < n; i += step) sha256_add(&s, text + i, n - i < step ? n - i : step);
    sha256_final(&s, out);
    sha256_hex(out, hex);
}

static void test_vectors(void **state) {
    (void)state;
    static const struct {
        const char *text, *hex;
    } ROWS[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[SHA256_HEX];
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        digest(ROWS[i].text, strlen(ROWS[i].text), 64, hex);
        assert_string_equal(hex, ROWS[i].hex);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    digest(million, 1000000, 977, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void test_steps(void **state) {
    (void)state;
    char text[200], whole[SHA256_HEX], parts[SHA256_HEX];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 7);
    for (size_t n = 0; n <= sizeof text; n++) {
        digest(text, n, 1000, whole);
        for (size_t step = 1; step < 70; step += 3) {
            digest(text, n, step, parts);
            assert_string_equal(whole, parts);
        }
    }
}

static void fields(const char *a, const char *b, char hex[SHA256_HEX]) {
    Sha256 s;
    uint8_t out[SHA256_BYTES];
    sha256_init(&s);
    sha256_add_field(&s, a);
    sha256_add_field(&s, b);
    sha256_final(&s, out);
    sha256_hex(out, hex);
}

static void test_fields_do_not_run_together(void **state) {
    (void)state;
    static const char *const PAIRS[][2] = {{"ab", "c"},   {"a", "bc"},   {"abc", ""},  {"", "abc"},
                                           {"abc", NULL}, {NULL, "abc"}, {NULL, NULL}, {"", ""}};
    char hex[8][SHA256_HEX];
    for (size_t i = 0; i < 8; i++) fields(PAIRS[i][0], PAIRS[i][1], hex[i]);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < i; k++) assert_string_not_equal(hex[i], hex[k]);
}

static void test_same_text(void **state) {
    (void)state;
    assert_true(sha256_same_text("token", "token"));
    assert_true(sha256_same_text("", ""));
    assert_false(sha256_same_text("token", "tokem"));
    assert_false(sha256_same_text("token", "toke"));
    assert_false(sha256_same_text("", "t"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_fields_do_not_run_together),
                                       cmocka_unit_test(test_same_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
