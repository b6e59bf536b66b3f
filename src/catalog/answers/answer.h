/* One answer: a text, held against what its question takes. */
#pragma once

#include "base/err.h"

struct arena;
struct data;
struct question;

/* What an answer is held against. */
struct answer_check {
    struct arena *arena;
    const struct question *question;
    const struct data *choices; /* a list of texts; NULL: any value goes */
    struct err *err;
};

/* Exit 2, "invalid-answer" with the reason, or "limit". */
TG_CHECKED int answer_parse(struct data **out, const struct answer_check *check, const char *text);
/* A list of texts, as the question's items are. */
TG_CHECKED int answer_parse_items(struct data **out, const struct answer_check *check,
                                  const struct data *texts);
/* Splits at any of `separators`, trims blanks, drops empty pieces: a list. */
struct data *answer_split(struct arena *arena, const char *text, const char *separators);
