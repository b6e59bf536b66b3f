/* What `resolution` has, for whoever checks templates before they are rendered. */
#ifndef TMPLGEN_RESOLUTION_NAMES_H
#define TMPLGEN_RESOLUTION_NAMES_H

#include "base/span.h"

#include <stdbool.h>

/*
 * Whether "resolution.cuda.variant" may be there, by what docs/json.md says of resolutions and
 * requests. Methods of what is there count; what is below a text, a list or a map of any names is
 * not looked at. `*nearest` is a name that may be meant, or NULL.
 */
bool attribute_is_known(const char **nearest, struct span path);

#endif
