/* Plays single accesses to shared memory: who stores a result, who loads it, and whether each warp's is handed over
 * once. Requires what pat_play.c computes of addresses and conditions; gives answers for blocks of some size. */
#include "pattern/pat_play.h"
#include "graph/graph_depend.h"
#include "place/place.h"

#include <string.h>

/* All threads of one row that load do so from where the row's first thread has its `own` element; `to`: where they
 * load from. */
static bool row_reads_first(struct pat_play *p, const struct graph_affine *own, const struct graph_affine *to,
                            unsigned width, graph_id when, bool *any)
{
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        int64_t from_own, of_thread, of_first;
        unsigned thread = p->thread;
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, when, true);
        if (acts == IS_FALSE)
            continue;
        if (!pat_play_apart(p, own, to, 0, width, &from_own) || !pat_play_element(p, own, width, &of_thread))
            return false;
        p->thread = 0;
        pat_play_forget(p);
        bool known = pat_play_element(p, own, width, &of_first);
        p->thread = thread;
        if (!known || of_thread + from_own != of_first)
            return false;
        *any = true;
    }
    return true;
}

bool pat_play_reads_first(struct pat_play *p, graph_id address, graph_id own, unsigned width, graph_id when)
{
    struct graph_affine a, b;
    bool any = false, reads = true;
    if (!graph_affine(p->g, own, &a) || !graph_affine(p->g, address, &b))
        return false;
    p->threads = 64;
    /* Every row its own result, not that of another one. */
    for (unsigned row = 0; row < (p->rows && !p->down ? 6 : 1) && reads; row++) {
        p->row = row % 3;
        p->layer = row / 3;
        reads = row_reads_first(p, &a, &b, width, when, &any);
    }
    p->row = p->layer = 0;
    pat_play_forget(p);
    return reads && any;
}

bool pat_play_same(struct pat_play *p, graph_id a, graph_id b, unsigned width, graph_id when)
{
    struct graph_affine f, h;
    bool any = false;
    if (!graph_affine(p->g, a, &f) || !graph_affine(p->g, b, &h))
        return false;
    p->threads = 64;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        int64_t away;
        pat_play_forget(p);
        if (pat_play_truth(p, when, true) == IS_FALSE)
            continue;
        if (!pat_play_apart(p, &f, &h, 0, width, &away) || away)
            return false;
        any = true;
    }
    return any;
}

bool pat_play_stores_first(struct pat_play *p, const struct graph_access *store, bool everywhere)
{
    bool any = false;
    p->threads = 256;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, store->runs_when, true);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || (p->thread && !everywhere))
            return false;
        any = true;
    }
    return any;
}

bool pat_play_whole_warps(struct pat_play *p, graph_id when)
{
    if (when == GRAPH_NIL)
        return true;
    p->threads = 128;
    enum truth first = IS_UNKNOWN;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, when, false);
        if (acts == IS_UNKNOWN)
            return !pat_differs_in_block(p, when);
        if (p->thread % 32 && acts != first)
            return false;
        first = acts;
    }
    return true;
}

bool pat_play_acts(struct pat_play *p, graph_id when, unsigned thread)
{
    p->threads = 64;
    p->thread = thread;
    pat_play_forget(p);
    return pat_play_truth(p, when, true) != IS_FALSE;
}

bool pat_play_reads_rest(struct pat_play *p, const struct graph_access *load, graph_id own, unsigned lanes,
                         unsigned behind, bool *to_all)
{
    struct graph_affine a, b;
    int64_t base = 0, of_thread, away;
    if (!graph_affine(p->g, own, &a) || !graph_affine(p->g, load->address, &b))
        return false;
    p->threads = 64;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, load->runs_when, true);
        if (p->thread >= lanes) {
            *to_all &= acts == IS_FALSE;
            continue;
        }
        if (acts != IS_TRUE || !pat_play_element(p, &a, load->width, &of_thread) ||
            !pat_play_apart(p, &a, &b, 0, load->width, &away))
            return false;
        base = p->thread ? base : of_thread;
        if (of_thread + away - base != (int64_t)p->thread + behind)
            return false;
    }
    return true;
}

/* One size of block: which warp each element is of, then who loads it. */
static bool hands_over(struct pat_play *p, const struct graph_affine *s, const struct graph_affine *l,
                       const struct graph_access *store, const struct graph_access *load, struct pat_handed *how)
{
    int owner[128]; /* by element: warp */
    unsigned warps = p->threads / 32;
    int64_t own, away;
    for (unsigned i = 0; i < 128; i++)
        owner[i] = -1;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, store->runs_when, true);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || (p->thread % 32 && !how->everywhere) || !pat_play_element(p, l, load->width, &own) ||
            !pat_play_apart(p, l, s, 0, load->width, &away) || own + away < 0 || own + away >= 128)
            return false;
        int warp = (int)(p->thread / 32), *at = &owner[own + away];
        if (*at >= 0 && *at != warp)
            return false; /* two warps in one place */
        *at = warp;
    }
    for (unsigned first = 0; first < p->threads; first += how->lanes) {
        unsigned loaded[32] = {0};
        bool good = true;
        for (p->thread = first; p->thread < first + how->lanes; p->thread++) {
            pat_play_forget(p);
            enum truth acts = pat_play_truth(p, load->runs_when, true);
            if (acts == IS_FALSE)
                continue;
            good &= acts == IS_TRUE && pat_play_element(p, l, load->width, &own) && own >= 0 && own < 128;
            if (good && owner[own] >= 0)
                loaded[owner[own]]++;
            else
                good &= how->filled;
        }
        for (unsigned w = 0; w < warps; w++)
            good &= how->again ? loaded[w] > 0 : loaded[w] == 1;
        if (!good && !first)
            return false;
        how->to_all &= good;
    }
    return true;
}

/* One size of block: which warp each element is of, then whether all are there. */
static bool takes_all(struct pat_play *p, const struct graph_access *store, bool everywhere, const struct pat_place *at,
                      unsigned count, bool own)
{
    enum { ELEMENTS = 128 };
    struct graph_affine base, s, l;
    int owner[ELEMENTS];
    unsigned warps = p->threads / 32, taken[32] = {own ? 1 : 0};
    int64_t away;
    if (!graph_affine(p->g, at[0].address, &base) || !graph_affine(p->g, store->address, &s))
        return false;
    for (unsigned i = 0; i < ELEMENTS; i++)
        owner[i] = -1;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, store->runs_when, true);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || (p->thread % 32 && !everywhere) ||
            !pat_play_apart(p, &base, &s, 0, store->width, &away) || away < -ELEMENTS / 2 || away >= ELEMENTS / 2)
            return false;
        int warp = (int)(p->thread / 32), *o = &owner[away + ELEMENTS / 2];
        if (*o >= 0 && *o != warp)
            return false; /* two warps in one place */
        *o = warp;
    }
    p->thread = 0;
    pat_play_forget(p);
    for (unsigned i = 0; i < count; i++) {
        if (!graph_affine(p->g, at[i].address, &l) || !pat_play_apart(p, &base, &l, at[i].bytes, store->width, &away) ||
            away < -ELEMENTS / 2 || away >= ELEMENTS / 2 || owner[away + ELEMENTS / 2] < 0)
            return false;
        taken[owner[away + ELEMENTS / 2]]++;
    }
    for (unsigned w = 0; w < warps; w++)
        if (taken[w] != 1)
            return false;
    return true;
}

bool pat_play_takes_all(struct pat_play *p, uint32_t store_at, bool everywhere, const struct pat_place *at,
                        unsigned count, bool own, bool *always)
{
    const struct graph_access store = p->g->accesses.p[store_at];
    bool any = false, known;
    unsigned most = pat_play_most(p, store_at, 32, &known);
    *always = true;
    for (unsigned threads = 1024; threads >= 64; threads /= 2) {
        if (p->g->input.env->block[0] ? p->g->input.env->block[0] != threads : threads > most)
            continue;
        p->threads = threads;
        bool one = takes_all(p, &store, everywhere, at, count, own);
        if (!one && known && !any)
            return false; /* the array is there for all of these warps */
        any |= one;
        *always &= one;
    }
    return any;
}

/* Is a value made of the number of a row of threads? */
static bool tells_rows(struct pat_play *p, graph_id id, unsigned depth, unsigned *left)
{
    const struct graph_node *n = graph_at(p->g, id);
    if (n->kind == UOP_SREG)
        return n->imm == UOP_SR_TID_Y || n->imm == UOP_SR_TID_Z;
    if (depth > 40 || !*left)
        return false;
    --*left;
    for (unsigned i = 0; i < n->arg_count && (pat_is_pure(n) || n->kind == UOP_UNIFORM); i++)
        if (tells_rows(p, n->arg[i], depth + 1, left))
            return true;
    return false;
}

enum pat_rows pat_play_rows(struct pat_play *p, const struct pat_step *const *steps, uint32_t count)
{
    const uint32_t *block = p->g->input.env->block;
    bool known = block[0] != 0, many = known ? block[1] > 1 || block[2] > 1 : p->rows, guarded = false;
    if (!many)
        return PAT_ROWS_APART;
    for (uint32_t i = 0; i < count; i++) {
        unsigned left = 1024;
        bool told = steps[i]->when != GRAPH_NIL && tells_rows(p, steps[i]->when, 0, &left), idle = told;
        p->threads = 64;
        p->row = 1;
        for (p->thread = 0; p->thread < p->threads && idle; p->thread++) {
            pat_play_forget(p);
            idle = pat_play_truth(p, steps[i]->when, false) == IS_FALSE;
        }
        p->row = 0;
        pat_play_forget(p);
        left = 1024;
        if (!idle && !tells_rows(p, steps[i]->own_address, 0, &left))
            return known ? PAT_ROWS_MEET : PAT_ROWS_MAY_MEET;
        guarded |= told && !idle;
    }
    return known && guarded ? PAT_ROWS_MEET : PAT_ROWS_APART; /* one row was played: it is not all */
}

unsigned pat_play_most(const struct pat_play *p, uint32_t store, unsigned each, bool *known)
{
    const struct graph_env *env = p->g->input.env;
    const struct graph_dependence *d = p->g->dependence;
    unsigned most = env->block_limit[0] && env->block_limit[0] < PAT_THREADS ? env->block_limit[0] : PAT_THREADS;
    *known = false;
    if (!d || !d->object_of)
        return most;
    const struct graph_object *o = &d->objects.p[d->object_of[store]];
    int64_t end = o->to < env->shared_bytes ? o->to : env->shared_bytes;
    if (!o->known || o->from < 0 || o->from >= end)
        return most;
    *known = true;
    int64_t room = (end - o->from) / (int64_t)p->g->accesses.p[store].width * each;
    return room < (int64_t)most ? (unsigned)room : most;
}

enum { WRITTEN = 1024 }; /* elements, either way from the base */

/* Marks the elements that a store writes, counted from those of `base`. */
static bool mark_written(struct pat_play *p, const struct graph_access *store, const struct graph_affine *base,
                         bool marks[2 * WRITTEN])
{
    struct graph_affine s;
    int64_t own, away;
    if (!graph_affine(p->g, store->address, &s))
        return false;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, store->runs_when, false);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || !pat_play_element(p, base, store->width, &own) ||
            !pat_play_apart(p, base, &s, 0, store->width, &away) || own + away < -WRITTEN || own + away >= WRITTEN)
            return false;
        marks[own + away + WRITTEN] = true;
    }
    return true;
}

/* The element that a load reads, the same for all threads; false: not known. */
static bool place_read(struct pat_play *p, const struct graph_access *load, const struct graph_affine *base,
                       unsigned *at)
{
    struct graph_affine l;
    int64_t own, away;
    p->thread = 0;
    pat_play_forget(p);
    if (!graph_affine(p->g, load->address, &l) || !pat_play_element(p, base, load->width, &own) ||
        !pat_play_apart(p, base, &l, 0, load->width, &away) || own + away < -WRITTEN || own + away >= WRITTEN)
        return false;
    *at = (unsigned)(own + away + WRITTEN);
    return true;
}

bool pat_play_overwrites(struct pat_play *p, uint32_t earlier, uint32_t later, uint32_t load)
{
    const struct graph_access a = p->g->accesses.p[earlier], b = p->g->accesses.p[later];
    struct graph_affine base;
    if (a.width != b.width || a.insn >= b.insn || p->g->blocks.p[p->g->insns.p[a.insn].block].loop ||
        p->g->blocks.p[p->g->insns.p[b.insn].block].loop || !graph_affine(p->g, b.address, &base))
        return false;
    for (unsigned threads = 1024; threads >= 64; threads /= 2) {
        bool old[2 * WRITTEN] = {0}, now[2 * WRITTEN] = {0};
        unsigned only = 0;
        p->threads = threads;
        if (!mark_written(p, &a, &base, old) || !mark_written(p, &b, &base, now))
            return false;
        if (load != UINT32_MAX && (p->g->accesses.p[load].width != b.width ||
                                   !place_read(p, &p->g->accesses.p[load], &base, &only) || !now[only]))
            return false;
        for (unsigned i = 0; i < 2 * WRITTEN && load == UINT32_MAX; i++)
            if (old[i] && !now[i])
                return false;
    }
    return true;
}

bool pat_play_hands_over(struct pat_play *p, uint32_t store_at, uint32_t load_at, struct pat_handed *how)
{
    const struct graph_access kept[2] = {p->g->accesses.p[store_at], p->g->accesses.p[load_at]};
    const struct graph_access *store = &kept[0], *load = &kept[1];
    struct graph_affine s, l;
    bool any = false, known;
    unsigned most = pat_play_most(p, store_at, 32, &known), width = graph_block_width(p->g, 0);
    how->to_all = how->always = true;
    if (store->width != load->width || !how->lanes || !graph_affine(p->g, store->address, &s) ||
        !graph_affine(p->g, load->address, &l))
        return false;
    for (unsigned threads = 1024; threads >= 64; threads /= 2) {
        if (p->g->input.env->block[0] && p->g->input.env->block[0] != threads)
            continue;
        if (!p->g->input.env->block[0] && threads > most)
            continue;
        p->threads = threads;
        bool one = hands_over(p, &s, &l, store, load, how);
        if (!one && ((known && !any) || threads == width))
            return false; /* the array is there for all of these warps, or the code counts with so many */
        any |= one;
        how->always &= one;
    }
    return any;
}
