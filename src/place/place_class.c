/* The class of a value: the first that holds of D8's list. No positive claim rests on a load that may read the store;
 * where nothing else can be said of a value in shared memory, the claim is marked assumed.
 *
 * requires: storage and uses · gives: cls, assumed */
#include "place/place_internal.h"

enum { MADE_MAX = 16, REACH_BLOCKS = 4096, WALKS_MAX = 4096 };

struct found {
    bool stored_global, read_back_global, shared, spilled, array, loaded_global;
    bool variable; /* stands in local memory for another reason */
    bool global_proved, shared_proved, may_global,
        foreign; /* foreign: a global load that a store of the kernel reaches */
};

/* ---- recomputed ------------------------------------------------------------------------------ */

/* Some path without a back edge leads from the end of one block to another. */
static bool leads_to(struct place_work *w, uint32_t from, uint32_t to)
{
    const struct graph *g = w->g;
    VEC(uint32_t) list = {0};
    if (++w->walks > WALKS_MAX)
        return false;
    uint8_t *seen = ARENA_ARRAY(w->a, uint8_t, g->blocks.n + 1);
    if (!seen)
        return false;
    VEC_PUSH(w->a, list, from);
    for (size_t i = 0; i < list.n && i < REACH_BLOCKS; i++) {
        const struct graph_block *b = &g->blocks.p[list.p[i]];
        for (uint32_t k = 0; k < b->succ_count; k++) {
            uint32_t s = b->succs[k];
            if (s == to)
                return true;
            if (seen[s] || g->blocks.p[s].first <= b->first) /* back */
                continue;
            seen[s] = 1;
            VEC_PUSH(w->a, list, s);
        }
    }
    return false;
}

static const struct graph_piece *piece_of(const struct graph_cycle *c, uint32_t block)
{
    for (size_t i = 0; i < c->pieces.n; i++)
        for (uint32_t k = 0; k < c->pieces.p[i].block_count; k++)
            if (c->pieces.p[i].blocks[k] == block)
                return &c->pieces.p[i];
    return NULL;
}

/* Of one instruction of the source's loop: in pieces of it, or in one piece that holds several turns. */
static bool are_copies(const struct graph *g, uint32_t block, uint32_t other)
{
    uint32_t at = g->cycles ? g->cycles->cycle_of[block] : 0;
    if (!at || at != g->cycles->cycle_of[other])
        return false;
    const struct graph_cycle *c = &g->cycles->cycles.p[at - 1];
    const struct graph_piece *x = piece_of(c, block), *y = piece_of(c, other);
    return x != y || !x || x->unroll > 1;
}

/* All that looks at the value is in copies of one loop: what is made for each of them, before it or in it, is made once
 * in the source. */
static bool serves_copies(const struct place_work *w, const struct place_value *v)
{
    const struct graph *g = w->g;
    uint32_t one = 0;
    for (size_t i = 0; i < v->uses.n && g->cycles; i++) {
        uint32_t at = g->cycles->cycle_of[g->insns.p[v->uses.p[i].insn].block];
        if (!at || (one && at != one))
            return false;
        one = at;
    }
    return one && (g->cycles->cycles.p[one - 1].pieces.n > 1 || g->cycles->cycles.p[one - 1].unroll > 1);
}

/* Both may run in one thread, one after the other, in the same turn of the loops they are in. */
bool place_both_run(struct place_work *w, uint32_t first, uint32_t second)
{
    struct graph *g = w->g;
    const struct graph_insn *a = &g->insns.p[first], *b = &g->insns.p[second];
    uint64_t never;
    if (a->offset == b->offset)
        return false; /* one instruction, inlined twice: a call each */
    graph_id both = graph_and(g, a->runs_when, b->runs_when);
    if (both != GRAPH_NIL && graph_is_const(g, both, &never) && !never)
        return false;
    if (are_copies(g, a->block, b->block))
        return false;
    return a->block == b->block || leads_to(w, a->block, b->block) || leads_to(w, b->block, a->block);
}

static bool is_recomputed(struct place_work *w, const struct place_value *v)
{
    const struct graph *g = w->g;
    uint32_t made[MADE_MAX];
    unsigned n = 0;
    const struct graph_node *node = graph_at(g, v->part != GRAPH_NIL ? v->part : v->node);
    switch (node->kind) { /* no arithmetic */
    case UOP_LOAD:
    case UOP_ELEMENT:
    case UOP_CBANK:
    case GRAPH_PHI:
    case UOP_FNEG:
    case UOP_FABS:
    case UOP_LO:
    case UOP_HI:
    case UOP_PAIR:
    case UOP_SEXT:
    case UOP_ZEXT: return false;
    default: break;
    }
    if (serves_copies(w, v))
        return false;
    for (size_t i = 0; i < v->storage.n; i++) {
        if (v->storage.p[i].def == UINT32_MAX)
            continue;
        const struct graph_def *d = &g->defs.p[v->storage.p[i].def];
        bool makes = d->node == v->node || (v->part != GRAPH_NIL && d->node == v->part) ||
                     (d->wide != GRAPH_NIL && (d->wide == v->node || d->wide == v->part));
        if (!makes || d->part == 2 || place_load_of_def(g, d) != UINT32_MAX || place_is_copy(g, d, v->node))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (made[k] != d->insn && place_both_run(w, made[k], d->insn))
                return true;
        if (n < MADE_MAX)
            made[n++] = d->insn;
    }
    return false;
}

/* ---- what the places say --------------------------------------------------------------------- */

/* A store of a byte or a half keeps all of the value: what was made is no wider, or nobody looks at the rest. */
static bool keeps_all(const struct graph *g, const struct graph_access *x, const struct place_value *v, bool used)
{
    const struct graph_node *n = graph_at(g, v->node);
    if (x->width >= 4 || !used)
        return true;
    switch (n->kind) {
    case UOP_LOAD: return n->width <= x->width;
    case UOP_ZEXT:
    case UOP_SEXT: return n->imm <= 8u * x->width;
    case UOP_F2F: return n->type == UOP_F16 || n->type == UOP_BF16;
    default: return uop_type_bits((enum uop_type)n->type) <= 8u * x->width;
    }
}

static bool old_value_is_used(const struct graph *g, const struct graph_access *x)
{
    const struct graph_insn *insn = &g->insns.p[x->insn];
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++)
        if (x->result != GRAPH_NIL && g->defs.p[d].read)
            return true;
    return false;
}

static void look_at_store(const struct place_work *w, const struct place_value *v, const struct place_storage *s,
                          bool used, struct found *f)
{
    const struct graph *g = w->g;
    const struct graph_access *x = &g->accesses.p[s->access];
    bool all = keeps_all(g, x, v, used);
    switch (x->space) {
    case UOP_GLOBAL:
    case UOP_GENERIC:
        f->stored_global |= all && (x->kind == GRAPH_STORE || !old_value_is_used(g, x));
        f->read_back_global |= s->read && x->kind == GRAPH_STORE;
        f->global_proved |= s->read && s->proved;
        f->may_global |= s->may_reach || w->alias_loads;
        break;
    case UOP_SHARED:
        if (s->read || s->may_reach || !w->reaches_known) {
            f->shared = true;
            f->shared_proved |= s->read && s->proved;
        }
        break;
    case UOP_LOCAL:
        f->array |= w->local[s->access] == PLACE_ARRAY;
        f->spilled |= w->local[s->access] == PLACE_SLOT;
        f->variable |= w->local[s->access] == PLACE_VARIABLE;
        break;
    default: break;
    }
}

/* Another thread may store what the load finds, sooner or later: the kernel writes that array, and not just each thread
 * what it read itself. */
static bool others_write(const struct place_work *w, const struct graph_access *x)
{
    struct graph_affine f;
    uint32_t written;
    if (!graph_affine(w->g, x->address, &f) || !map_u64_get(&w->written, f.base, &written))
        return false;
    bool own = written == x->address, thread = false;
    for (unsigned i = 0; i < f.term_count && own; i++) {
        own = f.terms[i].term < w->nodes && w->loaded[f.terms[i].term] != 2;
        thread = true;
    }
    return !own || !thread;
}

static void look_at_load(const struct place_work *w, const struct place_storage *s, struct found *f)
{
    const struct graph_access *x = &w->g->accesses.p[s->access];
    switch (x->space) {
    case UOP_GLOBAL:
    case UOP_GENERIC:
        f->loaded_global = true;
        f->foreign |= s->read;
        f->global_proved |= s->read && s->proved;
        f->may_global |= s->may_reach || others_write(w, x);
        break;
    case UOP_SHARED:
        f->shared = true;
        f->shared_proved |= s->read && s->proved;
        break;
    case UOP_LOCAL:
        f->array |= w->local[s->access] == PLACE_ARRAY;
        f->spilled |= w->local[s->access] == PLACE_SLOT;
        f->variable |= w->local[s->access] == PLACE_VARIABLE;
        break;
    default: break;
    }
}

/* The store writes the value, or what paths make of it. */
static bool stores_it(const struct place_work *w, const struct graph_access *x, graph_id node)
{
    if (node == GRAPH_NIL)
        return false;
    if (place_access_holds(w, x, node))
        return true;
    const struct graph_node *n = graph_at(w->g, x->value[0]);
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg + 1;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->kind == UOP_SELECT ? 2 : 0;
    for (uint32_t k = 0; k < count; k++)
        if (args[k] == node)
            return true;
    return false;
}

/* The instruction only decides something. */
static bool only_compares(const struct graph *g, const struct graph_insn *insn)
{
    bool predicates = insn->def_count > 0 && !insn->access_count;
    for (uint32_t k = insn->first_def; k < insn->first_def + insn->def_count; k++)
        predicates &= g->defs.p[k].file == UOP_FILE_P || g->defs.p[k].file == UOP_FILE_UP;
    return predicates;
}

/* It counts a loop's turns: its step, tests and addresses compute nothing with it. */
static bool is_counter(const struct place_work *w, graph_id node)
{
    const struct graph_cycles *c = w->g->cycles;
    for (size_t i = 0; c && i < c->cycles.n; i++)
        for (size_t k = 0; k < c->cycles.p[i].carried.n; k++)
            if (c->cycles.p[i].carried.p[k].kind == GRAPH_CARRIED_COUNTER &&
                (c->cycles.p[i].carried.p[k].phi == node || c->cycles.p[i].carried.p[k].next == node))
                return true;
    return false;
}

/* Made of the threads' numbers alone, as far as it is an index of theirs: blockIdx.x * blockDim.x + threadIdx.x. */
static bool is_thread_index(const struct graph *g, graph_id node)
{
    struct graph_affine f;
    bool thread = false;
    if (!graph_affine(g, node, &f) || f.base != GRAPH_NIL || f.offset)
        return false;
    for (unsigned k = 0; k < f.term_count; k++) {
        const struct graph_node *t = graph_at(g, f.terms[k].term);
        bool block = t->kind == UOP_SREG && t->imm >= UOP_SR_CTAID_X && t->imm <= UOP_SR_CTAID_Z;
        for (unsigned i = 0; i < 2 && t->kind == UOP_MUL && f.terms[k].coefficient == 1; i++)
            block |= graph_at(g, t->arg[i])->kind == UOP_SREG && graph_at(g, t->arg[1 - i])->kind == UOP_SREG;
        bool own = t->kind == UOP_SREG && t->imm <= UOP_SR_TID_Z && f.terms[k].coefficient == 1;
        if (!own && !block)
            return false;
        thread |= own;
    }
    return thread;
}

/* The instruction only finds places with what it is given: nothing it makes is data. */
static bool only_places(const struct place_work *w, const struct graph_insn *insn)
{
    bool data = insn->def_count == 0;
    for (uint32_t k = insn->first_def; k < insn->first_def + insn->def_count && !data; k++) {
        const struct graph_def *d = &w->g->defs.p[k];
        graph_id of[3] = {d->node, d->wide, d->merged};
        for (unsigned i = 0; i < 3; i++)
            data |= of[i] != GRAPH_NIL && (of[i] >= w->nodes || w->data[of[i]]);
    }
    return !data;
}

/* Consumers that compute with it: neither one of its stores, nor a copy of it, nor a compare. */
static uint32_t other_uses(const struct place_work *w, const struct place_value *v)
{
    const struct graph *g = w->g;
    uint32_t count = 0;
    for (size_t i = 0; i < v->uses.n; i++) {
        const struct graph_insn *insn = &g->insns.p[v->uses.p[i].insn];
        bool own = only_compares(g, insn) || (v->node < w->nodes && w->loaded[v->node] != 2 && only_places(w, insn));
        for (uint32_t k = insn->first_access; k < insn->first_access + insn->access_count && !own; k++) {
            const struct graph_access *x = &g->accesses.p[k];
            own = x->kind != GRAPH_LOAD && (stores_it(w, x, v->node) || stores_it(w, x, v->part)) &&
                  !(x->kind == GRAPH_ATOMIC && old_value_is_used(g, x));
        }
        for (uint32_t k = insn->first_def; k < insn->first_def + insn->def_count && !own; k++)
            own = g->defs.p[k].node == v->node || g->defs.p[k].wide == v->node ||
                  (v->part && g->defs.p[k].node == v->part);
        count += !own;
    }
    return count;
}

void place_classify(struct place_work *w, struct place_value *v)
{
    struct found f = {0};
    const struct graph_node *node = graph_at(w->g, v->node);
    uint32_t used = other_uses(w, v);
    for (size_t i = 0; i < v->storage.n; i++) {
        const struct place_storage *s = &v->storage.p[i];
        if (s->access == UINT32_MAX)
            continue;
        if (w->g->accesses.p[s->access].kind == GRAPH_LOAD)
            look_at_load(w, s, &f);
        else
            look_at_store(w, v, s, used > 0, &f);
    }
    if (f.read_back_global || f.foreign) {
        v->cls = PLACE_GLOBAL_MATERIALIZED;
        v->assumed = !f.global_proved;
    } else if (f.shared) {
        v->cls = PLACE_SHARED_MATERIALIZED;
        v->assumed = !f.shared_proved;
    } else if (f.spilled) {
        v->cls = PLACE_SPILLED;
    } else if (f.array) {
        v->cls = PLACE_LOCAL_ARRAY;
    } else if (v->accumulator) {
        v->cls = PLACE_REGISTER_ACCUMULATOR;
    } else if (f.stored_global && (!used || is_counter(w, v->node) || is_thread_index(w->g, v->node))) {
        v->cls = PLACE_RESULT;
        v->assumed = f.may_global;
    } else if (f.stored_global) {
        v->cls = PLACE_GLOBAL_MATERIALIZED;
        v->assumed = f.may_global;
    } else if (is_recomputed(w, v)) {
        v->cls = PLACE_RECOMPUTED;
    } else if (f.loaded_global || node->kind == UOP_CBANK) {
        v->cls = PLACE_INPUT;
        v->assumed = f.may_global;
    } else {
        v->cls = PLACE_REGISTER_ONLY;
        v->assumed = f.variable;
    }
}
