/* What nodes compute as functions of real numbers: what must meet, and what must not. */
#include "rewrite/rew.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static const struct graph_env env = {.sm = 86, .param_base = 0x160, .param_bytes = 64, .block = {128, 1, 1}};

struct fixture {
    struct arena a;
    struct graph g;
    graph_id x, y, z, i, j; /* three floats, two integers: parameters */
    graph_id thread, block;
};

static int make(void **state)
{
    static struct fixture f;
    memset(&f, 0, sizeof f);
    arena_init(&f.a, 0);
    graph_init(&f.g, &f.a, &env);
    f.x = graph_cbank(&f.g, UOP_B32, 0, 0x160);
    f.y = graph_cbank(&f.g, UOP_B32, 0, 0x164);
    f.z = graph_cbank(&f.g, UOP_B32, 0, 0x168);
    f.i = graph_cbank(&f.g, UOP_B32, 0, 0x16c);
    f.j = graph_cbank(&f.g, UOP_B32, 0, 0x170);
    f.thread = graph_sreg(&f.g, UOP_SR_TID_X);
    f.block = graph_sreg(&f.g, UOP_SR_CTAID_X);
    *state = &f;
    return 0;
}

static int drop(void **state)
{
    struct fixture *f = *state;
    arena_free(&f->a);
    return 0;
}

static graph_id number(struct fixture *f, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return graph_const(&f->g, UOP_F32, bits);
}

static graph_id add(struct fixture *f, graph_id a, graph_id b)
{
    return graph_op2(&f->g, UOP_FADD, UOP_F32, a, b);
}

static graph_id mul(struct fixture *f, graph_id a, graph_id b)
{
    return graph_op2(&f->g, UOP_FMUL, UOP_F32, a, b);
}

static graph_id fused(struct fixture *f, graph_id a, graph_id b, graph_id c)
{
    return graph_op3(&f->g, UOP_FFMA, UOP_F32, a, b, c);
}

static graph_id divide(struct fixture *f, graph_id a, graph_id b)
{
    struct uop op = {.kind = UOP_MATH, .type = UOP_F32, .imm = UOP_MATH_DIV};
    graph_id args[2] = {a, b};
    return graph_pure(&f->g, &op, args, 2);
}

static graph_id less(struct fixture *f, graph_id a, graph_id b)
{
    struct uop op = {.kind = UOP_FLT, .type = UOP_F32, .imm = 32};
    graph_id args[2] = {a, b};
    return graph_pure(&f->g, &op, args, 2);
}

static graph_id less_signed(struct fixture *f, graph_id a, graph_id b)
{
    struct uop op = {.kind = UOP_ILT_S, .type = UOP_B1, .imm = 32};
    graph_id args[2] = {a, b};
    return graph_pure(&f->g, &op, args, 2);
}

static graph_id choose(struct fixture *f, graph_id c, graph_id a, graph_id b)
{
    return graph_op3(&f->g, UOP_SELECT, UOP_B32, c, a, b);
}

static graph_id integer(struct fixture *f, enum uop_kind kind, graph_id a, graph_id b)
{
    return graph_op2(&f->g, kind, UOP_B32, a, b);
}

static graph_id word(struct fixture *f, uint32_t value)
{
    return graph_const(&f->g, UOP_B32, value);
}

/* c | (b & a), as machines have it and as PTX has it. */
static graph_id nested(struct fixture *f, bool one, graph_id a, graph_id b, graph_id c)
{
    struct uop op = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xea};
    graph_id args[3] = {a, b, c};
    return one ? graph_pure(&f->g, &op, args, 3) : integer(f, UOP_OR, c, integer(f, UOP_AND, a, b));
}

static void test_what_meets(void **state)
{
    struct fixture *f = *state;
    graph_id x = f->x, y = f->y, z = f->z;
    const graph_id pairs[][2] = {
        {fused(f, x, y, z), add(f, mul(f, x, y), z)},
        {fused(f, x, y, z), add(f, z, mul(f, y, x))},
        {add(f, x, x), mul(f, number(f, 2.0f), x)},
        {add(f, x, graph_op1(&f->g, UOP_FNEG, UOP_F32, y)), fused(f, number(f, -1.0f), y, x)},
        {divide(f, x, y), mul(f, x, graph_op1(&f->g, UOP_RCP, UOP_F32, y))},
        {divide(f, x, number(f, 20.0f)), mul(f, x, number(f, 0.05f))}, /* as compilers do it: rounded once */
        {choose(f, less(f, x, y), x, y), graph_op2(&f->g, UOP_FMIN, UOP_F32, x, y)},
        {choose(f, less(f, x, y), y, x), graph_op2(&f->g, UOP_FMAX, UOP_F32, y, x)},
        {choose(f, less_signed(f, f->i, f->j), f->i, f->j), graph_op2(&f->g, UOP_MIN_S, UOP_B32, f->i, f->j)},
        /* 128 threads a block */
        {integer(f, UOP_OR, integer(f, UOP_MUL, f->block, word(f, 128)), f->thread),
         integer(f, UOP_ADD, integer(f, UOP_MUL, f->block, word(f, 128)), f->thread)},
        {integer(f, UOP_AND, f->thread, word(f, 127)), f->thread},
        {nested(f, true, f->i, f->j, f->thread), nested(f, false, f->i, f->j, f->thread)},
        {nested(f, true, f->thread, word(f, 127), integer(f, UOP_MUL, f->block, word(f, 512))),
         integer(f, UOP_ADD, integer(f, UOP_MUL, f->block, word(f, 512)), f->thread)},
    };
    struct rew_values v;
    assert_true(rew_find_values(&f->a, &f->g, &v));
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (v.of[pairs[i][0]] != v.of[pairs[i][1]])
            fail_msg("pair %zu does not meet", i);
}

static void test_what_does_not(void **state)
{
    struct fixture *f = *state;
    graph_id x = f->x, y = f->y, z = f->z;
    const graph_id pairs[][2] = {
        {fused(f, x, y, z), fused(f, x, z, y)},
        {add(f, x, y), mul(f, x, y)},
        {add(f, x, y), add(f, x, graph_op1(&f->g, UOP_FNEG, UOP_F32, y))},
        {mul(f, x, number(f, 1.5f)), mul(f, x, number(f, 1.4999999f))},
        {divide(f, x, y), divide(f, y, x)},
        {choose(f, less(f, x, y), x, y), choose(f, less(f, x, y), y, x)},
        {choose(f, less(f, x, y), x, z), choose(f, less(f, y, x), x, z)},
        {choose(f, less_signed(f, f->i, f->j), x, y), choose(f, less_signed(f, f->j, f->i), x, y)},
        {graph_op1(&f->g, UOP_EX2, UOP_F32, x), graph_op1(&f->g, UOP_LG2, UOP_F32, x)},
        {graph_op2(&f->g, UOP_MIN_S, UOP_B32, f->i, f->j), graph_op2(&f->g, UOP_MIN_U, UOP_B32, f->i, f->j)},
        {integer(f, UOP_OR, integer(f, UOP_MUL, f->block, word(f, 64)), f->thread),
         integer(f, UOP_ADD, integer(f, UOP_MUL, f->block, word(f, 64)), f->thread)},
        {integer(f, UOP_AND, f->thread, word(f, 63)), f->thread},
        {integer(f, UOP_OR, f->i, f->j), integer(f, UOP_ADD, f->i, f->j)},
        {integer(f, UOP_XOR, f->i, f->j), integer(f, UOP_OR, f->i, f->j)},
        {nested(f, true, f->i, f->j, f->thread), nested(f, false, f->i, f->thread, f->j)},
    };
    struct rew_values v;
    assert_true(rew_find_values(&f->a, &f->g, &v));
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (v.of[pairs[i][0]] == v.of[pairs[i][1]])
            fail_msg("pair %zu meets", i);
}

/* A condition and its opposite, on either side. */
static void test_truth(void **state)
{
    struct fixture *f = *state;
    graph_id c = less(f, f->x, f->y), n = graph_not(&f->g, c), d = less_signed(f, f->i, f->j);
    graph_id both = graph_and(&f->g, c, d), either = graph_or(&f->g, n, graph_not(&f->g, d));
    struct rew_values v;
    assert_true(rew_find_values(&f->a, &f->g, &v));
    assert_true(rew_truth(&f->g, &v, c, true) == v.of[n]);
    assert_true(rew_truth(&f->g, &v, n, true) == v.of[c]);
    assert_true(rew_truth(&f->g, &v, both, true) == v.of[either]);
    assert_true(v.of[c] != v.of[n]);
    assert_true(v.of[both] != v.of[either]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_meets, make, drop),
        cmocka_unit_test_setup_teardown(test_what_does_not, make, drop),
        cmocka_unit_test_setup_teardown(test_truth, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
