/* What a command is, what main hands to it, and what commands share. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "catalog/answers.h"
#include "cmd/common/opt.h"

#include <stdbool.h>
#include <stddef.h>

struct catalog;
struct data;
struct http;
struct stack_request;
struct typed;
struct yaml_node;

/* A catalog that is not new to the user. */
struct trusted {
    const char *source;   /* exact, or ending in '*' */
    struct words signers; /* one of whom must have signed it; or none */
};

/* The user's: $XDG_CONFIG_HOME/tmplgen/config.yml. All NULL and 0 where there is no such file. */
struct config {
    const char *catalog;  /* SRC[@REF] */
    const char *registry; /* HOST/PATH */
    const char *mirror;   /* HOST[/PATH] where Docker Hub's images are looked for */
    struct trusted *trusted;
    size_t trusted_count;
    const char *allowed_signers;     /* a file, absolute; NULL: none */
    const struct yaml_node *answers; /* a map, or NULL */
};

/*
 * One run of a command. Results are appended to `out` and reach stdout when the command has ended;
 * what is said on the way goes to stderr through cmd_say and cmd_warn.
 */
struct run {
    struct arena arena;
    const struct command *const *commands; /* all that there are; NULL behind the last */
    const struct command *command;
    struct parsed options;
    struct buf out;
    bool json, quiet, verbose;
    /*
     * With --json: the document's members behind `schema` and `exit`, a map. On failure its members
     * so far come before `error`, and `failure` (a map or NULL) adds members to `error`.
     */
    struct data *document;
    struct data *failure;
    const char *failure_text; /* for people, printed below the message; or NULL */
    bool has_config;
    struct config config; /* after cmd_config */
    /* What a command has opened; NULL: nothing. run_close closes both. */
    struct catalog *catalog;
    struct http *http;
};

enum { COMMAND_GROUPS = 7 };
/* The groups of a command: its own, and what every command has. */
/* clang-format off */
#define OPTIONS(...) {__VA_ARGS__, {"Output", common_options}}
/* clang-format on */

struct command {
    const char *name;    /* "new", "matrix resolve" */
    const char *schema;  /* "smoke" in tmplgen/smoke@1, "explain@2"; NULL: the name, with '-' */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* paragraphs for help; or NULL */
    struct option_group options[COMMAND_GROUPS + 1]; /* ends with a group without options */
    size_t max_arguments;
    /* The exit code of a result, or -1 with `err` set. */
    int (*run)(struct run *run, struct err *err);
};

/* All commands, in the order of help: NAME_command is defined in the file of the command. */
/* clang-format off */
#define EACH_COMMAND(X) \
    X(new) X(update) X(adopt) X(status) X(diff) \
    X(matrix_list) X(matrix_resolve) X(matrix_check) X(matrix_verify) X(matrix_refresh) \
    X(matrix_accept) \
    X(image_list) X(image_render) X(image_lock) X(image_verify) X(image_build) X(image_push) \
    X(image_bake) X(image_rebase) \
    X(template_list) X(template_show) X(template_lint) X(template_test) X(template_render) \
    X(template_new) X(template_export) \
    X(doctor) X(completion) X(help) X(version)
/* clang-format on */

#define DECLARE_COMMAND(name) extern const struct command name##_command;
EACH_COMMAND(DECLARE_COMMAND)

/* Closes what the command has opened, and forgets the configuration. */
void run_close(struct run *run);
/*
 * Writes run->out. A pager, or another slow reader, makes it wait: a signal ends that, unless all
 * is done but telling.
 */
TG_CHECKED int run_write(const struct run *run, struct err *err);
/* Adds the fields (data/document.h) to the document. */
#define cmd_tell(run, ...) data_add(&(run)->arena, (run)->document, __VA_ARGS__)
/* The first argument, or `other` where there is none. */
const char *cmd_argument(const struct run *run, const char *other);
/* A line on stderr unless --quiet; masked. */
void cmd_say(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "warning: ..." on stderr, also with --quiet; masked. */
void cmd_warn(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A detail on stderr, only with --verbose. */
void cmd_detail(const struct run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Appends to run->out; with --json nothing. Newlines of the whole stay: what is foreign and one
 * line comes by cmd_masked.
 */
void cmd_print(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A foreign text made safe to print, in the run's arena; "" for NULL. One line. */
const char *cmd_masked(struct run *run, const char *text);
/* The same of a member of a map. */
const char *cmd_shown(struct run *run, const struct data *map, const char *name);
/* Why no combination works (a map of the matrix), told below the failure and in its document. */
void cmd_refuse(struct run *run, struct data *refusal);

/* Message, place, line with caret, trace and hint on stderr; colour only on a terminal. */
void print_failure(const struct run *run, const struct err *err);
/* The one JSON document (docs/json.md) into run->out; `err` is NULL for a result. */
void print_document(struct run *run, int code, const struct err *err);

/* ---------------------------------------------------------------- configuration, catalog */

/* NAME in the user's folder of that kind ("XDG_CACHE_HOME", else ".cache" at home), or NULL. */
const char *cmd_user_path(struct arena *arena, const char *variable, const char *at_home,
                          const char *name);
/* Reads run->config, once in a run. */
TG_CHECKED int cmd_config(struct run *run, struct err *err);
/*
 * Opens run->catalog: --catalog SRC[@REF], else that of the configuration, else the one built in. A
 * remote one that is new to the user: exit 3, "untrusted-source", unless --trust is given. Its
 * warnings are told.
 */
TG_CHECKED int cmd_open_catalog(struct run *run, struct err *err);
/* The same for a command that tells the catalog's warnings in a report. */
TG_CHECKED int cmd_open_untold(struct run *run, struct err *err);

/*
 * What the configuration lists and --trust allow, and how catalogs on servers are reached: for
 * commands that open what a record names. Whether it `asks_servers`: else what is in the cache
 * counts, and nobody is asked.
 */
TG_CHECKED int cmd_trust(struct run *run, bool asks_servers, struct err *err);

/* Only what --catalog names, split, not opened; both NULL where it is not given. Trust as above. */
TG_CHECKED int cmd_named_catalog(const char **source, const char **ref, struct run *run,
                                 struct err *err);

/* ---------------------------------------------------------------- a person, this machine */

/* The asker of answers_collect; what is typed, but for secrets, goes into `typed`. */
struct asker terminal_asker(struct typed *typed);

/* A question that yes or no answers; nothing is no. */
TG_CHECKED int ask_yes(bool *yes, const char *question, struct err *err);
/*
 * Puts what is found here in the place of `auto` for --driver, --gpu and --arch, as `doctor` sees
 * it; a request without the word looks at nothing. Exit 2 where there is no such thing here.
 */
TG_CHECKED int machine_fill_auto(struct stack_request *request, struct run *run, struct err *err);

/* The command whose words `argv` begins with, and how many these are; NULL: there is none. */
const struct command *command_find(size_t *words, const struct command *const *commands,
                                   const char *const *argv, size_t argc);
/* Whether the name begins with this word and has another one. */
bool command_is_of(const char *name, const char *word);
/* The text of `help COMMAND`. */
void help_format(struct buf *out, const struct command *command);
