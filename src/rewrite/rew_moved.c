/* Values that the assembler keeps elsewhere than the PTX says: elements that several statements load or store and one
 * instruction moves, registers that were put away in local memory, what each turn of a loop computes and the machine
 * code once before it.
 *
 * requires: rew_pair(), rew_pair_loops() · gives: records */
#include "rewrite/rew_internal.h"

#include "graph/graph_cycle.h"

enum { ELEMENTS = 4, SAME = 16 }; /* SAME: instances that make one value, at most */

static const struct graph_access *access_of(const struct graph *g, uint32_t insn, unsigned kind)
{
    const struct graph_insn *x = &g->insns.p[insn];
    const struct graph_access *a = x->access_count == 1 ? &g->accesses.p[x->first_access] : NULL;
    return a && a->kind == kind ? a : NULL;
}

/* ---- elements moved together -------------------------------------------------------------------- */

/* The one instance of PTX that moves that element, by an access of fewer bytes; UINT32_MAX. */
static uint32_t mover_of(const struct rew *r, const struct rew_index *x, uint64_t value,
                         const struct graph_access *wide)
{
    uint32_t count;
    const struct rew_entry *e = rew_lookup(x, value, &count);
    const struct graph_access *one = count == 1 ? access_of(r->ptx->g, e->insn, wide->kind) : NULL;
    return one && one->width < wide->width && one->space == wide->space ? e->insn : UINT32_MAX;
}

/* The elements of a wide access as numbers; 0: not all are known. */
static unsigned elements_of(const struct rew *r, const struct graph_access *x, uint64_t out[ELEMENTS])
{
    const struct graph *g = r->sass->g;
    const struct graph_insn *insn = &g->insns.p[x->insn];
    unsigned n = 0;
    if (x->kind == GRAPH_STORE)
        return rew_elements(g, &r->sv, x, out);
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        if (n == ELEMENTS || !g->defs.p[d].node)
            return 0;
        out[n++] = r->sv.of[g->defs.p[d].node];
    }
    return n * 4u == x->width ? n : 0;
}

static void find_vector(struct rew *r, const struct graph_access *x)
{
    uint64_t e[ELEMENTS];
    uint32_t movers[ELEMENTS];
    unsigned n = elements_of(r, x, e), distinct = 0;
    for (unsigned k = 0; k < n; k++) {
        movers[k] = mover_of(r, x->kind == GRAPH_STORE ? &r->stores : &r->made, e[k], x);
        if (movers[k] == UINT32_MAX)
            return;
        distinct += !k || movers[k] != movers[k - 1];
    }
    if (distinct < 2)
        return;
    struct rew_record *f = rew_add(r, "vectorized", REW_PTXAS, REW_PROVED);
    f->width = x->width;
    rew_add_insn(r, f, x->insn);
    for (unsigned k = 0; k < n; k++)
        rew_add_line(r, f, rew_statement(r, movers[k])->line);
}

/* ---- registers put away ------------------------------------------------------------------------- */

/* The record of a value that is put away, made where the PTX has one place that computes it; NULL: it has not. */
static struct rew_record *spill_of(struct rew *r, struct map_u64 *of, graph_id value)
{
    uint32_t count, at;
    if (!value || map_u64_get(of, value, &at))
        return value ? &r->out->records.p[at] : NULL;
    const struct rew_entry *made = rew_lookup(&r->made, r->sv.of[value], &count);
    if (!made || count != 1 || graph_at(r->sass->g, value)->kind == UOP_CONST)
        return NULL;
    at = (uint32_t)r->out->records.n;
    struct rew_record *f = rew_add(r, "spilled", REW_PTXAS, REW_PROVED);
    if (r->out->records.n == at || !map_u64_put(r->a, of, value, at))
        return NULL;
    rew_add_line(r, f, rew_statement(r, made->insn)->line);
    return f;
}

/* The machine code itself records which stores and loads these are. */
static void find_spills(struct rew *r)
{
    const struct graph *g = r->sass->g;
    struct map_u64 of = {0};
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (x->kind != GRAPH_STORE || x->space != UOP_LOCAL || !g->insns.p[x->insn].reachable ||
            !graph_is_recorded_spill(g, g->insns.p[x->insn].offset))
            continue;
        for (unsigned k = 0; k < ELEMENTS; k++) {
            struct rew_record *f = spill_of(r, &of, x->value[k]);
            if (f)
                rew_add_insn(r, f, x->insn);
        }
    }
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        const struct graph_insn *insn = &g->insns.p[x->insn];
        if (x->kind != GRAPH_LOAD || x->space != UOP_LOCAL || !graph_is_recorded_spill(g, insn->offset))
            continue;
        for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
            uint32_t at;
            if (map_u64_get(&of, g->defs.p[d].node, &at))
                rew_add_insn(r, &r->out->records.p[at], x->insn);
        }
    }
}

/* ---- loops -------------------------------------------------------------------------------------- */

static bool is_work(const struct graph *g, uint32_t insn)
{
    static const uint8_t kinds[] = {UOP_LOAD, UOP_FADD, UOP_FMUL, UOP_FFMA, UOP_MUL, UOP_MATH, UOP_RCP, UOP_RSQ,
                                    UOP_SQRT, UOP_EX2,  UOP_LG2,  UOP_SIN,  UOP_COS, UOP_I2F,  UOP_F2I};
    for (size_t i = 0; i < sizeof kinds; i++)
        if (rew_has_op(g, insn, kinds[i]))
            return true;
    return false;
}

/* The loop of the source that an instance stands in, in a piece that goes round; + 1, 0: none. */
static uint32_t turning_cycle(const struct graph *g, uint32_t insn)
{
    const struct graph_block *b = &g->blocks.p[g->insns.p[insn].block];
    return b->loop && g->cycles ? g->cycles->cycle_of[g->insns.p[insn].block] : 0;
}

static bool goes_round(const struct graph_cycle *c)
{
    for (size_t k = 0; k < c->pieces.n; k++)
        if (!c->pieces.p[k].straight)
            return true;
    return false;
}

/* Every turn of the PTX's loop makes the value, and nothing before it; the machine code makes it before its loop
 * only. */
static void find_hoisted(struct rew *r, const uint32_t *here_of, uint32_t at)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    uint32_t cycle = turning_cycle(p, at), count;
    graph_id made = rew_made(p, at);
    if (!cycle || !here_of[cycle] || !made || r->pv.turns[made] || graph_at(p, made)->kind == UOP_CONST ||
        !is_work(p, at) || graph_is_owned(p, at))
        return;
    const struct graph_cycle *loop = &s->cycles->cycles.p[here_of[cycle] - 1];
    const struct rew_entry *e = rew_lookup(&r->made, r->pv.of[made], &count);
    for (uint32_t k = 0; k < count; k++)
        if (k == SAME || turning_cycle(p, e[k].insn) != cycle)
            return;
    if (!count || e[0].insn != at || !goes_round(loop))
        return; /* the first of them tells */
    const struct rew_entry *h = rew_lookup(&r->here, r->pv.of[made], &count);
    for (uint32_t k = 0; k < count; k++)
        if (k == SAME || h[k].insn >= loop->first || !is_work(s, h[k].insn) || turning_cycle(s, h[k].insn))
            return;
    if (!count)
        return;
    struct rew_record *f = rew_add(r, "loop-invariant-hoisted", REW_PTXAS, REW_PROVED);
    for (uint32_t k = 0; k < count; k++)
        rew_add_insn(r, f, h[k].insn);
    const struct rew_entry *all = rew_lookup(&r->made, r->pv.of[made], &count);
    for (uint32_t k = 0; k < count; k++)
        rew_add_line(r, f, rew_statement(r, all[k].insn)->line);
}

void rew_find_moved(struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    for (size_t i = 0; i < s->accesses.n; i++) {
        const struct graph_access *x = &s->accesses.p[i];
        if ((x->kind == GRAPH_LOAD || x->kind == GRAPH_STORE) && x->width > 4 && x->space != UOP_LOCAL &&
            s->insns.p[x->insn].reachable && !graph_is_owned(s, x->insn))
            find_vector(r, x);
    }
    find_spills(r);
    if (!r->cycles)
        return;
    uint32_t *here_of = ARENA_ARRAY(r->a, uint32_t, p->cycles->cycles.n + 1);
    for (uint32_t c = 0; here_of && c < s->cycles->cycles.n; c++)
        if (r->cycles[c])
            here_of[r->cycles[c]] = c + 1;
    for (uint32_t i = 0; here_of && i < p->insns.n; i++)
        if (p->insns.p[i].reachable)
            find_hoisted(r, here_of, i);
}
