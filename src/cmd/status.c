/* `status`: template and versions, what the child changed, whether an update waits. */
#include "update/status.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cmd/cmd.h"

#include <string.h>

static const char *masked(struct run *run, const char *text)
{
    BUF_SCRATCH(out, 64 * LIMIT_MIB);
    (void)unicode_mask(&out, span_from(text ? text : ""), true);
    return arena_strdup(&run->arena, buf_text(&out));
}

static const char *text_of(const struct data *map, const char *name)
{
    return data_text(data_get(map, name));
}

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

/* Files of the child's own are only counted, unless --verbose. */
static void print_paths(struct run *run, const struct data *paths)
{
    size_t own = 0;
    for (size_t i = 0; i < paths->list.count; i++) {
        const struct data *path = paths->list.items[i];
        const char *state = text_of(path, "state");
        if (strcmp(state, "added") == 0 && !run->verbose)
            own++;
        else
            cmd_print(run, "  %-9s  %s\n", state, masked(run, text_of(path, "path")));
    }
    if (own)
        cmd_print(run, "  %zu %s your own (--verbose lists them)\n", own,
                  own == 1 ? "file is" : "files are");
}

static void print_status(struct run *run, const struct data *document)
{
    const struct data *catalog = data_get(document, "catalog");
    const struct data *warnings = data_get(document, "warnings");
    const char *available = text_of(data_get(document, "update"), "available");
    cmd_print(run, "Template %s %s of %s\n", masked(run, text_of(document, "template")),
              masked(run, text_of(catalog, "version")), masked(run, text_of(catalog, "source")));
    if (available)
        cmd_print(run, "An update is available: %s ('tmplgen update' takes it)\n",
                  masked(run, available));
    print_progress(run, text_of(document, "in_progress"));
    print_paths(run, data_get(document, "paths"));
    for (size_t i = 0; i < warnings->list.count; i++)
        cmd_warn(run, "%s", data_text(warnings->list.items[i]));
}

static int status_run(struct run *run, struct err *err)
{
    const char *path = run->options.argument_count ? run->options.arguments[0] : ".";
    bool fetch = opt_given(&run->options, "fetch");
    if (status_document(&run->document, &run->arena, path, fetch, err) < 0)
        return -1;
    print_status(run, run->document);
    return TG_OK;
}

static const struct option status_options[] = {
    {"fetch", NULL, "ask the catalog what it has now: no answer is an error, not a warning", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group groups[] = {
    {"How", status_options}, {"Output", common_options}, {NULL, NULL}};

const struct command status_command = {
    .name = "status",
    .schema = "status",
    .usage = "[PATH]",
    .summary = "Show template, versions, what you changed, and whether an update waits.",
    .details = "Files are compared as they lie on disk with what the template rendered. Nothing is "
               "written. Whether an update waits is found out where the catalog is at hand; where "
               "it is not, a warning says so. Only --fetch may use the network.",
    .options = groups,
    .max_arguments = 1,
    .run = status_run};
