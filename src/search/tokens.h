/* Text to terms, the same for what is indexed and for what is asked. Three kinds of writing meet in this
 * material: English, Chinese, and code. an identifier   DataCopyPad -> "datacopypad", and its words "data",
 * "copy", "pad" at the same place; reduce_sum and ReduceSum have one whole, "reducesum" an English word
 * unaligned -> its stem Chinese         each character, and each pair of neighbours at the place of its
 * first: a word of one or two characters is found as it stands, a longer one as its pairs in a row Anything
 * else separates. Bytes that are no UTF-8 separate too. */
#ifndef OPWRIGHT_SEARCH_TOKENS_H
#define OPWRIGHT_SEARCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#define TOKEN_MAX_BYTES 64 /* longer identifiers are cut */

typedef enum { TOKEN_WHOLE, TOKEN_PART, TOKEN_CHAR, TOKEN_PAIR } TokenForm;

typedef struct Token {
    const char *text; /* lower case, stemmed; valid during the call */
    size_t n_bytes;
    size_t start, end; /* bytes of the source */
    TokenForm
        form; /* a part stands at the place of the whole before it, a pair at that of its first character */
    bool same_place; /* as the token before */
} Token;

/* Calls `take` for each token; stops when it returns false, and returns false then. */
bool tokens_each(const char *text, size_t n_bytes, bool (*take)(void *ctx, const Token *t), void *ctx);
/* True for words that say nothing about a subject ("the", "how"); `word` is a token's text. */
bool token_is_stop(const char *word, size_t n_bytes);
/* Bytes of the UTF-8 character at text (1 to 4) and its number; 0 when it is none. */
size_t token_utf8(const char *text, size_t n_bytes, unsigned *code);
bool token_is_cjk(unsigned code);

#endif
