/* Which source text stands for which file of a line table.
 *
 * A text is taken by its name, or by the size that the line table recorded when the file was compiled; its last names
 * must agree with the path in the table, the most of all that were given. Then all rows of the table are held against
 * it: it must have as many bytes as were compiled, hold code on every line that code comes from, and begin each kernel
 * on the line on which the table does. A text that does not is not shown at all: a line's text beside an instruction
 * that does not come from it would be worse than none.
 * requires: line tables, texts · gives: fact_file_text a file, fact_source_file records */
#include "pipeline/pipe_source.h"

#include "base/str.h"
#include "front/cu_line.h"

#include <string.h>

enum { COMPARED_MOST = 1 << 22, DEFINITIONS_MOST = 64, NONE = -1 };

struct offer { /* a name that a text goes by */
    const char *name;
    uint32_t source, view, next; /* next: + 1, the next offer with that last name */
};

struct file_state {
    int32_t offer;
    enum fact_match how;
    bool shared; /* others of this table, or other texts, have as good a claim */
    bool other_name;
    const char *why; /* it is not it */
    uint32_t rows;
};

struct matching {
    struct sp_session *s;
    struct arena *a;
    const struct img_module *m;
    VEC(struct offer) offers;
    struct map_str by_name;
    struct file_state *files;
    size_t budget;
};

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *other = strrchr(path, '\\');
    if (other && (!slash || other > slash))
        slash = other;
    return slash ? slash + 1 : path;
}

/* A path's names from its end, without `.`; `..` takes the next one away. False when there is none left. */
struct names {
    const char *from, *at; /* what is left of the path */
};

static bool take_name(struct names *n, const char **name, size_t *length)
{
    size_t skip = 0;
    while (n->at > n->from) {
        const char *end = n->at;
        while (end > n->from && (end[-1] == '/' || end[-1] == '\\'))
            end--;
        const char *begin = end;
        while (begin > n->from && begin[-1] != '/' && begin[-1] != '\\')
            begin--;
        n->at = begin;
        size_t size = (size_t)(end - begin);
        if (size == 0 || (size == 1 && begin[0] == '.'))
            continue;
        if (size == 2 && begin[0] == '.' && begin[1] == '.') {
            skip++;
            continue;
        }
        if (skip) {
            skip--;
            continue;
        }
        *name = begin;
        *length = size;
        return true;
    }
    return false;
}

/* Names that two paths have in common at their ends; UINT32_MAX: they are one path. */
static uint32_t common_names(const char *a, const char *b)
{
    struct names x = {a, a + strlen(a)}, y = {b, b + strlen(b)};
    uint32_t count = 0;
    for (;;) {
        const char *p, *q;
        size_t n, m;
        bool left = take_name(&x, &p, &n), right = take_name(&y, &q, &m);
        if (!left && !right)
            return (a[0] == '/') == (b[0] == '/') ? UINT32_MAX : count;
        if (!left || !right || n != m || memcmp(p, q, n) != 0)
            return count;
        count++;
    }
}

static const struct pipe_source *source_of(const struct matching *x, uint32_t offer)
{
    return &x->s->sources.p[x->offers.p[offer].source];
}

static uint64_t recorded(const struct matching *x, uint32_t file)
{
    return x->m->file_bytes ? x->m->file_bytes[file] : 0;
}

/* As many bytes as were compiled; lines may have come to end otherwise since. */
static bool same_size(const struct cu_source *t, uint64_t bytes)
{
    return t->size == bytes || t->size - t->returns == bytes || t->size + (t->breaks - t->returns) == bytes;
}

static bool add_offers(struct matching *x)
{
    for (uint32_t i = 0; i < x->s->sources.n; i++) {
        const struct pipe_source *source = &x->s->sources.p[i];
        for (uint32_t v = 0; v < source->text.views.n; v++) {
            struct offer offer = {.name = v ? source->text.views.p[v].name : source->path, .source = i, .view = v};
            const char *name = last_name(offer.name);
            uint32_t head;
            if (v && str_equal(offer.name, source->path))
                continue;
            offer.next = map_str_get(&x->by_name, name, &head) ? head + 1 : 0;
            if (!map_str_put(x->a, &x->by_name, name, (uint32_t)x->offers.n))
                return false;
            VEC_PUSH(x->a, x->offers, offer);
        }
    }
    return !arena_failed(x->a);
}

static bool same_text(const struct pipe_source *a, const struct pipe_source *b)
{
    return a == b || (a->text.size == b->text.size && memcmp(a->text.text, b->text.text, a->text.size) == 0);
}

/* The best offer by name of one file. */
static void match_name(struct matching *x, uint32_t file, uint32_t *scores)
{
    struct file_state *f = &x->files[file];
    uint32_t at;
    f->offer = NONE;
    if (!map_str_get(&x->by_name, last_name(x->m->files[file]), &at))
        return;
    uint32_t best = 0;
    for (uint32_t next = at + 1; next && x->budget; next = x->offers.p[next - 1].next) {
        const struct offer *offer = &x->offers.p[next - 1];
        uint32_t score = common_names(x->m->files[file], offer->name);
        const struct cu_source *text = &x->s->sources.p[offer->source].text;
        bool sized = !offer->view && recorded(x, file) && same_size(text, recorded(x, file));
        x->budget--;
        if (score == 0)
            continue;
        bool other_sized = f->offer >= 0 && f->how == FACT_MATCH_SIZE;
        if (f->offer < 0 || (sized && !other_sized) || (sized == other_sized && score > best)) {
            f->shared = false;
            f->offer = (int32_t)(next - 1);
            f->how = sized ? FACT_MATCH_SIZE : FACT_MATCH_NAME;
            best = score;
        } else if (sized == other_sized && score == best &&
                   !same_text(source_of(x, (uint32_t)f->offer), source_of(x, next - 1))) {
            f->shared = true;
        }
    }
    scores[file] = best;
}

/* An offer that several files could take goes to the one whose path it fits best. */
static void part_offers(struct matching *x, const uint32_t *scores)
{
    int32_t *taken = ARENA_ARRAY(x->a, int32_t, x->offers.n + 1); /* file + 1 */
    for (uint32_t i = 0; i < x->m->file_count && taken; i++) {
        struct file_state *f = &x->files[i];
        if (f->offer < 0)
            continue;
        int32_t before = taken[f->offer] - 1;
        if (before < 0) {
            taken[f->offer] = (int32_t)i + 1;
            continue;
        }
        struct file_state *other = &x->files[before];
        bool better = f->how != other->how ? f->how == FACT_MATCH_SIZE : scores[i] > scores[before];
        bool equal = f->how == other->how && scores[i] == scores[before];
        if (equal && common_names(x->m->files[i], x->m->files[before]) == UINT32_MAX)
            continue; /* one path, written twice */
        if (equal)
            f->shared = other->shared = true;
        else if (better)
            other->offer = NONE, taken[f->offer] = (int32_t)i + 1;
        else
            f->offer = NONE;
    }
}

/* ---- by what the table says of it -------------------------------------------------------------- */

static const char *shown(const struct matching *x, const struct file_state *f)
{
    return last_name(x->offers.p[f->offer].name);
}

static const struct cu_view *view_of(const struct matching *x, const struct file_state *f)
{
    return &source_of(x, (uint32_t)f->offer)->text.views.p[x->offers.p[f->offer].view];
}

static void hold_row(struct matching *x, uint32_t file, uint32_t line)
{
    struct file_state *f = file < x->m->file_count ? &x->files[file] : NULL;
    if (!f || f->offer < 0 || f->why || line == 0)
        return;
    const struct cu_source *text = &source_of(x, (uint32_t)f->offer)->text;
    uint32_t at = cu_source_physical(text, x->offers.p[f->offer].view, line);
    f->rows++;
    if (!at)
        f->why = arena_printf(x->a, "%s has %u lines, and instructions come from line %u", shown(x, f),
                              view_of(x, f)->last, line);
    else if (!text->lines.p[at - 1].code)
        f->why = arena_printf(x->a, "line %u of %s holds no code, and instructions come from it", line, shown(x, f));
}

static const struct img_inline *outermost(const struct img_line *row)
{
    return row->inlined_count ? &row->inlined[row->inlined_count - 1] : NULL;
}

/* A kernel's definition: begins with __global__. */
static bool is_kernel(const struct cu_source *t, const struct cu_function *f)
{
    if (!t->c_like)
        return true;
    for (uint32_t i = f->name; i-- > 0 && t->pieces.p[i].line >= f->begin && f->name - i < 256;)
        if (cu_piece_is(t, &t->pieces.p[i], "__global__"))
            return true;
    return false;
}

struct placing { /* of a kernel's rows within the definitions of its name */
    uint32_t definitions, first_line;
    bool begins, opens, ends, any; /* a row on the line of its name, of its first and last brace; any in the file */
    bool outside, astray;          /* a row in no such definition; in no function at all */
    bool inlining;                 /* some row says where it was inlined: then rows of others would say so, too */
};

/* What is called lies in functions of its own. */
static bool in_subroutine(const struct img_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->subroutine_count; i++)
        if (k->subroutines[i].offset <= offset && offset - k->subroutines[i].offset < k->subroutines[i].size)
            return true;
    return false;
}

static struct placing place_kernel(const struct matching *x, const struct img_kernel *k, uint32_t file,
                                   const char *base)
{
    const struct file_state *f = &x->files[file];
    const struct cu_source *t = &source_of(x, (uint32_t)f->offer)->text;
    uint32_t view = x->offers.p[f->offer].view;
    struct placing p = {0};
    VEC(struct cu_function) found = {0};
    for (uint32_t next = cu_source_function(t, base); next && found.n < DEFINITIONS_MOST;) {
        const struct cu_function *d = &t->functions.p[next - 1];
        if (is_kernel(t, d) && cu_source_number(t, view, d->line))
            VEC_PUSH(x->a, found, *d);
        next = d->next;
    }
    p.definitions = (uint32_t)found.n;
    for (uint32_t r = 0; r < k->line_count && found.n; r++) {
        const struct img_line *row = &k->lines[r];
        const struct img_inline *call = outermost(row);
        uint32_t line = call ? call->line : row->line;
        p.inlining |= call != NULL;
        if ((call ? call->file : row->file) != file || !line || in_subroutine(k, row->offset))
            continue;
        uint32_t at = cu_source_physical(t, view, line);
        bool inside = false;
        p.any = true;
        for (size_t i = 0; i < found.n; i++) {
            inside |= found.p[i].begin <= at && at <= found.p[i].end;
            p.begins |= found.p[i].line == at;
            p.opens |= t->pieces.p[found.p[i].open].line == at;
            p.ends |= found.p[i].end == at;
        }
        p.outside |= !inside;
        p.astray |= !inside && !cu_source_enclosing(t, at);
        if (!p.first_line)
            p.first_line = line;
    }
    return p;
}

static bool told_in_full(const struct matching *x)
{
    return x->m->kind != IMG_LISTING && x->m->status == IMG_COMPLETE;
}

/* Kernels whose definition is in the text begin where the table says; for a text of another name they end there, too,
 * and nothing lies outside. False: they do not, or (strict) there is no such kernel. */
static bool kernels_fit(struct matching *x, uint32_t file, bool strict, const char **why)
{
    bool any = false;
    const struct file_state *f = &x->files[file];
    const struct cu_source *t = &source_of(x, (uint32_t)f->offer)->text;
    for (uint32_t i = 0; i < x->m->kernel_count && t->braces_told; i++) {
        const struct img_kernel *k = &x->m->kernels[i];
        const char *base = k->is_entry ? fact_base_name(x->a, k->demangled ? k->demangled : k->name) : NULL;
        if (!base || !*base)
            continue;
        if (strict && x->budget < k->line_count)
            return false;
        x->budget -= strict ? k->line_count : 0;
        struct placing p = place_kernel(x, k, file, base);
        if (!p.definitions || !p.any)
            continue;
        any = true;
        bool begins = p.begins || (p.opens && p.ends); /* some compilers have a function begin at its brace */
        if (told_in_full(x) && f->how != FACT_MATCH_SIZE && (p.astray || (p.outside && p.inlining))) {
            *why = arena_printf(x->a, "some of kernel %s comes from lines that are not in it in %s", base, shown(x, f));
            return false;
        }
        if (told_in_full(x) && !begins) {
            *why = arena_printf(x->a, "kernel %s begins on another line of %s than in the line table (line %u)", base,
                                shown(x, f), p.first_line);
            return false;
        }
        if (strict && (!begins || !p.ends || p.outside))
            return false;
    }
    return any || !strict;
}

/* Texts whose name no file of the table has: by size, else by the place of the kernels in it. */
static void match_others(struct matching *x)
{
    bool *used = ARENA_ARRAY(x->a, bool, x->offers.n + 1);
    uint32_t fitting = 0, at = 0;
    if (!used)
        return;
    for (uint32_t i = 0; i < x->m->file_count; i++)
        if (x->files[i].offer >= 0)
            used[x->files[i].offer] = true;
    for (uint32_t o = 0; o < x->offers.n && x->budget; o++) {
        const struct cu_source *text = &source_of(x, o)->text;
        if (used[o] || x->offers.p[o].view)
            continue;
        bool sized = false;
        fitting = 0;
        for (int pass = 0; pass < 2 && !fitting; pass++)
            for (uint32_t i = 0; i < x->m->file_count && x->budget; i++) {
                struct file_state *f = &x->files[i], before = *f;
                const char *why = NULL;
                x->budget--;
                if (f->offer >= 0 || (pass == 0) != (recorded(x, i) != 0))
                    continue;
                f->offer = (int32_t)o;
                bool fits = pass == 0 ? same_size(text, recorded(x, i)) && kernels_fit(x, i, false, &why)
                                      : kernels_fit(x, i, true, &why);
                *f = before;
                if (fits)
                    fitting++, at = i, sized = pass == 0;
            }
        if (fitting == 1)
            x->files[at] = (struct file_state){
                .offer = (int32_t)o, .how = sized ? FACT_MATCH_SIZE : FACT_MATCH_SHAPE, .other_name = true};
    }
}

static void hold_against_table(struct matching *x)
{
    for (uint32_t i = 0; i < x->m->file_count; i++) {
        struct file_state *f = &x->files[i];
        if (f->offer < 0)
            continue;
        const struct cu_source *t = &source_of(x, (uint32_t)f->offer)->text;
        if (f->shared)
            f->why = arena_printf(x->a, "%s could be one of several files of that name", shown(x, f));
        else if (!x->offers.p[f->offer].view && recorded(x, i) && !same_size(t, recorded(x, i)))
            f->why = arena_printf(x->a, "%s has %zu bytes, and had %llu when it was compiled", shown(x, f), t->size,
                                  (unsigned long long)recorded(x, i));
    }
    for (uint32_t k = 0; k < x->m->kernel_count; k++)
        for (uint32_t r = 0; r < x->m->kernels[k].line_count; r++) {
            const struct img_line *row = &x->m->kernels[k].lines[r];
            hold_row(x, row->file, row->line);
            for (uint32_t i = 0; i < row->inlined_count; i++)
                hold_row(x, row->inlined[i].file, row->inlined[i].line);
        }
    for (uint32_t i = 0; i < x->m->file_count; i++) {
        const char *why = NULL;
        if (x->files[i].offer >= 0 && !x->files[i].why && x->files[i].rows && !kernels_fit(x, i, false, &why))
            x->files[i].why = why;
    }
}

static void tell(struct matching *x, uint32_t input, const int32_t *numbers, struct fact_document *doc)
{
    for (uint32_t i = 0; i < x->m->file_count; i++) {
        const struct file_state *f = &x->files[i];
        struct fact_source_file told = {.input = input, .file = numbers[i], .matched = FACT_MATCH_NONE};
        if (f->offer >= 0) {
            const char *path = source_of(x, (uint32_t)f->offer)->path;
            told.path = path;
            told.why = f->why;
            told.matched = f->why ? FACT_MATCH_NONE : f->how;
            if (f->why && (f->rows || f->shared || !x->m->kernel_count || recorded(x, i)))
                diag_add(&x->s->diags, DIAG_WARNING, "source-differs", NULL, -1, "%s is not shown: %s", path, f->why);
            if (!f->why && f->other_name) {
                told.why = arena_printf(doc->a, "it is called %s in the line table", last_name(x->m->files[i]));
                diag_add(&x->s->diags, DIAG_NOTE, "source-name", NULL, -1, "%s is taken for %s: %s", path,
                         x->m->files[i],
                         f->how == FACT_MATCH_SIZE ? "it has the size that was recorded" : "its kernels stand there");
            }
        }
        VEC_PUSH(doc->a, doc->sources, told);
    }
}

struct fact_file_text *pipe_source_match(struct sp_session *s, struct arena *a, const struct img_module *m,
                                         uint32_t input, const int32_t *numbers, struct fact_document *doc)
{
    struct matching x = {.s = s, .a = a, .m = m, .budget = COMPARED_MOST};
    struct fact_file_text *texts = ARENA_ARRAY(a, struct fact_file_text, m->file_count + 1u);
    uint32_t *scores = ARENA_ARRAY(a, uint32_t, m->file_count + 1u);
    x.files = ARENA_ARRAY(a, struct file_state, m->file_count + 1u);
    if (!texts || !scores || !x.files || !add_offers(&x))
        return NULL;
    if (!s->sources.n || !m->file_count)
        return texts;
    for (uint32_t i = 0; i < m->file_count; i++)
        match_name(&x, i, scores);
    part_offers(&x, scores);
    match_others(&x);
    hold_against_table(&x);
    tell(&x, input, numbers, doc);
    for (uint32_t i = 0; i < m->file_count; i++)
        if (x.files[i].offer >= 0 && !x.files[i].why)
            texts[i] = (struct fact_file_text){.source = &source_of(&x, (uint32_t)x.files[i].offer)->text,
                                               .view = x.offers.p[x.files[i].offer].view};
    return arena_failed(a) ? NULL : texts;
}

void pipe_source_unused(struct sp_session *s, const struct fact_document *doc)
{
    for (size_t i = 0; i < s->sources.n && doc->sources.n; i++) {
        bool used = false;
        for (size_t k = 0; k < doc->sources.n && !used; k++)
            used = str_equal(doc->sources.p[k].path, s->sources.p[i].path);
        if (!used)
            diag_add(&s->diags, DIAG_NOTE, "source-unused", NULL, -1,
                     "%s: no line table speaks of a file of that name; no line of it is shown", s->sources.p[i].path);
    }
}
