/* Merges the content of one file that both the child and the template changed. */
#include "plan/three_way.h"

#include "base/buf.h"
#include "git/libgit2.h"
#include "git/store.h"
#include "plan/slots.h"

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
    m->out->kind = clean ? THREE_WAY_CLEAN : THREE_WAY_MARKED;
    m->out->text = true;
    m->out->reason = clean ? NULL : "you and the template changed the same lines";
    return store_put(&m->out->result.id, m->store, STORE_BLOB, span_of(text, len), m->err);
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

static int load(struct store_bytes *loaded, struct merging *m, enum side side)
{
    const struct plan_file *file = m->input->file[side];
    m->content[side] = file->bytes;
    if (file->bytes.ptr)
        return 0;
    if (store_get(loaded, m->store, STORE_BLOB, &file->leaf.id, file->path, m->err) < 0)
        return -1;
    m->content[side] = loaded->bytes;
    return 0;
}

static int merge_contents(struct merging *m)
{
    STORE_BYTES_SCRATCH(base);
    STORE_BYTES_SCRATCH(child);
    STORE_BYTES_SCRATCH(render);
    if (load(&base, m, BASE) < 0 || load(&child, m, CHILD) < 0 || load(&render, m, RENDER) < 0)
        return -1;
    for (int side = BASE; side < SIDES; side++)
        if (content_is_binary(m->content[side]))
            return apart(m->out, "a binary file that you and the template changed");
    return m->input->lines ? merge_lines(m) : merge_text(m);
}

int three_way_merge(struct three_way *out, struct store *store, const struct three_way_input *input,
                    struct err *err)
{
    const struct plan_file *const *file = input->file;
    struct merging m = {.out = out, .store = store, .input = input, .err = err};
    *out = (struct three_way){.kind = THREE_WAY_CLEAN, .result = file[CHILD]->leaf};
    for (int side = BASE; side < SIDES; side++)
        if (!leaf_is_file(&file[side]->leaf))
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
