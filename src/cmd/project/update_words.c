/* The report of `update` in words. */
#include "cmd/project/update_words.h"

#include "base/str.h"
#include "catalog/origin.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "data/document.h"
#include "update/next_steps.h"

#include <string.h>

static bool is_state(const struct data *line, const char *state)
{
    return str_equal(data_get_text(line, "state"), state);
}

/* ---------------------------------------------------------------- the head */

static const char *version_of(struct run *run, const struct data *document, const char *which)
{
    const struct data *origin = data_get(document, which);
    const char *version =
        origin_words_of(&run->arena, data_get_text(origin, "version"), data_get(origin, "extends"));
    return cmd_masked(run, version ? version : "?");
}

/* "Updated 1.0.0 -> 1.1.0", or another text for a repository without an earlier version. */
static void print_step(struct run *run, const struct data *document)
{
    const char *from = version_of(run, document, "from"), *to = version_of(run, document, "to");
    bool dry = opt_given(&run->options, "dry-run");
    if (str_equal(from, to))
        cmd_print(run, "%s, still at %s", dry ? "Would update" : "Updated", to);
    else if (data_get_text(data_get(document, "from"), "version"))
        cmd_print(run, "%s %s -> %s", dry ? "Would update" : "Updated", from, to);
    else
        cmd_print(run, "%s the template '%s' %s", dry ? "Would adopt" : "Adopted",
                  cmd_shown(run, document, "template"), to);
}

/* The commit at which a strategy that replays commits stopped; NULL: there is none. */
static const struct data *find_stop(size_t *number, const struct data *commits)
{
    for (size_t i = 0; commits->kind == DATA_LIST && i < commits->list.count; i++)
        if (is_state(commits->list.items[i], "conflict")) {
            *number = i + 1;
            return commits->list.items[i];
        }
    return NULL;
}

static void print_stop(struct run *run, const struct data *document, const struct data *stop,
                       size_t number)
{
    bool dry = opt_given(&run->options, "dry-run");
    cmd_print(run, "%s at %.10s (%s), commit %zu of %zu, on the way from %s to %s%s\n",
              dry ? "Would stop" : "Stopped", data_get_text(stop, "commit"),
              cmd_shown(run, stop, "subject"), number, data_get(document, "commits")->list.count,
              version_of(run, document, "from"), version_of(run, document, "to"),
              dry ? "; nothing was written" : "");
}

static void print_updated(struct run *run, const struct data *document, const char *result)
{
    const char *commit = data_get_text(document, "commit");
    const char *branch = data_get_text(data_get(document, "branch"), "name");
    bool conflicts = strcmp(result, "conflicts") == 0;
    print_step(run, document);
    if (opt_given(&run->options, "dry-run"))
        cmd_print(run, "%s; nothing was written", conflicts ? ", with conflicts" : "");
    else if (commit)
        cmd_print(run, "%s, commit %.7s", conflicts ? ", with conflicts" : "", commit);
    else
        cmd_print(run, "%s", conflicts ? ", with conflicts" : "; it is staged, not committed");
    if (branch)
        cmd_print(run, " on branch '%s'%s", cmd_masked(run, branch),
                  next_stayed(document) ? ", as it was already" : "");
    cmd_print(run, "\n");
}

static void print_up_to_date(struct run *run, const struct data *document)
{
    const char *branch = data_get_text(data_get(document, "branch"), "name");
    cmd_print(run, "Up to date with version %s", version_of(run, document, "to"));
    if (next_stayed(document))
        cmd_print(run, ": the branch '%s' has this update already", cmd_masked(run, branch));
    cmd_print(run, "\n");
}

static void print_head(struct run *run, const struct data *document, const char *result)
{
    size_t number;
    const struct data *stop = find_stop(&number, data_get(document, "commits"));
    const struct data *left = data_get(document, "left");
    if (left)
        cmd_print(run,
                  "Files and index are as they were; but '%s' %s: HEAD is at %.10s, on no branch\n",
                  cmd_shown(run, left, "branch"), data_get_text(left, "what"),
                  data_get_text(left, "commit"));
    else if (strcmp(result, "aborted") == 0)
        cmd_print(run, "Everything is as it was before the update\n");
    else if (stop)
        print_stop(run, document, stop, number);
    else if (strcmp(result, "up-to-date") == 0)
        print_up_to_date(run, document);
    else if (strcmp(result, "available") == 0)
        cmd_print(run, "An update is available: %s -> %s\n", version_of(run, document, "from"),
                  version_of(run, document, "to"));
    else
        print_updated(run, document, result);
}

/* In the order in which a person wants to read them. */
static const struct {
    const char *state, *counted;
} states[] = {
    {"conflict", "in conflict"},  {"merged", "merged"},   {"kept-deleted", "kept deleted"},
    {"kept-yours", "kept yours"}, {"renamed", "renamed"}, {"deleted", "deleted"},
    {"added", "added"},           {"adopted", "adopted"}, {"updated", "updated"},
};
enum { STATES = sizeof(states) / sizeof(*states) };

static void print_counts(struct run *run, const struct data *document)
{
    const struct data *counts = data_get(document, "counts");
    long long files = (long long)data_get(counts, "files")->integer;
    const char *before = ": ";
    cmd_print(run, "%lld %s", files, files == 1 ? "file" : "files");
    for (size_t i = 0; i < STATES; i++) {
        long long number = (long long)data_get(counts, states[i].state)->integer;
        if (number) {
            cmd_print(run, "%s%lld %s", before, number, states[i].counted);
            before = ", ";
        }
    }
    cmd_print(run, "\n");
}

/* ---------------------------------------------------------------- the paths */

static void print_path(struct run *run, const struct data *path)
{
    const char *from = data_get_text(path, "from_path"), *note = data_get_text(path, "note");
    const char *theirs = data_get_text(path, "theirs");
    cmd_print(run, "  %-12s  %s", data_get_text(path, "state"), cmd_shown(run, path, "path"));
    if (from)
        cmd_print(run, " (was %s)", cmd_masked(run, from));
    if (note)
        cmd_print(run, ": %s", cmd_masked(run, note));
    if (theirs)
        cmd_print(run, "; the template's is %s", cmd_masked(run, theirs));
    cmd_print(run, "\n");
}

static size_t print_state(struct run *run, const struct data *paths, const char *state,
                          const char *title)
{
    size_t count = 0;
    for (size_t i = 0; i < paths->list.count; i++)
        if (is_state(paths->list.items[i], state)) {
            cmd_print(run, "%s", count++ ? "" : title);
            print_path(run, paths->list.items[i]);
        }
    return count;
}

/* Prints the replayed commits. */
static void print_commits(struct run *run, const struct data *document)
{
    const struct data *commits = data_get(document, "commits");
    for (size_t i = 0; commits->kind == DATA_LIST && i < commits->list.count; i++) {
        const struct data *line = commits->list.items[i];
        const char *note = data_get_text(line, "note"), *to = data_get_text(line, "to");
        cmd_print(run, "%s  %-9s %.10s%s%.10s  %s%s%s\n", i ? "" : "\nCommits:\n",
                  data_get_text(line, "state"), data_get_text(line, "commit"), to ? " -> " : "",
                  to ? to : "", cmd_shown(run, line, "subject"), note ? ": " : "",
                  note ? cmd_masked(run, note) : "");
    }
}

static void print_paths(struct run *run, const struct data *document)
{
    const struct data *paths = data_get(document, "paths");
    const char *title = "\nFiles:\n";
    for (size_t i = 1; i < STATES; i++)
        if (print_state(run, paths, states[i].state, title))
            title = "";
}

/* ---------------------------------------------------------------- the rest */

static void print_stack(struct run *run, const struct data *document)
{
    const struct data *stack = data_get(document, "stack");
    for (size_t i = 0; i < stack->list.count; i++) {
        const struct data *change = stack->list.items[i];
        const char *from = data_get_text(change, "from"), *to = data_get_text(change, "to");
        cmd_print(run, "%s  %-12s %s -> %s\n", i ? "" : "\nStack:\n", data_get_text(change, "what"),
                  cmd_masked(run, from ? from : "none"), cmd_masked(run, to ? to : "none"));
    }
}

static void print_names(struct run *run, const struct data *list, const char *title)
{
    if (list && list->list.count)
        cmd_print(run, "%s%s\n", title, cmd_masked(run, data_join(&run->arena, list, NULL)));
}

static void print_answers(struct run *run, const struct data *document)
{
    const struct data *answers = data_get(document, "answers");
    const struct data *renamed = data_get(answers, "renamed");
    print_names(run, data_get(answers, "added"), "\nNew answers: ");
    print_names(run, data_get(answers, "dropped"), "\nDropped answers: ");
    for (size_t i = 0; i < renamed->list.count; i++)
        cmd_print(run, "%sRenamed answer: %s is now %s\n", i ? "" : "\n",
                  cmd_shown(run, renamed->list.items[i], "from"),
                  cmd_shown(run, renamed->list.items[i], "to"));
}

/* Prints texts that are masked already; an empty line between paragraphs stays. */
static void print_text(struct run *run, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        cmd_print(run, "%s%.*s\n", len ? "  " : "", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

static void print_notes(struct run *run, const struct data *document)
{
    const struct data *notes = data_get(document, "notes");
    for (size_t i = 0; i < notes->list.count; i++) {
        const struct data *note = notes->list.items[i];
        const char *catalog = data_get_text(note, "catalog");
        const char *version = data_get_text(note, "version");
        if (version)
            cmd_print(run, "\nNew in %s%s%s:\n", catalog ? catalog : "", catalog ? " " : "",
                      cmd_masked(run, version));
        else
            cmd_print(run, "\nTo know:\n");
        print_text(run, data_get_text(note, "text"));
    }
}

enum { WIDTH = 29 }; /* of a command and the spaces after it */

static void print_next(struct run *run, const struct data *document)
{
    const struct data *next = data_get(document, "next");
    for (size_t i = 0; i < next->list.count; i++) {
        const struct data *step = next->list.items[i];
        const char *command =
            cmd_masked(run, update_command_there(run, data_get_text(step, "run")));
        bool fits = strlen(command) < WIDTH - 1;
        cmd_print(run, "%s  %-*s%s%*s%s\n", i ? "" : "\nNext:\n", fits ? WIDTH : 0, command,
                  fits ? "" : "\n", fits ? 0 : WIDTH + 2, "",
                  cmd_masked(run, update_command_there(run, data_get_text(step, "what"))));
    }
}

/* ---------------------------------------------------------------- of adopt alone */

static void print_guesses(struct run *run, const struct data *document)
{
    const struct data *guesses = data_get(document, "guesses");
    for (size_t i = 0; guesses && i < guesses->list.count; i++) {
        const struct data *guess = guesses->list.items[i];
        cmd_print(run, "%s  %-12s  %s", i ? "" : "\nGuessed:\n", data_get_text(guess, "what"),
                  cmd_shown(run, guess, "value"));
        cmd_print(run, " (by %s)\n", cmd_shown(run, guess, "from"));
    }
}

static void print_alike(struct run *run, const struct data *line, const char *what)
{
    const struct data *alike = data_get(line, "alike");
    const char *problem = data_get_text(line, "problem");
    cmd_print(run, "  %-12s  ", cmd_shown(run, line, what));
    if (problem)
        cmd_print(run, "cannot be made with these answers: %s\n", cmd_masked(run, problem));
    else
        cmd_print(run, "%lld %%\n", (long long)alike->integer);
}

/* The version of the template that the merged files resemble most. */
static void print_search(struct run *run, const struct data *document)
{
    const struct data *search = data_get(document, "search");
    const struct data *files = data_get(search, "files"), *versions = data_get(search, "versions");
    const char *version = search ? data_get_text(search, "version") : NULL;
    for (size_t i = 0; versions && i < versions->list.count; i++) {
        cmd_print(run, "%s", i ? "" : "\nHow alike the versions are to the files to merge:\n");
        print_alike(run, versions->list.items[i], "version");
    }
    for (size_t i = 0; version && i < files->list.count; i++) {
        if (i == 0)
            cmd_print(run, "\nMerged against version %s, which is most like them:\n",
                      cmd_masked(run, version));
        print_alike(run, files->list.items[i], "path");
    }
}

static void print_body(struct run *run, const struct data *document, const char *result)
{
    if (strcmp(result, "available") != 0) {
        print_counts(run, document);
        (void)print_state(run, data_get(document, "paths"), "conflict", "\nConflicts:\n");
    }
    print_guesses(run, document);
    print_commits(run, document);
    print_stack(run, document);
    print_search(run, document);
    print_answers(run, document);
    print_paths(run, document);
    print_notes(run, document);
}

void update_print(struct run *run, const struct data *document)
{
    const char *result = data_get_text(document, "result"), *diff = data_get_text(document, "diff");
    const struct data *warnings = data_get(document, "warnings");
    bool ends = strcmp(result, "up-to-date") == 0 || strcmp(result, "aborted") == 0;
    print_head(run, document, result);
    if (!ends)
        print_body(run, document, result);
    if (data_get_text(document, "summary"))
        cmd_print(run, "\nThe summary is in '%s'\n", cmd_shown(run, document, "summary"));
    if (diff && *diff)
        cmd_print(run, "\n%s", diff);
    print_next(run, document);
    for (size_t i = 0; i < warnings->list.count; i++)
        cmd_warn(run, "%s", data_text(warnings->list.items[i]));
}
