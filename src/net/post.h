/* A POST of JSON over libcurl: what every request of ours has in common. Only http and https; requests to this machine pass no
 * proxy; a connection is given ten seconds. */
#ifndef OPWRIGHT_NET_POST_H
#define OPWRIGHT_NET_POST_H

#include "base/arena.h"

#include <curl/curl.h>
#include <stdbool.h>

typedef struct Post {
    CURL *curl;
    struct curl_slist *headers;
} Post;

/* What libcurl hands over as it comes; returns n, or less to end the transfer. */
typedef size_t (*PostData)(char *data, size_t one, size_t n, void *ctx);

/* False when libcurl cannot start. token: NULL or "" for none; sent as "Authorization: Bearer TOKEN". body stays the caller's and must
 * outlive the post. The caller performs it (curl_easy_perform) and ends it with post_end, also after false. */
bool post_begin(Arena *a, Post *p, const char *url, const char *token, const char *body, double timeout_s, PostData on_data, void *ctx);
void post_end(Post *p);

#endif
