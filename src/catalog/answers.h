/* Turns what the user gave into a complete, checked set of answers. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct data;
struct manifest;
struct question;
struct yaml_node;

/* The source of a given answer, in order of precedence. */
enum given_from {
    GIVEN_FLAG,
    GIVEN_SET,
    GIVEN_FILE,
    GIVEN_RECORD,
    GIVEN_GUESS, /* a project-specific default that may be wrong; the question is still asked */
    GIVEN_CONFIG
};

/* One given answer: either text (flags, --set) or a node (files). */
struct given {
    const char *name;
    enum given_from from;
    const char *text;
    const struct yaml_node *node;
};

struct given_list {
    struct given *items;
    size_t count;
};

void given_add(struct given_list *list, struct arena *arena, struct given given);
/* The answer for `name` with the highest precedence, or NULL. */
const struct given *given_find(const struct given_list *list, const char *name);

/* What to show when asking a question. */
struct prompt {
    const struct question *question;
    const char *help;
    const struct data *fallback; /* NULL: there is no default */
    const struct data *choices;  /* list of texts, or NULL */
    const struct data *labels;   /* as many texts, "" for none; or NULL */
    const char *problem;         /* why the last answer was not taken, or NULL */
    bool changed;                /* the question's own default will not do: this is another one */
};

/*
 * Asks the user. Sets `*text` to the answer, in the arena, or to NULL for the default. Returns -1
 * if the user aborts.
 */
struct asker {
    int (*ask)(const char **text, void *context, struct arena *arena, const struct prompt *prompt,
               struct err *err);
    void *context;
    bool secrets; /* the caller reads the answers to secrets */
    /*
     * Whether a question is asked that has a default; NULL: each is. One whose default will not do
     * is asked in any case, with another default.
     */
    bool (*wants)(void *context, const struct question *question);
};

/*
 * Asks until the user enters one of `names`, each shown with a label; with `takes_spec` a SPEC may
 * follow the name. For choices before there are questions.
 */
TG_CHECKED int answers_choose(const char **out, struct arena *arena, const struct asker *asker,
                              const char *name, const char *help, const struct words *names,
                              const char *const *labels, bool takes_spec, struct err *err);
/* Asks for a text; the default leaves `*out` as it is. */
TG_CHECKED int answers_ask(const char **out, struct arena *arena, const struct asker *asker,
                           const char *name, const char *help, struct err *err);

struct answers {
    /* For templates: values of all questions; hidden ones and secrets have their default. */
    struct data *values;
    /* For the record: questions that apply, without computed ones and secrets. */
    struct data *kept;
    struct data *secrets; /* answers to secrets; never written anywhere */
    size_t bytes;         /* total size of the values, up to LIMIT_ANSWERS_BYTES */
    /* Questions that took their default because no answer was given or asked for. With an asker
     * also secrets. */
    const char **defaulted;
    size_t defaulted_count;
    /* The guesses that were used. */
    const struct given **guessed;
    size_t guessed_count;
};

/*
 * Answers all questions of `manifest` in order. `context` is a map of what templates see besides
 * answers (resolution, request, template). `name_default` is the default of `name`. A given answer
 * that is invalid, or whose question does not exist or is hidden, is exit 2, "invalid-answer" or
 * "unknown-question", with its name. Answers from GIVEN_RECORD on are ignored if they do not apply;
 * so are invalid guesses. Answers that exclude each other fail with the manifest's message as soon
 * as all of them are known; a user who was asked is asked again. Without an `asker`, a question
 * with neither default nor answer is exit 2, "missing-answer".
 */
TG_CHECKED int answers_collect(struct answers *out, struct arena *arena,
                               const struct manifest *manifest, const struct given_list *given,
                               const struct data *context, const char *name_default,
                               const struct asker *asker, struct err *err);
/* Whether `text` is of the form that the question `name` of the manifest wants. */
bool answers_can_be(struct arena *arena, const struct manifest *manifest, const char *name,
                    const char *text);
