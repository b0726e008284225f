/* Whether machine code can have been made of some PTX: it stores the same values to the same places under the same
 * conditions, accumulates by the same steps, and splits nothing that was one operation.
 *
 * A loop that the assembler unrolled has stores that the PTX lacks; of it only the steps are held against each other.
 * requires: rew_pair() · gives: a verdict, and the stores of the machine code that are not in the PTX */
#include "rewrite/rew_internal.h"

#include "graph/graph_cycle.h"

bool rew_is_written(const struct graph_access *x)
{
    return x->kind != GRAPH_LOAD && x->space != UOP_LOCAL;
}

/* What a store of a byte or half word keeps of a value. */
static graph_id kept_of(const struct graph *g, graph_id id, unsigned width)
{
    uint64_t mask, low = (UINT64_C(1) << width * 8) - 1;
    for (unsigned step = 0; step < 8 && width < 4; step++) {
        const struct graph_node *n = graph_at(g, id);
        bool wider = (n->kind == UOP_ZEXT || n->kind == UOP_SEXT) && n->imm >= width * 8u;
        bool masked = n->kind == UOP_AND && graph_is_const(g, n->arg[1], &mask) && (mask & low) == low;
        if (!wider && !masked && n->kind != UOP_PAIR && n->kind != UOP_LO)
            break;
        id = n->arg[0];
    }
    return id;
}

unsigned rew_elements(const struct graph *g, const struct rew_values *v, const struct graph_access *x, uint64_t out[4])
{
    unsigned count = 0, space = x->space == UOP_GENERIC ? UOP_GLOBAL : x->space;
    uint64_t at = map_hash_mix(space, x->kind), address = rew_address(g, v->of, x->space, x->address);
    for (unsigned k = 0; k < 4 && (x->value[k] || !k); k++) {
        const struct graph_node *n = graph_at(g, x->value[k]);
        bool two = x->value[k] && n->kind == UOP_PAIR && x->width >= 8 && !x->value[1];
        for (unsigned half = 0; half < (two ? 2u : 1u) && count < 4; half++) {
            graph_id id = two ? n->arg[half] : x->value[k];
            if (id && x->width < 4)
                id = kept_of(g, id, x->width);
            if (id && x->kind == GRAPH_ATOMIC && graph_at(g, id)->kind == UOP_REDUX)
                id = graph_at(g, id)->arg[0]; /* a warp's own first, which the next compiler made of one a thread */
            uint64_t h = map_hash_mix(at, address + k * 4u + half * 4u);
            out[count++] = map_hash_mix(h, id ? v->of[id] : 0);
        }
    }
    return count;
}

static bool access_turns(const struct rew_values *v, const struct graph_access *x)
{
    bool turns = v->turns[x->address];
    for (unsigned k = 0; k < 4; k++)
        turns |= x->value[k] && v->turns[x->value[k]];
    return turns;
}

/* Every loop of the source has the same pieces on both sides. */
static bool same_pieces(const struct graph *s, const struct graph *p)
{
    if (!s->cycles || !p->cycles || s->cycles->cycles.n != p->cycles->cycles.n || s->loops.n != p->loops.n)
        return false;
    for (size_t i = 0; i < s->cycles->cycles.n; i++) {
        const struct graph_cycle *a = &s->cycles->cycles.p[i], *b = &p->cycles->cycles.p[i];
        if (a->pieces.n != b->pieces.n || a->unroll != b->unroll)
            return false;
    }
    return true;
}

static bool has_barrier(const struct graph *g)
{
    for (uint32_t i = 0; i < g->insns.n; i++)
        if (g->insns.p[i].reachable && rew_has_op(g, i, UOP_BAR))
            return true;
    return false;
}

enum { TRIED = 64 }; /* stores of the same to the same place */

/* The condition of a store is compared where no loop stands before it; inside one it counts from the loop's head. */
static bool same_condition(const struct rew *r, const struct graph_access *x, const struct rew_entry *e, uint32_t count)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    uint64_t here = x->runs_when ? r->sv.of[x->runs_when] : 0;
    if (s->loops.n || p->loops.n)
        return true;
    for (uint32_t k = 0; k < count && k < TRIED; k++) {
        graph_id there = p->insns.p[e[k].insn].runs_when;
        if ((there ? r->pv.of[there] : 0) == here)
            return true;
    }
    return false;
}

/* A sum of a product that the PTX has as one operation: no assembler takes one apart. */
static bool splits(const struct rew *r)
{
    const struct rew_list *l = r->out;
    for (size_t i = 0; i < l->not_contracted.n; i++) {
        uint32_t insn = l->not_contracted.p[i].sum_insn;
        if (r->how[insn] != REW_BY_VALUE)
            continue;
        graph_id made = rew_made(r->ptx->g, r->found[insn]);
        if (made && graph_at(r->ptx->g, made)->kind == UOP_FFMA)
            return true;
    }
    return false;
}

/* A sum or product that flushes subnormals on one side alone: another build of the same text. */
static bool flushes_otherwise(const struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    for (uint32_t i = 0; i < s->insns.n; i++) {
        if (r->how[i] != REW_BY_VALUE || graph_is_owned(s, i))
            continue;
        graph_id here = rew_made(s, i), there = rew_made(p, r->found[i]);
        const struct graph_node *a = graph_at(s, here), *b = graph_at(p, there);
        if (here && there && a->kind == b->kind && a->type == UOP_F32 && b->type == UOP_F32 &&
            (a->kind == UOP_FADD || a->kind == UOP_FMUL || a->kind == UOP_FFMA) && (a->flags ^ b->flags) & UOP_FTZ)
            return true;
    }
    return false;
}

static bool is_power_of_two(const struct graph *g, graph_id id, unsigned type)
{
    uint64_t bits, mask = type == UOP_F64 ? (UINT64_C(1) << 52) - 1 : type == UOP_F32 ? 0x7fffff : 0;
    return graph_is_const(g, id, &bits) && (!mask || !(bits & mask));
}

/* A multiply-add whose every counterpart is a product and a sum with their roundings written down: those are never
 * fused. A product with a power of two has no rounding of its own. */
static bool fuses_fixed(const struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    for (uint32_t i = 0; i < s->insns.n; i++) {
        graph_id made = r->how[i] == REW_BY_VALUE && !graph_is_owned(s, i) ? rew_made(s, i) : (graph_id)GRAPH_NIL;
        const struct graph_node *n = graph_at(s, made);
        uint32_t count, fixed = 0;
        if (!made || n->kind != UOP_FFMA || !rew_has_op(s, i, UOP_FFMA) || is_power_of_two(s, n->arg[0], n->type) ||
            is_power_of_two(s, n->arg[1], n->type))
            continue;
        const struct rew_entry *e = rew_lookup(&r->made, r->sv.of[made], &count);
        for (uint32_t k = 0; k < count && k < TRIED && fixed == k; k++) {
            const struct graph_node *sum = graph_at(p, rew_made(p, e[k].insn));
            uint8_t is = rew_statement(r, e[k].insn)->is & REW_IS_FIXED;
            bool product = false;
            for (unsigned x = 0; sum->kind == UOP_FADD && x < 2; x++) {
                graph_id arg = sum->arg[x];
                arg = graph_at(p, arg)->kind == UOP_FNEG ? graph_at(p, arg)->arg[0] : arg;
                product |= graph_at(p, arg)->kind == UOP_FMUL && graph_at(p, arg)->type == sum->type;
            }
            fixed += product && is;
        }
        if (count && count <= TRIED && fixed == count)
            return true;
    }
    return false;
}

/* The steps of folds, as sets of numbers: 1 the same, 0 not, -1 not known. */
static int compare_steps(struct rew *r)
{
    struct rew_steps a = {0}, b = {0};
    if (!rew_find_steps(r->a, r->sass->g, &a) || !rew_find_steps(r->a, r->ptx->g, &b) || a.n != b.n || !a.n)
        return -1;
    for (uint32_t i = 0; i < a.n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b.n && !found; k++)
            found = a.p[i] == b.p[k];
        if (!found)
            return 0;
    }
    return 1;
}

enum rew_fit rew_find_fit(struct rew *r)
{
    const struct graph *s = r->sass->g;
    bool all = true, some = false, strict = same_pieces(s, r->ptx->g);
    for (size_t i = 0; i < s->accesses.n; i++) {
        const struct graph_access *x = &s->accesses.p[i];
        uint64_t e[4];
        if (!rew_is_written(x) || !s->insns.p[x->insn].reachable || graph_is_owned(s, x->insn))
            continue;
        unsigned n = rew_elements(s, &r->sv, x, e);
        bool here = true;
        for (unsigned k = 0; k < n; k++) {
            uint32_t count;
            const struct rew_entry *found = rew_lookup(&r->stores, e[k], &count);
            here &= found && same_condition(r, x, found, count);
        }
        all &= here;
        some |= here;
        if (!here && (strict || !access_turns(&r->sv, x)))
            VEC_PUSH(r->a, r->out->unexplained, x->insn);
    }
    if (r->out->unexplained.n || splits(r) || fuses_fixed(r) || flushes_otherwise(r) || rew_unrolls_otherwise(r) ||
        has_barrier(s) != has_barrier(r->ptx->g) || compare_steps(r) == 0)
        return REW_DOES_NOT;
    return all && some ? REW_FITS : REW_MAY_FIT;
}
