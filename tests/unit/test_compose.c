/* The files of two catalogs as one: sorted, each once, each with what is known of it. */
#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/source/source_files.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 64, ROUNDS = 2000 };
#define SEED 20261126U

/* A set whose files hold their path behind a letter, which is their id, too. */
struct named_set {
    struct fileset set; /* first: a set is cast back */
    struct fileset_entry entries[FILES_MAX];
    char letter;
    struct arena *arena;
};

static int read_named(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct named_set *named = (const struct named_set *)set;
    (void)err;
    *out = span_from(arena_printf(named->arena, "%c%s", named->letter, set->entries[index].path));
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct fileset_entry *)a)->path, ((const struct fileset_entry *)b)->path);
}

static struct named_set *new_set(struct arena *arena, char letter)
{
    struct named_set *named = arena_alloc(arena, sizeof(*named));
    *named = (struct named_set){.letter = letter, .arena = arena};
    named->set = (struct fileset){named->entries, 0, read_named};
    return named;
}

static void put(struct named_set *named, const char *path)
{
    if (fileset_find(&named->set, path) >= 0)
        return;
    named->entries[named->set.count++] =
        (struct fileset_entry){.path = path,
                               .executable = named->letter == 'a',
                               .id = (const unsigned char *)&named->letter,
                               .deflated = span_of(&named->letter, 1),
                               .rows = span_of(&named->letter, 1)};
    qsort(named->entries, named->set.count, sizeof(*named->entries), by_path);
}

/* Names that sort differently by parts than by bytes: '-' and '.' come before '/', '0' behind. */
static const char *any_path(struct arena *arena, unsigned *random)
{
    static const char *const parts[] = {"a", "a-", "a.", "a0", "a/", "b", "A", "\xc3\xa4"};
    const char *path = "t";
    *random = *random * 1103515245U + 12345U;
    for (unsigned bits = *random >> 8, depth = bits % 4; depth-- > 0; bits /= 8)
        path = arena_printf(arena, "%s/%s", path, parts[bits / 4 % 8]);
    return str_ends(path, "/") ? arena_printf(arena, "%sz", path) : path;
}

static struct catalog catalog_of(struct arena *arena, struct named_set *own, struct catalog *other,
                                 const char *yml)
{
    ERR_SCRATCH(err);
    struct yaml_doc *doc;
    assert_int_equal(yaml_parse(&doc, arena, "catalog.yml", span_from(yml), &err), 0);
    return (struct catalog){.name = "own", .files = &own->set, .yml = doc->root, .extends = other};
}

static void check_one(const struct fileset *set, size_t index, const struct named_set *of)
{
    ERR_SCRATCH(err);
    struct span bytes;
    const struct fileset_entry *entry = &set->entries[index];
    assert_ptr_equal(entry->id, &of->letter);
    assert_ptr_equal(entry->deflated.ptr, &of->letter);
    assert_ptr_equal(entry->rows.ptr, &of->letter);
    assert_int_equal(entry->executable, of->letter == 'a');
    assert_int_equal(set->read(&bytes, set, index, &err), 0);
    assert_int_equal(bytes.len, strlen(entry->path) + 1);
    assert_int_equal(bytes.ptr[0], of->letter);
    assert_string_equal(bytes.ptr + 1, entry->path);
}

/* Each path of either set is there once, of the first that has it, and by each prefix of its own.
 */
static void check_union(const struct catalog *catalog, const struct named_set *own,
                        const struct named_set *other)
{
    const struct fileset *set = catalog->files;
    size_t count = own->set.count;
    for (size_t i = 0; i < other->set.count; i++)
        count += fileset_find(&own->set, other->entries[i].path) < 0;
    assert_int_equal(set->count, count);
    for (size_t i = 0; i < count; i++) {
        const char *path = set->entries[i].path;
        bool is_own = fileset_find(&own->set, path) >= 0;
        assert_true(i == 0 || strcmp(set->entries[i - 1].path, path) < 0);
        assert_int_equal(fileset_find(set, path), i);
        assert_int_equal(compose_depth(catalog, path), !is_own);
        check_one(set, i, is_own ? own : other);
    }
}

TEST(test_compose__is_the_sorted_union_of_both)
{
    unsigned random = SEED;
    for (int round = 0; round < ROUNDS; round++) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct named_set *own = new_set(&arena, 'a'), *other = new_set(&arena, 'b');
        const size_t counts[] = {(random >> 4) % (FILES_MAX / 2), (random >> 10) % (FILES_MAX / 2)};
        for (size_t i = 0; i < counts[0]; i++)
            put(own, any_path(&arena, &random));
        for (size_t i = 0; i < counts[1]; i++)
            put(other, any_path(&arena, &random));
        put(own, "t/both");
        put(other, "t/both");
        struct catalog below = {.name = "other", .files = &other->set};
        struct catalog catalog =
            catalog_of(&arena, own, &below, "extends: {source: x}\noverrides: ['**']\n");
        if (compose(&catalog, &arena, &err) < 0)
            fail_msg("seed %u, round %d: %s", SEED, round, err.message);
        check_union(&catalog, own, other);
    }
}

TEST(test_compose__keeps_what_says_which_version_a_catalog_is_apart)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct named_set *own = new_set(&arena, 'a'), *other = new_set(&arena, 'b');
    struct catalog below = {.name = "other", .files = &other->set};
    put(own, "catalog.yml");
    put(other, "catalog.yml");
    put(other, "CHANGELOG.md");
    struct catalog catalog = catalog_of(&arena, own, &below, "extends: {source: x}\n");
    assert_int_equal(compose(&catalog, &arena, &err), 0);
    assert_int_equal(catalog.files->count, 1);
    check_one(catalog.files, 0, own);
    assert_ptr_equal(catalog.own, &own->set);
}

TEST(test_compose__of_nothing_is_the_other_one)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct named_set *own = new_set(&arena, 'a'), *other = new_set(&arena, 'b');
    struct catalog below = {.name = "other", .files = &other->set};
    put(other, "t/a");
    put(other, "t/a/b"); /* a file and a folder: writing them is refused */
    struct catalog catalog = catalog_of(&arena, own, &below, "extends: {source: x}\n");
    assert_int_equal(compose(&catalog, &arena, &err), 0);
    check_union(&catalog, own, other);
}
