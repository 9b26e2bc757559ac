/* Both ends of the link use these two functions. */
#include "server/link.h"

#include "base/arena.h"
#include "base/fs.h"
#include "bridge/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool link_send(int fd, json_t *o) {
    Arena *a = arena_new();
    Err err = {0};
    size_t n = 0;
    const char *at = o ? frame_print(a, o, &n, &err) : NULL;
    bool ok = at != NULL;
    while (ok && n > 0) {
        ssize_t k = send(fd, at, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR) continue;
        ok = k > 0;
        if (ok) at += k, n -= (size_t)k;
    }
    json_decref(o);
    arena_free(a);
    return ok;
}

/* Waits until fd can be read. */
static LinkStatus wait_readable(int fd, int wake_fd, double deadline_s) {
    for (;;) {
        double left_s = deadline_s > 0 ? deadline_s - time_now_s() : 3600;
        if (left_s <= 0) return LINK_LATE;
        struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
        int n = poll(p, wake_fd >= 0 ? 2 : 1, left_s > 3600 ? 3600 * 1000 : (int)(left_s * 1000) + 1);
        if (n < 0 && errno != EINTR) return LINK_CLOSED;
        if (n <= 0) continue;
        if (wake_fd >= 0 && p[1].revents) {
            uint64_t count;
            if (read(wake_fd, &count, sizeof count) == sizeof count) return LINK_WOKEN;
        }
        if (p[0].revents) return LINK_MESSAGE;
    }
}

static LinkStatus read_exactly(int fd, double deadline_s, void *data, size_t n_bytes) {
    char *at = data;
    while (n_bytes > 0) {
        LinkStatus s = wait_readable(fd, -1, deadline_s);
        if (s != LINK_MESSAGE) return s;
        ssize_t k = read(fd, at, n_bytes);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return LINK_CLOSED;
        at += k;
        n_bytes -= (size_t)k;
    }
    return LINK_MESSAGE;
}

LinkStatus link_receive(int fd, int wake_fd, double deadline_s, json_t **o) {
    LinkStatus s = wait_readable(fd, wake_fd, deadline_s);
    if (s != LINK_MESSAGE) return s;
    uint8_t head[FRAME_HEAD_BYTES];
    size_t n = 0;
    Err err = {0};
    s = read_exactly(fd, deadline_s, head, sizeof head);
    if (s == LINK_MESSAGE && !frame_json_length(head, &n, &err)) s = LINK_CLOSED;
    char *text = s == LINK_MESSAGE ? malloc(n + 1) : NULL;
    if (text) s = read_exactly(fd, deadline_s, text, n);
    else if (s == LINK_MESSAGE) s = LINK_CLOSED;
    *o = text && s == LINK_MESSAGE ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    return s == LINK_MESSAGE && !json_is_object(*o) ? LINK_CLOSED : s;
}
