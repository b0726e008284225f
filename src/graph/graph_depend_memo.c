/* What solving has answered. In unrolled code the same two addresses meet again and again, a constant apart: a pair is
 * known by the forms of its addresses without their constants, by what is between these, and by its conditions. The
 * answer is kept with what it cost, so that a budget of work is spent as if each pair had been solved.
 * requires: solving · gives: graph_solve, graph_solve_block */
#include "base/map.h"
#include "graph/graph_depend_internal.h"

#include <string.h>

enum { KEPT_MAX = 1 << 16, NO_FORM = UINT32_MAX };

struct kept_form { /* of an address */
    uint32_t form; /* index into forms, NO_FORM: it has none */
    int64_t k;
};

struct kept_pair {
    graph_id store_when, load_when;
    uint32_t store_form, load_form;
    int64_t apart;
    uint8_t space;
    bool need, same;
};

struct kept_answer {
    struct kept_pair pair;
    uint64_t tries;
    struct graph_solution solution;
};

struct graph_solved {
    struct map_u64 of_address, by_terms, by_pair;
    VEC(struct kept_form) addresses;
    VEC(struct graph_linear) forms; /* without constants */
    VEC(struct kept_answer) answers;
};

static bool same_form(const struct graph_linear *a, const struct graph_linear *b)
{
    bool same = a->n == b->n && a->wraps == b->wraps;
    for (unsigned i = 0; i < a->n && same; i++)
        same = a->t[i].symbol == b->t[i].symbol && a->t[i].c == b->t[i].c;
    return same;
}

static uint32_t number_of(struct graph *g, struct graph_solved *s, struct graph_linear *f)
{
    uint64_t hash = map_hash_mix(f->n, f->wraps);
    uint32_t at;
    for (unsigned i = 0; i < f->n; i++)
        hash = map_hash_mix(map_hash_mix(hash, f->t[i].symbol), (uint64_t)f->t[i].c);
    if (map_u64_get(&s->by_terms, hash, &at))
        return same_form(&s->forms.p[at], f) ? at : (uint32_t)NO_FORM;
    at = (uint32_t)s->forms.n;
    f->k = 0;
    VEC_PUSH(g->a, s->forms, *f);
    return s->forms.n > at && map_u64_put(g->a, &s->by_terms, hash, at) ? at : (uint32_t)NO_FORM;
}

/* The address of a side, as a form by its number and a constant; NO_FORM when that is not known or not kept. */
static struct kept_form form_of(struct graph *g, struct graph_solved *s, const struct graph_side *side)
{
    struct kept_form kept = {.form = NO_FORM};
    struct graph_linear f;
    uint64_t key = (uint64_t)side->space << 32 | side->address;
    uint32_t at;
    if (map_u64_get(&s->of_address, key, &at))
        return s->addresses.p[at];
    if (s->addresses.n >= KEPT_MAX)
        return kept;
    if (graph_address_form(g, side, &f)) {
        kept.k = f.k;
        kept.form = number_of(g, s, &f);
    }
    at = (uint32_t)s->addresses.n;
    VEC_PUSH(g->a, s->addresses, kept);
    if (s->addresses.n > at)
        map_u64_put(g->a, &s->of_address, key, at);
    return kept;
}

static bool same_pair(const struct kept_pair *a, const struct kept_pair *b)
{
    return a->store_when == b->store_when && a->load_when == b->load_when && a->store_form == b->store_form &&
           a->load_form == b->load_form && a->apart == b->apart && a->space == b->space && a->need == b->need &&
           a->same == b->same;
}

/* False: this pair is not kept by. */
static bool describe(struct graph *g, struct graph_solved *s, const struct graph_side *store,
                     const struct graph_side *load, int32_t delta, bool need, struct kept_pair *out)
{
    if (store->address == GRAPH_NIL || load->address == GRAPH_NIL)
        return false;
    struct kept_form x = form_of(g, s, store), y = form_of(g, s, load);
    *out = (struct kept_pair){.store_when = store->when,
                              .load_when = load->when,
                              .store_form = x.form,
                              .load_form = y.form,
                              .space = store->space,
                              .need = need,
                              .same = store->address == load->address};
    return x.form != NO_FORM && y.form != NO_FORM && !__builtin_sub_overflow(y.k, (int64_t)delta, &out->apart) &&
           !__builtin_sub_overflow(out->apart, x.k, &out->apart);
}

static void solve(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                  bool need, struct graph_solution *out)
{
    struct graph_facts *facts = graph_facts_of(g);
    struct kept_pair pair;
    uint32_t at;
    *out = (struct graph_solution){.need = need};
    if (facts && !facts->solved)
        facts->solved = ARENA_NEW(g->a, struct graph_solved);
    struct graph_solved *s = facts ? facts->solved : NULL;
    if (!s || !describe(g, s, store, load, delta, need, &pair)) {
        graph_solve_pair(g, store, load, delta, out);
        return;
    }
    uint64_t hash = map_hash_mix((uint64_t)pair.store_form << 32 | pair.load_form, (uint64_t)pair.apart);
    hash = map_hash_mix(hash, (uint64_t)pair.store_when << 32 | pair.load_when);
    hash = map_hash_mix(hash, (unsigned)pair.space << 2 | (unsigned)need << 1 | pair.same);
    if (map_u64_get(&s->by_pair, hash, &at) && same_pair(&s->answers.p[at].pair, &pair)) {
        *out = s->answers.p[at].solution;
        facts->tries += s->answers.p[at].tries;
        return;
    }
    uint64_t before = facts->tries;
    graph_solve_pair(g, store, load, delta, out);
    at = (uint32_t)s->answers.n;
    if (at >= KEPT_MAX)
        return;
    VEC_PUSH(g->a, s->answers, (struct kept_answer){pair, facts->tries - before, *out});
    if (s->answers.n > at)
        map_u64_put(g->a, &s->by_pair, hash, at);
}

void graph_solve(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                 struct graph_solution *out)
{
    solve(g, store, load, delta, false, out);
}

void graph_solve_block(struct graph *g, const struct graph_side *store, const struct graph_side *load, int32_t delta,
                       struct graph_solution *out)
{
    solve(g, store, load, delta, true, out);
}
