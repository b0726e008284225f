/* Terms over holes (D6): each value of a loop's body summed up by a hash of what it is, where accumulators, elements
 * and the counter are holes and what never changes stays itself, and by a few numbers that are linear in what the holes
 * stand for: the element's address at some random counter, at another one, and a turn later.
 *
 * requires: inductions, cuts · gives: summaries that agree where terms do (graph_peel.c compares them) */
#include "graph/graph_depend.h"
#include "graph/graph_peel.h"

enum { DEPTH_MAX = 600, JOIN_MAX = 8 };

static struct summary leaf(uint64_t hash, graph_id id, bool varies)
{
    uint64_t r = peel_mix(0x6c656166, id);
    struct summary s = {.hash = hash, .f = {r, varies ? peel_mix(r, 1) : r, varies ? peel_mix(r, 2) : r, r}};
    return s;
}

/* The numbers of a part, weighed by where it stands. */
void peel_take_in(struct summary *s, const struct summary *part, uint64_t weight)
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
        a = peel_sum_up(p, n->arg[0], depth + 1);
        b = peel_sum_up(p, n->arg[1], depth + 1);
        if (!a.linear || !b.linear)
            return false;
        for (int k = 0; k < NUMBERS; k++)
            out->f[k] = n->kind == UOP_ADD ? a.f[k] + b.f[k] : a.f[k] * b.f[k];
        out->constant = n->kind == UOP_ADD ? a.constant + b.constant : a.constant * b.constant;
        break;
    case UOP_NEG:
    case UOP_NOT: /* -x - 1 */
        if (n->type != UOP_B32 && n->type != UOP_B64)
            return false;
        a = peel_sum_up(p, n->arg[0], depth + 1);
        if (!a.linear)
            return false;
        for (int k = 0; k < NUMBERS; k++)
            out->f[k] = 0 - a.f[k] - (n->kind == UOP_NOT);
        out->constant = 0 - a.constant - (n->kind == UOP_NOT);
        break;
    case UOP_SEXT:
    case UOP_ZEXT:
    case UOP_UNIFORM:
    case UOP_LO: /* what a test looks at of a wide counter */
        if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->imm != 32)
            return false;
        if (n->kind == UOP_LO && n->type != UOP_B32)
            return false;
        a = peel_sum_up(p, n->arg[0], depth + 1);
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
    struct summary s = {.hash = peel_mix(0x636f6e73, n->imm), .constant = (uint64_t)v, .linear = true};
    for (int k = 0; k < NUMBERS; k++)
        s.f[k] = (uint64_t)v;
    return s;
}

/* A word of memory: at its address, `offset` bytes further, whatever the width of the instruction that brings it. */
static struct summary element(struct peeler *p, const struct graph_node *load, uint64_t offset, unsigned bytes,
                              unsigned depth)
{
    struct summary a = peel_sum_up(p, load->arg[0], depth + 1);
    uint64_t h = peel_mix(peel_mix(0x6c6f6164, load->space), (uint64_t)bytes << 8 | load->flags);
    struct summary s = {
        .hash = peel_mix(
            peel_mix(h, cycle_root(p->w->g, load->arg[0]) /* streams over different arrays are different terms */),
            a.linear ? 0 : a.hash)};
    peel_take_in(&s, &a, 1);
    for (int k = 0; k < NUMBERS; k++)
        s.f[k] += offset;
    s.constant += offset;
    return s;
}

struct cycle_phi *peel_header_phi(struct peeler *p, graph_id id)
{
    for (uint32_t i = 0; i < p->r->phi_count; i++)
        if (p->r->phis[i].phi == id)
            return &p->r->phis[i];
    return NULL;
}

/* A counter that is halved each turn, `by` halvings on: their number is what advances. */
static struct summary halvings(const struct cycle_phi *phi, uint64_t by)
{
    uint64_t unit = peel_mix(0x68616c66, phi->phi);
    struct summary s = leaf(peel_mix(0x73686966, phi->phi), phi->phi, true);
    s.f[NOW] += by * unit;
    s.f[OTHER] += by * unit;
    s.f[LATER] = s.f[NOW] + (uint64_t)phi->amount * unit;
    s.f[STILL] = s.f[NOW];
    s.constant = by;
    return s;
}

/* A counter that is halved each turn: the number of halvings is what advances. */
bool peel_shifted_counter(struct peeler *p, graph_id id, struct summary *out)
{
    const struct graph *g = p->w->g;
    const struct graph_node *n = graph_at(g, id);
    uint64_t by = 0;
    graph_id inner = id;
    if ((n->kind == UOP_SHR || n->kind == UOP_SAR) && graph_is_const(g, n->arg[1], &by))
        inner = cycle_bare(g, n->arg[0]);
    struct cycle_phi *phi = peel_header_phi(p, inner);
    if (!phi || phi->step_kind != CYCLE_STEP_SHIFT || !phi->constant)
        return false;
    *out = halvings(phi, by);
    return true;
}

static struct summary phi_summary(struct peeler *p, graph_id id, unsigned depth)
{
    struct cycle_phi *phi = peel_header_phi(p, id);
    struct summary s = leaf(peel_mix(0x706869, id), id, true);
    const struct graph_node *join = graph_at(p->w->g, id);
    bool loops = graph_is_loop_phi(p->w->g, id);
    uint32_t call = cycle_joined_call(p->w->g, id);
    if (call) { /* a subroutine's answer: a division's slow way, beside the quick one that says what is asked */
        struct summary answer = {.hash = peel_mix(0x63616c6c, call)};
        return answer;
    }
    if (!phi && !loops && join->phi_count <= JOIN_MAX) { /* ways that part and meet within a turn */
        struct summary j = {.hash = peel_mix(0x6a6f696e, join->phi_count)};
        for (uint32_t k = 0; k < join->phi_count; k++) {
            if (join->phi_args[k] >= id)
                return s;
            struct summary part = peel_sum_up(p, join->phi_args[k], depth + 1);
            j.hash = peel_mix(j.hash, part.hash);
            peel_take_in(&j, &part, peel_mix(j.hash, k));
        }
        return j;
    }
    if (!phi)
        return s;
    if (phi->step_kind == CYCLE_STEP_ADD) {
        graph_id terms[64];
        uint32_t count = 0;
        if (!phi->constant && !cycle_flatten(p->w->g, cycle_bare(p->w->g, phi->next), UOP_ADD, terms, 64, &count))
            return s;
        struct summary way = {0}, start = peel_sum_up(p, phi->start, depth + 1);
        for (int k = 0; k < NUMBERS && phi->constant; k++)
            way.f[k] = (uint64_t)phi->amount;
        for (uint32_t i = 0; i < count; i++) {
            struct summary step =
                terms[i] == id ? (struct summary){.linear = true} : peel_sum_up(p, terms[i], depth + 1);
            if (!step.linear)
                return s;
            peel_take_in(&way, &step, 1);
        }
        /* Where it starts and so many steps on: phis of one loop that go side by side stay together. */
        uint64_t turn = peel_mix(0x7475726e, p->r->loop), other = peel_mix(turn, 1);
        s.f[NOW] = s.f[STILL] = start.f[NOW] + turn * way.f[NOW];
        s.f[OTHER] = start.f[NOW] + other * way.f[NOW];
        s.f[LATER] = s.f[NOW] + way.f[NOW];
        s.constant = start.constant;
        s.linear = true;
        s.hash = peel_mix(0x6c696e, graph_at(p->w->g, id)->type);
        return s;
    }
    /* What the turn before brought: the term of the next value, a turn earlier. */
    if (phi->next == GRAPH_NIL || phi->next == id || depth > DEPTH_MAX / 2 ||
        graph_at(p->w->g, phi->next)->kind == GRAPH_PHI)
        return s;
    struct summary n = peel_sum_up(p, phi->next, depth + 1);
    uint64_t turn = n.f[LATER] - n.f[NOW];
    s = n;
    s.f[LATER] = n.f[NOW];
    s.f[NOW] = n.f[NOW] - turn;
    s.f[OTHER] = n.f[OTHER] - turn;
    s.f[STILL] = n.f[STILL] - turn;
    s.constant = n.constant - turn;
    return s;
}

/* An operation's term from its arguments'. */
static struct summary combine(const struct graph_node *n, const struct summary *parts)
{
    struct summary s = {0};
    uint64_t by = peel_mix(
        peel_mix(n->kind, (uint64_t)n->type << 16 | (uint64_t)n->round << 8 | (n->flags & (unsigned)~UOP_SWAPPED)),
        peel_mix(n->imm, n->width));
    unsigned either = uop_commutes((enum uop_kind)n->kind) ? 2 : 0;
    s.hash = by;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (k < either)
            s.hash += peel_mix(by, parts[k].hash); /* in any order */
    for (unsigned k = either; k < n->arg_count; k++)
        s.hash = peel_mix(s.hash, parts[k].hash + k);
    for (unsigned k = 0; k < n->arg_count; k++)
        peel_take_in(&s, &parts[k], k < either ? peel_mix(by, parts[k].hash) : peel_mix(by, parts[k].hash + k + 2));
    return s;
}

/* a < b with the counter on either side, as how far b is above a; *turned: what is summed up is its contrary. i < k + 1
 * is !(k < i) to who makes values simple, and the step before or behind it still i < k: the side that the turns move
 * upwards stands on the right. */
static bool order_summary(struct peeler *p, const struct graph_node *n, struct summary *out, bool *turned,
                          unsigned depth)
{
    struct summary side[2];
    uint64_t hash[2];
    *turned = false;
    for (unsigned k = 0; k < 2; k++) {
        side[k] = peel_sum_up(p, n->arg[k], depth + 1);
        bool known = graph_at(p->w->g, n->arg[k])->kind == UOP_CONST; /* numbers say which */
        hash[k] = known ? 0x636f6e73 : side[k].hash;
    }
    int64_t way = (int64_t)((side[1].f[LATER] - side[0].f[LATER]) - (side[1].f[NOW] - side[0].f[NOW]));
    if (!side[0].linear || !side[1].linear || way > INT32_MAX || way < INT32_MIN)
        return false;
    *turned = way < 0;
    *out = (struct summary){.hash = peel_mix(peel_mix(0x6f72646572, n->kind), peel_mix(hash[*turned], hash[!*turned])),
                            .constant = side[1].constant - side[0].constant};
    for (int k = 0; k < NUMBERS; k++) {
        uint64_t above = side[1].f[k] - side[0].f[k];
        out->f[k] = *turned ? 1 - above : above;
    }
    if (*turned)
        out->constant = 1 - out->constant;
    return true;
}

static bool is_order(unsigned kind)
{
    return kind == UOP_ILT_S || kind == UOP_ILT_U;
}

/* Truth tables: atoms stand in the order of their numbers; here in the order of their hashes. *contrary, where asked:
 * the term is of the contrary, the one that is false where all atoms are. */
static struct summary bool_summary(struct peeler *p, graph_id id, bool *contrary, unsigned depth)
{
    const struct graph_node n = *graph_at(p->w->g, id);
    bool table_node = n.kind == GRAPH_BOOL;
    unsigned order[6], count = table_node ? n.arg_count : 1, turns = 0;
    uint64_t table = 0, given = table_node ? n.imm : 2;
    struct summary s = {0}, parts[6];
    for (unsigned k = 0; k < count; k++) {
        graph_id atom = table_node ? n.arg[k] : id;
        const struct graph_node a = *graph_at(p->w->g, atom);
        bool turned = false;
        if (!is_order(a.kind) || !cycle_varies(p->w, p->r->loop, atom) ||
            !order_summary(p, &a, &parts[k], &turned, depth + 1)) {
            if (table_node || !is_order(a.kind))
                parts[k] = peel_sum_up(p, atom, depth + 1);
            else {
                struct summary side[2] = {peel_sum_up(p, a.arg[0], depth + 1), peel_sum_up(p, a.arg[1], depth + 1)};
                parts[k] = combine(&a, side);
            }
        }
        turns |= (unsigned)turned << k;
        unsigned at = k;
        for (; at > 0 && parts[order[at - 1]].hash > parts[k].hash; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned from = 0;
        for (unsigned k = 0; k < count; k++)
            from |= ((row >> k & 1) ^ (turns >> order[k] & 1)) << order[k];
        table |= (given >> from & 1) << row;
    }
    if (contrary && (*contrary = table & 1))
        table = ~table & (count < 6 ? (UINT64_C(1) << (1u << count)) - 1 : UINT64_MAX);
    s.hash = peel_mix(0x626f6f6c, table);
    for (unsigned k = 0; k < count; k++) {
        s.hash = peel_mix(s.hash, parts[order[k]].hash);
        peel_take_in(&s, &parts[order[k]], peel_mix(s.hash, k));
    }
    return s;
}

/* A halved counter with its low bits taken away, where no bit above the mask can be set: (counter >> k) * 2^k. */
static bool masked_counter(struct peeler *p, const struct graph_node *n, struct summary *out)
{
    struct graph *g = p->w->g;
    uint64_t mask;
    if (n->kind != UOP_AND || n->type != UOP_B32 || !graph_is_const(g, n->arg[1], &mask) || mask == 0)
        return false;
    unsigned low = (unsigned)__builtin_ctzll(mask);
    uint64_t all = mask | ((UINT64_C(1) << low) - 1);
    struct cycle_phi *phi = peel_header_phi(p, cycle_bare(g, n->arg[0]));
    struct graph_range range;
    if (!phi || phi->step_kind != CYCLE_STEP_SHIFT || !phi->constant || (all & (all + 1)) != 0 || low == 0 ||
        !graph_range_of(g, phi->start, &range) || range.lo < 0 || (uint64_t)range.hi > all)
        return false; /* from its start on it only loses bits */
    struct graph_node scale = {.kind = UOP_CONST, .type = UOP_B32, .imm = UINT64_C(1) << low};
    struct graph_node product = {.kind = UOP_MUL, .type = UOP_B32, .arg_count = 2};
    struct summary parts[2] = {halvings(phi, low), constant_summary(&scale)};
    *out = combine(&product, parts);
    return true;
}

struct summary peel_define(struct peeler *p, graph_id id, unsigned depth)
{
    const struct graph *g = p->w->g;
    const struct graph_node n = *graph_at(g, id);
    struct summary s = {0}, parts[6];
    if (n.kind == UOP_CONST)
        return constant_summary(&n);
    if (n.kind == UOP_CBANK && n.space == 3 && n.arg_count == 0) { /* an element of a constant array */
        s.hash = peel_mix(0x63626e6b, n.type);
        for (int k = 0; k < NUMBERS; k++)
            s.f[k] = n.imm;
        s.constant = n.imm;
        return s;
    }
    bool varies = cycle_varies(p->w, p->r->loop, id);
    if (depth > DEPTH_MAX)
        return leaf(peel_mix(0x64656570, id), id, true);
    if (n.kind == GRAPH_PHI && varies)
        return phi_summary(p, id, depth);
    if (peel_shifted_counter(p, id, &s) || masked_counter(p, &n, &s))
        return s;
    if (linear_of(p, &n, &s, depth)) {
        s.hash = varies ? peel_mix(0x6c696e, n.type) : peel_mix(0x696e76, id);
        return s;
    }
    if (!varies) {
        s = leaf(peel_mix(0x696e76, id), id, false);
        s.linear = n.type == UOP_B32 || n.type == UOP_B64;
        return s;
    }
    if (n.kind == GRAPH_RESULT || n.kind == UOP_OPAQUE || n.kind == UOP_UNDEF)
        return leaf(peel_mix(0x72657375, id), id, true);
    if (n.kind == UOP_LOAD)
        return element(p, &n, 0, n.width, depth);
    const struct graph_node *of = n.arg_count ? graph_at(g, n.arg[0]) : NULL;
    if (of && of->kind == UOP_LOAD && n.kind == UOP_ELEMENT)
        return element(p, of, 4 * n.imm, 4, depth);
    if (of && of->kind == UOP_LOAD && of->width == 8 && (n.kind == UOP_LO || n.kind == UOP_HI))
        return element(p, of, n.kind == UOP_HI ? 4 : 0, 4, depth);
    if (n.kind == GRAPH_BOOL || is_order(n.kind))
        return bool_summary(p, id, NULL, depth);
    unsigned first = 0;
    bool contrary = false;
    const struct graph_node *asked = n.kind == UOP_SELECT ? graph_at(g, n.arg[0]) : NULL;
    if (asked && (asked->kind == GRAPH_BOOL || is_order(asked->kind)) && cycle_varies(p->w, p->r->loop, n.arg[0]))
        parts[first++] = bool_summary(p, n.arg[0], &contrary, depth + 1);
    for (unsigned k = first; k < n.arg_count; k++)
        parts[k] = peel_sum_up(p, n.arg[contrary ? 3 - k : k], depth + 1);
    return combine(&n, parts);
}

uint32_t peel_group_of(struct peeler *p, uint32_t chain)
{
    uint32_t *of = p->group_of;
    while (of[chain] != chain)
        chain = of[chain] = of[of[chain]];
    return chain;
}

static void join_groups(struct peeler *p, uint32_t a, uint32_t b)
{
    p->group_of[peel_group_of(p, b)] = peel_group_of(p, a);
}

/* What an accumulator's step is made of is made of another (+ 1; 0: of none), by however many values between them: a
 * weight that several share is looked at once, and belongs to all of them. */
static void meet(struct peeler *p, uint32_t chain)
{
    p->met = chain ? chain : p->met;
    if (chain && p->reading)
        join_groups(p, p->reading - 1, chain - 1);
}

struct summary peel_sum_up(struct peeler *p, graph_id id, unsigned depth)
{
    struct cycle_work *w = p->w;
    if (id == GRAPH_NIL || id >= w->nodes)
        return leaf(peel_mix(0x6f757473, id), id, true);
    if (p->cut_stamp[id] == p->r->loop + 1) { /* an accumulator: which one, and how far it has come */
        uint32_t chain = p->cut_chain[id];
        uint64_t unit = peel_mix(0x616363, chain);
        struct summary s = {.hash = peel_mix(0x61636375, chain)};
        s.f[NOW] = s.f[OTHER] = p->cut_index[id] * unit;
        s.f[LATER] = (p->cut_index[id] + p->r->chains.p[chain].count) * unit;
        meet(p, chain + 1);
        return s;
    }
    if (p->stamp[id] == p->r->loop + 1) {
        if (p->at[id] == 0) /* being summed up: a circle of phis */
            return leaf(peel_mix(0x63697263, id), id, true);
        meet(p, p->memo[p->at[id] - 1].reads);
        return p->memo[p->at[id] - 1];
    }
    uint32_t before = p->met;
    p->met = 0;
    p->stamp[id] = p->r->loop + 1;
    p->at[id] = 0;
    struct summary s = w->budget ? peel_define(p, id, depth) : leaf(peel_mix(0x62756467, id), id, true);
    w->budget -= w->budget > 0;
    s.reads = p->met;
    p->met = p->met ? p->met : before;
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
