/* SHA-256 as FIPS 180-4 gives it: one block of 64 bytes at a time. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static void add_block(Sha256 *s, const uint8_t *p) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    uint32_t v[8];
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t t1 =
            v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[i] + w[i];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

void sha256_init(Sha256 *s) {
    static const uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *s = (Sha256){0};
    memcpy(s->h, H, sizeof H);
}

void sha256_add(Sha256 *s, const void *data, size_t n_bytes) {
    const uint8_t *p = data;
    while (n_bytes > 0) {
        size_t at = (size_t)(s->n_bytes % 64), part = 64 - at < n_bytes ? 64 - at : n_bytes;
        memcpy(s->block + at, p, part);
        s->n_bytes += part;
        p += part;
        n_bytes -= part;
        if (at + part == 64) add_block(s, s->block);
    }
}

void sha256_add_field(Sha256 *s, const char *text) {
    uint64_t n = text ? strlen(text) : UINT64_MAX;
    sha256_add(s, &n, sizeof n);
    if (text) sha256_add(s, text, (size_t)n);
}

void sha256_final(Sha256 *s, uint8_t out[SHA256_BYTES]) {
    uint64_t n_bits = s->n_bytes * 8;
    uint8_t tail[8];
    for (int i = 0; i < 8; i++) tail[i] = (uint8_t)(n_bits >> (56 - 8 * i));
    sha256_add(s, "\x80", 1);
    while (s->n_bytes % 64 != 56) sha256_add(s, "", 1);
    sha256_add(s, tail, sizeof tail);
    for (int i = 0; i < SHA256_BYTES; i++) out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_hex(const uint8_t digest[SHA256_BYTES], char out[SHA256_HEX]) {
    static const char HEX[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = HEX[digest[i] >> 4];
        out[2 * i + 1] = HEX[digest[i] & 15];
    }
    out[SHA256_HEX - 1] = '\0';
}

bool sha256_same_text(const char *a, const char *b) {
    const char *text[2] = {a, b};
    uint8_t digest[2][SHA256_BYTES];
    for (int i = 0; i < 2; i++) {
        Sha256 s;
        sha256_init(&s);
        sha256_add(&s, text[i], strlen(text[i]));
        sha256_final(&s, digest[i]);
    }
    unsigned differ = 0;
    for (int i = 0; i < SHA256_BYTES; i++) differ |= (unsigned)(digest[0][i] ^ digest[1][i]);
    return differ == 0;
}
