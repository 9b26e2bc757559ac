/* Tells a fault of the description from a gap of our headers: a name that the vendor has and that we lack. */
#include "base/fs.h"
#include "verify/verify_int.h"

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static const char *const NAMES[] = {
#define VENDOR_NAME(name) #name,
#define VENDOR_HEADER(part)
#include "verify/vendor_names.def"
#undef VENDOR_NAME
#undef VENDOR_HEADER
};

static const char *const HEADERS[] = {
#define VENDOR_NAME(name)
#define VENDOR_HEADER(part) part,
#include "verify/vendor_names.def"
#undef VENDOR_NAME
#undef VENDOR_HEADER
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        if ((p == text || !is_word(p[-1])) && !is_word(p[n])) return true;
    return false;
}

/* True when a header below dir holds the word. */
static bool tree_has_word(Arena *a, const char *dir, const char *word) {
    DIR *d = opendir(dir);
    if (!d) return false;
    bool found = false;
    for (struct dirent *e; !found && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        const char *path = arena_printf(a, "%s/%s", dir, e->d_name);
        Err ignored = {0};
        if (e->d_type == DT_DIR) {
            found = tree_has_word(a, path, word);
            continue;
        }
        const char *text = fs_read(a, path, NULL, &ignored);
        found = text && has_word(text, word);
    }
    closedir(d);
    return found;
}

static bool is_vendor_header(const char *path) {
    for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++)
        if (!strncmp(path, HEADERS[i], strlen(HEADERS[i]))) return true;
    return false;
}

bool vendor_name_known(const char *name, size_t n_bytes) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (!strncmp(name, NAMES[i], n_bytes) && !NAMES[i][n_bytes]) return true;
    return false;
}

bool vendor_name_missing(Arena *a, const char *home, const char *section, const char *message,
                         const char *name) {
    if (strstr(message, "No such file") || strstr(message, "file not found")) return is_vendor_header(name);
    static const char *const MISSING[] = {"is not a member of",       "was not declared in this scope",
                                          "has no member named",      "does not name a type",
                                          "no member named",          "use of undeclared identifier",
                                          "has not been declared",    "unknown type name",
                                          "is not a class, namespace"};
    bool missing = false;
    for (size_t i = 0; i < sizeof MISSING / sizeof MISSING[0]; i++)
        missing = missing || strstr(message, MISSING[i]);
    if (!missing) return false;
    const char *colon = strrchr(name, ':'); /* 'AscendC::Foo': the last part counts */
    if (colon) name = colon + 1;
    /* PyTorch's C++ interface is too large for a list: what is no computation there and unknown here may well
     * exist. */
    bool binding = section && !strcmp(section, DESC_SOURCE_NAMES[DESC_PYTHON_BIND]);
    static const char *const TORCH[] = {
        "'at'", "'at::", "'torch'", "'torch::", "'c10'", "'c10::", "class at::Tensor'"};
    for (size_t i = 0; binding && i < sizeof TORCH / sizeof TORCH[0]; i++)
        if (strstr(message, TORCH[i])) return true;
    /* A name our headers have is misplaced, not missing. */
    return vendor_name_known(name, strlen(name)) && !tree_has_word(a, arena_printf(a, "%s/device", home), name) &&
           !tree_has_word(a, arena_printf(a, "%s/hostapi", home), name);
}

/* ---- what was meant by a name that does not exist ------------------------------------------------------------- */

#define NEAR_MAX      3
#define NAME_LEN_MAX  64
#define FAR           20 /* behind all that differ by a few letters */

/* Letters to change, add or drop, whatever their case. */
static size_t distance(const char *a, const char *b) {
    size_t n = strlen(b), row[NAME_LEN_MAX + 1];
    if (n > NAME_LEN_MAX || strlen(a) > NAME_LEN_MAX) return SIZE_MAX;
    for (size_t k = 0; k <= n; k++) row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 1; k <= n; k++) {
            size_t change = diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[k - 1]));
            diagonal = row[k];
            size_t other = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            row[k] = change < other ? change : other;
        }
    }
    return row[n];
}

/* How far a name is from one of the API, for sorting: letters first; one that begins with the other is near. */
static size_t far_from(const char *name, const char *known) {
    size_t d = distance(name, known), n = strlen(name), k = strlen(known), shorter = n < k ? n : k;
    if (shorter >= 3 && !strncasecmp(name, known, shorter)) return d < 2 ? d : 2;
    if (d <= 1 + n / 4) return d;
    if (k >= 3 && n > k && !strcmp(name + n - k, known)) return FAR; /* VecAdd */
    return shorter > 4 && !strncmp(name, known, 4) ? FAR + 1 : SIZE_MAX; /* SyncFunc: SyncAll */
}

const char *vendor_names_near(Arena *a, const char *name) {
    const char *best[NEAR_MAX] = {0};
    size_t rank[NEAR_MAX] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        size_t d = far_from(name, NAMES[i]), at = NEAR_MAX;
        while (at > 0 && d < rank[at - 1]) at--;
        if (at == NEAR_MAX) continue;
        memmove(&rank[at + 1], &rank[at], (NEAR_MAX - 1 - at) * sizeof *rank);
        memmove(&best[at + 1], &best[at], (NEAR_MAX - 1 - at) * sizeof *best);
        rank[at] = d;
        best[at] = NAMES[i];
    }
    if (!best[0]) return NULL;
    return arena_printf(a, "%s%s%s%s%s", best[0], best[1] ? ", " : "", best[1] ? best[1] : "", best[2] ? ", " : "", best[2] ? best[2] : "");
}
