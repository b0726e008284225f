/* Facts in words: spans and lists of offsets, signatures, rewrites, lanes, and what identifiers mean.
 *
 * The phrases say what a fact says and no more; where a fact has a field that is NULL, its part of the
 * sentence is missing. */
#include "report/rep_words.h"

#include "base/str.h"
#include "facts/fact_words.h"

#include <stdarg.h>
#include <string.h>

const char *rep_format(struct arena *a, const char *format, ...)
{
    struct strbuf b;
    va_list args;
    str_init(&b, a);
    va_start(args, format);
    str_vaddf(&b, format, args);
    va_end(args);
    return b.p;
}

const char *rep_or_dash(const char *text)
{
    return text && *text ? text : "–";
}

const char *rep_brief(struct arena *a, const char *text)
{
    enum { LONGEST = 240, SEARCH = 40 }; /* bytes; a cut stands at most SEARCH before the end */
    size_t n = text ? strlen(text) : 0, cut = LONGEST;
    if (n <= LONGEST)
        return text;
    while (cut > LONGEST - SEARCH && text[cut] != ' ')
        cut--;
    if (text[cut] != ' ')
        for (cut = LONGEST; ((unsigned char)text[cut] & 0xc0) == 0x80;)
            cut--;
    return rep_format(a, "%.*s …", (int)cut, text);
}

const char *rep_hex(struct arena *a, uint32_t offset)
{
    return rep_format(a, "0x%04x", offset);
}

const char *rep_span(struct arena *a, uint32_t from, uint32_t to)
{
    return from == to ? rep_hex(a, from) : rep_format(a, "0x%04x–0x%04x", from, to);
}

const char *rep_span_padded(struct arena *a, uint32_t from, uint32_t to)
{
    enum { STRETCH = 15 }; /* two offsets of four digits, the dash, two blanks */
    const char *span = rep_span(a, from, to);
    int missing = STRETCH - rep_text_width(span);
    return rep_format(a, "%s%*s", span, missing > 1 ? missing : 1, "");
}

const char *rep_offsets(struct arena *a, struct fact_offsets offsets)
{
    enum { STEP = 16, NEIGHBOURS = 3 };
    struct strbuf b;
    str_init(&b, a);
    for (uint32_t i = 0; i < offsets.n;) {
        uint32_t end = i + 1;
        while (end < offsets.n && offsets.p[end] == offsets.p[end - 1] + STEP)
            end++;
        if (end - i < NEIGHBOURS)
            end = i + 1;
        str_addf(&b, "%s%s", i ? ", " : "", rep_span(a, offsets.p[i], offsets.p[end - 1]));
        i = end;
    }
    return b.p;
}

static void add_bindings(struct strbuf *b, const struct fact_binding *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        str_addf(b, "%s%s" REP_NO_BREAK "=" REP_NO_BREAK, i ? ", " : "", p[i].key);
        switch (p[i].kind) {
        case FACT_BIND_TEXT: str_add(b, rep_or_dash(p[i].text)); break;
        case FACT_BIND_INT: str_addf(b, "%lld", (long long)p[i].number); break;
        case FACT_BIND_BOOL: str_add(b, p[i].number ? "yes" : "no"); break;
        case FACT_BIND_NULL: str_add(b, "–"); break;
        case FACT_BIND_GROUP:
            str_addc(b, '(');
            add_bindings(b, p[i].group, p[i].group_count);
            str_addc(b, ')');
            break;
        }
    }
}

const char *rep_bindings(struct arena *a, struct fact_bindings bindings)
{
    struct strbuf b;
    str_init(&b, a);
    add_bindings(&b, bindings.p, bindings.n);
    return b.p;
}

const char *rep_signature(struct arena *a, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "%s(", fact_kernel_name(k));
    for (size_t i = 0; i < k->params.n; i++) {
        const struct fact_param *p = &k->params.p[i];
        str_add(&b, i ? ", " : "");
        if (p->type)
            str_addf(&b, "%s ", p->type);
        str_add(&b, rep_or_dash(p->name));
        if (!p->type)
            str_addf(&b, ": %u bytes", p->size);
    }
    str_addc(&b, ')');
    return b.p;
}

static const char *argument(const struct fact_rewrite *rewrite, const char *key)
{
    for (uint32_t i = 0; i < rewrite->args.n; i++)
        if (str_equal(rewrite->args.p[i].key, key) && rewrite->args.p[i].kind == FACT_BIND_TEXT)
            return rewrite->args.p[i].text;
    return NULL;
}

const char *rep_lines(struct arena *a, struct fact_offsets lines)
{
    enum { SHOWN = 4 }; /* more are told by the first and the last */
    struct strbuf b;
    str_init(&b, a);
    if (lines.n > SHOWN)
        str_addf(&b, "%u … %u", lines.p[0], lines.p[lines.n - 1]);
    else
        for (uint32_t i = 0; i < lines.n; i++)
            str_addf(&b, "%s%u", i ? ", " : "", lines.p[i]);
    return b.p;
}

const char *rep_rewrite(struct arena *a, const struct fact_rewrite *rewrite)
{
    static const struct {
        const char *kind, *text;
    } phrases[] = {
        {"fma-contraction", "a multiplication and an addition became one fused multiply-add"},
        {"fma-not-contracted", "a product feeds an addition, and they stay two instructions"},
        {"condition-inverted", "the condition is tested the other way round"},
        {"branch-to-exit", "the branch round the work became an exit"},
        {"if-converted", "an if became straight-line code"},
        {"min-max-formed", "a compare and a select became one min/max instruction"},
        {"min-max-refused", "compare and select, not one min/max instruction"},
        {"exp-to-exp2", "the exponential is computed in base 2"},
        {"division-to-reciprocal", "the division became a multiplication by a reciprocal"},
        {"division-expanded", "the division was expanded"},
        {"sqrt-expanded", "the square root was expanded"},
        {"strength-reduced", "an operation was replaced by a cheaper one"},
        {"constant-folded", "computed at compile time"},
        {"common-subexpression", "computed once, used more than once"},
        {"dead-code", "the result is not used"},
        {"unrolled", "the loop was unrolled"},
        {"loop-invariant-hoisted", "moved out of the loop"},
        {"inlined", "the call was inlined"},
        {"call-kept", "the call was kept"},
        {"vectorized", "several accesses became one wide one"},
        {"scalarized", "one wide access became several"},
        {"uniform-promoted", "computed once a warp in uniform registers"},
        {"address-folded", "part of the address moved into the access"},
        {"constant-materialized", "a constant is made in a register"},
        {"packed", "two operations became one packed one"},
        {"load-predicated", "the load is predicated, not branched round"},
        {"reordered", "the order of instructions changed"},
        {"spilled", "a value was spilled to local memory"},
        {"temporary-eliminated", "the temporary of the source has no place of its own"},
    };
    struct strbuf b;
    str_init(&b, a);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (str_equal(phrases[i].kind, rewrite->kind))
            str_add(&b, phrases[i].text);
    if (b.n == 0)
        str_add(&b, rep_or_dash(rewrite->kind));
    const char *to = argument(rewrite, "to");
    if (to)
        str_addf(&b, " (%s)", to);
    for (uint32_t i = 0; i < rewrite->args.n; i++)
        if (str_equal(rewrite->args.p[i].key, "factor") && rewrite->args.p[i].kind == FACT_BIND_INT)
            str_addf(&b, " by %lld", (long long)rewrite->args.p[i].number);
        else if (str_equal(rewrite->args.p[i].key, "width") && rewrite->args.p[i].kind == FACT_BIND_INT)
            str_addf(&b, " of %lld bytes", (long long)rewrite->args.p[i].number);
    if (rewrite->reason)
        str_addf(&b, ": %s", fact_reason_text(rewrite->reason));
    return b.p;
}

const char *rep_source(struct arena *a, const struct fact_document *doc, int32_t file, int32_t line)
{
    if (line == FACT_NONE)
        return "";
    const char *name = file >= 0 && (size_t)file < doc->files.n ? doc->files.p[file] : NULL;
    if (!name)
        return rep_format(a, "line %d", line);
    const char *slash = strrchr(name, '/');
    return rep_format(a, "%s:%d", slash ? slash + 1 : name, line);
}

const char *rep_hold(struct arena *a, const struct fact_hold *hold)
{
    struct strbuf b;
    str_init(&b, a);
    str_add(&b, rep_or_dash(hold->holds));
    if (hold->part != FACT_WHOLE)
        str_add(&b, hold->part == FACT_LO ? " (low half)" : " (high half)");
    if (hold->value && !str_equal(hold->value, hold->holds))
        str_addf(&b, " = %s", hold->value);
    return b.p;
}

/* What a reader follows through a kernel: memory, arithmetic, control between threads; not addresses and
 * constants. */
static bool role_shapes(enum fact_role role)
{
    switch (role) {
    case FACT_ROLE_LOAD:
    case FACT_ROLE_STORE:
    case FACT_ROLE_ATOMIC:
    case FACT_ROLE_COMPUTE:
    case FACT_ROLE_COMPARE:
    case FACT_ROLE_SELECT:
    case FACT_ROLE_CONVERT:
    case FACT_ROLE_LOOP_TEST:
    case FACT_ROLE_BRANCH:
    case FACT_ROLE_CALL:
    case FACT_ROLE_RETURN:
    case FACT_ROLE_BARRIER:
    case FACT_ROLE_SHUFFLE:
    case FACT_ROLE_VOTE:
    case FACT_ROLE_TENSOR:
    case FACT_ROLE_ASYNC_COPY:
    case FACT_ROLE_FENCE:
    case FACT_ROLE_SPILL:
    case FACT_ROLE_REFILL:
    case FACT_ROLE_SLOW_PATH:
    case FACT_ROLE_UNKNOWN: return true;
    default: return false;
    }
}

const char *rep_shape(struct arena *a, const struct fact_kernel *k)
{
    enum { LONGEST = 24 }; /* steps; a longer kernel is told by its phases and listing */
    struct strbuf b;
    unsigned steps = 0;
    str_init(&b, a);
    for (size_t i = 0; i < k->instructions.n;) {
        enum fact_role role = k->instructions.p[i].role;
        if (!role_shapes(role)) {
            i++;
            continue;
        }
        unsigned times = 0;
        for (; i < k->instructions.n; i++) {
            if (k->instructions.p[i].role == role)
                times++;
            else if (role_shapes(k->instructions.p[i].role))
                break;
        }
        if (steps++ == LONGEST) {
            str_add(&b, " → …");
            break;
        }
        str_addf(&b, "%s%s", b.n ? " → " : "", fact_role_text(role));
        if (times > 1)
            str_addf(&b, " ×%u", times);
    }
    return b.p;
}

const char *rep_class_counts(struct arena *a, const struct fact_kernel *k)
{
    uint32_t count[FACT_RESULT + 1] = {0};
    struct strbuf b;
    str_init(&b, a);
    for (size_t i = 0; i < k->values.n; i++)
        count[k->values.p[i].cls]++;
    for (unsigned c = 0; c <= FACT_RESULT; c++)
        if (count[c])
            str_addf(&b, "%s%u %s", b.n ? ", " : "", count[c], fact_class_text((enum fact_class)c));
    return b.n ? b.p : "none";
}

const char *rep_class_meaning(enum fact_class cls)
{
    static const char *const meaning[] = {
        [FACT_REGISTER_ONLY] = "produced and consumed in registers, never stored",
        [FACT_REGISTER_ACCUMULATOR] = "carried round a loop in a register",
        [FACT_SHARED_MATERIALIZED] = "written to shared memory and read back there",
        [FACT_GLOBAL_MATERIALIZED] = "an intermediate that stands in global memory",
        [FACT_SPILLED] = "written to local memory because registers ran out",
        [FACT_LOCAL_ARRAY] = "in local memory because it is indexed at run time",
        [FACT_RECOMPUTED] = "computed again instead of being kept",
        [FACT_INPUT] = "loaded, and not stored elsewhere",
        [FACT_RESULT] = "stored as the kernel's output; nobody reads the store",
    };
    return meaning[cls];
}

const char *rep_role_meaning(enum fact_role role)
{
    static const char *const meaning[FACT_ROLE_UNKNOWN + 1] = {
        [FACT_ROLE_STACK] = "sets up the stack pointer",
        [FACT_ROLE_SPECIAL_REGISTER] = "reads a special register",
        [FACT_ROLE_PARAMETER] = "reads a kernel parameter",
        [FACT_ROLE_CONSTANT] = "makes a constant",
        [FACT_ROLE_INDEX] = "computes an index",
        [FACT_ROLE_BOUNDS_CHECK] = "compares, only to leave",
        [FACT_ROLE_EARLY_EXIT] = "leaves: nothing to do",
        [FACT_ROLE_ADDRESS] = "computes an address",
        [FACT_ROLE_DESCRIPTOR] = "memory descriptor",
        [FACT_ROLE_LOAD] = "reads memory",
        [FACT_ROLE_STORE] = "writes memory",
        [FACT_ROLE_ATOMIC] = "changes memory atomically",
        [FACT_ROLE_COMPUTE] = "computes data",
        [FACT_ROLE_COMPARE] = "compares data",
        [FACT_ROLE_SELECT] = "selects one of two values",
        [FACT_ROLE_CONVERT] = "converts between types",
        [FACT_ROLE_MOVE] = "copies a value",
        [FACT_ROLE_PREDICATE] = "combines conditions",
        [FACT_ROLE_INDUCTION] = "advances a loop's counter or pointer",
        [FACT_ROLE_LOOP_TEST] = "decides whether a loop goes on",
        [FACT_ROLE_BRANCH] = "branches",
        [FACT_ROLE_CALL] = "calls a subroutine",
        [FACT_ROLE_RETURN] = "returns from a subroutine",
        [FACT_ROLE_EXIT] = "ends the thread",
        [FACT_ROLE_BARRIER] = "waits for other threads",
        [FACT_ROLE_RECONVERGENCE] = "keeps or joins diverged threads",
        [FACT_ROLE_SHUFFLE] = "exchanges a value inside the warp",
        [FACT_ROLE_VOTE] = "combines a condition over the warp",
        [FACT_ROLE_TENSOR] = "multiplies matrices",
        [FACT_ROLE_ASYNC_COPY] = "copies memory in the background",
        [FACT_ROLE_FENCE] = "orders memory accesses",
        [FACT_ROLE_SPILL] = "puts a register away in local memory",
        [FACT_ROLE_REFILL] = "brings a spilled register back",
        [FACT_ROLE_SLOW_PATH] = "belongs to a slow path",
        [FACT_ROLE_PADDING] = "padding, never run",
        [FACT_ROLE_DEAD] = "nothing uses the result",
        [FACT_ROLE_UNKNOWN] = "not understood",
    };
    return meaning[role];
}

const char *rep_confidence_meaning(enum fact_confidence confidence, bool real_rules)
{
    if (confidence == FACT_ASSUMED)
        return "assumed: true if what the machine code alone cannot show holds (distinct arrays, sizes in range)";
    if (confidence == FACT_MATCHED)
        return "matched: the shape fits; that it computes this is not shown";
    return real_rules ? "proved: by exact rules, and the real-number rules named"
                      : "proved: follows from the micro-operations by exact rules, for every input";
}

enum rep_style rep_role_style(enum fact_role role)
{
    switch (role) {
    case FACT_ROLE_LOAD:
    case FACT_ROLE_STORE:
    case FACT_ROLE_ATOMIC:
    case FACT_ROLE_ASYNC_COPY: return REP_DATA;
    case FACT_ROLE_COMPUTE:
    case FACT_ROLE_COMPARE:
    case FACT_ROLE_SELECT:
    case FACT_ROLE_CONVERT:
    case FACT_ROLE_TENSOR: return REP_MATH;
    case FACT_ROLE_BOUNDS_CHECK:
    case FACT_ROLE_EARLY_EXIT:
    case FACT_ROLE_PREDICATE:
    case FACT_ROLE_LOOP_TEST:
    case FACT_ROLE_BRANCH:
    case FACT_ROLE_CALL:
    case FACT_ROLE_RETURN:
    case FACT_ROLE_EXIT: return REP_CONTROL;
    case FACT_ROLE_BARRIER:
    case FACT_ROLE_SHUFFLE:
    case FACT_ROLE_VOTE:
    case FACT_ROLE_FENCE: return REP_SYNC;
    case FACT_ROLE_SPILL:
    case FACT_ROLE_REFILL:
    case FACT_ROLE_UNKNOWN: return REP_ALARM;
    case FACT_ROLE_INDEX:
    case FACT_ROLE_ADDRESS:
    case FACT_ROLE_INDUCTION: return REP_PLAIN;
    default: return REP_DIM;
    }
}

enum rep_style rep_confidence_style(enum fact_confidence confidence)
{
    return confidence == FACT_PROVED ? REP_GOOD : REP_DOUBT;
}

bool rep_has_offset(struct fact_offsets offsets, uint32_t offset)
{
    for (uint32_t i = 0; i < offsets.n; i++)
        if (offsets.p[i] == offset)
            return true;
    return false;
}

const char *rep_instruction_text(const struct fact_kernel *k, uint32_t offset)
{
    const struct fact_instruction *in = fact_instruction_at(k, offset);
    return in && in->text ? in->text : "";
}

static const char *output_sentence(struct arena *a, const struct fact_output *output)
{
    struct strbuf b;
    str_init(&b, a);
    const char *address = rep_or_dash(output->address);
    str_addf(&b, "%s = %s", *address == '&' ? address + 1 : address,
             rep_or_dash(output->real ? output->real : output->exact));
    if (output->runs_when)
        str_addf(&b, " when %s", output->runs_when);
    str_addf(&b, ", stored at %s", rep_hex(a, output->store));
    return b.p;
}

static const char *value_sentence(struct arena *a, const struct fact_value *value)
{
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "%s, %s (%s), is %s: %s", rep_or_dash(value->id), rep_or_dash(value->name),
             value->type ? value->type : "type unknown", fact_class_text(value->cls), rep_class_meaning(value->cls));
    for (uint32_t i = 0; i < value->storage_count; i++) {
        const struct fact_storage *place = &value->storage[i];
        str_addf(&b, "%s%s %s %s", i ? ", then " : "; in ", fact_where_text(place->where), rep_or_dash(place->at),
                 rep_span(a, place->from, place->to));
    }
    return b.p;
}

static const char *rewrite_sentence(struct arena *a, const struct fact_document *doc,
                                    const struct fact_rewrite *rewrite)
{
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "%s: %s", rep_or_dash(rewrite->kind), rep_rewrite(a, rewrite));
    if (rewrite->stage != FACT_STAGE_UNKNOWN)
        str_addf(&b, "; stage %s", fact_stage_text(rewrite->stage));
    if (rewrite->source_line != FACT_NONE)
        str_addf(&b, " (%s%s%s)", rep_source(a, doc, rewrite->source_file, rewrite->source_line),
                 rewrite->source_text ? ": " : "", rewrite->source_text ? rewrite->source_text : "");
    return b.p;
}

static const char *lane_sentence(struct arena *a, const struct fact_register *r)
{
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "%s holds ", rep_or_dash(r->name));
    for (uint32_t i = 0; i < r->hold_count; i++)
        str_addf(&b, "%s%s", i ? ", then " : "", rep_hold(a, &r->holds[i]));
    return b.p;
}

/* Shortest text of a number, whatever the locale. */
static const char *number_text(struct arena *a, double value)
{
    char text[32];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    str_float64(text, bits);
    return rep_format(a, "%s", text);
}

/* Three decimals at most; JSON has all of them. */
static const char *rounded_text(struct arena *a, double value)
{
    double scaled = value * 1000;
    if (!(scaled > -1e15 && scaled < 1e15))
        return number_text(a, value);
    return number_text(a, (double)(int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)) / 1000);
}

const char *rep_work(struct arena *a, const struct fact_work *work)
{
    struct strbuf b;
    if (work->unknown)
        return "not told apart from other work";
    str_init(&b, a);
    str_addf(&b, "%s flops, %s B of global memory", number_text(a, work->flops), number_text(a, work->global_bytes));
    if (work->has_shared)
        str_addf(&b, ", %s B of shared memory", number_text(a, work->shared_bytes));
    if (work->has_intensity)
        str_addf(&b, "; intensity %s flops a byte of global memory", rounded_text(a, work->intensity));
    return b.p;
}

const char *rep_statement(struct arena *a, const struct fact_document *doc, const struct rep_statement *s)
{
    const struct fact_kernel *k = &doc->kernels.p[s->kernel];
    switch (s->kind) {
    case REP_SUMMARY: return rep_or_dash(k->summary);
    case REP_FINDING: {
        const struct diag *d = &doc->diags->list.p[s->index];
        return rep_format(a, "%s: %s", rep_or_dash(d->code), rep_or_dash(d->message));
    }
    case REP_OUTPUT: return output_sentence(a, &k->outputs.p[s->index]);
    case REP_DIFFERS: {
        const struct fact_differs *d = &k->outputs.p[s->index].differs[s->sub];
        return rep_format(a, "when %s: exactly %s, as real numbers %s", rep_or_dash(d->when), rep_or_dash(d->exact),
                          rep_or_dash(d->real));
    }
    case REP_VALUE: return value_sentence(a, &k->values.p[s->index]);
    case REP_PATTERN: {
        const struct fact_pattern *p = &k->patterns.p[s->index];
        return rep_format(a, "%s%s%s", rep_or_dash(p->id), p->bindings.n ? ": " : "", rep_bindings(a, p->bindings));
    }
    case REP_REWRITE: return rewrite_sentence(a, doc, &k->rewrites.p[s->index]);
    case REP_SAID: {
        const struct fact_said *said = &k->says.p[s->index];
        return rep_format(a, "%s: %s", rep_source(a, doc, said->file, said->line), rep_said(a, said));
    }
    case REP_PHASE: {
        const struct fact_phase *p = &k->phases.p[s->index];
        return rep_format(a, "phase %u, %s, %s: %s", s->index + 1, fact_phase_text(p->kind), rep_phase_ranges(a, p),
                          rep_or_dash(p->summary));
    }
    case REP_LOOP: {
        const struct fact_loop *l = &k->loops.p[s->index];
        return rep_format(a, "loop %u, %s: %s", l->id, rep_span(a, l->from, l->to), rep_loop_runs(a, l));
    }
    case REP_PARAM: {
        const struct fact_param *p = &k->params.p[s->index];
        return rep_format(a, "parameter %u is %s, %s, %u bytes at c[0x0][0x%x], access: %s", p->index,
                          rep_or_dash(p->name), p->type ? p->type : "type unknown", p->size, p->constant_offset,
                          fact_access_text(p->access));
    }
    case REP_NAME: {
        const struct fact_name *name = &k->names.p[s->index];
        return rep_format(a, "%s stands for %s", rep_or_dash(name->name), rep_or_dash(name->expr));
    }
    case REP_ACCESS: {
        const struct fact_access *access = &k->accesses.p[s->index];
        return rep_format(a, "%u bytes of %s memory at %s: %s", access->bytes, fact_where_text(access->space),
                          rep_hex(a, access->offset), rep_access_words(a, access));
    }
    case REP_WORK:
        return rep_format(a, "%s: %s", k->loops.n ? "a thread, outside loops" : "a thread", rep_work(a, &k->work));
    case REP_LANE: return lane_sentence(a, &k->register_flow.p[s->index]);
    case REP_UNKNOWN: {
        const struct fact_unknown *u = &k->unknown.p[s->index];
        return rep_format(a, "%s at %s is not understood (%s)", rep_or_dash(u->text), rep_hex(a, u->offset),
                          fact_why_text(u->why));
    }
    case REP_COMPARISON: {
        const struct fact_comparison_row *row = &doc->comparisons.p[s->index].rows.p[s->sub];
        return rep_format(a, "%s: %s", rep_or_dash(row->subject), row->same ? "the same" : "different");
    }
    }
    return "–";
}
