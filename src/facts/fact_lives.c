/* Where intermediates live, in sentences: from the classes and places of values, the loops that carry them and the
 * reductions that store them.
 *
 * A value is *made here* when a register held it before memory did; a load's value begins in the memory it was read
 * from. A step of a reduction is a value made here that an instruction of the matched reduction stores, or one that is
 * stored in a loop and read back there to make the next of it: that is what "every partial sum crosses shared memory"
 * says. What is only brought there from global memory is staged. Names of values and kernels decide nothing.
 * requires: values, loops, patterns, instructions of a kernel · gives: texts */
#include "facts/fact_lives.h"

#include "base/str.h"
#include "facts/fact_words.h"

#include <string.h>

enum { LISTED = 4, SHORT_NAME = 32 };

const char *fact_lives_binding(const struct fact_pattern *p, const char *key)
{
    for (uint32_t i = 0; i < p->bindings.n; i++)
        if (str_equal(p->bindings.p[i].key, key) && p->bindings.p[i].kind == FACT_BIND_TEXT)
            return p->bindings.p[i].text;
    return NULL;
}

const struct fact_storage *fact_lives_in(const struct fact_value *value, enum fact_where where)
{
    for (uint32_t i = 0; i < value->storage_count; i++) {
        const struct fact_storage *place = &value->storage[i];
        if (place->where != where)
            continue;
        for (uint32_t r = 0; r < value->storage_count; r++) {
            const struct fact_storage *made = &value->storage[r];
            bool routine = made->to < made->from; /* what makes it stands behind its reader */
            if ((made->where == FACT_REGISTER || made->where == FACT_UNIFORM) && (made->from < place->from || routine))
                return place;
        }
    }
    return NULL;
}

static bool is_in_phase(const struct fact_phase *p, uint32_t offset)
{
    bool in = !p->range_count && offset >= p->from && offset <= p->to;
    for (uint32_t i = 0; i < p->range_count && !in; i++)
        in = offset >= p->ranges[2 * i] && offset <= p->ranges[2 * i + 1];
    return in;
}

bool fact_lives_streams(const struct fact_kernel *k, const struct fact_value *v)
{
    if (v->cls == FACT_REGISTER_ACCUMULATOR)
        return true;
    if (v->cls != FACT_SHARED_MATERIALIZED && v->cls != FACT_GLOBAL_MATERIALIZED)
        return false;
    for (size_t i = 0; i < k->loops.n; i++)
        for (uint32_t c = 0; c < k->loops.p[i].carried_count; c++) {
            const struct fact_carried *x = &k->loops.p[i].carried[c];
            if (x->kind != FACT_CARRIED_DATA || !str_equal(x->value, v->id))
                continue;
            for (size_t p = 0; p < k->phases.n; p++)
                if (k->phases.p[p].kind == FACT_PHASE_FOLD && is_in_phase(&k->phases.p[p], x->at))
                    return true;
        }
    return false;
}

static bool has_offset(struct fact_offsets offsets, uint32_t offset)
{
    uint32_t lo = 0, hi = offsets.n; /* they ascend */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (offsets.p[mid] < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < offsets.n && offsets.p[lo] == offset;
}

/* Patterns whose steps hand partial results on. */
static bool is_collective(const struct fact_pattern *p)
{
    return p->collects;
}

/* The first pattern that hands the value on through shared memory, or NULL. */
static const struct fact_pattern *step_of(const struct fact_kernel *k, const struct fact_value *value)
{
    const struct fact_storage *place = fact_lives_in(value, FACT_SHARED);
    for (size_t i = 0; place && i < k->patterns.n; i++)
        if (is_collective(&k->patterns.p[i]) && has_offset(k->patterns.p[i].offsets, place->from))
            return &k->patterns.p[i];
    return NULL;
}

int32_t fact_lives_loop_at(const struct fact_kernel *k, uint32_t offset)
{
    int32_t found = FACT_NONE;
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < k->loops.n; i++) {
        const struct fact_loop *loop = &k->loops.p[i];
        if (offset < loop->from || offset > loop->to || loop->to - loop->from > smallest)
            continue;
        bool inside = loop->piece_count == 0;
        for (uint32_t p = 0; p < loop->piece_count; p++)
            inside |= loop->pieces[p].from <= offset && offset <= loop->pieces[p].to;
        if (inside) {
            found = (int32_t)loop->id;
            smallest = loop->to - loop->from;
        }
    }
    return found;
}

const char *fact_lives_name(struct arena *a, const struct fact_value *value)
{
    const char *name = value->name ? value->name : value->expr, *id = value->id ? value->id : "?";
    if (!name || str_equal(name, id) || strlen(name) > SHORT_NAME || strstr(name, "…"))
        return id;
    const char *text = arena_printf(a, "%s (%s)", id, name);
    return text ? text : id;
}

/* A partial result that is handed on from turn to turn: stored in a loop, and what is read back there makes the next
 * one of it. A value that is only passed on (a tile) makes none of itself. */
static bool crosses_in_loop(const struct fact_kernel *k, const struct fact_value *value)
{
    const struct fact_storage *place = fact_lives_in(value, FACT_SHARED);
    int32_t loop = place ? fact_lives_loop_at(k, place->from) : FACT_NONE;
    for (uint32_t i = 0; loop != FACT_NONE && i < value->use_count; i++)
        if (value->uses[i].via == FACT_SHARED && has_offset(value->evidence, value->uses[i].offset) &&
            fact_lives_loop_at(k, value->uses[i].offset) == loop)
            return true;
    return false;
}

/* Loaded from global memory and only put into shared memory from there. */
static bool is_staged(const struct fact_value *value)
{
    if (!fact_lives_in(value, FACT_SHARED))
        return false;
    for (uint32_t g = 0; g < value->storage_count; g++)
        for (uint32_t r = 0; value->storage[g].where == FACT_GLOBAL && r < value->storage_count; r++)
            if (value->storage[r].where == FACT_REGISTER && value->storage[r].from == value->storage[g].from)
                return true;
    return false;
}

/* Kinds of lives; a value has any number of them. */
enum life {
    LIFE_ACCUMULATOR,
    LIFE_STEP,      /* made here, handed on through shared memory by a reduction or a scan */
    LIFE_LOOP_STEP, /* the same from turn to turn of a loop that is not known as a reduction */
    LIFE_STAGED,    /* brought from global to shared memory */
    LIFE_KEPT,      /* made here and kept in shared memory otherwise */
    LIFE_GLOBAL,
    LIFE_SPILLED,
    LIFE_LOCAL_ARRAY,
    LIFE_VARIABLE, /* in local memory for another reason */
    LIFE_RECOMPUTED,
    LIFE_RELOADED,
    LIVES,
};

struct survey {
    uint32_t count[LIVES];
    uint16_t *lives;                   /* of each value: bits 1 << enum life */
    const struct fact_pattern **steps; /* of each value: whose step it is, or NULL */
    bool own_kept;   /* a reduction through shared memory keeps each thread's own part in a register */
    bool shared;     /* any access to shared memory, or a barrier */
    bool counted;    /* a value stands in shared memory otherwise: what atomic updates count there */
    uint32_t copied; /* copies from global to shared memory that pass through no register */
    bool complete;   /* false: too much to tell value by value, or out of memory */
};

static uint16_t lives_of(const struct fact_kernel *k, const struct fact_value *v, const struct fact_pattern **step)
{
    unsigned lives = 0;
    *step = step_of(k, v);
    if (*step)
        lives |= 1u << LIFE_STEP;
    else if (crosses_in_loop(k, v))
        lives |= 1u << LIFE_LOOP_STEP;
    else if (v->cls == FACT_SHARED_MATERIALIZED && fact_lives_in(v, FACT_SHARED))
        lives |= is_staged(v) ? 1u << LIFE_STAGED : 1u << LIFE_KEPT;
    if (fact_lives_streams(k, v))
        lives |= 1u << LIFE_ACCUMULATOR;
    if (v->cls == FACT_SPILLED)
        lives |= 1u << LIFE_SPILLED;
    if (v->cls == FACT_LOCAL_ARRAY)
        lives |= 1u << LIFE_LOCAL_ARRAY;
    for (uint32_t p = 0; p < v->storage_count; p++)
        if (v->storage[p].where == FACT_LOCAL && v->cls != FACT_SPILLED && v->cls != FACT_LOCAL_ARRAY)
            lives |= 1u << LIFE_VARIABLE;
    if (v->cls == FACT_RECOMPUTED)
        lives |= 1u << LIFE_RECOMPUTED;
    if (v->cls == FACT_GLOBAL_MATERIALIZED && fact_lives_in(v, FACT_GLOBAL))
        lives |= 1u << LIFE_GLOBAL;
    for (uint32_t p = 0; p < v->storage_count; p++)
        if (v->storage[p].reloaded && v->storage[p].where == FACT_GLOBAL)
            lives |= 1u << LIFE_RELOADED;
    return (uint16_t)lives;
}

static struct survey survey_of(struct arena *a, const struct fact_kernel *k)
{
    const size_t budget = 10000000; /* values times loops and reductions */
    struct survey s = {.lives = ARENA_ARRAY(a, uint16_t, k->values.n),
                       .steps = ARENA_ARRAY(a, const struct fact_pattern *, k->values.n)};
    s.complete = (s.lives && s.steps && k->values.n * (k->loops.n + k->patterns.n) <= budget) || k->values.n == 0;
    for (size_t i = 0; s.complete && i < k->values.n; i++) {
        s.lives[i] = lives_of(k, &k->values.p[i], &s.steps[i]);
        for (unsigned life = 0; life < LIVES; life++)
            s.count[life] += s.lives[i] >> life & 1;
        s.counted |= k->values.p[i].cls == FACT_SHARED_MATERIALIZED;
        for (uint32_t p = 0; p < k->values.p[i].storage_count; p++)
            s.shared |= k->values.p[i].storage[p].where == FACT_SHARED;
    }
    for (size_t i = 0; i < k->instructions.n; i++)
        s.shared |= k->instructions.p[i].role == FACT_ROLE_BARRIER;
    for (size_t i = 0; i < k->accesses.n; i++)
        s.shared |= k->accesses.p[i].space == FACT_SHARED;
    for (size_t i = 1; i < k->accesses.n; i++) /* one instruction of two spaces */
        s.copied += k->accesses.p[i].offset == k->accesses.p[i - 1].offset && k->accesses.p[i].space == FACT_SHARED &&
                    k->accesses.p[i - 1].space == FACT_GLOBAL;
    for (size_t i = 0; i < k->patterns.n; i++)
        s.own_kept |= is_collective(&k->patterns.p[i]) &&
                      str_equal(fact_lives_binding(&k->patterns.p[i], "self"), "register") &&
                      str_equal(fact_lives_binding(&k->patterns.p[i], "space"), "shared");
    return s;
}

static const char *style_of(const struct survey *s, const struct fact_kernel *k)
{
    uint32_t steps = s->count[LIFE_STEP] + s->count[LIFE_LOOP_STEP];
    if (!s->complete)
        return "too many values to tell one by one";
    if (steps > 0 && s->count[LIFE_ACCUMULATOR] > 0)
        return "register accumulators, then accumulation materialized in shared memory";
    if (steps > 0 && s->own_kept)
        return "accumulation through shared memory, each thread's own part in a register";
    if (steps > 0)
        return "shared-memory materialized accumulation";
    if (s->count[LIFE_ACCUMULATOR] > 0)
        return !s->shared                              ? "register-accumulator streaming"
               : s->count[LIFE_KEPT] > 0               ? "register accumulators, intermediates in shared memory"
               : s->count[LIFE_STAGED] + s->copied > 0 ? "register accumulators, inputs staged in shared memory"
                                                       : "register accumulators";
    if (s->count[LIFE_KEPT] > 0)
        return "intermediates in shared memory";
    if (s->count[LIFE_STAGED] + s->copied > 0)
        return "inputs staged in shared memory";
    if (s->count[LIFE_SPILLED] > 0)
        return "intermediates spilled to local memory";
    if (s->count[LIFE_LOCAL_ARRAY] > 0)
        return "an array in local memory";
    if (s->count[LIFE_VARIABLE] > 0)
        return "variables in local memory";
    if (s->count[LIFE_GLOBAL] > 0)
        return "intermediates in global memory";
    if (s->counted)
        return "intermediates in shared memory";
    return k->unknown.n > 0 ? "not everything is understood" : "every intermediate in a register";
}

const char *fact_lives_style(struct arena *a, const struct fact_kernel *k)
{
    struct survey s = survey_of(a, k);
    return style_of(&s, k);
}

struct story {
    struct strbuf b;
    struct arena *a;
    const struct fact_kernel *k;
    struct survey n;
};

static void sentence(struct story *s)
{
    if (s->b.n)
        str_addc(&s->b, ' ');
}

static bool lives_so(const struct story *s, size_t value, enum life life)
{
    return s->n.lives[value] >> life & 1;
}

/* "v1, v2 (x), v3 and v4 are …", "v1, v2, v3, v4 and 3 more are …" of the values of one life. */
static void say_names(struct story *s, enum life life, const char *one, const char *many)
{
    uint32_t n = 0, all = s->n.count[life];
    if (all == 0)
        return;
    sentence(s);
    for (size_t i = 0; i < s->k->values.n && n < LISTED; i++) {
        if (!lives_so(s, i, life))
            continue;
        const char *joint = n == 0 ? "" : n + 1 == all ? " and " : ", ";
        str_addf(&s->b, "%s%s", joint, fact_lives_name(s->a, &s->k->values.p[i]));
        n++;
    }
    if (all > LISTED)
        str_addf(&s->b, " and %u more", all - LISTED);
    str_addf(&s->b, " %s.", all == 1 ? one : many);
}

static const char *partial(const struct fact_pattern *p)
{
    const char *op = fact_lives_binding(p, "op");
    static const struct {
        const char *op, *text;
    } words[] = {{"+", "sum"},     {"add", "sum"},     {"max", "maximum"}, {"min", "minimum"},
                 {"*", "product"}, {"mul", "product"}, {"&", "and"},       {"|", "or"}};
    for (size_t i = 0; op && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].op, op) == 0)
            return words[i].text;
    return "result";
}

/* The steps of matched reductions, one sentence a reduction. */
static void say_reductions(struct story *s)
{
    for (size_t p = 0; p < s->k->patterns.n; p++) {
        const struct fact_pattern *pattern = &s->k->patterns.p[p];
        uint32_t n = 0, first = 0;
        for (size_t i = 0; is_collective(pattern) && i < s->k->values.n; i++)
            if (s->n.steps[i] == pattern && n++ == 0)
                first = fact_lives_in(&s->k->values.p[i], FACT_SHARED)->from;
        if (n == 0)
            continue;
        sentence(s);
        str_addf(&s->b, "Every partial %s of the %s crosses shared memory: ", partial(pattern), pattern->id);
        uint32_t said = 0;
        for (size_t i = 0; i < s->k->values.n && said < LISTED; i++)
            if (s->n.steps[i] == pattern)
                str_addf(&s->b, "%s%s", said++ ? ", " : "", s->k->values.p[i].id ? s->k->values.p[i].id : "?");
        if (n > LISTED)
            str_addf(&s->b, " and %u more", n - LISTED);
        str_addf(&s->b, " %s stored (%s0x%04x) and read back by the next step", n == 1 ? "is" : "are",
                 n == 1 ? "" : "from ", first);
        if (str_equal(fact_lives_binding(pattern, "self"), "register"))
            str_add(&s->b, "; each thread's own stays in a register as well");
        str_addc(&s->b, '.');
    }
}

static void say_kept(struct story *s)
{
    uint32_t n = 0, all = 0;
    for (size_t i = 0; i < s->k->values.n; i++) {
        const struct fact_value *v = &s->k->values.p[i];
        const struct fact_storage *place = lives_so(s, i, LIFE_KEPT) ? fact_lives_in(v, FACT_SHARED) : NULL;
        if (!place || ++all > LISTED)
            continue;
        bool other = false;
        for (uint32_t u = 0; u < v->use_count; u++)
            other |= v->uses[u].via == FACT_SHARED && v->uses[u].other_thread;
        sentence(s);
        str_addf(&s->b, "%s stands in shared memory from 0x%04x%s", fact_lives_name(s->a, v), place->from,
                 other ? ", where other threads read it" : "");
        for (uint32_t r = 0; r < v->storage_count; r++)
            if (v->storage[r].where == FACT_REGISTER && v->storage[r].from <= place->from &&
                v->storage[r].to > place->from) {
                str_addf(&s->b, ", and stays in %s until 0x%04x", v->storage[r].at ? v->storage[r].at : "a register",
                         v->storage[r].to);
                break;
            }
        str_addc(&s->b, '.');
        n++;
    }
    if (all > n) {
        sentence(s);
        str_addf(&s->b, "%u more values stand in shared memory.", all - n);
    }
}

static void say_reloaded(struct story *s)
{
    for (size_t i = 0, said = 0; i < s->k->values.n && said < LISTED; i++) {
        const struct fact_value *v = &s->k->values.p[i];
        const char *element = NULL;
        uint32_t n = 0;
        if (!lives_so(s, i, LIFE_RELOADED))
            continue;
        for (uint32_t p = 0; p < v->storage_count; p++)
            if (v->storage[p].where == FACT_GLOBAL) {
                if (v->storage[p].reloaded)
                    element = v->storage[p].address;
                n++;
            }
        sentence(s);
        str_addf(&s->b, "%s is not kept but loaded again (",
                 !element          ? fact_lives_name(s->a, v)
                 : *element == '&' ? element + 1
                                   : element);
        for (uint32_t p = 0, listed = 0; p < v->storage_count && listed < LISTED; p++)
            if (v->storage[p].where == FACT_GLOBAL)
                str_addf(&s->b, "%s0x%04x", listed++ ? ", " : "", v->storage[p].from);
        str_addf(&s->b, "%s).", n > LISTED ? " …" : "");
        said++;
    }
}

const char *fact_lives_text(struct arena *a, const struct fact_kernel *k)
{
    struct story s = {.a = a, .k = k, .n = survey_of(a, k)};
    const char *style = style_of(&s.n, k);
    str_init(&s.b, a);
    if (k->values.n == 0)
        return "No data value is made.";
    str_addf(&s.b, "%c%s.", *style >= 'a' && *style <= 'z' ? *style - 'a' + 'A' : *style, style + 1);
    if (!s.n.complete)
        return s.b.p;
    say_names(&s, LIFE_ACCUMULATOR,
              s.n.shared ? "is carried round its loop in a register"
                         : "is carried round its loop in a register; nothing crosses shared memory, no thread waits",
              s.n.shared
                  ? "are carried round their loops in registers"
                  : "are carried round their loops in registers; nothing crosses shared memory, no thread waits");
    say_reductions(&s);
    say_names(&s, LIFE_LOOP_STEP, "crosses shared memory in every turn of its loop",
              "cross shared memory in every turn of their loop");
    say_names(&s, LIFE_STAGED, "is brought from global to shared memory", "are brought from global to shared memory");
    if (s.n.copied > 0) {
        sentence(&s);
        str_addf(&s.b, "%u cop%s from global to shared memory in the background.", s.n.copied,
                 s.n.copied == 1 ? "y goes" : "ies go");
    }
    say_kept(&s);
    say_names(&s, LIFE_GLOBAL, "is an intermediate that stands in global memory",
              "are intermediates that stand in global memory");
    say_names(&s, LIFE_SPILLED, "is spilled: put away in local memory because registers ran out",
              "are spilled: put away in local memory because registers ran out");
    say_names(&s, LIFE_LOCAL_ARRAY, "lies in an array in local memory, indexed at run time",
              "lie in an array in local memory, indexed at run time");
    say_names(&s, LIFE_VARIABLE, "stands in a variable in local memory", "stand in variables in local memory");
    say_names(&s, LIFE_RECOMPUTED, "is computed again instead of being kept",
              "are computed again instead of being kept");
    say_reloaded(&s);
    if (k->unknown.n > 0) {
        sentence(&s);
        str_addf(&s.b, "%zu instruction%s not understood may move values unseen.", k->unknown.n,
                 k->unknown.n == 1 ? "" : "s");
    }
    return s.b.p;
}
