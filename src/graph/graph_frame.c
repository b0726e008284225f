/* Parts of a thread's frame that local accesses at moving places stay in: a loop that fills an array of six words from
 * the stack pointer on does not touch what lies behind them, a register that a function puts away, say. Addresses are
 * the stack pointer plus a sum; pointers that a loop moves count as their start plus their step times its turns, of
 * which there are no more than its counters can make. Everything is taken modulo 2^32, as addresses are. What a pass
 * shows holds whatever later passes name the same values.
 *
 * requires: a finished pass · gives: graph_learn_frame; the next pass leaves the rest of the frame alone */
#include "graph/graph_depend_internal.h"
#include "graph/graph_values.h"

enum { FRAME_ASKED = 512, FRAME_STEPS = 12 };

struct frame_sum {
    struct graph *g;
    __int128 lo, hi;
    int64_t stack; /* how often the stack pointer is in it */
    unsigned steps;
};

static bool is_stack_pointer(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return n->kind == UOP_CBANK && n->space == 0 && !n->arg_count && g->env->stack_offset &&
           n->imm == g->env->stack_offset;
}

static void add_between(struct frame_sum *s, int64_t coefficient, const struct graph_range *r)
{
    __int128 x = (__int128)coefficient * r->lo, y = (__int128)coefficient * r->hi;
    s->lo += x < y ? x : y;
    s->hi += x < y ? y : x;
}

/* Adds coefficient * id; loops in loops nest no deeper than the steps allow. */
static bool add_node(struct frame_sum *s, graph_id id, int64_t coefficient)
{
    struct graph *g = s->g;
    struct graph_affine f;
    if (s->steps++ == FRAME_STEPS || uop_type_bits((enum uop_type)graph_at(g, id)->type) != 32 ||
        !graph_affine(g, id, &f) || (f.base != GRAPH_NIL && !is_stack_pointer(g, f.base)))
        return false;
    s->stack += f.base != GRAPH_NIL ? coefficient : 0;
    s->lo += (__int128)coefficient * f.offset;
    s->hi += (__int128)coefficient * f.offset;
    for (unsigned i = 0; i < f.term_count; i++) {
        graph_id term = f.terms[i].term, start;
        int64_t step, by;
        struct graph_range r, turns;
        if (f.terms[i].extend || __builtin_mul_overflow(coefficient, f.terms[i].coefficient, &by) || by > INT32_MAX ||
            by < INT32_MIN)
            return false;
        if (is_stack_pointer(g, term)) {
            s->stack += by;
        } else if (graph_range_of(g, term, &r) && r.hi - r.lo <= INT32_MAX) {
            add_between(s, by, &r);
        } else {
            if (!graph_is_counter(g, term, &start, &step) ||
                !graph_range_of(g, graph_turn_symbol(g, g->blocks.p[graph_at(g, term)->block].loop), &turns) ||
                turns.hi >= UINT16_MAX || __builtin_mul_overflow(by, step, &step) || !add_node(s, start, by))
                return false;
            add_between(s, step, &turns);
        }
    }
    return true;
}

static struct graph_frame_part part_of(struct graph *g, const struct graph_access *x)
{
    struct frame_sum s = {.g = g};
    struct graph_frame_part part = {0};
    if (x->address == GRAPH_NIL || !add_node(&s, x->address, 1) || s.stack != 1 || s.lo < INT32_MIN / 2 ||
        s.hi > INT32_MAX / 2)
        return part;
    return (struct graph_frame_part){true, (int32_t)s.lo, (int32_t)s.hi + x->width};
}

bool graph_learn_frame(struct graph_builder *b)
{
    struct graph *g = b->g;
    unsigned asked = 0;
    bool news = false;
    for (size_t i = 0; i < g->accesses.n && asked < FRAME_ASKED; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_affine f;
        if (x->space != UOP_LOCAL || b->parts[x->insn].known ||
            (x->address != GRAPH_NIL && graph_affine(g, x->address, &f) && f.base != GRAPH_NIL && !f.term_count))
            continue;
        asked++;
        b->parts[x->insn] = part_of(g, x);
        news |= b->parts[x->insn].known && x->kind != GRAPH_LOAD;
    }
    if (asked)
        g->facts = NULL; /* of nodes that another pass makes anew */
    return news;
}
