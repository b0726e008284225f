/* Test support: instruction texts -> graph, and values as text that does not depend on node numbers. */
#ifndef SP_TEST_GRAPH_CODE_H
#define SP_TEST_GRAPH_CODE_H

#include "base/str.h"
#include "graph/graph.h"
#include "uop/uop_lift.h"
#include "uop/uop_spelling.h"

#include <inttypes.h>
#include <stdio.h>

/* An empty line is a hole: nothing stands there. */
static inline struct graph *code_graph(struct arena *a, unsigned sm, const char *const *lines, uint32_t count,
                                       const struct graph_env *env)
{
    uint32_t n = 0;
    struct graph *g = ARENA_NEW(a, struct graph);
    struct graph_input_insn *in = ARENA_ARRAY(a, struct graph_input_insn, count);
    struct uop_lift_context context = {.sm = sm, .a = a};
    struct diag_sink *diags = ARENA_NEW(a, struct diag_sink);
    diag_init(diags, a);
    for (uint32_t i = 0; i < count; i++) {
        struct isa_insn insn;
        struct uop_list *list = ARENA_NEW(a, struct uop_list);
        const char *bad = NULL;
        if (!lines[i][0])
            continue;
        if (!uop_parse_spelling(sm, lines[i], 16 * i, &insn, &bad))
            fail_msg("cannot read \"%s\" at \"%s\"", lines[i], bad ? bad : "");
        insn.offset = 16 * i;
        if (uop_lift(&context, &insn, list) != SP_OK)
            fail_msg("no meaning for \"%s\"", lines[i]);
        in[n++] = (struct graph_input_insn){.offset = 16 * i, .uops = list};
    }
    struct graph_input input = {.insns = in, .count = n, .env = env};
    assert_int_equal(graph_build(a, &input, diags, g), SP_OK);
    return g;
}

static inline void value_text_to(struct strbuf *b, const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (depth > 24) {
        str_add(b, "...");
        return;
    }
    switch (n->kind) {
    case UOP_CONST: str_addf(b, "%" PRIu64, n->imm); return;
    case UOP_SREG: str_add(b, uop_sreg_text((unsigned)n->imm)); return;
    case UOP_CBANK:
        if (!n->arg_count) {
            str_addf(b, "c%u[0x%" PRIx64 "].%u", n->space, n->imm, uop_type_bits((enum uop_type)n->type));
            return;
        }
        break;
    case GRAPH_ENTRY: str_addf(b, "entry%" PRIu64, n->imm); return;
    case GRAPH_PHI: str_add(b, "phi"); return;
    default: break;
    }
    str_addf(b, "(%s",
             n->kind == GRAPH_BOOL     ? "bool"
             : n->kind == GRAPH_RESULT ? "result"
                                       : uop_kind_text((enum uop_kind)n->kind));
    if (n->kind == GRAPH_BOOL || n->kind == UOP_SEXT || n->kind == UOP_ZEXT || n->kind == UOP_IEQ ||
        n->kind == UOP_ILT_S || n->kind == UOP_ILT_U)
        str_addf(b, ":%" PRIx64, n->imm);
    for (unsigned i = 0; i < n->arg_count; i++) {
        str_add(b, " ");
        value_text_to(b, g, n->arg[i], depth + 1);
    }
    str_add(b, ")");
}

static inline const char *value_text(struct arena *a, const struct graph *g, graph_id id)
{
    struct strbuf b;
    if (id == GRAPH_NIL)
        return "always";
    str_init(&b, a);
    value_text_to(&b, g, id, 0);
    return b.p;
}

/* The n-th store of the kernel. */
static inline const struct graph_access *nth_store(const struct graph *g, unsigned n)
{
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->accesses.p[i].kind == GRAPH_STORE && n-- == 0)
            return &g->accesses.p[i];
    fail_msg("no such store");
    return NULL;
}

static inline const struct graph_access *nth_load(const struct graph *g, unsigned n)
{
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->accesses.p[i].kind == GRAPH_LOAD && n-- == 0)
            return &g->accesses.p[i];
    fail_msg("no such load");
    return NULL;
}

#define CODE(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

/* Constant bank 0 of sm_86 and of sm_120, four pointer-sized parameters. */
static const struct graph_sreg_word words_86[] = {{0x0, UOP_SR_NTID_X}, {0x4, UOP_SR_NTID_Y}, {0xc, UOP_SR_NCTAID_X}};
static const struct graph_env env_86 = {.sm = 86,
                                        .param_base = 0x160,
                                        .param_bytes = 32,
                                        .stack_offset = 0x28,
                                        .descriptor_offset = 0x118,
                                        .words = words_86,
                                        .word_count = 3};
static const struct graph_sreg_word words_120[] = {{0x360, UOP_SR_NTID_X}, {0x370, UOP_SR_NCTAID_X}};
static const struct graph_env env_120 = {.sm = 120,
                                         .param_base = 0x380,
                                         .param_bytes = 32,
                                         .stack_offset = 0x37c,
                                         .descriptor_offset = 0x358,
                                         .words = words_120,
                                         .word_count = 2};

#endif
