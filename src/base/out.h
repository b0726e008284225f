/* Buffered output to a callback, and a streaming JSON writer with fixed key order. Nothing here opens a file. */
#ifndef SP_BASE_OUT_H
#define SP_BASE_OUT_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Takes `n` bytes; false stops the output (a closed pipe). */
typedef bool (*out_write_fn)(void *user, const char *bytes, size_t n);

struct out {
    out_write_fn write;
    void *user;
    bool failed;
    size_t n;
    char buffer[65536];
};

void out_init(struct out *o, out_write_fn write, void *user);
void out_text(struct out *o, const char *text);
void out_bytes(struct out *o, const char *bytes, size_t n);
void out_char(struct out *o, char c);
void out_printf(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Everything buffered goes to the callback. True when no write ever failed. */
bool out_flush(struct out *o);

/* Room for `n` bytes (at most OUT_ROOM) to be written in place; out_filled() then says where they end. */
enum { OUT_ROOM = 8192 };
static inline char *out_room(struct out *o, size_t n)
{
    if (sizeof o->buffer - o->n < n)
        out_flush(o);
    return o->buffer + o->n;
}
static inline void out_filled(struct out *o, const char *end)
{
    o->n = (size_t)(end - o->buffer);
}

/* JSON: json_object()/json_array() open, json_end() closes; json_key() before each member of an object.
 * Compact (no white space) with one optional newline a top-level element, so that equal facts are equal bytes. */
/* Their symbols carry this room's prefix: programs that link the library beside a JSON reader have json_object() twice
 * else. */
#define json_array   out_json_array
#define json_bool    out_json_bool
#define json_double  out_json_double
#define json_end     out_json_end
#define json_init    out_json_init
#define json_int     out_json_int
#define json_key     out_json_key
#define json_newline out_json_newline
#define json_null    out_json_null
#define json_object  out_json_object
#define json_string  out_json_string
#define json_uint    out_json_uint
enum { JSON_DEPTH = 32 };
struct json {
    struct out *o;
    unsigned depth;
    char closer[JSON_DEPTH];
    bool first[JSON_DEPTH];
    bool after_key;
};

void json_init(struct json *j, struct out *o);
void json_object(struct json *j);
void json_array(struct json *j);
void json_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text); /* NULL gives null; invalid UTF-8 becomes U+FFFD */
void json_int(struct json *j, int64_t value);
void json_uint(struct json *j, uint64_t value);
void json_double(struct json *j, double value); /* shortest round trip; not finite gives null */
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
/* A line feed between top-level records; ignored inside a value's text. */
void json_newline(struct json *j);

#endif
