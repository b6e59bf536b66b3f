/* A catalog on a server: fetched into a cache of ours, and read there. */
#include "git/libgit2.h"

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/remote.h"
#include "catalog/revision.h"
#include "catalog/semver.h"
#include "catalog/source/source_files.h"
#include "catalog/trust.h"
#include "git/foreign_repo.h"
#include "git/odb.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_IN_HINT = 5 };

struct remote_opening {
    struct arena *arena;
    struct address address;
    struct remote_cache cache;
    struct foreign_repo repository; /* that of the cache */
    git_odb *odb;
    struct ref_listing listing; /* empty: the server was never asked */
    bool listed;
    const struct catalog_revision *chosen; /* NULL: a commit id was given */
    const char *shown, *commit;
    git_oid id; /* of the commit */
    struct err *err;
};

/* Servers asked in this run: each is asked only once. */
static struct words asked;

static int read_listing(struct remote_opening *o)
{
    struct span text;
    if (remote_cache_listing(&text, &o->listed, &o->cache, o->err) < 0)
        return -1;
    return o->listed ? listing_parse(&o->listing, o->arena, text, o->err) : 0;
}

static int begin(struct remote_opening *o, const char *source)
{
    if (address_parse(&o->address, o->arena, source, o->err) < 0 ||
        remote_cache_open(&o->cache, o->arena, &o->address, o->err) < 0 ||
        foreign_open(&o->repository, o->arena, o->cache.path, o->err) < 0)
        return -1;
    if (git_repository_odb(&o->odb, o->repository.git) < 0)
        return git_fail(o->err, "cannot open the catalog's objects");
    return read_listing(o);
}

static void end(struct remote_opening *o)
{
    remote_cache_unlock(&o->cache);
    git_odb_free(o->odb);
}

/* ---------------------------------------------------------------- the cache */

static bool has_object(const struct remote_opening *o, const char *hex)
{
    git_oid id;
    bool there = false;
    if (git_oid_fromstr(&id, hex) == 0)
        odb_find(&there, o->odb, &id, 1);
    return there;
}

struct cached_release {
    struct semver version;
    const char *name;
};

static int newest_first(const void *a, const void *b)
{
    const struct cached_release *left = a, *right = b;
    return semver_compare(&right->version, &left->version);
}

/* Suggests the newest releases in the cache, which need no server. */
static int hint_cached(const struct remote_opening *o)
{
    struct cached_release *releases =
        arena_array(o->arena, o->listing.count + 1, sizeof(*releases));
    const char *names[NAMED_IN_HINT];
    size_t count = 0, named = 0;
    for (size_t i = 0; i < o->listing.count; i++)
        if (o->listing.items[i].kind == REVISION_TAG &&
            semver_parse_tag(&releases[count].version, o->listing.items[i].name) &&
            has_object(o, o->listing.items[i].commit))
            releases[count++].name = o->listing.items[i].name;
    if (count == 0)
        return err_hint(o->err, "nothing of it is in the cache, from which it could be taken");
    qsort(releases, count, sizeof(*releases), newest_first);
    for (; named < count && named < NAMED_IN_HINT; named++)
        names[named] = releases[named].name;
    return err_hint(o->err,
                    "the cache has %s: a tag that is named is taken from there, as by SRC@%s, or "
                    "%s of an update",
                    str_join(o->arena, names, named, ", "), names[0],
                    shell_command(o->arena, "--to %s", names[0]));
}

/* Gets the server's current listing; offline, the cached one. */
static int ask(struct remote_opening *o)
{
    bool offline = remote_settings()->offline;
    if (!offline && !str_is_among(o->address.url, asked.items, asked.count)) {
        if (remote_cache_ask(&o->cache, o->err) < 0)
            return strcmp(o->err->code, "unreachable-catalog") == 0 ? hint_cached(o) : -1;
        asked.items = xgrow((void *)asked.items, asked.count, sizeof(*asked.items));
        asked.items[asked.count++] = xstrdup(o->address.url);
    }
    if (read_listing(o) < 0)
        return -1;
    if (o->listed)
        return 0;
    return err_set(o->err, TG_RUNTIME, "unreachable-catalog",
                   "the catalog '%s' is not in the cache: 'tmplgen status --fetch' asks for it",
                   o->address.source);
}

/* ---------------------------------------------------------------- the revision */

static int take(struct remote_opening *o, const char *shown, const char *commit)
{
    o->shown = shown;
    o->commit = commit;
    return git_oid_fromstr(&o->id, commit) < 0 ? git_fail(o->err, "'%s' is no commit", commit) : 0;
}

static int unknown(const struct remote_opening *o, const char *ref)
{
    return revision_unknown(o->err, o->arena, o->address.source, ref, o->listing.items,
                            o->listing.count);
}

/* Finds a tag in the cache, which needs no server. */
static const struct catalog_revision *find_here(const struct remote_opening *o, const char *ref)
{
    const struct catalog_revision *tag =
        revision_find(o->listing.items, o->listing.count, REVISION_TAG, ref);
    return tag && has_object(o, tag->commit) ? tag : NULL;
}

static int choose_named(struct remote_opening *o, const char *ref)
{
    git_commit *commit = NULL;
    if (revision_is_id(ref) && strlen(ref) == GIT_OID_HEXSZ)
        return take(o, ref, ref);
    o->chosen = find_here(o, ref);
    if (o->chosen)
        return take(o, ref, o->chosen->commit);
    if (ask(o) < 0)
        return -1;
    o->chosen = revision_choose(&o->shown, o->listing.items, o->listing.count, ref);
    if (o->chosen)
        return take(o, o->shown, o->chosen->commit);
    if (!revision_is_id(ref) || git_oid_fromstrn(&o->id, ref, strlen(ref)) < 0 ||
        git_commit_lookup_prefix(&commit, o->repository.git, &o->id, strlen(ref)) < 0)
        return unknown(o, ref);
    const char *hex = arena_strdup(o->arena, git_oid_tostr_s(git_commit_id(commit)));
    git_commit_free(commit);
    return take(o, hex, hex);
}

/* Chooses the newest release; without one, the branch of the server's HEAD. */
static int choose_default(struct remote_opening *o)
{
    const struct ref_listing *listing = &o->listing;
    if (ask(o) < 0)
        return -1;
    o->chosen = revision_newest(listing->items, listing->count, NULL, false);
    if (!o->chosen && listing->head_branch)
        o->chosen =
            revision_find(listing->items, listing->count, REVISION_BRANCH, listing->head_branch);
    if (o->chosen)
        return take(o, o->chosen->name, o->chosen->commit);
    if (listing->head_commit)
        return take(o, listing->head_commit, listing->head_commit);
    return err_set(o->err, TG_USAGE, "unknown-ref", "the catalog '%s' has no commit",
                   o->address.source);
}

/* ---------------------------------------------------------------- its objects */

/* Fetches by name if there is one: every server allows that, and a tag comes along. */
static const struct catalog_revision *name_of(const struct remote_opening *o)
{
    if (o->chosen)
        return o->chosen;
    for (enum revision_kind kind = REVISION_TAG; kind <= REVISION_BRANCH; kind++)
        for (size_t i = 0; i < o->listing.count; i++)
            if (o->listing.items[i].kind == kind &&
                strcmp(o->listing.items[i].commit, o->commit) == 0)
                return &o->listing.items[i];
    return NULL;
}

static struct fetch make_fetch(const struct remote_opening *o, bool partial)
{
    const struct catalog_revision *name = name_of(o);
    if (!name)
        return (struct fetch){.ref = o->commit, .wanted = o->commit, .partial = partial};
    return (struct fetch){.ref = arena_printf(o->arena, "refs/%s/%s",
                                              name->kind == REVISION_TAG ? "tags" : "heads",
                                              name->name),
                          .wanted = name->object,
                          .partial = partial};
}

static int fetch(enum fetch_outcome *outcome, struct remote_opening *o, const struct fetch *what)
{
    if (remote_cache_fetch(outcome, &o->cache, what, o->err) < 0)
        return strcmp(o->err->code, "unreachable-catalog") == 0 ? hint_cached(o) : -1;
    return git_odb_refresh(o->odb) < 0 ? git_fail(o->err, "cannot read what was fetched") : 0;
}

/* Some servers serve only objects reachable from refs: then fetches all refs and history. */
static int fetch_commit(struct remote_opening *o)
{
    struct fetch what = make_fetch(o, true), all = {.whole = true};
    enum fetch_outcome outcome;
    if (fetch(&outcome, o, &what) < 0)
        return -1;
    if (outcome == FETCH_REFUSED && fetch(&outcome, o, &all) < 0)
        return -1;
    if (has_object(o, o->commit))
        return 0;
    if (!o->chosen)
        return unknown(o, o->shown);
    return err_set(o->err, TG_RUNTIME, "answer", "the server of '%s' names '%s', and has it not",
                   o->address.url, o->chosen->name);
}

static int find_missing(struct oid **ids, size_t *count, struct remote_opening *o)
{
    return catalog_git_missing(ids, count, o->arena, o->repository.git, &o->id, o->address.folder,
                               o->err);
}

/* Fetches the files of the catalog's folder in one request; if the server cannot, all files. */
static int fetch_files(struct remote_opening *o, struct oid *ids, size_t count)
{
    struct fetch steps[] = {{.ids = ids, .count = count}, make_fetch(o, false), {.whole = true}};
    enum fetch_outcome outcome;
    for (size_t i = 0; count && i < sizeof(steps) / sizeof(*steps); i++)
        if (fetch(&outcome, o, &steps[i]) < 0 || find_missing(&ids, &count, o) < 0)
            return -1;
    if (count == 0)
        return 0;
    return err_set(o->err, TG_RUNTIME, "answer", "the server of '%s' left out %zu files of it",
                   o->address.url, count);
}

/* Whether the tag is here, too, if it was asked for or its signature counts. */
static bool has_tag(const struct remote_opening *o)
{
    const struct catalog_revision *name = name_of(o);
    return !name || (!o->chosen && !trust_wants_signature(o->address.source)) ||
           remote_settings()->offline || has_object(o, name->object);
}

static int make_complete(struct remote_opening *o)
{
    struct oid *ids;
    size_t count = 0;
    bool there = has_object(o, o->commit) && has_tag(o);
    if (there && find_missing(&ids, &count, o) < 0)
        return -1;
    if (there && count == 0)
        return 0;
    if (remote_settings()->offline)
        return err_set(o->err, TG_RUNTIME, "unreachable-catalog",
                       "'%s' of the catalog '%s' is not in the cache: 'tmplgen status --fetch' "
                       "asks for it",
                       o->shown, o->address.source);
    if (!there && !o->listed && ask(o) < 0)
        return -1;
    if (remote_cache_lock(&o->cache, o->err) < 0)
        return -1;
    (void)git_odb_refresh(o->odb); /* another process may have fetched it since */
    if (((!has_object(o, o->commit) || !has_tag(o)) && fetch_commit(o) < 0) ||
        find_missing(&ids, &count, o) < 0)
        return -1;
    return fetch_files(o, ids, count);
}

/* ---------------------------------------------------------------- the row */

static int fill(struct catalog *out, struct remote_opening *o)
{
    const bool by_tag = o->chosen && o->chosen->kind == REVISION_TAG;
    const struct signature_wanted wanted = {.tag = by_tag ? o->chosen : NULL,
                                            .revisions = o->listing.items,
                                            .count = o->listing.count,
                                            .commit = o->commit,
                                            .source = o->address.source};
    out->origin =
        (struct catalog_origin){.source = o->address.source, .ref = o->shown, .commit = o->commit};
    if (signature_check(&out->origin, o->arena, o->repository.git, &wanted, o->err) < 0 ||
        catalog_git_files(&out->files, o->arena, o->repository.git, &o->id, o->address.folder,
                          o->err) < 0)
        return -1;
    out->handle = o->repository.git;
    out->close = catalog_git_close;
    return 0;
}

static int remote_open(struct catalog *out, struct arena *arena, const char *source,
                       const char *ref, struct err *err)
{
    struct remote_opening o = {.arena = arena, .cache.lock = -1, .err = err};
    bool opened = begin(&o, source) == 0 &&
                  (ref ? choose_named(&o, ref) : choose_default(&o)) == 0 &&
                  make_complete(&o) == 0 && fill(out, &o) == 0;
    end(&o);
    if (!opened)
        foreign_close(&o.repository);
    return opened ? 0 : -1;
}

static int remote_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                       const char *source, struct err *err)
{
    struct remote_opening o = {.arena = arena, .cache.lock = -1, .err = err};
    int rc = begin(&o, source) == 0 ? ask(&o) : -1;
    *out = o.listing.items;
    *count = o.listing.count;
    end(&o);
    foreign_close(&o.repository);
    return rc;
}

const struct source_kind source_remote = {
    .takes = address_is_remote, .open = remote_open, .revisions = remote_list};
