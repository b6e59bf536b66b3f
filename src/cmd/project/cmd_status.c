/* `status`, `diff`: template and versions, the child's changes, and whether an update waits. */
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/origin.h"
#include "catalog/trust.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "update/status.h"

#include <string.h>
#include <unistd.h>

static void print_progress(struct run *run, const char *state)
{
    static const struct {
        const char *state, *words;
    } known[] = {
        {"conflicts", "An update waits with conflicts: 'tmplgen update --continue' or --abort"},
        {"staged", "An update is staged: 'tmplgen update --continue' or --abort"},
        {"update-interrupted",
         "An update was interrupted: 'tmplgen update' finishes it, --abort goes back"},
        {"abort-interrupted", "An abort was interrupted: 'tmplgen update --abort' finishes it"},
    };
    for (size_t i = 0; state && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].state, state) == 0)
            cmd_print(run, "%s\n", known[i].words);
}

static void print_replay(struct run *run, const struct data *replay)
{
    const char *commit = data_get_text(replay, "commit");
    if (replay->kind == DATA_NULL)
        return;
    cmd_print(run, "  replays the commits of '%s', %lld of %lld", cmd_shown(run, replay, "branch"),
              (long long)data_get(replay, "step")->integer,
              (long long)data_get(replay, "steps")->integer);
    if (commit)
        cmd_print(run, ": stopped at %.10s (%s)", commit, cmd_shown(run, replay, "subject"));
    cmd_print(run, "\n");
}

/* Only counts the child's own files, and those of a waiting update, unless --verbose. */
static void print_paths(struct run *run, const struct data *paths)
{
    size_t own = 0, waiting = 0;
    for (size_t i = 0; i < paths->list.count; i++) {
        const struct data *path = paths->list.items[i];
        const char *state = data_get_text(path, "state");
        if (data_get(path, "from_update")->boolean && !run->verbose)
            waiting++;
        else if (strcmp(state, "added") == 0 && !run->verbose)
            own++;
        else
            cmd_print(run, "  %-9s  %s%s\n", state, cmd_shown(run, path, "path"),
                      data_get(path, "from_update")->boolean ? " (of the update)" : "");
    }
    if (waiting)
        cmd_print(run, "  %zu %s as the update that waits has put %s (--verbose lists them)\n",
                  waiting, waiting == 1 ? "file is" : "files are", waiting == 1 ? "it" : "them");
    if (own)
        cmd_print(run, "  %zu %s your own (--verbose lists them)\n", own,
                  own == 1 ? "file is" : "files are");
}

static void print_status(struct run *run, const struct data *document)
{
    const struct data *catalog = data_get(document, "catalog");
    const struct data *warnings = data_get(document, "warnings");
    const struct data *update = data_get(document, "update"), *paths = data_get(document, "paths");
    const char *version = origin_words_of(&run->arena, data_get_text(catalog, "version"),
                                          data_get(catalog, "extends"));
    const char *available = origin_words_of(&run->arena, data_get_text(update, "available"),
                                            data_get(update, "extends"));
    const char *signature = signature_words(&run->arena, data_get(document, "signature"));
    cmd_print(run, "Template %s %s of %s\n", cmd_shown(run, document, "template"),
              cmd_masked(run, version), cmd_shown(run, catalog, "source"));
    if (signature)
        cmd_print(run, "  the catalog is %s\n", cmd_masked(run, signature));
    if (available && !data_get_text(document, "in_progress"))
        cmd_print(run, "An update is available: %s ('tmplgen update' takes it)\n",
                  cmd_masked(run, available));
    print_progress(run, data_get_text(document, "in_progress"));
    print_replay(run, data_get(document, "replay"));
    print_paths(run, paths);
    if (!available && !data_get_text(document, "in_progress") && !warnings->list.count)
        cmd_print(run, "No newer version is known%s\n",
                  paths->list.count ? "" : "; its files are as it made them");
    for (size_t i = 0; i < warnings->list.count; i++)
        cmd_warn(run, "%s", data_text(warnings->list.items[i]));
}

static int status_run(struct run *run, struct err *err)
{
    bool fetch = opt_given(&run->options, "fetch");
    if (cmd_trust(run, fetch, err) < 0 ||
        status_document(&run->document, &run->arena, cmd_argument(run, "."), fetch, err) < 0)
        return -1;
    print_status(run, run->document);
    return TG_OK;
}

static const struct option status_options[] = {
    {"fetch", NULL, "ask the catalog what it has now: no answer is an error, not a warning", false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

const struct command status_command = {
    .name = "status",
    .usage = "[PATH]",
    .summary = "Show template, versions, what you changed, and whether an update waits.",
    .details = "Files are compared as they lie on disk with what the template rendered. Nothing is "
               "written. Whether an update waits is found out where the catalog is at hand; where "
               "it is not, a warning says so. Only --fetch asks a server: without it, what was "
               "fetched before counts.",
    .options = OPTIONS({"How", status_options}),
    .max_arguments = 1,
    .run = status_run};

/* ---------------------------------------------------------------- diff */

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

const struct command diff_command = {
    .name = "diff",
    .usage = "[PATH]",
    .summary = "Show what you changed since the template made it, as a patch.",
    .details = "From what the template rendered to the tracked files as they lie on disk, without "
               "the record.",
    .options = OPTIONS({"How", status_options + 1}),
    .max_arguments = 1,
    .run = diff_run};
