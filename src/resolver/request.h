/* The stack choices, and a request: what was said for each of them. */
#pragma once

#include "base/err.h"
#include "base/option.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct data;
struct yaml_node;

/* In the order of help, records and JSON. */
enum stack_choice {
    CHOICE_FRAMEWORK, /* NAME[SPEC] */
    CHOICE_PYTHON,
    CHOICE_CUDA,
    CHOICE_VARIANT,
    CHOICE_DRIVER,
    CHOICE_GPU,
    CHOICE_PLATFORM,
    CHOICE_OS,
    CHOICE_ARCH,
    CHOICE_RUNTIME,
    CHOICE_IMAGE,
    CHOICE_WITH,
    CHOICE_COUNT
};

/*
 * The one table of them, by that enum; a row without a name ends it. The name of an option is also
 * the key of --set, of answers, of a record's `request` and of JSON. Whoever needs the choices
 * walks this table.
 */
extern const struct option stack_options[];

/* The choice of that name, or CHOICE_COUNT. */
enum stack_choice stack_choice_of(struct span name);

/* What the files of a type need of a stack, whatever the user says. */
struct stack_need {
    const char *type;           /* for messages */
    const char *python;         /* SPEC, or NULL: any */
    struct words frameworks;    /* that it has files for; none: any */
    struct words distributions; /* families of images that its files can be built on; none: any */
};

/*
 * Texts as the user gave them; the resolver checks and explains them. No text: not asked. Only a
 * repeatable choice has several. `need` is a demand like any other, but nobody said it: it is in
 * no record, and nothing proposes to change it.
 */
struct stack_request {
    struct words said[CHOICE_COUNT];
    struct stack_need need;
    /* What the user said, where this holds on to more than that; or NULL. Outlives this. */
    const struct stack_request *asked;
};

/* What was said for a choice that is not repeatable, or NULL. */
const char *request_text(const struct stack_request *request, enum stack_choice choice);
/* The processor that was said, by the word of the matrix, or NULL: "arm64" is "aarch64". */
const char *request_processor(const struct stack_request *request);
/* Says `text`, and nothing else, for a choice; NULL takes back what was said. */
void request_say(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text);
/* Says one text more for a choice that is repeatable. */
void request_add(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text);
/* Takes a text of a choice back, as often as it was said. */
void request_take_back(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                       const char *text);
/* What is said in `over` takes the place of what was said for the same choice. */
void request_overlay(struct stack_request *request, const struct stack_request *over);

/* The request as in docs/json.md: only what was asked, in the order of the choices. */
struct data *stack_request_data(struct arena *arena, const struct stack_request *request);
/* The same back, from a record. Exit 2 where it is not of that form. */
TG_CHECKED int stack_request_parse(struct stack_request *out, struct arena *arena,
                                   const struct data *data, struct err *err);

/* The same from a mapping of a file, where every value is text, or a list of texts. Exit 2. */
TG_CHECKED int stack_request_read(struct stack_request *out, struct arena *arena,
                                  const struct yaml_node *node, struct err *err);

/* The name inside `NAME[SPEC]`, in the arena: "pytorch" of "pytorch>=2.6". */
const char *package_name(struct arena *arena, const char *said);
/* The SPEC behind it and its extras: ">=2.6" of "pytorch[all]>=2.6". */
const char *package_spec(const char *said);
/* The name of the framework that was asked for. */
const char *request_framework(const struct stack_request *request, struct arena *arena);
