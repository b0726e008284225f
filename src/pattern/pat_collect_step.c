/* From steps to what they add up to. Steps through memory are cut into stretches wherever something else is stored in
 * between, steps between lanes follow one another by value; a stretch is played for blocks of several sizes and a
 * page's block beside it. Where both agree to the end and one element holds all, or each those before it, the page has
 * matched - if no load of a step may read anything but the step before, and no other thread's store can overtake it.
 *
 * Requires steps, the index and memory dependence. */
#include "pattern/pat_collect.h"
#include "graph/graph_depend.h"
#include "place/place.h"

#include <stdlib.h>
#include <string.h>

struct stretch {
    const struct pat_step *steps;
    uint32_t count;
};

struct agreed {
    unsigned from, count, threads, left, beyond;
    bool everywhere, ended, assumed;
    enum pat_outcome outcome;
    const struct pat_variant *variant;
};

/* ---- one match ------------------------------------------------------------------------------- */

static void enter_node(struct pat_collect *k, graph_id node)
{
    VEC_PUSH(k->c->a, k->c->inner, (struct pat_inner){.node = node});
}

static void enter_load(struct pat_collect *k, graph_id node)
{
    VEC_PUSH(k->c->a, k->c->inner, (struct pat_inner){.node = node, .load = true});
}

static void enter_shuffle(struct pat_collect *k, graph_id node, unsigned depth)
{
    const struct graph_node n = *graph_at(k->x->g, node);
    enter_node(k, node);
    for (unsigned i = 0; i < n.arg_count && n.kind == UOP_PAIR && depth < 3; i++)
        enter_shuffle(k, n.arg[i], depth + 1);
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI && depth < 3; i++)
        enter_shuffle(k, n.phi_args[i], depth + 1);
}

/* The graph nodes and instances that the steps are made of go into the context. */
static void enter_steps(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct pat_step *s = steps[i];
        enter_node(k, s->value);
        if (s->load_own != UINT32_MAX)
            enter_load(k, s->own);
        if (s->load_other != UINT32_MAX)
            enter_load(k, s->other);
        else
            enter_shuffle(k, s->other, 0);
        if (s->chosen != GRAPH_NIL)
            enter_node(k, s->chosen);
        if (graph_at(k->x->g, s->value)->kind == UOP_SELECT && s->when != GRAPH_NIL)
            for (unsigned a = 1; a <= 2; a++)
                if (graph_at(k->x->g, s->value)->arg[a] != s->own)
                    enter_node(k, graph_at(k->x->g, s->value)->arg[a]);
        if (s->when != GRAPH_NIL)
            VEC_PUSH(k->c->a, k->c->conditions, s->when);
        if (s->loop)
            pat_play_counters(k->play, s->loop - 1, k->c);
    }
}

struct first_seen {
    const struct graph *g;
    uint32_t insn;
};

static void note_first(void *user, uint32_t insn, bool merged)
{
    struct first_seen *seen = user;
    (void)merged;
    insn = pat_top_insn(seen->g, insn);
    seen->insn = insn < seen->insn ? insn : seen->insn;
}

/* First instance that makes a shuffled value, whole or in two words. */
static uint32_t first_shuffle(struct pat_collect *k, graph_id node, uint32_t before, unsigned depth)
{
    const struct graph_node n = *graph_at(k->x->g, node);
    struct first_seen seen = {k->x->g, before};
    pat_holders(k->x, node, note_first, &seen);
    before = seen.insn;
    for (unsigned i = 0; i < n.arg_count && n.kind == UOP_PAIR && depth < 3; i++)
        before = first_shuffle(k, n.arg[i], before, depth + 1);
    for (uint32_t i = 0; i < n.phi_count && n.kind == GRAPH_PHI && depth < 3; i++)
        before = first_shuffle(k, n.phi_args[i], before, depth + 1);
    return before;
}

/* Of two buffers the one written last is read. */
static bool is_last_read(const struct pat_collect *k, const struct pat_step *last)
{
    const struct graph *g = k->x->g;
    const struct graph_dependence *d = g->dependence;
    struct graph_affine to, from;
    if (!graph_affine(g, g->accesses.p[last->store].address, &to))
        return false;
    int64_t apart = last->moved < 0 ? -last->moved : last->moved;
    for (uint32_t i = 0; i < g->accesses.n; i++)
        for (uint32_t r = d->first_reach[i]; r < d->first_reach[i + 1]; r++) {
            if (d->reaches.p[r].store != last->store || !graph_affine(g, g->accesses.p[i].address, &from))
                continue;
            int64_t way = from.offset - to.offset;
            if (from.base == to.base && way < apart && -way < apart)
                return true;
        }
    return false;
}

static bool match_steps(struct pat_collect *k, const struct pat_page *page, const struct pat_step *const *steps,
                        uint32_t count, const struct agreed *g)
{
    struct pat_ctx *c = k->c;
    const struct pat_plan *plan = g->variant->plan;
    struct pat_collective *v = ARENA_NEW(k->a, struct pat_collective);
    struct pat_ordered seen = {0};
    if (!v)
        return false;
    bool memory = plan->kind == PLAN_MEMORY, in_register = false;
    if (!memory && g->outcome == PAT_PART)
        return false; /* lanes that stop on the way: nobody has anything */
    *v = (struct pat_collective){.op = steps[0]->op,
                                 .like = steps[0]->like,
                                 .reach = memory ? PAT_IN_BLOCK : PAT_IN_WARP,
                                 .outcome = g->outcome,
                                 .left = g->left,
                                 .width = g->threads,
                                 .everywhere = g->everywhere,
                                 .down = k->down,
                                 .first = steps[0]->insn,
                                 .exact = true};
    for (uint32_t i = 0; i < count; i++)
        v->exact &= steps[i]->exact;
    if (!v->exact && !(page->rules & PAT_RULE_SELECT))
        return false;
    if (memory && !pat_steps_ordered(k, steps, count, v, &seen))
        return false;
    if (pat_is_fragment(k, v, steps[0]))
        return false;
    if (steps[count - 1]->moved && !is_last_read(k, steps[count - 1]))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (memory && steps[i]->load_own == UINT32_MAX) {
            bool loaded;
            if (!pat_is_carried(k, steps, count, v, steps[i]->own, &loaded))
                return false;
            in_register |= !loaded && steps[i]->again == UINT32_MAX;
        }
        if (memory && steps[i]->store != UINT32_MAX)
            VEC_PUSH(k->a, v->stores, steps[i]->store);
        VEC_PUSH(k->a, v->values, steps[i]->value);
        VEC_PUSH(k->a, v->steps, steps[i]);
        uint32_t at = pat_top_insn(k->x->g, steps[i]->insn);
        v->last = at > v->last || !i ? at : v->last;
    }
    for (size_t i = 0; i < v->fills.n; i++)
        VEC_PUSH(k->a, v->inputs, k->x->g->accesses.p[v->fills.p[i]].value[0]);
    if (!memory) {
        const struct graph_node *own = graph_at(k->x->g, steps[0]->own);
        if (steps[0]->loop && own->kind == GRAPH_PHI)
            for (uint32_t i = 0; i < own->phi_count; i++) {
                if (own->phi_args[i] != steps[0]->value)
                    VEC_PUSH(k->a, v->inputs, own->phi_args[i]);
            }
        else
            VEC_PUSH(k->a, v->inputs, steps[0]->own);
    }
    v->result_address = memory ? steps[0]->own_address : GRAPH_NIL;
    if (memory && steps[count - 1]->moved)
        v->result_address = k->x->g->accesses.p[steps[count - 1]->store].address;

    pat_ctx_begin(c, page, g->variant, steps[count - 1]->value);
    if (!v->exact)
        c->via |= PAT_RULE_SELECT;
    enter_steps(k, steps, count);
    VEC(uint32_t) extra = {0};
    for (uint32_t i = 0; memory && i < count; i++)
        if (steps[i]->store != UINT32_MAX)
            VEC_PUSH(k->a, extra, steps[i]->insn);
    for (uint32_t i = 0; memory && i < count; i++)
        if (steps[i]->again != UINT32_MAX)
            VEC_PUSH(k->a, extra, k->x->g->accesses.p[steps[i]->again].insn);
    for (size_t i = 0; i < seen.parts.n; i++)
        VEC_PUSH(k->a, extra, seen.parts.p[i]);
    if (plan->operation >= 0)
        c->bound[plan->operation] = (struct pat_bound){.set = true, .text = pat_op_text(v->op)};
    if (plan->array >= 0)
        c->bound[plan->array] = (struct pat_bound){.set = true, .text = uop_space_text(UOP_SHARED), .param = -1};
    v->found = pat_keep(k->run, steps[count - 1]->value, extra.p, (unsigned)extra.n);
    if (!v->found)
        return false;
    v->found->choice[PAT_CHOICE_SYNC] = seen.block ? 0 : 1;
    v->found->choice[PAT_CHOICE_SELF] = in_register;
    v->found->match.makes = g->outcome == PAT_PREFIXES ? PAT_MAKES_PREFIXES : PAT_MAKES_ONE;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t loads[2] = {steps[i]->load_own, steps[i]->load_other};
        for (int w = 0; w < 2; w++)
            if (loads[w] != UINT32_MAX && k->x->g->accesses.p[loads[w]].insn < first)
                first = k->x->g->accesses.p[loads[w]].insn;
        if (!memory)
            first = first_shuffle(k, steps[i]->other, first, 0);
        if (steps[i]->loop && k->x->g->cycles && k->x->g->cycles->cycle_of)
            v->found->cycle = k->x->g->cycles->cycle_of[k->x->g->loops.p[steps[i]->loop - 1].header];
    }
    v->found->match.first = first < v->last ? first : v->last;
    v->found->match.last = v->last;
    if (seen.assumed || g->assumed)
        v->found->match.confidence = PAT_ASSUMED;
    v->found->width = g->threads;
    v->found->held = g->outcome == PAT_PART; /* until another one finishes it */
    VEC_PUSH(k->a, k->list, v);
    return true;
}

/* ---- stretches ------------------------------------------------------------------------------- */

static bool wanted(const struct pat_variant *v, enum pat_plan_kind kind, enum pat_op op)
{
    return v->plan && v->plan->kind == kind && (v->plan->fixed == PAT_OP_NONE || v->plan->fixed == op);
}

/* The longest agreement of a variant with turns from `from`, or none. */
static bool agree(struct pat_collect *k, const struct pat_page *page, enum pat_plan_kind kind, const struct stretch *s,
                  const struct pat_trace *t, unsigned from, struct agreed *best)
{
    best->count = 0;
    for (size_t i = 0; i < page->variants.n; i++) {
        const struct pat_variant *v = &page->variants.p[i];
        struct agreed now = {.from = from, .threads = t->threads, .variant = v};
        if (!wanted(v, kind, s->steps[t->turn[from]->step].op))
            continue;
        now.count = pat_play_block(v->plan, t, from, &now.ended, &now.beyond);
        if (!now.count || now.count < best->count || (now.count == best->count && now.beyond >= best->beyond))
            continue;
        now.outcome =
            pat_play_outcome(k->a, t, from, now.count, s->steps[t->turn[from]->step].op, &now.left, &now.everywhere);
        enum pat_outcome meant = v->plan->means;
        bool as_meant = now.outcome == meant || (now.outcome == PAT_PART && meant == PAT_ALL_IN_ONE);
        if (now.outcome == PAT_NOTHING || !as_meant || (!now.ended && now.outcome != PAT_PART) ||
            (now.count < 2 && now.outcome != PAT_PART))
            continue;
        *best = now;
    }
    return best->count != 0;
}

/* Steps of the turns of an agreement, each once, in order. */
static uint32_t steps_of(struct pat_collect *k, const struct stretch *s, const struct pat_trace *t,
                         const struct agreed *g, const struct pat_step ***out)
{
    bool *in = ARENA_ARRAY(k->a, bool, s->count);
    *out = ARENA_ARRAY(k->a, const struct pat_step *, s->count);
    uint32_t count = 0;
    if (!in || !*out)
        return 0;
    for (unsigned i = g->from; i < g->from + g->count; i++)
        in[t->turn[i]->step] = true;
    for (uint32_t i = 0; i < s->count; i++)
        if (in[i])
            (*out)[count++] = &s->steps[i];
    return count;
}

/* A loop's turns are all of one kind: a step that agrees in some of its turns only is not understood. */
static bool is_whole(const struct pat_trace *t, const struct agreed *g)
{
    for (unsigned i = 0; i < t->count; i++)
        for (unsigned k = g->from; k < g->from + g->count && (i < g->from || i >= g->from + g->count); k++)
            if (t->turn[i]->step == t->turn[k]->step)
                return false;
    return true;
}

/* Whether the steps go by the size of the block: the first one then reaches as far as that size says, or there are as
 * many as it says, and only the sizes that can be halved to the end work out. Leaves the trace of blocks of half the
 * size. */
static bool goes_by_size(struct pat_collect *k, const struct stretch *s, unsigned size)
{
    struct pat_trace *t = k->trace;
    int before = t->turn[0]->other[0] - t->turn[0]->own[0];
    unsigned turns = t->count;
    return size < 4 || !pat_play_steps(k->play, s->steps, s->count, size / 2, t) ||
           t->turn[0]->other[0] - t->turn[0]->own[0] != before || t->count != turns;
}

/* Prefixes are those of the whole block, or of each row of lanes: where the largest block that there may be does more
 * than the one played, elements behind are none. */
static bool scans_all(struct pat_collect *k, const struct pat_step *const *steps, uint32_t count,
                      enum pat_plan_kind kind, unsigned size, struct agreed *g)
{
    struct pat_step *list = ARENA_ARRAY(k->a, struct pat_step, count + 1); /* nothing but what has matched */
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = *steps[i];
    if (!list)
        return false;
    unsigned fixed = k->x->g->input.env->block[0], most = 32;
    bool known = true;
    if (kind == PLAN_MEMORY)
        most = list[0].store != UINT32_MAX ? pat_play_most(k->play, list[0].store, 1, &known) : PAT_THREADS;
    unsigned width = fixed || known ? 0 : graph_block_width(k->x->g, 0); /* threads that the code counts with */
    if (width && width < most)
        most = width;
    int64_t room = (list[0].moved < 0 ? -list[0].moved : list[0].moved) / (int64_t)(list[0].width ? list[0].width : 1);
    if (list[0].moved && room < (int64_t)most) /* of two buffers one */
        most = (unsigned)room;
    if (fixed ? fixed <= size : most <= size)
        return true;
    unsigned next = size; /* powers of two are played */
    while (2 * next <= most)
        next *= 2;
    bool all = pat_play_steps(k->play, list, count, next, k->trace) &&
               pat_play_prefixes(k->a, k->trace, list[0].op, kind == PLAN_MEMORY ? next : size);
    if (!all && kind == PLAN_MEMORY && !known && !width && !k->trace->runs) {
        g->assumed = true; /* a block of as many threads as the distances ask for */
        all = true;
    }
    return all;
}

/* One page on a trace that has been played: what agrees from turn to turn. */
static bool match_page(struct pat_collect *k, const struct pat_page *page, enum pat_plan_kind kind,
                       const struct stretch *s, unsigned size)
{
    struct pat_trace *t = k->trace;
    bool any = false, known = k->x->g->input.env->block[0] != 0;
    for (unsigned from = 0; from < t->count;) {
        struct agreed g;
        const struct pat_step **steps;
        if (!agree(k, page, kind, s, t, from, &g)) {
            from++;
            continue;
        }
        /* Where the code runs as long as the block asks, it must do so for blocks of other sizes. */
        uint32_t count = steps_of(k, s, t, &g, &steps);
        bool good = count != 0 && is_whole(t, &g) &&
                    (kind != PLAN_MEMORY || (pat_reads_newest(k, s->steps, t, g.from, g.count) &&
                                             pat_overtakes_nobody(k, s->steps, t, g.from, g.count, &g.assumed)));
        if (t->runs && kind == PLAN_MEMORY && good && !known) {
            struct agreed other;
            unsigned turns = t->count;
            if (goes_by_size(k, s, size)) {
                g.assumed = true;
                good = pat_play_steps(k->play, s->steps, s->count, k->down ? size / 2 : 64, t) && t->count <= turns &&
                       from < t->count && agree(k, page, kind, s, t, from, &other) && other.variant == g.variant;
            }
            if (!pat_play_steps(k->play, s->steps, s->count, size, t))
                return any;
        }
        if (good && k->down) {
            good = g.outcome == PAT_ALL_IN_ONE && pat_play_columns(k->play, s->steps, s->count, t, k->column);
        } else if (good && kind == PLAN_MEMORY) {
            enum pat_rows rows = pat_play_rows(k->play, steps, count);
            good = rows != PAT_ROWS_MEET;
            g.assumed |= rows == PAT_ROWS_MAY_MEET;
        }
        if (good && g.outcome == PAT_PREFIXES) {
            good = scans_all(k, steps, count, kind, size, &g);
            if (!pat_play_steps(k->play, s->steps, s->count, size, t))
                return any;
        }
        any |= good && match_steps(k, page, steps, count, &g);
        from += g.count;
    }
    return any;
}

static bool has_plan(const struct pat_page *page, enum pat_plan_kind kind)
{
    for (size_t i = 0; i < page->variants.n; i++)
        if (page->variants.p[i].plan && page->variants.p[i].plan->kind == kind)
            return true;
    return false;
}

static bool match_stretch(struct pat_collect *k, const struct pat_library *lib, enum pat_plan_kind kind,
                          const struct stretch *s)
{
    static const unsigned blocks[] = {1024, 512, 256, 128, 64, 32, 16, 8, 4, 2}, warps[] = {32, 16, 8, 4, 2};
    static const unsigned looped[] = {256, 1024, 512, 128, 64, 32, 16, 8, 4, 2};
    const unsigned *sizes = kind == PLAN_MEMORY ? blocks : warps;
    unsigned size_count = kind == PLAN_MEMORY ? 10 : 5, fixed = k->x->g->input.env->block[0];
    if (kind == PLAN_MEMORY && fixed && fixed <= PAT_THREADS) {
        sizes = &fixed;
        size_count = 1;
    }
    static const unsigned columns[] = {64, 32, 16, 8, 4, 2};
    bool turns = false, any = false;
    if (k->down) {
        fixed = k->x->g->input.env->block[1];
        sizes = fixed ? &fixed : columns;
        size_count = fixed ? fixed <= PAT_THREADS : 6;
    }
    for (uint32_t i = 0; i < s->count; i++)
        turns |= s->steps[i].loop != 0;
    /* In a loop the length depends on the block: an ordinary size shows it. */
    if (turns && size_count == 10)
        sizes = looped;
    for (unsigned i = 0; i < size_count && !any; i++) {
        if (!pat_play_steps(k->play, s->steps, s->count, sizes[i], k->trace))
            continue;
        for (size_t p = 0; p < lib->pages.n; p++) {
            if (!has_plan(&lib->pages.p[p], kind))
                continue;
            pat_run_at_page(k->run, (unsigned)p);
            any |= match_page(k, &lib->pages.p[p], kind, s, sizes[i]);
        }
    }
    return any;
}

/* Does a step go on with what another one of the list did, with nothing else stored to that memory in between? */
static bool goes_on(const struct pat_collect *k, const struct pat_step *before, const struct pat_step *next)
{
    const struct graph *g = k->x->g;
    const uint32_t *object = g->dependence ? g->dependence->object_of : NULL;
    if (before->store == UINT32_MAX || !pat_alike(&next->like, &before->like) || next->width != before->width)
        return false; /* what is kept is the end */
    for (uint32_t a = before->store + 1; a < next->store && a < next->load_other; a++)
        if (g->accesses.p[a].kind != GRAPH_LOAD && g->accesses.p[a].space == UOP_SHARED &&
            (!object || object[a] == object[before->store]))
            return false;
    return true;
}

/* The memory of a step: that of the element it takes in. */
static uint32_t object_of(const struct pat_collect *k, const struct pat_step *s)
{
    const uint32_t *object = k->x->g->dependence ? k->x->g->dependence->object_of : NULL;
    return object ? object[s->load_other] : 0;
}

/* Steps through memory that follow one another in one array; those of another array may stand between. */
static void match_memory(struct pat_collect *k, const struct pat_library *lib)
{
    const struct graph_dependence *d = k->x->g->dependence;
    uint32_t n = (uint32_t)k->steps.n;
    bool *used = ARENA_ARRAY(k->a, bool, n + 1);
    struct pat_step *list = ARENA_ARRAY(k->a, struct pat_step, n + 1);
    for (uint32_t i = 0; used && list && i < n; i++) {
        uint32_t count = 0, object = object_of(k, &k->steps.p[i]);
        if (used[i])
            continue;
        for (uint32_t to = i; to < n; to++) {
            const struct pat_step *next = &k->steps.p[to];
            if (used[to] || object_of(k, next) != object)
                continue;
            if (count && !goes_on(k, &list[count - 1], next))
                break;
            used[to] = true;
            list[count++] = *next;
            if (next->moved && next->store != UINT32_MAX && d && d->object_of)
                object = d->object_of[next->store]; /* that is where the elements are now */
        }
        struct pat_step *kept = ARENA_ARRAY(k->a, struct pat_step, count + 1);
        if (!kept)
            return;
        memcpy(kept, list, count * sizeof *kept);
        struct stretch s = {kept, count};
        bool any = match_stretch(k, lib, PLAN_MEMORY, &s);
        for (unsigned tries = 0; !any && tries < 4 && s.count > 1 && kept[s.count - 1].store == UINT32_MAX;
             tries++) { /* what is kept may be none of theirs */
            s.count--;
            any = match_stretch(k, lib, PLAN_MEMORY, &s);
        }
        k->down = !any && pat_play_asks_rows(k->play);
        if (k->down) { /* the threads of each column may do it */
            pat_play_down(k->play, true, 0);
            match_stretch(k, lib, PLAN_MEMORY, &s);
            pat_play_down(k->play, false, 0);
            k->down = false;
        }
    }
}

/* Steps between lanes: the own value of one is what the one before made. */
static void match_lanes(struct pat_collect *k, const struct pat_library *lib)
{
    uint32_t n = (uint32_t)k->lanes.n;
    bool *after = ARENA_ARRAY(k->a, bool, n + 1), *used = ARENA_ARRAY(k->a, bool, n + 1);
    struct pat_step *list = ARENA_ARRAY(k->a, struct pat_step, n + 1);
    uint32_t *next = ARENA_ARRAY(k->a, uint32_t, n + 1), at;
    struct map_u64 by_own = {0};
    if (!after || !used || !list || !next)
        return;
    for (uint32_t i = n; i-- > 0;) {
        next[i] = map_u64_get(&by_own, k->lanes.p[i].own, &at) ? at : UINT32_MAX;
        map_u64_put(k->a, &by_own, k->lanes.p[i].own, i);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = map_u64_get(&by_own, k->lanes.p[i].value, &at) ? at : UINT32_MAX; j != UINT32_MAX;
             j = next[j])
            after[j] |= j != i && pat_alike(&k->lanes.p[j].like, &k->lanes.p[i].like);
    for (uint32_t i = 0; i < n; i++) {
        if (after[i])
            continue;
        uint32_t count = 0, j = i;
        while (j != UINT32_MAX && !used[j] && count < PAT_TURNS) {
            used[j] = true;
            list[count++] = k->lanes.p[j];
            uint32_t follow = map_u64_get(&by_own, k->lanes.p[j].value, &at) ? at : UINT32_MAX;
            while (follow != UINT32_MAX && (used[follow] || !pat_alike(&k->lanes.p[follow].like, &k->lanes.p[i].like)))
                follow = next[follow];
            j = follow;
        }
        struct pat_step *kept = ARENA_ARRAY(k->a, struct pat_step, count + 1);
        if (!kept)
            return;
        memcpy(kept, list, count * sizeof *kept);
        struct stretch s = {kept, count};
        match_stretch(k, lib, PLAN_LANES, &s);
    }
}

void pat_collect_steps(struct pat_collect *k, const struct pat_library *lib)
{
    match_memory(k, lib);
    match_lanes(k, lib);
}
