/* Which catalogs on this machine are new to the user: those that came with a project. */
#include "catalog/trust.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct words own, trusted;

static void add(struct words *words, const char *text)
{
    words->items = xgrow((void *)words->items, words->count, sizeof(*words->items));
    words->items[words->count++] = xstrdup(text);
}

/* Absolute and through no link; NULL of what is not there, or no path. */
static char *real_path(const char *source)
{
    const char *path = source_path(source);
    return path ? realpath(path, NULL) : NULL;
}

void trust_nothing_below(const char *folder)
{
    char *real = real_path(folder);
    if (real)
        add(&own, real);
    free(real);
}

/* "/FOLDER/BEGINNING*": by the folder's real path, as whatever is held against it. */
static void trust_all(const char *pattern)
{
    ARENA_SCRATCH(scratch);
    const char *path = source_path(pattern), *slash = path ? strrchr(path, '/') : NULL;
    char *real = slash ? real_path(arena_memdup(&scratch, path, (size_t)(slash - path + 1))) : NULL;
    if (strcmp(pattern, "*") == 0)
        add(&trusted, pattern);
    else if (real)
        add(&trusted, arena_printf(&scratch, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash));
    free(real);
}

void trust_source(const char *source)
{
    size_t len = strlen(source);
    if (len && source[len - 1] == '*') {
        trust_all(source);
        return;
    }
    char *real = real_path(source);
    if (real)
        add(&trusted, real);
    free(real);
}

static bool is_trusted(const char *real)
{
    for (size_t i = 0; real && i < trusted.count; i++) {
        const char *text = trusted.items[i];
        size_t len = strlen(text);
        bool prefix = len && text[len - 1] == '*';
        if (prefix ? strncmp(real, text, len - 1) == 0 : strcmp(real, text) == 0)
            return true;
    }
    return false;
}

static bool is_own(const char *path)
{
    for (size_t i = 0; path && i < own.count; i++) {
        size_t len = strlen(own.items[i]);
        if (strncmp(path, own.items[i], len) == 0 && (path[len] == '/' || path[len] == '\0'))
            return true;
    }
    return false;
}

int trust_check(const char *source, struct err *err)
{
    char *real = str_equal(source, CATALOG_BUILTIN) ? NULL : real_path(source);
    /* by its real path alone: a name that begins as a trusted one does may lead back */
    bool refused = is_own(real) && !is_trusted(real);
    free(real);
    if (!refused)
        return 0;
    (void)err_set(err, TG_REFUSED, "untrusted-source",
                  "the catalog '%s' lies in the repository of the project that names it, and is "
                  "new to you",
                  source);
    return err_hint(err, "it came with the project, from whoever made that: look at it, then give "
                         "--trust, or list it under 'trusted' in your configuration");
}
