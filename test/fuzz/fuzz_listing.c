/* Fuzz target of listings: any text -> modules that are consistent in themselves; and of the parser of instructions: a
 * text that is read prints a text that is read as the same word, and any word's text is read back.
 *
 * The first byte chooses: 'i' one instruction's text, 'w' words, else a listing. The second byte of the first two
 * chooses the architecture. Seeds: test/fuzz/corpus/listing, test/corpus/listing. */
#include "image/img.h"
#include "isa/isa_parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void try_instruction(unsigned sm, const char *text, size_t size)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    struct isa_insn insn, again;
    char printed[512], twice[512];
    if (isa_parse(sm, text, size, 0x100, &insn) != SP_OK) {
        require(insn.op == ISA_OP_UNKNOWN);
        return;
    }
    require(isa_print(sm, &insn, &options, printed, sizeof printed) < sizeof printed);
    require(isa_parse(sm, printed, strlen(printed), 0x100, &again) == SP_OK);
    isa_print(sm, &again, &options, twice, sizeof twice);
    require(strcmp(printed, twice) == 0);
}

static void try_word(unsigned sm, const uint8_t *data)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    struct bits128 word = {bits_le64(data), bits_le64(data + 8)};
    struct isa_insn insn;
    char text[512], again[512];
    if (isa_decode(sm, word, 0x100, &insn) != SP_OK)
        return;
    isa_print(sm, &insn, &options, text, sizeof text);
    if (isa_parse(sm, text, strlen(text), 0x100, &insn) != SP_OK)
        return; /* some words that no compiler makes */
    isa_print(sm, &insn, &options, again, sizeof again);
    require(strcmp(text, again) == 0);
}

static void try_listing(struct arena *a, const uint8_t *data, size_t size)
{
    struct diag_sink diags;
    struct img_module *modules;
    uint32_t count;
    diag_init(&diags, a);
    img_detect(data, size);
    enum sp_status status = img_read_listing(a, &diags, "fuzz", data, size, "sm_86", &modules, &count);
    require(status == SP_OK || diags.list.n != 0 || arena_failed(a));
    for (uint32_t i = 0; i < count && !arena_failed(a); i++)
        for (uint32_t k = 0; k < modules[i].kernel_count; k++) {
            const struct img_kernel *x = &modules[i].kernels[k];
            require(x->name && x->demangled && x->told && x->code && x->code_bytes % 16 == 0);
            for (uint32_t at = 0; at < x->code_bytes; at += 16)
                require(!(x->told[at / 16].how & (IMG_TOLD_TEXT | IMG_TOLD_WORD)) || x->told[at / 16].line);
            for (uint32_t n = 0; n < x->spill_count; n++)
                require(x->spills[n] < x->code_bytes && (n == 0 || x->spills[n] > x->spills[n - 1]));
            for (uint32_t n = 0; n < x->reloc_count; n++)
                require(x->relocs[n].offset < x->code_bytes && x->relocs[n].symbol);
            for (uint32_t n = 0; n < x->subroutine_count; n++)
                require(x->subroutines[n].offset < x->code_bytes);
            for (uint32_t n = 0; n < x->line_count; n++)
                require(x->lines[n].file < modules[i].file_count);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t archs;
    const unsigned *sm = isa_archs(&archs);
    struct arena a;
    if (size < 2)
        return 0;
    arena_init(&a, (size_t)256 << 20);
    if (data[0] == 'i')
        try_instruction(sm[data[1] % archs], (const char *)data + 2, size - 2);
    else if (data[0] == 'w')
        for (size_t at = 2; at + 16 <= size; at += 16)
            try_word(sm[data[1] % archs], data + at);
    else
        try_listing(&a, data, size);
    arena_free(&a);
    return 0;
}
