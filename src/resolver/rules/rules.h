/* The hard rules: why a candidate will not do. */
#ifndef TMPLGEN_RULES_H
#define TMPLGEN_RULES_H

#include "resolver/search/candidate.h"
#include "resolver/search/problem.h"

enum level { LEVEL_RELEASE, LEVEL_BUILD, LEVEL_PYTHON, LEVEL_IMAGE };

/*
 * Whether a rule of that level speaks against the candidate by itself, whatever else must live with
 * it. `out` may be NULL; else it gets the first objection.
 */
bool rules_object(const struct problem *problem, const struct candidate *candidate,
                  enum level level, struct objection *out);
/* What is not known of a release of low confidence, where its rows say so; or NULL. */
const char *doubt_of(const struct release *release);
/* Objects to a release of `row` that is not what was asked for; true. */
bool object_to_release(struct objection *out, const struct framework *row,
                       const struct release *release, const struct spec *asked);
/* From 0, the flavour that the supply needs; -1 where it will not do. */
int flavour_rank(const char *supply, bool wants_cudnn, const char *flavour);

#endif
