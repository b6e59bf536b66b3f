/* What the build knows beforehand of the built-in catalog's files is what the files say. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/fileset.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "base/yaml_nodes.h"
#include "catalog/catalog.h"
#include "git/libgit2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

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
    assert_int_equal(text.len, catalog->files->entries[index].size);
    return text;
}

static void test_builtin__ids_are_git_s(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog->files->count; i++) {
        unsigned char id[20];
        ERR_SCRATCH(err);
        assert_int_equal(git_hash_blob(id, bytes_of(i), &err), 0);
        assert_memory_equal(id, catalog->files->entries[i].id, sizeof(id));
    }
}

static void test_builtin__files_that_are_copied_are_deflated(void **state)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->files->count; i++) {
        const struct fileset_entry *entry = &catalog->files->entries[i];
        uLongf len = entry->size + 1;
        if (!entry->deflated.len) {
            assert_true(str_ends(entry->path, ".j2"));
            continue;
        }
        unsigned char *out = arena_alloc(*state, len);
        assert_int_equal(
            uncompress(out, &len, (const Bytef *)entry->deflated.ptr, entry->deflated.len), Z_OK);
        assert_int_equal(len, entry->size);
        assert_memory_equal(out, bytes_of(i).ptr, len);
        count++;
    }
    assert_true(count > 20);
}

static void assert_same(const struct yaml_node *a, const struct yaml_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->plain, b->plain);
    assert_int_equal(a->offset, b->offset);
    if (a->kind == YAML_SCALAR) {
        assert_true(span_equal(a->text, b->text));
        assert_int_equal(b->text.ptr[b->text.len], '\0');
    } else if (a->kind == YAML_LIST) {
        assert_int_equal(a->list.count, b->list.count);
        for (size_t i = 0; i < a->list.count; i++)
            assert_same(a->list.items[i], b->list.items[i]);
    } else {
        assert_int_equal(a->map.count, b->map.count);
        for (size_t i = 0; i < a->map.count; i++) {
            assert_same(a->map.members[i].key, b->map.members[i].key);
            assert_same(a->map.members[i].value, b->map.members[i].value);
        }
    }
}

static void test_builtin__documents_read_as_if_they_were_parsed(void **state)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->files->count; i++) {
        const struct fileset_entry *entry = &catalog->files->entries[i];
        struct yaml_doc *parsed, *read;
        ERR_SCRATCH(err);
        if (!str_ends(entry->path, ".yml") || !entry->nodes.ptr)
            continue;
        assert_int_equal(yaml_parse(&parsed, *state, entry->path, bytes_of(i), &err), 0);
        assert_int_equal(fileset_document(&read, *state, catalog->files, entry->path, &err), 0);
        assert_string_equal(parsed->name, read->name);
        assert_true(span_equal(parsed->source, read->source));
        assert_same(parsed->root, read->root);
        count++;
    }
    assert_true(count > 20);
}

static const char sample[] = "a: [x, 'y', {b: c}]\nd: |\n  long\n  text\ne: {}\nf:\n- g: h\n";

/* Every prefix, and every single byte changed: refused or another document, nothing worse. */
static void test_builtin__damaged_nodes_are_safe_to_read(void **state)
{
    (void)state;
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(bytes, LIMIT_MIB);
    ERR_SCRATCH(first);
    struct yaml_doc *doc;
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_from(sample), &first), 0);
    yaml_nodes_write(&bytes, doc);
    for (size_t len = 1; len < bytes.len; len++) {
        ERR_SCRATCH(err);
        char *part = memcpy(xmalloc(len), bytes.ptr, len);
        assert_int_equal(
            yaml_nodes_read(&doc, &arena, "in.yml", span_from(sample), span_of(part, len), &err),
            -1);
        free(part);
    }
    for (size_t i = 0; i < bytes.len * 256; i++) {
        ERR_SCRATCH(err);
        ARENA_SCRATCH(scratch);
        char *damaged = memcpy(xmalloc(bytes.len), bytes.ptr, bytes.len);
        damaged[i / 256] = (char)(i % 256);
        if (yaml_nodes_read(&doc, &scratch, "in.yml", span_from(sample),
                            span_of(damaged, bytes.len), &err) == 0)
            assert_non_null(doc->root);
        free(damaged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin__ids_are_git_s),
        cmocka_unit_test(test_builtin__files_that_are_copied_are_deflated),
        cmocka_unit_test(test_builtin__documents_read_as_if_they_were_parsed),
        cmocka_unit_test(test_builtin__damaged_nodes_are_safe_to_read),
    };
    return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
