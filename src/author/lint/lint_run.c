/* One run of `template lint`: keeps its findings. */
#include "author/lint/lint_run.h"

#include "base/budget.h"
#include "data/fileset.h"

bool lint_ends(const struct err *err)
{
    ERR_SCRATCH(ignored);
    return err->exit == TG_RUNTIME || err->exit > TG_DIFFERS || budget_steps(0, &ignored) < 0;
}

int lint_keep(struct lint *lint, enum lint_rule rule, const struct err *err)
{
    if (lint_ends(err)) {
        (void)err_set(lint->err, err->exit, err->code, "%s", err->message);
        return err->hint ? err_hint(lint->err, "%s", err->hint) : -1;
    }
    findings_add(lint->findings, rule, err);
    return 0;
}

int lint_keep_at(struct lint *lint, enum lint_rule rule, struct err *err, const char *path)
{
    ERR_SCRATCH(ignored);
    struct span text = {NULL, 0};
    if (fileset_get(&text, lint->files, path, &ignored) < 0)
        text = span_of("", 0);
    (void)err_at(err, path, text.ptr, text.len, 0);
    return lint_keep(lint, rule, err);
}
