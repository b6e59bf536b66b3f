/* Trust in catalogs: which are new to the user, and whose signature is required. */
#include "catalog/trust.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/remote.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct signed_source {
    char *source;
    struct words signers;
};

static struct words own, trusted; /* `trusted` has real paths, and addresses as given */
static struct signed_source *signed_sources;
static size_t signed_count;
static struct trust_asker asking;

static void add(struct words *words, const char *text)
{
    words->items = xgrow((void *)words->items, words->count, sizeof(*words->items));
    words->items[words->count++] = xstrdup(text);
}

/* The absolute path of the repository, with links resolved. NULL if missing, or not a path. */
static char *real_path(const char *source)
{
    ARENA_SCRATCH(scratch);
    const char *path, *folder;
    source_split(&path, &folder, &scratch, source);
    return path ? realpath(path, NULL) : NULL;
}

void trust_nothing_below(const char *folder)
{
    char *real = real_path(folder);
    if (real)
        add(&own, real);
    free(real);
}

/*
 * Resolves a path, or the folder of "/FOLDER/BEGINNING*", to its real path, as that is what it is
 * compared with. NULL if it does not exist.
 */
static char *real_pattern(const char *pattern)
{
    ARENA_SCRATCH(scratch);
    if (!str_ends(pattern, "*"))
        return real_path(pattern);
    const char *path = source_path(pattern), *slash = path ? strrchr(path, '/') : NULL;
    char *real = slash ? real_path(arena_memdup(&scratch, path, (size_t)(slash - path + 1))) : NULL;
    char *out =
        real ? xstrdup(arena_printf(&scratch, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash))
             : NULL;
    free(real);
    return out;
}

void trust_source(const char *source)
{
    if (strcmp(source, "*") == 0 || address_is_remote(source)) {
        add(&trusted, source);
        return;
    }
    char *real = real_pattern(source);
    if (real)
        add(&trusted, real);
    free(real);
}

/* ---------------------------------------------------------------- signers */

void trust_signers(const char *source, const char *const *signers, size_t count)
{
    struct signed_source next = {.source = xstrdup(source)};
    trust_source(source);
    for (size_t i = 0; i < count; i++)
        add(&next.signers, signers[i]);
    signed_sources = xgrow(signed_sources, signed_count, sizeof(*signed_sources));
    signed_sources[signed_count++] = next;
}

/* Both real; the pattern may end in '*'. */
static bool path_matches(const char *path, const char *pattern)
{
    return str_ends(pattern, "*") ? strncmp(path, pattern, strlen(pattern) - 1) == 0
                                  : strcmp(path, pattern) == 0;
}

/* `address` is that of a source on a server; else NULL, and `real` is the path. */
static bool is_for(const struct signed_source *one, const struct address *address, const char *real)
{
    if (one->signers.count == 0)
        return false;
    if (address)
        return address_matches(address, one->source);
    char *pattern = real_pattern(one->source);
    bool matches = real && pattern && path_matches(real, pattern);
    free(pattern);
    return matches;
}

struct words trust_signers_of(const char *source)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(ignored);
    struct address address;
    bool remote =
        address_is_remote(source) && address_parse(&address, &scratch, source, &ignored) == 0;
    char *real = remote ? NULL : real_path(source);
    struct words found = {NULL, 0};
    for (size_t i = 0; found.count == 0 && i < signed_count; i++)
        if (is_for(&signed_sources[i], remote ? &address : NULL, real))
            found = signed_sources[i].signers;
    free(real);
    return found;
}

bool trust_wants_signature(const char *source)
{
    return trust_signers_of(source).count > 0;
}

/* ---------------------------------------------------------------- catalogs on servers */

/* Reads the file of trusted sources, one a line. */
static int recall(const char *memory, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct span text;
    if (!memory || access(memory, F_OK) < 0)
        return 0;
    if (io_read_file(&text, &scratch, AT_FDCWD, memory, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    char *rest = arena_memdup(&scratch, text.ptr, text.len), *line;
    while ((line = strsep(&rest, "\n")))
        if (*line && !strchr(line, '*') && address_is_remote(line))
            trust_source(line);
    return 0;
}

static int remember(const char *memory, const char *source, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *made, *slash = memory ? strrchr(memory, '/') : NULL;
    const char *line = arena_printf(&scratch, "%s\n", source);
    if (!slash)
        return 0;
    if (io_make_folders(&made, &scratch, arena_memdup(&scratch, memory, (size_t)(slash - memory)),
                        err) < 0)
        return -1;
    int fd = open(memory, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -1 : io_write_all(fd, span_from(line));
    if (fd >= 0 && close(fd) < 0)
        rc = -1;
    return rc < 0 ? err_errno(err, errno, "io", "cannot write '%s'", memory) : 0;
}

int trust_ask(const struct trust_asker *asker, struct err *err)
{
    asking = *asker;
    return recall(asker->memory, err);
}

/* By the address of one on a server, else by the real path. */
static bool is_trusted(const struct address *address, const char *real)
{
    for (size_t i = 0; i < trusted.count; i++) {
        const char *listed = trusted.items[i];
        if (address ? strcmp(listed, "*") == 0 || address_matches(address, listed)
                    : real && path_matches(real, listed))
            return true;
    }
    return false;
}

/* Trusting a repository includes all its folders. */
static int check_address(const char *source, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct address address;
    bool yes = false;
    if (address_parse(&address, &scratch, source, err) < 0)
        return -1;
    if (asking.looks || is_trusted(&address, NULL))
        return 0;
    if (asking.ask && asking.ask(&yes, asking.context, address.source, err) < 0)
        return -1;
    if (yes) {
        trust_source(address.url);
        return remember(asking.memory, address.url, err);
    }
    (void)err_set(err, TG_REFUSED, "untrusted-source", "the catalog '%s' is remote and new to you",
                  address.source);
    return err_hint(err, "what it renders becomes your project's code: look at it, then give "
                         "--trust for this once, or list it under 'trusted' in your configuration");
}

/* ---------------------------------------------------------------- catalogs on this machine */

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
    if (address_is_remote(source))
        return check_address(source, err);
    char *real = str_equal(source, CATALOG_BUILTIN) ? NULL : real_path(source);
    /* only the real path counts: a path may start like a trusted one and lead back here */
    bool refused = is_own(real) && !is_trusted(NULL, real);
    free(real);
    if (!refused)
        return 0;
    (void)err_set(err, TG_REFUSED, "untrusted-source",
                  "the catalog '%s' lies in the repository of the project that names it, and is "
                  "new to you",
                  source);
    return err_hint(err, "it came with the project, from its author: look at it, then give "
                         "--trust, or list it under 'trusted' in your configuration");
}
