/* Plays single accesses to shared memory: who stores a result, who loads it, and whether each warp's is handed over
 * once. Requires what pat_play.c computes of addresses and conditions; gives answers for blocks of some size. */
#include "pattern/pat_play.h"

bool pat_play_reads_first(struct pat_play *p, graph_id address, graph_id own, unsigned width, graph_id when)
{
    struct graph_affine a, b, d;
    bool any = false;
    if (!graph_affine(p->g, own, &a) || !graph_affine(p->g, address, &b) || !pat_play_distance(&a, &b, &d))
        return false;
    p->threads = 64;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        int64_t away, of_thread, of_first;
        unsigned thread = p->thread;
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, when, true);
        if (acts == IS_FALSE)
            continue;
        if (!pat_play_element(p, &d, width, &away) || !pat_play_element(p, &a, width, &of_thread) ||
            d.offset % (int64_t)width)
            return false;
        p->thread = 0;
        pat_play_forget(p);
        bool known = pat_play_element(p, &a, width, &of_first);
        p->thread = thread;
        if (!known || of_thread + away + d.offset / (int64_t)width != of_first)
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

/* One size of block: which warp each element is of, then who loads it. */
static bool hands_over(struct pat_play *p, const struct graph_affine *s, const struct graph_affine *l,
                       const struct graph_access *store, const struct graph_access *load, bool everywhere)
{
    int owner[128]; /* by element: warp */
    unsigned warps = p->threads / 32, loaded[32] = {0};
    int64_t own, away;
    for (unsigned i = 0; i < 128; i++)
        owner[i] = -1;
    for (p->thread = 0; p->thread < p->threads; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, store->runs_when, true);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || (p->thread % 32 && !everywhere) || !pat_play_element(p, l, load->width, &own) ||
            !pat_play_apart(p, l, s, 0, load->width, &away) || own + away < 0 || own + away >= 128)
            return false;
        int warp = (int)(p->thread / 32), *at = &owner[own + away];
        if (*at >= 0 && *at != warp)
            return false; /* two warps in one place */
        *at = warp;
    }
    for (p->thread = 0; p->thread < 32; p->thread++) {
        pat_play_forget(p);
        enum truth acts = pat_play_truth(p, load->runs_when, true);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || !pat_play_element(p, l, load->width, &own) || own < 0 || own >= 128)
            return false;
        if (owner[own] >= 0)
            loaded[owner[own]]++;
    }
    for (unsigned w = 0; w < warps; w++)
        if (loaded[w] != 1)
            return false;
    return true;
}

bool pat_play_hands_over(struct pat_play *p, const struct graph_access *store, const struct graph_access *load,
                         bool everywhere)
{
    struct graph_affine s, l;
    if (store->width != load->width || !graph_affine(p->g, store->address, &s) ||
        !graph_affine(p->g, load->address, &l))
        return false;
    for (unsigned threads = 1024; threads >= 64; threads /= 2) {
        p->threads = threads;
        if (hands_over(p, &s, &l, store, load, everywhere))
            return true;
    }
    return false;
}
