/* JSON-RPC messages: what comes in is checked here, whoever sent it. */
#include "cli/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bad(McpMessage *m, McpError code, const char *reason) {
    m->form = MCP_BAD;
    m->code = code;
    snprintf(m->reason, sizeof m->reason, "%s", reason);
}

static bool is_id(const json_t *id) {
    return json_is_string(id) || json_is_integer(id);
}

/* Sorts an object by its members: a method with an id is a request, without one a notification; the others
 * answer us. */
static void sort(McpMessage *m) {
    const json_t *version = json_object_get(m->root, "jsonrpc"), *method = json_object_get(m->root, "method");
    const json_t *id = json_object_get(m->root, "id"), *params = json_object_get(m->root, "params");
    if (is_id(id)) m->id = id;
    if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0) {
        bad(m, MCP_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
        return;
    }
    if (!method) {
        bool answers = is_id(id) && (json_object_get(m->root, "result") || json_object_get(m->root, "error"));
        if (answers) m->form = MCP_RESPONSE;
        else bad(m, MCP_INVALID_REQUEST, "there is neither a method nor a result");
        return;
    }
    if (!json_is_string(method)) bad(m, MCP_INVALID_REQUEST, "method must be a string");
    else if (id && !is_id(id)) bad(m, MCP_INVALID_REQUEST, "id must be a string or an integer");
    else if (params && !json_is_object(params)) bad(m, MCP_INVALID_PARAMS, "params must be an object");
    else {
        m->form = id ? MCP_REQUEST : MCP_NOTIFICATION;
        m->method = json_string_value(method);
        m->params = params;
    }
}

void mcp_message_parse(const char *line, size_t n_bytes, McpMessage *out) {
    json_error_t e;
    *out = (McpMessage){0};
    out->root = json_loadb(line, n_bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (!out->root) {
        char reason[200];
        snprintf(reason, sizeof reason, "not JSON: %.150s", e.text);
        bad(out, MCP_PARSE_ERROR, reason);
    } else if (json_is_array(out->root))
        bad(out, MCP_INVALID_REQUEST, "several messages at once are not taken: send one a line");
    else if (!json_is_object(out->root)) bad(out, MCP_INVALID_REQUEST, "a message must be an object");
    else sort(out);
}

void mcp_message_clear(McpMessage *m) {
    json_decref(m->root);
    m->root = NULL;
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static char *print(json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text) abort(); /* all of it was made here, of valid UTF-8 */
    return text;
}

static json_t *id_or_null(const json_t *id) {
    return id ? json_deep_copy(id) : json_null();
}

char *mcp_reply(const json_t *id, json_t *result) {
    return print(json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id_or_null(id), "result", result));
}

char *mcp_reply_error(const json_t *id, McpError code, const char *message) {
    json_t *text = json_string(message);
    return print(json_pack("{s:s, s:o, s:{s:i, s:o}}", "jsonrpc", "2.0", "id", id_or_null(id), "error",
                           "code", (int)code, "message",
                           text ? text : json_string("an error whose text is not UTF-8")));
}

char *mcp_notify(const char *method, json_t *params) {
    return print(params ? json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params)
                        : json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", method));
}
