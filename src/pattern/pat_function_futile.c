/* What a run need not be made for, in the search for functions of mathematics: a value that cannot be had without
 * something no run is given; a loop that counts to a number beyond all steps (a sample's bits taken for a length, say).
 * Both end as unknown, a run would only take longer to say so.
 *
 * Requires a run that is set up (pat_function_run.c); gives answers that are right when they are yes. Work is linear,
 * then bounded for each question by what lies between a root and its arguments. */
#include "base/bits.h"
#include "pattern/pat_function.h"

/* Whether no run can know the value when nothing is given but what meets at branches and stands in local memory. */
static bool is_unknown(const struct function_run *r, graph_id id)
{
    const struct graph_node *n = graph_at(r->g, id);
    const struct graph_node *load = r->work[id] == WORK_ELEMENT ? graph_at(r->g, n->arg[0]) : n;
    const bool *unknown = r->unknown;
    switch (r->work[id]) {
    case WORK_CONST:
    case WORK_STACK:
    case WORK_TABLE: return false;
    case WORK_LOAD:
        if (n->space != UOP_GLOBAL) /* of local memory, perhaps by a generic address */
            return false;
        return n->order != UOP_READONLY || unknown[n->arg[0]];
    case WORK_ELEMENT: return load->kind != UOP_LOAD || load->order != UOP_READONLY || unknown[load->arg[0]];
    case WORK_SELECT: return unknown[n->arg[0]] || (unknown[n->arg[1]] && unknown[n->arg[2]]);
    case WORK_UNIFORM: return unknown[n->arg[0]];
    case WORK_CHECK:
    case WORK_PURE:
        for (unsigned i = 0; i < n->arg_count; i++)
            if (unknown[n->arg[i]])
                return true;
        return false;
    case WORK_BOOL: return false; /* some of what it asks may settle it */
    default: return n->kind != GRAPH_PHI;
    }
}

/* What an unknown node cannot be computed without, any of it; none: it is a leaf, or a choice. */
static unsigned needs_of(const struct function_run *r, graph_id id, const graph_id **list)
{
    const struct graph_node *n = graph_at(r->g, id);
    *list = n->arg;
    switch (r->work[id]) {
    case WORK_LOAD: return n->order == UOP_READONLY ? 1 : 0;
    case WORK_ELEMENT: {
        const struct graph_node *load = graph_at(r->g, n->arg[0]);
        *list = load->arg;
        return load->kind == UOP_LOAD && load->order == UOP_READONLY ? 1 : 0;
    }
    case WORK_SELECT:
    case WORK_UNIFORM: return 1;
    case WORK_CHECK:
    case WORK_PURE: return n->arg_count;
    default: return 0;
    }
}

/* An unknown node stays so where nothing that is given (the least of it has that number) is in the way. */
static bool stays_unknown(struct function_run *r, graph_id id, graph_id least, unsigned depth)
{
    enum { DEEP = 200 };
    const graph_id *list;
    if (!r->unknown[id] || depth > DEEP || r->asked[id] == r->question)
        return false; /* asked before, it was not */
    r->asked[id] = r->question;
    if (id < least) /* made of nothing that is given */
        return true;
    unsigned count = needs_of(r, id, &list);
    if (!count && r->work[id] != WORK_SELECT)
        return true; /* a leaf */
    for (unsigned i = 0; i < count; i++)
        if (stays_unknown(r, list[i], least, depth + 1))
            return true;
    return false;
}

bool pat_run_find_unknown(struct function_run *r)
{
    r->unknown = ARENA_ARRAY(r->a, bool, r->nodes + 1u);
    r->asked = ARENA_ARRAY(r->a, uint32_t, r->nodes + 1u);
    for (graph_id id = 1; r->unknown && r->asked && id < r->nodes; id++)
        r->unknown[id] = is_unknown(r, id);
    return r->unknown && r->asked;
}

bool pat_run_is_unknown(struct function_run *r, graph_id root, const graph_id *args, unsigned count)
{
    graph_id least = UINT32_MAX;
    r->question++;
    for (unsigned i = 0; i < count + r->given_count; i++) {
        graph_id id = i < count ? args[i] : r->given[i - count];
        if (id < r->nodes)
            r->asked[id] = r->question;
        least = id < least ? id : least;
    }
    return stays_unknown(r, root, least, 0);
}

/* ---- loops ------------------------------------------------------------------------------------- */

static bool is_there(const struct function_run *r, graph_id id, uint64_t *bits)
{
    const struct function_value *v = &r->value[id];
    *bits = r->work[id] == WORK_CONST ? graph_at(r->g, id)->imm : v->bits;
    return r->work[id] == WORK_CONST || v->given_in == r->now || v->known_in == r->stage;
}

bool pat_run_is_futile(struct function_run *r, uint32_t block)
{
    enum { TURNS = 128 }; /* of the same kind: it goes on like that, and nothing else ends it */
    const struct graph_block *b = &r->g->blocks.p[block];
    struct function_way *way = &r->ways[block];
    uint64_t bits[2];
    if (!b->loop || b->branch == GRAPH_NIL || b->branch >= r->nodes)
        return false;
    const struct graph_node *n = graph_at(r->g, b->branch);
    if (n->kind == GRAPH_BOOL && n->arg_count == 1)
        n = graph_at(r->g, n->arg[0]);
    if ((n->kind != UOP_ILT_S && n->kind != UOP_ILT_U && n->kind != UOP_IEQ) || n->imm != 32 ||
        !is_there(r, n->arg[0], &bits[0]) || !is_there(r, n->arg[1], &bits[1]))
        return false;
    bool is_signed = n->kind == UOP_ILT_S;
    int64_t x = is_signed ? bits_sign_extend(bits[0], 32) : (int64_t)(uint32_t)bits[0];
    int64_t y = is_signed ? bits_sign_extend(bits[1], 32) : (int64_t)(uint32_t)bits[1];
    int64_t apart = y - x, change = apart - way->apart;
    bool first = way->run != r->now;
    way->same = first || change != way->change ? 0 : way->same + 1;
    way->run = r->now;
    way->apart = apart;
    way->change = change;
    if (way->same < TURNS || !change || (apart > 0) == (change > 0))
        return false;
    int64_t size = apart < 0 ? -apart : apart, step = change < 0 ? -change : change;
    return (uint64_t)(size / step) > r->steps;
}
