/* Who is where: every instance of machine code is looked for in the PTX, by what it computes, then by the line map that
 * the assembler left.
 *
 * Where several instances of PTX compute the same, the one on the line that the map names is meant; without a map, the
 * one at the same place of as many.
 * requires: both graphs, their values · gives: found, how, the indices of struct rew */
#include "rewrite/rew_internal.h"

#include <stdlib.h>

static int by_number(const void *p, const void *q)
{
    const struct rew_entry *a = p, *b = q;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

void rew_sort(struct rew_index *x)
{
    if (x->list.n)
        qsort(x->list.p, x->list.n, sizeof x->list.p[0], by_number);
}

static void put(struct rew *r, struct rew_index *x, uint64_t value, uint32_t insn)
{
    VEC_PUSH(r->a, x->list, ((struct rew_entry){.value = value, .insn = insn}));
}

size_t rew_first(const struct rew_index *x, uint64_t value)
{
    size_t low = 0, high = x->list.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->list.p[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct rew_entry *rew_lookup(const struct rew_index *x, uint64_t value, uint32_t *count)
{
    size_t low = rew_first(x, value);
    *count = value < UINT64_MAX ? (uint32_t)(rew_first(x, value + 1) - low) : (uint32_t)(x->list.n - low);
    return *count ? &x->list.p[low] : NULL;
}

uint32_t rew_line_of(const struct rew_side *s, uint32_t insn)
{
    uint32_t input = s->g->insns.p[insn].input;
    return s->insns ? s->insns[input].line : s->lines ? s->lines[input] : 0;
}

const struct rew_insn *rew_statement(const struct rew *r, uint32_t ptx_insn)
{
    return &r->ptx->insns[r->ptx->g->insns.p[ptx_insn].input];
}

static graph_id whole(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return n->kind == UOP_LO && graph_at(g, n->arg[0])->kind != UOP_LOAD ? n->arg[0] : id;
}

graph_id rew_made(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *x = &g->insns.p[insn];
    return x->def_count ? whole(g, g->defs.p[x->first_def].node) : (graph_id)GRAPH_NIL;
}

uint32_t rew_maker(const struct graph *g, uint32_t insn, graph_id node)
{
    const struct graph_insn *x = &g->insns.p[insn];
    for (uint32_t u = x->first_use; u < x->first_use + x->use_count; u++) {
        const struct graph_use *use = &g->uses.p[u];
        if (use->node != node && graph_at(g, use->node)->kind != UOP_FNEG && whole(g, use->node) != node)
            continue;
        if (use->node != node && graph_at(g, use->node)->kind == UOP_FNEG && graph_at(g, use->node)->arg[0] != node)
            continue;
        return use->def_count == 1 ? g->defs.p[use->defs[0]].insn : UINT32_MAX;
    }
    return UINT32_MAX;
}

uint32_t rew_predicate_maker(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *x = &g->insns.p[insn];
    uint32_t found = UINT32_MAX;
    for (uint32_t u = x->first_use; u < x->first_use + x->use_count; u++) {
        const struct graph_use *use = &g->uses.p[u];
        if (use->file != UOP_FILE_P && use->file != UOP_FILE_UP)
            continue;
        if (use->def_count != 1 || (found != UINT32_MAX && found != g->defs.p[use->defs[0]].insn))
            return UINT32_MAX;
        found = g->defs.p[use->defs[0]].insn;
    }
    return found;
}

bool rew_has_op(const struct graph *g, uint32_t insn, unsigned kind)
{
    const struct uop_list *l = g->input.insns[g->insns.p[insn].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == kind)
            return true;
    return false;
}

/* ---- indices --------------------------------------------------------------------------------- */

static bool only_moves(const struct graph *g, const struct graph_insn *x, graph_id node)
{
    for (uint32_t u = x->first_use; u < x->first_use + x->use_count; u++)
        if (whole(g, g->uses.p[u].node) == node)
            return true;
    return false;
}

static void index_ptx(struct rew *r)
{
    const struct graph *g = r->ptx->g;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *x = &g->insns.p[i];
        const struct rew_insn *s = rew_statement(r, i);
        if (!x->reachable)
            continue;
        if (s->line)
            put(r, &r->by_line, s->line, i);
        for (uint32_t d = x->first_def; d < x->first_def + x->def_count; d++) {
            graph_id node = whole(g, g->defs.p[d].node), merged = whole(g, g->defs.p[d].merged);
            if (node && !only_moves(g, x, node))
                put(r, &r->made, r->pv.of[node], i);
            if (merged && merged != node)
                put(r, &r->made, r->pv.of[merged], i);
        }
        if (s->is & REW_IS_JUMP && x->guard)
            put(r, &r->jumps, r->pv.of[x->guard], i);
    }
    for (size_t i = 0; i < g->accesses.n; i++) {
        uint64_t e[4];
        if (!rew_is_written(&g->accesses.p[i]) || !g->insns.p[g->accesses.p[i].insn].reachable)
            continue;
        unsigned n = rew_elements(g, &r->pv, &g->accesses.p[i], e);
        for (unsigned k = 0; k < n; k++)
            put(r, &r->stores, e[k], g->accesses.p[i].insn);
    }
    rew_sort(&r->made);
    rew_sort(&r->jumps);
    rew_sort(&r->stores);
    rew_sort(&r->by_line);
}

static void index_sass(struct rew *r)
{
    const struct graph *g = r->sass->g;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *x = &g->insns.p[i];
        uint32_t line = x->reachable ? rew_line_of(r->sass, i) : 0;
        if (line)
            put(r, &r->here_by_line, line, i);
        if (!x->reachable || graph_is_owned(g, i))
            continue;
        graph_id made = rew_made(g, i);
        if (made && !only_moves(g, x, made))
            put(r, &r->here, r->sv.of[made], i);
        if (made && graph_at(g, made)->kind == UOP_SELECT)
            put(r, &r->choices, r->sv.of[graph_at(g, made)->arg[0]], i);
        if (!x->guard)
            continue;
        bool leaves = rew_has_op(g, i, UOP_BRANCH) || rew_has_op(g, i, UOP_EXIT) || rew_has_op(g, i, UOP_RET) ||
                      rew_has_op(g, i, UOP_CALL);
        put(r, leaves ? &r->leaves : &r->guarded, r->sv.of[x->guard], i);
    }
    rew_sort(&r->here);
    rew_sort(&r->here_by_line);
    rew_sort(&r->leaves);
    rew_sort(&r->guarded);
    rew_sort(&r->choices);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

enum { SAME_AT_MOST = 64 }; /* entries of one value that are looked through for a line */

/* The instance of PTX that makes the value. `from`: the instance that is looked for. */
static bool choose(struct rew *r, const struct rew_index *x, uint64_t value, uint64_t own, uint32_t from, uint32_t line,
                   uint32_t *out)
{
    uint32_t count, here;
    const struct rew_entry *e = rew_lookup(x, value, &count);
    if (!e)
        return false;
    *out = e[0].insn;
    if (count == 1)
        return true;
    for (uint32_t k = 0; k < count && line && k < SAME_AT_MOST; k++)
        if (rew_statement(r, e[k].insn)->line == line) {
            *out = e[k].insn;
            return true;
        }
    if (line)
        return true;
    const struct rew_entry *h = rew_lookup(&r->here, own, &here);
    if (!h || here != count || here > SAME_AT_MOST)
        return false;
    for (uint32_t k = 0; k < here; k++)
        if (h[k].insn == from)
            *out = e[k].insn;
    return true;
}

static enum rew_how find_one(struct rew *r, uint32_t i, uint32_t *out)
{
    const struct graph *g = r->sass->g;
    uint32_t line = rew_line_of(r->sass, i), at, count, opposite;
    graph_id node = rew_made(g, i);
    const struct rew_entry *e = line ? rew_lookup(&r->by_line, line, &count) : NULL;
    uint32_t on_line = e ? e[0].insn : UINT32_MAX;
    if (node && graph_type_of(g, node) == UOP_B1) {
        uint64_t own = r->sv.of[node];
        bool same = choose(r, &r->made, own, own, i, line, &at);
        bool other = choose(r, &r->made, rew_truth(g, &r->sv, node, true), own, i, line, &opposite);
        if (same && other && line && rew_statement(r, at)->line != line && rew_statement(r, opposite)->line == line)
            same = false;
        if (same || other) {
            *out = same ? at : opposite;
            return same ? REW_BY_VALUE : REW_BY_OPPOSITE;
        }
    } else if (node && choose(r, &r->made, r->sv.of[node], r->sv.of[node], i, line, &at)) {
        *out = at;
        return REW_BY_VALUE;
    }
    for (uint32_t k = g->insns.p[i].first_access; k < g->insns.p[i].first_access + g->insns.p[i].access_count; k++) {
        uint64_t el[4];
        if (rew_is_written(&g->accesses.p[k]) && rew_elements(g, &r->sv, &g->accesses.p[k], el) &&
            choose(r, &r->stores, el[0], 0, i, line, &at)) {
            *out = at;
            return REW_BY_VALUE;
        }
    }
    *out = on_line;
    return on_line != UINT32_MAX ? REW_BY_LINE : REW_NOT_FOUND;
}

bool rew_pair(struct rew *r)
{
    const struct graph *g = r->sass->g;
    index_ptx(r);
    index_sass(r);
    r->found = ARENA_ARRAY(r->a, uint32_t, g->insns.n + 1);
    r->how = ARENA_ARRAY(r->a, uint8_t, g->insns.n + 1);
    r->next_of = ARENA_ARRAY(r->a, uint32_t, g->insns.n + 1);
    r->first_of = ARENA_ARRAY(r->a, uint32_t, r->ptx->g->insns.n + 1);
    if (!r->found || !r->how || !r->next_of || !r->first_of)
        return false;
    for (uint32_t i = (uint32_t)g->insns.n; i-- > 0;) { /* backwards: each list ascends */
        r->found[i] = UINT32_MAX;
        if (!g->insns.p[i].reachable)
            continue;
        r->how[i] = (uint8_t)find_one(r, i, &r->found[i]);
        if (r->found[i] != UINT32_MAX) {
            r->next_of[i] = r->first_of[r->found[i]];
            r->first_of[r->found[i]] = i + 1;
        }
    }
    return !arena_failed(r->a);
}
