/* Private to the search for functions of mathematics: the functions (pat_function_known.c), running what the machine
 * does on numbers (pat_function_run.c), what a value is made of (pat_function_cone.c), numbers as bits
 * (pat_function_number.c), which function it is (pat_function_which.c), where to look (pat_function.c). */
#ifndef SP_PAT_FUNCTION_H
#define SP_PAT_FUNCTION_H

#include "pattern/pat_internal.h"

enum { FUNCTION_ARGS = 4, FUNCTION_NODES = 4096, FUNCTION_GIVEN = 12 };

/* A function that a library has, by the name pages call it. Of one argument, or of two; of more: a length. */
struct pat_known {
    const char *name;
    unsigned args;
    double (*one)(double);
    double (*two)(double, double);
    bool floor;     /* near its zeros the error is one of the function's size, not of the value's */
    bool waves;     /* it goes on as a wave */
    bool rounded;   /* to the nearest number; of 16 bits only, for others pages tell how it is computed */
    unsigned whole; /* 1 + the argument that is an integer of 32 bits */
};
enum { PAT_KNOWN_MAX = 64 };
/* What the function is of the numbers. */
double pat_known_value(const struct pat_known *f, const double at[FUNCTION_ARGS]);
const struct pat_known *pat_known_functions(unsigned *count);
/* The k-th sample: arguments at which functions, their parts and what resembles them part; false: no more. Those
 * far from where functions are used are allowed more error. */
bool pat_known_sample(unsigned args, unsigned k, double at[FUNCTION_ARGS], bool *is_far);
/* `got` is what a library would give for a function whose value is `wanted`. */
bool pat_known_agrees(const struct pat_known *f, enum uop_type type, bool is_far, double at, double got, double wanted);
bool pat_known_is_small(enum uop_type type, double d); /* subnormal, or near */

int pat_known_named(const char *name);
/* The power of `x` that `got` is, if that is a number which people write. */
bool pat_known_power(double x, double got, double *power);

/* Functions known by their bits (pat_function_exact.c), as a set of bits: those of so many arguments, one of them an
 * integer, with a result of so many bits (`few`: but for those that take many operations); without those that `result`
 * is not; samples that ask for them, when all others were tried; the function that is left, its name, rounding and
 * arguments filled in, of_one: 1 divided by the only number. */
uint32_t pat_exact_all(unsigned args, unsigned whole, unsigned bits, enum uop_type type, bool few);
void pat_exact_keep(uint32_t *alive, enum uop_type type, bool is_far, const double at[FUNCTION_ARGS], unsigned bits,
                    uint64_t result);
bool pat_exact_sample(unsigned args, unsigned whole, unsigned k, double at[FUNCTION_ARGS]);
bool pat_exact_one(uint32_t alive, struct pat_function *f, bool *of_one);

/* What a value is made of, down to what it is a function of. */
struct pat_cone {
    uint32_t count;
    graph_id node[FUNCTION_NODES]; /* [0]: the value */
    bool walks;                    /* branches decide what it is */
};

/* What computing a node takes. */
enum function_work {
    WORK_NONE, /* it is given, or not known */
    WORK_CONST,
    WORK_STACK,
    WORK_TABLE,
    WORK_LOAD,
    WORK_ELEMENT,
    WORK_BOOL,
    WORK_SELECT,
    WORK_UNIFORM,
    WORK_CHECK,
    WORK_PURE,
};

struct function_value {
    uint32_t given_in, known_in; /* the run it was given in, the stage it was computed in */
    uint64_t bits;
};

struct function_way { /* out of a block, and what happens in it */
    bool ends, branches;
    uint64_t target;                     /* of the branch */
    uint32_t first_access, access_count; /* of the thread's own memory, in accesses */
    /* Of the compare it asks, in this run: how far it is from turning, how much that changes, how often it did so. */
    uint32_t run, same;
    int64_t apart, change;
};

struct function_run {
    struct arena *a;
    struct graph *g;
    const struct pat_cone *cone;
    graph_id argument[FUNCTION_ARGS];
    unsigned argument_count;
    graph_id given[FUNCTION_GIVEN]; /* conditions that hold where the value is made (those of `truth`), or do not */
    uint32_t truth;
    unsigned given_count;
    uint32_t from, to;   /* blocks the walk begins and ends in */
    uint32_t *phi_first; /* by block: into phis, one more than there are */
    graph_id *phis;
    graph_id nodes;
    uint32_t now, stage;          /* which run; how often values that others are made of changed in it */
    struct function_value *value; /* by node */
    uint8_t *work;                /* by node: what computing it takes */
    struct function_way *ways;    /* by block */
    VEC(uint32_t) accesses;       /* of the thread's own memory, by block */
    bool *unknown;                /* by node: for want of what no run is given */
    uint32_t *asked, question;    /* by node: the question it was last met in */
    struct map_u64 local;         /* words of local memory: address -> index into words */
    VEC(uint32_t) words;
    uint64_t steps; /* left */
};
bool pat_run_init(struct function_run *r, struct arena *a, struct graph *g);
/* The value of the cone's first node where its arguments are `bits`; or nothing: such arguments never come there, or
 * it is not known. */
enum pat_ran { PAT_RAN, PAT_RAN_ELSEWHERE, PAT_RAN_UNKNOWN };
enum pat_ran pat_run_function(struct function_run *r, const uint64_t *bits, uint64_t *result);
/* The loop that the block branches in counts on for longer than the run has steps. */
bool pat_run_is_futile(struct function_run *r, uint32_t block);
bool pat_run_find_unknown(struct function_run *r); /* what pat_run_is_unknown() asks */
/* No run can compute the root of these arguments, whatever they are: it takes something else too. */
bool pat_run_is_unknown(struct function_run *r, graph_id root, const graph_id *args, unsigned count);
bool pat_run_is_local(const struct graph_access *a);       /* of the thread's own memory */
bool pat_run_is_table(const struct graph *g, graph_id id); /* a pointer, or half of one, to what comes with the code */
bool pat_run_is_stack(const struct graph *g, graph_id id);

/* The search. */
enum {
    FUNCTION_VISITS = 6 * 1000 * 1000, /* nodes in cones, in the whole kernel */
    FUNCTION_BOTH = 2048,
    FUNCTION_LOCALS = 96,
    FUNCTION_LEAST_NODES = 8, /* inside: less is no more than it seems */
    FUNCTION_LEAST_DEPTH = 4,
    FUNCTION_LEAST_HALF = 5,        /* a number of 16 bits has few digits to compute */
    FUNCTION_EXACT = PAT_KNOWN_MAX, /* a function that pat_function_exact.c knows */
};

struct function_controls { /* conditions that decide which way values come to meet in a block */
    bool known;
    uint32_t count;
    const graph_id *list;
};

struct function_search {
    struct arena *a;
    const struct pat_index *x;
    struct graph *g;
    struct pat_functions *out;
    struct function_run run;
    struct function_controls *controls; /* by block */
    uint8_t *depth;                     /* by node: operations of floats behind each other */
    bool *taken;                        /* by node: inside of a function that was found */
    uint32_t *slot;                     /* by node: in the cone, valid where stamp is `round` */
    uint32_t *stamp, round;
    uint32_t *first_use;                  /* by node: 1 + the first instance that reads it */
    graph_id locals[FUNCTION_LOCALS * 5]; /* what the thread's own memory is given */
    uint32_t local_count;
    bool many_locals;
    uint32_t exact;               /* the function found last is one of these, known by its bits */
    bool *odd;                    /* by node: made of a number's bits, or of questions for special numbers */
    uint64_t visits, power;       /* power: the constant argument that a function was found with */
    graph_id root[FUNCTION_ARGS]; /* of the cone */
    unsigned root_count, most;    /* most: nodes of a cut */
    bool turned;                  /* what is sought is a function of the argument turned round */
    bool few;                     /* what few operations make is looked for, behind the rest */
    graph_id both[FUNCTION_BOTH];
    bool *stored; /* by node: though part of a function, a result: a remainder, of which its quotient's bits are made */
    bool *closed; /* by node: of an expansion that a page spells out */
    bool *narrow; /* by node: only its lower half is stored, as a number of 16 bits */
    struct {
        uint32_t round; /* of the cone; another: there is none */
        graph_id root, args[FUNCTION_ARGS];
        unsigned count;
        uint32_t own;
        bool walks;
    } last;
    uint8_t *part; /* by node: what it is made of (pat_function_cone.c) */
    /* Cones that could be followed to their ends: by node, the last it lies in, numbered from 1; of each cone, the
     * conditions that were given. */
    uint32_t *within;
    VEC(uint64_t) wholes;
    uint64_t given_key;
    /* the cone's flow */
    bool used[FUNCTION_NODES];
    uint32_t from[FUNCTION_NODES];
    uint32_t came[2 * FUNCTION_NODES], queue[2 * FUNCTION_NODES];
    struct pat_cone cone;
};
double pat_function_number(enum uop_type type, uint64_t bits);
uint64_t pat_function_bits(enum uop_type type, double number);
/* How many bits of a value are a number: a word may hold one of 16 bits. */
unsigned pat_function_width(const struct function_search *s, graph_id id);
/* The format of the number that `root` is, the root of the cone. */
enum uop_type pat_function_type(const struct function_search *s, graph_id root);
/* Finds words of which nothing but the lower half is read. */
void pat_function_narrow(struct function_search *s);
/* A number that a condition within compares with, and its neighbours: there ways part. `next`: 8 for each node. */
bool pat_function_bound(const struct function_search *s, enum uop_type type, unsigned count, uint32_t *next,
                        double at[FUNCTION_ARGS]);
bool pat_function_holds(const graph_id *ends, unsigned count, graph_id id);
/* Marks what stands between an expansion's value and what it is a function of, its slow path's too: it is the
 * expansion's, and no part of it, and nothing put together of few, is a function of its own. Linear. */
void pat_function_close(struct function_search *s, const struct pat_expanded *e);
/* Finds what each node is made of; the search asks it again and again. */
bool pat_function_parts(struct function_search *s);
/* All that the roots are made of, down to the ends. False: too much. */
bool pat_function_cone(struct function_search *s, const graph_id *roots, unsigned root_count, const graph_id *ends,
                       unsigned end_count);
/* The cut of few nodes that is nearest to the roots; 0: there is none. */
unsigned pat_function_cut(struct function_search *s, const graph_id *roots, unsigned root_count,
                          graph_id cut[FUNCTION_ARGS]);
/* Conditions that hold wherever the value is made say nothing of how it is made: the check of a bound, say. */
void pat_function_find_given(struct function_search *s, graph_id root);
/* The function that `root` is of the arguments, `whole`: 1 + the one that is an integer; -1: none that is known. */
int pat_function_which(struct function_search *s, graph_id root, const graph_id *args, unsigned count, unsigned whole);
/* Between which blocks the cone's values meet. */
bool pat_function_find_walk(struct function_search *s);
/* Where the last of the values meet; those of a loop are there behind it. */
uint32_t pat_function_last_meeting(const struct function_search *s);

#endif
