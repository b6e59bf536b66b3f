/* All that `new` does before it touches the disk, with any catalog, answers and stack: a child that
 * is the same each time, whose paths are safe and whose record says so; or a refusal.
 */
#include "../unit/small_matrix.h"
#include "fuzz.h"
#include "memory_catalog.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "catalog/source/source_files.h"
#include "child/making.h"
#include "io/path.h"
#include "resolver/request.h"

struct made {
    struct catalog catalog, below;
    struct making making;
    struct span record;
};

/* A catalog without a matrix of its own has the small one. */
static void lend_matrix(struct memory_files *files, struct arena *arena)
{
    size_t next = fileset_lower_bound(&files->set, "matrices/");
    if (next < files->set.count && str_starts(files->entries[next].path, "matrices/"))
        return;
    for (size_t i = 0; i < FILES; i++)
        memory_put(files, arena, paths[i], span_from(texts[i]));
    memory_settle(files);
}

static int read_request(struct stack_request *out, struct arena *arena,
                        const struct memory_files *files, struct err *err)
{
    const struct yaml_node *root;
    *out = (struct stack_request){0};
    if (memory_document(&root, arena, files, "request.yml", err) < 0)
        return -1;
    return root && root->kind == YAML_MAP ? stack_request_read(out, arena, root, err) : 0;
}

#define BELOW "below/"

/* Files in a folder of that name are those of a catalog that the first one extends. */
static int extend(struct made *out, struct arena *arena, const struct memory_files *files,
                  struct err *err)
{
    struct memory_files *below = arena_alloc(arena, sizeof(*below));
    struct extension extension;
    for (size_t i = 0; i < files->set.count; i++)
        if (str_starts(files->entries[i].path, BELOW))
            memory_put(below, arena, files->entries[i].path + strlen(BELOW), files->files[i].bytes);
    memory_settle(below);
    if (extension_read(&extension, out->catalog.yml, err) < 0)
        return -1;
    if (!extension.node || below->set.count == 0)
        return 0;
    lend_matrix(below, arena);
    out->below = memory_catalog(below);
    out->catalog.extends = &out->below;
    return catalog_read(&out->below, arena, err) < 0 ? -1 : compose(&out->catalog, arena, err);
}

/* The steps of src/cmd/project/cmd_new.c. */
static int make(struct made *out, struct arena *arena, struct span input, struct err *err)
{
    struct memory_files *files = memory_files(arena, input);
    struct making *m = &out->making;
    struct stack_request request;
    struct given_list given = {0}, said = {0};
    const char **types;
    if (fileset_find(&files->set, BELOW "catalog.yml") < 0)
        lend_matrix(files, arena);
    out->catalog = memory_catalog(files);
    *m = (struct making){.arena = arena, .catalog = &out->catalog, .overlay = span_of("", 0)};
    if (catalog_read(&out->catalog, arena, err) < 0 || extend(out, arena, files, err) < 0)
        return -1;
    size_t count = catalog_types(&types, arena, out->catalog.files);
    if (read_request(&request, arena, files, err) < 0 ||
        memory_given(&given, arena, files, "answers.yml", GIVEN_FILE, err) < 0 ||
        making_type(m, count ? types[0] : NULL, err) < 0 ||
        making_stack(m, &said, &request, err) < 0 || making_answers(m, &given, "child", err) < 0 ||
        making_render(m, err) < 0)
        return -1;
    return record_text(&out->record, arena, &m->record, err);
}

static void check_files(const struct render *render)
{
    must(render->count > 0 && render->count <= LIMIT_TREE_ENTRIES + 1 &&
         strlen(render->tree) == 40);
    for (size_t i = 0; i < render->count; i++) {
        ERR_SCRATCH(err);
        const struct render_entry *entry = &render->entries[i];
        must(path_check(entry->path, &err) == 0);
        must(i == 0 || strcmp(render->entries[i - 1].path, entry->path) < 0);
        must(entry->bytes.len <= LIMIT_RENDERED_BYTES + LIMIT_KIB);
    }
    must(render_find(render, RECORD_PATH) < 0 && render_find(render, ".gitattributes") >= 0);
}

static void check_record(struct arena *arena, const struct made *made)
{
    ERR_SCRATCH(err);
    struct record again;
    must(utf8_valid(made->record));
    must(record_parse(&again, arena, RECORD_PATH, made->record, &err) == 0);
    must(record_is_same(&again, &made->making.record));
    must(record_is_genuine(&again, made->making.overlay));
    must(strcmp(again.tree, made->making.render.tree) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    ERR_SCRATCH(err_again);
    struct span input = span_of((const char *)bytes, size);
    struct made made, again;
    int rc = make(&made, &arena, input, &err);
    must(make(&again, &arena, input, &err_again) == rc);
    must(str_equal(err.message, err_again.message) && str_equal(err.hint, err_again.hint));
    if (rc < 0) {
        memory_check_refusal(&err);
        must(err.exit != TG_UNSOLVABLE || made.making.refusal);
        return 0;
    }
    check_files(&made.making.render);
    must(span_equal(made.record, again.record)); /* with the tree's id in it */
    check_record(&arena, &made);
    return 0;
}
