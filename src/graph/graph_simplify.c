/* Making pure nodes: exact rules only, so that no bit of any result is ever lost (NaN payloads apart). The rules remove
 * the spellings of one value: constants however they are made, copies, halves of 64-bit values with their carry chains,
 * shifts against multiplications, the order of commutative arguments. Rules that hold for real numbers only are never
 * used here.
 *
 * Each rule is local: it looks at a node's arguments and makes at most a handful of smaller nodes, so building stays
 * linear. requires: arguments already simplified · gives: the node in canonical form (see graph.h) */
#include "graph/graph_rules.h"

#include <assert.h>
#include <string.h>

graph_id graph_intern_like(struct graph *g, const struct uop *like, const graph_id *args, unsigned count)
{
    struct graph_node n = {.kind = like->kind,
                           .type = like->type,
                           .round = like->round,
                           .flags = like->flags,
                           .space = like->space,
                           .order = like->order,
                           .width = like->width,
                           .arg_count = (uint8_t)count,
                           .imm = like->imm,
                           .insn = UINT32_MAX};
    for (unsigned i = 0; i < count; i++)
        n.arg[i] = args[i];
    return graph_intern(g, &n);
}

graph_id graph_op1(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    if (kind == UOP_SEXT || kind == UOP_ZEXT)
        like.imm = bits_of(g, a);
    return graph_pure(g, &like, &a, 1);
}

graph_id graph_op2(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    if (kind == UOP_IEQ || kind == UOP_ILT_S || kind == UOP_ILT_U)
        like.imm = bits_of(g, a);
    return graph_pure(g, &like, (graph_id[]){a, b}, 2);
}

graph_id graph_op3(struct graph *g, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b, graph_id c)
{
    struct uop like = {.kind = (uint8_t)kind, .type = (uint8_t)type};
    return graph_pure(g, &like, (graph_id[]){a, b, c}, 3);
}

/* ---- constant bank: bytes are bytes, whatever width reads them ------------------------------ */

graph_id graph_cbank(struct graph *g, enum uop_type type, unsigned bank, uint32_t offset)
{
    const struct graph_env *env = g->env;
    unsigned bytes = uop_type_bits(type) / 8;
    if (bank == 0 && bytes == 4)
        for (uint32_t i = 0; i < env->word_count; i++)
            if (env->words[i].offset == offset)
                return graph_sreg(g, env->words[i].sreg);
    if (bank != 0 && bank < 18 && env->constant_bank && env->constant_bank[bank] && bytes && bytes <= 8 &&
        offset <= env->constant_bytes[bank] && bytes <= env->constant_bytes[bank] - offset && bank == 2) {
        uint64_t v = 0; /* bank 2 holds the compiler's own constants: nobody can change them */
        for (unsigned i = 0; i < bytes; i++)
            v |= (uint64_t)env->constant_bank[bank][offset + i] << (8 * i);
        return graph_const(g, type, v);
    }
    struct graph_node n = {.kind = UOP_CBANK,
                           .type = (uint8_t)plain_type(8 * bytes),
                           .space = (uint8_t)bank,
                           .imm = offset,
                           .insn = UINT32_MAX};
    return graph_intern(g, &n);
}

/* ---- integer sums --------------------------------------------------------------------------- */

void graph_sum_add(const struct graph *g, struct graph_sum *s, graph_id id, unsigned depth)
{
    const struct graph_node *n = at(g, id);
    uint64_t c;
    if (graph_is_const(g, id, &c)) {
        s->constant += c;
    } else if (n->kind == UOP_ADD && depth < GRAPH_SUM_MAX) {
        graph_sum_add(g, s, n->arg[0], depth + 1);
        graph_sum_add(g, s, n->arg[1], depth + 1);
    } else if (s->count < GRAPH_SUM_MAX) {
        s->term[s->count++] = id;
    } else {
        s->overflow = true;
    }
}

static bool is_leaf(const struct graph *g, graph_id id)
{
    const struct graph_node *n = at(g, id);
    return n->arg_count == 0 && n->kind != GRAPH_PHI;
}

/* Computed terms before leaves, then by number. */
static bool term_before(const struct graph *g, graph_id a, graph_id b)
{
    bool la = is_leaf(g, a), lb = is_leaf(g, b);
    return la != lb ? lb : a < b;
}

static graph_id simplify_add(struct graph *g, const struct uop *like, const graph_id *args)
{
    unsigned bits = uop_type_bits((enum uop_type)like->type);
    struct graph_sum s = {0};
    graph_sum_add(g, &s, args[0], 0);
    graph_sum_add(g, &s, args[1], 0);
    struct uop add = {.kind = UOP_ADD, .type = like->type};
    if (s.overflow) {
        graph_id pair[2] = {args[0] < args[1] ? args[0] : args[1], args[0] < args[1] ? args[1] : args[0]};
        return graph_intern_like(g, &add, pair, 2);
    }
    if (bits == 32)
        graph_join_products(g, &s);
    for (unsigned i = 0; i < s.count; i++) { /* x + -x */
        for (unsigned k = 0; k < s.count; k++) {
            if (at(g, s.term[k])->kind != UOP_NEG || at(g, s.term[k])->arg[0] != s.term[i] || i == k)
                continue;
            unsigned hi = i > k ? i : k, lo = i > k ? k : i;
            memmove(&s.term[hi], &s.term[hi + 1], (s.count - hi - 1) * sizeof s.term[0]);
            s.count--;
            memmove(&s.term[lo], &s.term[lo + 1], (s.count - lo - 1) * sizeof s.term[0]);
            s.count--;
            i = UINT32_MAX;
            break;
        }
        if (i == UINT32_MAX)
            continue; /* ++ makes it 0: start again */
    }
    for (unsigned i = 1; i < s.count; i++) {
        graph_id t = s.term[i];
        unsigned k = i;
        for (; k && term_before(g, t, s.term[k - 1]); k--)
            s.term[k] = s.term[k - 1];
        s.term[k] = t;
    }
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    s.constant &= mask;
    if (!s.count)
        return graph_const(g, (enum uop_type)like->type, s.constant);
    graph_id r = s.term[0];
    for (unsigned i = 1; i < s.count; i++)
        r = graph_intern_like(g, &add, (graph_id[]){r, s.term[i]}, 2);
    if (s.constant)
        r = graph_intern_like(g, &add, (graph_id[]){r, graph_const(g, (enum uop_type)like->type, s.constant)}, 2);
    return r;
}

/* ---- products and shifts -------------------------------------------------------------------- */

static graph_id simplify_mul(struct graph *g, const struct uop *like, graph_id a, graph_id b)
{
    enum uop_type type = (enum uop_type)like->type;
    uint64_t c, d;
    struct uop mul = {.kind = UOP_MUL, .type = like->type};
    if (graph_is_const(g, a, NULL)) {
        graph_id t = a;
        a = b;
        b = t;
    }
    if (at(g, a)->kind == UOP_NEG)
        return graph_op1(g, UOP_NEG, type, graph_op2(g, UOP_MUL, type, at(g, a)->arg[0], b));
    if (at(g, b)->kind == UOP_NEG)
        return graph_op1(g, UOP_NEG, type, graph_op2(g, UOP_MUL, type, a, at(g, b)->arg[0]));
    if (graph_is_const(g, b, &c)) {
        if (c == 0)
            return b;
        if (c == 1)
            return a;
        const struct graph_node *n = at(g, a);
        if (n->kind == UOP_MUL && graph_is_const(g, n->arg[1], &d))
            return graph_op2(g, UOP_MUL, type, n->arg[0], graph_const(g, type, c * d));
        if (n->kind == UOP_ADD && graph_is_const(g, n->arg[1], &d)) { /* (x + d) * c */
            graph_id x = graph_op2(g, UOP_MUL, type, n->arg[0], b);
            return graph_op2(g, UOP_ADD, type, x, graph_const(g, type, c * d));
        }
        return graph_intern_like(g, &mul, (graph_id[]){a, b}, 2);
    }
    return graph_intern_like(g, &mul, (graph_id[]){a < b ? a : b, a < b ? b : a}, 2);
}

static graph_id simplify_shift(struct graph *g, const struct uop *like, const graph_id *args)
{
    enum uop_type type = (enum uop_type)like->type;
    unsigned bits = uop_type_bits(type);
    uint64_t k, inner;
    if (graph_is_const(g, args[1], &k)) {
        if (k == 0)
            return args[0];
        if (k >= bits) {
            if (like->kind != UOP_SAR)
                return graph_const(g, type, 0);
            return graph_op2(g, UOP_SAR, type, args[0], graph_const(g, UOP_B32, bits - 1));
        }
        if (like->kind == UOP_SHL)
            return graph_op2(g, UOP_MUL, type, args[0], graph_const(g, type, UINT64_C(1) << k));
        const struct graph_node *n = at(g, args[0]);
        if (n->kind == like->kind && graph_is_const(g, n->arg[1], &inner) && inner < bits)
            return graph_op2(g, (enum uop_kind)like->kind, type, n->arg[0], graph_const(g, UOP_B32, k + inner));
        /* A division by a power of two rounds towards zero: it adds a word of signs first, or shifts that down. (By
         * more than half a word the upper word of a scaled index is shifted, and stays signed.) */
        bool of_signs = n->kind == UOP_SAR && graph_is_const(g, n->arg[1], &inner) && inner == bits - 1;
        if (like->kind == UOP_SHR && (k == bits - 1 || of_signs) && graph_is_natural(g, args[0]))
            return graph_const(g, type, 0);
        if (like->kind == UOP_SAR && k < bits / 2 && n->kind != UOP_SAR && graph_is_natural(g, args[0]))
            return graph_op2(g, UOP_SHR, type, args[0], args[1]);
        /* Of an extended word, and what leaves one word only. */
        bool of_word = (like->kind == UOP_SAR ? n->kind == UOP_SEXT : n->kind == UOP_ZEXT) && n->imm == 32;
        graph_id low = of_word ? n->arg[0] : GRAPH_NIL;
        if (bits == 64 && of_word)
            return graph_op1(g, n->kind == UOP_SEXT ? UOP_SEXT : UOP_ZEXT, type,
                             graph_op2(g, (enum uop_kind)like->kind, UOP_B32, low, args[1]));
        if (bits == 64 && k >= 32) {
            low = graph_op2(g, (enum uop_kind)like->kind, UOP_B32, graph_op1(g, UOP_HI, UOP_B32, args[0]),
                            graph_const(g, UOP_B32, k - 32));
            return graph_op1(g, like->kind == UOP_SAR ? UOP_SEXT : UOP_ZEXT, type, low);
        }
    }
    return graph_intern_like(g, like, args, 2);
}

static graph_id simplify_extend(struct graph *g, const struct uop *like, graph_id a)
{
    const struct graph_node *n = at(g, a);
    unsigned to = uop_type_bits((enum uop_type)like->type);
    if (like->imm >= to)
        return a;
    if (n->kind == UOP_ZEXT &&
        n->imm <= like->imm) { /* already zero above: signed and unsigned agree when strictly smaller */
        struct uop inner = {.kind = UOP_ZEXT, .type = like->type, .imm = n->imm};
        if (like->kind == UOP_ZEXT || n->imm < like->imm)
            return graph_pure(g, &inner, (graph_id[]){n->arg[0]}, 1);
    }
    if (n->kind == UOP_SEXT && n->imm <= like->imm && like->kind == UOP_SEXT) {
        struct uop inner = {.kind = UOP_SEXT, .type = like->type, .imm = n->imm};
        return graph_pure(g, &inner, (graph_id[]){n->arg[0]}, 1);
    }
    if (n->kind == UOP_LOAD && n->width * 8u == like->imm && bits_of(g, a) == to &&
        (to == like->imm || (like->kind == UOP_SEXT) == ((n->flags & UOP_SIGNED) != 0)))
        return a; /* the load extends already */
    if (to == 32 && bits_of(g, a) == 32 && graph_width_of(g, a) + (like->kind == UOP_SEXT) <= like->imm)
        return a; /* a thread's number fits into 16 bits */
    return graph_intern_like(g, like, &a, 1);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* A permutation that moves no byte, or extends one. */
static graph_id simplify_prmt(struct graph *g, const struct uop *like, const graph_id *args)
{
    uint64_t s;
    if (like->imm == 0 && graph_is_const(g, args[1], &s)) {
        graph_id of = GRAPH_NIL;
        switch (s & 0xffff) {
        case 0x3210: return args[0];
        case 0x7654: return args[2];
        case 0x8880: of = args[0]; break;
        case 0x9910: of = args[0]; break;
        case 0x654: /* one's low byte above three of the other's: where a block's shared memory lies in its cluster */
            of = graph_op2(g, UOP_MUL, UOP_B32, args[0], graph_const(g, UOP_B32, UINT64_C(1) << 24));
            return graph_op2(g, UOP_ADD, UOP_B32, of,
                             graph_op2(g, UOP_AND, UOP_B32, args[2], graph_const(g, UOP_B32, 0xffffff)));
        default: break;
        }
        if (of != GRAPH_NIL) {
            struct uop sext = {.kind = UOP_SEXT, .type = UOP_B32, .imm = (s & 0xffff) == 0x8880 ? 8 : 16};
            return graph_pure(g, &sext, &of, 1);
        }
    }
    return graph_intern_like(g, like, args, 3);
}

/* ---- compares and selection ----------------------------------------------------------------- */

/* What a compare comes to where one side is a constant and the other a choice of constants: the conditions chosen by.
 * Machine code keeps predicates in registers so. NIL: some choice is no constant. */
static graph_id compare_choice(struct graph *g, const struct uop *like, const graph_id *args, unsigned side,
                               unsigned depth)
{
    enum { CHOICES = 8 };
    const struct graph_node n = *at(g, args[side]);
    graph_id arm[2];
    if (n.kind != UOP_SELECT || depth > CHOICES)
        return GRAPH_NIL;
    for (unsigned i = 0; i < 2; i++) {
        graph_id with[2] = {args[0], args[1]};
        uint64_t bits[2], result;
        with[side] = n.arg[1 + i];
        if (graph_is_const(g, with[0], &bits[0]) && graph_is_const(g, with[1], &bits[1]) &&
            uop_eval(like, bits, &result))
            arm[i] = graph_const(g, UOP_B1, result & 1);
        else
            arm[i] = compare_choice(g, like, with, side, depth + 1);
        if (arm[i] == GRAPH_NIL)
            return GRAPH_NIL;
    }
    return graph_bool_apply(g, (graph_id[]){n.arg[0], arm[0], arm[1]}, 3, 0xd8);
}

static graph_id simplify_compare(struct graph *g, const struct uop *like, const graph_id *args)
{
    graph_id a = args[0], b = args[1];
    struct uop u = *like;
    bool symmetric = like->kind == UOP_IEQ || like->kind == UOP_FEQ || like->kind == UOP_FNE || like->kind == UOP_FNUM;
    if (a == b) {
        if (like->kind == UOP_IEQ)
            return graph_true(g);
        if (like->kind == UOP_ILT_S || like->kind == UOP_ILT_U || like->kind == UOP_FLT || like->kind == UOP_FNE)
            return graph_false(g);
    }
    if (like->kind == UOP_ILT_U && const_is(g, b, 0))
        return graph_false(g);
    if (symmetric) {
        if (graph_is_const(g, a, NULL) || (a > b && !graph_is_const(g, b, NULL))) {
            graph_id t = a;
            a = b;
            b = t;
        }
        u.flags &= (uint8_t)~UOP_SWAPPED;
    }
    return graph_intern_like(g, &u, (graph_id[]){a, b}, 2);
}

graph_id graph_select(struct graph *g, uint8_t flags, graph_id c, graph_id a, graph_id b)
{
    if (a == b)
        return a;
    struct uop u = {.kind = UOP_SELECT, .type = (uint8_t)plain_type(bits_of(g, a)), .flags = flags};
    if (at(g, c)->kind == GRAPH_BOOL && (at(g, c)->imm & 1)) {
        c = graph_not(g, c);
        u.flags ^= UOP_SWAPPED;
        return graph_intern_like(g, &u, (graph_id[]){c, b, a}, 3);
    }
    return graph_intern_like(g, &u, (graph_id[]){c, a, b}, 3);
}

/* max(~x, ~y) is ~min(x, y); the other way round too. */
static graph_id bound_of_inverted(struct graph *g, unsigned kind, graph_id a, graph_id b)
{
    static const enum uop_kind other[] = {UOP_MAX_S, UOP_MIN_S, UOP_MAX_U, UOP_MIN_U};
    const struct graph_node x = *at(g, a), y = *at(g, b);
    enum uop_type type = (enum uop_type)x.type;
    if (x.kind != UOP_NOT || y.kind != UOP_NOT || (type != UOP_B32 && type != UOP_B64))
        return GRAPH_NIL;
    unsigned i = kind == UOP_MIN_S ? 0 : kind == UOP_MAX_S ? 1 : kind == UOP_MIN_U ? 2 : 3;
    return graph_op1(g, UOP_NOT, type, graph_op2(g, other[i], type, x.arg[0], y.arg[0]));
}

/* The smaller or larger one of ~x and ~y, which is how a compiler spells -min(x, y) - 1. */
static graph_id select_of_inverted(struct graph *g, graph_id c, graph_id a, graph_id b)
{
    const struct graph_node n = *at(g, c);
    if (n.kind == GRAPH_BOOL && n.arg_count == 1 && n.imm == 1)
        return select_of_inverted(g, n.arg[0], b, a);
    bool order = n.kind == UOP_ILT_S || n.kind == UOP_ILT_U, smaller = n.arg[0] == a && n.arg[1] == b;
    if (!order || !(smaller || (n.arg[0] == b && n.arg[1] == a)))
        return GRAPH_NIL;
    return bound_of_inverted(g,
                             n.kind == UOP_ILT_S ? smaller ? UOP_MIN_S : UOP_MAX_S
                             : smaller           ? UOP_MIN_U
                                                 : UOP_MAX_U,
                             a, b);
}

static graph_id simplify_select(struct graph *g, const struct uop *like, const graph_id *args)
{
    graph_id c = args[0], a = args[1], b = args[2];
    uint64_t v;
    if (a == b)
        return a;
    if (graph_is_const(g, c, &v))
        return v ? a : b;
    graph_id inverted = select_of_inverted(g, c, a, b);
    if (inverted != GRAPH_NIL)
        return inverted;
    if (like->type == UOP_B1) /* c ? a : b, argument k is bit k */
        return graph_bool_apply(g, args, 3, 0xd8);
    a = graph_assume_within(g, a, c);
    b = graph_assume_within(g, b, graph_not(g, c));
    return graph_select(g, like->flags & UOP_SWAPPED, c, a, b);
}

/* ---- booleans ------------------------------------------------------------------------------- */

static graph_id boolean(struct graph *g, const struct uop *like, const graph_id *args, unsigned count)
{
    switch (like->kind) {
    case UOP_NOT: return graph_bool_apply(g, args, 1, 1);
    case UOP_AND: return graph_bool_apply(g, args, 2, 8);
    case UOP_OR: return graph_bool_apply(g, args, 2, 14);
    case UOP_XOR: return graph_bool_apply(g, args, 2, 6);
    case UOP_IEQ: return graph_bool_apply(g, args, 2, 9);
    case UOP_LOP3: {
        uint8_t table = 0; /* the machine's index is a<<2 | b<<1 | c */
        for (unsigned row = 0; row < 8; row++) {
            unsigned machine = (row & 1) << 2 | (row & 2) | row >> 2;
            table |= (uint8_t)((like->imm >> machine & 1) << row);
        }
        return graph_bool_apply(g, args, 3, table);
    }
    default: return graph_intern_like(g, like, args, count);
    }
}

static bool known_uniform(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = at(g, id);
    if (n->kind == UOP_CONST || n->kind == UOP_UNIFORM)
        return true;
    if (n->kind == UOP_CBANK && n->arg_count == 0)
        return true;
    if (n->kind == UOP_SREG)
        return n->imm >= UOP_SR_CTAID_X && n->imm <= UOP_SR_NCTAID_Z;
    if (depth >= 6 || !n->arg_count || (n->kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n->kind)))
        return false;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (!known_uniform(g, n->arg[i], depth + 1))
            return false;
    return true;
}

/* Two arguments whose order does not matter: the older first, constants last. */
static graph_id in_order(struct graph *g, const struct uop *like, const graph_id *args)
{
    if (graph_is_const(g, args[0], NULL) || (args[0] > args[1] && !graph_is_const(g, args[1], NULL)))
        return graph_intern_like(g, like, (graph_id[]){args[1], args[0]}, 2);
    return graph_intern_like(g, like, args, 2);
}

static graph_id simplify(struct graph *g, const struct uop *like, const graph_id *given, unsigned count)
{
    graph_id args[UOP_MAX_ARGS + 1] = {0};
    uint64_t bits[UOP_MAX_ARGS + 1], result;
    bool constant = count > 0, truth = count > 0;
    assert(count <= UOP_MAX_ARGS);
    for (unsigned i = 0; i < count; i++) {
        args[i] = given[i];
        constant &= graph_is_const(g, args[i], &bits[i]);
        truth &= at(g, args[i])->type == UOP_B1;
    }
    if (like->kind == UOP_CONST)
        return graph_const(g, (enum uop_type)like->type, like->imm);
    if (constant && uop_eval(like, bits, &result)) {
        /* A float compare carries the format it compares in `type`; its result is a truth value. */
        bool compare = like->kind >= UOP_IEQ && like->kind <= UOP_FNUM;
        enum uop_type type =
            compare || like->kind == UOP_CARRY || like->kind == UOP_FCHK ? UOP_B1 : (enum uop_type)like->type;
        return graph_const(g, type, result);
    }
    if (truth && like->kind != UOP_SELECT)
        return boolean(g, like, args, count);
    switch (like->kind) {
    case UOP_ADD: return simplify_add(g, like, args);
    case UOP_ADDC: {
        graph_id sum = graph_op2(g, UOP_ADD, (enum uop_type)like->type, args[0], args[1]);
        uint64_t c;
        if (graph_is_const(g, args[2], &c))
            return c ? graph_op2(g, UOP_ADD, (enum uop_type)like->type, sum,
                                 graph_const(g, (enum uop_type)like->type, 1))
                     : sum;
        graph_id high =
            uop_type_bits((enum uop_type)like->type) == 32 ? graph_simplify_carry(g, sum, args[2]) : GRAPH_NIL;
        if (high != GRAPH_NIL)
            return high;
        return graph_intern_like(g, like, (graph_id[]){sum, graph_const(g, (enum uop_type)like->type, 0), args[2]}, 3);
    }
    case UOP_CARRY: {
        struct uop u = *like;
        if (!u.imm)
            u.imm = bits_of(g, args[0]);
        u.type = UOP_B1;
        if (const_is(g, args[2], 0) && (const_is(g, args[0], 0) || const_is(g, args[1], 0)))
            return graph_false(g);
        if (args[0] > args[1] && at(g, args[1])->kind != UOP_NOT)
            return graph_intern_like(g, &u, (graph_id[]){args[1], args[0], args[2]}, 3);
        if (at(g, args[0])->kind == UOP_NOT && at(g, args[1])->kind != UOP_NOT)
            return graph_intern_like(g, &u, (graph_id[]){args[1], args[0], args[2]}, 3);
        return graph_intern_like(g, &u, args, 3);
    }
    case UOP_NEG:
        if (at(g, args[0])->kind == UOP_NEG)
            return at(g, args[0])->arg[0];
        return graph_intern_like(g, like, args, 1);
    case UOP_NOT:
        if (at(g, args[0])->kind == UOP_NOT)
            return at(g, args[0])->arg[0];
        return graph_intern_like(g, like, args, 1);
    case UOP_MUL: return simplify_mul(g, like, args[0], args[1]);
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR: return simplify_shift(g, like, args);
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR: return graph_simplify_bitwise(g, like, args);
    case UOP_LOP3: {
        graph_id sum = graph_simplify_chosen(g, like, args);
        return sum != GRAPH_NIL ? sum : graph_intern_like(g, like, args, count);
    }
    case UOP_SEXT:
    case UOP_ZEXT: return simplify_extend(g, like, args[0]);
    case UOP_LO:
    case UOP_HI: return graph_simplify_half(g, like, args[0]);
    case UOP_PAIR: return graph_simplify_pair(g, like, args);
    case UOP_PRMT: return simplify_prmt(g, like, args);
    case UOP_SELECT: return simplify_select(g, like, args);
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM: {
        struct uop u = *like;
        /* The node of a compare is a truth value; the format compared moves to imm (float) or stays there (integer
         * width). */
        if (like->kind >= UOP_FLT && like->kind <= UOP_FNUM)
            u.imm = uop_type_bits((enum uop_type)like->type), u.width = like->type;
        else if (!u.imm)
            u.imm = bits_of(g, args[0]);
        struct uop ask = *like;
        ask.imm = like->kind >= UOP_FLT && like->kind <= UOP_FNUM ? like->imm : u.imm;
        for (unsigned side = 0; side < 2; side++) {
            graph_id chosen =
                graph_is_const(g, args[1 - side], NULL) ? compare_choice(g, &ask, args, side, 0) : GRAPH_NIL;
            if (chosen != GRAPH_NIL)
                return chosen;
        }
        u.type = UOP_B1;
        return simplify_compare(g, &u, args);
    }
    case UOP_FCHK: {
        struct uop u = *like;
        u.imm = uop_type_bits((enum uop_type)like->type), u.width = like->type;
        u.type = UOP_B1;
        return graph_intern_like(g, &u, args, 2);
    }
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX: return graph_simplify_float(g, like, args, count);
    case UOP_FNEG:
    case UOP_FABS: return graph_simplify_sign(g, like, args[0]);
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U: {
        graph_id inverted = bound_of_inverted(g, like->kind, args[0], args[1]);
        return inverted == GRAPH_NIL ? in_order(g, like, args) : inverted;
    }
    case UOP_MULHI_S:
    case UOP_MULHI_U: return in_order(g, like, args);
    case UOP_UNIFORM: return known_uniform(g, args[0], 0) ? args[0] : graph_intern_like(g, like, args, 1);
    default: return graph_intern_like(g, like, args, count);
    }
}

static uint64_t half_key(unsigned kind, unsigned type, graph_id of)
{
    return (uint64_t)kind << 48 | (uint64_t)type << 40 | of;
}

void graph_set_half(struct graph *g, graph_id whole, enum uop_kind half, graph_id word)
{
    map_u64_put(g->a, &g->halves, half_key(half, UOP_B32, whole), word);
}

/* Rules make smaller nodes by the same function. Halves of long chains would go down the chain at every step: what a
 * half came to is remembered, and beyond a depth no honest code reaches a node is left as it is. */
graph_id graph_pure(struct graph *g, const struct uop *like, const graph_id *given, unsigned count)
{
    enum { DEPTH = 200 };
    bool half = like->kind == UOP_LO || like->kind == UOP_HI;
    uint64_t key = half_key(like->kind, like->type, given[0]);
    graph_id id;
    if (half && map_u64_get(&g->halves, key, &id))
        return id;
    bool recurses = half || like->kind == UOP_ADD || like->kind == UOP_ADDC || like->kind == UOP_MUL ||
                    like->kind == UOP_NEG || like->kind == UOP_PAIR;
    if (recurses && g->depth >= DEPTH)
        return graph_intern_like(g, like, given, count);
    g->depth++;
    id = simplify(g, like, given, count);
    g->depth--;
    if (half && id != GRAPH_NIL)
        map_u64_put(g->a, &g->halves, key, id);
    return id;
}
