/* Modules inside files that hold several: one input each, read one at a time. */
#ifndef SP_PIPE_CONTAINER_H
#define SP_PIPE_CONTAINER_H

#include "pipeline/pipe.h"

/* An input for each module of the file, none of them read; at least one, which says what was wrong. `bytes` must stay
 * as long as the session. */
enum sp_status pipe_container_add(struct sp_session *s, const char *path, const uint8_t *bytes, size_t size);

/* A file mapped for the session's life, if it holds modules. False: it is none of those. */
bool pipe_container_map(struct sp_session *s, const char *path, const uint8_t **bytes, size_t *size);
/* The same of a cubin that is large. */
bool pipe_cubin_map(struct sp_session *s, const char *path, const uint8_t **bytes, size_t *size);

/* Reads the input's module, if it is not there from the beginning; everything of it goes with pipe_input_close(). Its
 * diagnostics are told once. The answer is the input's status. */
enum sp_status pipe_input_open(struct sp_session *s, struct pipe_input *in);
void pipe_input_close(struct pipe_input *in);
/* Where what belongs to the module lives. */
struct arena *pipe_input_arena(struct sp_session *s, struct pipe_input *in);

/* False: it cannot be `arch` (NULL: any), by what the container says. */
bool pipe_input_may_be(const struct pipe_input *in, const char *arch);
/* True for what is told with other modules, not by itself: PTX beside machine code made of the same source (`arch`: the
 * one that was asked for, or NULL), and what a device linker made other modules of. */
bool pipe_input_is_companion(const struct pipe_input *in, const char *arch);

/* PTX of the same fatbin that the module's machine code can have been made of, and its kernel there. False: none. */
bool pipe_container_ptx(struct pipe_input *in, const struct img_kernel *kernel, struct ptx_module **module,
                        uint32_t *function);
/* True when some PTX of the same fatbin can be what the module was made of. */
bool pipe_container_has_ptx(const struct pipe_input *in);

/* All PTX of a container as texts to set beside machine code (`--ptx`). */
enum sp_status pipe_container_add_ptx(struct sp_session *s, const char *path, const uint8_t *bytes, size_t size);

/* What a session does with a module once it is read: tables of a near architecture where there are none. */
void pipe_choose_tables(struct sp_session *s, struct pipe_input *in);

#endif
