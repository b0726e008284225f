/* Loads and stores as nodes: the space of a generic address where it is seen, the store a load is proved to read, words
 * of wide accesses, 64-bit values stored as two words.
 *
 * requires: addresses and values as nodes · gives: accesses */
#include "graph/graph_values.h"

#include <string.h>

enum { DOUBLES = 8, DOUBLE_STEPS = 24 };

/* The 32-bit address of a generic one in a window of which low words are taken apart. */
static graph_id within_window(struct graph *g, graph_id address, graph_id window)
{
    return graph_op2(g, UOP_ADD, UOP_B32, graph_op1(g, UOP_LO, UOP_B32, address),
                     graph_op1(g, UOP_NEG, UOP_B32, graph_op1(g, UOP_LO, UOP_B32, window)));
}

/* A generic address that is seen to lie in one space: a pointer parameter, the shared window over a 32-bit shared
 * address, or the local window over a 32-bit local address. */
static void resolve_generic(struct graph *g, uint8_t *space, graph_id *address)
{
    struct graph_affine f;
    if (*space != UOP_GENERIC || !graph_affine(g, *address, &f))
        return;
    if (f.base != GRAPH_NIL && graph_at(g, f.base)->imm >= g->env->param_base) {
        *space = UOP_GLOBAL;
        return;
    }
    for (unsigned i = 0; i < f.term_count && f.base == GRAPH_NIL; i++) {
        const struct graph_node *n = graph_at(g, f.terms[i].term);
        bool window = n->kind == UOP_CBANK && n->type == UOP_B64 && g->env->shared_window && n->space == 0 &&
                      n->imm == g->env->shared_window;
        bool high = n->kind == UOP_PAIR && graph_at(g, n->arg[1])->kind == UOP_SREG &&
                    graph_at(g, n->arg[1])->imm == UOP_SR_SWINHI;
        if (f.terms[i].coefficient != 1 || f.terms[i].extend || (!window && !high))
            continue;
        *space = UOP_SHARED;
        *address = window ? within_window(g, *address, f.terms[i].term) : graph_op1(g, UOP_LO, UOP_B32, *address);
        return;
    }
    for (unsigned i = 0; i < f.term_count && f.base == GRAPH_NIL; i++) {
        const struct graph_node *window = graph_at(g, f.terms[i].term);
        if (window->kind != UOP_CBANK || window->type != UOP_B64 || !g->env->local_window || window->space ||
            window->imm != g->env->local_window || f.terms[i].coefficient != 1 || f.terms[i].extend)
            continue;
        *space = UOP_LOCAL;
        *address =
            f.term_count == 2 && f.terms[1 - i].coefficient == 1 && f.terms[1 - i].extend == 2
                ? graph_op2(g, UOP_ADD, UOP_B32, f.terms[1 - i].term, graph_const(g, UOP_B32, (uint64_t)f.offset))
                : within_window(g, *address, f.terms[i].term);
        return;
    }
}

graph_id graph_within(struct graph *g, const struct uop *u, graph_id address)
{
    uint8_t space = UOP_GENERIC;
    graph_id at = address;
    resolve_generic(g, &space, &at);
    if (space != UOP_GENERIC)
        return graph_const(g, UOP_B1, space == u->space);
    struct graph_node n = {
        .kind = UOP_WITHIN, .type = UOP_B1, .space = u->space, .arg_count = 1, .arg = {address}, .insn = UINT32_MAX};
    return graph_intern(g, &n);
}

graph_id graph_load(struct graph_builder *b, struct graph_work *w, const struct uop *u, const graph_id *args)
{
    struct graph *g = b->g;
    struct graph_access access = {.insn = w->insn,
                                  .kind = GRAPH_LOAD,
                                  .space = u->space,
                                  .order = u->order,
                                  .width = u->width,
                                  .address = args[0],
                                  .runs_when = w->under,
                                  .from_store = -1,
                                  .part = b->parts[w->insn]};
    resolve_generic(g, &access.space, &access.address);
    if (b->kept[w->insn].count) {
        graph_fetch_words(b, w, &access);
        VEC_PUSH(g->a, g->accesses, access);
        return access.result;
    }
    graph_memory_load(g, &b->memory, *w->memory, &access);
    struct graph_node n = {.kind = UOP_LOAD,
                           .type = u->type,
                           .flags = u->flags,
                           .space = access.space,
                           .order = u->order,
                           .width = u->width,
                           .arg_count = 1,
                           .imm = access.version,
                           .insn = UINT32_MAX};
    n.arg[0] = access.address;
    if (access.from_store >= 0) {
        const struct graph_access *s = &g->accesses.p[access.from_store];
        access.result = s->value[0]; /* ELEMENT takes the other words of a wide one from the store */
        if (u->width == 8 && s->value[1] != GRAPH_NIL)
            access.result = graph_op2(g, UOP_PAIR, UOP_B64, s->value[0], s->value[1]);
    } else {
        bool once = u->order == UOP_RELAXED_CTA || u->order == UOP_RELAXED_GPU || u->order == UOP_RELAXED_SYS ||
                    u->order == UOP_MMIO || access.version != 0;
        if (once && access.version == 0)
            n.insn = w->insn; /* a volatile read is a value of its own */
        access.result = n.insn == UINT32_MAX ? graph_intern(g, &n) : graph_fresh(g, &n);
    }
    for (unsigned i = 0; i < u->width / 4u && i < 4; i++)
        access.value[i] = GRAPH_NIL;
    access.value[0] = access.result;
    VEC_PUSH(g->a, g->accesses, access);
    return access.result;
}

graph_id graph_load_element(struct graph_builder *b, const struct uop *u, const graph_id *args)
{
    struct graph *g = b->g;
    struct graph_access *access = g->accesses.n ? &g->accesses.p[g->accesses.n - 1] : NULL;
    if (access && access->kind == GRAPH_LOAD && access->result == args[0] && u->imm < 4) {
        if (b->kept[access->insn].count == 2 && u->imm < 2)
            return graph_op1(g, u->imm ? UOP_HI : UOP_LO, UOP_B32, args[0]);
        if (b->kept[access->insn].count > u->imm)
            return access->value[u->imm];
        if (access->from_store >= 0) {
            const struct graph_access *s = &g->accesses.p[access->from_store];
            if (uop_type_bits((enum uop_type)graph_at(g, s->value[0])->type) != 64)
                return s->value[u->imm];
            return graph_op1(g, u->imm & 1 ? UOP_HI : UOP_LO, UOP_B32, s->value[u->imm / 2]);
        }
        struct graph_node n = {.kind = UOP_ELEMENT, .type = UOP_B32, .arg_count = 1, .imm = u->imm, .insn = UINT32_MAX};
        n.arg[0] = args[0];
        access->value[u->imm] = graph_intern(g, &n);
        return access->value[u->imm];
    }
    struct graph_node n = {.kind = UOP_ELEMENT, .type = UOP_B32, .arg_count = 1, .imm = u->imm, .insn = UINT32_MAX};
    n.arg[0] = args[0];
    return graph_intern(g, &n);
}

/* The numbers of double precision whose halves a word is put together of: chosen, met, bits taken of several. */
static unsigned doubles_of(const struct graph *g, graph_id word, unsigned half, graph_id found[DOUBLES])
{
    graph_id stack[DOUBLE_STEPS] = {word}, seen[DOUBLE_STEPS] = {word};
    unsigned depth = 1, known = 1, count = 0;
    while (depth && count < DOUBLES) {
        const struct graph_node *n = graph_at(g, stack[--depth]);
        bool phi = n->kind == GRAPH_PHI && !n->imm;
        bool scaled = n->kind == UOP_ADD && half == UOP_HI; /* added to its exponent */
        if (n->kind == half && graph_at(g, n->arg[0])->type == UOP_F64) {
            found[count++] = n->arg[0];
            continue;
        }
        if (!phi && !scaled && n->kind != UOP_SELECT && n->kind != UOP_AND && n->kind != UOP_OR && n->kind != UOP_XOR &&
            n->kind != UOP_LOP3)
            continue;
        for (uint32_t i = n->kind == UOP_SELECT; i < (phi ? n->phi_count : n->arg_count); i++) {
            graph_id arg = phi ? n->phi_args[i] : n->arg[i];
            bool again = graph_at(g, arg)->type == UOP_B1;
            for (unsigned k = 0; k < known && !again; k++)
                again = seen[k] == arg;
            if (!again && known < DOUBLE_STEPS)
                stack[depth++] = seen[known++] = arg;
        }
    }
    return count;
}

/* Two words that hold halves of one number of double precision, each in its place, are one number, even where they are
 * chosen apart: a sign put into the high word, an exponent moved there, a low word that is zero where there is no
 * number. */
static bool is_double(const struct graph *g, graph_id low, graph_id high)
{
    graph_id l[DOUBLES], h[DOUBLES];
    unsigned low_count = doubles_of(g, low, UOP_LO, l), high_count = low_count ? doubles_of(g, high, UOP_HI, h) : 0;
    for (unsigned i = 0; i < low_count; i++)
        for (unsigned k = 0; k < high_count; k++)
            if (l[i] == h[k])
                return true;
    return false;
}

/* Words that are halves of 64-bit values are stored as those: all of them, or none. */
static void join_words(struct graph_builder *b, const struct uop_list *l, const struct uop *u, const graph_id *args,
                       struct graph_access *access)
{
    struct graph *g = b->g;
    graph_id whole[2] = {GRAPH_NIL, GRAPH_NIL};
    unsigned pairs = u->width / 8u;
    for (unsigned k = 0; k < pairs; k++) {
        if (uop_type_bits((enum uop_type)graph_at(g, args[1 + 2 * k])->type) != 32)
            return;
        if (graph_is_loop_phi(g, args[1 + 2 * k]) && graph_is_loop_phi(g, args[2 + 2 * k]))
            return; /* stored side by side: no sign that they are one value */
        whole[k] = graph_op2(g, UOP_PAIR, UOP_B64, args[1 + 2 * k], args[2 + 2 * k]);
        if (graph_at(g, whole[k])->kind == UOP_PAIR && !is_double(g, args[1 + 2 * k], args[2 + 2 * k]))
            return;
    }
    for (unsigned k = 0; k < 4; k++)
        access->value[k] = k < pairs ? whole[k] : GRAPH_NIL;
    for (unsigned k = 0; k < pairs; k++)
        graph_note_pair(b, l, u->arg[1 + 2 * k], u->arg[2 + 2 * k], whole[k]);
}

void graph_store(struct graph_builder *b, struct graph_work *w, const struct uop_list *l, const struct uop *u,
                 const graph_id *args, unsigned count)
{
    struct graph *g = b->g;
    struct graph_access access = {.insn = w->insn,
                                  .kind = u->kind == UOP_STORE ? GRAPH_STORE : GRAPH_ATOMIC,
                                  .space = u->space,
                                  .order = u->order,
                                  .width = u->width,
                                  .address = args[0],
                                  .runs_when = w->under,
                                  .from_store = -1,
                                  .part = b->parts[w->insn]};
    resolve_generic(g, &access.space, &access.address);
    /* An atomic operation's operand, and what a compare-and-swap puts there; the rest is how memory is reached. */
    unsigned values = u->kind == UOP_STORE ? 4 : u->kind == UOP_ATOM && u->imm == UOP_ATOM_CAS ? 2 : 1;
    for (unsigned i = 1; i < count && i <= values; i++)
        access.value[i - 1] = args[i];
    if (u->kind == UOP_STORE && (u->width == 8 || u->width == 16) && count > u->width / 4u)
        join_words(b, l, u, args, &access);
    uint32_t index = (uint32_t)g->accesses.n;
    VEC_PUSH(g->a, g->accesses, access);
    if (b->kept[w->insn].count)
        graph_keep_words(b, w, index, args + 1);
    *w->memory = graph_memory_store(g, &b->memory, *w->memory, index);
}
