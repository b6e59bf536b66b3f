/* The planner: what an update does to each path, on trees made in memory. */
#include "base/arena.h"
#include "base/buf.h"
#include "git/store.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

#define LONG "a line that is long enough to be known by its content, 64 bytes and more\n"
#define OTHER "quite another text, which is also long enough to be known by its content\n"

/* One file in up to three trees; NULL: absent there. */
struct row {
    const char *path;
    const char *base, *child, *render;
    const char *source; /* of base and render */
    enum file_policy policy;
    enum file_merge merge;
    unsigned base_mode, child_mode, render_mode; /* 0: a plain file */
};

struct scenario {
    struct row rows[12];
    const char *renames[3][2];
    const char *yours, *restore;
    bool no_rules;
    const char *report; /* lines of "STATE PATH[ < FROM]" */
    const char *tree;   /* lines of "PATH=CONTENT", `|` for a newline, of every edit */
};

struct fixture {
    struct arena arena;
    struct store *store;
    struct err err;
};

static struct plan_file *make_file(struct fixture *f, const struct row *row, enum side side)
{
    const char *texts[] = {row->base, row->child, row->render};
    unsigned modes[] = {row->base_mode, row->child_mode, row->render_mode};
    struct plan_file *file = arena_alloc(&f->arena, sizeof(*file));
    *file = (struct plan_file){.path = row->path,
                               .entry.mode = modes[side] ? modes[side] : LEAF_FILE,
                               .source = row->source,
                               .policy = row->policy,
                               .merge = row->merge};
    assert_int_equal(
        store_put(&file->entry.id, f->store, STORE_BLOB, span_from(texts[side]), &f->err), 0);
    if (side != CHILD)
        file->bytes = span_from(texts[side]);
    return file;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct plan_file *)a)->path, ((const struct plan_file *)b)->path);
}

static struct plan_list make_list(struct fixture *f, const struct scenario *s, enum side side)
{
    struct plan_file *files = arena_array(&f->arena, 13, sizeof(*files));
    struct plan_list list = {files, 0};
    for (const struct row *row = s->rows; row->path; row++) {
        const char *texts[] = {row->base, row->child, row->render};
        if (texts[side])
            files[list.count++] = *make_file(f, row, side);
    }
    qsort(files, list.count, sizeof(*files), by_path);
    return list;
}

static void put_content(struct fixture *f, struct buf *out, const struct tree_entry *leaf)
{
    STORE_BYTES_SCRATCH(loaded);
    if (leaf->mode == LEAF_ABSENT) {
        assert_int_equal(buf_puts(out, "-"), 0);
        return;
    }
    assert_int_equal(store_get(&loaded, f->store, STORE_BLOB, &leaf->id, "result", &f->err), 0);
    if (leaf->mode == LEAF_EXECUTABLE)
        assert_int_equal(buf_puts(out, "*"), 0);
    for (size_t i = 0; i < loaded.bytes.len; i++)
        assert_int_equal(buf_putc(out, loaded.bytes.ptr[i] == '\n' ? '|' : loaded.bytes.ptr[i]), 0);
}

static void describe(struct fixture *f, struct buf *report, struct buf *tree,
                     const struct plan *plan)
{
    for (size_t i = 0; i < plan->path_count; i++) {
        const struct plan_path *path = &plan->paths[i];
        assert_int_equal(buf_printf(report, "%s %s%s%s\n", path_state_names[path->state],
                                    path->path, path->from_path ? " < " : "",
                                    path->from_path ? path->from_path : ""),
                         0);
    }
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct plan_edit *edit = &plan->edits[i];
        assert_int_equal(buf_printf(tree, "%s=", edit->path), 0);
        put_content(f, tree, &edit->disk);
        for (int side = BASE; edit->conflict && side < SIDES; side++) {
            assert_int_equal(buf_printf(tree, " %d:", side + 1), 0);
            put_content(f, tree, &edit->stages[side]);
        }
        assert_int_equal(buf_putc(tree, '\n'), 0);
    }
}

static size_t fill_input(struct fixture *f, struct plan_input *input, const struct scenario *s)
{
    struct renames *renames = &input->renames;
    *renames = (struct renames){arena_array(&f->arena, 3, sizeof(char *)),
                                arena_array(&f->arena, 3, sizeof(char *)), 0};
    for (int side = BASE; side < SIDES; side++)
        input->side[side] = make_list(f, s, side);
    for (size_t i = 0; i < 3 && s->renames[i][0]; i++, renames->count++) {
        renames->old[i] = s->renames[i][0];
        renames->new[i] = s->renames[i][1];
    }
    if (s->yours)
        words_add(&input->yours, &f->arena, s->yours);
    if (s->restore)
        words_add(&input->restore, &f->arena, s->restore);
    input->base_has_rules = !s->no_rules;
    input->base_label = "template 1";
    input->render_label = "template 2";
    return renames->count;
}

static void check(const struct scenario *s)
{
    struct fixture f = {.arena = ARENA_INIT, .err = ERR_INIT};
    struct plan plan;
    struct plan_input input = {0};
    BUF_SCRATCH(report, 100000);
    BUF_SCRATCH(tree, 100000);
    assert_int_equal(store_open(&f.store, NULL, &f.err), 0);
    (void)fill_input(&f, &input, s);
    int rc = plan_make(&plan, &f.arena, f.store, &input, &f.err);
    if (rc < 0)
        fail_msg("%s", f.err.message);
    describe(&f, &report, &tree, &plan);
    assert_string_equal(buf_text(&report), s->report);
    assert_string_equal(buf_text(&tree), s->tree);
    store_free(f.store);
    arena_release(&f.arena);
}

TEST(test_plan__takes_what_only_one_side_changed)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "1\n", "2\n"},
                 {"b", "1\n", "2\n", "1\n"},
                 {"c", "1\n", "1\n", "1\n"},
                 {"own", NULL, "x\n", NULL}},
        .report = "updated a\nkept-yours b\n",
        .tree = "a=2|\n",
    });
}

TEST(test_plan__merges_lines_that_do_not_touch)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n"}},
        .report = "merged a\n",
        .tree = "a=one|2|3|4|five|\n",
    });
}

TEST(test_plan__keeps_one_common_line_between_edits)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\n5\n", "1\n2\n3\nfour\n5\n"}},
        .report = "merged a\n",
        .tree = "a=1|two|3|four|5|\n",
    });
}

TEST(test_plan__marks_lines_that_both_changed)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "one\n", "uno\n"}},
        .report = "conflict a\n",
        .tree = "a=<<<<<<< your project|one|||||||| template 1|1|=======|uno|>>>>>>> template 2|"
                " 1:1| 2:one| 3:uno|\n",
    });
}

TEST(test_plan__same_change_on_both_sides_is_no_conflict)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "2\n", "2\n"}, {"b", "1\n", NULL, NULL}, {"c", NULL, "x\n", "x\n"}},
        .report = "merged a\nkept-deleted b\nadopted c\n",
        .tree = "",
    });
}

TEST(test_plan__adds_and_deletes)
{
    check(&(struct scenario){
        .rows = {{"new", NULL, NULL, "x\n"}, {"old", "x\n", "x\n", NULL}},
        .report = "added new\ndeleted old\n",
        .tree = "new=x|\nold=-\n",
    });
}

TEST(test_plan__what_the_child_deleted_stays_deleted)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", NULL, "2\n"}, {"m", "1\n", NULL, "2\n", .policy = POLICY_MANAGED}},
        .report = "kept-deleted a\nkept-deleted m\n",
        .tree = "",
    });
}

TEST(test_plan__restore_brings_the_newest_back)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", NULL, "2\n"}, {"b", "1\n", NULL, "1\n"}},
        .restore = "a",
        .report = "added a\nkept-deleted b\n",
        .tree = "a=2|\n",
    });
}

TEST(test_plan__deleted_against_edited_conflicts)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "mine\n", NULL}},
        .report = "conflict a\n",
        .tree = "a=mine| 1:1| 2:mine| 3:-\n",
    });
}

TEST(test_plan__both_added_differently_conflicts)
{
    check(&(struct scenario){
        .rows = {{"a", NULL, "mine\n", "theirs\n"}},
        .report = "conflict a\n",
        .tree = "a=mine| 1:- 2:mine| 3:theirs|\n",
    });
}

TEST(test_plan__managed_conflicts_only_where_both_differ)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "mine\n", "1\n", .policy = POLICY_MANAGED},
                 {"b", "1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", .policy = POLICY_MANAGED},
                 {"c", "1\n", "1\n", "2\n", .policy = POLICY_MANAGED}},
        .report = "kept-yours a\nconflict b\nupdated c\n",
        .tree = "b=one|2|3| 1:1|2|3| 2:one|2|3| 3:1|2|three|\nc=2|\n",
    });
}

TEST(test_plan__seed_is_written_once)
{
    check(&(struct scenario){
        .rows = {{"edited", "1\n", "mine\n", "2\n", .policy = POLICY_SEED},
                 {"gone", "1\n", NULL, "2\n", .policy = POLICY_SEED},
                 {"new", NULL, NULL, "2\n", .policy = POLICY_SEED},
                 {"own", NULL, "mine\n", "2\n", .policy = POLICY_SEED},
                 {"dropped", "1\n", "1\n", NULL, .policy = POLICY_SEED}},
        .report = "kept-yours dropped\nkept-yours edited\nkept-deleted gone\nadded new\n"
                  "kept-yours own\n",
        .tree = "new=2|\n",
    });
}

TEST(test_plan__yours_is_left_alone_and_listed)
{
    check(&(struct scenario){
        .rows = {{"docs/a", "1\n", "1\n", "2\n"},
                 {"docs/b", "1\n", "1\n", NULL},
                 {"docs/c", NULL, NULL, "2\n"},
                 {"docs/d", "1\n", "1\n", "1\n"},
                 {"docs/e", "1\n", NULL, "2\n"}},
        .yours = "docs/**",
        .report = "kept-yours docs/a\nkept-yours docs/b\nkept-yours docs/c\nkept-deleted docs/e\n",
        .tree = "",
    });
}

TEST(test_plan__follows_a_template_rename_by_source)
{
    check(&(struct scenario){
        .rows = {{"src/a", "1\n2\n3\n", "1\n2\nmine\n", NULL, "files/a"},
                 {"pkg/a", NULL, NULL, "one\n2\n3\n", "files/a"}},
        .report = "renamed pkg/a < src/a\n",
        .tree = "pkg/a=one|2|mine|\nsrc/a=-\n",
    });
}

TEST(test_plan__a_condition_in_a_name_of_a_source_is_no_part_of_it)
{
    check(&(struct scenario){
        .rows = {{"src/a", "1\n2\n3\n", "1\n2\nmine\n", NULL, "src/{{ 'a' if x == '}' }}.j2"},
                 {"pkg/a", NULL, NULL, "one\n2\n3\n", "src/a.j2"},
                 {"b", "1\n", "1\n", NULL, "{{ \"s\" if y }}/{{ 'b' if x }}"},
                 {"c", NULL, NULL, "1\n", "s/b"}},
        .report = "renamed c < b\nrenamed pkg/a < src/a\n",
        .tree = "b=-\nc=1|\npkg/a=one|2|mine|\nsrc/a=-\n",
    });
}

TEST(test_plan__blanks_at_the_braces_of_a_source_are_no_part_of_it)
{
    check(&(struct scenario){
        .rows = {{"src/a", "1\n2\n3\n", "1\n2\nmine\n", NULL, "src/{{ package }}/{{  x}} }}"},
                 {"pkg/a", NULL, NULL, "one\n2\n3\n", "src/{{package}}/{{x  }}}}"},
                 {"b", "1\n", "1\n", NULL, "{{ 'b' if x }}/{{ y }}"},
                 {"c", NULL, NULL, "1\n", "{{'b' if x}}/{{y}}"},
                 {"d", "2\n", "2\n", NULL, "{{ x y }}"},
                 {"e", NULL, NULL, "2\n", "{{xy}}"}},
        .report = "renamed c < b\ndeleted d\nadded e\nrenamed pkg/a < src/a\n",
        .tree = "b=-\nc=1|\nd=-\ne=2|\npkg/a=one|2|mine|\nsrc/a=-\n",
    });
}

TEST(test_plan__other_expressions_in_a_name_of_a_source_are_part_of_it)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "1\n", NULL, "{{ 'a' if x else 'z' }}"},
                 {"b", "2\n", "2\n", NULL, "{{ 'b' }}"},
                 {"c", "3\n", "3\n", NULL, "{{ 'c' if x"},
                 {"d", "4\n", "4\n", NULL, "{{ 'd"},
                 {"m", NULL, NULL, "1\n", "a"},
                 {"n", NULL, NULL, "2\n", "b"},
                 {"o", NULL, NULL, "3\n", "c"},
                 {"p", NULL, NULL, "4\n", "d"}},
        .report = "deleted a\ndeleted b\ndeleted c\ndeleted d\n"
                  "added m\nadded n\nadded o\nadded p\n",
        .tree = "a=-\nb=-\nc=-\nd=-\nm=1|\nn=2|\no=3|\np=4|\n",
    });
}

TEST(test_plan__follows_a_declared_rename)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "mine\n", NULL, "files/a"}, {"b", NULL, NULL, "1\n", "files/b"}},
        .renames = {{"a", "b"}},
        .report = "renamed b < a\n",
        .tree = "a=-\nb=mine|\n",
    });
}

TEST(test_plan__rename_that_the_template_contradicts_counts_for_nothing)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "1\n", "1\n", .source = "a"},
                 {"old", "2\n", NULL, "2\n", .source = "old"}},
        .renames = {{"old", "a"}},
        .report = "kept-deleted old\n",
        .tree = "",
    });
}

TEST(test_plan__childs_file_where_the_template_moved_a_deleted_one_conflicts)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", NULL, NULL, .source = "a"},
                 {"z", NULL, "mine\n", "2\n", .source = "z"}},
        .renames = {{"a", "z"}},
        .report = "conflict z < a\n",
        .tree = "z=<<<<<<< your project|mine|||||||| template 1|1|=======|2|>>>>>>> template 2|"
                " 1:1| 2:mine| 3:2|\n",
    });
}

TEST(test_plan__without_rules_pairs_by_name_only)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "1\n", NULL, "files/x"}, {"b", NULL, NULL, "1\n", "files/x"}},
        .no_rules = true,
        .report = "deleted a\nadded b\n",
        .tree = "a=-\nb=1|\n",
    });
}

TEST(test_plan__swaps_two_files_that_the_template_swapped)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "mine\n", "2\n", "files/x"}, {"b", "2\n", "2\n", "1\n", "files/y"}},
        .renames = {{"a", "b"}, {"b", "a"}},
        .report = "renamed a < b\nrenamed b < a\n",
        .tree = "a=2|\nb=mine|\n",
    });
}

TEST(test_plan__template_edits_follow_the_childs_rename)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n" LONG, NULL, "2\n" LONG}, {"b", NULL, "1\n" LONG, NULL}},
        .report = "updated b < a\n",
        .tree = "b=2|a line that is long enough to be known by its content, 64 bytes and more|\n",
    });
    check(&(struct scenario){
        .rows = {{"a", "1\n" LONG, NULL, "2\n" LONG}, {"b", NULL, "1\n" LONG "mine\n", NULL}},
        .report = "merged b < a\n",
        .tree =
            "b=2|a line that is long enough to be known by its content, 64 bytes and more|mine|\n",
    });
}

TEST(test_plan__content_rules_need_64_bytes_and_a_unique_match)
{
    check(&(struct scenario){
        .rows = {{"a", "short\n", NULL, "2\n"}, {"b", NULL, "short\n", NULL}},
        .report = "kept-deleted a\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, "2\n"}, {"b", NULL, LONG, NULL}, {"c", NULL, LONG, NULL}},
        .report = "kept-deleted a\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", LONG, LONG, "2\n"}, {"c", NULL, LONG "mine\n", NULL}},
        .report = "updated a\n",
        .tree = "a=2|\n",
    });
}

TEST(test_plan__rename_by_the_child_alone_survives_a_drop)
{
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, NULL}, {"b", NULL, LONG, NULL}},
        .report = "kept-yours b < a\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, NULL}, {"b", NULL, LONG "mine\n", NULL}},
        .report = "conflict b < a\n",
        .tree = "b=a line that is long enough to be known by its content, 64 bytes and more|mine|"
                " 1:a line that is long enough to be known by its content, 64 bytes and more|"
                " 2:a line that is long enough to be known by its content, 64 bytes and more|mine|"
                " 3:-\n",
    });
}

TEST(test_plan__childs_name_wins_where_both_renamed)
{
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, NULL, "files/a"},
                 {"b", NULL, LONG, NULL},
                 {"c", NULL, NULL, LONG "new\n", "files/a"}},
        .report = "updated b < a\n",
        .tree = "b=a line that is long enough to be known by its content, 64 bytes and more|new|\n",
    });
}

TEST(test_plan__rename_onto_the_childs_own_file_is_not_followed)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", "mine\n", NULL, "files/a"}, {"b", NULL, "own\n", "1\n", "files/a"}},
        .report = "conflict a\nconflict b\n",
        .tree = "a=mine| 1:1| 2:mine| 3:-\nb=own| 1:- 2:own| 3:1|\n",
    });
}

TEST(test_plan__childs_rename_to_a_new_template_path_is_not_followed)
{
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, "2\n", "files/a"}, {"b", NULL, LONG, OTHER, "files/b"}},
        .report = "kept-deleted a\nconflict b\n",
        .tree = "b=a line that is long enough to be known by its content, 64 bytes and more| 1:-"
                " 2:a line that is long enough to be known by its content, 64 bytes and more|"
                " 3:quite another text, which is also long enough to be known by its content|\n",
    });
}

TEST(test_plan__modes_and_contents_merge_apart)
{
    check(&(struct scenario){
        .rows = {{"r", "1\n", "2\n", "1\n", .render_mode = LEAF_EXECUTABLE},
                 {"s", "1\n", "1\n", "2\n", .child_mode = LEAF_EXECUTABLE}},
        .report = "merged r\nmerged s\n",
        .tree = "r=*2|\ns=*2|\n",
    });
    check(&(struct scenario){
        .rows = {{"r", "1\n", "2\n", "3\n", .render_mode = LEAF_EXECUTABLE}},
        .report = "conflict r\n",
        .tree = "r=*<<<<<<< your project|2|||||||| template 1|1|=======|3|>>>>>>> template 2|"
                " 1:1| 2:2| 3:*3|\n",
    });
}

TEST(test_plan__links_are_never_merged_as_text)
{
    check(&(struct scenario){
        .rows = {{"l", "x\n", "target", "y\n", .child_mode = LEAF_LINK}},
        .report = "conflict l\n",
        .tree = "l=target 1:x| 2:target 3:y|\n",
    });
    check(&(struct scenario){
        .rows = {{"l", "x\n", "target", "x\n", .child_mode = LEAF_LINK}},
        .report = "kept-yours l\n",
        .tree = "",
    });
}

TEST(test_plan__file_to_folder_and_back)
{
    check(&(struct scenario){
        .rows = {{"d", "1\n", "1\n", NULL}, {"d/x", NULL, NULL, "2\n"}},
        .report = "deleted d\nadded d/x\n",
        .tree = "d=-\nd/x=2|\n",
    });
    check(&(struct scenario){
        .rows = {{"d", NULL, NULL, "2\n"}, {"d/x", "1\n", "1\n", NULL}},
        .report = "added d\ndeleted d/x\n",
        .tree = "d=2|\nd/x=-\n",
    });
}

TEST(test_plan__edited_file_makes_room_for_a_folder)
{
    check(&(struct scenario){
        .rows = {{"d", "1\n", "mine\n", NULL}, {"d/x", NULL, NULL, "2\n"}},
        .report = "conflict d\nadded d/x\n",
        .tree = "d=-\nd/x=2|\nd~HEAD=mine| 1:1| 2:mine| 3:-\n",
    });
    check(&(struct scenario){
        .rows = {{"d", NULL, "own\n", NULL},
                 {"d/x", NULL, NULL, "2\n"},
                 {"d~HEAD", NULL, "taken\n", NULL}},
        .report = "conflict d\nadded d/x\n",
        .tree = "d=-\nd/x=2|\nd~HEAD_1=own| 1:- 2:own| 3:-\n",
    });
}

TEST(test_plan__childs_folder_stays_where_the_template_wants_a_file)
{
    check(&(struct scenario){
        .rows = {{"d", NULL, NULL, "2\n"}, {"d/x", "1\n", "1\n", NULL}, {"d/mine", NULL, "m\n"}},
        .report = "conflict d\ndeleted d/x\n",
        .tree = "d=- 1:- 2:- 3:2|\nd/x=-\n",
    });
}

TEST(test_plan__lines_merge_by_slots)
{
    check(&(struct scenario){
        .rows = {{"pins", "a==1\nb==1\nc==1\n", "a==2\nb==1\nc==1\n", "a==1\nb==3\nc==1\n",
                  .merge = MERGE_LINES}},
        .report = "merged pins\n",
        .tree = "pins=a==2|b==3|c==1|\n",
    });
    check(&(struct scenario){
        .rows = {{"pins", "a==1\nb==1\n", "a==2\nb==1\n", "b==1\n", .merge = MERGE_LINES}},
        .report = "conflict pins\n",
        .tree = "pins=<<<<<<< your project|a==2|||||||| template 1|a==1|=======|"
                ">>>>>>> template 2|b==1| 1:a==1|b==1| 2:a==2|b==1| 3:b==1|\n",
    });
}

TEST(test_plan__insertions_hang_on_the_slot_before_ours_first)
{
    check(&(struct scenario){
        .rows = {{"pins", "a==1\nb==1\n", "a==1\nmine==1\nb==1\n", "a==2\ntheirs==1\nb==1\nz==1\n",
                  .merge = MERGE_LINES}},
        .report = "merged pins\n",
        .tree = "pins=a==2|mine==1|theirs==1|b==1|z==1|\n",
    });
}

TEST(test_plan__binary_files_get_no_markers)
{
    struct fixture f = {.arena = ARENA_INIT, .err = ERR_INIT};
    struct plan plan;
    struct plan_file files[SIDES];
    const char *bytes[] = {"a\0b", "a\0c", "a\0d"};
    struct plan_input input = {.base_label = "1", .render_label = "2"};
    assert_int_equal(store_open(&f.store, NULL, &f.err), 0);
    for (int side = BASE; side < SIDES; side++) {
        files[side] = (struct plan_file){.path = "x", .entry.mode = LEAF_FILE};
        assert_int_equal(
            store_put(&files[side].entry.id, f.store, STORE_BLOB, span_of(bytes[side], 3), &f.err),
            0);
        input.side[side] = (struct plan_list){&files[side], 1};
    }
    assert_int_equal(plan_make(&plan, &f.arena, f.store, &input, &f.err), 0);
    assert_int_equal(plan.edit_count, 1);
    assert_true(plan.edits[0].conflict);
    assert_true(tree_entry_equal(&plan.edits[0].disk, &files[CHILD].entry));
    store_free(f.store);
    arena_release(&f.arena);
}

static void expect_restore_error(const char *path, const char *message)
{
    struct fixture f = {.arena = ARENA_INIT, .err = ERR_INIT};
    struct scenario s = {.rows = {{"a", "1\n", "1\n", "2\n"}}, .restore = path};
    struct plan plan;
    struct plan_input input = {0};
    assert_int_equal(store_open(&f.store, NULL, &f.err), 0);
    (void)fill_input(&f, &input, &s);
    assert_int_equal(plan_make(&plan, &f.arena, f.store, &input, &f.err), -1);
    assert_int_equal(f.err.exit, TG_USAGE);
    assert_string_equal(f.err.code, "not-restorable");
    assert_string_equal(f.err.message, message);
    err_release(&f.err);
    store_free(f.store);
    arena_release(&f.arena);
}

TEST(test_plan__refuses_to_restore_what_is_there_or_unknown)
{
    expect_restore_error("a", "cannot restore 'a': it is there");
    expect_restore_error("b", "cannot restore 'b': the template has no such file");
}

TEST(test_plan__warns_where_a_merge_breaks_yaml)
{
    struct fixture f = {.arena = ARENA_INIT, .err = ERR_INIT};
    struct scenario s = {.rows = {{"a.yml", "x: 1\n\n\n\n\ny: 1\n", "z: 1\nx: 1\n\n\n\n\ny: 1\n",
                                   "x: 1\n\n\n\n\ny: 1\nz: 2\n"}}};
    struct plan plan;
    struct plan_input input = {0};
    assert_int_equal(store_open(&f.store, NULL, &f.err), 0);
    (void)fill_input(&f, &input, &s);
    assert_int_equal(plan_make(&plan, &f.arena, f.store, &input, &f.err), 0);
    assert_int_equal(plan.conflict_count, 0);
    assert_int_equal(plan.warnings.count, 1);
    assert_string_equal(plan.warnings.items[0],
                        "'a.yml' merged, but is no valid YAML any more: look at it");
    store_free(f.store);
    arena_release(&f.arena);
}

#define ABC "a\nb\nc\nd\ne\n"
#define ABC_CRLF "a\r\nb\r\nc\r\nd\r\ne\r\n"

TEST(test_plan__line_endings_are_no_change_and_stay_the_childs)
{
    check(&(struct scenario){
        .rows = {{"a", ABC, ABC_CRLF, "a\nb\nc\nd\nE\n"},
                 {"both", ABC, "A\r\nb\r\nc\r\nd\r\ne\r\n", "a\nb\nc\nd\nE\n"},
                 {"dropped", ABC, ABC_CRLF, NULL},
                 {"new", NULL, ABC_CRLF, ABC},
                 {"none", ABC, "", ABC_CRLF},
                 {"other", ABC, ABC_CRLF, "no text any more\r"},
                 {"theirs", ABC, "A\nb\nc\nd\ne\n", ABC_CRLF},
                 {"untouched", ABC, ABC, ABC_CRLF}},
        .report = "merged a\nmerged both\ndeleted dropped\nadopted new\nmerged none\n"
                  "merged other\nmerged theirs\nupdated untouched\n",
        .tree = "a=a\r|b\r|c\r|d\r|E\r|\nboth=A\r|b\r|c\r|d\r|E\r|\ndropped=-\n"
                "other=no text any more\r\nuntouched=a\r|b\r|c\r|d\r|e\r|\n",
    });
}

TEST(test_plan__line_endings_of_one_bit_more_are_a_change)
{
    check(&(struct scenario){
        .rows = {{"a", ABC, ABC_CRLF, NULL, .child_mode = LEAF_EXECUTABLE},
                 {"m", ABC, ABC_CRLF, "new\n", .policy = POLICY_MANAGED},
                 {"x", ABC, ABC_CRLF, "new\n", .policy = POLICY_MANAGED,
                  .child_mode = LEAF_EXECUTABLE}},
        .report = "conflict a\nmerged m\nconflict x\n",
        .tree = "a=*a\r|b\r|c\r|d\r|e\r| 1:a|b|c|d|e| 2:*a\r|b\r|c\r|d\r|e\r| 3:-\n"
                "m=new\r|\n"
                "x=*a\r|b\r|c\r|d\r|e\r| 1:a|b|c|d|e| 2:*a\r|b\r|c\r|d\r|e\r| 3:new|\n",
    });
}

TEST(test_plan__mixed_line_endings_stay_line_by_line)
{
    check(&(struct scenario){
        .rows = {{"a", ABC, "a\r\nb\r\nc\r\nd\ne\n", "a\nB\nB2\nc\nd\ne\nf\n"},
                 {"bytes", "a\r\nb\nc\nd\n", "a\r\nB\nc\nd\n", "a\r\nb\nc\nD\r\n"},
                 {"last", ABC, "a\r\nb\nc\nd\ne", "A\nb\nc\nd\ne\n"},
                 {"old Mac", "a\nb\n", "a\rb\r", "a\nB\n"}},
        .report = "merged a\nmerged bytes\nmerged last\nconflict old Mac\n",
        .tree = "a=a\r|B\r|B2\r|c\r|d|e|f|\nbytes=a\r|B|c|D\r|\nlast=A\r|b|c|d|e\n"
                "old Mac=<<<<<<< your project|a\rb\r|||||||| template 1|a|b|=======|a|B|"
                ">>>>>>> template 2| 1:a|b| 2:a\rb\r 3:a|B|\n",
    });
}

TEST(test_plan__pins_keep_the_childs_line_endings)
{
    check(&(struct scenario){
        .rows = {{"pins", "a==1\nb==1\nc==1", "a==2\r\nb==1\r\nc==1\r\nx==1",
                  "a==1\nb==3\nc==1\ny==1", .merge = MERGE_LINES}},
        .report = "merged pins\n",
        .tree = "pins=a==2\r|b==3\r|c==1\r|x==1\r|y==1\n",
    });
}

TEST(test_plan__names_that_differ_by_case_are_one_file)
{
    check(&(struct scenario){
        .rows = {{"README", "1\n", "1\nmine\n", NULL},
                 {"ReadMe", NULL, NULL, "1\n"},
                 {"b/x", "1\n", NULL, "2\n"},
                 {"B/X", NULL, "1\n", NULL},
                 {"new", NULL, NULL, "1\n"},
                 {"NEW", NULL, "2\n", NULL},
                 {"\xc3\x84", "1\n", "1\n", NULL}, /* the letter A with two dots */
                 {"\xc3\xa4", NULL, NULL, "1\n"}},
        .report = "updated B/X < b/x\nconflict NEW\nrenamed ReadMe < README\n"
                  "renamed \xc3\xa4 < \xc3\x84\n",
        .tree = "B/X=2|\nNEW=2| 1:- 2:2| 3:1|\nREADME=-\nReadMe=1|mine|\n\xc3\x84=-\n"
                "\xc3\xa4=1|\n",
    });
}

TEST(test_plan__names_of_several_files_but_for_case_are_not_one)
{
    check(&(struct scenario){
        .rows = {{"a", "1\n", NULL, "2\n"},
                 {"A", NULL, "1\n", NULL},
                 {"\xc3\xa4", "1\n", NULL, "1\n"},
                 {"x/b", "1\n", NULL, "2\n"},
                 {"X/b", NULL, "1\n", NULL},
                 {"x/B", NULL, "1\n", NULL}},
        .report = "updated A < a\nkept-deleted x/b\nkept-deleted \xc3\xa4\n",
        .tree = "A=2|\n",
    });
}

#define HEADER "# A licence header that every file has, of more than 64 bytes in one line\n"

TEST(test_plan__shared_content_proves_no_rename)
{
    check(&(struct scenario){
        .rows = {{"a", HEADER, NULL, HEADER "2\n"}, {"mine", NULL, HEADER, NULL}},
        .report = "kept-deleted a\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", LONG "1\n", NULL, LONG "2\n"},
                 {"b", LONG "b\n", LONG "b\n", LONG "b\n"},
                 {"mine", NULL, LONG "3\n", NULL}},
        .report = "kept-deleted a\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", LONG, NULL, LONG "2\n"},
                 {"b", OTHER, LONG, OTHER},
                 {"mine", NULL, LONG, NULL}},
        .report = "kept-deleted a\nkept-yours b\n",
        .tree = "",
    });
    check(&(struct scenario){
        .rows = {{"a", HEADER LONG, NULL, HEADER LONG "2\n"},
                 {"b", HEADER "b\n", HEADER "b\n", HEADER "b\n"},
                 {"mine", NULL, HEADER LONG "m\n", NULL},
                 {"own", NULL, HEADER, NULL}},
        .report = "conflict mine < a\n",
        .tree = "mine="
                "# A licence header that every file has, of more than 64 bytes in one line|"
                "a line that is long enough to be known by its content, 64 bytes and more|"
                "<<<<<<< your project|m|||||||| template 1|=======|2|>>>>>>> template 2|"
                " 1:# A licence header that every file has, of more than 64 bytes in one line|"
                "a line that is long enough to be known by its content, 64 bytes and more|"
                " 2:# A licence header that every file has, of more than 64 bytes in one line|"
                "a line that is long enough to be known by its content, 64 bytes and more|m|"
                " 3:# A licence header that every file has, of more than 64 bytes in one line|"
                "a line that is long enough to be known by its content, 64 bytes and more|2|\n",
    });
}

TEST(test_plan__says_which_files_a_moved_folder_leaves_behind)
{
    struct fixture f = {.arena = ARENA_INIT, .err = ERR_INIT};
    struct scenario s = {.rows = {{"src/a", "1\n", "1\n", NULL, "a"},
                                  {"src/mine", NULL, "m\n", NULL},
                                  {"pkg/a", NULL, NULL, "1\n", "a"}}};
    struct plan plan;
    struct plan_input input = {0};
    assert_int_equal(store_open(&f.store, NULL, &f.err), 0);
    (void)fill_input(&f, &input, &s);
    assert_int_equal(plan_make(&plan, &f.arena, f.store, &input, &f.err), 0);
    assert_int_equal(plan.warnings.count, 1);
    assert_string_equal(plan.warnings.items[0],
                        "the template moved 'src/' away; your own files stay, "
                        "such as 'src/mine'");
    store_free(f.store);
    arena_release(&f.arena);
}
