/* From what the user gave to a full, checked set of answers. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct data;
struct manifest;
struct question;
struct yaml_node;

/* Where a given answer came from; the first that has one wins. */
enum given_from {
    GIVEN_FLAG,
    GIVEN_SET,
    GIVEN_FILE,
    GIVEN_RECORD,
    GIVEN_GUESS, /* nobody said it: a default of this project, which is asked, and may be wrong */
    GIVEN_CONFIG
};

/* One answer as given: text (flags, --set) or a node (files), never both. */
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
/* The one that wins for `name`, or NULL. */
const struct given *given_find(const struct given_list *list, const char *name);

/* What a person is asked. */
struct prompt {
    const struct question *question;
    const char *help;
    const struct data *fallback; /* NULL: there is no default */
    const struct data *choices;  /* list of texts, or NULL */
    const struct data *labels;   /* as many: texts, "" for none; or NULL */
    const char *problem;         /* why the last answer was not taken, or NULL */
};

/*
 * Asks a person. Sets `*text` to the answer in the arena, or to NULL for the default. Returns -1
 * where the person gave up.
 */
struct asker {
    int (*ask)(const char **text, void *context, struct arena *arena, const struct prompt *prompt,
               struct err *err);
    void *context;
    bool secrets; /* somebody will read the answers of secrets */
};

/*
 * Asks for one of `names`, each with a label, until one is named, with a SPEC behind it where
 * `takes_spec`; for what is needed before there are questions.
 */
TG_CHECKED int answers_choose(const char **out, struct arena *arena, const struct asker *asker,
                              const char *name, const char *help, const struct words *names,
                              const char *const *labels, bool takes_spec, struct err *err);
/* Asks for a text; `*out` stays what it is where that is taken. */
TG_CHECKED int answers_ask(const char **out, struct arena *arena, const struct asker *asker,
                           const char *name, const char *help, struct err *err);

struct answers {
    /* What templates see: every question's value, hidden ones and secrets by their default. */
    struct data *values;
    /* What the record keeps: the questions that apply, without computed ones and secrets. */
    struct data *kept;
    struct data *secrets; /* what was said of secrets: for nothing that is written */
    size_t bytes;         /* of all values: LIMIT_ANSWERS_BYTES */
    /* Names of questions that took their default without being asked or given. */
    const char **defaulted;
    size_t defaulted_count;
    /* The guesses that were taken. */
    const struct given **guessed;
    size_t guessed_count;
};

/*
 * Answers all questions of `manifest` in order. `context` is a map with what templates see besides
 * answers (resolution, request, template). `name_default` is the default of `name`. Given answers
 * that no question takes, that are hidden, or that are not valid: exit 2, "invalid-answer" or
 * "unknown-question", naming them (those from GIVEN_CONFIG are passed over where they do not
 * apply, guesses where they are not valid, too); answers that do not go together, with the
 * manifest's own words, as soon as all of them are known: who was asked is asked again. Without
 * `asker` a question without a default and answer is exit 2, "missing-answer".
 */
TG_CHECKED int answers_collect(struct answers *out, struct arena *arena,
                               const struct manifest *manifest, const struct given_list *given,
                               const struct data *context, const char *name_default,
                               const struct asker *asker, struct err *err);
