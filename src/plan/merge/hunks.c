/* Which lines of one text became which lines of another. */
#include "plan/merge/hunks.h"

#include "base/arena.h"

#include <git2.h>

struct hunk_call {
    hunk_taker *take;
    void *context;
};

static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *found, void *payload)
{
    const struct hunk_call *call = payload;
    struct hunk hunk = {.old_count = (size_t)found->old_lines,
                        .new_count = (size_t)found->new_lines};
    (void)delta;
    /* A hunk without old lines names the line before it. */
    hunk.old_at = (size_t)found->old_start - (hunk.old_count ? 1 : 0);
    call->take(call->context, &hunk);
    return 0;
}

static struct span ended(struct arena *arena, struct span text)
{
    if (text.len == 0 || text.ptr[text.len - 1] == '\n')
        return text;
    char *copy = arena_memdup(arena, text.ptr, text.len);
    copy[text.len] = '\n';
    return span_of(copy, text.len + 1);
}

int hunks_find(struct arena *arena, struct span old, struct span new, hunk_taker *take,
               void *context)
{
    struct hunk_call call = {take, context};
    git_diff_options options;
    struct span a = ended(arena, old), b = ended(arena, new);
    (void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.interhunk_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    return git_diff_buffers(a.ptr, a.len, NULL, b.ptr, b.len, NULL, &options, NULL, NULL, take_hunk,
                            NULL, &call) < 0
               ? -1
               : 0;
}
