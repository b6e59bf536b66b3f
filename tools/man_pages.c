/*
 * Writes a manual page a command, and tmplgen(1) that lists them, from the tables that `help`
 * reads.
 *
 *   man-pages FOLDER YYYY-MM-DD    the date is the pages'
 *
 * They are in mdoc(7). Exit codes are those of every command (base/err.h); `doctor` has more.
 */
#include "cmd/cmd.h"
#include "tmplgen.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Lines of pages: mandoc -Tlint wants at most 80 columns. */
enum { FULL_COLUMN = 72 };

#define ROW(name) &name##_command,
static const struct command *const commands[] = {EACH_COMMAND(ROW) NULL};

static const char exits[] =
    ".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
    ".It 0\nDone, or already up to date.\n"
    ".It 1\nFailed: a file, git, the network, a build.\n"
    ".It 2\nWrong usage, or an invalid catalog, template, matrix or answer.\n"
    ".It 3\nRefused, to protect work.\n"
    ".It 4\nNo combination of versions meets the request.\n"
    ".It 5\nConflicts to resolve.\n"
    ".It 6\nA check found a difference.\n"
    ".It 129 , 130 , 143\nInterrupted by SIGHUP, SIGINT, SIGTERM.\n"
    ".El\n";

/* Text of which roff takes nothing for its own, not even at the beginning of a line. */
static void put_text(FILE *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\')
            (void)fputs("\\e", out);
        else if (text[i] == '-')
            (void)fputs("\\-", out);
        else
            (void)fputc(text[i], out);
    }
}

/* A paragraph; a sentence begins on a line of its own: mdoc(7). */
static void put_line(FILE *out, const char *text, size_t len)
{
    size_t column = 0;
    bool ended = false;
    for (const char *end = text + len; text < end;) {
        size_t word = strcspn(text, " ");
        word = word < (size_t)(end - text) ? word : (size_t)(end - text);
        if (column && (ended || column + word > FULL_COLUMN)) {
            (void)fputc('\n', out);
            column = 0;
        } else if (column) {
            (void)fputc(' ', out);
        }
        if (!column && (*text == '.' || *text == '\''))
            (void)fputs("\\&", out);
        put_text(out, text, word);
        column += word + 1;
        ended = strchr(".?!", text[word - 1]);
        text += word;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}

/* Paragraphs; an indented line is one to be typed. */
static void put_paragraphs(FILE *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n"), indent = strspn(text, " ");
        if (len == 0)
            (void)fputs(".Pp\n", out);
        else if (!indent)
            put_line(out, text, len);
        else {
            (void)fputs(".Dl ", out);
            put_text(out, text + indent, len - indent);
            (void)fputc('\n', out);
        }
        text += len + (text[len] == '\n');
    }
}

static void put_options(FILE *out, const struct option_group *group)
{
    (void)fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n", group->title);
    for (const struct option *option = group->options; option->name; option++) {
        const char *letter = opt_short(option->name);
        if (!option->help)
            continue;
        (void)fprintf(out, letter ? ".It Fl %s , Fl \\-%s" : ".It%.0s Fl \\-%s",
                      letter ? letter + 1 : "", option->name);
        if (option->argument)
            (void)fprintf(out, " Ar %s", option->argument);
        (void)fputc('\n', out);
        put_line(out, option->help, strlen(option->help));
    }
    (void)fputs(".El\n", out);
}

/* "tmplgen-matrix-list", until the next call. */
static const char *page_name(const struct command *command)
{
    static char name[64];
    (void)snprintf(name, sizeof(name), "tmplgen-%s", command->name);
    for (char *blank = name; (blank = strchr(blank, ' '));)
        *blank = '-';
    return name;
}

/* Begins the page NAME.1. */
static FILE *begin_page(const char *folder, const char *date, const char *name, const char *summary)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s.1", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    (void)fprintf(out, ".Dd %s\n.Dt ", date);
    for (const char *c = name; *c; c++)
        (void)fputc(toupper((unsigned char)*c), out);
    (void)fprintf(out, " 1\n.Os tmplgen %s\n.Sh NAME\n.Nm %s\n.Nd ", TMPLGEN_VERSION, name);
    put_text(out, summary, strlen(summary) - 1); /* without its full stop */
    (void)fputc('\n', out);
    return out;
}

static void end_page(FILE *out)
{
    if (ferror(out) || fclose(out) != 0) {
        perror("man-pages");
        exit(1);
    }
}

/* The date as mdoc(7) has it, of YYYY-MM-DD. */
static const char *long_date(const char *date)
{
    static char text[64];
    struct tm day = {0};
    const char *end = strptime(date, "%Y-%m-%d", &day);
    if (!end || *end || strftime(text, sizeof(text), "%B %e, %Y", &day) == 0) {
        (void)fprintf(stderr, "man-pages: '%s' is no date\n", date);
        exit(2);
    }
    return text;
}

static void write_command(const char *folder, const char *date, const struct command *command)
{
    FILE *out = begin_page(folder, date, page_name(command), command->summary);
    (void)fprintf(out, ".Sh SYNOPSIS\n.Nm tmplgen %s\n", command->name);
    if (*command->usage)
        put_line(out, command->usage, strlen(command->usage));
    (void)fputs(".Sh DESCRIPTION\n", out);
    put_paragraphs(out, command->summary);
    if (command->details) {
        (void)fputs(".Pp\n", out);
        put_paragraphs(out, command->details);
    }
    (void)fputs(".Sh OPTIONS\n", out);
    for (const struct option_group *group = command->options; group->options; group++)
        put_options(out, group);
    (void)fprintf(out, "%s.Sh SEE ALSO\n.Xr tmplgen 1\n", exits);
    end_page(out);
}

static void write_overview(const char *folder, const char *date)
{
    FILE *out = begin_page(folder, date, "tmplgen",
                           "machine-learning repositories whose GPU stack matches.");
    (void)fputs(".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n.Sh DESCRIPTION\n.Nm\n"
                "makes machine-learning repositories from templates, and keeps them\non their "
                "templates.\nEach command has a page of its own:\n.Bl -tag -width Ds\n",
                out);
    for (size_t i = 0; commands[i]; i++) {
        (void)fprintf(out, ".It Xr %s 1\n", page_name(commands[i]));
        put_line(out, commands[i]->summary, strlen(commands[i]->summary));
    }
    (void)fprintf(out,
                  ".El\n.Sh FILES\n.Bl -tag -width Ds\n"
                  ".It Pa $XDG_CONFIG_HOME/tmplgen/config.yml\n"
                  "Catalog, registry, trusted sources and default answers of the user.\n"
                  ".It Pa .tmplgen.yml\nThe record of a repository: what it was made of.\n"
                  ".El\n%s",
                  exits);
    end_page(out);
}

static void write_gpu_smoke(const char *folder, const char *date)
{
    FILE *out = begin_page(folder, date, "gpu-smoke",
                           "name the broken layer of a machine's GPU call stack.");
    (void)fputs(".Sh SYNOPSIS\n.Nm\n.Op Ar option ...\n.Sh DESCRIPTION\n"
                "Walks the call stack of this machine's GPUs from the hardware up, names\n"
                "the first layer that does not work, and its fix.\nIt is what\n"
                ".Xr tmplgen-doctor 1\nruns, as a program of its own.\n"
                ".Sh SEE ALSO\n.Xr tmplgen-doctor 1\n",
                out);
    end_page(out);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fputs("usage: man-pages FOLDER YYYY-MM-DD\n", stderr);
        return 2;
    }
    const char *date = long_date(argv[2]);
    for (size_t i = 0; commands[i]; i++)
        write_command(argv[1], date, commands[i]);
    write_overview(argv[1], date);
    write_gpu_smoke(argv[1], date);
    return 0;
}
