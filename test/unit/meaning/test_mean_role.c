/* Roles and lines of whole little kernels, written as micro-operations: a guarded elementwise
 * kernel, the same with a branch round the work, a loop, a spill, address words made apart, a
 * return address. */
#include "mean_fixture.h"

enum { CODE_MAX = 64, UOPS_MAX = 32 };

struct code {
    struct fixture f;
    struct uop_list lists[CODE_MAX];
    struct graph_input_insn insns[CODE_MAX];
    struct graph_input input;
    uint32_t count;
    const enum mean_role *roles;
};

static void code_begin(struct code *c)
{
    memset(c, 0, sizeof *c);
    arena_init(&c->f.a, 0);
    c->f.env = (struct graph_env){
        .sm = 86, .param_base = 0x160, .param_bytes = 32, .stack_offset = 0x28, .descriptor_offset = 0x118};
}

/* The next instruction. */
static struct uop_list *insn(struct code *c)
{
    struct uop_list *l = &c->lists[c->count];
    l->guard = UOP_NONE;
    c->insns[c->count] = (struct graph_input_insn){c->count * 16, l};
    c->count++;
    return l;
}

static uint16_t put(struct code *c, struct uop_list *l, struct uop u, uint16_t a, uint16_t b, uint16_t d)
{
    const uint16_t args[UOP_MAX_ARGS] = {a, b, d, UOP_NONE, UOP_NONE};
    memcpy(u.arg, args, sizeof args);
    VEC_PUSH(&c->f.a, l->ops, u);
    return (uint16_t)(l->ops.n - 1);
}
static uint16_t op(struct code *c, struct uop_list *l, unsigned kind, unsigned type, uint16_t a, uint16_t b, uint16_t d)
{
    return put(c, l, (struct uop){.kind = (uint8_t)kind, .type = (uint8_t)type}, a, b, d);
}
static uint16_t rd(struct code *c, struct uop_list *l, unsigned file, unsigned reg)
{
    unsigned type = file == UOP_FILE_P ? UOP_B1 : UOP_B32;
    struct uop u = {.kind = UOP_READ, .type = (uint8_t)type, .file = (uint8_t)file, .reg = (uint16_t)reg};
    return put(c, l, u, UOP_NONE, UOP_NONE, UOP_NONE);
}
static void wr(struct code *c, struct uop_list *l, unsigned file, unsigned reg, uint16_t value)
{
    unsigned type = file == UOP_FILE_P ? UOP_B1 : UOP_B32;
    struct uop u = {.kind = UOP_WRITE, .type = (uint8_t)type, .file = (uint8_t)file, .reg = (uint16_t)reg};
    put(c, l, u, value, UOP_NONE, UOP_NONE);
}
static uint16_t imm(struct code *c, struct uop_list *l, unsigned type, uint64_t value)
{
    return put(c, l, (struct uop){.kind = UOP_CONST, .type = (uint8_t)type, .imm = value}, UOP_NONE, UOP_NONE,
               UOP_NONE);
}
static uint16_t bank(struct code *c, struct uop_list *l, unsigned type, uint32_t offset)
{
    return put(c, l, (struct uop){.kind = UOP_CBANK, .type = (uint8_t)type, .imm = offset}, UOP_NONE, UOP_NONE,
               UOP_NONE);
}

static void special(struct code *c, unsigned reg, unsigned sreg)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_SREG, .type = UOP_B32, .imm = sreg};
    wr(c, l, UOP_FILE_R, reg, put(c, l, u, UOP_NONE, UOP_NONE, UOP_NONE));
}
static void constant(struct code *c, unsigned reg, uint32_t value)
{
    struct uop_list *l = insn(c);
    wr(c, l, UOP_FILE_R, reg, imm(c, l, UOP_B32, value));
}
/* R0 = R0 * blockDim.x + R1 */
static void index_of(struct code *c)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_SREG, .type = UOP_B32, .imm = UOP_SR_NTID_X};
    uint16_t size = put(c, l, u, UOP_NONE, UOP_NONE, UOP_NONE);
    uint16_t product = op(c, l, UOP_MUL, UOP_B32, rd(c, l, UOP_FILE_R, 0), size, UOP_NONE);
    wr(c, l, UOP_FILE_R, 0, op(c, l, UOP_ADD, UOP_B32, product, rd(c, l, UOP_FILE_R, 1), UOP_NONE));
}
/* P0 = !(R0 < n) */
static void beyond(struct code *c)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_ILT_S, .type = UOP_B1, .imm = 32};
    uint16_t less = put(c, l, u, rd(c, l, UOP_FILE_R, 0), bank(c, l, UOP_B32, N_OFFSET), UOP_NONE);
    wr(c, l, UOP_FILE_P, 0, op(c, l, UOP_NOT, UOP_B1, less, UOP_NONE, UOP_NONE));
}
static struct uop_list *under(struct code *c, unsigned predicate, bool negated)
{
    struct uop_list *l = insn(c);
    l->guard = rd(c, l, UOP_FILE_P, predicate);
    if (negated)
        l->guard = op(c, l, UOP_NOT, UOP_B1, l->guard, UOP_NONE, UOP_NONE);
    return l;
}
static void leave(struct code *c, struct uop_list *l)
{
    op(c, l, UOP_EXIT, UOP_VOID, UOP_NONE, UOP_NONE, UOP_NONE);
}
/* {reg+1:reg} = param + 4 * sext(R0) */
static void address_of(struct code *c, unsigned reg, uint32_t param)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_SEXT, .type = UOP_B64, .imm = 32};
    uint16_t wide = put(c, l, u, rd(c, l, UOP_FILE_R, 0), UOP_NONE, UOP_NONE);
    uint16_t scaled = op(c, l, UOP_MUL, UOP_B64, wide, imm(c, l, UOP_B64, 4), UOP_NONE);
    uint16_t sum = op(c, l, UOP_ADD, UOP_B64, scaled, bank(c, l, UOP_B64, param), UOP_NONE);
    wr(c, l, UOP_FILE_R, reg, op(c, l, UOP_LO, UOP_B32, sum, UOP_NONE, UOP_NONE));
    wr(c, l, UOP_FILE_R, reg + 1, op(c, l, UOP_HI, UOP_B32, sum, UOP_NONE, UOP_NONE));
}
static uint16_t pair(struct code *c, struct uop_list *l, unsigned reg)
{
    return op(c, l, UOP_PAIR, UOP_B64, rd(c, l, UOP_FILE_R, reg), rd(c, l, UOP_FILE_R, reg + 1), UOP_NONE);
}
static void load_to(struct code *c, unsigned reg, unsigned address)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_LOAD, .type = UOP_B32, .space = UOP_GLOBAL, .width = 4};
    wr(c, l, UOP_FILE_R, reg, put(c, l, u, pair(c, l, address), UOP_NONE, UOP_NONE));
}
static void store_from(struct code *c, unsigned address, unsigned reg)
{
    struct uop_list *l = insn(c);
    struct uop u = {.kind = UOP_STORE, .space = UOP_GLOBAL, .width = 4};
    put(c, l, u, pair(c, l, address), rd(c, l, UOP_FILE_R, reg), UOP_NONE);
}
static void branch_to(struct code *c, struct uop_list *l, uint32_t target)
{
    put(c, l, (struct uop){.kind = UOP_BRANCH, .imm = target * 16}, UOP_NONE, UOP_NONE, UOP_NONE);
}

static void code_ready(struct code *c)
{
    struct diag_sink diags;
    diag_init(&diags, &c->f.a);
    c->input = (struct graph_input){c->insns, c->count, &c->f.env};
    assert_int_equal(graph_build(&c->f.a, &c->input, &diags, &c->f.g), SP_OK);
    assert_int_equal(mean_init(&c->f.m, &c->f.a, &c->f.g, fixture_params, FIXTURE_PARAMS), SP_OK);
    c->roles = mean_roles(&c->f.m);
    assert_non_null(c->roles);
}

static void expect_line(struct code *c, uint32_t at, enum mean_role role, const char *expr)
{
    const char *text = mean_insn_expr(&c->f.m, at, c->roles[at]);
    if (c->roles[at] != role)
        print_error("instruction %u\n", at);
    assert_int_equal(c->roles[at], role);
    if (expr)
        assert_string_equal(text, expr);
    else
        assert_null(text);
}

static void guarded_elementwise(void **state)
{
    struct code c;
    code_begin(&c);
    struct uop_list *l = insn(&c); /* 0 */
    wr(&c, l, UOP_FILE_R, 9, bank(&c, l, UOP_B32, 0x28));
    special(&c, 0, UOP_SR_CTAID_X); /* 1 */
    special(&c, 1, UOP_SR_TID_X);   /* 2 */
    index_of(&c);                   /* 3 */
    beyond(&c);                     /* 4 */
    leave(&c, under(&c, 0, false)); /* 5 */
    l = insn(&c);                   /* 6: descriptor */
    wr(&c, l, UOP_FILE_UR, 4, bank(&c, l, UOP_B32, 0x118));
    address_of(&c, 2, X_OFFSET); /* 7 */
    load_to(&c, 4, 2);           /* 8 */
    constant(&c, 5, 0x3f800000); /* 9: 1.0f */
    l = insn(&c);                /* 10 */
    wr(&c, l, UOP_FILE_R, 6,
       op(&c, l, UOP_FADD, UOP_F32, rd(&c, l, UOP_FILE_R, 4), rd(&c, l, UOP_FILE_R, 5), UOP_NONE));
    l = insn(&c); /* 11: copy */
    wr(&c, l, UOP_FILE_R, 7, rd(&c, l, UOP_FILE_R, 6));
    address_of(&c, 2, Y_OFFSET); /* 12 */
    store_from(&c, 2, 7);        /* 13 */
    constant(&c, 8, 7);          /* 14: nobody reads it */
    leave(&c, insn(&c));         /* 15 */
    l = insn(&c);                /* 16: never reached */
    branch_to(&c, l, 16);
    code_ready(&c);
    expect_line(&c, 0, MEAN_ROLE_STACK, "stack pointer");
    expect_line(&c, 1, MEAN_ROLE_SPECIAL_REGISTER, "blockIdx.x");
    expect_line(&c, 2, MEAN_ROLE_SPECIAL_REGISTER, "threadIdx.x");
    expect_line(&c, 3, MEAN_ROLE_INDEX, "i");
    expect_line(&c, 4, MEAN_ROLE_BOUNDS_CHECK, "i >= n");
    expect_line(&c, 5, MEAN_ROLE_EARLY_EXIT, NULL);
    expect_line(&c, 6, MEAN_ROLE_DESCRIPTOR, NULL);
    expect_line(&c, 7, MEAN_ROLE_ADDRESS, "&x[i]");
    expect_line(&c, 8, MEAN_ROLE_LOAD, "x[i]");
    expect_line(&c, 9, MEAN_ROLE_CONSTANT, "1.0f");
    expect_line(&c, 10, MEAN_ROLE_COMPUTE, "x[i] + 1.0f");
    expect_line(&c, 11, MEAN_ROLE_MOVE, "x[i] + 1.0f");
    expect_line(&c, 12, MEAN_ROLE_ADDRESS, "&y[i]");
    expect_line(&c, 13, MEAN_ROLE_STORE, "y[i] = x[i] + 1.0f");
    expect_line(&c, 14, MEAN_ROLE_CONSTANT, "7");
    expect_line(&c, 15, MEAN_ROLE_EXIT, NULL);
    if (c.f.g.insns.n > 16) /* code nobody reaches may have no instance */
        expect_line(&c, 16, MEAN_ROLE_PADDING, NULL);
    fixture_end(&c.f);
    (void)state;
}

/* The exit is a branch over the work to the end; data compares in the work are no bounds checks. */
static void branch_round_the_work(void **state)
{
    struct code c;
    code_begin(&c);
    special(&c, 0, UOP_SR_CTAID_X);         /* 0 */
    special(&c, 1, UOP_SR_TID_X);           /* 1 */
    index_of(&c);                           /* 2 */
    beyond(&c);                             /* 3 */
    branch_to(&c, under(&c, 0, false), 10); /* 4 */
    address_of(&c, 2, X_OFFSET);            /* 5 */
    load_to(&c, 4, 2);                      /* 6 */
    struct uop_list *l = insn(&c);          /* 7 */
    uint16_t less = op(&c, l, UOP_FLT, UOP_F32, rd(&c, l, UOP_FILE_R, 4), bank(&c, l, UOP_B32, LO_OFFSET), UOP_NONE);
    wr(&c, l, UOP_FILE_P, 1, less);
    l = insn(&c); /* 8 */
    uint16_t picked = op(&c, l, UOP_SELECT, UOP_B32, rd(&c, l, UOP_FILE_P, 1), bank(&c, l, UOP_B32, LO_OFFSET),
                         rd(&c, l, UOP_FILE_R, 4));
    wr(&c, l, UOP_FILE_R, 5, picked);
    store_from(&c, 2, 5); /* 9: in place */
    leave(&c, insn(&c));  /* 10 */
    code_ready(&c);
    expect_line(&c, 3, MEAN_ROLE_BOUNDS_CHECK, "i >= n");
    expect_line(&c, 4, MEAN_ROLE_BRANCH, NULL);
    expect_line(&c, 7, MEAN_ROLE_COMPARE, "x[i] < lo");
    expect_line(&c, 8, MEAN_ROLE_SELECT, "x[i] < lo ? lo : x[i]");
    expect_line(&c, 9, MEAN_ROLE_STORE, "x[i] = x[i] < lo ? lo : x[i]");
    assert_int_equal(mean_param_access(&c.f.m, 0), MEAN_READWRITE);
    fixture_end(&c.f);
    (void)state;
}

/* for (k = 0; k < n; k++) s += x[k], the test at the end. */
static void counting_loop(void **state)
{
    struct code c;
    code_begin(&c);
    constant(&c, 0, 0);            /* 0: k */
    constant(&c, 6, 0);            /* 1: s */
    address_of(&c, 2, X_OFFSET);   /* 2 */
    load_to(&c, 4, 2);             /* 3 */
    struct uop_list *l = insn(&c); /* 4 */
    wr(&c, l, UOP_FILE_R, 6,
       op(&c, l, UOP_FADD, UOP_F32, rd(&c, l, UOP_FILE_R, 6), rd(&c, l, UOP_FILE_R, 4), UOP_NONE));
    l = insn(&c); /* 5 */
    wr(&c, l, UOP_FILE_R, 0, op(&c, l, UOP_ADD, UOP_B32, rd(&c, l, UOP_FILE_R, 0), imm(&c, l, UOP_B32, 1), UOP_NONE));
    beyond(&c);                           /* 6 */
    branch_to(&c, under(&c, 0, true), 2); /* 7 */
    constant(&c, 0, 0);                   /* 8 */
    address_of(&c, 2, Y_OFFSET);          /* 9 */
    store_from(&c, 2, 6);                 /* 10 */
    leave(&c, insn(&c));                  /* 11 */
    code_ready(&c);
    assert_int_equal(c.f.m.names.n, 1);
    assert_string_equal(c.f.m.names.p[0].name, "i");
    assert_string_equal(c.f.m.names.p[0].expr, "0, then i + 1");
    expect_line(&c, 2, MEAN_ROLE_ADDRESS, "&x[i]");
    expect_line(&c, 5, MEAN_ROLE_INDUCTION, "i + 1");
    expect_line(&c, 6, MEAN_ROLE_LOOP_TEST, "i + 1 >= n");
    assert_int_equal(c.roles[1], MEAN_ROLE_CONSTANT);
    assert_string_equal(mean_insn_expr(&c.f.m, 1, c.roles[1]), "0.0f");
    assert_int_equal(c.roles[4], MEAN_ROLE_COMPUTE);
    fixture_end(&c.f);
    (void)state;
}

/* A value put on the stack and taken back; the frame counts from its lowest place. */
static void spill_and_refill(void **state)
{
    struct code c;
    code_begin(&c);
    struct uop_list *l = insn(&c); /* 0 */
    uint16_t start = bank(&c, l, UOP_B32, 0x28);
    wr(&c, l, UOP_FILE_R, 1, op(&c, l, UOP_ADD, UOP_B32, start, imm(&c, l, UOP_B32, 0xfffffff0u), UOP_NONE));
    special(&c, 0, UOP_SR_TID_X);      /* 1 */
    address_of(&c, 2, X_OFFSET);       /* 2 */
    load_to(&c, 4, 2);                 /* 3 */
    struct uop_list *spill = insn(&c); /* 4 */
    uint16_t slot = op(&c, spill, UOP_ADD, UOP_B32, rd(&c, spill, UOP_FILE_R, 1), imm(&c, spill, UOP_B32, 4), UOP_NONE);
    put(&c, spill, (struct uop){.kind = UOP_STORE, .space = UOP_LOCAL, .width = 4}, slot, rd(&c, spill, UOP_FILE_R, 4),
        UOP_NONE);
    struct uop_list *refill = insn(&c); /* 5 */
    slot = op(&c, refill, UOP_ADD, UOP_B32, rd(&c, refill, UOP_FILE_R, 1), imm(&c, refill, UOP_B32, 4), UOP_NONE);
    struct uop back = {.kind = UOP_LOAD, .type = UOP_B32, .space = UOP_LOCAL, .width = 4};
    wr(&c, refill, UOP_FILE_R, 5, put(&c, refill, back, slot, UOP_NONE, UOP_NONE));
    address_of(&c, 2, Y_OFFSET); /* 6 */
    store_from(&c, 2, 5);        /* 7 */
    leave(&c, insn(&c));         /* 8 */
    code_ready(&c);
    expect_line(&c, 0, MEAN_ROLE_STACK, "stack pointer - 16");
    expect_line(&c, 4, MEAN_ROLE_SPILL, "local[1] = x[threadIdx.x]");
    expect_line(&c, 5, MEAN_ROLE_REFILL, "local[1]");
    expect_line(&c, 7, MEAN_ROLE_STORE, "y[threadIdx.x] = x[threadIdx.x]");
    fixture_end(&c.f);
    (void)state;
}

/* What a register holds: halves, words of addresses made by two instructions, constants by their
 * reader. */
static void registers_hold(void **state)
{
    struct code c;
    code_begin(&c);
    special(&c, 0, UOP_SR_TID_X);  /* 0 */
    struct uop_list *l = insn(&c); /* 1: R4 = 4 * tid */
    wr(&c, l, UOP_FILE_R, 4, op(&c, l, UOP_SHL, UOP_B32, rd(&c, l, UOP_FILE_R, 0), imm(&c, l, UOP_B32, 2), UOP_NONE));
    l = insn(&c); /* 2: low word and carry */
    uint16_t low = rd(&c, l, UOP_FILE_R, 4), base = bank(&c, l, UOP_B32, X_OFFSET), no = imm(&c, l, UOP_B1, 0);
    wr(&c, l, UOP_FILE_R, 2, op(&c, l, UOP_ADD, UOP_B32, low, base, UOP_NONE));
    wr(&c, l, UOP_FILE_P, 0, put(&c, l, (struct uop){.kind = UOP_CARRY, .type = UOP_B1, .imm = 32}, low, base, no));
    l = insn(&c); /* 3: high word */
    uint16_t high = op(&c, l, UOP_ADDC, UOP_B32, imm(&c, l, UOP_B32, 0), bank(&c, l, UOP_B32, X_OFFSET + 4),
                       rd(&c, l, UOP_FILE_P, 0));
    wr(&c, l, UOP_FILE_R, 3, high);
    load_to(&c, 5, 2);    /* 4 */
    store_from(&c, 2, 5); /* 5 */
    leave(&c, insn(&c));  /* 6 */
    code_ready(&c);
    unsigned part = 9;
    const struct graph_insn *words = c.f.g.insns.p;
    expect_line(&c, 1, MEAN_ROLE_ADDRESS, "4 * threadIdx.x");
    expect_line(&c, 2, MEAN_ROLE_ADDRESS, "&x[threadIdx.x]");
    expect_line(&c, 3, MEAN_ROLE_ADDRESS, "&x[threadIdx.x]");
    assert_string_equal(mean_holds(&c.f.m, words[2].first_def, &part), "&x[threadIdx.x]");
    assert_int_equal(part, 1);
    assert_string_equal(mean_holds(&c.f.m, words[3].first_def, &part), "&x[threadIdx.x]");
    assert_int_equal(part, 2);
    assert_string_equal(mean_holds(&c.f.m, words[4].first_def, &part), "x[threadIdx.x]");
    assert_int_equal(part, 0);
    fixture_end(&c.f);
    (void)state;
}

/* Next to an instruction without a meaning nothing is said to be unused, dead, or done only to leave. */
static void beside_the_unknown(void **state)
{
    struct code c;
    code_begin(&c);
    special(&c, 0, UOP_SR_CTAID_X); /* 0 */
    special(&c, 1, UOP_SR_TID_X);   /* 1 */
    index_of(&c);                   /* 2 */
    beyond(&c);                     /* 3 */
    leave(&c, under(&c, 0, false)); /* 4 */
    insn(&c)->unknown = true;       /* 5 */
    address_of(&c, 2, X_OFFSET);    /* 6 */
    load_to(&c, 4, 2);              /* 7 */
    struct uop_list *l = insn(&c);  /* 8 */
    uint16_t value = rd(&c, l, UOP_FILE_R, 4);
    wr(&c, l, UOP_FILE_R, 9, op(&c, l, UOP_FADD, UOP_F32, value, value, UOP_NONE));
    leave(&c, insn(&c)); /* 9 */
    code_ready(&c);
    expect_line(&c, 3, MEAN_ROLE_COMPARE, "i >= n");
    expect_line(&c, 5, MEAN_ROLE_UNKNOWN, NULL);
    assert_int_equal(c.roles[8], MEAN_ROLE_COMPUTE);
    assert_int_equal(mean_param_access(&c.f.m, 0), MEAN_ACCESS_UNKNOWN);
    assert_int_equal(mean_param_access(&c.f.m, 1), MEAN_ACCESS_UNKNOWN);
    assert_int_equal(mean_param_access(&c.f.m, 2), MEAN_ACCESS_UNKNOWN);
    assert_int_equal(mean_param_access(&c.f.m, 4), MEAN_READ);
    fixture_end(&c.f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guarded_elementwise), cmocka_unit_test(branch_round_the_work),
        cmocka_unit_test(counting_loop),       cmocka_unit_test(spill_and_refill),
        cmocka_unit_test(registers_hold),      cmocka_unit_test(beside_the_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
