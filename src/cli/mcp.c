/* opwright mcp: the loop. One thread waits for the client and for the children at once. */
#include "cli/mcp.h"

#include "base/cleanup.h"
#include "base/fs.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX    32         /* at once, running or waiting */
#define RUNNING_MAX  4          /* children */
#define OUTPUT_MAX   (4u << 20) /* bytes kept of a child's output */
#define LINE_SHOWN   1000       /* bytes of a progress line */
#define KILL_AFTER_S 2.0        /* from SIGTERM to SIGKILL */
#define RESULTS_KEPT 100

static const char *const VERSIONS[] = {"2025-06-18", "2024-11-05"}; /* newest first */

static void print_usage(FILE *to) {
    fputs("usage: opwright mcp\n\n"
          "A server of the Model Context Protocol on standard input and output, for coding agents: tools "
          "verify_kernel, generate,\n"
          "backward, search, golden_save, explain and profile; resources for documents and results "
          "(docs/mcp.md). It ends when\n"
          "standard input does.\n",
          to);
}

typedef struct Text {
    char *at;
    size_t n, cap;
    bool cut;
} Text;

typedef struct Call {
    json_t *id, *token; /* token: of progress notifications, or NULL */
    Arena *arena;
    McpCall what;
    char *dir;
    pid_t pid; /* 0: waits for its turn */
    int out_fd, err_fd;
    Text out, err, line; /* line: of progress, being read */
    size_t n_lines;
    bool cancelled;
    double kill_at_s; /* 0: not asked to end */
} Call;

typedef struct Server {
    Call *calls[CALLS_MAX];
    size_t n_calls;
    Text in;
    bool skipping;                   /* a line that is too long, until its end */
    bool initialized, ended, broken; /* broken: the client reads no more */
    json_t *results;
    size_t n_results;
    char exe[4096];
} Server;

/* ---- text ------------------------------------------------------------------------------------ */

static void text_add(Text *t, const char *data, size_t n, size_t max) {
    if (n > max - t->n) n = max - t->n, t->cut = true;
    if (t->n + n + 1 > t->cap) {
        size_t cap = t->cap ? t->cap : 4096;
        while (cap < t->n + n + 1) cap *= 2;
        char *more = realloc(t->at, cap);
        if (!more) abort();
        t->at = more;
        t->cap = cap;
    }
    memcpy(t->at + t->n, data, n);
    t->n += n;
    t->at[t->n] = '\0';
}

/* A JSON string of bytes that may be no UTF-8: what is not becomes `?`. */
static json_t *text_json(const char *s, size_t n) {
    json_t *j = json_stringn(s ? s : "", n);
    if (j) return j;
    char *clean = malloc(n + 1);
    if (!clean) abort();
    for (size_t i = 0; i < n; i++) clean[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    j = json_stringn(clean, n);
    free(clean);
    return j;
}

static void say(Server *s, char *line) {
    if (!s->broken) {
        fputs(line, stdout);
        fputc('\n', stdout);
        if (fflush(stdout) != 0) s->broken = true;
    }
    free(line);
}

/* ---- children -------------------------------------------------------------------------------- */

static int input_of(const char *text) {
    if (!text) return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t n = strlen(text);
    for (size_t at = 0; fd >= 0 && at < n;) {
        ssize_t k = write(fd, text + at, n - at);
        if (k <= 0) break;
        at += (size_t)k;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

static void run_child(const Server *s, const Call *c, int in, int out, int err) {
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++)
        signal(SIGNALS[i], SIG_DFL); /* not our clean-up */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    size_t n = 0;
    while (c->what.argv[n]) n++;
    const char **argv = ARENA_ARRAY(c->arena, n + 2, const char *);
    argv[0] = "opwright";
    memcpy(argv + 1, c->what.argv, n * sizeof *argv);
    execv(s->exe, (char *const *)argv);
    _exit(127);
}

static bool start(Server *s, Call *c) {
    int out[2] = {-1, -1}, err[2] = {-1, -1}, in = input_of(c->what.input);
    bool ok = in >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    if (ok) {
        sigset_t all, old;
        sigfillset(&all);
        fflush(NULL);
        sigprocmask(SIG_SETMASK, &all, &old);
        c->pid = fork();
        if (c->pid == 0) run_child(s, c, in, out[1], err[1]);
        sigprocmask(SIG_SETMASK, &old, NULL);
        ok = c->pid > 0;
    }
    if (in >= 0) close(in);
    if (out[1] >= 0) close(out[1]);
    if (err[1] >= 0) close(err[1]);
    if (!ok) {
        if (out[0] >= 0) close(out[0]);
        if (err[0] >= 0) close(err[0]);
        c->pid = 0;
        return false;
    }
    setpgid(c->pid, c->pid);
    cleanup_add_group(c->pid);
    c->out_fd = out[0];
    c->err_fd = err[0];
    fcntl(c->out_fd, F_SETFL, O_NONBLOCK);
    fcntl(c->err_fd, F_SETFL, O_NONBLOCK);
    return true;
}

static void free_call(Server *s, size_t i) {
    Call *c = s->calls[i];
    memmove(&s->calls[i], &s->calls[i + 1],
            (--s->n_calls - i) * sizeof s->calls[0]); /* those that wait keep their order */
    if (c->dir) fs_remove_tree(c->dir);
    json_decref(c->id);
    json_decref(c->token);
    free(c->out.at);
    free(c->err.at);
    free(c->line.at);
    arena_free(c->arena);
    free(c);
}

static void end_child(Call *c) {
    if (c->pid <= 0 || c->kill_at_s > 0) return;
    kill(-c->pid, SIGTERM);
    c->kill_at_s = time_now_s() + KILL_AFTER_S;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void keep_result(Server *s, const Call *c, const char *text) {
    char name[64];
    snprintf(name, sizeof name, "%zu", ++s->n_results);
    json_t *title = json_sprintf("%s %s", c->what.tool, name), *body = json_string(text);
    if (!body) {
        json_decref(title);
        return;
    }
    json_array_append_new(s->results,
                          json_pack("{s:s, s:o, s:o}", "name", name, "title", title, "text", body));
    if (json_array_size(s->results) > RESULTS_KEPT) json_array_remove(s->results, 0);
    say(s, mcp_notify("notifications/resources/list_changed", NULL));
}

/* What the command printed for people, and below it what it had to complain about when nothing came of it. */
static json_t *content_of(const Call *c, int status) {
    Text all = {0};
    text_add(&all, c->out.at ? c->out.at : "", c->out.n, OUTPUT_MAX);
    if (c->out.cut) text_add(&all, "\n(the rest was left out)\n", 25, OUTPUT_MAX + 100);
    if (status >= 2 && c->err.n) text_add(&all, c->err.at, c->err.n, 2 * OUTPUT_MAX);
    json_t *text = text_json(all.at, all.n);
    free(all.at);
    return json_pack("[{s:s, s:o}]", "type", "text", "text", text);
}

/* The JSON answer, from the command's file or output; NULL when there is none. */
static json_t *structured(Server *s, const Call *c) {
    json_t *j = NULL;
    if (c->what.json_out && !c->out.cut) j = json_loadb(c->out.at ? c->out.at : "", c->out.n, 0, NULL);
    else if (c->what.answer_path) j = json_load_file(c->what.answer_path, 0, NULL);
    if (j && c->what.answer_path) {
        char *text = json_dumps(j, JSON_INDENT(2));
        if (text) keep_result(s, c, text);
        free(text);
    }
    if (j && !json_is_object(j)) {
        json_decref(j);
        j = NULL;
    }
    return j;
}

/* A verdict that is not PASS is an answer (status 1); what could not be done at all is an error of the tool.
 */
static void answer(Server *s, const Call *c, int wait_status) {
    int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
    json_t *data = structured(s, c);
    json_t *result = json_pack("{s:o, s:b}", "content", content_of(c, status), "isError", status >= 2);
    if (data) json_object_set_new(result, "structuredContent", data);
    json_object_set_new(result, "_meta", json_pack("{s:i}", "opwright/exit_status", status));
    say(s, mcp_reply(c->id, result));
}

static void finish(Server *s, size_t i) {
    Call *c = s->calls[i];
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-c->pid, SIGKILL); /* whatever it left */
    cleanup_drop_group(c->pid);
    if (!c->cancelled) answer(s, c, status);
    free_call(s, i);
}

static void start_waiting(Server *s) {
    size_t running = 0;
    for (size_t i = 0; i < s->n_calls; i++) running += s->calls[i]->pid > 0;
    for (size_t i = 0; i < s->n_calls && running < RUNNING_MAX; i++) {
        if (s->calls[i]->pid > 0) continue;
        if (start(s, s->calls[i])) {
            running++;
            continue;
        }
        say(s, mcp_reply_error(s->calls[i]->id, MCP_INTERNAL, "the command could not be started"));
        free_call(s, i--);
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

static void fail(Server *s, const McpMessage *m, McpError code, const Err *err) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", err->message, err->hint[0] ? "; " : "", err->hint);
    say(s, mcp_reply_error(m->id, code, text));
}

static void on_initialize(Server *s, const McpMessage *m) {
    const char *asked = json_string_value(json_object_get(m->params, "protocolVersion")),
               *version = VERSIONS[0];
    if (!asked) {
        say(s, mcp_reply_error(m->id, MCP_INVALID_PARAMS, "protocolVersion is missing"));
        return;
    }
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++)
        if (!strcmp(VERSIONS[i], asked)) version = VERSIONS[i];
    s->initialized = true;
    say(s,
        mcp_reply(m->id, json_pack("{s:s, s:{s:{}, s:{s:b}}, s:{s:s, s:s}, s:s}", "protocolVersion", version,
                                   "capabilities", "tools", "resources", "listChanged", 1, "serverInfo",
                                   "name", "opwright", "version", OPWRIGHT_VERSION, "instructions",
                                   "AscendC operators: generate one from a PyTorch reference, verify one on "
                                   "a simulated AI Core, search what is known. "
                                   "Paths are relative to the folder the server was started in.")));
}

static void on_ping(Server *s, const McpMessage *m) {
    say(s, mcp_reply(m->id, json_object()));
}

static void on_tools_list(Server *s, const McpMessage *m) {
    say(s, mcp_reply(m->id, mcp_tools_list()));
}

static void on_resources_list(Server *s, const McpMessage *m) {
    say(s, mcp_reply(m->id, mcp_resources_list(s->results)));
}

static void on_templates_list(Server *s, const McpMessage *m) {
    say(s, mcp_reply(m->id, mcp_resource_templates()));
}

static void on_resources_read(Server *s, const McpMessage *m) {
    const char *uri = json_string_value(json_object_get(m->params, "uri"));
    Err err = {0};
    if (!uri) {
        say(s, mcp_reply_error(m->id, MCP_INVALID_PARAMS, "uri is missing"));
        return;
    }
    json_t *result = mcp_resource_read(uri, s->results, &err);
    if (result) say(s, mcp_reply(m->id, result));
    else fail(s, m, err.code == ERR_NOT_FOUND ? MCP_NO_RESOURCE : MCP_INTERNAL, &err);
}

/* A tool that this build lacks answers as a tool does, so that an agent reads it. */
static void answer_missing(Server *s, const McpMessage *m, const McpCall *call) {
    json_t *text = json_sprintf("This build of opwright has no `%s` command, so %s cannot be done here.",
                                call->command, call->tool);
    say(s, mcp_reply(m->id, json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", text,
                                      "isError", 1)));
}

static bool is_active(const Server *s, const json_t *id) {
    for (size_t i = 0; i < s->n_calls; i++)
        if (json_equal(s->calls[i]->id, id)) return true;
    return false;
}

static void on_tools_call(Server *s, const McpMessage *m) {
    const char *name = json_string_value(json_object_get(m->params, "name"));
    const json_t *arguments = json_object_get(m->params, "arguments"),
                 *token = json_object_get(json_object_get(m->params, "_meta"), "progressToken");
    if (!name || (arguments && !json_is_object(arguments))) {
        say(s, mcp_reply_error(m->id, MCP_INVALID_PARAMS,
                               name ? "arguments must be an object" : "name is missing"));
        return;
    }
    if (s->n_calls == CALLS_MAX || is_active(s, m->id)) {
        say(s, mcp_reply_error(m->id, MCP_INVALID_REQUEST,
                               is_active(s, m->id) ? "a call with this id is running"
                                                   : "too many calls at once"));
        return;
    }
    Err err = {0};
    Call *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->arena = arena_new();
    c->out_fd = c->err_fd = -1;
    c->id = json_deep_copy(m->id);
    c->token = json_is_string(token) || json_is_integer(token) ? json_deep_copy(token) : NULL;
    c->dir = fs_temp_dir(c->arena, "opwright-mcp", &err);
    s->calls[s->n_calls++] = c;
    bool made = c->dir != NULL;
    if (made && mcp_tools_call(c->arena, name, arguments, c->dir, &c->what, &err)) {
        if (cli_has_command(c->what.command)) {
            start_waiting(s);
            return;
        }
        answer_missing(s, m, &c->what);
    } else fail(s, m, made ? MCP_INVALID_PARAMS : MCP_INTERNAL, &err);
    free_call(s, s->n_calls - 1);
}

static void on_cancelled(Server *s, const McpMessage *m) {
    const json_t *id = json_object_get(m->params, "requestId");
    for (size_t i = 0; id && i < s->n_calls; i++) {
        if (!json_equal(s->calls[i]->id, id)) continue;
        s->calls[i]->cancelled = true; /* and stays unanswered, as the protocol wants it */
        if (s->calls[i]->pid > 0) end_child(s->calls[i]);
        else free_call(s, i);
        return;
    }
}

static void on_initialized(Server *s, const McpMessage *m) {
    (void)s, (void)m;
}

static const struct {
    const char *method;
    McpForm form;
    bool before_initialize;
    void (*run)(Server *s, const McpMessage *m);
} METHODS[] = {
    {"initialize", MCP_REQUEST, true, on_initialize},
    {"ping", MCP_REQUEST, true, on_ping},
    {"tools/list", MCP_REQUEST, false, on_tools_list},
    {"tools/call", MCP_REQUEST, false, on_tools_call},
    {"resources/list", MCP_REQUEST, false, on_resources_list},
    {"resources/templates/list", MCP_REQUEST, false, on_templates_list},
    {"resources/read", MCP_REQUEST, false, on_resources_read},
    {"notifications/initialized", MCP_NOTIFICATION, true, on_initialized},
    {"notifications/cancelled", MCP_NOTIFICATION, true, on_cancelled},
};

static void dispatch(Server *s, const McpMessage *m) {
    if (m->form == MCP_BAD) {
        say(s, mcp_reply_error(m->id, m->code, m->reason));
        return;
    }
    if (m->form == MCP_RESPONSE) return; /* nothing was asked of the client */
    for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++) {
        if (METHODS[i].form != m->form || strcmp(METHODS[i].method, m->method) != 0) continue;
        if (s->initialized || METHODS[i].before_initialize) METHODS[i].run(s, m);
        else say(s, mcp_reply_error(m->id, MCP_INVALID_REQUEST, "initialize comes first"));
        return;
    }
    if (m->form == MCP_REQUEST)
        say(s, mcp_reply_error(m->id, MCP_NO_METHOD, "this server has no such method"));
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void take_line(Server *s, const char *line, size_t n) {
    if (n && line[n - 1] == '\r') n--;
    bool blank = true;
    for (size_t i = 0; i < n && blank; i++) blank = line[i] == ' ' || line[i] == '\t';
    if (blank) return;
    McpMessage m;
    mcp_message_parse(line, n, &m);
    dispatch(s, &m);
    mcp_message_clear(&m);
}

static void take_input(Server *s, const char *data, size_t n) {
    while (n > 0) {
        const char *nl = memchr(data, '\n', n);
        size_t k = nl ? (size_t)(nl - data) : n;
        if (!s->skipping) text_add(&s->in, data, k, MCP_LINE_MAX);
        if (s->in.cut && !s->skipping) {
            s->skipping = true;
            say(s, mcp_reply_error(NULL, MCP_PARSE_ERROR, "the message is longer than 16 MiB"));
        }
        if (nl) {
            if (!s->skipping) take_line(s, s->in.at ? s->in.at : "", s->in.n);
            s->in.n = 0;
            s->in.cut = s->skipping = false;
            k++;
        }
        data += k;
        n -= k;
    }
}

static void read_client(Server *s) {
    char buf[65536];
    ssize_t n = read(STDIN_FILENO, buf, sizeof buf);
    if (n > 0) take_input(s, buf, (size_t)n);
    else if (n == 0 || errno != EINTR) s->ended = true;
}

/* Lines of a child's log, as progress. */
static void tell_progress(Server *s, Call *c, const char *data, size_t n) {
    if (!c->token || c->cancelled) return;
    while (n > 0) {
        const char *nl = memchr(data, '\n', n);
        size_t k = nl ? (size_t)(nl - data) : n;
        text_add(&c->line, data, k, LINE_SHOWN);
        if (nl && c->line.n) {
            json_t *params = json_pack("{s:O, s:i, s:o}", "progressToken", c->token, "progress",
                                       (int)++c->n_lines, "message", text_json(c->line.at, c->line.n));
            say(s, mcp_notify("notifications/progress", params));
        }
        if (nl) c->line.n = 0, c->line.cut = false, k++;
        data += k;
        n -= k;
    }
}

/* False when the end was met. */
static bool read_child(Server *s, Call *c, int *fd, Text *into, bool is_log) {
    char buf[65536];
    ssize_t n = read(*fd, buf, sizeof buf);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n <= 0) {
        close(*fd);
        *fd = -1;
        return false;
    }
    text_add(into, buf, (size_t)n, OUTPUT_MAX);
    if (is_log) tell_progress(s, c, buf, (size_t)n);
    return true;
}

/* All was said, or it is being stopped: its end is near, and is looked for. */
static bool is_ending(const Call *c) {
    return c->pid > 0 && (c->kill_at_s > 0 || (c->out_fd < 0 && c->err_fd < 0));
}

/* Something it left may still hold the pipes of a command that was stopped. */
static bool is_over(const Call *c) {
    siginfo_t info = {0};
    return is_ending(c) && waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == c->pid;
}

static void close_pipes(Call *c) {
    if (c->out_fd >= 0) close(c->out_fd);
    if (c->err_fd >= 0) close(c->err_fd);
    c->out_fd = c->err_fd = -1;
}

static void look_at_calls(Server *s) {
    for (size_t i = 0; i < s->n_calls; i++) {
        Call *c = s->calls[i];
        if (c->pid <= 0) continue;
        if (c->kill_at_s > 0 && time_now_s() > c->kill_at_s) kill(-c->pid, SIGKILL);
        if (!is_over(c)) continue;
        close_pipes(c);
        finish(s, i--);
    }
    start_waiting(s);
}

static void wait_once(Server *s) {
    struct pollfd fds[1 + 2 * CALLS_MAX] = {{.fd = s->ended ? -1 : STDIN_FILENO, .events = POLLIN}};
    nfds_t n = 1;
    bool ending = false;
    for (size_t i = 0; i < s->n_calls; i++) {
        fds[n++] = (struct pollfd){.fd = s->calls[i]->pid > 0 ? s->calls[i]->out_fd : -1, .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = s->calls[i]->pid > 0 ? s->calls[i]->err_fd : -1, .events = POLLIN};
        ending |= is_ending(s->calls[i]);
    }
    if (poll(fds, n, ending ? 10 : -1) < 0 && errno != EINTR) s->ended = true;
    for (size_t i = 0; i < s->n_calls; i++) { /* before the client is read: that changes the list */
        Call *c = s->calls[i];
        if (fds[1 + 2 * i].revents) read_child(s, c, &c->out_fd, &c->out, false);
        if (fds[2 + 2 * i].revents) read_child(s, c, &c->err_fd, &c->err, true);
    }
    if (fds[0].revents) read_client(s);
    look_at_calls(s);
}

/* The client is gone: nothing that was begun for it goes on. */
static void end_all(Server *s) {
    for (size_t i = 0; i < s->n_calls; i++) {
        s->calls[i]->cancelled = true;
        if (s->calls[i]->pid > 0) end_child(s->calls[i]);
        else free_call(s, i--);
    }
}

int cli_mcp(int argc, char **argv) {
    static const struct option OPTIONS[] = {{"help", no_argument, NULL, 'h'}, {0}};
    Err err = {0};
    int c = cli_next_option(argc, argv, "h", OPTIONS, &err);
    if (c == 'h') {
        print_usage(stdout);
        return 0;
    }
    if (c == -1 && optind < argc) err_set(&err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    if (err.code) return cli_report(&err);
    Server s = {.results = json_array()};
    ssize_t n = readlink("/proc/self/exe", s.exe, sizeof s.exe - 1);
    if (n <= 0) {
        err_set(&err, ERR_INTERNAL, NULL, "cannot find this program's own file: %s", strerror(errno));
        return cli_report(&err);
    }
    s.exe[n] = '\0';
    cleanup_install();
    while (!s.ended && !s.broken) wait_once(&s);
    end_all(&s);
    while (s.n_calls) wait_once(&s);
    json_decref(s.results);
    free(s.in.at);
    return 0;
}
