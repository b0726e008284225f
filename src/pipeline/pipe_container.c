/* Modules inside fatbins, programs, libraries and archives, in the session: an input each. Such a file may hold
 * thousands, so that each is unpacked and read when its turn comes, on an arena of its own, and goes before the next.
 *
 * What belongs together: a compiler makes one fatbin of each translation unit. PTX in it is what machine code in it was
 * made of if it has the architecture that the machine code records as its virtual one; where none is recorded, the
 * latest that is not later than the machine's own. `a` targets are made of PTX for that very target, `f` targets' PTX
 * serves their family.
 * requires: image/img_container.h · gives: pipe_container.h */
#include "pipeline/pipe_container.h"

#include "base/str.h"
#include "image/img_container.h"
#include "pipeline/pipe_ptx.h"

#include <stdlib.h>
#include <string.h>

enum { OWN_BASE = 1 << 28, OWN_PER_BYTE = 256 }; /* memory that one module may take */

struct arena *pipe_input_arena(struct sp_session *s, struct pipe_input *in)
{
    return in->entry ? &in->own : &s->a;
}

/* ---- adding -------------------------------------------------------------------------------------- */

static enum img_kind kind_of(const struct img_entry *e)
{
    static const enum img_kind kinds[] = {[IMG_ENTRY_CUBIN] = IMG_CUBIN,
                                          [IMG_ENTRY_PTX] = IMG_PTX,
                                          [IMG_ENTRY_LTO] = IMG_LTO,
                                          [IMG_ENTRY_OTHER] = IMG_UNKNOWN};
    return kinds[e->kind];
}

/* What is known of a module without reading it. */
static void describe(struct pipe_input *in, enum img_completeness status)
{
    const struct img_entry *e = in->entry;
    in->module = (struct img_module){
        .path = in->path, .member = e->member, .kind = kind_of(e), .status = status, .sm = e->sm, .arch = e->arch};
}

/* Modules that are listed only: a warning where there is nothing else. */
static void tell_unread(struct sp_session *s, const struct img_container *c)
{
    size_t lto = 0, other = 0, read = 0;
    for (size_t i = 0; i < c->entries.n; i++) {
        const struct img_entry *e = &c->entries.p[i];
        *(e->kind == IMG_ENTRY_LTO ? &lto : e->kind == IMG_ENTRY_OTHER ? &other : &read) += 1;
    }
    enum diag_severity severity = read ? DIAG_NOTE : DIAG_WARNING;
    s->diags.input = (int)s->inputs.n;
    if (lto)
        diag_add(&s->diags, severity, "lto-not-read", NULL, -1,
                 "%zu module%s LTO-IR, code for the linker's compiler: listed, not read", lto,
                 lto == 1 ? " is" : "s are");
    if (other)
        diag_add(&s->diags, severity, "kind-not-read", NULL, -1,
                 "%zu module%s of a kind this version does not know: listed, not read", other,
                 other == 1 ? " is" : "s are");
    s->diags.input = -1;
}

enum sp_status pipe_container_add(struct sp_session *s, const char *path, const uint8_t *bytes, size_t size)
{
    struct img_container *c = ARENA_NEW(&s->a, struct img_container);
    struct pipe_input in = {.path = arena_strdup(&s->a, path), .size = size};
    if (!c || !in.path)
        return SP_ERR_MEMORY;
    s->diags.input = (int)s->inputs.n;
    enum sp_status status = img_container_read(&s->a, &s->diags, in.path, bytes, size, c);
    s->diags.input = -1;
    s->damaged |= status != SP_OK;
    if (status == SP_ERR_MEMORY || !c->entries.n) {
        in.status = status;
        in.module = (struct img_module){.path = in.path, .kind = c->kind, .status = IMG_UNREADABLE};
        VEC_PUSH(&s->a, s->inputs, in);
        return status;
    }
    in.container = c;
    tell_unread(s, c);
    for (size_t i = 0; i < c->entries.n; i++) {
        const struct img_entry *e = in.entry = &c->entries.p[i];
        in.size = e->stored;
        in.status = e->damaged ? SP_ERR_FORMAT : SP_OK;
        describe(&in, !e->damaged ? IMG_COMPLETE : e->readable ? IMG_PARTIAL : IMG_UNREADABLE);
        VEC_PUSH(&s->a, s->inputs, in);
    }
    return arena_failed(&s->a) ? SP_ERR_MEMORY : status;
}

/* A file mapped for the session's life where `wanted` says so of its kind and size. */
static bool map_file(struct sp_session *s, const char *path, bool (*wanted)(enum img_kind kind, size_t size),
                     const uint8_t **bytes, size_t *size)
{
    struct pipe_mapping m;
    if (!img_map_file(path, &m.bytes, &m.size))
        return false;
    size_t before = s->mappings.n;
    if (wanted(img_detect_binary(m.bytes, m.size), m.size))
        VEC_PUSH(&s->a, s->mappings, m);
    if (s->mappings.n == before) {
        img_unmap_file(m.bytes, m.size);
        return false;
    }
    *bytes = m.bytes;
    *size = m.size;
    return true;
}

static bool is_container(enum img_kind kind, size_t size)
{
    (void)size;
    return img_is_container(kind);
}

static bool is_large_cubin(enum img_kind kind, size_t size)
{
    enum { LARGE = 256 << 10 }; /* reading it costs more than mapping it */
    return kind == IMG_CUBIN && size >= LARGE;
}

bool pipe_container_map(struct sp_session *s, const char *path, const uint8_t **bytes, size_t *size)
{
    return map_file(s, path, is_container, bytes, size);
}

bool pipe_cubin_map(struct sp_session *s, const char *path, const uint8_t **bytes, size_t *size)
{
    return map_file(s, path, is_large_cubin, bytes, size);
}

/* ---- reading one ---------------------------------------------------------------------------------- */

/* PTX ends in bytes that fill up. */
static size_t text_size(const uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size;
}

static void read_module(struct sp_session *s, struct pipe_input *in)
{
    const struct img_entry *e = in->entry;
    const uint8_t *bytes;
    size_t size;
    in->status = img_entry_unpack(&in->own, &s->diags, e, &bytes, &size);
    if (in->status == SP_OK && e->kind == IMG_ENTRY_PTX) {
        in->status = pipe_ptx_read(s, in, (const char *)bytes, text_size(bytes, size));
    } else if (in->status == SP_OK) {
        in->status = img_read_module(&in->own, &s->diags, in->path, bytes, size, &in->module);
        /* The container tells what the machine code keeps to itself: the letter of a family target. */
        if (in->module.arch && e->letter == 'f' && e->sm == in->module.sm)
            in->module.arch = e->arch;
        pipe_choose_tables(s, in);
    } else if (in->status != SP_ERR_UNSUPPORTED) {
        in->module.status = IMG_UNREADABLE;
    } else {
        in->status = SP_OK; /* listed, and no kernels of it: nothing is wrong with the file */
    }
    if (in->status == SP_ERR_MEMORY) {
        in->module.kernel_count = 0;
        in->module.status = IMG_UNREADABLE;
        diag_add(&s->diags, DIAG_ERROR, "out-of-memory", e->where, -1, "%s takes more memory than is allowed",
                 e->member);
    }
    in->module.path = in->path;
    in->module.member = e->member;
    if (e->damaged) {
        in->status = in->status == SP_OK ? SP_ERR_FORMAT : in->status;
        in->module.status = in->module.status == IMG_COMPLETE ? IMG_PARTIAL : in->module.status;
    }
}

enum sp_status pipe_input_open(struct sp_session *s, struct pipe_input *in)
{
    if (!in->entry || in->is_open)
        return in->status;
    int number = s->diags.input;
    struct diag_sink kept = s->diags;
    arena_init(&in->own,
               OWN_BASE + (size_t)OWN_PER_BYTE *
                              (in->entry->unpacked < SIZE_MAX / OWN_PER_BYTE / 2 ? (size_t)in->entry->unpacked : 0));
    s->diags.input = (int)(in - s->inputs.p);
    if (in->told)
        diag_init(&s->diags, &in->own);
    else
        in->told_from = s->diags.list.n;
    describe(in, IMG_COMPLETE);
    read_module(s, in);
    in->is_open = true;
    if (in->told)
        s->diags = kept;
    s->diags.input = number;
    in->told = true;
    return in->status;
}

void pipe_input_close(struct pipe_input *in)
{
    if (!in->entry || !in->is_open)
        return;
    enum img_completeness status = in->module.status;
    arena_free(&in->own);
    in->is_open = false;
    in->ptx = NULL;
    in->ptx_functions = in->ptx_files = NULL;
    in->ptx_tried = in->container_ptx_tried = false;
    in->container_ptx = NULL;
    describe(in, status);
}

/* ---- what belongs together -------------------------------------------------------------------------- */

/* By the number alone: the letter may be told in the module only. */
bool pipe_input_may_be(const struct pipe_input *in, const char *arch)
{
    if (!arch || !in->entry || !in->entry->sm || !str_starts(arch, "sm_"))
        return true;
    return strtoul(arch + 3, NULL, 10) == in->entry->sm;
}

static bool same_unit(const struct img_entry *a, const struct img_entry *b)
{
    return a->fatbin == b->fatbin && !(a->name && b->name && !str_equal(a->name, b->name));
}

/* Entries of one fatbin stand together. */
static const struct img_entry *first_of_fatbin(const struct pipe_input *in, const struct img_entry **end)
{
    const struct img_entry *all = in->container->entries.p, *first = in->entry, *last = in->entry + 1;
    while (first > all && first[-1].fatbin == in->entry->fatbin)
        first--;
    while (last < all + in->container->entries.n && last->fatbin == in->entry->fatbin)
        last++;
    *end = last;
    return first;
}

bool pipe_input_is_companion(const struct pipe_input *in, const char *arch)
{
    bool beside = false;
    if (in->entry && in->entry->linker_input)
        return true;
    if (!in->entry || in->entry->kind != IMG_ENTRY_PTX)
        return false;
    const struct img_entry *end, *e = first_of_fatbin(in, &end);
    for (; e < end; e++) {
        if (e->kind != IMG_ENTRY_CUBIN || !e->readable || !same_unit(e, in->entry))
            continue;
        beside |= !arch || str_equal(arch, e->arch);
    }
    return beside;
}

static bool can_make(const struct img_entry *ptx, const struct img_entry *code, const struct img_module *m)
{
    unsigned sm = m && m->sm ? m->sm : code->sm;
    char letter = code->letter;
    if (m && m->arch && !letter)
        letter = m->arch[strlen(m->arch) - 1];
    if (ptx->kind != IMG_ENTRY_PTX || !ptx->readable || !ptx->sm || ptx->sm > sm || !same_unit(ptx, code))
        return false;
    if (ptx->letter == 'a' && (ptx->sm != sm || letter != 'a'))
        return false;
    if (ptx->letter == 'f' && (ptx->sm / 10 != sm / 10 || (letter != 'a' && letter != 'f')))
        return false;
    return !m || !m->virtual_sm || m->virtual_sm == ptx->sm;
}

static const struct img_entry *find_ptx(const struct pipe_input *in, const struct img_module *m)
{
    const struct img_entry *end, *best = NULL;
    if (!in->entry || in->entry->kind != IMG_ENTRY_CUBIN)
        return NULL;
    for (const struct img_entry *e = first_of_fatbin(in, &end); e < end; e++)
        if (can_make(e, in->entry, m) &&
            (!best || e->sm > best->sm || (e->sm == best->sm && e->letter && e->letter == in->entry->letter)))
            best = e;
    return best;
}

bool pipe_container_has_ptx(const struct pipe_input *in)
{
    return find_ptx(in, in->is_open ? &in->module : NULL) != NULL;
}

bool pipe_container_ptx(struct pipe_input *in, const struct img_kernel *kernel, struct ptx_module **module,
                        uint32_t *function)
{
    if (!in->is_open)
        return false;
    if (!in->container_ptx_tried) {
        const struct img_entry *e = find_ptx(in, &in->module);
        struct ptx_module *p = e ? ARENA_NEW(&in->own, struct ptx_module) : NULL;
        struct diag_sink quiet; /* what is wrong with it is told with it */
        const uint8_t *bytes;
        size_t size;
        diag_init(&quiet, &in->own);
        in->container_ptx_tried = true;
        if (p && img_entry_unpack(&in->own, &quiet, e, &bytes, &size) == SP_OK &&
            ptx_read_module(&in->own, &quiet, (const char *)bytes, text_size(bytes, size), p) != SP_ERR_MEMORY)
            in->container_ptx = p;
    }
    *module = in->container_ptx;
    return in->container_ptx && pipe_ptx_entry(in->container_ptx, kernel->name, function);
}

enum sp_status pipe_container_add_ptx(struct sp_session *s, const char *path, const uint8_t *bytes, size_t size)
{
    struct img_container c;
    bool any = false;
    enum sp_status status = img_container_read(&s->a, &s->diags, path, bytes, size, &c);
    for (size_t i = 0; i < c.entries.n && !arena_failed(&s->a); i++) {
        const struct img_entry *e = &c.entries.p[i];
        const uint8_t *text;
        size_t n;
        if (e->kind != IMG_ENTRY_PTX)
            continue;
        struct ptx_module *p = ARENA_NEW(&s->a, struct ptx_module);
        enum sp_status one = p ? img_entry_unpack(&s->a, &s->diags, e, &text, &n) : SP_ERR_MEMORY;
        if (one == SP_OK)
            one = ptx_read_module(&s->a, &s->diags, (const char *)text, text_size(text, n), p);
        if (one == SP_OK || one == SP_ERR_FORMAT) {
            if (text)
                VEC_PUSH(&s->a, s->ptx, p);
            any = true;
        }
        status = status == SP_OK ? one : status;
    }
    if (!any && status == SP_OK) {
        diag_add(&s->diags, DIAG_ERROR, "no-ptx", NULL, -1, "%s: no PTX in it", path);
        status = SP_ERR_NOT_FOUND;
    }
    return arena_failed(&s->a) ? SP_ERR_MEMORY : status;
}
