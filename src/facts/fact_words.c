/* Sentences on top of facts: refusal witnesses and reasons, in the words the reports and the comparison share. */
#include "facts/fact_words.h"

#include "base/str.h"

#include <stddef.h>

static void add_plain(struct strbuf *b, const struct fact_binding *value)
{
    if (value->kind == FACT_BIND_TEXT)
        str_add(b, value->text ? value->text : "?");
    else if (value->kind == FACT_BIND_INT)
        str_addf(b, "%lld", (long long)value->number);
    else if (value->kind == FACT_BIND_BOOL)
        str_add(b, value->number ? "true" : "false");
    else
        str_add(b, "?");
}

/* The operands of the row, what the code gives ("here"), and what the other form gives (`form_key`). */
static void add_witness(struct strbuf *b, const struct fact_binding *row, const char *form, const char *form_key)
{
    const struct fact_binding *here = NULL, *other = NULL;
    bool first = true;
    if (row->kind != FACT_BIND_GROUP)
        return;
    str_add(b, b->n ? "; " : "");
    for (uint32_t i = 0; i < row->group_count; i++) {
        const struct fact_binding *m = &row->group[i];
        if (str_equal(m->key, "here")) {
            here = m;
        } else if (str_equal(m->key, form_key)) {
            other = m;
        } else {
            str_addf(b, "%s%s = ", first ? "" : ", ", m->key);
            add_plain(b, m);
            first = false;
        }
    }
    if (here) {
        str_add(b, ": here ");
        add_plain(b, here);
    }
    if (other) {
        str_addf(b, "%s%s gives ", here ? ", " : ": ", form);
        add_plain(b, other);
    }
}

const char *fact_witness_text(struct arena *a, const struct fact_rewrite *rewrite)
{
    struct strbuf b;
    str_init(&b, a);
    for (uint32_t i = 0; i < rewrite->args.n; i++) {
        const struct fact_binding *arg = &rewrite->args.p[i];
        if (str_equal(arg->key, "witness"))
            add_witness(&b, arg, "the min/max that drops a NaN", "fmnmx");
        else if (str_equal(arg->key, "nan_form_witness"))
            add_witness(&b, arg, "the min/max that keeps a NaN", "fmnmx_nan");
    }
    return b.p;
}

const char *fact_reason_text(const char *reason)
{
    static const struct {
        const char *reason, *text;
    } table[] = {
        {"second-use", "the intermediate has a second use"},
        {"rounding-fixed", "both roundings are fixed by the source"},
        {"volatile", "the value goes through volatile memory"},
        {"call-boundary", "a call stands between them"},
        {"no-fast-math", "without fast math it would change results"},
        {"type-mismatch", "the types differ"},
        {"across-branch", "a branch stands between them"},
        {"nan", "a NaN would come out differently"},
        {"signed-zero", "a zero would come out with the other sign"},
        {"subnormal", "subnormals would come out differently"},
        {"alias", "the memory may be the same"},
        {"alignment", "the alignment is not known"},
        {"unknown", "the reason is not known"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (str_equal(table[i].reason, reason))
            return table[i].text;
    return reason;
}

const char *fact_kernel_name(const struct fact_kernel *k)
{
    return k->base_name ? k->base_name : k->demangled ? k->demangled : k->name ? k->name : "(unnamed)";
}
