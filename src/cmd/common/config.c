/* The user's configuration: $XDG_CONFIG_HOME/tmplgen/config.yml. */
#include "cmd/common/config.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/remote.h"
#include "data/yaml.h"
#include "io/io.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* One that nothing can match would be a lock that hangs beside the door. */
static int read_address(const char **source, struct arena *arena, const struct yaml_node *node,
                        struct err *err)
{
    ERR_SCRATCH(inner);
    if (!*source || !address_is_remote(*source))
        return 0;
    return address_pattern(source, arena, *source, &inner) < 0 ? yaml_blame(err, node, &inner) : 0;
}

/* SOURCE, or {source: SOURCE, signers: [WHO]}. */
static int read_trusted(struct trusted *out, struct arena *arena, const struct yaml_node *node,
                        struct err *err)
{
    static const char *const keys[] = {"source", "signers", NULL};
    if (node->kind != YAML_MAP)
        return yaml_text(&out->source, node, "trusted", err) < 0
                   ? -1
                   : read_address(&out->source, arena, node, err);
    const struct yaml_node *signers = yaml_get(node, "signers");
    if (yaml_check_keys(node, keys, err) < 0 ||
        yaml_text(&out->source, yaml_get(node, "source"), "source", err) < 0 ||
        yaml_texts(&out->signers, &out->signer_count, arena, signers, "signers", err) < 0)
        return -1;
    if (!out->source)
        return yaml_error(err, node, "'source' is missing");
    if (read_address(&out->source, arena, yaml_get(node, "source"), err) < 0)
        return -1;
    return signers && out->signer_count == 0
               ? yaml_error(err, signers,
                            "'signers' names nobody: leave it out where no "
                            "signature is required")
               : 0;
}

static int read_all_trusted(struct config *out, struct arena *arena, const struct yaml_node *list,
                            struct err *err)
{
    if (!list)
        return 0;
    if (list->kind != YAML_LIST)
        return yaml_error(err, list, "'trusted' must be a list");
    out->trusted = arena_array(arena, list->list.count + 1, sizeof(*out->trusted));
    for (size_t i = 0; i < list->list.count; i++)
        if (read_trusted(&out->trusted[out->trusted_count++], arena, list->list.items[i], err) < 0)
            return -1;
    return 0;
}

/* The file that the configuration names, else the one beside it, where there is one. */
static int find_allowed(struct config *out, struct arena *arena, const struct yaml_node *root,
                        const char *path, struct err *err)
{
    const struct yaml_node *node = yaml_get(root, "allowed_signers");
    const char *given = NULL;
    if (yaml_text(&given, node, "allowed_signers", err) < 0)
        return -1;
    if (given && *given != '/')
        return yaml_error(err, node, "'allowed_signers' must be an absolute path");
    const char *slash = strrchr(path, '/');
    const char *beside = arena_printf(arena, "%.*s/allowed_signers", (int)(slash - path), path);
    if (given || access(beside, F_OK) == 0)
        out->allowed_signers = given ? given : beside;
    return 0;
}

static int read_keys(struct config *out, struct arena *arena, const struct yaml_node *root,
                     struct err *err)
{
    static const char *const keys[] = {"catalog", "registry",        "mirror", "trusted",
                                       "answers", "allowed_signers", NULL};
    if (yaml_check_keys(root, keys, err) < 0 ||
        yaml_text(&out->catalog, yaml_get(root, "catalog"), "catalog", err) < 0 ||
        yaml_text(&out->registry, yaml_get(root, "registry"), "registry", err) < 0 ||
        yaml_text(&out->mirror, yaml_get(root, "mirror"), "mirror", err) < 0 ||
        read_all_trusted(out, arena, yaml_get(root, "trusted"), err) < 0)
        return -1;
    out->answers = yaml_get(root, "answers");
    if (out->answers && out->answers->kind != YAML_MAP)
        return yaml_error(err, out->answers, "'answers' must be a mapping");
    return 0;
}

int config_load(struct config *out, struct arena *arena, const char *path, struct err *err)
{
    struct yaml_doc *doc;
    struct span text;
    *out = (struct config){0};
    if (!path)
        return 0;
    if (access(path, F_OK) < 0)
        return find_allowed(out, arena, NULL, path, err);
    if (io_read(&text, arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0 ||
        yaml_parse(&doc, arena, path, text, err) < 0 ||
        find_allowed(out, arena, doc->root, path, err) < 0)
        return -1;
    return doc->root ? read_keys(out, arena, doc->root, err) : 0;
}
