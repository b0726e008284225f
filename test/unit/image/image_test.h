/* Opens a cubin of test/corpus/image for a test. */
#ifndef IMAGE_TEST_H
#define IMAGE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/img.h"

struct opened {
    struct arena a;
    struct diag_sink diags;
    uint8_t *bytes;
    size_t size;
    struct img_module module;
    enum sp_status status;
};

static inline void load_bytes(struct opened *o, const char *file)
{
    arena_init(&o->a, (size_t)256 << 20);
    diag_init(&o->diags, &o->a);
    const char *path = arena_printf(&o->a, "%s/test/corpus/image/%s", SP_SOURCE_DIR, file);
    assert_int_equal(img_load_file(&o->a, &o->diags, path, 0, &o->bytes, &o->size), SP_OK);
}

static inline void read_bytes(struct opened *o)
{
    o->status = img_read_module(&o->a, &o->diags, "x.cubin", o->bytes, o->size, &o->module);
}

static inline void open_cubin(struct opened *o, const char *file)
{
    load_bytes(o, file);
    read_bytes(o);
    for (size_t i = 0; i < o->diags.list.n; i++)
        print_error("%s: %s\n", file, o->diags.list.p[i].message);
    assert_int_equal(o->status, SP_OK);
    assert_int_equal(o->module.status, IMG_COMPLETE);
    assert_int_equal(o->diags.list.n, 0);
}

static inline void close_cubin(struct opened *o)
{
    arena_free(&o->a);
}

static inline const struct img_kernel *kernel_named(const struct opened *o, const char *name)
{
    for (uint32_t i = 0; i < o->module.kernel_count; i++)
        if (strcmp(o->module.kernels[i].name, name) == 0)
            return &o->module.kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static inline bool has_diag(const struct opened *o, const char *code)
{
    for (size_t i = 0; i < o->diags.list.n; i++)
        if (strcmp(o->diags.list.p[i].code, code) == 0)
            return true;
    return false;
}

#endif
