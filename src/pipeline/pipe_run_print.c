/* What a run gave, as text and as JSON: findings with their source lines, totals, counts beside the listing, and which
 * instructions gave results that were assumed.
 *
 * requires: a run · gives: text */
#include "pipeline/pipe_run.h"

#include "base/str.h"

#include <stdio.h>

static const char *file_at(const struct pipe_run *r, uint32_t offset, uint32_t *line)
{
    const struct img_line *at = img_line_at(&r->kernel, offset);
    *line = at ? at->line : 0;
    return at && at->file < r->module->file_count ? r->module->files[at->file] : NULL;
}

static const char *text_at(const struct pipe_run *r, uint32_t offset)
{
    for (uint32_t i = 0; i < r->code.count; i++)
        if (r->code.in[i].offset == offset)
            return r->code.texts[i].text;
    return "";
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void put_triple(struct json *j, const char *key, const uint32_t v[3])
{
    json_key(j, key);
    json_array(j);
    for (unsigned d = 0; d < 3; d++)
        json_uint(j, v[d]);
    json_end(j);
}

static void put_uint(struct json *j, const char *key, uint64_t v)
{
    json_key(j, key);
    json_uint(j, v);
}

static void put_counters(struct json *j, const struct pipe_run *r)
{
    json_key(j, "counters");
    json_array(j);
    for (uint32_t i = 0; i < r->code.count && r->options->counters; i++) {
        const struct emu_count *c = &r->result.counts[i];
        json_object(j);
        put_uint(j, "offset", r->code.in[i].offset);
        json_key(j, "text"), json_string(j, r->code.texts[i].text);
        put_uint(j, "warps", c->warps);
        put_uint(j, "threads", c->threads);
        put_uint(j, "threads_on", c->threads_on);
        put_uint(j, "shared_wavefronts", c->shared_wavefronts);
        put_uint(j, "shared_ideal", c->shared_ideal);
        put_uint(j, "global_requests", c->global_requests);
        put_uint(j, "global_sectors", c->global_sectors);
        put_uint(j, "global_sectors_ideal", c->global_sectors_ideal);
        json_end(j);
    }
    json_end(j);
}

static void put_totals(struct json *j, const struct emu_totals *t)
{
    json_key(j, "totals");
    json_object(j);
    put_uint(j, "global_load_bytes", t->global_load_bytes);
    put_uint(j, "global_store_bytes", t->global_store_bytes);
    put_uint(j, "shared_load_bytes", t->shared_load_bytes);
    put_uint(j, "shared_store_bytes", t->shared_store_bytes);
    put_uint(j, "local_bytes", t->local_bytes);
    put_uint(j, "least_global_bytes", t->least_global_bytes);
    json_end(j);
}

static void put_finding(struct json *j, const struct pipe_run *r, const struct emu_finding *f)
{
    uint32_t line;
    const char *file = file_at(r, f->offset, &line);
    json_object(j);
    json_key(j, "kind"), json_string(j, emu_finding_text(f->kind));
    put_uint(j, "offset", f->offset);
    json_key(j, "file"), json_string(j, file);
    json_key(j, "line");
    if (line)
        json_uint(j, line);
    else
        json_null(j);
    put_triple(j, "block", f->block);
    put_triple(j, "thread", f->thread);
    json_key(j, "address");
    if (f->has_address)
        json_uint(j, f->address);
    else
        json_null(j);
    json_key(j, "text"), json_string(j, f->text);
    json_key(j, "instruction"), json_string(j, text_at(r, f->offset));
    put_uint(j, "times", f->times);
    json_end(j);
}

static void print_json(const struct pipe_run *r, struct out *out)
{
    struct json j;
    json_init(&j, out);
    json_object(&j);
    json_key(&j, "schema"), json_string(&j, "sassprobe.run/1");
    json_key(&j, "kernel"), json_string(&j, r->kernel.name);
    json_key(&j, "arch"), json_string(&j, r->module->arch);
    put_triple(&j, "grid", r->launch.grid);
    put_triple(&j, "block", r->launch.block);
    put_uint(&j, "instructions_executed", r->result.instructions);
    put_counters(&j, r);
    put_totals(&j, &r->result.totals);
    json_key(&j, "findings");
    json_array(&j);
    for (size_t i = 0; i < r->result.findings.n; i++)
        put_finding(&j, r, &r->result.findings.p[i]);
    json_end(&j);
    json_key(&j, "finished"), json_bool(&j, r->result.finished);
    json_key(&j, "assumed"); /* instructions whose results were not measured on hardware */
    json_array(&j);
    for (uint32_t i = 0; i < r->code.count; i++) {
        if (!r->result.assumed[i])
            continue;
        json_object(&j);
        put_uint(&j, "offset", r->code.in[i].offset);
        json_key(&j, "text"), json_string(&j, r->code.texts[i].text);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    json_newline(&j);
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static void print_counters(const struct pipe_run *r, struct out *out)
{
    out_text(out, "\n  offset    warps   threads        on  wavefronts (ideal)  sectors (ideal)  instruction\n");
    for (uint32_t i = 0; i < r->code.count; i++) {
        const struct emu_count *c = &r->result.counts[i];
        char waves[32] = "", sectors[32] = "";
        if (c->shared_wavefronts)
            snprintf(waves, sizeof waves, "%llu (%llu)", (unsigned long long)c->shared_wavefronts,
                     (unsigned long long)c->shared_ideal);
        if (c->global_requests)
            snprintf(sectors, sizeof sectors, "%llu (%llu)", (unsigned long long)c->global_sectors,
                     (unsigned long long)c->global_sectors_ideal);
        out_printf(out, "  0x%04x %8llu %9llu %9llu  %18s  %15s  %s\n", r->code.in[i].offset,
                   (unsigned long long)c->warps, (unsigned long long)c->threads, (unsigned long long)c->threads_on,
                   waves, sectors, r->code.texts[i].text);
    }
}

static void print_findings(const struct pipe_run *r, struct out *out)
{
    for (size_t i = 0; i < r->result.findings.n; i++) {
        const struct emu_finding *f = &r->result.findings.p[i];
        uint32_t line;
        const char *file = file_at(r, f->offset, &line);
        out_printf(out, "\n%s at 0x%04x  %s\n  %s", emu_finding_text(f->kind), f->offset, text_at(r, f->offset),
                   f->text);
        if (f->has_address)
            out_printf(out, " (address 0x%llx)", (unsigned long long)f->address);
        out_printf(out, "\n  block (%u, %u, %u), thread (%u, %u, %u)", f->block[0], f->block[1], f->block[2],
                   f->thread[0], f->thread[1], f->thread[2]);
        if (f->times > 1)
            out_printf(out, ", and %llu more times", (unsigned long long)f->times - 1);
        if (line)
            out_printf(out, "\n  %s:%u", file ? file : "line", line);
        out_char(out, '\n');
    }
}

static void print_text(const struct pipe_run *r, struct out *out)
{
    const struct emu_totals *t = &r->result.totals;
    const uint32_t *g = r->launch.grid, *b = r->launch.block;
    uint32_t assumed = 0;
    for (uint32_t i = 0; i < r->code.count; i++)
        assumed += r->result.assumed[i];
    out_printf(out, "%s, %s: grid %u x %u x %u, block %u x %u x %u\n",
               r->kernel.demangled ? r->kernel.demangled : r->kernel.name, r->module->arch ? r->module->arch : "?",
               g[0], g[1], g[2], b[0], b[1], b[2]);
    out_printf(out, "%s: %llu instructions of warps, %zu findings\n", r->result.finished ? "ran" : "was stopped",
               (unsigned long long)r->result.instructions, r->result.findings.n);
    out_printf(out,
               "bytes: global loads %llu, stores %llu (at least %llu together); shared loads %llu, stores %llu; "
               "local %llu\n",
               (unsigned long long)t->global_load_bytes, (unsigned long long)t->global_store_bytes,
               (unsigned long long)t->least_global_bytes, (unsigned long long)t->shared_load_bytes,
               (unsigned long long)t->shared_store_bytes, (unsigned long long)t->local_bytes);
    if (assumed)
        out_printf(
            out,
            "assumed: %u instructions of the special function unit gave what sm_90 gives, which this architecture "
            "need not\n",
            assumed);
    print_findings(r, out);
    if (r->options->counters)
        print_counters(r, out);
}

void pipe_run_print(const struct pipe_run *r, struct out *out)
{
    if (r->options->format == SP_FORMAT_JSON)
        print_json(r, out);
    else
        print_text(r, out);
}
