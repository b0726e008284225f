/* Lines of instructions in the vendor's two forms, where nearly all time of `disasm` goes: one pass over the words,
 * text made where it will stand, copies of fixed sizes that go past what counts and are written over by what follows.
 *
 * An instruction is plain when its word and its place say all that its line shows; others (a relocation, a branch's
 * targets, a spill) are printed by pipe_assembly.c. requires: a kernel's listing · gives: text */
#include "pipeline/pipe_lines.h"

#include "base/hex.h"
#include "isa/isa_cache.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN = 17, COPY = 64, FIRST = 7, HALF = 16, WIDEST = 256, LONG_ENOUGH = 16, ENDING = 8, CHUNK = 32 };

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
    pipe_put(mark, name, length); /* the end is moved already */
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

/* What of the text stands left of the column of opcodes, its blank included: a guard that is not uniform. */
static size_t guard_of(const char *text, size_t n)
{
    bool uniform = n > 2 && text[1 + (text[1] == '!')] == 'U';
    size_t guard = uniform ? 0 : pipe_guard_length(text, n);
    return guard ? guard + 1 : 0;
}

char *pipe_put_offset(char *p, uint32_t offset, const char *text, size_t n, size_t *rest)
{
    size_t with = guard_of(text, n), guard = with ? with - 1 : 0;
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

static const char place[] = "        /*0000*/                   ";
enum { FRONT = 10, PLACE = sizeof place - 1 };

/* An offset of more than four digits. */
static __attribute__((noinline)) char *put_far_place(char *p, uint32_t offset)
{
    p = pipe_put(p, place, FRONT);
    p = pipe_put_hex(p, offset, 4);
    return pipe_put(p, place + FRONT + 4, PLACE - FRONT - 4);
}

/* The offset in its comment, and blanks up to where opcodes stand. */
static inline char *put_place(char *p, uint32_t offset)
{
    if (__builtin_expect(offset > 0xffff, 0))
        return put_far_place(p, offset);
    memcpy(p, place, PLACE);
    hex_put4(p + FRONT, offset);
    return p + PLACE;
}

static __attribute__((noinline)) void look_ahead(struct pipe_listing *l, uint32_t i)
{
    struct pipe_ahead *ahead = &l->ahead;
    uint32_t left = l->count - i;
    ahead->from = i;
    ahead->n = isa_find_templates(l->cache, l->module->sm, l->kernel->code + 16 * (size_t)i,
                                  left < PIPE_AHEAD ? left : PIPE_AHEAD, ahead->found);
}

static inline const struct isa_template *template_of(struct pipe_listing *l, uint32_t i)
{
    if (__builtin_expect(i - l->ahead.from >= l->ahead.n, 0))
        look_ahead(l, i);
    return l->ahead.found[i - l->ahead.from];
}

/* Answers where the text ends that has its opcode at `at`; *start is where its guard begins. */
static inline char *print_at(struct pipe_listing *l, const struct isa_print_options *o, uint32_t i, char *at,
                             char **start)
{
    const struct isa_template *t = template_of(l, i);
    char *end = isa_fill_template(l->module->sm, t, l->kernel->code + 16 * (size_t)i, 16 * i, o, at, start);
    if (__builtin_expect(l->long_name != NULL, 0))
        end = *start + pipe_put_long_name(l, *start, (size_t)(end - *start));
    return end;
}

/* Texts that were kept, from the next one on: bytes stored anywhere may be these, so a loop has its own. */
struct kept {
    const char *text;
    const uint16_t *length;
};

static struct kept kept_from(const struct pipe_listing *l)
{
    const struct pipe_spelled *s = l->spelled;
    return (struct kept){l->is_spelled ? s->bytes + s->printed : NULL, l->is_spelled ? s->lengths + s->shown : NULL};
}

static void kept_until(struct pipe_listing *l, struct kept k)
{
    if (!l->is_spelled)
        return;
    l->spelled->printed = (size_t)(k.text - l->spelled->bytes);
    l->spelled->shown = (size_t)(k.length - l->spelled->lengths);
}

/* The next of them, its opcode at `at`; answers where it ends. There are bytes behind them. */
static inline char *copy_at(struct kept *k, char *at)
{
    size_t both = *k->length++, n = both & PIPE_LENGTH;
    at -= both >> PIPE_GUARD_SHIFT;
    memcpy(at, k->text, COPY);
    if (__builtin_expect(n > COPY, 0))
        memcpy(at + COPY, k->text + COPY, n - COPY);
    k->text += n;
    return at + n;
}

static inline struct bits128 word_of(const uint8_t *code, uint32_t i)
{
    code += 16 * (size_t)i;
    return (struct bits128){bits_le64(code), bits_le64(code + 8)};
}

/* What follows the text of a plain instruction, which ends at `p`. */
static inline char *put_ending(char *p, struct bits128 word)
{
    *p = ' ';
    return pipe_put_ending(p + pipe_leaves_blank(p, LONG_ENOUGH), word);
}

/* Where the next line goes; the buffer is handed on when there might be no room for it. */
static inline char *line_room(struct out *out, const char *last, char *p)
{
    if (__builtin_expect(p <= last, 1))
        return p;
    out_filled(out, p);
    return out_room(out, OUT_ROOM);
}

void pipe_print_plain(struct pipe_listing *l, const struct isa_print_options *o, uint32_t i, uint32_t end)
{
    struct out *out = l->out;
    struct kept kept = kept_from(l);
    const char *last = out->buffer + sizeof out->buffer - OUT_ROOM;
    const uint8_t *code = l->kernel->code;
    char *p = out_room(out, OUT_ROOM);
    for (; i < end; i++) {
        char *at = put_place(line_room(out, last, p), 16 * i), *start;
        p = kept.length ? copy_at(&kept, at) : print_at(l, o, i, at, &start);
        p = put_ending(p, word_of(code, i));
        *p++ = '\n';
    }
    out_filled(out, p);
    kept_until(l, kept);
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
    uint32_t special = l->insns ? 0 : pipe_next_special(l, 0);
    size_t most = *widest;
    if (!reserve(s, l->count))
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        if (s->size - s->n < (size_t)2 * ISA_TEXT_ROOM && !reserve(s, l->count - i))
            return false;
        char *text = s->bytes + s->n, *end;
        size_t n, guard;
        if (__builtin_expect(16 * i >= special, 0)) {
            n = pipe_print_text(l, i, text);
            guard = guard_of(text, n);
            special = l->insns ? 0 : pipe_next_special(l, 16 * (i + 1));
        } else {
            static const uint8_t usual[16] = {4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 5, 5, 5, 5, 5};
            char *start, *at = text + usual[pipe_word_at(l, i).lo >> 12 & 15];
            end = print_at(l, &o, i, at, &start);
            n = (size_t)(end - start);
            guard = (size_t)(at - start);
            if (__builtin_expect(start != text, 0)) /* a uniform guard, or none */
                memmove(text, start, n);
        }
        if (__builtin_expect(n + ENDING >= most, 0)) {
            size_t with =
                n + 2 - pipe_is_filler(pipe_word_at(l, i)) + pipe_leaves_blank(text + n, n) + pipe_more_digits(16 * i);
            most = with > most ? with : most;
        }
        s->lengths[s->count++] = (uint16_t)(n | guard << PIPE_GUARD_SHIFT);
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
    size_t rest, n = pipe_next_text(l, i, room, &text), blank = pipe_leaves_blank(text + n, n);
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
    size_t n, second;        /* where the digits of the second half begin */
    char text[WIDEST + 160]; /* copied by chunks */
};

static void make_tail(struct tail *t, size_t widest)
{
    char *p = pipe_put(t->text, "  /* 0x0000000000000000 */\n", 27);
    p = pipe_put_blanks(p, 37 + widest);
    p = pipe_put(p, "/* 0x0000000000000000 */\n", 25);
    t->n = (size_t)(p - t->text);
    t->second = t->n - 4 - HALF;
}

static inline char *put_both(char *p, const struct tail *t, size_t widest, struct kept *kept, uint32_t offset,
                             struct bits128 word)
{
    char *at = put_place(p, offset), *end = at + widest - pipe_more_digits(offset);
    p = put_ending(copy_at(kept, at), word);
    memset(p, ' ', COPY);
    for (p += COPY; p < end; p += COPY)
        memset(p, ' ', COPY);
    for (size_t k = 0; k < t->n; k += CHUNK)
        memcpy(end + k, t->text + k, CHUNK);
    hex_put16(end + FIRST, word.lo);
    hex_put16(end + t->second, word.hi);
    return end + t->n;
}

static void print_both(struct pipe_listing *l, const struct tail *t)
{
    struct out *out = l->out;
    struct kept kept = kept_from(l);
    const char *last = out->buffer + sizeof out->buffer - OUT_ROOM;
    const uint8_t *code = l->kernel->code;
    char *p = out_room(out, OUT_ROOM);
    for (uint32_t i = 0, count = l->count; i < count; i++) {
        p = line_room(out, last, p);
        if (l->options->line_info) {
            out_filled(out, p);
            pipe_print_line_info(l, 16 * i);
            p = out_room(out, OUT_ROOM);
        }
        p = put_both(p, t, l->widest, &kept, 16 * i, word_of(code, i));
    }
    out_filled(out, p);
    kept_until(l, kept);
}

void pipe_print_cuobjdump(struct pipe_listing *l)
{
    struct tail tail;
    out_printf(l->out, "\n\t\tFunction : %s\n", l->kernel->name);
    pipe_print_header_flags(l->out, l->module);
    if (l->is_spelled && !l->insns && l->widest <= WIDEST) {
        make_tail(&tail, l->widest);
        print_both(l, &tail);
    }
    for (uint32_t i = 0; i < l->count && (!l->is_spelled || l->insns || l->widest > WIDEST); i++) {
        if (l->options->line_info)
            pipe_print_line_info(l, 16 * i);
        print_told(l, i);
    }
    out_text(l->out, "\t\t..........\n\n");
}
