/* Opens a catalog: finds its kind of source, and reads catalog.yml. */
#include "catalog/catalog.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/origin.h"
#include "catalog/remote.h"
#include "catalog/semver.h"
#include "catalog/source/source_files.h"
#include "catalog/trust.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/version.h"
#include "tmplgen.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int unknown_source(struct err *err, const char *source, const char *why)
{
    (void)err_set(err, TG_USAGE, "unknown-catalog", "there is no catalog at '%s': %s", source, why);
    return err_hint(err, "--catalog takes a folder that holds catalog.yml, or the address of a "
                         "git repository");
}

/* Explains why no kind of source fits. */
static int take_none(const char *source, struct err *err)
{
    struct stat info;
    bool is_there = stat(source_path(source), &info) == 0;
    /* a name that does not exist is a typing error; one that exists, or may exist, is not */
    if (is_there || errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP)
        return unknown_source(err, source, is_there ? "not a folder" : strerror(errno));
    return err_errno(err, errno, "unreachable-catalog", "cannot look at the catalog '%s'", source);
}

/* The first kind that takes the source: order matters, since a repository is a folder, too. */
static const struct source_kind *kind_of(const char *source)
{
    static const struct source_kind *const kinds[] = {&source_builtin, &source_remote, &source_git,
                                                      &source_folder};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (kinds[i]->takes(source))
            return kinds[i];
    return NULL;
}

static int open_source(struct catalog *out, struct arena *arena, const char *source,
                       const char *ref, struct err *err)
{
    const struct source_kind *kind = kind_of(source);
    if (trust_check(source, err) < 0)
        return -1;
    if (kind == &source_folder && trust_wants_signature(source))
        return err_set(err, TG_REFUSED, "signature",
                       "the catalog '%s' must be signed, and is a plain folder", source);
    return kind ? kind->open(out, arena, source, ref, err) : take_none(source, err);
}

/* The name appears in messages, commits and logs: one line, without special characters. */
bool catalog_name_is_valid(const char *text)
{
    static const char bytes[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/ ";
    size_t len = strlen(text);
    return len > 0 && len <= LIMIT_CATALOG_NAME_BYTES && !strchr("._-/ ", *text) &&
           strspn(text, bytes) == len && text[len - 1] != ' ';
}

static int check_tool_version(struct arena *arena, const struct yaml_node *node, const char *text,
                              struct err *err)
{
    struct spec spec;
    struct version version;
    if (!text)
        return 0;
    if (spec_parse(&spec, arena, text, "tmplgen", err) < 0)
        return yaml_error(err, node, "'tmplgen' is no version range such as \">=0.1\"");
    /* A program at work, 0.3.0-dev, reads what the release that it becomes will read. */
    const char *release = arena_memdup(arena, TMPLGEN_VERSION, strcspn(TMPLGEN_VERSION, "-"));
    if (version_parse(&version, release) < 0 || spec_matches(&spec, &version))
        return 0;
    (void)yaml_error(err, node, "this catalog needs tmplgen %s; this is %s", text, TMPLGEN_VERSION);
    return err_hint(err, "install a newer tmplgen");
}

/* Checks the form only. Whether a default fits is checked with the question. */
static int check_defaults(const struct yaml_node *defaults, struct err *err)
{
    if (!defaults)
        return 0;
    if (defaults->kind != YAML_MAP)
        return yaml_error(err, defaults, "'defaults' must be a mapping");
    if (defaults->map.count > LIMIT_GLOBS)
        return yaml_over_limit(err, defaults, defaults->map.count, "defaults", LIMIT_GLOBS);
    const struct yaml_node *name = yaml_get(defaults, "name");
    return name ? yaml_error(err, name, "'name' has no default: every project has its own") : 0;
}

int catalog_read(struct catalog *catalog, struct arena *arena, struct err *err)
{
    static const char *const keys[] = {"name",     "version",   "tmplgen", "extends",
                                       "defaults", "overrides", NULL};
    const char *tool = NULL;
    struct semver version;
    struct yaml_doc *doc;
    if (fileset_find(catalog->files, "catalog.yml") < 0)
        return unknown_source(err, catalog->origin.source, "it has no catalog.yml");
    if (fileset_document(&doc, arena, catalog->files, "catalog.yml", err) < 0 ||
        yaml_check_keys(doc->root, keys, err) < 0 ||
        yaml_text(&catalog->name, yaml_get(doc->root, "name"), "name", err) < 0 ||
        yaml_text(&catalog->origin.version, yaml_get(doc->root, "version"), "version", err) < 0 ||
        yaml_text(&tool, yaml_get(doc->root, "tmplgen"), "tmplgen", err) < 0)
        return -1;
    catalog->yml = doc->root;
    if (!catalog->name)
        return yaml_error(err, doc->root, "'name' is missing");
    if (!catalog_name_is_valid(catalog->name))
        return yaml_error(err, yaml_get(doc->root, "name"), "'name' " CATALOG_NAME_RULE,
                          LIMIT_CATALOG_NAME_BYTES);
    if (!catalog->origin.version)
        return yaml_error(err, doc->root, "'version' is missing");
    if (!semver_parse(&version, catalog->origin.version) || strchr(catalog->origin.version, '+'))
        return yaml_error(err, yaml_get(doc->root, "version"),
                          "'version' must be a semantic version such as 1.2.0");
    return check_defaults(yaml_get(doc->root, "defaults"), err) < 0
               ? -1
               : check_tool_version(arena, yaml_get(doc->root, "tmplgen"), tool, err);
}

/* ---------------------------------------------------------------- catalogs that build on others */

/* A catalog being opened, and those that extend it. */
struct catalog_chain {
    struct catalog *catalog;
    const struct catalog_origin *made; /* the recorded chain; NULL: as the catalog says */
    const struct catalog_chain *above;
    struct extension extends;
};

static int open_chain(struct catalog **out, struct arena *arena, const char *source,
                      const char *ref, const struct catalog_origin *made,
                      const struct catalog_chain *above, struct err *err);

/*
 * The location of the extended catalog. In a repository it must not be relative, since a clone
 * lacks its original's neighbours; a catalog from the network must not name a local path.
 */
static int find_extended(const char **out, struct arena *arena, const struct catalog_chain *o,
                         struct err *err)
{
    const char *source = o->extends.source, *own = o->catalog->origin.source;
    const struct yaml_node *node = yaml_get(o->extends.node, "source");
    *out = source;
    if (strcmp(source, CATALOG_BUILTIN) == 0 || address_is_remote(source))
        return 0;
    if (address_is_remote(own))
        return yaml_error(err, node,
                          "a catalog over the network cannot extend '%s', which is no URL and not "
                          "'" CATALOG_BUILTIN "'",
                          source);
    if (*source == '/' || source_path(source) != source)
        return 0;
    *out = arena_printf(arena, "%s/%s", own, source);
    if (kind_of(own) == &source_folder)
        return 0;
    (void)yaml_error(err, node,
                     "'%s' is relative, which a catalog in a git repository cannot extend: a clone "
                     "of it has not what lies beside it",
                     source);
    return err_hint(err, "give a URL, an absolute path, or '" CATALOG_BUILTIN "'");
}

/* If a base needs a newer program, blames the catalog that extends it, with a place. */
static int blame_extended(const struct catalog_chain *o, const char *source, const char *ref,
                          struct err *err)
{
    struct semver version;
    bool unknown = strcmp(err->code, "unknown-ref") == 0;
    if (!err->where.file)
        (void)yaml_at(err, o->extends.node);
    (void)err_wrap(err, "what '%s' extends", o->catalog->name);
    if (unknown && strcmp(source, CATALOG_BUILTIN) == 0 && ref && semver_parse_tag(&version, ref))
        return err_hint(err, "install tmplgen %s or newer, which has it", ref + (*ref == 'v'));
    return -1;
}

/* Opens the catalog that this one extends, if any, and merges the files. */
static int extend(struct catalog_chain *o, struct arena *arena, struct err *err)
{
    const struct catalog_origin *made = o->made ? o->made->extends : NULL;
    struct catalog *catalog = o->catalog;
    const char *source, *ref;
    if (extension_read(&o->extends, catalog->yml, err) < 0)
        return -1;
    if (!o->extends.node)
        return 0;
    ref = made && made->commit ? made->commit : o->extends.ref;
    if (find_extended(&source, arena, o, err) < 0)
        return -1;
    if (open_chain(&catalog->extends, arena, source, ref, made, o, err) < 0)
        return blame_extended(o, source, ref, err);
    if (made && made->commit)
        catalog->extends->origin.ref = made->ref;
    catalog->origin.extends = &catalog->extends->origin;
    if (!catalog->warning && catalog->extends->warning)
        catalog->warning =
            arena_printf(arena, "what '%s' extends: %s", catalog->name, catalog->extends->warning);
    return compose(catalog, arena, err);
}

static int check_chain(const struct catalog_chain *o, struct err *err)
{
    size_t count = 1;
    for (const struct catalog_chain *above = o->above; above; above = above->above, count++)
        if (origin_is_same_source(above->catalog->origin.source, o->catalog->origin.source))
            return err_set(err, TG_USAGE, "invalid", "'%s' extends itself, in a circle",
                           o->catalog->origin.source);
    return count <= LIMIT_CATALOGS
               ? 0
               : err_set(err, TG_USAGE, "limit", "more than %zu catalogs extend each other",
                         LIMIT_CATALOGS);
}

/* Reads catalog.yml and opens the extended catalog; closes the catalog on failure. */
static int finish(struct catalog **out, struct catalog_chain *o, struct arena *arena,
                  struct err *err)
{
    if (check_chain(o, err) < 0 || catalog_read(o->catalog, arena, err) < 0 ||
        extend(o, arena, err) < 0) {
        catalog_close(o->catalog);
        return -1;
    }
    *out = o->catalog;
    return 0;
}

static int open_chain(struct catalog **out, struct arena *arena, const char *source,
                      const char *ref, const struct catalog_origin *made,
                      const struct catalog_chain *above, struct err *err)
{
    struct catalog *catalog = arena_alloc(arena, sizeof(*catalog));
    struct catalog_chain o = {.catalog = catalog, .made = made, .above = above};
    return open_source(catalog, arena, source, ref, err) < 0 ? -1 : finish(out, &o, arena, err);
}

int catalog_open_folder(struct catalog **out, struct arena *arena, const char *path,
                        struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct catalog *catalog = arena_alloc(arena, sizeof(*catalog));
    struct catalog_chain o = {.catalog = catalog};
    *out = NULL;
    if (source_folder.open(catalog, arena, path, NULL, err) < 0)
        return -1;
    catalog->warning = NULL;
    return finish(out, &o, arena, err);
}

int catalog_open_made(struct catalog **out, struct arena *arena, const char *source,
                      const char *ref, const struct catalog_origin *made, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    *out = NULL;
    return open_chain(out, arena, source ? source : CATALOG_BUILTIN, ref, made, NULL, err);
}

int catalog_open(struct catalog **out, struct arena *arena, const char *source, const char *ref,
                 struct err *err)
{
    return catalog_open_made(out, arena, source, ref, NULL, err);
}

void catalog_close(struct catalog *catalog)
{
    if (!catalog)
        return;
    if (catalog->own) /* a source closes the set that it opened */
        catalog->files = catalog->own;
    if (catalog->close)
        catalog->close(catalog);
    catalog_close(catalog->extends);
}

int catalog_revisions(struct catalog_revision **out, size_t *count, struct arena *arena,
                      const char *source, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    const struct source_kind *kind = kind_of(source ? source : CATALOG_BUILTIN);
    *out = NULL;
    *count = 0;
    if (source && trust_check(source, err) < 0)
        return -1;
    return kind && kind->revisions ? kind->revisions(out, count, arena, source, err) : 0;
}

/* The folder directly below templates/ in a path, or an empty span. */
static struct span type_of(const char *path)
{
    if (!str_starts(path, "templates/"))
        return span_of("", 0);
    const char *name = path + strlen("templates/"), *end = strchr(name, '/');
    return span_of(name, end && *name != '_' ? (size_t)(end - name) : 0);
}

size_t catalog_types(const char ***types, struct arena *arena, const struct fileset *files)
{
    size_t count = 0;
    *types = arena_array(arena, files->count + 1, sizeof(**types));
    for (size_t i = 0; i < files->count; i++) {
        struct span type = type_of(files->entries[i].path);
        if (type.len && (count == 0 || !span_equal(type, span_from((*types)[count - 1]))))
            (*types)[count++] = arena_memdup(arena, type.ptr, type.len);
    }
    return count;
}
