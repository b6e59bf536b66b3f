/* Comments that switch off a rule in a file: `tmplgen-lint: ignore RULE because ...`. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/data.h"
#include "data/fileset.h"

#include <stdio.h>
#include <string.h>

#define MARK "tmplgen-lint:"

struct suppression {
    const char *path;
    struct span text; /* of the file */
    size_t offset;    /* of the mark */
    enum lint_rule rule;
    bool used;
};

struct suppressions {
    struct lint *lint;
    struct suppression *items;
    size_t count;
};

static void wrong_comment(const struct suppressions *all, const struct suppression *at,
                          const char *message)
{
    ERR_SCRATCH(wrong);
    if (findings_full(all->lint->findings, RULE_SUPPRESSION) ||
        !budget_try_steps(budget_steps_of(at->offset)))
        return;
    (void)err_set(&wrong, TG_USAGE, "invalid", "%s", message);
    (void)err_hint(&wrong, "write: " MARK " ignore RULE because REASON; the rules are those of "
                           "'tmplgen template lint --rules'");
    (void)err_at(&wrong, at->path, at->text.ptr, at->text.len, at->offset);
    findings_add(all->lint->findings, RULE_SUPPRESSION, &wrong);
}

/* Reads "ignore RULE because REASON" after the mark, on one line. */
static void read_comment(struct suppressions *all, struct suppression at)
{
    struct arena *arena = all->lint->arena;
    const char *start = at.text.ptr + at.offset + strlen(MARK);
    size_t left = at.text.len - at.offset - strlen(MARK);
    const char *end = memchr(start, '\n', left);
    const char *line = arena_memdup(arena, start, end ? (size_t)(end - start) : left);
    char rule[64], because[16], reason[16];
    int read = sscanf(line, " ignore %63s %15s %15s", rule, because, reason);
    at.rule = read > 0 ? lint_rule_of(span_from(rule)) : RULE_COUNT;
    if (at.rule == RULE_COUNT)
        wrong_comment(all, &at,
                      read > 0 ? arena_printf(arena, "there is no rule '%s'", rule)
                               : "a rule is to be named");
    else if (read < 3 || strcmp(because, "because") != 0 ||
             strspn(reason, "#*/-%}]>") == strlen(reason))
        wrong_comment(all, &at, "a reason is to be given");
    else {
        arena_push(arena, all->items, all->count) = at;
    }
}

static int read_file(struct suppressions *all, size_t index)
{
    struct lint *lint = all->lint;
    const struct fileset_entry *entry = &lint->files->entries[index];
    struct span text;
    if (lint->files->read(&text, lint->files, index, lint->err) < 0 ||
        budget_steps(budget_steps_of(text.len), lint->err) < 0)
        return -1;
    for (size_t at = 0; at < text.len;) {
        const char *found = memmem(text.ptr + at, text.len - at, MARK, strlen(MARK));
        if (!found)
            break;
        size_t offset = (size_t)(found - text.ptr);
        read_comment(all, (struct suppression){entry->path, text, offset, RULE_COUNT, false});
        at = offset + strlen(MARK);
    }
    return 0;
}

static bool is_ignored(struct suppressions *all, const struct finding *finding)
{
    bool ignored = false;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].rule == finding->rule && finding->file &&
            strcmp(all->items[i].path, finding->file) == 0)
            ignored = all->items[i].used = true;
    return ignored;
}

static void take_away(struct suppressions *all)
{
    struct finding_list *findings = all->lint->findings;
    size_t kept = 0;
    for (size_t i = 0; i < findings->count && budget_try_steps(all->count); i++)
        if (!is_ignored(all, &findings->items[i]))
            findings->items[kept++] = findings->items[i];
    findings->count = kept;
}

int lint_suppressions(struct lint *lint)
{
    struct suppressions all = {.lint = lint};
    for (size_t i = 0; i < lint->files->count; i++)
        if (strcmp(lint->files->entries[i].path, "CHANGELOG.md") != 0 && read_file(&all, i) < 0)
            return -1;
    take_away(&all);
    for (size_t i = 0; i < all.count; i++)
        if (!all.items[i].used && lint->whole && !lint->findings->more)
            wrong_comment(&all, &all.items[i], "nothing is ignored by this");
    return 0;
}
