/* Text building on an arena, globbing, and shortest round-trip floats. The float text tries rising precision until the
 * text reads back to the same bits, so it never depends on the C library's shortest mode; the decimal point is made '.'
 * whatever the locale. */
#include "base/str.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_init(struct strbuf *b, struct arena *a)
{
    static const char empty[1] = "";
    *b = (struct strbuf){.a = a, .p = (char *)(uintptr_t)empty}; /* never written: its capacity is 0 */
}

static bool str_room(struct strbuf *b, size_t extra)
{
    if (b->cap > b->n && extra < b->cap - b->n)
        return true;
    size_t want = b->cap ? b->cap * 2 : 64;
    while (want <= b->n + extra)
        want *= 2;
    char *grown = arena_grow(b->a, b->p, b->n, want);
    if (!grown)
        return false;
    b->p = grown;
    b->cap = want;
    return true;
}

void str_addn(struct strbuf *b, const char *text, size_t n)
{
    if (!n || !str_room(b, n))
        return;
    memcpy(b->p + b->n, text, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void str_add(struct strbuf *b, const char *text)
{
    str_addn(b, text, strlen(text));
}

void str_addc(struct strbuf *b, char c)
{
    str_addn(b, &c, 1);
}

void str_vaddf(struct strbuf *b, const char *format, va_list args)
{
    va_list again;
    char text[512]; /* most are short: formatted once */
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, format, args);
    if (n > 0 && (size_t)n < sizeof text) {
        str_addn(b, text, (size_t)n);
    } else if (n > 0 && str_room(b, (size_t)n)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void str_addf(struct strbuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vaddf(b, format, args);
    va_end(args);
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

bool str_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One element of a glob against one character; *next is the rest of the pattern. */
static bool glob_one(const char *p, char c, const char **next)
{
    if (*p == '[' && strchr(p + 1, ']')) {
        const char *end = strchr(p + 2, ']') ? strchr(p + 2, ']') : strchr(p + 1, ']');
        const char *q = p + 1;
        bool negate = *q == '!' || *q == '^', hit = false;
        for (q += negate; q < end; q++) {
            if (q + 2 < end && q[1] == '-') {
                hit |= q[0] <= c && c <= q[2];
                q += 2;
            } else {
                hit |= *q == c;
            }
        }
        *next = end + 1;
        return hit != negate;
    }
    *next = p + 1;
    return *p == '?' || *p == c;
}

bool str_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL; /* behind the last '*', and where its match may be stretched to */
    for (;;) {
        const char *next;
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*text && *pattern && glob_one(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (!*text && !*pattern) {
            return true;
        } else if (star && *resume) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
}

static void fix_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    if (point[0] == '.' || !point[0])
        return;
    char *at = strstr(text, point);
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
}

void str_float32(char out[32], uint32_t bits)
{
    float f, back;
    memcpy(&f, &bits, sizeof f);
    if (isnan(f) || isinf(f)) {
        snprintf(out, 32, "%s%s", signbit(f) ? "-" : "", isnan(f) ? "nan" : "inf");
        return;
    }
    if (f == truncf(f) && fabsf(f) < 1e6f && f != 0) {
        snprintf(out, 32, "%.0f", (double)f);
        return;
    }
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(out, 32, "%.*g", precision, (double)f);
        back = strtof(out, NULL);
        if (memcmp(&back, &f, sizeof f) == 0)
            break;
    }
    fix_point(out);
}

void str_float64(char out[32], uint64_t bits)
{
    double f, back;
    memcpy(&f, &bits, sizeof f);
    if (isnan(f) || isinf(f)) {
        snprintf(out, 32, "%s%s", signbit(f) ? "-" : "", isnan(f) ? "nan" : "inf");
        return;
    }
    if (f == trunc(f) && fabs(f) < 1e15 && f != 0) {
        snprintf(out, 32, "%.0f", f);
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(out, 32, "%.*g", precision, f);
        back = strtod(out, NULL);
        if (memcmp(&back, &f, sizeof f) == 0)
            break;
    }
    fix_point(out);
}
