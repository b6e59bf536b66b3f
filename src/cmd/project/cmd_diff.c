/* `diff`: the child against what it was made from. */
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "update/status.h"

#include <unistd.h>

/* Foreign bytes never reach a terminal; in a file or a pipe the patch is exact. */
static void print_patch(struct run *run, struct span patch)
{
    BUF_SCRATCH(out, 256 * LIMIT_MIB);
    if (isatty(STDOUT_FILENO)) {
        (void)unicode_mask(&out, patch, true);
        patch = span_of(buf_text(&out), out.len);
    }
    if (!run->json)
        (void)buf_append(&run->out, patch.ptr, patch.len);
}

static int diff_run(struct run *run, struct err *err)
{
    if (cmd_trust(run, false, err) < 0 ||
        diff_document(&run->document, &run->arena, cmd_argument(run, "."), err) < 0)
        return -1;
    print_patch(run, data_get(run->document, "diff")->str);
    return TG_OK;
}

static const struct option diff_options[] = {
    {"trust", NULL, "take a catalog that is new to you", false},
    {NULL, NULL, NULL, false},
};

const struct command diff_command = {
    .name = "diff",
    .usage = "[PATH]",
    .summary = "Show what you changed since the template made it, as a patch.",
    .details = "From what the template rendered to the tracked files as they lie on disk, without "
               "the record.",
    .options = {{"How", diff_options}, {"Output", common_options}},
    .max_arguments = 1,
    .run = diff_run};
