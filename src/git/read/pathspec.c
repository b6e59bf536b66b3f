/* Paths as git's commands take them. */
#include "git/pathspec.h"

#include "base/arena.h"

#include <string.h>

const char *pathspec_literal(struct arena *arena, const char *path)
{
    return *path == ':' || strpbrk(path, "*?[\\") ? arena_printf(arena, ":(literal)%s", path)
                                                  : path;
}
