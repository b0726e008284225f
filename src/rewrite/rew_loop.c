/* Loops: how often each compiler copied a body. The PTX has its own loops with their own pieces; what the machine code
 * has more of, the assembler made.
 *
 * requires: both graphs with their loops · gives: a record for each loop of the source and stage that unrolled it */
#include "rewrite/rew_internal.h"

#include "graph/graph_cycle.h"

static void mark_pieces(const struct graph_cycle *c, uint32_t number, uint32_t *of, size_t count)
{
    for (size_t k = 0; k < c->pieces.n; k++)
        for (uint32_t i = c->pieces.p[k].first; i <= c->pieces.p[k].last && i < count; i++)
            of[i] = number + 1;
}

/* Of each instance the innermost loop of the source + 1, 0: none. */
static uint32_t *cycles_of(struct arena *a, const struct graph *g)
{
    uint32_t *of = ARENA_ARRAY(a, uint32_t, g->insns.n + 1);
    if (of) /* outer ones stand before inner ones */
        for (size_t i = 0; i < g->cycles->cycles.n; i++)
            mark_pieces(&g->cycles->cycles.p[i], (uint32_t)i, of, g->insns.n);
    return of;
}

static void add_pieces(struct rew *r, struct rew_record *f, const struct graph_cycle *c)
{
    for (size_t k = 0; k < c->pieces.n; k++) {
        rew_add_insn(r, f, c->pieces.p[k].first);
        rew_add_insn(r, f, c->pieces.p[k].last);
    }
}

static void add_piece_lines(struct rew *r, struct rew_record *f, const struct graph_cycle *c)
{
    for (size_t k = 0; k < c->pieces.n; k++) {
        rew_add_line(r, f, rew_statement(r, c->pieces.p[k].first)->line);
        rew_add_line(r, f, rew_statement(r, c->pieces.p[k].last)->line);
    }
}

/* Source lines of what a piece of the machine code loads and computes in floats, each once, at most LINES. */
enum { LINES = 64 };
struct lines {
    uint64_t p[LINES];
    uint32_t operations[LINES]; /* in floats, of each */
    unsigned n;
    bool more;
};

static struct lines lines_of(const struct rew *r, const struct graph_piece *piece)
{
    const struct graph *s = r->sass->g;
    struct lines l = {.n = 0};
    for (uint32_t i = piece->first; i <= piece->last && i < s->insns.n && !l.more; i++) {
        uint64_t source = r->sass->sources ? r->sass->sources[s->insns.p[i].input] : 0;
        graph_id made = rew_made(s, i);
        unsigned kind = made ? graph_at(s, made)->kind : UOP_NOP;
        bool counts = rew_has_op(s, i, UOP_LOAD) || kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FFMA;
        bool known = !source || !counts, load = rew_has_op(s, i, UOP_LOAD);
        for (unsigned k = 0; k < l.n && counts && source; k++)
            if (l.p[k] == source) {
                l.operations[k] += !load;
                known = true;
            }
        if (!known && l.n < LINES) {
            l.operations[l.n] = !load;
            l.p[l.n++] = source;
        } else {
            l.more |= !known;
        }
    }
    return l;
}

/* The steps stand on several lines, some on each: copies of one body would be of each line as many as there are. */
static bool shares_steps(const struct lines *l, uint32_t steps)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < l->n; i++) {
        if (l->operations[i] == 0 || l->operations[i] % steps == 0)
            return false;
        all += l->operations[i];
    }
    return l->n > 1 && all % steps == 0;
}

static bool all_in(const struct lines *a, const struct lines *b)
{
    for (unsigned i = 0; i < a->n; i++) {
        bool found = false;
        for (unsigned k = 0; k < b->n && !found; k++)
            found = a->p[i] == b->p[k];
        if (!found)
            return false;
    }
    return true;
}

/* Who wrote the copies of a body down, `unroll` of them in the PTX. The compiler's have the same source lines in every
 * piece; a person's have lines of their own, or another remainder. One piece whose copies share their lines may be
 * either's. */
enum writer { COMPILER, PERSON, NOT_KNOWN };
static enum writer writer_of(const struct rew *r, const struct graph_cycle *c, const struct graph_cycle *there)
{
    uint32_t unroll = there->unroll;
    struct lines first = lines_of(r, &c->pieces.p[0]);
    bool differ = false;
    /* Who copies a body for turns of which some may be left over keeps a loop for these. */
    if (there->whole)
        return PERSON;
    if (!first.n || first.more)
        return NOT_KNOWN;
    if (shares_steps(&first, unroll))
        return PERSON;
    for (size_t k = 1; k < c->pieces.n; k++) {
        struct lines l = lines_of(r, &c->pieces.p[k]);
        if (!l.n || l.more)
            return NOT_KNOWN;
        if (!all_in(&l, &first) || !all_in(&first, &l))
            return PERSON;
        differ |= c->pieces.p[k].unroll != c->pieces.p[0].unroll;
    }
    if (differ)
        return COMPILER;
    return first.n >= unroll ? PERSON : NOT_KNOWN;
}

/* A loop of the PTX whose pieces may not be copied any further, as far as they are loops. */
static bool is_rolled(const struct rew *r, const struct graph_cycle *there)
{
    bool rolled = false;
    for (size_t k = 0; k < there->pieces.n; k++) {
        if (there->pieces.p[k].straight)
            continue;
        if (!(rew_statement(r, there->pieces.p[k].first)->is & REW_IS_ROLLED))
            return false;
        rolled = true;
    }
    return rolled;
}

static void tell(struct rew *r, const struct graph_cycle *here, const struct graph_cycle *there)
{
    enum writer writer = there->unroll > 1 ? writer_of(r, here, there) : NOT_KNOWN;
    if (there->unroll > 1 && writer != PERSON) {
        /* With the source at hand and no proof in it, neither the compiler nor a person is named. */
        bool withdrawn = writer == NOT_KNOWN && rew_source_line(r, here->pieces.p[0].first);
        struct rew_record *f =
            rew_add(r, "unrolled", withdrawn ? REW_UNKNOWN : REW_NVVM, writer == COMPILER ? REW_PROVED : REW_ASSUMED);
        f->factor = there->unroll;
        add_pieces(r, f, here);
        add_piece_lines(r, f, there);
    }
    /* A text that was given may be of a build that is alike but for its unrolling: what was stored does not tell. */
    if (here->unroll > there->unroll && here->unroll % there->unroll == 0 && !is_rolled(r, there)) {
        struct rew_record *f = rew_add(r, "unrolled", REW_PTXAS, r->context->must_fit ? REW_ASSUMED : REW_PROVED);
        f->factor = here->unroll / there->unroll;
        add_pieces(r, f, here);
        add_piece_lines(r, f, there);
    }
}

/* Bodies can be copied whole only, and turns that are left over are run as turns of the PTX: whoever copies a body of
 * `there->unroll` steps keeps one that has no more, unless nothing can be left over. None takes copies apart. */
static bool copies_otherwise(const struct rew *r, const struct graph_cycle *here, const struct graph_cycle *there)
{
    uint64_t count;
    if (here->unroll <= there->unroll)
        return here->unroll < there->unroll;
    if (is_rolled(r, there))
        return true;
    if (there->unroll < 2 || (here->count && graph_is_const(r->sass->g, here->count, &count)))
        return false;
    for (size_t k = 0; k < here->pieces.n; k++)
        if (here->pieces.p[k].unroll == there->unroll)
            return here->unroll % there->unroll != 0;
    return true;
}

bool rew_unrolls_otherwise(const struct rew *r)
{
    const struct graph_cycles *s = r->sass->g->cycles, *p = r->ptx->g->cycles;
    for (size_t c = 0; r->cycles && c < s->cycles.n; c++) {
        if (r->cycles[c] && copies_otherwise(r, &s->cycles.p[c], &p->cycles.p[r->cycles[c] - 1]))
            return true;
    }
    return false;
}

bool rew_pair_loops(struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    if (!s->cycles || !p->cycles || !s->cycles->cycles.n || !p->cycles->cycles.n)
        return true;
    size_t n = s->cycles->cycles.n, m = p->cycles->cycles.n;
    uint32_t *here = cycles_of(r->a, s), *there = cycles_of(r->a, p);
    uint32_t *best = ARENA_ARRAY(r->a, uint32_t, n + 1);
    int64_t *votes = ARENA_ARRAY(r->a, int64_t, n + 1); /* for the one that leads */
    bool *taken = ARENA_ARRAY(r->a, bool, m + 1);
    r->cycles = ARENA_ARRAY(r->a, uint32_t, n + 1);
    if (!here || !there || !best || !votes || !taken || !r->cycles)
        return false;
    /* The loop of the PTX that most of its instances were found in: by the vote that needs no table, then counted. */
    for (uint32_t i = 0; i < s->insns.n; i++) {
        uint32_t c = here[i], of = r->found[i] != UINT32_MAX ? there[r->found[i]] : 0;
        if (!c || !of)
            continue;
        if (!votes[c])
            best[c] = of;
        votes[c] += best[c] == of ? 1 : -1;
    }
    uint32_t *found = ARENA_ARRAY(r->a, uint32_t, 2 * (n + 1));
    if (!found)
        return false;
    for (uint32_t i = 0; i < s->insns.n; i++) {
        uint32_t c = here[i], of = r->found[i] != UINT32_MAX ? there[r->found[i]] : 0;
        if (!c || !of)
            continue;
        found[2 * c]++;
        found[2 * c + 1] += of == best[c];
    }
    for (uint32_t c = 1; c <= n; c++) {
        if (!found[2 * c] || found[2 * c + 1] * 4 < found[2 * c] * 3 || taken[best[c]])
            continue; /* no loop of the PTX is meant by most of it */
        taken[best[c]] = true;
        r->cycles[c - 1] = best[c];
    }
    return true;
}

void rew_find_loops(struct rew *r)
{
    const struct graph_cycles *s = r->sass->g->cycles, *p = r->ptx->g->cycles;
    for (size_t c = 0; r->cycles && c < s->cycles.n; c++)
        if (r->cycles[c])
            tell(r, &s->cycles.p[c], &p->cycles.p[r->cycles[c] - 1]);
}
