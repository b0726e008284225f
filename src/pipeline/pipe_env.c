/* Constant bank 0 by architecture: where block and grid sizes, the stack pointer's start and the global descriptor
 * stand. Each offset was read from code that nvcc 13.0 makes of the special register's CUDA name for that architecture.
 */
#include "pipeline/pipe.h"

static const struct graph_sreg_word words_75_to_90[] = {
    {0x0, UOP_SR_NTID_X},   {0x4, UOP_SR_NTID_Y},    {0x8, UOP_SR_NTID_Z},
    {0xc, UOP_SR_NCTAID_X}, {0x10, UOP_SR_NCTAID_Y}, {0x14, UOP_SR_NCTAID_Z},
};
static const struct graph_sreg_word words_100[] = {
    {0x360, UOP_SR_NTID_X},   {0x364, UOP_SR_NTID_Y},   {0x368, UOP_SR_NTID_Z},
    {0x370, UOP_SR_NCTAID_X}, {0x374, UOP_SR_NCTAID_Y}, {0x378, UOP_SR_NCTAID_Z},
};

static const struct {
    unsigned from_sm;
    uint32_t stack, descriptor, local_window, shared_window, params;
    const struct graph_sreg_word *words;
} banks[] = {
    {70, 0x28, 0, 0x20, 0x18, 0x160, words_75_to_90},
    {80, 0x28, 0x118, 0x20, 0x18, 0x160, words_75_to_90},
    {90, 0x28, 0x208, 0x20, 0, 0x210, words_75_to_90},
    {100, 0x37c, 0x358, 0x2f8, 0, 0x380, words_100},
};

void pipe_env(unsigned sm, const struct img_kernel *kernel, struct graph_env *env)
{
    size_t row = 0;
    for (size_t i = 0; i < sizeof banks / sizeof banks[0]; i++)
        if (sm >= banks[i].from_sm)
            row = i;
    *env = (struct graph_env){.sm = sm,
                              .param_base = kernel->param_base ? kernel->param_base : banks[row].params,
                              .param_bytes = kernel->param_bytes,
                              .stack_offset = banks[row].stack,
                              .descriptor_offset = banks[row].descriptor,
                              .local_window = banks[row].local_window,
                              .shared_window = banks[row].shared_window,
                              .words = banks[row].words,
                              .word_count = sizeof words_100 / sizeof words_100[0],
                              .constant_bank = kernel->constant_bank,
                              .constant_bytes = kernel->constant_bytes,
                              .table_at = kernel->tables.at,
                              .table_bytes = kernel->tables.bytes,
                              .table_sizes = kernel->tables.sizes,
                              .table_count = kernel->tables.count,
                              .switch_at = kernel->switches.at,
                              .switch_targets = kernel->switches.targets,
                              .switch_target_counts = kernel->switches.target_counts,
                              .switch_count = kernel->switches.count,
                              .shared_bytes =
                                  kernel->shared_bytes > 0 ? kernel->shared_bytes : kernel->called_shared_bytes,
                              .spills = kernel->spills,
                              .spill_count = kernel->spill_count,
                              .spills_known = kernel->spills_known};
    if (!env->param_bytes)
        for (uint32_t i = 0; i < kernel->param_count; i++)
            if (kernel->params[i].offset + kernel->params[i].size > env->param_bytes)
                env->param_bytes = kernel->params[i].offset + kernel->params[i].size;
    /* .maxntid bounds the product; .reqntid fixes each. */
    int64_t most = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (kernel->reqntid[d] > 0 && kernel->reqntid[d] <= 1024)
            env->block[d] = (uint32_t)kernel->reqntid[d];
        most = kernel->max_threads[d] > 0 && most > 0 ? most * kernel->max_threads[d] : 0;
    }
    for (unsigned d = 0; d < 3 && most > 0 && most <= 1024; d++)
        env->block_limit[d] = (uint32_t)most;
}
