/* `template lint`: finds the mistakes of a catalog, as far as they can be found. */
#include "author/lint.h"

#include "author/lint/lint_run.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/budget.h"
#include "catalog/catalog.h"
#include "data/data.h"

int lint_catalog(struct finding_list *out, struct arena *arena, const struct catalog *catalog,
                 struct words types, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    static int (*const steps[])(struct lint *) = {
        lint_manifests, lint_mentions, lint_unused, lint_history, lint_renders, lint_suppressions,
    };
    struct lint lint = {.arena = arena,
                        .catalog = catalog,
                        .chosen = types,
                        .files = catalog->files,
                        .findings = out,
                        .whole = types.count == 0,
                        .reached = data_map(arena),
                        .err = err};
    *out = (struct finding_list){.arena = arena};
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (steps[i](&lint) < 0 || budget_steps(0, err) < 0)
            return -1;
    findings_sort(out);
    return 0;
}
