/* How often a loop's body repeats the step of the source's loop (D6).
 *
 * Each value of the body is summed up by a hash of its term over holes (accumulators, elements, the counter, what never
 * changes stays itself) and by a few numbers that are linear in what the holes stand for: the element's address at some
 * random counter, at another one, and a turn later. Two steps are the same term when the hashes agree; elements advance
 * together when the numbers differ by one constant; and a body of u steps goes on in the next turn where it left off
 * when a turn moves the numbers u times as far as a step. That last test tells a[k] + b[k] from two steps over a.
 *
 * An accumulator is taken apart at its cuts: values that everything from the incoming to the outgoing one goes through.
 * requires: inductions · gives: chains, unroll, inner */
#include "graph/graph_peel.h"

#include <stdlib.h>
#include <string.h>

enum { FLAT_MAX = 512, DIVISORS_MAX = 64 };

/* ---- cuts ------------------------------------------------------------------------------------- */

/* Nodes on the way from `in` to `out`, arguments first. False: an inner loop stands in the way, or too much. */
static bool find_way(struct peeler *p, graph_id in, graph_id out)
{
    struct cycle_work *w = p->w;
    const struct graph *g = w->g;
    uint32_t depth = 0, on = 2 * ++p->token, off = on + 1;
    p->order.n = 0;
    if (out <= in)
        return false;
    p->mark[in] = on;
    p->place[in] = 0;
    VEC_PUSH(w->a, p->order, in);
    p->mark[out] = off;
    p->stack[depth].node = out;
    p->stack[depth++].arg = 0;
    while (depth) {
        graph_id at = p->stack[depth - 1].node;
        const struct graph_node *n = graph_at(g, at);
        const graph_id *args;
        uint32_t count = cycle_args(n, &args);
        if (cycle_joined_call(g, at)) /* what the quick way beside it says */
            count = 0;
        else if (n->kind == GRAPH_PHI && !cycle_joins_answer(g, at))
            return false;
        if (p->stack[depth - 1].arg < count) {
            graph_id x = args[p->stack[depth - 1].arg++];
            if (x <= in || x >= w->nodes || p->mark[x] == on || p->mark[x] == off)
                continue;
            if (!cycle_varies(w, p->r->loop, x) || peel_header_phi(p, x)) {
                p->mark[x] = off;
                continue;
            }
            if (w->budget == 0 || depth + 1 >= p->stack_cap)
                return false;
            w->budget--;
            p->mark[x] = off;
            p->stack[depth].node = x;
            p->stack[depth++].arg = 0;
            continue;
        }
        bool reached = false;
        for (uint32_t k = 0; k < count && !reached; k++)
            reached = args[k] < w->nodes && p->mark[args[k]] == on;
        if (reached) {
            p->mark[at] = on;
            p->place[at] = (uint32_t)p->order.n;
            VEC_PUSH(w->a, p->order, at);
        }
        depth--;
    }
    return !arena_failed(w->a) && p->mark[out] == on;
}

static bool find_cuts(struct peeler *p, struct cycle_chain *c)
{
    struct cycle_work *w = p->w;
    if (!find_way(p, c->in, c->out))
        return false;
    uint32_t n = (uint32_t)p->order.n, count = 0, furthest = 0, token = 2 * p->token;
    uint32_t *last = ARENA_ARRAY(w->a, uint32_t, n);
    graph_id *cut = ARENA_ARRAY(w->a, graph_id, n);
    if (!last || !cut)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *node = graph_at(w->g, p->order.p[i]);
        const graph_id *args;
        uint32_t args_count = cycle_args(node, &args);
        for (uint32_t k = 0; k < args_count && i > 0; k++)
            if (args[k] < w->nodes && p->mark[args[k]] == token)
                last[p->place[args[k]]] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (furthest <= i)
            cut[count++] = p->order.p[i];
        furthest = last[i] > furthest ? last[i] : furthest;
    }
    c->cut = cut;
    c->count = count - 1;
    return count >= 2;
}

/* A sum on the way from `in` to `out` is looked at by itself (each is stored, as a scan does): they have an order. */
static bool shows_sums(struct cycle_work *w, const struct cycle_chain *c)
{
    struct cycle_nodes sums = cycle_sums(w, c->in, c->out);
    for (size_t i = 0; i < sums.n; i++) {
        uint32_t count;
        const graph_id *users = graph_users(w->g, sums.p[i], &count);
        bool shown = sums.p[i] != c->out && w->stored[sums.p[i]];
        for (uint32_t k = 0; k < count && !shown && sums.p[i] != c->out; k++)
            shown = users[k] < w->nodes && w->live[users[k]] && (i + 1 == sums.n || users[k] != sums.p[i + 1]);
        if (shown)
            return true;
    }
    return false;
}

/* An integer sum (minimum, mask …) of the incoming value and terms that do not depend on it. */
static bool find_terms(struct peeler *p, struct cycle_chain *c)
{
    struct cycle_work *w = p->w;
    const struct graph *g = w->g;
    graph_id found[FLAT_MAX];
    uint32_t count, own = 0, kept = 0;
    unsigned kind = graph_at(g, c->out)->kind;
    bool known = kind == UOP_ADD || kind == UOP_AND || kind == UOP_OR || kind == UOP_XOR ||
                 (kind >= UOP_MIN_S && kind <= UOP_MAX_U);
    if (!known || !cycle_flatten(g, c->out, kind, found, FLAT_MAX, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        own += found[i] == c->in;
    if (own != 1 || count < 3 || shows_sums(w, c))
        return false;
    graph_id *terms = ARENA_ARRAY(w->a, graph_id, count);
    for (uint32_t i = 0; i < count && terms; i++) {
        if (found[i] == c->in)
            continue;
        if (found[i] > c->in && (find_way(p, c->in, found[i]) || w->budget == 0))
            return false;
        terms[kept++] = found[i];
    }
    c->flat = true;
    c->terms = terms;
    c->count = terms ? kept : 0;
    return terms != NULL;
}

static void add_chain(struct peeler *p, graph_id in, graph_id out, uint32_t phi)
{
    struct cycle_work *w = p->w;
    struct cycle_chain c = {.in = in, .out = out, .phi = phi, .period = 1};
    uint32_t index = (uint32_t)p->r->chains.n;
    if (in >= w->nodes || out >= w->nodes || in == out)
        return;
    if (!find_terms(p, &c) && !find_cuts(p, &c))
        return;
    if (c.flat) {
        p->cut_stamp[c.in] = p->r->loop + 1;
        p->cut_chain[c.in] = index;
        p->cut_index[c.in] = 0;
    }
    for (uint32_t i = 0; i <= c.count && !c.flat; i++) {
        p->cut_stamp[c.cut[i]] = p->r->loop + 1;
        p->cut_chain[c.cut[i]] = index;
        p->cut_index[c.cut[i]] = i;
    }
    VEC_PUSH(w->a, p->r->chains, c);
    p->r->phis[phi].chain = index + 1;
}

static void find_chains(struct peeler *p)
{
    struct graph *g = p->w->g;
    for (uint32_t i = 0; i < p->r->phi_count; i++) {
        const struct cycle_phi *phi = &p->r->phis[i];
        if (!phi->live || phi->step_kind != CYCLE_STEP_NONE || phi->next == GRAPH_NIL ||
            graph_at(g, phi->phi)->type == UOP_B1)
            continue;
        const struct graph_node *n = graph_at(g, phi->next);
        if (n->kind == UOP_PAIR) { /* two numbers side by side: each by itself */
            enum uop_type half = (enum uop_type)graph_at(g, n->arg[0])->type;
            graph_id lo = n->arg[0], hi = n->arg[1];
            add_chain(p, graph_op1(g, UOP_LO, half, phi->phi), lo, i);
            add_chain(p, graph_op1(g, UOP_HI, half, phi->phi), hi, i);
            continue;
        }
        add_chain(p, phi->phi, phi->next, i);
    }
}

/* ---- periods ---------------------------------------------------------------------------------- */

static bool same_way(const struct summary *a, const struct summary *b, const uint64_t d[NUMBERS])
{
    if (a->hash != b->hash)
        return false;
    for (int k = 0; k < NUMBERS; k++)
        if (b->f[k] - a->f[k] != d[k])
            return false;
    return true;
}

/* s[0 .. count) is count / g groups of g; each next one the same with elements advanced, and `turns` says how many
 * times that a turn advances (0: not asked). *moves: some element does advance. */
static bool repeats(const struct summary *s, uint32_t count, uint32_t g, uint64_t turns, bool *moves)
{
    for (uint32_t j = 0; j < g && g < count; j++) {
        uint64_t d[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            d[k] = s[j + g].f[k] - s[j].f[k];
        if (d[NOW] != d[OTHER] || d[NOW] != d[LATER])
            return false;
        if (turns && s[j].f[LATER] - s[j].f[NOW] != turns * d[NOW])
            return false;
        *moves |= d[STILL] != 0;
        for (uint32_t i = j; i + g < count; i += g)
            if (!same_way(&s[i], &s[i + g], d))
                return false;
    }
    return true;
}

static int by_hash(const void *x, const void *y)
{
    const struct summary *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int64_t p = (int64_t)a->constant, q = (int64_t)b->constant;
    return p < q ? -1 : p > q;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* Copies in classes of equal terms, in any order: how many steps they are. *moves as above. */
static uint32_t classes(struct summary *s, uint32_t count, bool *moves)
{
    uint32_t steps = 0;
    if (count)
        qsort(s, count, sizeof s[0], by_hash);
    for (uint32_t from = 0, to; from < count; from = to) {
        uint32_t best = 1;
        bool moved = false;
        for (to = from + 1; to < count && s[to].hash == s[from].hash;)
            to++;
        uint32_t n = to - from;
        for (uint32_t u = n; u > 1 && best == 1; u--) { /* n / u runs of u */
            if (n % u != 0)
                continue;
            bool all = true, any = false;
            for (uint32_t run = from; run < to && all; run += u)
                all = repeats(s + run, u, 1, u, &any);
            if (all) {
                best = u;
                moved = any;
            }
        }
        steps = gcd(steps, best);
        *moves |= moved;
    }
    return steps;
}

struct peeled {
    uint32_t steps; /* in a turn */
    uint32_t group; /* cuts a step */
    uint32_t inner; /* smaller steps within one, 0: none */
    bool moves;
};

/* `known`: the steps of a turn, 0: to be found. */
static struct peeled peel_chain(struct peeler *p, uint32_t index, uint32_t known)
{
    struct cycle_work *w = p->w;
    struct cycle_chain *c = &p->r->chains.p[index];
    struct peeled out = {.steps = 1, .group = c->count};
    struct summary *s = ARENA_ARRAY(w->a, struct summary, c->count);
    if (!s)
        return out;
    p->reading = index + 1;
    uint64_t rest = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t k;
        if (c->flat && graph_is_const(w->g, c->terms[i], &k))
            rest = k;
        else
            s[count++] = c->flat ? peel_sum_up(p, c->terms[i], 0) : peel_define(p, c->cut[i + 1], 0);
    }
    p->reading = 0;
    if (c->flat) {
        out.steps = classes(s, count, &out.moves);
        out.steps = out.steps && rest % out.steps == 0 ? out.steps : 1;
        out.group = 1;
        return out;
    }
    uint32_t tried = 0;
    if (known) {
        out.steps = known;
        out.group = count / known;
        out.moves = true;
    }
    for (uint32_t g = 1; g < count && tried < DIVISORS_MAX && !known; g++) {
        bool moves = false;
        if (count % g != 0)
            continue;
        tried++;
        if (repeats(s, count, g, count / g, &moves)) {
            out.steps = count / g;
            out.group = g;
            out.moves = moves;
            break;
        }
    }
    for (uint32_t g = 1; g < out.group; g++) { /* an inner loop, unrolled whole */
        bool all = out.group % g == 0 && out.group / g >= 3, moves = false;
        for (uint32_t at = 0; at < count && all; at += out.group)
            all = repeats(s + at, out.group, g, 0, &moves);
        if (all && moves) {
            out.inner = out.group / g;
            break;
        }
    }
    return out;
}

/* ---- effects ---------------------------------------------------------------------------------- */

/* A test of the counter alone is the loop's own. */
static bool is_counter_test(struct peeler *p, graph_id cond)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!graph_table(p->w->g, cond, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct graph_node *n = graph_at(p->w->g, atoms[k]);
        if (n->kind != UOP_IEQ && n->kind != UOP_ILT_S && n->kind != UOP_ILT_U)
            return false;
        struct summary a = peel_sum_up(p, n->arg[0], 0), b = peel_sum_up(p, n->arg[1], 0);
        struct summary x;
        if (!(a.linear || peel_shifted_counter(p, n->arg[0], &x)) ||
            !(b.linear || peel_shifted_counter(p, n->arg[1], &x)))
            return false;
    }
    return true;
}

/* Made of integers that the loop counts with and of what never changes, however wide: nothing is looked at. */
static bool only_counts(struct peeler *p, graph_id id, graph_id *seen, unsigned *count, unsigned depth)
{
    enum { SEEN = 48, DEPTH = 24 };
    const struct graph *g = p->w->g;
    if (id == GRAPH_NIL || !cycle_varies(p->w, p->r->loop, id))
        return id != GRAPH_NIL;
    for (unsigned k = 0; k < *count; k++)
        if (seen[k] == id)
            return true;
    if (*count >= SEEN || depth > DEPTH)
        return false;
    seen[(*count)++] = id;
    const struct graph_node n = *graph_at(g, id);
    struct cycle_phi *phi = peel_header_phi(p, id);
    if (phi)
        return n.type != UOP_F32 && n.type != UOP_F64 && only_counts(p, phi->next, seen, count, depth + 1);
    bool integer = (n.kind >= UOP_ADD && n.kind <= UOP_SAR) || n.kind == UOP_SEXT || n.kind == UOP_ZEXT ||
                   n.kind == UOP_LO || n.kind == UOP_HI || n.kind == UOP_PAIR || n.kind == UOP_IEQ ||
                   n.kind == UOP_ILT_S || n.kind == UOP_ILT_U || n.kind == UOP_ADDC || n.kind == GRAPH_BOOL ||
                   n.kind == UOP_AND || n.kind == UOP_OR || n.kind == UOP_XOR || n.kind == UOP_NOT;
    for (unsigned k = 0; k < n.arg_count && integer; k++)
        integer = only_counts(p, n.arg[k], seen, count, depth + 1);
    return integer && n.insn == UINT32_MAX;
}

/* The branch round the loop asks where counters stand: there is one, however many steps a turn holds. */
static bool counts_turns(struct peeler *p, uint32_t block)
{
    graph_id seen[48];
    unsigned count = 0;
    const struct graph *g = p->w->g;
    return block == g->loops.p[p->r->loop].latch && p->r->exits.n == 1 && p->r->exits.p[0].block == block &&
           only_counts(p, g->blocks.p[block].branch, seen, &count, 0);
}

struct effects {
    struct summary *s;
    uint32_t count, cap;
    uint32_t barriers;
};

static void list_effects(struct peeler *p, struct effects *out)
{
    struct cycle_work *w = p->w;
    struct graph *g = w->g;
    uint32_t header = g->blocks.p[g->loops.p[p->r->loop].header].first;
    for (uint32_t i = 0; i < p->r->block_count; i++) {
        const struct graph_block b = g->blocks.p[p->r->blocks[i]];
        if (b.loop != p->r->loop + 1 || !b.reachable)
            continue; /* what an inner loop does is its own */
        for (uint32_t k = b.first; k <= b.last; k++) {
            const struct graph_insn n = g->insns.p[k];
            const struct uop_list *l = g->input.insns[n.input].uops;
            for (size_t u = 0; u < l->ops.n; u++) {
                out->barriers += l->ops.p[u].kind == UOP_BAR;
                if (l->ops.p[u].kind == UOP_ASYNC_COPY && out->count < out->cap)
                    out->s[out->count++] = (struct summary){.hash = peel_mix(UOP_ASYNC_COPY, l->ops.p[u].width)};
            }
            for (uint32_t x = n.first_access; x < n.first_access + n.access_count && out->count < out->cap; x++) {
                const struct graph_access *m = &g->accesses.p[x];
                if (m->kind == GRAPH_LOAD)
                    continue;
                struct summary s = {0}, a = peel_sum_up(p, m->address, 0);
                s.hash = peel_mix(peel_mix(m->kind, m->space), peel_mix(m->width, cycle_root(g, m->address)));
                s.hash = peel_mix(s.hash, a.linear ? 0 : a.hash);
                peel_take_in(&s, &a, 1);
                uint64_t order = a.constant;
                for (unsigned v = 0; v < 4 && m->value[v] != GRAPH_NIL; v++) {
                    struct summary value = peel_sum_up(p, cycle_stored(g, m, v), 0);
                    s.hash = peel_mix(s.hash, value.hash + v);
                    peel_take_in(&s, &value, peel_mix(0x76616c, v));
                }
                s.constant = order;
                out->s[out->count++] = s;
            }
        }
        bool own = g->insns.p[b.first].call_path == g->insns.p[header].call_path; /* not a subroutine's */
        /* One that stays within the turn is a choice that values show, whether by branch or by predicate. */
        bool stays =
            b.succ_count == 2 && cycle_in_loop(w, b.succs[0], p->r->loop) && cycle_in_loop(w, b.succs[1], p->r->loop);
        if (own && !(stays && p->r->chains.n > 0) && !counts_turns(p, p->r->blocks[i]) && b.branch != GRAPH_NIL &&
            b.succ_count == 2 && !is_counter_test(p, b.branch) && out->count < out->cap) {
            struct summary s = peel_sum_up(p, b.branch, 0);
            s.hash = peel_mix(0x6272616e, s.hash);
            out->s[out->count++] = s;
        }
    }
}

/* ---- a loop ----------------------------------------------------------------------------------- */

uint32_t cycle_counted_copies(const struct graph *g, const struct cycle_region *r)
{
    const struct cycle_phi *t = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    uint64_t mask, zero;
    if (!t || t->step_kind != CYCLE_STEP_ADD || !t->constant || t->amount < 2 || t->amount > UINT16_MAX ||
        t->start == GRAPH_NIL || r->limit == GRAPH_NIL || !graph_is_const(g, r->limit, &zero) || zero != 0)
        return 0;
    const struct graph_node *n = graph_at(g, cycle_bare(g, t->start));
    if (n->kind != UOP_NEG)
        return 0;
    n = graph_at(g, cycle_bare(g, n->arg[0]));
    bool rest = n->kind == UOP_AND && graph_is_const(g, n->arg[1], &mask);
    return rest && mask && (mask & (0 - mask)) == (uint64_t)t->amount ? (uint32_t)t->amount : 0;
}

/* So many copies of one step, but for where they are in memory: buffers that take turns are reached at the one place
 * and at the other. */
static bool are_copies(struct peeler *p, const struct effects *e, uint32_t copies)
{
    struct cycle_region *r = p->r;
    if (e->count + e->barriers == 0 || e->barriers % copies != 0)
        return false;
    for (uint32_t from = 0, to; from < e->count; from = to) { /* in order of their terms */
        for (to = from + 1; to < e->count && e->s[to].hash == e->s[from].hash;)
            to++;
        if ((to - from) % copies != 0)
            return false;
    }
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct cycle_chain *c = &r->chains.p[i];
        uint32_t group = c->count / copies;
        if (c->flat || c->count % copies != 0)
            return false;
        p->reading = i + 1;
        for (uint32_t k = 0; k + group < c->count; k++)
            if (peel_define(p, c->cut[k + 1], 0).hash != peel_define(p, c->cut[k + 1 + group], 0).hash) {
                p->reading = 0;
                return false;
            }
        p->reading = 0;
    }
    return true;
}

/* A counter that the loop's test looks at steps by a multiple of `u`. */
static bool counter_allows(const struct cycle_region *r, uint32_t u)
{
    for (uint32_t i = 0; i < r->phi_count; i++)
        if (r->phis[i].test && r->phis[i].constant && r->phis[i].step_kind != CYCLE_STEP_NONE &&
            r->phis[i].amount % (int64_t)u == 0)
            return true;
    return false;
}

/* A turn that the loop's counter takes for fewer steps holds more of them than copies: parts of one step. */
static uint32_t counted_unroll(const struct cycle_region *r, uint32_t unroll)
{
    const struct cycle_phi *t = r->tested >= 0 ? &r->phis[r->tested] : NULL;
    if (!t || !t->constant || t->amount == 0 || t->step_kind == CYCLE_STEP_SCALE)
        return unroll;
    uint64_t amount = t->amount < 0 ? 0 - (uint64_t)t->amount : (uint64_t)t->amount;
    return amount > UINT32_MAX ? unroll : gcd(unroll, (uint32_t)amount);
}

/* The steps take the words of one vector access: its parts, not a loop. */
static bool takes_a_vector_apart(const struct graph *g, const struct cycle_chain *c, uint32_t steps)
{
    enum { LANES = 4 };
    const struct graph_node *n = graph_at(g, c->cut[1]);
    for (unsigned k = 0; k < n->arg_count && steps <= LANES; k++) {
        unsigned kind = graph_at(g, n->arg[k])->kind;
        if (kind == UOP_ELEMENT || kind == UOP_LO || kind == UOP_HI)
            return true;
    }
    return false;
}

static bool begin(struct peeler *p, struct cycle_work *w)
{
    uint32_t n = w->nodes;
    p->w = w;
    p->at = ARENA_ARRAY(w->a, uint32_t, n);
    p->stamp = ARENA_ARRAY(w->a, uint32_t, n);
    p->cut_stamp = ARENA_ARRAY(w->a, uint32_t, n);
    p->cut_chain = ARENA_ARRAY(w->a, uint32_t, n);
    p->cut_index = ARENA_ARRAY(w->a, uint32_t, n);
    p->mark = ARENA_ARRAY(w->a, uint32_t, n);
    p->place = ARENA_ARRAY(w->a, uint32_t, n);
    p->stack_cap = n + 1;
    p->stack = arena_array(w->a, p->stack_cap, sizeof p->stack[0]);
    return !arena_failed(w->a);
}

void cycle_peel(struct cycle_work *w, struct cycle_region *r)
{
    struct peeler *p = w->peeler;
    uint32_t effects_max = 0;
    if (!p) {
        p = w->peeler = ARENA_NEW(w->a, struct peeler);
        if (!p || !begin(p, w))
            return;
    }
    p->r = r;
    p->memo_count = 0;
    find_chains(p);
    p->group_of = ARENA_ARRAY(w->a, uint32_t, r->chains.n + 1);
    for (uint32_t i = 0; i < r->chains.n && p->group_of; i++)
        p->group_of[i] = i;
    struct peeled *chains = ARENA_ARRAY(w->a, struct peeled, r->chains.n);
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct graph_block *b = &w->g->blocks.p[r->blocks[i]];
        effects_max += b->last - b->first + 2;
    }
    struct effects effects = {.cap = effects_max};
    effects.s = ARENA_ARRAY(w->a, struct summary, effects_max);
    if (!chains || !effects.s || !p->group_of)
        return;
    uint32_t unroll = 0;
    bool moves = false;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        chains[i] = peel_chain(p, i, 0);
        unroll = gcd(unroll, chains[i].steps);
        moves |= chains[i].moves;
    }
    list_effects(p, &effects);
    if (effects.count)
        unroll = gcd(unroll, classes(effects.s, effects.count, &moves));
    if (unroll > 1 && effects.barriers)
        unroll = gcd(unroll, effects.barriers);
    if (unroll > 1 && !moves && !counter_allows(r, unroll))
        unroll = 1;
    if (unroll > 1 && cycle_takes_several_elements(w, r))
        unroll = 1;
    r->unroll = unroll ? counted_unroll(r, unroll) : 1;
    uint32_t copies = r->unroll > 1 ? cycle_counted_copies(w->g, r) : 0;
    if (copies > r->unroll && copies % r->unroll == 0 && are_copies(p, &effects, copies)) {
        for (uint32_t i = 0; i < r->chains.n; i++) {
            chains[i] = peel_chain(p, i, copies);
            r->chains.p[i].alternates = true;
        }
        r->unroll = copies;
    }
    for (uint32_t i = 0; i < r->chains.n; i++) {
        struct cycle_chain *c = &r->chains.p[i];
        uint32_t within = chains[i].steps / r->unroll;
        c->period = c->flat ? 0 : c->count / r->unroll;
        c->least = c->flat ? 0 : chains[i].group;
        c->inner = c->flat ? 0 : within > 1 && chains[i].moves ? within : within == 1 ? chains[i].inner : 0;
        if (c->inner && (takes_a_vector_apart(w->g, c, c->inner) || !cycle_tells_inner(w, r, c)))
            c->inner = 0;
        r->inner = c->inner > r->inner ? c->inner : r->inner;
        for (uint32_t k = 1; k <= c->count && !c->flat; k++)
            w->claimed[c->cut[k]] = true;
        if (c->flat)
            w->claimed[c->out] = true;
        c->group = peel_group_of(p, i);
    }
}

bool cycle_cut_at(const struct cycle_work *w, const struct cycle_region *r, graph_id id, uint32_t *chain,
                  uint32_t *index)
{
    const struct peeler *p = w->peeler;
    if (!p || id >= w->nodes || p->cut_stamp[id] != r->loop + 1)
        return false;
    *chain = p->cut_chain[id];
    *index = p->cut_index[id];
    return true;
}
