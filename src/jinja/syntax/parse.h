/* From template text to statements and expressions. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct template_source;
struct program;

/* Reads a template, or with `expression` a bare expression. Everything lives in the arena. */
TG_CHECKED int program_parse(struct program **out, struct arena *arena,
                             const struct template_source *source, bool expression,
                             struct err *err);
