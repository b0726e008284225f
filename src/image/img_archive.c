/* Static libraries: `ar` archives of GNU, BSD and Windows make. Members are named and handed on one by one; the
 * tables of symbols and of long names are not members.
 *
 * requires: a range that begins with an archive · gives: each member's name (h->holder) and bytes */
#include "image/img_holder.h"

#include <inttypes.h>
#include <string.h>

enum { MAGIC_BYTES = 8, HEADER_BYTES = 60, NAME_BYTES = 16, SIZE_AT = 48, SIZE_BYTES = 10, END_AT = 58 };

/* A decimal number padded with blanks; false: something else stands there. */
static bool read_number(const uint8_t *p, size_t n, uint64_t *value)
{
    size_t i = 0;
    for (*value = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
        *value = *value * 10 + (p[i] - '0');
    for (size_t k = i; k < n; k++)
        if (p[k] != ' ')
            return false;
    return i > 0;
}

struct archive {
    struct img_holding *h;
    const char *long_names;
    size_t long_bytes;
};

static const char *copy_name(struct archive *ar, const char *text, size_t n, const char *stop)
{
    size_t length = 0;
    while (length < n && text[length] && !strchr(stop, text[length]))
        length++;
    while (length > 0 && text[length - 1] == '/') /* GNU ends names so */
        length--;
    size_t from = length; /* Windows keeps the folders */
    while (from > 0 && text[from - 1] != '/' && text[from - 1] != '\\')
        from--;
    return length > from ? arena_strndup(ar->h->a, text + from, length - from) : "?";
}

/* The member's name; BSD writes long ones before its bytes and counts them in its size (*skip). NULL: a table. */
static const char *member_name(struct archive *ar, const uint8_t *header, const uint8_t *bytes, size_t size,
                               size_t *skip)
{
    const char *field = (const char *)header;
    uint64_t number;
    *skip = 0;
    if (memcmp(field, "#1/", 3) == 0 && read_number(header + 3, NAME_BYTES - 3, &number) && number <= size) {
        *skip = (size_t)number;
        const char *name = copy_name(ar, (const char *)bytes, *skip, "\n");
        return name && strncmp(name, "__.SYMDEF", 9) == 0 ? NULL : name;
    }
    if (field[0] == '/' && field[1] == '/') {
        ar->long_names = (const char *)bytes;
        ar->long_bytes = size;
        return NULL;
    }
    if (field[0] == '/' && read_number(header + 1, NAME_BYTES - 1, &number)) {
        if (number < ar->long_bytes)
            return copy_name(ar, ar->long_names + number, ar->long_bytes - (size_t)number, "\n");
        return "?";
    }
    if (field[0] == '/' || memcmp(field, "__.SYMDEF", 9) == 0)
        return NULL;
    size_t n = NAME_BYTES;
    while (n > 0 && field[n - 1] == ' ')
        n--;
    return copy_name(ar, field, n, "/");
}

void img_archive_walk(struct img_holding *h, struct img_range range,
                      void (*each)(struct img_holding *h, struct img_range member))
{
    struct archive ar = {.h = h};
    size_t at = MAGIC_BYTES;
    if (range.size >= MAGIC_BYTES && memcmp(range.bytes, "!<thin>\n", MAGIC_BYTES) == 0) {
        img_hold_damage(h, "archive-thin", NULL, 0, "a thin archive: its members are files of their own, give those");
        return;
    }
    while (at < range.size && !arena_failed(h->a)) {
        const uint8_t *header = range.bytes + at;
        uint64_t size;
        if (range.size - at < HEADER_BYTES || header[END_AT] != '`' || header[END_AT + 1] != '\n' ||
            !read_number(header + SIZE_AT, SIZE_BYTES, &size)) {
            img_hold_damage(h, "archive-header", NULL, (int64_t)at,
                            "no header of a member: the rest of the archive, %zu bytes, is not read", range.size - at);
            return;
        }
        at += HEADER_BYTES;
        size_t room = range.size - at, have = size < room ? (size_t)size : room, skip;
        const char *name = member_name(&ar, header, range.bytes + at, have, &skip);
        if (have < size)
            img_hold_damage(h, "archive-truncated", name, (int64_t)at,
                            "a member of %" PRIu64 " bytes, %zu are in the file", size, have);
        if (name && have > skip) {
            h->holder = name;
            each(h, (struct img_range){.bytes = range.bytes + at + skip, .size = have - skip});
            h->holder = NULL;
        }
        if (have < size)
            return;
        at += have;
        if (at < range.size && at % 2 != 0) /* members begin at even places */
            at++;
    }
}
