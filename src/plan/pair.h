/* Which file of the base, of the child and of the new render are one and the same. */
#ifndef TMPLGEN_PAIR_H
#define TMPLGEN_PAIR_H

#include "base/err.h"
#include "plan/file_triple.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/*
 * Every file of the base and of the render is in exactly one unit; a file of the child in at most
 * one, and in none where it is the child's own. Units of base files come first, in their order.
 * Names that differ by case alone are one.
 *
 * `fixed[i]` (one per base file, or NULL) forbids to follow a rename of base file i, by either
 * side.
 */
TG_CHECKED int pair_files(struct file_triple **out, size_t *count, struct arena *arena,
                          struct store *store, const struct plan_input *input, const bool *fixed,
                          struct err *err);

#endif
