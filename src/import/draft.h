/* A type in the making: what a foreign template becomes, until it is written. */
#ifndef TMPLGEN_IMPORT_DRAFT_H
#define TMPLGEN_IMPORT_DRAFT_H

#include "base/err.h"
#include "base/str.h"
#include "import/translate.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct fileset;

/* A file of theirs that a project gets. */
struct draft_input {
    size_t index;     /* in the set that it is read from */
    const char *path; /* in a project, as their templates say it */
    bool renders;     /* its content; else it is copied */
    bool renders_name;
};

/* A file of the catalog. */
struct draft_file {
    const char *path;
    struct span bytes;
    bool executable;
    const char *source; /* theirs that it comes from; NULL: made here */
};

struct draft {
    struct arena *arena;
    const struct fileset *from;
    const char *type, *description;
    struct dialect dialect;
    const char *include_folders[3]; /* where their loader looks, each with its '/'; NULL ends */
    struct data *names;             /* a map: what they call an answer, and its name here */
    struct data *ours;              /* a map of the names here that texts may read so far */
    struct data *constants; /* a map: names here whose value is no answer, and the expression */
    struct data *questions, *rules, *refuse; /* rows of template.yml */
    struct data *left_out;                   /* questions that nothing reads any more */
    struct data *decisions;                  /* for a person: maps of kind, file, line, what */
    struct draft_input *inputs;
    size_t input_count;
    struct draft_file *files;
    size_t file_count;
    size_t templates, copied, unconverted; /* of these */
};

/* `type` is a type's name already. */
void draft_init(struct draft *out, struct arena *arena, const struct fileset *from,
                const char *type, const char *description);
/* A type's name made of any: "my-template" of "My Template.git". */
const char *draft_type_name(struct arena *arena, const char *text);

/* Something that a person must decide or know of. `file` may be NULL, `line` 0. */
void draft_tell(struct draft *draft, const char *kind, const char *file, size_t line,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * Gives an answer of theirs a name here: the same, where it is free and one that questions can
 * have. All are named before any text is translated. `all` has what theirs are called (a map).
 */
const char *draft_name(struct draft *draft, const char *theirs, const struct data *all);
/* From here on texts may read it. */
void draft_know(struct draft *draft, const char *ours);

/*
 * A text of theirs for the manifest, or with `expression` what stands in a tag. NULL where it
 * cannot be said: `*why` is the reason.
 */
const char *draft_text(const char **why, struct draft *draft, const char *text);
const char *draft_expression(const char **why, struct draft *draft, const char *text);

/* A row of template.yml, `name` and `type` set, which is one of its questions from now on. */
struct data *draft_question(struct draft *draft, const char *ours, const char *type);
/* What the row's default is, told where it cannot be said. */
void draft_default(struct draft *draft, struct data *row, const char *theirs, const char *text);
/* Never asked: what its default says is worked out from other answers. */
void draft_compute(struct draft *draft, struct data *row);
bool draft_is_computed(const struct data *row);
/* A choice: its value, and what people see of it. Both are texts of the manifest. */
struct data *draft_choice(struct draft *draft, const char *value, const char *label);
/* Gives the row `form: true`, where manifests have that form and it is one that is asked. */
void draft_mark(struct draft *draft, struct data *row, const char *form);
/* A value that no question can hold: templates set it themselves. */
void draft_constant(struct draft *draft, const char *ours, const char *expression);
/* A value as an expression; texts are templates of theirs where `renders`. NULL: cannot be said. */
const char *draft_literal(struct draft *draft, const struct data *value, bool renders);

void draft_add_input(struct draft *draft, struct draft_input input);
void draft_add_file(struct draft *draft, struct draft_file file);
/* The line that a byte of a text is on. */
size_t draft_line(struct span text, size_t offset);

#endif
