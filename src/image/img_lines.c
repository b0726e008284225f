/* Line tables: .debug_line (source) and .nv_debug_line_sass (line of the embedded PTX).
 *
 * Both are DWARF 2 line programs with NVIDIA's additions: an offset into .debug_str behind the file table, and two
 * extended opcodes that say where the rows that follow were inlined. A context is the 1-based number of an earlier row
 * of the same sequence: the call; following contexts from row to row gives the chain. One sequence describes one
 * function; a relocation on its DW_LNE_set_address tells which. Only the last row of an address counts, as in nvdisasm.
 * requires: kernels · gives: files, lines, ptx_lines (doc/formats/line_tables.md) */
#include "base/bits.h"
#include "image/img_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LNS_COPY = 1,
    LNS_ADVANCE_PC = 2,
    LNS_ADVANCE_LINE = 3,
    LNS_SET_FILE = 4,
    LNS_CONST_ADD_PC = 8,
    LNS_FIXED_ADVANCE_PC = 9,
    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS = 2,
    LNE_DEFINE_FILE = 3,
    LNE_INLINED_CALL = 0x90,
    LNE_FUNCTION_NAME = 0x91,

    VERSION_FIRST = 2,
    VERSION_LAST = 4,
    DEPTH_MAX = 64,     /* levels of inlining */
    PATH_PER_BYTE = 16, /* characters of file paths for each byte of the table; directories are shared */
    CHAIN_FREE = 4096,  /* inlining levels that any table may have */
    CHAIN_PER_BYTE = 4, /* and more for each of its bytes */
};

/* Bytes with an end; reading beyond it sets `over` and gives 0. */
struct cursor {
    const uint8_t *base;
    size_t at, end;
    bool over;
};

struct address_fix {
    uint64_t place; /* offset of the patched word in the line section */
    uint32_t symbol;
    int64_t addend;
};

/* The call of a row: chains are shared by (context, function name). */
struct chain {
    const struct img_inline *levels; /* innermost first */
    uint32_t count;
};

struct row {
    uint64_t address;
    uint32_t file, line;
    uint32_t chain; /* index + 1 into chains, 0: not inlined */
};

struct line_reader {
    struct img_reader *r;
    const struct elf_section *section, *strings;
    bool ptx; /* rows are lines of the embedded PTX */
    struct address_fix *fixes;
    size_t fix_count;
    struct map_str file_index;
    struct map_u64 name_index; /* offset in .debug_str -> index into names */
    VEC(const char *) names;
    VEC(const char *) files; /* of the module */
    VEC(uint64_t) sizes;     /* of each of them */
    size_t path_budget, chain_budget;

    /* of one unit */
    VEC(const char *) directories;
    VEC(uint32_t) unit_files; /* -> index into files */
    uint8_t min_length, line_range, opcode_base;
    int8_t line_base;
    uint8_t lengths[256];
    uint64_t names_base; /* where in .debug_str the function names of this unit start */

    /* of one sequence */
    uint64_t address, base;
    uint32_t kernel; /* IMG_NONE: not known */
    bool removed;    /* of a function that is no longer there */
    uint64_t file, line, context, function;
    VEC(struct row) rows;
    VEC(struct chain) chains;
    struct map_u64 chain_index;
};

static void damage(struct line_reader *lr, size_t at, const char *what)
{
    img_elf_damage(&lr->r->elf, "line-program", lr->section->name, (int64_t)at, "%s", what);
}

static uint8_t take_u8(struct cursor *c)
{
    if (c->at >= c->end) {
        c->over = true;
        return 0;
    }
    return c->base[c->at++];
}

static const uint8_t *take(struct cursor *c, size_t n)
{
    static const uint8_t zeros[8];
    if (c->end - c->at < n) {
        c->over = true;
        c->at = c->end;
        return zeros;
    }
    const uint8_t *p = c->base + c->at;
    c->at += n;
    return p;
}

static uint64_t take_uleb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = take_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
        if (shift > 63)
            shift = 63; /* more continuation bytes than a number has bits: read over them */
    }
}

static int64_t take_sleb(struct cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = take_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift = shift < 64 ? shift + 7 : shift;
    } while ((byte & 0x80) != 0);
    return bits_sign_extend(value, shift < 64 ? shift : 64);
}

/* NUL-terminated text inside the cursor; NULL when there is no end. */
static const char *take_text(struct cursor *c)
{
    const char *text = (const char *)c->base + c->at;
    const void *end = c->at < c->end ? memchr(text, 0, c->end - c->at) : NULL;
    if (end == NULL) {
        c->over = true;
        c->at = c->end;
        return NULL;
    }
    c->at += (size_t)((const char *)end - text) + 1;
    return text;
}

/* ---- files ---- */

/* A file that several units name with different sizes has none that can be relied on. */
static void note_size(struct line_reader *lr, uint32_t index, uint64_t bytes)
{
    while (lr->sizes.n <= index && !arena_failed(lr->r->a))
        VEC_PUSH(lr->r->a, lr->sizes, bytes);
    if (index < lr->sizes.n && lr->sizes.p[index] != bytes)
        lr->sizes.p[index] = 0;
}

static void add_file(struct line_reader *lr, const char *name, uint64_t directory, uint64_t file_bytes, size_t at)
{
    uint32_t index = IMG_NONE;
    const char *path = name;
    if (name[0] != '/' && directory != 0 && directory <= lr->directories.n) {
        const char *dir = lr->directories.p[directory - 1];
        size_t bytes = strlen(dir) + strlen(name) + 2;
        if (bytes > lr->path_budget) {
            damage(lr, at, "the file table names too much");
            VEC_PUSH(lr->r->a, lr->unit_files, index);
            return;
        }
        lr->path_budget -= bytes;
        path = dir[0] != 0 ? arena_printf(lr->r->a, "%s/%s", dir, name) : name;
    } else if (directory > lr->directories.n) {
        damage(lr, at, "a file in a directory that the table does not have");
    }
    if (path != NULL && !map_str_get(&lr->file_index, path, &index)) {
        index = (uint32_t)lr->files.n;
        VEC_PUSH(lr->r->a, lr->files, path);
        map_str_put(lr->r->a, &lr->file_index, path, index);
    }
    if (path != NULL)
        note_size(lr, index, file_bytes);
    VEC_PUSH(lr->r->a, lr->unit_files, index);
}

static void take_file(struct line_reader *lr, struct cursor *c, const char *name, size_t at)
{
    uint64_t directory = take_uleb(c);
    take_uleb(c); /* time */
    uint64_t bytes = take_uleb(c);
    if (!c->over)
        add_file(lr, name, directory, bytes, at);
}

/* How many lines stand before the PTX text that the row's file means. File 0, or a lone text, is the first one. */
static uint32_t ptx_lines_before(const struct line_reader *lr)
{
    if (lr->file == 0 || lr->file > lr->unit_files.n || lr->r->ptx_texts.n < 2)
        return 0;
    uint32_t index = lr->unit_files.p[lr->file - 1];
    for (size_t i = 0; i < lr->r->ptx_texts.n && index < lr->files.n; i++)
        if (strcmp(lr->r->ptx_texts.p[i].section, lr->files.p[index]) == 0)
            return lr->r->ptx_texts.p[i].lines_before;
    return 0;
}

static uint32_t file_of(struct line_reader *lr, size_t at)
{
    if (lr->ptx)
        return IMG_NONE;
    if (lr->file == 0 || lr->file > lr->unit_files.n) {
        damage(lr, at, "a row of a file that the table does not have");
        return IMG_NONE;
    }
    return lr->unit_files.p[lr->file - 1];
}

/* ---- inlining ---- */

static const char *function_name(struct line_reader *lr)
{
    uint64_t offset = lr->names_base + lr->function;
    uint32_t index;
    if (lr->strings == NULL || offset < lr->function || offset >= lr->strings->have)
        return NULL;
    if (!map_u64_get(&lr->name_index, offset, &index)) {
        const char *mangled = img_elf_string(&lr->r->elf, lr->strings, offset);
        const char *name = mangled[0] != 0 ? img_reader_demangle(lr->r, mangled) : NULL;
        index = (uint32_t)lr->names.n;
        VEC_PUSH(lr->r->a, lr->names, name);
        map_u64_put(lr->r->a, &lr->name_index, offset, index);
    }
    return index < lr->names.n ? lr->names.p[index] : NULL;
}

/* The chain of the row that is about to be added: its call, then the chain of the row it was called from. */
static uint32_t chain_of(struct line_reader *lr, size_t at)
{
    if (lr->context == 0 || lr->ptx)
        return 0;
    if (lr->context > lr->rows.n) {
        damage(lr, at, "inlined at a row that does not come before");
        return 0;
    }
    uint64_t key = lr->context << 32 | (lr->function & 0xffffffff);
    uint32_t index;
    if (map_u64_get(&lr->chain_index, key, &index))
        return index + 1;
    const struct row *call = &lr->rows.p[lr->context - 1];
    const struct chain *outer = call->chain != 0 ? &lr->chains.p[call->chain - 1] : NULL;
    uint32_t count = outer != NULL ? outer->count + 1 : 1;
    if (count > DEPTH_MAX || count > lr->chain_budget) {
        damage(lr, at, "inlined too deep");
        return 0;
    }
    lr->chain_budget -= count;
    struct img_inline *levels = ARENA_ARRAY(lr->r->a, struct img_inline, count);
    if (levels == NULL)
        return 0;
    levels[0] = (struct img_inline){.file = call->file, .line = call->line, .function = function_name(lr)};
    if (outer != NULL)
        memcpy(levels + 1, outer->levels, outer->count * sizeof *levels);
    struct chain chain = {.levels = levels, .count = count};
    index = (uint32_t)lr->chains.n;
    VEC_PUSH(lr->r->a, lr->chains, chain);
    if (lr->chains.n == index) /* out of memory */
        return 0;
    map_u64_put(lr->r->a, &lr->chain_index, key, index);
    return index + 1;
}

/* ---- rows ---- */

static void start_sequence(struct line_reader *lr)
{
    lr->address = lr->base = 0;
    lr->kernel = IMG_NONE;
    lr->removed = false;
    lr->file = lr->line = 1;
    lr->context = lr->function = 0;
    lr->rows.n = 0;
    lr->chains.n = 0;
    lr->chain_index = (struct map_u64){0};
}

static void add_row(struct line_reader *lr, size_t at)
{
    struct row row = {.address = lr->address, .file = IMG_NONE};
    if (lr->line > INT32_MAX)
        damage(lr, at, "a line number out of range");
    else
        row.line = (uint32_t)lr->line;
    if (lr->ptx && row.line != 0)
        row.line += ptx_lines_before(lr);
    row.file = file_of(lr, at);
    row.chain = chain_of(lr, at);
    VEC_PUSH(lr->r->a, lr->rows, row);
}

/* Row `i` of the sequence, or behind the last one the end of it, as a row of the kernel. */
static void store_row(struct line_reader *lr, uint32_t offset, const struct row *row)
{
    struct kernel_state *state = &lr->r->states[lr->kernel];
    if (lr->ptx) {
        struct img_ptx_line out = {.offset = offset, .line = row != NULL ? row->line : 0};
        VEC_PUSH(lr->r->a, state->ptx_lines, out);
        return;
    }
    struct img_line out = {.offset = offset, .file = IMG_NONE};
    if (row != NULL) {
        out.file = row->file;
        out.line = row->line;
        if (row->chain != 0) {
            out.inlined = lr->chains.p[row->chain - 1].levels;
            out.inlined_count = lr->chains.p[row->chain - 1].count;
        }
    }
    VEC_PUSH(lr->r->a, state->lines, out);
}

static void end_sequence(struct line_reader *lr, size_t at)
{
    uint32_t kernel = lr->kernel;
    if (kernel == IMG_NONE) {
        if (lr->rows.n != 0 && !lr->removed)
            damage(lr, at, "a sequence of no known function");
        return;
    }
    uint32_t bytes = lr->r->module->kernels[kernel].code_bytes;
    bool outside = false;
    for (size_t i = 0; i < lr->rows.n; i++) {
        uint64_t offset = lr->base + lr->rows.p[i].address;
        if (offset >= bytes)
            outside = true;
        else
            store_row(lr, (uint32_t)offset, &lr->rows.p[i]);
    }
    if (outside)
        damage(lr, at, "a row behind the end of its function's section");
    if (lr->rows.n != 0 && lr->base + lr->address < bytes)
        store_row(lr, (uint32_t)(lr->base + lr->address), NULL);
}

static int by_place(const void *a, const void *b)
{
    const struct address_fix *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The operand at `place` was `value` before relocation: sets the function that the sequence describes. */
static void set_address(struct line_reader *lr, uint64_t place, uint64_t value)
{
    lr->address = 0;
    lr->base = value;
    struct address_fix key = {.place = place};
    const struct address_fix *fix =
        lr->fix_count != 0 ? bsearch(&key, lr->fixes, lr->fix_count, sizeof key, by_place) : NULL;
    lr->removed = fix == NULL && lr->fix_count != 0; /* the linker drops unused functions but not their lines */
    if (fix == NULL) {                               /* without any relocation only a lone kernel can be meant */
        lr->kernel = lr->fix_count == 0 && lr->r->module->kernel_count == 1 ? 0 : IMG_NONE;
        return;
    }
    const struct elf_file *elf = &lr->r->elf;
    lr->kernel = IMG_NONE;
    if (fix->symbol >= elf->symbol_count) {
        damage(lr, (size_t)place, "the relocation of an address names no symbol");
        return;
    }
    const struct elf_symbol *symbol = &elf->symbols[fix->symbol];
    if (symbol->section < elf->section_count)
        lr->kernel = lr->r->kernel_of_section[symbol->section];
    lr->base = value + symbol->value + (uint64_t)fix->addend;
}

/* ---- programs ---- */

static void extended(struct line_reader *lr, struct cursor *c, size_t at)
{
    uint64_t length = take_uleb(c);
    if (length == 0 || length > c->end - c->at) {
        damage(lr, at, "an extended opcode longer than the table");
        c->at = c->end;
        return;
    }
    struct cursor body = {.base = c->base, .at = c->at, .end = c->at + (size_t)length};
    c->at = body.end;
    switch (take_u8(&body)) {
    case LNE_END_SEQUENCE:
        end_sequence(lr, at);
        start_sequence(lr);
        break;
    case LNE_SET_ADDRESS: {
        size_t place = body.at;
        if (length >= 9)
            set_address(lr, place, bits_le64(take(&body, 8)));
        else
            damage(lr, at, "an address shorter than 8 bytes");
        break;
    }
    case LNE_DEFINE_FILE: {
        const char *name = take_text(&body);
        if (name != NULL)
            take_file(lr, &body, name, at);
        break;
    }
    case LNE_INLINED_CALL:
        lr->context = take_uleb(&body);
        lr->function = take_uleb(&body);
        break;
    case LNE_FUNCTION_NAME: lr->function = take_uleb(&body); break;
    default: break;
    }
    if (body.over)
        damage(lr, at, "an extended opcode shorter than its operands");
}

static void run_program(struct line_reader *lr, struct cursor *c)
{
    start_sequence(lr);
    while (c->at < c->end && !c->over) {
        size_t at = c->at;
        uint8_t opcode = take_u8(c);
        if (opcode >= lr->opcode_base) {
            unsigned adjusted = (unsigned)(opcode - lr->opcode_base);
            lr->address += (uint64_t)(adjusted / lr->line_range) * lr->min_length;
            lr->line += (uint64_t)(int64_t)(lr->line_base + (int)(adjusted % lr->line_range));
            add_row(lr, at);
            continue;
        }
        switch (opcode) {
        case 0: extended(lr, c, at); break;
        case LNS_COPY: add_row(lr, at); break;
        case LNS_ADVANCE_PC: lr->address += take_uleb(c) * lr->min_length; break;
        case LNS_ADVANCE_LINE: lr->line += (uint64_t)take_sleb(c); break;
        case LNS_SET_FILE: lr->file = take_uleb(c); break;
        case LNS_CONST_ADD_PC:
            lr->address += (uint64_t)((255u - lr->opcode_base) / lr->line_range) * lr->min_length;
            break;
        case LNS_FIXED_ADVANCE_PC: lr->address += bits_le16(take(c, 2)); break;
        default: /* no operand of interest */
            for (unsigned i = 0; i < lr->lengths[opcode]; i++)
                take_uleb(c);
            break;
        }
    }
    if (c->over)
        damage(lr, c->at, "an opcode shorter than its operands");
    if (lr->rows.n != 0) {
        damage(lr, c->at, "a sequence without an end");
        end_sequence(lr, c->at);
    }
}

/* The tables of directories and files; false when they do not end. */
static bool read_tables(struct line_reader *lr, struct cursor *c)
{
    lr->directories.n = 0;
    lr->unit_files.n = 0;
    for (;;) {
        const char *name = take_text(c);
        if (name == NULL)
            return false;
        if (name[0] == 0)
            break;
        VEC_PUSH(lr->r->a, lr->directories, name);
    }
    for (;;) {
        size_t at = c->at;
        const char *name = take_text(c);
        if (name == NULL)
            return false;
        if (name[0] == 0)
            return !c->over;
        take_file(lr, c, name, at);
        if (c->over)
            return false;
    }
}

/* One unit from behind its length field; `c` ends where the unit ends. */
static void read_unit(struct line_reader *lr, struct cursor *c)
{
    size_t start = c->at;
    unsigned version = bits_le16(take(c, 2));
    if (version < VERSION_FIRST || version > VERSION_LAST) {
        img_elf_damage(&lr->r->elf, "line-program", lr->section->name, (int64_t)start, "version %u, expected %d to %d",
                       version, VERSION_FIRST, VERSION_LAST);
        return;
    }
    uint32_t header = bits_le32(take(c, 4));
    if (c->over || header > c->end - c->at) {
        damage(lr, start, "a header longer than its unit");
        return;
    }
    struct cursor program = {.base = c->base, .at = c->at + header, .end = c->end};
    struct cursor head = {.base = c->base, .at = c->at, .end = program.at};
    lr->min_length = take_u8(&head);
    if (version >= 4)
        take_u8(&head); /* operations an instruction: 1 outside VLIW machines */
    take_u8(&head);     /* rows start as statements or not: all count here */
    lr->line_base = (int8_t)take_u8(&head);
    lr->line_range = take_u8(&head);
    lr->opcode_base = take_u8(&head);
    if (head.over || lr->line_range == 0 || lr->opcode_base == 0) {
        damage(lr, start, "a header that describes no program");
        return;
    }
    memset(lr->lengths, 0, sizeof lr->lengths);
    for (unsigned i = 1; i < lr->opcode_base; i++)
        lr->lengths[i] = take_u8(&head);
    lr->names_base = 0;
    if (!read_tables(lr, &head))
        damage(lr, head.at, "the file table does not end");
    else if (head.end - head.at >= 4)
        lr->names_base = bits_le32(take(&head, 4));
    run_program(lr, &program);
}

static void read_units(struct line_reader *lr)
{
    size_t at = 0, have = lr->section->have;
    while (have - at >= 4) {
        uint64_t length = bits_le32(lr->section->bytes + at);
        size_t left = have - at - 4;
        struct cursor c = {
            .base = lr->section->bytes, .at = at + 4, .end = at + 4 + (length < left ? (size_t)length : left)};
        if (length > left)
            damage(lr, at, "a unit longer than the section");
        if (length < 6) {
            damage(lr, at, "a unit shorter than its header");
            return;
        }
        at = c.end;
        read_unit(lr, &c);
    }
}

static void read_fixes(struct line_reader *lr)
{
    const struct elf_file *elf = &lr->r->elf;
    uint32_t own = (uint32_t)(lr->section - elf->sections);
    VEC(struct address_fix) fixes = {0};
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        if (s->info != own)
            continue;
        for (size_t n = 0, count = img_elf_reloc_count(s); n < count; n++) {
            struct elf_reloc reloc = img_elf_reloc(s, n);
            struct address_fix fix = {.place = reloc.offset, .symbol = reloc.symbol, .addend = reloc.addend};
            VEC_PUSH(lr->r->a, fixes, fix);
        }
    }
    if (fixes.n != 0)
        qsort(fixes.p, fixes.n, sizeof *fixes.p, by_place);
    lr->fixes = fixes.p;
    lr->fix_count = fixes.n;
}

static void read_section(struct line_reader *lr, const char *name)
{
    lr->section = img_elf_find(&lr->r->elf, name);
    if (lr->section == NULL || lr->section->bytes == NULL)
        return;
    size_t have = lr->section->have;
    lr->path_budget = have < SIZE_MAX / PATH_PER_BYTE ? have * PATH_PER_BYTE : SIZE_MAX;
    lr->chain_budget = have < SIZE_MAX / CHAIN_PER_BYTE / 2 ? CHAIN_FREE + have * CHAIN_PER_BYTE : SIZE_MAX;
    read_fixes(lr);
    read_units(lr);
}

/* ---- order ---- */

struct ordered {
    uint32_t offset;
    uint32_t rank;  /* 0: the end of a sequence, which yields to any row that starts there */
    uint32_t order; /* where the row stood in the program */
};

static int by_offset(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The order in which rows stand in the table: ascending, the last of each offset only. Returns how many. */
static uint32_t order_rows(struct ordered *rows, size_t n)
{
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = rows[i - 1].offset < rows[i].offset;
    if (!sorted)
        qsort(rows, n, sizeof *rows, by_offset);
    uint32_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || rows[i + 1].offset != rows[i].offset)
            rows[kept++] = rows[i];
    return kept;
}

static void finish_lines(struct img_reader *r, uint32_t index)
{
    struct kernel_state *state = &r->states[index];
    struct img_kernel *k = &r->module->kernels[index];
    size_t n = state->lines.n, m = state->ptx_lines.n;
    struct ordered *order = ARENA_ARRAY(r->a, struct ordered, n > m ? n : m);
    struct img_line *lines = ARENA_ARRAY(r->a, struct img_line, n);
    struct img_ptx_line *ptx_lines = ARENA_ARRAY(r->a, struct img_ptx_line, m);
    if (order == NULL || lines == NULL || ptx_lines == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ordered){state->lines.p[i].offset, state->lines.p[i].line != 0, (uint32_t)i};
    k->line_count = order_rows(order, n);
    for (uint32_t i = 0; i < k->line_count; i++)
        lines[i] = state->lines.p[order[i].order];
    for (size_t i = 0; i < m; i++)
        order[i] = (struct ordered){state->ptx_lines.p[i].offset, state->ptx_lines.p[i].line != 0, (uint32_t)i};
    k->ptx_line_count = order_rows(order, m);
    for (uint32_t i = 0; i < k->ptx_line_count; i++)
        ptx_lines[i] = state->ptx_lines.p[order[i].order];
    k->lines = lines;
    k->ptx_lines = ptx_lines;
    if (k->line_count != 0)
        r->module->has_line_info = true;
}

void img_lines_read(struct img_reader *r)
{
    struct line_reader source = {.r = r, .strings = img_elf_find(&r->elf, ".debug_str")};
    read_section(&source, ".debug_line");
    r->module->files = source.files.p;
    r->module->file_count = (uint32_t)source.files.n;
    r->module->file_bytes = source.sizes.n == source.files.n ? source.sizes.p : NULL;
    struct line_reader ptx = {.r = r, .ptx = true};
    read_section(&ptx, ".nv_debug_line_sass");
    for (uint32_t i = 0; i < r->module->kernel_count; i++)
        finish_lines(r, i);
}
