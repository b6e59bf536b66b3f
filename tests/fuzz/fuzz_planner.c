/* Random trees through the planner: what docs/update.md promises of every path is checked here. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/store.h"
#include "plan/plan.h"
#include "plan/planner.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PATHS = 12, CONTENTS = 6, FILES_MAX = 64 };

/* Files that stand in each other's way, and names that the planner makes itself. */
static const char *const tangled[PATHS] = {"a",        "a/x", "a/x/y",  "b",      "c.yml", "d/e",
                                           "d/e~HEAD", "d/f", "run.sh", "a~HEAD", "z/1",   "z/2"};
static const char *const apart[PATHS] = {"a", "b", "c", "d/1", "d/2",   "e",
                                         "f", "g", "h", "i/j", "k.yml", "l"};

struct input {
    const uint8_t *at, *end;
};

struct run {
    struct arena arena;
    struct err err;
    struct store *store;
    struct input in;
    const char *nested; /* folder of a child inside the child, or NULL */
    bool simple; /* no renames, no folders in the way, no rules: then the result is known exactly */
    struct plan_file files[SIDES][FILES_MAX];
    struct plan_input input;
    struct plan plan;
    struct plan_file result[FILES_MAX * 2]; /* the child afterwards */
    size_t result_count;
};

static unsigned take(struct run *r)
{
    return r->in.at < r->in.end ? *r->in.at++ : 0;
}

static unsigned below(struct run *r, unsigned limit)
{
    return take(r) % limit;
}

/* ---------------------------------------------------------------- trees */

/*
 * Short, long with single lines changed, binary, a list of pins, YAML, or nothing; with LF, CRLF or
 * both. A long one is like no other path's, so that it can be known by its content.
 */
static struct span make_content(struct run *r, const char *path)
{
    unsigned kind = r->simple ? 0 : below(r, CONTENTS), edits = take(r);
    unsigned ends = kind == 1 ? edits >> 6 & 1 : edits >> 4 & 3;
    struct buf text = BUF_INIT(4096);
    if (kind == 3)
        (void)buf_append(&text, "\0\1", 2);
    for (unsigned line = 0; kind != 5 && line < (kind == 1 ? 10 : 3); line++) {
        bool edited = edits >> line % 8 & 1, crlf = ends == 1 || (ends == 2 && line % 2);
        const char *word = kind == 1   ? "a line of some length that makes the file a long one, "
                           : kind == 4 ? "key"
                                       : "pin";
        (void)buf_printf(&text, kind == 4 ? "%s%s%u: %s%s" : "%s%s%u==%s%s", word,
                         kind == 1 ? path : "", line, edited ? edits & 128 ? "[2" : "2.0" : "1.0",
                         crlf ? "\r\n" : "\n");
    }
    struct span copy = span_of(arena_memdup(&r->arena, buf_text(&text), text.len), text.len);
    buf_release(&text);
    return copy;
}

static struct plan_file make_file(struct run *r, const char *path, enum side side)
{
    static const unsigned modes[] = {LEAF_FILE, LEAF_FILE, LEAF_EXECUTABLE, LEAF_LINK};
    struct plan_file file = {.path = path, .bytes = make_content(r, path), .source = path};
    file.entry.mode = modes[below(r, r->simple || side != CHILD ? 3 : 4)];
    must(store_put(&file.entry.id, r->store, STORE_BLOB, file.bytes, &r->err) == 0);
    if (side == CHILD) {
        file.bytes = (struct span){NULL, 0};
        file.source = NULL;
    }
    return file;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct plan_file *)a)->path, ((const struct plan_file *)b)->path);
}

/* A file is never a folder, too: what comes first stays. */
static bool fits(const struct plan_file *files, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(files[i].path), own = strlen(path);
        size_t common = len < own ? len : own;
        const char *longer = len < own ? path : files[i].path;
        if (memcmp(files[i].path, path, common) == 0 && (len == own || longer[common] == '/'))
            return false;
    }
    return true;
}

static void add(struct run *r, enum side side, const struct plan_file *file)
{
    size_t *count = &r->input.side[side].count;
    if (fits(r->files[side], *count, file->path))
        r->files[side][(*count)++] = *file;
}

/* For one path: which sides have it, and which of them are alike. */
static void make_path(struct run *r, const char *path)
{
    unsigned sides = take(r), alike = take(r);
    struct plan_file base = make_file(r, path, BASE);
    base.policy = r->simple ? POLICY_MERGE : (enum file_policy)below(r, 3);
    base.merge = r->simple ? MERGE_TEXT : (enum file_merge)below(r, 2);
    if (sides & 1)
        add(r, BASE, &base);
    for (enum side side = CHILD; side < SIDES; side++) {
        struct plan_file file = alike >> side & 1 ? base : make_file(r, path, side);
        file.policy = base.policy;
        file.merge = base.merge;
        if (side == CHILD)
            file = (struct plan_file){.path = path, .entry = file.entry};
        if (sides >> side & 1)
            add(r, side, &file);
    }
}

/* Two files of the render change places, or one gets another name: their sources tell. */
static void shuffle_render(struct run *r)
{
    size_t count = r->input.side[RENDER].count;
    for (unsigned moves = below(r, 4); count && moves; moves--) {
        struct plan_file *one = &r->files[RENDER][below(r, (unsigned)count)];
        struct plan_file *other = &r->files[RENDER][below(r, (unsigned)count)];
        const char *source = one->source;
        one->source = other->source;
        other->source = source;
    }
}

/* A file gets its name in capitals. */
static void change_case(struct run *r, enum side side)
{
    size_t count = r->input.side[side].count;
    if (count == 0 || take(r) & 3)
        return;
    struct plan_file *file = &r->files[side][below(r, (unsigned)count)];
    char *name = arena_strdup(&r->arena, file->path);
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    if (!fits(r->files[side], count, name))
        return;
    file->path = name;
    if (side == RENDER)
        file->source = name;
}

static void rename_in_child(struct run *r)
{
    static const char *const names[] = {"moved", "d/moved", "q/moved"};
    size_t count = r->input.side[CHILD].count;
    for (unsigned moves = below(r, 3); count && moves; moves--) {
        struct plan_file *file = &r->files[CHILD][below(r, (unsigned)count)];
        const char *name = names[below(r, 3)];
        if (fits(r->files[CHILD], count, name))
            file->path = name;
    }
}

static void mark_nested(const struct run *r, struct plan_file *files, size_t count)
{
    for (size_t i = 0; r->nested && i < count; i++)
        files[i].nested = str_starts(files[i].path, r->nested);
}

static void make_options(struct run *r)
{
    static const char *const folders[] = {"z/", "q/", "d/"};
    static const char *const globs[] = {"a", "d/*", "**/f", "z/**"};
    const char **yours = arena_array(&r->arena, 1, sizeof(*yours));
    const char **names = arena_array(&r->arena, 2, sizeof(*names));
    unsigned options = take(r);
    r->input.base_has_rules = true;
    if (r->simple)
        return;
    r->input.base_has_rules = options & 1;
    yours[0] = globs[below(r, 4)];
    r->input.yours = (struct words){yours, options >> 1 & 1};
    names[0] = tangled[below(r, PATHS)];
    names[1] = tangled[below(r, PATHS)];
    r->input.renames = (struct renames){&names[0], &names[1], options >> 2 & 1};
    r->nested = options >> 3 & 1 ? folders[below(r, 3)] : NULL;
}

static void make_trees(struct run *r)
{
    r->simple = take(r) & 1;
    for (size_t i = 0; i < PATHS; i++)
        make_path(r, r->simple ? apart[i] : tangled[i]);
    if (!r->simple) {
        shuffle_render(r);
        rename_in_child(r);
    }
    make_options(r);
    for (enum side side = CHILD; side < SIDES && !r->simple; side++)
        change_case(r, side);
    mark_nested(r, r->files[CHILD], r->input.side[CHILD].count);
    for (enum side side = BASE; side < SIDES; side++) {
        r->input.side[side].files = r->files[side];
        qsort(r->files[side], r->input.side[side].count, sizeof(struct plan_file), by_path);
    }
    r->input.base_label = "template 1";
    r->input.render_label = "template 2";
}

/* ---------------------------------------------------------------- what comes out */

static const struct plan_path *line_of(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->path_count; i++)
        if (strcmp(plan->paths[i].path, path) == 0 ||
            (plan->paths[i].from_path && strcmp(plan->paths[i].from_path, path) == 0))
            return &plan->paths[i];
    return NULL;
}

static const struct plan_edit *edit_of(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (strcmp(plan->edits[i].path, path) == 0)
            return &plan->edits[i];
    return NULL;
}

static struct tree_entry leaf_in(const struct run *r, enum side side, const char *path)
{
    const struct plan_file *file = plan_list_find(&r->input.side[side], path);
    return file ? file->entry : (struct tree_entry){0};
}

/* Sorted, each path once, nothing that changes nothing, and the old state as it is. */
static void check_form(const struct run *r)
{
    const struct plan *plan = &r->plan;
    size_t conflicts = 0;
    for (size_t i = 0; i < plan->path_count; i++) {
        must(i == 0 || strcmp(plan->paths[i - 1].path, plan->paths[i].path) < 0);
        conflicts += plan->paths[i].state == PATH_CONFLICT;
    }
    must(conflicts == plan->conflict_count);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct plan_edit *edit = &plan->edits[i];
        struct tree_entry old = leaf_in(r, CHILD, edit->path);
        must(i == 0 || strcmp(plan->edits[i - 1].path, edit->path) < 0);
        must(tree_entry_equal(&edit->old, &old));
        must(edit->conflict || !tree_entry_equal(&edit->old, &edit->disk));
        must(!edit->conflict || edit->stages[BASE].mode || edit->stages[CHILD].mode ||
             edit->stages[RENDER].mode);
    }
}

static void build_result(struct run *r)
{
    const struct plan_list *child = &r->input.side[CHILD];
    for (size_t i = 0; i < child->count; i++)
        if (!edit_of(&r->plan, child->files[i].path))
            r->result[r->result_count++] = child->files[i];
    for (size_t i = 0; i < r->plan.edit_count; i++)
        if (r->plan.edits[i].disk.mode != LEAF_ABSENT)
            r->result[r->result_count++] =
                (struct plan_file){.path = r->plan.edits[i].path, .entry = r->plan.edits[i].disk};
    qsort(r->result, r->result_count, sizeof(*r->result), by_path);
    for (size_t i = 0; i < r->result_count; i++)
        must(fits(r->result, i, r->result[i].path));
    mark_nested(r, r->result, r->result_count);
}

static bool all_equal(const struct tree_entry *a, const struct tree_entry *b,
                      const struct tree_entry *c)
{
    return tree_entry_equal(a, b) && tree_entry_equal(b, c);
}

/* A file under two names, told by its source or by a migration, has one line for both. */
static bool is_told(const struct run *r, const struct plan_file *file, enum side other)
{
    const struct plan_list *list = &r->input.side[other];
    const struct renames *renames = &r->input.renames;
    const char *const *from = other == BASE ? renames->new : renames->old;
    const char *const *to = other == BASE ? renames->old : renames->new;
    if (line_of(&r->plan, file->path))
        return true;
    for (size_t i = 0; i < r->plan.path_count; i++) /* names that differ by case are one file */
        if (strcasecmp(r->plan.paths[i].path, file->path) == 0 ||
            (r->plan.paths[i].from_path && strcasecmp(r->plan.paths[i].from_path, file->path) == 0))
            return true;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->files[i].source, file->source) == 0 &&
            line_of(&r->plan, list->files[i].path))
            return true;
    return renames->count && strcmp(*from, file->path) == 0 && line_of(&r->plan, *to);
}

/* Every path of the template at which the three differ has its line. */
static void check_report(const struct run *r)
{
    static const enum side templates[] = {BASE, RENDER};
    for (size_t t = 0; t < 2; t++) {
        const struct plan_list *list = &r->input.side[templates[t]];
        for (size_t i = 0; i < list->count; i++) {
            const char *path = list->files[i].path;
            struct tree_entry base = leaf_in(r, BASE, path), child = leaf_in(r, CHILD, path);
            struct tree_entry render = leaf_in(r, RENDER, path);
            must(all_equal(&base, &child, &render) || is_told(r, &list->files[i], templates[!t]));
        }
    }
}

static bool is_somewhere(const struct run *r, const struct oid *id)
{
    for (size_t i = 0; i < r->result_count; i++)
        if (oid_equal(&r->result[i].entry.id, id))
            return true;
    for (size_t i = 0; i < r->plan.edit_count; i++)
        if (r->plan.edits[i].conflict && oid_equal(&r->plan.edits[i].stages[CHILD].id, id))
            return true;
    return false;
}

/* The text of an object as it is with LF, or NULL where it is none: NUL, or CR without LF. */
static const char *plain_text(struct run *r, const struct oid *id)
{
    STORE_BYTES_SCRATCH(loaded);
    must(store_get(&loaded, r->store, STORE_BLOB, id, "text", &r->err) == 0);
    char *text = arena_memdup(&r->arena, loaded.bytes.ptr, loaded.bytes.len), *to = text;
    for (size_t i = 0; i < loaded.bytes.len; i++) {
        bool ends = text[i] == '\r' && text[i + 1] == '\n';
        if (text[i] == '\0' || (text[i] == '\r' && !ends))
            return NULL;
        if (!ends)
            *to++ = text[i];
    }
    *to = '\0';
    return text;
}

/* Lines that end in CRLF, and in LF. */
static void count_ends(struct run *r, size_t *crlf, size_t *lf, const struct oid *id)
{
    STORE_BYTES_SCRATCH(loaded);
    *crlf = *lf = 0;
    must(store_get(&loaded, r->store, STORE_BLOB, id, "text", &r->err) == 0);
    for (size_t i = 0; i < loaded.bytes.len; i++)
        if (loaded.bytes.ptr[i] == '\n')
            ++*(i && loaded.bytes.ptr[i - 1] == '\r' ? crlf : lf);
}

/* Equal but for line endings. */
static bool alike(struct run *r, const struct tree_entry *a, const struct tree_entry *b)
{
    if (!tree_entry_is_file(a) || !tree_entry_is_file(b))
        return tree_entry_equal(a, b);
    return oid_equal(&a->id, &b->id) ||
           str_equal(plain_text(r, &a->id) ? plain_text(r, &a->id) : "\1",
                     plain_text(r, &b->id) ? plain_text(r, &b->id) : "\2");
}

static bool is_of_base(struct run *r, const struct tree_entry *leaf)
{
    for (size_t i = 0; i < r->input.side[BASE].count; i++)
        if (alike(r, &r->input.side[BASE].files[i].entry, leaf))
            return true;
    return false;
}

static bool is_merged(const struct plan_path *line)
{
    return line->state == PATH_MERGED || line->state == PATH_RENAMED;
}

/* Merged into what another line tells of; the template may have put another file in its place. */
static bool is_merged_elsewhere(const struct run *r, const char *path)
{
    for (size_t i = 0; i < r->plan.path_count; i++) {
        const struct plan_path *line = &r->plan.paths[i];
        if (line->from_path && strcmp(line->from_path, path) == 0 && is_merged(line))
            return true;
    }
    return false;
}

/* The child's own content is there afterwards, at its place or another, or merged and told. */
static void check_nothing_lost(struct run *r)
{
    const struct plan_list *child = &r->input.side[CHILD];
    for (size_t i = 0; i < child->count; i++) {
        const struct plan_file *file = &child->files[i];
        const struct plan_edit *edit = edit_of(&r->plan, file->path);
        const struct plan_path *line = line_of(&r->plan, file->path);
        if (!edit)
            continue;
        must(line != NULL);
        if (!is_of_base(r, &file->entry) && !is_somewhere(r, &file->entry.id))
            must(is_merged(line) || is_merged_elsewhere(r, file->path));
    }
}

/* Links are never moved, nor is what is `yours:`, nor a file of a child inside this one. */
static void check_left_alone(const struct run *r)
{
    const struct plan_list *child = &r->input.side[CHILD];
    for (size_t i = 0; i < child->count; i++) {
        const struct plan_file *file = &child->files[i];
        const struct plan_edit *edit = edit_of(&r->plan, file->path);
        if (!edit)
            continue;
        must(tree_entry_is_file(&file->entry) || tree_entry_equal(&edit->disk, &file->entry));
        must(!r->input.yours.count || !glob_match(r->input.yours.items[0], file->path));
        must(!file->nested || plan_list_find(&r->input.side[BASE], file->path) ||
             plan_list_find(&r->input.side[RENDER], file->path));
    }
}

static void check_conflict(const struct run *r, const struct tree_entry *sides, const char *path)
{
    const struct plan_edit *edit = edit_of(&r->plan, path);
    must(edit && edit->conflict);
    for (enum side side = BASE; side < SIDES; side++)
        must(tree_entry_equal(&edit->stages[side], &sides[side]));
}

/* As if line endings were equal, with the child's on what comes out, where they are of one kind. */
static void check_merged(struct run *r, const struct tree_entry *sides,
                         const struct tree_entry *after)
{
    size_t crlf, lf, child_crlf, child_lf;
    if (oid_equal(&sides[BASE].id, &sides[CHILD].id)) {
        must(oid_equal(&after->id, &sides[RENDER].id)); /* the child changed the mode alone */
        return;
    }
    if (alike(r, &sides[BASE], &sides[RENDER]) || alike(r, &sides[CHILD], &sides[RENDER]))
        must(oid_equal(&after->id, &sides[CHILD].id));
    else if (alike(r, &sides[BASE], &sides[CHILD]))
        must(alike(r, after, &sides[RENDER]));
    count_ends(r, &crlf, &lf, &after->id);
    count_ends(r, &child_crlf, &child_lf, &sides[CHILD].id);
    must((child_crlf && child_lf) || (child_crlf ? !lf : !crlf));
}

static bool same(struct run *r, const struct tree_entry *a, const struct tree_entry *b)
{
    return a->mode == b->mode && alike(r, a, b);
}

/* Without renames and rules the result at each path follows from its three states. */
static void check_simple(struct run *r, const char *path)
{
    struct tree_entry sides[SIDES], *base = &sides[BASE], *child = &sides[CHILD],
                                    *render = &sides[RENDER];
    for (enum side side = BASE; side < SIDES; side++)
        sides[side] = leaf_in(r, side, path);
    const struct plan_edit *edit = edit_of(&r->plan, path);
    const struct plan_path *line = line_of(&r->plan, path);
    struct tree_entry after = edit ? edit->disk : *child;
    if (tree_entry_equal(base, child))
        must(tree_entry_equal(&after, render) && !(edit && edit->conflict));
    else if (tree_entry_equal(base, render) || tree_entry_equal(child, render))
        must(!edit);
    else if (base->mode == LEAF_ABSENT && render->mode && alike(r, child, render))
        must(!edit && line && line->state == PATH_ADOPTED); /* the child's mode stays */
    else if (child->mode == LEAF_ABSENT)
        must(!edit && line && line->state == PATH_KEPT_DELETED);
    else if (render->mode == LEAF_ABSENT && same(r, base, child))
        must(edit && !after.mode && line && line->state == PATH_DELETED);
    else if (line && line->state == PATH_CONFLICT)
        check_conflict(r, sides, path);
    else
        must(line && line->state == PATH_MERGED && base->mode && render->mode);
    if (line && line->state == PATH_MERGED)
        check_merged(r, sides, &after);
    if (line && line->state == PATH_CONFLICT && base->mode && render->mode)
        must(!alike(r, base, child) && !alike(r, base, render) && !alike(r, child, render));
}

/* The result, updated to the same version again, stays what it is. */
static void check_again(struct run *r)
{
    struct plan again;
    struct plan_input input = {.base_has_rules = true,
                               .yours = r->input.yours,
                               .base_label = "template 2",
                               .render_label = "template 2"};
    if (r->plan.conflict_count)
        return;
    input.side[BASE] = input.side[RENDER] = r->input.side[RENDER];
    input.side[CHILD] = (struct plan_list){r->result, r->result_count};
    must(plan_make(&again, &r->arena, r->store, &input, &r->err) == 0);
    must(again.edit_count == 0 && again.conflict_count == 0);
}

/* FUZZ_SHOW=1 shows what an input stands for. */
static void show(const struct run *r)
{
    static const char *const names[] = {"base", "child", "render"};
    for (enum side side = BASE; side < SIDES; side++)
        for (size_t i = 0; i < r->input.side[side].count; i++) {
            const struct plan_file *file = &r->input.side[side].files[i];
            (void)fprintf(stderr, "%s %s %o %02x%02x policy %d source %s\n", names[side],
                          file->path, file->entry.mode, file->entry.id.id[0], file->entry.id.id[1],
                          (int)file->policy, file->source ? file->source : "-");
        }
    for (size_t i = 0; i < r->input.renames.count; i++)
        (void)fprintf(stderr, "rename %s %s\n", r->input.renames.old[i], r->input.renames.new[i]);
    for (size_t i = 0; i < r->input.yours.count; i++)
        (void)fprintf(stderr, "yours %s\n", r->input.yours.items[i]);
    (void)fprintf(stderr, "rules %d\n", r->input.base_has_rules);
    (void)fprintf(stderr, "nested %s\n", r->nested ? r->nested : "-");
    for (size_t i = 0; i < r->plan.path_count; i++)
        (void)fprintf(stderr, "line %s %s < %s\n", path_state_names[r->plan.paths[i].state],
                      r->plan.paths[i].path,
                      r->plan.paths[i].from_path ? r->plan.paths[i].from_path : "-");
    for (size_t i = 0; i < r->plan.edit_count; i++)
        (void)fprintf(stderr, "edit %s %o %02x%02x conflict %d\n", r->plan.edits[i].path,
                      r->plan.edits[i].disk.mode, r->plan.edits[i].disk.id.id[0],
                      r->plan.edits[i].disk.id.id[1], r->plan.edits[i].conflict);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    struct run *r = calloc(1, sizeof(*r));
    must(r != NULL);
    r->in = (struct input){bytes, bytes + size};
    must(store_open(&r->store, NULL, &r->err) == 0);
    make_trees(r);
    must(plan_make(&r->plan, &r->arena, r->store, &r->input, &r->err) == 0);
    if (getenv("FUZZ_SHOW"))
        show(r);
    check_form(r);
    build_result(r);
    check_report(r);
    check_nothing_lost(r);
    check_left_alone(r);
    for (size_t i = 0; r->simple && i < PATHS; i++)
        check_simple(r, apart[i]);
    check_again(r);
    store_free(r->store);
    arena_release(&r->arena);
    free(r);
    return 0;
}
