/* What isagen writes: the pools, the rows, one index an architecture, the bits that each row reads, texts with their
 * lengths. Part of isagen.c, whose pools it reads. */
#ifndef SP_ISAGEN_WRITE_H
#define SP_ISAGEN_WRITE_H

static void write_field(FILE *f, const struct isa_field *field)
{
    if (!field->pieces) {
        fprintf(f, "{0}");
        return;
    }
    fprintf(f, "{%u,%u,%u,{", field->pieces, field->flags, field->shift);
    for (unsigned i = 0; i < field->pieces; i++)
        fprintf(f, "%s{%u,%u}", i ? "," : "", field->piece[i].low, field->piece[i].width);
    fprintf(f, "}}");
}

/* Pools that decode and print share have a name in isa_index.h; `linkage` is empty for them. */
static void write_numbers(FILE *f, const char *linkage, const char *name, const uint16_t *v, size_t n)
{
    fprintf(f, "%sconst uint16_t %s[] = {", linkage, name);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s%u,", i % 24 ? "" : "\n", v[i]);
    fprintf(f, "%s};\n", n ? "\n" : "0");
}

/* The same rows by mnemonic, for reading text: row and opcode of each, in the order in which words find them. */
static void write_by_op(FILE *f, unsigned a)
{
    size_t total = 0, n = 0;
    for (unsigned o = 0; o < OPCODES; o++)
        total += index_of[a][o].count;
    uint16_t *row = calloc(total + 1, sizeof *row), *code = calloc(total + 1, sizeof *code);
    uint16_t *first = calloc(ops.count + 2, sizeof *first);
    if (!row || !code || !first)
        fail("out of memory");
    for (unsigned op = 0; op <= ops.count; op++) {
        first[op] = (uint16_t)n;
        for (unsigned o = 0; o < OPCODES; o++)
            for (size_t i = 0; i < index_of[a][o].count; i++)
                if (rows[index_of[a][o].row[i]].op == op) {
                    row[n] = index_of[a][o].row[i];
                    code[n++] = (uint16_t)o;
                }
    }
    first[ops.count + 1] = (uint16_t)n;
    char name[32];
    snprintf(name, sizeof name, "isa_op_first_%u", archs[a]);
    write_numbers(f, "static ", name, first, ops.count + 2);
    snprintf(name, sizeof name, "isa_op_row_%u", archs[a]);
    write_numbers(f, "static ", name, row, n);
    snprintf(name, sizeof name, "isa_op_code_%u", archs[a]);
    write_numbers(f, "static ", name, code, n);
    free(row);
    free(code);
    free(first);
}

static struct bits128 field_bits(const struct isa_field *field, struct bits128 mask)
{
    return field_set(field, mask, UINT64_MAX);
}

static struct bits128 enum_bits(unsigned first, unsigned count, struct bits128 mask)
{
    for (unsigned i = 0; i < count; i++)
        mask = field_bits(&enums[first + i].field, mask);
    return mask;
}

/* Every bit that a row reads, whether as a condition, a modifier, or a part of an operand. */
static struct bits128 row_bits(const struct isa_row *row)
{
    struct bits128 mask = enum_bits(row->mod, row->mod_count, (struct bits128){0, 0});
    for (unsigned i = 0; i < row->condition_count; i++)
        mask = field_bits(&conditions[row->condition + i].field, mask);
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct isa_operand_row *o = &operands[operand_list[row->operand + i]];
        for (unsigned k = 0; k < ISA_PART_COUNT; k++)
            mask = field_bits(&o->part[k].field, mask);
        for (unsigned k = 0; k < o->flags.count; k++)
            mask = bits_set(mask, o->flags.entry[k].bit, o->flags.entry[k].bit, 1);
        mask = enum_bits(o->suffix, o->suffix_count, mask);
        mask = enum_bits(o->base_suffix, o->base_suffix_count, mask);
        mask = enum_bits(o->ubase_suffix, o->ubase_suffix_count, mask);
    }
    return mask;
}

static void write_tables(FILE *f)
{
    fprintf(f, "/* Made by isagen from src/isa/spec. */\n");
    write_numbers(f, "", "isa_codes", codes, code_count);
    write_numbers(f, "", "isa_sequences", sequences, sequence_count);
    fprintf(f, "const struct isa_enum isa_enums[] = {\n");
    for (size_t i = 0; i < enum_count; i++) {
        fprintf(f, "{");
        write_field(f, &enums[i].field);
        fprintf(f, ",%u,%u},\n", enums[i].first, enums[i].count);
    }
    fprintf(f, "};\nconst struct isa_condition isa_conditions[] = {\n");
    for (size_t i = 0; i < condition_count; i++) {
        fprintf(f, "{");
        write_field(f, &conditions[i].field);
        fprintf(f, ",%u,UINT64_C(0x%llx)},\n", conditions[i].test, (unsigned long long)conditions[i].value);
    }
    fprintf(f, "{{0},0,0}};\nconst struct isa_operand_row isa_operand_rows[] = {\n");
    for (size_t i = 0; i < operand_count; i++) {
        const struct isa_operand_row *o = &operands[i];
        fprintf(f, "{%u,%u,{%u,%u,{", o->kind, o->plain, o->flags.always, o->flags.count);
        for (unsigned k = 0; k < ISA_FLAG_BITS; k++)
            fprintf(f, "{%u,%u},", o->flags.entry[k].bit, o->flags.entry[k].flag);
        fprintf(f, "}},%u,%u,%d,%u,%u,%u,%u,%u,{", o->style, o->bits, o->hide, o->neg, o->abs, o->inv, o->no, o->reuse);
        for (unsigned k = 0; k < ISA_PART_COUNT; k++) {
            fprintf(f, "{");
            write_field(f, &o->part[k].field);
            fprintf(f, ",%d},", o->part[k].absent);
        }
        fprintf(f, "},%u,%u,%u,%u,%u,%u},\n", o->suffix, o->base_suffix, o->ubase_suffix, o->suffix_count,
                o->base_suffix_count, o->ubase_suffix_count);
    }
    fprintf(f, "};\n");
    write_numbers(f, "", "isa_operand_list", operand_list, operand_list_count);
    fprintf(f, "const struct isa_row isa_rows[] = {\n");
    for (size_t i = 0; i < row_count; i++)
        fprintf(f, "{{0x%llxu,0x%llxu},{0x%llxu,0x%llxu},%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u},\n",
                (unsigned long long)rows[i].mask[0], (unsigned long long)rows[i].mask[1],
                (unsigned long long)rows[i].value[0], (unsigned long long)rows[i].value[1], rows[i].op,
                rows[i].condition, rows[i].mod, rows[i].operand, rows[i].condition_count, rows[i].hard_count,
                rows[i].legal_count, rows[i].mod_count, rows[i].operand_count, rows[i].uniform_guard, rows[i].hints,
                rows[i].relative);
    fprintf(f, "};\n");
    fprintf(f, "const uint64_t isa_row_bits[][2] = {\n");
    for (size_t i = 0; i < row_count; i++) {
        struct bits128 mask = row_bits(&rows[i]);
        fprintf(f, "{0x%llxu,0x%llxu},\n", (unsigned long long)mask.lo, (unsigned long long)mask.hi);
    }
    fprintf(f, "};\n");
    for (unsigned a = 0; a < arch_count; a++) {
        if (alias[a])
            continue;
        /* lists[first[opcode] …] up to the next opcode's first */
        fprintf(f, "static const uint16_t isa_list_%u[] = {", archs[a]);
        unsigned n = 0;
        for (unsigned o = 0; o < OPCODES; o++)
            for (size_t i = 0; i < index_of[a][o].count; i++)
                fprintf(f, "%s%u,", n++ % 24 ? "" : "\n", index_of[a][o].row[i]);
        fprintf(f, "%s};\nstatic const uint16_t isa_first_%u[] = {", n ? "" : "0", archs[a]);
        n = 0;
        for (unsigned o = 0; o < OPCODES; o++) {
            fprintf(f, "%s%u,", o % 24 ? "" : "\n", n);
            n += (unsigned)index_of[a][o].count;
        }
        fprintf(f, "%u};\nstatic const char *const isa_sregs_%u[256] = {\n", n, archs[a]);
        for (unsigned i = 0; i < 256; i++)
            if (sregs[a][i])
                fprintf(f, "[%u] = \"%s\",\n", i, sregs[a][i]);
        fprintf(f, "};\n");
        write_by_op(f, a);
    }
    fprintf(f, "static const unsigned isa_arch_numbers[] = {");
    for (unsigned a = 0; a < arch_count; a++)
        fprintf(f, "%u,", archs[a]);
    fprintf(f, "};\nstatic const uint8_t isa_arch_at[] = {"); /* the place of sm_N in that list, from 1 on */
    for (unsigned a = 0; a < arch_count; a++)
        fprintf(f, "[%u] = %u,", archs[a], a + 1);
    fprintf(f, "};\nstatic const struct isa_arch_table isa_arch_tables[] = {\n");
    for (unsigned a = 0; a < arch_count; a++) {
        unsigned b = a;
        while (alias[b])
            b = alias_of[b];
        fprintf(f, "{isa_first_%u, isa_list_%u, isa_op_first_%u, isa_op_row_%u, isa_op_code_%u, isa_sregs_%u},\n",
                archs[b], archs[b], archs[b], archs[b], archs[b], archs[b]);
    }
    fprintf(f, "};\n");
}

/* Texts as print copies them, each with its length: what a sequence of modifiers prints, by its place in the pool, and
 * the names of registers by file and number. */
static void write_texts(FILE *f)
{
    static const char *const files[ISA_REGISTER_FILES] = {"R", "UR", "P", "UP", "UR", NULL};
    fprintf(f, "/* Made by isagen from src/isa/spec. */\nstatic const struct spelling sequence_text[] = {\n");
    for (size_t i = 0; i < sequence_count; i++) {
        char text[256];
        size_t n = 0;
        for (size_t k = i; k < sequence_count && sequences[k]; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, ".%s", mods.text[sequences[k] - 1]);
        if (n > ISA_SPELLING)
            fail("modifiers longer than %d characters: %s", ISA_SPELLING, text);
        fprintf(f, "{%zu, \"%s\"},\n", n, n ? text : "");
    }
    fprintf(f, "};\nconst struct isa_name isa_register_text[%d] = {\n", 256 * ISA_REGISTER_FILES);
    for (unsigned k = 0; k < ISA_REGISTER_FILES; k++) {
        static const unsigned constant[ISA_REGISTER_FILES] = {255, 255, 7, 7, 63, 0};
        for (unsigned i = 0; i < 256; i++) {
            char text[8];
            if (!files[k])
                text[0] = '\0';
            else if (i == constant[k])
                snprintf(text, sizeof text, "%s%c", files[k], k == 2 || k == 3 ? 'T' : 'Z');
            else
                snprintf(text, sizeof text, "%s%u", files[k], i);
            fprintf(f, "{\"%s\", %zu},%s", text, strlen(text), i % 16 == 15 ? "\n" : "");
        }
    }
    fprintf(f, "};\n");
}

static FILE *open_output(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "isagen: cannot write %s\n", path);
        exit(1);
    }
    return f;
}

#endif
