/* PTX in the pipeline: as an input, and beside machine code. */
#ifndef SP_PIPE_PTX_H
#define SP_PIPE_PTX_H

#include "facts/fact_build.h"
#include "front/ptx.h"
#include "pipeline/pipe.h"

/* Text -> the input's module and in->ptx. SP_ERR_FORMAT: what could be read is there. */
enum sp_status pipe_ptx_read(struct sp_session *s, struct pipe_input *in, const char *text, size_t size);

/* One kernel's lists; *k, a copy of the module's kernel, gets what they tell of resources and lines. */
enum sp_status pipe_ptx_kernel(struct sp_session *s, struct arena *a, const struct pipe_input *input, uint32_t function,
                               struct img_kernel *k, struct ptx_code *code);
void pipe_ptx_texts(struct arena *a, const struct ptx_code *code, struct fact_text *texts);

/* The PTX that a kernel of machine code was made of: what is embedded in its file, else what --ptx gave. False: there
 * is none at hand. */
bool pipe_ptx_beside(struct sp_session *s, struct pipe_input *in, const struct img_kernel *kernel,
                     const struct ptx_module **module, uint32_t *function);

#endif
