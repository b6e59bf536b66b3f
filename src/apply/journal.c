/* What an update is about to do, written down before it does it. */
#include "apply/journal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_LINE "tmplgen-journal 4\n"
#define VERSION_AT (sizeof("tmplgen-journal ") - 1)
/*
 * Versions 1 and 2 are those of 0.1 and 0.2. Version 1 has only one pseudoref; both name the
 * repository by device and inode, and the stage by a path. Version 3 has no runs that go on from a
 * stop. This program finishes runs of all of them.
 */
enum {
    VERSION_OLDEST = 1,
    VERSION_ANY_PSEUDOREF = 2,
    VERSION_WITHOUT_PLACE = 3,
    VERSION_WITH_LEVELS = 4,
    VERSION_NEWEST = VERSION_WITH_LEVELS
};
#define PSEUDOREF_1 "CHERRY_PICK_HEAD"
#define STAGE_IN_TREE_2 "/.tmplgen-stage" /* the end of a stage's path in the work tree, then */
#define JOURNAL_MAX ((size_t)256 << 20)
enum { SKIPPED = 1U, ASSUMED = 2U };

bool journal_moves_branch(const struct journal_tip *tip)
{
    return !oid_equal(&tip->branch_old, &tip->branch_new);
}

bool journal_moves_head(const struct journal_tip *tip)
{
    return strcmp(tip->head_old, tip->head_new) != 0;
}

bool journal_merges(const struct journal_stop *stop)
{
    return str_equal(stop->pseudoref, "MERGE_HEAD");
}

const struct path_change *journal_change(const struct journal_files *files, const char *path)
{
    return files->count ? bsearch(&path, files->changes, files->count, sizeof(*files->changes),
                                  str_compare_first)
                        : NULL;
}

bool journal_is_sequence(const struct journal *j)
{
    return j->steps.count > 0;
}

bool journal_stops(const struct journal *j)
{
    return j->kind == JOURNAL_CONFLICT || j->kind == JOURNAL_STAGED;
}

int journal_begin(struct journal *out, enum journal_kind kind, const struct repo *repo,
                  struct err *err)
{
    char *sum = arena_alloc(repo->arena, 41);
    *out = (struct journal){.kind = kind,
                            .tip = {.head_old = repo->head_text,
                                    .head_new = repo->head_text,
                                    .branch = repo->branch,
                                    .branch_old = repo->head,
                                    .branch_new = repo->head},
                            .index_old = sum};
    return index_checksum(sum, repo_index_path(repo), err);
}

/* ---------------------------------------------------------------- one value */

/*
 * Numbers and ids end in a blank, texts are LENGTH:BYTES and a blank, lines end in a newline. The
 * last line is "end " and the sha256 of everything before.
 *
 * One function for each part of a journal both writes and reads it. It hands each value to a coder.
 * A writer writes the value and returns it; a reader returns the value that it reads instead.
 */
struct journal_coder {
    struct buf *out; /* NULL: it reads */
    /* Of a reader: */
    struct arena *arena;
    const char *at, *end; /* the text that is left */
    int version;          /* a writer has it, too */
    bool bad;             /* the text is damaged */
};

/* A writer's values are valid. */
static void expect(struct journal_coder *c, bool valid)
{
    c->bad |= !valid && !c->out;
}

/* Takes the text before the next `delimiter`, and the delimiter. */
static struct span take_until(struct journal_coder *c, char delimiter)
{
    const char *stop = c->at < c->end ? memchr(c->at, delimiter, (size_t)(c->end - c->at)) : NULL;
    expect(c, stop != NULL);
    if (!stop)
        return span_of("", 0);
    struct span word = span_of(c->at, (size_t)(stop - c->at));
    c->at = stop + 1;
    return word;
}

static uintmax_t parse_number(struct journal_coder *c, struct span word)
{
    uintmax_t value = 0;
    expect(c, word.len > 0 && word.len <= 20);
    for (size_t i = 0; i < word.len; i++) {
        expect(c, word.ptr[i] >= '0' && word.ptr[i] <= '9');
        value = value * 10 + (uintmax_t)(word.ptr[i] - '0');
    }
    return c->bad ? 0 : value;
}

static uintmax_t code_number(struct journal_coder *c, uintmax_t value)
{
    if (!c->out)
        return parse_number(c, take_until(c, ' '));
    (void)buf_printf(c->out, "%ju ", value);
    return value;
}

static bool code_flag(struct journal_coder *c, bool value)
{
    return code_number(c, value) != 0;
}

static struct oid code_oid(struct journal_coder *c, struct oid id)
{
    char hex[41];
    if (c->out) {
        oid_hex(hex, &id);
        (void)buf_printf(c->out, "%s ", hex);
        return id;
    }
    struct span word = take_until(c, ' ');
    expect(c, oid_parse(&id, arena_memdup(c->arena, word.ptr, word.len)) == 0);
    return id;
}

static struct span take_text(struct journal_coder *c)
{
    uintmax_t len = parse_number(c, take_until(c, ':'));
    expect(c, !c->bad && len < (uintmax_t)(c->end - c->at) && c->at[len] == ' ');
    if (c->bad)
        return span_of("", 0);
    const char *start = c->at;
    c->at += len + 1;
    return span_of(arena_memdup(c->arena, start, len), len);
}

static struct span code_text(struct journal_coder *c, struct span text)
{
    if (!c->out)
        return take_text(c);
    (void)buf_printf(c->out, "%zu:", text.len);
    (void)buf_append(c->out, text.ptr ? text.ptr : "", text.len);
    (void)buf_putc(c->out, ' ');
    return text;
}

/* A text without NUL. NULL is written as "". */
static const char *code_string(struct journal_coder *c, const char *value)
{
    struct span text = code_text(c, span_from(value ? value : ""));
    expect(c, !memchr(text.ptr, '\0', text.len));
    return text.ptr;
}

/* The same, but distinguishes NULL from "". */
static const char *code_optional(struct journal_coder *c, const char *value)
{
    bool there = code_flag(c, value != NULL);
    const char *text = code_string(c, value);
    return there ? text : NULL;
}

/* The same, but "" is read as NULL. */
static const char *code_name(struct journal_coder *c, const char *value)
{
    const char *text = code_string(c, value);
    return *text ? text : NULL;
}

/* A path or a ref's name. One that leads out of its folder marks the journal as damaged. */
static const char *code_path(struct journal_coder *c, const char *value)
{
    const char *path = code_string(c, value);
    expect(c, *path && *path != '/' && strcmp(path, "..") != 0 && !str_starts(path, "../") &&
                  !strstr(path, "/../") && !str_ends(path, "/.."));
    return path;
}

/* ---------------------------------------------------------------- one line */

static void code_disk(struct journal_coder *c, struct disk_entry *disk)
{
    uintmax_t kind = code_number(c, disk->kind);
    expect(c, kind == DISK_ABSENT || kind == DISK_FILE);
    disk->kind = c->bad ? DISK_ABSENT : (enum disk_kind)kind;
    disk->executable = code_flag(c, disk->executable);
    disk->raw = code_oid(c, disk->raw);
}

static void code_change(struct journal_coder *c, struct path_change *change)
{
    code_disk(c, &change->old);
    code_disk(c, &change->new);
    change->mode = (mode_t)code_number(c, change->mode) & 0777;
    for (size_t i = 0; i < STAGES; i++) {
        change->stages[i].mode = (unsigned)code_number(c, change->stages[i].mode);
        change->stages[i].id = code_oid(c, change->stages[i].id);
    }
    uintmax_t bits =
        code_number(c, (change->skipped ? SKIPPED : 0U) | (change->assumed ? ASSUMED : 0U));
    change->skipped = bits & SKIPPED;
    change->assumed = bits & ASSUMED;
    change->path = code_path(c, change->path);
}

static void code_step(struct journal_coder *c, struct journal_step *step)
{
    step->picked = code_oid(c, step->picked);
    step->made = code_oid(c, step->made);
    step->by_hand = code_flag(c, step->by_hand);
}

static void code_ref(struct journal_coder *c, struct journal_ref *ref)
{
    ref->name = code_path(c, ref->name);
    ref->target = code_oid(c, ref->target);
    ref->is_new = code_flag(c, ref->is_new);
}

/* Git's pseudorefs are in capitals and lie in its folder. */
static bool is_pseudoref(const char *name)
{
    return str_ends(name, "_HEAD") && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0';
}

static void code_pseudoref(struct journal_coder *c, struct journal *j)
{
    bool named = c->version >= VERSION_ANY_PSEUDOREF;
    j->strategy = named ? code_name(c, j->strategy) : NULL;
    j->stop.pseudoref = named ? code_name(c, j->stop.pseudoref) : PSEUDOREF_1;
    j->stop.brought = code_oid(c, j->stop.brought);
    if (!named && oid_is_zero(&j->stop.brought))
        j->stop.pseudoref = NULL;
    expect(c, !j->stop.pseudoref || is_pseudoref(j->stop.pseudoref));
}

/* Up to version 2 it was a device and an inode, which change with every mount. */
static void code_token(struct journal_coder *c, struct journal_run *run)
{
    if (c->version >= VERSION_WITHOUT_PLACE) {
        run->token = code_string(c, run->token);
        return;
    }
    run->token = "";
    (void)code_number(c, 0);
    (void)code_number(c, 0);
}

/* Up to version 2 there was no pack, and the stage was a path. */
static void code_stage(struct journal_coder *c, struct journal *j)
{
    if (c->version >= VERSION_WITHOUT_PLACE) {
        j->run.pack = code_string(c, j->run.pack);
        j->files.stage_in_tree = code_flag(c, j->files.stage_in_tree);
    } else {
        j->run.pack = "";
        j->files.stage_in_tree = str_ends(code_string(c, NULL), STAGE_IN_TREE_2);
    }
    expect(c, !strchr(j->run.pack, '/'));
}

static void code_run(struct journal_coder *c, struct journal *j)
{
    uintmax_t kind = code_number(c, j->kind);
    expect(c, kind <= JOURNAL_COMMIT);
    j->kind = c->bad ? JOURNAL_UPDATE : (enum journal_kind)kind;
    code_token(c, &j->run);
    j->tip.head_old = code_string(c, j->tip.head_old);
    j->tip.head_new = code_string(c, j->tip.head_new);
    j->tip.branch = code_path(c, j->tip.branch);
    j->tip.branch_old = code_oid(c, j->tip.branch_old);
    j->tip.branch_new = code_oid(c, j->tip.branch_new);
    code_pseudoref(c, j);
    j->stop.message = code_optional(c, j->stop.message);
    j->tip.reflog_who = code_string(c, j->tip.reflog_who);
    j->tip.reflog_what = code_string(c, j->tip.reflog_what);
    j->index_old = code_string(c, j->index_old);
    code_stage(c, j);
    j->report = code_text(c, j->report);
}

/* The part of a run that goes on from a stop, or from which a later run can go on. */
static void code_sequence(struct journal_coder *c, struct journal *j)
{
    uintmax_t level = code_number(c, j->run.level);
    expect(c, level >= 1 && level <= JOURNAL_LEVELS);
    j->run.level = c->bad ? 1 : (unsigned)level;
    j->before.tree = code_oid(c, j->before.tree);
    j->before.brought = code_oid(c, j->before.brought);
    j->before.message = code_optional(c, j->before.message);
    j->tip.orig_head = code_optional(c, j->tip.orig_head);
    j->tip.orig_head_old = code_optional(c, j->tip.orig_head_old);
    j->context = code_text(c, j->context);
}

/* ---------------------------------------------------------------- writing */

static void put_line_end(struct journal_coder *c)
{
    (void)buf_putc(c->out, '\n');
}

static void put_word(struct journal_coder *c, const char *word)
{
    (void)buf_printf(c->out, "%s ", word);
}

static void put_lists(struct journal_coder *c, const struct journal *j)
{
    for (size_t i = 0; i < j->refs.count; i++, put_line_end(c)) {
        put_word(c, "ref");
        code_ref(c, &j->refs.items[i]);
    }
    for (size_t i = 0; i < j->files.made.count; i++, put_line_end(c)) {
        put_word(c, "made");
        (void)code_string(c, j->files.made.items[i]);
    }
    for (size_t i = 0; i < j->files.count; i++, put_line_end(c)) {
        put_word(c, "change");
        code_change(c, &j->files.changes[i]);
    }
    for (size_t i = 0; i < j->steps.count; i++, put_line_end(c)) {
        put_word(c, "step");
        code_step(c, &j->steps.items[i]);
    }
}

static void format(struct buf *out, struct journal j)
{
    struct journal_coder c = {.out = out, .version = VERSION_NEWEST};
    char hash[65];
    (void)buf_puts(out, FIRST_LINE);
    put_word(&c, "run");
    code_run(&c, &j);
    put_line_end(&c);
    put_word(&c, "sequence");
    code_sequence(&c, &j);
    put_line_end(&c);
    put_lists(&c, &j);
    sha256_hex(hash, buf_text(out), out->len);
    (void)buf_printf(out, "end %s\n", hash);
}

int journal_write(int folder, const char *name, mode_t mode, const struct journal *journal,
                  struct err *err)
{
    BUF_SCRATCH(text, JOURNAL_MAX);
    format(&text, *journal);
    if (text.overflowed)
        return err_set(err, TG_RUNTIME, "io", "the journal is too large");
    if (disk_write(folder, JOURNAL_DRAFT, span_of(buf_text(&text), text.len), mode, err) < 0 ||
        disk_sync(folder, JOURNAL_DRAFT, err) < 0)
        return -1;
    if (renameat(folder, JOURNAL_DRAFT, folder, name) < 0)
        return err_errno(err, errno, "io", "cannot write the journal");
    return disk_sync_folder(folder, "the journal", err);
}

/* ---------------------------------------------------------------- reading */

static void take_line_end(struct journal_coder *c)
{
    expect(c, c->at < c->end && *c->at++ == '\n');
}

static void take_line(struct journal_coder *c, struct journal *j)
{
    struct span word = take_until(c, ' ');
    if (span_equal(word, span_from("ref")))
        code_ref(c, &arena_push(c->arena, j->refs.items, j->refs.count));
    else if (span_equal(word, span_from("made")))
        words_add(&j->files.made, c->arena, code_path(c, NULL));
    else if (span_equal(word, span_from("change")))
        code_change(c, &arena_push(c->arena, j->files.changes, j->files.count));
    else if (span_equal(word, span_from("step")))
        code_step(c, &arena_push(c->arena, j->steps.items, j->steps.count));
    else if (c->version >= VERSION_WITH_LEVELS && span_equal(word, span_from("sequence")))
        code_sequence(c, j);
    else
        expect(c, false);
    take_line_end(c);
}

static int refuse(struct err *err, const char *why)
{
    (void)err_set(err, TG_REFUSED, "foreign-journal",
                  "an interrupted update left a journal that %s", why);
    return err_hint(err,
                    "nothing was changed now; 'git status' shows how things are, files that "
                    "were exchanged lie below tmplgen/work in git's folder; once nothing there "
                    "is needed, delete that folder 'tmplgen' and git's '*.lock'");
}

/* Finds the text between the first and the last line; true where the checksum is right. */
static bool check_sum(struct journal_coder *c, struct span text)
{
    enum { LAST_LINE = 4 + 64 + 1 };
    char hash[65];
    size_t first = strlen(FIRST_LINE);
    if (text.len < first + LAST_LINE || text.ptr[text.len - 1] != '\n')
        return false;
    const char *last = text.ptr + text.len - LAST_LINE;
    sha256_hex(hash, text.ptr, text.len - LAST_LINE);
    c->at = text.ptr + first;
    c->end = last;
    return memcmp(last, "end ", 4) == 0 && memcmp(last + 4, hash, 64) == 0;
}

/* Returns 0 where this program cannot read the version. */
static int version_of(struct span text)
{
    if (text.len < strlen(FIRST_LINE) || memcmp(text.ptr, FIRST_LINE, VERSION_AT) != 0 ||
        text.ptr[VERSION_AT + 1] != '\n')
        return 0;
    int version = text.ptr[VERSION_AT] - '0';
    return version >= VERSION_OLDEST && version <= VERSION_NEWEST ? version : 0;
}

int journal_parse(struct journal *out, struct arena *arena, struct span text, struct err *err)
{
    struct journal_coder c = {.arena = arena, .version = version_of(text)};
    *out = (struct journal){.run.level = 1};
    if (!c.version)
        return refuse(err, "is of a later version of tmplgen, or damaged");
    if (!check_sum(&c, text))
        return refuse(err, "is damaged");
    expect(&c, span_equal(take_until(&c, ' '), span_from("run")));
    code_run(&c, out);
    take_line_end(&c);
    while (!c.bad && c.at < c.end)
        take_line(&c, out);
    return c.bad ? refuse(err, "is damaged") : 0;
}

int journal_read(struct journal *out, bool *found, struct arena *arena, int folder,
                 const char *name, const char *token, struct err *err)
{
    struct span text;
    if (disk_exists(found, folder, name, err) < 0)
        return -1;
    if (!*found)
        return 0;
    *found = false;
    if (io_read_file(&text, arena, folder, name, JOURNAL_MAX, err) < 0 ||
        journal_parse(out, arena, text, err) < 0)
        return -1;
    *found = true;
    if (token && *out->run.token && strcmp(out->run.token, token) != 0)
        return refuse(err, "belongs to another repository");
    return 0;
}
