/* Which file of the base, of the child and of the new render are one and the same. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/* One file through its three trees. */
struct file_triple {
    const struct plan_file *side[SIDES]; /* NULL where it is absent */
    const char *looks_like; /* where the child has none: its file that resembles it; or NULL */
};

/*
 * Every file of the base and of the render is in exactly one triple. A file of the child is in at
 * most one; in none where it is the child's own. Triples of base files come first, in their order.
 * Names that differ by case alone name one file.
 *
 * `unfollowed[i]` (one for each base file, or NULL) forbids to follow a rename of base file i on
 * either side.
 */
TG_CHECKED int pair_files(struct file_triple **out, size_t *count, struct arena *arena,
                          struct store *store, const struct plan_input *input,
                          const bool *unfollowed, struct err *err);

/* True where a `yours:` glob names the file by any of its paths. */
bool triple_is_yours(const struct file_triple *triple, const struct plan_input *input);
/* The rule that counts: the render's, else the base's where its rules are known; else NULL. */
const struct plan_file *triple_rule(const struct file_triple *triple,
                                    const struct plan_input *input);
