/* Launch files: JSON as doc/formats/launch.md tells it, and the short forms of the command line. Nothing in them is
 * trusted: sizes are bounded before memory is taken, and every refusal says where and what was expected.
 *
 * requires: a path or a text · gives: a struct pipe_launch with its buffers' contents */
#include "pipeline/pipe_launch.h"

#include "base/str.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MOST = 16 << 20, PARAMS_MOST = 1024, FIELDS_MOST = 4096, PARAM_BYTES_MOST = 32768 };

struct reader {
    struct arena *a;
    struct diag_sink *diags;
    struct pipe_launch *launch;
    const char *path;
    size_t folder; /* bytes of `path` up to and with its last '/' */
    enum sp_status status;
};

static void refuse(struct reader *r, enum sp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void refuse(struct reader *r, enum sp_status status, const char *format, ...)
{
    struct strbuf text;
    va_list args;
    if (r->status != SP_OK)
        return;
    str_init(&text, r->a);
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    r->status = status;
    diag_add(r->diags, DIAG_ERROR, "launch", NULL, -1, "%s%s%s", r->path ? r->path : "", r->path ? ": " : "", text.p);
}

void pipe_launch_init(struct pipe_launch *launch, uint64_t memory_limit)
{
    *launch =
        (struct pipe_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .memory_limit = memory_limit};
}

/* ---- buffers ------------------------------------------------------------------------------------------------- */

static uint8_t *take_memory(struct reader *r, uint64_t size)
{
    struct pipe_launch *l = r->launch;
    if (size > l->memory_limit || l->memory > l->memory_limit - size) {
        refuse(r, SP_ERR_USAGE, "the buffers want more than %llu bytes (--memory sets the limit)",
               (unsigned long long)l->memory_limit);
        return NULL;
    }
    uint8_t *bytes = arena_alloc(r->a, (size_t)size);
    if (!bytes)
        refuse(r, SP_ERR_MEMORY, "out of memory");
    else
        l->memory += size;
    return bytes;
}

static const char *resolve(struct reader *r, const char *name)
{
    return name[0] == '/' || !r->folder ? arena_strdup(r->a, name)
                                        : arena_printf(r->a, "%.*s%s", (int)r->folder, r->path, name);
}

static uint8_t *load(struct reader *r, const char *name, uint64_t *size)
{
    const char *path = resolve(r, name);
    struct stat st;
    FILE *f = path ? fopen(path, "rb") : NULL;
    uint8_t *bytes = NULL;
    if (!f || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
        refuse(r, SP_ERR_IO, "cannot read '%s': %s", path ? path : name, f ? "not a file" : strerror(errno));
    } else if ((bytes = take_memory(r, (uint64_t)st.st_size)) != NULL) {
        *size = (uint64_t)st.st_size;
        if (fread(bytes, 1, (size_t)*size, f) != *size)
            refuse(r, SP_ERR_IO, "cannot read '%s'", path);
    }
    if (f)
        fclose(f);
    return bytes;
}

static uint32_t add_buffer(struct reader *r, uint8_t *bytes, uint64_t size, const char *save)
{
    struct pipe_buffer b = {.bytes = bytes, .size = size, .save = save ? resolve(r, save) : NULL};
    VEC_PUSH(r->a, r->launch->buffers, b);
    return (uint32_t)r->launch->buffers.n - 1;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static bool known_keys(struct reader *r, json_t *object, const char *where, const char *const *keys)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i]) {
            refuse(r, SP_ERR_USAGE, "%s: no member '%.64s' is known", where, key);
            return false;
        }
    }
    return true;
}

static uint64_t number(struct reader *r, json_t *v, const char *where, uint64_t most)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > most) {
        refuse(r, SP_ERR_USAGE, "%s: a whole number from 0 to %llu is expected", where, (unsigned long long)most);
        return 0;
    }
    return (uint64_t)json_integer_value(v);
}

static void triple(struct reader *r, json_t *v, const char *where, uint32_t out[3])
{
    size_t n = json_array_size(v);
    if (!v)
        return;
    if (!json_is_array(v) || n < 1 || n > 3) {
        refuse(r, SP_ERR_USAGE, "%s: an array of one to three numbers is expected", where);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        out[i] = i < n ? (uint32_t)number(r, json_array_get(v, i), where, INT32_MAX) : 1;
}

/* {"file": …} or {"bytes": N, "fill": B} */
static uint8_t *contents(struct reader *r, json_t *v, const char *where, uint64_t *size)
{
    static const char *const keys[] = {"file", "bytes", "fill", NULL};
    json_t *file = json_object_get(v, "file"), *bytes = json_object_get(v, "bytes"), *fill = json_object_get(v, "fill");
    if (!json_is_object(v) || !known_keys(r, v, where, keys) || (file && bytes) || (!file && !bytes) ||
        (file && !json_is_string(file))) {
        refuse(r, SP_ERR_USAGE, "%s: {\"file\": PATH} or {\"bytes\": N, \"fill\": BYTE} is expected", where);
        return NULL;
    }
    if (file)
        return load(r, json_string_value(file), size);
    *size = number(r, bytes, where, UINT32_MAX);
    uint64_t byte = fill ? number(r, fill, where, 255) : 0;
    uint8_t *p = r->status == SP_OK ? take_memory(r, *size) : NULL;
    if (p)
        memset(p, (int)byte, (size_t)*size);
    return p;
}

static void read_scalar(struct reader *r, json_t *v, const char *where, struct pipe_value *out)
{
    static const char *const keys[] = {"type", "value", "bits", NULL};
    const char *type = json_string_value(json_object_get(v, "type"));
    const char *pattern = json_string_value(json_object_get(v, "bits"));
    json_t *value = json_object_get(v, "value");
    uint64_t bits = 0;
    bool good = false;
    out->size = type ? pipe_scalar_bytes(type) : 0;
    if (!json_is_object(v) || !known_keys(r, v, where, keys) || !out->size) {
        refuse(r, SP_ERR_USAGE, "%s: a scalar has a type of s8 … u64, f16, bf16, f32, f64", where);
        return;
    }
    if (pattern) {
        char *end;
        errno = 0;
        bits = strtoull(pattern, &end, 0);
        good = !value && pattern[0] >= '0' && pattern[0] <= '9' && !*end && !errno &&
               (out->size == 8 || bits >> (8 * out->size) == 0);
    } else if (json_is_string(value)) { /* "inf", "-inf", "nan" */
        const char *text = json_string_value(value);
        bool word = strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 || strcmp(text, "nan") == 0;
        good = word && strchr(type, 'f') && pipe_scalar_bits(type, false, 0, strtod(text, NULL), &bits);
    } else if (json_is_number(value)) {
        good =
            pipe_scalar_bits(type, json_is_integer(value), json_integer_value(value), json_number_value(value), &bits);
    }
    if (!good)
        refuse(r, SP_ERR_USAGE, "%s: a value of type %s is expected", where, type);
    memcpy(out->bytes, &bits, 8);
}

/* A pointer or a scalar, at `out->offset`. */
static void read_value(struct reader *r, json_t *v, const char *where, struct pipe_value *out)
{
    json_t *pointer = json_object_get(v, "pointer"), *save = json_object_get(v, "save");
    json_t *scalar = json_object_get(v, "scalar");
    if ((save && (!json_is_string(save) || !pointer)) || (!pointer && !scalar) || (pointer && scalar)) {
        refuse(r, SP_ERR_USAGE, "%s: one of pointer, scalar or struct is expected, save only with a pointer", where);
        return;
    }
    if (scalar) {
        read_scalar(r, scalar, where, out);
        return;
    }
    uint64_t size = 0;
    uint8_t *bytes = contents(r, pointer, where, &size);
    out->pointer = true;
    out->size = 8;
    if (bytes)
        out->buffer = add_buffer(r, bytes, size, json_string_value(save));
}

static void read_struct(struct reader *r, json_t *v, const char *where, struct pipe_argument *out)
{
    static const char *const keys[] = {"size", "fields", NULL};
    static const char *const field_keys[] = {"offset", "pointer", "scalar", "save", NULL};
    json_t *fields = json_object_get(v, "fields");
    if (!json_is_object(v) || !known_keys(r, v, where, keys) || (fields && !json_is_array(fields)) ||
        json_array_size(fields) > FIELDS_MOST) {
        refuse(r, SP_ERR_USAGE, "%s: a struct has a size and fields", where);
        return;
    }
    out->size = (uint32_t)number(r, json_object_get(v, "size"), where, PARAM_BYTES_MOST);
    for (size_t i = 0; i < json_array_size(fields) && r->status == SP_OK; i++) {
        json_t *f = json_array_get(fields, i);
        struct pipe_value value = {0};
        if (!json_is_object(f) || !known_keys(r, f, where, field_keys)) {
            refuse(r, SP_ERR_USAGE, "%s: a field is an object", where);
            return;
        }
        value.offset = (uint32_t)number(r, json_object_get(f, "offset"), where, PARAM_BYTES_MOST);
        read_value(r, f, where, &value);
        if (value.offset + value.size > out->size)
            refuse(r, SP_ERR_USAGE, "%s: field %zu lies outside the struct", where, i);
        VEC_PUSH(r->a, out->values, value);
    }
}

static void read_params(struct reader *r, json_t *list)
{
    static const char *const keys[] = {"pointer", "scalar", "struct", "save", NULL};
    if (list && (!json_is_array(list) || json_array_size(list) > PARAMS_MOST)) {
        refuse(r, SP_ERR_USAGE, "params: an array is expected");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++) {
        json_t *p = json_array_get(list, i), *structure = json_object_get(p, "struct");
        struct pipe_argument argument = {.whole = !structure};
        char where[32];
        snprintf(where, sizeof where, "params[%zu]", i);
        if (!json_is_object(p) || !known_keys(r, p, where, keys)) {
            refuse(r, SP_ERR_USAGE, "%s: an object is expected", where);
            return;
        }
        if (structure) {
            read_struct(r, structure, where, &argument);
        } else {
            struct pipe_value value = {0};
            read_value(r, p, where, &value);
            argument.size = value.size;
            VEC_PUSH(r->a, argument.values, value);
        }
        VEC_PUSH(r->a, r->launch->arguments, argument);
    }
}

static void read_globals(struct reader *r, json_t *list)
{
    static const char *const keys[] = {"symbol", "file", "save", NULL};
    if (list && (!json_is_array(list) || json_array_size(list) > PARAMS_MOST)) {
        refuse(r, SP_ERR_USAGE, "globals: an array is expected");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++) {
        json_t *g = json_array_get(list, i), *file = json_object_get(g, "file"), *save = json_object_get(g, "save");
        const char *symbol = json_string_value(json_object_get(g, "symbol"));
        struct pipe_global global = {0};
        if (!json_is_object(g) || !known_keys(r, g, "globals", keys) || !symbol || (file && !json_is_string(file)) ||
            (save && !json_is_string(save))) {
            refuse(r, SP_ERR_USAGE, "globals[%zu]: {\"symbol\": NAME, \"file\": PATH, \"save\": PATH} is expected", i);
            return;
        }
        global.symbol = arena_strdup(r->a, symbol);
        if (file)
            global.bytes = load(r, json_string_value(file), &global.size);
        if (save)
            global.save = resolve(r, json_string_value(save));
        VEC_PUSH(r->a, r->launch->globals, global);
    }
}

static void read_top(struct reader *r, json_t *top)
{
    static const char *const keys[] = {"kernel",  "grid",   "block", "shared_bytes", "cluster", "params",
                                       "globals", "limits", NULL};
    static const char *const limit_keys[] = {"instructions", NULL};
    struct pipe_launch *l = r->launch;
    json_t *kernel = json_object_get(top, "kernel"), *shared = json_object_get(top, "shared_bytes");
    json_t *limits = json_object_get(top, "limits");
    if (!json_is_object(top)) {
        refuse(r, SP_ERR_USAGE, "a launch file is one JSON object");
        return;
    }
    if (!known_keys(r, top, "launch", keys))
        return;
    if (kernel && !json_is_string(kernel))
        refuse(r, SP_ERR_USAGE, "kernel: a name is expected");
    else if (kernel)
        l->kernel = arena_strdup(r->a, json_string_value(kernel));
    triple(r, json_object_get(top, "grid"), "grid", l->grid);
    triple(r, json_object_get(top, "block"), "block", l->block);
    triple(r, json_object_get(top, "cluster"), "cluster", l->cluster);
    if (shared)
        l->shared_bytes = number(r, shared, "shared_bytes", UINT32_MAX);
    if (json_is_object(limits) && known_keys(r, limits, "limits", limit_keys)) {
        json_t *most = json_object_get(limits, "instructions");
        l->instructions = most ? number(r, most, "limits.instructions", INT64_MAX) : 0;
    } else if (limits) {
        refuse(r, SP_ERR_USAGE, "limits: {\"instructions\": N} is expected");
    }
    read_params(r, json_object_get(top, "params"));
    read_globals(r, json_object_get(top, "globals"));
}

enum sp_status pipe_launch_read(struct arena *a, struct diag_sink *diags, const char *path, struct pipe_launch *launch)
{
    struct reader r = {.a = a, .diags = diags, .launch = launch, .path = path, .status = SP_OK};
    const char *slash = strrchr(path, '/');
    json_error_t error;
    struct stat st;
    r.folder = slash ? (size_t)(slash - path) + 1 : 0;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
        refuse(&r, SP_ERR_IO, "cannot read the launch file: %s", f ? "not a file" : strerror(errno));
    } else if (st.st_size > FILE_MOST) {
        refuse(&r, SP_ERR_USAGE, "the launch file is larger than %d bytes", FILE_MOST);
    } else {
        json_t *top = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
        if (!top)
            refuse(&r, SP_ERR_USAGE, "line %d: %s", error.line, error.text);
        else
            read_top(&r, top);
        json_decref(top);
    }
    if (f)
        fclose(f);
    if (r.status == SP_OK && arena_failed(a))
        r.status = SP_ERR_MEMORY;
    return r.status;
}

/* ---- short forms --------------------------------------------------------------------------------------------- */

static void add_pointer(struct reader *r, uint8_t *bytes, uint64_t size, const char *save)
{
    struct pipe_argument argument = {.size = 8, .whole = true};
    struct pipe_value value = {.pointer = true, .size = 8};
    if (!bytes)
        return;
    value.buffer = add_buffer(r, bytes, size, save);
    VEC_PUSH(r->a, argument.values, value);
    VEC_PUSH(r->a, r->launch->arguments, argument);
}

static void add_scalar(struct reader *r, const char *type, const char *text)
{
    struct pipe_argument argument = {.size = pipe_scalar_bytes(type), .whole = true};
    struct pipe_value value = {.size = argument.size};
    char *end, *real_end;
    uint64_t bits;
    errno = 0;
    long long integer = strtoll(text, &end, 0);
    bool integral = *text && !*end && !errno;
    double real = strtod(text, &real_end);
    if (!argument.size || !*text || *real_end || !pipe_scalar_bits(type, integral, integer, real, &bits)) {
        refuse(r, SP_ERR_USAGE, "'%s' is no %s", text, type);
        return;
    }
    memcpy(value.bytes, &bits, 8);
    VEC_PUSH(r->a, argument.values, value);
    VEC_PUSH(r->a, r->launch->arguments, argument);
}

enum sp_status pipe_launch_param(struct arena *a, struct diag_sink *diags, const char *text, struct pipe_launch *launch)
{
    struct reader r = {.a = a, .diags = diags, .launch = launch, .status = SP_OK};
    char *part[4] = {NULL}, *copy = arena_strdup(a, text);
    unsigned n = 0;
    if (!copy)
        return SP_ERR_MEMORY;
    for (char *p = copy; p && n < 4; n++) { /* a path may hold colons: the last part takes the rest */
        part[n] = p;
        p = n < 3 ? strchr(p, ':') : NULL;
        if (p)
            *p++ = '\0';
    }
    uint64_t size = 0;
    uint32_t each = n > 1 ? pipe_scalar_bytes(part[1]) : 0;
    if (!each || n < 3) {
        refuse(&r, SP_ERR_USAGE,
               "--param takes in:TYPE:FILE, out:TYPE:COUNT:FILE, inout:TYPE:FILE:FILE or scalar:TYPE:VALUE, not '%s'",
               text);
    } else if (strcmp(part[0], "scalar") == 0 && n == 3) {
        add_scalar(&r, part[1], part[2]);
    } else if (strcmp(part[0], "in") == 0 && n == 3) {
        uint8_t *bytes = load(&r, part[2], &size);
        add_pointer(&r, bytes, size, NULL);
    } else if (strcmp(part[0], "inout") == 0 && n == 4) {
        uint8_t *bytes = load(&r, part[2], &size);
        add_pointer(&r, bytes, size, part[3]);
    } else if (strcmp(part[0], "out") == 0 && n == 4) {
        char *end;
        errno = 0;
        unsigned long long count = strtoull(part[2], &end, 0);
        if (part[2][0] < '0' || part[2][0] > '9' || *end || errno || count > UINT32_MAX) {
            refuse(&r, SP_ERR_USAGE, "'%s' is no number of elements", part[2]);
        } else {
            size = count * each;
            uint8_t *bytes = take_memory(&r, size);
            add_pointer(&r, bytes, size, part[3]);
        }
    } else {
        refuse(&r, SP_ERR_USAGE, "'%s' is no form of a parameter", text);
    }
    return r.status == SP_OK && arena_failed(a) ? SP_ERR_MEMORY : r.status;
}

enum sp_status pipe_launch_save(struct diag_sink *diags, const char *path, const uint8_t *bytes, uint64_t size)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(bytes, 1, (size_t)size, f) == size;
    good = f && fclose(f) == 0 && good;
    if (good)
        return SP_OK;
    diag_add(diags, DIAG_ERROR, "launch", NULL, -1, "cannot write '%s': %s", path, strerror(errno));
    return SP_ERR_IO;
}
