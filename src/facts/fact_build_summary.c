/* Facts about the kernel as a whole: the one-sentence summary, made of what threads do together (operators, reductions,
 * where the accumulation lives), outputs, places and control flow. Requires patterns, values and phases. */
#include "facts/fact_build.h"

#include "base/str.h"
#include "facts/fact_lives.h"

#include <string.h>

static bool has_role(const struct fact_kernel *k, enum fact_role role)
{
    for (size_t i = 0; i < k->instructions.n; i++)
        if (k->instructions.p[i].role == role)
            return true;
    return false;
}

/* A call that is no expansion's: what a library's code calls is its own (D13). */
static bool has_own_call(const struct graph *g)
{
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        const struct uop_list *l = n->reachable && !graph_is_owned(g, i) ? g->input.insns[n->input].uops : NULL;
        for (size_t k = 0; l && k < l->ops.n; k++)
            if (l->ops.p[k].kind == UOP_CALL || l->ops.p[k].kind == UOP_CALL_IND)
                return true;
    }
    return false;
}

static const struct fact_binding *binding(const struct fact_pattern *p, const char *key)
{
    for (uint32_t i = 0; i < p->bindings.n; i++)
        if (strcmp(p->bindings.p[i].key, key) == 0)
            return &p->bindings.p[i];
    return NULL;
}

/* Something in the expression is not known: a question mark that no choice has. */
static bool holds_unknown(const char *text)
{
    int more = 0;
    for (const char *p = text; *p; p++)
        more += *p == '?' ? 1 : *p == ':' ? -1 : 0;
    return more > 0;
}

/* The expression, or where it is long and all the same does not say it, `instead`. */
static const char *if_known(const char *text, const char *instead)
{
    enum { LONG = 40 };
    return !text || (strlen(text) > LONG && holds_unknown(text)) ? instead : text;
}

static void add_outputs(struct strbuf *b, const struct fact_kernel *k)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < k->outputs.n && i < SHOWN; i++) {
        const struct fact_output *o = &k->outputs.p[i];
        const char *at = if_known(o->address, "*(?)");
        str_addf(b, "%s%s = %s", i ? ", " : "", at[0] == '&' ? at + 1 : at, if_known(o->real, "?"));
        bool last_of_condition =
            i + 1 >= k->outputs.n || i + 1 >= SHOWN || !str_equal(o->runs_when, k->outputs.p[i + 1].runs_when);
        if (o->runs_when && last_of_condition)
            str_addf(b, " for %s", o->runs_when);
    }
    if (k->outputs.n > SHOWN)
        str_addf(b, " and %zu more stores", k->outputs.n - SHOWN);
}

/* ---- what threads do together ---------------------------------------------------------------- */

static const char *op_word(const char *op)
{
    static const char *const words[][2] = {{"add", "sum"}, {"mul", "product"}, {"min", "minimum"}, {"max", "maximum"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], op) == 0)
            return words[i][1];
    return op;
}

static bool is_part(const struct fact_source *s, const struct pat_match *m)
{
    for (int32_t at = m->parent, left = 16; at >= 0 && left; at = s->patterns->matches.p[at].parent, left--)
        if (s->patterns->matches.p[at].makes != PAT_MAKES_NOTHING)
            return true;
    return false;
}

/* How a reduction or scan is done, from what its match says of itself. */
static const char *way_of(struct arena *a, const struct fact_pattern *p, const struct pat_match *m)
{
    const struct fact_binding *width = binding(p, "width");
    const struct fact_binding *space = binding(p, "space"), *shape = binding(p, "shape");
    bool scan = m->makes == PAT_MAKES_PREFIXES;
    if (space && space->text && strcmp(space->text, "shared") == 0)
        return scan ? "scan through shared memory" : "tree in shared memory";
    if (width && width->kind == FACT_BIND_INT && width->number < 32) {
        const char *text = arena_printf(a, "reduction of %d lanes by shuffles", (int)width->number);
        return text ? text : "reduction by shuffles";
    }
    if (shape || space)
        return scan ? "scan by shuffles" : "reduction by shuffles";
    return strchr(m->rule, '/') ? "reduction in one instruction" : "reduction in two levels";
}

/* "maximum and sum, each a tree in shared memory". */
static bool add_reductions(struct strbuf *b, const struct fact_source *s, const struct fact_kernel *k)
{
    enum { TOLD = 64 };
    uint32_t list[TOLD], n = 0; /* matches of which there is something to tell */
    bool any = false, done[TOLD] = {false};
    const char *way[TOLD];
    for (size_t i = 0; i < k->patterns.n && n < TOLD; i++) {
        const struct pat_match *m = &s->patterns->matches.p[i];
        const struct fact_binding *op = binding(&k->patterns.p[i], "op");
        if (m->makes == PAT_MAKES_NOTHING || !fact_makes_data(s, m) || is_part(s, m) || !op || !op->text)
            continue;
        way[n] = way_of(b->a, &k->patterns.p[i], m);
        list[n++] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < n; i++) {
        unsigned count = 0, alike = 0, said = 0;
        const char *op = binding(&k->patterns.p[list[i]], "op")->text;
        if (done[i])
            continue;
        for (uint32_t j = i; j < n; j++)
            if (strcmp(way[j], way[i]) == 0) {
                done[j] = true;
                count++;
                alike += strcmp(binding(&k->patterns.p[list[j]], "op")->text, op) == 0;
            }
        str_add(b, any ? "; " : "");
        for (uint32_t j = i; j < n && alike < count; j++)
            if (strcmp(way[j], way[i]) == 0) {
                const char *its = op_word(binding(&k->patterns.p[list[j]], "op")->text);
                str_addf(b, "%s%s", said == 0 ? "" : said + 1 == count ? " and " : ", ", its);
                said++;
            }
        if (alike < count)
            str_addf(b, ", each a %s", way[i]);
        else
            str_addf(b,
                     count > 2   ? "%s as a %s, %u times"
                     : count > 1 ? "%s as a %s, twice"
                                 : "%s as a %s",
                     op_word(op), way[i], count);
        any = true;
    }
    return any;
}

/* What the whole kernel is, where some page says so. */
static bool add_operators(struct strbuf *b, const struct fact_source *s, const struct fact_kernel *k)
{
    bool any = false;
    for (size_t i = 0; i < k->patterns.n; i++) {
        const struct pat_match *m = &s->patterns->matches.p[i];
        const struct fact_binding *scope = binding(&k->patterns.p[i], "scope");
        bool again = false;
        if (strcmp(m->family, "operator") != 0 || m->parent >= 0 || (!m->cycle && !scope))
            continue;
        for (size_t j = 0; j < i && !again; j++)
            again = s->patterns->matches.p[j].id == m->id;
        if (again)
            continue;
        str_addf(b, "%s%s", any ? ", " : "", m->id);
        if (scope && scope->text)
            str_addf(b, " of one row a %s", scope->text);
        any = true;
    }
    return any;
}

/* Where what is accumulated lives: the headline of the notes. */
static void add_accumulation(struct strbuf *b, const struct fact_source *s, const struct fact_kernel *k, bool *said)
{
    bool shared = false, streams = false;
    for (size_t i = 0; i < k->patterns.n; i++) {
        const struct fact_binding *self = binding(&k->patterns.p[i], "self");
        shared |=
            s->patterns->matches.p[i].makes == PAT_MAKES_ONE && self && self->text && strcmp(self->text, "memory") == 0;
    }
    for (size_t i = 0; i < k->phases.n; i++)
        streams |= k->phases.p[i].kind == FACT_PHASE_FOLD;
    for (size_t i = 0; i < k->values.n && streams; i++)
        if (fact_lives_streams(k, &k->values.p[i])) {
            str_addf(b, "%sregister accumulator streaming", *said ? "; " : "");
            *said = true;
            break;
        }
    if (shared) {
        str_addf(b, "%sshared-memory materialized accumulation", *said ? "; " : "");
        *said = true;
    }
}

static void add_together(struct strbuf *b, const struct fact_source *s, const struct fact_kernel *k)
{
    bool said = add_operators(b, s, k);
    struct strbuf r;
    str_init(&r, b->a);
    if (add_reductions(&r, s, k)) {
        str_addf(b, "%s%s", said ? ": " : "", r.p);
        said = true;
    }
    add_accumulation(b, s, k, &said);
    if (said)
        str_add(b, "; ");
}

static void build_sentence(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct strbuf b;
    uint32_t counts[FACT_RESULT + 1] = {0};
    str_init(&b, a);
    add_together(&b, s, k);
    add_outputs(&b, k);
    uint32_t atomics = 0;
    for (size_t i = 0; i < s->g->accesses.n; i++)
        atomics += s->g->accesses.p[i].kind == GRAPH_ATOMIC && !graph_is_slow(s->g, s->g->accesses.p[i].insn);
    if (!k->outputs.n && !atomics)
        str_add(&b, s->g->incomplete ? "no store to global memory was understood" : "stores nothing to global memory");
    if (atomics)
        str_addf(&b, "%s%u atomic update%s", k->outputs.n ? "; " : "", atomics, atomics == 1 ? "" : "s");
    for (size_t i = 0; i < k->patterns.n; i++) {
        const struct fact_binding *nan = binding(&k->patterns.p[i], "nan"), *x = binding(&k->patterns.p[i], "x");
        if (nan && x && nan->text && x->text && strcmp(nan->text, "kept") == 0)
            str_addf(&b, "; a NaN in %s is kept", x->text);
    }
    uint32_t variables = 0; /* stand in local memory although registers did not run out and nothing has an index */
    for (size_t i = 0; i < k->values.n; i++) {
        const struct fact_value *v = &k->values.p[i];
        bool local = false;
        for (uint32_t j = 0; j < v->storage_count; j++)
            local |= v->storage[j].where == FACT_LOCAL;
        variables += local && v->cls != FACT_SPILLED && v->cls != FACT_LOCAL_ARRAY;
        counts[v->cls]++;
    }
    bool branches = has_role(k, FACT_ROLE_BRANCH) || has_role(k, FACT_ROLE_LOOP_TEST);
    if (k->loops.n)
        str_addf(&b, "; %zu loop%s", k->loops.n, k->loops.n == 1 ? "" : "s");
    else if (!branches && !has_role(k, FACT_ROLE_CALL) && !s->g->incomplete)
        str_add(&b, "; no branch");
    if (has_own_call(s->g))
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
    if (!outside && !variables && k->values.n && !k->unknown.n)
        str_add(&b, ", every intermediate in a register");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (counts[places[i].cls])
            str_addf(&b, ", %u value%s %s", counts[places[i].cls], counts[places[i].cls] == 1 ? "" : "s",
                     places[i].where);
    if (variables)
        str_addf(&b, ", %u value%s in a local variable", variables, variables == 1 ? "" : "s");
    if (k->unknown.n)
        str_addf(&b, "; %zu instruction%s not understood", k->unknown.n, k->unknown.n == 1 ? "" : "s");
    k->summary = b.p;
}

enum sp_status fact_build_summary(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    build_sentence(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
