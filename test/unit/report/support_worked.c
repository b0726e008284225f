/* Reads an `explain` document into the records a report renders, so that a test can go once round: document ->
 * facts -> rep_json -> the same document. Spellings are looked up with the vocabulary's own tables. */
#include "support_worked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_ok;

#define EACH_ITEM(array, i, v) for ((i) = 0; ((v) = jv_item((array), (i))); (i)++)

static void wrong(const char *what)
{
    fprintf(stderr, "worked document: %s\n", what);
    read_ok = false;
}

static const char *text_of(struct arena *a, const struct jv *object, const char *key)
{
    const char *text = jv_text(jv_get(object, key));
    return text ? arena_strdup(a, text) : NULL;
}

static int32_t number_of(const struct jv *object, const char *key)
{
    const struct jv *v = jv_get(object, key);
    return jv_is(v, JV_NUMBER) ? (int32_t)v->number : FACT_NONE;
}

static uint32_t unsigned_of(const struct jv *object, const char *key)
{
    const struct jv *v = jv_get(object, key);
    if (!jv_is(v, JV_NUMBER) || v->number < 0)
        wrong(key);
    return v ? (uint32_t)v->number : 0;
}

static double real_of(const struct jv *object, const char *key)
{
    const struct jv *v = jv_get(object, key);
    return jv_is(v, JV_NUMBER) ? v->number : 0;
}

/* An enumerator by its spelling, through the library's own table. */
#define ENUM_OF(spell, last, object, key) \
    enum_of((const char *(*)(int))(void (*)(void))(spell), (last), (object), (key))
static int enum_of(const char *(*spell)(int), int last, const struct jv *object, const char *key)
{
    const char *text = jv_text(jv_get(object, key));
    for (int i = 0; text && i <= last; i++)
        if (strcmp(spell(i), text) == 0)
            return i;
    wrong(key);
    return 0;
}

static struct fact_offsets offsets_of(struct arena *a, const struct jv *array)
{
    uint32_t n = (uint32_t)jv_size(array);
    uint32_t *p = ARENA_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        p[i] = (uint32_t)jv_item(array, i)->number;
    return (struct fact_offsets){p, n};
}

static struct fact_bindings bindings_of(struct arena *a, const struct jv *object)
{
    struct fact_binding *p = ARENA_ARRAY(a, struct fact_binding, jv_size(object));
    uint32_t n = 0;
    for (size_t i = 0; i < jv_size(object); i++) {
        const char *key = object->keys[i];
        const struct jv *v = object->items[i];
        struct fact_binding *b = &p[n++];
        b->key = arena_strdup(a, key);
        b->kind = jv_is(v, JV_TEXT)     ? FACT_BIND_TEXT
                  : jv_is(v, JV_NUMBER) ? FACT_BIND_INT
                  : jv_is(v, JV_BOOL)   ? FACT_BIND_BOOL
                  : jv_is(v, JV_OBJECT) ? FACT_BIND_GROUP
                                        : FACT_BIND_NULL;
        if (jv_is(v, JV_TEXT))
            b->text = arena_strdup(a, jv_text(v));
        b->number = jv_is(v, JV_NUMBER) ? (int64_t)v->number : (jv_is(v, JV_BOOL) && v->truth);
        if (jv_is(v, JV_OBJECT)) {
            struct fact_bindings group = bindings_of(a, v);
            b->group = group.p;
            b->group_count = group.n;
        }
    }
    return (struct fact_bindings){p, n};
}

static void read_tables(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    size_t i;
    const struct jv *v;
    EACH_ITEM(jv_get(o, "params"), i, v)
    VEC_PUSH(a, k->params,
             (struct fact_param){
                 .index = unsigned_of(v, "index"),
                 .offset = unsigned_of(v, "offset"),
                 .constant_offset = unsigned_of(v, "constant_offset"),
                 .size = unsigned_of(v, "size"),
                 .name = text_of(a, v, "name"),
                 .name_from_source = strcmp(jv_text(jv_get(v, "name_from")), "source") == 0,
                 .type = text_of(a, v, "type"),
                 .access = (enum fact_access_mode)ENUM_OF(fact_access_text, FACT_ACCESS_UNKNOWN, v, "access")});
    EACH_ITEM(jv_get(o, "names"), i, v)
    VEC_PUSH(a, k->names,
             (struct fact_name){text_of(a, v, "name"), text_of(a, v, "expr"), text_of(a, v, "type"),
                                offsets_of(a, jv_get(v, "evidence"))});
    EACH_ITEM(jv_get(o, "outputs"), i, v)
    {
        const struct jv *differs = jv_get(v, "differs");
        struct fact_differs *d = ARENA_ARRAY(a, struct fact_differs, jv_size(differs));
        for (size_t x = 0; x < jv_size(differs); x++) {
            const struct jv *e = jv_item(differs, x);
            d[x] = (struct fact_differs){text_of(a, e, "when"), text_of(a, e, "exact"), text_of(a, e, "real")};
        }
        VEC_PUSH(a, k->outputs,
                 (struct fact_output){.store = unsigned_of(v, "store"),
                                      .address = text_of(a, v, "address"),
                                      .runs_when = text_of(a, v, "runs_when"),
                                      .value = text_of(a, v, "value"),
                                      .exact = text_of(a, v, "exact"),
                                      .real = text_of(a, v, "real"),
                                      .differs = d,
                                      .differs_count = (uint32_t)jv_size(differs)});
    }
    EACH_ITEM(jv_get(o, "phases"), i, v)
    {
        struct fact_offsets patterns = offsets_of(a, jv_get(v, "patterns"));
        VEC_PUSH(
            a, k->phases,
            (struct fact_phase){.kind = (enum fact_phase_kind)ENUM_OF(fact_phase_text, FACT_PHASE_OTHER, v, "kind"),
                                .from = unsigned_of(v, "from"),
                                .to = unsigned_of(v, "to"),
                                .summary = text_of(a, v, "summary"),
                                .patterns = patterns.p,
                                .pattern_count = patterns.n,
                                .evidence = offsets_of(a, jv_get(v, "evidence"))});
    }
    EACH_ITEM(jv_get(o, "accesses"), i, v)
    VEC_PUSH(a, k->accesses,
             (struct fact_access){.offset = unsigned_of(v, "offset"),
                                  .space = (enum fact_where)ENUM_OF(fact_where_text, FACT_TENSOR, v, "space"),
                                  .bytes = unsigned_of(v, "bytes"),
                                  .stride_bytes = number_of(v, "stride_bytes"),
                                  .coalescing = (enum fact_coalescing)ENUM_OF(fact_coalescing_text,
                                                                              FACT_COALESCING_UNKNOWN, v, "coalescing"),
                                  .conflict_degree = number_of(v, "conflict_degree")});
    const struct jv *work = jv_get(o, "work");
    k->has_work = jv_is(work, JV_OBJECT);
    if (k->has_work)
        k->work = (struct fact_work){.flops = real_of(work, "flops"),
                                     .global_bytes = real_of(work, "global_bytes"),
                                     .shared_bytes = real_of(work, "shared_bytes"),
                                     .intensity = real_of(work, "intensity"),
                                     .has_shared = jv_is(jv_get(work, "shared_bytes"), JV_NUMBER),
                                     .has_intensity = jv_is(jv_get(work, "intensity"), JV_NUMBER)};
}

static void read_instructions(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    size_t i;
    const struct jv *v;
    EACH_ITEM(jv_get(o, "instructions"), i, v)
    {
        struct fact_offsets patterns = offsets_of(a, jv_get(v, "patterns"));
        const struct jv *yield = jv_get(v, "yield");
        int role = fact_role_find(jv_text(jv_get(v, "role")));
        if (role < 0)
            wrong("role");
        VEC_PUSH(a, k->instructions,
                 (struct fact_instruction){.offset = unsigned_of(v, "offset"),
                                           .text = text_of(a, v, "text"),
                                           .guard = text_of(a, v, "guard"),
                                           .runs_when = text_of(a, v, "runs_when"),
                                           .role = (enum fact_role)role,
                                           .expr = text_of(a, v, "expr"),
                                           .file = number_of(v, "file"),
                                           .line = number_of(v, "line"),
                                           .source_text = text_of(a, v, "source_text"),
                                           .ptx_line = number_of(v, "ptx_line"),
                                           .stall = number_of(v, "stall"),
                                           .write_barrier = number_of(v, "write_barrier"),
                                           .read_barrier = number_of(v, "read_barrier"),
                                           .wait_mask = number_of(v, "wait_mask"),
                                           .yield = jv_is(yield, JV_BOOL) ? (jv_is(yield, JV_BOOL) && yield->truth)
                                                                          : FACT_NONE,
                                           .patterns = patterns.p,
                                           .pattern_count = patterns.n});
    }
    const struct jv *flow = jv_get(o, "register_flow");
    for (i = 0; i < jv_size(flow); i++) {
        v = flow->items[i];
        struct fact_hold *holds = ARENA_ARRAY(a, struct fact_hold, jv_size(v));
        for (size_t h = 0; h < jv_size(v); h++) {
            const struct jv *e = jv_item(v, h);
            const char *part = jv_text(jv_get(e, "part"));
            holds[h] = (struct fact_hold){.from = unsigned_of(e, "from"),
                                          .to = unsigned_of(e, "to"),
                                          .holds = text_of(a, e, "holds"),
                                          .part = !part                     ? FACT_WHOLE
                                                  : strcmp(part, "lo") == 0 ? FACT_LO
                                                                            : FACT_HI,
                                          .value = text_of(a, e, "value")};
        }
        VEC_PUSH(a, k->register_flow,
                 (struct fact_register){arena_strdup(a, flow->keys[i]), holds, (uint32_t)jv_size(v)});
    }
}

static void read_values(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    size_t i;
    const struct jv *v;
    EACH_ITEM(jv_get(o, "values"), i, v)
    {
        const struct jv *storage = jv_get(v, "storage"), *uses = jv_get(v, "uses");
        uint32_t places = (uint32_t)jv_size(storage), use_count = (uint32_t)jv_size(uses);
        struct fact_storage *p = ARENA_ARRAY(a, struct fact_storage, places);
        struct fact_use *u = ARENA_ARRAY(a, struct fact_use, use_count);
        for (uint32_t x = 0; x < places; x++) {
            const struct jv *e = jv_item(storage, x);
            p[x] = (struct fact_storage){.where = (enum fact_where)ENUM_OF(fact_where_text, FACT_TENSOR, e, "where"),
                                         .at = text_of(a, e, "at"),
                                         .from = unsigned_of(e, "from"),
                                         .to = unsigned_of(e, "to"),
                                         .address = text_of(a, e, "address")};
        }
        for (uint32_t x = 0; x < use_count; x++) {
            const struct jv *e = jv_item(uses, x);
            u[x] = (struct fact_use){.offset = unsigned_of(e, "offset"),
                                     .via = (enum fact_where)ENUM_OF(fact_where_text, FACT_TENSOR, e, "via"),
                                     .other_thread = strcmp(jv_text(jv_get(e, "thread")), "other") == 0};
        }
        VEC_PUSH(a, k->values,
                 (struct fact_value){
                     .id = text_of(a, v, "id"),
                     .name = text_of(a, v, "name"),
                     .expr = text_of(a, v, "expr"),
                     .type = text_of(a, v, "type"),
                     .cls = (enum fact_class)ENUM_OF(fact_class_text, FACT_RESULT, v, "class"),
                     .storage = p,
                     .storage_count = places,
                     .uses = u,
                     .use_count = use_count,
                     .confidence = (enum fact_confidence)ENUM_OF(fact_confidence_text, FACT_MATCHED, v, "confidence"),
                     .evidence = offsets_of(a, jv_get(v, "evidence"))});
    }
}

static void read_findings(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    size_t i;
    const struct jv *v;
    EACH_ITEM(jv_get(o, "patterns"), i, v)
    {
        const struct jv *via = jv_get(v, "via");
        const char **rules = ARENA_ARRAY(a, const char *, jv_size(via));
        for (size_t x = 0; x < jv_size(via); x++)
            rules[x] = arena_strdup(a, jv_text(jv_item(via, x)));
        if (unsigned_of(v, "n") != i)
            wrong("n");
        VEC_PUSH(a, k->patterns,
                 (struct fact_pattern){
                     .id = text_of(a, v, "id"),
                     .parent = number_of(v, "parent"),
                     .offsets = offsets_of(a, jv_get(v, "offsets")),
                     .bindings = bindings_of(a, jv_get(v, "bindings")),
                     .via = {rules, (uint32_t)jv_size(via)},
                     .confidence = (enum fact_confidence)ENUM_OF(fact_confidence_text, FACT_MATCHED, v, "confidence"),
                     .rule = text_of(a, v, "rule")});
    }
    EACH_ITEM(jv_get(o, "rewrites"), i, v)
    {
        const struct jv *source = jv_get(v, "source");
        VEC_PUSH(a, k->rewrites,
                 (struct fact_rewrite){
                     .kind = text_of(a, v, "kind"),
                     .stage = (enum fact_stage)ENUM_OF(fact_stage_text, FACT_STAGE_UNKNOWN, v, "stage"),
                     .reason = text_of(a, v, "reason"),
                     .source_file = number_of(source, "file"),
                     .source_line = number_of(source, "line"),
                     .source_text = text_of(a, source, "text"),
                     .ptx = offsets_of(a, jv_get(v, "ptx")),
                     .sass = offsets_of(a, jv_get(v, "sass")),
                     .args = bindings_of(a, jv_get(v, "args")),
                     .confidence = (enum fact_confidence)ENUM_OF(fact_confidence_text, FACT_MATCHED, v, "confidence")});
    }
}

static void read_lines(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    size_t i;
    const struct jv *v;
    EACH_ITEM(jv_get(o, "lines"), i, v)
    VEC_PUSH(a, k->lines,
             (struct fact_line){number_of(v, "file"), number_of(v, "line"), text_of(a, v, "text"),
                                offsets_of(a, jv_get(v, "offsets"))});
    EACH_ITEM(jv_get(o, "source_says"), i, v)
    {
        const struct jv *source = jv_get(v, "source");
        VEC_PUSH(a, k->says,
                 (struct fact_said){.kind = text_of(a, v, "kind"),
                                    .file = number_of(source, "file"),
                                    .line = number_of(source, "line"),
                                    .text = text_of(a, source, "text"),
                                    .machine = text_of(a, v, "machine"),
                                    .sense = text_of(a, v, "sense"),
                                    .offsets = offsets_of(a, jv_get(v, "sass"))});
    }
    k->ptx_from = text_of(a, o, "ptx_from");
    EACH_ITEM(jv_get(o, "ptx"), i, v)
    VEC_PUSH(a, k->ptx,
             (struct fact_ptx){.line = number_of(v, "line"),
                               .function = text_of(a, v, "function"),
                               .text = text_of(a, v, "text"),
                               .file = number_of(v, "file"),
                               .source_line = number_of(v, "source_line"),
                               .offsets = offsets_of(a, jv_get(v, "offsets"))});
}

static void read_kernel(struct fact_kernel *k, struct arena *a, const struct jv *o)
{
    const struct jv *padding = jv_get(o, "padding");
    k->input = unsigned_of(o, "input");
    k->name = text_of(a, o, "name");
    k->demangled = text_of(a, o, "demangled");
    k->base_name = k->demangled ? arena_strndup(a, k->demangled, strcspn(k->demangled, "(")) : NULL;
    k->arch = text_of(a, o, "arch");
    k->summary = text_of(a, o, "summary");
    k->registers = number_of(o, "registers");
    k->uniform_registers = number_of(o, "uniform_registers");
    k->shared_bytes = number_of(o, "shared_bytes");
    k->stack_bytes = number_of(o, "stack_bytes");
    k->barriers = number_of(o, "barriers");
    k->code_bytes = number_of(o, "code_bytes");
    k->dynamic_shared = (jv_get(o, "dynamic_shared") && jv_get(o, "dynamic_shared")->truth);
    k->has_padding = jv_is(padding, JV_OBJECT);
    if (k->has_padding) {
        k->padding_from = unsigned_of(padding, "from");
        k->padding_to = unsigned_of(padding, "to");
        k->padding_instructions = unsigned_of(padding, "instructions");
    }
    read_tables(k, a, o);
    read_instructions(k, a, o);
    read_values(k, a, o);
    read_findings(k, a, o);
    read_lines(k, a, o);
}

bool worked_read(struct fact_document *doc, struct arena *a, const struct jv *root)
{
    size_t i;
    const struct jv *v;
    read_ok = true;
    *doc = (struct fact_document){.a = a, .tool = text_of(a, root, "tool")};
    doc->diags = ARENA_NEW(a, struct diag_sink);
    diag_init(doc->diags, a);
    EACH_ITEM(jv_get(root, "sources"), i, v)
    {
        const char *matched = jv_text(jv_get(v, "matched"));
        enum fact_match how = FACT_MATCH_NONE;
        for (int m = FACT_MATCH_SIZE; m <= FACT_MATCH_SHAPE && matched; m++)
            if (strcmp(fact_match_text((enum fact_match)m), matched) == 0)
                how = (enum fact_match)m;
        VEC_PUSH(a, doc->sources,
                 (struct fact_source_file){.input = unsigned_of(v, "input"),
                                           .file = number_of(v, "file"),
                                           .path = text_of(a, v, "path"),
                                           .matched = how,
                                           .why = text_of(a, v, "why")});
        doc->sources_given = true;
    }
    EACH_ITEM(jv_get(root, "inputs"), i, v)
    VEC_PUSH(a, doc->inputs,
             (struct fact_input){.path = text_of(a, v, "path"),
                                 .member = text_of(a, v, "member"),
                                 .kind = text_of(a, v, "kind"),
                                 .producer = text_of(a, v, "producer"),
                                 .status = text_of(a, v, "status"),
                                 .has_ptx = true,
                                 .has_line_info = true});
    EACH_ITEM(jv_get(root, "files"), i, v)
    VEC_PUSH(a, doc->files, arena_strdup(a, jv_text(v)));
    EACH_ITEM(jv_get(root, "kernels"), i, v)
    {
        struct fact_kernel kernel = {0};
        read_kernel(&kernel, a, v);
        VEC_PUSH(a, doc->kernels, kernel);
    }
    return read_ok && !arena_failed(a);
}

const struct jv *worked_load(struct fact_document *doc, struct arena *a)
{
    size_t error_at = 0, n = 0;
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/report/clamp_f32.worked.json", "rb");
    char *text = ARENA_ARRAY(a, char, 1 << 16);
    if (f && text) {
        n = fread(text, 1, 1 << 16, f);
        fclose(f);
    }
    const struct jv *root = jv_parse(a, text, n, &error_at);
    if (!root)
        fprintf(stderr, "worked document: not JSON at byte %zu\n", error_at);
    return root && worked_read(doc, a, root) ? root : NULL;
}

bool worked_collect(void *user, const char *bytes, size_t n)
{
    struct worked_text *t = user;
    if (t->n + n + 1 > t->cap) {
        size_t cap = (t->n + n + 1) * 2;
        char *p = realloc(t->p, cap);
        if (!p)
            return false;
        t->p = p;
        t->cap = cap;
    }
    memcpy(t->p + t->n, bytes, n);
    t->n += n;
    t->p[t->n] = '\0';
    return true;
}
