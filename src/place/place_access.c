/* What an access costs by its address alone: the stride between neighbouring threads, the coalescing form, and for
 * shared memory how many times its slowest bank is asked.
 *
 * Shared memory has 32 banks, 4 bytes wide. A warp's access of up to 4 bytes a lane goes out at once, of 8 bytes as two
 * half warps, of 16 as four quarters; within one of these, lanes that want the same word are served together, lanes
 * that want different words of one bank one after the other. The address is cut into terms: what all lanes share drops
 * out, what is a function of the thread's place in the block is evaluated for every lane, the rest grows linearly or is
 * not known. Lanes run through x first, so the block's shape matters; where it is not known the degree is said only if
 * all shapes agree.
 *
 * requires: place_lanes.c · gives: struct place_access */
#include "place/place.h"

#include <string.h>

enum { BANKS = 32, LANES = 32, THREADS = 1024, DEPTH = 16, STEPS = 64, STEPS_MAX = 1 << 26 };

struct thread {
    uint32_t x, y, z, lane;
    const uint32_t *block; /* 0: not known */
};

/* The bits of a node in one thread; false when it is no function of the thread's place. */
static bool value_in(const struct graph *g, graph_id id, const struct thread *t, unsigned depth, unsigned *steps,
                     uint64_t *out)
{
    const struct graph_node *n = graph_at(g, id);
    uint64_t args[6] = {0};
    if (depth > DEPTH || ++*steps > STEPS)
        return false;
    if (n->kind == UOP_CONST) {
        *out = n->imm;
        return true;
    }
    if (n->kind == UOP_SREG) {
        switch (n->imm) {
        case UOP_SR_TID_X: *out = t->x; return true;
        case UOP_SR_TID_Y: *out = t->y; return true;
        case UOP_SR_TID_Z: *out = t->z; return true;
        case UOP_SR_LANEID: *out = t->lane; return true;
        case UOP_SR_NTID_X:
        case UOP_SR_NTID_Y:
        case UOP_SR_NTID_Z: *out = t->block[n->imm - UOP_SR_NTID_X]; return *out != 0;
        default: return false;
        }
    }
    if (!n->arg_count || n->arg_count > 6 || n->kind >= GRAPH_PHI)
        return false;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (!value_in(g, n->arg[i], t, depth + 1, steps, &args[i]))
            return false;
    if (n->kind == UOP_UNIFORM) {
        *out = args[0];
        return true;
    }
    struct uop op = graph_operation(n);
    for (unsigned i = 0; i < UOP_MAX_ARGS; i++)
        op.arg[i] = UOP_NONE;
    return uop_is_pure((enum uop_kind)n->kind) && uop_eval(&op, args, out);
}

/* A shape of block: lanes run through x first. */
struct shape {
    uint32_t x, y, threads;
    const uint32_t *known;
};

static struct thread thread_of(const struct shape *s, uint32_t number)
{
    return (struct thread){.x = number % s->x,
                           .y = number / s->x % s->y,
                           .z = number / s->x / s->y,
                           .lane = number % LANES,
                           .block = s->known};
}

/* A term's value in each thread, relative to what all share (*whole: nothing is left out); false: not known. */
static bool fill_row(struct place_lanes *l, graph_id term, const struct shape *s, uint32_t block, int32_t *row,
                     bool *whole)
{
    struct place_lane lane = place_lanes_at(l, term, block);
    const struct graph_node *n = graph_at(l->g, term);
    bool exact = n->arg_count > 0 || n->kind == UOP_SREG;
    for (uint32_t i = 0; i < s->threads && exact; i++) {
        struct thread t = thread_of(s, i);
        unsigned steps = 0;
        uint64_t v = 0;
        exact = value_in(l->g, term, &t, 0, &steps, &v);
        row[i] = (int32_t)(uint32_t)v;
        l->steps += steps;
    }
    if (!exact && !place_is_linear(&lane))
        return false;
    *whole &= exact;
    for (uint32_t i = 0; i < s->threads && !exact; i++) {
        struct thread t = thread_of(s, i);
        row[i] = (int32_t)(uint32_t)((uint64_t)lane.by[0] * t.x + (uint64_t)lane.by[1] * t.y +
                                     (uint64_t)lane.by[2] * t.z + (uint64_t)lane.by[3] * t.lane);
    }
    return true;
}

/* The most different words of one bank that `lanes` lanes ask for. */
static uint32_t worst_bank(const uint32_t *address, uint32_t lanes, uint32_t width, uint32_t shift)
{
    uint32_t words[LANES * 2], count = 0, worst = 0;
    uint8_t asked[BANKS] = {0};
    uint32_t each = width < 4 ? 1 : width / 4;
    for (uint32_t i = 0; i < lanes; i++) {
        for (uint32_t w = 0; w < each; w++) {
            uint32_t word = (address[i] + shift) / 4 + w;
            bool seen = false;
            for (uint32_t k = 0; k < count && !seen; k++)
                seen = words[k] == word;
            if (seen)
                continue;
            words[count++] = word;
            uint32_t n = ++asked[word % BANKS];
            worst = n > worst ? n : worst;
        }
    }
    return worst;
}

/* The degree for one shape of block: the worst of its warps; 0 not known. */
static uint32_t degree_in(struct place_lanes *l, const struct graph_affine *f, uint32_t width, uint32_t block,
                          const struct shape *s)
{
    uint32_t address[THREADS] = {0}, answer = 0, lanes = width <= 4 ? LANES : width == 8 ? LANES / 2 : LANES / 4;
    int32_t row[THREADS];
    bool whole = f->base == GRAPH_NIL;
    l->steps += (uint64_t)s->threads * (f->term_count + lanes);
    for (unsigned k = 0; k < f->term_count; k++) {
        if (!fill_row(l, f->terms[k].term, s, block, row, &whole))
            return 0;
        for (uint32_t i = 0; i < s->threads; i++)
            address[i] += (uint32_t)f->terms[k].coefficient * (uint32_t)row[i];
    }
    /* Addresses of bytes and halves: where in its word the shared part of the sum lies is not known, unless there is
     * none. */
    uint32_t shifts = width < 4 && !whole ? 4 / width : 1, start = width < 4 && whole ? (uint32_t)f->offset & 3 : 0;
    for (uint32_t i = 0; i < shifts; i++) {
        uint32_t worst = 0, shift = start + i * width;
        for (uint32_t first = 0; first < s->threads; first += lanes) {
            uint32_t n = worst_bank(address + first, lanes, width, shift);
            worst = n > worst ? n : worst;
        }
        if (i && worst != answer)
            return 0;
        answer = worst;
    }
    return answer;
}

static uint32_t degree_of(struct place_lanes *l, const struct graph_affine *f, uint32_t width, uint32_t block)
{
    enum { WIDTHS = 7, FEW = 128 };
    struct shape known = {.x = l->block[0], .y = l->block[1], .threads = THREADS, .known = l->block};
    uint32_t answer = 0;
    if (l->one_dimensional) {
        known.x = THREADS;
        known.y = 1;
        return degree_in(l, f, width, block, &known);
    }
    if (known.x && known.y && l->block[2] && known.x * known.y * l->block[2] < THREADS)
        known.threads = (known.x * known.y * l->block[2] + LANES - 1) / LANES * LANES;
    if (!known.x || !known.y)
        known.threads = FEW;
    for (unsigned i = 0; i < (known.x ? 1u : WIDTHS); i++) { /* widths 1, 2, … 64 where they are not known */
        for (unsigned k = 0; k < (known.y ? 1u : WIDTHS); k++) {
            struct shape s = known;
            s.x = known.x ? known.x : 1u << i;
            s.y = known.y ? known.y : 1u << k;
            uint32_t n = degree_in(l, f, width, block, &s);
            if (!n || (answer && n != answer))
                return 0;
            answer = n;
        }
    }
    return answer;
}

/* Unrolled code asks for the same rows again and again, by other offsets. */
static uint32_t conflict_degree(struct place_lanes *l, const struct graph_access *access, uint32_t block)
{
    struct graph_affine f;
    uint32_t answer;
    if (!graph_affine(l->g, access->address, &f))
        f = (struct graph_affine){.terms = {{access->address, 1, 0}}, .term_count = 1};
    uint64_t key = map_hash_mix(access->width | (uint64_t)(f.offset & 3) << 8, block);
    for (unsigned k = 0; k < f.term_count; k++)
        key = map_hash_mix(map_hash_mix(key, f.terms[k].term), (uint64_t)f.terms[k].coefficient);
    if (map_u64_get(&l->degrees, key, &answer))
        return answer;
    if (l->steps >= STEPS_MAX)
        return 0;
    answer = degree_of(l, &f, access->width, block);
    map_u64_put(l->a, &l->degrees, key, answer);
    return answer;
}

void place_access_of(struct place_lanes *l, const struct graph_access *access, struct place_access *out)
{
    uint32_t block = l->g->insns.n ? l->g->insns.p[access->insn].block : 0;
    struct place_lane lane = place_lanes_at(l, access->address, block);
    uint8_t how = lane.how[0] > lane.how[3] ? lane.how[0] : lane.how[3]; /* the next in x is the next lane, too */
    *out = (struct place_access){.coalescing = how == PLACE_DATA ? PLACE_SCATTERED : PLACE_COALESCING_UNKNOWN};
    /* Each thread has its own local memory; the hardware interleaves them. */
    if (access->space == UOP_LOCAL || access->may_be_local) {
        out->coalescing = PLACE_COALESCING_UNKNOWN;
        return;
    }
    if (access->space == UOP_SHARED && access->kind != GRAPH_ATOMIC)
        out->conflict_degree = conflict_degree(l, access, block);
    if (how == PLACE_RUN_TIME)
        out->coalescing = PLACE_STRIDED;
    if (how != PLACE_LINEAR)
        return;
    int64_t by = (int64_t)((uint64_t)lane.by[0] + (uint64_t)lane.by[3]);
    if (uop_type_bits((enum uop_type)graph_at(l->g, access->address)->type) == 32)
        by = (int32_t)(uint32_t)(uint64_t)by;
    out->stride_known = true;
    out->stride = by;
    out->coalescing = by == 0                                                ? PLACE_BROADCAST
                      : by == access->width || by == -(int64_t)access->width ? PLACE_FULL
                                                                             : PLACE_STRIDED;
}
