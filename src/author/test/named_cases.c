/* The cases that a catalog's authors keep under tests/: answers, and their renders. */
#include "author/test/named_cases.h"

#include "base/arena.h"
#include "base/budget.h"
#include "catalog/catalog_source.h"
#include "child/making.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "git/libgit2.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TESTS "tests/"
#define ANSWERS "answers.yml"
#define GOLDEN "golden"

/* tests/TYPE/test.yml, tests/TYPE/NAME/answers.yml, tests/TYPE/NAME/golden/...; and their folders.
 */
static bool path_counts(const char *path)
{
    if (!str_starts(path, TESTS))
        return false;
    const char *type = path + strlen(TESTS), *name = strchr(type, '/');
    if (!*type || !name || !name[1])
        return !*type || name;
    const char *below = strchr(++name, '/');
    if (!below)
        return strcmp(name, "test.yml") == 0;
    return !*++below || strcmp(below, ANSWERS) == 0 || str_starts(below, GOLDEN "/");
}

/* The case whose answers file has that path; false: it is another file. */
static bool is_answers(struct named_case *out, struct arena *arena, const char *path)
{
    const char *type = path + strlen(TESTS), *slash = strchr(type, '/'), *name = slash + 1;
    const char *below = slash ? strchr(name, '/') : NULL;
    if (!below || strcmp(below + 1, ANSWERS) != 0)
        return false;
    *out = (struct named_case){.type = arena_memdup(arena, type, (size_t)(slash - type)),
                               .name = arena_memdup(arena, name, (size_t)(below - name)),
                               .folder = arena_memdup(arena, path, (size_t)(below - path))};
    return true;
}

static int list_cases(struct named_cases *out, struct arena *arena, const char *const *types,
                      size_t type_count, struct err *err)
{
    for (size_t i = 0; i < out->files->count; i++) {
        struct named_case one;
        if (!is_answers(&one, arena, out->files->entries[i].path))
            continue;
        if (!str_is_among(one.type, types, type_count)) {
            const char *nearest = str_nearest(one.type, types, type_count);
            (void)err_set(err, TG_USAGE, "unknown-type",
                          "'%s' is a test of a type that the catalog does not have", one.folder);
            return nearest ? err_hint(err, "did you mean '%s%s'?", TESTS, nearest) : -1;
        }
        arena_push(arena, out->items, out->count) = one;
    }
    return 0;
}

int named_cases_open(struct named_cases *out, struct arena *arena, const char *folder,
                     const char *const *types, size_t type_count, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct stat info;
    *out = (struct named_cases){.catalog = folder};
    if (!folder || lstat(arena_printf(arena, "%s/tests", folder), &info) < 0)
        return 0;
    if (catalog_folder_files(&out->files, arena, folder, path_counts, err) < 0)
        return -1;
    return list_cases(out, arena, types, type_count, err);
}

/* ---------------------------------------------------------------- test.yml */

static int read_checks(struct type_test *out, struct arena *arena, const struct yaml_node *list,
                       struct err *err)
{
    if (list && list->kind != YAML_LIST)
        return yaml_error(err, list, "'check' must be a list of commands, each a list of words");
    for (size_t i = 0; list && i < list->list.count; i++) {
        struct words command = {0};
        if (yaml_texts(&command, arena, list->list.items[i], "a command of 'check'", err) < 0)
            return -1;
        if (command.count == 0)
            return yaml_error(err, list->list.items[i], "a command of 'check' has no words");
        arena_push(arena, out->checks, out->check_count) = command;
    }
    return 0;
}

int named_cases_type(struct type_test *out, struct arena *arena, const struct named_cases *cases,
                     const char *type, struct err *err)
{
    static const char *const keys[] = {"samples", "files", "check", NULL};
    const char *path = arena_printf(arena, TESTS "%s/test.yml", type);
    struct yaml_doc *doc;
    *out = (struct type_test){0};
    if (!cases->files || fileset_find(cases->files, path) < 0)
        return 0;
    if (fileset_document(&doc, arena, cases->files, path, err) < 0)
        return -1;
    if (!doc->root)
        return 0;
    if (yaml_check_keys(doc->root, keys, err) < 0 ||
        yaml_texts(&out->files, arena, yaml_get(doc->root, "files"), "files", err) < 0)
        return -1;
    out->samples = yaml_get(doc->root, "samples");
    if (out->samples && out->samples->kind != YAML_MAP)
        return yaml_error(err, out->samples, "'samples' must be a mapping of questions to lists");
    return read_checks(out, arena, yaml_get(doc->root, "check"), err);
}

/* ---------------------------------------------------------------- rendering */

/* Reads the choices of the stack, and separately the answers to questions. */
static int read_answers(struct stack_request *request, struct given_list *stack,
                        struct given_list *answers, struct arena *arena,
                        const struct yaml_node *root, struct err *err)
{
    if (root && root->kind != YAML_MAP)
        return yaml_error(err, root, "answers must be a mapping of names to values");
    struct yaml_node *chosen = arena_alloc(arena, sizeof(*chosen));
    size_t count = root ? root->map.count : 0;
    if (root)
        *chosen = *root;
    chosen->map.members = arena_array(arena, count + 1, sizeof(*chosen->map.members));
    chosen->map.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct yaml_member *member = &root->map.members[i];
        struct given given = {
            .name = member->key->text.ptr, .from = GIVEN_FILE, .node = member->value};
        bool of_stack = stack_choice_of(member->key->text) < CHOICE_COUNT;
        if (of_stack)
            chosen->map.members[chosen->map.count++] = *member;
        given_add(of_stack ? stack : answers, arena, given);
    }
    return root ? stack_request_read(request, arena, chosen, err) : 0;
}

int named_case_render(struct making *out, struct arena *arena, const struct named_cases *cases,
                      const struct named_case *one, const struct making *type, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct stack_request request = {0};
    struct given_list stack = {0}, answers = {0};
    struct yaml_doc *doc;
    const char *path = arena_printf(arena, "%s/" ANSWERS, one->folder);
    *out = *type;
    out->arena = arena;
    if (budget_start(getenv("TMPLGEN_MEMORY"), err) < 0 ||
        fileset_document(&doc, arena, cases->files, path, err) < 0 ||
        read_answers(&request, &stack, &answers, arena, doc->root, err) < 0 ||
        making_stack(out, &stack, &request, err) < 0 ||
        making_answers(out, &answers, making_name(out), err) < 0)
        return -1;
    return making_render(out, err);
}

struct render named_case_kept(struct arena *arena, const struct render *render,
                              const struct type_test *test)
{
    struct render kept = *render;
    kept.count = 0;
    kept.entries = arena_array(arena, render->count + 1, sizeof(*kept.entries));
    for (size_t i = 0; i < render->count; i++) {
        bool matches = test->files.count == 0;
        for (size_t j = 0; !matches && j < test->files.count; j++)
            matches = budget_glob(test->files.items[j], render->entries[i].path);
        if (matches)
            kept.entries[kept.count++] = render->entries[i];
    }
    return kept;
}

/* ---------------------------------------------------------------- goldens */

/*
 * Files that would tell git something about the golden itself get another name there. So all of a
 * golden can be committed.
 */
#define DISGUISE ".golden"

static bool is_for_git(const char *name, size_t len)
{
    static const char *const names[] = {".gitignore", ".gitattributes"};
    size_t disguise = strlen(DISGUISE);
    while (len > disguise && strncmp(name + len - disguise, DISGUISE, disguise) == 0)
        len -= disguise;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i]) == len && strncmp(name, names[i], len) == 0)
            return true;
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *stored_path(struct arena *arena, const char *path)
{
    const char *name = last_part(path);
    return is_for_git(name, strlen(name)) ? arena_printf(arena, "%s" DISGUISE, path) : path;
}

static const char *rendered_path(struct arena *arena, const char *path)
{
    const char *name = last_part(path);
    size_t len = strlen(path);
    return is_for_git(name, strlen(name)) && str_ends(path, DISGUISE)
               ? arena_memdup(arena, path, len - strlen(DISGUISE))
               : path;
}

int named_case_golden(struct render *out, bool *found, struct arena *arena,
                      const struct named_cases *cases, const struct named_case *one,
                      struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    const struct fileset *files = cases->files;
    const char *prefix = arena_printf(arena, "%s/" GOLDEN "/", one->folder);
    *out = (struct render){.entries = arena_array(arena, files->count + 1, sizeof(*out->entries))};
    for (size_t i = fileset_lower_bound(files, prefix);
         i < files->count && str_starts(files->entries[i].path, prefix); i++) {
        struct render_entry *entry = &out->entries[out->count++];
        *entry = (struct render_entry){
            .path = rendered_path(arena, files->entries[i].path + strlen(prefix)),
            .executable = files->entries[i].executable,
            .source = ""};
        if (files->read(&entry->bytes, files, i, err) < 0 ||
            git_hash_blob(entry->id, entry->bytes, err) < 0)
            return -1;
    }
    *found = out->count > 0;
    render_sort(out);
    return 0;
}

static int write_golden(const char *folder, struct arena *arena, const struct render *render,
                        struct err *err)
{
    IO_FD_SCRATCH(top) = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", folder);
    struct io_maker maker = IO_MAKER_INIT(top);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < render->count; i++)
        rc = io_make(&maker, stored_path(arena, render->entries[i].path), render->entries[i].bytes,
                     render->entries[i].executable, err);
    io_maker_release(&maker);
    return rc;
}

/* Where a file system cannot exchange two names, both are missing for a moment. */
static int put_in_place(const char *made, const char *place, struct arena *arena, struct err *err)
{
    const char *old = arena_printf(arena, "%s.old", made);
    if (renameat2(AT_FDCWD, made, AT_FDCWD, place, RENAME_EXCHANGE) == 0)
        return 0;
    bool had = rename(place, old) == 0;
    if ((had || errno == ENOENT) && rename(made, place) == 0) {
        io_remove(AT_FDCWD, old);
        return 0;
    }
    int number = errno;
    if (had)
        (void)rename(old, place);
    return err_errno(err, number, "io", "cannot make '%s'", place);
}

int named_case_accept(const struct named_cases *cases, const struct named_case *one,
                      const struct render *render, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *place = arena_printf(&scratch, "%s/%s/" GOLDEN, cases->catalog, one->folder);
    char *made = arena_printf(&scratch, "%s/%s/.golden-XXXXXX", cases->catalog, one->folder);
    mode_t mask = umask(0);
    (void)umask(mask);
    if (!mkdtemp(made) || chmod(made, 0777 & ~mask) < 0)
        return err_errno(err, errno, "io", "cannot write in '%s/%s'", cases->catalog, one->folder);
    int rc = write_golden(made, &scratch, render, err);
    if (rc == 0)
        rc = put_in_place(made, place, &scratch, err);
    io_remove(AT_FDCWD, made);
    return rc;
}
