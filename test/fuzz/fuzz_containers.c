/* Fuzz target: files that hold modules. The walk over any bytes, each module unpacked and read, and the list of them as
 * a user gets it; what is said of a module must be so. Inputs that begin like none of those files are left
 * alone. Seeds: test/corpus/fatbin. */
#include "image/img_container.h"
#include "sassprobe/sassprobe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_bytes(void *user, const char *bytes, size_t n)
{
    size_t *total = user;
    for (size_t i = 0; i < n; i++)
        *total += (unsigned char)bytes[i] != 0;
    return true;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

static void read_all(struct arena *a, const uint8_t *data, size_t size)
{
    struct diag_sink diags;
    struct img_container c;
    diag_init(&diags, a);
    enum sp_status status = img_container_read(a, &diags, "fuzz", data, size, &c);
    require(status == SP_OK || diags.list.n != 0 || arena_failed(a));
    require(status != SP_OK || c.entries.n != 0);
    uint64_t unpacked = 0;
    for (size_t i = 0; i < c.entries.n; i++) {
        const struct img_entry *e = &c.entries.p[i];
        const uint8_t *bytes;
        size_t n;
        require(e->bytes >= data && e->offset == (size_t)(e->bytes - data) && e->offset <= size &&
                e->stored <= size - e->offset);
        require(i == 0 || e->fatbin >= c.entries.p[i - 1].fatbin);
        if (!e->readable || (unpacked += e->unpacked) > (size_t)256 << 20)
            continue;
        struct arena one;
        arena_init(&one, (size_t)256 << 20);
        struct diag_sink quiet;
        struct img_module m;
        diag_init(&quiet, &one);
        if (img_entry_unpack(&one, &quiet, e, &bytes, &n) == SP_OK) {
            require(n == (e->packing == IMG_STORED ? e->stored : e->unpacked));
            if (e->kind == IMG_ENTRY_CUBIN)
                (void)img_read_module(&one, &quiet, "fuzz", bytes, n, &m);
        } else {
            require(quiet.list.n != 0 || arena_failed(&one));
        }
        arena_free(&one);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SMALL = 1 << 16 };
    struct arena a;
    size_t total = 0;
    if (!img_is_container(img_detect_binary(data, size)))
        return 0;
    arena_init(&a, (size_t)256 << 20);
    read_all(&a, data, size);
    arena_free(&a);
    struct sp_session *session = size <= SMALL ? sp_session_new() : NULL;
    if (!session)
        return 0;
    (void)sp_session_add_memory(session, "fuzz", data, size);
    (void)sp_list(session, SP_FORMAT_JSON, count_bytes, &total);
    (void)sp_list(session, SP_FORMAT_TEXT, count_bytes, &total);
    sp_session_diagnostics(session, count_bytes, &total);
    sp_session_free(session);
    return 0;
}
