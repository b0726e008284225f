/* Where each value lives: its class, its places from when to when, its uses with their routes; then the conclusion in
 * a paragraph (fact_lives.h).
 *
 * A value whose expression is too long for its column has a line of its own, the rest of the row below it. */
#include "report/rep_sections.h"

#include "base/str.h"
#include "facts/fact_lives.h"

enum {
    INDENT = 2,
    LONG_VALUE = 22,  /* columns; a longer one has a line of its own */
    SHORT_VALUE = 12, /* the same in a table that has such lines: they leave the others more room */
    PLACES = 8,       /* shown of a value; --value shows all */
    USES = 8,
};

static const char *place_name(struct arena *a, const struct fact_storage *place)
{
    switch (place->where) {
    case FACT_REGISTER:
    case FACT_UNIFORM:
    case FACT_PREDICATE: return rep_or_dash(place->at);
    case FACT_IMMEDIATE: return "immediate";
    case FACT_SHARED:
    case FACT_LOCAL: /* their elements are called so: shared[…] */
        if (place->address)
            return *place->address == '&' ? place->address + 1 : place->address;
        return rep_format(a, "%s %s", fact_where_text(place->where), rep_or_dash(place->at));
    default:
        if (place->address)
            return rep_format(a, "%s %s", fact_where_text(place->where),
                              *place->address == '&' ? place->address + 1 : place->address);
        return rep_format(a, "%s %s", fact_where_text(place->where), rep_or_dash(place->at));
    }
}

static bool in_register(enum fact_where where)
{
    return where == FACT_REGISTER || where == FACT_UNIFORM || where == FACT_PREDICATE;
}

/* Uses by route, a line each: from its register, then through each memory, by this thread and by others. */
const char *rep_uses(struct arena *a, const struct fact_value *value)
{
    struct strbuf b;
    str_init(&b, a);
    for (unsigned route = 0; route <= 2u * FACT_TENSOR + 1; route++) {
        enum fact_where via = (enum fact_where)(route / 2);
        bool other = route % 2, plain = via == FACT_REGISTER && !other;
        uint32_t n = 0;
        for (uint32_t i = 0; i < value->use_count; i++) {
            const struct fact_use *use = &value->uses[i];
            bool mine = plain ? in_register(use->via) && !use->other_thread
                              : use->via == via && use->other_thread == other &&
                                    (!in_register(via) || (other && via == FACT_REGISTER));
            if (!mine)
                continue;
            if (n == 0)
                str_addf(&b, "%s%s%s%s", b.n ? "\n" : "", plain ? "" : rep_format(a, "via %s", fact_where_text(via)),
                         other ? ", other thread" : "", plain ? "" : ": ");
            if (n++ < USES)
                str_addf(&b, "%s%s", n > 1 ? ", " : "", rep_hex(a, use->offset));
        }
        if (n > USES)
            str_addf(&b, ", … %u more", n - USES);
    }
    return b.n ? b.p : "–";
}

static enum rep_style class_style(enum fact_class cls)
{
    switch (cls) {
    case FACT_SPILLED:
    case FACT_LOCAL_ARRAY: return REP_ALARM;
    case FACT_SHARED_MATERIALIZED:
    case FACT_GLOBAL_MATERIALIZED:
    case FACT_RECOMPUTED: return REP_DOUBT;
    case FACT_REGISTER_ONLY:
    case FACT_REGISTER_ACCUMULATOR: return REP_GOOD;
    default: return REP_DATA;
    }
}

static int longest_inline(struct rep_page *p, const struct fact_kernel *k)
{
    for (size_t i = 0; i < k->values.n && !p->markdown; i++) {
        const char *name = k->values.p[i].name ? k->values.p[i].name : k->values.p[i].expr;
        if (name && rep_text_width(name) > LONG_VALUE)
            return SHORT_VALUE;
    }
    return LONG_VALUE;
}

void rep_say_values(struct rep_page *p, const struct rep_note *n)
{
    uint32_t shown = 0, left = 0;
    struct rep_table t = {.columns = 7,
                          .head = {"", "id", "value", "type", "class", "from–to, in", "used at"},
                          .rigid = {true, true, false, true, true, false, false},
                          .stiff = {[5] = true},
                          .least = {[2] = 12, [5] = 26, [6] = 20}};
    int longest = longest_inline(p, n->k);
    if (n->k->values.n > 0)
        rep_heading(p, 2, p->markdown ? "Where each value lives" : "WHERE EACH VALUE LIVES");
    REP_EACH(n, REP_VALUE, s, number)
    {
        const struct fact_value *value = &n->k->values.p[s->index];
        if (rep_left_out(n, &shown, &left))
            continue;
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        struct strbuf places;
        str_init(&places, p->a);
        for (uint32_t i = 0; i < value->storage_count && i < PLACES; i++) {
            const struct fact_storage *place = &value->storage[i];
            str_addf(&places, "%s%s%s%s", i ? "\n" : "", rep_span_padded(p->a, place->from, place->to),
                     rep_brief(p->a, place_name(p->a, place)), place->reloaded ? " (again)" : "");
        }
        if (value->storage_count > PLACES)
            str_addf(&places, "\n… %u more", value->storage_count - PLACES);
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell_code(rep_or_dash(value->id), REP_STRONG);
        const char *name = rep_brief(p->a, value->name ? value->name : rep_or_dash(value->expr));
        if (rep_text_width(name) > longest)
            row->wide = name;
        else
            row->cells[2] = rep_cell_code(name, REP_PLAIN);
        row->cells[3] = rep_cell(value->type ? value->type : "?", REP_PLAIN);
        row->cells[4] = rep_cell(rep_format(p->a, "%s%s", fact_class_text(value->cls),
                                            value->confidence == FACT_PROVED
                                                ? ""
                                                : rep_format(p->a, "\n(%s)", fact_confidence_text(value->confidence))),
                                 class_style(value->cls));
        row->cells[5] = rep_cell(places.p, REP_PLAIN);
        row->cells[6] = rep_cell(rep_uses(p->a, value), REP_PLAIN);
    }
    rep_table_write(p, &t, INDENT);
    rep_say_left_out(p, left);
}

void rep_say_materialization(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    if (k->values.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Materialization" : "MATERIALIZATION");
    rep_paragraph(p, INDENT, 0, REP_PLAIN, fact_lives_text(p->a, k));
    if (!p->markdown)
        return;
    rep_paragraph(p, INDENT, 0, REP_PLAIN, rep_format(p->a, "Values by class: %s.", rep_class_counts(p->a, k)));
    for (unsigned cls = 0; cls <= FACT_RECOMPUTED; cls++) {
        struct strbuf b;
        str_init(&b, p->a);
        for (size_t i = 0; i < k->values.n; i++)
            if (k->values.p[i].cls == (enum fact_class)cls)
                str_addf(&b, "%s%s", b.n ? ", " : "", fact_lives_name(p->a, &k->values.p[i]));
        if (b.n)
            rep_item(p, INDENT, fact_class_text((enum fact_class)cls), 20,
                     rep_format(p->a, "%s: %s", rep_class_meaning((enum fact_class)cls), b.p), false);
    }
    rep_blank(p);
}
