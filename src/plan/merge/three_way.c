/* Merges the content of one file that both the child and the template changed. */
#include "plan/three_way.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/libgit2.h"
#include "git/store.h"
#include "plan/merge/line_endings.h"
#include "plan/merge/slots.h"

#include <git2.h>
#include <string.h>

enum { BINARY_LOOK = 8000 };

#define OUR_LABEL "your project"
/* What a merge can grow to: three files and their markers; a guard, not a limit. */
#define MERGED_MAX ((size_t)1 << 31)

struct merging {
    struct three_way *out;
    struct store *store;
    const struct three_way_input *input;
    struct span content[SIDES];
    bool crlf; /* contents have LF; what comes out gets CRLF */
    struct err *err;
};

bool content_is_binary(struct span content)
{
    return content.len &&
           memchr(content.ptr, '\0', content.len < BINARY_LOOK ? content.len : BINARY_LOOK);
}

static int apart(struct three_way *out, const char *reason)
{
    out->kind = THREE_WAY_APART;
    out->reason = reason;
    return 0;
}

/* The side that differs from the base; where both do, the child's. */
static unsigned merge_modes(const struct plan_file *const file[SIDES])
{
    unsigned base = file[BASE]->leaf.mode, child = file[CHILD]->leaf.mode;
    return child == base ? file[RENDER]->leaf.mode : child;
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
                                  .mode = m->input->file[side]->leaf.mode};
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
 * A child of one kind of ending: all three as if they had LF, and the child's on all that comes
 * out. A file without any line end takes the template's.
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
 * A child with both kinds. What merges byte for byte is taken so: each line keeps the end that
 * whoever wrote it gave it, and no conflict comes from here that git would not have. Else the
 * base's lines get the ends that they have in the child, and the new render's those of the base's:
 * no line of the child's changes its end, and none differs by its end alone. New lines get what the
 * lines around them have.
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

/* Whether line endings matter to this merge: all are texts, and not all have the same kind. */
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

/* True where line endings are all that one side changed, or that is left between the two. */
static bool settle_alike(const struct merging *m)
{
    const struct span *content = m->content;
    if (endings_alike(content[RENDER], content[BASE]) ||
        endings_alike(content[RENDER], content[CHILD])) {
        m->out->note = NOTE_ENDINGS_KEPT;
        m->out->result.id = m->input->file[CHILD]->leaf.id;
        return true;
    }
    /* what is no text any more can have no endings of the child's */
    if (endings_of(content[RENDER]) != ENDINGS_OTHER ||
        !endings_alike(content[BASE], content[CHILD]))
        return false;
    m->out->note = NOTE_ENDINGS_ALONE;
    m->out->result.id = m->input->file[RENDER]->leaf.id;
    return true;
}

static int load(struct store_bytes *loaded, struct span *out, const struct store *store,
                const struct plan_file *file, struct err *err)
{
    *out = file->bytes;
    if (file->bytes.ptr)
        return 0;
    if (store_get(loaded, store, STORE_BLOB, &file->leaf.id, file->path, err) < 0)
        return -1;
    *out = loaded->bytes;
    return 0;
}

static int load_side(struct store_bytes *loaded, struct merging *m, enum side side)
{
    return load(loaded, &m->content[side], m->store, m->input->file[side], m->err);
}

static int merge_contents(struct merging *m)
{
    STORE_BYTES_SCRATCH(base);
    STORE_BYTES_SCRATCH(child);
    STORE_BYTES_SCRATCH(render);
    enum endings of[SIDES];
    if (load_side(&base, m, BASE) < 0 || load_side(&child, m, CHILD) < 0 ||
        load_side(&render, m, RENDER) < 0)
        return -1;
    if (settle_alike(m))
        return 0;
    for (int side = BASE; side < SIDES; side++)
        if (content_is_binary(m->content[side]))
            return apart(m->out, "a binary file that you and the template changed");
    return has_endings(m, of) ? merge_endings(m, of) : merge_bytes(m);
}

int three_way_alike(bool *out, struct store *store, const struct plan_file *a,
                    const struct plan_file *b, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded_a);
    STORE_BYTES_SCRATCH(loaded_b);
    struct span text_a, text_b;
    *out = tree_entry_equal(&a->leaf, &b->leaf);
    if (*out || !tree_entry_is_file(&a->leaf) || a->leaf.mode != b->leaf.mode)
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
    *out = (struct three_way){.kind = THREE_WAY_CLEAN, .result = file[CHILD]->leaf};
    for (int side = BASE; side < SIDES; side++)
        if (!tree_entry_is_file(&file[side]->leaf))
            return apart(out, "a link, submodule or file that changed its kind");
    out->result.mode = merge_modes(file);
    const struct oid *base = &file[BASE]->leaf.id, *child = &file[CHILD]->leaf.id,
                     *render = &file[RENDER]->leaf.id;
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
    for (const char *at = content.ptr, *end = content.ptr + content.len; at < end;) {
        for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++) {
            size_t len = strlen(markers[i]);
            if ((size_t)(end - at) >= len && memcmp(at, markers[i], len) == 0)
                return true;
        }
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return false;
}
