/* Between the files that play steps (pat_play.c, pat_play_share.c) only. */
#ifndef SP_PAT_PLAY_H
#define SP_PAT_PLAY_H

#include "pattern/pat_collect.h"

enum { LOOP_PHIS = 16, LOOP_EXITS = 8, PAT_COLUMNS = 32 };
enum truth { IS_FALSE, IS_TRUE, IS_UNKNOWN };

struct loop_view {
    bool made, good;
    graph_id phi[LOOP_PHIS], start[LOOP_PHIS], next[LOOP_PHIS];
    unsigned phi_count;
    struct {
        uint32_t block;
        graph_id leaves; /* holds: the loop ends here */
    } exit[LOOP_EXITS];
    unsigned exit_count;
};

/* Walks with drawn numbers (pat_play_walk.c). */
enum { PAT_ALIKE = 70, PAT_LARGE = 24, PAT_DRAWS = PAT_ALIKE + PAT_LARGE + 64 };
struct pat_walked {
    uint32_t cycle[2];
    graph_id part[2], with[2];
    uint32_t begun[2]; /* + 1, 0 */
    bool among, same;
};
struct pat_touch {
    uint64_t at, with; /* of one element; of another that the same value is made of */
};
struct pat_walk {
    VEC(struct pat_walked) known;
    uint64_t spent;  /* instances walked over, in the whole kernel */
    uint32_t *first; /* by block: into phis, one more than there are */
    graph_id *phis;
    struct pat_touch *list[2];
    struct pat_roles {
        uint8_t *access; /* by access: 0, 1: a copy of the load that is looked for, 2: of the one with it */
        bool *block;     /* by block: one of them is in it */
    } roles[2];
    graph_id *partner; /* by load: the other load that the same value is made of; NULL until asked for */
    uint64_t *pending; /* by load: the address of it, or of its partner, while the other is not there */
    uint8_t *waits;    /* 0, 1: for the partner, 2: for the load itself */
    uint32_t open;
    unsigned held; /* of the last walk's elements those from before the loop */
};

struct pat_played { /* a node's number for the thread played */
    uint64_t value;
    uint32_t stamp; /* of the time it was computed in */
    bool known;
    bool given; /* a phi whose value is set from outside */
    bool turns; /* made of what meets at the heads of blocks: another in each turn */
};

struct pat_play {
    struct arena *a;
    struct pat_index *x;
    struct graph *g;
    graph_id size;             /* nodes there were */
    uint32_t clock, now, turn; /* now: since the thread is played; turn: since it came to this block */
    struct pat_played *of;     /* by node */
    uint8_t *differs;          /* 0 not asked, 1 no, 2 yes, 3 being asked */
    struct loop_view *loops;
    unsigned threads, thread, row, layer; /* row: threadIdx.y, layer: threadIdx.z */
    bool rows;                            /* the code asks for threadIdx.y or z */
    bool down;                            /* threads of one column are played: `thread` is threadIdx.y */
    unsigned column;
    int64_t begin;         /* elements to the first one of the steps' array, where they are the same for the block */
    int64_t origin, pitch; /* down: element of the column's first thread, elements from one to the next */
    uint64_t budget;
    unsigned draw;                 /* 0: what is not known is not known; else numbers are drawn for it */
    uint32_t drawn_from, drawn_to; /* but for what is made between these instances */
    struct pat_walk walk;
};

bool pat_play_number(struct pat_play *p, graph_id id, uint64_t *out);
/* The lane a shuffle takes from, and whether it is within the segment (PTX, shfl). */
unsigned pat_play_lane(unsigned mode, unsigned lane, unsigned b, unsigned c, bool *within);
/* The offset a branch at the end of a block leads to when it is taken. */
bool pat_play_target(const struct graph *g, uint32_t insn, uint64_t *target);

/* Another thread: nothing computed holds any more. */
void pat_play_forget(struct pat_play *p);
/* Another turn: what is made of phis does not hold any more. */
void pat_play_forget_turn(struct pat_play *p);
/* A condition for the thread played. Atoms that are not known but the same for the block are taken as they make it
 * hold, if `kindly`. */
enum truth pat_play_truth(struct pat_play *p, graph_id b1, bool kindly);
/* Elements an address is away from that of the thread 0 of a row; false: not known. */
bool pat_play_element(struct pat_play *p, const struct graph_affine *f, unsigned width, int64_t *out);
/* b - a, term by term; false: too many terms. */
bool pat_play_distance(const struct graph_affine *a, const struct graph_affine *b, struct graph_affine *out);
/* Elements from `a` to `b`, all that parts the two being known. */
bool pat_play_apart(struct pat_play *p, const struct graph_affine *a, const struct graph_affine *b, int64_t bytes,
                    unsigned width, int64_t *out);

#endif
