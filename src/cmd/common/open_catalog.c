/* Opens the catalog that a command is to work with. */
#include "cmd/cmd.h"

#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/remote.h"
#include "catalog/trust.h"
#include "io/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * SRC[@REF]: splits at the last '@' behind which no '/' stands, unless the whole is a folder. An
 * '@' in the host part of a URL is none of ours, nor is that of git@HOST:PATH.
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
    return ask_yes(yes, "Trust it, now and later?", err);
}

/* One line that is gone when there is something to say. */
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
    return config_load(
        &run->config, &run->arena,
        cmd_user_path(&run->arena, "XDG_CONFIG_HOME", ".config", "tmplgen/config.yml"), err);
}

/* "*" is all: --trust says so of what this run meets. */
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
        trust_signers(one->source, one->signers, one->signer_count);
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
    /* What is here and was typed is the user's own choice; of what is on a server that is asked. */
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
