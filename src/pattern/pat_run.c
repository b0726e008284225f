/* Runs every page on a graph. A block's form says where its matches can stand: an expression at every
 * value some effect depends on, an address at every access, a store at every store, a return at every
 * place where the kernel ends early, a call at every call. For one page and one place the first variant
 * that fits counts.
 *
 * Requires a built graph and a reader of meanings; gives all matches, then pat_order.c orders and nests
 * them. */
#include "pattern/pat_run.h"

#include <stdlib.h>
#include <string.h>

/* The same block at the same instructions: the lanes of one packed operation are one match. */
static bool is_again(const struct run *r, const struct pat_found *f)
{
    for (size_t i = r->found.n; i-- > 0 && r->found.n - i <= 4;) {
        const struct pat_found *o = r->found.p[i];
        if (f->climbed && o->climbed && o->variant == r->c.variant && o->match.insns.n == f->match.insns.n &&
            memcmp(o->match.insns.p, f->match.insns.p, f->match.insns.n * sizeof f->match.insns.p[0]) == 0)
            return true;
    }
    return false;
}

/* c ? a : b of nothing but metavariables. */
static bool is_plain_choice(const struct pat_term *t)
{
    bool plain = t && t->kind == TERM_CHOICE;
    for (unsigned i = 0; plain && i < t->arg_count; i++)
        plain = t->arg[i]->kind == TERM_VARIABLE;
    return plain;
}

static void note_first(void *user, uint32_t insn, bool merged)
{
    uint32_t *first = user;
    (void)merged;
    *first = insn < *first ? insn : *first;
}

struct made_in {
    const struct run *r;
    const struct pat_found *f;
    uint32_t routine, other;
};

static void count_maker(void *user, uint32_t insn, bool merged)
{
    struct made_in *m = user;
    bool of_match = false;
    (void)merged;
    for (size_t i = 0; i < m->f->match.insns.n && !of_match; i++)
        of_match = m->f->match.insns.p[i] == insn;
    uint32_t path = m->r->g->insns.p[insn].call_path;
    if (of_match && path && path <= m->r->g->calls.n && m->r->routines[path - 1])
        m->routine++;
    else if (of_match)
        m->other++;
}

/* Made within a routine that may be a library's: nothing shows that it is the kernel's (D13). */
static bool is_of_routine(struct run *r, const struct pat_found *f, graph_id root, const uint32_t *extra,
                          unsigned extra_count)
{
    struct made_in m = {.r = r, .f = f};
    if (!r->g->calls.n)
        return false;
    if (!r->routines && !(r->routines = pat_routines(r->a, r->g)))
        return false;
    if (root != GRAPH_NIL)
        pat_holders(r->c.x, root, count_maker, &m);
    for (unsigned i = 0; root == GRAPH_NIL && i < extra_count; i++)
        count_maker(&m, extra[i], false);
    return m.routine && !m.other;
}

/* Where a value is made; where a quick and a slow way meet no instruction makes it, and the last one of the match that
 * is on no slow way stands for it. */
static uint32_t made_at(const struct pat_ctx *c, const struct pat_found *f, graph_id root)
{
    uint32_t made = UINT32_MAX;
    pat_holders(c->x, root, note_first, &made);
    for (size_t i = 0; i < f->match.insns.n && made == UINT32_MAX && root != GRAPH_NIL; i++) {
        uint32_t last = f->match.insns.p[f->match.insns.n - 1 - i];
        if (!graph_is_slow(c->g, last) && last == pat_top_insn(c->g, last))
            made = last;
    }
    return made;
}

/* What a loop gathers is not there before the loop is over: what a turn makes of it is made of less, and so is what its
 * last turns make where a compiler put these behind it. */
static bool still_gathers(const struct pat_ctx *c, const struct pat_found *f, graph_id root)
{
    uint32_t made = c->gathered.n ? made_at(c, f, root) : UINT32_MAX;
    bool is = false;
    for (size_t i = 0; i < c->gathered.n; i++)
        if (made >= c->gathered.p[i]->first && made <= c->gathered.p[i]->last) {
            c->gathered.p[i]->running = c->page;
            is = true;
        }
    for (size_t i = 0; i < c->gathered.n; i++)
        is |= c->gathered.p[i]->running == c->page;
    return is;
}

static struct pat_found *keep(struct run *r, graph_id root, const uint32_t *extra, unsigned extra_count)
{
    struct pat_ctx *c = &r->c;
    struct pat_found *f = ARENA_NEW(r->a, struct pat_found);
    if (!f)
        return NULL;
    /* A whole of the reductions it speaks of. */
    VEC(uint32_t) parts = {0};
    for (unsigned i = 0; i < extra_count && c->spoken.n; i++)
        VEC_PUSH(r->a, parts, extra[i]);
    for (size_t i = 0; i < c->spoken.n; i++)
        for (size_t n = 0; n < c->spoken.p[i]->match.insns.n; n++)
            VEC_PUSH(r->a, parts, c->spoken.p[i]->match.insns.p[n]);
    if (parts.n)
        pat_cover(c, parts.p, (unsigned)parts.n, f);
    else
        pat_cover(c, extra, extra_count, f);
    if (!f->match.insns.n)
        return NULL; /* nothing in the machine code shows it */
    if (is_of_routine(r, f, root, extra, extra_count))
        return NULL;
    if (still_gathers(c, f, root))
        return NULL;
    if (is_again(r, f))
        return f;
    f->page = c->page;
    f->variant = c->variant;
    f->page_order = r->page_order;
    f->match.id = c->page->id;
    f->match.family = c->page->family;
    f->match.rule = c->variant->rule;
    f->match.parent = -1;
    f->match.is_select = is_plain_choice(c->variant->value);
    f->match.root = root;
    f->match.confidence = pat_assumes(c) || c->walked || c->rests ? PAT_ASSUMED : PAT_PROVED;
    for (size_t i = 0; i < c->spoken.n; i++)
        if (c->spoken.p[i]->rests || c->spoken.p[i]->match.confidence == PAT_ASSUMED)
            f->match.confidence = PAT_ASSUMED;
    f->via = c->via;
    f->choice[PAT_CHOICE_SCOPE] = (uint8_t)c->reach;
    f->weight = (c->variant->value ? c->variant->value->weight : 0) +
                (c->variant->condition ? c->variant->condition->weight : 0);
    for (unsigned i = 0; i < PAT_VARIABLES; i++)
        f->bound[i] = c->bound[i];
    for (size_t i = 0; i < c->inner.n; i++)
        VEC_PUSH(r->a, f->inner, c->inner.p[i]);
    for (size_t i = 0; i < c->readings.n; i++)
        VEC_PUSH(r->a, f->readings, c->readings.p[i]);
    VEC_PUSH(r->a, r->found, f);
    return f;
}

struct pat_found *pat_keep(struct run *r, graph_id root, const uint32_t *extra, unsigned extra_count)
{
    return keep(r, root, extra, extra_count);
}

void pat_run_at_page(struct run *r, unsigned order)
{
    r->page_order = order;
}

static void begin(struct run *r, const struct pat_page *page, const struct pat_variant *v, graph_id root)
{
    pat_ctx_begin(&r->c, page, v, root);
}

/* ---- values and addresses -------------------------------------------------------------------- */

/* Cheap refusal before any search: the root's kind. */
static bool may_root(const struct pat_term *t, const struct graph_node *n)
{
    switch (t->kind) {
    case TERM_OPERATION:
        return (n->kind == t->operation && t->operation != UOP_NOP) ||
               (n->kind == t->float_operation && t->float_operation != UOP_NOP) || n->kind == UOP_FFMA ||
               (t->float_operation == GRAPH_REAL && t->function == GRAPH_DIV && n->kind == UOP_FMUL);
    case TERM_MINMAX:
        return n->kind == UOP_SELECT || n->kind == UOP_FMIN || n->kind == UOP_FMAX ||
               (n->kind >= UOP_MIN_S && n->kind <= UOP_MAX_U);
    case TERM_CHOICE: return n->kind == UOP_SELECT;
    case TERM_SREG: return n->kind == UOP_SREG;
    case TERM_ELEMENT: return n->kind == UOP_LOAD;
    case TERM_COMPARE: return n->type == UOP_B1;
    case TERM_VARIABLE:
    case TERM_NUMBER:
    case TERM_ADDRESS:
    case TERM_LEFT:
    case TERM_REDUCED: /* run_reduced() */
    case TERM_BITS:
    case TERM_EACH:
    case TERM_FOUND: return false;
    case TERM_ANY: return true;
    }
    return false;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* `f`, the newest, becomes a part of `o`. */
static void merge(struct run *r, struct pat_found *o, const struct pat_found *f)
{
    for (size_t k = 0; k < f->match.insns.n; k++)
        VEC_PUSH(r->a, o->match.insns, f->match.insns.p[k]);
    qsort(o->match.insns.p, o->match.insns.n, sizeof o->match.insns.p[0], ascending);
    size_t kept = 0;
    for (size_t k = 0; k < o->match.insns.n; k++)
        if (!kept || o->match.insns.p[kept - 1] != o->match.insns.p[k])
            o->match.insns.p[kept++] = o->match.insns.p[k];
    o->match.insns.n = kept;
    for (size_t k = 0; k < f->inner.n; k++)
        VEC_PUSH(r->a, o->inner, f->inner.p[k]);
    o->via |= f->via;
    o->first = f->first < o->first ? f->first : o->first;
    o->last = f->last > o->last ? f->last : o->last;
    r->found.n--;
}

/* What is made of reductions in every copy of a loop's body is one match, and so is what pieces of a loop that were not
 * joined make of the same ones: `f`, the newest, joins the one of its loop or of its reductions. */
static void join_copies(struct run *r, struct pat_found *f)
{
    const struct graph_cycles *cycles = r->g->cycles;
    uint32_t made = UINT32_MAX;
    if (!cycles || !cycles->cycle_of || !f->match.insns.n || r->found.p[r->found.n - 1] != f)
        return;
    pat_holders(&r->x, f->match.root, note_first, &made);
    made = made == UINT32_MAX ? f->match.insns.p[f->match.insns.n - 1] : made; /* where a quick and a slow way meet */
    made = pat_top_insn(r->g, made);
    for (size_t i = 0; i < cycles->cycles.n && !f->cycle; i++)
        if (made >= cycles->cycles.p[i].first && made <= cycles->cycles.p[i].last)
            f->cycle = (uint32_t)i + 1;
    f->of = r->c.tops.n ? r->c.tops.p[r->c.tops.n > 1].v : NULL; /* of a quotient the divisor */
    for (size_t i = r->found.n - 1; i-- > 0;) {
        struct pat_found *o = r->found.p[i];
        if (o->page != f->page)
            break;
        bool one_loop = f->cycle && o->cycle == f->cycle && o->variant == f->variant;
        if (!one_loop && (!f->of || o->of != f->of)) /* whichever block of the page says it */
            continue;
        merge(r, o, f);
        return;
    }
}

/* What is made of several elements that each thread brings is one match too, and none while an element lacks. */
static void join_elements(struct run *r, struct pat_found *f)
{
    const struct pat_ctx *c = &r->c;
    if (r->found.p[r->found.n - 1] != f)
        return;
    f->of = c->tops.p[0].v;
    for (size_t i = 0; i < c->picks.n; i++)
        if (!c->picks.p[i].top)
            map_u64_put(r->a, &f->made_of, c->picks.p[i].leaf, 1);
    f->held = f->made_of.n < c->tops.p[0].count;
    for (size_t i = r->found.n - 1; i-- > 0;) {
        struct pat_found *o = r->found.p[i];
        if (o->variant != f->variant)
            break;
        if (o->of != f->of)
            continue;
        for (size_t k = 0; k < c->picks.n; k++)
            if (!c->picks.p[k].top)
                map_u64_put(r->a, &o->made_of, c->picks.p[k].leaf, 1);
        o->held = o->made_of.n < c->tops.p[0].count;
        merge(r, o, f);
        return;
    }
}

static void run_values(struct run *r, const struct pat_page *page, const struct pat_variant *v, bool *taken)
{
    for (graph_id id = 1; id < r->x.count; id++) {
        if (taken[id] || !r->x.live[id] || graph_is_inside(r->g, id) ||
            !(may_root(v->value, graph_at(r->g, id)) || pat_reading_of(&r->x, id)) || pat_is_half(&r->x, id))
            continue;
        begin(r, page, v, id);
        if (!pat_match_value(&r->c, v->value, id, UOP_VOID))
            continue;
        struct pat_found *f = keep(r, id, NULL, 0);
        taken[id] = f != NULL;
        if (f && v->reduces && r->c.tops.n && r->c.tops.p[0].count > 1)
            join_elements(r, f);
        else if (f && v->reduces)
            join_copies(r, f);
    }
}

/* A reduction of something: at each reduction. */
static void run_reduced(struct run *r, const struct pat_page *page, const struct pat_variant *v)
{
    const struct pat_collect *k = r->c.collect;
    for (size_t i = 0; i < k->list.n; i++) {
        struct pat_collective *one = k->list.p[i];
        if (one->outcome != PAT_ALL_IN_ONE || (!one->found && !one->chained))
            continue;
        graph_id root = one->values.p[one->values.n - 1];
        begin(r, page, v, root);
        if (!pat_match_collective(&r->c, v->value, one))
            continue;
        struct pat_found *f = keep(r, root, NULL, 0);
        if (!f)
            continue;
        f->match.makes = PAT_MAKES_ONE;
        f->match.first = UINT32_MAX;
        for (size_t s = 0; s < r->c.spoken.n; s++) {
            const struct pat_match *part = &r->c.spoken.p[s]->match;
            f->match.first = part->first < f->match.first ? part->first : f->match.first;
            f->match.last = part->last > f->match.last ? part->last : f->match.last;
        }
        uint32_t made = UINT32_MAX;
        if (one->chained)
            pat_holders(&r->x, root, note_first, &made);
        if (made != UINT32_MAX && pat_top_insn(r->g, made) > f->match.last)
            f->match.last = pat_top_insn(r->g, made);
    }
}

static void run_addresses(struct run *r, const struct pat_page *page, const struct pat_variant *v, bool *taken)
{
    for (size_t i = 0; i < r->g->accesses.n; i++) {
        const struct graph_access a = r->g->accesses.p[i];
        if (a.address >= r->x.count || taken[a.address])
            continue;
        begin(r, page, v, a.address);
        if (pat_match_address(&r->c, v->value, a.address, (enum uop_space)a.space, a.width))
            taken[a.address] = keep(r, a.address, NULL, 0) != NULL;
    }
}

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* An instruction without a known meaning may write anything. */
static bool hides_effects(const struct graph *g)
{
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->insns.p[i].reachable ? uops_of(g, i) : NULL;
        if (l && l->unknown)
            return true;
    }
    return false;
}

static bool is_output(const struct graph_access *a)
{
    return a->kind == GRAPH_STORE && (a->space == UOP_GLOBAL || a->space == UOP_GENERIC);
}

/* The value is an element of so many bytes; one that was widened, or of which a part is kept, is converted. */
static bool is_as_loaded(const struct graph *g, graph_id value, unsigned bytes)
{
    const struct graph_node *n = graph_at(g, value);
    const struct graph_node *of = n->arg_count ? graph_at(g, n->arg[0]) : n;
    if (n->kind == UOP_LOAD)
        return n->width == bytes;
    if (n->kind == UOP_SEXT ||
        n->kind == UOP_ZEXT) /* of a byte that was loaded into a register, and is stored as one */
        return of->kind != UOP_LOAD || of->width == bytes;
    bool word = n->kind == UOP_ELEMENT || n->kind == UOP_LO || n->kind == UOP_HI;
    return !word || of->kind != UOP_LOAD || uop_type_bits((enum uop_type)n->type) / 8 == bytes;
}

static bool match_store(struct run *r, const struct pat_page *page, const struct pat_variant *v,
                        const struct graph_access *a, struct pat_found *words)
{
    unsigned count = 0; /* two words that are one value stand as one */
    while (count < 4 && a->value[count] != GRAPH_NIL)
        count++;
    for (unsigned k = 0; k < count; k++) {
        if (v->value && v->value->kind == TERM_ELEMENT && !is_as_loaded(r->g, a->value[k], a->width / count))
            return false;
        begin(r, page, v, a->value[0]);
        r->c.word = count > 1 ? (int)k : -1;
        if (!pat_match_target(&r->c, v->target, v->value, a->address, (enum uop_space)a->space, a->width, a->value[k]))
            return false;
        for (size_t i = 0; i < r->c.inner.n; i++)
            VEC_PUSH(r->a, words->inner, r->c.inner.p[i]);
        words->via |= r->c.via;
    }
    r->c.inner.n = 0;
    for (size_t i = 0; i < words->inner.n; i++)
        VEC_PUSH(r->a, r->c.inner, words->inner.p[i]);
    r->c.via = words->via;
    return count != 0;
}

static void run_stores(struct run *r, const struct pat_page *page, const struct pat_variant *v, bool *taken)
{
    size_t before = r->found.n;
    if (v->block.whole_kernel && hides_effects(r->g))
        return;
    for (size_t i = 0; i < r->g->accesses.n; i++) {
        const struct graph_access a = r->g->accesses.p[i];
        struct pat_found words = {0}, *f;
        bool global = a.space == UOP_GLOBAL || a.space == UOP_GENERIC;
        bool fits = is_output(&a) && !taken[i] && match_store(r, page, v, &a, &words);
        if (fits) {
            f = keep(r, GRAPH_NIL, &a.insn, 1);
            if (f) {
                const struct graph_node *n = graph_at(r->g, a.value[0]);
                bool packed = a.width == 2 && n->kind == UOP_PAIR && n->type == UOP_B32;
                f->stored = packed ? n->arg[0] : a.value[0]; /* of two halves in a register the low one */
                f->store = packed ? 0 : (uint32_t)i + 1;
                taken[i] = true;
            }
        } else if (v->block.whole_kernel && global && (is_output(&a) || a.kind == GRAPH_ATOMIC)) {
            r->found.n = before; /* the block speaks of all that the kernel writes */
            return;
        }
    }
}

/* ---- guarded loads --------------------------------------------------------------------------- */

static void run_guarded(struct run *r, const struct pat_page *page, const struct pat_variant *v, bool *taken)
{
    for (size_t i = 0; i < r->g->accesses.n; i++) {
        const struct graph_access a = r->g->accesses.p[i];
        graph_id guard = r->g->insns.p[a.insn].guard;
        if (a.kind != GRAPH_LOAD || taken[i] || guard == GRAPH_NIL || a.value[0] == GRAPH_NIL ||
            graph_is_owned(r->g, a.insn))
            continue;
        begin(r, page, v, a.value[0]);
        if (pat_match_guarded(&r->c, v->condition, v->value, guard, a.value[0]))
            taken[i] = keep(r, a.value[0], NULL, 0) != NULL;
    }
}

static void run_page(struct run *r, const struct pat_page *page, bool *taken)
{
    for (size_t k = 0; k < page->variants.n; k++) {
        const struct pat_variant *v = &page->variants.p[k];
        if (v->block.reads || v->plan)
            continue; /* found before (pat_expand.c, pat_collect_*.c) */
        switch (v->block.form) {
        case CU_VALUE:
            if (v->value->kind == TERM_ADDRESS)
                run_addresses(r, page, v, taken);
            else if (v->value->kind == TERM_REDUCED)
                run_reduced(r, page, v);
            else
                run_values(r, page, v, taken);
            break;
        case CU_STORE: run_stores(r, page, v, taken); break;
        case CU_ASSIGN: run_guarded(r, page, v, taken); break;
        case CU_LEAVE: pat_run_leaves(r, page, v); break;
        case CU_PERFORM: pat_run_calls(r, page, v); break;
        case CU_BRANCH:
        case CU_LOOP:
        case CU_SEQUENCE: break;
        }
    }
}

enum sp_status pat_run(const struct pat_library *lib, struct mean *m, struct arena *a, struct pat_result *out)
{
    struct run r = {.m = m, .g = m->g, .a = a};
    *out = (struct pat_result){0};
    enum sp_status status = SP_OK;
    if (!m->g->expansions) {
        struct graph_expansions *own = ARENA_NEW(a, struct graph_expansions);
        status = own ? pat_expand(lib, a, m->g, own) : SP_ERR_MEMORY;
        graph_set_expansions(m->g, own);
    }
    if (status == SP_OK)
        status = pat_index_init(&r.x, a, m->g);
    if (status != SP_OK)
        return status;
    const struct pat_expanded *expanded = m->g->expansions->work;
    r.x.expanded = expanded;
    for (size_t i = 0; expanded && i < expanded->found.n; i++)
        VEC_PUSH(a, r.found, expanded->found.p[i]);
    r.c = (struct pat_ctx){.m = m, .g = m->g, .a = a, .x = &r.x};
    size_t places = r.x.count > m->g->accesses.n ? r.x.count : m->g->accesses.n;
    struct pat_collect collect;
    status = pat_collect_begin(&collect, &r, &r.c, out);
    if (status != SP_OK)
        return status;
    r.c.collect = &collect;
    /* What threads do together first: other pages speak of its results. */
    pat_collect_steps(&collect, lib);
    pat_collect_folds(&collect);
    for (size_t p = 0; p < lib->pages.n; p++) {
        r.page_order = (unsigned)p;
        pat_collect_page(&collect, &lib->pages.p[p]);
    }
    pat_collect_join(&collect);
    for (size_t p = 0; p < lib->pages.n; p++) {
        r.page_order = (unsigned)p;
        pat_collect_merges(&collect, &lib->pages.p[p]);
    }
    for (size_t p = 0; p < lib->pages.n; p++) {
        bool *taken = ARENA_ARRAY(a, bool, places + 1);
        if (!taken)
            return SP_ERR_MEMORY;
        r.page_order = (unsigned)p;
        run_page(&r, &lib->pages.p[p], taken);
    }
    size_t kept = 0;
    for (size_t i = 0; i < r.found.n; i++)
        if (!r.found.p[i]->held)
            r.found.p[kept++] = r.found.p[i];
    r.found.n = kept;
    if (arena_failed(a))
        return SP_ERR_MEMORY;
    return pat_finish(m, a, &r.x, r.found.p, (uint32_t)r.found.n, out);
}
