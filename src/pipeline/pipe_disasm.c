/* `disasm`: the vendor's two text forms, one line an instruction with control fields, and JSON. Text comes from isa/,
 * reads and writes from the micro-operations, lines from the container. */
#include "pipeline/pipe_container.h"

#include "base/map.h"
#include "base/str.h"
#include "uop/uop_lift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_disasm_options_init(struct sp_disasm_options *o)
{
    *o = (struct sp_disasm_options){.format = SP_DISASM_CUOBJDUMP};
}

/* Texts of a module's instructions, one after another: cuobjdump's form is set as wide as the widest of them. */
struct spelled {
    char *bytes;
    size_t n, size;
    uint16_t *lengths;
    size_t count, room;
    size_t printed, shown; /* how far they are printed: bytes, instructions */
};

struct listing {
    struct sp_session *s;
    struct isa_cache *cache;
    struct arena *a;
    struct out *out;
    const struct sp_disasm_options *options;
    const struct img_module *module;
    const struct img_kernel *kernel;
    const struct isa_insn *insns; /* decoded for JSON and for listings, else NULL: text comes from the words */
    uint32_t count;
    bool *labelled; /* instructions a branch goes to */
    uint32_t *label_number;
    uint32_t *next_label; /* of the module */
    struct spelled *spelled;
    size_t widest; /* instruction text of the module, with its " ;" */
    int32_t last_file, last_line;
};

static const struct img_subroutine *subroutine_at(const struct img_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->subroutine_count; i++)
        if (k->subroutines[i].offset == offset)
            return &k->subroutines[i];
    return NULL;
}

static struct bits128 word_at(const struct listing *l, uint32_t i)
{
    if (l->insns)
        return l->insns[i].word;
    const uint8_t *p = l->kernel->code + 16 * (size_t)i;
    return (struct bits128){bits_le64(p), bits_le64(p + 8)};
}

static bool label_text(void *user, uint32_t target, char out[96])
{
    struct listing *l = user;
    const struct img_subroutine *sub = subroutine_at(l->kernel, target);
    if (sub) {
        snprintf(out, 96, "%.90s", sub->name);
        return true;
    }
    if (target == 0) {
        snprintf(out, 96, "%.90s", l->kernel->name);
        return true;
    }
    if (target % 16 == 0 && target / 16 < l->count && l->labelled[target / 16]) {
        snprintf(out, 96, ".L_x_%u", l->label_number[target / 16]);
        return true;
    }
    return false;
}

static bool has_target(const struct listing *l, uint32_t i, int64_t *target)
{
    if (!l->insns)
        return isa_word_target(l->module->sm, word_at(l, i), 16 * i, target);
    for (unsigned k = 0; k < l->insns[i].operand_count; k++)
        if (l->insns[i].operands[k].kind == ISA_OPERAND_LABEL) {
            *target = l->insns[i].operands[k].value;
            return true;
        }
    return false;
}

static bool find_labels(struct listing *l)
{
    l->labelled = ARENA_ARRAY(l->a, bool, l->count + 1u);
    if (l->options->format != SP_DISASM_NVDISASM)
        return l->labelled != NULL;
    l->label_number = ARENA_ARRAY(l->a, uint32_t, l->count + 1u);
    if (!l->labelled || !l->label_number)
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t target;
        if (!has_target(l, i, &target) || target <= 0 || target % 16 != 0 || target / 16 >= l->count ||
            subroutine_at(l->kernel, (uint32_t)target) || l->labelled[target / 16])
            continue;
        l->labelled[target / 16] = true; /* numbered by the first branch that goes there */
        l->label_number[target / 16] = (*l->next_label)++;
    }
    return true;
}

/* The text of instruction i into `text` (ISA_TEXT_ROOM bytes). */
static size_t print_text(struct listing *l, uint32_t i, char *text)
{
    bool names = l->options->format == SP_DISASM_NVDISASM;
    struct isa_print_options o = {
        .dialect = names ? ISA_DIALECT_NVDISASM : ISA_DIALECT_CUOBJDUMP, .label = names ? label_text : NULL, .user = l};
    const struct img_told *told = pipe_told(l->kernel, i);
    if (told && !told->how) {
        int n = snprintf(text, 512, "%s", told->text ? told->text : "not in the listing");
        return n < 0 ? 0 : n < 512 ? (size_t)n : 511;
    }
    if (l->insns)
        return isa_print(l->module->sm, &l->insns[i], &o, text, ISA_TEXT_ROOM);
    enum { AHEAD = 8 };
    if (i + AHEAD < l->count)
        isa_cache_expect(l->cache, word_at(l, i + AHEAD));
    return isa_print_cached(l->cache, l->module->sm, word_at(l, i), 16 * i, &o, text);
}

static bool has_word(const struct listing *l, uint32_t i)
{
    return !pipe_told(l->kernel, i);
}

static bool has_control(const struct listing *l, uint32_t i)
{
    const struct img_told *told = pipe_told(l->kernel, i);
    return !told || told->how & IMG_TOLD_CONTROL;
}

/* "@P0 " is printed to the left of the column where opcodes stand: how many bytes of it, without the blank. */
static size_t guard_length(const char *text, size_t n)
{
    enum { LONGEST = 6 };
    for (size_t i = 1; text[0] == '@' && i < n && i <= LONGEST; i++)
        if (text[i] == ' ')
            return i;
    return 0;
}

/* ---- writing in place ------------------------------------------------------------------------ */

static char *put(char *p, const char *text, size_t n)
{
    memcpy(p, text, n);
    return p + n;
}

static char *put_blanks(char *p, size_t n)
{
    memset(p, ' ', n);
    return p + n;
}

/* At least `least` digits. */
static char *put_hex(char *p, uint64_t v, unsigned least)
{
    unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
    n = n < least ? least : n;
    for (unsigned i = n; i-- > 0; v >>= 4)
        p[i] = "0123456789abcdef"[v & 15];
    return p + n;
}

static char *put_word(char *p, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 16; i-- > 0; v >>= 4)
        p[i] = digits[v & 15];
    return p + 16;
}

/* The offset in its comment, and the guard at the right end of its column. Answers where the rest of `text` begins. */
static char *put_offset_and_guard(char *p, uint32_t offset, const char *text, size_t n, size_t *rest)
{
    enum { COLUMN = 17 };
    size_t guard = guard_length(text, n);
    p = put(p, "        /*", 10);
    p = put_hex(p, offset, 4);
    p = put(p, "*/ ", 3);
    p = put_blanks(p, COLUMN - guard);
    p = put(p, text, guard);
    *p++ = ' ';
    *rest = guard ? guard + 1 : 0;
    return p;
}

static void print_line_info(struct listing *l, uint32_t offset)
{
    const struct img_line *line = l->options->line_info ? img_line_at(l->kernel, offset) : NULL;
    if (!line || !line->line || ((int32_t)line->line == l->last_line && (int32_t)line->file == l->last_file))
        return;
    l->last_line = (int32_t)line->line;
    l->last_file = (int32_t)line->file;
    out_printf(l->out, "\t//## File \"%s\", line %u",
               line->file < l->module->file_count ? l->module->files[line->file] : "?", line->line);
    for (uint32_t i = 0; i < line->inlined_count; i++)
        out_printf(l->out, " inlined at \"%s\", line %u",
                   line->inlined[i].file < l->module->file_count ? l->module->files[line->inlined[i].file] : "?",
                   line->inlined[i].line);
    out_char(l->out, '\n');
}

/* A word without any scheduling (stall 0, no yield, no barriers, nothing to wait for: filler) ends in ";", all else in
 * " ;". */
static const char *ending(struct bits128 word)
{
    return (word.hi >> (105 - 64) & 0x1ffff) == 0x7e0 ? ";" : " ;";
}

static bool keep_text(struct spelled *s, const char *text, size_t n)
{
    if (s->size - s->n < n) {
        size_t size = 2 * s->size + 65536;
        char *bytes = realloc(s->bytes, size);
        if (!bytes)
            return false;
        s->bytes = bytes;
        s->size = size;
    }
    if (s->count == s->room) {
        size_t room = 2 * s->room + 4096;
        uint16_t *lengths = realloc(s->lengths, room * sizeof *lengths);
        if (!lengths)
            return false;
        s->lengths = lengths;
        s->room = room;
    }
    memcpy(s->bytes + s->n, text, n);
    s->n += n;
    s->lengths[s->count++] = (uint16_t)n;
    return true;
}

/* Keeps the texts of the kernel and widens *widest to the longest, with its guard, although that stands to the left. */
static bool spell(struct listing *l, size_t *widest)
{
    char text[ISA_TEXT_ROOM];
    for (uint32_t i = 0; i < l->count; i++) {
        size_t n = print_text(l, i, text), with = n + strlen(ending(word_at(l, i)));
        *widest = with > *widest ? with : *widest;
        if (!keep_text(l->spelled, text, n))
            return false;
    }
    return true;
}

static void print_cuobjdump(struct listing *l)
{
    const struct spelled *spelled = l->spelled;
    size_t widest = l->widest, rest;
    out_printf(l->out, "\n\t\tFunction : %s\n", l->kernel->name);
    out_printf(l->out, "\t.headerflags\t@\"EF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n", l->module->sm,
               l->module->sm);
    for (uint32_t i = 0; i < l->count; i++) {
        struct bits128 word = word_at(l, i);
        const char *text = spelled->bytes + spelled->printed, *end = ending(word);
        size_t n = spelled->lengths[l->spelled->shown++];
        l->spelled->printed += n;
        print_line_info(l, 16 * i);
        char *p = out_room(l->out, OUT_ROOM);
        p = put_offset_and_guard(p, 16 * i, text, n, &rest);
        p = put(p, text + rest, n - rest);
        p = put(p, end, strlen(end));
        if (has_word(l, i)) {
            p = put_blanks(p, widest - (n - rest) - strlen(end));
            p = put(p, "  /* 0x", 7);
            p = put_word(p, word.lo);
            p = put(p, " */\n", 4);
            p = put_blanks(p, 37 + widest);
            p = put(p, "/* 0x", 5);
            p = put_word(p, word.hi);
            p = put(p, " */", 3);
        }
        *p++ = '\n';
        out_filled(l->out, p);
    }
    out_text(l->out, "\t\t..........\n\n");
}

/* The file says of this instruction that it puts a register away or brings it back. */
static bool is_spill(const struct img_kernel *k, uint32_t offset)
{
    uint32_t low = 0, high = k->spill_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->spills[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->spill_count && k->spills[low] == offset;
}

static void print_nvdisasm(struct listing *l)
{
    char text[ISA_TEXT_ROOM];
    size_t rest;
    out_printf(l->out, "\n//--------------------- %s --------------------------\n\t.section\t%s,\"ax\",@progbits\n",
               l->kernel->section, l->kernel->section);
    if (l->module->sm < 90 && l->kernel->registers >= 0)
        out_printf(l->out, "\t.sectioninfo\t@\"SHI_REGISTERS=%d\"\n", l->kernel->registers);
    out_printf(l->out, "\t.align\t128\n        .global         %s\n        .type           %s,@function\n%s:\n%s:\n",
               l->kernel->name, l->kernel->name, l->kernel->name, l->kernel->section);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct img_subroutine *sub = i ? subroutine_at(l->kernel, 16 * i) : NULL;
        if (sub)
            out_printf(l->out, "        .type           %s,@function\n%s:\n", sub->name, sub->name);
        if (l->labelled[i])
            out_printf(l->out, ".L_x_%u:\n", l->label_number[i]);
        print_line_info(l, 16 * i);
        size_t n = print_text(l, i, text);
        char *p = out_room(l->out, OUT_ROOM);
        p = put_offset_and_guard(p, 16 * i, text, n, &rest);
        p = put(p, text + rest, n - rest);
        if (is_spill(l->kernel, 16 * i)) {
            enum { COLUMN = 40 };
            p = put_blanks(p, n - rest < COLUMN ? COLUMN - (n - rest) : 0);
            p = put(p, " (*\"SpillRefill\"*);\n", 20);
        } else {
            const char *end = ending(word_at(l, i));
            p = put(p, end, strlen(end));
            *p++ = '\n';
        }
        out_filled(l->out, p);
    }
    out_char(l->out, '\n');
}

static void print_control(struct listing *l)
{
    char text[ISA_TEXT_ROOM], control[32];
    out_printf(l->out, "%s (%s)\n", l->kernel->name, l->module->arch ? l->module->arch : "?");
    for (uint32_t i = 0; i < l->count; i++) {
        print_line_info(l, 16 * i);
        size_t n = print_text(l, i, text);
        struct isa_control c = isa_control_of(word_at(l, i));
        isa_print_control(&c, control);
        size_t length = strlen(control);
        if (!has_control(l, i))
            memset(control, ' ', length);
        char *p = put_hex(out_room(l->out, OUT_ROOM), 16 * i, 4);
        *p++ = ' ';
        p = put(p, control, length);
        *p++ = ' ';
        p = put(p, text, n);
        *p++ = '\n';
        out_filled(l->out, p);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static const char *operand_kind(unsigned kind)
{
    static const char *const texts[] = {"reg",  "ureg",  "pred",    "upred",      "imm",  "fimm",  "const", "mem",
                                        "sreg", "label", "barrier", "scoreboard", "pred", "other", "other", "desc"};
    return kind < sizeof texts / sizeof texts[0] ? texts[kind] : "other";
}

/* Registers an instruction reads or writes, runs of neighbours as one entry. */
static void json_registers(struct json *j, const struct uop_list *list, unsigned kind)
{
    static const char *const files[] = {"R", "UR", "P", "UP", "B"};
    json_array(j);
    for (unsigned file = 0; file < UOP_FILE_COUNT; file++) {
        bool in[257] = {false};
        for (size_t i = 0; i < list->ops.n; i++)
            if (list->ops.p[i].kind == kind && list->ops.p[i].file == file && list->ops.p[i].reg < 256)
                in[list->ops.p[i].reg] = true;
        for (unsigned r = 0; r < 256; r++) {
            if (!in[r])
                continue;
            unsigned first = r;
            while (in[r + 1])
                r++;
            json_object(j);
            json_key(j, "file");
            json_string(j, files[file]);
            json_key(j, "index");
            json_uint(j, first);
            json_key(j, "count");
            json_uint(j, r - first + 1);
            json_end(j);
        }
    }
    json_end(j);
}

/* Operands as they are printed, one text each: the instruction's text cut at its top-level commas (at its blanks where
 * operands are parted by those: RET.REL.NODEC R2 0x0). */
static unsigned operand_texts(struct arena *a, const char *rest, bool blanks, const char *texts[ISA_MAX_OPERANDS + 2])
{
    const char *p = strchr(rest, ' ');
    unsigned n = 0, depth = 0;
    if (!p)
        return 0;
    for (const char *start = ++p;; p++) {
        if (*p == '[' || *p == '(' || *p == '{')
            depth++;
        else if ((*p == ']' || *p == ')' || *p == '}') && depth)
            depth--;
        if (*p && ((*p != ',' && !(blanks && *p == ' ')) || depth))
            continue;
        if (n < ISA_MAX_OPERANDS + 2)
            texts[n++] = arena_strndup(a, start, (size_t)(p - start));
        if (!*p)
            break;
        start = p + 1;
        while (*start == ' ')
            start++;
        p = start - 1;
    }
    return n;
}

static void json_operands(struct listing *l, struct json *j, const struct isa_insn *insn, const char *rest)
{
    const char *texts[ISA_MAX_OPERANDS + 2];
    unsigned n = operand_texts(l->a, rest, false, texts);
    if (n != insn->operand_count)
        n = operand_texts(l->a, rest, true, texts);
    json_array(j);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct isa_operand *o = &insn->operands[i];
        json_object(j);
        json_key(j, "kind");
        json_string(j, o->kind == ISA_OPERAND_MEM && o->desc != ISA_NO_REG ? "desc" : operand_kind(o->kind));
        json_key(j, "text");
        json_string(j, n == insn->operand_count ? texts[i] : NULL);
        json_key(j, "index");
        if (o->kind <= ISA_OPERAND_UPRED || o->kind == ISA_OPERAND_BARRIER || o->kind == ISA_OPERAND_SCOREBOARD)
            json_uint(j, o->reg);
        else
            json_null(j);
        json_key(j, "value");
        if (o->kind == ISA_OPERAND_IMM || o->kind == ISA_OPERAND_FIMM || o->kind == ISA_OPERAND_CONST ||
            o->kind == ISA_OPERAND_MEM || o->kind == ISA_OPERAND_LABEL || o->kind == ISA_OPERAND_SREG)
            json_int(j, o->value);
        else
            json_null(j);
        json_end(j);
    }
    json_end(j);
}

static void json_barrier(struct json *j, unsigned barrier)
{
    if (barrier == 7)
        json_null(j);
    else
        json_uint(j, barrier);
}

static void json_instruction(struct listing *l, struct json *j, uint32_t number)
{
    const struct isa_insn *insn = &l->insns[number];
    struct uop_lift_context context = {.sm = l->module->sm, .a = l->a};
    struct uop_list list = {0};
    const struct img_line *line = img_line_at(l->kernel, insn->offset);
    char text[ISA_TEXT_ROOM], guard[16], bytes[48];
    uop_lift(&context, insn, &list);
    size_t n = print_text(l, number, text), guarded = guard_length(text, n);
    const char *rest = text + (guarded ? guarded + 1 : 0);
    memcpy(guard, text, guarded);
    guard[guarded] = '\0';
    snprintf(bytes, sizeof bytes, "0x%016llx,0x%016llx", (unsigned long long)insn->word.lo,
             (unsigned long long)insn->word.hi);
    json_object(j);
    json_key(j, "offset"), json_uint(j, insn->offset);
    json_key(j, "bytes"), json_string(j, has_word(l, number) ? bytes : NULL);
    json_key(j, "text"), json_string(j, text);
    json_key(j, "guard"), json_string(j, guard[0] ? guard + 1 : NULL);
    json_key(j, "opcode"), json_string(j, insn->op == ISA_OP_UNKNOWN ? NULL : isa_op_text((enum isa_op)insn->op));
    json_key(j, "modifiers");
    json_array(j);
    for (unsigned i = 0; i < insn->mod_count; i++)
        json_string(j, isa_mod_text((enum isa_mod)insn->mods[i]));
    json_end(j);
    json_key(j, "operands"), json_operands(l, j, insn, rest);
    json_key(j, "reads"), json_registers(j, &list, UOP_READ);
    json_key(j, "writes"), json_registers(j, &list, UOP_WRITE);
    bool known = line && line->line;
    json_key(j, "file"),
        known && line->file < l->module->file_count ? json_string(j, l->module->files[line->file]) : json_null(j);
    json_key(j, "line"), known ? json_uint(j, line->line) : json_null(j);
    json_key(j, "inlined");
    json_array(j);
    for (uint32_t i = 0; known && i < line->inlined_count; i++) {
        const struct img_inline *in = &line->inlined[i];
        json_object(j);
        json_key(j, "file"),
            in->file < l->module->file_count ? json_string(j, l->module->files[in->file]) : json_null(j);
        json_key(j, "line"), json_uint(j, in->line);
        json_key(j, "function"), json_string(j, in->function);
        json_end(j);
    }
    json_end(j);
    const struct isa_control *c = &insn->control;
    json_key(j, "control");
    if (!has_control(l, number)) {
        json_null(j);
        json_end(j);
        return;
    }
    json_object(j);
    json_key(j, "stall"), json_uint(j, c->stall);
    json_key(j, "yield"), json_bool(j, c->yield);
    json_key(j, "write_barrier"), json_barrier(j, c->write_barrier);
    json_key(j, "read_barrier"), json_barrier(j, c->read_barrier);
    json_key(j, "wait_mask"), json_uint(j, c->wait_mask);
    json_key(j, "reuse"), json_uint(j, c->reuse);
    json_end(j);
    json_end(j);
}

static void print_json(struct listing *l)
{
    struct json j;
    json_init(&j, l->out);
    json_object(&j);
    json_key(&j, "kernel"), json_string(&j, l->kernel->name);
    json_key(&j, "arch"), json_string(&j, l->module->arch);
    json_key(&j, "instructions");
    json_array(&j);
    for (uint32_t i = 0; i < l->count; i++)
        json_instruction(l, &j, i);
    json_end(&j);
    json_end(&j);
    json_newline(&j);
}

/* ---- all kernels that were asked for -------------------------------------------------------- */

static void print_module_head(struct out *out, const struct sp_disasm_options *o, const struct img_module *m)
{
    const char *arch = m->arch ? m->arch : "sm_?";
    if (o->format == SP_DISASM_CUOBJDUMP)
        out_printf(out, "\n\tcode for %s\n\t.target\t%s\n", arch, arch);
    else if (o->format == SP_DISASM_NVDISASM)
        out_printf(out, "\t.target\t%s\n\n\t.elftype\t@\"ET_EXEC\"\n\n", arch);
}

static enum sp_status one_kernel(struct sp_session *s, struct out *out, const struct sp_disasm_options *o,
                                 const struct pipe_input *in, const struct img_kernel *kernel, uint32_t *next_label,
                                 struct isa_cache *cache, struct spelled *spelled, size_t *widest, bool measure)
{
    struct arena work;
    arena_init(&work, 0);
    struct listing l = {.s = s,
                        .cache = cache,
                        .spelled = spelled,
                        .a = &work,
                        .out = out,
                        .options = o,
                        .module = &in->module,
                        .kernel = kernel,
                        .next_label = next_label,
                        .widest = *widest,
                        .last_file = -1,
                        .last_line = -1};
    struct isa_insn *insns = NULL;
    enum sp_status status = SP_OK;
    l.count = kernel->code_bytes / 16;
    if (o->format == SP_DISASM_JSON || kernel->told)
        status = pipe_decode(&work, &in->module, kernel, &insns, &l.count);
    else if (!isa_arch_known(in->module.sm))
        status = SP_ERR_ARCH;
    l.insns = insns;
    if (status == SP_OK && !find_labels(&l))
        status = SP_ERR_MEMORY;
    if (status == SP_OK && measure)
        status = spell(&l, widest) ? SP_OK : SP_ERR_MEMORY;
    else if (status == SP_OK)
        switch (o->format) {
        case SP_DISASM_CUOBJDUMP: print_cuobjdump(&l); break;
        case SP_DISASM_NVDISASM: print_nvdisasm(&l); break;
        case SP_DISASM_CONTROL: print_control(&l); break;
        case SP_DISASM_JSON: print_json(&l); break;
        }
    if (arena_failed(&work))
        status = SP_ERR_MEMORY;
    arena_free(&work);
    return status;
}

/* The kernels of one module that were asked for; *printed counts them. */
static enum sp_status one_module(struct sp_session *s, struct out *out, const struct sp_disasm_options *o,
                                 struct pipe_input *in, struct isa_cache *cache, size_t *printed)
{
    enum sp_status status = SP_OK;
    uint32_t labels = 0;
    size_t widest = 0;
    struct spelled spelled = {0};
    bool head = false;
    if (o->arch && !str_equal(o->arch, in->module.arch))
        return SP_OK;
    if (in->module.kind == IMG_PTX) {
        diag_add(&s->diags, DIAG_WARNING, "no-machine-code", NULL, -1, "PTX has no machine code to disassemble");
        return SP_OK;
    }
    struct arena names; /* what comparing them takes */
    arena_init(&names, 0);
    for (uint32_t k = 0; k < in->module.kernel_count && o->format == SP_DISASM_CUOBJDUMP && status == SP_OK; k++)
        if (pipe_kernel_named(&names, &in->module.kernels[k], o->kernel))
            status = one_kernel(s, out, o, in, &in->module.kernels[k], &labels, cache, &spelled, &widest, true);
    if (status == SP_ERR_ARCH)
        status = SP_OK; /* told below */
    labels = 0;
    for (uint32_t k = 0; k < in->module.kernel_count && status == SP_OK; k++) {
        if (!pipe_kernel_named(&names, &in->module.kernels[k], o->kernel))
            continue;
        if (!head)
            print_module_head(out, o, &in->module);
        head = true;
        status = one_kernel(s, out, o, in, &in->module.kernels[k], &labels, cache, &spelled, &widest, false);
        ++*printed;
        if (status == SP_ERR_ARCH) {
            diag_add(&s->diags, DIAG_ERROR, "unknown-architecture", NULL, -1, "no encodings for %s",
                     in->module.arch ? in->module.arch : "this architecture");
            status = SP_OK;
            break;
        }
    }
    if (head && o->format == SP_DISASM_CUOBJDUMP)
        out_char(out, '\n');
    free(spelled.bytes);
    free(spelled.lengths);
    arena_free(&names);
    return status;
}

enum sp_status sp_disasm(struct sp_session *s, const struct sp_disasm_options *o, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    struct isa_cache *cache = calloc(1, sizeof *cache);
    enum sp_status status = SP_OK;
    size_t printed = 0;
    if (!out || !cache) {
        free(out);
        free(cache);
        return SP_ERR_MEMORY;
    }
    out_init(out, write, user);
    for (size_t i = 0; i < s->inputs.n && status == SP_OK; i++) {
        struct pipe_input *in = &s->inputs.p[i];
        if (!pipe_input_may_be(in, o->arch) || pipe_input_is_companion(in, o->arch))
            continue;
        s->diags.input = (int)i;
        (void)pipe_input_open(s, in); /* what was wrong is told, and the rest is there */
        status = one_module(s, out, o, in, cache, &printed);
        pipe_input_close(in);
        s->diags.input = -1;
    }
    if (status == SP_OK && !printed && (o->kernel || o->arch))
        status = SP_ERR_NOT_FOUND;
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    free(out);
    free(cache);
    return status;
}
