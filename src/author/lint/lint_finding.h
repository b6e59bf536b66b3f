/* The findings of `template lint`: rule, place, reason and remedy, sorted, each once. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

/* In the manual's order: name, whether it is an error (else a warning), and its meaning. */
#define EACH_LINT_RULE(X)                                                                          \
    X(RULE_MANIFEST, "manifest", true,                                                             \
      "catalog.yml, template.yml, layer.yml or image.yml is not as it must be")                    \
    X(RULE_MATRIX, "matrix", true, "what `matrix check` finds")                                    \
    X(RULE_TEMPLATE, "template", true,                                                             \
      "a template cannot be right: syntax, an unknown filter, test or tag, arguments that "        \
      "these do not take, a name that an import has not")                                          \
    X(RULE_RENDER, "render", true, "a type does not render with its default answers")              \
    X(RULE_UNKNOWN_NAME, "unknown-name", true,                                                     \
      "a template mentions a name that is no question of the type")                                \
    X(RULE_UNKNOWN_ATTRIBUTE, "unknown-attribute", true, "`resolution` has nothing of that name")  \
    X(RULE_MISSING_INCLUDE, "missing-include", true, "an include that no file answers to")         \
    X(RULE_UNUSED_QUESTION, "unused-question", true, "a question that no template reads")          \
    X(RULE_UNUSED_LAYER, "unused-layer", false, "a layer that no type and no base image takes")    \
    X(RULE_UNUSED_INCLUDE, "unused-include", false, "a file of includes that nothing includes")    \
    X(RULE_UNUSED_GLOB, "unused-glob", false,                                                      \
      "a glob of `files` or `delimiters` that matches no file")                                    \
    X(RULE_UNUSED_OVERRIDE, "unused-override", false,                                              \
      "a glob of `overrides` that replaces no file of an earlier layer")                           \
    X(RULE_UNUSED_DEFAULT, "unused-default", false,                                                \
      "a default of catalog.yml for what no type asks")                                            \
    X(RULE_MIGRATION, "migration", true, "a migration that cannot be applied, or makes no sense")  \
    X(RULE_UNKNOWN_ANSWER, "unknown-answer", false,                                                \
      "a migration speaks of an answer that no release asked for")                                 \
    X(RULE_MISSING_MIGRATION, "missing-migration", false,                                          \
      "an answer or a file is gone since the last release, and no migration says where it "        \
      "went")                                                                                      \
    X(RULE_VERSION, "version", true, "the catalog differs from the release that has its version")  \
    X(RULE_SUPPRESSION, "suppression", true,                                                       \
      "a comment `tmplgen-lint: ignore` without reason, of no rule, or of nothing")

#define RULE_CONSTANT(constant, name, is_error, what) constant,
enum lint_rule { EACH_LINT_RULE(RULE_CONSTANT) RULE_COUNT };

struct lint_rule_row {
    const char *name;
    bool is_error; /* else a warning */
    const char *what;
};

extern const struct lint_rule_row lint_rules[RULE_COUNT];
/* Finds the rule of that name; RULE_COUNT: there is none. */
enum lint_rule lint_rule_of(struct span name);
const char *lint_severity(enum lint_rule rule); /* "error", "warning" */

#define FINDINGS_SHOWN ((size_t)100)

struct finding {
    enum lint_rule rule;
    const char *message, *hint, *trace; /* hint and trace may be NULL */
    const char *file, *source;          /* NULL: no place */
    size_t line, column, caret;
    const char *types; /* "batch, service": the types that it is about; or NULL */
};

struct finding_list {
    struct arena *arena;
    struct finding *items;
    size_t count;
    struct intern subjects; /* keys of findings about types: "rule file line column subject" */
    size_t *numbers;        /* the finding of each key */
    size_t more;            /* findings beyond those that are kept */
    size_t more_bad;        /* errors among them */
};

/*
 * True where no more findings are kept; then it counts one of the rule. Call it before formatting a
 * finding, which takes time.
 */
bool findings_full(struct finding_list *findings, enum lint_rule rule);
/* Keeps a copy of the error. */
void findings_add(struct finding_list *findings, enum lint_rule rule, const struct err *err);
/*
 * The same for a finding about a type: at one place, each subject has one finding, with all its
 * types. Copies `subject`.
 */
void findings_add_of(struct finding_list *findings, enum lint_rule rule, const struct err *err,
                     const char *subject, const char *type);
/* Sorts by file, line, column, rule; removes duplicates. */
void findings_sort(struct finding_list *findings);
size_t findings_errors(const struct finding_list *findings);
size_t findings_warnings(const struct finding_list *findings);

/* Prints one finding in a compiler's form. Masks foreign text. */
int finding_print(struct buf *out, const struct finding *finding);
struct data *finding_data(struct arena *arena, const struct finding *finding);
