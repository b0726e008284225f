/* Words to micro-operations: the code of a kernel decoded, lifted and spelled, and what relocations say of it put in.
 * requires: the kernel, with what it calls behind it (img_link_called()) · gives: pipe_read_code */
#include "pipeline/pipe_code.h"

#include "base/str.h"
#include "uop/uop_lift.h"

#include <string.h>

enum { MARK = 0x2a5a50 }; /* an address no code has */
/* R_CUDA_ABS32_LO_32, R_CUDA_ABS32_HI_32: a word of a symbol's address, as the immediate of one instruction. */
enum { RELOC_LOW = 56, RELOC_HIGH = 57 };

/* The operand that a relocation fills: the memory operand's distance, else the first number; NULL: none of them. */
static struct isa_operand *filled_operand(struct isa_insn *insn)
{
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned i = 0; i < insn->operand_count; i++)
            if (insn->operands[i].kind == (kind == 0 ? ISA_OPERAND_MEM : ISA_OPERAND_IMM))
                return &insn->operands[i];
    return NULL;
}

static struct uop *call_of(struct uop_list *l)
{
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_CALL_IND)
            return &l->ops.p[i];
    return NULL;
}

/* A relocation that names code. A call goes where that stands. A word of an address is known when it is that of the
 * instruction behind a call: the address to come back to, which nobody computes with; the address of a function may go
 * anywhere, and its number is the loader's. */
static bool apply_code(struct uop_lift_context *context, const struct img_reloc *r, const struct isa_insn *insn,
                       struct uop_list *lists, uint32_t count)
{
    struct uop_list *list = &lists[r->offset / 16];
    struct uop *call = call_of(list);
    if (call && img_reloc_is_call(r)) {
        call->kind = UOP_CALL;
        call->imm = (uint64_t)r->code;
        call->arg[0] = UOP_NONE;
        return true;
    }
    struct isa_insn filled = *insn;
    struct isa_operand *operand = filled_operand(&filled);
    uint64_t before = (uint64_t)r->code / 16 - 1;
    if (!operand || operand->kind != ISA_OPERAND_IMM || (r->type != RELOC_LOW && r->type != RELOC_HIGH) ||
        before >= count || !call_of(&lists[before]))
        return false;
    operand->value = r->type == RELOC_LOW ? (int64_t)(r->code & UINT32_MAX) : r->code >> 32;
    uop_lift(context, &filled, list);
    return true;
}

/* An instruction with a relocation holds a number that the linker or the loader writes. The address of a shared array
 * is put there; of others its immediate says nothing, and a call's target is elsewhere. */
static void apply_relocation(struct uop_lift_context *context, const struct img_reloc *r, const struct isa_insn *insn,
                             uint32_t symbol, struct uop_list *list)
{
    struct isa_insn filled = *insn;
    struct isa_operand *operand = filled_operand(&filled);
    bool word = operand && operand->kind == ISA_OPERAND_IMM && !operand->value && !r->addend && r->shared < 0 &&
                (r->type == RELOC_LOW || r->type == RELOC_HIGH) && r->symbol && r->symbol[0];
    if (operand) {
        operand->value = r->shared >= 0 ? operand->value + r->shared + r->addend : MARK;
        uop_lift(context, &filled, list);
    }
    for (size_t k = 0; k < list->ops.n && (!operand || r->shared < 0); k++) {
        struct uop *u = &list->ops.p[k];
        if (u->kind == UOP_CONST && (u->type == UOP_B32 || u->type == UOP_B64) && (!operand || u->imm == MARK))
            *u = (struct uop){.kind = word && u->type == UOP_B32 ? UOP_CBANK : UOP_UNDEF,
                              .type = u->type,
                              .space = GRAPH_SYMBOL_BANK,
                              .imm = 8u * symbol + (r->type == RELOC_HIGH ? 4u : 0u),
                              .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
        if (u->kind == UOP_CALL)
            u->imm = UINT64_MAX; /* no offset of this section */
    }
}

/* The number of a symbol: that of the first relocation, of those near, that names it. */
static uint32_t symbol_of(const struct img_kernel *kernel, uint32_t reloc)
{
    enum { NEAR = 256 };
    for (uint32_t i = reloc > NEAR ? reloc - NEAR : 0; i < reloc; i++)
        if (str_equal(kernel->relocs[i].symbol, kernel->relocs[reloc].symbol))
            return i;
    return reloc;
}

static enum sp_status lift_all(struct arena *a, unsigned sm, const struct img_kernel *kernel,
                               const struct isa_insn *insns, struct pipe_code *code)
{
    uint32_t count = code->count;
    struct graph_input_insn *out = code->in;
    code->symbols = ARENA_ARRAY(a, const char *, kernel->reloc_count + 1);
    if (!code->symbols)
        return SP_ERR_MEMORY;
    struct uop_lift_context context = {.sm = sm, .a = a};
    struct uop_list *lists = ARENA_ARRAY(a, struct uop_list, count);
    if (!lists)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uop_lift(&context, &insns[i], &lists[i]); /* an instruction without meaning says so in its list */
        out[i] = (struct graph_input_insn){.offset = insns[i].offset, .uops = &lists[i]};
    }
    for (uint32_t i = 0; i < kernel->reloc_count; i++) {
        uint32_t at = kernel->relocs[i].offset / 16;
        code->symbols[i] = kernel->relocs[i].symbol;
        if (at < count &&
            (kernel->relocs[i].code < 0 || !apply_code(&context, &kernel->relocs[i], &insns[at], lists, count)))
            apply_relocation(&context, &kernel->relocs[i], &insns[at], symbol_of(kernel, i), &lists[at]);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

static void text_of(struct arena *a, unsigned sm, const struct isa_insn *insn, const struct img_told *told,
                    struct fact_text *t)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    const struct isa_control *c = &insn->control;
    char text[512], control[32];
    isa_print(sm, insn, &options, text, sizeof text);
    isa_print_control(c, control);
    bool scheduled = !told || told->how & IMG_TOLD_CONTROL;
    t->text = !told || told->how ? arena_strdup(a, text) : told->text ? told->text : "not in the listing";
    if (scheduled)
        t->control_text = arena_strdup(a, control);
    if (!told)
        t->bits =
            arena_printf(a, "0x%016llx%016llx", (unsigned long long)insn->word.hi, (unsigned long long)insn->word.lo);
    if (insn->guard != ISA_PT || insn->guard_not)
        t->guard = insn->guard == ISA_PT ? arena_printf(a, "!%sPT", insn->guard_uniform ? "U" : "")
                                         : arena_printf(a, "%s%sP%u", insn->guard_not ? "!" : "",
                                                        insn->guard_uniform ? "U" : "", insn->guard);
    t->stall = c->stall;
    t->yield = c->yield;
    t->write_barrier = c->write_barrier == 7 ? FACT_NONE : c->write_barrier;
    t->read_barrier = c->read_barrier == 7 ? FACT_NONE : c->read_barrier;
    t->wait_mask = c->wait_mask;
    if (!scheduled)
        t->stall = t->yield = t->write_barrier = t->read_barrier = t->wait_mask = FACT_NONE;
    t->no_encoding = insn->op == ISA_OP_UNKNOWN;
}

/* ---- filler between parts -------------------------------------------------------------------- */

/* Filler: it does nothing, or goes to itself for good. */
static bool is_filler(const struct graph_input_insn *in)
{
    for (size_t i = 0; i < in->uops->ops.n; i++) {
        const struct uop *u = &in->uops->ops.p[i];
        if (u->kind != UOP_NOP && !(u->kind == UOP_BRANCH && u->imm == in->offset && in->uops->guard == UOP_NONE))
            return false;
    }
    return !in->uops->unknown;
}

/* Nothing falls out of it into what stands behind. */
static bool leaves(const struct graph_input_insn *in)
{
    for (size_t i = 0; i < in->uops->ops.n && in->uops->guard == UOP_NONE; i++) {
        const struct uop *u = &in->uops->ops.p[i];
        if (u->kind == UOP_EXIT || u->kind == UOP_TRAP || u->kind == UOP_RET ||
            (u->kind == UOP_BRANCH && u->arg[0] == UOP_NONE))
            return true;
    }
    return false;
}

/* Where a part's filler begins: behind the last instruction that is none, when that one leaves and nothing goes to what
 * stands behind it. */
static uint32_t filler_of(const struct pipe_code *code, const bool *wanted, uint32_t from, uint32_t end)
{
    uint32_t i = end;
    while (i > from && is_filler(&code->in[i - 1]) && !wanted[i - 1])
        i--;
    return i > from && leaves(&code->in[i - 1]) ? i : end;
}

/* What the kernel calls stands behind it as if it were its own; the filler between is nobody's code. */
static enum sp_status drop_filler(struct arena *work, const struct img_kernel *kernel, struct pipe_code *code)
{
    bool *wanted = ARENA_ARRAY(work, bool, code->count + 1u); /* something else goes there */
    if (!wanted)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < code->count; i++)
        for (size_t k = 0; k < code->in[i].uops->ops.n; k++) {
            const struct uop *u = &code->in[i].uops->ops.p[k];
            if ((u->kind == UOP_BRANCH || u->kind == UOP_CALL) && u->imm != code->in[i].offset &&
                u->imm / 16 < code->count)
                wanted[u->imm / 16] = true;
        }
    uint32_t kept = 0;
    for (uint32_t part = 0; part <= kernel->called_count; part++) {
        uint32_t from = part ? kernel->called[part - 1].offset / 16 : 0;
        uint32_t end = from + (part ? kernel->called[part - 1].bytes : kernel->own_bytes) / 16;
        uint32_t filler = filler_of(code, wanted, from, end);
        if (!part) {
            code->padding_from = 16 * filler;
            code->padding_count = end - filler;
        }
        for (uint32_t i = from; i < filler; i++, kept++) {
            code->in[kept] = code->in[i];
            code->texts[kept] = code->texts[i];
        }
    }
    code->count = kept;
    return SP_OK;
}

enum sp_status pipe_read_code(struct arena *work, struct arena *a, const struct img_module *module,
                              const struct img_kernel *kernel, struct pipe_code *code)
{
    struct isa_insn *insns;
    enum sp_status status = pipe_decode(work, module, kernel, &insns, &code->count);
    if (status != SP_OK)
        return status;
    code->in = ARENA_ARRAY(work, struct graph_input_insn, code->count + 1u);
    code->texts = ARENA_ARRAY(work, struct fact_text, code->count + 1u);
    if (!code->in || !code->texts)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < code->count; i++)
        text_of(a, module->sm, &insns[i], pipe_told(kernel, i), &code->texts[i]);
    status = lift_all(work, module->sm, kernel, insns, code);
    return status == SP_OK && kernel->called_count ? drop_filler(work, kernel, code) : status;
}
