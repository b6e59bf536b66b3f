/* The row of a release: Pythons, companions, and what it requires. */
#ifndef TMPLGEN_PROPOSAL_RELEASE_H
#define TMPLGEN_PROPOSAL_RELEASE_H

#include <stdbool.h>

struct data;
struct proposal;

/*
 * "companions: {torchvision: 0.28.0}" in the arena, or "". Needs the evidence, and the row before.
 * `*all` becomes false where one of that row has no successor. Those that a present row names
 * already are left out.
 */
const char *companions_field(const struct proposal *p, bool *all);
/* Adds the row to the list, or why there is none. Needs all of the proposal. */
void propose_release(const struct proposal *p, struct data *list);

#endif
