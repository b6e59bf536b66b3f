/* Opens the catalog that a command is to work with. */
#include "cmd/source.h"

#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/trust.h"
#include "cmd/cmd.h"
#include "cmd/config.h"

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

static bool is_remote(const char *source)
{
    struct stat info;
    if (str_starts(source, "file://"))
        return false;
    return strstr(source, "://") || (stat(source, &info) < 0 && strchr(source, ':'));
}

static int check_trust(const struct run *run, const struct config *config, const char *source,
                       struct err *err)
{
    if (!is_remote(source) || opt_given(&run->options, "trust") || config_trusts(config, source))
        return 0;
    (void)err_set(err, TG_REFUSED, "untrusted-source", "the catalog '%s' is remote and new to you",
                  source);
    return err_hint(err,
                    "clone it, look at it, and give the folder to --catalog: this version reads "
                    "no catalog over the network, with --trust neither");
}

/* "*" is all: --trust says so of what this run meets. */
void cmd_trust(const struct run *run, const struct config *config)
{
    for (size_t i = 0; i < config->trusted_count; i++)
        trust_source(config->trusted[i]);
    if (opt_given(&run->options, "trust"))
        trust_source("*");
}

int cmd_open_untold(struct catalog **out, struct run *run, const struct config *config,
                    struct err *err)
{
    const char *given = opt_value(&run->options, "catalog"), *source = NULL, *ref = NULL;
    if (!given)
        given = config->catalog;
    if (given)
        split_source(&source, &ref, &run->arena, given);
    cmd_trust(run, config);
    if (source && check_trust(run, config, source, err) < 0)
        return -1;
    if (source)
        trust_source(source);
    return catalog_open(out, &run->arena, source, ref, err);
}

int cmd_open_catalog(struct catalog **out, struct run *run, const struct config *config,
                     struct err *err)
{
    if (cmd_open_untold(out, run, config, err) < 0)
        return -1;
    for (size_t i = 0; i < (*out)->warning_count; i++)
        cmd_warn(run, "%s", (*out)->warnings[i]);
    return 0;
}

int cmd_named_catalog(const char **source, const char **ref, struct run *run,
                      const struct config *config, struct err *err)
{
    const char *given = opt_value(&run->options, "catalog");
    *source = *ref = NULL;
    cmd_trust(run, config);
    if (!given)
        return 0;
    split_source(source, ref, &run->arena, given);
    if (check_trust(run, config, *source, err) < 0)
        return -1;
    trust_source(*source);
    return 0;
}
