/* What isagen refuses of rows that parse: one that reads the scheduler's bits, and one that no word reaches. Part of
 * isagen.c, whose pools it reads. */
#ifndef SP_ISAGEN_CHECK_H
#define SP_ISAGEN_CHECK_H

static bool row_matches(const struct isa_row *row, struct bits128 w)
{
    for (unsigned i = 0; i < row->condition_count - row->legal_count; i++) {
        const struct isa_condition *c = &conditions[row->condition + i];
        uint64_t v = field_get(&c->field, w);
        bool hit = c->test == ISA_TEST_POWER ? v && !(v & (v - 1)) : (v == c->value) == (c->test == ISA_TEST_EQUAL);
        if (!hit)
            return false;
    }
    return true;
}

/* Several words that fulfil a row's conditions with different filling; one of them must find the row first. */
static bool row_reachable(const struct list *list, size_t at)
{
    static const uint64_t fills[] = {0,
                                     UINT64_MAX,
                                     0x5555555555555555,
                                     0xaaaaaaaaaaaaaaaa,
                                     0x0123456789abcdef,
                                     0xfedcba9876543210,
                                     0x0f0f0f0f0f0f0f0f,
                                     0xf0f0f0f0f0f0f0f0,
                                     0x3333333333333333,
                                     0xcccccccccccccccc,
                                     0x1ff7efe3a1b2c4d8,
                                     0x9e3779b97f4a7c15};
    enum { FILLS = sizeof fills / sizeof *fills };
    const struct isa_row *row = &rows[list->row[at]];
    for (unsigned f = 0; f < FILLS * FILLS; f++) {
        struct bits128 w = {fills[f % FILLS], fills[f / FILLS]};
        for (unsigned i = 0; i < row->condition_count; i++) {
            const struct isa_condition *c = &conditions[row->condition + i];
            if (c->test == ISA_TEST_POWER)
                w = field_set(&c->field, w, 64);
            else if (c->test == ISA_TEST_EQUAL)
                w = field_set(&c->field, w, c->value);
        }
        if (!row_matches(row, w))
            continue;
        size_t first = 0;
        while (first < at && !row_matches(&rows[list->row[first]], w))
            first++;
        if (first == at)
            return true;
    }
    return false;
}

/* Bits 121:105 are the scheduler's, but for 109: whoever remembers texts by words leaves them out (isa_cache.c). */
static bool field_of_scheduler(const struct isa_field *field)
{
    for (unsigned i = 0; i < field->pieces; i++)
        if (field->piece[i].low <= 121 && field->piece[i].low + field->piece[i].width > 105 &&
            (field->piece[i].low != 109 || field->piece[i].width != 1))
            return true;
    return false;
}

static bool enums_of_scheduler(unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (field_of_scheduler(&enums[first + i].field))
            return true;
    return false;
}

static bool operand_of_scheduler(const struct isa_operand_row *o)
{
    for (unsigned i = 0; i < ISA_PART_COUNT; i++)
        if (field_of_scheduler(&o->part[i].field))
            return true;
    for (unsigned i = 0; i < o->flags.count; i++)
        if (o->flags.entry[i].bit >= 105 && o->flags.entry[i].bit <= 121)
            return true;
    return enums_of_scheduler(o->suffix, o->suffix_count) || enums_of_scheduler(o->base_suffix, o->base_suffix_count) ||
           enums_of_scheduler(o->ubase_suffix, o->ubase_suffix_count);
}

static bool row_of_scheduler(const struct isa_row *row)
{
    for (unsigned i = 0; i < row->condition_count; i++)
        if (field_of_scheduler(&conditions[row->condition + i].field))
            return true;
    for (unsigned i = 0; i < row->operand_count; i++)
        if (operand_of_scheduler(&operands[operand_list[row->operand + i]]))
            return true;
    return enums_of_scheduler(row->mod, row->mod_count);
}

static void check_rows(void)
{
    line_number = 0;
    for (size_t i = 0; i < row_count; i++)
        if (row_of_scheduler(&rows[i])) {
            file_name = "isagen";
            fail("row %zu (%s) reads bits of the scheduler", i, ops.text[rows[i].op - 1]);
        }
    for (unsigned a = 0; a < arch_count; a++)
        for (unsigned o = 0; o < OPCODES && !alias[a]; o++)
            for (size_t i = 0; i < index_of[a][o].count; i++)
                if (!row_reachable(&index_of[a][o], i)) {
                    file_name = "isagen";
                    fail("sm_%u opcode 0x%x: row %zu (%s) is never reached", archs[a], o, i,
                         ops.text[rows[index_of[a][o].row[i]].op - 1]);
                }
}

#endif
