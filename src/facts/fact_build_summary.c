/* Facts about the kernel as a whole: the one-sentence summary made of outputs, places and control flow. */
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
    build_sentence(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
