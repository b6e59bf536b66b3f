/* Hooks and tasks: code that is never run here, told to whoever decides what becomes of it. */
#ifndef TMPLGEN_IMPORT_SCRIPT_H
#define TMPLGEN_IMPORT_SCRIPT_H

#include "base/str.h"

struct arena;

/* The first lines of a script that do something, in one line, as far as they are short. */
const char *script_gist(struct arena *arena, struct span text);

#endif
