/* `version`: of the program, its catalog and its libraries, as a report of a bug needs them. */
#include "catalog/builtin_data.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "data/document.h"
#include "io/http.h"
#include "jinja/template.h"
#include "tmplgen.h"

#include <git2.h>
#include <jansson.h>
#include <yaml.h>
#include <zlib.h>

/* Of those that run, not of those that the program was built with. */
static struct data *libraries(struct arena *arena)
{
    int major, minor, revision;
    (void)git_libgit2_version(&major, &minor, &revision);
    const char *curl = http_library();
    struct data *all = data_map(arena);
    data_put(arena, all, "libgit2",
             data_str(arena, arena_printf(arena, "%d.%d.%d", major, minor, revision)));
    data_put(arena, all, "libyaml", data_str(arena, yaml_get_version_string()));
    data_put(arena, all, "jansson", data_str(arena, jansson_version_str()));
    data_put(arena, all, "zlib", data_str(arena, zlibVersion()));
    data_put(arena, all, "libcurl", curl ? data_str(arena, curl) : data_null(arena));
    return all;
}

static int version_run(struct run *run, struct err *err)
{
    const struct builtin_version *head = &builtin_versions[builtin_head];
    struct arena *arena = &run->arena;
    struct data *catalog = data_map(arena), *all = libraries(arena);
    (void)err;
    data_put(arena, catalog, "version", data_str(arena, head->version));
    data_put(arena, catalog, "commit", data_str(arena, head->commit));
    cmd_tell(run, FIELD("version", TMPLGEN_VERSION), FIELD("engine", TEMPLATE_ENGINE),
             FIELD("catalog", catalog), FIELD("libraries", all));
    cmd_print(run, "tmplgen %s (engine %d)\ncatalog %s (commit %.12s%s)\n", TMPLGEN_VERSION,
              TEMPLATE_ENGINE, head->version, head->commit,
              builtin_head < builtin_release_count ? "" : ", not released");
    for (size_t i = 0; i < all->map.count; i++) {
        const char *version = data_text(all->map.members[i].value);
        cmd_print(run, "%s%s %s", i ? ", " : "", all->map.members[i].name.ptr,
                  version ? version : "not found");
    }
    cmd_print(run, "\n");
    return TG_OK;
}

const struct command version_command = {.name = "version",
                                        .usage = "",
                                        .summary = "Show the versions of this program, its catalog "
                                                   "and its libraries.",
                                        .options = {{"Output", common_options}},
                                        .max_arguments = 0,
                                        .run = version_run};
