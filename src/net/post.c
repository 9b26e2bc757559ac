#include "net/post.h"

#include <string.h>

#define CONNECT_LIMIT_S 10L

bool post_begin(Arena *a, Post *p, const char *url, const char *token, const char *body, double timeout_s, PostData on_data, void *ctx) {
    *p = (Post){.headers = curl_slist_append(NULL, "Content-Type: application/json")};
    p->headers = curl_slist_append(p->headers, "Expect:"); /* the body at once, without asking whether it may come */
    if (token && *token) p->headers = curl_slist_append(p->headers, arena_printf(a, "Authorization: Bearer %s", token));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *c = p->curl = curl_easy_init();
    if (!c) return false;
    curl_easy_setopt(c, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(c, CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
    curl_easy_setopt(c, CURLOPT_POST, 1L);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, p->headers);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, ctx);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_LIMIT_S);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(timeout_s * 1000));
    curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    return true;
}

void post_end(Post *p) {
    if (p->curl) curl_easy_cleanup(p->curl);
    curl_slist_free_all(p->headers);
}
