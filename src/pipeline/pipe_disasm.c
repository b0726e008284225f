/* `disasm`: the vendor's two text forms, one line an instruction with control fields, and JSON. Text comes from isa/,
 * reads and writes from the micro-operations, lines from the container. */
#include "pipeline/pipe.h"

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

struct listing {
    struct sp_session *s;
    struct arena *a;
    struct out *out;
    const struct sp_disasm_options *options;
    const struct img_module *module;
    const struct img_kernel *kernel;
    const struct isa_insn *insns;
    uint32_t count;
    bool *labelled; /* instructions a branch goes to */
    uint32_t *label_number;
    uint32_t *next_label; /* of the module */
    size_t widest;        /* instruction text of the module, with its " ;" */
    int32_t last_file, last_line;
};

static const struct img_subroutine *subroutine_at(const struct img_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->subroutine_count; i++)
        if (k->subroutines[i].offset == offset)
            return &k->subroutines[i];
    return NULL;
}

static const struct isa_operand *target_of(const struct isa_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == ISA_OPERAND_LABEL)
            return &insn->operands[i];
    return NULL;
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

static bool find_labels(struct listing *l)
{
    l->labelled = ARENA_ARRAY(l->a, bool, l->count + 1u);
    l->label_number = ARENA_ARRAY(l->a, uint32_t, l->count + 1u);
    if (!l->labelled || !l->label_number)
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct isa_operand *t = target_of(&l->insns[i]);
        if (t && t->value > 0 && t->value % 16 == 0 && t->value / 16 < l->count &&
            !subroutine_at(l->kernel, (uint32_t)t->value))
            if (!l->labelled[t->value / 16]) { /* numbered by the first branch that goes there */
                l->labelled[t->value / 16] = true;
                l->label_number[t->value / 16] = (*l->next_label)++;
            }
    }
    return true;
}

static size_t print_text(struct listing *l, const struct isa_insn *insn, enum isa_dialect dialect, char text[512])
{
    struct isa_print_options o = {
        .dialect = dialect, .label = dialect == ISA_DIALECT_NVDISASM ? label_text : NULL, .user = l};
    const struct img_told *told = pipe_told(l->kernel, insn->offset / 16);
    if (told && !told->how) {
        int n = snprintf(text, 512, "%s", told->text ? told->text : "not in the listing");
        return n > 0 ? (size_t)n : 0;
    }
    return isa_print(l->module->sm, insn, &o, text, 512);
}

static bool has_word(const struct listing *l, const struct isa_insn *insn)
{
    return !pipe_told(l->kernel, insn->offset / 16);
}

static bool has_control(const struct listing *l, const struct isa_insn *insn)
{
    const struct img_told *told = pipe_told(l->kernel, insn->offset / 16);
    return !told || told->how & IMG_TOLD_CONTROL;
}

/* "@P0 " is printed to the left of the column where opcodes stand. */
static void split_guard(const char *text, char guard[16], const char **rest)
{
    guard[0] = '\0';
    *rest = text;
    const char *space = text[0] == '@' ? strchr(text, ' ') : NULL;
    if (space && (size_t)(space - text) < 16) {
        memcpy(guard, text, (size_t)(space - text));
        guard[space - text] = '\0';
        *rest = space + 1;
    }
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
static const char *ending(const struct isa_insn *insn)
{
    return bits_get(insn->word, 121, 105) == 0x7e0 ? ";" : " ;";
}

static size_t widest_text(struct listing *l)
{
    char text[512];
    size_t widest = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        print_text(l, &l->insns[i], ISA_DIALECT_CUOBJDUMP, text);
        size_t n = strlen(text) + strlen(ending(&l->insns[i])); /* with its guard, although that stands to the left */
        widest = n > widest ? n : widest;
    }
    return widest;
}

static void print_cuobjdump(struct listing *l)
{
    char text[512], guard[16], body[600];
    const char *rest;
    size_t widest = l->widest;
    out_printf(l->out, "\n\t\tFunction : %s\n", l->kernel->name);
    out_printf(l->out, "\t.headerflags\t@\"EF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n", l->module->sm,
               l->module->sm);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct isa_insn *insn = &l->insns[i];
        print_line_info(l, insn->offset);
        print_text(l, insn, ISA_DIALECT_CUOBJDUMP, text);
        split_guard(text, guard, &rest);
        snprintf(body, sizeof body, "%s%s", rest, ending(insn));
        if (!has_word(l, insn)) {
            out_printf(l->out, "        /*%04x*/ %17s %s\n", insn->offset, guard, body);
            continue;
        }
        out_printf(l->out, "        /*%04x*/ %17s %-*s  /* 0x%016llx */\n", insn->offset, guard, (int)widest, body,
                   (unsigned long long)insn->word.lo);
        out_printf(l->out, "%*s/* 0x%016llx */\n", (int)(37 + widest), "", (unsigned long long)insn->word.hi);
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
    char text[512], guard[16];
    const char *rest;
    out_printf(l->out, "\n//--------------------- %s --------------------------\n\t.section\t%s,\"ax\",@progbits\n",
               l->kernel->section, l->kernel->section);
    if (l->module->sm < 90 && l->kernel->registers >= 0)
        out_printf(l->out, "\t.sectioninfo\t@\"SHI_REGISTERS=%d\"\n", l->kernel->registers);
    out_printf(l->out, "\t.align\t128\n        .global         %s\n        .type           %s,@function\n%s:\n%s:\n",
               l->kernel->name, l->kernel->name, l->kernel->name, l->kernel->section);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct isa_insn *insn = &l->insns[i];
        const struct img_subroutine *sub = i ? subroutine_at(l->kernel, insn->offset) : NULL;
        if (sub)
            out_printf(l->out, "        .type           %s,@function\n%s:\n", sub->name, sub->name);
        if (l->labelled[i])
            out_printf(l->out, ".L_x_%u:\n", l->label_number[i]);
        print_line_info(l, insn->offset);
        print_text(l, insn, ISA_DIALECT_NVDISASM, text);
        split_guard(text, guard, &rest);
        if (is_spill(l->kernel, insn->offset))
            out_printf(l->out, "        /*%04x*/ %17s %-40s (*\"SpillRefill\"*);\n", insn->offset, guard, rest);
        else
            out_printf(l->out, "        /*%04x*/ %17s %s%s\n", insn->offset, guard, rest, ending(insn));
    }
    out_char(l->out, '\n');
}

static void print_control(struct listing *l)
{
    char text[512], control[32];
    out_printf(l->out, "%s (%s)\n", l->kernel->name, l->module->arch ? l->module->arch : "?");
    for (uint32_t i = 0; i < l->count; i++) {
        print_line_info(l, l->insns[i].offset);
        print_text(l, &l->insns[i], ISA_DIALECT_CUOBJDUMP, text);
        isa_print_control(&l->insns[i].control, control);
        if (!has_control(l, &l->insns[i]))
            memset(control, ' ', strlen(control));
        out_printf(l->out, "%04x %s %s\n", l->insns[i].offset, control, text);
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

static void json_instruction(struct listing *l, struct json *j, const struct isa_insn *insn)
{
    struct uop_lift_context context = {.sm = l->module->sm, .a = l->a};
    struct uop_list list = {0};
    const struct img_line *line = img_line_at(l->kernel, insn->offset);
    char text[512], guard[16], bytes[48];
    const char *rest;
    uop_lift(&context, insn, &list);
    print_text(l, insn, ISA_DIALECT_CUOBJDUMP, text);
    split_guard(text, guard, &rest);
    snprintf(bytes, sizeof bytes, "0x%016llx,0x%016llx", (unsigned long long)insn->word.lo,
             (unsigned long long)insn->word.hi);
    json_object(j);
    json_key(j, "offset"), json_uint(j, insn->offset);
    json_key(j, "bytes"), json_string(j, has_word(l, insn) ? bytes : NULL);
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
    if (!has_control(l, insn)) {
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
        json_instruction(l, &j, &l->insns[i]);
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
                                 size_t *widest, bool measure)
{
    struct arena work;
    arena_init(&work, 0);
    struct listing l = {.s = s,
                        .a = &work,
                        .out = out,
                        .options = o,
                        .module = &in->module,
                        .kernel = kernel,
                        .next_label = next_label,
                        .widest = *widest,
                        .last_file = -1,
                        .last_line = -1};
    struct isa_insn *insns;
    enum sp_status status = pipe_decode(&work, &in->module, kernel, &insns, &l.count);
    l.insns = insns;
    if (status == SP_OK && !find_labels(&l))
        status = SP_ERR_MEMORY;
    if (status == SP_OK && measure) {
        size_t n = widest_text(&l);
        *widest = n > *widest ? n : *widest;
    } else if (status == SP_OK) {
        switch (o->format) {
        case SP_DISASM_CUOBJDUMP: print_cuobjdump(&l); break;
        case SP_DISASM_NVDISASM: print_nvdisasm(&l); break;
        case SP_DISASM_CONTROL: print_control(&l); break;
        case SP_DISASM_JSON: print_json(&l); break;
        }
    }
    if (arena_failed(&work))
        status = SP_ERR_MEMORY;
    arena_free(&work);
    return status;
}

enum sp_status sp_disasm(struct sp_session *s, const struct sp_disasm_options *o, sp_write_fn write, void *user)
{
    struct out *out = malloc(sizeof *out);
    enum sp_status status = SP_OK;
    size_t printed = 0;
    if (!out)
        return SP_ERR_MEMORY;
    out_init(out, write, user);
    for (size_t i = 0; i < s->inputs.n && status == SP_OK; i++) {
        const struct pipe_input *in = &s->inputs.p[i];
        uint32_t labels = 0;
        size_t widest = 0;
        bool head = false;
        if (o->arch && !str_equal(o->arch, in->module.arch))
            continue;
        s->diags.input = (int)i;
        if (in->module.kind == IMG_PTX) {
            diag_add(&s->diags, DIAG_WARNING, "no-machine-code", NULL, -1, "PTX has no machine code to disassemble");
            s->diags.input = -1;
            continue;
        }
        for (uint32_t k = 0; k < in->module.kernel_count && o->format == SP_DISASM_CUOBJDUMP && status == SP_OK; k++)
            if (pipe_kernel_named(&s->a, &in->module.kernels[k], o->kernel))
                status = one_kernel(s, out, o, in, &in->module.kernels[k], &labels, &widest, true);
        if (status == SP_ERR_ARCH)
            status = SP_OK; /* told below */
        labels = 0;
        for (uint32_t k = 0; k < in->module.kernel_count && status == SP_OK; k++) {
            if (!pipe_kernel_named(&s->a, &in->module.kernels[k], o->kernel))
                continue;
            if (!head)
                print_module_head(out, o, &in->module);
            head = true;
            status = one_kernel(s, out, o, in, &in->module.kernels[k], &labels, &widest, false);
            printed++;
            if (status == SP_ERR_ARCH) {
                diag_add(&s->diags, DIAG_ERROR, "unknown-architecture", NULL, -1, "no encodings for %s",
                         in->module.arch ? in->module.arch : "this architecture");
                status = SP_OK;
                break;
            }
        }
        if (head && o->format == SP_DISASM_CUOBJDUMP)
            out_char(out, '\n');
        s->diags.input = -1;
    }
    if (status == SP_OK && !printed && (o->kernel || o->arch))
        status = SP_ERR_NOT_FOUND;
    if (!out_flush(out) && status == SP_OK)
        status = SP_ERR_IO;
    free(out);
    return status;
}
