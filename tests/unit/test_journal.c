/* The journal: what is written is read again, and damage is never acted on. */
#include "apply/journal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/sha.h"
#include "io/io.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    char folder[64];
    int fd;
};

static int make_folder(void **state)
{
    static struct fixture f;
    f = (struct fixture){.arena = ARENA_INIT, .folder = "/tmp/tmplgen-journal-XXXXXX"};
    if (!mkdtemp(f.folder))
        return -1;
    f.fd = open(f.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &f;
    return f.fd < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
    struct fixture *f = *state;
    (void)unlinkat(f->fd, "journal", 0);
    (void)close(f->fd);
    arena_release(&f->arena);
    return rmdir(f->folder);
}

static struct journal full_journal(void)
{
    static struct path_change changes[] = {
        {.path = "a\nb c",
         .old = {.kind = DISK_FILE, .executable = true, .raw = {{1}}},
         .new = {.kind = DISK_FILE, .raw = {{2}}},
         .mode = 0640,
         .stages = {[1] = {LEAF_FILE, {{3}}}, [2] = {LEAF_LINK, {{4}}}},
         .assumed = true},
        {.path = "z/\xc3\xa9", .stages = {{LEAF_EXECUTABLE, {{5}}}}, .skipped = true},
    };
    static struct journal_ref refs[] = {{"refs/tmplgen/base/x", {{6}}, true}};
    static const char *made[] = {"d", "d/e"};
    static struct journal_step steps[] = {{{{11}}, {{12}}, true}, {.picked = {{13}}}};
    return (struct journal){
        .kind = JOURNAL_CONFLICT,
        .strategy = "x",
        .run = {.level = 2, .token = "ab", .pack = "pack-1"},
        .tip = {.head_old = "ref: refs/heads/main",
                .head_new = "ref: refs/heads/x y",
                .branch = "refs/heads/main",
                .branch_old = {{8}},
                .branch_new = {{9}},
                .orig_head = "new",
                .reflog_who = "Ann <a@b> 1 +0000",
                .reflog_what = "tmplgen update: 1 -> 2"},
        .stop = {"CHERRY_PICK_HEAD", {{10}}, "Update\n\n# Conflicts:\n"},
        .before = {.tree = {{14}}, .brought = {{15}}, .message = "old"},
        .refs = {refs, 1},
        .files = {.changes = changes, .count = 2, .made = {made, 2}, .stage_in_tree = true},
        .steps = {steps, 2},
        .index_old = "00",
        .context = {"{}", 2},
        .report = {"{\0}", 3}};
}

static void assert_same_change(const struct path_change *a, const struct path_change *b)
{
    assert_string_equal(a->path, b->path);
    assert_true(disk_equal(&a->old, &b->old));
    assert_true(disk_equal(&a->new, &b->new));
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->skipped, b->skipped);
    assert_int_equal(a->assumed, b->assumed);
    for (size_t i = 0; i < STAGES; i++)
        assert_true(tree_entry_equal(&a->stages[i], &b->stages[i]));
}

static void assert_same(const struct journal *a, const struct journal *b)
{
    const char *const texts[][2] = {
        {a->tip.head_old, b->tip.head_old},     {a->tip.head_new, b->tip.head_new},
        {a->tip.branch, b->tip.branch},         {a->stop.message, b->stop.message},
        {a->tip.reflog_who, b->tip.reflog_who}, {a->tip.reflog_what, b->tip.reflog_what},
        {a->index_old, b->index_old},           {a->refs.items[0].name, b->refs.items[0].name}};
    for (EACH_ROW(i, texts, texts[i][0]))
        assert_string_equal(texts[i][0], texts[i][1]);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->files.stage_in_tree, b->files.stage_in_tree);
    assert_true(oid_equal(&a->tip.branch_old, &b->tip.branch_old));
    assert_true(oid_equal(&a->tip.branch_new, &b->tip.branch_new));
    assert_string_equal(a->stop.pseudoref, b->stop.pseudoref);
    assert_true(oid_equal(&a->stop.brought, &b->stop.brought));
    assert_int_equal(a->files.made.count, b->files.made.count);
    assert_string_equal(a->files.made.items[1], b->files.made.items[1]);
    assert_true(span_equal(a->report, b->report));
    assert_int_equal(a->files.count, b->files.count);
    for (size_t i = 0; i < a->files.count; i++)
        assert_same_change(&a->files.changes[i], &b->files.changes[i]);
}

static struct span written(struct fixture *f)
{
    struct journal journal = full_journal();
    struct span text;
    ERR_SCRATCH(err);
    assert_int_equal(journal_write(f->fd, "journal", 0600, &journal, &err), 0);
    assert_int_equal(io_read(&text, &f->arena, f->fd, "journal", 100000, &err), 0);
    return text;
}

TEST(test_journal__is_read_as_it_was_written)
{
    struct fixture *f = *state;
    struct journal journal = full_journal(), read;
    bool found;
    ERR_SCRATCH(err);
    (void)written(f);
    assert_int_equal(journal_read(&read, &found, &f->arena, f->fd, "journal", "ab", &err), 0);
    assert_true(found);
    assert_same(&journal, &read);
    assert_string_equal(read.run.token, "ab");
    assert_string_equal(read.run.pack, "pack-1");
    assert_int_equal(read.steps.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(oid_equal(&read.steps.items[i].picked, &journal.steps.items[i].picked));
        assert_true(oid_equal(&read.steps.items[i].made, &journal.steps.items[i].made));
        assert_int_equal(read.steps.items[i].by_hand, journal.steps.items[i].by_hand);
    }
    assert_string_equal(read.strategy, "x");
}

TEST(test_journal__that_is_not_there_is_none)
{
    struct fixture *f = *state;
    struct journal read;
    bool found = true;
    ERR_SCRATCH(err);
    assert_int_equal(journal_read(&read, &found, &f->arena, f->fd, "nothing", "ab", &err), 0);
    assert_false(found);
}

TEST(test_journal__of_another_repository_is_refused)
{
    struct fixture *f = *state;
    struct journal read;
    bool found;
    ERR_SCRATCH(err);
    (void)written(f);
    assert_int_equal(journal_read(&read, &found, &f->arena, f->fd, "journal", "cd", &err), -1);
    assert_int_equal(err.exit, TG_REFUSED);
    assert_string_equal(err.code, "foreign-journal");
    assert_int_equal(journal_read(&read, &found, &f->arena, f->fd, "journal", NULL, &err), 0);
}

static void assert_refused(struct fixture *f, struct span text)
{
    struct journal read;
    ERR_SCRATCH(err);
    assert_int_equal(journal_parse(&read, &f->arena, text, &err), -1);
    assert_int_equal(err.exit, TG_REFUSED);
    assert_string_equal(err.code, "foreign-journal");
}

TEST(test_journal__with_any_byte_changed_or_cut_off_is_refused)
{
    struct fixture *f = *state;
    struct span whole = written(f);
    char *copy = arena_memdup(&f->arena, whole.ptr, whole.len);
    for (size_t i = 0; i < whole.len; i++) {
        copy[i] ^= 1;
        assert_refused(f, span_of(copy, whole.len));
        copy[i] ^= 1;
        assert_refused(f, span_of(copy, i));
    }
    struct journal read;
    ERR_SCRATCH(err);
    assert_int_equal(journal_parse(&read, &f->arena, span_of(copy, whole.len), &err), 0);
}

/* `whole` with `old` replaced by `new`, under a checksum that is right. */
static struct span forge_bytes(struct fixture *f, struct span whole, const char *old,
                               struct span new)
{
    BUF_SCRATCH(text, 100000);
    char hash[65];
    size_t body = whole.len - (4 + 64 + 1);
    const char *at = memmem(whole.ptr, body, old, strlen(old));
    assert_non_null(at);
    size_t before = (size_t)(at - whole.ptr), after = before + strlen(old);
    (void)buf_append(&text, whole.ptr, before);
    (void)buf_append(&text, new.ptr, new.len);
    (void)buf_append(&text, whole.ptr + after, body - after);
    sha256_hex(hash, buf_text(&text), text.len);
    (void)buf_printf(&text, "end %s\n", hash);
    return span_of(arena_memdup(&f->arena, buf_text(&text), text.len), text.len);
}

static struct span forge(struct fixture *f, struct span whole, const char *old, const char *new)
{
    return forge_bytes(f, whole, old, span_from(new));
}

static void check_replaced(struct fixture *f, const char *old, const char *new, bool valid)
{
    struct span text = forge(f, written(f), old, new);
    struct journal read;
    ERR_SCRATCH(err);
    if (valid)
        assert_int_equal(journal_parse(&read, &f->arena, text, &err), 0);
    else
        assert_refused(f, text);
}

#define SEQUENCE "sequence 2 %s %s 1 3:old 1 3:new 0 0: 2:{} \n"
#define ID_14 "0e00000000000000000000000000000000000000"
#define ID_15 "0f00000000000000000000000000000000000000"

/* Before runs went on from stops. */
static struct span of_version_3(struct fixture *f)
{
    struct span text = forge(f, written(f), "tmplgen-journal 4", "tmplgen-journal 3");
    return forge(f, text, arena_printf(&f->arena, SEQUENCE, ID_14, ID_15), "");
}

TEST(test_journal__of_a_later_version_is_refused)
{
    struct fixture *f = *state;
    assert_refused(f, forge(f, written(f), "tmplgen-journal 4", "tmplgen-journal 5"));
    assert_refused(f, forge(f, written(f), "tmplgen-journal 4", "tmplgen-journal 0"));
    assert_refused(f, forge(f, written(f), "tmplgen-journal 4", "tmplgen-journey 4"));
}

TEST(test_journal__with_a_nul_in_a_text_is_refused)
{
    struct fixture *f = *state;
    assert_refused(f, forge_bytes(f, written(f), "2:ab ", span_of("2:a\0 ", 5)));
}

TEST(test_journal__of_the_third_version_is_read)
{
    struct fixture *f = *state;
    struct journal journal = full_journal(), read;
    ERR_SCRATCH(err);
    assert_int_equal(journal_parse(&read, &f->arena, of_version_3(f), &err), 0);
    assert_same(&journal, &read);
    assert_int_equal(read.run.level, 1);
    assert_null(read.before.message);
    assert_null(read.tip.orig_head);
    assert_int_equal(read.context.len, 0);
    assert_refused(f, forge(f, written(f), "tmplgen-journal 4", "tmplgen-journal 3"));
}

TEST(test_journal__keeps_what_a_run_goes_on_from)
{
    struct fixture *f = *state;
    struct journal journal = full_journal(), read;
    ERR_SCRATCH(err);
    assert_int_equal(journal_parse(&read, &f->arena, written(f), &err), 0);
    assert_int_equal(read.run.level, 2);
    assert_true(oid_equal(&read.before.tree, &journal.before.tree));
    assert_true(oid_equal(&read.before.brought, &journal.before.brought));
    assert_string_equal(read.before.message, "old");
    assert_string_equal(read.tip.orig_head, "new");
    assert_null(read.tip.orig_head_old);
    assert_true(span_equal(read.context, journal.context));
}

/* As 0.2 wrote it: whose it is, and where files are exchanged, by numbers and a path of then. */
static struct span of_version_2(struct fixture *f)
{
    struct span text = forge(f, of_version_3(f), "tmplgen-journal 3", "tmplgen-journal 2");
    text = forge(f, text, "2:ab ", "7 4294967295 ");
    return forge(f, text, "6:pack-1 1 ", "17:/x/.tmplgen-stage ");
}

TEST(test_journal__of_the_second_version_is_read)
{
    struct fixture *f = *state;
    struct journal journal = full_journal(), read;
    ERR_SCRATCH(err);
    struct span text = of_version_2(f);
    assert_int_equal(journal_parse(&read, &f->arena, text, &err), 0);
    assert_same(&journal, &read);
    assert_string_equal(read.run.token, "");
    text = forge(f, text, "17:/x/.tmplgen-stage ", "18:/x/tmplgen/w/stage ");
    assert_int_equal(journal_parse(&read, &f->arena, text, &err), 0);
    assert_false(read.files.stage_in_tree);
}

/* As 0.1 and 0.2 wrote it, too: no pseudoref but one, which is not named. */
TEST(test_journal__of_the_first_version_is_read)
{
    struct fixture *f = *state;
    struct journal journal = full_journal(), read;
    ERR_SCRATCH(err);
    struct span text = forge(f, of_version_2(f), "tmplgen-journal 2", "tmplgen-journal 1");
    assert_refused(f, text);
    text = forge(f, text, "1:x 16:CHERRY_PICK_HEAD ", "");
    assert_int_equal(journal_parse(&read, &f->arena, text, &err), 0);
    assert_same(&journal, &read);
    assert_null(read.strategy);
    text = forge(f, text, " 0a00000000", " 0000000000");
    assert_int_equal(journal_parse(&read, &f->arena, text, &err), 0);
    assert_null(read.stop.pseudoref);
}

TEST(test_journal__never_leads_out_of_the_work_tree)
{
    static const struct {
        const char *old, *new;
        bool valid;
    } rows[] = {
        {"5:a\nb c", "5:a/b c", true},
        {"5:a\nb c", "5:..x..", true},
        {"5:a\nb c", "5:../ab", false},
        {"5:a\nb c", "5:/etcx", false},
        {"5:a\nb c", "5:a/../", false},
        {"5:a\nb c", "4:a/..", false},
        {"5:a\nb c", "2:..", false},
        {"5:a\nb c", "0:", false},
        {"5:a\nb c", "6:a\nb c", false},
        {"5:a\nb c", "18446744073709551615:a\nb c", false},
        {"5:a\nb c", "99999999999999999999999:a", false},
        {"5:a\nb c", "-1:a", false},
        {"15:refs/heads/main", "15:../.././../main", false},
        {"3:d/e", "4:../e", false},
        {"16:CHERRY_PICK_HEAD", "10:MERGE_HEAD", true},
        {"16:CHERRY_PICK_HEAD", "0:", true},
        {"16:CHERRY_PICK_HEAD", "5:index", false},
        {"16:CHERRY_PICK_HEAD", "12:../MAIN_HEAD", false},
        {"6:pack-1", "6:../a-1", false},
        {"run 1 ", "run 4 ", false},
        {"sequence 2 ", "sequence 0 ", false},
        {"sequence 2 ", "sequence 100001 ", false},
        {"run 1 ", "walk 1 ", false},
        {"change 1 1 ", "change 2 1 ", false},
        {"change 1 1 ", "chance 1 1 ", false},
    };
    for (EACH_ROW(i, rows, rows[i].old))
        check_replaced(*state, rows[i].old, rows[i].new, rows[i].valid);
}

TEST_GROUP(make_folder, remove_folder)
