/* What `template lint` finds: by rules, with place, line, reason and remedy,
 * sorted, each once. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct data;

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

#define FINDINGS_SHOWN ((size_t)100)

struct finding {
    enum lint_rule rule;
    const char *message, *hint, *trace; /* hint and trace may be NULL */
    const char *file, *source;          /* NULL: no place */
    size_t line, column, caret;
    const char *types; /* "batch, service": whom it is about; or NULL */
};

struct finding_list {
    struct arena *arena;
    struct finding *items;
    size_t count;
    struct intern subjects; /* of those that are about types: "rule file line column subject" */
    size_t *numbers;        /* of the findings that these are */
    size_t more;            /* that were found beyond those that are kept */
    size_t more_bad;        /* of them errors */
};

/*
 * Whether no more are kept; one of the rule is counted then. Call it before a finding is put into
 * words, which takes time.
 */
bool findings_full(struct finding_list *findings, enum lint_rule rule);
/* Keeps a copy of what the error says. */
void findings_add(struct finding_list *findings, enum lint_rule rule, const struct err *err);
/*
 * The same of a type: at one place, one subject is told of once, with all types. `subject` is
 * copied.
 */
void findings_add_of(struct finding_list *findings, enum lint_rule rule, const struct err *err,
                     const char *subject, const char *type);
/* By file, line, column, rule; what is said twice is left out. */
void findings_sort(struct finding_list *findings);
size_t findings_errors(const struct finding_list *findings);
size_t findings_warnings(const struct finding_list *findings);

/* One, as a compiler says it. Foreign text is masked. */
int finding_print(struct buf *out, const struct finding *finding);
struct data *finding_data(struct arena *arena, const struct finding *finding);
