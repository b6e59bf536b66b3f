/* Trees: edits in any order make what git would have made, and lists are sorted by path. */
#include "base/arena.h"
#include "base/buf.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/similarity.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <string.h>

#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

struct fixture {
    struct arena arena;
    struct store *store;
    struct oid blob;
};

static int start(void **state)
{
    static struct fixture f;
    ERR_SCRATCH(err);
    f = (struct fixture){.arena = ARENA_INIT};
    *state = &f;
    return store_open(&f.store, NULL, &err) < 0 ||
                   store_put(&f.blob, f.store, STORE_BLOB, span_from("x\n"), &err) < 0
               ? -1
               : 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    store_free(f->store);
    arena_release(&f->arena);
    return 0;
}

/* The tree with these paths; a path that begins with '-' is removed, with '*' executable. */
static struct oid edit(struct fixture *f, const struct oid *tree, const char *const *paths,
                       size_t count)
{
    struct tree_edit edits[16];
    struct oid out;
    ERR_SCRATCH(err);
    for (size_t i = 0; i < count; i++) {
        bool gone = paths[i][0] == '-', executable = paths[i][0] == '*';
        edits[i] = (struct tree_edit){.path = paths[i] + (gone || executable)};
        if (!gone)
            edits[i].leaf = (struct tree_entry){executable ? LEAF_EXECUTABLE : LEAF_FILE, f->blob};
    }
    if (tree_edit(&out, f->store, f->store, tree, edits, count, &err) < 0)
        fail_msg("%s", err.message);
    return out;
}

static void assert_id(const struct oid *id, const char *expected)
{
    char hex[41];
    oid_hex(hex, id);
    assert_string_equal(hex, expected);
}

/* Paths, separated by blanks. */
static void assert_lists(struct fixture *f, const struct oid *tree, const char *expected)
{
    struct tree_files list;
    BUF_SCRATCH(out, 1000);
    ERR_SCRATCH(err);
    assert_int_equal(tree_list(&list, &f->arena, f->store, tree, 100, &err), 0);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(buf_printf(&out, "%s%s", i ? " " : "", list.files[i].path), 0);
    assert_string_equal(buf_text(&out), expected);
}

TEST(test_tree__order_of_edits_does_not_matter)
{
    /* git sorts the folder "a" behind "a.b" and "a-b": as "a/". The id is git's own. */
    static const char *const one[] = {"a/x", "a.b", "a-b", "*a0", "z/y/x"};
    static const char *const other[] = {"z/y/x", "*a0", "a-b", "a.b", "a/x"};
    struct fixture *f = *state;
    struct oid first = edit(f, NULL, one, COUNT(one)), second = edit(f, NULL, other, COUNT(other));
    assert_true(oid_equal(&first, &second));
    assert_id(&first, "a97a0526bd330092e168b7152efd9ff4c41a1c15");
    assert_lists(f, &first, "a-b a.b a/x a0 z/y/x");
}

TEST(test_tree__folders_that_get_empty_vanish)
{
    static const char *const made[] = {"a/b/c", "d"}, *const gone[] = {"-a/b/c"},
                             *const all[] = {"-a/b/c", "-d", "-not/there"};
    struct fixture *f = *state;
    struct oid tree = edit(f, NULL, made, COUNT(made));
    struct oid rest = edit(f, &tree, gone, COUNT(gone)), none = edit(f, &tree, all, COUNT(all));
    assert_lists(f, &rest, "d");
    assert_id(&none, EMPTY_TREE);
}

TEST(test_tree__file_and_folder_take_each_others_place)
{
    static const char *const made[] = {"a", "b/x", "b/y/z"}, *const swapped[] = {"-a", "a/x", "b"};
    struct fixture *f = *state;
    struct oid tree = edit(f, NULL, made, COUNT(made));
    struct oid other = edit(f, &tree, swapped, COUNT(swapped));
    assert_lists(f, &other, "a/x b");
}

TEST(test_tree__whole_folder_is_grafted)
{
    static const char *const inner[] = {"x", "y/z"}, *const outer[] = {"README", "s/old"};
    struct fixture *f = *state;
    struct oid graft = edit(f, NULL, inner, COUNT(inner)), tree = edit(f, NULL, outer, 2), out;
    struct tree_edit edits[] = {{"s/a", {LEAF_TREE, graft}}};
    struct tree_entry leaf;
    ERR_SCRATCH(err);
    assert_int_equal(tree_edit(&out, f->store, f->store, &tree, edits, 1, &err), 0);
    assert_lists(f, &out, "README s/a/x s/a/y/z s/old");
    assert_int_equal(tree_find(&leaf, f->store, &out, "s/a", &err), 0);
    assert_int_equal(leaf.mode, LEAF_TREE);
    assert_true(oid_equal(&leaf.id, &graft));
}

TEST(test_tree__find_tells_file_folder_and_nothing)
{
    static const char *const made[] = {"a/b", "*c"};
    static const struct {
        const char *path;
        unsigned mode;
    } rows[] = {{"a/b", LEAF_FILE},    {"c", LEAF_EXECUTABLE}, {"a", LEAF_TREE},
                {"b", LEAF_ABSENT},    {"a/c", LEAF_ABSENT},   {"c/x", LEAF_ABSENT},
                {"a/b/c", LEAF_ABSENT}};
    struct fixture *f = *state;
    struct oid tree = edit(f, NULL, made, COUNT(made));
    for (EACH_ROW(i, rows, rows[i].path)) {
        struct tree_entry leaf;
        ERR_SCRATCH(err);
        assert_int_equal(tree_find(&leaf, f->store, &tree, rows[i].path, &err), 0);
        assert_int_equal(leaf.mode, rows[i].mode);
    }
}

TEST(test_tree__hashing_alone_makes_no_object)
{
    static const char *const made[] = {"a/b", "c"};
    struct fixture *f = *state;
    struct oid tree = edit(f, NULL, made, COUNT(made)), hashed;
    struct tree_edit edits[] = {{"only/hashed", {LEAF_FILE, f->blob}}};
    ERR_SCRATCH(err);
    assert_int_equal(tree_edit(&hashed, f->store, NULL, &tree, edits, 1, &err), 0);
    assert_false(store_has(f->store, &hashed));
    static const char *const same[] = {"only/hashed"};
    struct oid put = edit(f, &tree, same, 1);
    assert_true(oid_equal(&put, &hashed));
}

TEST(test_tree__that_is_not_there_is_an_error)
{
    struct fixture *f = *state;
    struct oid none = {{1}};
    struct tree_files list;
    ERR_SCRATCH(err);
    assert_int_equal(tree_list(&list, &f->arena, f->store, &none, 100, &err), -1);
    assert_int_equal(err.exit, TG_RUNTIME);
}

TEST(test_tree__with_more_entries_than_allowed_is_an_error)
{
    static const char *const made[] = {"a/b", "c", "d"};
    struct fixture *f = *state;
    struct oid tree = edit(f, NULL, made, COUNT(made));
    struct tree_files list;
    ERR_SCRATCH(err);
    assert_int_equal(tree_list(&list, &f->arena, f->store, &tree, 4, &err), 0);
    assert_int_equal(tree_list(&list, &f->arena, f->store, &tree, 3, &err), -1);
}

/* ---------------------------------------------------------------- what looks like a rename */

/* `same` lines that both have, and up to ten in each; every line has as many bytes. */
static bool similar(size_t same, size_t lines_a, size_t lines_b)
{
    struct arena arena = ARENA_INIT;
    struct bag bags[2];
    const size_t counts[] = {lines_a, lines_b};
    for (size_t side = 0; side < 2; side++) {
        BUF_SCRATCH(text, 10000);
        for (size_t i = 0; i < counts[side]; i++)
            (void)buf_printf(&text, "%c line %zu\n", i < same ? 'c' : side ? 'b' : 'a', i);
        bag_make(&bags[side], &arena, span_of(buf_text(&text), text.len));
    }
    bool result = bag_similar(&bags[0], &bags[1]);
    assert_int_equal(result, bag_similar(&bags[1], &bags[0]));
    arena_release(&arena);
    return result;
}

TEST(test_similar__is_more_than_sixty_percent_of_the_larger)
{
    assert_true(similar(10, 10, 10));
    assert_true(similar(7, 10, 10));
    assert_false(similar(6, 10, 10));
    assert_true(similar(7, 7, 10));
    assert_false(similar(6, 6, 10));
    assert_false(similar(0, 10, 10));
    assert_false(similar(0, 0, 0));
}

TEST(test_similar__does_not_mind_the_order_of_lines)
{
    struct arena arena = ARENA_INIT;
    struct bag a, b;
    bag_make(&a, &arena, span_from("one\ntwo\nthree\nthree\n"));
    bag_make(&b, &arena, span_from("three\ntwo\nthree\none\n"));
    assert_true(bag_similar(&a, &b));
    bag_make(&b, &arena, span_from("one\none\none\none\none\n"));
    assert_false(bag_similar(&a, &b));
    arena_release(&arena);
}

TEST_GROUP(start, stop)
