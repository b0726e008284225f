/* What the two files that read listings share: one line taken apart. Private to the room. */
#ifndef SP_IMG_LISTING_H
#define SP_IMG_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    const char *p;
    size_t n;
};

enum listing_kind {
    LISTING_NOTHING,   /* prose, directives that say nothing here, data */
    LISTING_FUNCTION,  /* name: cuobjdump's `Function : NAME` */
    LISTING_SECTION,   /* name: nvdisasm's `.section .text.NAME` */
    LISTING_OTHER,     /* another section, or text in another language: what follows is no code */
    LISTING_MODULE,    /* a new module begins: `Fatbin elf code:` */
    LISTING_ARCH,      /* name: "sm_86" */
    LISTING_LABEL,     /* name */
    LISTING_INSN,      /* an instruction, see below */
    LISTING_WORD,      /* the second word of the instruction before */
    LISTING_GAP,       /* an ellipsis */
    LISTING_END,       /* end of a function */
    LISTING_SOURCE,    /* name, number: the source line of what follows */
    LISTING_ENTRY,     /* name: `.other NAME,@"STO_CUDA_ENTRY …` */
    LISTING_SIZE,      /* name: `.size NAME,…` */
    LISTING_REGISTERS, /* number */
    LISTING_BARRIERS,  /* number */
};

struct listing_line {
    enum listing_kind kind;
    struct slice name;
    uint32_t number;
    bool accelerated;  /* ARCH: the flags say that it is an `a` target */
    struct slice text; /* INSN: guard, opcode, operands */
    bool sure;         /* INSN: an offset, a word or a ";" shows that it is one; else it may be prose */
    bool has_offset;   /* INSN */
    uint32_t offset;
    uint64_t words[2]; /* INSN, WORD: low word first */
    unsigned word_count;
    bool spill;        /* INSN: marked as the compiler's spill or refill */
    bool has_control;  /* INSN: scheduling as CuAssembler writes it */
    uint32_t control;  /* bits [121:105] */
    struct slice rest; /* INSN: what follows its ";" on the line, perhaps another one */
};

/* Takes a line apart, without its line feed. */
void img_listing_line(struct slice line, struct listing_line *out);
/* Another instruction on what is left of a line; false when there is none. */
bool img_listing_more(struct slice rest, struct listing_line *out);

#endif
