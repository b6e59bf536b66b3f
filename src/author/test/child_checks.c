/* Commands of a catalog's authors, run in a child that was made for them. */
#include "author/test/child_checks.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "child/making.h"
#include "child/write_child.h"
#include "io/io.h"
#include "io/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_MAX LIMIT_MIB
#define OUTPUT_KEPT (16 * LIMIT_KIB)

/* What is said last says why: of much, the first half goes. */
static void hear(void *context, const char *line)
{
    struct buf *out = context;
    if (out->len + strlen(line) + 1 > OUTPUT_MAX) {
        size_t half = out->len / 2;
        memmove(out->ptr, out->ptr + half, out->len - half);
        buf_truncate(out, out->len - half);
    }
    (void)buf_puts(out, line);
    (void)buf_putc(out, '\n');
}

/* The end of it, from the beginning of a line. */
static const char *last_part(struct arena *arena, const struct buf *out)
{
    const char *text = buf_text(out);
    if (out->len <= OUTPUT_KEPT)
        return arena_strdup(arena, text);
    const char *end = strchr(text + out->len - OUTPUT_KEPT, '\n');
    return arena_strdup(arena, end ? end + 1 : "");
}

static int run_one(struct child_check *out, struct arena *arena, const char *folder,
                   struct err *err)
{
    static const char *const start[] = {"sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"};
    enum { START = sizeof(start) / sizeof(*start) };
    BUF_SCRATCH(output, OUTPUT_MAX);
    const char **argv = arena_array(arena, START + out->command.count + 2, sizeof(*argv));
    memcpy((void *)argv, start, sizeof(start));
    argv[START] = folder;
    memcpy((void *)(argv + START + 1), (const void *)out->command.items,
           out->command.count * sizeof(*argv));
    struct process_watch watch = {.line = hear, .context = &output};
    if (process_stream(&out->status, argv, &watch, err) < 0)
        return -1;
    out->output = last_part(arena, &output);
    return 0;
}

static int make_child(const char **path, struct arena *arena, const struct making *making,
                      const char *folder, struct err *err)
{
    struct create_target target;
    struct created created;
    struct span record;
    *path = arena_printf(arena, "%s/%s", folder, making->manifest->type);
    if (record_text(&record, arena, &making->record, err) < 0 ||
        create_inspect(&target, arena, *path, err) < 0)
        return -1;
    target.repository = NULL; /* one of its own, wherever scratch folders are */
    const struct create_options options = {.message = "Create a child to be checked\n"};
    return create_child(&created, arena, &target, &making->render, record, &options, err);
}

int child_checks_run(struct child_check **out, size_t *count, struct arena *arena,
                     const struct making *making, const struct words *commands,
                     size_t command_count, const char *where, struct err *err)
{
    const char *base = getenv("TMPDIR"), *child;
    char *folder = arena_printf(arena, "%s/tmplgen-check-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return err_errno(err, errno, "io", "cannot make a folder '%s'", folder);
    int rc = make_child(&child, arena, making, folder, err);
    for (size_t i = 0; rc == 0 && i < command_count; i++) {
        *out = arena_grow(arena, *out, *count, sizeof(**out));
        struct child_check *check = &(*out)[(*count)++];
        *check = (struct child_check){.command = commands[i], .where = where, .output = ""};
        rc = run_one(check, arena, child, err);
        if (check->status)
            break;
    }
    io_remove(AT_FDCWD, folder);
    return rc;
}
