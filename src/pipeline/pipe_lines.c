/* Lines of instructions in the vendor's two forms, where nearly all time of `disasm` goes: one pass over the words, text
 * made where it will stand, copies of fixed sizes that go past what counts and are written over by what follows.
 *
 * An instruction is plain when its word and its place say all that its line shows; others (a relocation, a branch's
 * targets, a spill) are printed by pipe_assembly.c. requires: a kernel's listing · gives: text */
#include "pipeline/pipe_lines.h"

#include "base/hex.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN = 17, COPY = 64, FIRST = 7, HALF = 16, WIDEST = 256 };

size_t pipe_put_long_name(struct pipe_listing *l, char *text, size_t n)
{
    char *mark = memchr(text, PIPE_NAME_MARK, n), offset[16];
    const char *name = l->long_name;
    l->long_name = NULL;
    if (!mark)
        return n;
    size_t length = strlen(name), behind = n - (size_t)(mark + 1 - text);
    if (n + length > ISA_TEXT_ROOM - 1) {
        length = (size_t)snprintf(offset, sizeof offset, "0x%x", l->long_target);
        name = offset;
    }
    memmove(mark + length, mark + 1, behind + 1);
    for (size_t i = 0; i < length; i++)
        mark[i] = name[i];
    return n - 1 + length;
}

size_t pipe_guard_length(const char *text, size_t n)
{
    enum { LONGEST = 6 };
    for (size_t i = 1; text[0] == '@' && i < n && i <= LONGEST; i++)
        if (text[i] == ' ')
            return i;
    return 0;
}

char *pipe_put_offset(char *p, uint32_t offset, const char *text, size_t n, size_t *rest)
{
    bool uniform = n > 2 && text[1 + (text[1] == '!')] == 'U'; /* stands in the column of opcodes */
    size_t guard = uniform ? 0 : pipe_guard_length(text, n);
    p = pipe_put(p, "        /*", 10);
    p = pipe_put_hex(p, offset, 4);
    p = pipe_put(p, "*/ ", 3);
    p = pipe_put_blanks(p, COLUMN - guard);
    p = pipe_put(p, text, guard);
    *p++ = ' ';
    *rest = guard ? guard + 1 : 0;
    return p;
}

/* ---- plain lines --------------------------------------------------------------------------------- */

/* The offset in its comment, and blanks up to where opcodes stand. */
static char *put_place(char *p, uint32_t offset)
{
    static const char place[] = "        /*0000*/                   ";
    enum { FRONT = 10, WIDTH = sizeof place - 1 };
    if (offset > 0xffff) {
        p = pipe_put(p, place, FRONT);
        p = pipe_put_hex(p, offset, 4);
        return pipe_put(p, place + FRONT + 4, WIDTH - FRONT - 4);
    }
    memcpy(p, place, WIDTH);
    hex_put4(p + FRONT, offset);
    return p + WIDTH;
}

/* How far left of opcodes the text begins: its guard, as the word has it where it has one. */
static unsigned guard_room(struct bits128 word)
{
    static const uint8_t room[16] = {4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 5, 5, 5, 5, 5};
    return room[word.lo >> 12 & 15];
}

/* The text stands where its guard makes the opcode stand in its column, `at`; a uniform guard is in that column itself,
 * and what is no instruction has none. Answers where the text begins. */
static char *settle(char *at, char *text, size_t n)
{
    bool guarded = n > 2 && text[0] == '@' && text[1 + (text[1] == '!')] != 'U';
    if (__builtin_expect(guarded == (text != at), 1))
        return text;
    char *from = text;
    memmove(at, text, n);
    while (from < at)
        *from++ = ' ';
    return at;
}

static size_t print_at(struct pipe_listing *l, const struct isa_print_options *o, struct bits128 word, uint32_t i,
                       char *text)
{
    size_t n = isa_print_cached(l->cache, l->module->sm, word, 16 * i, o, text);
    return __builtin_expect(l->long_name != NULL, 0) ? pipe_put_long_name(l, text, n) : n;
}

/* From the texts that were kept; there are bytes behind them. */
static size_t copy_kept(struct pipe_spelled *s, char *text)
{
    size_t n = s->lengths[s->shown++];
    memcpy(text, s->bytes + s->printed, COPY);
    if (n > COPY)
        memcpy(text + COPY, s->bytes + s->printed + COPY, n - COPY);
    s->printed += n;
    return n;
}

char *pipe_put_plain(struct pipe_listing *l, const struct isa_print_options *o, uint32_t i, char *p)
{
    struct bits128 word = pipe_word_at(l, i);
    char *at = put_place(p, 16 * i), *text = at - guard_room(word);
    size_t n = l->is_spelled ? copy_kept(l->spelled, text) : print_at(l, o, word, i, text);
    text = settle(at, text, n);
    p = text + n;
    *p = ' ';
    p = pipe_put_ending(p + pipe_leaves_blank(text, n), word);
    *p++ = '\n';
    return p;
}

struct isa_print_options pipe_print_options(struct pipe_listing *l)
{
    bool names = l->labels != NULL;
    return (struct isa_print_options){.dialect = names ? ISA_DIALECT_NVDISASM : ISA_DIALECT_CUOBJDUMP,
                                      .label = names ? pipe_label_text : NULL,
                                      .user = l};
}

/* ---- texts that are kept ---------------------------------------------------------------------------- */

/* Room for the texts of `count` more instructions of usual length; one has it always. */
static bool reserve(struct pipe_spelled *s, size_t count)
{
    enum { USUAL = 40 };
    if (s->size - s->n < (size_t)2 * ISA_TEXT_ROOM) {
        size_t size = 2 * s->size + USUAL * count + (size_t)4 * ISA_TEXT_ROOM;
        char *bytes = realloc(s->bytes, size);
        if (!bytes)
            return false;
        s->bytes = bytes;
        s->size = size;
    }
    if (s->room - s->count < count) {
        size_t room = 2 * s->room + count;
        uint16_t *lengths = realloc(s->lengths, room * sizeof *lengths);
        if (!lengths)
            return false;
        s->lengths = lengths;
        s->room = room;
    }
    return true;
}

bool pipe_spell(struct pipe_listing *l, size_t *widest)
{
    struct pipe_spelled *s = l->spelled;
    struct isa_print_options o = pipe_print_options(l);
    uint32_t special = pipe_next_special(l, 0);
    size_t most = *widest;
    if (!reserve(s, l->count))
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        struct bits128 word = pipe_word_at(l, i);
        if (s->size - s->n < (size_t)2 * ISA_TEXT_ROOM && !reserve(s, l->count - i))
            return false;
        char *text = s->bytes + s->n;
        size_t n;
        if (16 * i >= special) {
            n = pipe_print_text(l, i, text);
            special = pipe_next_special(l, 16 * (i + 1));
        } else {
            n = print_at(l, &o, word, i, text);
        }
        size_t with = n + 2 - pipe_is_filler(word) + pipe_leaves_blank(text, n) + pipe_more_digits(16 * i);
        most = with > most ? with : most;
        s->lengths[s->count++] = (uint16_t)n;
        s->n += n;
    }
    *widest = most;
    return true;
}

/* ---- the form of `cuobjdump -sass` --------------------------------------------------------------------- */

/* Of listings, whose instructions may have no word. */
static void print_told(struct pipe_listing *l, uint32_t i)
{
    char room[ISA_TEXT_ROOM];
    struct bits128 word = pipe_word_at(l, i);
    const char *text;
    size_t rest, n = pipe_next_text(l, i, room, &text), blank = pipe_leaves_blank(text, n);
    size_t filled = n + blank + 2 - pipe_is_filler(word) + pipe_more_digits(16 * i);
    char *p = out_room(l->out, OUT_ROOM);
    p = pipe_put_offset(p, 16 * i, text, n, &rest);
    p = pipe_put(p, text + rest, n - rest);
    p = pipe_put_blanks(p, blank);
    p = pipe_put_ending(p, word);
    if (pipe_has_word(l, i)) {
        p = pipe_put_blanks(p, l->widest - (filled - rest));
        p = pipe_put(p, "  /* 0x", 7);
        hex_put16(p, word.lo);
        p += HALF;
        p = pipe_put(p, " */\n", 4);
        p = pipe_put_blanks(p, 37 + l->widest);
        p = pipe_put(p, "/* 0x", 5);
        hex_put16(p, word.hi);
        p += HALF;
        p = pipe_put(p, " */", 3);
    }
    *p++ = '\n';
    out_filled(l->out, p);
}

/* What stands behind the widest text: the word's two halves on two lines, of one length for all instructions. */
struct tail {
    size_t n, second; /* where the digits of the second half begin */
    char text[WIDEST + 128];
};

static void make_tail(struct tail *t, size_t widest)
{
    char *p = pipe_put(t->text, "  /* 0x0000000000000000 */\n", 27);
    p = pipe_put_blanks(p, 37 + widest);
    p = pipe_put(p, "/* 0x0000000000000000 */\n", 25);
    t->n = (size_t)(p - t->text);
    t->second = t->n - 4 - HALF;
}

static char *put_both(struct pipe_listing *l, const struct tail *t, uint32_t i, char *p)
{
    struct bits128 word = pipe_word_at(l, i);
    char *at = put_place(p, 16 * i), *text = at - guard_room(word);
    size_t n = copy_kept(l->spelled, text);
    text = settle(at, text, n);
    char *end = at + l->widest - pipe_more_digits(16 * i);
    p = text + n;
    *p = ' ';
    p = pipe_put_ending(p + pipe_leaves_blank(text, n), word);
    memset(p, ' ', COPY);
    for (p += COPY; p < end; p += COPY)
        memset(p, ' ', COPY);
    memcpy(end, t->text, t->n);
    hex_put16(end + FIRST, word.lo);
    hex_put16(end + t->second, word.hi);
    return end + t->n;
}

void pipe_print_cuobjdump(struct pipe_listing *l)
{
    struct tail tail;
    bool told = l->insns != NULL || l->widest > WIDEST || !l->is_spelled;
    out_printf(l->out, "\n\t\tFunction : %s\n", l->kernel->name);
    pipe_print_header_flags(l->out, l->module);
    if (!told)
        make_tail(&tail, l->widest);
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->options->line_info)
            pipe_print_line_info(l, 16 * i);
        if (told)
            print_told(l, i);
        else
            out_filled(l->out, put_both(l, &tail, i, out_room(l->out, OUT_ROOM)));
    }
    out_text(l->out, "\t\t..........\n\n");
}
