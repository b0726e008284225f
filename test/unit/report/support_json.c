/* A strict recursive JSON reader (RFC 8259) for tests: at most 64 deep, duplicate keys refused. */
#include "support_json.h"

#include "base/str.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct arena *a;
    const char *start, *p, *end;
    bool failed;
};

static struct jv *read_value(struct reader *r, int depth);

static void skip(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

static bool take(struct reader *r, char c)
{
    skip(r);
    if (r->p >= r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static bool word(struct reader *r, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n) != 0)
        return false;
    r->p += n;
    return true;
}

static const char *read_text(struct reader *r)
{
    struct strbuf b;
    str_init(&b, r->a);
    if (!take(r, '"')) {
        r->failed = true;
        return "";
    }
    while (r->p < r->end && *r->p != '"') {
        unsigned char c = (unsigned char)*r->p++;
        if (c < 0x20) {
            r->failed = true;
        } else if (c != '\\') {
            str_addc(&b, (char)c);
        } else if (r->p < r->end && strchr("\"\\/bfnrt", *r->p)) {
            static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
            str_addc(&b, to[strchr(from, *r->p++) - from]);
        } else if (r->p < r->end && *r->p == 'u' && r->end - r->p > 4) {
            char digits[5] = {r->p[1], r->p[2], r->p[3], r->p[4], 0};
            unsigned long u = strtoul(digits, NULL, 16);
            if (u >= 0x80)
                r->failed = true; /* our writer escapes control characters only */
            str_addc(&b, (char)u);
            r->p += 5;
        } else {
            r->failed = true;
        }
    }
    if (!take(r, '"'))
        r->failed = true;
    return b.p;
}

static void read_members(struct reader *r, struct jv *v, int depth)
{
    VEC(struct jv *) items = {0};
    VEC(const char *) keys = {0};
    char close = v->kind == JV_OBJECT ? '}' : ']';
    if (take(r, close))
        return;
    do {
        if (v->kind == JV_OBJECT) {
            const char *key = read_text(r);
            for (size_t i = 0; i < keys.n; i++)
                if (strcmp(keys.p[i], key) == 0)
                    r->failed = true;
            VEC_PUSH(r->a, keys, key);
            if (!take(r, ':'))
                r->failed = true;
        }
        VEC_PUSH(r->a, items, read_value(r, depth + 1));
    } while (!r->failed && take(r, ','));
    if (!take(r, close))
        r->failed = true;
    v->items = items.p;
    v->keys = keys.p;
    v->n = items.n;
}

static struct jv *read_value(struct reader *r, int depth)
{
    struct jv *v = ARENA_NEW(r->a, struct jv);
    skip(r);
    if (r->p >= r->end || depth > 64) {
        r->failed = true;
    } else if (*r->p == '{' || *r->p == '[') {
        v->kind = *r->p++ == '{' ? JV_OBJECT : JV_ARRAY;
        read_members(r, v, depth);
    } else if (*r->p == '"') {
        v->kind = JV_TEXT;
        v->text = read_text(r);
    } else if (*r->p == '-' || isdigit((unsigned char)*r->p)) {
        char *end;
        v->kind = JV_NUMBER;
        v->number = strtod(r->p, &end);
        r->p = end;
    } else if (word(r, "true")) {
        v->kind = JV_BOOL;
        v->truth = true;
    } else if (word(r, "false")) {
        v->kind = JV_BOOL;
    } else if (!word(r, "null")) {
        r->failed = true;
    }
    return v;
}

const struct jv *jv_parse(struct arena *a, const char *text, size_t n, size_t *error_at)
{
    struct reader r = {a, text, text, text + n, false};
    const struct jv *v = read_value(&r, 0);
    skip(&r);
    *error_at = (size_t)(r.p - r.start);
    return r.failed || r.p != r.end || arena_failed(a) ? NULL : v;
}

bool jv_is(const struct jv *v, int kind)
{
    return v && (int)v->kind == kind;
}

const struct jv *jv_get(const struct jv *object, const char *key)
{
    for (size_t i = 0; jv_is(object, JV_OBJECT) && i < object->n; i++)
        if (strcmp(object->keys[i], key) == 0)
            return object->items[i];
    return NULL;
}

const struct jv *jv_item(const struct jv *array, size_t i)
{
    return array && i < array->n ? array->items[i] : NULL;
}

size_t jv_size(const struct jv *v)
{
    return v ? v->n : 0;
}

const char *jv_text(const struct jv *v)
{
    return jv_is(v, JV_TEXT) ? v->text : NULL;
}

static void print(const struct jv *v)
{
    static const char *const kind[] = {"null", "truth", "number", "text", "array", "object"};
    if (!v)
        fprintf(stderr, "nothing");
    else if (v->kind == JV_TEXT)
        fprintf(stderr, "\"%s\"", v->text);
    else if (v->kind == JV_NUMBER)
        fprintf(stderr, "%.17g", v->number);
    else if (v->kind == JV_BOOL)
        fprintf(stderr, v->truth ? "true" : "false");
    else
        fprintf(stderr, "%s of %zu", kind[v->kind], v->n);
}

static bool differ(const struct jv *small, const struct jv *big, const char *path)
{
    fprintf(stderr, "%s: ", path);
    print(small);
    fprintf(stderr, " against ");
    print(big);
    fprintf(stderr, "\n");
    return false;
}

bool jv_within(const struct jv *small, const struct jv *big, const char *path)
{
    char inner[512];
    if (!small || (small->kind == JV_NULL && !big))
        return true;
    if (!big || small->kind != big->kind)
        return differ(small, big, path);
    switch (small->kind) {
    case JV_NULL: return true;
    case JV_BOOL: return small->truth == big->truth || differ(small, big, path);
    case JV_NUMBER: return small->number == big->number || differ(small, big, path);
    case JV_TEXT: return strcmp(small->text, big->text) == 0 || differ(small, big, path);
    case JV_ARRAY:
        if (small->n != big->n)
            return differ(small, big, path);
        break;
    case JV_OBJECT: break;
    }
    for (size_t i = 0; i < small->n; i++) {
        if (small->kind == JV_ARRAY)
            snprintf(inner, sizeof inner, "%.480s[%zu]", path, i);
        else
            snprintf(inner, sizeof inner, "%.240s.%.240s", path, small->keys[i]);
        if (!jv_within(small->items[i], small->kind == JV_ARRAY ? big->items[i] : jv_get(big, small->keys[i]), inner))
            return false;
    }
    return true;
}
