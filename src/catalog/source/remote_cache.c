/* The cache of one repository on a server: its objects and its listing of refs. */

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "base/str.h"
#include "catalog/remote.h"
#include "catalog/revision.h"
#include "git/foreign_repo.h"
#include "git/libgit2.h"
#include "git/new_repo.h"
#include "git/repo.h"
#include "git/transport.h"
#include "io/interrupt.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { ID_DIGITS = 40, LOCK_TURN_NANOSECONDS = 50000000, LOCK_TURNS_A_SECOND = 20 };

static const char incoming[] = "incoming-";
static struct remote_settings current;

void remote_configure(const struct remote_settings *settings)
{
    current = *settings;
}

const struct remote_settings *remote_settings(void)
{
    return &current;
}

static void say(const struct remote_cache *cache, const char *what)
{
    if (current.say)
        current.say(current.context, what, cache->address->url);
}

static const char *below(const struct remote_cache *cache, const char *name)
{
    return arena_printf(cache->arena, "%s/%s", cache->path, name);
}

/* ---------------------------------------------------------------- the folder */

static int sync_folder(const char *path, struct err *err)
{
    const struct io_place place = {AT_FDCWD, path};
    return io_sync(&place, 1, err);
}

/* Creates under another name and renames; a concurrent process finds the winner's. */
static int make(const struct remote_cache *cache, const char *folder, struct err *err)
{
    const char *made;
    char *beside = arena_printf(cache->arena, "%s/new-XXXXXX", folder);
    if (io_make_folders(&made, cache->arena, folder, err) < 0)
        return -1;
    if (!mkdtemp(beside))
        return err_errno(err, errno, "io", "cannot make a folder in '%s'", folder);
    const char *inner = arena_printf(cache->arena, "%s/git", beside);
    int rc = new_repo_bare(inner, err);
    if (rc == 0 && rename(inner, cache->path) < 0 && errno != EEXIST && errno != ENOTEMPTY)
        rc = err_errno(err, errno, "io", "cannot make the folder '%s'", cache->path);
    io_remove(AT_FDCWD, beside);
    return rc;
}

int remote_cache_open(struct remote_cache *out, struct arena *arena, const struct address *address,
                      struct err *err)
{
    char name[SHA256_HEX_SIZE];
    *out = (struct remote_cache){.arena = arena, .address = address, .lock = -1};
    if (!current.folder) {
        (void)err_set(err, TG_RUNTIME, "io", "there is no folder to keep catalogs in");
        return err_hint(err, "set HOME, or XDG_CACHE_HOME to an absolute path");
    }
    const char *folder = arena_printf(arena, "%s/catalogs", current.folder);
    sha256_hex(name, address->url, strlen(address->url));
    out->path = arena_printf(arena, "%s/%s", folder, name);
    return access(out->path, F_OK) == 0 ? 0 : make(out, folder, err);
}

int remote_cache_lock(struct remote_cache *cache, struct err *err)
{
    const struct timespec turn = {.tv_nsec = LOCK_TURN_NANOSECONDS};
    const char *path = below(cache, "lock");
    if (cache->lock >= 0)
        return 0;
    cache->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (cache->lock < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", path);
    for (int turns = 0; flock(cache->lock, LOCK_EX | LOCK_NB) < 0; turns++) {
        int rc = errno == EWOULDBLOCK || errno == EINTR
                     ? interrupt_check(err)
                     : err_errno(err, errno, "io", "cannot lock '%s'", path);
        if (rc == 0 && turns == LIMIT_FETCH_SECONDS * LOCK_TURNS_A_SECOND)
            rc = err_set(err, TG_RUNTIME, "busy", "another process has fetched '%s' for %d s",
                         cache->address->url, LIMIT_FETCH_SECONDS);
        if (rc < 0) {
            remote_cache_unlock(cache);
            return -1;
        }
        if (turns == LOCK_TURNS_A_SECOND)
            say(cache, "waiting for another process that fetches");
        (void)nanosleep(&turn, NULL);
    }
    return 0;
}

void remote_cache_unlock(struct remote_cache *cache)
{
    if (cache->lock >= 0)
        (void)close(cache->lock);
    cache->lock = -1;
}

/* Removes what killed processes left; the lock is held. */
static void sweep(const struct remote_cache *cache)
{
    IO_DIR_SCRATCH(dir) = opendir(cache->path);
    struct dirent *entry;
    while (dir && (entry = io_next(dir)))
        if (str_starts(entry->d_name, incoming))
            io_remove(dirfd(dir), entry->d_name);
}

/* Creates a temporary repository to fetch into. */
static int make_incoming(const char **out, const struct remote_cache *cache, struct err *err)
{
    char *folder = arena_printf(cache->arena, "%s/%sXXXXXX", cache->path, incoming);
    if (!mkdtemp(folder))
        return err_errno(err, errno, "io", "cannot make a folder in '%s'", cache->path);
    *out = arena_printf(cache->arena, "%s/git", folder);
    if (new_repo_bare(*out, err) == 0)
        return 0;
    io_remove(AT_FDCWD, folder);
    return -1;
}

static void remove_incoming(const struct remote_cache *cache, const char *git_dir)
{
    const char *end = strrchr(git_dir, '/');
    io_remove(AT_FDCWD, arena_memdup(cache->arena, git_dir, (size_t)(end - git_dir)));
}

/* ---------------------------------------------------------------- the listing */

static int unreachable(const struct remote_cache *cache, const char *words, struct err *err)
{
    return err_set(err, TG_RUNTIME, "unreachable-catalog",
                   "cannot reach the catalog '%s': git said: %s", cache->address->url,
                   *words ? words : "nothing");
}

static struct transport make_transport(const struct remote_cache *cache, const char *git_dir)
{
    return (struct transport){.git_dir = git_dir,
                              .protocol = cache->address->protocol,
                              .may_ask = current.may_ask,
                              .seconds = LIMIT_FETCH_SECONDS};
}

int remote_cache_listing(struct span *out, bool *found, const struct remote_cache *cache,
                         struct err *err)
{
    const char *path = below(cache, "listing");
    *found = access(path, F_OK) == 0;
    return *found ? io_read_file(out, cache->arena, AT_FDCWD, path, LIMIT_PACKED_REFS_BYTES, err)
                  : 0;
}

static int store_listing(const struct remote_cache *cache, struct span text, struct err *err)
{
    char *beside = arena_printf(cache->arena, "%s.XXXXXX", below(cache, "listing"));
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot make a file in '%s'", cache->path);
    int rc = io_write_all(fd, text);
    if (rc == 0)
        rc = io_fsync(fd);
    if (close(fd) < 0 || rc < 0 || rename(beside, below(cache, "listing")) < 0) {
        (void)err_errno(err, errno, "io", "cannot write '%s'", below(cache, "listing"));
        (void)unlink(beside);
        return -1;
    }
    return sync_folder(cache->path, err);
}

int remote_cache_ask(struct remote_cache *cache, struct err *err)
{
    const char *const arguments[] = {"ls-remote", "--symref", "--", cache->address->url, NULL};
    struct transport transport = make_transport(cache, cache->path);
    struct transport_answer answer;
    say(cache, "asking");
    if (transport_run(&answer, cache->arena, &transport, arguments, err) < 0)
        return err_wrap(err, "the catalog '%s'", cache->address->url);
    if (answer.status)
        return unreachable(cache, answer.words, err);
    return store_listing(cache, answer.output, err);
}

static int bad_line(struct err *err, const char *line)
{
    return err_set(err, TG_RUNTIME, "answer", "the server's list of refs has a line '%.100s'",
                   line);
}

/* Handles "v1.0.0^{}": the commit of the tag in the line before. */
static void peel(struct ref_listing *out, char *name, const char *id)
{
    struct catalog_revision *last = out->count ? &out->items[out->count - 1] : NULL;
    name[strlen(name) - strlen("^{}")] = '\0';
    if (last && last->kind == REVISION_TAG && str_starts(name, "refs/tags/") &&
        strcmp(last->name, name + strlen("refs/tags/")) == 0)
        last->commit = id;
}

static int add_revision(struct ref_listing *out, struct arena *arena, const char *id,
                        const char *name, struct err *err)
{
    struct catalog_revision next = {.commit = id, .object = id};
    if (!foreign_ref_is_name(name) || !revision_split(&next.kind, &next.name, name))
        return 0;
    if (out->count == LIMIT_REFS)
        return err_set(err, TG_USAGE, "limit", "the catalog has more than %zu tags and branches",
                       LIMIT_REFS);
    arena_push(arena, out->items, out->count) = next;
    return 0;
}

static int take_line(struct ref_listing *out, struct arena *arena, char *line, struct err *err)
{
    static const char link[] = "ref: refs/heads/";
    char *name = strchr(line, '\t');
    if (!name)
        return bad_line(err, line);
    *name++ = '\0';
    if (str_starts(line, link) && strcmp(name, "HEAD") == 0)
        out->head_branch = line + strlen(link);
    if (str_starts(line, "ref: "))
        return 0;
    size_t len = strlen(line);
    if (strspn(line, "0123456789abcdef") != len || len < ID_DIGITS)
        return bad_line(err, line);
    if (len > ID_DIGITS)
        return err_set(err, TG_REFUSED, "repository-form",
                       "the catalog's repository names objects by SHA-256: tmplgen reads those of "
                       "SHA-1 only");
    if (strcmp(name, "HEAD") == 0)
        out->head_commit = line;
    else if (str_ends(name, "^{}"))
        peel(out, name, line);
    else
        return add_revision(out, arena, line, name, err);
    return 0;
}

int listing_parse(struct ref_listing *out, struct arena *arena, struct span text, struct err *err)
{
    *out = (struct ref_listing){.count = 0};
    if (git_start(err) < 0)
        return -1;
    while (text.len) {
        struct span line = span_cut_line(&text);
        if (take_line(out, arena, arena_memdup(arena, line.ptr, line.len), err) < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- objects */

/* Renames the files of each pack, its index last: without that git ignores the pack. */
static int move_packs(const struct remote_cache *cache, const char *git_dir, struct err *err)
{
    static const char *const ends[] = {".pack", ".idx"};
    const char *from = arena_printf(cache->arena, "%s/objects/pack", git_dir);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        IO_DIR_SCRATCH(dir) = opendir(from);
        struct dirent *entry;
        if (!dir)
            return err_errno(err, errno, "io", "cannot open '%s'", from);
        while ((entry = io_next(dir)))
            if (str_starts(entry->d_name, "pack-") && str_ends(entry->d_name, ends[i]) &&
                renameat(dirfd(dir), entry->d_name, AT_FDCWD,
                         arena_printf(cache->arena, "%s/objects/pack/%s", cache->path,
                                      entry->d_name)) < 0)
                return err_errno(err, errno, "io", "cannot keep '%s'", entry->d_name);
    }
    return sync_folder(below(cache, "objects/pack"), err);
}

/* The server may have moved the ref between its listing and the fetch. */
static int check_wanted(const struct remote_cache *cache, const struct fetch *fetch,
                        const char *git_dir, struct err *err)
{
    struct span text;
    const char *path = arena_printf(cache->arena, "%s/refs/incoming/0", git_dir);
    if (!fetch->wanted)
        return 0;
    if (io_read_file(&text, cache->arena, AT_FDCWD, path, LIMIT_KIB, err) < 0)
        return -1;
    if (text.len >= ID_DIGITS && memcmp(text.ptr, fetch->wanted, ID_DIGITS) == 0)
        return 0;
    (void)err_set(err, TG_RUNTIME, "changed-meanwhile",
                  "'%s' of the catalog '%s' changed while it was read", fetch->ref,
                  cache->address->url);
    return err_hint(err, "run the same command again");
}

/* Writes one id a line. */
static int write_ids(const char *path, const struct fetch *fetch, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_TREE_ENTRIES * (ID_DIGITS + 2));
    for (size_t i = 0; i < fetch->count; i++) {
        char hex[ID_DIGITS + 1];
        oid_hex(hex, &fetch->ids[i]);
        (void)buf_printf(&text, "%s\n", hex);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -1 : io_write_all(fd, span_of(buf_text(&text), text.len));
    if (fd >= 0 && close(fd) < 0)
        rc = -1;
    return rc < 0 ? err_errno(err, errno, "io", "cannot write '%s'", path) : 0;
}

static int run_fetch(struct transport_answer *answer, const struct remote_cache *cache,
                     const struct fetch *fetch, const char *git_dir, struct err *err)
{
    const char *arguments[16] = {"fetch",        "--quiet",
                                 "--no-tags",    "--no-recurse-submodules",
                                 "--no-auto-gc", "--no-write-fetch-head"};
    size_t count = 6;
    struct transport transport = make_transport(cache, git_dir);
    transport.max_bytes = LIMIT_FETCH_BYTES;
    if (!fetch->whole && !fetch->ids)
        arguments[count++] = "--depth=1";
    if (fetch->partial || fetch->ids)
        arguments[count++] = "--filter=blob:none";
    if (fetch->ids) {
        transport.input = arena_printf(cache->arena, "%s/ids", git_dir);
        if (write_ids(transport.input, fetch, err) < 0)
            return -1;
        arguments[count++] = "--stdin";
    }
    arguments[count++] = "--";
    arguments[count++] = cache->address->url;
    if (fetch->ref) {
        arguments[count++] = arena_printf(cache->arena, "+%s:refs/incoming/0", fetch->ref);
    } else if (!fetch->ids) {
        arguments[count++] = "+refs/heads/*:refs/incoming/heads/*";
        arguments[count++] = "+refs/tags/*:refs/incoming/tags/*";
    }
    return transport_run(answer, cache->arena, &transport, arguments, err);
}

static int judge(enum fetch_outcome *outcome, const struct remote_cache *cache,
                 const struct transport_answer *answer, struct err *err)
{
    static const struct {
        const char *words;
        enum fetch_outcome outcome;
    } known[] = {{"not our ref", FETCH_UNKNOWN},
                 {"unadvertised object", FETCH_REFUSED},
                 {"couldn't find remote ref", FETCH_UNKNOWN}};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strstr(answer->words, known[i].words)) {
            *outcome = known[i].outcome;
            return 0;
        }
    return unreachable(cache, answer->words, err);
}

int remote_cache_fetch(enum fetch_outcome *outcome, struct remote_cache *cache,
                       const struct fetch *fetch, struct err *err)
{
    struct transport_answer answer;
    const char *git_dir;
    *outcome = FETCH_DONE;
    if (remote_cache_lock(cache, err) < 0)
        return -1;
    sweep(cache);
    if (make_incoming(&git_dir, cache, err) < 0)
        return -1;
    say(cache, "fetching");
    int rc = run_fetch(&answer, cache, fetch, git_dir, err);
    if (rc < 0)
        (void)err_wrap(err, "the catalog '%s'", cache->address->url);
    else if (answer.status)
        rc = judge(outcome, cache, &answer, err);
    else
        rc = check_wanted(cache, fetch, git_dir, err);
    if (rc == 0 && *outcome == FETCH_DONE)
        rc = move_packs(cache, git_dir, err);
    remove_incoming(cache, git_dir);
    return rc;
}
