/* Why two kernels differ in patterns, places and phases.
 *
 * Collective patterns (those with an operation) are set side by side with what stands between them; the way
 * each kernel accumulates comes from where its values live (fact_lives.h); an exponential is *kept* when a value
 * that an exp pattern makes is stored to shared memory, and computed in a loop when the pattern's instructions
 * stand in one; phases are compared as sequences of kinds. No kernel's name decides anything.
 * requires: finished kernels · gives: texts, NULL where no reason follows */
#include "facts/fact_compare_why.h"

#include "base/str.h"
#include "facts/fact_lives.h"
#include "facts/fact_words.h"

enum { LISTED = 4 };

const char *fact_compare_name(const struct fact_kernel *const k[2], unsigned side)
{
    const char *name = fact_kernel_name(k[side]);
    return str_equal(name, fact_kernel_name(k[!side])) && k[side]->arch && !str_equal(k[0]->arch, k[1]->arch)
               ? k[side]->arch
               : name;
}

static uint32_t first_of(const struct fact_pattern *p)
{
    return p->offsets.n ? p->offsets.p[0] : 0;
}

/* Where the pattern mostly is: an instruction of its (a compare that enters its loop) may have moved up. */
static uint32_t middle_of(const struct fact_pattern *p)
{
    return p->offsets.n ? p->offsets.p[p->offsets.n / 2] : 0;
}

/* Where it begins: in the loop that holds its middle, else its first instruction. */
static uint32_t start_of(const struct fact_kernel *k, const struct fact_pattern *p)
{
    int32_t loop = fact_lives_loop_at(k, middle_of(p));
    for (uint32_t i = 0; loop != FACT_NONE && i < p->offsets.n; i++)
        if (fact_lives_loop_at(k, p->offsets.p[i]) == loop)
            return p->offsets.p[i];
    return first_of(p);
}

static uint32_t last_of(const struct fact_pattern *p)
{
    return p->offsets.n ? p->offsets.p[p->offsets.n - 1] : 0;
}

/* Combines values of several threads by an operation. */
static bool is_collective(const struct fact_pattern *p)
{
    return p->id && p->offsets.n > 0 && fact_lives_binding(p, "op") && !str_equal(p->id, "min-max");
}

static uint32_t count_of(const struct fact_kernel *k, const char *id)
{
    uint32_t n = 0;
    for (size_t i = 0; i < k->patterns.n; i++)
        n += str_equal(k->patterns.p[i].id, id);
    return n;
}

static const char *times(struct arena *a, uint32_t n)
{
    const char *text = arena_printf(a, "%u times", n);
    return n == 0 ? "not at all" : n == 1 ? "once" : n == 2 ? "twice" : text ? text : "?";
}

/* "twice (max at 0x0130; + at 0x02a0)" */
static void add_occurrences(struct strbuf *b, const struct fact_kernel *const sides[2], unsigned side, const char *id)
{
    const struct fact_kernel *k = sides[side];
    uint32_t n = count_of(k, id), said = 0;
    str_addf(b, "%s %s", fact_compare_name(sides, side), times(b->a, n));
    for (size_t i = 0; i < k->patterns.n && said < LISTED; i++)
        if (str_equal(k->patterns.p[i].id, id) && is_collective(&k->patterns.p[i]))
            str_addf(b, "%s%s at 0x%04x", said++ ? "; " : " (", fact_lives_binding(&k->patterns.p[i], "op"),
                     start_of(k, &k->patterns.p[i]));
    if (said)
        str_addf(b, "%s)", n > said ? "; …" : "");
}

/* Its value comes from arithmetic: no barrier, no address. */
static bool computes(const struct fact_kernel *k, const struct fact_pattern *p)
{
    size_t lo = 0, hi = k->instructions.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (k->instructions.p[mid].offset < last_of(p))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < k->instructions.n && k->instructions.p[lo].offset == last_of(p) &&
           k->instructions.p[lo].role == FACT_ROLE_COMPUTE;
}

/* What one kernel computes between its first two of that id, and the other kernel has nowhere. */
static void add_between(struct strbuf *b, const struct fact_kernel *k, const struct fact_kernel *other, const char *id)
{
    const struct fact_pattern *ends[2] = {NULL, NULL};
    uint32_t said = 0;
    for (size_t i = 0; i < k->patterns.n; i++) {
        const struct fact_pattern *p = &k->patterns.p[i];
        if (!str_equal(p->id, id) || !p->offsets.n)
            continue;
        if (!ends[0] || middle_of(p) < middle_of(ends[0])) {
            ends[1] = ends[0];
            ends[0] = p;
        } else if (!ends[1] || middle_of(p) < middle_of(ends[1])) {
            ends[1] = p;
        }
    }
    for (size_t i = 0; ends[1] && i < k->patterns.n && said < LISTED; i++) {
        const struct fact_pattern *p = &k->patterns.p[i];
        if (!p->id || !p->offsets.n || first_of(p) <= last_of(ends[0]) || last_of(p) >= middle_of(ends[1]) ||
            count_of(other, p->id) > 0 || !computes(k, p))
            continue;
        str_addf(b, "%s%s (0x%04x)", said++ ? ", " : "; between the two stands ", p->id, first_of(p));
    }
}

const char *fact_compare_why_patterns(struct arena *a, const struct fact_kernel *const k[2])
{
    struct strbuf b;
    str_init(&b, a);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < k[side]->patterns.n; i++) {
            const struct fact_pattern *p = &k[side]->patterns.p[i];
            bool again = !is_collective(p) || (side == 1 && count_of(k[0], p->id) > 0);
            for (size_t before = 0; before < i && !again; before++)
                again = str_equal(k[side]->patterns.p[before].id, p->id);
            uint32_t n[2] = {0, 0};
            if (!again) {
                n[0] = count_of(k[0], p->id);
                n[1] = count_of(k[1], p->id);
            }
            if (n[0] == n[1])
                continue;
            str_addf(&b, "%s%s: ", b.n ? "; " : "", p->id);
            add_occurrences(&b, k, 0, p->id);
            str_add(&b, ", ");
            add_occurrences(&b, k, 1, p->id);
            for (unsigned more = 0; more < 2; more++)
                if (n[more] == 2 && n[!more] > 0)
                    add_between(&b, k[more], k[!more], p->id);
        }
    return b.n ? b.p : NULL;
}

/* ---- places ---- */

static bool is_exp(const struct fact_pattern *p)
{
    return p->id && str_starts(p->id, "exp-") && p->offsets.n > 0;
}

/* A value that an exponential makes and that stands in shared memory, or NULL. */
static const struct fact_value *kept_exp(const struct fact_kernel *k)
{
    for (size_t v = 0; v < k->values.n; v++) {
        const struct fact_value *value = &k->values.p[v];
        if (value->cls != FACT_SHARED_MATERIALIZED || !fact_lives_in(value, FACT_SHARED))
            continue;
        for (size_t i = 0; i < k->patterns.n; i++)
            for (uint32_t e = 0; is_exp(&k->patterns.p[i]) && e < value->evidence.n; e++)
                if (value->evidence.p[e] == last_of(&k->patterns.p[i]))
                    return value;
    }
    return NULL;
}

/* How many loops hold an exponential. */
static uint32_t loops_with_exp(const struct fact_kernel *k)
{
    uint32_t n = 0;
    for (size_t l = 0; l < k->loops.n; l++) {
        bool found = false;
        for (size_t i = 0; i < k->patterns.n && !found; i++)
            found = is_exp(&k->patterns.p[i]) &&
                    fact_lives_loop_at(k, last_of(&k->patterns.p[i])) == (int32_t)k->loops.p[l].id;
        n += found;
    }
    return n;
}

/* The array that is read in the most loops, at least two; NULL: none. */
static const char *read_in_loops(const struct fact_kernel *k, uint32_t *loops)
{
    const char *found = NULL;
    *loops = 1;
    for (size_t p = 0; p < k->params.n; p++) {
        const char *name = k->params.p[p].name;
        uint32_t n = 0;
        for (size_t l = 0; name && l < k->loops.n; l++) {
            bool reads = false;
            for (size_t v = 0; v < k->values.n && !reads; v++)
                for (uint32_t s = 0; s < k->values.p[v].storage_count && !reads; s++) {
                    const struct fact_storage *place = &k->values.p[v].storage[s];
                    const struct fact_storage *first = &k->values.p[v].storage[0];
                    bool loaded = s == 0 || place->reloaded || first->where == FACT_GLOBAL;
                    reads = place->where == FACT_GLOBAL && loaded && str_equal(place->at, name) &&
                            fact_lives_loop_at(k, place->from) == (int32_t)k->loops.p[l].id;
                }
            n += reads;
        }
        if (n > *loops) {
            *loops = n;
            found = name;
        }
    }
    return found;
}

/* An element is loaded from global memory that was loaded before: where. */
static bool loaded_again(const struct fact_kernel *k, uint32_t *at)
{
    for (size_t v = 0; v < k->values.n; v++)
        for (uint32_t s = 0; s < k->values.p[v].storage_count; s++)
            if (k->values.p[v].storage[s].reloaded && k->values.p[v].storage[s].where == FACT_GLOBAL) {
                *at = k->values.p[v].storage[s].from;
                return true;
            }
    return false;
}

static void add_exponentials(struct strbuf *b, const struct fact_kernel *const k[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct fact_value *kept = kept_exp(k[side]);
        const struct fact_kernel *other = k[!side];
        uint32_t loops = loops_with_exp(other), reads;
        if (!kept || kept_exp(other))
            continue;
        str_addf(b, "; %s keeps its exponential %s in shared memory (0x%04x)", fact_compare_name(k, side),
                 kept->id ? kept->id : "?", fact_lives_in(kept, FACT_SHARED)->from);
        if (loops == 0)
            continue;
        str_addf(b, ", %s keeps none", fact_compare_name(k, !side));
        if (loops > 1)
            str_addf(b, ": each of its %u loops computes its own", loops);
        const char *array = read_in_loops(other, &reads);
        uint32_t again;
        if (array)
            str_addf(b, "%s%s is read in %u loops", loops > 1 ? ", and " : "; ", array, reads);
        else if (loaded_again(other, &again))
            str_addf(b, "%sit loads an element again (0x%04x)", loops > 1 ? ", and " : "; ", again);
    }
}

const char *fact_compare_why_places(struct arena *a, const struct fact_kernel *const k[2])
{
    const size_t budget = 4000; /* values of a kernel whose lives are told one by one */
    const char *style[2] = {fact_lives_style(a, k[0]), fact_lives_style(a, k[1])};
    struct strbuf b;
    str_init(&b, a);
    if (str_equal(style[0], style[1]))
        return NULL;
    str_addf(&b, "%s: %s; %s: %s", fact_compare_name(k, 0), style[0], fact_compare_name(k, 1), style[1]);
    if (k[0]->values.n <= budget && k[1]->values.n <= budget && k[0]->patterns.n <= budget &&
        k[1]->patterns.n <= budget)
        add_exponentials(&b, k);
    return b.p;
}

/* ---- phases ---- */

/* The phases of `few` are among those of `many`, in order; `extra` marks the rest. */
static bool among(const struct fact_kernel *few, const struct fact_kernel *many, bool *extra)
{
    size_t at = 0;
    for (size_t i = 0; i < many->phases.n; i++) {
        extra[i] = at >= few->phases.n || few->phases.p[at].kind != many->phases.p[i].kind;
        at += !extra[i];
    }
    return at == few->phases.n;
}

static bool has_phase(const struct fact_kernel *k, enum fact_phase_kind kind)
{
    for (size_t i = 0; i < k->phases.n; i++)
        if (k->phases.p[i].kind == kind)
            return true;
    return false;
}

/* Whose values a kernel reduces: with nothing between threads but shuffles and votes, a warp's, or those of a part of
 * one. */
static const char *reduced_over(const struct fact_kernel *k)
{
    bool block = false;
    for (size_t i = 0; i < k->accesses.n; i++)
        block |= k->accesses.p[i].space == FACT_SHARED;
    for (size_t i = 0; i < k->patterns.n; i++)
        block |= str_equal(k->patterns.p[i].id, "tree-reduction") || str_equal(k->patterns.p[i].id, "block-reduction");
    return block ? "the threads of a block" : "threads of a warp";
}

/* Something in it depends on what other threads of the run have: barriers, shared memory, lanes, atomics. */
static bool looks_at_others(const struct fact_kernel *k)
{
    bool others = k->atomics != 0;
    for (size_t i = 0; i < k->accesses.n && !others; i++)
        others = k->accesses.p[i].space == FACT_SHARED;
    for (size_t i = 0; i < k->instructions.n && !others; i++) {
        enum fact_role role = k->instructions.p[i].role;
        others = role == FACT_ROLE_SHUFFLE || role == FACT_ROLE_VOTE || role == FACT_ROLE_BARRIER ||
                 role == FACT_ROLE_ATOMIC || role == FACT_ROLE_TENSOR;
    }
    return others;
}

const char *fact_compare_why_phases(struct arena *a, const struct fact_kernel *const k[2])
{
    struct strbuf b;
    str_init(&b, a);
    for (unsigned side = 0; side < 2; side++) {
        const struct fact_kernel *few = k[side], *many = k[!side];
        bool *extra = ARENA_ARRAY(a, bool, many->phases.n);
        if (!extra || few->phases.n == 0 || few->phases.n >= many->phases.n || !among(few, many, extra))
            continue;
        str_addf(&b, "by kind, the phases of %s are among those of %s, which has besides ", fact_compare_name(k, side),
                 fact_compare_name(k, !side));
        for (size_t i = 0, said = 0; i < many->phases.n; i++)
            if (extra[i])
                str_addf(&b, "%s%s (0x%04x)", said++ ? ", " : "", fact_phase_text(many->phases.p[i].kind),
                         many->phases.p[i].from);
        return b.p;
    }
    for (unsigned side = 0; side < 2; side++)
        if (has_phase(k[side], FACT_PHASE_REDUCE) && !has_phase(k[!side], FACT_PHASE_REDUCE) &&
            has_phase(k[!side], FACT_PHASE_FOLD) && !looks_at_others(k[!side])) {
            str_addf(&b, "%s reduces over %s; each thread of %s folds in a loop of its own", fact_compare_name(k, side),
                     reduced_over(k[side]), fact_compare_name(k, !side));
            return b.p;
        }
    for (unsigned side = 0; side < 2; side++)
        if (has_phase(k[side], FACT_PHASE_REDUCE) && k[!side]->phases.n == 1 && has_phase(k[!side], FACT_PHASE_MAP) &&
            !looks_at_others(k[!side]))
            return arena_printf(a, "%s combines values of %s; in %s each thread works for itself",
                                fact_compare_name(k, side), reduced_over(k[side]), fact_compare_name(k, !side));
    return NULL;
}

const char *fact_compare_why_barriers(struct arena *a, const struct fact_kernel *const k[2])
{
    uint32_t n[2] = {0, 0};
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < k[side]->instructions.n; i++)
            n[side] += k[side]->instructions.p[i].role == FACT_ROLE_BARRIER;
    for (unsigned side = 0; side < 2; side++)
        if (n[side] > 0 && n[!side] == 0)
            return arena_printf(a, "%s waits at %u barrier%s, %s nowhere", fact_compare_name(k, side), n[side],
                                n[side] == 1 ? "" : "s", fact_compare_name(k, !side));
    return NULL;
}
