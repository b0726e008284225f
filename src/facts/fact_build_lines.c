/* What stands where instructions come from: the text of their source lines, and the PTX that they were made of.
 *
 * Texts come in as data, each already held against the line table (pipeline); here they are put beside instructions,
 * loops' and rewrites' lines. PTX is put beside by the second line table, which speaks of the text that was compiled:
 * of a text that somebody gives instead only where every row finds, on its line, an instruction of the source line that
 * the first table has.
 * requires: instructions, rewrites · gives: fact_line, fact_ptx, source_text but of conditions (fact_build_says.c) */
#include "facts/fact_build.h"

#include "base/str.h"
#include "front/cu_line.h"

#include <stdlib.h>
#include <string.h>

/* ---- source lines ---------------------------------------------------------------------------- */

struct text_at {
    int32_t file, line; /* of the document */
    uint32_t input;     /* index of the instruction */
};

static int by_line(const void *p, const void *q)
{
    const struct text_at *a = p, *b = q;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

const struct cu_source *fact_text_of_line(const struct fact_source *s, int32_t file, int32_t line, uint32_t *at)
{
    *at = 0;
    for (uint32_t i = 0; i < s->module->file_count && s->file_texts && file != FACT_NONE && line > 0; i++) {
        const struct fact_file_text *t = &s->file_texts[i];
        if (s->file_numbers[i] != file || !t->source)
            continue;
        *at = cu_source_physical(t->source, t->view, (uint32_t)line);
        return *at ? t->source : NULL;
    }
    return NULL;
}

static const char *line_text(struct arena *a, const struct fact_source *s, int32_t file, int32_t line)
{
    uint32_t at;
    const struct cu_source *text = fact_text_of_line(s, file, line, &at);
    return text ? cu_source_line(a, text, at) : NULL;
}

static void build_source_lines(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct text_at *rows = ARENA_ARRAY(a, struct text_at, k->instructions.n);
    size_t n = 0;
    for (size_t i = 0; i < k->instructions.n && rows; i++)
        if (k->instructions.p[i].line != FACT_NONE)
            rows[n++] = (struct text_at){k->instructions.p[i].file, k->instructions.p[i].line, (uint32_t)i};
    if (n)
        qsort(rows, n, sizeof rows[0], by_line);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && rows[end].file == rows[i].file && rows[end].line == rows[i].line;)
            end++;
        uint32_t *offsets = ARENA_ARRAY(a, uint32_t, end - i);
        struct fact_line line = {.file = rows[i].file,
                                 .line = rows[i].line,
                                 .text = line_text(a, s, rows[i].file, rows[i].line),
                                 .offsets = {offsets, (uint32_t)(end - i)}};
        if (!offsets)
            return;
        for (size_t r = i; r < end; r++) {
            offsets[r - i] = k->instructions.p[rows[r].input].offset;
            k->instructions.p[rows[r].input].source_text = line.text;
        }
        VEC_PUSH(a, k->lines, line);
    }
}

/* ---- PTX ------------------------------------------------------------------------------------- */

struct ptx_at {
    uint32_t line, input; /* of the PTX; index of the instruction */
};

static int by_ptx(const void *p, const void *q)
{
    const struct ptx_at *a = p, *b = q;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* The function whose text has that line; functions stand in its order. */
static uint32_t function_at(const struct ptx_module *m, uint32_t line)
{
    uint32_t lo = 0, hi = (uint32_t)m->functions.n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->functions.p[mid].line_end < line)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->functions.n && m->functions.p[lo].line <= line ? lo : UINT32_MAX;
}

/* The first instruction on a line, or behind it. */
static size_t first_on(const struct ptx_function *f, uint32_t line)
{
    size_t lo = 0, hi = f->insns.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->insns.p[mid].line < line)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static const char *name_at_end(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* Where a .loc points: the document's number of its file. */
struct ptx_files {
    int32_t *of; /* by number of .file */
    uint32_t n;
};

static struct ptx_files number_files(struct arena *a, const struct fact_source *s)
{
    struct ptx_files f = {ARENA_ARRAY(a, int32_t, s->ptx->files.n + 1), (uint32_t)s->ptx->files.n};
    struct map_str known = {0};
    for (uint32_t i = s->module->file_count; i-- > 0;)
        map_str_put(a, &known, s->module->files[i], i);
    for (uint32_t i = 0; i < f.n && f.of; i++) {
        const char *path = s->ptx->files.p[i];
        uint32_t at;
        f.of[i] = FACT_NONE;
        if (!path)
            continue;
        if (map_str_get(&known, path, &at)) {
            f.of[i] = s->file_numbers[at];
            continue;
        }
        uint32_t named = 0; /* else the one file of that name: directories are written in several ways */
        for (uint32_t x = 0; x < s->module->file_count && named < 2; x++)
            if (str_equal(name_at_end(path), name_at_end(s->module->files[x])))
                named++, f.of[i] = s->file_numbers[x];
        if (named != 1)
            f.of[i] = FACT_NONE;
    }
    f.n = f.of ? f.n : 0;
    return f;
}

static void locate(const struct fact_source *s, const struct ptx_files *files, const struct ptx_insn *insn,
                   struct fact_ptx *out)
{
    out->file = out->source_line = FACT_NONE;
    const struct ptx_loc *loc = insn->loc ? &s->ptx->locs.p[insn->loc - 1] : NULL;
    if (!loc || !loc->line || loc->line > INT32_MAX)
        return;
    out->source_line = (int32_t)loc->line;
    out->file = loc->file < files->n ? files->of[loc->file] : FACT_NONE;
}

/* Every row that names a line of PTX finds an instruction of its own source line there. */
static bool rows_fit(const struct fact_source *s, const struct fact_kernel *k, const struct ptx_files *files)
{
    bool any = false;
    for (size_t i = 0; i < k->instructions.n; i++) {
        const struct fact_instruction *in = &k->instructions.p[i];
        if (in->ptx_line == FACT_NONE || in->line == FACT_NONE)
            continue;
        uint32_t f = function_at(s->ptx, (uint32_t)in->ptx_line);
        const struct ptx_function *function = f == UINT32_MAX ? NULL : &s->ptx->functions.p[f];
        size_t at = function ? first_on(function, (uint32_t)in->ptx_line) : 0;
        struct fact_ptx here;
        if (!function || at == function->insns.n || function->insns.p[at].line != (uint32_t)in->ptx_line)
            return false;
        locate(s, files, &function->insns.p[at], &here);
        if (here.source_line != FACT_NONE && (here.source_line != in->line || here.file != in->file))
            return false;
        any |= here.source_line != FACT_NONE;
    }
    return any;
}

static void add_function(struct arena *a, const struct fact_source *s, struct fact_kernel *k, uint32_t function,
                         const struct ptx_files *files, const struct ptx_at *rows, size_t n)
{
    const struct ptx_function *f = &s->ptx->functions.p[function];
    for (size_t i = 0; i < f->insns.n; i++) {
        const struct ptx_insn *insn = &f->insns.p[i];
        struct fact_ptx ptx = {.line = (int32_t)insn->line, .function = f->name, .text = ptx_insn_text(a, insn)};
        locate(s, files, insn, &ptx);
        size_t lo = 0, hi = n;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (rows[mid].line < insn->line)
                lo = mid + 1;
            else
                hi = mid;
        }
        size_t end = lo;
        while (end < n && rows[end].line == insn->line)
            end++;
        uint32_t *offsets = ARENA_ARRAY(a, uint32_t, end - lo);
        /* several instructions on one line: the table does not say which of them */
        bool first = i == 0 || f->insns.p[i - 1].line != insn->line;
        for (size_t r = lo; r < end && offsets && first; r++)
            offsets[ptx.offsets.n++] = k->instructions.p[rows[r].input].offset;
        ptx.offsets.p = offsets;
        VEC_PUSH(a, k->ptx, ptx);
    }
}

/* By instruction: the line on which the comparison of the two graphs found what it computes; NULL: none was made. */
static const uint32_t *lines_by_value(struct arena *a, const struct fact_source *s, const struct fact_kernel *k)
{
    uint32_t *lines = ARENA_ARRAY(a, uint32_t, k->instructions.n + 1);
    struct map_u64 at = {0};
    if (!s->rewrites || !s->rewrites->ptx_line || !lines)
        return NULL;
    for (uint32_t i = 0; i < k->instructions.n; i++)
        map_u64_put(a, &at, k->instructions.p[i].offset, i);
    for (size_t i = 0; i < s->g->insns.n; i++) {
        uint32_t index, line = s->rewrites->ptx_line[i];
        if (line && s->rewrites->how[i] != REW_NOT_FOUND && map_u64_get(&at, s->g->insns.p[i].offset, &index) &&
            !lines[index])
            lines[index] = line;
    }
    return lines;
}

static void build_ptx(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct ptx_files files = number_files(a, s);
    bool *wanted = ARENA_ARRAY(a, bool, s->ptx->functions.n + 1);
    struct ptx_at *rows = ARENA_ARRAY(a, struct ptx_at, k->instructions.n);
    size_t n = 0;
    if (!wanted || !rows)
        return;
    bool by_table = !s->ptx_given || rows_fit(s, k, &files);
    const uint32_t *by_value = by_table ? NULL : lines_by_value(a, s, k);
    k->ptx_from = s->ptx_given ? "given" : "embedded";
    for (size_t i = 0; i < k->instructions.n && (by_table || by_value); i++) {
        const struct fact_instruction *in = &k->instructions.p[i];
        uint32_t line = by_value ? by_value[i] : in->ptx_line == FACT_NONE ? 0 : (uint32_t)in->ptx_line;
        if (!line)
            continue;
        rows[n++] = (struct ptx_at){line, (uint32_t)i};
        uint32_t f = function_at(s->ptx, line);
        if (f != UINT32_MAX && s->ptx->functions.p[f].has_body && !s->ptx->functions.p[f].is_entry)
            wanted[f] = true;
    }
    if (n)
        qsort(rows, n, sizeof rows[0], by_ptx);
    add_function(a, s, k, s->ptx_function, &files, rows, n);
    for (uint32_t i = 0; i < s->ptx->functions.n; i++)
        if (wanted[i])
            add_function(a, s, k, i, &files, rows, n);
}

/* The statement: the words that the rewrite is about. */
static const char *text_of_rewrite(struct arena *a, const struct fact_source *s, const struct fact_rewrite *r)
{
    uint32_t at;
    struct cu_line line;
    const struct cu_source *text = fact_text_of_line(s, r->source_file, r->source_line, &at);
    if (!text)
        return NULL;
    if (!cu_line_read(a, text, at, &line))
        return cu_source_line(a, text, at);
    return line.statement;
}

enum sp_status fact_build_lines(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    build_source_lines(a, s, k);
    if (s->ptx)
        build_ptx(a, s, k);
    for (size_t i = 0; i < k->rewrites.n; i++) {
        struct fact_rewrite *r = &k->rewrites.p[i];
        if (r->source_line != FACT_NONE && !r->source_text && !fact_is_of_condition(r))
            r->source_text = text_of_rewrite(a, s, r);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
