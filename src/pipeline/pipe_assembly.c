/* The form of `nvdisasm -c`: sections, symbols, labels, relocations by symbol.
 *
 * Labels are numbered over the whole file in the order in which the vendor's tool meets their places: relocations of
 * code, branches, relocations of data (debug information), records of .nv.info, ends of functions. A place has one
 * number; one where a function begins has its name instead. Records and ends take a number even where there is one
 * already, and do not use it. requires: a module, its assembly (image/img_assembly.h) · gives: text */
#include "pipeline/pipe_lines.h"

#include "base/str.h"
#include "isa/isa_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NO_LABEL = 0,
    HAS_NAME = 0xffffffff, /* a function begins there */

    FIELD_ABS32 = 0x37, /* at bit 32: the whole address, its halves */
    FIELD_LOW32 = 0x38,
    FIELD_HIGH32 = 0x39,
    FIELD_CALL = 0x3a,
    FIELD_ABS16 = 0x3b,
    FIELD_CONSTANT = 0x42,
    FIELD_MEMORY = 0x4a,
    FIELD_CALL_WIDE = 0x4b,
    FIELD_TABLE = 0x72,

    OTHER_ENTRY = 0x10,
    TYPE_OBJECT = 1,
    TYPE_FUNCTION = 2,
    TYPE_CUDA_OBJECT = 13,
};

struct pipe_labels {
    const struct img_module *module;
    struct img_assembly of;
    uint32_t **numbers;                    /* of each kernel, for each 16 bytes and the end: label's number + 1 */
    uint32_t table_words;                  /* of branches' tables: each takes a number */
    uint32_t next;                         /* numbers given; so many of them before records of .nv.info were asked */
    const struct img_function **functions; /* by kernel, offset, and the last symbol first */
    uint32_t *first_function, *first_field, *first_branch; /* of each kernel, and one behind */
    uint32_t *section_numbers; /* of each kernel's section: label + 1 where its name is taken twice */
    uint32_t *end_numbers;     /* of each function by its symbol's order: label + 1 where it ends */
    bool annotates;
};

/* ---- numbering ---------------------------------------------------------------------------------- */

static uint32_t *number_at(const struct pipe_labels *l, struct img_mark at)
{
    return at.offset % 16 == 0 && at.offset <= l->module->kernels[at.kernel].code_bytes
               ? &l->numbers[at.kernel][at.offset / 16]
               : NULL;
}

/* `takes`: a place that has a number or a name already takes one more all the same. */
static void give_number(struct pipe_labels *l, struct img_mark at, bool takes)
{
    uint32_t *number = number_at(l, at);
    if (number && *number == NO_LABEL)
        *number = ++l->next;
    else if (number && takes)
        l->next++;
}

static int by_place(const void *a, const void *b)
{
    const struct img_function *x = *(const struct img_function *const *)a, *y = *(const struct img_function *const *)b;
    if (x->at.kernel != y->at.kernel)
        return x->at.kernel < y->at.kernel ? -1 : 1;
    if (x->at.offset != y->at.offset)
        return x->at.offset < y->at.offset ? -1 : 1;
    return x > y ? -1 : x < y; /* elements of one array */
}

/* The first function in printing order at a place, or NULL. */
static const struct img_function *function_at(const struct pipe_labels *l, uint32_t kernel, uint32_t offset)
{
    uint32_t low = l->first_function[kernel], high = l->first_function[kernel + 1], end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->functions[middle]->at.offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end && l->functions[low]->at.offset == offset; low++)
        if (!l->functions[low]->is_section)
            return l->functions[low];
    return NULL;
}

/* An indirect branch whose table counts from the start of its section: one by a general register that goes to 0 and
 * what the table adds. */
static bool from_section(unsigned sm, struct bits128 word, uint32_t offset)
{
    struct isa_insn insn;
    if (isa_decode(sm, word, offset, &insn) != SP_OK || insn.operand_count < 2)
        return false;
    return insn.operands[insn.operand_count - 2].kind == ISA_OPERAND_REG &&
           insn.operands[insn.operand_count - 1].value + 16 + (int64_t)offset == 0;
}

static void number_branches(struct pipe_labels *l, struct isa_cache *cache, uint32_t kernel)
{
    const struct img_kernel *k = &l->module->kernels[kernel];
    const uint64_t *branches = isa_branches(cache, l->module->sm);
    uint32_t count = branches ? k->code_bytes / 16 : 0, branch = l->first_branch[kernel],
             last = l->first_branch[kernel + 1];
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p = k->code + 16 * (size_t)i;
        struct bits128 word = {bits_le64(p), bits_le64(p + 8)};
        int64_t target;
        if (branch < last && l->of.branches[branch].at.offset == 16 * i) {
            if (l->of.relocatable && from_section(l->module->sm, word, 16 * i))
                l->next++, /* the section has a name: the number is not used */
                    l->table_words += l->of.branches[branch].word_count;
            branch++;
        } else if (isa_may_branch(branches, word) && isa_word_target(l->module->sm, word, 16 * i, &target) &&
                   target >= 0 && target / 16 < count)
            give_number(l, (struct img_mark){.kernel = kernel, .offset = (uint32_t)target}, false);
    }
}

static void number_ends(struct pipe_labels *l)
{
    for (uint32_t i = 0; i < l->of.function_count; i++) {
        const struct img_function *f = &l->of.functions[i];
        uint32_t bytes = l->module->kernels[f->at.kernel].code_bytes;
        if (f->is_section || f->size > bytes - f->at.offset)
            continue;
        struct img_mark end = {.kernel = f->at.kernel, .offset = f->at.offset + (uint32_t)f->size};
        const uint32_t *number = number_at(l, end);
        give_number(l, end, true);
        if (number && *number != HAS_NAME)
            l->end_numbers[i] = *number;
    }
}

/* Where the entries of each kernel begin in something ordered by kernels. */
#define FIND_FIRSTS(firsts, kernels, count, kernel_of_i) \
    do {                                                 \
        uint32_t i = 0;                                  \
        for (uint32_t k = 0; k <= (kernels); k++) {      \
            while (i < (count) && (kernel_of_i) < k)     \
                i++;                                     \
            (firsts)[k] = i;                             \
        }                                                \
    } while (0)

static bool order_parts(struct arena *a, struct pipe_labels *l)
{
    uint32_t kernels = l->module->kernel_count, n = l->of.function_count;
    l->functions = ARENA_ARRAY(a, const struct img_function *, n + 1);
    l->end_numbers = ARENA_ARRAY(a, uint32_t, n + 1);
    l->section_numbers = ARENA_ARRAY(a, uint32_t, kernels + 1);
    l->first_function = ARENA_ARRAY(a, uint32_t, kernels + 1);
    l->first_field = ARENA_ARRAY(a, uint32_t, kernels + 1);
    l->first_branch = ARENA_ARRAY(a, uint32_t, kernels + 1);
    if (!l->functions || !l->end_numbers || !l->section_numbers || !l->first_function || !l->first_field ||
        !l->first_branch)
        return false;
    for (uint32_t f = 0; f < n; f++)
        l->functions[f] = &l->of.functions[f];
    qsort(l->functions, n, sizeof *l->functions, by_place);
    FIND_FIRSTS(l->first_function, kernels, n, l->functions[i]->at.kernel);
    FIND_FIRSTS(l->first_field, kernels, l->of.field_count, l->of.fields[i].at.kernel);
    FIND_FIRSTS(l->first_branch, kernels, l->of.branch_count, l->of.branches[i].at.kernel);
    return true;
}

static void number_sections(struct pipe_labels *l)
{
    for (uint32_t k = 0; k < l->module->kernel_count; k++)
        if (l->of.sections[k].named_twice)
            l->section_numbers[k] = ++l->next;
}

struct pipe_labels *pipe_labels_make(struct arena *a, struct isa_cache *cache, const struct img_module *module)
{
    struct pipe_labels *l = ARENA_ARRAY(a, struct pipe_labels, 1);
    if (!l || !img_read_assembly(a, module, &l->of))
        return NULL;
    l->module = module;
    l->numbers = ARENA_ARRAY(a, uint32_t *, module->kernel_count + 1);
    if (!l->numbers || !order_parts(a, l))
        return NULL;
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        l->numbers[k] = ARENA_ARRAY(a, uint32_t, module->kernels[k].code_bytes / 16 + 1u);
        if (!l->numbers[k])
            return NULL;
        l->annotates |= module->kernels[k].spill_count != 0;
    }
    l->annotates |= l->of.branch_count != 0;
    for (uint32_t i = 0; i < l->of.function_count; i++) {
        uint32_t *number = number_at(l, l->of.functions[i].at);
        if (number && !l->of.functions[i].is_section)
            *number = HAS_NAME;
    }
    number_sections(l);
    for (uint32_t i = 0; i < l->of.field_count; i++)
        if (l->of.fields[i].target.kernel != IMG_NO_KERNEL)
            give_number(l, l->of.fields[i].target, false);
    for (uint32_t k = 0; k < module->kernel_count; k++)
        number_branches(l, cache, k);
    for (uint32_t i = 0; i < l->of.mark_count; i++)
        give_number(l, l->of.marks[i], false);
    for (uint32_t i = 0; i < l->of.record_count; i++)
        give_number(l, l->of.records[i], true);
    l->next += l->table_words;
    number_ends(l);
    return arena_failed(a) ? NULL : l;
}

bool pipe_labels_annotate(const struct pipe_labels *labels)
{
    return labels->annotates;
}

/* ---- names -------------------------------------------------------------------------------------- */

static uint32_t kernel_number(const struct pipe_listing *l)
{
    return (uint32_t)(l->kernel - l->module->kernels);
}

/* What a place is called; `size` bytes at `out`. False: it has no name. */
static bool name_place(const struct pipe_labels *l, struct img_mark at, char *out, size_t size)
{
    const uint32_t *number = number_at(l, at);
    if (!number || *number == NO_LABEL)
        return false;
    const struct img_function *f = *number == HAS_NAME ? function_at(l, at.kernel, at.offset) : NULL;
    if (f)
        snprintf(out, size, "%s", f->name);
    else
        *pipe_put_label(out, *number - 1) = '\0'; /* every name's room holds one */
    return true;
}

bool pipe_label_text(void *user, uint32_t target, char out[96])
{
    struct pipe_listing *l = user;
    struct img_mark at = {.kernel = kernel_number(l), .offset = target};
    const uint32_t *number = number_at(l->labels, at);
    if (!number || *number == NO_LABEL)
        return false;
    const struct img_function *f = *number == HAS_NAME ? function_at(l->labels, at.kernel, at.offset) : NULL;
    if (!f) {
        *pipe_put_label(out, *number - 1) = '\0';
        return true;
    }
    l->long_name = f->name;
    l->long_target = target;
    out[0] = PIPE_NAME_MARK;
    out[1] = '\0';
    return true;
}

/* What the field stands for: `symbol`, `(symbol + 0x8)`, `(function + .L_x_0@srel)`. */
static void spell_field(const struct pipe_labels *l, const struct img_field *f, char *out, size_t size)
{
    char place[64];
    uint64_t add = f->addend < 0 ? -(uint64_t)f->addend : (uint64_t)f->addend;
    if (f->addend == 0)
        snprintf(out, size, "%s", f->symbol);
    else if (f->target.kernel != IMG_NO_KERNEL && name_place(l, f->target, place, sizeof place))
        snprintf(out, size, "(%s + %s@srel)", f->symbol, place);
    else
        snprintf(out, size, "(%s + %s0x%llx)", f->symbol, f->addend < 0 ? "-" : "", (unsigned long long)add);
}

/* The first of the items from low up to end that lies at or behind an offset: they are in the order of the mark each
 * begins with. NULL: none does. */
static const void *mark_from(const void *items, size_t size, uint32_t low, uint32_t end, uint32_t offset)
{
    const char *list = items;
    uint32_t high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct img_mark *at = (const void *)(list + middle * size);
        if (at->offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end ? list + low * size : NULL;
}

/* That at the offset itself. */
static const void *first_at(const void *items, size_t size, uint32_t low, uint32_t end, uint32_t offset)
{
    const struct img_mark *found = mark_from(items, size, low, end, offset);
    return found && found->offset == offset ? found : NULL;
}

static const struct img_field *field_at(const struct pipe_listing *l, uint32_t offset)
{
    const uint32_t *first = &l->labels->first_field[kernel_number(l)];
    return first_at(l->labels->of.fields, sizeof(struct img_field), first[0], first[1], offset);
}

static const struct img_branch *branch_at(const struct pipe_listing *l, uint32_t offset)
{
    const uint32_t *first = &l->labels->first_branch[kernel_number(l)];
    return first_at(l->labels->of.branches, sizeof(struct img_branch), first[0], first[1], offset);
}

/* Which kind of operand a field of this type lies in; ISA_OPERAND_OTHER: not known. */
static unsigned operand_of(uint32_t type)
{
    switch (type) {
    case FIELD_ABS32:
    case FIELD_ABS16:
    case FIELD_LOW32:
    case FIELD_HIGH32: return ISA_OPERAND_IMM;
    case FIELD_CALL:
    case FIELD_CALL_WIDE:
    case FIELD_TABLE: return ISA_OPERAND_LABEL;
    case FIELD_CONSTANT: return ISA_OPERAND_CONST;
    case FIELD_MEMORY: return ISA_OPERAND_MEM;
    default: return ISA_OPERAND_OTHER;
    }
}

/* An operand's text around its number: [from, cut), [kept, kept_end), the number, and from `tail` on. */
struct around {
    const char *cut, *kept, *kept_end, *tail;
    bool plus; /* there is no number: one is added to what is kept */
};

/* Inside the brackets from `open` to `close`: where the number begins. */
static const char *number_in(const char *open, const char *close, bool *plus)
{
    const char *number = open + 1;
    for (const char *p = open + 1; p < close; p++)
        if (*p == '+')
            number = p + 1;
    bool is_number = *number == '-' || (*number >= '0' && *number <= '9');
    *plus = !is_number && strncmp(open, "[RZ]", 4) != 0 && strncmp(open, "[URZ]", 5) != 0;
    return *plus ? close : is_number ? number : open + 1;
}

static struct around around_number(unsigned kind, struct pipe_part part)
{
    struct around a = {.cut = part.from, .kept = part.from, .kept_end = part.from, .tail = part.end};
    const char *open = memchr(part.from, '[', (size_t)(part.end - part.from)), *bank = open;
    if (kind == ISA_OPERAND_CONST && open)
        open = memchr(open + 1, '[', (size_t)(part.end - open - 1));
    else if (kind != ISA_OPERAND_MEM)
        return a;
    const char *close = open ? memchr(open, ']', (size_t)(part.end - open)) : NULL;
    if (!close)
        return a;
    /* The bank of a constant goes with the number: c[0x2][R0+0x8] is c[R0+`(symbol)]. */
    a.cut = kind == ISA_OPERAND_CONST ? bank + 1 : open + 1;
    a.kept = open + 1;
    a.kept_end = number_in(open, close, &a.plus);
    a.tail = close;
    return a;
}

/* Replaces operand `at` of the text, or its number; `before` and `behind` enclose the symbol. */
static size_t put_around(struct around a, const char *before, const char *name, char *text, size_t n)
{
    char made[ISA_TEXT_ROOM];
    int m = snprintf(made, sizeof made, "%.*s%.*s%s%s%s)%s", (int)(a.cut - text), text, (int)(a.kept_end - a.kept),
                     a.kept, a.plus ? "+" : "", before, name, a.tail);
    if (m < 0 || (size_t)m >= sizeof made)
        return n;
    memcpy(text, made, (size_t)m + 1);
    return (size_t)m;
}

/* The last operand of that kind among the parts of the text; count: there is none. */
static unsigned find_operand(const struct isa_insn *insn, unsigned kind, const char *rest, struct pipe_part *parts)
{
    unsigned count = pipe_operand_parts(rest, false, parts, ISA_MAX_OPERANDS + 2), at = insn->operand_count;
    if (count != insn->operand_count)
        count = pipe_operand_parts(rest, true, parts, ISA_MAX_OPERANDS + 2);
    for (unsigned k = 0; k < insn->operand_count && count == insn->operand_count; k++)
        if (insn->operands[k].kind == kind)
            at = k;
    return at;
}

size_t pipe_put_symbols(struct pipe_listing *l, uint32_t i, char *text, size_t n)
{
    const struct pipe_labels *labels = l->labels;
    const struct img_field *f = field_at(l, 16 * i);
    const struct img_branch *branch = labels->of.relocatable ? branch_at(l, 16 * i) : NULL;
    struct isa_insn insn;
    struct pipe_part parts[ISA_MAX_OPERANDS + 2];
    char name[2048];
    if ((!f && !branch) || isa_decode(l->module->sm, pipe_word_at(l, i), 16 * i, &insn) != SP_OK)
        return n;
    const char *rest = text + pipe_guard_length(text, n);
    rest += rest > text;
    unsigned kind = f ? operand_of(f->type) : insn.operand_count ? insn.operands[insn.operand_count - 1].kind : 0;
    unsigned at = find_operand(&insn, kind, rest, parts);
    if (!f) {
        if (at == insn.operand_count || !from_section(l->module->sm, insn.word, 16 * i))
            return n;
        snprintf(name, sizeof name, "((%s - .) - 0x10)", l->kernel->section);
        return put_around(around_number(kind, parts[at]), "`(", name, text, n);
    }
    spell_field(labels, f, name, sizeof name);
    if (at < insn.operand_count)
        return put_around(around_number(kind, parts[at]),
                          f->type == FIELD_LOW32    ? "32@lo("
                          : f->type == FIELD_HIGH32 ? "32@hi("
                                                    : "`(",
                          name, text, n);
    if (kind != ISA_OPERAND_LABEL || n + strlen(name) + 5 > ISA_TEXT_ROOM)
        return n;
    return n + (size_t)snprintf(text + n, ISA_TEXT_ROOM - n, " `(%s)", name); /* a target of 0 is not printed */
}

unsigned pipe_symbol_of(const struct pipe_listing *l, const struct isa_insn *insn, char *out, size_t size)
{
    const struct pipe_labels *labels = l->symbols;
    const uint32_t *first = &labels->first_field[kernel_number(l)];
    const struct img_field *f = first_at(labels->of.fields, sizeof(struct img_field), first[0], first[1], insn->offset);
    unsigned at = insn->operand_count, kind = f ? operand_of(f->type) : ISA_OPERAND_OTHER;
    for (unsigned k = 0; k < insn->operand_count && kind != ISA_OPERAND_OTHER; k++)
        if (insn->operands[k].kind == kind)
            at = k;
    if (at == insn->operand_count)
        return at;
    uint64_t add = f->addend < 0 ? -(uint64_t)f->addend : (uint64_t)f->addend;
    int n = snprintf(out, size, "%s", f->symbol);
    if (f->addend && n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, "%c0x%llx", f->addend < 0 ? '-' : '+', (unsigned long long)add);
    return at;
}

/* ---- printing ----------------------------------------------------------------------------------- */

void pipe_print_assembly_head(struct out *out, const struct img_module *module, const struct pipe_labels *labels)
{
    if (module->old_layout)
        pipe_print_header_flags(out, module);
    else
        out_printf(out, "\t.target\t%.*s\n\n", pipe_arch_length(module), module->arch ? module->arch : "sm_?");
    out_printf(out, "\t.elftype\t@\"%s\"\n", labels->of.relocatable ? "ET_REL" : "ET_EXEC");
}

/* st_other as the vendor spells it. */
static void print_other(struct out *out, uint8_t other)
{
    static const char *const spaces[8] = {"",
                                          "STO_CUDA_GLOBAL ",
                                          "STO_CUDA_SHARED ",
                                          "STO_CUDA_LOCAL ",
                                          "STO_CUDA_CONSTANT ",
                                          "STO_CUDA_RESERVED_SHARED ",
                                          "",
                                          ""};
    static const char *const visible[4] = {"STV_DEFAULT", "STV_INTERNAL", "STV_HIDDEN", "STV_PROTECTED"};
    out_printf(out, ",@\"%s%s%s%s\"\n", other & OTHER_ENTRY ? "STO_CUDA_ENTRY " : "", spaces[other >> 5 & 7],
               other & 4 ? "STO_CUDA_MANAGED " : "", visible[other & 3]);
}

static void print_function(struct pipe_listing *l, const struct img_function *f)
{
    static const char *const bindings[] = {NULL, ".global", ".weak  "};
    const struct pipe_labels *labels = l->labels;
    if (f->is_section) {
        out_printf(l->out, "%s:\n", f->name);
        return;
    }
    if (bindings[f->binding])
        out_printf(l->out, "        %s         %s\n", bindings[f->binding], f->name);
    out_printf(l->out, "        .type           %s,@function\n", f->name);
    uint32_t number = labels->end_numbers[f - labels->of.functions];
    const struct img_function *end = function_at(labels, f->at.kernel, f->at.offset + (uint32_t)f->size);
    if (number)
        out_printf(l->out, "        .size           %s,(.L_x_%u - %s)\n", f->name, number - 1, f->name);
    else if (end && f->size)
        out_printf(l->out, "        .size           %s,(%s - %s)\n", f->name, end->name, f->name);
    if (f->other) {
        out_printf(l->out, "        .other          %s", f->name);
        print_other(l->out, f->other);
    }
    out_printf(l->out, "%s:\n", f->name);
}

static void print_label(struct out *out, uint32_t number)
{
    char *p = pipe_put_label(out_room(out, OUT_ROOM), number);
    out_filled(out, pipe_put(p, ":\n", 2));
}

/* Functions and the label of a place; *function goes on behind them. */
static void print_place(struct pipe_listing *l, uint32_t i, uint32_t *function)
{
    const struct pipe_labels *labels = l->labels;
    uint32_t kernel = kernel_number(l), number = labels->numbers[kernel][i];
    for (uint32_t end = labels->first_function[kernel + 1];
         *function < end && labels->functions[*function]->at.offset < 16 * (i + 1); ++*function)
        print_function(l, labels->functions[*function]);
    if (i == 0 && labels->section_numbers[kernel] != NO_LABEL)
        print_label(l->out, labels->section_numbers[kernel] - 1);
    if (number != NO_LABEL && number != HAS_NAME)
        print_label(l->out, number - 1);
}

/* The first of the spills at or behind an offset. */
static uint32_t spill_from(const struct img_kernel *k, uint32_t offset)
{
    uint32_t low = 0, high = k->spill_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->spills[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The file says of this instruction that it puts a register away or brings it back. */
static bool is_spill(const struct img_kernel *k, uint32_t offset)
{
    uint32_t at = spill_from(k, offset);
    return at < k->spill_count && k->spills[at] == offset;
}

uint32_t pipe_next_special(const struct pipe_listing *l, uint32_t offset)
{
    const struct pipe_labels *labels = l->labels;
    uint32_t next = UINT32_MAX, spill = labels ? spill_from(l->kernel, offset) : l->kernel->spill_count;
    if (!labels)
        return next;
    const uint32_t *fields = &labels->first_field[kernel_number(l)],
                   *branches = &labels->first_branch[kernel_number(l)];
    const struct img_mark *field = mark_from(labels->of.fields, sizeof(struct img_field), fields[0], fields[1], offset),
                          *branch = mark_from(labels->of.branches, sizeof(struct img_branch), branches[0], branches[1],
                                              offset);
    if (spill < l->kernel->spill_count)
        next = l->kernel->spills[spill];
    if (field && field->offset < next)
        next = field->offset;
    if (branch && branch->offset < next)
        next = branch->offset;
    return next;
}

static void print_branch(struct pipe_listing *l, const struct img_branch *branch)
{
    char name[256];
    out_text(l->out, "(*\"BRANCH_TARGETS ");
    for (uint32_t i = 0; i < branch->target_count; i++)
        if (name_place(l->labels, branch->targets[i], name, sizeof name))
            out_printf(l->out, "%s%s", i ? "," : "", name);
    out_text(l->out, "\"*);\n");
}

static void print_instruction(struct pipe_listing *l, uint32_t i)
{
    char room[ISA_TEXT_ROOM];
    const char *text;
    size_t n = pipe_next_text(l, i, room, &text), rest;
    bool annotated = l->labels && l->labels->annotates;
    bool spill = annotated && is_spill(l->kernel, 16 * i);
    const struct img_branch *branch = annotated && !spill ? branch_at(l, 16 * i) : NULL;
    char *p = out_room(l->out, OUT_ROOM);
    p = pipe_put_offset(p, 16 * i, text, n, &rest);
    memcpy(p, text + rest, n - rest);
    p += n - rest;
    if (spill || branch) {
        out_filled(l->out, p);
        size_t filled = n - rest + pipe_more_digits(16 * i);
        out_printf(l->out, "%*s", (int)(filled < l->widest ? l->widest - filled : 0), "");
        if (branch)
            print_branch(l, branch);
        else
            out_text(l->out, "(*\"SpillRefill\"*);\n");
        return;
    }
    p = pipe_put_blanks(p, pipe_leaves_blank(text + n, n));
    p = pipe_put_ending(p, pipe_word_at(l, i));
    *p++ = '\n';
    out_filled(l->out, p);
}

void pipe_print_raw(struct pipe_listing *l)
{
    pipe_print_header_flags(l->out, l->module);
    pipe_print_header_flags(l->out, l->module); /* the vendor's tool says it twice */
    struct isa_print_options o = pipe_print_options(l);
    pipe_print_plain(l, &o, 0, l->count);
}

void pipe_print_assembly(struct pipe_listing *l)
{
    uint32_t kernel = kernel_number(l), function = l->labels->first_function[kernel];
    out_printf(l->out,
               "\n\n//--------------------- %-25s --------------------------\n\t.section\t%s,\"ax\",@progbits\n",
               l->kernel->section, l->kernel->section);
    const struct img_section *section = &l->labels->of.sections[kernel];
    if (section->barriers)
        out_printf(l->out, "\t.sectionflags\t@\"SHF_BARRIERS=%u\"\n", section->barriers);
    if (l->module->sm < 90 && section->registers)
        out_printf(l->out, "\t.sectioninfo\t@\"SHI_REGISTERS=%u\"\n", section->registers);
    out_printf(l->out, "\t.align\t%u\n", section->alignment);
    const uint32_t *numbers = l->labels->numbers[kernel];
    struct isa_print_options o = pipe_print_options(l);
    uint32_t special = l->insns ? 0 : pipe_next_special(l, 0), next; /* where a function begins */
    for (uint32_t i = 0; i < l->count;) {
        print_place(l, i, &function);
        if (function < l->labels->first_function[kernel + 1])
            next = l->labels->functions[function]->at.offset & ~15u;
        else
            next = UINT32_MAX;
        if (l->options->line_info)
            pipe_print_line_info(l, 16 * i);
        if (16 * i >= special) {
            print_instruction(l, i++);
            special = l->insns ? 0 : pipe_next_special(l, 16 * i);
            continue;
        }
        uint32_t end = i + 1;
        while (end < l->count && numbers[end] == NO_LABEL && 16 * end < next && 16 * end < special &&
               !l->options->line_info)
            end++;
        pipe_print_plain(l, &o, i, end);
        i = end;
    }
    print_place(l, l->count, &function);
}

void pipe_print_assembly_end(struct out *out, const struct pipe_labels *labels)
{
    for (uint32_t i = 0; i < labels->of.extern_count; i++) {
        const struct img_extern *e = &labels->of.externs[i];
        if (i == 0)
            out_text(out, "\n\n//--------------------- SYMBOLS --------------------------\n\n");
        const char *type = e->type == TYPE_FUNCTION      ? "@function"
                           : e->type == TYPE_OBJECT      ? "@object"
                           : e->type == TYPE_CUDA_OBJECT ? "@\"STT_CUDA_OBJECT\""
                                                         : "@notype";
        out_printf(out, "\t.type\t\t%s,%s\n", e->name, type);
        if (e->other) {
            out_printf(out, "\t.other\t\t%s", e->name);
            print_other(out, e->other);
        }
        if (e->size)
            out_printf(out, "\t.size\t\t%s,0x%llx\n", e->name, (unsigned long long)e->size);
    }
}
