/* A base that was rendered here before, remembered: `status` need not render it again. */
#include "child/proof.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/file_policy.h"
#include "catalog/render.h"
#include "child/record.h"
#include "git/repo.h"
#include "io/io.h"
#include "plan/plan.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define END "end\n" /* without it the file is half written: none */

static const char *head_of(struct arena *arena, const struct record *record)
{
    return arena_printf(arena, "proof 1 %s\n", record->inputs);
}

/* A line for each file whose policy is not the first of all. */
struct span proof_text(struct arena *arena, const struct record *record,
                       const struct render *render)
{
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    for (const struct catalog_origin *origin = &record->catalog; origin; origin = origin->extends)
        if (!origin->commit)
            return span_of("", 0);
    (void)buf_puts(&text, head_of(arena, record));
    for (size_t i = 0; i < render->count; i++)
        if (render->entries[i].policy)
            (void)buf_printf(&text, "%s %s\n", file_policy_names[render->entries[i].policy],
                             render->entries[i].path);
    if (buf_puts(&text, END) < 0)
        return span_of("", 0);
    return span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
}

void proof_keep(const struct repo *repo, const struct record *record, const struct render *render)
{
    ARENA_SCRATCH(scratch);
    struct span text = proof_text(&scratch, record, render);
    int fd = text.len ? openat(repo->git_fd, PROOF_PATH,
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
                      : -1;
    if (fd < 0)
        return;
    (void)!io_write_all(fd, text);
    (void)close(fd);
}

/* The lines between the first and the last one; NULL: it is another record's, or damaged. */
static const char *read_lines(struct arena *arena, const struct repo *repo,
                              const struct record *record)
{
    ERR_SCRATCH(ignored);
    struct span text;
    const char *head = head_of(arena, record);
    if (io_read_file(&text, arena, repo->git_fd, PROOF_PATH, LIMIT_DOCUMENT_BYTES, &ignored) < 0)
        return NULL;
    const char *lines = arena_memdup(arena, text.ptr, text.len);
    return str_starts(lines, head) && str_ends(lines, "\n" END) ? lines + strlen(head) : NULL;
}

static bool find_policy(enum file_policy *out, struct span name)
{
    for (*out = 0; *out < POLICY_COUNT; ++*out)
        if (span_equal(name, span_from(file_policy_names[*out])))
            return true;
    return false;
}

bool proof_recall(struct plan_list *files, const struct repo *repo, const struct record *record)
{
    struct plan_file *known = arena_array(repo->arena, files->count + 1, sizeof(*known));
    const char *line = read_lines(repo->arena, repo, record);
    if (!line)
        return false;
    if (files->count)
        memcpy(known, files->files, files->count * sizeof(*known));
    for (size_t len; strcmp(line, END) != 0; line += len + 1) {
        size_t word = strcspn(line, " \n");
        enum file_policy policy;
        len = strcspn(line, "\n");
        if (word == len || !find_policy(&policy, span_of(line, word)))
            return false;
        const char *path = arena_memdup(repo->arena, line + word + 1, len - word - 1);
        const struct plan_file *file = plan_list_find(files, path);
        if (!file)
            return false;
        known[file - files->files].policy = policy;
    }
    files->files = known;
    return true;
}
