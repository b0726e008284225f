/* Facts about the kernel as a whole: phases of straight-line code (one, D9), and the one-sentence
 * summary made of outputs, places and control flow. */
#include "facts/fact_build.h"

#include "base/str.h"

#include <string.h>

static bool has_role(const struct fact_kernel *k, enum fact_role role)
{
    for (size_t i = 0; i < k->instructions.n; i++)
        if (k->instructions.p[i].role == role)
            return true;
    return false;
}

static enum fact_phase_kind phase_kind(const struct fact_source *s, const struct fact_kernel *k)
{
    const struct graph *g = s->g;
    bool loads = false, stores = false, constant = true;
    if (g->loops.n || has_role(k, FACT_ROLE_BARRIER) || has_role(k, FACT_ROLE_SHUFFLE))
        return FACT_PHASE_OTHER;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        bool global = x->space == UOP_GLOBAL || x->space == UOP_GENERIC;
        loads |= global && x->kind == GRAPH_LOAD;
        if (!global || x->kind == GRAPH_LOAD)
            continue;
        stores = true;
        for (unsigned w = 0; w < 4 && x->value[w] != GRAPH_NIL; w++)
            constant &= graph_is_const(g, x->value[w], NULL);
    }
    if (stores && constant && !loads)
        return FACT_PHASE_FILL;
    if (!stores && loads)
        return FACT_PHASE_LOAD;
    return stores ? FACT_PHASE_MAP : FACT_PHASE_OTHER;
}

static void build_phase(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    if (!k->instructions.n)
        return;
    struct fact_phase p = {.kind = phase_kind(s, k),
                           .from = k->instructions.p[0].offset,
                           .to = k->instructions.p[k->instructions.n - 1].offset};
    uint32_t *numbers = ARENA_ARRAY(a, uint32_t, s->patterns->matches.n),
             *insns = ARENA_ARRAY(a, uint32_t, s->g->accesses.n);
    size_t evidence = 0;
    struct strbuf text;
    if (!numbers || !insns)
        return;
    for (uint32_t i = 0; i < s->patterns->matches.n; i++) {
        const struct pat_match *m = &s->patterns->matches.p[i];
        if (m->parent < 0 && strcmp(m->family, "operator") == 0)
            numbers[p.pattern_count++] = i;
    }
    p.patterns = numbers;
    for (size_t i = 0; i < s->g->accesses.n; i++) {
        unsigned space = s->g->accesses.p[i].space;
        if (space == UOP_GLOBAL || space == UOP_GENERIC)
            insns[evidence++] = s->g->accesses.p[i].insn;
    }
    p.evidence = fact_offsets_of(a, s->g, insns, evidence);
    str_init(&text, a);
    uint32_t inputs = 0, computed = 0;
    for (size_t i = 0; i < s->place->values.n; i++) {
        const struct graph_node *n = graph_at(s->g, s->place->values.p[i].node);
        bool word = n->kind == UOP_ELEMENT || n->kind == UOP_LO || n->kind == UOP_HI;
        bool loaded = n->kind == UOP_LOAD || (word && graph_at(s->g, n->arg[0])->kind == UOP_LOAD);
        inputs += loaded;
        computed += !loaded;
    }
    if (inputs)
        str_addf(&text, "load %u value%s, ", inputs, inputs == 1 ? "" : "s");
    if (computed)
        str_addf(&text, "make %u, ", computed);
    str_addf(&text, "store %zu", k->outputs.n);
    p.summary = text.p;
    VEC_PUSH(a, k->phases, p);
}

static const struct fact_binding *binding(const struct fact_pattern *p, const char *key)
{
    for (uint32_t i = 0; i < p->bindings.n; i++)
        if (strcmp(p->bindings.p[i].key, key) == 0)
            return &p->bindings.p[i];
    return NULL;
}

static void add_outputs(struct strbuf *b, const struct fact_kernel *k)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < k->outputs.n && i < SHOWN; i++) {
        const struct fact_output *o = &k->outputs.p[i];
        const char *at = o->address ? o->address : "?";
        str_addf(b, "%s%s = %s", i ? ", " : "", at[0] == '&' ? at + 1 : at, o->real ? o->real : "?");
        bool last_of_condition =
            i + 1 >= k->outputs.n || i + 1 >= SHOWN || !str_equal(o->runs_when, k->outputs.p[i + 1].runs_when);
        if (o->runs_when && last_of_condition)
            str_addf(b, " for %s", o->runs_when);
    }
    if (k->outputs.n > SHOWN)
        str_addf(b, " and %zu more stores", k->outputs.n - SHOWN);
}

static void build_sentence(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct strbuf b;
    uint32_t counts[FACT_RESULT + 1] = {0};
    str_init(&b, a);
    add_outputs(&b, k);
    uint32_t atomics = 0;
    for (size_t i = 0; i < s->g->accesses.n; i++)
        atomics += s->g->accesses.p[i].kind == GRAPH_ATOMIC;
    if (!k->outputs.n && !atomics)
        str_add(&b, s->g->incomplete ? "no store to global memory was understood" : "stores nothing to global memory");
    if (atomics)
        str_addf(&b, "%s%u atomic update%s", k->outputs.n ? "; " : "", atomics, atomics == 1 ? "" : "s");
    for (size_t i = 0; i < k->patterns.n; i++) {
        const struct fact_binding *nan = binding(&k->patterns.p[i], "nan"), *x = binding(&k->patterns.p[i], "x");
        if (nan && x && nan->text && x->text && strcmp(nan->text, "kept") == 0)
            str_addf(&b, "; a NaN in %s is kept", x->text);
    }
    for (size_t i = 0; i < k->values.n; i++)
        counts[k->values.p[i].cls]++;
    bool branches = has_role(k, FACT_ROLE_BRANCH) || has_role(k, FACT_ROLE_LOOP_TEST);
    if (s->g->loops.n)
        str_addf(&b, "; %zu loop%s", s->g->loops.n, s->g->loops.n == 1 ? "" : "s");
    else if (!branches && !has_role(k, FACT_ROLE_CALL) && !s->g->incomplete)
        str_add(&b, "; no branch");
    if (has_role(k, FACT_ROLE_CALL))
        str_add(&b, "; a call");
    uint32_t outside = counts[FACT_SHARED_MATERIALIZED] + counts[FACT_GLOBAL_MATERIALIZED] + counts[FACT_SPILLED] +
                       counts[FACT_LOCAL_ARRAY];
    static const struct {
        enum fact_class cls;
        const char *where;
    } places[] = {{FACT_SHARED_MATERIALIZED, "in shared memory"},
                  {FACT_GLOBAL_MATERIALIZED, "in global memory"},
                  {FACT_SPILLED, "spilled to local memory"},
                  {FACT_LOCAL_ARRAY, "in a local array"}};
    if (!outside && k->values.n && !k->unknown.n)
        str_add(&b, ", every intermediate in a register");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (counts[places[i].cls])
            str_addf(&b, ", %u value%s %s", counts[places[i].cls], counts[places[i].cls] == 1 ? "" : "s",
                     places[i].where);
    if (k->unknown.n)
        str_addf(&b, "; %zu instruction%s not understood", k->unknown.n, k->unknown.n == 1 ? "" : "s");
    k->summary = b.p;
}

enum sp_status fact_build_summary(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    build_phase(a, s, k);
    build_sentence(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
