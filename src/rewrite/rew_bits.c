/* Which bits of each integer may be set: threads of a block are counted, masks and shifts keep what they keep. By it
 * `a | b` is the sum where the two share no bit, and `a & mask` is `a` where it has no other: compilers write either.
 *
 * requires: a graph with its environment · gives: a mask for each node, by forward passes over terms only */
#include "rewrite/rew_internal.h"

#include "graph/graph_depend.h"

static uint64_t below(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Every bit up to the highest that is set. */
static uint64_t fill(uint64_t x)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        x |= x >> shift;
    return x;
}

static unsigned lowest(uint64_t x)
{
    unsigned n = 0;
    while (n < 64 && !(x >> n & 1))
        n++;
    return n;
}

static uint64_t of_sum(uint64_t a, uint64_t b)
{
    if (!(a & b))
        return a | b;
    return a > UINT64_MAX - b ? UINT64_MAX : fill(a + b) & ~below(lowest(a | b));
}

static uint64_t of_product(uint64_t a, uint64_t b)
{
    if (!a || !b)
        return 0;
    unsigned low = lowest(a) + lowest(b);
    uint64_t top = a > UINT64_MAX / b ? UINT64_MAX : fill(a * b);
    return low < 64 ? top & ~below(low) : 0;
}

/* A bit of the result may be set where some row of the table that says so can come about. */
static uint64_t of_table(const struct graph *g, const uint64_t *bits, const struct graph_node *n)
{
    uint64_t out = 0;
    for (unsigned row = 0; row < 8; row++) {
        uint64_t here = n->imm >> row & 1 ? UINT64_MAX : 0, value;
        for (unsigned i = 0; i < 3 && here; i++) {
            if (row >> (2 - i) & 1)
                here &= bits[n->arg[i]];
            else if (graph_is_const(g, n->arg[i], &value))
                here &= ~value;
        }
        out |= here;
    }
    return out;
}

static uint64_t of_node(struct graph *g, const uint64_t *bits, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t a = n->arg_count > 0 ? bits[n->arg[0]] : 0, b = n->arg_count > 1 ? bits[n->arg[1]] : 0, count = 0;
    bool by_constant = n->arg_count > 1 && graph_is_const(g, n->arg[1], &count) && count < 64;
    struct graph_range range;
    switch (n->kind) {
    case UOP_CONST: return n->imm;
    case UOP_SREG:
        return graph_range_of(g, id, &range) && range.lo >= 0 && !range.assumed ? fill((uint64_t)range.hi) : UINT64_MAX;
    case UOP_AND: return a & b;
    case UOP_OR:
    case UOP_XOR: return a | b;
    case UOP_LOP3: return of_table(g, bits, n);
    case UOP_ADD: return of_sum(a, b);
    case UOP_MUL: return of_product(a, b);
    case UOP_SHL: return by_constant ? a << count : UINT64_MAX;
    case UOP_SHR: return by_constant ? a >> count : fill(a);
    case UOP_ZEXT: return a & below((unsigned)n->imm);
    case UOP_SEXT: return n->imm && n->imm < 64 && a >> (n->imm - 1) == 0 ? a : UINT64_MAX;
    case UOP_LO: return a;
    case UOP_HI: return n->type == UOP_B32 ? a >> 32 : UINT64_MAX;
    case UOP_PAIR: return n->type == UOP_B64 ? (a & below(32)) | b << 32 : UINT64_MAX;
    case UOP_LOAD: return n->width < 4 && !(n->flags & UOP_SIGNED) ? below(n->width * 8u) : UINT64_MAX;
    case UOP_SELECT: return b | bits[n->arg[2]];
    default: return UINT64_MAX;
    }
}

bool rew_read_table(uint64_t table, struct rew_nested *out)
{
    static const uint8_t kinds[] = {UOP_AND, UOP_OR, UOP_XOR};
    static const uint8_t columns[] = {0xf0, 0xcc, 0xaa}; /* of a, b, c */
    for (unsigned i = 0; i < 27; i++) {
        unsigned alone = i % 3, outer = kinds[i / 3 % 3], inner = kinds[i / 9];
        uint8_t x = columns[alone], y = columns[(alone + 1) % 3], z = columns[(alone + 2) % 3];
        uint8_t both = inner == UOP_AND ? y & z : inner == UOP_OR ? y | z : y ^ z;
        uint8_t all = outer == UOP_AND ? x & both : outer == UOP_OR ? x | both : x ^ both;
        if (all != (table & 0xff))
            continue;
        *out = (struct rew_nested){outer, inner, {alone, (alone + 1) % 3, (alone + 2) % 3}};
        return true;
    }
    return false;
}

uint64_t *rew_find_bits(struct arena *a, struct graph *g)
{
    size_t count = g->nodes.n; /* no node is made below, but ranges may ask for some */
    uint64_t *bits = ARENA_ARRAY(a, uint64_t, count + 1);
    for (graph_id id = 1; bits && id < count; id++) {
        unsigned width = uop_type_bits((enum uop_type)graph_at(g, id)->type);
        bits[id] = of_node(g, bits, id) & below(width ? width : 64);
    }
    return bits;
}
