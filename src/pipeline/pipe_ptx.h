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

/* A kernel of the text, by its mangled name. */
bool pipe_ptx_entry(const struct ptx_module *m, const char *name, uint32_t *function);

/* The text that is embedded in the file of machine code, read when first asked for: in->ptx. False: it does not have
 * the kernel. */
bool pipe_ptx_embedded(struct sp_session *s, struct pipe_input *in, const struct img_kernel *kernel,
                       uint32_t *function);

#endif
