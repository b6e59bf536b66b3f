/* Opens the catalog that its authors work on. */
#include "cmd/template/author_session.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"

#include <unistd.h>

const struct option author_options[] = {
    {"catalog", "SRC[@REF]",
     "the catalog (default: the folder that you are in, where it has a catalog.yml; else as for "
     "'new'); a folder without @REF as it lies there, whatever is committed",
     false},
    {"trust", NULL, "take a catalog that is new to you", false},
    {NULL, NULL, NULL, false},
};

const struct option checked_options[] = {
    {"catalog", "SRC[@REF]",
     "the catalog (default: the folder that you are in); a folder without @REF as it lies there, "
     "whatever is committed",
     false},
    {"trust", NULL, "take a catalog that is new to you", false},
    {NULL, NULL, NULL, false},
};

static bool is_catalog_folder(struct arena *arena, const char *source)
{
    return source_path(source) == source &&
           access(arena_printf(arena, "%s/catalog.yml", source), F_OK) == 0;
}

int cmd_open_authored(const char **folder, struct run *run, struct err *err)
{
    const char *source, *ref, *ignored;
    folder = folder ? folder : &ignored;
    *folder = NULL;
    if (cmd_named_catalog(&source, &ref, run, err) < 0)
        return -1;
    if (!source && is_catalog_folder(&run->arena, "."))
        source = ".";
    if (!source)
        return cmd_open_catalog(run, err);
    if (ref || !is_catalog_folder(&run->arena, source))
        return catalog_open(&run->catalog, &run->arena, source, ref, err);
    if (catalog_open_folder(&run->catalog, &run->arena, source, err) < 0)
        return -1;
    *folder = run->catalog->origin.source;
    return 0;
}

int cmd_open_checked(const char **folder, struct run *run, struct err *err)
{
    if (opt_value(&run->options, "catalog") || is_catalog_folder(&run->arena, "."))
        return cmd_open_authored(folder, run, err);
    (void)err_set(err, TG_USAGE, "unknown-catalog", "there is no catalog.yml in this folder");
    return err_hint(err, "--catalog names a catalog: a folder, a repository, or 'builtin', the one "
                         "built in");
}
