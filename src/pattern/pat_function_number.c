/* Numbers as bits, for the search for functions of mathematics: how wide a value is and in which format, words of which
 * only the lower half is a number, and the samples that conditions within a function ask for.
 *
 * Requires a built graph and a cone; gives formats, bits and samples. Linear. */
#include "pattern/pat_function.h"

#include <string.h>

static uint64_t converted(enum uop_type from, enum uop_type to, uint64_t bits)
{
    struct uop op = {.kind = UOP_F2F, .type = (uint8_t)to, .imm = from};
    uint64_t out = 0;
    if (from != to)
        uop_eval(&op, &bits, &out);
    return from == to ? bits : out;
}

double pat_function_number(enum uop_type type, uint64_t bits)
{
    double d;
    bits = converted(type, UOP_F64, bits);
    memcpy(&d, &bits, sizeof d);
    return d;
}

uint64_t pat_function_bits(enum uop_type type, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return converted(UOP_F64, type, bits);
}

/* How many bits of a value are a number: a word may hold one of 16 bits. */
unsigned pat_function_width(const struct function_search *s, graph_id id)
{
    const struct graph_node *n = graph_at(s->g, id);
    if ((n->kind == UOP_LOAD && n->width == 2) || (id < s->x->count && s->narrow[id]))
        return 16;
    return uop_type_bits((enum uop_type)n->type);
}

/* Words of which nothing but the lower half is read. */
void pat_function_narrow(struct function_search *s)
{
    bool *stored = s->taken; /* as whole words; no function is found yet */
    for (size_t i = 0; i < s->g->accesses.n; i++) {
        const struct graph_access *access = &s->g->accesses.p[i];
        for (unsigned k = 0; k < 4 && access->kind != GRAPH_LOAD; k++) {
            graph_id value = access->value[k];
            if (value == GRAPH_NIL || value >= s->x->count)
                continue;
            bool half = access->kind == GRAPH_STORE && access->width == 2;
            s->narrow[value] |= half;
            stored[value] |= !half;
        }
    }
    for (graph_id id = 1; id < s->x->count; id++) {
        const struct graph_node *n = graph_at(s->g, id);
        uint32_t users = 0, halves = 0;
        bool low = n->type == UOP_B32 && !stored[id] && n->kind != UOP_LOAD;
        const graph_id *list = low ? graph_users(s->g, id, &users) : NULL;
        for (uint32_t i = 0; i < users && low; i++) {
            const struct graph_node *user = graph_at(s->g, list[i]);
            if (list[i] >= s->x->count || !s->x->live[list[i]])
                continue;
            low = user->kind == UOP_LO && uop_type_bits((enum uop_type)user->type) == 16;
            halves += low;
        }
        s->narrow[id] = low && (halves || s->narrow[id]);
    }
    memset(stored, 0, (s->x->count + 1) * sizeof stored[0]);
}

/* There are two formats of 16 bits: what is within the cone says which. */
enum uop_type pat_function_type(const struct function_search *s, graph_id root)
{
    unsigned bits = pat_function_width(s, root);
    if (bits != 16)
        return bits == 64 ? UOP_F64 : UOP_F32;
    for (uint32_t i = 0; i < s->cone.count; i++) {
        const struct graph_node *n = graph_at(s->g, s->cone.node[i]);
        enum uop_type type = n->kind == UOP_F2F && n->type == UOP_F32 ? (enum uop_type)n->imm : (enum uop_type)n->type;
        if (s->cone.node[i] != GRAPH_NIL && (type == UOP_F16 || type == UOP_BF16))
            return type;
    }
    return UOP_VOID;
}

/* A number that a condition within compares with, and its neighbours: there ways part. `next`: 8 for each node. */
bool pat_function_bound(const struct function_search *s, enum uop_type type, unsigned count, uint32_t *next,
                        double at[FUNCTION_ARGS])
{
    enum { EACH = 8 };
    for (; *next < s->cone.count * EACH; ++*next) {
        const struct graph_node *n = graph_at(s->g, s->cone.node[*next / EACH]);
        uint64_t bits;
        unsigned way = *next % EACH;
        bool compares = n->kind == UOP_FLT || n->kind == UOP_FLE || n->kind == UOP_FEQ || n->kind == UOP_FNE ||
                        n->kind == UOP_IEQ || n->kind == UOP_ILT_S || n->kind == UOP_ILT_U || n->kind == UOP_FMIN ||
                        n->kind == UOP_FMAX;
        if (!compares || n->arg_count != 2 || (way >= 6 && count == 1) ||
            (!graph_is_const(s->g, n->arg[1], &bits) && !graph_is_const(s->g, n->arg[0], &bits)))
            continue;
        unsigned width = uop_type_bits(graph_type_of(s->g, n->arg[0]));
        if (type == UOP_F64 && width == 32)
            bits <<= 32; /* of the high word */
        bool half = type == UOP_F16 || type == UOP_BF16;
        double up = type == UOP_F64 ? 1e-13 : half ? 1e-3 : 1e-5;
        double c = pat_function_number(half && width == 32 ? UOP_F32 : type, bits);
        const double around[] = {c, c * (1.0 + up), c * (1.0 - up)};
        at[0] = way < 6 ? around[way % 3] : 1.25;
        at[1] = way < 6 ? 1.25 : c;
        at[2] = at[3] = 0.625;
        if (way >= 3 && way != 6)
            at[way < 6 ? 0 : 1] *= -1.0;
        for (unsigned i = 0; i < FUNCTION_ARGS; i++)
            at[i] = pat_function_number(type, pat_function_bits(type, at[i]));
        ++*next;
        return true;
    }
    return false;
}
