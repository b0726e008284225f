/* Numbers the statements of a document's note.
 *
 * The order is the order in which the full text report says them: summary, findings, outputs and where they differ,
 * values, patterns (the largest first, a pattern before its parts), rewrites, phases, loops, parameters, names,
 * accesses, work, register lanes, unknowns; after the last kernel the rows of the comparisons. A number therefore
 * depends on the selected kernels, never on the level. */
#include "report/rep_plan.h"

#include "base/str.h"

#include <stdlib.h>

static void add(struct rep_plan *plan, struct arena *a, struct rep_statement s)
{
    VEC_PUSH(a, plan->list, s);
}

static void add_each(struct rep_plan *plan, struct arena *a, uint32_t kernel, enum rep_kind kind, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(plan, a, (struct rep_statement){.kind = kind, .kernel = kernel, .index = (uint32_t)i});
}

static void add_outputs(struct rep_plan *plan, struct arena *a, const struct fact_kernel *k, uint32_t kernel)
{
    for (uint32_t i = 0; i < k->outputs.n; i++) {
        add(plan, a, (struct rep_statement){.kind = REP_OUTPUT, .kernel = kernel, .index = i});
        for (uint32_t d = 0; d < k->outputs.p[i].differs_count; d++)
            add(plan, a, (struct rep_statement){.kind = REP_DIFFERS, .kernel = kernel, .index = i, .sub = d});
    }
}

struct root {
    uint32_t size, index;
};

/* The larger first: what a kernel is stands before its skeleton; then in index order. */
static int compare_roots(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

struct forest {
    int32_t *first, *next, *stack;
    uint32_t *depth;
    bool *said;
};

/* A pattern, then its parts, siblings in index order. */
static void add_tree(struct rep_plan *plan, struct arena *a, uint32_t kernel, struct forest *f, uint32_t root)
{
    size_t top = 0;
    if (f->said[root])
        return;
    f->stack[top++] = (int32_t)root;
    f->depth[root] = 0;
    f->said[root] = true;
    while (top > 0) {
        int32_t i = f->stack[--top];
        struct rep_statement s = {.kind = REP_PATTERN, .kernel = kernel, .index = (uint32_t)i, .depth = f->depth[i]};
        add(plan, a, s);
        size_t base = top;
        for (int32_t child = f->first[i]; child >= 0; child = f->next[child])
            if (!f->said[child]) {
                f->said[child] = true;
                f->depth[child] = f->depth[i] + 1;
                f->stack[top++] = child;
            }
        for (size_t lo = base, hi = top; lo + 1 < hi; lo++) { /* the first child on top */
            int32_t swap = f->stack[lo];
            f->stack[lo] = f->stack[--hi];
            f->stack[hi] = swap;
        }
    }
}

/* Patterns as a forest. Child lists are chained through `next` so that the walk is linear; a parent that does not
 * exist, or a cycle, makes a pattern a root rather than losing it. */
static void add_patterns(struct rep_plan *plan, struct arena *a, const struct fact_kernel *k, uint32_t kernel)
{
    size_t n = k->patterns.n, root_count = 0;
    struct forest f = {ARENA_ARRAY(a, int32_t, n), ARENA_ARRAY(a, int32_t, n), ARENA_ARRAY(a, int32_t, n),
                       ARENA_ARRAY(a, uint32_t, n), ARENA_ARRAY(a, bool, n)};
    struct root *roots = ARENA_ARRAY(a, struct root, n);
    if (n == 0 || arena_failed(a))
        return;
    for (size_t i = 0; i < n; i++)
        f.first[i] = f.next[i] = -1;
    for (size_t i = n; i-- > 0;) {
        int32_t parent = k->patterns.p[i].parent;
        if (parent >= 0 && (size_t)parent < n && (size_t)parent != i) {
            f.next[i] = f.first[parent];
            f.first[parent] = (int32_t)i;
        } else {
            roots[root_count++] = (struct root){k->patterns.p[i].offsets.n, (uint32_t)i};
        }
    }
    if (root_count > 0)
        qsort(roots, root_count, sizeof *roots, compare_roots);
    for (size_t i = 0; i < root_count; i++)
        add_tree(plan, a, kernel, &f, roots[i].index);
    for (size_t i = 0; i < n; i++) /* what hangs in a cycle */
        add_tree(plan, a, kernel, &f, (uint32_t)i);
}

bool rep_is_finding(const struct fact_kernel *k, const struct diag *d)
{
    static const char *const codes[] = {"unsynchronised", "race", "warp-synchronous", "uninitialized"};
    const char *section = d->section;
    if (!section || !d->code || d->input != (int)k->input || !k->name)
        return false;
    if (!str_equal(str_starts(section, ".text.") ? section + 6 : section, k->name))
        return false;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (str_starts(d->code, codes[i]))
            return true;
    return false;
}

bool rep_plan_make(struct rep_plan *plan, const struct fact_document *doc, struct arena *a)
{
    *plan = (struct rep_plan){0};
    for (uint32_t i = 0; i < doc->kernels.n; i++) {
        const struct fact_kernel *k = &doc->kernels.p[i];
        VEC_PUSH(a, plan->kernel_first, (uint32_t)plan->list.n);
        add(plan, a, (struct rep_statement){.kind = REP_SUMMARY, .kernel = i});
        for (uint32_t d = 0; doc->diags && d < doc->diags->list.n; d++)
            if (rep_is_finding(k, &doc->diags->list.p[d]))
                add(plan, a, (struct rep_statement){.kind = REP_FINDING, .kernel = i, .index = d});
        add_outputs(plan, a, k, i);
        add_each(plan, a, i, REP_VALUE, k->values.n);
        add_patterns(plan, a, k, i);
        add_each(plan, a, i, REP_REWRITE, k->rewrites.n);
        add_each(plan, a, i, REP_SAID, k->says.n);
        add_each(plan, a, i, REP_PHASE, k->phases.n);
        add_each(plan, a, i, REP_LOOP, k->loops.n);
        add_each(plan, a, i, REP_PARAM, k->params.n);
        add_each(plan, a, i, REP_NAME, k->names.n);
        add_each(plan, a, i, REP_ACCESS, k->accesses.n);
        add_each(plan, a, i, REP_WORK, k->has_work ? 1 : 0);
        add_each(plan, a, i, REP_LANE, k->register_flow.n);
        add_each(plan, a, i, REP_UNKNOWN, k->unknown.n);
    }
    VEC_PUSH(a, plan->kernel_first, (uint32_t)plan->list.n);
    for (uint32_t c = 0; c < doc->comparisons.n; c++)
        for (uint32_t r = 0; r < doc->comparisons.p[c].rows.n; r++)
            add(plan, a,
                (struct rep_statement){
                    .kind = REP_COMPARISON, .kernel = doc->comparisons.p[c].a, .index = c, .sub = r});
    return !arena_failed(a);
}

uint32_t rep_plan_number(const struct rep_plan *plan, uint32_t kernel, enum rep_kind kind, uint32_t index)
{
    if ((size_t)kernel + 1 >= plan->kernel_first.n)
        return 0;
    for (uint32_t i = plan->kernel_first.p[kernel]; i < plan->kernel_first.p[kernel + 1]; i++)
        if (plan->list.p[i].kind == kind && plan->list.p[i].index == index)
            return i + 1;
    return 0;
}
