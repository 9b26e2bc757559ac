/* The real worker: hello, an answer, errors, a time limit, dead children, a dead worker, and machines without
 * PyTorch. Needs Python with PyTorch (OPWRIGHT_PYTHON, else python3); without it only the tests that need
 * none run, and say so. */
#include "bridge/bridge.h"

#include "base/fs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    Arena *arena;
    Bridge *bridge; /* NULL: no PyTorch here */
    char *dir;
} T;

static const BridgeOptions OPTIONS = {.home = OPWRIGHT_SOURCE_DIR};

static const char GOOD[] = "import torch\n"
                           "class Model(torch.nn.Module):\n"
                           "    def forward(self, x, y):\n"
                           "        return torch.relu(x + y)\n"
                           "def get_inputs():\n"
                           "    return [torch.rand(4, 5), torch.rand(5)]\n";

static char *write_file(const char *name, const char *text) {
    Err err;
    char *path = arena_printf(T.arena, "%s/%s", T.dir, name);
    assert_true(fs_write(path, text, strlen(text), &err));
    return path;
}

static void needs_torch(void) {
    if (T.bridge) return;
    puts("skipped: needs Python with PyTorch");
    skip();
}

/* Calls load_reference on a file of this text. */
static bool load(const char *text, double wall_s, BridgeReply *reply, Err *err) {
    json_t *params = json_pack("{s:s}", "path", write_file("ref.py", text));
    bool ok = bridge_call(T.bridge, T.arena, "load_reference", params,
                          &(BridgeLimits){.wall_s = wall_s, .memory_mb = 512}, reply, err);
    json_decref(params);
    return ok;
}

static void expect_good(void) {
    Err err;
    BridgeReply reply;
    if (!load(GOOD, 60, &reply, &err)) fail_msg("%s: %s", err.where, err.message);
    assert_string_equal(json_string_value(json_object_get(reply.result, "class")), "Model");
    assert_int_equal(json_array_size(json_object_get(reply.result, "inputs")), 2);
    bridge_reply_clear(&reply);
}

static void hello(void **state) {
    (void)state;
    needs_torch();
    Err err;
    const json_t *h = bridge_hello(T.bridge, &err);
    assert_non_null(h);
    assert_true(json_is_string(json_object_get(h, "torch")));
    assert_int_equal(json_integer_value(json_object_get(h, "threads")), 1);
    assert_ptr_equal(h, bridge_hello(T.bridge, &err));
    expect_good();
}

static void traces(void **state) {
    (void)state;
    needs_torch();
    Err err;
    BridgeReply reply;
    json_t *params = json_pack("{s:s, s:[s,s]}", "path", write_file("fused_reference.py", GOOD), "ops",
                               "aten.add.Tensor", "aten.relu.default");
    if (!bridge_call(T.bridge, T.arena, "trace", params, NULL, &reply, &err))
        fail_msg("%s: %s", err.where, err.message);
    json_t *graph = json_object_get(reply.result, "graph");
    assert_string_equal(json_string_value(json_object_get(graph, "name")), "fused");
    assert_int_equal(json_array_size(json_object_get(graph, "nodes")), 2);
    assert_int_equal(json_array_size(json_object_get(graph, "variants")), 3);
    bridge_reply_clear(&reply);
    json_decref(params);
}

static void error_with_line(void **state) {
    (void)state;
    needs_torch();
    Err err;
    BridgeReply reply;
    assert_false(load("import torch\nprint('noise')\nx = 1 / 0\n", 60, &reply, &err));
    assert_int_equal(err.code, ERR_BAD_INPUT);
    assert_string_equal(err.where, arena_printf(T.arena, "%s/ref.py:3", T.dir));
    assert_non_null(strstr(err.message, "ZeroDivisionError"));
    assert_string_equal(reply.log, "noise\n");
    assert_non_null(reply.error);
    bridge_reply_clear(&reply);
    json_t *params = json_pack("{s:s}", "path", "/nowhere/at_all.py");
    assert_false(bridge_call(T.bridge, T.arena, "load_reference", params, NULL, &reply, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    bridge_reply_clear(&reply);
    assert_false(bridge_call(T.bridge, T.arena, "no_such_method", params, NULL, &reply, &err));
    assert_int_equal(err.code, ERR_BAD_INPUT);
    bridge_reply_clear(&reply);
    json_decref(params);
    expect_good();
}

static void time_limit(void **state) {
    (void)state;
    needs_torch();
    Err err;
    BridgeReply reply;
    double start = time_now_s();
    assert_false(load("print('before', flush=True)\nwhile True: pass\n", 0.5, &reply, &err));
    assert_int_equal(err.code, ERR_TIMEOUT);
    assert_true(time_now_s() - start < 5);
    assert_string_equal(reply.log, "before\n");
    bridge_reply_clear(&reply);
    expect_good();
}

static void dead_children(void **state) {
    (void)state;
    needs_torch();
    static const char *const KILLERS[] = {
        "import ctypes\nctypes.string_at(0)\n",
        "import os\nos._exit(0)\n",
        "import os\nos._exit(7)\n",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        "import torch\nx = [torch.ones(1 << 24) for _ in range(64)]\n",
    };
    for (size_t i = 0; i < sizeof KILLERS / sizeof KILLERS[0]; i++) {
        Err err;
        BridgeReply reply;
        assert_false(load(KILLERS[i], 60, &reply, &err));
        assert_int_equal(err.code, ERR_CHILD_DIED);
        if (i == 0) assert_int_equal(json_integer_value(json_object_get(reply.error, "signal")), SIGSEGV);
        bridge_reply_clear(&reply);
    }
    expect_good();
}

static void dead_worker(void **state) {
    (void)state;
    needs_torch();
    Err err;
    BridgeReply reply;
    /* The child kills its parent, the worker: the call fails, the next one has a new worker. */
    assert_false(load("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n", 60,
                      &reply, &err));
    assert_int_equal(err.code, ERR_CHILD_DIED);
    assert_non_null(strstr(err.message, "signal 9"));
    expect_good();
    assert_non_null(bridge_hello(T.bridge, &err));
}

/* Interpreters that are none, through a script of this text. */
static void expect_no_python(const char *script, const char *in_message) {
    Err err;
    char *path = write_file("python", script);
    assert_int_equal(chmod(path, 0755), 0);
    Bridge *b =
        bridge_start(&(BridgeOptions){.home = OPWRIGHT_SOURCE_DIR, .python = path, .start_limit_s = 5}, &err);
    if (b) assert_null(bridge_hello(b, &err)); /* it may also have died before hello was sent */
    assert_int_equal(err.code, ERR_NO_PYTHON);
    if (!strstr(err.message, in_message)) fail_msg("%s", err.message);
    assert_true(strlen(err.hint) > 0);
    BridgeReply reply;
    if (b) assert_false(bridge_call(b, T.arena, "trace", NULL, NULL, &reply, &err));
    bridge_stop(b);
}

static void no_python(void **state) {
    (void)state;
    Err err;
    assert_null(
        bridge_start(&(BridgeOptions){.home = OPWRIGHT_SOURCE_DIR, .python = "/nowhere/python3"}, &err));
    assert_int_equal(err.code, ERR_NO_PYTHON);
    assert_true(strlen(err.hint) > 0);
    assert_null(bridge_start(&(BridgeOptions){.home = "/nowhere"}, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    expect_no_python("#!/bin/sh\necho 'SyntaxError: too old' >&2\nexit 1\n", "too old");
    expect_no_python("#!/bin/sh\nhead -c 4 <&3 >/dev/null\nprintf '\\377\\377\\377\\377' >&4\n",
                     "not possible");
    expect_no_python("#!/bin/sh\nhead -c 4 <&3 >/dev/null\nprintf '\\002\\000\\000\\000{]' >&4\n",
                     "not JSON");
    expect_no_python(
        "#!/bin/sh\nhead -c 4 <&3 >/dev/null\nprintf '\\023\\000\\000\\000{\"id\":9,\"result\":1}' >&4\n",
        "does not answer");
}

static void no_torch(void **state) {
    (void)state;
    Err err;
    char *path = write_file("python", "#!/bin/sh\nexec python3 -S -I \"$@\"\n"); /* without site-packages */
    assert_int_equal(chmod(path, 0755), 0);
    Bridge *b = bridge_start(&(BridgeOptions){.home = OPWRIGHT_SOURCE_DIR, .python = path}, &err);
    assert_non_null(b);
    assert_null(bridge_hello(b, &err));
    assert_int_equal(err.code, ERR_NO_PYTHON);
    assert_non_null(strstr(err.hint, "-m pip install"));
    bridge_stop(b);
}

static int set_up(void **state) {
    (void)state;
    Err err;
    T.arena = arena_new();
    T.dir = fs_temp_dir(T.arena, "opwright-bridge-test", &err);
    T.bridge = bridge_start(&OPTIONS, &err);
    if (T.bridge && !bridge_hello(T.bridge, &err)) {
        bridge_stop(T.bridge);
        T.bridge = NULL;
    }
    return T.dir ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    bridge_stop(T.bridge);
    fs_remove_tree(T.dir);
    arena_free(T.arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello),      cmocka_unit_test(traces),        cmocka_unit_test(error_with_line),
        cmocka_unit_test(time_limit), cmocka_unit_test(dead_children), cmocka_unit_test(dead_worker),
        cmocka_unit_test(no_python),  cmocka_unit_test(no_torch),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
