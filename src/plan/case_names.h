/* Names that differ by case alone: one name to macOS and Windows. */
#pragma once

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * Finds, for each file i of `asking` with `asks[i]`, the index of the one file in `list` whose name
 * is equal but for case (Unicode NFC and full case folding); in the arena. SIZE_MAX for the others,
 * and where `list` has none or several, or where several files ask for the same one.
 */
size_t *names_without_case(struct arena *arena, const struct plan_list *asking, const bool *asks,
                           const struct plan_list *list);
/* True where two paths are the same but for case. */
bool names_alike(const char *a, const char *b);
