/* See support_machine.h. Pure operations are uop_eval()'s; the rest is registers, memory and control. The one
 * approximation known is the reciprocal, which integer division begins with and corrects: the host's quotient
 * stands for it. */
#include "support_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

enum { MAX_UOPS = 128, MAX_STEPS = 4000 };
enum outcome { NEXT, JUMP, DONE };

uint64_t machine_base(unsigned buffer)
{
    return UINT64_C(0x7f0000000000) + ((uint64_t)buffer << 33);
}

void machine_start(struct machine *m)
{
    memset(m, 0, sizeof *m);
    for (unsigned i = 0; i < 257; i++) {
        m->r[i] = 0xdeadbeef + i;
        m->ur[i] = 0xfeedface + i;
    }
}

void machine_set(struct machine *m, uint32_t offset, const void *bytes, size_t n)
{
    assert_true(offset + n <= MACHINE_BANK);
    memcpy(m->bank + offset, bytes, n);
}

static void *cell(struct machine *m, const struct uop *op, uint64_t address)
{
    if (op->space == UOP_LOCAL) {
        assert_true(address + op->width <= MACHINE_LOCAL);
        return m->local + address;
    }
    assert_true(op->space == UOP_GLOBAL || op->space == UOP_GENERIC);
    for (unsigned k = 0; k < MACHINE_BUFFERS; k++)
        if (m->buffer[k] && address >= machine_base(k) && address + op->width <= machine_base(k) + m->buffer_bytes)
            return (char *)m->buffer[k] + (address - machine_base(k));
    fail_msg("an access outside the buffers: 0x%llx", (unsigned long long)address);
    return NULL;
}

static uint64_t load(struct machine *m, const struct uop *op, uint64_t address)
{
    uint64_t v = 0;
    assert_true(op->width <= 8);
    memcpy(&v, cell(m, op, address), op->width);
    if ((op->flags & UOP_SIGNED) && v >> (8 * op->width - 1) & 1)
        v |= UINT32_MAX << (8 * op->width - 1);
    return v & (op->width <= 4 ? UINT32_MAX : UINT64_MAX);
}

static void store(struct machine *m, const struct uop *op, const uint64_t *args)
{
    uint32_t words[4];
    for (unsigned k = 0; k < 4; k++)
        words[k] = (uint32_t)args[1 + k];
    memcpy(cell(m, op, args[0]), words, op->width);
}

static uint64_t special(const struct machine *m, uint64_t sreg)
{
    switch (sreg) {
    case UOP_SR_TID_X: return m->tid;
    case UOP_SR_CTAID_X: return m->ctaid;
    case UOP_SR_TID_Y:
    case UOP_SR_TID_Z:
    case UOP_SR_CTAID_Y:
    case UOP_SR_CTAID_Z: return 0;
    default: fail_msg("special register %llu", (unsigned long long)sreg); return 0;
    }
}

static uint64_t reciprocal(uint64_t bits)
{
    uint32_t in = (uint32_t)bits, out;
    float f;
    memcpy(&f, &in, sizeof f);
    volatile float r = 1.0f / f;
    f = r;
    memcpy(&out, &f, sizeof out);
    return out;
}

static void write_register(struct machine *m, const struct uop *op, uint64_t v)
{
    if (op->file == UOP_FILE_R)
        m->r[op->reg] = (uint32_t)v;
    else if (op->file == UOP_FILE_UR)
        m->ur[op->reg] = (uint32_t)v;
    else if (op->file == UOP_FILE_P)
        m->p[op->reg] = v & 1;
    else
        m->up[op->reg] = v & 1;
}

static uint64_t read_register(const struct machine *m, const struct uop *op)
{
    return op->file == UOP_FILE_R    ? m->r[op->reg]
           : op->file == UOP_FILE_UR ? m->ur[op->reg]
           : op->file == UOP_FILE_P  ? m->p[op->reg]
                                     : m->up[op->reg];
}

/* One instruction's list; *target for JUMP. */
static enum outcome run_list(struct machine *m, const struct uop_list *list, uint64_t *target)
{
    uint64_t v[MAX_UOPS] = {0};
    enum outcome outcome = NEXT;
    bool guard = true;
    assert_true(list->ops.n <= MAX_UOPS);
    assert_false(list->unknown);
    for (size_t i = 0; i < list->ops.n; i++) {
        const struct uop *op = &list->ops.p[i];
        uint64_t args[UOP_MAX_ARGS] = {0};
        if (list->guard != UOP_NONE && list->guard < i)
            guard = v[list->guard] & 1;
        for (unsigned k = 0; k < UOP_MAX_ARGS; k++)
            if (op->arg[k] != UOP_NONE) {
                assert_true(op->arg[k] < i);
                args[k] = v[op->arg[k]];
            }
        if (uop_eval(op, args, &v[i]))
            continue;
        switch (op->kind) {
        case UOP_READ: v[i] = read_register(m, op); break;
        case UOP_SREG: v[i] = special(m, op->imm); break;
        case UOP_UNIFORM: v[i] = args[0]; break;
        case UOP_RCP: v[i] = reciprocal(args[0]); break;
        case UOP_CBANK:
            assert_int_equal(op->space, 0);
            assert_true(op->imm + args[0] + op->width <= MACHINE_BANK);
            memcpy(&v[i], m->bank + op->imm + args[0], op->width);
            break;
        case UOP_NOP:
        case UOP_RECONVERGE:
        case UOP_ASYNC_WAIT: break;
        default:
            /* Effects and loads. The guard stands before them in every list. */
            assert_true(list->guard == UOP_NONE || list->guard < i);
            if (!guard)
                break;
            switch (op->kind) {
            case UOP_WRITE: write_register(m, op, args[0]); break;
            case UOP_LOAD: v[i] = load(m, op, args[0]); break;
            case UOP_STORE: store(m, op, args); break;
            case UOP_EXIT: outcome = DONE; break;
            case UOP_BRANCH:
                if (op->arg[0] != UOP_NONE && !(args[0] & 1))
                    break;
                /* fall through */
            case UOP_CALL:
                *target = op->imm;
                outcome = JUMP;
                break;
            case UOP_RET:
            case UOP_BRANCH_IND:
                *target = args[0];
                outcome = JUMP;
                break;
            default: fail_msg("no interpretation of %s here", uop_kind_text((enum uop_kind)op->kind));
            }
        }
    }
    return outcome;
}

void machine_run(struct machine *m, const struct uop_list *lists, unsigned count)
{
    uint64_t pc = 0;
    for (unsigned steps = 0; steps < MAX_STEPS; steps++) {
        assert_true(pc % 16 == 0 && pc / 16 < count);
        uint64_t target = pc + 16;
        if (run_list(m, &lists[pc / 16], &target) == DONE)
            return;
        pc = target;
    }
    fail_msg("no end after %d instructions", (int)MAX_STEPS);
}
