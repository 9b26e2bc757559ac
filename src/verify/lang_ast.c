/* Rules of the device's language over the syntax tree that `clang -ast-dump` prints: one node a line,
 *
 *   | | `-CXXStaticCastExpr 0x55d0 <line:9:19, col:39> 'float' static_cast<float> <NoOp>
 *   ^depth   kind           address  range             type
 *
 * A place is printed only as far as it differs from the one before (col:, line:, file:line:col), so every line is read in order.
 * Nothing else is assumed of the text: what is not understood is passed over. */
#include "verify/lang.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 4000

typedef struct Node {
    const char *kind, *rest; /* rest: behind the address and the range; a line of its own */
    uint64_t address;
    int depth, line;         /* line: in kernel_src, 0 elsewhere */
} Node;

typedef struct Function {
    const Node *node;
    size_t first, end; /* nodes of it */
    size_t same;       /* index of its first declaration */
    const char *name;
    bool has_body, is_aicore, is_used, is_exempt;
    VEC(size_t) calls;
} Function;

typedef struct Tree {
    LangPass *pass;
    Arena *arena;
    VEC(Node) nodes;
    VEC(Function) functions;
    bool in_kernel; /* the file of the place printed last */
    int line;       /* of it */
} Tree;

/* ----------------------------------------------------------------------------------------------- reading it */

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static bool is_kind(const Node *n, const char *kind) {
    return !strcmp(n->kind, kind);
}

/* "col:3", "line:9:3" or "kernel_src:9:3" of n_bytes; false for anything else. */
static bool read_place(Tree *t, const char *s, size_t n_bytes) {
    char text[512];
    if (n_bytes == 0 || n_bytes >= sizeof text) return false;
    memcpy(text, s, n_bytes);
    text[n_bytes] = '\0';
    if (starts(text, "col:")) return true;
    char *last = strrchr(text, ':');
    if (!last || !isdigit((unsigned char)last[1])) return false;
    *last = '\0';
    char *before = strrchr(text, ':');
    if (!before || !isdigit((unsigned char)before[1])) return false;
    *before = '\0';
    t->line = atoi(before + 1);
    if (strcmp(text, "line") != 0) t->in_kernel = !strcmp(text, DESC_SOURCE_NAMES[DESC_KERNEL]);
    return true;
}

/* Reads "<a, b> c"; returns what follows. *line becomes that of c, else of a. */
static const char *read_range(Tree *t, const char *s, int *line) {
    *line = 0;
    if (*s != '<') return s;
    int depth = 0;
    const char *from = s + 1, *p = s;
    for (; *p; p++) {
        if (*p == '<') depth++;
        bool ends = *p == '>' && --depth == 0;
        if ((depth == 1 && *p == ',') || ends) {
            bool first = from == s + 1;
            bool ok = read_place(t, from, (size_t)(p - from));
            if (first && ok && t->in_kernel) *line = t->line;
            from = p + 1 + (p[1] == ' ');
        }
        if (ends) break;
    }
    if (*p) p++;
    if (*p == ' ') p++;
    size_t n = strcspn(p, " ");
    if (read_place(t, p, n)) {
        *line = t->in_kernel ? t->line : 0;
        p += n + (p[n] == ' ');
    }
    return p;
}

static void read_line(Tree *t, char *s) {
    Node n = {0};
    char *kind = s + strspn(s, "|` -");
    n.depth = (int)(kind - s) / 2;
    size_t k = strcspn(kind, " ");
    char *p = kind + k + (kind[k] == ' ');
    kind[k] = '\0';
    n.kind = kind;
    if (starts(p, "0x")) {
        char *end;
        n.address = strtoull(p, &end, 16);
        p = end + (*end == ' ');
    }
    const char *rest = p;
    while (starts(rest, "parent 0x") || starts(rest, "prev 0x")) { /* kept apart: see first_of */
        rest = strchr(rest, ' ') + 1;
        rest += strcspn(rest, " ");
        rest += *rest == ' ';
    }
    n.rest = read_range(t, rest, &n.line);
    if (n.rest == rest) n.rest = p;
    if (rest != p) n.rest = arena_printf(t->arena, "%.*s%s", (int)(rest - p), p, n.rest); /* with parent and prev */
    vec_push(t->arena, &t->nodes, n);
}

/* First node behind those below node i. */
static size_t end_of(const Tree *t, size_t i) {
    size_t k = i + 1;
    while (k < t->nodes.n && t->nodes.at[k].depth > t->nodes.at[i].depth) k++;
    return k;
}

/* The canonical type: 'uint32_t':'unsigned int' is unsigned int. Empty when there is none. */
static const char *type_of(const Tree *t, const Node *n) {
    const char *from = strchr(n->rest, '\'');
    if (!from) return "";
    const char *to = strchr(from + 1, '\'');
    if (to && to[1] == ':' && to[2] == '\'') {
        from = to + 2;
        to = strchr(from + 1, '\'');
    }
    if (!to) return "";
    from++;
    for (;;) {
        if (starts(from, "const ")) from += 6;
        else if (starts(from, "volatile ")) from += 9;
        else break;
    }
    return arena_strndup(t->arena, from, (size_t)(to - from));
}

/* --------------------------------------------------------------------------------------------------- casts */

static bool is_explicit(const Node *n) {
    return is_kind(n, "CStyleCastExpr") || is_kind(n, "CXXStaticCastExpr") || is_kind(n, "CXXFunctionalCastExpr");
}

/* Nothing below node i is known only when the kernel runs. */
static bool is_constant(const Tree *t, size_t i) {
    static const char *const RUN_TIME[] = {"CXXThisExpr", "CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr", "MaterializeTemporaryExpr"};
    for (size_t k = i + 1, end = end_of(t, i); k < end; k++) {
        const Node *n = &t->nodes.at[k];
        if (is_kind(n, "DeclRefExpr") && !strstr(n->rest, "non_odr_use_constant") && !strstr(n->rest, " EnumConstant ") &&
            !strstr(n->rest, "NonTypeTemplateParm"))
            return false;
        for (size_t w = 0; w < sizeof RUN_TIME / sizeof RUN_TIME[0]; w++)
            if (is_kind(n, RUN_TIME[w])) return false;
    }
    return true;
}

static bool is_float(const char *type) {
    return !strcmp(type, "float") || !strcmp(type, "__fp16") || !strcmp(type, "double");
}

static const char *shown(const char *type) {
    return !strcmp(type, "__fp16") ? "half" : type;
}

static void check_number_cast(Tree *t, size_t i, int line) {
    const Node *n = &t->nodes.at[i];
    bool to_float = strstr(n->rest, "<IntegralToFloating>") != NULL, to_int = strstr(n->rest, "<FloatingToIntegral>") != NULL;
    if ((!to_float && !to_int) || i + 1 >= t->nodes.n || is_constant(t, i)) return;
    const char *to = type_of(t, n), *from = type_of(t, &t->nodes.at[i + 1]);
    const char *found = arena_printf(t->arena, "%s to %s", shown(from), shown(to));
    bool wide = !strcmp(from, "unsigned int") || !strcmp(from, "unsigned long") || !strcmp(from, "unsigned long long");
    if (to_float && wide && is_float(to)) lang_add(t->pass, LANG_UNSIGNED_TO_FLOAT, line, found);
    if (to_int && is_float(from) && starts(to, "unsigned ")) lang_add(t->pass, LANG_FLOAT_TO_UNSIGNED, line, found);
}

/* The memory a pointer type points to: 1 global, 2 UB, ..., 0 none said. */
static int space_of(const char *type) {
    static const char *const NAMES[] = {"__gm__", "__ubuf__", "__cbuf__", "__ca__", "__cb__", "__cc__", "__fbuf__"};
    if (!strchr(type, '*')) return 0;
    const char *attribute = strstr(type, "address_space(");
    if (attribute) return atoi(attribute + 14);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strstr(type, NAMES[i])) return (int)i + 1;
    return 0;
}

static void check_pointer_cast(Tree *t, size_t i, int line) {
    const Node *n = &t->nodes.at[i];
    if (i + 1 >= t->nodes.n || (!strstr(n->rest, "<AddressSpaceConversion>") && !strstr(n->rest, "<BitCast>"))) return;
    const char *to = type_of(t, n), *from = type_of(t, &t->nodes.at[i + 1]);
    int a = space_of(from), b = space_of(to);
    if (a && b && a != b) lang_add(t->pass, LANG_ADDRESS_SPACE, line, arena_printf(t->arena, "%s to %s", from, to));
}

static void check_cast(Tree *t, size_t i) {
    const Node *n = &t->nodes.at[i];
    if (n->line <= 0 || !is_explicit(n)) return;
    size_t at = i; /* the conversion itself: this node, or the implicit one below that is part of it */
    if (strstr(n->rest, "<NoOp>") && i + 1 < t->nodes.n && strstr(t->nodes.at[i + 1].rest, "part_of_explicit_cast")) at = i + 1;
    check_number_cast(t, at, n->line);
    check_pointer_cast(t, i, n->line);
}

/* ----------------------------------------------------------------------------------------------- functions */

static bool is_function(const Node *n) {
    return is_kind(n, "FunctionDecl") || is_kind(n, "CXXMethodDecl") || is_kind(n, "CXXConstructorDecl") || is_kind(n, "CXXDestructorDecl") ||
           is_kind(n, "CXXConversionDecl");
}

static uint64_t address_after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? strtoull(at + strlen(word), NULL, 16) : 0;
}

/* The word before the type. */
static const char *name_of(Tree *t, const Node *n) {
    const char *quote = strstr(n->rest, " '");
    const char *end = quote ? quote : n->rest + strlen(n->rest), *from = end;
    while (from > n->rest && from[-1] != ' ') from--;
    return arena_printf(t->arena, "`%.*s`", (int)(end - from), from);
}

static bool has_flag(const Node *n, const char *flag) {
    const char *quote = strchr(n->rest, '\'');
    for (const char *at = strstr(n->rest, flag); at && (!quote || at < quote); at = strstr(at + 1, flag))
        if (at == n->rest || at[-1] == ' ') return true;
    return false;
}

static bool in_lambda(const Tree *t, size_t i) {
    int depth = t->nodes.at[i].depth;
    for (size_t k = i; k-- > 0 && depth > 0;) {
        const Node *n = &t->nodes.at[k];
        if (n->depth >= depth) continue;
        depth = n->depth;
        if (is_kind(n, "LambdaExpr")) return true;
        if (is_function(n)) return false;
    }
    return false;
}

static size_t find_function(const Tree *t, uint64_t address) {
    for (size_t i = 0; address && i < t->functions.n; i++)
        if (t->functions.at[i].node->address == address) return t->functions.at[i].same;
    return SIZE_MAX;
}

static void add_function(Tree *t, size_t i) {
    const Node *n = &t->nodes.at[i];
    Function f = {.node = n, .first = i + 1, .end = end_of(t, i), .same = t->functions.n, .name = name_of(t, n)};
    uint64_t before = starts(n->rest, "p") ? address_after(n->rest, "prev 0x") : 0;
    size_t first = find_function(t, before);
    if (first != SIZE_MAX) f.same = first;
    vec_push(t->arena, &t->functions, f);
    Function *whole = &t->functions.at[f.same];
    whole->is_used = whole->is_used || has_flag(n, "used ");
    whole->is_exempt = whole->is_exempt || strstr(n->rest, " constexpr ") || has_flag(n, "implicit ") || strstr(n->rest, " default") || in_lambda(t, i);
    for (size_t k = f.first; k < f.end; k++) {
        const Node *child = &t->nodes.at[k];
        if (child->depth != n->depth + 1) continue;
        whole->has_body = whole->has_body || is_kind(child, "CompoundStmt");
        bool marks = is_kind(child, "AnnotateAttr") && (strstr(child->rest, "\"aicore\"") || strstr(child->rest, "\"global\""));
        whole->is_aicore = whole->is_aicore || marks;
    }
}

static void add_calls(Tree *t, const Function *f) {
    Function *whole = &t->functions.at[f->same];
    for (size_t k = f->first; k < f->end; k++) {
        const Node *n = &t->nodes.at[k];
        uint64_t to = 0;
        if (is_kind(n, "DeclRefExpr")) {
            to = address_after(n->rest, " Function 0x");
            if (!to) to = address_after(n->rest, " CXXMethod 0x");
        } else if (is_kind(n, "MemberExpr")) {
            const char *last = strrchr(n->rest, ' ');
            to = last && starts(last, " 0x") ? strtoull(last + 1, NULL, 16) : 0;
        }
        size_t callee = find_function(t, to);
        if (callee != SIZE_MAX) vec_push(t->arena, &whole->calls, callee);
    }
}

static bool reaches(const Tree *t, size_t from, size_t to, bool *seen) {
    const Function *f = &t->functions.at[from];
    for (size_t i = 0; i < f->calls.n; i++) {
        size_t next = f->calls.at[i];
        if (next == to) return true;
        if (seen[next]) continue;
        seen[next] = true;
        if (reaches(t, next, to, seen)) return true;
    }
    return false;
}

static void check_functions(Tree *t) {
    for (size_t i = 0; i < t->nodes.n && t->functions.n < FUNCTIONS_MAX; i++)
        if (t->nodes.at[i].line > 0 && is_function(&t->nodes.at[i])) add_function(t, i);
    for (size_t i = 0; i < t->functions.n; i++) add_calls(t, &t->functions.at[i]);
    bool *seen = ARENA_ARRAY(t->arena, t->functions.n + 1, bool);
    for (size_t i = 0; i < t->functions.n; i++) {
        const Function *f = &t->functions.at[i];
        if (f->same != i) continue;
        if (f->has_body && f->is_used && !f->is_aicore && !f->is_exempt) lang_add(t->pass, LANG_NO_AICORE, f->node->line, f->name);
        memset(seen, 0, t->functions.n * sizeof *seen);
        if (f->calls.n && reaches(t, i, i, seen)) lang_add(t->pass, LANG_RECURSION, f->node->line, f->name);
    }
}

/* -------------------------------------------------------------------------------------------------- whole */

void lang_ast(LangPass *pass, const char *text) {
    /* Everything before belongs to our headers; the first place in kernel_src is printed with its name. */
    const char *from = strstr(text, "<kernel_src:");
    if (!pass->toolchain || !from) return;
    while (from > text && from[-1] != '\n') from--;
    Tree t = {.pass = pass, .arena = arena_new()};
    for (const char *s = from; *s;) {
        size_t n = strcspn(s, "\n");
        read_line(&t, arena_strndup(t.arena, s, n));
        s += n + (s[n] == '\n');
    }
    for (size_t i = 0; i < t.nodes.n; i++) check_cast(&t, i);
    check_functions(&t);
    arena_free(t.arena);
}
