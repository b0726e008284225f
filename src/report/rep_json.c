/* The `explain` document for programs (doc/schema/explain.schema.json).
 *
 * One function a record, its keys in a fixed order and all of them always there: null or [] stand for
 * "nothing". Same facts, same bytes. What a report of another kind leaves out or abbreviates stands here in
 * full.
 * requires: a finished fact_document · gives: one line of JSON */
#include "report/rep.h"

static void write_number(struct json *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_int(j, value);
}

/* FACT_NONE stands for "no such number". */
static void write_optional(struct json *j, const char *key, int32_t value)
{
    json_key(j, key);
    if (value == FACT_NONE)
        json_null(j);
    else
        json_int(j, value);
}

static void write_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_string(j, text);
}

static void write_truth(struct json *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}

static void open_object(struct json *j, const char *key)
{
    json_key(j, key);
    json_object(j);
}

static void open_array(struct json *j, const char *key)
{
    json_key(j, key);
    json_array(j);
}

static void write_numbers(struct json *j, const char *key, const uint32_t *p, uint32_t n)
{
    open_array(j, key);
    for (uint32_t i = 0; i < n; i++)
        json_uint(j, p[i]);
    json_end(j);
}

static void write_offsets(struct json *j, const char *key, struct fact_offsets offsets)
{
    write_numbers(j, key, offsets.p, offsets.n);
}

static void write_bindings(struct json *j, const char *key, const struct fact_binding *p, uint32_t n)
{
    open_object(j, key);
    for (uint32_t i = 0; i < n; i++) {
        const struct fact_binding *b = &p[i];
        if (b->kind == FACT_BIND_GROUP) {
            write_bindings(j, b->key, b->group, b->group_count);
            continue;
        }
        json_key(j, b->key);
        switch (b->kind) {
        case FACT_BIND_TEXT: json_string(j, b->text); break;
        case FACT_BIND_INT: json_int(j, b->number); break;
        case FACT_BIND_BOOL: json_bool(j, b->number != 0); break;
        default: json_null(j); break;
        }
    }
    json_end(j);
}

static void write_input(struct json *j, const struct fact_input *input)
{
    json_object(j);
    write_text(j, "path", input->path);
    write_text(j, "kind", input->kind);
    write_text(j, "producer", input->producer);
    write_text(j, "status", input->status);
    write_text(j, "member", input->member);
    json_end(j);
}

static void write_diagnostic(struct json *j, const struct diag *d)
{
    static const char *const severity[] = {"error", "warning", "note"};
    json_object(j);
    write_text(j, "severity", severity[d->severity]);
    write_text(j, "code", d->code);
    write_optional(j, "input", d->input < 0 ? FACT_NONE : d->input);
    write_text(j, "section", d->section);
    json_key(j, "offset");
    if (d->offset < 0)
        json_null(j);
    else
        json_int(j, d->offset);
    write_text(j, "message", d->message);
    json_end(j);
}

static void write_comparison(struct json *j, const struct fact_comparison *c)
{
    json_object(j);
    write_number(j, "a", c->a);
    write_number(j, "b", c->b);
    open_array(j, "rows");
    for (size_t i = 0; i < c->rows.n; i++) {
        const struct fact_comparison_row *row = &c->rows.p[i];
        json_object(j);
        write_text(j, "subject", row->subject);
        write_text(j, "a", row->a);
        write_text(j, "b", row->b);
        write_truth(j, "same", row->same);
        write_text(j, "why", row->why);
        json_end(j);
    }
    json_end(j);
    write_text(j, "summary", c->summary);
    json_end(j);
}

static void write_param(struct json *j, const struct fact_param *p)
{
    json_object(j);
    write_number(j, "index", p->index);
    write_number(j, "offset", p->offset);
    write_number(j, "constant_offset", p->constant_offset);
    write_number(j, "size", p->size);
    write_text(j, "name", p->name);
    write_text(j, "name_from", p->name_from_source ? "source" : "position");
    write_text(j, "type", p->type);
    write_text(j, "access", fact_access_text(p->access));
    json_end(j);
}

static void write_name(struct json *j, const struct fact_name *name)
{
    json_object(j);
    write_text(j, "name", name->name);
    write_text(j, "expr", name->expr);
    write_text(j, "type", name->type);
    write_offsets(j, "evidence", name->evidence);
    json_end(j);
}

static void write_loop(struct json *j, const struct fact_loop *loop)
{
    static const char *const carried_kind[] = {"counter", "address", "data"};
    json_object(j);
    write_number(j, "id", loop->id);
    write_optional(j, "parent", loop->parent);
    write_number(j, "from", loop->from);
    write_number(j, "to", loop->to);
    write_text(j, "counter", loop->counter);
    write_text(j, "start", loop->start);
    write_text(j, "step", loop->step);
    write_text(j, "until", loop->until);
    write_number(j, "unroll", loop->unroll);
    open_array(j, "pieces");
    for (uint32_t i = 0; i < loop->piece_count; i++) {
        const struct fact_loop_piece *piece = &loop->pieces[i];
        json_object(j);
        write_text(j, "kind", piece->straight ? "straight" : "loop");
        write_number(j, "from", piece->from);
        write_number(j, "to", piece->to);
        write_number(j, "unroll", piece->unroll);
        json_end(j);
    }
    json_end(j);
    write_text(j, "count", loop->count);
    open_array(j, "carried");
    for (uint32_t i = 0; i < loop->carried_count; i++) {
        const struct fact_carried *carried = &loop->carried[i];
        json_object(j);
        write_text(j, "expr", carried->expr);
        write_number(j, "at", carried->at);
        write_text(j, "kind", carried_kind[carried->kind]);
        write_text(j, "value", carried->value);
        json_end(j);
    }
    json_end(j);
    json_key(j, "source_loop");
    if (loop->source_line == FACT_NONE) {
        json_null(j);
    } else {
        json_object(j);
        write_optional(j, "file", loop->source_file);
        write_number(j, "line", loop->source_line);
        json_end(j);
    }
    write_offsets(j, "evidence", loop->evidence);
    json_end(j);
}

static void write_unknown(struct json *j, const struct fact_unknown *unknown)
{
    json_object(j);
    write_number(j, "offset", unknown->offset);
    write_text(j, "text", unknown->text);
    write_text(j, "bits", unknown->bits);
    write_text(j, "why", fact_why_text(unknown->why));
    write_text(j, "reason", unknown->reason);
    json_end(j);
}

static void write_output(struct json *j, const struct fact_output *output)
{
    json_object(j);
    write_number(j, "store", output->store);
    write_text(j, "address", output->address);
    write_text(j, "runs_when", output->runs_when);
    write_text(j, "value", output->value);
    write_text(j, "exact", output->exact);
    write_text(j, "real", output->real);
    open_array(j, "differs");
    for (uint32_t i = 0; i < output->differs_count; i++) {
        json_object(j);
        write_text(j, "when", output->differs[i].when);
        write_text(j, "exact", output->differs[i].exact);
        write_text(j, "real", output->differs[i].real);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void write_range(struct json *j, uint32_t from, uint32_t to)
{
    json_array(j);
    json_uint(j, from);
    json_uint(j, to);
    json_end(j);
}

static void write_phase(struct json *j, const struct fact_phase *phase)
{
    json_object(j);
    write_text(j, "kind", fact_phase_text(phase->kind));
    write_number(j, "from", phase->from);
    write_number(j, "to", phase->to);
    open_array(j, "ranges");
    for (uint32_t i = 0; i < phase->range_count; i++)
        write_range(j, phase->ranges[2 * i], phase->ranges[2 * i + 1]);
    if (phase->range_count == 0)
        write_range(j, phase->from, phase->to);
    json_end(j);
    write_text(j, "summary", phase->summary);
    write_numbers(j, "patterns", phase->patterns, phase->pattern_count);
    write_offsets(j, "evidence", phase->evidence);
    json_end(j);
}

static void write_instruction(struct json *j, const struct fact_instruction *in)
{
    json_object(j);
    write_number(j, "offset", in->offset);
    write_text(j, "text", in->text);
    write_text(j, "guard", in->guard);
    write_text(j, "runs_when", in->runs_when);
    write_text(j, "role", fact_role_text(in->role));
    write_text(j, "expr", in->expr);
    write_optional(j, "line", in->line);
    write_optional(j, "ptx_line", in->ptx_line);
    write_optional(j, "stall", in->stall);
    json_key(j, "yield");
    if (in->yield == FACT_NONE)
        json_null(j);
    else
        json_bool(j, in->yield != 0);
    write_optional(j, "write_barrier", in->write_barrier);
    write_optional(j, "read_barrier", in->read_barrier);
    write_optional(j, "wait_mask", in->wait_mask);
    write_numbers(j, "patterns", in->patterns, in->pattern_count);
    write_optional(j, "file", in->file);
    open_array(j, "inlined");
    for (uint32_t i = 0; i < in->inlined_count; i++) {
        json_object(j);
        write_optional(j, "file", in->inlined[i].file);
        write_optional(j, "line", in->inlined[i].line);
        write_text(j, "function", in->inlined[i].function);
        json_end(j);
    }
    json_end(j);
    write_text(j, "source_text", in->source_text);
    json_end(j);
}

static void write_part(struct json *j, enum fact_part part)
{
    write_text(j, "part", part == FACT_LO ? "lo" : part == FACT_HI ? "hi" : NULL);
}

static void write_register(struct json *j, const struct fact_register *r)
{
    open_array(j, r->name);
    for (uint32_t i = 0; i < r->hold_count; i++) {
        const struct fact_hold *hold = &r->holds[i];
        json_object(j);
        write_number(j, "from", hold->from);
        write_number(j, "to", hold->to);
        write_text(j, "holds", hold->holds);
        write_text(j, "value", hold->value);
        write_part(j, hold->part);
        json_end(j);
    }
    json_end(j);
}

static void write_value(struct json *j, const struct fact_value *value)
{
    json_object(j);
    write_text(j, "id", value->id);
    write_text(j, "name", value->name);
    write_text(j, "expr", value->expr);
    write_text(j, "type", value->type);
    write_text(j, "class", fact_class_text(value->cls));
    open_array(j, "storage");
    for (uint32_t i = 0; i < value->storage_count; i++) {
        const struct fact_storage *place = &value->storage[i];
        json_object(j);
        write_text(j, "where", fact_where_text(place->where));
        write_text(j, "at", place->at);
        write_text(j, "address", place->address);
        write_number(j, "from", place->from);
        write_number(j, "to", place->to);
        write_truth(j, "reloaded", place->reloaded);
        json_end(j);
    }
    json_end(j);
    open_array(j, "uses");
    for (uint32_t i = 0; i < value->use_count; i++) {
        const struct fact_use *use = &value->uses[i];
        json_object(j);
        write_number(j, "offset", use->offset);
        write_text(j, "via", fact_where_text(use->via));
        write_text(j, "thread", use->other_thread ? "other" : "same");
        json_end(j);
    }
    json_end(j);
    write_offsets(j, "evidence", value->evidence);
    write_text(j, "confidence", fact_confidence_text(value->confidence));
    json_end(j);
}

static void write_pattern(struct json *j, const struct fact_pattern *pattern, size_t n)
{
    json_object(j);
    write_number(j, "n", (int64_t)n);
    write_text(j, "id", pattern->id);
    write_optional(j, "parent", pattern->parent);
    write_offsets(j, "offsets", pattern->offsets);
    write_bindings(j, "bindings", pattern->bindings.p, pattern->bindings.n);
    write_text(j, "confidence", fact_confidence_text(pattern->confidence));
    open_array(j, "via");
    for (uint32_t i = 0; i < pattern->via.n; i++)
        json_string(j, pattern->via.p[i]);
    json_end(j);
    write_text(j, "rule", pattern->rule);
    json_end(j);
}

static void write_line(struct json *j, const struct fact_line *line)
{
    json_object(j);
    write_optional(j, "file", line->file);
    write_number(j, "line", line->line);
    write_text(j, "text", line->text);
    write_offsets(j, "offsets", line->offsets);
    json_end(j);
}

static void write_said(struct json *j, const struct fact_said *said)
{
    json_object(j);
    write_text(j, "kind", said->kind);
    open_object(j, "source");
    write_optional(j, "file", said->file);
    write_number(j, "line", said->line);
    write_text(j, "text", said->text);
    json_end(j);
    write_text(j, "machine", said->machine);
    write_text(j, "sense", said->sense);
    write_offsets(j, "sass", said->offsets);
    json_end(j);
}

static void write_ptx(struct json *j, const struct fact_ptx *ptx)
{
    json_object(j);
    write_number(j, "line", ptx->line);
    write_text(j, "function", ptx->function);
    write_text(j, "text", ptx->text);
    write_optional(j, "file", ptx->file);
    write_optional(j, "source_line", ptx->source_line);
    write_offsets(j, "offsets", ptx->offsets);
    json_end(j);
}

static void write_rewrite(struct json *j, const struct fact_rewrite *rewrite)
{
    json_object(j);
    write_text(j, "kind", rewrite->kind);
    write_text(j, "stage", fact_stage_text(rewrite->stage));
    write_text(j, "reason", rewrite->reason);
    json_key(j, "source");
    if (rewrite->source_line == FACT_NONE) {
        json_null(j);
    } else {
        json_object(j);
        write_optional(j, "file", rewrite->source_file);
        write_number(j, "line", rewrite->source_line);
        write_text(j, "text", rewrite->source_text);
        json_end(j);
    }
    write_offsets(j, "ptx", rewrite->ptx);
    write_offsets(j, "sass", rewrite->sass);
    write_bindings(j, "args", rewrite->args.p, rewrite->args.n);
    write_text(j, "confidence", fact_confidence_text(rewrite->confidence));
    json_end(j);
}

/* NULL: a store that is not among the accesses. */
static void write_read(struct json *j, const struct fact_read *read)
{
    json_object(j);
    write_optional(j, "store", read ? (int32_t)read->store : FACT_NONE);
    write_text(j, "thread", read ? read->thread : NULL);
    write_text(j, "sync", fact_sync_text(read ? read->sync : FACT_SYNC_UNKNOWN));
    write_offsets(j, "barriers", read ? read->barriers : (struct fact_offsets){0});
    write_text(j, "confidence", fact_confidence_text(read ? read->confidence : FACT_ASSUMED));
    json_end(j);
}

static void write_access(struct json *j, const struct fact_access *access)
{
    json_object(j);
    write_number(j, "offset", access->offset);
    write_text(j, "space", fact_where_text(access->space));
    write_number(j, "bytes", access->bytes);
    write_optional(j, "stride_bytes", access->stride_bytes);
    write_text(j, "coalescing", fact_coalescing_text(access->coalescing));
    write_optional(j, "conflict_degree", access->conflict_degree);
    if (access->reads_more && !access->read_count) {
        json_key(j, "reads");
        json_null(j);
    } else {
        open_array(j, "reads");
        for (uint32_t i = 0; i < access->read_count; i++)
            write_read(j, &access->reads[i]);
        if (access->reads_more)
            write_read(j, NULL);
        json_end(j);
    }
    json_end(j);
}

static void write_real(struct json *j, const char *key, bool present, double value)
{
    json_key(j, key);
    if (present)
        json_double(j, value);
    else
        json_null(j);
}

static void write_work_members(struct json *j, const struct fact_work *work)
{
    bool known = !work->unknown;
    write_real(j, "flops", known, work->flops);
    write_real(j, "global_bytes", known, work->global_bytes);
    write_real(j, "shared_bytes", known && work->has_shared, work->shared_bytes);
    write_real(j, "intensity", known && work->has_intensity, work->intensity);
}

static void write_work(struct json *j, const struct fact_kernel *k)
{
    json_key(j, "work");
    if (!k->has_work) {
        json_null(j);
        return;
    }
    json_object(j);
    write_work_members(j, &k->work);
    open_array(j, "loops");
    for (size_t i = 0; i < k->loop_work.n; i++) {
        json_object(j);
        write_number(j, "loop", k->loop_work.p[i].loop);
        write_work_members(j, &k->loop_work.p[i].work);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void write_occupancy(struct json *j, const struct fact_kernel *k)
{
    json_key(j, "occupancy");
    if (k->occupancy.n == 0) {
        json_null(j);
        return;
    }
    json_array(j);
    for (size_t i = 0; i < k->occupancy.n; i++) {
        json_object(j);
        write_number(j, "block", k->occupancy.p[i].block);
        write_number(j, "warps", k->occupancy.p[i].warps);
        write_text(j, "limit", k->occupancy.p[i].limit);
        if (k->dynamic_shared) /* what a launch asks for is not in the file */
            write_number(j, "dynamic_shared_bytes", 0);
        json_end(j);
    }
    json_end(j);
}

/* An array member whose elements have one writer each. */
#define WRITE_ARRAY(j, key, list, writer)        \
    do {                                         \
        open_array((j), (key));                  \
        for (size_t n_ = 0; n_ < (list).n; n_++) \
            writer((j), &(list).p[n_]);          \
        json_end(j);                             \
    } while (0)

/* The instructions from `from` on up to the end `to`. */
static void write_instructions(struct json *j, const struct fact_kernel *k, uint32_t from, uint32_t to)
{
    open_array(j, "instructions");
    for (size_t i = fact_first_at(k, from); i < k->instructions.n && k->instructions.p[i].offset < to; i++)
        write_instruction(j, &k->instructions.p[i]);
    json_end(j);
}

static void write_function(struct json *j, const struct fact_kernel *k, const struct fact_function *f)
{
    json_object(j);
    write_text(j, "name", f->name);
    write_text(j, "demangled", f->demangled);
    write_text(j, "section", f->section);
    write_number(j, "offset", f->offset);
    write_number(j, "code_bytes", f->code_bytes);
    write_instructions(j, k, f->offset, f->offset + f->code_bytes);
    json_end(j);
}

static void write_kernel(struct json *j, const struct fact_kernel *k)
{
    json_object(j);
    write_number(j, "input", k->input);
    write_text(j, "name", k->name);
    write_text(j, "demangled", k->demangled);
    write_text(j, "arch", k->arch);
    write_optional(j, "registers", k->registers);
    write_optional(j, "uniform_registers", k->uniform_registers);
    write_optional(j, "shared_bytes", k->shared_bytes);
    write_truth(j, "dynamic_shared", k->dynamic_shared);
    write_optional(j, "stack_bytes", k->stack_bytes);
    write_optional(j, "barriers", k->barriers);
    write_optional(j, "code_bytes", k->code_bytes);
    WRITE_ARRAY(j, "params", k->params, write_param);
    WRITE_ARRAY(j, "names", k->names, write_name);
    WRITE_ARRAY(j, "loops", k->loops, write_loop);
    WRITE_ARRAY(j, "unknown", k->unknown, write_unknown);
    if (k->has_padding) {
        open_object(j, "padding");
        write_number(j, "from", k->padding_from);
        write_number(j, "to", k->padding_to);
        write_number(j, "instructions", k->padding_instructions);
        json_end(j);
    } else {
        write_text(j, "padding", NULL);
    }
    write_text(j, "summary", k->summary);
    WRITE_ARRAY(j, "outputs", k->outputs, write_output);
    WRITE_ARRAY(j, "phases", k->phases, write_phase);
    write_instructions(j, k, 0, k->functions.n ? k->functions.p[0].offset : UINT32_MAX);
    open_object(j, "register_flow");
    for (size_t i = 0; i < k->register_flow.n; i++)
        write_register(j, &k->register_flow.p[i]);
    json_end(j);
    WRITE_ARRAY(j, "values", k->values, write_value);
    open_array(j, "patterns");
    for (size_t i = 0; i < k->patterns.n; i++)
        write_pattern(j, &k->patterns.p[i], i);
    json_end(j);
    WRITE_ARRAY(j, "rewrites", k->rewrites, write_rewrite);
    WRITE_ARRAY(j, "accesses", k->accesses, write_access);
    write_work(j, k);
    write_occupancy(j, k);
    WRITE_ARRAY(j, "lines", k->lines, write_line);
    WRITE_ARRAY(j, "source_says", k->says, write_said);
    write_text(j, "ptx_from", k->ptx_from);
    WRITE_ARRAY(j, "ptx", k->ptx, write_ptx);
    open_array(j, "functions");
    for (size_t i = 0; i < k->functions.n; i++)
        write_function(j, k, &k->functions.p[i]);
    json_end(j);
    json_end(j);
}

static void write_source(struct json *j, const struct fact_source_file *source)
{
    json_object(j);
    write_number(j, "input", source->input);
    write_optional(j, "file", source->file);
    write_text(j, "path", source->path);
    write_text(j, "matched", fact_match_text(source->matched));
    write_text(j, "why", source->why);
    json_end(j);
}

void rep_json(const struct fact_document *doc, struct out *o)
{
    struct json json, *j = &json;
    json_init(j, o);
    json_object(j);
    write_text(j, "schema", "sassprobe.explain/1");
    write_text(j, "tool", doc->tool);
    WRITE_ARRAY(j, "inputs", doc->inputs, write_input);
    open_array(j, "files");
    for (size_t i = 0; i < doc->files.n; i++)
        json_string(j, doc->files.p[i]);
    json_end(j);
    open_array(j, "diagnostics");
    for (size_t i = 0; doc->diags && i < doc->diags->list.n; i++)
        write_diagnostic(j, &doc->diags->list.p[i]);
    json_end(j);
    WRITE_ARRAY(j, "comparisons", doc->comparisons, write_comparison);
    WRITE_ARRAY(j, "kernels", doc->kernels, write_kernel);
    WRITE_ARRAY(j, "sources", doc->sources, write_source);
    json_end(j);
    json_newline(j);
}
