/* Bits of a word that nothing reads: neither the row that the word was found by nor any other of its opcode. What one
 * row leaves alone another may read (the predicates that only .X adds), and compilers fill such fields as if they were
 * read; so the rows of an opcode are taken together. The guard and what the scheduler reads are never among them.
 * requires: the generated tables · gives: the set bits · allocates nothing, keeps nothing */
#include "isa/isa_read.h"

struct bits128 isa_word_reserved(unsigned sm, struct bits128 word)
{
    const struct isa_arch_table *table = isa_arch_table(sm);
    if (!table || !isa_table_row(table, word))
        return (struct bits128){0, 0};
    /* Opcode, guard; bits 124:105, the scheduler's. */
    struct bits128 read = {0xffff, UINT64_C(1) << (91 - 64) | UINT64_C(0xfffff) << (105 - 64)};
    unsigned opcode = (unsigned)(word.lo & 0xfff) | (unsigned)(word.hi >> (91 - 64) & 1) << 12;
    for (unsigned i = table->first[opcode]; i < table->first[opcode + 1]; i++) {
        read.lo |= isa_row_bits[table->list[i]][0];
        read.hi |= isa_row_bits[table->list[i]][1];
    }
    return (struct bits128){word.lo & ~read.lo, word.hi & ~read.hi};
}
