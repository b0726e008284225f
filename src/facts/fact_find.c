/* The instruction at an offset: a kernel's ascend, so each question halves what is left.
 *
 * requires: instructions · gives: fact_first_at, fact_instruction_at */
#include "facts/fact.h"

size_t fact_first_at(const struct fact_kernel *k, uint32_t offset)
{
    size_t lo = 0, hi = k->instructions.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (k->instructions.p[mid].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct fact_instruction *fact_instruction_at(const struct fact_kernel *k, uint32_t offset)
{
    size_t i = fact_first_at(k, offset);
    return i < k->instructions.n && k->instructions.p[i].offset == offset ? &k->instructions.p[i] : NULL;
}

const struct fact_function *fact_function_at(const struct fact_kernel *k, uint32_t offset)
{
    const struct fact_function *found = NULL;
    for (size_t i = 0; i < k->functions.n && k->functions.p[i].offset <= offset; i++)
        found = &k->functions.p[i];
    return found;
}
