/* SHA-256 (FIPS 180-4), for content keys and for comparing tokens in constant time. */
#ifndef OPWRIGHT_BASE_SHA256_H
#define OPWRIGHT_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_HEX   65 /* with the NUL */

typedef struct Sha256 {
    uint32_t h[8];
    uint64_t n_bytes;
    uint8_t block[64];
} Sha256;

void sha256_init(Sha256 *s);
void sha256_add(Sha256 *s, const void *data, size_t n_bytes);
/* A text with its length before it, so that neighbouring fields cannot run into each other; NULL differs from
 * "". */
void sha256_add_field(Sha256 *s, const char *text);
void sha256_final(Sha256 *s, uint8_t out[SHA256_BYTES]);
void sha256_hex(const uint8_t digest[SHA256_BYTES], char out[SHA256_HEX]);
/* True for equal texts; the time taken tells nothing about where they differ. */
bool sha256_same_text(const char *a, const char *b);

#endif
