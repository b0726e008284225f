/* The emulator's own structures. Private to the room.
 *
 * A value is a row of 32 lanes: words (anything up to 32 bits), double words, or a mask with a bit a lane for
 * predicates. An emu_loc names a row in one of four places: temporaries of the instruction, the warp's registers,
 * constants of the program, masks. Each place has a twin that holds which bits of it are undefined; the twins are kept
 * up only while something undefined is about (`slow`). */
#ifndef SP_EMU_INTERNAL_H
#define SP_EMU_INTERNAL_H

#include "emu/emu.h"

enum {
    EMU_LANES = 32,
    EMU_REGS = 256,
    EMU_BARRIERS = 16, /* of a block */
    EMU_MEETINGS = 16, /* convergence barriers of a warp */
    EMU_WARPS_MAX = EMU_THREADS_MAX / EMU_LANES,
    EMU_ROW_BYTES = 128,  /* 32 words */
    EMU_TEMP_BYTES = 512, /* a temporary: up to four words a lane */
    EMU_NO_ORIGIN = UINT32_MAX,
};

/* Places of emu_warp.origin: general registers, uniform ones, predicates, uniform predicates. */
enum {
    EMU_ORIGIN_UR = EMU_REGS,
    EMU_ORIGIN_P = 2 * EMU_REGS,
    EMU_ORIGIN_UP = EMU_ORIGIN_P + 8,
    EMU_ORIGINS = EMU_ORIGIN_UP + 8
};

static inline uint32_t emu_origin_of(uint8_t file, uint16_t reg)
{
    return file == UOP_FILE_R    ? reg & 255u
           : file == UOP_FILE_UR ? EMU_ORIGIN_UR + (reg & 255u)
           : file == UOP_FILE_P  ? EMU_ORIGIN_P + (reg & 7u)
                                 : EMU_ORIGIN_UP + (reg & 7u);
}

typedef uint32_t emu_loc;
enum emu_place { EMU_TEMPS, EMU_REGISTERS, EMU_CONSTANTS, EMU_MASKS, EMU_PLACES };
enum { EMU_PLACE_SHIFT = 30, EMU_OFFSET_MASK = (1 << EMU_PLACE_SHIFT) - 1, EMU_NOWHERE = -1 };

enum emu_form { EMU_FORM_NONE, EMU_FORM_MASK, EMU_FORM_WORD, EMU_FORM_DOUBLE, EMU_FORM_QUAD };

/* Who computes it: emu_compute.c, emu_float.c, uop_eval(); or it is no function of its arguments. */
enum emu_how { EMU_ROWS, EMU_FLOAT_ROWS, EMU_LANE_BY_LANE, EMU_EFFECT };

struct emu_op {
    struct uop uop;
    uint8_t form, forms[UOP_MAX_ARGS]; /* enum emu_form */
    uint8_t how;                       /* enum emu_how */
    emu_loc to, arg[UOP_MAX_ARGS];     /* EMU_NOWHERE: none */
};

/* What an instruction reads, to see whether any of it is undefined. */
struct emu_read {
    uint8_t file;
    uint16_t reg;
};

struct emu_step {
    uint32_t offset;
    const struct emu_op *ops;
    uint32_t op_count;
    uint32_t guard_ops; /* so many of them make the guard */
    emu_loc guard;      /* EMU_NOWHERE: always */
    const struct emu_read *reads;
    uint32_t read_count;
    bool unknown;   /* no meaning in this build */
    bool gives_way; /* others may run before what follows */
};

struct emu_program {
    struct emu_step *steps;
    uint32_t count;
    uint32_t *by_offset; /* offset / 16 -> index, UINT32_MAX none */
    uint32_t offsets;    /* entries of by_offset */
    uint32_t registers;  /* rows a warp needs */
    uint32_t temps, masks;
    uint8_t *constants;
    uint8_t *constants_undefined; /* twin */
    uint32_t constant_bytes;
    bool narrow_shared; /* some access to shared memory is smaller than a word */
    bool local;         /* some access may be to local memory */
};

enum emu_split_state { EMU_READY, EMU_AT_MEETING, EMU_AT_WARPSYNC, EMU_AT_BARRIER };

/* Lanes of a warp that go together. */
struct emu_split {
    uint32_t pc; /* index of its next instruction; of a waiting one: where it waits */
    uint32_t lanes;
    uint8_t state, number; /* of the meeting or barrier */
    uint32_t mask;         /* of the lanes WARPSYNC waits for */
};

struct emu_warp {
    uint32_t number, threads, live; /* lanes that exist, that have not ended */
    uint32_t yielded;               /* lanes that have said YIELD since they last met others */
    struct emu_split splits[EMU_LANES];
    uint32_t split_count, turn;
    uint32_t meeting[EMU_MEETINGS][EMU_LANES]; /* whom each lane waits for */
    uint32_t *r;                               /* rows */
    uint32_t p[8], up;
    uint32_t ur[EMU_REGS];
    uint32_t tid[3][EMU_LANES];
    /* Undefinedness: which lanes of a register have undefined bits, which bits (told only for those lanes), since which
     * instruction. */
    uint32_t *r_undefined, *bad;
    uint32_t bad_p[8], bad_up, ur_undefined[EMU_REGS];
    uint32_t origin[EMU_ORIGINS];
    uint32_t barrier_count;                 /* what the last BAR.RED gave */
    bool barrier_predicate, barrier_counts; /* counts: of the two, it is the count */
    uint8_t *local, *local_defined;         /* a thread's after another's */
};

struct emu_barrier {
    uint32_t arrived, expected; /* threads; expected 0: all of the block */
    uint32_t warps;             /* that have arrived */
    uint32_t lanes[EMU_WARPS_MAX];
    uint32_t pc[EMU_WARPS_MAX]; /* where lanes of a warp came first in this round */
    uint32_t count;
    bool all, any, waiting;
};

/* Who touched a word (or byte) of shared memory last: (warp, its time), and which readers since. */
struct emu_touch {
    uint32_t writer, reader; /* warp << 24 | time; reader bit 31: an index of `readers` */
};

struct emu_race {
    struct emu_touch *touches;
    uint32_t shift; /* bytes a touch stands for: 1 << shift */
    uint32_t (*readers)[EMU_WARPS_MAX];
    uint32_t reader_count, reader_room, reader_free; /* reader_free: a free row + 1, whose first word is the next */
    uint32_t time[EMU_WARPS_MAX][EMU_WARPS_MAX];     /* what a warp knows of the others */
    uint32_t shared_time[EMU_WARPS_MAX];             /* handed on by atomics and fences */
    bool off;
};

struct emu_block {
    uint32_t id[3];
    struct emu_warp *warps;
    uint32_t warp_count, threads, live_warps, turn;
    uint8_t *shared, *shared_defined;
    struct emu_barrier barriers[EMU_BARRIERS];
    struct emu_race race;
    struct emu_block *next; /* of the free ones */
    uint8_t *memory;        /* all of the above in one piece */
};

struct emu_machine {
    struct arena *a;
    const struct emu_code *code;
    const struct emu_launch *launch;
    struct emu_program program;
    struct emu_result *result;
    struct emu_block *free;
    uint8_t **touched; /* a byte for each byte of each buffer: 1 loaded, 2 stored */
    bool stop, no_memory;
    /* The instruction that runs. */
    uint8_t *base[EMU_PLACES], *undefined[EMU_PLACES];
    struct emu_block *block;
    struct emu_warp *warp;
    const struct emu_step *step;
    uint32_t index; /* of the step */
    uint32_t active, exec;
    bool slow;
    uint32_t origin; /* of what is undefined in it */
};

static inline void *emu_at(const struct emu_machine *m, emu_loc loc)
{
    return m->base[loc >> EMU_PLACE_SHIFT] + (loc & EMU_OFFSET_MASK);
}

static inline void *emu_undefined_at(const struct emu_machine *m, emu_loc loc)
{
    return m->undefined[loc >> EMU_PLACE_SHIFT] + (loc & EMU_OFFSET_MASK);
}

static inline uint32_t emu_mask(const struct emu_machine *m, emu_loc loc)
{
    return *(const uint32_t *)emu_at(m, loc);
}

static inline uint64_t emu_lane(const struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane)
{
    switch (form) {
    case EMU_FORM_MASK: return emu_mask(m, loc) >> lane & 1;
    case EMU_FORM_DOUBLE: return ((const uint64_t *)emu_at(m, loc))[lane];
    default: return ((const uint32_t *)emu_at(m, loc))[lane];
    }
}

static inline void emu_put_lane(const struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane, uint64_t v)
{
    if (form == EMU_FORM_MASK) {
        uint32_t *mask = emu_at(m, loc);
        *mask = (*mask & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
    } else if (form == EMU_FORM_DOUBLE) {
        ((uint64_t *)emu_at(m, loc))[lane] = v;
    } else {
        ((uint32_t *)emu_at(m, loc))[lane] = (uint32_t)v;
    }
}

static inline unsigned emu_first(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}
static inline unsigned emu_ones(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}
/* Runs the statement behind it for each lane of a mask. */
#define EMU_EACH(lane, mask)                                                                              \
    for (uint32_t each_##lane = (mask), lane = 0; each_##lane && ((lane = emu_first(each_##lane)), true); \
         each_##lane &= each_##lane - 1)

/* emu_program.c: lists made ready to run. */
enum sp_status emu_program_make(struct emu_machine *m);

/* emu_compute.c: pure operations on whole rows. emu_knows(): it has the kind in this form. */
bool emu_knows(const struct emu_op *op);
void emu_compute(struct emu_machine *m, const struct emu_op *op);
/* emu_float.c: the same of floats. */
bool emu_knows_float(const struct emu_op *op);
void emu_compute_float(struct emu_machine *m, const struct emu_op *op);
/* Any other pure operation, lane by lane. */
void emu_evaluate(struct emu_machine *m, const struct emu_op *op);

/* emu_mufu.c: the special function unit. *result for the operation `kind` (EX2 LG2 RCP RSQ SQRT SIN COS TANH RCP64H
 * RSQ64H) on a value of `type`. True: as the architecture was measured to do; false: assumed. */
bool emu_mufu(unsigned sm, enum uop_kind kind, enum uop_type type, uint64_t bits, uint64_t *result);

/* emu_undefined.c: which bits of a result are undefined when some bits of its arguments are. */
bool emu_reads_undefined(struct emu_machine *m); /* begins an instruction: sets m->slow */
void emu_become_slow(struct emu_machine *m);
void emu_follow_undefined(struct emu_machine *m, const struct emu_op *op);
uint64_t emu_lane_undefined(const struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane);
void emu_put_undefined(struct emu_machine *m, emu_loc loc, uint8_t form, unsigned lane, uint64_t bits);
/* A use that shows: a finding for the first lane of `lanes` whose bits are undefined. */
void emu_use(struct emu_machine *m, emu_loc loc, uint8_t form, uint32_t lanes, const char *what);

/* emu_memory.c: loads and stores of every space. */
void emu_load(struct emu_machine *m, const struct emu_op *op);
void emu_store(struct emu_machine *m, const struct emu_op *op);
void emu_within(struct emu_machine *m, const struct emu_op *op);
/* The bytes at an address, or NULL after a finding. *where: what generic addresses turned out to be. */
struct emu_cell {
    uint8_t *bytes, *defined, *touched; /* defined: NULL always; touched: global memory */
    enum uop_space space;
    uint64_t address;
};
bool emu_find_cell(struct emu_machine *m, const struct emu_op *op, unsigned lane, struct emu_cell *cell);
/* emu_atomic.c */
void emu_atomic(struct emu_machine *m, const struct emu_op *op);

/* emu_race.c: order between warps on shared memory. */
void emu_race_access(struct emu_machine *m, uint32_t address, uint32_t width, bool writes, unsigned lane);
void emu_race_meet(struct emu_block *b, uint32_t warps); /* they have passed a barrier together */
void emu_race_hand_on(struct emu_machine *m);            /* an atomic or a fence of the running warp */

/* emu_count.c: what the hardware counts of an access. */
void emu_count_global(struct emu_machine *m, const uint64_t *address, uint32_t lanes, unsigned width);
void emu_count_shared(struct emu_machine *m, const uint32_t *address, uint32_t lanes, unsigned width);

/* emu_warp.c: what lanes do together. True when `op` is one of these. */
bool emu_together(struct emu_machine *m, const struct emu_op *op);

/* emu_flow.c: splits, meetings, barriers. What an instruction's flow operation did to the split that ran it. */
void emu_flow_start(struct emu_warp *w);
/* The split goes on at `pc` with `lanes` of it, the rest stay in it. */
void emu_flow_part(struct emu_warp *w, uint32_t split, uint32_t lanes, uint32_t pc);
void emu_flow_exit(struct emu_warp *w, uint32_t split, uint32_t lanes);
bool emu_flow_meet(struct emu_warp *w);                             /* lets go on who has met; true: some have */
bool emu_flow_barriers(struct emu_machine *m, struct emu_block *b); /* likewise */
/* Lanes `m->exec` of the split come to the barrier `op`; true: they wait there. */
bool emu_flow_arrive(struct emu_machine *m, const struct emu_op *op, uint32_t *number);
void emu_flow_stuck(struct emu_machine *m, struct emu_block *b); /* nobody can go on: findings */

/* emu_state.c: state in and out: registers, special registers, constants at computed places, undefined values. */
void emu_read(struct emu_machine *m, const struct emu_op *op);
void emu_write(struct emu_machine *m, const struct emu_op *op);
void emu_special(struct emu_machine *m, const struct emu_op *op);
void emu_constant(struct emu_machine *m, const struct emu_op *op);
void emu_make_undefined(struct emu_machine *m, const struct emu_op *op);
void emu_opaque(struct emu_machine *m, const struct emu_op *op);

/* emu_step.c: runs a split until it waits, ends or its turn is over. */
void emu_step_split(struct emu_machine *m, struct emu_warp *w, uint32_t split, uint64_t most);

/* emu_finding.c */
void emu_find(struct emu_machine *m, enum emu_finding_kind kind, unsigned lane, const uint64_t *address,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
void emu_find_at(struct emu_machine *m, enum emu_finding_kind kind, uint32_t index, const struct emu_block *b,
                 const struct emu_warp *w, unsigned lane, const uint64_t *address, const char *text);

#endif
