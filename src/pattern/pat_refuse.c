/* Why a compare-and-select was not made one min/max operation (D14): both forms of the operation, the one
 * that drops a NaN and (from sm_80 on) the one that keeps it, are evaluated against the select on special
 * values in a fixed order; the first pair on which they differ is the witness. A constant operand is the
 * only value tried for it. The reason is named by the form that fails last: the one that would have been
 * chosen.
 *
 * Requires pat_run's result; gives one record a select that a match describes. */
#include "pattern/pat_internal.h"

#include "base/str.h"

enum { NAN_FORM_FROM = 80, HALF_FORM_FROM = 80 };

struct witness {
    bool found;
    bool flush;    /* without flushing subnormals they would agree */
    unsigned rank; /* place in the order of pairs */
    uint64_t a, b, here, there;
};

static uint64_t value_at(const struct graph *g, graph_id node, enum uop_type as, unsigned k, unsigned *count)
{
    uint64_t fixed;
    *count = PAT_SPECIALS;
    if (graph_is_const(g, node, &fixed)) {
        *count = 1;
        return fixed;
    }
    return pat_special(as, k);
}

static struct witness search(const struct graph *g, graph_id node, const struct pat_minmax *v, unsigned flags)
{
    unsigned as = 1, bs = 1;
    struct witness w = {0};
    for (unsigned i = 0; i < as; i++) {
        for (unsigned k = 0; k < bs; k++) {
            w.a = value_at(g, v->a, v->as, i, &as);
            w.b = value_at(g, v->b, v->as, k, &bs);
            w.rank = i * PAT_SPECIALS + k;
            if (!pat_eval_select(g, node, v, w.a, w.b, &w.here))
                return w;
            w.there = pat_eval_minmax(v->as, v->maximum, flags, w.a, w.b);
            if (!pat_same(v->as, w.here, w.there)) {
                unsigned keep = flags & ~(unsigned)UOP_FTZ;
                w.found = true;
                w.flush = keep != flags && pat_same(v->as, w.here, pat_eval_minmax(v->as, v->maximum, keep, w.a, w.b));
                return w;
            }
        }
    }
    return w;
}

static const char *reason_of(enum uop_type as, const struct witness *w)
{
    if (w->flush)
        return "subnormal";
    if (pat_is_nan(as, w->a) || pat_is_nan(as, w->b))
        return "nan";
    return pat_is_zero(as, w->here) && pat_is_zero(as, w->there) ? "signed-zero" : "subnormal";
}

static const char *text_of(struct arena *a, enum uop_type as, uint64_t bits)
{
    char out[32];
    if (pat_is_nan(as, bits))
        return "NaN";
    if (as == UOP_F64) {
        str_float64(out, bits);
    } else if (as == UOP_F32) {
        str_float32(out, (uint32_t)bits);
    } else {
        return arena_printf(a, "0x%04x", (unsigned)bits);
    }
    return arena_strdup(a, out);
}

/* The operand that varies is `a`, the bound `b`; with two alike the left one of the compare as it was written. */
static void orient(const struct mean *m, graph_id node, struct pat_minmax *v)
{
    const struct graph *g = m->g;
    const struct graph_node *n = graph_at(g, node), *c = graph_at(g, n->arg[0]);
    bool bound_a = graph_is_const(g, v->a, NULL) || mean_param_of(m, v->a);
    bool bound_b = graph_is_const(g, v->b, NULL) || mean_param_of(m, v->b);
    bool turn = bound_a != bound_b ? bound_a : (c->flags & UOP_SWAPPED) != 0;
    if (turn) {
        graph_id t = v->a;
        v->a = v->b;
        v->b = t;
    }
}

/* There is such an operation for the format. */
static bool has_operation(const struct graph *g, enum uop_type as)
{
    return as == UOP_F32 || ((as == UOP_F16 || as == UOP_BF16) && g->env->sm >= HALF_FORM_FROM);
}

enum sp_status pat_refusals(struct mean *m, const struct pat_result *matches, struct arena *a, struct pat_refusals *out)
{
    struct graph *g = m->g;
    struct map_u64 done = {0};
    *out = (struct pat_refusals){0};
    for (uint32_t i = 0; i < matches->matches.n; i++) {
        graph_id node = matches->matches.p[i].root;
        struct pat_minmax v;
        uint32_t known;
        if (!matches->matches.p[i].is_select || node == GRAPH_NIL || graph_at(g, node)->kind != UOP_SELECT ||
            map_u64_get(&done, node, &known))
            continue;
        map_u64_put(a, &done, node, 1);
        if (!pat_minmax_of(g, node, &v) || v.spelled_out || !has_operation(g, v.as))
            continue;
        orient(m, node, &v);
        unsigned ftz = graph_at(g, graph_at(g, node)->arg[0])->flags & UOP_FTZ;
        struct witness plain = search(g, node, &v, ftz), keeping = {0};
        bool has_keeping = g->env->sm >= NAN_FORM_FROM;
        if (has_keeping)
            keeping = search(g, node, &v, ftz | UOP_NAN);
        struct pat_refusal r = {.match = i};
        if (plain.found && (keeping.found || !has_keeping)) {
            bool later = has_keeping && reason_of(v.as, &plain)[0] == 'n' && reason_of(v.as, &keeping)[0] != 'n';
            r.reason = reason_of(v.as, later ? &keeping : &plain);
            r.a = text_of(a, v.as, plain.a);
            r.b = text_of(a, v.as, plain.b);
            r.here = text_of(a, v.as, plain.here);
            r.fmnmx = text_of(a, v.as, plain.there);
            if (has_keeping) {
                r.nan_a = text_of(a, v.as, keeping.a);
                r.nan_b = text_of(a, v.as, keeping.b);
                r.nan_here = text_of(a, v.as, keeping.here);
                r.fmnmx_nan = text_of(a, v.as, keeping.there);
            }
        }
        VEC_PUSH(a, out->list, r);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
