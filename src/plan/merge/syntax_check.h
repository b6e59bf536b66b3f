/* Files whose form tmplgen can check: YAML, JSON and TOML. */
#ifndef TMPLGEN_SYNTAX_CHECK_H
#define TMPLGEN_SYNTAX_CHECK_H

#include "base/str.h"

#include <stdbool.h>

/* "YAML", "JSON" or "TOML" by the name of `path`, or NULL. */
const char *syntax_known(const char *path);
/* True where the content is of the form that its path promises. */
bool syntax_parses(const char *path, struct span content);

#endif
