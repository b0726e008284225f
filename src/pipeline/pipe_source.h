/* Source texts given with --source, and which of them stands for which file of a line table. */
#ifndef SP_PIPE_SOURCE_H
#define SP_PIPE_SOURCE_H

#include "facts/fact_build.h"
#include "front/cu_source.h"
#include "pipeline/pipe.h"

struct pipe_source {
    const char *path;
    struct cu_source text;
};

/* For each file of the module the text that stands for it, on `a`; what was decided goes to doc->sources, and what is
 * amiss to the session's diagnostics. NULL when out of memory. `numbers`: of the module's files in the document. */
struct fact_file_text *pipe_source_match(struct sp_session *s, struct arena *a, const struct img_module *m,
                                         uint32_t input, const int32_t *numbers, struct fact_document *doc);

/* Notes on texts that no line table speaks of. */
void pipe_source_unused(struct sp_session *s, const struct fact_document *doc);

#endif
