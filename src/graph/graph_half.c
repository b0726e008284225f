/* Which registers' upper halves nobody looks at. Compilers keep bytes, half words and truths in half a register and
 * leave in the other half what was there: a permutation that takes its low half from one register and its high half
 * from what the register held before is a copy then, and the value is no pair of two.
 *
 * Backwards over blocks, like liveness, but of halves: what is stored as a byte or a half word, masked or extended from
 * one, needs the low half alone, and so does what such a value is added up of. Anything not known here needs all.
 *
 * requires: blocks, variables · gives: by instance, that it writes nothing but a low half. A few passes over the code,
 * and only where such permutations are. */
#include "graph/graph_values.h"

#include <string.h>

enum { LOW = 1, HIGH = 2, ALL = LOW | HIGH, PASSES = 12 };

/* {high half of something : low half of something}, moved only. */
static bool is_moved_pair(const struct uop_list *l, const struct uop *u)
{
    if (u->kind != UOP_PAIR || u->type != UOP_B32)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct uop *half = u->arg[i] < l->ops.n ? &l->ops.p[u->arg[i]] : NULL;
        if (!half || (half->kind != UOP_LO && half->kind != UOP_HI && half->kind != UOP_CONST))
            return false;
    }
    return l->ops.p[u->arg[1]].kind != UOP_CONST;
}

static bool writes_moved_pair(const struct uop_list *l, const struct uop *u)
{
    return u->kind == UOP_WRITE && u->file == UOP_FILE_R && u->arg[0] < l->ops.n &&
           is_moved_pair(l, &l->ops.p[u->arg[0]]);
}

/* What the argument `k` of `u` is asked for, where `u` itself is asked for `need`. */
static unsigned need_of_argument(const struct uop_list *l, const struct uop *u, unsigned k, unsigned need)
{
    const struct uop *other = u->arg[k == 0] < l->ops.n ? &l->ops.p[u->arg[k == 0]] : NULL;
    bool low = need == LOW && u->type == UOP_B32;
    switch (u->kind) {
    case UOP_LO: return u->type == UOP_B16 ? LOW : ALL;
    case UOP_HI: return u->type == UOP_B16 ? HIGH : ALL;
    case UOP_PAIR: return u->type != UOP_B32 || (need & (k ? HIGH : LOW)) ? ALL : 0;
    case UOP_ZEXT:
    case UOP_SEXT: return low || u->imm <= 16 ? LOW : ALL;
    case UOP_AND:
        return low || (u->type == UOP_B32 && other && other->kind == UOP_CONST && other->imm <= 0xffff) ? LOW : ALL;
    case UOP_ADD:
    case UOP_MUL:
    case UOP_OR:
    case UOP_XOR:
    case UOP_NOT:
    case UOP_NEG:
    case UOP_LOP3: return low ? LOW : ALL;
    case UOP_SELECT:
    case UOP_SHL: return low && k == (u->kind == UOP_SELECT ? (k ? k : 3u) : 0u) ? LOW : ALL;
    case UOP_STORE: return k && u->width <= 2 ? LOW : ALL;
    default: return ALL;
    }
}

/* Whether an operation is there for what it does, not for what it gives. */
static bool acts(const struct uop *u)
{
    return !uop_is_pure((enum uop_kind)u->kind) && u->kind != UOP_READ && u->kind != UOP_WRITE &&
           u->kind != UOP_CBANK && u->kind != UOP_SREG;
}

struct halves {
    struct graph_builder *b;
    uint64_t *in;   /* a set a block: upper halves that are looked at from its start on */
    uint64_t *live; /* at the place that is at work */
    uint8_t *need;
    size_t room;
    bool *low_only;
};

/* Over one instruction, backwards; with `low_only` what it writes is noted. */
static bool step_back(struct halves *h, uint32_t insn)
{
    struct graph_builder *b = h->b;
    const struct uop_list *l = b->g->input.insns[b->g->insns.p[insn].input].uops;
    if (l->ops.n > h->room)
        return false;
    memset(h->need, 0, l->ops.n);
    if (graph_nothing_known(l))
        memset(h->live, 0xff, b->words * sizeof h->live[0]);
    bool any = false, all_low = true;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        uint32_t v = u->kind == UOP_WRITE ? graph_variable(b, u->file, u->reg) : UINT32_MAX;
        if (u->kind == UOP_WRITE) {
            h->need[i] = v == UINT32_MAX || graph_set_has(h->live, v) ? ALL : LOW;
            any |= writes_moved_pair(l, u);
            all_low &= !writes_moved_pair(l, u) || h->need[i] == LOW;
        } else if (acts(u) || i == l->guard) {
            h->need[i] = ALL;
        }
    }
    h->low_only[insn] = any && all_low;
    for (size_t i = 0; i < l->ops.n && l->guard == UOP_NONE; i++)
        if (l->ops.p[i].kind == UOP_WRITE) {
            uint32_t v = graph_variable(b, l->ops.p[i].file, l->ops.p[i].reg);
            if (v != UINT32_MAX)
                h->live[v / 64] &= ~(UINT64_C(1) << (v % 64));
        }
    for (size_t i = l->ops.n; i-- > 0;) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_WRITE && u->arg[0] < l->ops.n)
            h->need[u->arg[0]] |= h->need[i];
        for (unsigned k = 0; k < UOP_MAX_ARGS && u->kind != UOP_WRITE && h->need[i]; k++)
            if (u->arg[k] < i)
                h->need[u->arg[k]] |= (uint8_t)(b->kept[insn].count ? ALL : need_of_argument(l, u, k, h->need[i]));
        uint32_t v = u->kind == UOP_READ && (h->need[i] & HIGH) ? graph_variable(b, u->file, u->reg) : UINT32_MAX;
        if (v != UINT32_MAX)
            graph_set_add(h->live, v);
    }
    for (uint32_t v = b->kept[insn].first; v < b->kept[insn].first + b->kept[insn].count; v++)
        graph_set_add(h->live, v); /* words of the frame: as a whole */
    return true;
}

/* Behind the block's last instruction. */
static void at_end(struct halves *h, uint32_t at)
{
    struct graph_builder *b = h->b;
    const struct graph_block *block = &b->g->blocks.p[at];
    const struct uop_list *l = b->g->input.insns[b->g->insns.p[block->last].input].uops;
    bool ends = false;
    for (size_t i = 0; i < l->ops.n; i++)
        ends |= l->ops.p[i].kind == UOP_EXIT || l->ops.p[i].kind == UOP_TRAP;
    memset(h->live, b->clobbers[at] || (!block->succ_count && !ends) ? 0xff : 0, b->words * sizeof h->live[0]);
    for (uint32_t s = 0; s < block->succ_count; s++)
        for (size_t w = 0; w < b->words; w++)
            h->live[w] |= h->in[block->succs[s] * b->words + w];
}

enum sp_status graph_find_halves(struct graph_builder *b)
{
    struct graph *g = b->g;
    struct halves h = {.b = b, .low_only = ARENA_ARRAY(&b->scratch, bool, g->insns.n + 1)};
    bool any = false;
    b->low_only = h.low_only;
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        h.room = l->ops.n > h.room ? l->ops.n : h.room;
        for (size_t k = 0; k < l->ops.n && !any; k++)
            any = writes_moved_pair(l, &l->ops.p[k]);
    }
    if (!h.low_only || !any)
        return h.low_only ? SP_OK : SP_ERR_MEMORY;
    h.in = ARENA_ARRAY(&b->scratch, uint64_t, g->blocks.n * b->words);
    h.live = ARENA_ARRAY(&b->scratch, uint64_t, b->words);
    h.need = ARENA_ARRAY(&b->scratch, uint8_t, h.room + 1);
    if (!h.in || !h.live || !h.need)
        return SP_ERR_MEMORY;
    bool changed = true;
    for (unsigned pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (uint32_t i = b->flow->order_count; i-- > 0;) {
            uint32_t at = b->flow->order[i];
            const struct graph_block *block = &g->blocks.p[at];
            bool known = true;
            at_end(&h, at);
            for (uint32_t k = block->last + 1; k-- > block->first && known;)
                known = step_back(&h, k);
            uint64_t *in = h.in + at * b->words;
            for (size_t w = 0; w < b->words; w++) {
                changed |= (h.live[w] & ~in[w]) != 0;
                in[w] |= h.live[w];
            }
        }
    }
    if (changed) /* too many loops within loops: all halves are looked at */
        memset(h.low_only, 0, (g->insns.n + 1) * sizeof h.low_only[0]);
    return SP_OK;
}

bool graph_reads_for_half(const struct uop_list *l, size_t read)
{
    bool used = false;
    for (size_t i = read + 1; i < l->ops.n; i++)
        for (unsigned k = 0; k < UOP_MAX_ARGS; k++) {
            if (l->ops.p[i].arg[k] != read)
                continue;
            bool high = false;
            for (size_t p = i + 1; p < l->ops.n && l->ops.p[i].kind != UOP_WRITE; p++)
                high |= is_moved_pair(l, &l->ops.p[p]) && l->ops.p[p].arg[1] == i && l->ops.p[p].arg[0] != i;
            if (!high)
                return false;
            used = true;
        }
    return used;
}

/* The pair without its upper half: as a whole what its lower half is that of, where it is the lower one there too. */
graph_id graph_low_of_pair(struct graph_builder *b, const struct uop_list *l, const struct uop *u)
{
    if (!writes_moved_pair(l, u))
        return b->results[u->arg[0]];
    const struct uop *pair = &l->ops.p[u->arg[0]], *half = &l->ops.p[pair->arg[0]];
    uint64_t bits;
    graph_id low = b->results[pair->arg[0]];
    if (graph_is_const(b->g, low, &bits))
        return graph_const(b->g, UOP_B32, bits);
    if (half->kind == UOP_LO && half->arg[0] < l->ops.n && l->ops.p[half->arg[0]].type == UOP_B32)
        return b->results[half->arg[0]];
    return graph_op2(b->g, UOP_PAIR, UOP_B32, low, graph_const(b->g, UOP_B16, 0));
}
