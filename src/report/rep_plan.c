/* Numbers the statements of a document's note.
 *
 * The order is the order in which the full text report says them: summary, outputs and where they differ,
 * values, patterns (a pattern before its parts), rewrites, phases, loops, parameters, names, accesses,
 * work, register lanes, unknowns; after the last kernel the rows of the comparisons. A number therefore
 * depends on the selected kernels, never on the level. */
#include "report/rep_plan.h"

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

/* Patterns as a forest in preorder, roots and siblings in index order. Child lists are chained through
 * `next` so that the walk is linear; a parent that does not exist, or a cycle, makes a pattern a root
 * rather than losing it. */
static void add_patterns(struct rep_plan *plan, struct arena *a, const struct fact_kernel *k, uint32_t kernel)
{
    size_t n = k->patterns.n;
    int32_t *first = ARENA_ARRAY(a, int32_t, n), *next = ARENA_ARRAY(a, int32_t, n),
            *stack = ARENA_ARRAY(a, int32_t, n);
    uint32_t *depth = ARENA_ARRAY(a, uint32_t, n);
    bool *said = ARENA_ARRAY(a, bool, n);
    if (!first || !next || !stack || !depth || !said)
        return;
    for (size_t i = 0; i < n; i++)
        first[i] = next[i] = -1;
    for (size_t i = n; i-- > 0;) {
        int32_t parent = k->patterns.p[i].parent;
        if (parent >= 0 && (size_t)parent < n && (size_t)parent != i) {
            next[i] = first[parent];
            first[parent] = (int32_t)i;
        }
    }
    for (int pass = 0; pass < 2; pass++) /* the second takes what hangs in a cycle */
        for (size_t root = 0; root < n; root++) {
            int32_t parent = k->patterns.p[root].parent;
            bool is_root = parent < 0 || (size_t)parent >= n || (size_t)parent == root;
            if (said[root] || (pass == 0 && !is_root))
                continue;
            size_t top = 0;
            stack[top++] = (int32_t)root;
            depth[root] = 0;
            said[root] = true;
            while (top > 0) {
                int32_t i = stack[--top];
                add(plan, a,
                    (struct rep_statement){
                        .kind = REP_PATTERN, .kernel = kernel, .index = (uint32_t)i, .depth = depth[i]});
                size_t base = top;
                for (int32_t child = first[i]; child >= 0; child = next[child])
                    if (!said[child]) {
                        said[child] = true;
                        depth[child] = depth[i] + 1;
                        stack[top++] = child;
                    }
                for (size_t lo = base, hi = top; lo + 1 < hi; lo++) { /* the first child on top */
                    int32_t swap = stack[lo];
                    stack[lo] = stack[--hi];
                    stack[hi] = swap;
                }
            }
        }
}

bool rep_plan_make(struct rep_plan *plan, const struct fact_document *doc, struct arena *a)
{
    *plan = (struct rep_plan){0};
    for (uint32_t i = 0; i < doc->kernels.n; i++) {
        const struct fact_kernel *k = &doc->kernels.p[i];
        VEC_PUSH(a, plan->kernel_first, (uint32_t)plan->list.n);
        add(plan, a, (struct rep_statement){.kind = REP_SUMMARY, .kernel = i});
        add_outputs(plan, a, k, i);
        add_each(plan, a, i, REP_VALUE, k->values.n);
        add_patterns(plan, a, k, i);
        add_each(plan, a, i, REP_REWRITE, k->rewrites.n);
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
