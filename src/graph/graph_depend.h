/* Memory dependence between the threads of a block (definitions.md D5): which stores a load reads, whose they are, and
 * what parts the two in time. Found after the graph is built, from addresses, guards and the flow graph; nothing here
 * knows a mnemonic.
 *
 * A store S by thread u reaches a load L by thread t when a path leads from S to L, the addresses can be equal and the
 * guards of both can hold. u is solved from the addresses as nodes in terms of thread t. What is not decided is kept as
 * a `may` edge: nothing positive may rest on one. */
#ifndef SP_GRAPH_DEPEND_H
#define SP_GRAPH_DEPEND_H

#include "graph/graph.h"

enum graph_sync {
    GRAPH_SYNC_OWN,          /* the loading thread's own store, in program order */
    GRAPH_SYNC_BARRIER,      /* every path between store and load holds a barrier of the whole block */
    GRAPH_SYNC_WARP,         /* two lanes of one warp, parted by a warp sync (or a warp-wide operation that is one) */
    GRAPH_SYNC_WARP_ASSUMED, /* two lanes of one warp with nothing between: rests on lanes running in step */
    GRAPH_SYNC_NONE,         /* another thread and a path without a barrier: unsynchronised */
    GRAPH_SYNC_UNKNOWN,      /* which thread's store it is is not decided */
};

/* What memory a chain is about: a pointer parameter's buffer; a stretch of shared or local memory cut at the constant
 * bases seen; everything of a space whose object is not known. */
struct graph_object {
    uint8_t space;    /* enum uop_space: UOP_GLOBAL, UOP_SHARED, UOP_LOCAL */
    graph_id base;    /* pointer parameter (CBANK b64) or GRAPH_NIL */
    int64_t from, to; /* shared and local: first byte and byte behind the last (INT64_MAX: open) of the stretch, with
                            the window's own start (0x400 and the CTA's rank on sm_90 and later) taken off */
    bool known;       /* false: the one object of this space that nothing is known of */
    bool roams;       /* known but for its end: an access that begins there and may lie anywhere */
    bool assumed;     /* that it is an object of its own: an end of the stretch is taken for granted */
};

struct graph_reach {
    uint32_t load, store; /* indices into graph.accesses; the store may be an atomic */
    int32_t element;      /* bytes from the store's first byte to the load's first byte (wide accesses) */
    bool may;             /* address or guard not decided */
    bool guarded;         /* … but u is solved: whether it has stored hangs on data */
    bool own;             /* u is t for certain */
    bool thread_known;    /* u is solved: `thread` */
    uint32_t block;       /* threads that a block has at least for u to be there, a power of two; 0: not asked */
    graph_id thread[3];   /* u's x, y, z as B32 nodes in terms of the loading thread's values; its own coordinate where
                             they are equal (the SREG node), GRAPH_NIL where any value will do */
    enum graph_sync sync;
    bool assumed;             /* rests on ranges, objects or shapes that are taken for granted, see D5 */
    graph_id launch;          /* GRAPH_SYNC_NONE: as of a race */
    const uint32_t *barriers; /* instances of barriers and warp syncs that part the two, ascending */
    uint32_t barrier_count;
    bool leaves;                /* private: some of the threads that read find no such thread in the block */
    uint32_t classes, class_of; /* private: only each `classes`th thread meets the store; which of them */
};

/* A store that may come before or after another thread's access to the same word, with no barrier between: a write
 * overtaking a read (read first), or a read that does not wait for its write. Only where u is solved and differs. */
struct graph_race {
    uint32_t first, second; /* accesses in the order of the code path without a barrier; one store twice: all threads
                               make it, to one word, with different values (`thread` is empty, or holds the coordinate
                               of a block of several dimensions in which those threads differ) */
    graph_id thread[3];     /* the other thread, as in graph_reach, in terms of the thread of the load */
    bool update;            /* one store twice: of what stood there and of what may be the same for both threads */
    uint32_t every;         /* one store twice: by threads so far apart in x; 0: by neighbours too */
    graph_id launch;        /* holds where the numbers that the kernel is given are so; GRAPH_NIL: whatever they are */
    bool sized;             /* assumed: the block has as many threads as conditions of the code ask for */
    bool assumed;           /* warp-synchronous code: holds only if lanes do not run in step */
};

/* A load of shared memory that for one thread finds what none has stored. */
struct graph_unwritten {
    uint32_t load;
    bool last; /* that is the last thread of the block, else the first one */
};

struct graph_dependence {
    VEC(struct graph_object) objects;
    const uint32_t *object_of;       /* of each access: index into objects */
    const bool *meets;               /* of each instance: all threads of the block that have not ended meet here, if the
                                        guard (the same in all of them) holds */
    VEC(struct graph_reach) reaches; /* by load, then store */
    const uint32_t *first_reach; /* of each access, count + 1 entries: reaches[first_reach[i] .. first_reach[i + 1]) */
    VEC(struct graph_race) races;
    VEC(struct graph_race)
    doubts; /* pairs with no barrier between of which it is not decided whether two threads meet
                                      (`thread` is empty): nothing may rest on their being in order */
    VEC(struct graph_unwritten) unwritten;
    bool complete; /* false: a budget was hit or an unknown instruction stands in the way: every load may read more */
    bool listed;   /* every store that a load may read is among its reaches: not so where something that is not
                      understood may store. True and not complete: which threads a barrier or a lock orders is not
                      known, and what may be read on no way of the code is a `may` reach */
};

/* The code's own word for a block's width: blockIdx.d * C + threadIdx.d with one constant C. 0: none. */
uint32_t graph_block_width(const struct graph *g, unsigned dim);

/* The constant of an address in shared memory, in bytes from the window's start. */
int64_t graph_shared_place(struct graph *g, graph_id address);

/* SP_ERR_MEMORY or SP_OK. Work is bounded (a budget of pairs); `complete` says when it did not suffice. */
enum sp_status graph_find_dependence(struct arena *a, struct graph *g, struct graph_dependence *out);

/* ---- ranges (graph_range.c) ------------------------------------------------------------------ */
struct graph_range {
    int64_t lo, hi; /* inclusive, of the node read as a signed number of its width */
    bool assumed;   /* rests on launch limits (threadIdx.x < blockDim.x <= 1024 and the like are proved, not assumed) */
};
/* What is known of an integer node's value in every execution; false: nothing beyond its width. Loop phis: from start,
 * step and test where these decide it. */
bool graph_range_of(struct graph *g, graph_id id, struct graph_range *out);
/* True when `a` and `b` can be shown never to hold both (linear facts over their compares, with ranges). `assumed` may
 * come back true. NIL stands for true. */
bool graph_excludes(struct graph *g, graph_id a, graph_id b, bool *assumed);
/* `id` with every occurrence of the special registers threadIdx.x/y/z replaced (GRAPH_NIL: kept); GRAPH_NIL when it
 * holds something that is not a function of them (a load, a phi that differs between threads). */
graph_id graph_substitute_thread(struct graph *g, graph_id id, const graph_id thread[3]);

#endif
