/* Readings: values that are a function no one operation is (an expansion), or that read as another function by a real
 * rule. What a page's block `expands` or `reads` is matched before all other pages, so that those can write exp(x) or
 * a / b and need not know in which of its forms a compiler computes it.
 *
 * An expansion is closed: only its function and that function's arguments are to be seen of it (D13), and it owns its
 * instructions (pat_own.c). A reading is open: the value is that function as well as what it is made of.
 *
 * Requires a built graph; nothing here needs a name. Gives readings by node, matches for pat_run() to take up, and the
 * graph's expansions. Linear in nodes for each page. */
#include "pattern/pat_expand.h"

#include <stdlib.h>
#include <string.h>

const struct pat_reading *pat_reading_of(const struct pat_index *x, graph_id node)
{
    uint32_t at;
    return x->expanded && map_u64_get(&x->expanded->of, node, &at) ? &x->expanded->list.p[at] : NULL;
}

bool pat_is_hidden(const struct pat_index *x, graph_id node)
{
    const struct pat_expanded *e = x->expanded;
    if (!e)
        return false;
    const struct pat_reading *r = pat_reading_of(x, node);
    return (r && r->closed) || (e->inside && node < e->nodes && e->inside[node]);
}

bool pat_same_value(const struct pat_index *x, graph_id a, graph_id b)
{
    if (a == b)
        return true;
    const struct pat_reading *p = pat_reading_of(x, a), *q = p ? pat_reading_of(x, b) : NULL;
    return q && p->closed && q->closed && p->as == q->as;
}

/* ---- nodes that say a reading ---------------------------------------------------------------- */

/* One node for equal contents, so that equal readings are seen to be equal. */
static graph_id made(struct expand *x, const struct graph_node *n)
{
    uint64_t key =
        map_hash_mix(map_hash_mix(n->kind | (uint64_t)n->round << 8 | (uint64_t)n->width << 16, n->type), n->imm);
    graph_id id;
    for (unsigned i = 0; i < n->arg_count; i++)
        key = map_hash_mix(key, n->arg[i]);
    if (map_u64_get(&x->e->made, key, &id)) {
        const struct graph_node *old = graph_at(x->g, id);
        bool same = old->kind == n->kind && old->type == n->type && old->round == n->round && old->width == n->width &&
                    old->imm == n->imm && old->arg_count == n->arg_count;
        for (unsigned i = 0; i < n->arg_count && same; i++)
            same = old->arg[i] == n->arg[i];
        if (same)
            return id;
    }
    id = graph_fresh(x->g, n);
    map_u64_put(x->a, &x->e->made, key, id);
    return id;
}

static graph_id call(struct expand *x, unsigned kind, unsigned function, enum uop_type type, const graph_id *args,
                     unsigned count)
{
    struct graph_node n = {.kind = (uint8_t)kind,
                           .type = (uint8_t)type,
                           .arg_count = (uint8_t)count,
                           .imm = kind == GRAPH_REAL ? function : 0,
                           .insn = UINT32_MAX};
    for (unsigned i = 0; i < count; i++)
        n.arg[i] = args[i];
    return made(x, &n);
}

static graph_id operation(struct expand *x, unsigned kind, unsigned function, enum uop_type type, graph_id a,
                          graph_id b)
{
    return call(x, kind, function, type, (graph_id[]){a, b}, b == GRAPH_NIL ? 1 : 2);
}

/* The block's words for what it computes, over what its names are bound to. */
static graph_id say(struct expand *x, const struct cu_expr *e, enum uop_type as, bool is_unsigned)
{
    const struct cu_block *block = &x->c.variant->block;
    bool floats = pat_is_float(as);
    unsigned kind, function;
    switch (e->kind) {
    case CU_NAME: {
        int v = cu_find_variable(block, e->text);
        return v >= 0 && x->c.bound[v].set ? x->c.bound[v].node : GRAPH_NIL;
    }
    case CU_NUMBER: {
        uint64_t bits = (uint64_t)(int64_t)e->number;
        float f = (float)e->number;
        uint32_t w;
        if (as == UOP_F64)
            memcpy(&bits, &e->number, sizeof bits);
        memcpy(&w, &f, sizeof w);
        return graph_const(x->g, as == UOP_F64 ? UOP_B64 : UOP_B32, as == UOP_F32 ? w : bits);
    }
    case CU_UNARY: {
        graph_id a = say(x, e->arg[0], as, is_unsigned);
        return a == GRAPH_NIL || e->op != CU_NEGATE ? (graph_id)GRAPH_NIL
                                                    : operation(x, floats ? UOP_FNEG : UOP_NEG, 0, as, a, GRAPH_NIL);
    }
    case CU_BINARY:
    case CU_CALL: {
        graph_id a = e->arg_count ? say(x, e->arg[0], as, is_unsigned) : (graph_id)GRAPH_NIL;
        graph_id b = e->arg_count > 1 ? say(x, e->arg[1], as, is_unsigned) : (graph_id)GRAPH_NIL;
        if (a == GRAPH_NIL || (e->arg_count > 1 && b == GRAPH_NIL))
            return GRAPH_NIL;
        if (e->kind == CU_CALL) {
            graph_id args[CU_MAX_ARGS] = {a, b};
            for (unsigned i = 2; i < e->arg_count; i++)
                if ((args[i] = say(x, e->arg[i], as, is_unsigned)) == GRAPH_NIL)
                    return GRAPH_NIL;
            return pat_function_named(e->text, e->arg_count, &kind, &function)
                       ? call(x, kind, function, as, args, e->arg_count)
                       : (graph_id)GRAPH_NIL;
        }
        switch (e->op) {
        case CU_DIV:
            function = floats ? GRAPH_DIV : is_unsigned ? GRAPH_DIV_U : GRAPH_DIV_S;
            return operation(x, GRAPH_REAL, function, as, a, b);
        case CU_REM: return operation(x, GRAPH_REAL, is_unsigned ? GRAPH_REM_U : GRAPH_REM_S, as, a, b);
        case CU_ADD: return operation(x, floats ? UOP_FADD : UOP_ADD, 0, as, a, b);
        case CU_MUL: return operation(x, floats ? UOP_FMUL : UOP_MUL, 0, as, a, b);
        default: return GRAPH_NIL;
        }
    }
    default: return GRAPH_NIL;
    }
}

/* The kind of number a block is about: that of its first name. */
static enum uop_type number_of(const struct cu_block *b, bool *is_unsigned)
{
    enum cu_type type = b->variable_count ? b->variables[0].type : CU_FLOAT;
    *is_unsigned = type == CU_UNSIGNED || type == CU_SIZE;
    switch (type) {
    case CU_DOUBLE: return UOP_F64;
    case CU_HALF: return UOP_F16;
    case CU_INT:
    case CU_UNSIGNED: return UOP_B32;
    case CU_SIZE: return UOP_B64;
    default: return UOP_F32;
    }
}

/* ---- what was found -------------------------------------------------------------------------- */

bool pat_expand_read(struct expand *x, const struct pat_reading *r)
{
    VEC_PUSH(x->a, x->e->list, *r);
    if (r->node < x->x.count)
        x->read[r->node] = true;
    return map_u64_put(x->a, &x->e->of, r->node, (uint32_t)x->e->list.n - 1);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The slow path belongs to the match. */
static void add_slow_path(struct expand *x, struct pat_found *f)
{
    const struct pat_slow *s = &x->c.slow_path;
    size_t kept = 0;
    for (size_t i = 0; i < s->insns.n; i++)
        VEC_PUSH(x->a, f->match.insns, s->insns.p[i]);
    if (f->match.insns.n)
        qsort(f->match.insns.p, f->match.insns.n, sizeof f->match.insns.p[0], ascending);
    for (size_t i = 0; i < f->match.insns.n; i++)
        if (!kept || f->match.insns.p[kept - 1] != f->match.insns.p[i])
            f->match.insns.p[kept++] = f->match.insns.p[i];
    f->match.insns.n = kept;
    uint32_t *slow = ARENA_ARRAY(x->a, uint32_t, s->insns.n + 1);
    f->slow_count = (uint32_t)s->insns.n - s->fringe;
    for (uint32_t i = 0; i < f->slow_count && slow; i++)
        slow[i] = s->insns.p[i];
    f->slow = slow;
    for (size_t i = 0; i < kept; i++) {
        uint32_t offset = x->g->insns.p[f->match.insns.p[i]].offset;
        f->first = offset < f->first ? offset : f->first;
    }
}

static bool is_bound(const struct pat_ctx *c, graph_id node)
{
    for (unsigned i = 0; i < c->variant->block.variable_count; i++)
        if (c->bound[i].set && c->bound[i].node == node && !c->variant->block.variables[i].value)
            return true;
    return false;
}

/* A word of what a name stands for, however the graph has taken that apart. */
static bool is_bound_word(struct pat_ctx *c, graph_id node)
{
    for (unsigned i = 0; i < c->variant->block.variable_count; i++) {
        const struct pat_bound *b = &c->bound[i];
        if (!b->set || c->variant->block.variables[i].value || uop_type_bits(graph_type_of(c->g, b->node)) != 64)
            continue;
        if (graph_op1(c->g, UOP_HI, UOP_B32, b->node) == node || graph_op1(c->g, UOP_LO, UOP_B32, b->node) == node)
            return true;
    }
    return false;
}

/* What an expansion's choice looks at belongs to it, down to what its names stand for. */
static void enter_conditions(struct expand *x)
{
    enum { CONDITION_NODES = 64 };
    struct pat_ctx *c = &x->c;
    graph_id stack[CONDITION_NODES];
    unsigned depth = 0;
    struct map_u64 seen = {0};
    for (size_t i = 0; i < c->inner.n; i++)
        map_u64_put(x->a, &seen, c->inner.p[i].node, 1);
    for (size_t i = 0; i < c->conditions.n && depth < CONDITION_NODES; i++)
        stack[depth++] = c->conditions.p[i];
    while (depth) {
        graph_id id = stack[--depth];
        if (map_u64_get(&seen, id, NULL))
            continue;
        map_u64_put(x->a, &seen, id, 1);
        bool half = is_bound_word(c, id);
        const struct graph_node *n = graph_at(x->g, id);
        if (half || (n->type != UOP_B1 && is_bound(c, id)) || !pat_is_pure(n))
            continue;
        VEC_PUSH(x->a, c->inner, (struct pat_inner){.node = id});
        for (unsigned i = 0; i < n->arg_count && depth < CONDITION_NODES; i++)
            stack[depth++] = n->arg[i];
    }
}

/* How the last operation of what was matched rounds: an expansion is rounded once, there. */
static unsigned rounding_of(const struct expand *x, graph_id node)
{
    const struct graph_node *n = graph_at(x->g, node);
    unsigned count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count, round = n->round;
    bool chosen = n->kind == GRAPH_PHI || n->kind == UOP_SELECT;
    for (unsigned i = 0; chosen && i < count; i++)
        for (size_t k = 0; k < x->c.inner.n; k++) {
            graph_id way = n->kind == GRAPH_PHI ? n->phi_args[i] : n->arg[i];
            if (x->c.inner.p[k].node == way && pat_is_float((enum uop_type)graph_at(x->g, way)->type))
                round = graph_at(x->g, way)->round;
        }
    return round;
}

/* The quotient or root that is rounded so (other functions promise no rounding), the integer of numbers. */
static graph_id as_found(struct expand *x, graph_id means, graph_id node)
{
    struct graph_node n = *graph_at(x->g, means);
    unsigned round = x->round != UOP_RN ? x->round : rounding_of(x, node);
    bool once = (n.kind == GRAPH_REAL && n.imm == GRAPH_DIV) || n.kind == UOP_SQRT;
    if (x->integral) {
        n.width = n.type;
        n.type = (uint8_t)graph_type_of(x->g, node);
    } else if (once && round != UOP_RN && pat_is_float((enum uop_type)n.type)) {
        n.round = (uint8_t)round;
    } else {
        return means;
    }
    return made(x, &n);
}

bool pat_expand_keep(struct expand *x, graph_id node)
{
    struct pat_ctx *c = &x->c;
    const struct cu_block *block = &c->variant->block;
    bool is_unsigned;
    enum uop_type as = number_of(block, &is_unsigned);
    if (x->wide)
        as = pat_is_float(as) ? UOP_F64 : UOP_B64;
    if (x->half != UOP_VOID)
        as = x->half;
    graph_id means = say(x, block->reads, as, is_unsigned);
    struct pat_found *f = ARENA_NEW(x->a, struct pat_found);
    if (means == GRAPH_NIL || !f)
        return false;
    means = as_found(x, means, node);
    if (block->expands)
        enter_conditions(x);
    graph_id *inner = ARENA_ARRAY(x->a, graph_id, c->inner.n + 1);
    if (!inner)
        return false;
    pat_cover(c, NULL, 0, f);
    if (!f->match.insns.n)
        return false;
    f->page = c->page;
    f->variant = c->variant;
    f->page_order = x->page_order;
    f->match.id = c->page->id;
    f->match.family = c->page->family;
    f->match.rule = c->variant->rule;
    f->match.parent = -1;
    f->match.root = node;
    f->match.confidence = block->expands ? PAT_MATCHED : PAT_PROVED;
    f->weight = c->variant->value->weight;
    /* The rules that make the one the other are what the page is about. */
    f->via = c->via | (c->page->rules & (PAT_RULE_EXP | PAT_RULE_LOG | PAT_RULE_DIV));
    for (unsigned i = 0; i < PAT_VARIABLES; i++)
        f->bound[i] = c->bound[i];
    unsigned count = 0;
    for (size_t i = 0; i < c->inner.n; i++) {
        VEC_PUSH(x->a, f->inner, c->inner.p[i]);
        if (c->inner.p[i].node != node)
            inner[count++] = c->inner.p[i].node;
    }
    if (c->slow_path.insns.n)
        add_slow_path(x, f);
    /* A product and an expansion added up are the kernel's own multiply-add, whichever of the two was contracted. */
    const struct graph_node *sum = graph_at(x->g, means);
    bool adds = sum->kind == UOP_FADD && graph_at(x->g, sum->arg[1])->kind == UOP_FMUL;
    const struct pat_reading *before = pat_reading_of(&x->x, node);
    struct pat_reading r = {.node = node,
                            .as = means,
                            .via = f->via,
                            .closed = (block->expands && !adds) || (before && before->closed),
                            .owned = block->expands,
                            .inner = inner,
                            .inner_count = count};
    VEC_PUSH(x->a, x->e->found, f);
    return pat_expand_read(x, &r);
}

static bool may_root(const struct pat_term *t, const struct graph_node *n)
{
    if (t->kind == TERM_OPERATION)
        return (n->kind == t->operation && t->operation != UOP_NOP) ||
               (n->kind == t->float_operation && t->float_operation != UOP_NOP);
    return t->kind == TERM_CHOICE ? n->kind == UOP_SELECT || n->kind == GRAPH_PHI : t->kind == TERM_BITS;
}

static void run_page(struct expand *x, const struct pat_page *page, const struct pat_variant *v)
{
    for (graph_id id = 1; id < x->x.count; id++) {
        if (!x->x.live[id] || (!x->read[id] && !may_root(v->value, graph_at(x->g, id))))
            continue;
        const struct pat_reading *before = pat_reading_of(&x->x, id);
        bool taken = before && before->via != PAT_RULE_SCALED;
        bool inside = x->e->inside && id < x->e->nodes && x->e->inside[id];
        if (taken || inside || !may_root(v->value, graph_at(x->g, before ? before->as : id)))
            continue;
        pat_ctx_begin(&x->c, page, v, id);
        x->c.slow_path = (struct pat_slow){0};
        if (pat_match_value(&x->c, v->value, id, UOP_VOID))
            pat_expand_keep(x, id);
    }
}

/* ---- what the code says as one operation already, which no machine has ---------------------- */

/* Names of the block to what the operation of `n` is of, when the block reads as that operation. `any`: a name stands
 * for a constant too that is not declared to. */
static bool names_operation(struct expand *x, const struct cu_block *b, const struct graph_node *n, bool any)
{
    const struct cu_expr *e = b->reads;
    bool is_unsigned, wide = n->type == UOP_B64, near = n->kind == GRAPH_REAL && n->width;
    enum uop_type as = number_of(b, &is_unsigned);
    unsigned kind = GRAPH_REAL, function = GRAPH_DIV;
    if ((as != n->type && !(wide && as == UOP_B32)) || b->expands == near)
        return false;
    if (e->kind == CU_CALL) {
        if (!pat_function_named(e->text, e->arg_count, &kind, &function))
            return false;
    } else if (e->kind == CU_BINARY && (e->op == CU_DIV || e->op == CU_REM) && pat_is_float(as)) {
        function = e->op == CU_DIV ? GRAPH_DIV : GRAPH_FMOD;
    } else if (e->kind == CU_BINARY && (e->op == CU_DIV || e->op == CU_REM)) {
        function = e->op == CU_DIV ? is_unsigned ? GRAPH_DIV_U : GRAPH_DIV_S : is_unsigned ? GRAPH_REM_U : GRAPH_REM_S;
    } else {
        return false;
    }
    if (kind != n->kind || (kind == GRAPH_REAL && function != n->imm) || e->arg_count != n->arg_count)
        return false;
    for (unsigned i = 0; i < e->arg_count; i++) {
        if (e->arg[i]->kind == CU_NUMBER) {
            if (say(x, e->arg[i], as, is_unsigned) != n->arg[i])
                return false;
            continue;
        }
        int v = e->arg[i]->kind == CU_NAME ? cu_find_variable(b, e->arg[i]->text) : -1;
        bool constant = graph_is_const(x->g, n->arg[i], NULL);
        if (v < 0 || (any ? b->variables[v].constant && !constant : b->variables[v].constant != constant))
            return false;
        x->c.bound[v] = (struct pat_bound){.set = true, .node = n->arg[i], .as = (uint8_t)n->type};
    }
    return true;
}

/* A quotient or root of the graph itself: the page that expands to it is what becomes of it. */
static bool say_written(struct expand *x, const struct pat_library *lib, graph_id id, bool any)
{
    for (size_t p = 0; p < lib->pages.n; p++) {
        const struct pat_page *page = &lib->pages.p[p];
        for (size_t k = 0; k < page->variants.n; k++) {
            const struct pat_variant *v = &page->variants.p[k];
            const struct graph_node n = *graph_at(x->g, id);
            if (!v->block.reads || v->block.form != CU_VALUE)
                continue;
            pat_ctx_begin(&x->c, page, v, id);
            x->c.slow_path = (struct pat_slow){0};
            if (!names_operation(x, &v->block, &n, any))
                continue;
            VEC_PUSH(x->a, x->c.inner, (struct pat_inner){.node = id, .term = v->value});
            x->page_order = (unsigned)p;
            x->wide = n.type == UOP_B64;
            bool kept = pat_expand_keep(x, id);
            x->wide = false;
            if (kept)
                return true;
        }
    }
    return false;
}

static void find_written(struct expand *x, const struct pat_library *lib)
{
    for (graph_id id = 1; id < x->x.count; id++) {
        const struct graph_node *n = graph_at(x->g, id);
        bool written = n->kind == GRAPH_REAL || (n->kind == UOP_SQRT && n->imm);
        if (written && x->x.live[id] && !pat_reading_of(&x->x, id) && !say_written(x, lib, id, false))
            say_written(x, lib, id, true);
    }
}

static bool find_guarded(struct expand *x)
{
    for (graph_id id = 1; id < x->x.count; id++) {
        graph_id inner[PAT_GUARD_INNER], as;
        unsigned count;
        unsigned via = PAT_RULE_SCALED, function;
        if (!x->x.live[id])
            continue;
        if (pat_sine(x->g, id, &as, &function)) {
            inner[0] = graph_at(x->g, id)->arg[0];
            count = 1;
            via = PAT_RULE_TURNS;
            as = operation(x, GRAPH_REAL, function, UOP_F32, as, GRAPH_NIL);
        } else if (!pat_guarded(x->g, id, &as, inner, &count)) {
            continue;
        } else if (graph_at(x->g, as)->kind == UOP_FADD) { /* a quotient and a sum */
            via |= PAT_RULE_DIV | PAT_RULE_FMA;
        }
        graph_id *copy = ARENA_ARRAY(x->a, graph_id, count + 1);
        if (!copy)
            return false;
        memcpy(copy, inner, count * sizeof inner[0]);
        bool sum = (via & PAT_RULE_FMA) != 0;
        struct pat_reading r = {
            .node = id, .as = as, .via = via, .closed = !sum, .parts = sum, .inner = copy, .inner_count = count};
        if (!pat_expand_read(x, &r))
            return false;
    }
    return true;
}

/* log2(x) * ln 2: no page, for it is no more than a change of base. */
static bool find_logarithms(struct expand *x)
{
    for (graph_id id = 1; id < x->x.count; id++) {
        unsigned function;
        graph_id product;
        if (!x->x.live[id] || pat_reading_of(&x->x, id) || !pat_logarithm(x->g, id, &product, &function))
            continue;
        const struct pat_reading *scaled = pat_reading_of(&x->x, product);
        const struct graph_node log2 = *graph_at(x->g, scaled ? scaled->as : product);
        if (log2.kind != UOP_LG2)
            continue;
        struct pat_reading r = {.node = id,
                                .as = operation(x, GRAPH_REAL, function, UOP_F32, log2.arg[0], GRAPH_NIL),
                                .via = PAT_RULE_LOG | (scaled ? scaled->via : 0)};
        graph_id *inner = ARENA_ARRAY(x->a, graph_id, (scaled ? scaled->inner_count : 0) + 1);
        if (!inner)
            return false;
        inner[r.inner_count++] = product;
        for (unsigned i = 0; scaled && i < scaled->inner_count; i++)
            inner[r.inner_count++] = scaled->inner[i];
        r.inner = inner;
        if (!pat_expand_read(x, &r))
            return false;
    }
    return true;
}

/* After all that pages spell out: what they found is not looked for again. */
static bool find_functions(struct expand *x, const struct pat_library *lib)
{
    for (size_t p = 0; p < lib->pages.n; p++) {
        const struct pat_page *page = &lib->pages.p[p];
        x->page_order = (unsigned)p;
        for (size_t k = 0; k < page->variants.n; k++) {
            const struct pat_variant *v = &page->variants.p[k];
            if (v->block.expands && v->block.form == CU_VALUE && v->value->kind == TERM_FOUND &&
                !v->block.where_count && !pat_expand_functions(x, page, v))
                return false;
        }
    }
    return true;
}

enum sp_status pat_expand(const struct pat_library *lib, struct arena *a, struct graph *g, struct graph_expansions *out)
{
    struct pat_expanded *e = ARENA_NEW(a, struct pat_expanded);
    struct expand x = {.g = g, .a = a, .memo = lib->memo, .e = e};
    *out = (struct graph_expansions){0};
    enum sp_status status = e ? pat_index_init(&x.x, a, g) : SP_ERR_MEMORY;
    if (status != SP_OK)
        return status;
    x.x.expanded = e;
    x.read = ARENA_ARRAY(a, bool, x.x.count + 1);
    if (!x.read)
        return SP_ERR_MEMORY;
    if (!pat_branches_init(&x.branches, a, g))
        return SP_ERR_MEMORY;
    x.c = (struct pat_ctx){.g = g, .a = a, .x = &x.x, .branches = &x.branches};
    if (!find_guarded(&x))
        return SP_ERR_MEMORY;
    find_written(&x, lib);
    for (int open = 0; open < 2; open++) {
        for (size_t p = 0; p < lib->pages.n; p++) {
            const struct pat_page *page = &lib->pages.p[p];
            x.page_order = (unsigned)p;
            for (size_t k = 0; k < page->variants.n; k++) {
                const struct pat_variant *v = &page->variants.p[k];
                if (!v->block.reads || v->block.expands != !open || v->block.form != CU_VALUE)
                    continue;
                if (v->value->kind != TERM_FOUND)
                    run_page(&x, page, v);
                else if (v->block.where_count && !pat_expand_divisions(&x, page, v))
                    return SP_ERR_MEMORY;
            }
        }
        if (!open && !find_functions(&x, lib))
            return SP_ERR_MEMORY;
        /* What lies inside an expansion reads as nothing else. */
        if (!open && (status = pat_own(a, &x.x, &x.branches, e, out)) != SP_OK)
            return status;
        if (!open && !find_logarithms(&x))
            return SP_ERR_MEMORY;
    }
    out->work = e;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
