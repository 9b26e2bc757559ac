/* Bytes of a client: any line. What is a tool's call goes on to the command line that would be run; every
 * answer is one line of JSON. */
#include "cli/mcp_message.c"
#include "cli/mcp_tools.c"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

bool cli_has_command(const char *name) {
    return strcmp(name, "profile") != 0;
}

static void check_line(char *line) {
    json_t *j = json_loads(line, 0, NULL);
    if (!json_is_object(j) || strchr(line, '\n')) __builtin_trap();
    json_decref(j);
    free(line);
}

static void check_call(const json_t *params) {
    Arena *a = arena_new();
    McpCall call = {0};
    Err err = {0};
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *arguments = json_object_get(params, "arguments");
    if (name && (!arguments || json_is_object(arguments))) {
        if (!mcp_tools_call(a, name, arguments, "/tmp/x", &call, &err)) {
            if (!err.code || !err.message[0]) __builtin_trap();
        } else if (!call.argv || !call.argv[0]) __builtin_trap();
    }
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    McpMessage m;
    mcp_message_parse((const char *)data, n_bytes, &m);
    if (m.form == MCP_BAD) check_line(mcp_reply_error(m.id, m.code, m.reason));
    else if (m.form == MCP_REQUEST) {
        if (!m.id || !m.method) __builtin_trap();
        check_line(mcp_reply(m.id, json_object()));
        check_call(m.params);
    }
    mcp_message_clear(&m);
    return 0;
}
