/* A launch made fit for a kernel: parameters and system words in constant bank 0 as its architecture has them, buffers
 * of parameters and variables at their addresses, pointers that a loader writes.
 *
 * requires: the kernel with what it calls, the launch as it was told · gives: r->emu */
#include "pipeline/pipe_run.h"

#include "base/str.h"

#include <string.h>

enum { STACK_MORE = 1024, DYNAMIC_WORD = 0x2c, DYNAMIC_WORD_100 = 0x2ac, RESERVED_SHARED = 1024, BANK_MOST = 1 << 16 };

static void complain(struct pipe_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct pipe_run *r, const char *format, ...)
{
    struct strbuf text;
    va_list args;
    str_init(&text, r->a);
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    diag_add(&r->session->diags, DIAG_ERROR, "launch", NULL, -1, "%s", text.p);
}

struct bank {
    uint8_t *bytes, *known;
    uint32_t size;
};

static void put(struct bank *b, uint64_t at, const void *bytes, uint32_t size)
{
    if (at > b->size || size > b->size - at)
        return;
    memcpy(b->bytes + at, bytes, size);
    memset(b->known + at, 1, size);
}

static void put_number(struct bank *b, uint64_t at, uint64_t v, uint32_t size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> (8 * i));
    put(b, at, bytes, size);
}

static uint64_t system_word(const struct pipe_run *r, unsigned sreg)
{
    const struct emu_launch *l = &r->emu;
    return sreg >= UOP_SR_NTID_X && sreg <= UOP_SR_NTID_Z       ? l->block[sreg - UOP_SR_NTID_X]
           : sreg >= UOP_SR_NCTAID_X && sreg <= UOP_SR_NCTAID_Z ? l->grid[sreg - UOP_SR_NCTAID_X]
                                                                : 0;
}

/* The parameters, where the kernel has them. */
static enum sp_status put_params(struct pipe_run *r, struct bank *b, uint32_t base)
{
    const struct img_kernel *k = &r->kernel;
    uint32_t offset = 0;
    size_t count = r->launch.arguments.n;
    if (k->param_count && count != k->param_count) {
        complain(r, "the kernel takes %u parameters, the launch gives %zu", k->param_count, count);
        return SP_ERR_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        const struct pipe_argument *p = &r->launch.arguments.p[i];
        uint32_t align = p->size >= 8 ? 8 : p->size ? p->size : 1;
        offset = (offset + align - 1) / align * align;
        if (k->param_count) {
            if (k->params[i].size != p->size) {
                complain(r, "parameter %zu has %u bytes, the launch gives %u", i, k->params[i].size, p->size);
                return SP_ERR_USAGE;
            }
            offset = k->params[i].offset;
        }
        if (!p->whole && base + offset + p->size <= b->size)
            memset(b->known + base + offset, 1, p->size); /* zeros between the fields */
        for (size_t n = 0; n < p->values.n; n++) {
            const struct pipe_value *v = &p->values.p[n];
            if (v->pointer)
                put_number(b, (uint64_t)base + offset + v->offset, emu_buffer_address(v->buffer), 8);
            else
                put(b, (uint64_t)base + offset + v->offset, v->bytes, v->size);
        }
        offset += p->size;
    }
    return SP_OK;
}

static enum sp_status make_bank0(struct pipe_run *r)
{
    struct graph_env env;
    struct bank b = {.size = BANK_MOST};
    unsigned sm = r->module->sm;
    pipe_env(sm, &r->kernel, &env);
    b.bytes = arena_alloc(r->a, b.size);
    b.known = arena_alloc(r->a, b.size);
    if (!b.bytes || !b.known)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < env.word_count; i++)
        put_number(&b, env.words[i].offset, system_word(r, env.words[i].sreg), 4);
    put_number(&b, env.stack_offset, r->emu.local_bytes, 4);
    put_number(&b, sm >= 100 ? DYNAMIC_WORD_100 : DYNAMIC_WORD, r->launch.shared_bytes, 4);
    if (env.descriptor_offset)
        put_number(&b, env.descriptor_offset, 0, 8);
    if (env.local_window)
        put_number(&b, env.local_window, (uint64_t)EMU_LOCAL_WINDOW_HI << 32, 8);
    if (env.shared_window)
        put_number(&b, env.shared_window, (uint64_t)EMU_SHARED_WINDOW_HI << 32, 8);
    enum sp_status status = put_params(r, &b, env.param_base);
    r->emu.banks[0] = (struct emu_bank){.bytes = b.bytes, .known = b.known, .size = b.size};
    return status;
}

/* The launch's own contents for a variable, or NULL. */
static const struct pipe_global *global_of(const struct pipe_run *r, const struct img_variable *v)
{
    for (size_t i = 0; i < r->launch.globals.n; i++)
        if (str_equal(r->launch.globals.p[i].symbol, v->name) || str_equal(r->launch.globals.p[i].symbol, v->demangled))
            return &r->launch.globals.p[i];
    return NULL;
}

static enum sp_status place_variables(struct pipe_run *r)
{
    struct pipe_launch *l = &r->launch;
    r->first_variable = (uint32_t)l->buffers.n;
    r->variable_address = ARENA_ARRAY(r->a, uint64_t, r->variables.count + 1u);
    if (!r->variable_address)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < l->globals.n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < r->variables.count && !found; k++)
            found = global_of(r, &r->variables.variables[k]) == &l->globals.p[i];
        if (!found) {
            complain(r, "the file has no variable '%s'", l->globals.p[i].symbol);
            return SP_ERR_USAGE;
        }
    }
    for (uint32_t i = 0; i < r->variables.count; i++) {
        const struct img_variable *v = &r->variables.variables[i];
        const struct pipe_global *g = global_of(r, v);
        if (g && g->bytes && g->size != v->size) {
            complain(r, "variable '%s' has %llu bytes, the launch gives %llu", v->demangled,
                     (unsigned long long)v->size, (unsigned long long)g->size);
            return SP_ERR_USAGE;
        }
        if (v->constant)
            continue;
        struct pipe_buffer b = {
            .bytes = arena_alloc(r->a, (size_t)v->size), .size = v->size, .save = g ? g->save : NULL};
        const uint8_t *from = g && g->bytes ? g->bytes : v->init;
        if (!b.bytes)
            return SP_ERR_MEMORY;
        if (from)
            memcpy(b.bytes, from, (size_t)v->size);
        r->variable_address[i] = emu_buffer_address((uint32_t)l->buffers.n);
        VEC_PUSH(r->a, l->buffers, b);
    }
    return arena_failed(r->a) ? SP_ERR_MEMORY : SP_OK;
}

/* Banks besides 0: as the file has them, with what the launch and the loader put there. */
static enum sp_status make_banks(struct pipe_run *r)
{
    for (uint32_t bank = 1; bank < EMU_BANKS; bank++) {
        const uint8_t *from = r->kernel.constant_bank[bank] ? r->kernel.constant_bank[bank] : r->variables.bank[bank];
        uint32_t size = r->kernel.constant_bank[bank] ? r->kernel.constant_bytes[bank] : r->variables.bank_bytes[bank];
        uint8_t *bytes = arena_alloc(r->a, size + 1u), *known = arena_alloc(r->a, size + 1u);
        if (!bytes || !known)
            return SP_ERR_MEMORY;
        memset(known, 1, size);
        if (from)
            memcpy(bytes, from, size);
        for (uint32_t i = 0; i < r->variables.count && bank == 3; i++) {
            const struct img_variable *v = &r->variables.variables[i];
            const struct pipe_global *g = global_of(r, v);
            if (v->constant && g && g->bytes && v->offset <= size && v->size <= size - v->offset)
                memcpy(bytes + v->offset, g->bytes, (size_t)v->size);
        }
        r->emu.banks[bank] = (struct emu_bank){.bytes = bytes, .known = known, .size = size};
    }
    return SP_OK;
}

/* Pointers that a loader writes; one to something that is not here is not known. */
static void put_pointers(struct pipe_run *r)
{
    for (uint32_t i = 0; i < r->variables.pointer_count; i++) {
        const struct img_pointer *p = &r->variables.pointers[i];
        uint64_t address = p->to == UINT32_MAX ? 0 : r->variable_address[p->to];
        uint8_t *bytes = (uint8_t *)(uintptr_t)r->emu.banks[p->bank].bytes;
        uint8_t *known = (uint8_t *)(uintptr_t)r->emu.banks[p->bank].known;
        uint64_t size = r->emu.banks[p->bank].size;
        if (!p->bank) {
            uint64_t number = (r->variable_address[p->variable] >> 36) - 1;
            if (!r->variable_address[p->variable])
                continue;
            bytes = r->launch.buffers.p[number].bytes;
            size = r->launch.buffers.p[number].size;
        }
        for (unsigned n = 0; n < 8 && (uint64_t)p->at + 8 <= size; n++) {
            bytes[p->at + n] = (uint8_t)((address + (uint64_t)p->addend) >> (8 * n));
            if (p->bank && !address)
                known[p->at + n] = 0;
        }
    }
}

/* The addresses of symbols that relocations name. */
static enum sp_status make_symbols(struct pipe_run *r)
{
    uint64_t *symbols = ARENA_ARRAY(r->a, uint64_t, r->kernel.reloc_count + 1u);
    if (!symbols)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < r->kernel.reloc_count; i++)
        for (uint32_t k = 0; k < r->variables.count && !symbols[i]; k++)
            if (str_equal(r->variables.variables[k].name, r->code.symbols[i]))
                symbols[i] = r->variable_address[k];
    r->emu.symbol_bank = GRAPH_SYMBOL_BANK;
    r->emu.symbols = symbols;
    r->emu.symbol_count = r->kernel.reloc_count;
    return SP_OK;
}

enum sp_status pipe_run_bind(struct pipe_run *r)
{
    const struct img_kernel *k = &r->kernel;
    struct pipe_launch *l = &r->launch;
    uint64_t own = (uint64_t)(k->shared_bytes > 0 ? k->shared_bytes : 0) +
                   (uint64_t)(k->called_shared_bytes > 0 ? k->called_shared_bytes : 0);
    r->emu.shared_reserved = r->module->sm >= 90 ? RESERVED_SHARED : 0;
    own = (own + 15) / 16 * 16 + l->shared_bytes + r->emu.shared_reserved;
    if (own > 1 << 20) {
        complain(r, "%llu bytes of shared memory are more than a block can have", (unsigned long long)own);
        return SP_ERR_USAGE;
    }
    if (l->cluster[0] != 1 || l->cluster[1] != 1 || l->cluster[2] != 1) {
        complain(r, "clusters of several blocks are not in this version");
        return SP_ERR_USAGE;
    }
    r->emu.shared_bytes = (uint32_t)own;
    uint64_t local = (uint64_t)(k->stack_bytes > 0 ? k->stack_bytes : 0) + STACK_MORE;
    r->emu.local_bytes = local > 1 << 19 ? 1 << 19 : (uint32_t)((local + 15) / 16 * 16);
    for (unsigned d = 0; d < 3; d++) {
        r->emu.grid[d] = l->grid[d];
        r->emu.block[d] = l->block[d];
    }
    enum sp_status status = img_variables_read(r->a, r->module, &r->variables);
    if (status == SP_OK)
        status = place_variables(r);
    if (status == SP_OK)
        status = make_bank0(r);
    if (status == SP_OK)
        status = make_banks(r);
    if (status == SP_OK)
        put_pointers(r);
    if (status == SP_OK)
        status = make_symbols(r);
    if (status != SP_OK)
        return status;
    if (l->buffers.n > EMU_BUFFERS_MAX) {
        complain(r, "%zu buffers and variables are more than %d", l->buffers.n, EMU_BUFFERS_MAX);
        return SP_ERR_USAGE;
    }
    struct emu_buffer *buffers = ARENA_ARRAY(r->a, struct emu_buffer, l->buffers.n + 1);
    if (!buffers)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < l->buffers.n; i++)
        buffers[i] = (struct emu_buffer){.bytes = l->buffers.p[i].bytes, .size = l->buffers.p[i].size};
    r->emu.buffers = buffers;
    r->emu.buffer_count = (uint32_t)l->buffers.n;
    return SP_OK;
}

enum sp_status pipe_run_save(struct pipe_run *r)
{
    enum sp_status status = SP_OK;
    struct pipe_launch *l = &r->launch;
    for (size_t i = 0; i < l->buffers.n && status == SP_OK; i++)
        if (l->buffers.p[i].save)
            status =
                pipe_launch_save(&r->session->diags, l->buffers.p[i].save, l->buffers.p[i].bytes, l->buffers.p[i].size);
    for (uint32_t i = 0; i < r->variables.count && status == SP_OK; i++) {
        const struct img_variable *v = &r->variables.variables[i];
        const struct pipe_global *g = v->constant ? global_of(r, v) : NULL;
        const struct emu_bank *bank = &r->emu.banks[3];
        if (g && g->save && v->offset <= bank->size && v->size <= bank->size - v->offset)
            status = pipe_launch_save(&r->session->diags, g->save, bank->bytes + v->offset, v->size);
    }
    return status;
}
