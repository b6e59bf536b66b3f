/* Patterns as .gitignore has them, as globs. */
#include "import/ignore.h"

#include "base/arena.h"
#include "base/str.h"

#include <string.h>

bool ignore_globs(const char *globs[IGNORE_GLOBS], struct arena *arena, const char *pattern)
{
    size_t len = strlen(pattern);
    globs[0] = globs[1] = NULL;
    while (len && strchr(" \t", pattern[len - 1]))
        len--;
    if (len == 0 || *pattern == '#')
        return true;
    if (*pattern == '!')
        return false;
    bool folder = pattern[len - 1] == '/';
    len -= folder;
    const char *text = arena_memdup(arena, pattern, len);
    bool anchored = strchr(text, '/') != NULL;
    text += *text == '/';
    const char *start = anchored || str_starts(text, "**/") ? "" : "**/";
    globs[0] = arena_printf(arena, "%s%s/**", start, text);
    if (!folder)
        globs[1] = arena_printf(arena, "%s%s", start, text);
    return true;
}
