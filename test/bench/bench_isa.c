/* How fast one thread decodes and prints: all instructions of the given cubins are read into memory once, then decoded
 * to the structure, decoded and printed, and (as what bounds both) copied as so many bytes of text, each as often as
 * half a second allows. No file is read and nothing is written while the clock runs.
 *
 * usage: bench_isa CUBIN...     prints instructions/s, ns an instruction, and bytes of text an instruction */
#include "base/arena.h"
#include "image/img.h"
#include "isa/isa_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct code {
    unsigned sm;
    const uint8_t *bytes;
    uint32_t count; /* instructions */
};

enum { MAX_CODES = 100000 };
static struct code codes[MAX_CODES];
static size_t code_count, instructions;
/* Every result goes through here, so that none is left out by the compiler. */
static volatile uint64_t kept;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t decode_all(void)
{
    struct isa_insn insn;
    uint64_t sum = 0;
    for (size_t c = 0; c < code_count; c++)
        for (uint32_t i = 0; i < codes[c].count; i++) {
            const uint8_t *p = codes[c].bytes + 16 * (size_t)i;
            struct bits128 word = {bits_le64(p), bits_le64(p + 8)};
            isa_decode(codes[c].sm, word, 16 * i, &insn);
            sum += insn.op + insn.operand_count;
        }
    return sum;
}

static uint64_t print_all(void)
{
    struct isa_insn insn;
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    char text[512];
    uint64_t sum = 0;
    for (size_t c = 0; c < code_count; c++)
        for (uint32_t i = 0; i < codes[c].count; i++) {
            const uint8_t *p = codes[c].bytes + 16 * (size_t)i;
            struct bits128 word = {bits_le64(p), bits_le64(p + 8)};
            isa_decode(codes[c].sm, word, 16 * i, &insn);
            sum += isa_print(codes[c].sm, &insn, &options, text, sizeof text);
        }
    return sum;
}

static uint64_t text_all(void)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    char text[512];
    uint64_t sum = 0;
    for (size_t c = 0; c < code_count; c++)
        for (uint32_t i = 0; i < codes[c].count; i++) {
            const uint8_t *p = codes[c].bytes + 16 * (size_t)i;
            struct bits128 word = {bits_le64(p), bits_le64(p + 8)};
            sum += isa_print_word(codes[c].sm, word, 16 * i, &options, text, sizeof text);
        }
    return sum;
}

static uint64_t cached_all(void)
{
    enum { AHEAD = 16 };
    static struct isa_cache cache;
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    const struct isa_template *found[AHEAD];
    char text[ISA_TEXT_ROOM + 8], *start;
    uint64_t sum = 0;
    memset(&cache, 0, sizeof cache);
    for (size_t c = 0; c < code_count; c++)
        for (uint32_t i = 0; i < codes[c].count;) {
            const uint8_t *p = codes[c].bytes + 16 * (size_t)i;
            uint32_t left = codes[c].count - i, n = left < AHEAD ? left : AHEAD;
            n = isa_find_templates(&cache, codes[c].sm, p, n, found);
            for (uint32_t k = 0; k < n; k++, i++, p += 16)
                sum +=
                    (uint64_t)(isa_fill_template(codes[c].sm, found[k], p, 16 * i, &options, text + 8, &start) - start);
        }
    return sum;
}

/* From one place in memory to another, neither of which a cache holds. */
enum { COPIED = 128 << 20 };
static char *copy_from, *copy_to;
static uint64_t copy_all(void)
{
    memcpy(copy_to, copy_from, COPIED);
    return (uint64_t)copy_to[COPIED / 2];
}

/* Answers seconds a call of `work`. */
static double measure(uint64_t (*work)(void))
{
    double start = now(), end;
    unsigned rounds = 0;
    do {
        kept = work();
        rounds++;
        end = now();
    } while (end - start < 0.5);
    return (end - start) / rounds;
}

static void report(const char *what, double seconds)
{
    printf("%-18s %12.0f instructions/s  %7.1f ns an instruction\n", what, (double)instructions / seconds,
           1e9 * seconds / (double)instructions);
}

int main(int argc, char **argv)
{
    struct arena a;
    struct diag_sink diags;
    arena_init(&a, 0);
    diag_init(&diags, &a);
    for (int i = 1; i < argc; i++) {
        struct img_module module;
        uint8_t *bytes;
        size_t size;
        if (img_load_file(&a, &diags, argv[i], 0, &bytes, &size) != SP_OK ||
            img_read_module(&a, &diags, argv[i], bytes, size, &module) != SP_OK || !isa_arch_known(module.sm)) {
            fprintf(stderr, "bench_isa: %s cannot be read\n", argv[i]);
            return 1;
        }
        for (uint32_t k = 0; k < module.kernel_count && code_count < MAX_CODES; k++) {
            codes[code_count] = (struct code){module.sm, module.kernels[k].code, module.kernels[k].code_bytes / 16};
            instructions += codes[code_count++].count;
        }
    }
    if (!instructions) {
        fprintf(stderr, "usage: bench_isa CUBIN...\n");
        return 2;
    }
    uint64_t bytes = print_all();
    printf("%zu instructions of %zu kernels, %.1f bytes of text an instruction\n", instructions, code_count,
           (double)bytes / (double)instructions);
    report("decode", measure(decode_all));
    report("decode and print", measure(print_all));
    report("word to text", measure(text_all));
    double templates = measure(cached_all);
    report("by templates", templates);
    copy_from = malloc(COPIED);
    copy_to = malloc(COPIED);
    if (!copy_from || !copy_to)
        return 1;
    memset(copy_from, ' ', COPIED);
    double copied = measure(copy_all);
    report("its text copied", copied * (double)bytes / COPIED);
    printf("memory: %.0f MB/s copied; text by templates: %.0f MB/s\n", 1e-6 * COPIED / copied,
           1e-6 * (double)bytes / templates);
    free(copy_from);
    free(copy_to);
    if (text_all() != bytes || cached_all() != bytes) {
        fprintf(stderr, "bench_isa: the ways to text differ\n");
        return 1;
    }
    arena_free(&a);
    return 0;
}
