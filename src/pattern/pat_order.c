/* From what was found to the result: order, nesting, bindings. Matches stand in the order in which their
 * last instruction stands in the code, parts before the wholes that hold them. A match is a part of
 * another when its root lies inside the other's term (not in what a metavariable stands for, not in an
 * address); of several wholes the smallest is its parent.
 *
 * Requires the context's matches with their covers; linear but for sorting. */
#include "pattern/pat_internal.h"

#include <stdlib.h>
#include <string.h>

struct order {
    struct mean *m;
    struct arena *a;
    struct pat_index *x;
    struct pat_found **found;
    uint32_t count;
    struct map_u64 variants; /* page -> how many of its variants occur */
};

static int by_end(const void *pa, const void *pb)
{
    const struct pat_found *a = *(struct pat_found *const *)pa, *b = *(struct pat_found *const *)pb;
    const uint64_t keys[][2] = {
        {a->last, b->last},
        {a->match.insns.n, b->match.insns.n},
        {a->inner.n, b->inner.n},
        {a->weight, b->weight},
        {a->first, b->first},
        {a->page_order, b->page_order},
        {a->match.root, b->match.root},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static bool is_whole_of(const struct pat_found *whole, const struct pat_found *part)
{
    if (whole->match.root != part->match.root)
        return true;
    if (whole->variant->reduces != part->variant->reduces)
        return whole->variant->reduces; /* it speaks of more than the value alone */
    return whole->match.insns.n > part->match.insns.n ||
           (whole->match.insns.n == part->match.insns.n && whole->weight > part->weight);
}

/* Later ones are larger or end later, so the first whole that is found is the smallest that ends there;
 * among wholes that end elsewhere the one with fewer instructions wins. */
static void nest(struct order *o)
{
    struct map_u64 first = {0}; /* node -> matches rooted there, as a list through `next` */
    uint32_t *next = ARENA_ARRAY(o->a, uint32_t, o->count + 1), head;
    if (!next)
        return;
    for (uint32_t i = 0; i < o->count; i++) {
        graph_id root = o->found[i]->match.root;
        if (root == GRAPH_NIL)
            continue;
        next[i] = map_u64_get(&first, root, &head) ? head : UINT32_MAX;
        map_u64_put(o->a, &first, root, i);
    }
    for (uint32_t w = 0; w < o->count; w++) {
        const struct pat_found *whole = o->found[w];
        for (size_t k = 0; k < whole->inner.n; k++) {
            if (whole->inner.p[k].load || !map_u64_get(&first, whole->inner.p[k].node, &head))
                continue;
            for (uint32_t i = head; i != UINT32_MAX; i = next[i]) {
                struct pat_found *part = o->found[i];
                if (i == w || !is_whole_of(whole, part))
                    continue;
                int32_t parent = part->match.parent;
                if (parent < 0 || o->found[parent]->match.insns.n > whole->match.insns.n ||
                    (o->found[parent]->match.insns.n == whole->match.insns.n &&
                     o->found[parent]->weight > whole->weight))
                    part->match.parent = (int32_t)w;
            }
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A whole that speaks of reductions holds all that its parts hold, slow ways of an expansion too. True: some was
 * added. */
static bool absorb(struct order *o)
{
    bool any = false;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct pat_found *part = o->found[i];
        if (part->match.parent < 0 || !o->found[part->match.parent]->variant->reduces)
            continue;
        struct pat_match *whole = &o->found[part->match.parent]->match;
        size_t before = whole->insns.n, kept = 0;
        for (size_t k = 0; k < part->match.insns.n; k++)
            VEC_PUSH(o->a, whole->insns, part->match.insns.p[k]);
        qsort(whole->insns.p, whole->insns.n, sizeof whole->insns.p[0], by_number);
        for (size_t k = 0; k < whole->insns.n; k++)
            if (!kept || whole->insns.p[kept - 1] != whole->insns.p[k])
                whole->insns.p[kept++] = whole->insns.p[k];
        whole->insns.n = kept;
        any |= kept != before;
    }
    return any;
}

/* What becomes of a NaN in a metavariable, other leaves being ordinary numbers. */
static const char *nan_fate(struct order *o, const struct pat_found *f, const struct pat_bound *b)
{
    uint64_t values[PAT_VARIABLES];
    enum uop_type as = b->as;
    if (as >= UOP_B1 && as <= UOP_B128)
        return "none"; /* integers */
    if (!pat_is_float(as))
        as = UOP_F32;
    unsigned step = 0;
    for (unsigned i = 0; i < PAT_VARIABLES; i++)
        values[i] =
            &f->bound[i] == b ? pat_special(as, PAT_SPECIAL_NAN) : pat_special(as, step++ ? 6 : PAT_SPECIAL_ONE);
    graph_id leaves[PAT_VARIABLES];
    unsigned count = 0;
    for (unsigned i = 0; i < f->variant->block.variable_count; i++)
        if (f->bound[i].set && f->bound[i].node != GRAPH_NIL)
            leaves[count++] = f->bound[i].node;
    struct pat_tape t;
    if (!pat_tape_build(&t, o->a, o->m->g, &f->match.root, 1, leaves, count))
        return "unknown";
    for (unsigned i = 0; i < f->variant->block.variable_count; i++)
        if (f->bound[i].set && f->bound[i].node != GRAPH_NIL && !graph_is_const(o->m->g, f->bound[i].node, NULL))
            pat_tape_give(&t, f->bound[i].node, values[i]);
    pat_tape_run(&t);
    uint64_t result = pat_tape_value(&t, f->match.root);
    return pat_is_nan(as, result) ? "kept" : "dropped";
}

/* How many variants of its page occur; found once a page. */
static unsigned variants_of(struct order *o, const struct pat_found *f)
{
    uint32_t known;
    if (map_u64_get(&o->variants, f->page_order, &known))
        return known;
    unsigned count = 0;
    for (size_t k = 0; k < f->page->variants.n; k++) {
        bool seen = false;
        for (uint32_t i = 0; i < o->count && !seen; i++)
            seen = o->found[i]->variant == &f->page->variants.p[k];
        count += seen;
    }
    map_u64_put(o->a, &o->variants, f->page_order, count);
    return count;
}

/* A constant by itself is no kind of number: it is one of what the whole match gives. */
static enum uop_type reader_of(struct order *o, const struct pat_found *f, const struct pat_bound *b)
{
    if (f->match.root == GRAPH_NIL || !graph_is_const(o->m->g, b->node, NULL))
        return b->as;
    const struct graph_node *root = graph_at(o->m->g, f->match.root);
    bool arm = root->kind == UOP_SELECT && (root->arg[1] == b->node || root->arg[2] == b->node);
    if (b->as != UOP_VOID && !arm)
        return b->as;
    const char *type = mean_type(o->m, f->match.root);
    return strcmp(type, "f32") == 0                             ? UOP_F32
           : strcmp(type, "f64") == 0                           ? UOP_F64
           : type[0] == 's' || type[0] == 'u' || type[0] == 'b' ? UOP_B32
                                                                : UOP_VOID;
}

static struct pat_binding bind(struct order *o, const struct pat_found *f, const struct pat_page_binding *page)
{
    const struct cu_expr *e = page->value;
    struct pat_binding out = {.key = page->key, .kind = PAT_BIND_TEXT, .text = ""};
    int choice = pat_choice_of(e);
    if (choice >= 0) {
        unsigned word = f->choice[choice];
        out.text = e->arg[word < e->arg_count ? word : 0]->text;
        return out;
    }
    const struct cu_expr *name = e;
    while (name->kind == CU_UNARY || (name->kind == CU_CALL && name->arg_count))
        name = name->arg[0];
    int v = name->kind == CU_NAME ? cu_find_variable(&f->variant->block, name->text) : -1;
    const struct pat_bound *b = v >= 0 ? &f->bound[v] : NULL;
    if (e->kind == CU_NAME) {
        if (b->counted) {
            out.kind = PAT_BIND_INT;
            out.number = b->number;
        } else if (b->text) {
            out.text = b->text;
        } else {
            out.kind = PAT_BIND_NODE;
            out.node = b->node;
            out.as = reader_of(o, f, b);
        }
    } else if (e->kind == CU_CALL && strcmp(e->text, "variant") == 0) {
        out.text = f->variant->name;
    } else if (e->kind == CU_CALL && strcmp(e->text, "root") == 0) {
        out.kind = PAT_BIND_NODE;
        out.node = f->match.root;
        out.as = UOP_VOID;
    } else if (e->kind == CU_CALL && strcmp(e->text, "type") == 0) {
        out.text = f->match.root != GRAPH_NIL ? mean_type(o->m, f->match.root) : "";
    } else if (e->kind == CU_CALL && strcmp(e->text, "width") == 0) {
        out.kind = PAT_BIND_INT;
        out.number = f->width;
    } else if (e->kind == CU_CALL && strcmp(e->text, "variants") == 0) {
        out.kind = PAT_BIND_INT;
        out.number = variants_of(o, f);
    } else if (e->kind == CU_CALL && strcmp(e->text, "sizeof") == 0) {
        out.kind = PAT_BIND_INT;
        out.number = b->element_bytes;
    } else if (e->kind == CU_CALL && strcmp(e->text, "nan") == 0) {
        out.text = nan_fate(o, f, b);
    }
    return out; /* value(): filled when the real readings stand */
}

static void set_via(struct order *o, struct pat_found *f, unsigned rules)
{
    f->match.via.n = 0;
    for (unsigned k = 0; k < PAT_RULE_COUNT; k++)
        if (rules >> k & 1)
            VEC_PUSH(o->a, f->match.via, pat_rule_names[k]);
}

enum sp_status pat_finish(struct mean *m, struct arena *a, struct pat_index *x, struct pat_found **found,
                          uint32_t count, struct pat_result *out)
{
    struct order o = {.m = m, .a = a, .x = x, .found = found, .count = count};
    if (count)
        qsort(found, count, sizeof found[0], by_end);
    nest(&o);
    if (absorb(&o)) {
        qsort(found, count, sizeof found[0], by_end);
        for (uint32_t i = 0; i < count; i++)
            found[i]->match.parent = -1;
        nest(&o);
    }
    enum sp_status status = pat_real_build(m, a, x, found, count, out);
    if (status != SP_OK)
        return status;
    /* The text of a store's value is read with the rules of its parts. */
    for (uint32_t i = 0; i < count; i++) {
        for (int32_t p = found[i]->match.parent, left = 64; p >= 0 && left; p = found[p]->match.parent, left--)
            if (found[p]->stored != GRAPH_NIL)
                found[p]->via |= found[i]->via;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct pat_found *f = found[i];
        for (size_t k = 0; k < f->page->bindings.n; k++) {
            const struct cu_expr *e = f->page->bindings.p[k].value;
            if (e->kind == CU_NAME && cu_find_variable(&f->variant->block, e->text) < 0)
                continue;
            struct pat_binding b = bind(&o, f, &f->page->bindings.p[k]);
            if (e->kind == CU_CALL && strcmp(e->text, "value") == 0) {
                graph_id value = f->stored != GRAPH_NIL ? f->stored : f->match.root;
                if (f->store)
                    value = mean_stored_value(m, value, m->g->accesses.p[f->store - 1].width);
                b.text = pat_real_expr(m, out, value, UOP_VOID, MEAN_EXPANDED);
                if (f->store)
                    b.text = mean_stored_text(m, &m->g->accesses.p[f->store - 1], value, b.text);
                if (value < out->real_count)
                    f->via |= out->rests_on[value] & PAT_RULE_ALL;
            }
            VEC_PUSH(a, f->match.bindings, b);
        }
        set_via(&o, f, f->via);
        f->match.cycle = f->cycle;
        VEC_PUSH(a, out->matches, f->match);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
