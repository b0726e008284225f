/* Buffered output and the JSON writer. A failed write is remembered and later output dropped, so callers check once, at
 * out_flush(). */
#include "base/out.h"

#include "base/str.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void out_init(struct out *o, out_write_fn write, void *user)
{
    o->write = write;
    o->user = user;
    o->failed = false;
    o->n = 0;
}

bool out_flush(struct out *o)
{
    if (o->n && !o->failed && !o->write(o->user, o->buffer, o->n))
        o->failed = true;
    o->n = 0;
    return !o->failed;
}

void out_bytes(struct out *o, const char *bytes, size_t n)
{
    while (n) {
        size_t room = sizeof o->buffer - o->n, take = n < room ? n : room;
        memcpy(o->buffer + o->n, bytes, take);
        o->n += take;
        bytes += take;
        n -= take;
        if (o->n == sizeof o->buffer)
            out_flush(o);
    }
}

void out_text(struct out *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

void out_char(struct out *o, char c)
{
    if (o->n == sizeof o->buffer)
        out_flush(o);
    o->buffer[o->n++] = c;
}

void out_printf(struct out *o, const char *format, ...)
{
    char small[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        out_bytes(o, small, (size_t)n);
    } else if (n > 0) {
        char *large = malloc((size_t)n + 1);
        if (large) {
            vsnprintf(large, (size_t)n + 1, format, again);
            out_bytes(o, large, (size_t)n);
            free(large);
        } else {
            o->failed = true;
        }
    }
    va_end(again);
}

void json_init(struct json *j, struct out *o)
{
    *j = (struct json){.o = o};
    j->first[0] = true;
}

/* A comma where one is due. */
static void json_lead(struct json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->first[j->depth] && j->depth)
        out_char(j->o, ',');
    j->first[j->depth] = false;
}

static void json_open(struct json *j, char open, char close)
{
    json_lead(j);
    out_char(j->o, open);
    assert(j->depth + 1 < JSON_DEPTH);
    j->depth++;
    j->closer[j->depth] = close;
    j->first[j->depth] = true;
}

void json_object(struct json *j)
{
    json_open(j, '{', '}');
}

void json_array(struct json *j)
{
    json_open(j, '[', ']');
}

void json_end(struct json *j)
{
    assert(j->depth > 0 && !j->after_key);
    out_char(j->o, j->closer[j->depth--]);
}

/* Length of the valid UTF-8 sequence at p (at most `n` bytes), 0 when it is not one. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    static const unsigned char least[5] = {0, 0, 0, 0xa0, 0x90};
    size_t len = p[0] < 0x80                   ? 1
                 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                 : (p[0] & 0xf0) == 0xe0       ? 3
                 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                               : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 || p[0] == 0xf0) && p[1] < least[len])
        return 0; /* overlong */
    if ((p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0; /* surrogate, beyond U+10FFFF */
    return len;
}

static void json_quoted(struct json *j, const char *text)
{
    struct out *o = j->o;
    size_t left = strlen(text);
    out_char(o, '"');
    for (const unsigned char *p = (const unsigned char *)text; left;) {
        size_t plain = 0; /* nearly all of it: copied at once */
        while (plain < left && p[plain] >= 0x20 && p[plain] < 0x7f && p[plain] != '"' && p[plain] != '\\')
            plain++;
        if (plain) {
            out_bytes(o, (const char *)p, plain);
            p += plain;
            left -= plain;
            continue;
        }
        size_t len = utf8_length(p, left);
        if (!len) {
            out_text(o, "\xef\xbf\xbd");
            len = 1;
        } else if (*p == '"' || *p == '\\') {
            out_char(o, '\\');
            out_char(o, (char)*p);
        } else if (*p == '\n') {
            out_text(o, "\\n");
        } else if (*p == '\t') {
            out_text(o, "\\t");
        } else if (*p < 0x20 || *p == 0x7f) {
            out_printf(o, "\\u%04x", *p);
        } else {
            out_bytes(o, (const char *)p, len);
        }
        p += len;
        left -= len;
    }
    out_char(o, '"');
}

void json_key(struct json *j, const char *key)
{
    assert(j->depth > 0 && j->closer[j->depth] == '}' && !j->after_key);
    json_lead(j);
    json_quoted(j, key);
    out_char(j->o, ':');
    j->after_key = true;
}

void json_string(struct json *j, const char *text)
{
    json_lead(j);
    if (text)
        json_quoted(j, text);
    else
        out_text(j->o, "null");
}

static void put_decimal(struct out *o, uint64_t value, bool negative)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    if (negative)
        digits[--at] = '-';
    out_bytes(o, digits + at, sizeof digits - at);
}

void json_int(struct json *j, int64_t value)
{
    json_lead(j);
    put_decimal(j->o, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void json_uint(struct json *j, uint64_t value)
{
    json_lead(j);
    put_decimal(j->o, value, false);
}

void json_double(struct json *j, double value)
{
    char text[32];
    uint64_t bits;
    json_lead(j);
    memcpy(&bits, &value, sizeof bits);
    if (isfinite(value)) {
        str_float64(text, bits);
        out_text(j->o, text);
    } else {
        out_text(j->o, "null");
    }
}

void json_bool(struct json *j, bool value)
{
    json_lead(j);
    out_text(j->o, value ? "true" : "false");
}

void json_null(struct json *j)
{
    json_lead(j);
    out_text(j->o, "null");
}

void json_newline(struct json *j)
{
    out_char(j->o, '\n');
}
