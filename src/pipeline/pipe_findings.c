/* What is wrong or doubtful in a kernel itself: threads that touch one word of memory with nothing between that orders
 * them. Read from the memory dependence of the finished graph; each pair of instructions becomes one diagnostic of the
 * kernel's section, `unsynchronised`, or `warp-synchronous` where it holds only if the lanes of a warp run in step;
 * a load that finds what no thread stored is `uninitialized`.
 *
 * Only solved pairs are told: an edge that merely may exist gives no finding.
 * requires: graph with dependence, words · gives: diagnostics (notes), the first few of each kind */
#include "pipeline/pipe.h"

#include "base/map.h"
#include "facts/fact_build.h"
#include "graph/graph_depend.h"
#include "meaning/mean.h"

enum { ORDERLESS, IN_STEP, KINDS }; /* unsynchronised; only if the lanes of a warp run in step */

static const char *const codes[KINDS] = {"unsynchronised", "warp-synchronous"};
static const uint32_t listed[KINDS] = {8, 3}; /* of a kernel; the rest is counted */

struct findings {
    struct sp_session *s;
    struct arena *a;
    struct mean *m;
    const struct graph *g;
    const char *section;
    struct map_u64 seen; /* pairs of instances */
    uint32_t told[KINDS], left[KINDS];
};

static uint32_t offset_of(const struct findings *f, uint32_t access)
{
    return f->g->insns.p[f->g->accesses.p[access].insn].offset;
}

/* True once for each pair of instructions that may still be told. */
static bool is_new(struct findings *f, int kind, uint32_t first, uint32_t second)
{
    uint32_t x = offset_of(f, first), y = offset_of(f, second), value;
    uint64_t key = x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
    if (map_u64_get(&f->seen, key, &value))
        return false;
    map_u64_put(f->a, &f->seen, key, 0);
    if (f->told[kind] == listed[kind]) {
        f->left[kind]++;
        return false;
    }
    f->told[kind]++;
    return true;
}

static const char *space_text(const struct findings *f, uint32_t access)
{
    return f->g->accesses.p[access].space == UOP_SHARED ? "shared" : "global";
}

/* An instruction that does nothing between two others, of the code or (the way goes round) of their loop; or -1. Some
 * compilers leave just that of a sync of a whole warp. */
static int64_t nothing_between(const struct findings *f, uint32_t first, uint32_t second)
{
    const struct graph *g = f->g;
    uint32_t a = g->accesses.p[first].insn, b = g->accesses.p[second].insn;
    uint32_t loop = a < b ? 0 : g->blocks.p[g->insns.p[b].block].loop;
    for (uint32_t i = a < b ? a : 0; i < (a < b ? b : g->insns.n); i++) {
        const struct graph_insn *insn = &g->insns.p[i];
        const struct uop_list *l = g->input.insns[insn->input].uops;
        if (insn->reachable && l->ops.n == 1 && l->ops.p[0].kind == UOP_NOP &&
            (!loop || g->blocks.p[insn->block].loop == loop))
            return insn->offset;
    }
    return -1;
}

/* What a pair within one warp rests on. */
static const char *warp_text(const struct findings *f, uint32_t first, uint32_t second)
{
    int64_t nop = nothing_between(f, first, second);
    if (nop < 0)
        return ": it rests on the lanes of a warp running in step";
    return arena_printf(f->a, "; whether the NOP at 0x%04x stands for a sync of the warp cannot be told",
                        (unsigned)nop);
}

/* Threads meet only where the launch brings it: whoever launches may promise otherwise. */
static const char *launch_text(const struct findings *f, graph_id launch)
{
    if (launch == GRAPH_NIL)
        return "";
    return arena_printf(f->a, ", if the launch has %s", mean_expr(f->m, launch, UOP_B1, MEAN_EXPANDED));
}

/* "thread threadIdx.x + 1"; all threads, as far as the code tells them apart, are "another thread". */
static const char *who_text(const struct findings *f, const graph_id thread[3])
{
    bool any = thread[0] == GRAPH_NIL;
    for (unsigned d = 1; d < 3 && any; d++) {
        const struct graph_node *n = thread[d] == GRAPH_NIL ? NULL : graph_at(f->g, thread[d]);
        any = !n || (n->kind == UOP_SREG && n->imm == (uint64_t)UOP_SR_TID_X + d);
    }
    return any ? "another thread" : arena_printf(f->a, "thread %s", fact_thread_text(f->m, thread));
}

static void tell_reach(struct findings *f, const struct graph_reach *r)
{
    bool warp = r->sync == GRAPH_SYNC_WARP_ASSUMED;
    const char *what = f->g->accesses.p[r->load].kind == GRAPH_LOAD ? "load" : "update";
    if (r->may || r->own || !r->thread_known || (r->sync != GRAPH_SYNC_NONE && !warp) ||
        !is_new(f, warp ? IN_STEP : ORDERLESS, r->store, r->load))
        return;
    diag_add(&f->s->diags, DIAG_NOTE, codes[warp ? IN_STEP : ORDERLESS], f->section, offset_of(f, r->load),
             "the %s at 0x%04x reads from %s memory what %s stores at 0x%04x, and no barrier parts them%s%s%s", what,
             offset_of(f, r->load), space_text(f, r->load), who_text(f, r->thread), offset_of(f, r->store),
             launch_text(f, r->launch), warp ? warp_text(f, r->store, r->load) : "",
             r->assumed && !warp && r->launch == GRAPH_NIL ? " (assumed: the usual launch bounds)" : "");
}

static void tell_race(struct findings *f, const struct graph_race *r)
{
    int kind = r->assumed ? IN_STEP : ORDERLESS;
    if (!is_new(f, kind, r->first, r->second))
        return;
    if (r->first == r->second) {
        const struct graph_access *x = &f->g->accesses.p[r->first];
        const char *who = x->runs_when == GRAPH_NIL ? "all threads" : "several threads";
        if (r->every)
            who = arena_printf(f->a, "threads whose threadIdx.x differs by %u", r->every);
        for (unsigned d = 0; d < 3; d++)
            if (r->thread[d] != GRAPH_NIL)
                who = arena_printf(f->a, "threads that differ in threadIdx.%c only", "xyz"[d]);
        const char *sized = r->every ? " (assumed: a block of more threads than that)" : "";
        const char *does = r->update ? "update, each on its own," : "store different values to";
        diag_add(&f->s->diags, DIAG_NOTE, codes[kind], f->section, offset_of(f, r->second),
                 "%s %s one word of %s memory at 0x%04x: which one stays is not said%s%s", who, does,
                 space_text(f, r->second), offset_of(f, r->second), launch_text(f, r->launch), sized);
        return;
    }
    bool reads = f->g->accesses.p[r->first].kind == GRAPH_LOAD, read = f->g->accesses.p[r->second].kind != GRAPH_STORE;
    const char *rests = r->assumed ? warp_text(f, r->first, r->second)
                        : r->sized ? " (assumed: a block of as many threads as the code's conditions name)"
                                   : "";
    const char *who = who_text(f, r->thread), *space = space_text(f, r->second);
    const char *launch = launch_text(f, r->launch);
    uint32_t first = offset_of(f, r->first), second = offset_of(f, r->second);
    if (reads)
        diag_add(&f->s->diags, DIAG_NOTE, codes[kind], f->section, second,
                 "%s may overwrite at 0x%04x in %s memory what is still to be read at 0x%04x, and no barrier parts "
                 "them%s%s",
                 who, second, space, first, launch, rests);
    else /* the other thread is the first one's */
        diag_add(&f->s->diags, DIAG_NOTE, codes[kind], f->section, second,
                 "what %s stores at 0x%04x in %s memory may be %s at 0x%04x, and no barrier parts them%s%s", who, first,
                 space, read ? "read too early" : "overwritten", second, launch, rests);
}

/* Whoever stands at the end of the block reads a neighbour's element, and there is no neighbour. */
static void tell_unwritten(const struct findings *f, const struct graph_unwritten *u)
{
    diag_add(&f->s->diags, DIAG_NOTE, "uninitialized", f->section, offset_of(f, u->load),
             "the load at 0x%04x reads from shared memory, in the %s thread of a block, what no thread has stored",
             offset_of(f, u->load), u->last ? "last" : "first");
}

void pipe_findings(struct sp_session *s, struct arena *a, struct mean *m, const struct graph *g,
                   const struct img_kernel *kernel)
{
    const struct graph_dependence *d = g->dependence;
    struct findings f = {.s = s, .a = a, .m = m, .g = g};
    if (!d || (!d->races.n && !d->reaches.n))
        return;
    f.section = arena_printf(&s->a, ".text.%s", kernel->name ? kernel->name : "?");
    for (size_t i = 0; i < d->reaches.n; i++)
        tell_reach(&f, &d->reaches.p[i]);
    for (size_t i = 0; i < d->races.n; i++)
        tell_race(&f, &d->races.p[i]);
    for (size_t i = 0; i < d->unwritten.n && i < listed[ORDERLESS]; i++)
        tell_unwritten(&f, &d->unwritten.p[i]);
    for (int kind = 0; kind < KINDS; kind++)
        if (f.left[kind])
            diag_add(&s->diags, DIAG_NOTE, codes[kind], f.section, -1, "%u more pairs of instructions like these",
                     f.left[kind]);
}
