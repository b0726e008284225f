/* The code that a kernel reaches by calls into other sections, put behind its own as a linker would: every function
 * once, however often it is called, with its lines, spills and relocations. What a call's relocation names is where
 * it goes; a function that the file has not, whose constants lie where others' do, or that would make the code grow
 * beyond a fixed multiple of the kernel's stays out, and calls of it go to where nothing is known.
 *
 * requires: a module read from a file with sections · gives: img_link_called */
#include "image/img.h"

#include "base/map.h"
#include "base/vec.h"

#include <string.h>

enum {
    INSTRUCTION = 16,
    ALIGNMENT = 128,
    GROWTH = 8,                  /* called code: at most so many times the kernel's, */
    GROWTH_MIN = 1 << 16,        /* or so many bytes, */
    GROWTH_ALL = 1 << 25,        /* which all kernels of the module share */
    RECORDS_PER_INSTRUCTION = 4, /* relocations, and rows of line tables: more is no compiler's */
};

struct link {
    struct arena *a;
    const struct img_module *module;
    VEC(const struct img_kernel *) parts; /* the kernel, then what is called, in the order of first calls */
    VEC(uint32_t) bases;
    struct map_u64 part_of; /* number of a kernel in the module -> part */
    uint64_t bytes;         /* so far */
    const uint8_t *bank[18];
    uint32_t bank_bytes[18];
};

bool img_reloc_is_call(const struct img_reloc *r)
{
    enum { ABS47_34 = 58, ABS55_16_34 = 75 }; /* fields of call instructions: the address of what is called */
    return r->type == ABS47_34 || r->type == ABS55_16_34;
}

static bool modest(const struct img_kernel *f)
{
    uint64_t most = (uint64_t)f->code_bytes / INSTRUCTION * RECORDS_PER_INSTRUCTION;
    return f->reloc_count <= most && f->line_count <= most && f->ptx_line_count <= most && f->spill_count <= most &&
           f->subroutine_count <= most;
}

/* Two sets of numbers at the same place of a bank cannot both be there. */
static bool banks_agree(const struct link *l, const struct img_kernel *f)
{
    for (unsigned b = 1; b < 18; b++)
        if (f->constant_bank[b] && l->bank[b] && f->constant_bank[b] != l->bank[b])
            return false;
    return true;
}

static void add_part(struct link *l, uint32_t number)
{
    const struct img_kernel *f = &l->module->kernels[number];
    map_u64_put(l->a, &l->part_of, number, (uint32_t)l->parts.n);
    if (l->parts.n) /* never right behind what came before: nothing falls from one into the next */
        l->bytes = (l->bytes + INSTRUCTION + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    VEC_PUSH(l->a, l->parts, f);
    VEC_PUSH(l->a, l->bases, (uint32_t)l->bytes);
    l->bytes += f->code_bytes;
    for (unsigned b = 0; b < 18; b++)
        if (f->constant_bank[b] && !l->bank[b]) {
            l->bank[b] = f->constant_bank[b];
            l->bank_bytes[b] = f->constant_bytes[b];
        }
}

static void add_called(struct link *l, const struct img_kernel *caller)
{
    uint64_t most = (uint64_t)GROWTH * l->parts.p[0]->code_bytes, least = GROWTH_ALL / l->module->kernel_count;
    least = least < GROWTH_MIN ? least : GROWTH_MIN;
    most = l->parts.p[0]->code_bytes + (most > least ? most : least);
    most = most < INT32_MAX ? most : INT32_MAX;
    for (uint32_t i = 0; i < caller->reloc_count; i++) {
        const struct img_reloc *r = &caller->relocs[i];
        if (!img_reloc_is_call(r) || r->function >= l->module->kernel_count ||
            map_u64_get(&l->part_of, r->function, NULL))
            continue;
        const struct img_kernel *f = &l->module->kernels[r->function];
        if (f->is_entry || !f->code || !f->code_bytes || f->told || !modest(f) || !banks_agree(l, f) ||
            l->bytes + ALIGNMENT + INSTRUCTION + f->code_bytes > most)
            continue;
        add_part(l, r->function);
    }
}

static bool copy_code(struct link *l, struct img_kernel *out)
{
    uint8_t *code = arena_alloc(l->a, (size_t)l->bytes);
    if (!code)
        return false;
    memset(code, 0, (size_t)l->bytes);
    for (size_t p = 0; p < l->parts.n; p++)
        memcpy(code + l->bases.p[p], l->parts.p[p]->code, l->parts.p[p]->code_bytes);
    out->code = code;
    out->code_bytes = (uint32_t)l->bytes;
    out->own_bytes = l->parts.p[0]->code_bytes;
    return true;
}

/* Shared arrays of the parts. A kernel's stand in a section of its own; those of functions have one for all, and a
 * link gives a kernel the ones that it uses: where several are used, nothing is known of their order. */
struct shared_arrays {
    const struct img_reloc *one; /* the array of functions that is used; NULL: none */
    bool several;                /* or others too */
    int64_t own;                 /* bytes of the kernel's own */
};

static struct shared_arrays find_shared(const struct link *l)
{
    struct shared_arrays s = {.own = l->parts.p[0]->shared_bytes > 0 ? l->parts.p[0]->shared_bytes : 0};
    for (size_t p = 0; p < l->parts.n; p++)
        for (uint32_t i = 0; i < l->parts.p[p]->reloc_count; i++) {
            const struct img_reloc *r = &l->parts.p[p]->relocs[i];
            if (r->shared < 0 || !r->shared_bytes || (!p && r->shared_own))
                continue;
            s.several |= s.own || (s.one && strcmp(s.one->symbol, r->symbol) != 0);
            s.one = r;
        }
    return s;
}

/* Where a shared array lies in a link of this file alone; -1: not known. */
static int64_t shared_place(const struct shared_arrays *s, size_t p, const struct img_reloc *r)
{
    enum { ALIGNED = 16 };
    int64_t before = s->own ? s->own : s->one ? s->one->shared_bytes : 0;
    if (r->shared < 0 || s->several)
        return -1;
    if (!p && r->shared_own)
        return r->shared;
    return r->shared_bytes ? 0 : (before + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static bool copy_relocs(struct link *l, struct img_kernel *out)
{
    VEC(struct img_reloc) relocs = {0};
    const struct shared_arrays shared = find_shared(l);
    out->called_shared_bytes = shared.one && !shared.several ? (int32_t)shared.one->shared_bytes : 0;
    for (size_t p = 0; p < l->parts.n; p++)
        for (uint32_t i = 0; i < l->parts.p[p]->reloc_count; i++) {
            struct img_reloc r = l->parts.p[p]->relocs[i];
            uint32_t to;
            r.offset += l->bases.p[p];
            if (l->parts.n > 1)
                r.shared = shared_place(&shared, p, &r);
            r.code = r.function < l->module->kernel_count && map_u64_get(&l->part_of, r.function, &to)
                         ? (int64_t)l->bases.p[to] + r.function_offset
                         : -1;
            VEC_PUSH(l->a, relocs, r);
        }
    out->relocs = relocs.p;
    out->reloc_count = (uint32_t)relocs.n;
    return !arena_failed(l->a);
}

/* A row holds until the next: where a part's own begin later, what came before must not reach into it. */
static bool copy_lines(struct link *l, struct img_kernel *out)
{
    VEC(struct img_line) lines = {0};
    VEC(struct img_ptx_line) ptx = {0};
    for (size_t p = 0; p < l->parts.n; p++) {
        const struct img_kernel *f = l->parts.p[p];
        uint32_t base = l->bases.p[p];
        if (lines.n && (!f->line_count || f->lines[0].offset))
            VEC_PUSH(l->a, lines, (struct img_line){.offset = base, .file = UINT32_MAX});
        for (uint32_t i = 0; i < f->line_count; i++) {
            struct img_line row = f->lines[i];
            row.offset += base;
            VEC_PUSH(l->a, lines, row);
        }
        if (ptx.n && (!f->ptx_line_count || f->ptx_lines[0].offset))
            VEC_PUSH(l->a, ptx, (struct img_ptx_line){.offset = base});
        for (uint32_t i = 0; i < f->ptx_line_count; i++)
            VEC_PUSH(l->a, ptx, (struct img_ptx_line){f->ptx_lines[i].offset + base, f->ptx_lines[i].line});
    }
    out->lines = lines.p;
    out->line_count = (uint32_t)lines.n;
    out->ptx_lines = ptx.p;
    out->ptx_line_count = (uint32_t)ptx.n;
    return !arena_failed(l->a);
}

static bool copy_names(struct link *l, struct img_kernel *out)
{
    VEC(struct img_subroutine) subs = {0};
    VEC(uint32_t) spills = {0};
    struct img_called *called = ARENA_ARRAY(l->a, struct img_called, l->parts.n);
    for (size_t p = 0; p < l->parts.n && called; p++) {
        const struct img_kernel *f = l->parts.p[p];
        uint32_t base = l->bases.p[p];
        if (p) {
            called[p - 1] = (struct img_called){.name = f->name,
                                                .demangled = f->demangled,
                                                .section = f->section,
                                                .offset = base,
                                                .bytes = f->code_bytes};
            VEC_PUSH(l->a, subs, (struct img_subroutine){f->name, f->demangled, base, f->code_bytes});
        }
        for (uint32_t i = 0; i < f->subroutine_count; i++) {
            struct img_subroutine s = f->subroutines[i];
            s.offset += base;
            VEC_PUSH(l->a, subs, s);
        }
        for (uint32_t i = 0; i < f->spill_count; i++)
            VEC_PUSH(l->a, spills, f->spills[i] + base);
        out->spills_known &= f->spills_known;
    }
    out->called = called;
    out->called_count = (uint32_t)l->parts.n - 1;
    out->subroutines = subs.p;
    out->subroutine_count = (uint32_t)subs.n;
    out->spills = spills.p;
    out->spill_count = (uint32_t)spills.n;
    return !arena_failed(l->a);
}

enum sp_status img_link_called(struct arena *a, const struct img_module *module, const struct img_kernel *kernel,
                               struct img_kernel *out)
{
    struct link l = {.a = a, .module = module};
    *out = *kernel;
    out->own_bytes = kernel->code_bytes;
    if (!kernel->reloc_count || !kernel->code || kernel->told)
        return SP_OK;
    add_part(&l, (uint32_t)(kernel - module->kernels));
    for (size_t p = 0; p < l.parts.n && !arena_failed(a); p++)
        add_called(&l, l.parts.p[p]);
    if (arena_failed(a) || !copy_relocs(&l, out))
        return SP_ERR_MEMORY;
    if (l.parts.n == 1)
        return SP_OK;
    memcpy(out->constant_bank, l.bank, sizeof l.bank);
    memcpy(out->constant_bytes, l.bank_bytes, sizeof l.bank_bytes);
    return copy_code(&l, out) && copy_lines(&l, out) && copy_names(&l, out) ? SP_OK : SP_ERR_MEMORY;
}
