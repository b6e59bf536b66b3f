/* Who lives in the one environment of a request. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_MEMBERS_H
#define TMPLGEN_RESOLVER_MEMBERS_H

#include "resolver/ask.h"

/*
 * Fills the members of a request from what it names: that, the frameworks which it lives on, and
 * what its releases require from the index of such a framework. Their order does not depend on the
 * order of the words: frameworks, then packages, those first that require others. `all`: the
 * matrix that the rows are of.
 */
TG_CHECKED int members_compile(struct ask *ask, struct arena *arena, const struct matrix *all,
                               struct err *err);
/* The member of that row, or the count of members. */
size_t member_of(const struct ask *ask, const struct framework *row);
/* What a release of a member says of a package of that name, or NULL. */
const struct pin *pin_of(const struct pins *pins, const struct framework *row);
/* The pins of one release. */
const struct pins *pins_of(const struct member *member, const struct release *release);

#endif
