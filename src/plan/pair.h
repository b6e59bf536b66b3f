/* Pairs the files of the base, the child and the new render that are one and the same. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/* One file in its three trees. */
struct file_triple {
    const struct plan_file *side[SIDES]; /* NULL where it is absent */
    const char *looks_like; /* where the child has none: its file that resembles it; or NULL */
};

/*
 * Every file of the base and of the render is in exactly one triple. A file of the child is in at
 * most one; the child's own files are in none. Triples of base files come first, in their order.
 * Names that differ by case alone name one file.
 *
 * `unfollowed[i]` (one for each base file, or NULL) forbids following a rename of base file i on
 * either side.
 */
TG_CHECKED int pair_files(struct file_triple **out, size_t *count, struct arena *arena,
                          struct store *store, const struct plan_input *input,
                          const bool *unfollowed, struct err *err);

/* True where a `yours:` glob matches any path of the file. */
bool triple_is_yours(const struct file_triple *triple, const struct plan_input *input);
/* The rule in force: the render's, else the base's where its rules are known; else NULL. */
const struct plan_file *triple_rule(const struct file_triple *triple,
                                    const struct plan_input *input);
