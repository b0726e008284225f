/* Small kernels written as micro-operations, instruction by instruction, taken through the graph and the
 * reader of meanings to the matcher. Registers R, predicates P; offsets grow by 16. Parameters as
 * clamp_f32 on sm_86 has them. */
#ifndef TEST_PAT_FIXTURE_H
#define TEST_PAT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "pattern/pat.h"

enum { X_AT = 0x160, Y_AT = 0x168, LO_AT = 0x170, HI_AT = 0x174, N_AT = 0x178, NTID_AT = 0, NTID_Y_AT = 4 };

static const struct mean_param kernel_params[] = {
    {0, 0, X_AT, 8, "x", true, "float const*"}, {1, 8, Y_AT, 8, "y", true, "float*"},
    {2, 16, LO_AT, 4, "lo", true, "float"},     {3, 20, HI_AT, 4, "hi", true, "float"},
    {4, 24, N_AT, 4, "n", true, "int"},
};

struct kernel {
    struct arena a;
    struct diag_sink diags;
    struct graph_env env;
    struct graph_sreg_word words[2];
    VEC(struct graph_input_insn) insns;
    struct uop_list *now;
    struct graph g;
    struct mean m;
    struct pat_library *lib;
    struct pat_result result;
};

static inline void kernel_begin(struct kernel *k)
{
    memset(k, 0, sizeof *k);
    arena_init(&k->a, 0);
    diag_init(&k->diags, &k->a);
    k->words[0] = (struct graph_sreg_word){NTID_AT, UOP_SR_NTID_X};
    k->words[1] = (struct graph_sreg_word){NTID_Y_AT, UOP_SR_NTID_Y};
    k->env = (struct graph_env){.sm = 86,
                                .param_base = 0x160,
                                .param_bytes = 28,
                                .stack_offset = 0x28,
                                .descriptor_offset = 0x118,
                                .words = k->words,
                                .word_count = 2};
    k->lib = pat_library_new(&k->a);
}

static inline void kernel_end(struct kernel *k)
{
    assert_false(arena_failed(&k->a));
    arena_free(&k->a);
}

/* ---- writing instructions -------------------------------------------------------------------- */

static inline uint32_t insn(struct kernel *k)
{
    k->now = ARENA_NEW(&k->a, struct uop_list);
    k->now->guard = UOP_NONE;
    uint32_t offset = (uint32_t)k->insns.n * 16;
    VEC_PUSH(&k->a, k->insns, (struct graph_input_insn){offset, k->now});
    return offset;
}

static inline uint16_t put(struct kernel *k, struct uop u)
{
    VEC_PUSH(&k->a, k->now->ops, u);
    return (uint16_t)(k->now->ops.n - 1);
}

#define NO_ARGS                                          \
    {                                                    \
        UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE \
    }

static inline uint16_t op(struct kernel *k, enum uop_kind kind, enum uop_type type, unsigned flags, uint16_t a,
                          uint16_t b, uint16_t c)
{
    struct uop u = {
        .kind = (uint8_t)kind, .type = (uint8_t)type, .flags = (uint8_t)flags, .arg = {a, b, c, UOP_NONE, UOP_NONE}};
    bool whole = kind == UOP_IEQ || kind == UOP_ILT_S || kind == UOP_ILT_U || kind == UOP_SEXT || kind == UOP_ZEXT;
    u.imm = whole ? 32 : 0;
    if (whole && type == UOP_VOID)
        u.type = UOP_B1;
    return put(k, u);
}
static inline uint16_t R(struct kernel *k, unsigned reg)
{
    return put(
        k, (struct uop){.kind = UOP_READ, .type = UOP_B32, .file = UOP_FILE_R, .reg = (uint16_t)reg, .arg = NO_ARGS});
}
static inline uint16_t P(struct kernel *k, unsigned reg)
{
    return put(
        k, (struct uop){.kind = UOP_READ, .type = UOP_B1, .file = UOP_FILE_P, .reg = (uint16_t)reg, .arg = NO_ARGS});
}
static inline uint16_t not_P(struct kernel *k, unsigned reg)
{
    return op(k, UOP_NOT, UOP_B1, 0, P(k, reg), UOP_NONE, UOP_NONE);
}
static inline uint16_t R64(struct kernel *k, unsigned reg)
{
    uint16_t lo = R(k, reg), hi = R(k, reg + 1);
    return op(k, UOP_PAIR, UOP_B64, 0, lo, hi, UOP_NONE);
}
static inline void set(struct kernel *k, unsigned reg, uint16_t v)
{
    put(k, (struct uop){.kind = UOP_WRITE,
                        .type = UOP_B32,
                        .file = UOP_FILE_R,
                        .reg = (uint16_t)reg,
                        .arg = {v, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}});
}
static inline void set_P(struct kernel *k, unsigned reg, uint16_t v)
{
    put(k, (struct uop){.kind = UOP_WRITE,
                        .type = UOP_B1,
                        .file = UOP_FILE_P,
                        .reg = (uint16_t)reg,
                        .arg = {v, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}});
}
static inline void set64(struct kernel *k, unsigned reg, uint16_t v)
{
    set(k, reg, op(k, UOP_LO, UOP_B32, 0, v, UOP_NONE, UOP_NONE));
    set(k, reg + 1, op(k, UOP_HI, UOP_B32, 0, v, UOP_NONE, UOP_NONE));
}
static inline uint16_t C(struct kernel *k, uint32_t bits)
{
    return put(k, (struct uop){.kind = UOP_CONST, .type = UOP_B32, .arg = NO_ARGS, .imm = bits});
}
static inline uint16_t F(struct kernel *k, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return C(k, bits);
}
static inline uint16_t bank(struct kernel *k, enum uop_type type, uint32_t offset)
{
    return put(k, (struct uop){.kind = UOP_CBANK, .type = (uint8_t)type, .arg = NO_ARGS, .imm = offset});
}
static inline void special(struct kernel *k, unsigned reg, unsigned sreg)
{
    insn(k);
    set(k, reg, put(k, (struct uop){.kind = UOP_SREG, .type = UOP_B32, .arg = NO_ARGS, .imm = sreg}));
}
static inline uint32_t leave(struct kernel *k)
{
    uint32_t at = insn(k);
    put(k, (struct uop){.kind = UOP_EXIT, .arg = NO_ARGS});
    return at;
}

/* The skeleton of a kernel on one axis: R4 = i, leaves when i >= n; 0x00 to 0x50. */
static inline void skeleton(struct kernel *k)
{
    insn(k); /* 0x00 */
    set(k, 1, bank(k, UOP_B32, 0x28));
    special(k, 4, UOP_SR_CTAID_X); /* 0x10 */
    special(k, 3, UOP_SR_TID_X);   /* 0x20 */
    insn(k);                       /* 0x30 */
    uint16_t product = op(k, UOP_MUL, UOP_B32, 0, R(k, 4), bank(k, UOP_B32, NTID_AT), UOP_NONE);
    set(k, 4, op(k, UOP_ADD, UOP_B32, 0, product, R(k, 3), UOP_NONE));
    insn(k); /* 0x40 */
    set_P(k, 0,
          op(k, UOP_NOT, UOP_B1, 0, op(k, UOP_ILT_S, UOP_B1, 0, R(k, 4), bank(k, UOP_B32, N_AT), UOP_NONE), UOP_NONE,
             UOP_NONE));
    leave(k); /* 0x50 */
    k->now->guard = P(k, 0);
}

static inline void element_address(struct kernel *k, unsigned to, unsigned index, unsigned size, uint32_t base)
{
    insn(k);
    uint16_t i = op(k, UOP_SEXT, UOP_B64, 0, R(k, index), UOP_NONE, UOP_NONE);
    uint16_t s = op(k, UOP_SEXT, UOP_B64, 0, R(k, size), UOP_NONE, UOP_NONE);
    uint16_t product = op(k, UOP_MUL, UOP_B64, 0, i, s, UOP_NONE);
    set64(k, to, op(k, UOP_ADD, UOP_B64, 0, product, bank(k, UOP_B64, base), UOP_NONE));
}

static inline void load(struct kernel *k, unsigned to, unsigned address, enum uop_order order)
{
    insn(k);
    uint16_t a = R64(k, address);
    set(k, to,
        put(k, (struct uop){.kind = UOP_LOAD,
                            .type = UOP_B32,
                            .space = UOP_GLOBAL,
                            .order = (uint8_t)order,
                            .width = 4,
                            .arg = {a, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}}));
}

static inline void store(struct kernel *k, unsigned address, unsigned value)
{
    insn(k);
    uint16_t a = R64(k, address), v = R(k, value);
    put(k, (struct uop){.kind = UOP_STORE,
                        .type = UOP_VOID,
                        .space = UOP_GLOBAL,
                        .width = 4,
                        .arg = {a, v, UOP_NONE, UOP_NONE, UOP_NONE}});
}

/* skeleton, R2 = x[i]; 0x60 to 0xa0. */
static inline void skeleton_load(struct kernel *k)
{
    skeleton(k);
    insn(k); /* 0x60 */
    set(k, 5, C(k, 4));
    insn(k); /* 0x70: the descriptor */
    set(k, 8, bank(k, UOP_B32, 0x118));
    element_address(k, 2, 4, 5, X_AT); /* 0x80 */
    load(k, 2, 2, UOP_READONLY);       /* 0x90 */
    element_address(k, 4, 4, 5, Y_AT); /* 0xa0 */
}

/* P(to) = a < b as a float compare; `negated`: the unordered complement. */
static inline void float_less(struct kernel *k, unsigned to, unsigned flags, uint16_t a, uint16_t b, bool negated)
{
    uint16_t c = op(k, UOP_FLT, UOP_F32, flags, a, b, UOP_NONE);
    set_P(k, to, negated ? op(k, UOP_NOT, UOP_B1, 0, c, UOP_NONE, UOP_NONE) : c);
}

/* ---- running --------------------------------------------------------------------------------- */

static inline char *read_text(struct arena *a, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = arena_alloc(a, 1 << 16);
    *size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

static inline void add_page(struct kernel *k, const char *name)
{
    size_t size;
    const char *path = arena_printf(&k->a, "%s/patterns/%s", SP_SOURCE_DIR, name);
    const char *text = read_text(&k->a, path, &size);
    assert_int_equal(pat_library_add(k->lib, name, text, size, &k->diags), SP_OK);
}

static inline void add_all_pages(struct kernel *k)
{
    size_t count;
    const struct pat_page_text *pages = pat_embedded_pages(&count);
    for (size_t i = 0; i < count; i++) {
        enum sp_status status = pat_library_add(k->lib, pages[i].name, pages[i].text, pages[i].size, &k->diags);
        for (size_t d = 0; d < k->diags.list.n; d++)
            print_message("%s: %s\n", k->diags.list.p[d].section, k->diags.list.p[d].message);
        assert_int_equal(status, SP_OK);
    }
}

static inline void run(struct kernel *k)
{
    struct graph_input in = {k->insns.p, (uint32_t)k->insns.n, &k->env};
    assert_int_equal(graph_build(&k->a, &in, &k->diags, &k->g), SP_OK);
    assert_int_equal(mean_init(&k->m, &k->a, &k->g, kernel_params, sizeof kernel_params / sizeof kernel_params[0]),
                     SP_OK);
    assert_int_equal(pat_run(k->lib, &k->m, &k->a, &k->result), SP_OK);
}

/* One match a line: "clamp [176 192 208 224] ^8 x=x[i] lo=lo (compare-and-select = min/max)". */
static inline const char *show_match(struct kernel *k, const struct pat_match *x)
{
    struct strbuf b;
    str_init(&b, &k->a);
    str_addf(&b, "%s [", x->rule);
    for (size_t i = 0; i < x->insns.n; i++)
        str_addf(&b, "%s%x", i ? " " : "", k->g.insns.p[x->insns.p[i]].offset);
    str_add(&b, "]");
    if (x->parent >= 0)
        str_addf(&b, " ^%d", x->parent);
    for (size_t i = 0; i < x->bindings.n; i++) {
        const struct pat_binding *v = &x->bindings.p[i];
        if (v->kind == PAT_BIND_INT)
            str_addf(&b, " %s=%d", v->key, (int)v->number);
        else
            str_addf(&b, " %s=%s", v->key,
                     v->kind == PAT_BIND_TEXT ? v->text : mean_expr(&k->m, v->node, v->as, MEAN_INNER));
    }
    for (size_t i = 0; i < x->via.n; i++)
        str_addf(&b, " (%s)", x->via.p[i]);
    return b.p;
}

static inline const struct pat_match *find(struct kernel *k, const char *id)
{
    for (size_t i = 0; i < k->result.matches.n; i++)
        if (strcmp(k->result.matches.p[i].id, id) == 0)
            return &k->result.matches.p[i];
    return NULL;
}

static inline const char *shown(struct kernel *k, const char *id)
{
    const struct pat_match *x = find(k, id);
    return x ? show_match(k, x) : "none";
}

#endif
