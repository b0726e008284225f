/* `sassprobe what`: one instruction in words, from the table and from the very micro-operations it is lifted to.
 *
 * A mnemonic alone becomes a plain instance (the row's operand shape, widened by the modifiers that add operands),
 * which is lifted like any instruction; rounding, NaN and flush behaviour are read off its uops, so that this text
 * cannot disagree with what the graph computes. requires: nothing of the caller but an output. gives: nothing
 * written when it answers false. */
#include "uop/uop_build.h"
#include "uop/uop_spelling.h"
#include "uop/uop_words.h"

#include "base/out.h"

#include <stdio.h>
#include <string.h>

/* ---- a plain instance ---------------------------------------------------------------------------------------- */

/* Operand shapes of the table: a letter or two each, as printed text. M is a global address, m32 a shared or local
 * one. */
static const char *shape_text(const char *shape, size_t n, unsigned sm)
{
    static const struct {
        const char *shape, *text;
    } rows[] = {
        {"r", "R0"},
        {"a", "R4"},
        {"b", "R6"},
        {"c", "R8"},
        {"u", "UR0"},
        {"ua", "UR4"},
        {"ub", "UR6"},
        {"uc", "UR8"},
        {"P", "P0"},
        {"UP", "UP0"},
        {"p", "P1"},
        {"up", "UP1"},
        {"T", "PT"},
        {"UT", "UPT"},
        {"N", "!PT"},
        {"UN", "!UPT"},
        {"i", "0x1"},
        {"k", "0x4"},
        {"j", "0x0"},
        {"t", "0x80"},
        {"m", "0x7f"},
        {"rz", "RZ"},
        {"uz", "URZ"},
        {"s", "SR_TID.X"},
        {"PR", "PR"},
        {"B", "B0"},
        {"L", "0x100"},
        {"m32", "[R4]"},
        {"C", "c[0x0][0x160]"},
    };
    if (n == 1 && *shape == 'M')
        return sm >= 80 ? "desc[UR4][R4.64]" : "[R4]";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].shape) == n && strncmp(rows[i].shape, shape, n) == 0)
            return rows[i].text;
    return "?";
}

static void plain_instance(struct strbuf *out, unsigned sm, const char *mnemonic, const struct lift_row *row,
                           const struct isa_insn *insn)
{
    bool uniform = strncmp(row->shape, "u,", 2) == 0 || strncmp(row->shape, "UP", 2) == 0;
    const char *carry = uniform ? "UP1" : "P1";
    str_add(out, mnemonic);
    unsigned count = 0;
    for (const char *s = row->shape; *s; count++) {
        size_t n = strcspn(s, ",");
        /* LEA.HI has a third source before its shift. */
        if (n == 1 && *s == 'k' && isa_has_mod(insn, ISA_MOD_HI) && !isa_has_mod(insn, ISA_MOD_SX32) &&
            row->lift == lift_lea)
            str_addf(out, ", %s", uniform ? "UR8" : "R8");
        str_addf(out, "%s%s", count ? ", " : " ", shape_text(s, n, sm));
        s += n + (s[n] == ',');
    }
    if (isa_has_mod(insn, ISA_MOD_X))
        str_addf(out, row->lift == lift_iadd3 ? ", %s, !PT" : ", %s", carry);
    if (isa_has_mod(insn, ISA_MOD_EX))
        str_addf(out, ", %s", carry);
    if (isa_has_mod(insn, ISA_MOD_CAS))
        str_add(out, ", R6");
    if (row->lift == lift_bar && isa_has_mod(insn, ISA_MOD_RED))
        str_add(out, ", P1");
}

/* ---- what the modifiers and uops say ------------------------------------------------------------------------- */

static const struct {
    enum isa_mod mod;
    const char *text;
} mod_rows[] = {
    {ISA_MOD_LT, "a less than b"},
    {ISA_MOD_LE, "a less than or equal to b"},
    {ISA_MOD_GT, "a greater than b"},
    {ISA_MOD_GE, "a greater than or equal to b"},
    {ISA_MOD_EQ, "a equal to b"},
    {ISA_MOD_NE, "a not equal to b"},
    {ISA_MOD_NUM, "neither a nor b is NaN"},
    {ISA_MOD_LTU, "true when not greater or equal, or unordered"},
    {ISA_MOD_LEU, "true when not greater, or unordered"},
    {ISA_MOD_GTU, "true when not less or equal, or unordered"},
    {ISA_MOD_GEU, "true when not less, or unordered"},
    {ISA_MOD_EQU, "true when equal, or unordered"},
    {ISA_MOD_NEU, "true when not equal, or unordered"},
    {ISA_MOD_AND, "the result is ANDed with the last predicate"},
    {ISA_MOD_OR, "the result is ORed with the last predicate"},
    {ISA_MOD_XOR, "the result is XORed with the last predicate"},
    {ISA_MOD_EX, "the high words of a wide compare; the last predicate decides when they are equal"},
    {ISA_MOD_U32, "32-bit unsigned"},
    {ISA_MOD_S32, "32-bit signed"},
    {ISA_MOD_U64, "64-bit unsigned, register pairs"},
    {ISA_MOD_S64, "64-bit signed, register pairs"},
    {ISA_MOD_X, "adds a carry predicate; inverts where the plain form negates"},
    {ISA_MOD_WIDE, "32 x 32 -> 64 bits, register pairs"},
    {ISA_MOD_HI, "the high word"},
    {ISA_MOD_SX32, "the high word of the first source is its sign"},
    {ISA_MOD_SAT, "the result is clamped to [0, 1], NaN to 0"},
    {ISA_MOD_RELU, "negative and NaN results become +0"},
    {ISA_MOD_FTZ, "subnormal operands and results count as zero of the same sign"},
    {ISA_MOD_FMZ, "as FTZ, and zero times anything is +0"},
    {ISA_MOD_RM, "rounds down, toward minus infinity"},
    {ISA_MOD_RP, "rounds up, toward plus infinity"},
    {ISA_MOD_RZ, "rounds toward zero"},
    {ISA_MOD_FLOOR, "rounds down, toward minus infinity"},
    {ISA_MOD_CEIL, "rounds up, toward plus infinity"},
    {ISA_MOD_TRUNC, "rounds toward zero"},
    {ISA_MOD_NTZ, "NaN gives 0"},
    {ISA_MOD_BF, "the result is 1.0 or 0.0"},
    {ISA_MOD_CONSTANT, "read-only for the whole kernel, as the compiler vouches"},
    {ISA_MOD_E, "64-bit address"},
    {ISA_MOD_STRONG, "a strong access, in the scope named next"},
    {ISA_MOD_MMA, "the same result from another pipe"},
    {ISA_MOD_BF16_V2, "the halves are bf16"},
    {ISA_MOD_LUT, "any function of the inputs, by its truth table"},
    {ISA_MOD_MOV, "a copy, spelled as a multiply-add by the pipe it runs in"},
    {ISA_MOD_NODEC, "leaves the call depth as it is"},
    {ISA_MOD_NOINC, "leaves the call depth as it is"},
};

static const char *mod_meaning(unsigned mod)
{
    for (size_t i = 0; i < sizeof mod_rows / sizeof *mod_rows; i++)
        if (mod_rows[i].mod == mod)
            return mod_rows[i].text;
    return NULL;
}

struct findings {
    bool rounds, compares, arithmetic, extremes, approximates, flushes, floats, negated_compare;
    const struct uop *first; /* the uop that `rounding` and `nan` speak of */
};

static struct findings look(const struct uop_list *list)
{
    struct findings f = {0};
    for (size_t i = 0; i < list->ops.n; i++) {
        const struct uop *op = &list->ops.p[i];
        switch (op->kind) {
        case UOP_FADD:
        case UOP_FMUL:
        case UOP_FFMA: f.arithmetic = f.rounds = f.floats = true; break;
        case UOP_FROUND:
        case UOP_F2F:
        case UOP_F2I:
        case UOP_I2F: f.rounds = f.floats = true; break;
        case UOP_FMIN:
        case UOP_FMAX: f.extremes = f.floats = true; break;
        case UOP_FLT:
        case UOP_FLE:
        case UOP_FEQ:
        case UOP_FNE:
        case UOP_FNUM: f.compares = f.floats = true; break;
        case UOP_EX2:
        case UOP_LG2:
        case UOP_RCP:
        case UOP_RSQ:
        case UOP_SQRT:
        case UOP_SIN:
        case UOP_COS:
        case UOP_TANH:
        case UOP_RCP64H:
        case UOP_RSQ64H: f.approximates = f.floats = true; break;
        case UOP_NOT:
            if (op->arg[0] != UOP_NONE && list->ops.p[op->arg[0]].kind >= UOP_FLT &&
                list->ops.p[op->arg[0]].kind <= UOP_FNUM)
                f.negated_compare = true;
            continue;
        default: continue;
        }
        f.flushes = f.flushes || (op->flags & (UOP_FTZ | UOP_FMZ));
        if (!f.first)
            f.first = op;
    }
    return f;
}

static const char *rounding_text(const struct findings *f)
{
    static const char *const texts[] = {"to nearest, ties to even", "down, toward minus infinity",
                                        "up, toward plus infinity", "toward zero", "to nearest, ties away from zero"};
    return f->rounds && f->first->round <= UOP_RA ? texts[f->first->round] : NULL;
}

static const char *nan_text(const struct findings *f)
{
    if (f->compares)
        return f->negated_compare ? "true when an operand is NaN (unordered)"
                                  : "false when an operand is NaN (unordered)";
    if (f->extremes)
        return f->first->flags & UOP_NAN ? "a NaN operand gives NaN; -0 is less than +0"
                                         : "a NaN operand gives the other operand; two give NaN; -0 is less than +0";
    if (f->first && (f->first->flags & (UOP_SAT | UOP_RELU)))
        return "a NaN result becomes +0";
    if (f->first && f->first->kind == UOP_F2I)
        return f->first->flags & UOP_NAN ? "NaN gives 1 << (bits - 1)" : "NaN gives 0";
    if (f->arithmetic)
        return f->first->type == UOP_F32 ? "a NaN operand or an invalid operation gives the NaN 0x7fffffff"
                                         : "a NaN operand or an invalid operation gives NaN";
    return NULL;
}

static const char *flush_text(const struct findings *f)
{
    if (f->approximates)
        return "subnormal operands and results count as zero; an approximation, not computed by this program";
    if (!f->floats)
        return NULL;
    return f->flushes ? "subnormal operands and results count as zero of the same sign" : "subnormal numbers are kept";
}

/* ---- output -------------------------------------------------------------------------------------------------- */

struct description {
    const char *spelling, *instance;
    unsigned sm;
    const struct isa_insn *insn;
    const struct lift_row *row;
    const struct uop_list *list;
    bool known;
    struct arena *a;
};

static const char *effect_text(const struct description *d, size_t i)
{
    struct strbuf b;
    str_init(&b, d->a);
    return uop_add_effect(&b, d->list, i) ? b.p : NULL;
}

static const char *guard_text(const struct description *d)
{
    struct strbuf b;
    str_init(&b, d->a);
    if (d->list->guard == UOP_NONE)
        return NULL;
    uop_add_value(&b, d->list, d->list->guard);
    return b.p;
}

static void write_text(const struct description *d, struct out *out)
{
    struct findings f = look(d->list);
    const char *guard = guard_text(d),
               *lines[][2] = {{"rounding", rounding_text(&f)}, {"NaN", nan_text(&f)}, {"subnormal", flush_text(&f)}};
    out_printf(out, "%s: %s\n", d->spelling, d->row ? d->row->title : "no meaning in this build");
    out_printf(out, "  for example  %s\n", d->instance);
    if (d->row)
        out_printf(out, "  computes     %s\n", d->row->formula);
    for (unsigned i = 0; i < d->insn->mod_count; i++)
        if (mod_meaning(d->insn->mods[i]))
            out_printf(out, "  %-11s  %s\n", isa_mod_text((enum isa_mod)d->insn->mods[i]),
                       mod_meaning(d->insn->mods[i]));
    if (!d->known) {
        out_text(out, d->row
                          ? "  This form has no exact meaning in this build, or needs a modifier (as in FSETP.GEU).\n"
                          : "  What it reads and writes is known, what it computes is not.\n");
        return;
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i][1])
            out_printf(out, "  %-11s  %s\n", lines[i][0], lines[i][1]);
    out_text(out, "  in words\n");
    for (size_t i = 0; i < d->list->ops.n; i++)
        if (effect_text(d, i))
            out_printf(out, "    %s%s%s%s\n", guard ? "when " : "", guard ? guard : "", guard ? ": " : "",
                       effect_text(d, i));
    out_text(out, "  micro-operations\n");
    for (size_t i = 0; i < d->list->ops.n; i++) {
        char line[192];
        uop_print(d->list, i, line, sizeof line);
        out_printf(out, "    %s\n", line);
    }
}

static void write_json(const struct description *d, struct out *out)
{
    struct json j;
    struct findings f = look(d->list);
    json_init(&j, out);
    json_object(&j);
    json_key(&j, "spelling");
    json_string(&j, d->spelling);
    json_key(&j, "arch");
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", d->sm);
    json_string(&j, arch);
    json_key(&j, "opcode");
    json_string(&j, isa_op_text((enum isa_op)d->insn->op));
    json_key(&j, "title");
    json_string(&j, d->row ? d->row->title : NULL);
    json_key(&j, "formula");
    json_string(&j, d->row ? d->row->formula : NULL);
    json_key(&j, "example");
    json_string(&j, d->instance);
    json_key(&j, "known");
    json_bool(&j, d->known);
    json_key(&j, "modifiers");
    json_array(&j);
    for (unsigned i = 0; i < d->insn->mod_count; i++) {
        json_object(&j);
        json_key(&j, "name");
        json_string(&j, isa_mod_text((enum isa_mod)d->insn->mods[i]));
        json_key(&j, "meaning");
        json_string(&j, mod_meaning(d->insn->mods[i]));
        json_end(&j);
    }
    json_end(&j);
    json_key(&j, "rounding");
    json_string(&j, d->known ? rounding_text(&f) : NULL);
    json_key(&j, "nan");
    json_string(&j, d->known ? nan_text(&f) : NULL);
    json_key(&j, "subnormal");
    json_string(&j, d->known ? flush_text(&f) : NULL);
    json_key(&j, "guard");
    json_string(&j, d->known ? guard_text(d) : NULL);
    json_key(&j, "effects");
    json_array(&j);
    for (size_t i = 0; d->known && i < d->list->ops.n; i++)
        if (effect_text(d, i))
            json_string(&j, effect_text(d, i));
    json_end(&j);
    json_key(&j, "uops");
    json_array(&j);
    for (size_t i = 0; d->known && i < d->list->ops.n; i++) {
        char line[192];
        uop_print(d->list, i, line, sizeof line);
        json_string(&j, line);
    }
    json_end(&j);
    json_end(&j);
    json_newline(&j);
}

bool uop_describe(unsigned sm, const char *spelling, struct out *out, bool json)
{
    struct isa_insn insn;
    const char *bad;
    if (!uop_parse_spelling(sm, spelling, 0, &insn, &bad))
        return false;
    struct arena a;
    arena_init(&a, 1u << 20);
    struct uop_list list;
    struct uop_lift_context context = {.sm = sm, .a = &a};
    const struct lift_row *row = lift_find(insn.op);
    struct strbuf instance;
    str_init(&instance, &a);
    if (insn.operand_count == 0 && row) {
        plain_instance(&instance, sm, spelling, row, &insn);
        struct isa_insn plain;
        if (instance.p && uop_parse_spelling(sm, instance.p, 0, &plain, &bad))
            insn = plain;
    } else {
        str_add(&instance, spelling);
    }
    enum sp_status status = uop_lift(&context, &insn, &list);
    bool fits = status != SP_ERR_MEMORY && !arena_failed(&a);
    if (fits) {
        struct description d = {.spelling = spelling,
                                .instance = instance.p,
                                .sm = sm,
                                .insn = &insn,
                                .row = row,
                                .list = &list,
                                .known = status == SP_OK,
                                .a = &a};
        if (json)
            write_json(&d, out);
        else
            write_text(&d, out);
    }
    arena_free(&a);
    return fits;
}
