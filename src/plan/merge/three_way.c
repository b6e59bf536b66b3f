/* Merges the content of one file that both the child and the template changed. */
#include "plan/three_way.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/libgit2.h"
#include "git/patch.h"
#include "git/store.h"
#include "plan/merge/slots.h"

#include <git2.h>
#include <stdint.h>
#include <string.h>

enum { BINARY_LOOK = 8000 };

#define OUR_LABEL "your project"
/* A guard, not a limit: no merge of three files gets this large. */
#define MERGED_MAX ((size_t)1 << 31)

/* ---------------------------------------------------------------- line endings */

enum end { END_NONE, END_LF, END_CRLF };

enum endings {
    ENDINGS_NONE, /* no newline */
    ENDINGS_LF,
    ENDINGS_CRLF,
    ENDINGS_MIXED, /* some LF, some CRLF */
    ENDINGS_OTHER, /* a NUL, or a CR without its LF: the bytes stay as they are */
};

struct counts {
    size_t lf, crlf;
    bool other; /* NUL, or CR without LF */
};

static struct counts count(struct span text)
{
    struct counts counts = {.other = text.len && memchr(text.ptr, '\0', text.len) != NULL};
    const char *end = text.ptr + text.len, *at = text.ptr;
    if (text.len && !memchr(at, '\r', text.len)) { /* most texts have none */
        for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
            counts.lf++;
        return counts;
    }
    for (size_t i = 0; i < text.len; i++) {
        bool ends = i + 1 < text.len && text.ptr[i + 1] == '\n';
        if (text.ptr[i] == '\r' && ends)
            counts.crlf++, i++;
        else if (text.ptr[i] == '\r')
            counts.other = true;
        else if (text.ptr[i] == '\n')
            counts.lf++;
    }
    return counts;
}

static enum endings endings_of(struct span text)
{
    struct counts counts = count(text);
    if (counts.other)
        return ENDINGS_OTHER;
    if (counts.lf && counts.crlf)
        return ENDINGS_MIXED;
    return counts.lf ? ENDINGS_LF : counts.crlf ? ENDINGS_CRLF : ENDINGS_NONE;
}

/* True where more lines end in CRLF than in LF alone. */
static bool endings_mostly_crlf(struct span text)
{
    struct counts counts = count(text);
    return counts.crlf > counts.lf;
}

/* Takes the first line off `text`; returns it without its end. */
static struct span next_line(enum end *end, struct span *text)
{
    size_t before = text->len;
    struct span line = span_cut_line(text);
    bool ended = before - text->len > line.len;
    bool crlf = ended && line.len && line.ptr[line.len - 1] == '\r';
    *end = crlf ? END_CRLF : ended ? END_LF : END_NONE;
    line.len -= crlf;
    return line;
}

/* True where only line endings differ; never for ENDINGS_OTHER. */
static bool endings_alike(struct span a, struct span b)
{
    enum end end_a, end_b;
    if (endings_of(a) == ENDINGS_OTHER || endings_of(b) == ENDINGS_OTHER)
        return false;
    while (a.len && b.len) {
        if (!span_equal(next_line(&end_a, &a), next_line(&end_b, &b)))
            return false;
        if ((end_a == END_NONE) != (end_b == END_NONE))
            return false;
    }
    return a.len == b.len;
}

static char *put_end(char *to, enum end end)
{
    if (end == END_CRLF)
        *to++ = '\r';
    if (end != END_NONE)
        *to++ = '\n';
    return to;
}

/* Gives each line of `text` its end from `ends`, or `end` where `ends` is NULL. */
static struct span rewrite(struct arena *arena, struct span text, const enum end *ends,
                           enum end end)
{
    struct counts counts = count(text);
    char *start = arena_array(arena, text.len + counts.lf + 1, 1), *to = start;
    for (size_t i = 0; text.len; i++) {
        enum end old;
        struct span line = next_line(&old, &text);
        memcpy(to, line.ptr, line.len);
        to = put_end(to + line.len, old == END_NONE ? old : ends ? ends[i] : end);
    }
    return span_of(start, (size_t)(to - start));
}

/* Gives every line of the text that end; a last line without an end stays without. */
static struct span endings_set(struct arena *arena, struct span text, bool crlf)
{
    return rewrite(arena, text, NULL, crlf ? END_CRLF : END_LF);
}

/* The ends of two texts, line by line; `text` follows `like`. */
struct following {
    enum end *like, *text;
    size_t like_at, text_at; /* everything before these is done */
    enum end usual;
};

static void follow_equal(struct following *f, size_t like_end)
{
    for (; f->like_at < like_end; f->like_at++, f->text_at++)
        f->text[f->text_at] = f->like[f->like_at] == END_NONE ? f->usual : f->like[f->like_at];
}

/* A new line gets the end of the line that it replaces, or of the line before it. */
static enum end new_end(const struct following *f, size_t replaced)
{
    enum end end = replaced != SIZE_MAX ? f->like[replaced]
                   : f->text_at         ? f->text[f->text_at - 1]
                                        : END_NONE;
    return end == END_NONE ? f->usual : end;
}

static void follow_hunk(void *context, const struct hunk *hunk)
{
    struct following *f = context;
    follow_equal(f, hunk->old_at);
    for (size_t i = 0; i < hunk->new_count; i++, f->text_at++)
        f->text[f->text_at] = new_end(f, i < hunk->old_count ? f->like_at + i : SIZE_MAX);
    f->like_at += hunk->old_count;
}

static enum end *ends_of(size_t *lines, struct arena *arena, struct span text)
{
    struct counts counts = count(text);
    enum end *ends = arena_array(arena, counts.lf + counts.crlf + 2, sizeof(*ends));
    for (*lines = 0; text.len; (*lines)++)
        (void)next_line(&ends[*lines], &text);
    return ends;
}

/*
 * Gives every line of the text that `like` has, too (found by a diff), its end in `like`. Another
 * line gets the end of the line that it replaces or follows, or else `crlf` or LF.
 */
static int endings_follow(struct span *out, struct arena *arena, struct span text, struct span like,
                          bool crlf, struct err *err)
{
    size_t like_lines, text_lines;
    struct following f = {.usual = crlf ? END_CRLF : END_LF};
    f.like = ends_of(&like_lines, arena, like);
    f.text = ends_of(&text_lines, arena, text);
    if (patch_hunks(arena, endings_set(arena, like, false), endings_set(arena, text, false),
                    follow_hunk, &f) < 0)
        return git_fail(err, "cannot compare lines");
    follow_equal(&f, like_lines);
    *out = rewrite(arena, text, f.text, f.usual);
    return 0;
}

/* ---------------------------------------------------------------- the merge */

struct merging {
    struct three_way *out;
    struct store *store;
    const struct three_way_input *input;
    struct span content[SIDES];
    bool crlf; /* contents have LF, and the result gets CRLF */
    struct err *err;
};

/* The same test as git's: a NUL in the first 8000 bytes. */
static bool is_binary(struct span content)
{
    return content.len &&
           memchr(content.ptr, '\0', content.len < BINARY_LOOK ? content.len : BINARY_LOOK);
}

static int impossible(struct three_way *out, const char *reason)
{
    out->kind = THREE_WAY_IMPOSSIBLE;
    out->reason = reason;
    return 0;
}

/* Takes the mode of the side that differs from the base; where both do, the child's. */
static unsigned merge_modes(const struct plan_file *const file[SIDES])
{
    unsigned base = file[BASE]->entry.mode, child = file[CHILD]->entry.mode;
    return child == base ? file[RENDER]->entry.mode : child;
}

static int put_text(const struct merging *m, const char *text, size_t len, bool clean)
{
    ARENA_SCRATCH(scratch);
    struct span result = span_of(text, len);
    if (m->crlf)
        result = endings_set(&scratch, result, true);
    m->out->kind = clean ? THREE_WAY_CLEAN : THREE_WAY_MARKED;
    m->out->text = true;
    m->out->reason = clean ? NULL : "you and the template changed the same lines";
    return store_put(&m->out->result.id, m->store, STORE_BLOB, result, m->err);
}

static git_merge_file_input file_input(const struct merging *m, enum side side)
{
    return (git_merge_file_input){.version = GIT_MERGE_FILE_INPUT_VERSION,
                                  .ptr = m->content[side].ptr,
                                  .size = m->content[side].len,
                                  .path = m->input->file[side]->path,
                                  .mode = m->input->file[side]->entry.mode};
}

static int merge_text(const struct merging *m)
{
    git_merge_file_options options;
    git_merge_file_result result = {0};
    git_merge_file_input base = file_input(m, BASE), child = file_input(m, CHILD),
                         render = file_input(m, RENDER);
    (void)git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION);
    options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
    options.ancestor_label = m->input->base_label;
    options.our_label = OUR_LABEL;
    options.their_label = m->input->render_label;
    if (git_merge_file(&result, &base, &child, &render, &options) < 0)
        return git_fail(m->err, "cannot merge '%s'", m->input->file[CHILD]->path);
    int rc = put_text(m, result.ptr, result.len, result.automergeable);
    git_merge_file_result_free(&result);
    return rc;
}

static int merge_lines(const struct merging *m)
{
    BUF_SCRATCH(merged, MERGED_MAX);
    struct slots_labels labels = {OUR_LABEL, m->input->base_label, m->input->render_label};
    bool clean;
    if (slots_merge(&merged, &clean, m->content[BASE], m->content[CHILD], m->content[RENDER],
                    &labels) < 0)
        return git_fail(m->err, "cannot merge '%s'", m->input->file[CHILD]->path);
    return put_text(m, buf_text(&merged), merged.len, clean);
}

static int merge_bytes(const struct merging *m)
{
    return m->input->lines ? merge_lines(m) : merge_text(m);
}

/*
 * The child has one kind of ending. Merges the three as if they had LF, and gives the result the
 * child's ending. A file without any line end takes the template's.
 */
static int merge_uniform(struct merging *m, struct arena *arena, enum endings child)
{
    m->crlf =
        child == ENDINGS_CRLF || (child == ENDINGS_NONE && endings_mostly_crlf(m->content[RENDER]));
    for (int side = BASE; side < SIDES; side++)
        m->content[side] = endings_set(arena, m->content[side], false);
    return merge_bytes(m);
}

/*
 * The child has both kinds. First merges the bytes as they are: each line keeps its end, and no
 * conflict arises that git would not have. Where that conflicts, the base's lines get the ends of
 * the child's, and the new render's lines those of the base's. So no line of the child changes its
 * end, and no two lines differ by their end alone. New lines get the end of the lines around them.
 */
static int merge_mixed(struct merging *m, struct arena *arena)
{
    bool crlf = endings_mostly_crlf(m->content[CHILD]);
    if (merge_bytes(m) < 0)
        return -1;
    if (m->out->kind == THREE_WAY_CLEAN)
        return 0;
    if (endings_follow(&m->content[BASE], arena, m->content[BASE], m->content[CHILD], crlf,
                       m->err) < 0 ||
        endings_follow(&m->content[RENDER], arena, m->content[RENDER], m->content[BASE], crlf,
                       m->err) < 0)
        return -1;
    return merge_bytes(m);
}

/* True where line endings matter to this merge: all three are texts, and their endings differ. */
static bool has_endings(const struct merging *m, enum endings of[SIDES])
{
    bool kinds[ENDINGS_OTHER + 1] = {false};
    for (int side = BASE; side < SIDES; side++) {
        of[side] = endings_of(m->content[side]);
        kinds[of[side]] = true;
    }
    if (kinds[ENDINGS_OTHER])
        return false;
    return kinds[ENDINGS_MIXED] || (kinds[ENDINGS_CRLF] && (kinds[ENDINGS_LF] || m->input->lines));
}

static int merge_endings(struct merging *m, const enum endings of[SIDES])
{
    ARENA_SCRATCH(scratch);
    if (of[BASE] != of[CHILD] || of[RENDER] != of[CHILD])
        m->out->note = NOTE_ENDINGS_KEPT;
    return of[CHILD] == ENDINGS_MIXED ? merge_mixed(m, &scratch)
                                      : merge_uniform(m, &scratch, of[CHILD]);
}

/* True where one side changed line endings alone, or where the two differ in nothing else. */
static bool settle_alike(const struct merging *m)
{
    const struct span *content = m->content;
    if (endings_alike(content[RENDER], content[BASE]) ||
        endings_alike(content[RENDER], content[CHILD])) {
        m->out->note = NOTE_ENDINGS_KEPT;
        m->out->result.id = m->input->file[CHILD]->entry.id;
        return true;
    }
    /* a render that is no text any more cannot take the child's endings */
    if (endings_of(content[RENDER]) != ENDINGS_OTHER ||
        !endings_alike(content[BASE], content[CHILD]))
        return false;
    m->out->note = NOTE_ENDINGS_ALONE;
    m->out->result.id = m->input->file[RENDER]->entry.id;
    return true;
}

static int load(struct store_bytes *loaded, struct span *out, const struct store *store,
                const struct plan_file *file, struct err *err)
{
    *out = file->bytes;
    if (file->bytes.ptr)
        return 0;
    if (store_get(loaded, store, STORE_BLOB, &file->entry.id, file->path, err) < 0)
        return -1;
    *out = loaded->bytes;
    return 0;
}

static int merge_contents(struct merging *m)
{
    STORE_BYTES_SCRATCH(base);
    STORE_BYTES_SCRATCH(child);
    STORE_BYTES_SCRATCH(render);
    enum endings of[SIDES];
    struct store_bytes *loaded[SIDES] = {&base, &child, &render};
    for (int side = BASE; side < SIDES; side++)
        if (load(loaded[side], &m->content[side], m->store, m->input->file[side], m->err) < 0)
            return -1;
    if (settle_alike(m))
        return 0;
    for (int side = BASE; side < SIDES; side++)
        if (is_binary(m->content[side]))
            return impossible(m->out, "a binary file that you and the template changed");
    return has_endings(m, of) ? merge_endings(m, of) : merge_bytes(m);
}

int three_way_alike(bool *out, struct store *store, const struct plan_file *a,
                    const struct plan_file *b, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded_a);
    STORE_BYTES_SCRATCH(loaded_b);
    struct span text_a, text_b;
    *out = tree_entry_equal(&a->entry, &b->entry);
    if (*out || !tree_entry_is_file(&a->entry) || a->entry.mode != b->entry.mode)
        return 0;
    if (load(&loaded_a, &text_a, store, a, err) < 0 || load(&loaded_b, &text_b, store, b, err) < 0)
        return -1;
    *out = endings_alike(text_a, text_b);
    return 0;
}

int three_way_merge(struct three_way *out, struct store *store, const struct three_way_input *input,
                    struct err *err)
{
    const struct plan_file *const *file = input->file;
    struct merging m = {.out = out, .store = store, .input = input, .err = err};
    *out = (struct three_way){.kind = THREE_WAY_CLEAN, .result = file[CHILD]->entry};
    for (int side = BASE; side < SIDES; side++)
        if (!tree_entry_is_file(&file[side]->entry))
            return impossible(out, "a link, submodule or file that changed its kind");
    out->result.mode = merge_modes(file);
    const struct oid *base = &file[BASE]->entry.id, *child = &file[CHILD]->entry.id,
                     *render = &file[RENDER]->entry.id;
    if (oid_equal(child, render) || oid_equal(base, render))
        out->result.id = *child;
    else if (oid_equal(base, child))
        out->result.id = *render;
    else
        return merge_contents(&m);
    return 0;
}

bool three_way_is_marked(struct span content)
{
    static const char *const markers[] = {"<<<<<<< " OUR_LABEL, ">>>>>>> template "};
    while (content.len) {
        struct span line = span_cut_line(&content);
        for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++)
            if (line.len >= strlen(markers[i]) &&
                memcmp(line.ptr, markers[i], strlen(markers[i])) == 0)
                return true;
    }
    return false;
}
