/* The user's configuration: $XDG_CONFIG_HOME/tmplgen/config.yml. */
#include "cmd/config.h"

#include "base/arena.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/yaml.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL where neither variable says where the user's files are. */
static const char *config_path(struct arena *arena)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (folder && *folder == '/')
        return arena_printf(arena, "%s/tmplgen/config.yml", folder);
    return home && *home ? arena_printf(arena, "%s/.config/tmplgen/config.yml", home) : NULL;
}

static int read_keys(struct config *out, struct arena *arena, const struct yaml_node *root,
                     struct err *err)
{
    static const char *const keys[] = {"catalog", "registry", "mirror", "trusted", "answers", NULL};
    if (yaml_check_keys(root, keys, err) < 0 ||
        yaml_text(&out->catalog, yaml_get(root, "catalog"), "catalog", err) < 0 ||
        yaml_text(&out->registry, yaml_get(root, "registry"), "registry", err) < 0 ||
        yaml_text(&out->mirror, yaml_get(root, "mirror"), "mirror", err) < 0 ||
        yaml_texts(&out->trusted, &out->trusted_count, arena, yaml_get(root, "trusted"), "trusted",
                   err) < 0)
        return -1;
    out->answers = yaml_get(root, "answers");
    if (out->answers && out->answers->kind != YAML_MAP)
        return yaml_error(err, out->answers, "'answers' must be a mapping");
    return 0;
}

int config_load(struct config *out, struct arena *arena, struct err *err)
{
    const char *path = config_path(arena);
    struct yaml_doc *doc;
    struct span text;
    *out = (struct config){0};
    if (!path || access(path, F_OK) < 0)
        return 0;
    if (io_read(&text, arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0 ||
        yaml_parse(&doc, arena, path, text, err) < 0)
        return -1;
    return doc->root ? read_keys(out, arena, doc->root, err) : 0;
}

bool config_trusts(const struct config *config, const char *source)
{
    for (size_t i = 0; i < config->trusted_count; i++) {
        const char *trusted = config->trusted[i];
        size_t len = strlen(trusted);
        bool prefix = len && trusted[len - 1] == '*';
        if (prefix ? strncmp(source, trusted, len - 1) == 0 : strcmp(source, trusted) == 0)
            return true;
    }
    return false;
}
