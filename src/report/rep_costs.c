/* What a kernel costs, as far as the code shows it: how the threads of a warp touch memory, work a thread and a turn of
 * each loop, warps a multiprocessor.
 *
 * The words for an access say what its stride means for a warp whose first element is aligned: sectors of 32 bytes in
 * global memory, ways of bank conflict in shared memory. */
#include "report/rep_sections.h"

#include "report/rep_group.h"

#include "base/str.h"

#include <stdlib.h>

enum { INDENT = 2, WARP = 32, SECTOR = 32 };

/* Sectors that a warp touches when neighbouring threads are `stride` bytes apart. */
static unsigned sectors_of(unsigned stride, unsigned bytes)
{
    unsigned count = 0;
    int64_t last = -1;
    for (unsigned lane = 0; lane < WARP; lane++) {
        int64_t from = (int64_t)lane * stride / SECTOR, to = ((int64_t)lane * stride + bytes - 1) / SECTOR;
        if (from <= last)
            from = last + 1;
        if (to >= from) {
            count += (unsigned)(to - from + 1);
            last = to;
        }
    }
    return count;
}

static const char *global_words(struct arena *a, const struct fact_access *access)
{
    unsigned least = (access->bytes * WARP + SECTOR - 1) / SECTOR;
    switch (access->coalescing) {
    case FACT_FULL: return rep_format(a, "coalesced: neighbours %u B apart", access->bytes);
    case FACT_BROADCAST: return "one address for neighbours";
    case FACT_SCATTERED: return "scattered: addresses differ without a fixed distance";
    case FACT_STRIDED:
        if (access->stride_bytes == FACT_NONE || access->bytes == 0)
            return "strided: a distance that is constant in a run";
        return rep_format(a, "strided: %d B to the next thread, %u sectors a warp where %u would do",
                          access->stride_bytes, sectors_of((unsigned)abs(access->stride_bytes), access->bytes), least);
    case FACT_COALESCING_UNKNOWN: break;
    }
    return "not known";
}

static const char *shared_words(struct arena *a, const struct fact_access *access)
{
    const char *apart = access->stride_bytes == FACT_NONE ? ""
                        : access->stride_bytes == 0       ? "; one word for neighbours"
                                                    : rep_format(a, "; neighbours %d B apart", access->stride_bytes);
    if (access->conflict_degree == FACT_NONE)
        return rep_format(a, "bank conflicts not known%s", apart);
    if (access->conflict_degree <= 1)
        return rep_format(a, "no bank conflict%s", apart);
    return rep_format(a, "%d-way bank conflict%s", access->conflict_degree, apart);
}

const char *rep_access_words(struct arena *a, const struct fact_access *access)
{
    switch (access->space) {
    case FACT_SHARED: return shared_words(a, access);
    case FACT_LOCAL: return "each thread's own memory";
    default: return global_words(a, access);
    }
}

/* "its own store at 0x00e0", "the store at 0x0190 of thread threadIdx.x + i, after the barrier 0x01a0" */
static const char *read_words(struct arena *a, const struct fact_read *read)
{
    if (!read->thread)
        return rep_format(a, "perhaps the store at %s", rep_hex(a, read->store));
    if (str_equal(read->thread, "own"))
        return rep_format(a, "its own store at %s", rep_hex(a, read->store));
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "the store at %s of thread %s", rep_hex(a, read->store), read->thread);
    switch (read->sync) {
    case FACT_SYNC_BARRIER:
    case FACT_SYNC_WARP:
        str_addf(&b, ", after the %s%s%s", read->sync == FACT_SYNC_WARP ? "warp's " : "",
                 read->barriers.n > 1 ? "barriers " : "barrier ", rep_offsets(a, read->barriers));
        break;
    case FACT_SYNC_WARP_ASSUMED: str_add(&b, ", if the lanes of the warp run in step"); break;
    case FACT_SYNC_NONE: str_add(&b, ", unsynchronised"); break;
    case FACT_SYNC_OWN:
    case FACT_SYNC_UNKNOWN: break;
    }
    return b.p;
}

const char *rep_access_reads(struct arena *a, const struct fact_access *access)
{
    enum { SHOWN = 4 };
    struct strbuf b;
    str_init(&b, a);
    for (uint32_t i = 0; i < access->read_count && i < SHOWN; i++)
        str_addf(&b, "%s%s", i ? "; " : "reads ", read_words(a, &access->reads[i]));
    if (access->read_count > SHOWN)
        str_addf(&b, "; … %u more", access->read_count - SHOWN);
    if (access->reads_more && (access->read_count || access->space == FACT_SHARED))
        str_add(&b, access->read_count ? "; or what was not understood stores there" : "what it reads is not known");
    return b.p;
}

static enum rep_style access_style(const struct fact_access *access)
{
    if (access->space == FACT_LOCAL)
        return REP_ALARM;
    if (access->space == FACT_SHARED)
        return access->conflict_degree == FACT_NONE ? REP_DIM : access->conflict_degree > 1 ? REP_ALARM : REP_GOOD;
    return access->coalescing == FACT_FULL || access->coalescing == FACT_BROADCAST ? REP_GOOD : REP_DOUBT;
}

void rep_say_accesses(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    const uint32_t *leads = rep_group_accesses(p->a, k);
    struct rep_table t = {.columns = 6,
                          .head = {"", "at", "element", "space", "bytes", "threads of a warp"},
                          .rigid = {true, true, false, true, true, false},
                          .least = {[2] = 30, [5] = 30}};
    if (k->accesses.n > 0)
        rep_heading(p, 2, p->markdown ? "Memory accesses" : "MEMORY ACCESSES");
    REP_EACH(n, REP_ACCESS, s, number)
    {
        if (leads && leads[s->index] != s->index)
            continue;
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        const struct fact_access *access = &k->accesses.p[s->index];
        const struct fact_instruction *in = fact_instruction_at(k, access->offset);
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(rep_hex(p->a, access->offset), REP_DIM);
        row->cells[2] = rep_cell_code(in && in->expr ? rep_brief(p->a, in->expr) : "–", REP_PLAIN);
        row->cells[3] = rep_cell(fact_where_text(access->space), REP_PLAIN);
        row->cells[4] = rep_cell(rep_format(p->a, "%u", access->bytes), REP_PLAIN);
        row->cells[5] = rep_cell(rep_access_words(p->a, access), access_style(access));
        const char *others = rep_group_others(p, n, REP_ACCESS, leads, s->index, access->offset);
        const char *reads = rep_access_reads(p->a, access);
        if (*others || *reads)
            row->below = rep_format(p->a, "%s%s%s", reads, *reads && *others ? "; " : "", others);
    }
    rep_table_write(p, &t, INDENT);
}

void rep_say_occupancy(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    struct rep_table t = {
        .columns = 3, .head = {"threads a block", "warps", "limited by"}, .rigid = {false, true, true}};
    for (size_t i = 0, end; i < k->occupancy.n; i = end) { /* sizes that fare alike share a row */
        const struct fact_occupancy *o = &k->occupancy.p[i];
        struct rep_row *row = rep_table_row(p, &t);
        struct strbuf blocks;
        if (!row)
            return;
        str_init(&blocks, p->a);
        for (end = i; end < k->occupancy.n && k->occupancy.p[end].warps == o->warps &&
                      str_equal(k->occupancy.p[end].limit, o->limit);
             end++)
            str_addf(&blocks, "%s%u", end > i ? ", " : "", k->occupancy.p[end].block);
        row->cells[0] = rep_cell(blocks.p, REP_PLAIN);
        row->cells[1] = rep_cell(rep_format(p->a, "%u", o->warps), REP_PLAIN);
        row->cells[2] = rep_cell(rep_or_dash(o->limit), REP_PLAIN);
    }
    if (t.rows.n == 0)
        return;
    if (k->dynamic_shared)
        rep_heading(p, 2,
                    p->markdown ? "Occupancy without dynamic shared memory"
                                : "OCCUPANCY, WARPS A MULTIPROCESSOR, WITHOUT DYNAMIC SHARED MEMORY");
    else
        rep_heading(p, 2, p->markdown ? "Occupancy" : "OCCUPANCY, WARPS A MULTIPROCESSOR");
    rep_table_write(p, &t, INDENT);
}

void rep_say_work(struct rep_page *p, const struct rep_note *n)
{
    uint32_t number = rep_plan_number(n->plan, n->kernel, REP_WORK, 0);
    if (number == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Work" : "WORK");
    rep_paragraph(p, INDENT, number, REP_PLAIN, rep_statement(p->a, n->doc, &n->plan->list.p[number - 1]));
}
