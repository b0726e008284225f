/* Between the files that print operations only: mean_expr.c, mean_number.c, mean_word.c, and mean_text.c that keeps
 * what they make. */
#ifndef SP_MEAN_PRINT_H
#define SP_MEAN_PRINT_H

#include "meaning/mean_internal.h"

/* How what is printed is read, and how deep inside of others it stands. */
struct mean_printer {
    struct mean *m;
    unsigned as, style, depth;
};

static inline struct mean_text mean_word(const char *text)
{
    return (struct mean_text){text, PREC_PRIMARY, false};
}

/* mean_expr.c */
void mean_order_pair(const struct mean *m, graph_id pair[2]);
struct mean_text mean_print_arg(const struct mean_printer *p, graph_id id, unsigned as);
struct mean_text mean_print_binary(const struct mean_printer *p, graph_id a, const char *op, graph_id b,
                                   enum mean_prec prec, bool associative, unsigned as);
struct mean_text mean_print_call(const struct mean_printer *p, const char *name, const graph_id *args, unsigned count,
                                 unsigned as);
struct mean_text mean_print_node(struct mean *m, graph_id id, unsigned as, unsigned style, unsigned depth);
/* mean_number.c */
const char *mean_print_integer_type(unsigned bits, bool is_signed);
const char *mean_print_signed_operand(const struct mean_printer *p, graph_id id, bool is_unsigned, unsigned bits,
                                      bool agrees);
struct mean_text mean_print_integer_min_max(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_shift_right(const struct mean_printer *p, const struct graph_node *n);
const struct mean_param *mean_print_small_param(const struct mean *m, graph_id id, unsigned bytes);
struct mean_text mean_print_extension(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_conversion(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_half_text(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_pair_text(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_highest_bit(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_integer_division(const struct mean_printer *p, const struct graph_node *n, bool natural,
                                             unsigned as);
/* mean_word.c */
struct mean_text mean_print_constant_word(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_atomic_text(const struct mean_printer *p, const struct graph_node *n);
const char *mean_print_chosen_word(const struct graph_node *n);
struct mean_text mean_print_phi_text(const struct mean_printer *p, graph_id id, const struct graph_node *n);
struct mean_text mean_print_special_register(const struct mean_printer *p, graph_id id, const struct graph_node *n);
const char *mean_round_suffix(unsigned round); /* enum uop_round; to nearest: none */
struct mean_text mean_print_function_text(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_shuffle_text(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_redux_text(const struct mean_printer *p, const struct graph_node *n);
struct mean_text mean_print_load_text(const struct mean_printer *p, graph_id id, const struct graph_node *n);

#endif
