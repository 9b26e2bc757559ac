/* Whole kernels of tests/kernel: each is compiled with g++ against device/, loaded beside libopwright_rt.so (which resolves
 * the ow_* symbols) and run on x[i] = i, y[i] = 2 i. Comments in the file say what must happen:
 *   // blocks: N      // n: N          block dimension; elements of x, y and z
 *   // options: words                 as sim_parse_options takes them ("no-hazards" for kernels that have no flags)
 *   ... // expect: id[, id]            exactly these findings on this line
 *   // expect-launch: id               a finding of the launch as a whole
 * No other finding may appear, and the same must happen in every schedule when there is no race. Kernels named add* must also give x + y when they expect nothing. Needs g++; without it
 * the test skips, out loud. */
#include "harness.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_EXPECT = 64, WORKSPACE = 65536 };

typedef struct Expect {
    uint32_t line;
    char check[64];
    bool seen;
} Expect;

typedef struct Kernel {
    char path[512], name[64];
    uint32_t blocks, n;
    char options[64];
    Expect expect[MAX_EXPECT];
    size_t n_expect;
} Kernel;

/* sim.h through the shared library: the copy the kernels are bound to. */
static struct {
    Sim *(*new)(const char *, Err *);
    void (*free)(Sim *);
    void (*set_options)(Sim *, const SimOptions *);
    bool (*parse_options)(const char *, SimOptions *, Err *);
    bool (*launch)(Sim *, const SimLaunch *, Err *);
    size_t (*n_findings)(const Sim *);
    const SimFinding *(*finding)(const Sim *, size_t);
} rt;

static void *symbol(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    if (!p) print_error("%s\n", dlerror());
    assert_non_null(p);
    return p;
}

static bool load_runtime(void)
{
    void *lib = dlopen(OPWRIGHT_BINARY_DIR "/libopwright_rt.so", RTLD_NOW | RTLD_GLOBAL);
    if (!lib) return false;
    *(void **)&rt.new = symbol(lib, "sim_new");
    *(void **)&rt.free = symbol(lib, "sim_free");
    *(void **)&rt.set_options = symbol(lib, "sim_set_options");
    *(void **)&rt.parse_options = symbol(lib, "sim_parse_options");
    *(void **)&rt.launch = symbol(lib, "sim_launch");
    *(void **)&rt.n_findings = symbol(lib, "sim_n_findings");
    *(void **)&rt.finding = symbol(lib, "sim_finding");
    return true;
}

static void add_expects(Kernel *k, const char *list, uint32_t line)
{
    char copy[256], *save, *id;
    snprintf(copy, sizeof copy, "%s", list);
    for (id = strtok_r(copy, ", \n", &save); id; id = strtok_r(NULL, ", \n", &save)) {
        assert_true(k->n_expect < MAX_EXPECT);
        k->expect[k->n_expect].line = line;
        snprintf(k->expect[k->n_expect++].check, sizeof k->expect[0].check, "%s", id);
    }
}

static void read_kernel(Kernel *k, const char *path)
{
    char line[512];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    *k = (Kernel){.blocks = 1, .n = 256};
    snprintf(k->path, sizeof k->path, "%s", path);
    snprintf(k->name, sizeof k->name, "%s", strrchr(path, '/') + 1);
    *strchr(k->name, '.') = 0;
    for (uint32_t at = 1; fgets(line, sizeof line, f); at++) {
        const char *p;
        sscanf(line, "// blocks: %u", &k->blocks);
        sscanf(line, "// n: %u", &k->n);
        sscanf(line, "// options: %63s", k->options);
        if ((p = strstr(line, "// expect: "))) add_expects(k, p + 11, at);
        if ((p = strstr(line, "// expect-launch: "))) add_expects(k, p + 18, 0);
    }
    fclose(f);
}

static const char GEN[] = "#define OW_OP Test\n"
                          "#include \"register/tilingdata_base.h\"\n"
                          "namespace optiling {\n"
                          "BEGIN_TILING_DATA_DEF(TestTilingData)\n"
                          "TILING_DATA_FIELD_DEF(uint32_t, n);\n"
                          "END_TILING_DATA_DEF;\n"
                          "REGISTER_TILING_DATA_CLASS(Test, TestTilingData)\n"
                          "}\n";

static void build(const Kernel *k, const char *dir, char *so, size_t cap)
{
    char cmd[2048], gen[256], cpp[256];
    snprintf(so, cap, "%s/%s.so", dir, k->name);
    snprintf(gen, sizeof gen, "%s/gen.h", dir);
    snprintf(cpp, sizeof cpp, "%s/%s.cpp", dir, k->name);
    FILE *f = fopen(gen, "w");
    fputs(GEN, f);
    fclose(f);
    f = fopen(cpp, "w");
    fprintf(f, "#line 1 \"kernel_src\"\n#include \"%s\"\nOW_KERNEL_ENTRY(test_kernel, 5)\n", k->path);
    fclose(f);
    snprintf(cmd, sizeof cmd, "g++ -std=c++17 -O1 -fPIC -shared -fvisibility=hidden -w -Wno-narrowing -I%s/device -include %s %s -o %s",
             OPWRIGHT_SOURCE_DIR, gen, cpp, so);
    assert_int_equal(system(cmd), 0);
}

static void match(Kernel *k, const SimFinding *f)
{
    for (size_t i = 0; i < k->n_expect; i++) {
        Expect *e = &k->expect[i];
        if (e->seen || e->line != f->line || strcmp(e->check, f->check) != 0) continue;
        e->seen = true;
        return;
    }
    print_error("%s:%u: unexpected %s: %s\n", k->name, f->line, f->check, f->text);
    fail();
}

static void run_kernel(Kernel *k, void (*entry)(void *const *), const char *schedule)
{
    float *x = malloc(k->n * sizeof *x), *y = malloc(k->n * sizeof *y), *z = malloc(k->n * sizeof *z);
    uint32_t tiling[2] = {k->n, 0};
    for (uint32_t i = 0; i < k->n; i++) x[i] = (float)i, y[i] = 2.0f * (float)i;
    uint32_t bytes = k->n * 4;
    void *workspace = malloc(WORKSPACE);
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = bytes},
                        {.name = "y", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = y, .n_bytes = bytes},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = bytes},
                        {.name = "workspace", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_U8, .data = workspace, .n_bytes = WORKSPACE},
                        {.name = "tiling", .role = SIM_GM_TILING, .dtype = DTYPE_U8, .data = tiling, .n_bytes = sizeof tiling}};
    void *args[] = {x, y, z, workspace, tiling};
    SimLaunch l = {.op_name = "Test", .entry = entry, .args = args, .gm = gm, .n_gm = 5, .block_dim = k->blocks};
    Err err;
    Sim *s = rt.new("Ascend910B4", &err);
    assert_non_null(s);
    SimOptions options = {0};
    assert_true(rt.parse_options(k->options, &options, &err) && rt.parse_options(schedule, &options, &err));
    for (size_t i = 0; i < k->n_expect; i++) k->expect[i].seen = false;
    rt.set_options(s, &options);
    assert_true(rt.launch(s, &l, &err));
    for (size_t i = 0; i < rt.n_findings(s); i++) match(k, rt.finding(s, i));
    for (size_t i = 0; i < k->n_expect; i++) {
        if (!k->expect[i].seen) print_error("%s:%u: %s did not appear\n", k->name, k->expect[i].line, k->expect[i].check);
        assert_true(k->expect[i].seen);
    }
    bool sums = strncmp(k->name, "add", 3) == 0 ? k->n_expect == 0 : strcmp(k->name, "pad_tail") == 0;
    for (uint32_t i = 0; i < k->n && sums; i++) assert_true(z[i] == x[i] + y[i]);
    rt.free(s);
    free(x), free(y), free(z), free(workspace);
}

/* Without races a kernel gives the same, findings included, in any schedule. */
static bool is_orderly(const Kernel *k)
{
    bool races = strstr(k->options, "no-hazards") != NULL;
    for (size_t i = 0; i < k->n_expect; i++) races |= strncmp(k->expect[i].check, "race-", 5) == 0;
    return !races;
}

static void kernels_do_what_their_comments_say(void **state)
{
    (void)state;
    if (system("g++ --version > /dev/null 2>&1") != 0 || !load_runtime()) {
        print_message("skipped: needs g++ and libopwright_rt.so in the build folder\n");
        skip();
    }
    char dir[] = "/tmp/opwright-kernels-XXXXXX", cmd[64];
    assert_non_null(mkdtemp(dir));
    glob_t files;
    assert_int_equal(glob(OPWRIGHT_SOURCE_DIR "/tests/kernel/*.cpp", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        static Kernel k;
        char so[256];
        read_kernel(&k, files.gl_pathv[i]);
        build(&k, dir, so, sizeof so);
        void *lib = dlopen(so, RTLD_NOW | RTLD_LOCAL);
        if (!lib) print_error("%s\n", dlerror());
        assert_non_null(lib);
        void (*entry)(void *const *);
        *(void **)&entry = symbol(lib, "ow_kernel_entry");
        static const char *const schedules[] = {"in-order", "lazy", "random:1", "random:2"};
        for (size_t o = 0; o < sizeof schedules / sizeof *schedules; o++)
            if (o == 0 || is_orderly(&k)) run_kernel(&k, entry, schedules[o]);
        dlclose(lib);
    }
    globfree(&files);
    snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_do_what_their_comments_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
