/* What an update is about to do, written down before it does it. */
#include "apply/journal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha.h"
#include "git/disk_entry.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_LINE "tmplgen-journal 4\n"
#define VERSION_AT (sizeof("tmplgen-journal ") - 1)
/*
 * Version 1 is of 0.1 and 0.2, which knew one pseudoref; 2 says which it is; both say by device and
 * inode, and by a path, where the repository lay. 3 knows no run that goes on from a stop. What
 * they left half done is finished, too.
 */
enum {
    VERSION_OLDEST = 1,
    VERSION_ANY_PSEUDOREF = 2,
    VERSION_WITHOUT_PLACE = 3,
    VERSION_WITH_LEVELS = 4,
    VERSION_NEWEST = VERSION_WITH_LEVELS
};
#define PSEUDOREF_1 "CHERRY_PICK_HEAD"
#define STAGE_IN_TREE_2 "/.tmplgen-stage" /* so ended a path in the work tree, then */
#define JOURNAL_MAX ((size_t)256 << 20)
enum { SKIPPED = 1U, ASSUMED = 2U };

bool journal_moves_branch(const struct journal *j)
{
    return !oid_equal(&j->branch_old, &j->branch_new);
}

bool journal_moves_head(const struct journal *j)
{
    return strcmp(j->head_old, j->head_new) != 0;
}

bool journal_is_sequence(const struct journal *j)
{
    return j->step_count > 0;
}

bool journal_merges(const struct journal *j)
{
    return j->pseudoref && strcmp(j->pseudoref, "MERGE_HEAD") == 0;
}

bool journal_stops(const struct journal *j)
{
    return j->kind == JOURNAL_CONFLICT || j->kind == JOURNAL_STAGED;
}

/*
 * Words end in a blank, texts are LENGTH:BYTES and a blank, lines end in a newline; the last line
 * is "end " and the sha256 of everything before.
 */
static void put_word(struct buf *out, const char *word)
{
    (void)buf_printf(out, "%s ", word);
}

static void put_number(struct buf *out, uintmax_t number)
{
    (void)buf_printf(out, "%ju ", number);
}

static void put_text(struct buf *out, struct span text)
{
    (void)buf_printf(out, "%zu:", text.len);
    (void)buf_append(out, text.ptr ? text.ptr : "", text.len);
    (void)buf_putc(out, ' ');
}

static void put_string(struct buf *out, const char *text)
{
    put_text(out, span_from(text ? text : ""));
}

static void put_oid(struct buf *out, const struct oid *id)
{
    char hex[41];
    oid_hex(hex, id);
    put_word(out, hex);
}

static void end_line(struct buf *out)
{
    (void)buf_putc(out, '\n');
}

static void put_disk(struct buf *out, const struct disk_entry *disk)
{
    put_number(out, disk->kind);
    put_number(out, disk->executable);
    put_oid(out, &disk->raw);
}

static void put_change(struct buf *out, const struct path_change *change)
{
    put_word(out, "change");
    put_disk(out, &change->old);
    put_disk(out, &change->new);
    put_number(out, change->mode);
    for (size_t i = 0; i < STAGES; i++) {
        put_number(out, change->stages[i].mode);
        put_oid(out, &change->stages[i].id);
    }
    put_number(out, (change->skipped ? SKIPPED : 0U) | (change->assumed ? ASSUMED : 0U));
    put_string(out, change->path);
    end_line(out);
}

static void put_step(struct buf *out, const struct journal_step *step)
{
    put_word(out, "step");
    put_oid(out, &step->picked);
    put_oid(out, &step->made);
    put_number(out, step->by_hand);
    end_line(out);
}

static void put_head(struct buf *out, const struct journal *j)
{
    put_word(out, "run");
    put_number(out, j->kind);
    put_string(out, j->token);
    put_string(out, j->head_old);
    put_string(out, j->head_new);
    put_string(out, j->branch);
    put_oid(out, &j->branch_old);
    put_oid(out, &j->branch_new);
    put_string(out, j->strategy);
    put_string(out, j->pseudoref);
    put_oid(out, &j->brought);
    put_number(out, j->message != NULL);
    put_string(out, j->message);
    put_string(out, j->reflog_who);
    put_string(out, j->reflog_what);
    put_string(out, j->index_old);
    put_string(out, j->pack);
    put_number(out, j->stage_in_tree);
    put_text(out, j->report);
    end_line(out);
}

/* NULL is told from "". */
static void put_optional(struct buf *out, const char *text)
{
    put_number(out, text != NULL);
    put_string(out, text);
}

/* Of a run that goes on from another, or will be gone on from. */
static void put_sequence(struct buf *out, const struct journal *j)
{
    put_word(out, "sequence");
    put_number(out, j->level);
    put_oid(out, &j->before.tree);
    put_oid(out, &j->before.brought);
    put_optional(out, j->before.message);
    put_optional(out, j->orig_head);
    put_optional(out, j->orig_head_old);
    put_text(out, j->context);
    end_line(out);
}

static void format(struct buf *out, const struct journal *j)
{
    (void)buf_puts(out, FIRST_LINE);
    put_head(out, j);
    put_sequence(out, j);
    for (size_t i = 0; i < j->ref_count; i++) {
        put_word(out, "ref");
        put_string(out, j->refs[i].name);
        put_oid(out, &j->refs[i].target);
        put_number(out, j->refs[i].is_new);
        end_line(out);
    }
    for (size_t i = 0; i < j->made_count; i++) {
        put_word(out, "made");
        put_string(out, j->made[i]);
        end_line(out);
    }
    for (size_t i = 0; i < j->change_count; i++)
        put_change(out, &j->changes[i]);
    for (size_t i = 0; i < j->step_count; i++)
        put_step(out, &j->steps[i]);
    char hash[65];
    sha256_hex(hash, buf_text(out), out->len);
    (void)buf_printf(out, "end %s\n", hash);
}

int journal_write(int folder, const char *name, mode_t mode, const struct journal *journal,
                  struct err *err)
{
    BUF_SCRATCH(text, JOURNAL_MAX);
    format(&text, journal);
    if (text.overflowed)
        return err_set(err, TG_RUNTIME, "io", "the journal is too large");
    if (disk_write(folder, JOURNAL_DRAFT, span_of(buf_text(&text), text.len), mode, err) < 0 ||
        disk_sync(folder, JOURNAL_DRAFT, err) < 0)
        return -1;
    if (renameat(folder, JOURNAL_DRAFT, folder, name) < 0)
        return err_errno(err, errno, "io", "cannot write the journal");
    return disk_sync_folder(folder, "the journal", err);
}

/* Reading: `bad` is set once and for all, and whoever needs to know looks at the end. */
struct journal_reader {
    struct arena *arena;
    const char *at, *end;
    int version;
    bool bad;
};

static struct span take_word(struct journal_reader *r)
{
    const char *stop = r->at < r->end ? memchr(r->at, ' ', (size_t)(r->end - r->at)) : NULL;
    if (!stop) {
        r->bad = true;
        return span_of("", 0);
    }
    struct span word = span_of(r->at, (size_t)(stop - r->at));
    r->at = stop + 1;
    return word;
}

static uintmax_t parse_number(struct journal_reader *r, struct span word)
{
    uintmax_t value = 0;
    if (word.len == 0 || word.len > 20)
        r->bad = true;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9')
            r->bad = true;
        value = value * 10 + (uintmax_t)(word.ptr[i] - '0');
    }
    return r->bad ? 0 : value;
}

static uintmax_t take_number(struct journal_reader *r)
{
    return parse_number(r, take_word(r));
}

static struct oid take_oid(struct journal_reader *r)
{
    struct oid id = {{0}};
    struct span word = take_word(r);
    if (oid_parse(&id, arena_memdup(r->arena, word.ptr, word.len)) < 0)
        r->bad = true;
    return id;
}

static struct span take_text(struct journal_reader *r)
{
    const char *colon = r->at < r->end ? memchr(r->at, ':', (size_t)(r->end - r->at)) : NULL;
    if (!colon) {
        r->bad = true;
        return span_of("", 0);
    }
    uintmax_t len = parse_number(r, span_of(r->at, (size_t)(colon - r->at)));
    if (r->bad || len >= (uintmax_t)(r->end - colon - 1) || colon[1 + len] != ' ') {
        r->bad = true;
        return span_of("", 0);
    }
    r->at = colon + len + 2;
    return span_of(arena_memdup(r->arena, colon + 1, len), len);
}

/* A text without NUL. */
static const char *take_string(struct journal_reader *r)
{
    struct span text = take_text(r);
    if (memchr(text.ptr, '\0', text.len))
        r->bad = true;
    return text.ptr;
}

/* A path or a ref's name: what no path may be is damage. */
static const char *take_path(struct journal_reader *r)
{
    const char *path = take_string(r);
    if (*path == '\0' || *path == '/' || strcmp(path, "..") == 0 || str_starts(path, "../") ||
        strstr(path, "/../") || str_ends(path, "/.."))
        r->bad = true;
    return path;
}

static bool take_line_end(struct journal_reader *r)
{
    if (r->at >= r->end || *r->at != '\n')
        r->bad = true;
    else
        r->at++;
    return !r->bad;
}

static struct disk_entry take_disk(struct journal_reader *r)
{
    struct disk_entry disk = {.kind = DISK_ABSENT};
    uintmax_t kind = take_number(r);
    if (kind != DISK_ABSENT && kind != DISK_FILE)
        r->bad = true;
    else
        disk.kind = (enum disk_kind)kind;
    disk.executable = take_number(r) != 0;
    disk.raw = take_oid(r);
    return disk;
}

static struct path_change take_change(struct journal_reader *r)
{
    struct path_change change = {.old = take_disk(r)};
    change.new = take_disk(r);
    change.mode = (mode_t)take_number(r) & 0777;
    for (size_t i = 0; i < STAGES; i++) {
        change.stages[i].mode = (unsigned)take_number(r);
        change.stages[i].id = take_oid(r);
    }
    uintmax_t bits = take_number(r);
    change.skipped = bits & SKIPPED;
    change.assumed = bits & ASSUMED;
    change.path = take_path(r);
    return change;
}

/* Git's pseudorefs are capitals and lie in its folder: nothing else is one. */
static bool is_pseudoref(const char *name)
{
    return str_ends(name, "_HEAD") && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0';
}

static void take_strategy(struct journal *out, struct journal_reader *r)
{
    static const struct oid zero;
    bool named = r->version >= VERSION_ANY_PSEUDOREF;
    const char *strategy = named ? take_string(r) : "";
    const char *name = named ? take_string(r) : PSEUDOREF_1;
    out->brought = take_oid(r);
    if (!named && oid_equal(&out->brought, &zero))
        name = "";
    if (*name && !is_pseudoref(name))
        r->bad = true;
    out->strategy = *strategy ? strategy : NULL;
    out->pseudoref = *name ? name : NULL;
}

/* Whose it is: once a device and an inode, which change with every mount. */
static void take_owner(struct journal *out, struct journal_reader *r)
{
    out->token = "";
    if (r->version >= VERSION_WITHOUT_PLACE) {
        out->token = take_string(r);
    } else {
        (void)take_number(r);
        (void)take_number(r);
    }
}

/* Once the path where the repository lay then. */
static void take_stage(struct journal *out, struct journal_reader *r)
{
    out->pack = "";
    if (r->version >= VERSION_WITHOUT_PLACE) {
        out->pack = take_string(r);
        out->stage_in_tree = take_number(r) != 0;
    } else {
        out->stage_in_tree = str_ends(take_string(r), STAGE_IN_TREE_2);
    }
    if (strchr(out->pack, '/'))
        r->bad = true;
}

static void take_head(struct journal *out, struct journal_reader *r)
{
    if (!span_equal(take_word(r), span_from("run")))
        r->bad = true;
    uintmax_t kind = take_number(r);
    if (kind > JOURNAL_COMMIT)
        r->bad = true;
    out->kind = r->bad ? JOURNAL_UPDATE : (enum journal_kind)kind;
    take_owner(out, r);
    out->head_old = take_string(r);
    out->head_new = take_string(r);
    out->branch = take_path(r);
    out->branch_old = take_oid(r);
    out->branch_new = take_oid(r);
    take_strategy(out, r);
    bool has_message = take_number(r) != 0;
    out->message = take_string(r);
    if (!has_message)
        out->message = NULL;
    out->reflog_who = take_string(r);
    out->reflog_what = take_string(r);
    out->index_old = take_string(r);
    take_stage(out, r);
    out->report = take_text(r);
    (void)take_line_end(r);
}

static const char *take_optional(struct journal_reader *r)
{
    bool there = take_number(r) != 0;
    const char *text = take_string(r);
    return there ? text : NULL;
}

static void take_sequence(struct journal *out, struct journal_reader *r)
{
    uintmax_t level = take_number(r);
    if (level < 1 || level > JOURNAL_LEVELS)
        r->bad = true;
    out->level = r->bad ? 1 : (unsigned)level;
    out->before.tree = take_oid(r);
    out->before.brought = take_oid(r);
    out->before.message = take_optional(r);
    out->orig_head = take_optional(r);
    out->orig_head_old = take_optional(r);
    out->context = take_text(r);
}

static struct journal_step take_step(struct journal_reader *r)
{
    struct journal_step step = {.picked = take_oid(r)};
    step.made = take_oid(r);
    step.by_hand = take_number(r) != 0;
    return step;
}

static void take_line(struct journal *out, struct journal_reader *r, struct span word)
{
    if (span_equal(word, span_from("ref"))) {
        out->refs = arena_grow(r->arena, out->refs, out->ref_count, sizeof(*out->refs));
        struct journal_ref *ref = &out->refs[out->ref_count++];
        ref->name = take_path(r);
        ref->target = take_oid(r);
        ref->is_new = take_number(r) != 0;
    } else if (span_equal(word, span_from("made"))) {
        out->made = arena_grow(r->arena, out->made, out->made_count, sizeof(*out->made));
        out->made[out->made_count++] = take_path(r);
    } else if (span_equal(word, span_from("change"))) {
        out->changes = arena_grow(r->arena, out->changes, out->change_count, sizeof(*out->changes));
        out->changes[out->change_count++] = take_change(r);
    } else if (span_equal(word, span_from("step"))) {
        out->steps = arena_grow(r->arena, out->steps, out->step_count, sizeof(*out->steps));
        out->steps[out->step_count++] = take_step(r);
    } else if (r->version >= VERSION_WITH_LEVELS && span_equal(word, span_from("sequence"))) {
        take_sequence(out, r);
    } else {
        r->bad = true;
    }
    (void)take_line_end(r);
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

/* The body, less its first and last line, where the checksum is right. */
static bool check_sum(struct journal_reader *r, struct span text)
{
    enum { LAST_LINE = 4 + 64 + 1 };
    char hash[65];
    size_t first = strlen(FIRST_LINE);
    if (text.len < first + LAST_LINE || text.ptr[text.len - 1] != '\n')
        return false;
    const char *last = text.ptr + text.len - LAST_LINE;
    sha256_hex(hash, text.ptr, text.len - LAST_LINE);
    r->at = text.ptr + first;
    r->end = last;
    return memcmp(last, "end ", 4) == 0 && memcmp(last + 4, hash, 64) == 0;
}

/* 0 where it is none that this program can read. */
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
    struct journal_reader r = {.arena = arena, .version = version_of(text)};
    *out = (struct journal){.level = 1};
    if (!r.version)
        return refuse(err, "is of a later version of tmplgen, or damaged");
    if (!check_sum(&r, text))
        return refuse(err, "is damaged");
    take_head(out, &r);
    while (!r.bad && r.at < r.end)
        take_line(out, &r, take_word(&r));
    return r.bad ? refuse(err, "is damaged") : 0;
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
    if (token && *out->token && strcmp(out->token, token) != 0)
        return refuse(err, "belongs to another repository");
    return 0;
}

const struct path_change *journal_change(const struct journal *j, const char *path)
{
    size_t low = 0, high = j->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(j->changes[middle].path, path);
        if (order == 0)
            return &j->changes[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
