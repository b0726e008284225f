/* Blocks of pages that are no single value, store or return: what form they have, and what in them says what. A loop
 * over `s[i] = op(s[i], s[j])` or `v = op(v, __shfl_…(~0u, v, d))` is an exchange in steps; a loop over assignments
 * is a fold, or what threads merge where `other(m)` is another thread's m; a loop over nothing is known by its counter
 * or by how often it was copied. Requires a parsed block; gives a plan, or a diagnostic. */
#include "pattern/pat_collect.h"

#include <string.h>

static const struct pat_plan *refuse(struct pat_compile *c, bool *refused, unsigned line, const char *what)
{
    if (c->diags && !*refused)
        diag_add(c->diags, DIAG_ERROR, "pattern-block", c->where, -1, "line %u: %s", line, what);
    *refused = true;
    return NULL;
}

static int variable_of(const struct cu_block *b, const struct cu_expr *e)
{
    return e && e->kind == CU_NAME ? cu_find_variable(b, e->text) : -1;
}

/* op(x, y), max(x, y), x + y: which operation, and its two sides. */
static bool split_operation(const struct cu_block *b, const struct cu_expr *e, struct pat_plan *p,
                            const struct cu_expr *side[2])
{
    if (e->arg_count != 2)
        return false;
    side[0] = e->arg[0];
    side[1] = e->arg[1];
    if (e->kind == CU_CALL) {
        int v = cu_find_variable(b, e->text);
        if (v >= 0 && b->variables[v].operation && b->variables[v].argument_count == 2) {
            p->operation = v;
            return true;
        }
        p->fixed = pat_op_find(e->text);
    } else if (e->kind == CU_BINARY) {
        p->fixed = e->op == CU_ADD   ? PAT_OP_ADD
                   : e->op == CU_MUL ? PAT_OP_MUL
                   : e->op == CU_AND ? PAT_OP_AND
                   : e->op == CU_OR  ? PAT_OP_OR
                   : e->op == CU_XOR ? PAT_OP_XOR
                                     : PAT_OP_NONE;
    }
    return p->fixed != PAT_OP_NONE;
}

/* The one declared name, beside those given, that an expression speaks of. */
static int thread_name(const struct pat_compile *c, const struct pat_plan *p, const struct cu_expr *e)
{
    int v = variable_of(c->block, e);
    if (v >= 0 && v != p->counter && v != p->value)
        return v;
    for (unsigned i = 0; e && i < e->arg_count; i++)
        if ((v = thread_name(c, p, e->arg[i])) >= 0)
            return v;
    return -1;
}

static bool is_element_of(const struct cu_block *b, const struct cu_expr *e, int array)
{
    return e->kind == CU_ELEMENT && variable_of(b, e->arg[0]) == array;
}

/* s[i] = op(s[i], s[j]); */
static const struct pat_plan *plan_memory(struct pat_compile *c, struct pat_plan *p, const struct cu_statement *s,
                                          bool *refused)
{
    const struct cu_expr *side[2];
    p->kind = PLAN_MEMORY;
    p->array = variable_of(c->block, s->target->arg[0]);
    if (p->array < 0 || c->block->variables[p->array].place != CU_SHARED)
        return refuse(c, refused, s->target->line, "an array declared __shared__ is needed here");
    if (!split_operation(c->block, s->value, p, side) || !is_element_of(c->block, side[0], p->array) ||
        !is_element_of(c->block, side[1], p->array))
        return refuse(c, refused, s->target->line, "a step is s[i] = op(s[i], s[j])");
    p->own = s->target->arg[1];
    p->other = side[1]->arg[1];
    p->guard = s->condition;
    p->thread = thread_name(c, p, p->own);
    return p;
}

/* v = op(v, __shfl_down_sync(~0u, v, d)); */
static const struct pat_plan *plan_lanes(struct pat_compile *c, struct pat_plan *p, const struct cu_statement *s,
                                         bool *refused)
{
    static const char *const names[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};
    const struct cu_expr *side[2], *shuffle;
    p->kind = PLAN_LANES;
    p->value = variable_of(c->block, s->target);
    if (!split_operation(c->block, s->value, p, side))
        return refuse(c, refused, s->target->line, "a step is v = op(v, a shuffle of v)");
    shuffle = side[1];
    p->mode = 4;
    for (unsigned i = 1; i < 4 && shuffle->kind == CU_CALL; i++)
        if (strcmp(shuffle->text, names[i]) == 0)
            p->mode = i;
    if (p->mode == 4 || shuffle->arg_count != 3 || variable_of(c->block, side[0]) != p->value || p->value < 0 ||
        variable_of(c->block, shuffle->arg[1]) != p->value)
        return refuse(c, refused, s->target->line, "a step is v = op(v, a shuffle of v)");
    p->other = shuffle->arg[2];
    p->guard = s->condition;
    p->thread = thread_name(c, p, p->guard);
    return p;
}

static bool is_shuffle_step(const struct cu_statement *s)
{
    const struct cu_expr *e = s->form == CU_ASSIGN ? s->value : NULL;
    for (unsigned i = 0; e && i < e->arg_count; i++)
        if (e->arg[i]->kind == CU_CALL && strncmp(e->arg[i]->text, "__shfl", 6) == 0)
            return true;
    return false;
}

static bool reads(const struct cu_block *b, const struct cu_expr *e, int variable)
{
    if (variable_of(b, e) == variable)
        return true;
    for (unsigned i = 0; i < e->arg_count; i++)
        if (reads(b, e->arg[i], variable))
            return true;
    return false;
}

/* a = other(m): what another thread has of m. */
static int other_of(const struct cu_block *b, const struct cu_expr *e)
{
    return e->kind == CU_CALL && strcmp(e->text, "other") == 0 && e->arg_count == 1 ? variable_of(b, e->arg[0]) : -1;
}

/* The names of what accumulators are in another thread: of all of them, or of none. */
static bool name_others(const struct cu_block *b, struct pat_plan *p)
{
    unsigned named = 0, said = 0;
    for (unsigned i = 0; i < b->statement_count; i++)
        said += other_of(b, b->statements[i].value) >= 0;
    for (unsigned j = 0; j < p->accumulators; j++) {
        p->others[j] = -1;
        for (unsigned i = 0; i < b->statement_count; i++)
            if (other_of(b, b->statements[i].value) == p->accumulator[j])
                p->others[j] = p->target[i];
        named += p->others[j] >= 0;
    }
    p->kind = named ? PLAN_MERGE : PLAN_FOLD;
    return said == named && (!named || named == p->accumulators);
}

/* Assignments to names: what is read before it is assigned is carried round the loop. */
static const struct pat_plan *plan_fold(struct pat_compile *c, struct pat_plan *p, const struct cu_block *b,
                                        bool *refused)
{
    p->kind = PLAN_FOLD;
    for (unsigned i = 0; i < b->statement_count; i++) {
        const struct cu_statement *s = &b->statements[i];
        int target = s->form == CU_ASSIGN && !s->condition ? variable_of(b, s->target) : -1;
        if (target < 0)
            return refuse(c, refused, s->value ? s->value->line : 0, "a fold is assignments to declared names");
        p->target[i] = target;
        p->term[i] = other_of(b, s->value) >= 0 ? NULL : pat_compile_term(c, s->value);
        if (!p->term[i] && other_of(b, s->value) < 0) {
            *refused = true;
            return NULL;
        }
        bool assigned = false, carried = false;
        for (unsigned k = 0; k < i; k++)
            assigned |= p->target[k] == target;
        for (unsigned k = 0; k <= i && !assigned; k++)
            carried |= reads(b, b->statements[k].value, target);
        if (carried && p->accumulators < PAT_FOLD_MAX)
            p->accumulator[p->accumulators++] = target;
    }
    for (unsigned i = 0; i < b->result_count; i++) {
        p->result_of[i] = variable_of(b, b->result[i]->arg[0]);
        p->result[i] = pat_compile_term(c, b->result[i]->arg[1]);
        if (!p->result[i] || p->result_of[i] < 0 || p->result[i]->kind != TERM_REDUCED)
            return refuse(c, refused, b->result[i]->line, "what a name is when a loop is over is a reduce(op, e)");
        p->result_count++;
    }
    if (!p->accumulators)
        return refuse(c, refused, b->statements[0].target->line, "nothing is carried round this loop");
    if (!name_others(b, p))
        return refuse(c, refused, b->statements[0].target->line, "of another thread all that is carried, or nothing");
    return p;
}

static const struct pat_plan *plan_head(struct pat_compile *c, struct pat_plan *p, const struct cu_block *b,
                                        bool *refused)
{
    const struct cu_loop *l = &b->loop;
    p->kind = PLAN_COUNTER;
    if (p->counter < 0)
        return refuse(c, refused, 0, "the counter must be declared");
    if (l->start && !(p->start = pat_compile_term(c, l->start)))
        return *refused = true, NULL;
    if (l->condition && !(p->condition = pat_compile_condition(c, l->condition)))
        return *refused = true, NULL;
    if (l->next && !(p->next = pat_compile_term(c, l->next)))
        return *refused = true, NULL;
    return p;
}

/* What each name is in a step that is played. */
static void give_names(const struct pat_compile *c, const struct pat_plan *p, struct cu_expr *e)
{
    int v = variable_of(c->block, e);
    if (!e)
        return;
    if (e->kind == CU_NAME && strcmp(e->text, "blockDim.x") == 0)
        e->meaning = PAT_NAME_THREADS;
    else if (e->kind == CU_NAME && p->loop->counter && strcmp(e->text, p->loop->counter) == 0)
        e->meaning = PAT_NAME_COUNTER;
    else if (v >= 0 && v == p->thread)
        e->meaning = PAT_NAME_THREAD;
    for (unsigned i = 0; i < e->arg_count; i++)
        give_names(c, p, e->arg[i]);
}

static const struct pat_plan *plan_loop(struct pat_compile *c, struct pat_plan *p, const struct cu_block *b,
                                        bool *refused)
{
    p->counter = b->loop.counter ? cu_find_variable(b, b->loop.counter) : -1;
    if (b->loop.unroll) {
        p->kind = PLAN_UNROLL;
        p->factor = cu_find_variable(b, b->loop.unroll);
        if (p->factor < 0 || b->statement_count)
            return refuse(c, refused, 0, "#pragma unroll names a declared factor, of a loop over anything");
        return p;
    }
    if (!b->statement_count)
        return plan_head(c, p, b, refused);
    const struct cu_statement *s = &b->statements[0];
    if (s->form == CU_STORE || is_shuffle_step(s)) {
        if (!b->loop.counter || (!b->loop.next && (b->loop.start || b->loop.condition)))
            return refuse(c, refused, 0, "steps need a counter and its next value, or leave all of it open");
        for (unsigned i = 1; i < b->statement_count; i++)
            if (b->statements[i].form != CU_PERFORM)
                return refuse(c, refused, 0, "a step is one assignment and what parts it from the next");
        if (!(s->form == CU_STORE ? plan_memory(c, p, s, refused) : plan_lanes(c, p, s, refused)))
            return NULL;
        const struct cu_expr *const played[] = {b->loop.start, b->loop.condition, b->loop.next, p->guard,
                                                p->own,        p->other};
        for (size_t i = 0; i < sizeof played / sizeof played[0]; i++)
            give_names(c, p, (struct cu_expr *)played[i]);
        p->means = pat_play_meaning(c->a, p);
        return p;
    }
    return plan_fold(c, p, b, refused);
}

static bool is_warp_call(const char *name)
{
    static const char *const names[] = {
        "__any_sync",        "__all_sync",        "__ballot_sync",     "__match_any_sync", "__reduce_add_sync",
        "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* s[k] = x[i]; __syncthreads(); v = s[j];  or  f[k] = v; v = f[k]; */
static const struct pat_plan *plan_sequence(struct pat_compile *c, struct pat_plan *p, const struct cu_block *b,
                                            bool *refused)
{
    const struct cu_statement *first = &b->statements[0], *last = &b->statements[b->statement_count - 1];
    int array = first->form == CU_STORE ? variable_of(b, first->target->arg[0]) : -1;
    if (array < 0 || last->form != CU_ASSIGN || !is_element_of(b, last->value, array))
        return refuse(c, refused, 0, "a store to an array and a load from it are needed here");
    p->array = array;
    p->own = first->target->arg[1];
    p->other = last->value->arg[1];
    if (b->variables[array].place == CU_LOCAL && b->statement_count == 2) {
        p->kind = PLAN_FRAME;
        return p;
    }
    if (b->variables[array].place == CU_SHARED && b->statement_count == 3 && b->statements[1].form == CU_PERFORM &&
        first->value->kind == CU_ELEMENT) {
        p->kind = PLAN_STAGE;
        p->value = variable_of(b, first->value->arg[0]);
        return p;
    }
    return refuse(c, refused, 0, "statements that patterns do not know in this order");
}

const struct pat_plan *pat_compile_plan(struct pat_compile *c, const struct cu_block *b, bool *refused)
{
    struct pat_plan *p = ARENA_NEW(c->a, struct pat_plan);
    struct cu_loop *loop = ARENA_NEW(c->a, struct cu_loop); /* the block itself will be moved */
    *refused = false;
    if (!p || !loop)
        return NULL;
    *loop = b->loop;
    *p = (struct pat_plan){.loop = loop, .statements = b->statements, .statement_count = b->statement_count};
    p->operation = p->array = p->value = p->thread = p->counter = p->factor = -1;
    switch (b->form) {
    case CU_LOOP: return plan_loop(c, p, b, refused);
    case CU_SEQUENCE: return plan_sequence(c, p, b, refused);
    case CU_BRANCH: p->kind = PLAN_BRANCH; return p;
    case CU_PERFORM:
        p->kind = PLAN_PERFORM;
        p->name = b->value->text;
        return b->value->arg_count || strncmp(p->name, "__sync", 6) == 0 ? p : NULL;
    case CU_VALUE:
        p->kind = PLAN_WARP;
        p->name = b->value->kind == CU_CALL ? b->value->text : "";
        return is_warp_call(p->name) ? p : NULL;
    default: return NULL;
    }
}
