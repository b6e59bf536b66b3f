/* Texts of another template, written so that tmplgen renders the same bytes. */
#ifndef TMPLGEN_IMPORT_TRANSLATE_H
#define TMPLGEN_IMPORT_TRANSLATE_H

#include "base/err.h"
#include "base/str.h"
#include "import/jinja_scan.h"
#include "template/loader.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;

/* How the templates of one source speak. */
struct dialect {
    struct jinja_style style;
    const char *object;       /* their answers are members of it; NULL: plain names */
    const struct data *names; /* a map: what they call an answer, and what it is called here */
    const struct data *ours;  /* a map whose names are those that answers have here */
    const char *type;         /* whose includes are meant */
    enum template_delimiters files; /* how the files of the type are to speak */
};

/* What was met on the way. */
struct translation {
    struct arena *arena;
    const struct dialect *dialect;
    bool has_tags;         /* else the text stands for itself */
    bool is_odd_include;   /* a template is taken in whose name is worked out */
    struct data *includes; /* a list: files that are taken in, as their loader knows them */
    struct data *sets;     /* a map: variables that `{% set %}` makes, in some branch or other */
    struct data *replaced; /* a map: filters that are nearly ours, and which that are */
};

void translation_init(struct translation *out, struct arena *arena, const struct dialect *dialect);
/*
 * The text with `target` delimiters: white space, names, filters, includes. Line ends become \n, as
 * they do when it is rendered. What is not closed: "template-syntax", without a file.
 */
TG_CHECKED int translate(const char **out, struct translation *t, struct span text,
                         enum template_delimiters target, struct err *err);
/* The same of what stands in a tag. */
const char *translate_expression(struct translation *t, struct span text);
/* A text that means itself, in a file or a name that is rendered. */
const char *translate_plain(struct arena *arena, struct span text, enum template_delimiters target);

/*
 * A text that is one output as its expression, one that is `{% if A %}B{% endif %}` as A and B;
 * NULL where it is something else. Both still speak their dialect.
 */
const char *text_as_output(struct arena *arena, const char *text, const struct jinja_style *style);
/* What is left of it without tags. */
const char *text_without_tags(struct arena *arena, const char *text,
                              const struct jinja_style *style);
bool text_as_condition(const char **when, const char **then, struct arena *arena, const char *text,
                       const struct jinja_style *style);

#endif
