/* What is installed, in which steps and from where. */
#ifndef TMPLGEN_REQUIREMENTS_H
#define TMPLGEN_REQUIREMENTS_H

#include "resolver/search/chosen_set.h"

struct data;

/*
 * Puts `requirements`, `index_url`, `index_requirements`, `find_links`, `build_requirements`,
 * `build_image` and `cpu` of docs/json.md. `cudnn_bound`: below which version cuDNN must stay, or
 * NULL.
 */
void put_requirements(struct data *map, const struct chosen_set *s, const char *cudnn_bound);

#endif
