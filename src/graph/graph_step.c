/* One instruction: its micro-operations become nodes under the instruction's guard, its results defs. A guarded def is
 * select(guard, new, older); a use under a guard reads what its guard and the path to it imply. What runs whatever the
 * guard says is what the guard itself is computed from.
 *
 * requires: the state of the registers before it · gives: defs, uses, accesses, the state behind it */
#include "graph/graph_values.h"

#include <string.h>

graph_id graph_fresh_result(struct graph_builder *b, const struct uop *u, const graph_id *args, unsigned count,
                            uint32_t insn)
{
    struct graph_node n = {.kind = u->kind,
                           .type = u->type,
                           .flags = u->flags,
                           .space = u->space,
                           .order = u->order,
                           .width = u->width,
                           .arg_count = (uint8_t)count,
                           .imm = u->imm,
                           .insn = insn};
    if (n.type == UOP_VOID)
        n.type = UOP_B32;
    memcpy(n.arg, args, count * sizeof n.arg[0]);
    return graph_fresh(b->g, &n);
}

bool graph_never_runs(const struct graph *g, const struct graph_insn *insn)
{
    uint64_t guard;
    return insn->guard != GRAPH_NIL && graph_is_const(g, insn->guard, &guard) && !guard;
}

static graph_id read_register(struct graph_builder *b, struct graph_work *w, const struct uop *u, graph_id under)
{
    struct graph *g = b->g;
    uint32_t v = graph_variable(b, u->file, u->reg);
    if (v == UINT32_MAX)
        return graph_const(g, (enum uop_type)u->type, 0);
    if (w->state[v].node == GRAPH_NIL)
        w->state[v].node = graph_entry_value(b, v);
    graph_id node = graph_assume(g, w->state[v].node, under);
    if (w->guarded) { /* path and guard may be too much for a table: what the guard alone says */
        node = graph_assume_within(g, node, under);
        node = graph_assume_within(g, node, g->insns.p[w->insn].guard);
    }
    struct graph_use use = {.insn = w->insn, .file = u->file, .reg = u->reg, .node = node};
    VEC_PUSH(g->a, g->uses, use);
    VEC_PUSH(&b->scratch, b->pending, (struct graph_pending_use){w->state[v].cell, under});
    return node;
}

void graph_note_pair(struct graph_builder *b, const struct uop_list *l, uint16_t lo, uint16_t hi, graph_id whole)
{
    if (lo >= l->ops.n || hi >= l->ops.n || l->ops.p[lo].kind != UOP_READ || l->ops.p[hi].kind != UOP_READ ||
        whole == GRAPH_NIL || graph_at(b->g, whole)->kind == UOP_PAIR || graph_at(b->g, whole)->kind == UOP_CONST)
        return;
    VEC_PUSH(&b->scratch, b->pairs, (struct graph_pair_use){b->reads[lo], b->reads[hi], whole});
}

static graph_id one_uop(struct graph_builder *b, struct graph_work *w, const struct uop_list *l, const struct uop *u,
                        graph_id under)
{
    struct graph *g = b->g;
    graph_id args[UOP_MAX_ARGS] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++) {
        if (u->arg[i] == UOP_NONE || u->arg[i] >= l->ops.n)
            continue;
        args[i] = b->results[u->arg[i]];
        count = i + 1;
    }
    for (unsigned i = 0; i < count; i++)
        if (args[i] == GRAPH_NIL)
            args[i] = graph_false(g);
    switch (u->kind) {
    case UOP_READ: b->reads[u - l->ops.p] = (uint32_t)g->uses.n; return read_register(b, w, u, under);
    case UOP_PAIR: {
        graph_id whole = graph_pure(g, u, args, 2);
        graph_note_pair(b, l, u->arg[0], u->arg[1], whole);
        if (graph_at(g, whole)->kind == UOP_PAIR && graph_is_loop_phi(g, args[0]) && graph_is_loop_phi(g, args[1]))
            VEC_PUSH(&b->scratch, b->read_pairs, (uint64_t)args[0] << 32 | args[1]);
        return whole;
    }
    case UOP_SREG:
        if (u->imm == UOP_SR_CLOCK_LO || u->imm == UOP_SR_CLOCK_HI || u->imm == UOP_SR_GLOBALTIMER_LO ||
            u->imm == UOP_SR_GLOBALTIMER_HI || u->imm >= UOP_SR_OTHER) /* of others nobody says that they stay */
            return graph_fresh_result(b, u, args, 0, w->insn);
        return graph_sreg(g, (unsigned)u->imm);
    case UOP_CBANK: {
        uint64_t index;
        if (u->arg[0] == UOP_NONE)
            return graph_cbank(g, (enum uop_type)u->type, u->space, (uint32_t)u->imm);
        if (graph_is_const(g, args[0], &index))
            return graph_cbank(g, (enum uop_type)u->type, u->space, (uint32_t)(u->imm + index));
        struct graph_node n = {.kind = UOP_CBANK,
                               .type = u->type,
                               .flags = u->flags,
                               .space = u->space,
                               .width = u->width,
                               .arg_count = 1,
                               .imm = u->imm,
                               .insn = UINT32_MAX};
        n.arg[0] = args[0];
        return graph_intern(g, &n);
    }
    case UOP_PC: return graph_const(g, u->type == UOP_B64 ? UOP_B64 : UOP_B32, g->insns.p[w->insn].offset + u->imm);
    case UOP_LOAD: return graph_load(b, w, u, args);
    case UOP_ELEMENT: return graph_load_element(b, u, args);
    case UOP_WITHIN: return graph_within(g, u, args[0]);
    case UOP_STORE:
    case UOP_RED: graph_store(b, w, l, u, args, count); return GRAPH_NIL;
    case UOP_ATOM: {
        graph_store(b, w, l, u, args, count);
        graph_id old = graph_fresh_result(b, u, args, count, w->insn);
        g->accesses.p[g->accesses.n - 1].result = old;
        return old;
    }
    case UOP_BAR:
    case UOP_FENCE:
    case UOP_ASYNC_COPY:
    case UOP_ASYNC_WAIT: *w->memory = graph_memory_barrier(g, &b->memory, *w->memory); return GRAPH_NIL;
    case UOP_UNDEF:
    case UOP_OPAQUE:
    case UOP_SHFL:
    case UOP_SHFL_IN:
    case UOP_VOTE:
    case UOP_BALLOT:
    case UOP_BAR_GIVES:
    case UOP_MATCH:
    case UOP_REDUX:
    case UOP_ELECT:
    case UOP_MMA:
    case UOP_FSWZADD: return graph_fresh_result(b, u, args, count, w->insn);
    case UOP_WRITE: return args[0];
    case UOP_UNIFORM: return graph_pure(g, u, args, 1);
    case UOP_MATH: { /* what an expansion of machine code is read as, too */
        static const uint8_t functions[] = {
            [UOP_MATH_DIV] = GRAPH_DIV,     [UOP_MATH_DIV_NEAR] = GRAPH_DIV, [UOP_MATH_DIV_S] = GRAPH_DIV_S,
            [UOP_MATH_DIV_U] = GRAPH_DIV_U, [UOP_MATH_REM_S] = GRAPH_REM_S,  [UOP_MATH_REM_U] = GRAPH_REM_U};
        struct uop like = *u;
        like.kind = GRAPH_REAL;
        like.width = u->imm == UOP_MATH_DIV_NEAR; /* a value of its own: not the quotient, near to it */
        like.imm = functions[u->imm % (sizeof functions / sizeof functions[0])];
        return graph_pure(g, &like, args, 2);
    }
    default:
        if (uop_is_pure((enum uop_kind)u->kind))
            return graph_pure(g, u, args, uop_kind_args((enum uop_kind)u->kind));
        return GRAPH_NIL;
    }
}

/* Marks uops the guard is computed from. They are read whatever the guard says. */
static void mark_guard(const struct uop_list *l, uint16_t index, uint8_t *marks)
{
    if (index >= l->ops.n || marks[index])
        return;
    marks[index] = 1;
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        if (l->ops.p[index].arg[i] != UOP_NONE)
            mark_guard(l, l->ops.p[index].arg[i], marks);
}

static void write_register(struct graph_builder *b, struct graph_work *w, const struct uop_list *l, const struct uop *u,
                           graph_id node)
{
    struct graph *g = b->g;
    uint32_t v = graph_variable(b, u->file, u->reg);
    if (v == UINT32_MAX || node == GRAPH_NIL)
        return;
    struct graph_slot *slot = &w->state[v];
    graph_id guard = g->insns.p[w->insn].guard, merged = node;
    if (guard != GRAPH_NIL && slot->node != GRAPH_NIL && graph_at(g, slot->node)->kind != GRAPH_ENTRY) {
        struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, node)->type};
        graph_id older = graph_assume(g, slot->node, graph_and(g, w->path, graph_not(g, guard)));
        merged = graph_pure(g, &like, (graph_id[]){guard, node, older}, 3);
    }
    struct graph_def def = {
        .insn = w->insn, .file = u->file, .reg = u->reg, .node = node, .merged = merged, .last_use = w->insn};
    if (u->arg[0] != UOP_NONE) { /* which half of what */
        const struct uop *from = &l->ops.p[u->arg[0]];
        if ((from->kind == UOP_LO || from->kind == UOP_HI) && uop_type_bits((enum uop_type)from->type) == 32) {
            def.wide = b->results[from->arg[0]];
            def.part = from->kind == UOP_HI ? 2 : 1;
        }
    }
    uint32_t index = (uint32_t)g->defs.n;
    VEC_PUSH(g->a, g->defs, def);
    slot->cell = graph_push_cell(
        b, (struct graph_cell){.def = index, .guard = guard, .prev = guard == GRAPH_NIL ? 0 : slot->cell});
    slot->node = merged;
}

/* After an instruction of which nothing is known, nothing is known of any register nor of memory. */
static void clobber_state(struct graph_builder *b, struct graph_work *w, uint32_t insn)
{
    struct graph *g = b->g;
    for (uint32_t v = 0; v < b->variable_count; v++) {
        unsigned file = b->names[v] >> 16;
        struct graph_node n = {.kind = GRAPH_RESULT,
                               .type = file == UOP_FILE_P || file == UOP_FILE_UP ? UOP_B1 : UOP_B32,
                               .imm = v,
                               .insn = insn};
        w->state[v].node = graph_fresh(g, &n);
        w->state[v].cell = 0;
    }
    *w->memory = graph_memory_clobber(g, &b->memory, *w->memory);
    g->incomplete = true;
}

bool graph_run_instruction(struct graph_builder *b, struct graph_work *w)
{
    struct graph *g = b->g;
    struct graph_insn *insn = &g->insns.p[w->insn];
    const struct uop_list *l = g->input.insns[insn->input].uops;
    uint8_t stack_marks[256] = {0};
    uint8_t *marks = l->ops.n <= sizeof stack_marks ? stack_marks : ARENA_ARRAY(&b->scratch, uint8_t, l->ops.n);
    if (l->ops.n > b->result_cap) {
        b->result_cap = l->ops.n * 2;
        b->results = ARENA_ARRAY(&b->scratch, graph_id, b->result_cap);
        b->reads = ARENA_ARRAY(&b->scratch, uint32_t, b->result_cap);
    }
    if (!marks || !b->results || !b->reads)
        return false;
    insn->reachable = true;
    insn->first_def = (uint32_t)g->defs.n;
    insn->first_use = (uint32_t)g->uses.n;
    insn->first_access = (uint32_t)g->accesses.n;
    w->under = w->path;
    w->guarded = l->guard != UOP_NONE; /* also where the path implies the guard */
    if (l->guard != UOP_NONE && l->guard < l->ops.n) {
        mark_guard(l, l->guard, marks);
        for (size_t i = 0; i <= l->guard; i++)
            if (marks[i])
                b->results[i] = one_uop(b, w, l, &l->ops.p[i], w->path);
        insn = &g->insns.p[w->insn];
        insn->guard = b->results[l->guard];
        uint64_t always;
        if (graph_is_const(g, insn->guard, &always) && always)
            insn->guard = GRAPH_NIL;
        w->under = graph_and(g, w->path, insn->guard);
    }
    /* Under a guard that is false nothing is read, written or loaded: assemblers fill gaps with such instructions. */
    bool never = !l->unknown && graph_never_runs(g, insn), half = b->low_only[w->insn];
    for (size_t i = 0; i < l->ops.n && !never; i++)
        if (!marks[i])
            b->results[i] = half && l->ops.p[i].kind == UOP_READ && graph_reads_for_half(l, i)
                                ? graph_const(g, UOP_B32, 0) /* its place is all that is said of it */
                                : one_uop(b, w, l, &l->ops.p[i], w->under);
    for (size_t i = 0; i < l->ops.n && !never; i++)
        if (l->ops.p[i].kind == UOP_WRITE)
            write_register(b, w, l, &l->ops.p[i], half ? graph_low_of_pair(b, l, &l->ops.p[i]) : b->results[i]);
    if (graph_nothing_known(l))
        clobber_state(b, w, w->insn);
    else if (l->unknown)
        *w->memory = graph_memory_clobber(g, &b->memory, *w->memory);
    g->incomplete |= l->unknown;
    insn = &g->insns.p[w->insn];
    insn->runs_when = w->under;
    insn->def_count = (uint32_t)g->defs.n - insn->first_def;
    insn->use_count = (uint32_t)g->uses.n - insn->first_use;
    insn->access_count = (uint32_t)g->accesses.n - insn->first_access;
    return !arena_failed(g->a);
}

/* The condition of the branch that ends the block; returns of subroutines are checked against their call. */
void graph_finish_block(struct graph_builder *b, struct graph_work *w)
{
    struct graph *g = b->g;
    struct graph_block *block = &g->blocks.p[w->block];
    struct graph_insn *last = &g->insns.p[block->last];
    const struct uop_list *l = g->input.insns[last->input].uops;
    block->branch = last->guard;
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_BRANCH && u->arg[0] != UOP_NONE)
            block->branch = graph_and(g, last->guard, b->results[u->arg[0]]);
        if (u->kind == UOP_BRANCH_IND && block->by_table &&
            (u->arg[0] == UOP_NONE || !graph_switch_edges(b, w->block, b->results[u->arg[0]])))
            VEC_PUSH(g->a, g->indirect, block->last);
        if (u->kind == UOP_RET && last->call_path && u->arg[0] != UOP_NONE) {
            struct graph_call *call = &g->calls.p[last->call_path - 1];
            uint64_t to;
            if (graph_is_const(g, b->results[u->arg[0]], &to) && to == g->insns.p[call->insn].offset + 16u)
                call->resolved = true;
            else
                VEC_PUSH(g->a, g->indirect, block->last);
        }
    }
    if (b->clobbers[w->block])
        clobber_state(b, w, block->last);
}
