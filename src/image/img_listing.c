/* A text listing -> modules and kernels. Lines are collected kernel by kernel; at the end of a module, when its
 * architecture is known, each kernel becomes code: words where the listing has them, else words made of the text, which
 * print so. What is missing stays a hole, and every hole is told with the line where it shows.
 * requires: text · gives: struct img_module like a cubin's, with img_kernel.told beside the code */
#include "image/img.h"
#include "image/img_listing.h"

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "isa/isa_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOLES = 16384, HOLES_PER_INSN = 4, DEMANGLED_PER_BYTE = 64, SHOWN = 80, TEXT_MAX = 480 };

struct slot {
    struct listing_line l;
    uint32_t line;
    uint32_t file, source; /* of the line table; file UINT32_MAX: none */
    bool hole;             /* an ellipsis without offsets */
};

struct mark {
    const char *name;
    uint32_t slot; /* the instruction it stands before */
};

struct draft {
    const char *name;
    uint32_t line;
    bool entry_told, sized;
    bool exits, returns; /* a function that only returns is no kernel */
    int32_t registers, barriers;
    VEC(struct slot) slots;
    VEC(struct mark) labels;
};

struct listing {
    struct arena *a;
    struct diag_sink *diags;
    const char *path, *arch_given;
    size_t demangle_budget;
    VEC(struct draft) drafts; /* of the module at hand */
    VEC(const char *) files;
    const char *arch;
    VEC(struct img_module) modules;
    struct map_str names; /* of unnamed kernels' numbers */
    VEC(const char *) pending;
    bool skipping; /* a section without code */
    bool open;     /* a kernel takes instructions */
    bool partial;
    uint32_t line, file, source, unnamed;
    uint64_t slot_count, holes; /* of the whole text: holes are paid for by what is there */
    enum sp_status status;
};

static void __attribute__((format(printf, 5, 6)))
tell(struct listing *l, enum diag_severity severity, const char *code, uint32_t line, const char *format, ...)
{
    char text[256], where[32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(where, sizeof where, "line %u", line);
    diag_add(l->diags, severity, code, line ? arena_strdup(l->a, where) : NULL, -1, "%s", text);
}

static const char *keep(struct listing *l, struct slice s)
{
    return arena_strndup(l->a, s.p, s.n);
}

static struct draft *last_draft(struct listing *l)
{
    return l->drafts.n ? &l->drafts.p[l->drafts.n - 1] : NULL;
}

static struct draft *begin_kernel(struct listing *l, const char *name)
{
    struct draft d = {.name = name, .line = l->line, .registers = -1, .barriers = -1};
    if (!name)
        d.name = l->unnamed++ ? arena_printf(l->a, "unnamed_%u", l->unnamed) : "unnamed";
    VEC_PUSH(l->a, l->drafts, d);
    l->open = true;
    l->skipping = false;
    return last_draft(l);
}

/* ---- drafts to kernels ----------------------------------------------------------------------------------------- */

struct code {
    struct img_kernel *k;
    const struct draft *d;
    const struct img_module *module;
    uint8_t *bytes;
    struct img_told *told;
    struct map_str labels; /* name -> offset */
    VEC(struct img_reloc) relocs;
    VEC(uint32_t) spills;
    VEC(struct img_line) lines;
    VEC(struct img_subroutine) subroutines;
    bool spill_seen;
};

static void put_word(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static bool is_local_label(const char *name)
{
    return name[0] == '.';
}

/* Where a symbol begins and ends in `[from, end)`: `(name), 32@lo(name), fun@(name), name@… */
static const char *symbol_end(const char *p, const char *end)
{
    unsigned depth = 0;
    for (; p < end; p++) {
        depth += *p == '(';
        if (*p == ')' && depth && --depth == 0)
            return p + 1;
        if (*p == ',' && !depth)
            return p;
    }
    return end;
}

/* The text with numbers for labels and symbols: a label is its offset; a symbol is 0, which the loader would fill, and
 * a relocation says so. False where a label is not in the listing. */
static bool resolve(struct listing *l, struct code *c, const struct slot *s, uint32_t offset, struct strbuf *out,
                    const char **missing)
{
    const char *p = s->l.text.p, *end = p + s->l.text.n;
    while (p < end) {
        const char *start = p;
        bool quoted = *p == '`' && p + 1 < end && p[1] == '(';
        bool bare = *p == '.' && p > s->l.text.p && (p[-1] == ' ' || p[-1] == '(') && p + 1 < end && p[1] == 'L';
        bool placed = (*p >= '0' && *p <= '9') && (p == s->l.text.p || p[-1] == ' ' || p[-1] == '[');
        if (placed) { /* 32@lo(name), 32@hi((a + b@srel)) */
            while (p < end && *p >= '0' && *p <= '9')
                p++;
            placed = p < end && *p == '@';
            if (!placed) {
                p = start;
                str_addc(out, *p++);
                continue;
            }
        }
        if (!quoted && !bare && !placed) {
            str_addc(out, *p++);
            continue;
        }
        const char *close = bare ? start + 1 : symbol_end(start, end);
        while (bare && close < end && *close != ' ' && *close != ',' && *close != ')' && *close != ']')
            close++;
        const char *from = start + (quoted ? 2 : 0), *to = close - (quoted && close > start + 2 ? 1 : 0);
        char *name = arena_strndup(l->a, from, (size_t)(to > from ? to - from : 0));
        uint32_t at;
        if (!name)
            return false;
        if (!placed && map_str_get(&c->labels, name, &at)) {
            str_addf(out, "0x%x", at);
        } else if (!placed && is_local_label(name)) {
            *missing = name;
            return false;
        } else {
            struct img_reloc r = {.offset = offset, .symbol = name, .shared = -1, .function = UINT32_MAX, .code = -1};
            VEC_PUSH(l->a, c->relocs, r);
            str_addf(out, "0x%x", 0);
        }
        p = close;
    }
    return true;
}

static void fill_slot(struct listing *l, struct code *c, const struct slot *s, uint32_t offset)
{
    uint8_t *bytes = c->bytes + offset;
    struct img_told *told = &c->told[offset / 16];
    struct slice shown = s->l.text;
    if (shown.n > TEXT_MAX)
        shown.n = TEXT_MAX;
    told->line = s->line;
    told->text = keep(l, shown);
    if (!isa_arch_nearest(c->module->sm))
        return;
    if (s->file != UINT32_MAX && s->source &&
        (!c->lines.n || c->lines.p[c->lines.n - 1].file != s->file || c->lines.p[c->lines.n - 1].line != s->source)) {
        struct img_line row = {.offset = offset, .file = s->file, .line = s->source};
        VEC_PUSH(l->a, c->lines, row);
    }
    if (s->l.spill) {
        c->spill_seen = true;
        VEC_PUSH(l->a, c->spills, offset);
    }
    if (s->l.word_count == 2) {
        put_word(bytes, s->l.words[0]);
        put_word(bytes + 8, s->l.words[1]);
        told->how = IMG_TOLD_WORD | IMG_TOLD_CONTROL;
        return;
    }
    struct strbuf text;
    struct isa_insn insn;
    const char *missing = NULL;
    size_t relocs = c->relocs.n;
    str_init(&text, l->a);
    if (s->l.text.n > TEXT_MAX || !resolve(l, c, s, offset, &text, &missing)) {
        c->relocs.n = relocs;
        if (missing)
            tell(l, DIAG_WARNING, "listing-label", s->line, "the label %.60s is not in the listing", missing);
        else
            tell(l, DIAG_WARNING, "listing-instruction", s->line, "longer than any instruction is");
        return;
    }
    if (isa_parse(isa_arch_nearest(c->module->sm), text.p, text.n, offset, &insn) != SP_OK) {
        c->relocs.n = relocs;
        tell(l, DIAG_WARNING, "listing-instruction", s->line, "no instruction of %s is written so: %.*s",
             c->module->arch, (int)(s->l.text.n < SHOWN ? s->l.text.n : SHOWN), s->l.text.p);
        return;
    }
    if (s->l.has_control) {
        insn.word = bits_set(insn.word, 121, 105, s->l.control);
        told->how |= IMG_TOLD_CONTROL;
    }
    put_word(bytes, insn.word.lo);
    put_word(bytes + 8, insn.word.hi);
    told->how |= IMG_TOLD_TEXT;
}

/* The offset of every slot, and how many bytes the code takes. Holes are allowed in proportion to what is there. */
static uint32_t place_slots(struct listing *l, const struct draft *d, uint32_t *offsets, size_t *used)
{
    uint64_t next = 0, most = HOLES + (uint64_t)HOLES_PER_INSN * l->slot_count;
    size_t n = 0;
    bool old = false;
    for (size_t i = 0; i < d->slots.n; i++)
        offsets[i] = UINT32_MAX; /* not in the code */
    for (size_t i = 0; i < d->slots.n; i++) {
        const struct slot *s = &d->slots.p[i];
        uint64_t at = s->l.has_offset ? s->l.offset : next;
        if (at % 16) {
            if (!old)
                tell(l, DIAG_WARNING, "listing-offset", s->line,
                     "offset 0x%llx is no multiple of 16: code of sm_61 and before, which is not read, or a slip",
                     (unsigned long long)at);
            old = l->partial = true;
            continue;
        }
        if (at < next) {
            tell(l, DIAG_WARNING, "listing-offset", s->line, "offset 0x%llx was there before: not read again",
                 (unsigned long long)at);
            continue;
        }
        if (s->hole && i + 1 < d->slots.n && d->slots.p[i + 1].l.has_offset)
            continue; /* offsets show it */
        if (at > next || s->hole) {
            uint64_t missing = s->hole ? 1 : (at - next) / 16;
            l->partial = true;
            if (missing > most - l->holes) {
                tell(l, DIAG_ERROR, "listing-gap", s->line,
                     "too much is missing before offset 0x%llx: %s is read up to 0x%llx", (unsigned long long)at,
                     d->name, (unsigned long long)next);
                break;
            }
            l->holes += missing;
            if (s->hole)
                tell(l, DIAG_WARNING, "listing-gap", s->line, "instructions are left out");
            else
                tell(l, DIAG_WARNING, "listing-gap", s->line, "0x%llx to 0x%llx are not in the listing",
                     (unsigned long long)next, (unsigned long long)at - 16);
        }
        offsets[i] = (uint32_t)at;
        next = at + 16;
        n++;
        if (next > UINT32_MAX / 2)
            break;
    }
    *used = n;
    return (uint32_t)next;
}

static const char *demangle(struct listing *l, const char *name)
{
    const char *text = l->demangle_budget ? img_demangle(l->a, name) : name;
    size_t n = text ? strlen(text) : 0;
    l->demangle_budget -= n < l->demangle_budget ? n : l->demangle_budget;
    return text ? text : name;
}

static bool make_kernel(struct listing *l, const struct img_module *m, const struct draft *d, struct img_kernel *k)
{
    struct code c = {.k = k, .d = d, .module = m};
    size_t used;
    uint32_t *offsets = ARENA_ARRAY(l->a, uint32_t, d->slots.n + 1);
    *k = (struct img_kernel){.name = d->name,
                             .demangled = demangle(l, d->name),
                             .section = arena_printf(l->a, ".text.%s", d->name),
                             .is_entry = d->entry_told || (!d->sized && (d->exits || !d->returns)),
                             .registers = d->registers,
                             .barriers = d->barriers,
                             .uniform_registers = -1,
                             .shared_bytes = -1,
                             .stack_bytes = -1,
                             .max_threads = {-1, -1, -1},
                             .reqntid = {-1, -1, -1}};
    if (!offsets)
        return false;
    k->code_bytes = place_slots(l, d, offsets, &used);
    c.bytes = arena_alloc(l->a, k->code_bytes);
    c.told = ARENA_ARRAY(l->a, struct img_told, k->code_bytes / 16 + 1);
    if (!c.bytes || !c.told)
        return false;
    map_str_put(l->a, &c.labels, d->name, 0);
    for (size_t i = 0; i < d->labels.n; i++) {
        const struct mark *mark = &d->labels.p[i];
        size_t slot = mark->slot;
        while (slot < d->slots.n && offsets[slot] == UINT32_MAX)
            slot++;
        uint32_t at = slot < d->slots.n ? offsets[slot] : k->code_bytes, before;
        if (map_str_get(&c.labels, mark->name, &before)) {
            if (before != at)
                tell(l, DIAG_WARNING, "listing-label", d->line,
                     "the label %.60s stands twice in %.60s: the first counts", mark->name, d->name);
            continue;
        }
        map_str_put(l->a, &c.labels, mark->name, at);
        if (!is_local_label(mark->name) && at && at < k->code_bytes) {
            struct img_subroutine sub = {.name = mark->name, .demangled = demangle(l, mark->name), .offset = at};
            if (c.subroutines.n)
                c.subroutines.p[c.subroutines.n - 1].size = at - c.subroutines.p[c.subroutines.n - 1].offset;
            sub.size = k->code_bytes - at;
            VEC_PUSH(l->a, c.subroutines, sub);
        }
    }
    for (size_t i = 0; i < d->slots.n; i++)
        if (offsets[i] != UINT32_MAX && !d->slots.p[i].hole)
            fill_slot(l, &c, &d->slots.p[i], offsets[i]);
    k->code = c.bytes;
    k->told = c.told;
    k->spills = c.spills.p;
    k->spill_count = (uint32_t)c.spills.n;
    k->spills_known = c.spill_seen;
    k->lines = c.lines.p;
    k->line_count = (uint32_t)c.lines.n;
    k->relocs = c.relocs.p;
    k->reloc_count = (uint32_t)c.relocs.n;
    k->subroutines = c.subroutines.p;
    k->subroutine_count = (uint32_t)c.subroutines.n;
    return true;
}

static unsigned number_of(const char *arch)
{
    return arch && str_starts(arch, "sm_") ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;
}

static void end_module(struct listing *l)
{
    struct img_module m = {.path = l->path, .kind = IMG_LISTING, .status = IMG_COMPLETE};
    size_t kept = 0;
    for (size_t i = 0; i < l->drafts.n; i++)
        kept += l->drafts.p[i].slots.n != 0;
    if (kept) {
        m.arch = l->arch ? l->arch : l->arch_given;
        m.sm = number_of(m.arch);
        m.files = l->files.p;
        m.file_count = (uint32_t)l->files.n;
        if (!m.sm) {
            tell(l, DIAG_ERROR, "no-architecture", l->drafts.p[0].line,
                 "the listing does not say which architecture its code is for: give --arch sm_NN");
            l->status = SP_ERR_ARCH;
        }
        m.kernels = ARENA_ARRAY(l->a, struct img_kernel, kept);
        l->partial = false;
        for (size_t i = 0; i < l->drafts.n && m.kernels; i++)
            if (l->drafts.p[i].slots.n && make_kernel(l, &m, &l->drafts.p[i], &m.kernels[m.kernel_count])) {
                m.has_line_info |= m.kernels[m.kernel_count].line_count != 0;
                m.kernel_count++;
            }
        if (l->partial || !m.sm)
            m.status = IMG_PARTIAL;
        VEC_PUSH(l->a, l->modules, m);
    }
    for (size_t i = 0; i < l->drafts.n; i++)
        if (!l->drafts.p[i].slots.n)
            tell(l, DIAG_NOTE, "listing-empty", l->drafts.p[i].line, "no instruction of %.80s is in the listing",
                 l->drafts.p[i].name);
    l->drafts.n = 0;
    l->files.n = 0;
    l->files.p = NULL;
    l->files.cap = 0;
    l->file = UINT32_MAX;
    l->source = 0;
    l->arch = NULL;
    l->open = false;
}

/* ---- lines to drafts ------------------------------------------------------------------------------------------- */

static bool has_code(const struct listing *l)
{
    for (size_t i = l->drafts.n; i-- > 0;)
        if (l->drafts.p[i].slots.n)
            return true;
    return false;
}

static void take_arch(struct listing *l, const struct listing_line *x)
{
    bool flags = x->name.n && x->name.p[0] != 's';
    const char *arch = flags ? arena_printf(l->a, "sm_%.*s%s", (int)x->name.n, x->name.p, x->accelerated ? "a" : "")
                             : keep(l, x->name);
    if (!arch || (l->arch && flags && number_of(arch) == number_of(l->arch)))
        return; /* the flags of each kernel repeat it */
    if (!l->arch || number_of(arch) != number_of(l->arch)) {
        struct draft *d = last_draft(l);
        if (l->arch && has_code(l)) {
            struct draft moved = {0};
            bool fresh = d && !d->slots.n && flags; /* it stands under the head of the kernel that it is said of */
            if (fresh)
                moved = *d, l->drafts.n--;
            end_module(l);
            if (fresh) {
                VEC_PUSH(l->a, l->drafts, moved);
                l->open = true;
            }
        }
    }
    l->arch = arch;
}

static void take_instruction(struct listing *l, struct listing_line *x)
{
    struct draft *d = l->open ? last_draft(l) : NULL;
    const char *named = NULL;
    for (size_t i = 0; i < l->pending.n; i++)
        if (!is_local_label(l->pending.p[i]))
            named = l->pending.p[i];
    const struct slot *before = d && d->slots.n ? &d->slots.p[d->slots.n - 1] : NULL;
    bool restart = before && x->has_offset && before->l.has_offset && x->offset == 0;
    /* A name before offset 0, or before code without offsets, is a function's; else it is a place in one. */
    bool begins = named && (!d || d->slots.n == 0 ? !d : (restart || (!x->has_offset && named[0] != '$')));
    if (!d || restart || begins)
        d = begin_kernel(l, named);
    if (!d)
        return;
    for (size_t i = 0; i < l->pending.n; i++) {
        struct mark mark = {.name = l->pending.p[i], .slot = (uint32_t)d->slots.n};
        VEC_PUSH(l->a, d->labels, mark);
    }
    l->slot_count++;
    l->pending.n = 0;
    const char *opcode = x->text.p, *end = opcode + x->text.n;
    while (opcode < end && *opcode == '@') { /* and what follows the guard */
        while (opcode < end && *opcode != ' ' && *opcode != '\t')
            opcode++;
        while (opcode < end && (*opcode == ' ' || *opcode == '\t'))
            opcode++;
    }
    d->exits |= end - opcode >= 4 && memcmp(opcode, "EXIT", 4) == 0;
    d->returns |= end - opcode >= 4 && memcmp(opcode, "RET.", 4) == 0;
    struct slot s = {.l = *x, .line = l->line, .file = l->file, .source = l->source};
    VEC_PUSH(l->a, d->slots, s);
}

static void take_words(struct listing *l, const struct listing_line *x)
{
    struct draft *d = l->open ? last_draft(l) : NULL;
    struct slot *s = d && d->slots.n ? &d->slots.p[d->slots.n - 1] : NULL;
    if (!s || s->hole || s->line + 1 != l->line || s->l.word_count != 1 || x->word_count != 1)
        return; /* of something that was cut off */
    s->l.words[s->l.word_count++] = x->words[0];
}

static void take_source(struct listing *l, const struct listing_line *x)
{
    l->source = x->number;
    for (size_t i = l->files.n; i-- > 0 && l->files.n - i < 64;)
        if (strlen(l->files.p[i]) == x->name.n && memcmp(l->files.p[i], x->name.p, x->name.n) == 0) {
            l->file = (uint32_t)i;
            return;
        }
    l->file = (uint32_t)l->files.n;
    VEC_PUSH(l->a, l->files, keep(l, x->name));
}

static void take_line(struct listing *l, struct slice text)
{
    struct listing_line x;
    struct draft *d;
    img_listing_line(text, &x);
    d = l->open ? last_draft(l) : NULL;
    switch (x.kind) {
    case LISTING_NOTHING: break;
    case LISTING_FUNCTION:
    case LISTING_SECTION:
        begin_kernel(l, keep(l, x.name));
        l->pending.n = 0;
        l->source = 0;
        l->file = UINT32_MAX;
        break;
    case LISTING_MODULE:
        end_module(l);
        l->skipping = false;
        break;
    case LISTING_OTHER:
        l->open = false;
        l->skipping = true;
        break;
    case LISTING_ARCH: take_arch(l, &x); break;
    case LISTING_LABEL:
        if (!l->skipping && !(x.name.n > 6 && memcmp(x.name.p, ".text.", 6) == 0))
            VEC_PUSH(l->a, l->pending, keep(l, x.name));
        break;
    case LISTING_INSN:
        if (l->skipping)
            break;
        do
            take_instruction(l, &x);
        while (img_listing_more(x.rest, &x));
        break;
    case LISTING_WORD: take_words(l, &x); break;
    case LISTING_GAP:
        if (d && d->slots.n) {
            struct slot s = {.line = l->line, .hole = true};
            VEC_PUSH(l->a, d->slots, s);
        }
        break;
    case LISTING_END:
        l->open = false;
        l->pending.n = 0;
        break;
    case LISTING_SOURCE: take_source(l, &x); break;
    case LISTING_ENTRY:
        if (d && strlen(d->name) == x.name.n && memcmp(d->name, x.name.p, x.name.n) == 0)
            d->entry_told = true;
        break;
    case LISTING_SIZE:
        if (d && strlen(d->name) == x.name.n && memcmp(d->name, x.name.p, x.name.n) == 0)
            d->sized = true;
        break;
    case LISTING_REGISTERS:
        if (d)
            d->registers = x.number <= 255 ? (int32_t)x.number : -1;
        break;
    case LISTING_BARRIERS:
        if (d)
            d->barriers = x.number <= 16 ? (int32_t)x.number : -1;
        break;
    }
}

/* Forms of nvdisasm that hold no listing. */
static const char *other_form(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        at++;
    if (at < size && (text[at] == '[' || text[at] == '{') && size - at > 8 && memchr(text + at, '"', 8))
        return "JSON";
    if (size - at > 8 && memcmp(text + at, "digraph ", 8) == 0)
        return "a flow graph for dot";
    return NULL;
}

enum sp_status img_read_listing(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                                size_t size, const char *arch, struct img_module **modules, uint32_t *count)
{
    struct listing l = {.a = a, .diags = diags, .path = path, .arch_given = arch, .file = UINT32_MAX};
    const char *text = (const char *)bytes, *form = other_form(text, size);
    l.demangle_budget = size <= SIZE_MAX / DEMANGLED_PER_BYTE ? size * DEMANGLED_PER_BYTE : SIZE_MAX;
    *modules = NULL;
    *count = 0;
    if (form) {
        tell(&l, DIAG_ERROR, "listing-form", 1, "this is %s: give the output of cuobjdump -sass or nvdisasm -c", form);
        return SP_ERR_UNSUPPORTED;
    }
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : size - at;
        l.line++;
        take_line(&l, (struct slice){text + at, n});
        at += n + 1;
    }
    end_module(&l);
    if (arena_failed(a)) {
        diag_add(diags, DIAG_ERROR, "out-of-memory", NULL, -1, "reading took more memory than allowed");
        return SP_ERR_MEMORY;
    }
    *modules = l.modules.p;
    *count = (uint32_t)l.modules.n;
    if (!l.modules.n) {
        tell(&l, DIAG_ERROR, "empty-listing", 1, "no instruction is in this text");
        return SP_ERR_FORMAT;
    }
    return l.status;
}
