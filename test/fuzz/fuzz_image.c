/* Fuzz target of the image room: any bytes -> a status, and tables that are consistent in themselves.
 *
 * The first byte chooses what the rest is: mostly a cubin, else a mangled name, a demangled name, or CUDA source.
 * Seeds: test/fuzz/corpus/image. With libFuzzer: cmake -DSP_FUZZ=ON and clang; otherwise the replay driver runs files.
 */
#include "image/img_assembly.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void try_assembly(struct arena *a, const struct img_module *m)
{
    struct img_assembly s;
    if (!img_read_assembly(a, m, &s))
        return;
    for (uint32_t i = 0; i < s.function_count; i++)
        require(s.functions[i].at.kernel < m->kernel_count &&
                s.functions[i].at.offset <= m->kernels[s.functions[i].at.kernel].code_bytes);
    for (uint32_t i = 0; i < s.field_count; i++)
        require(s.fields[i].at.kernel < m->kernel_count &&
                s.fields[i].at.offset < m->kernels[s.fields[i].at.kernel].code_bytes);
    for (uint32_t i = 0; i < s.record_count; i++)
        require(s.records[i].offset <= m->kernels[s.records[i].kernel].code_bytes);
}

static void try_cubin(struct arena *a, const uint8_t *data, size_t size)
{
    struct diag_sink diags;
    struct img_module m;
    diag_init(&diags, a);
    enum sp_status status = img_read_module(a, &diags, "fuzz", data, size, &m);
    require(status == SP_OK || diags.list.n != 0 || arena_failed(a));
    for (uint32_t i = 0; i < m.kernel_count; i++) {
        const struct img_kernel *k = &m.kernels[i];
        require(k->code_bytes == 0 || (k->code >= data && k->code + k->code_bytes <= data + size));
        for (uint32_t at = 0; at < k->code_bytes && at < 4096; at += 16) {
            const struct img_line *line = img_line_at(k, at);
            require(line == NULL || line->file < m.file_count || line->file == UINT32_MAX);
            img_ptx_line_at(k, at);
        }
        for (uint32_t n = 0; n < k->spill_count; n++)
            require(k->spills[n] < k->code_bytes);
        for (uint32_t n = 0; n < k->reloc_count; n++)
            require(k->relocs[n].offset < k->code_bytes && k->relocs[n].symbol != NULL);
    }
    try_assembly(a, &m);
}

static void try_name(struct arena *a, const char *text)
{
    const char *name = img_demangle(a, text);
    require(name != NULL || arena_failed(a));
    struct img_signature signature;
    img_signature_parse(a, name != NULL ? name : "", &signature);
    img_signature_parse(a, text, &signature);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arena a;
    arena_init(&a, (size_t)256 << 20);
    uint8_t choice = data[0];
    if (choice == 'n') {
        char *text = arena_strndup(&a, (const char *)data + 1, size - 1);
        if (text != NULL)
            try_name(&a, text);
    } else if (choice == 's') {
        const char **names;
        for (uint32_t count = 0; count < 4; count++)
            img_source_params(&a, (const char *)data + 1, size - 1, "k", count, &names);
    } else {
        try_cubin(&a, data, size); /* a cubin starts with its own magic, 0x7f */
    }
    arena_free(&a);
    return 0;
}
