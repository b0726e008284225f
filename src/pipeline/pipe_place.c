/* Where the source wrote each instruction: file and line of the line table, with the calls it was inlined by, as one
 * number for each place: what a compiler copied has one, what a person wrote on several lines has several.
 *
 * Requires a module with its line tables · gives graph_input_insn.place */
#include "base/map.h"
#include "graph/graph.h"
#include "pipeline/pipe.h"

void pipe_write_places(const struct img_kernel *k, struct graph_input_insn *insns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct img_line *row = img_line_at(k, insns[i].offset);
        if (!row || !row->line)
            continue;
        uint64_t place = map_hash_mix(row->file, row->line);
        for (uint32_t c = 0; c < row->inlined_count; c++)
            place = map_hash_mix(map_hash_mix(place, row->inlined[c].file), row->inlined[c].line);
        insns[i].place = place | 1;
    }
}
