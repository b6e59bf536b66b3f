/* A new type for a catalog: it works, and is to be edited. */
#include "author/write.h"

#include "author/test_catalog.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "child/write_child.h"
#include "data/data.h"
#include "data/yaml.h"
#include "io/io.h"
#include "io/path.h"
#include "matrix/matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_CASE "defaults"

#define FILES "src/author/files/type/"

/* The head of template.yml; of a stack, and without one; of an extension what follows its
 * `extends`, too.
 */
EMBED(skeleton_plain_head, FILES "plain_head.yml");
EMBED(skeleton_stack_head, FILES "stack_head.yml");
EMBED(skeleton_extension_head, FILES "extension_head.yml");
EMBED(skeleton_extension_tail, FILES "extension_tail.yml");
/* tests/TYPE/test.yml of these files. */
EMBED(skeleton_test, FILES "test.yml");
EMBED(skeleton_manifest, FILES "template.yml");
EMBED(skeleton_readme, FILES "README.md.j2");
EMBED(skeleton_makefile, FILES "Makefile.j2");
EMBED(skeleton_docs, FILES "index.md.j2");

static const struct {
    const char *path; /* below templates/TYPE/ */
    const char *text;
} skeleton_files[] = {
    {"template.yml", skeleton_manifest},
    {"files/README.md.j2", skeleton_readme},
    {"files/Makefile.j2", skeleton_makefile},
    {"files/docs/index.md.j2", skeleton_docs},
};

struct maker {
    struct arena *arena;
    const struct skeleton *skeleton;
    struct catalog *catalog;     /* before the change; NULL: there was none */
    const char *folder;          /* absolute */
    const struct manifest *from; /* the type that it extends; or NULL */
    const char *framework;       /* of the first case; NULL: no stack */
    struct words *made;
    struct err *err;
};

static const char *below(const struct maker *m, const char *path)
{
    return arena_printf(m->arena, "%s/%s", m->folder, path);
}

static void note(struct maker *m, const char *path)
{
    arena_push(m->arena, m->made->items, m->made->count) = path;
}

/* ---------------------------------------------------------------- the folder */

static int check_type(const struct maker *m)
{
    const char *type = m->skeleton->type;
    ERR_SCRATCH(unsafe);
    if (!strchr(type, '/') && !strchr("_.-", *type) && path_check(type, &unsafe) == 0)
        return 0;
    (void)err_set(m->err, TG_USAGE, "usage", "'%s' cannot be the name of a type", type);
    return err_hint(m->err, "it names a folder of templates/, and begins with a letter or a digit");
}

/* Opens an empty folder, a missing one, or one with a catalog. */
static int open_folder(struct maker *m)
{
    const char *made;
    if (access(arena_printf(m->arena, "%s/catalog.yml", m->skeleton->folder), F_OK) == 0) {
        if (catalog_open_folder(&m->catalog, m->arena, m->skeleton->folder, m->err) < 0)
            return -1;
        m->folder = m->catalog->origin.source;
        return 0;
    }
    struct create_target target;
    if (create_inspect(&target, m->arena, m->skeleton->folder, m->err) < 0)
        return err_hint(m->err, "--catalog takes a catalog's folder, or one that is to become one");
    m->folder = target.path;
    return io_make_folders(&made, m->arena, m->folder, m->err);
}

static int check_absent(const struct maker *m, const char *path)
{
    struct stat info;
    if (lstat(below(m, path), &info) < 0)
        return 0;
    (void)err_set(m->err, TG_REFUSED, "target-not-empty", "the catalog has '%s' already", path);
    return err_hint(m->err, "give the type another name, or move what is there away");
}

static int load_from(struct maker *m)
{
    const char *from = m->skeleton->from;
    struct manifest *manifest;
    if (!from)
        return 0;
    if (!m->catalog)
        return err_set(m->err, TG_USAGE, "unknown-type", "there is no catalog with a type '%s'",
                       from);
    if (manifest_load(&manifest, m->arena, m->catalog, from, m->err) < 0)
        return -1;
    m->from = manifest;
    return 0;
}

/* Tests a type with a stack with the first framework. */
static int choose_framework(struct maker *m)
{
    const struct manifest *from = m->from;
    const char **names;
    if (from ? !from->has_stack : !m->skeleton->stack)
        return 0;
    if (from && from->frameworks.count) {
        m->framework = from->frameworks.items[0];
        return 0;
    }
    if (m->catalog && matrix_frameworks(&names, m->arena, m->catalog->files)) {
        m->framework = names[0];
        return 0;
    }
    (void)err_set(m->err, TG_USAGE, "missing-framework",
                  "the catalog has no matrices, so that no type of it can have a stack");
    return err_hint(m->err, "leave '--stack framework' out, or begin with a copy of the built-in "
                            "catalog: tmplgen template export DIR");
}

/* ---------------------------------------------------------------- the new type */

/* A copy would soon be outdated, and layers would not treat it as the same type. */
static int make_extension(const struct maker *m, struct io_maker *maker)
{
    BUF_SCRATCH(name, LIMIT_PATH_BYTES);
    if (yaml_write_flow(&name, data_str(m->arena, m->skeleton->from)) < 0)
        return err_set(m->err, TG_USAGE, "limit", "the name of the type is too long");
    const char *text = arena_printf(m->arena, "%sextends: %s\n%s", skeleton_extension_head,
                                    buf_text(&name), skeleton_extension_tail);
    return io_make(maker, "template.yml", span_from(text), false, m->err);
}

static int fill_type(void *context, struct io_maker *maker, const char *folder, struct err *err)
{
    const struct maker *m = context;
    (void)folder;
    if (m->skeleton->from)
        return make_extension(m, maker);
    for (size_t i = 0; i < sizeof(skeleton_files) / sizeof(*skeleton_files); i++) {
        const char *head = i ? "" : m->framework ? skeleton_stack_head : skeleton_plain_head;
        const char *text = arena_printf(m->arena, "%s%s", head, skeleton_files[i].text);
        if (io_make(maker, skeleton_files[i].path, span_from(text), false, err) < 0)
            return -1;
    }
    return 0;
}

static int fill_tests(void *context, struct io_maker *maker, const char *folder, struct err *err)
{
    const struct maker *m = context;
    const char *framework =
        m->framework ? arena_printf(m->arena, "framework: %s\n", m->framework) : "";
    const char *text = arena_printf(
        m->arena,
        "# Answers of a case that is kept: what they render to is in golden/, beside this.\n"
        "name: example\n%s",
        framework);
    (void)folder;
    if (!m->skeleton->from && io_make(maker, "test.yml", span_from(skeleton_test), false, err) < 0)
        return -1;
    return io_make(maker, FIRST_CASE "/answers.yml", span_from(text), false, err);
}

/* Only the author knows the answers to questions without a default. */
static bool has_defaults(const struct manifest *manifest)
{
    for (size_t i = 0; manifest && i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        if (!question->fallback && !question->computed.text && strcmp(question->name, "name") != 0)
            return false;
    }
    return true;
}

static int make_folder(struct maker *m, const char *path, create_fill *fill)
{
    struct create_target target = {.path = below(m, path)};
    if (create_folder(m->arena, &target, fill, m, m->err) < 0)
        return -1;
    note(m, path);
    return 0;
}

static int make_catalog(struct maker *m)
{
    const char *last = strrchr(m->folder, '/') + 1;
    const char *text = arena_printf(m->arena,
                                    "name: %s\n"
                                    "version: 0.1.0 # raise it with each release, and tag that: "
                                    "git tag v0.1.0\n",
                                    catalog_name_is_valid(last) ? last : "catalog");
    if (m->catalog)
        return 0;
    IO_FD_SCRATCH(top) = open(m->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top < 0)
        return err_errno(m->err, errno, "io", "cannot open '%s'", m->folder);
    struct io_maker maker = IO_MAKER_INIT(top);
    int rc = io_make(&maker, "catalog.yml", span_from(text), false, m->err);
    io_maker_release(&maker);
    if (rc == 0)
        note(m, "catalog.yml");
    return rc;
}

/* Tests it as `template test --accept` does. */
static int try_it(const struct maker *m)
{
    struct test_result result;
    struct test_run testing = {.folder = m->folder, .accept = true};
    struct catalog *catalog;
    testing.types = (struct words){(const char **)(uintptr_t)&m->skeleton->type, 1};
    if (catalog_open_folder(&catalog, m->arena, m->folder, m->err) < 0)
        return -1;
    testing.catalog = catalog;
    int rc = catalog_test(&result, m->arena, &testing, m->err);
    catalog_close(catalog);
    return rc;
}

static int make_all(struct maker *m)
{
    const char *type = arena_printf(m->arena, "templates/%s", m->skeleton->type);
    const char *tests = arena_printf(m->arena, "tests/%s", m->skeleton->type);
    if (check_absent(m, type) < 0 || check_absent(m, tests) < 0 || load_from(m) < 0 ||
        choose_framework(m) < 0 || make_catalog(m) < 0 || make_folder(m, type, fill_type) < 0 ||
        (has_defaults(m->from) && make_folder(m, tests, fill_tests) < 0))
        return -1;
    return try_it(m);
}

int skeleton_make(struct words *made, struct arena *arena, const struct skeleton *skeleton,
                  struct err *err)
{
    struct maker m = {.arena = arena, .skeleton = skeleton, .made = made, .err = err};
    *made = (struct words){0};
    if (check_type(&m) < 0 || open_folder(&m) < 0)
        return -1;
    int rc = make_all(&m);
    for (size_t i = 0; rc < 0 && i < made->count; i++)
        io_remove(AT_FDCWD, below(&m, made->items[i]));
    catalog_close(m.catalog);
    return rc;
}
