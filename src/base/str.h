/* Growing text on an arena, and the few string helpers every room needs. A strbuf is always NUL-terminated. */
#ifndef SP_BASE_STR_H
#define SP_BASE_STR_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    struct arena *a;
    char *p; /* "" until something was added */
    size_t n, cap;
};

void str_init(struct strbuf *b, struct arena *a);
void str_add(struct strbuf *b, const char *text);
void str_addn(struct strbuf *b, const char *text, size_t n);
void str_addc(struct strbuf *b, char c);
void str_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_vaddf(struct strbuf *b, const char *format, va_list args);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
bool str_equal(const char *a, const char *b); /* NULL equals NULL only */
/* Shell-like glob: `*`, `?`, `[set]`. Linear time, no backtracking blow-up. */
bool str_glob(const char *pattern, const char *text);

/* Shortest decimal text that reads back to the same float/double ("0.1", "1e+30", "inf", "nan"), at most 32 bytes with
 * NUL. */
void str_float32(char out[32], uint32_t bits);
void str_float64(char out[32], uint64_t bits);

#endif
