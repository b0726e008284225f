/* Long texts: the inside of brackets, then of the middle, is left out until a line holds them.
 *
 * requires: any text of an expression · gives: the same in at most MEAN_LINE_MAX bytes */
#include "meaning/mean_internal.h"

#include <string.h>

/* Puts "…" in the place of text[from, to). */
static char *leave_out(struct mean *m, const char *text, size_t from, size_t to)
{
    return arena_printf(m->a, "%.*s\xe2\x80\xa6%s", (int)from, text, text + to);
}

/* The smallest bracketed inside that is enough to leave out, else the largest. */
static bool find_inside(const char *text, size_t excess, size_t *from, size_t *to)
{
    enum { NESTED = 64, LEAST = 16 };
    size_t open[NESTED], best = 0;
    unsigned depth = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '(' || text[i] == '[') {
            if (depth < NESTED)
                open[depth] = i + 1;
            depth++;
        } else if ((text[i] == ')' || text[i] == ']') && depth > 0) {
            depth--;
            size_t length = depth < NESTED ? i - open[depth] : 0;
            bool better = best >= excess ? length >= excess && length < best : length > best;
            if (length >= LEAST && better) {
                best = length;
                *from = open[depth];
                *to = i;
            }
        }
    }
    return best > 0;
}

const char *mean_shorten(struct mean *m, const char *text)
{
    enum { ELLIPSIS = 3 };
    for (size_t length = strlen(text); length > MEAN_LINE_MAX; length = strlen(text)) {
        size_t from, to, excess = length - MEAN_LINE_MAX + ELLIPSIS;
        if (!find_inside(text, excess, &from, &to)) { /* the middle, between blanks */
            from = (MEAN_LINE_MAX - ELLIPSIS) / 2;
            to = from + excess;
            while (from > 0 && text[from - 1] != ' ')
                from--;
            while (text[to] && text[to] != ' ')
                to++;
            if (from == 0 || !text[to])
                return text;
        }
        const char *shorter = leave_out(m, text, from, to);
        if (!shorter || strlen(shorter) >= length)
            return text;
        text = shorter;
    }
    return text;
}
