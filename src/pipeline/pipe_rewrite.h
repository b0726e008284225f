/* Machine code beside its PTX. */
#ifndef SP_PIPE_REWRITE_H
#define SP_PIPE_REWRITE_H

#include "base/map.h"
#include "facts/fact_build.h"
#include "pipeline/pipe.h"
#include "rewrite/rew.h"

struct pipe_rewrite {
    struct sp_session *session;
    const struct img_module *module;
    const struct img_kernel *kernel;
    const char *base_name;
    const struct fact_file_text *file_texts; /* by file of the module; NULL: none */
    struct graph *g;                         /* of the machine code */
    struct arena work;                       /* its own, with a limit; what the list points to lives there */
    /* Given back: the text that it was made of, the kernel's function there, and whether --ptx gave it; NULL: none. */
    const struct ptx_module *ptx;
    uint32_t function;
    bool given;
};

/* Completes the list with what PTX tells, if there is some. Out of memory or beyond the budget: the list stays as it
 * is, and a note says so. */
void pipe_rewrite(struct pipe_rewrite *p, struct pipe_input *in, struct rew_list *out);

/* Which of the texts of --ptx have a kernel of some input: noted module by module while it is there, ... */
struct pipe_ptx_text {
    struct map_str entries;
    bool listed, used;
};
struct pipe_ptx_use {
    struct pipe_ptx_text *texts;
};
void pipe_rewrite_note_used(struct sp_session *s, const struct img_module *m, struct pipe_ptx_use *use);
/* ... and a warning for each that has none. */
void pipe_rewrite_unused(struct sp_session *s, const struct pipe_ptx_use *use);

#endif
