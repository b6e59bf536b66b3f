/* A command, its run, and the functions that commands share. */
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

/* A catalog that the user trusts. */
struct trusted {
    const char *source;   /* exact, or ending in '*' */
    struct words signers; /* the catalog must be signed by one of them; or none */
};

/* The user's, $XDG_CONFIG_HOME/tmplgen/config.yml. Without such a file all is NULL and 0. */
struct config {
    const char *catalog;  /* SRC[@REF] */
    const char *registry; /* HOST/PATH */
    const char *mirror;   /* HOST[/PATH] of a mirror of Docker Hub */
    struct trusted *trusted;
    size_t trusted_count;
    const char *allowed_signers;     /* a file, absolute; NULL: none */
    const struct yaml_node *answers; /* a map, or NULL */
};

/*
 * One run of a command. Results are appended to `out` and reach stdout when the command has ended.
 * Messages on the way go to stderr through cmd_say and cmd_warn.
 */
struct run {
    struct arena arena;
    const struct command *const *commands; /* all commands; NULL after the last */
    const struct command *command;
    struct parsed options;
    struct buf out;
    bool json, quiet, verbose;
    /*
     * With --json: the document's members after `schema` and `exit`, a map. On failure its members
     * so far come before `error`, and `failure` (a map or NULL) adds members to `error`.
     */
    struct data *document;
    struct data *failure;
    const char *failure_text; /* for people, printed below the message; or NULL */
    bool has_config;
    struct config config; /* after cmd_config */
    /* Opened by the command; NULL: nothing. run_close closes both. */
    struct catalog *catalog;
    struct http *http;
};

enum { COMMAND_GROUPS = 7 };
/* The option groups of a command: its own, and those of every command. */
/* clang-format off */
#define OPTIONS(...) {__VA_ARGS__, {"Output", common_options}}
/* clang-format on */

struct command {
    const char *name;    /* "new", "matrix resolve" */
    const char *schema;  /* "smoke" in tmplgen/smoke@1, "explain@2"; NULL: the name, with '-' */
    const char *usage;   /* the text after the name */
    const char *summary; /* one line */
    const char *details; /* paragraphs for help; or NULL */
    struct option_group options[COMMAND_GROUPS + 1]; /* ends with a group without options */
    size_t max_arguments;
    /* Returns the exit code of a result, or -1 with `err` set. */
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

/* Closes everything that the command opened, and forgets the configuration. */
void run_close(struct run *run);
/*
 * Writes run->out. A pager, or another slow reader, makes it wait: a signal ends the wait, unless
 * only the output is left to do.
 */
TG_CHECKED int run_write(const struct run *run, struct err *err);
/* Adds the fields (data/document.h) to the document. */
#define cmd_tell(run, ...) data_add(&(run)->arena, (run)->document, __VA_ARGS__)
/* The first argument, or `other` without one. */
const char *cmd_argument(const struct run *run, const char *other);
/* Prints a line on stderr unless --quiet; masked. */
void cmd_say(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "warning: ..." on stderr, also with --quiet; masked. */
void cmd_warn(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a detail on stderr, only with --verbose. */
void cmd_detail(const struct run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Appends to run->out; does nothing with --json. Keeps newlines, so a foreign text of one line must
 * come through cmd_masked.
 */
void cmd_print(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Masks a foreign text for printing, in the run's arena; "" for NULL. One line. */
const char *cmd_masked(struct run *run, const char *text);
/* The same for a member of a map. */
const char *cmd_shown(struct run *run, const struct data *map, const char *name);
/* Prints a stack, in words. */
void cmd_print_stack(struct run *run, const struct data *resolution);
/* Shows a line, masked, to a person who is asked. */
void cmd_ask_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Shows a refusal to a person who is asked again. */
void cmd_say_refusal(const struct data *refusal);
/* Shows a refusal (a map of the matrix) below the failure and in its document. */
void cmd_refuse(struct run *run, struct data *refusal);

/* Prints message, place, line with caret, trace and hint on stderr; colour only on a terminal. */
void print_failure(const struct run *run, const struct err *err);
/* Writes the one JSON document (docs/json.md) into run->out; `err` is NULL for a result. */
void print_document(struct run *run, int code, const struct err *err);

/* ---------------------------------------------------------------- configuration, catalog */

/* NAME in the user's folder of that kind ("XDG_CACHE_HOME", else ".cache" at home), or NULL. */
const char *cmd_user_path(struct arena *arena, const char *variable, const char *at_home,
                          const char *name);
/* Reads run->config, once in a run. */
TG_CHECKED int cmd_config(struct run *run, struct err *err);
/*
 * Opens run->catalog: --catalog SRC[@REF], else the configuration's, else the built-in one. A
 * remote catalog that the user has not trusted yet: exit 3, "untrusted-source", unless --trust is
 * given. Prints its warnings.
 */
TG_CHECKED int cmd_open_catalog(struct run *run, struct err *err);
/* The same for a command that puts the catalog's warnings into a report. */
TG_CHECKED int cmd_open_untold(struct run *run, struct err *err);

/*
 * Sets the trusted catalogs, from the configuration and --trust, and the access to servers, for
 * commands that open a record's catalog. Without `asks_servers` only the cache is used.
 */
TG_CHECKED int cmd_trust(struct run *run, bool asks_servers, struct err *err);

/* Splits --catalog without opening it; both are NULL where it is not given. Trust as above. */
TG_CHECKED int cmd_named_catalog(const char **source, const char **ref, struct run *run,
                                 struct err *err);

/* ---------------------------------------------------------------- a person, this machine */

/* The asker of answers_collect; typed answers, except secrets, go into `typed`. */
struct asker terminal_asker(struct typed *typed);

/*
 * Asks a question with yes or no until it is answered; an empty answer leaves `*yes`, the end of
 * the input fails.
 */
TG_CHECKED int ask_whether(bool *yes, const char *question, struct err *err);
/* Puts an answer's value in words: "yes", "github, gitlab". */
void put_answer(struct buf *out, const struct data *value);
/*
 * Replaces `auto` in --driver, --gpu and --arch by this machine's, as `doctor` finds it. Looks at
 * nothing where the request has no `auto`. Exit 2 where this machine has no such part.
 */
TG_CHECKED int machine_fill_auto(struct stack_request *request, struct run *run, struct err *err);

/*
 * Prints what the last of these words may become: VALUE, a tab and a description, a line each; a
 * VALUE that ends in '=' goes on. ":files" or ":folders", a tab and the part of the word before the
 * path ask the shell for those. Writes nothing, and asks no server. Returns an exit code.
 */
int complete_words(struct run *run, const char *const *argv, size_t argc);

/*
 * This machine's GPUs and driver, as far as they are found and known, as the request for them; and
 * in words, NULL: it has neither.
 */
void machine_find(struct stack_request *out, const char **words, struct run *run);

/* Finds the command whose name `argv` begins with, and its number of words; NULL: none. */
const struct command *command_find(size_t *words, const struct command *const *commands,
                                   const char *const *argv, size_t argc);
/* Switches of every command may stand before its name, too: how many of these words are. */
size_t command_count_leading(const char *const *argv, size_t argc);
/* True where the name begins with this word and has another one. */
bool command_is_of(const char *name, const char *word);
/* Answers as `help COMMAND` does. Returns an exit code. */
int help_tell(struct run *run, const struct command *command);
