/* Fuzz target of decode -> print -> parse, through the public functions: what decodes prints, in a buffer of any size
 * the same; what is read back from the text decodes to the same structure, and prints the same text again.
 *
 * The first byte chooses the architecture, the rest are words. Seeds: test/fuzz/corpus/decode. */
#include "sassprobe/decode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parsing tries many rows: a file that is no seed is not read to its end. */
enum { MOST_WORDS = 64, PLACE = 0x100 };

static void require(int condition)
{
    if (!condition)
        abort();
}

static void try_print(const struct sp_instruction *in, const char *text, size_t n)
{
    char small[40];
    size_t size = 1 + (size_t)in->word[0] % sizeof small, shown = n < size ? n : size - 1;
    require(sp_instruction_text(in, NULL, small, size) == n);
    require(memcmp(small, text, shown) == 0 && small[shown] == '\0');
}

/* What a text tells: descriptors of memory may be in the bits only; a floating-point number is a number, whatever its
 * width; and of a NaN it tells no more than that it is one. */
static void require_same(const struct sp_instruction *a, const struct sp_instruction *b)
{
    require(a->opcode == b->opcode && a->guard == b->guard && a->guard_not == b->guard_not &&
            a->guard_uniform == b->guard_uniform && a->modifier_count == b->modifier_count &&
            a->operand_count == b->operand_count && a->offset == b->offset && a->sm == b->sm);
    require(memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) == 0);
    for (unsigned i = 0; i < a->operand_count; i++) {
        struct sp_operand x = a->operands[i], y = b->operands[i];
        if (y.desc == SP_REG_NONE)
            x.desc = SP_REG_NONE;
        if (x.kind == SP_OPERAND_FIMM && y.kind == SP_OPERAND_FIMM) { /* the texts are the same */
            x.value = y.value;
            x.bits = y.bits;
        }
        require(memcmp(&x, &y, sizeof x) == 0);
    }
}

static void try_word(unsigned sm, const uint8_t *code)
{
    struct sp_instruction in, again, straight;
    char text[SP_TEXT_ROOM], twice[SP_TEXT_ROOM], control[SP_CONTROL_ROOM];
    uint8_t bytes[SP_INSTRUCTION_BYTES];
    enum sp_status status = sp_decode(sm, code, SP_INSTRUCTION_BYTES, PLACE, &in);
    int64_t target;
    require(status == SP_OK || status == SP_ERR_ENCODING);
    require((status == SP_OK) == (in.opcode != SP_OPCODE_UNKNOWN));
    size_t n = sp_instruction_text(&in, NULL, text, sizeof text);
    require(n == strlen(text));
    try_print(&in, text, n);
    sp_control_text(&in.control, control);
    require(strlen(control) < sizeof control);
    sp_instruction_target(&in, &target);
    if (status != SP_OK)
        return;
    require(sp_instruction_parse(sm, text, n, PLACE, &again) == SP_OK);
    require(sp_instruction_text(&again, NULL, twice, sizeof twice) == n && strcmp(text, twice) == 0);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(again.word[i / 8] >> 8 * (i % 8));
    require(sp_decode(sm, bytes, sizeof bytes, PLACE, &straight) == SP_OK);
    require_same(&straight, &again);
    require_same(&in, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t archs;
    const unsigned *sm = sp_architectures(&archs);
    if (size < 1)
        return 0;
    for (size_t at = 1, words = 0; at + SP_INSTRUCTION_BYTES <= size && words < MOST_WORDS;
         at += SP_INSTRUCTION_BYTES, words++)
        try_word(sm[data[0] % archs], data + at);
    return 0;
}
