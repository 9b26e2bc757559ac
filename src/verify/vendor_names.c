/* Tells a fault of the description from a gap of our headers: a name that the vendor has and that we lack. */
#include "base/fs.h"
#include "verify/verify_int.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

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

static bool is_vendor_name(const char *name) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (!strcmp(name, NAMES[i])) return true;
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
    return is_vendor_name(name) && !tree_has_word(a, arena_printf(a, "%s/device", home), name) &&
           !tree_has_word(a, arena_printf(a, "%s/hostapi", home), name);
}
