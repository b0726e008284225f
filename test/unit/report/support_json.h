/* Test side: a small JSON reader into a tree on an arena, for comparing documents. Members keep their order. */
#ifndef TEST_SUPPORT_JSON_H
#define TEST_SUPPORT_JSON_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct jv {
    enum { JV_NULL, JV_BOOL, JV_NUMBER, JV_TEXT, JV_ARRAY, JV_OBJECT } kind;
    bool truth;
    double number;
    const char *text;
    const char **keys; /* of an object */
    struct jv **items; /* of an array or object */
    size_t n;
};

/* NULL when the text is not one JSON value (then *error_at is the byte): duplicate keys count as wrong. */
const struct jv *jv_parse(struct arena *a, const char *text, size_t n, size_t *error_at);

/* All of these take NULL and answer NULL, 0 or false. */
const struct jv *jv_get(const struct jv *object, const char *key);
const struct jv *jv_item(const struct jv *array, size_t i);
size_t jv_size(const struct jv *v);
const char *jv_text(const struct jv *v);
bool jv_is(const struct jv *v, int kind);

/* Every key of `small` is in `big` with an equal value, and so all the way down; null equals a missing key.
 * Prints the first difference on stderr. */
bool jv_within(const struct jv *small, const struct jv *big, const char *path);

#endif
