/* Between fact_build_phases.c and fact_phase_units.c only. */
#ifndef SP_FACT_PHASE_H
#define SP_FACT_PHASE_H

#include "facts/fact_build.h"

struct phase_unit {
    uint32_t first, last; /* instances */
    bool reduces, scans, folds, turns;
    bool solid; /* holds more than loops of the source: it is taken whole */
};

struct phase_stretch {
    uint32_t first, last;
    const struct phase_unit *unit; /* NULL: between units */
    bool cut;                      /* ends with a barrier that carries data */
};

struct phase_run { /* what else belongs to a stretch: another loop's piece lies between */
    uint32_t first, last, stretch;
};

struct phases {
    struct arena *a;
    struct fact_source *s;
    struct fact_kernel *k;
    struct graph *g;
    uint32_t count;     /* instances of the kernel's own level and its calls */
    uint32_t *phase_of; /* by instance: stretch, UINT32_MAX: none */
    bool *carries;      /* by instance: a barrier that carries data */
    uint32_t *told; /* by instruction: the stretch whose ranges hold it, + 1: code that several run is the first's */
    uint32_t *home; /* by match: its stretch, UINT32_MAX: none */
    bool *step;     /* by instance: of a reduction or scan itself */
    VEC(struct phase_unit) units;
    bool *folds; /* by cycle: one of the kernel's own level that accumulates */
    VEC(struct phase_stretch) list;
    VEC(struct phase_run) runs;
};

bool phase_is_barrier(const struct graph *g, uint32_t insn);
const struct uop_list *phase_uops(const struct graph *g, uint32_t insn);
/* The stretches that the kernel's own level falls into, in order of the code: units and what lies between. False: no
 * memory. */
bool phase_find_stretches(struct phases *p);

#endif
