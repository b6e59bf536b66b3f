/* Names that differ by case alone: one name to macOS and Windows. */
#pragma once

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * For each file i of `asking` that `asks[i]` the index of the one file in `list` whose name is the
 * same but for case (Unicode NFC and full case folding); in the arena. SIZE_MAX for the others, and
 * where there is no such file, where there are several, or where several ask for it.
 */
size_t *names_without_case(struct arena *arena, const struct plan_list *asking, const bool *asks,
                           const struct plan_list *list);
/* True where two paths are the same but for case. */
bool names_alike(const char *a, const char *b);
