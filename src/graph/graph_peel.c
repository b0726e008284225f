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
#include "graph/graph_cycle_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NOW, OTHER, LATER, STILL, NUMBERS }; /* at one counter, at another, a turn after NOW, NOW with accumulators 0 */
enum { FLAT_MAX = 512, DEPTH_MAX = 600, DIVISORS_MAX = 64 };

struct summary {
    uint64_t hash, f[NUMBERS];
    int64_t constant; /* of the first elements' addresses: an order among copies */
    bool linear;      /* an integer that only inductions and what never changes decide; f is its value */
};

struct peeler {
    struct cycle_work *w;
    struct cycle_region *r;
    struct summary *memo;
    uint32_t *at;    /* of nodes: index into memo + 1 where `stamp` is this region's */
    uint32_t *stamp; /* region + 1 */
    uint32_t memo_count, memo_cap;
    uint32_t *cut_stamp, *cut_chain, *cut_index; /* of nodes */
    uint32_t *mark, *place;                      /* of nodes, for finding cuts: token, position */
    uint32_t token;
    VEC(graph_id) order;
    struct {
        graph_id node;
        unsigned arg;
    } * stack;
    uint32_t stack_cap;
    uint32_t group_of[GRAPH_FOLD_MAX * 8]; /* of chains: which read each other */
    uint32_t reading;                      /* chain being defined + 1 */
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    return map_hash_mix(a, b);
}

/* ---- summaries -------------------------------------------------------------------------------- */

static struct summary sum_up(struct peeler *p, graph_id id, unsigned depth);

static struct summary leaf(uint64_t hash, graph_id id, bool varies)
{
    uint64_t r = mix(0x6c656166, id);
    struct summary s = {.hash = hash, .f = {r, varies ? mix(r, 1) : r, varies ? mix(r, 2) : r, r}};
    return s;
}

static bool commutes(unsigned kind)
{
    switch (kind) {
    case UOP_ADD:
    case UOP_MUL:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
    case UOP_IEQ:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return true;
    default: return false;
    }
}

/* The numbers of a part, weighed by where it stands. */
static void take_in(struct summary *s, const struct summary *part, uint64_t weight)
{
    weight |= 1;
    for (int k = 0; k < NUMBERS; k++)
        s->f[k] += weight * part->f[k];
    s->constant = (int64_t)((uint64_t)s->constant + (uint64_t)part->constant);
}

/* An integer operation on linear values is one: evaluated, extensions ignored (indices do not wrap). */
static bool linear_of(struct peeler *p, const struct graph_node *n, struct summary *out, unsigned depth)
{
    struct summary a, b;
    switch (n->kind) {
    case UOP_ADD:
    case UOP_MUL:
        a = sum_up(p, n->arg[0], depth + 1);
        b = sum_up(p, n->arg[1], depth + 1);
        if (!a.linear || !b.linear)
            return false;
        for (int k = 0; k < NUMBERS; k++)
            out->f[k] = n->kind == UOP_ADD ? a.f[k] + b.f[k] : a.f[k] * b.f[k];
        out->constant = n->kind == UOP_ADD ? (int64_t)((uint64_t)a.constant + (uint64_t)b.constant)
                                           : (int64_t)((uint64_t)a.constant * (uint64_t)b.constant);
        break;
    case UOP_NEG:
        a = sum_up(p, n->arg[0], depth + 1);
        if (!a.linear)
            return false;
        for (int k = 0; k < NUMBERS; k++)
            out->f[k] = 0 - a.f[k];
        out->constant = (int64_t)(0 - (uint64_t)a.constant);
        break;
    case UOP_SEXT:
    case UOP_ZEXT:
    case UOP_UNIFORM:
        if (n->kind != UOP_UNIFORM && n->imm != 32)
            return false;
        a = sum_up(p, n->arg[0], depth + 1);
        if (!a.linear)
            return false;
        *out = a;
        break;
    default: return false;
    }
    out->linear = true;
    return true;
}

static struct summary constant_summary(const struct graph_node *n)
{
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    int64_t v = bits == 0 || bits >= 64 ? (int64_t)n->imm : (int64_t)(n->imm << (64 - bits)) >> (64 - bits);
    struct summary s = {.hash = mix(0x636f6e73, n->imm), .constant = v, .linear = true};
    for (int k = 0; k < NUMBERS; k++)
        s.f[k] = (uint64_t)v;
    return s;
}

/* A word of memory: at its address, `offset` bytes further, whatever the width of the instruction that brings it. */
static struct summary element(struct peeler *p, const struct graph_node *load, uint64_t offset, unsigned bytes,
                              unsigned depth)
{
    struct summary a = sum_up(p, load->arg[0], depth + 1);
    uint64_t h = mix(mix(0x6c6f6164, load->space), (uint64_t)bytes << 8 | load->flags);
    struct summary s = {
        .hash = mix(mix(h, cycle_root(p->w->g, load->arg[0]) /* streams over different arrays are different terms */),
                    a.linear ? 0 : a.hash)};
    take_in(&s, &a, 1);
    for (int k = 0; k < NUMBERS; k++)
        s.f[k] += offset;
    s.constant += (int64_t)offset;
    return s;
}

static struct cycle_phi *header_phi(struct peeler *p, graph_id id)
{
    for (uint32_t i = 0; i < p->r->phi_count; i++)
        if (p->r->phis[i].phi == id)
            return &p->r->phis[i];
    return NULL;
}

/* A counter that is halved each turn: the number of halvings is what advances. */
static bool shifted_counter(struct peeler *p, graph_id id, struct summary *out)
{
    const struct graph *g = p->w->g;
    const struct graph_node *n = graph_at(g, id);
    uint64_t by = 0;
    graph_id inner = id;
    if ((n->kind == UOP_SHR || n->kind == UOP_SAR) && graph_is_const(g, n->arg[1], &by))
        inner = cycle_bare(g, n->arg[0]);
    struct cycle_phi *phi = header_phi(p, inner);
    if (!phi || phi->step_kind != CYCLE_STEP_SHIFT || !phi->constant)
        return false;
    uint64_t unit = mix(0x68616c66, phi->phi);
    *out = leaf(mix(0x73686966, phi->phi), phi->phi, true);
    out->f[NOW] += by * unit;
    out->f[OTHER] += by * unit;
    out->f[LATER] = out->f[NOW] + (uint64_t)phi->amount * unit;
    out->f[STILL] = out->f[NOW];
    out->constant = (int64_t)by;
    return true;
}

static struct summary phi_summary(struct peeler *p, graph_id id, unsigned depth)
{
    struct cycle_phi *phi = header_phi(p, id);
    struct summary s = leaf(mix(0x706869, id), id, true);
    if (!phi)
        return s;
    if (phi->step_kind == CYCLE_STEP_ADD) {
        graph_id terms[64];
        uint32_t count;
        if (!cycle_flatten(p->w->g, cycle_bare(p->w->g, phi->next), UOP_ADD, terms, 64, &count))
            return s;
        struct summary way = {0}, start = sum_up(p, phi->start, depth + 1);
        for (uint32_t i = 0; i < count; i++) {
            struct summary step = terms[i] == id ? (struct summary){.linear = true} : sum_up(p, terms[i], depth + 1);
            if (!step.linear)
                return s;
            take_in(&way, &step, 1);
        }
        /* Where it starts and so many steps on: phis of one loop that go side by side stay together. */
        uint64_t turn = mix(0x7475726e, p->r->loop), other = mix(turn, 1);
        s.f[NOW] = s.f[STILL] = start.f[NOW] + turn * way.f[NOW];
        s.f[OTHER] = start.f[NOW] + other * way.f[NOW];
        s.f[LATER] = s.f[NOW] + way.f[NOW];
        s.constant = start.constant;
        s.linear = true;
        s.hash = mix(0x6c696e, graph_at(p->w->g, id)->type);
        return s;
    }
    /* What the turn before brought: the term of the next value, a turn earlier. */
    if (phi->next == GRAPH_NIL || phi->next == id || depth > DEPTH_MAX / 2 ||
        graph_at(p->w->g, phi->next)->kind == GRAPH_PHI)
        return s;
    struct summary n = sum_up(p, phi->next, depth + 1);
    uint64_t turn = n.f[LATER] - n.f[NOW];
    s = n;
    s.f[LATER] = n.f[NOW];
    s.f[NOW] = n.f[NOW] - turn;
    s.f[OTHER] = n.f[OTHER] - turn;
    s.f[STILL] = n.f[STILL] - turn;
    s.constant = n.constant - (int64_t)turn;
    return s;
}

/* Truth tables: atoms stand in the order of their numbers; here in the order of their hashes. */
static void bool_summary(const struct graph_node *n, const struct summary *parts, struct summary *s)
{
    unsigned order[6], count = n->arg_count;
    uint64_t table = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned at = k;
        for (; at > 0 && parts[order[at - 1]].hash > parts[k].hash; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned from = 0;
        for (unsigned k = 0; k < count; k++)
            from |= (row >> k & 1) << order[k];
        table |= (n->imm >> from & 1) << row;
    }
    s->hash = mix(0x626f6f6c, table);
    for (unsigned k = 0; k < count; k++) {
        s->hash = mix(s->hash, parts[order[k]].hash);
        take_in(s, &parts[order[k]], mix(s->hash, k));
    }
}

static struct summary define(struct peeler *p, graph_id id, unsigned depth)
{
    const struct graph *g = p->w->g;
    const struct graph_node n = *graph_at(g, id);
    struct summary s = {0}, parts[6];
    uint64_t by;
    if (n.kind == UOP_CONST)
        return constant_summary(&n);
    if (n.kind == UOP_CBANK && n.space == 3 && n.arg_count == 0) { /* an element of a constant array */
        s.hash = mix(0x63626e6b, n.type);
        for (int k = 0; k < NUMBERS; k++)
            s.f[k] = n.imm;
        s.constant = (int64_t)n.imm;
        return s;
    }
    bool varies = cycle_varies(p->w, p->r->loop, id);
    if (depth > DEPTH_MAX)
        return leaf(mix(0x64656570, id), id, true);
    if (n.kind == GRAPH_PHI && varies)
        return phi_summary(p, id, depth);
    if (shifted_counter(p, id, &s))
        return s;
    if (linear_of(p, &n, &s, depth)) {
        s.hash = varies ? mix(0x6c696e, n.type) : mix(0x696e76, id);
        return s;
    }
    if (!varies) {
        s = leaf(mix(0x696e76, id), id, false);
        s.linear = n.type == UOP_B32 || n.type == UOP_B64;
        return s;
    }
    if (n.kind == GRAPH_RESULT || n.kind == UOP_OPAQUE || n.kind == UOP_UNDEF)
        return leaf(mix(0x72657375, id), id, true);
    if (n.kind == UOP_LOAD)
        return element(p, &n, 0, n.width, depth);
    const struct graph_node *of = n.arg_count ? graph_at(g, n.arg[0]) : NULL;
    if (of && of->kind == UOP_LOAD && n.kind == UOP_ELEMENT)
        return element(p, of, 4 * n.imm, 4, depth);
    if (of && of->kind == UOP_LOAD && of->width == 8 && (n.kind == UOP_LO || n.kind == UOP_HI))
        return element(p, of, n.kind == UOP_HI ? 4 : 0, 4, depth);
    for (unsigned k = 0; k < n.arg_count; k++)
        parts[k] = sum_up(p, n.arg[k], depth + 1);
    if (n.kind == GRAPH_BOOL) {
        bool_summary(&n, parts, &s);
        return s;
    }
    by = mix(mix(n.kind, (uint64_t)n.type << 16 | (uint64_t)n.round << 8 | (n.flags & (unsigned)~UOP_SWAPPED)),
             mix(n.imm, n.width));
    unsigned either = commutes(n.kind) ? 2 : 0;
    s.hash = by;
    for (unsigned k = 0; k < n.arg_count; k++)
        if (k < either)
            s.hash += mix(by, parts[k].hash); /* in any order */
    for (unsigned k = either; k < n.arg_count; k++)
        s.hash = mix(s.hash, parts[k].hash + k);
    for (unsigned k = 0; k < n.arg_count; k++)
        take_in(&s, &parts[k], k < either ? mix(by, parts[k].hash) : mix(by, parts[k].hash + k + 2));
    return s;
}

static void join_groups(struct peeler *p, uint32_t a, uint32_t b)
{
    uint32_t max = sizeof p->group_of / sizeof p->group_of[0];
    if (a >= max || b >= max || p->group_of[a] == p->group_of[b])
        return;
    uint32_t from = p->group_of[b], to = p->group_of[a];
    for (uint32_t i = 0; i < max; i++)
        if (p->group_of[i] == from)
            p->group_of[i] = to;
}

static struct summary sum_up(struct peeler *p, graph_id id, unsigned depth)
{
    struct cycle_work *w = p->w;
    if (id == GRAPH_NIL || id >= w->nodes)
        return leaf(mix(0x6f757473, id), id, true);
    if (p->cut_stamp[id] == p->r->loop + 1) { /* an accumulator: which one, and how far it has come */
        uint32_t chain = p->cut_chain[id];
        uint64_t unit = mix(0x616363, chain);
        struct summary s = {.hash = mix(0x61636375, chain)};
        s.f[NOW] = s.f[OTHER] = p->cut_index[id] * unit;
        s.f[LATER] = (p->cut_index[id] + p->r->chains.p[chain].count) * unit;
        if (p->reading)
            join_groups(p, p->reading - 1, chain);
        return s;
    }
    if (p->stamp[id] == p->r->loop + 1) {
        if (p->at[id] == 0) /* being summed up: a circle of phis */
            return leaf(mix(0x63697263, id), id, true);
        return p->memo[p->at[id] - 1];
    }
    p->stamp[id] = p->r->loop + 1;
    p->at[id] = 0;
    struct summary s = w->budget ? define(p, id, depth) : leaf(mix(0x62756467, id), id, true);
    w->budget -= w->budget > 0;
    if (p->memo_count == p->memo_cap) {
        uint32_t cap = p->memo_cap ? 2 * p->memo_cap : 256;
        struct summary *grown = arena_grow(w->a, p->memo, p->memo_cap * sizeof p->memo[0], cap * sizeof p->memo[0]);
        if (!grown)
            return s;
        p->memo = grown;
        p->memo_cap = cap;
    }
    p->memo[p->memo_count++] = s;
    p->at[id] = p->memo_count;
    return s;
}

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
        if (n->kind == GRAPH_PHI)
            return false;
        if (p->stack[depth - 1].arg < n->arg_count) {
            graph_id x = n->arg[p->stack[depth - 1].arg++];
            if (x <= in || x >= w->nodes || p->mark[x] == on || p->mark[x] == off)
                continue;
            if (!cycle_varies(w, p->r->loop, x) || header_phi(p, x)) {
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
        for (unsigned k = 0; k < n->arg_count && !reached; k++)
            reached = n->arg[k] < w->nodes && p->mark[n->arg[k]] == on;
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
        for (unsigned k = 0; k < node->arg_count && i > 0; k++)
            if (node->arg[k] < w->nodes && p->mark[node->arg[k]] == token)
                last[p->place[node->arg[k]]] = i;
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
    if (own != 1 || count < 3)
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
    return a->constant < b->constant ? -1 : a->constant > b->constant;
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

static struct peeled peel_chain(struct peeler *p, uint32_t index)
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
            s[count++] = c->flat ? sum_up(p, c->terms[i], 0) : define(p, c->cut[i + 1], 0);
    }
    p->reading = 0;
    if (c->flat) {
        out.steps = classes(s, count, &out.moves);
        out.steps = out.steps && rest % out.steps == 0 ? out.steps : 1;
        out.group = 1;
        return out;
    }
    uint32_t tried = 0;
    for (uint32_t g = 1; g < count && tried < DIVISORS_MAX; g++) {
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
        struct summary a = sum_up(p, n->arg[0], 0), b = sum_up(p, n->arg[1], 0);
        struct summary x;
        if (!(a.linear || shifted_counter(p, n->arg[0], &x)) || !(b.linear || shifted_counter(p, n->arg[1], &x)))
            return false;
    }
    return true;
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
                    out->s[out->count++] = (struct summary){.hash = mix(UOP_ASYNC_COPY, l->ops.p[u].width)};
            }
            for (uint32_t x = n.first_access; x < n.first_access + n.access_count && out->count < out->cap; x++) {
                const struct graph_access *m = &g->accesses.p[x];
                if (m->kind == GRAPH_LOAD)
                    continue;
                struct summary s = {0}, a = sum_up(p, m->address, 0);
                s.hash = mix(mix(m->kind, m->space), mix(m->width, cycle_root(g, m->address)));
                s.hash = mix(s.hash, a.linear ? 0 : a.hash);
                take_in(&s, &a, 1);
                int64_t order = a.constant;
                for (unsigned v = 0; v < 4 && m->value[v] != GRAPH_NIL; v++) {
                    struct summary value = sum_up(p, m->value[v], 0);
                    s.hash = mix(s.hash, value.hash + v);
                    take_in(&s, &value, mix(0x76616c, v));
                }
                s.constant = order;
                out->s[out->count++] = s;
            }
        }
        if (b.branch != GRAPH_NIL && b.succ_count == 2 && !is_counter_test(p, b.branch) && out->count < out->cap) {
            struct summary s = sum_up(p, b.branch, 0);
            s.hash = mix(0x6272616e, s.hash);
            out->s[out->count++] = s;
        }
    }
}

/* ---- a loop ----------------------------------------------------------------------------------- */

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
    for (uint32_t i = 0; i < sizeof p->group_of / sizeof p->group_of[0]; i++)
        p->group_of[i] = i;
    find_chains(p);
    struct peeled *chains = ARENA_ARRAY(w->a, struct peeled, r->chains.n);
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct graph_block *b = &w->g->blocks.p[r->blocks[i]];
        effects_max += b->last - b->first + 2;
    }
    struct effects effects = {.cap = effects_max};
    effects.s = ARENA_ARRAY(w->a, struct summary, effects_max);
    if (!chains || !effects.s)
        return;
    uint32_t unroll = 0;
    bool moves = false;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        chains[i] = peel_chain(p, i);
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
    r->unroll = unroll ? counted_unroll(r, unroll) : 1;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        struct cycle_chain *c = &r->chains.p[i];
        uint32_t within = chains[i].steps / r->unroll;
        c->period = c->flat ? 0 : c->count / r->unroll;
        c->inner = c->flat ? 0 : within > 1 && chains[i].moves ? within : within == 1 ? chains[i].inner : 0;
        if (c->inner && takes_a_vector_apart(w->g, c, c->inner))
            c->inner = 0;
        r->inner = c->inner > r->inner ? c->inner : r->inner;
        for (uint32_t k = 1; k <= c->count && !c->flat; k++)
            w->claimed[c->cut[k]] = true;
        if (c->flat)
            w->claimed[c->out] = true;
        uint32_t max = sizeof p->group_of / sizeof p->group_of[0];
        c->group = i < max ? p->group_of[i] : i;
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
