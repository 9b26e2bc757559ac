/* Writes to global memory that no API call makes: a kernel may store through a __gm__ pointer of its own, which the host's compiler
 * turns into a plain store. Memory that starts unwritten is filled with a pattern at the launch; what differs from it was written.
 * Who wrote it and when is not known, so such bytes take no part in the checks of order. */
#include "sim/sim_int.h"

/* Elements are written as a whole; where they are single bytes, which may well equal the pattern, 32 bytes are one. */
static size_t grain(const GmRange *r)
{
    size_t size = dtype_info(r->gm->dtype)->size_bytes;
    if (r->gm->role == SIM_GM_WORKSPACE) return 4; /* its bytes have no type */
    return size > 1 ? size : ISA_BLOCK_BYTES;
}

static bool is_poison(const uint8_t *p, size_t n, size_t phase)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != (uint8_t)((phase + i) & 1 ? POISON16 >> 8 : POISON16 & 0xff)) return false;
    return true;
}

void gm_raw_open(GmRange *r) { poison_fill(r->gm->data, r->gm->n_bytes, 0); }

bool gm_settle_raw(GmRange *r, size_t off, size_t n)
{
    if (!r->valid || bits_all(r->valid, off, n)) return true;
    if (!r->gm->blank) return false;
    const uint8_t *data = r->gm->data;
    size_t g = grain(r), end = off + n, size = r->gm->n_bytes;
    bool all = true;
    for (size_t at = bits_find(r->valid, off, end, false); at < end;) {
        size_t from = at / g * g, len = from + g <= size ? g : size - from;
        if (is_poison(data + from, len, from)) {
            all = false;
        } else {
            r->n_raw += len - bits_count(r->valid, from, len);
            bits_fill(r->valid, from, len, true);
        }
        at = bits_find(r->valid, from + len < end ? from + len : end, end, false);
    }
    return all;
}

void gm_raw_close(Sim *s, GmRange *r)
{
    gm_settle_raw(r, 0, r->gm->n_bytes);
    if (r->n_raw) sim_report_launch(s, CHK_ID_GM_RAW, LL(r->n_raw), r->gm->name);
}
