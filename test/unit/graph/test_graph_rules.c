/* Truth tables, exact rules and affine sums on hand-made nodes, and the sizes hostile code can reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_arena.h"
#include "graph_code.h"

/* A truth value of its own: threadIdx.x == n. */
static graph_id atom(struct graph *g, unsigned n)
{
    return graph_op2(g, UOP_IEQ, UOP_B1, graph_sreg(g, UOP_SR_TID_X), graph_const(g, UOP_B32, n));
}

static void truth_is_tables(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id a = atom(&g, 1), b = atom(&g, 2), c = atom(&g, 3);
    assert_int_equal(graph_not(&g, graph_not(&g, a)), a);
    assert_int_equal(graph_and(&g, a, b), graph_and(&g, b, a));
    assert_int_equal(graph_not(&g, graph_and(&g, a, b)), graph_or(&g, graph_not(&g, a), graph_not(&g, b)));
    assert_int_equal(graph_or(&g, a, graph_not(&g, a)), GRAPH_NIL); /* true */
    assert_int_equal(graph_and(&g, a, graph_not(&g, a)), graph_false(&g));
    assert_true(graph_implies(&g, graph_and(&g, a, b), a));
    assert_false(graph_implies(&g, a, graph_and(&g, a, b)));
    assert_true(graph_implies(&g, a, GRAPH_NIL));
    assert_false(graph_implies(&g, GRAPH_NIL, a));
    graph_id both = graph_or(&g, graph_and(&g, a, b), graph_and(&g, graph_not(&g, a), c));
    assert_int_equal(graph_assume(&g, both, a), b);
    assert_int_equal(graph_assume(&g, both, graph_not(&g, a)), c);
}

/* A lane that votes is among those asked; of what other lanes say it knows nothing. */
static void votes_hold_for_the_own_lane(void **state)
{
    enum { ALL = 0, ANY = 1, EQUAL = 2 };
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id a = atom(&g, 1), b = atom(&g, 2), vote[3];
    graph_id both = graph_and(&g, a, b);
    for (unsigned how = ALL; how <= EQUAL; how++)
        vote[how] = graph_fresh(
            &g, &(struct graph_node){
                    .kind = UOP_VOTE, .type = UOP_B1, .imm = how, .arg_count = 1, .arg = {both}, .insn = UINT32_MAX});
    assert_true(graph_implies(&g, vote[ALL], both));
    assert_true(graph_implies(&g, vote[ALL], a));
    assert_true(graph_implies(&g, graph_not(&g, b), graph_not(&g, vote[ALL])));
    assert_true(graph_implies(&g, both, vote[ANY]));
    assert_true(graph_implies(&g, graph_not(&g, vote[ANY]), graph_not(&g, both)));
    assert_false(graph_implies(&g, graph_not(&g, vote[ANY]), graph_not(&g, a)));
    assert_false(graph_implies(&g, both, vote[ALL]));
    assert_false(graph_implies(&g, vote[ANY], a));
    assert_false(graph_implies(&g, vote[EQUAL], both));
    assert_false(graph_implies(&g, both, vote[EQUAL]));
    graph_id one = graph_const(&g, UOP_B32, 1), two = graph_const(&g, UOP_B32, 2);
    graph_id chosen = graph_op3(&g, UOP_SELECT, UOP_B32, graph_not(&g, vote[ALL]), one, two);
    assert_int_equal(graph_assume(&g, chosen, graph_not(&g, a)), one);
    assert_int_equal(graph_assume(&g, chosen, a), chosen);
}

/* A node made again from its own operation and arguments is itself, and has the value of what it was made of. */
static void a_node_gives_its_operation(void **state)
{
    static const struct uop made[] = {
        {.kind = UOP_FLT, .type = UOP_F32},  {.kind = UOP_FNUM, .type = UOP_F64},
        {.kind = UOP_FEQ, .type = UOP_F16},  {.kind = UOP_FCHK, .type = UOP_F32},
        {.kind = UOP_ILT_S, .type = UOP_B1}, {.kind = UOP_MULHI_U, .type = UOP_B32},
    };
    struct graph g;
    graph_init(&g, *state, &env_86);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        bool wide = made[i].type == UOP_F64;
        graph_id args[2] = {graph_cbank(&g, wide ? UOP_B64 : UOP_B32, 0, 0x160),
                            graph_cbank(&g, wide ? UOP_B64 : UOP_B32, 0, 0x168)};
        graph_id id = graph_pure(&g, &made[i], args, 2);
        const struct graph_node n = *graph_at(&g, id);
        struct uop again = graph_operation(&n);
        assert_int_equal(graph_pure(&g, &again, n.arg, n.arg_count), id);
    }
    /* 1.0f < 2.0f, on the node of p < q */
    graph_id less = graph_pure(&g, &made[0],
                               (graph_id[]){graph_cbank(&g, UOP_B32, 0, 0x160), graph_cbank(&g, UOP_B32, 0, 0x168)}, 2);
    struct uop op = graph_operation(graph_at(&g, less));
    uint64_t result = 0;
    assert_true(uop_eval(&op, (uint64_t[]){0x3f800000, 0x40000000, 0}, &result));
    assert_int_equal(result, 1);
}

/* A word that holds a predicate, compared with what it can be. */
static void packed_predicates(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id c = atom(&g, 1), zero = graph_const(&g, UOP_B32, 0), bit = graph_const(&g, UOP_B32, 32);
    graph_id packed = graph_op3(&g, UOP_SELECT, UOP_B32, c, bit, zero), x = graph_cbank(&g, UOP_B32, 0, 0x160);
    assert_int_equal(graph_op2(&g, UOP_IEQ, UOP_B1, packed, bit), c);
    assert_int_equal(graph_op2(&g, UOP_IEQ, UOP_B1, packed, zero), graph_not(&g, c));
    assert_int_equal(graph_op2(&g, UOP_IEQ, UOP_B1, packed, graph_const(&g, UOP_B32, 7)), graph_false(&g));
    assert_int_equal(graph_at(&g, graph_op2(&g, UOP_IEQ, UOP_B1, packed, x))->kind, UOP_IEQ);
    graph_id half = graph_op3(&g, UOP_SELECT, UOP_B32, c, bit, x);
    assert_int_equal(graph_at(&g, graph_op2(&g, UOP_IEQ, UOP_B1, half, zero))->kind, UOP_IEQ);
}

static void seven_atoms_are_opaque(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id six = atom(&g, 1);
    for (unsigned i = 2; i <= 6; i++)
        six = graph_and(&g, six, atom(&g, i));
    assert_int_equal(graph_at(&g, six)->kind, GRAPH_BOOL);
    graph_id seven = graph_and(&g, six, atom(&g, 7));
    assert_int_not_equal(graph_at(&g, seven)->kind, GRAPH_BOOL);
    assert_int_equal(graph_at(&g, seven)->type, UOP_B1);
    assert_false(graph_implies(&g, seven, six)); /* not known, and not claimed */
    assert_int_equal(graph_and(&g, six, atom(&g, 7)), seven);
}

static void selects_under_assumptions(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id p = atom(&g, 1), x = graph_cbank(&g, UOP_B32, 0, 0x160), y = graph_cbank(&g, UOP_B32, 0, 0x164);
    graph_id s = graph_op3(&g, UOP_SELECT, UOP_B32, p, x, y);
    assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, graph_not(&g, p), y, x), s);
    assert_int_equal(graph_assume(&g, s, p), x);
    assert_int_equal(graph_assume(&g, s, graph_not(&g, p)), y);
    assert_int_equal(graph_assume(&g, s, atom(&g, 2)), s);
    assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, p, s, y), s);
    assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, p, y, s), y);
}

/* a && b ? x : (a ? y : z) where a holds is b ? x : y; the arms of a select that stays are cut down as well. */
static void selects_within_selects(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id a = atom(&g, 1), b = atom(&g, 2), x = graph_cbank(&g, UOP_B32, 0, 0x160);
    graph_id y = graph_cbank(&g, UOP_B32, 0, 0x164), z = graph_cbank(&g, UOP_B32, 0, 0x168);
    graph_id inner = graph_op3(&g, UOP_SELECT, UOP_B32, a, y, z);
    graph_id outer = graph_op3(&g, UOP_SELECT, UOP_B32, graph_and(&g, a, b), x, inner);
    graph_id wanted = graph_op3(&g, UOP_SELECT, UOP_B32, b, x, y);
    assert_int_equal(graph_assume(&g, outer, a), outer); /* only where it is asked for: it is another node */
    assert_int_equal(graph_assume_within(&g, outer, a), wanted);
    assert_int_equal(graph_assume_within(&g, outer, graph_not(&g, a)), z);
    assert_int_equal(graph_assume_within(&g, outer, graph_not(&g, b)), inner);
    assert_int_equal(graph_assume_within(&g, outer, atom(&g, 3)), outer);
    assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, a, outer, z), graph_op3(&g, UOP_SELECT, UOP_B32, a, wanted, z));
    /* A chain as long as one likes costs no more than a few of its links. */
    graph_id chain = z;
    for (unsigned i = 0; i < 4000; i++)
        chain =
            graph_op3(&g, UOP_SELECT, UOP_B32, atom(&g, 100 + i), graph_cbank(&g, UOP_B32, 0, 0x200 + 4 * i), chain);
    uint32_t before = (uint32_t)g.nodes.n;
    for (unsigned i = 0; i < 100; i++)
        graph_assume_within(&g, chain, atom(&g, i + 1));
    assert_in_range(g.nodes.n - before, 0, 20000);
}

/* Predicates kept as bits of a register come out of it as they went in. */
static void predicates_in_registers(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id p[3] = {atom(&g, 1), atom(&g, 2), atom(&g, 3)}, zero = graph_const(&g, UOP_B32, 0), all = zero;
    for (unsigned i = 0; i < 3; i++)
        all = graph_op2(&g, UOP_OR, UOP_B32, all,
                        graph_op3(&g, UOP_SELECT, UOP_B32, p[i], graph_const(&g, UOP_B32, UINT64_C(1) << i), zero));
    for (unsigned i = 0; i < 3; i++) {
        graph_id bit = graph_op2(&g, UOP_AND, UOP_B32, all, graph_const(&g, UOP_B32, UINT64_C(1) << i));
        assert_int_equal(graph_op2(&g, UOP_IEQ, UOP_B1, bit, zero), graph_not(&g, p[i]));
    }
    graph_id one = graph_op3(&g, UOP_SELECT, UOP_B32, p[0], graph_const(&g, UOP_B32, 64), zero);
    assert_int_equal(graph_op2(&g, UOP_ILT_S, UOP_B1, zero, one), p[0]);
    assert_int_equal(graph_op2(&g, UOP_ILT_S, UOP_B1, one, zero), graph_false(&g));
    graph_id two = graph_op3(&g, UOP_SELECT, UOP_B32, p[1], graph_const(&g, UOP_B32, 7), one);
    assert_int_equal(graph_op2(&g, UOP_IEQ, UOP_B1, two, zero),
                     graph_and(&g, graph_not(&g, p[0]), graph_not(&g, p[1])));
    /* A register that holds anything else is asked as it is. */
    graph_id other = graph_op3(&g, UOP_SELECT, UOP_B32, p[0], graph_cbank(&g, UOP_B32, 0, 0x160), zero);
    assert_int_equal(graph_at(&g, graph_op2(&g, UOP_IEQ, UOP_B1, other, zero))->kind, UOP_IEQ);
}

static void sums_have_one_form(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id x = graph_sreg(&g, UOP_SR_TID_X), y = graph_sreg(&g, UOP_SR_CTAID_X), c = graph_const(&g, UOP_B32, 5);
    graph_id a = graph_op2(&g, UOP_ADD, UOP_B32, graph_op2(&g, UOP_ADD, UOP_B32, x, c), y);
    graph_id b = graph_op2(&g, UOP_ADD, UOP_B32, y, graph_op2(&g, UOP_ADD, UOP_B32, c, x));
    assert_int_equal(a, b);
    graph_id minus = graph_op2(&g, UOP_ADD, UOP_B32, a, graph_op1(&g, UOP_NEG, UOP_B32, x));
    assert_int_equal(minus, graph_op2(&g, UOP_ADD, UOP_B32, y, c));
    assert_int_equal(graph_op2(&g, UOP_SHL, UOP_B32, x, graph_const(&g, UOP_B32, 2)),
                     graph_op2(&g, UOP_MUL, UOP_B32, x, graph_const(&g, UOP_B32, 4)));
    assert_int_equal(graph_op2(&g, UOP_SHL, UOP_B32, x, graph_const(&g, UOP_B32, 32)), graph_const(&g, UOP_B32, 0));
}

/* blockIdx.x << 10 | threadIdx.x is their sum: a block has at most 1,024 threads. With << 9 it need not be. */
static void disjoint_bits_add(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id t = graph_sreg(&g, UOP_SR_TID_X), c = graph_sreg(&g, UOP_SR_CTAID_X);
    graph_id high = graph_op2(&g, UOP_SHL, UOP_B32, c, graph_const(&g, UOP_B32, 10));
    graph_id low = graph_op2(&g, UOP_SHL, UOP_B32, c, graph_const(&g, UOP_B32, 9));
    graph_id masked = graph_op2(&g, UOP_AND, UOP_B32, t, graph_const(&g, UOP_B32, 0x1ff));
    assert_int_equal(graph_op2(&g, UOP_OR, UOP_B32, t, high), graph_op2(&g, UOP_ADD, UOP_B32, high, t));
    assert_int_equal(graph_op2(&g, UOP_OR, UOP_B32, masked, low), graph_op2(&g, UOP_ADD, UOP_B32, low, masked));
    assert_int_not_equal(graph_op2(&g, UOP_OR, UOP_B32, t, low), graph_op2(&g, UOP_ADD, UOP_B32, low, t));
}

/* The machine chooses bits of two words by a constant, PTX and people add or insert them: one value where neither word
 * has bits that the constant cuts off. */
static void chosen_bits_are_sums(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id x = graph_cbank(&g, UOP_B32, 0, 0x160), y = graph_cbank(&g, UOP_B32, 0, 0x164);
    graph_id high = graph_op2(&g, UOP_MUL, UOP_B32, x, graph_const(&g, UOP_B32, 8));
    graph_id low = graph_op2(&g, UOP_AND, UOP_B32, y, graph_const(&g, UOP_B32, 1));
    graph_id mask = graph_const(&g, UOP_B32, 0xfffffff8), sum = graph_op2(&g, UOP_ADD, UOP_B32, high, low);
    /* a & b | ~b & c, and the same with its words in other places: b ? a : c, a ? b : c, c ? b : a. */
    struct uop middle = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xe2};
    struct uop first = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xca};
    struct uop last = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xd8};
    assert_int_equal(graph_pure(&g, &middle, (graph_id[]){high, mask, low}, 3), sum);
    assert_int_equal(graph_pure(&g, &first, (graph_id[]){mask, high, low}, 3), sum);
    assert_int_equal(graph_pure(&g, &last, (graph_id[]){low, high, mask}, 3), sum);
    assert_int_not_equal(graph_pure(&g, &middle, (graph_id[]){high, mask, y}, 3),
                         graph_op2(&g, UOP_ADD, UOP_B32, high, y));
    assert_int_equal(graph_at(&g, graph_pure(&g, &middle, (graph_id[]){low, mask, high}, 3))->kind, UOP_LOP3);
}

/* Exact for every input: what looks like an identity but flushes, or loses the sign of zero, stays. */
/* The larger one of ~x and ~y is ~min(x, y), whether an instruction or a choice says so; of ~x and y it is not. */
static void bounds_of_inverted_numbers(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id x = graph_sreg(&g, UOP_SR_TID_X), y = graph_sreg(&g, UOP_SR_TID_Y);
    graph_id a = graph_op1(&g, UOP_NOT, UOP_B32, x), b = graph_op1(&g, UOP_NOT, UOP_B32, y);
    static const enum uop_kind kinds[][3] = {{UOP_MAX_S, UOP_MIN_S, UOP_ILT_S}, {UOP_MAX_U, UOP_MIN_U, UOP_ILT_U}};
    for (unsigned i = 0; i < 2; i++) {
        graph_id least = graph_op1(&g, UOP_NOT, UOP_B32, graph_op2(&g, kinds[i][1], UOP_B32, x, y));
        graph_id most = graph_op1(&g, UOP_NOT, UOP_B32, graph_op2(&g, kinds[i][0], UOP_B32, x, y));
        graph_id less = graph_op2(&g, kinds[i][2], UOP_B1, a, b);
        assert_int_equal(graph_op2(&g, kinds[i][0], UOP_B32, a, b), least);
        assert_int_equal(graph_op2(&g, kinds[i][1], UOP_B32, b, a), most);
        assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, less, b, a), least);
        assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, graph_not(&g, less), a, b), least);
        assert_int_equal(graph_op3(&g, UOP_SELECT, UOP_B32, less, a, b), most);
        assert_int_not_equal(graph_op2(&g, kinds[i][0], UOP_B32, a, y), least);
        graph_id other = graph_op2(&g, kinds[i][2], UOP_B1, a, y);
        assert_int_not_equal(graph_op3(&g, UOP_SELECT, UOP_B32, other, b, a), least);
    }
}

static void float_rules_are_exact(void **state)
{
    struct graph g;
    graph_init(&g, *state, &env_86);
    graph_id x = graph_cbank(&g, UOP_B32, 0, 0x160), y = graph_cbank(&g, UOP_B32, 0, 0x164);
    graph_id zero = graph_const(&g, UOP_B32, 0), minus_zero = graph_const(&g, UOP_B32, 0x80000000),
             one = graph_const(&g, UOP_B32, 0x3f800000);
    struct uop add = {.kind = UOP_FADD, .type = UOP_F32}, ftz = {.kind = UOP_FADD, .type = UOP_F32, .flags = UOP_FTZ};
    assert_int_equal(graph_pure(&g, &add, (graph_id[]){x, minus_zero}, 2), x);
    assert_int_not_equal(graph_pure(&g, &add, (graph_id[]){x, zero}, 2), x);
    assert_int_not_equal(graph_pure(&g, &ftz, (graph_id[]){x, minus_zero}, 2), x);
    struct uop fma = {.kind = UOP_FFMA, .type = UOP_F32}, mul = {.kind = UOP_FMUL, .type = UOP_F32};
    assert_int_equal(graph_pure(&g, &fma, (graph_id[]){x, y, minus_zero}, 3),
                     graph_pure(&g, &mul, (graph_id[]){y, x}, 2));
    assert_int_not_equal(graph_pure(&g, &fma, (graph_id[]){x, y, zero}, 3),
                         graph_pure(&g, &mul, (graph_id[]){x, y}, 2));
    assert_int_equal(graph_pure(&g, &fma, (graph_id[]){x, one, y}, 3), graph_pure(&g, &add, (graph_id[]){x, y}, 2));
    /* A product and a sum are two roundings: never an fma, and the other way round. */
    graph_id two = graph_pure(&g, &add, (graph_id[]){graph_pure(&g, &mul, (graph_id[]){x, y}, 2), x}, 2);
    assert_int_not_equal(two, graph_pure(&g, &fma, (graph_id[]){x, y, x}, 3));
    /* NaN: x == x is no truth, x < x is false. */
    struct uop eq = {.kind = UOP_FEQ, .type = UOP_F32}, lt = {.kind = UOP_FLT, .type = UOP_F32};
    assert_false(graph_is_const(&g, graph_pure(&g, &eq, (graph_id[]){x, x}, 2), NULL));
    assert_int_equal(graph_pure(&g, &lt, (graph_id[]){x, x}, 2), graph_false(&g));
}

static void addresses_are_sums(void **state)
{
    struct graph g;
    struct graph_affine f;
    graph_init(&g, *state, &env_86);
    graph_id i = graph_sreg(&g, UOP_SR_TID_X), p = graph_cbank(&g, UOP_B64, 0, 0x160);
    graph_id wide = graph_op1(&g, UOP_SEXT, UOP_B64, i);
    graph_id address = graph_op2(
        &g, UOP_ADD, UOP_B64,
        graph_op2(&g, UOP_ADD, UOP_B64, p, graph_op2(&g, UOP_MUL, UOP_B64, wide, graph_const(&g, UOP_B64, 12))),
        graph_const(&g, UOP_B64, (uint64_t)-4));
    assert_true(graph_affine(&g, address, &f));
    assert_int_equal(f.base, p);
    assert_int_equal(f.term_count, 1);
    assert_int_equal(f.terms[0].term, i);
    assert_int_equal(f.terms[0].coefficient, 12);
    assert_int_equal(f.terms[0].extend, 1);
    assert_int_equal(f.offset, -4);
    /* sext(i + 1) is not sext(i) + 1: the sum may wrap. */
    graph_id next = graph_op1(&g, UOP_SEXT, UOP_B64, graph_op2(&g, UOP_ADD, UOP_B32, i, graph_const(&g, UOP_B32, 1)));
    assert_true(graph_affine(&g, graph_op2(&g, UOP_ADD, UOP_B64, p, next), &f));
    assert_int_equal(f.offset, 0);
    assert_int_not_equal(f.terms[0].term, i);
}

/* ---- size: twice the code, about twice the nodes -------------------------------------------- */

static const struct graph *many(struct arena *a, const char *const *body, uint32_t lines, uint32_t copies,
                                bool diamonds)
{
    uint32_t count = 0, total = lines * copies + 3;
    const char **code = ARENA_ARRAY(a, const char *, total);
    code[count++] = "S2R R2, SR_TID.X";
    for (uint32_t i = 0; i < copies; i++)
        for (uint32_t k = 0; k < lines; k++) {
            uint32_t at = count;
            code[count++] = diamonds && k == 1 ? arena_printf(a, "@P0 BRA 0x%x", 16 * (at + lines - 1)) : body[k];
        }
    code[count++] = "STS [R2], R3";
    code[count++] = "EXIT";
    return code_graph(a, 86, code, count, &env_86);
}

static void growth_is_linear(void **state)
{
    static const char *const guarded[] = {"ISETP.NE.AND P0, PT, R2, R3, PT", "@P0 IADD3 R3, R3, 0x1, RZ"};
    static const char *const diamond[] = {"ISETP.NE.AND P0, PT, R2, R3, PT", "BRA", "IADD3 R3, R3, 0x1, RZ"};
    static const char *const plain[] = {"FADD R3, R3, R2", "FMUL R3, R3, R2"};
    for (int shape = 0; shape < 3; shape++) {
        size_t nodes[2], bytes[2];
        for (uint32_t k = 0; k < 2; k++) {
            struct arena a;
            arena_init(&a, 0);
            uint32_t copies = 1000u << k;
            const struct graph *g = shape == 0   ? many(&a, guarded, 2, copies, false)
                                    : shape == 1 ? many(&a, diamond, 3, copies, true)
                                                 : many(&a, plain, 2, copies, false);
            nodes[k] = g->nodes.n;
            bytes[k] = a.used;
            arena_free(&a);
        }
        assert_true(nodes[1] < nodes[0] * 22 / 10 + 100);
        assert_true(bytes[1] < bytes[0] * 26 / 10); /* vectors double */
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(truth_is_tables, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(votes_hold_for_the_own_lane, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_node_gives_its_operation, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(packed_predicates, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(seven_atoms_are_opaque, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(selects_under_assumptions, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(selects_within_selects, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(predicates_in_registers, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(sums_have_one_form, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(disjoint_bits_add, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(chosen_bits_are_sums, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(bounds_of_inverted_numbers, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(float_rules_are_exact, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(addresses_are_sums, make_arena, drop_arena),
        cmocka_unit_test(growth_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
