/* What the build knows beforehand of the built-in catalog's files is what the files say. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "catalog/catalog_source.h"
#include "catalog/manifest.h"
#include "data/data.h"
#include "data/fileset.h"
#include "git/libgit2.h"
#include "matrix/matrix.h"
#include "matrix/read/fields.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct catalog *catalog;

static int open_catalog(void **state)
{
    static struct arena arena = ARENA_INIT;
    ERR_SCRATCH(err);
    *state = &arena;
    return catalog_open(&catalog, &arena, NULL, NULL, &err);
}

static int close_catalog(void **state)
{
    catalog_close(catalog);
    arena_release(*state);
    return 0;
}

static struct span bytes_of(size_t index)
{
    struct span text;
    ERR_SCRATCH(err);
    assert_int_equal(catalog->files->read(&text, catalog->files, index, &err), 0);
    return text;
}

TEST(test_builtin__ids_are_git_s)
{
    for (size_t i = 0; i < catalog->files->count; i++) {
        unsigned char id[20];
        ERR_SCRATCH(err);
        assert_int_equal(git_hash_blob(id, bytes_of(i), &err), 0);
        assert_memory_equal(id, catalog->files->entries[i].id, sizeof(id));
    }
}

TEST(test_builtin__files_that_are_copied_are_deflated)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->files->count; i++) {
        const struct fileset_entry *entry = &catalog->files->entries[i];
        struct span text = bytes_of(i);
        uLongf len = text.len + 1;
        if (!entry->deflated.len) {
            assert_true(str_ends(entry->path, ".j2"));
            continue;
        }
        unsigned char *out = arena_alloc(*state, len);
        assert_int_equal(
            uncompress(out, &len, (const Bytef *)entry->deflated.ptr, entry->deflated.len), Z_OK);
        assert_int_equal(len, text.len);
        assert_memory_equal(out, text.ptr, len);
        count++;
    }
    assert_true(count > 20);
}

TEST(test_builtin__rows_are_what_the_files_say)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->files->count; i++) {
        const struct fileset_entry *entry = &catalog->files->entries[i];
        BUF_SCRATCH(rows, LIMIT_MIB);
        ERR_SCRATCH(err);
        assert_int_equal(entry->rows.len > 0, str_starts(entry->path, "matrices/"));
        if (!entry->rows.len)
            continue;
        assert_int_equal(rows_pack(&rows, entry->path, bytes_of(i), &err), 0);
        assert_true(span_equal(span_of(buf_text(&rows), rows.len), entry->rows));
        count++;
    }
    assert_true(count > 10);
}

static void assert_same_list(struct arena *arena, const struct matrix *tables,
                             const struct matrix *files, const char *topic)
{
    const struct data *list = matrix_list_data(arena, files, topic);
    assert_true(list->map.members[0].value->list.count > 0);
    assert_true(data_equal(matrix_list_data(arena, tables, topic), list));
}

TEST(test_builtin__a_matrix_from_tables_is_the_matrix_of_the_files)
{
    ERR_SCRATCH(err);
    const struct fileset *set = catalog->files;
    struct matrix *tables, *files;
    const char **frameworks;
    assert_int_equal(matrix_load(&tables, *state, set, span_of("", 0), NULL, &err), 0);
    assert_int_equal(matrix_load_placed(&files, *state, set, span_of("", 0), NULL, &err), 0);
    assert_same_list(*state, tables, files, NULL);
    for (size_t i = 0; i < matrix_topic_count; i++)
        assert_same_list(*state, tables, files, matrix_topics[i]);
    size_t count = matrix_frameworks(&frameworks, *state, set);
    for (size_t i = 0; i < count; i++)
        assert_same_list(*state, tables, files, frameworks[i]);
}

/* `new` does not look at that again. */
TEST(test_builtin__every_answer_is_read_in_every_version)
{
    struct builtin_commit *versions;
    size_t count = builtin_history(&versions, *state);
    assert_true(count > 1);
    for (size_t i = 0; i < count; i++) {
        ERR_SCRATCH(err);
        struct catalog *version;
        const char **types;
        assert_int_equal(catalog_open(&version, *state, NULL, versions[i].commit, &err), 0);
        size_t type_count = catalog_types(&types, *state, version->files);
        assert_true(type_count > 0);
        for (size_t j = 0; j < type_count; j++) {
            struct manifest *manifest;
            if (manifest_load(&manifest, *state, version, types[j], &err) < 0 ||
                manifest_check_use(*state, version, manifest, &err) < 0)
                fail_msg("%s of %s: %s", types[j], versions[i].version, err.message);
        }
        catalog_close(version);
    }
}

TEST_GROUP(open_catalog, close_catalog)
