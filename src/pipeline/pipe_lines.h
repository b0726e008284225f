/* Writing lines in place, inline: what `disasm` does for every instruction. Private to the room. */
#ifndef SP_PIPE_LINES_H
#define SP_PIPE_LINES_H

#include "pipeline/pipe_disasm.h"

#include <string.h>

static inline char *pipe_put(char *p, const char *text, size_t n)
{
    memcpy(p, text, n);
    return p + n;
}

static inline char *pipe_put_blanks(char *p, size_t n)
{
    memset(p, ' ', n);
    return p + n;
}

/* At least `least` digits. */
static inline char *pipe_put_hex(char *p, uint64_t v, unsigned least)
{
    unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
    n = n < least ? least : n;
    for (unsigned i = n; i-- > 0; v >>= 4)
        p[i] = "0123456789abcdef"[v & 15];
    return p + n;
}

/* ".L_x_12" */
static inline char *pipe_put_label(char *p, uint32_t number)
{
    char digits[10];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    p = pipe_put(p, ".L_x_", 5);
    while (n)
        *p++ = digits[--n];
    return p;
}

/* A word without any scheduling (stall 0, no yield, no barriers, nothing to wait for: filler) ends in ";", all else in
 * " ;". */
static inline bool pipe_is_filler(struct bits128 word)
{
    return (word.hi >> (105 - 64) & 0x1ffff) == 0x7e0;
}

static inline char *pipe_put_ending(char *p, struct bits128 word)
{
    *p = ' ';
    p += !pipe_is_filler(word);
    *p++ = ';';
    return p;
}

/* An infinity, a NaN or -0.0 at the end of a text of `n` characters leaves a blank behind. */
static inline bool pipe_leaves_blank(const char *end, size_t n)
{
    enum { SHORTEST = 6 };
    if (n < SHORTEST)
        return false;
    if (end[-1] == '0')
        return end[-2] == '.' && end[-3] == '0' && (end[-4] == '-' || end[-4] == '+');
    if (end[-1] == 'F')
        return end[-2] == 'N' && end[-3] == 'I' && (end[-4] == '-' || end[-4] == '+');
    return end[-1] == 'N' && end[-2] == 'A' && end[-3] == 'N' && (end[-4] == 'Q' || end[-4] == 'S') &&
           (end[-5] == '-' || end[-5] == '+');
}

/* Digits of an offset beyond the usual four: what follows stands so much further left. */
static inline unsigned pipe_more_digits(uint32_t offset)
{
    unsigned more = 0;
    for (offset >>= 16; offset; offset >>= 4)
        more++;
    return more;
}

#endif
