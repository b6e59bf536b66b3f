/* The rules of `template lint`: the one table of them. */
#ifndef TMPLGEN_LINT_RULES_H
#define TMPLGEN_LINT_RULES_H

#include "base/str.h"

#include <stdbool.h>

/* In the order of the manual. */
enum lint_rule {
    RULE_MANIFEST,
    RULE_MATRIX,
    RULE_TEMPLATE,
    RULE_RENDER,
    RULE_UNKNOWN_NAME,
    RULE_UNKNOWN_ATTRIBUTE,
    RULE_MISSING_INCLUDE,
    RULE_UNUSED_QUESTION,
    RULE_UNUSED_LAYER,
    RULE_UNUSED_INCLUDE,
    RULE_UNUSED_GLOB,
    RULE_UNUSED_OVERRIDE,
    RULE_UNUSED_DEFAULT,
    RULE_MIGRATION,
    RULE_UNKNOWN_ANSWER,
    RULE_MISSING_MIGRATION,
    RULE_VERSION,
    RULE_SUPPRESSION,
    RULE_COUNT
};

struct lint_rule_row {
    const char *name;
    bool is_error; /* else a warning */
    const char *what;
};

extern const struct lint_rule_row lint_rules[RULE_COUNT];
/* The rule of that name, or RULE_COUNT. */
enum lint_rule lint_rule_of(struct span name);
const char *lint_severity(enum lint_rule rule); /* "error", "warning" */

#endif
