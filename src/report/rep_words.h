/* Facts in words: short texts that several reports use. Results lie on the arena and are never NULL.
 * Private to the report room. */
#ifndef SP_REPORT_REP_WORDS_H
#define SP_REPORT_REP_WORDS_H

#include "facts/fact.h"
#include "report/rep_page.h"
#include "report/rep_plan.h"

/* A kernel being reported. */
struct rep_note {
    const struct fact_document *doc;
    const struct rep_plan *plan;
    const struct fact_kernel *k;
    uint32_t kernel;
    uint32_t most; /* records of a section that a short note shows; 0: all */
};

/* printf on the page's arena; "" when out of memory. */
const char *rep_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text, or a dash for NULL. */
const char *rep_or_dash(const char *text);

/* A long expression cut at a blank, with "…" for the rest; the note shows it so, --why and JSON give it whole. */
const char *rep_brief(struct arena *a, const char *text);

const char *rep_hex(struct arena *a, uint32_t offset);
/* "0x00b0–0x00e0": a stretch from first to last instruction, one offset when they are the same. */
const char *rep_span(struct arena *a, uint32_t from, uint32_t to);
/* The same, padded to the width of a stretch and two more. */
const char *rep_span_padded(struct arena *a, uint32_t from, uint32_t to);
/* "0x0060, 0x00b0–0x00e0": three or more neighbours become a stretch. */
const char *rep_offsets(struct arena *a, struct fact_offsets offsets);
/* "x = x[i], lo = lo, nan = kept" */
const char *rep_bindings(struct arena *a, struct fact_bindings bindings);
/* "clamp_f32_kernel(float const* x, float* y, float lo, float hi, int n)" */
const char *rep_signature(struct arena *a, const struct fact_kernel *k);
/* Lines of a text: "41", "51, 52", "68 … 166". */
const char *rep_lines(struct arena *a, struct fact_offsets lines);
/* The rewrite as a clause, without its place. */
const char *rep_rewrite(struct arena *a, const struct fact_rewrite *rewrite);
/* "the source says i < n; here it is i >= n, the other way round" */
const char *rep_said(struct arena *a, const struct fact_said *said);
/* "file.cu:6" */
const char *rep_source(struct arena *a, const struct fact_document *doc, int32_t file, int32_t line);
/* "R0 = v1 (lo)" parts of a lane. */
const char *rep_hold(struct arena *a, const struct fact_hold *hold);
/* "load → compare → select → store": the roles that do the kernel's work, in order, repeats counted. */
const char *rep_shape(struct arena *a, const struct fact_kernel *k);
/* "2 input, 1 register-only, 1 result" */
const char *rep_class_counts(struct arena *a, const struct fact_kernel *k);

/* "0x0120–0x01c0 loop ×16, 0x0200–0x0240 straight" */
const char *rep_loop_pieces(struct arena *a, const struct fact_loop *loop);
/* What comes round, one a line, or "nothing". */
const char *rep_loop_carried(struct arena *a, const struct fact_loop *loop);
/* "j from blockDim.x >> 1, next j >> 1, until j == 0" */
const char *rep_loop_runs(struct arena *a, const struct fact_loop *loop);
/* "0x0000–0x00f0, 0x0110" */
const char *rep_phase_ranges(struct arena *a, const struct fact_phase *phase);
/* How a warp's threads touch memory: "coalesced …", "no bank conflict …". */
const char *rep_access_words(struct arena *a, const struct fact_access *access);
/* "reads its own store at 0x00e0; the store at 0x0190 of thread threadIdx.x + i, after the barrier 0x01a0"; "" for a
 * store. */
const char *rep_access_reads(struct arena *a, const struct fact_access *access);

/* "4 flops, 8 B of global memory; intensity 0.5 flops a byte of global memory" */
const char *rep_work(struct arena *a, const struct fact_work *work);

/* "0x0260, 0x0390", "via shared, other thread: 0x0360": uses by route, a line each. */
const char *rep_uses(struct arena *a, const struct fact_value *value);

/* The statement as one sentence. */
const char *rep_statement(struct arena *a, const struct fact_document *doc, const struct rep_statement *s);

const char *rep_class_meaning(enum fact_class cls);
const char *rep_role_meaning(enum fact_role role);
const char *rep_confidence_meaning(enum fact_confidence confidence, bool real_rules);
enum rep_style rep_role_style(enum fact_role role);
enum rep_style rep_confidence_style(enum fact_confidence confidence);

bool rep_has_offset(struct fact_offsets offsets, uint32_t offset);
/* "FSEL R0, R2, c[0x0][0x170], P0" at an offset, "" where there is none. */
const char *rep_instruction_text(const struct fact_kernel *k, uint32_t offset);

#endif
