/* A small kernel environment for meaning/ tests: clamp's parameters on sm_86, and graphs made by
 * hand. */
#ifndef TEST_MEAN_FIXTURE_H
#define TEST_MEAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "meaning/mean.h"

enum { X_OFFSET = 0x160, Y_OFFSET = 0x168, LO_OFFSET = 0x170, HI_OFFSET = 0x174, N_OFFSET = 0x178, W_OFFSET = 0x17c };

static const struct mean_param fixture_params[] = {
    {0, 0, X_OFFSET, 8, "x", true, "float const*"}, {1, 8, Y_OFFSET, 8, "y", true, "float*"},
    {2, 16, LO_OFFSET, 4, "lo", true, "float"},     {3, 20, HI_OFFSET, 4, "hi", true, "float"},
    {4, 24, N_OFFSET, 4, "n", true, "int"},         {5, 28, W_OFFSET, 4, "w", true, "int"},
};
enum { FIXTURE_PARAMS = sizeof fixture_params / sizeof fixture_params[0] };

struct fixture {
    struct arena a;
    struct graph_env env;
    struct graph g;
    struct mean m;
};

static inline void fixture_begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->a, 0);
    f->env = (struct graph_env){
        .sm = 86, .param_base = 0x160, .param_bytes = 32, .stack_offset = 0x28, .descriptor_offset = 0x118};
    graph_init(&f->g, &f->a, &f->env);
}

static inline graph_id param64(struct fixture *f, uint32_t offset)
{
    return graph_cbank(&f->g, UOP_B64, 0, offset);
}
static inline graph_id param32(struct fixture *f, uint32_t offset)
{
    return graph_cbank(&f->g, UOP_B32, 0, offset);
}
static inline graph_id int32(struct fixture *f, int32_t v)
{
    return graph_const(&f->g, UOP_B32, (uint32_t)v);
}
static inline graph_id float32(struct fixture *f, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return graph_const(&f->g, UOP_F32, bits);
}
static inline graph_id add(struct fixture *f, graph_id a, graph_id b)
{
    return graph_op2(&f->g, UOP_ADD, UOP_B32, a, b);
}
static inline graph_id mul(struct fixture *f, graph_id a, graph_id b)
{
    return graph_op2(&f->g, UOP_MUL, UOP_B32, a, b);
}
/* blockIdx.D * blockDim.D + threadIdx.D */
static inline graph_id linear(struct fixture *f, unsigned dim)
{
    graph_id block = graph_sreg(&f->g, UOP_SR_CTAID_X + dim), size = graph_sreg(&f->g, UOP_SR_NTID_X + dim);
    return add(f, mul(f, block, size), graph_sreg(&f->g, UOP_SR_TID_X + dim));
}
/* base + extend(index) * bytes + offset */
static inline graph_id element(struct fixture *f, uint32_t base, enum uop_kind extend, graph_id index, int64_t bytes,
                               int64_t offset)
{
    graph_id wide = graph_op1(&f->g, extend, UOP_B64, index);
    graph_id scaled = graph_op2(&f->g, UOP_MUL, UOP_B64, wide, graph_const(&f->g, UOP_B64, (uint64_t)bytes));
    graph_id sum = graph_op2(&f->g, UOP_ADD, UOP_B64, scaled, param64(f, base));
    return graph_op2(&f->g, UOP_ADD, UOP_B64, sum, graph_const(&f->g, UOP_B64, (uint64_t)offset));
}
static inline graph_id load(struct fixture *f, graph_id address, enum uop_space space, unsigned width)
{
    enum uop_type type = width == 8 ? UOP_B64 : width == 16 ? UOP_B128 : UOP_B32;
    struct graph_node n = {.kind = UOP_LOAD,
                           .type = (uint8_t)type,
                           .space = (uint8_t)space,
                           .width = (uint8_t)width,
                           .arg_count = 1,
                           .arg = {address},
                           .insn = 0};
    graph_id id = graph_fresh(&f->g, &n);
    struct graph_access x = {.kind = GRAPH_LOAD,
                             .space = (uint8_t)space,
                             .width = (uint8_t)width,
                             .address = address,
                             .value = {id},
                             .result = id,
                             .from_store = -1};
    VEC_PUSH(&f->a, f->g.accesses, x);
    return id;
}
static inline void store(struct fixture *f, graph_id address, enum uop_space space, unsigned width, graph_id value)
{
    struct graph_access x = {.kind = GRAPH_STORE,
                             .space = (uint8_t)space,
                             .width = (uint8_t)width,
                             .address = address,
                             .value = {value},
                             .from_store = -1};
    VEC_PUSH(&f->a, f->g.accesses, x);
}
static inline void fixture_ready(struct fixture *f, const struct mean_param *params, uint32_t count)
{
    graph_index_users(&f->g);
    assert_int_equal(mean_init(&f->m, &f->a, &f->g, params, count), SP_OK);
}
static inline void fixture_end(struct fixture *f)
{
    assert_false(arena_failed(&f->a));
    arena_free(&f->a);
}
static inline graph_id compare(struct fixture *f, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b,
                               unsigned flags)
{
    struct uop like = {.kind = (uint8_t)kind,
                       .type = (uint8_t)type,
                       .flags = (uint8_t)flags,
                       .imm = type == UOP_B1 ? uop_type_bits((enum uop_type)graph_at(&f->g, a)->type) : 0};
    return graph_pure(&f->g, &like, (graph_id[]){a, b}, 2);
}

#endif
