/* The rules of `template lint`: the one table of them. */
#include "author/lint/lint_rules.h"

const struct lint_rule_row lint_rules[RULE_COUNT] = {
    [RULE_MANIFEST] = {"manifest", true,
                       "catalog.yml, template.yml, layer.yml or image.yml is not as it must be"},
    [RULE_MATRIX] = {"matrix", true, "what `matrix check` finds"},
    [RULE_TEMPLATE] = {"template", true,
                       "a template cannot be right: syntax, an unknown filter, test or tag, "
                       "arguments that these do not take, a name that an import has not"},
    [RULE_RENDER] = {"render", true, "a type does not render with its default answers"},
    [RULE_UNKNOWN_NAME] = {"unknown-name", true,
                           "a template mentions a name that is no question of the type"},
    [RULE_UNKNOWN_ATTRIBUTE] = {"unknown-attribute", true, "`resolution` has nothing of that name"},
    [RULE_MISSING_INCLUDE] = {"missing-include", true, "an include that no file answers to"},
    [RULE_UNUSED_QUESTION] = {"unused-question", true, "a question that no template reads"},
    [RULE_UNUSED_LAYER] = {"unused-layer", false, "a layer that no type and no base image takes"},
    [RULE_UNUSED_INCLUDE] = {"unused-include", false, "a file of includes that nothing includes"},
    [RULE_UNUSED_GLOB] = {"unused-glob", false,
                          "a glob of `files` or `delimiters` that matches no file"},
    [RULE_UNUSED_OVERRIDE] = {"unused-override", false,
                              "a glob of `overrides` that replaces no file of an earlier layer"},
    [RULE_UNUSED_DEFAULT] = {"unused-default", false,
                             "a default of catalog.yml for what no type asks"},
    [RULE_MIGRATION] = {"migration", true, "a migration that cannot be applied, or makes no sense"},
    [RULE_UNKNOWN_ANSWER] = {"unknown-answer", false,
                             "a migration speaks of an answer that no release asked for"},
    [RULE_MISSING_MIGRATION] = {"missing-migration", false,
                                "an answer or a file is gone since the last release, and no "
                                "migration says where it went"},
    [RULE_VERSION] = {"version", true, "the catalog differs from the release that has its version"},
    [RULE_SUPPRESSION] = {"suppression", true,
                          "a comment `tmplgen-lint: ignore` without reason, of no rule, or of "
                          "nothing"},
};

enum lint_rule lint_rule_of(struct span name)
{
    size_t i = 0;
    while (i < RULE_COUNT && !span_equal(name, span_from(lint_rules[i].name)))
        i++;
    return (enum lint_rule)i;
}

const char *lint_severity(enum lint_rule rule)
{
    return lint_rules[rule].is_error ? "error" : "warning";
}
