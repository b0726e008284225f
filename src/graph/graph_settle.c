/* What may be said of a loop once all is known of it: a condition that ends it is told only where no other one does,
 * and bounds only where they are those of the source's loop, not of a piece that a compiler made of it.
 *
 * requires: cycles with pieces, counters, turns · gives: until, count and counters left out where they would mislead */
#include "graph/graph_cycle_internal.h"
#include "graph/graph_depend.h"

/* Counters of this loop and what never changes in it decide. */
static bool by_counters(struct cycle_work *w, const struct cycle_region *r, graph_id id, unsigned depth)
{
    enum { DEPTH = 24 };
    const struct graph *g = w->g;
    id = cycle_bare(g, id);
    if (!cycle_varies(w, r->loop, id))
        return true;
    for (uint32_t i = 0; i < r->phi_count; i++)
        if (r->phis[i].phi == id)
            return r->phis[i].step_kind != CYCLE_STEP_NONE;
    const struct graph_node *n = graph_at(g, id);
    bool integer = (n->kind >= UOP_ADD && n->kind <= UOP_SAR) || n->kind == UOP_SEXT || n->kind == UOP_ZEXT ||
                   n->kind == UOP_LO || n->kind == UOP_HI || n->kind == UOP_IEQ || n->kind == UOP_ILT_S ||
                   n->kind == UOP_ILT_U || n->kind == GRAPH_BOOL;
    if (!integer || depth > DEPTH || w->budget == 0)
        return false;
    w->budget--;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!by_counters(w, r, n->arg[k], depth + 1))
            return false;
    return true;
}

static bool traps(const struct graph *g, uint32_t block)
{
    const struct uop_list *l = g->input.insns[g->insns.p[g->blocks.p[block].last].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_TRAP)
            return true;
    return false;
}

/* Who leaves the loop there goes nowhere else: the program is stopped, and that is no end of the loop's. */
static bool only_traps(const struct cycle_work *w, const struct cycle_region *r, uint32_t block)
{
    const struct graph *g = w->g;
    const struct graph_block *b = &g->blocks.p[block];
    if (b->succ_count < 2)
        return traps(g, block);
    for (uint32_t s = 0; s < b->succ_count; s++)
        if (!cycle_in_loop(w, b->succs[s], r->loop) && (g->blocks.p[b->succs[s]].succ_count || !traps(g, b->succs[s])))
            return false;
    return true;
}

/* The loop is left by more than the test of its counter (the copies of a body may each have that test). */
static bool ends_otherwise(struct cycle_work *w, const struct cycle_region *r)
{
    uint32_t tests = 0, block = UINT32_MAX;
    for (size_t i = 0; i < r->exits.n; i++) {
        const struct cycle_exit *e = &r->exits.p[i];
        uint64_t known;
        if (e->leaves != GRAPH_NIL && graph_is_const(w->g, e->leaves, &known) && !known)
            continue;
        if (only_traps(w, r, e->block))
            continue;
        if (e->leaves == GRAPH_NIL || !by_counters(w, r, e->leaves, 0))
            return r->exits.n > 1;
        tests += e->block != block;
        block = e->block;
    }
    return tests > 1 && tests != r->unroll;
}

/* n % 4 or n - n % 4 and the like: where compilers part a loop's turns. 0: none; else how many turns it parts by. A
 * thread's own number may well be parted so by the source. */
static uint64_t parts_by(struct graph *g, graph_id id, unsigned depth)
{
    enum { DEPTH = 12, LARGE = 64 };
    const struct graph_node *n = graph_at(g, id);
    uint64_t mask;
    if (id == GRAPH_NIL || depth > DEPTH || n->kind == UOP_SREG || n->kind == UOP_LOAD || n->kind == GRAPH_PHI)
        return 0;
    if (n->kind == UOP_AND && graph_is_const(g, n->arg[1], &mask) && mask) {
        uint64_t low = mask & (0 - mask), rest = mask / low;
        bool own = graph_at(g, cycle_bare(g, n->arg[0]))->kind == UOP_SREG;
        if (!own && low == 1 && mask < LARGE && !(mask & (mask + 1)))
            return mask + 1;
        struct graph_range range; /* all higher bits are kept that there are */
        bool high = rest >= UINT16_MAX ||
                    (graph_range_of(g, n->arg[0], &range) && range.hi > 0 && (uint64_t)range.hi <= (mask | (low - 1)));
        if (!own && low > 1 && low <= LARGE && !(rest & (rest + 1)) && high)
            return low;
    }
    if ((n->kind == UOP_MUL || n->kind == UOP_SHL) && graph_is_const(g, n->arg[1], &mask)) { /* x >> 4 << 4 */
        const struct graph_node *down = graph_at(g, cycle_bare(g, n->arg[0]));
        uint64_t times = n->kind == UOP_MUL ? mask : mask < 8 ? UINT64_C(1) << mask : 0, bits;
        if (down->kind == UOP_SHR && graph_is_const(g, down->arg[1], &bits) && bits > 0 && bits < 7 &&
            times == UINT64_C(1) << bits)
            return times;
    }
    for (unsigned k = 0; k < n->arg_count; k++) {
        uint64_t by = parts_by(g, n->arg[k], depth + 1);
        if (by)
            return by;
    }
    return 0;
}

/* The counter's constant step; 0: another. */
static int64_t step_of(const struct graph *g, const struct graph_cycle *c)
{
    uint64_t by;
    const struct graph_node *n = graph_at(g, c->next);
    if (c->next == GRAPH_NIL || n->kind != UOP_ADD || n->arg[0] != c->counter || !graph_is_const(g, n->arg[1], &by))
        return 0;
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    return bits >= 64 ? (int64_t)by : (int64_t)(by << (64 - bits)) >> (64 - bits);
}

/* Behind the loop something starts from where its counter is: a loop's phi, an address, a condition. */
static bool goes_on(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p)
{
    enum { FLOW_MAX = 64 };
    const struct graph *g = w->g;
    graph_id flow[FLOW_MAX];
    unsigned n = 0;
    flow[n++] = p->phi;
    if (p->next != GRAPH_NIL && p->next < w->nodes)
        flow[n++] = cycle_bare(g, p->next);
    for (unsigned at = 0; at < n; at++) {
        uint32_t count;
        const graph_id *users = graph_users(g, flow[at], &count);
        for (uint32_t i = 0; i < count && n < FLOW_MAX; i++) {
            const struct graph_node *u = graph_at(g, users[i]);
            bool known = users[i] >= w->nodes;
            for (unsigned k = 0; k < n && !known; k++)
                known = flow[k] == users[i];
            if (known)
                continue;
            if (graph_is_loop_phi(g, users[i])) {
                if (u->imm != r->loop + 1 && !cycle_in_loop(w, g->loops.p[u->imm - 1].header, r->loop) &&
                    g->loops.p[u->imm - 1].parent == g->loops.p[r->loop].parent)
                    return true;
                continue;
            }
            uint32_t made = cycle_maker(w, users[i], UINT32_MAX);
            bool join = u->kind == GRAPH_PHI || (u->kind == UOP_SELECT && u->arg[0] != flow[at]);
            bool outside = made != UINT32_MAX && !cycle_in_loop(w, g->insns.p[made].block, r->loop);
            if (!join && outside && u->kind != UOP_I2F)
                return true;
            if (join)
                flow[n++] = users[i];
        }
    }
    return false;
}

/* The bound of a main loop whose rest stands elsewhere: all but one of its steps before the end, n - 3 * 16 of four. */
static bool is_short_of(struct cycle_work *w, const struct cycle_region *r, const struct cycle_phi *p, graph_id until)
{
    const struct graph *g = w->g;
    graph_id atoms[6];
    unsigned count;
    uint64_t table, k;
    if (until == GRAPH_NIL || !p->constant || !graph_table(g, until, atoms, &count, &table))
        return false;
    int64_t step = p->amount < 0 ? -p->amount : p->amount;
    for (unsigned i = 0; i < count; i++)
        for (unsigned side = 0; side < 2 && graph_at(g, atoms[i])->arg_count == 2; side++) {
            const struct graph_node *n = graph_at(g, cycle_bare(g, graph_at(g, atoms[i])->arg[side]));
            if (n->kind != UOP_ADD || !graph_is_const(g, n->arg[1], &k))
                continue;
            int64_t by = n->type == UOP_B32 ? (int32_t)k : (int64_t)k;
            by = by < 0 ? -by : by;
            if (by > 0 && by < step && step % (step - by) == 0 && (r->unroll > 1 || by > 1))
                return true;
        }
    return false;
}

/* One test a turn of several steps, and nothing behind it: a source that takes them together counts by all of them. */
static void settle_step(struct cycle_work *w, struct graph_cycle *c)
{
    struct graph *g = w->g;
    const struct graph_piece *only = c->pieces.n == 1 ? &c->pieces.p[0] : NULL;
    if (!only || only->straight || c->unroll < 2 || c->until == GRAPH_NIL || c->count != GRAPH_NIL ||
        graph_at(g, c->until)->kind == UOP_IEQ)
        return;
    const struct cycle_region *r = &w->regions[only->loop];
    const struct cycle_phi *p = r->counter >= 0 ? &r->phis[r->counter] : NULL;
    if (!p || p->phi != c->counter || p->step_kind != CYCLE_STEP_ADD || !p->constant || r->exits.n != 1)
        return;
    if (goes_on(w, r, p))
        return;
    enum uop_type type = (enum uop_type)graph_at(g, p->phi)->type;
    c->next = graph_op2(g, UOP_ADD, type, p->phi, graph_const(g, type, (uint64_t)p->amount));
    c->whole = true;
}

/* The end of the machine's loop is not that of the source's, which goes on behind it. */
static void settle_end(struct cycle_work *w, struct graph_cycle *c)
{
    const struct graph_piece *only = c->pieces.n == 1 ? &c->pieces.p[0] : NULL;
    if (!only || only->straight || c->until == GRAPH_NIL)
        return;
    const struct cycle_region *r = &w->regions[only->loop];
    const struct cycle_phi *p = r->counter >= 0 ? &r->phis[r->counter] : NULL;
    if (p && p->phi == c->counter && is_short_of(w, r, p, c->until) && goes_on(w, r, p))
        c->until = c->count = GRAPH_NIL;
}

/* Bounds that are a piece's: the rest of the loop was not found, or could not be told. */
static void settle_bounds(struct cycle_work *w, struct graph_cycle *c)
{
    struct graph *g = w->g;
    uint64_t start = parts_by(g, c->start, 0), until = parts_by(g, c->until, 0), by = start ? start : until;
    int64_t step = step_of(g, c);
    bool wide =
        by && step && c->unroll == 1 && (step % (int64_t)by == 0 || (int64_t)by % step == 0) && step != 1 && step != -1;
    if (parts_by(g, c->count, 0))
        c->count = GRAPH_NIL;
    if (until)
        c->until = GRAPH_NIL;
    /* What is left to do for some piece counts, and says nothing of the loop. */
    bool rest = c->pieces.n > 1 && c->start == GRAPH_NIL && c->until == GRAPH_NIL;
    if (start || wide || rest)
        c->counter = c->start = c->next = c->until = GRAPH_NIL;
}

/* An offset in bytes that all the loop counts by says nothing of the source's turns. */
static bool counts_bytes(const struct cycle_work *w, const struct graph_cycle *c)
{
    const struct graph_piece *only = c->pieces.n == 1 ? &c->pieces.p[0] : NULL;
    const struct cycle_region *r = only && !only->straight ? &w->regions[only->loop] : NULL;
    const struct cycle_phi *p = r && r->counter >= 0 ? &r->phis[r->counter] : NULL;
    return p && p->phi == c->counter && p->pointer && p->constant && p->amount != 1 && p->amount != -1 &&
           graph_is_const(w->g, p->start, NULL);
}

void cycle_settle(struct cycle_work *w)
{
    for (size_t i = 0; i < w->out->cycles.n; i++) {
        struct graph_cycle *c = &w->out->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n && !c->irreducible; k++)
            if (!c->pieces.p[k].straight && ends_otherwise(w, &w->regions[c->pieces.p[k].loop]))
                c->until = c->count = GRAPH_NIL;
        settle_step(w, c);
        settle_end(w, c);
        if (counts_bytes(w, c))
            c->counter = c->start = c->next = c->until = GRAPH_NIL;
        settle_bounds(w, c);
        for (size_t k = 0; k < c->pieces.n; k++) /* the first steps were taken out: what is left is counted */
            if (!c->pieces.p[k].straight && w->regions[c->pieces.p[k].loop].peeled)
                c->start = c->until = c->count = GRAPH_NIL;
    }
}
