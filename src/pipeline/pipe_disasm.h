/* What the forms of `disasm` share: one kernel being printed. Private to the room. */
#ifndef SP_PIPE_DISASM_H
#define SP_PIPE_DISASM_H

#include "pipeline/pipe_container.h"

#include "base/out.h"
#include "image/img_assembly.h"
#include "image/img_container.h"

/* Texts of a module's instructions, one after another: some forms are set as wide as the widest of them. */
struct pipe_spelled {
    char *bytes;
    size_t n, size;
    uint16_t *lengths; /* each with how much of it is a guard left of the opcode */
    size_t count, room;
    size_t printed, shown; /* how far they are printed: bytes, instructions */
};

enum { PIPE_GUARD_SHIFT = 13, PIPE_LENGTH = (1 << PIPE_GUARD_SHIFT) - 1 };

/* Templates found ahead, of the instructions from `from` on. */
enum { PIPE_AHEAD = 16 };
struct pipe_ahead {
    const struct isa_template *found[PIPE_AHEAD];
    uint32_t from, n;
};

struct pipe_labels;

/* Stands for a name that no label's room holds. */
enum { PIPE_NAME_MARK = 1 };

struct pipe_listing {
    struct isa_cache *cache;
    struct pipe_ahead ahead; /* n is 0 after any other use of the cache */
    struct arena *a;
    struct out *out;
    const struct sp_disasm_options *options;
    const struct img_module *module;
    const struct img_kernel *kernel;
    const struct isa_insn *insns; /* decoded for JSON and for listings, else NULL: text comes from the words */
    uint32_t count;
    struct pipe_labels *labels;  /* of the module, for nvdisasm's form; else NULL */
    struct pipe_labels *symbols; /* the same for JSON, which names symbols and no labels */
    struct pipe_spelled *spelled;
    bool is_spelled; /* the texts are there: print those */
    size_t widest;   /* instruction text of the module, with its " ;" */
    int32_t last_file, last_line;
    const char *long_name; /* what stands for PIPE_NAME_MARK in the text being printed, and its place */
    uint32_t long_target;
};

static inline struct bits128 pipe_word_at(const struct pipe_listing *l, uint32_t i)
{
    if (l->insns)
        return l->insns[i].word;
    const uint8_t *p = l->kernel->code + 16 * (size_t)i;
    return (struct bits128){bits_le64(p), bits_le64(p + 8)};
}
/* The text of instruction i into `text` (ISA_TEXT_ROOM bytes). */
size_t pipe_print_text(struct pipe_listing *l, uint32_t i, char *text);
/* The same, from the texts that were kept where they were; *text points to it, else into `room`. */
size_t pipe_next_text(struct pipe_listing *l, uint32_t i, char *room, const char **text);
bool pipe_has_word(const struct pipe_listing *l, uint32_t i);
bool pipe_has_control(const struct pipe_listing *l, uint32_t i);
/* How many bytes of the text are the guard ("@P0", "@!UP1"), without the blank. */
size_t pipe_guard_length(const char *text, size_t n);
/* The offset in its comment, and the guard at the right end of its column (a uniform one is in the next column, where
 * opcodes stand). Answers where the rest of `text` begins. */
char *pipe_put_offset(char *p, uint32_t offset, const char *text, size_t n, size_t *rest);
/* How much of the architecture's name the vendor's forms print: not the "f" of a family. */
int pipe_arch_length(const struct img_module *module);
/* The line that tells a cubin's header: what it is built for, and how. */
void pipe_print_header_flags(struct out *out, const struct img_module *module);
void pipe_print_line_info(struct pipe_listing *l, uint32_t offset);

/* The operands' texts as parts of an instruction's, without its guard: `from` and `end` of each, at most `room`; the
 * text is cut at its top-level commas, or at its blanks too (RET.REL.NODEC R2 0x0). Answers how many there are. */
struct pipe_part {
    const char *from, *end;
};
unsigned pipe_operand_parts(const char *rest, bool blanks, struct pipe_part *parts, unsigned room);

/* pipe_lines.c: puts the function's name where pipe_label_text() left a mark; one too long for the room leaves the
 * offset. */
size_t pipe_put_long_name(struct pipe_listing *l, char *text, size_t n);
struct isa_print_options pipe_print_options(struct pipe_listing *l);
/* The lines of the plain instructions from i up to `end` in nvdisasm's form. `o` is what pipe_print_options() gave. */
void pipe_print_plain(struct pipe_listing *l, const struct isa_print_options *o, uint32_t i, uint32_t end);
/* Keeps the texts of the kernel and widens *widest to the longest, with its guard, although that stands to the left.
 * False: out of memory. */
bool pipe_spell(struct pipe_listing *l, size_t *widest);
void pipe_print_cuobjdump(struct pipe_listing *l);

/* pipe_disasm_json.c */
void pipe_print_json(struct pipe_listing *l);

/* pipe_assembly.c: names and numbers of the module's places, made before its kernels are printed. NULL: out of memory.
 */
struct pipe_labels *pipe_labels_make(struct arena *a, struct isa_cache *cache, const struct img_module *module);
/* True when something is annotated at the right of instructions, behind the widest of them. */
bool pipe_labels_annotate(const struct pipe_labels *labels);
/* For isa_print_options: `user` is a struct pipe_listing. */
bool pipe_label_text(void *user, uint32_t target, char out[96]);
/* Puts symbols in the place of what relocations will fill; answers the new length. */
size_t pipe_put_symbols(struct pipe_listing *l, uint32_t i, char *text, size_t n);
/* The first offset from this one on of an instruction that shows more than its word says; UINT32_MAX: none. */
uint32_t pipe_next_special(const struct pipe_listing *l, uint32_t offset);
/* The operand that a relocation fills, and with what ("symbol", "symbol+0x8"); the operands' count: none. */
unsigned pipe_symbol_of(const struct pipe_listing *l, const struct isa_insn *insn, char *out, size_t size);
void pipe_print_assembly_head(struct out *out, const struct img_module *module, const struct pipe_labels *labels);
void pipe_print_assembly(struct pipe_listing *l);
/* The same of instructions alone, as `nvdisasm --binary` prints them: no labels are made for it. */
void pipe_print_raw(struct pipe_listing *l);
void pipe_print_assembly_end(struct out *out, const struct pipe_labels *labels);

#endif
