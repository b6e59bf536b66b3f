/* Checks one answer, given as a text, against its question. */
#pragma once

#include "base/err.h"

struct arena;
struct data;
struct question;

/* What to check an answer against. */
struct answer_check {
    struct arena *arena;
    const struct question *question;
    const struct data *choices; /* a list of texts; NULL: any value */
    struct err *err;
};

/* Parses an answer. Exit 2: "invalid-answer" with the reason, or "limit". */
TG_CHECKED int answer_parse(struct data **out, const struct answer_check *check, const char *text);
/* Parses a list of texts into the type of the question's items. */
TG_CHECKED int answer_parse_items(struct data **out, const struct answer_check *check,
                                  const struct data *texts);
/* Splits at any of `separators`, trims blanks, drops empty pieces: a list. */
struct data *answer_split(struct arena *arena, const char *text, const char *separators);
