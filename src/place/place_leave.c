/* What of an accumulator leaves its loop: its last value, or one that it had some steps before. A node of it that a
 * later step reads is an old value where that step is made on every way out of the loop (`u = v; v = t` and then u);
 * where the loop may be left before the step (a break before the sum) the node is what the variable comes to.
 *
 * requires: accumulators, copies numbered · gives: leaving */
#include "place/place_internal.h"

enum { STEPS_MAX = 1 << 22, CHAIN_MAX = 64 };
enum { OLD_STEPPED = 1, OLD_HANDED_ON };

struct leave {
    struct place_work *w;
    uint64_t steps;
};

static uint32_t block_of(const struct graph *g, graph_id node)
{
    uint32_t count;
    const uint32_t *defs = graph_defs_of(g, node, &count);
    return count ? g->insns.p[g->defs.p[defs[0]].insn].block : UINT32_MAX;
}

static bool is_in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    uint32_t l = g->blocks.p[block].loop;
    while (l && l != loop)
        l = g->loops.p[l - 1].parent;
    return l == loop;
}

static bool dominates(struct leave *s, uint32_t block, uint32_t other)
{
    const struct graph *g = s->w->g;
    while (other != block && other != UINT32_MAX && ++s->steps < STEPS_MAX)
        other = g->blocks.p[other].idom;
    return other == block;
}

/* Every way out of the loop (+ 1) leads through the block. */
static bool is_on_all_ways_out(struct leave *s, uint32_t loop, uint32_t block)
{
    const struct graph *g = s->w->g;
    bool any = false;
    for (uint32_t b = 0; b < g->blocks.n && s->steps < STEPS_MAX; b++) {
        const struct graph_block *from = &g->blocks.p[b];
        bool leaves = false;
        s->steps++;
        if (!from->reachable || !is_in_loop(g, b, loop))
            continue;
        for (uint32_t k = 0; k < from->succ_count; k++)
            leaves |= !is_in_loop(g, from->succs[k], loop);
        if (leaves && !dominates(s, block, b))
            return false;
        any |= leaves;
    }
    return any && s->steps < STEPS_MAX;
}

/* What a step is read as (a remainder) has the node for an operand. */
static bool reads_step(const struct graph *g, graph_id step, graph_id id)
{
    graph_id as = step == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_reads(g, step);
    const struct graph_node *n = graph_at(g, as);
    bool found = false;
    for (unsigned k = 0; as != GRAPH_NIL && k < n->arg_count; k++)
        found |= n->arg[k] == id;
    return found;
}

/* The step that reads a node of its accumulator and is made on every way out; NIL: the loop may be left without. */
static graph_id step_behind(struct leave *s, graph_id id)
{
    const struct place_work *w = s->w;
    const struct graph *g = w->g;
    uint32_t count;
    const graph_id *users = graph_users(g, id, &count);
    const struct graph_node *n = graph_at(g, id);
    uint32_t own = graph_is_loop_phi(g, id) ? g->loops.p[n->imm - 1].header : block_of(g, id);
    graph_id out = w->accumulators.p[w->accumulator[id] - 1].out;
    /* As a whole: what it is made of lies between; or it takes nothing of the old value. */
    bool reads = out != GRAPH_NIL && out != id && (graph_is_loop_phi(g, id) || reads_step(g, out, id));
    for (uint32_t i = 0; i < count + reads && own != UINT32_MAX; i++) {
        graph_id user = i < count ? users[i] : out;
        if (user >= w->nodes || w->accumulator[user] != w->accumulator[id] || graph_at(g, user)->kind == GRAPH_PHI ||
            place_is_merge(w, user))
            continue;
        uint32_t at = block_of(g, user), loop = at == UINT32_MAX ? 0 : g->blocks.p[at].loop;
        if (at == UINT32_MAX)
            continue;
        if (loop ? is_in_loop(g, own, loop) && is_on_all_ways_out(s, loop, at) : at == own)
            return user;
    }
    return GRAPH_NIL;
}

/* A step in straight code reads the node, which paths before it gave the variable: there it is the old value. */
static bool starts_straight(struct leave *s, graph_id id)
{
    const struct place_work *w = s->w;
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, id);
    const struct place_accumulator *a = &w->accumulators.p[w->accumulator[id] - 1];
    if ((n->kind != GRAPH_PHI && n->kind != UOP_SELECT) || id == a->out || w->copy[id] != GRAPH_NIL || !g->cycles)
        return false;
    uint32_t count;
    const graph_id *users = graph_users(g, id, &count);
    const struct graph_cycle *c = &g->cycles->cycles.p[a->cycle];
    for (uint32_t i = 0; i < count && s->steps < STEPS_MAX; i++) {
        uint32_t at =
            users[i] < w->nodes && w->accumulator[users[i]] == w->accumulator[id] ? block_of(g, users[i]) : UINT32_MAX;
        for (size_t p = 0; at != UINT32_MAX && p < c->pieces.n; p++)
            for (uint32_t k = 0; c->pieces.p[p].straight && k < c->pieces.p[p].block_count; k++, s->steps++)
                if (c->pieces.p[p].blocks[k] == at)
                    return true;
    }
    return false;
}

/* What comes round takes nothing of what came in (`q = r; r = t`): no instruction is the step. */
static bool is_handed_on(const struct place_work *w, graph_id phi, uint32_t loop)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, phi);
    const struct graph_block *header = &g->blocks.p[n->block];
    bool any = false;
    for (uint32_t k = 0; k < n->phi_count && k < header->pred_count; k++) {
        const struct graph_node *round = graph_at(g, n->phi_args[k]);
        if (!is_in_loop(g, header->preds[k], loop))
            continue;
        if (graph_is_loop_phi(g, n->phi_args[k]) && n->phi_args[k] < w->nodes &&
            w->accumulator[n->phi_args[k]] == w->accumulator[phi])
            return false; /* a loop within makes the steps */
        if (n->phi_args[k] == phi || (round->kind == GRAPH_PHI && !graph_is_loop_phi(g, n->phi_args[k])) ||
            place_mentions(g, n->phi_args[k], phi))
            return false;
        any = true;
    }
    return any;
}

/* A variable that is handed on gets its new value where a turn ends: behind a loop that is left only there what came in
 * is the old value, behind one that is left only where turns begin it is the last. */
static void find_handed_on(struct leave *s, struct place_leaving *l)
{
    const struct graph *g = s->w->g;
    uint32_t loop = (uint32_t)graph_at(g, l->node)->imm;
    const struct graph_loop *of = &g->loops.p[loop - 1];
    bool first = false, last = false, between = false;
    for (uint32_t b = 0; b < g->blocks.n && s->steps < STEPS_MAX; b++, s->steps++) {
        const struct graph_block *from = &g->blocks.p[b];
        bool leaves = false;
        for (uint32_t k = 0; from->reachable && is_in_loop(g, b, loop) && k < from->succ_count; k++)
            leaves |= !is_in_loop(g, from->succs[k], loop);
        last |= leaves && b == of->latch;
        first |= leaves && b == of->header && b != of->latch;
        between |= leaves && b != of->header && b != of->latch;
    }
    const struct graph_cycle *c = &g->cycles->cycles.p[l->cycle];
    bool whole = c->pieces.n == 1 && c->unroll <= 1;
    if (last && !first && !between && whole)
        l->before = 1;
    else if (last || between || s->steps >= STEPS_MAX)
        l->came_in = true;
}

/* A choice behind the loop between what came into a turn and something else: of a variable that is handed on, or of one
 * that has nothing newer among the others. What chooses between an old value and one that the variable never had is a
 * step of its own: the remainder of an unrolled loop has its steps behind the loop. */
static bool chooses_old(const struct place_work *w, const uint8_t *old, graph_id id)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, id);
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg + 1;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->kind == UOP_SELECT ? 2 : 0, block = block_of(g, id);
    graph_id phi = w->accumulators.p[w->accumulator[id] - 1].phi;
    bool handed = false, older = false, newer = false;
    if (graph_is_loop_phi(g, id) ||
        (block != UINT32_MAX && graph_is_loop_phi(g, phi) && is_in_loop(g, block, (uint32_t)graph_at(g, phi)->imm)))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        bool own = args[k] < w->nodes && w->accumulator[args[k]] == w->accumulator[id];
        handed |= own && old[args[k]] == OLD_HANDED_ON;
        older |= own && old[args[k]];
        newer |= own && !old[args[k]];
        if (!own && n->kind == UOP_SELECT && graph_at(g, args[k])->kind != UOP_CONST &&
            !map_u64_get(&w->starts_of, (uint64_t)args[k] << 32 | w->accumulator[id], NULL))
            return false;
    }
    return handed || (older && !newer);
}

static void drop_copies(struct place *p, const uint8_t *chosen)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->copies.n; i++)
        if (!chosen[p->copies.p[i].node])
            p->copies.p[kept++] = p->copies.p[i];
    p->copies.n = kept;
}

void place_find_leaving(struct place_work *w, struct place *p)
{
    struct leave s = {.w = w};
    uint8_t *old = ARENA_ARRAY(w->a, uint8_t, w->nodes), *chosen = ARENA_ARRAY(w->a, uint8_t, w->nodes);
    if (!old || !chosen)
        return;
    for (graph_id id = 1; id < w->nodes; id++) {
        uint32_t index, at = w->accumulator[id];
        if (!at || w->accumulators.p[at - 1].phi == GRAPH_NIL || !map_u64_get(&p->of, id, &index))
            continue;
        struct place_leaving l = {.node = id, .value = index, .cycle = w->accumulators.p[at - 1].inner};
        for (graph_id on = step_behind(&s, id); on != GRAPH_NIL && l.before < CHAIN_MAX; on = step_behind(&s, on))
            l.before++;
        if (graph_is_loop_phi(w->g, id) && w->g->cycles && is_handed_on(w, id, (uint32_t)graph_at(w->g, id)->imm)) {
            if (!l.before)
                find_handed_on(&s, &l);
            old[id] = (l.before || l.came_in) ? OLD_HANDED_ON : 0;
        } else if (graph_is_loop_phi(w->g, id) && l.before) {
            old[id] = OLD_STEPPED;
        }
        l.chosen = !l.before && chooses_old(w, old, id);
        chosen[id] = l.chosen;
        if (l.chosen)
            old[id] = OLD_HANDED_ON;
        l.begins = graph_is_loop_phi(w->g, id) || starts_straight(&s, id);
        VEC_PUSH(w->a, p->leaving, l);
    }
    drop_copies(p, chosen);
}
