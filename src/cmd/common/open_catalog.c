/* The user's configuration, and the catalog of a command. */
#include "cmd/cmd.h"

#include "base/arena.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "catalog/remote.h"
#include "catalog/trust.h"
#include "data/yaml.h"
#include "io/io.h"
#include "io/term.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the configuration */

/* Refuses an address that no source can match: it would protect nothing. */
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
        yaml_texts(&out->signers, arena, signers, "signers", err) < 0)
        return -1;
    if (!out->source)
        return yaml_error(err, node, "'source' is missing");
    if (read_address(&out->source, arena, yaml_get(node, "source"), err) < 0)
        return -1;
    return signers && out->signers.count == 0
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

/* Finds the file that the configuration names, else the one beside it, if there is one. */
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

/* Reads the file `path`; NULL: it can have no place. */
static int load_config(struct config *out, struct arena *arena, const char *path, struct err *err)
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

/* ---------------------------------------------------------------- the catalog */

/*
 * Splits SRC[@REF] at the last '@' without a '/' after it, unless the whole is a folder. An '@' in
 * the host part of a URL does not count, nor that of git@HOST:PATH.
 */
static void split_source(const char **source, const char **ref, struct arena *arena,
                         const char *text)
{
    struct stat info;
    const char *at = strrchr(text, '@'), *scheme = strstr(text, "://");
    const char *host = scheme ? scheme + 3 : text;
    *source = text;
    *ref = NULL;
    if (!at || !at[1] || at == text || strpbrk(at, "/:") || stat(text, &info) == 0)
        return;
    if (scheme && !memchr(host, '/', (size_t)(at - host)))
        return;
    *source = arena_memdup(arena, text, (size_t)(at - text));
    *ref = at + 1;
}

/* ---------------------------------------------------------------- trust */

static int ask_trust(bool *yes, void *context, const char *source, struct err *err)
{
    const struct run *run = context;
    cmd_say(run, "the catalog '%s' is new to you: what it renders becomes your project's code",
            source);
    *yes = false;
    return ask_whether(yes, "trust it, now and later?", err);
}

/* A single line, erased before the next output. */
static void say_waiting(void *context, const char *what, const char *url)
{
    const struct run *run = context;
    if (!run->quiet && term_moves(stderr))
        cmd_say(run, "%s %s", what, url);
    else
        cmd_detail(run, "%s %s", what, url);
}

const char *cmd_user_path(struct arena *arena, const char *variable, const char *at_home,
                          const char *name)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && *folder == '/')
        return arena_printf(arena, "%s/%s", folder, name);
    return home && *home == '/' ? arena_printf(arena, "%s/%s/%s", home, at_home, name) : NULL;
}

int cmd_config(struct run *run, struct err *err)
{
    if (run->has_config)
        return 0;
    run->has_config = true;
    return load_config(
        &run->config, &run->arena,
        cmd_user_path(&run->arena, "XDG_CONFIG_HOME", ".config", "tmplgen/config.yml"), err);
}

/* "*" means all: --trust trusts every source of this run. */
int cmd_trust(struct run *run, bool asks_servers, struct err *err)
{
    const struct config *config = &run->config;
    const struct trust_asker asker = {.ask = asks_servers && term_interactive() ? ask_trust : NULL,
                                      .context = run,
                                      .memory =
                                          cmd_user_path(&run->arena, "XDG_STATE_HOME",
                                                        ".local/state", "tmplgen/trusted-catalogs"),
                                      .looks = !asks_servers};
    const struct remote_settings settings = {
        .folder = cmd_user_path(&run->arena, "XDG_CACHE_HOME", ".cache", "tmplgen"),
        .offline = !asks_servers,
        .may_ask = term_interactive(),
        .say = say_waiting,
        .context = run};
    if (cmd_config(run, err) < 0)
        return -1;
    for (size_t i = 0; i < config->trusted_count; i++) {
        const struct trusted *one = &config->trusted[i];
        trust_signers(one->source, one->signers.items, one->signers.count);
    }
    if (config->catalog) {
        const char *source, *ref;
        split_source(&source, &ref, &run->arena, config->catalog);
        trust_source(source);
    }
    if (opt_given(&run->options, "trust"))
        trust_source("*");
    signature_allow(config->allowed_signers);
    remote_configure(&settings);
    return trust_ask(&asker, err);
}

int cmd_named_catalog(const char **source, const char **ref, struct run *run, struct err *err)
{
    const char *given = opt_value(&run->options, "catalog");
    *source = *ref = NULL;
    if (cmd_trust(run, true, err) < 0)
        return -1;
    if (!given)
        return 0;
    split_source(source, ref, &run->arena, given);
    /* A typed local source is the user's own choice; a remote one needs trust. */
    if (!address_is_remote(*source))
        trust_source(*source);
    return 0;
}

int cmd_open_untold(struct run *run, struct err *err)
{
    const char *source, *ref;
    if (cmd_named_catalog(&source, &ref, run, err) < 0)
        return -1;
    if (!source && run->config.catalog)
        split_source(&source, &ref, &run->arena, run->config.catalog);
    return catalog_open(&run->catalog, &run->arena, source, ref, err);
}

int cmd_open_catalog(struct run *run, struct err *err)
{
    if (cmd_open_untold(run, err) < 0)
        return -1;
    if (run->catalog->warning)
        cmd_warn(run, "%s", run->catalog->warning);
    return 0;
}
