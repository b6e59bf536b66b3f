/* Values of copier.yml, which Python reads as YAML 1.1. */
#ifndef TMPLGEN_IMPORT_COPIER_VALUE_H
#define TMPLGEN_IMPORT_COPIER_VALUE_H

#include <stdbool.h>

struct arena;
struct data;
struct yaml_node;

/* As PyYAML reads it: `no` is false, `3.10` is 3.1. */
struct data *copier_value(struct arena *arena, const struct yaml_node *node);
/* As Python's str() prints such a scalar; NULL of a list, a map or nothing. */
const char *copier_text(struct arena *arena, const struct data *value);
/* Whether all are scalars. */
bool copier_is_scalars(const struct data *list);

#endif
