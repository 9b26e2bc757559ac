/* `opwright mcp`: the Model Context Protocol over standard input and output, one JSON-RPC 2.0 message a line.
 * Tools are subcommands of this program, run as children, so a long call blocks nothing, a crash is an
 * answer, and a cancelled call is a killed group. The parts below are pure and can be tested without a
 * client. */
#ifndef OPWRIGHT_CLI_MCP_H
#define OPWRIGHT_CLI_MCP_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

#define MCP_LINE_MAX ((size_t)16 << 20) /* bytes of a message */

typedef enum {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL = -32603,
    MCP_NO_RESOURCE = -32002
} McpError;

typedef enum { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE, MCP_BAD } McpForm;

typedef struct McpMessage {
    McpForm form;
    json_t *root;       /* owned; mcp_message_clear */
    const json_t *id;   /* string or integer of a request; of a bad message when it can be told, else NULL */
    const char *method; /* NULL of a response */
    const json_t *params; /* an object, or NULL when there are none */
    McpError code;        /* of a bad one, with the reason */
    char reason[200];
} McpMessage;

/* mcp_message.c */
void mcp_message_parse(const char *line, size_t n_bytes, McpMessage *out);
void mcp_message_clear(McpMessage *m);
/* Lines to send, without their end; the caller frees. `result` and `data` are taken over. */
char *mcp_reply(const json_t *id, json_t *result);
char *mcp_reply_error(const json_t *id, McpError code, const char *message);
char *mcp_notify(const char *method, json_t *params);

/* mcp_tools.c */
json_t *mcp_tools_list(void);
typedef struct McpCall {
    const char *tool, *command;
    const char **argv;       /* from the subcommand on, NULL at the end; in the arena */
    const char *input;       /* for standard input; NULL: none */
    const char *answer_path; /* where the command writes its JSON answer, or NULL */
    bool json_out;           /* standard output is JSON */
} McpCall;
/* `dir`: for files of the call. False: the arguments do not fit the tool, or there is no such tool; *err says
 * so. */
bool mcp_tools_call(Arena *a, const char *name, const json_t *arguments, const char *dir, McpCall *out,
                    Err *err) ERR_CHECKED;

/* mcp_resources.c: documents, and results of this session and of the store. `results` is a list of {name,
 * title, text}. */
json_t *mcp_resources_list(const json_t *results);
json_t *mcp_resource_templates(void);
/* The result of resources/read; NULL and *err: there is no such resource. */
json_t *mcp_resource_read(const char *uri, const json_t *results, Err *err) ERR_CHECKED;

#endif
