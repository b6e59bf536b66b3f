/* Names that differ by case alone: one name to macOS and Windows. */
#ifndef TMPLGEN_CASE_NAMES_H
#define TMPLGEN_CASE_NAMES_H

#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * For each path the index of the one file in `list` whose name is the same but for case (Unicode
 * NFC and full case folding), or SIZE_MAX: there is none, there are several, or several of `paths`
 * mean it.
 */
void names_without_case(size_t *out, struct arena *arena, const char *const *paths, size_t count,
                        const struct plan_list *list);
/* Whether two paths are one to them. */
bool names_alike(const char *a, const char *b);

#endif
