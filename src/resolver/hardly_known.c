/* Releases of which little is known: taken only when named exactly. */
#include "resolver/hardly_known.h"

#include "base/arena.h"
#include "base/shell.h"
#include "resolver/search.h"

#define LOOKED_AT 4 /* releases; what is older than so many new ones is not missed */

/* Whether the demands `active` would take the release if it were named exactly. */
static bool would_do(struct arena *arena, const struct ask *ask, uint64_t active,
                     const struct release *release)
{
    ERR_SCRATCH(ignored);
    struct candidate candidate;
    struct ask *named = arena_alloc(arena, sizeof *named);
    struct stack_request request = ask->request;
    request_say(&request, arena, CHOICE_FRAMEWORK,
                arena_printf(arena, "%s==%s", ask->framework->name, release->version.text));
    if (ask_compile(named, arena, ask->matrix, &request, &ignored))
        return false;
    if (ask->at[CHOICE_FRAMEWORK] < 0) /* one demand more, before all others */
        active <<= 1;
    return search_best(&candidate, named, active | (uint64_t)1 << named->at[CHOICE_FRAMEWORK]);
}

/* The same of what the user said, who does not hold on to what the project has. */
static const struct release *known_of_user(struct arena *arena, const struct ask *ask,
                                           const struct version *than)
{
    ERR_SCRATCH(ignored);
    struct ask *user = arena_alloc(arena, sizeof *user);
    if (ask_compile(user, arena, ask->matrix, ask->request.asked, &ignored))
        return NULL;
    return hardly_known(arena, user, ask_all(user), than);
}

const struct release *hardly_known(struct arena *arena, const struct ask *ask, uint64_t active,
                                   const struct version *than)
{
    if (ask->request.asked && active == ask_all(ask))
        return known_of_user(arena, ask, than);
    const struct framework *framework = ask->framework;
    const struct spec *spec = &ask->specs[CHOICE_FRAMEWORK];
    bool asked = ask->at[CHOICE_FRAMEWORK] >= 0 && active >> ask->at[CHOICE_FRAMEWORK] & 1;
    size_t seen = 0;
    if (ask->named != framework || (asked && spec_is_exact(spec)))
        return NULL; /* a SPEC is that of the one that was named */
    for (size_t i = 0; i < framework->releases.count && seen < LOOKED_AT; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        if (than && version_compare(&release->version, than) <= 0)
            break; /* the newest come first */
        if (release->fact.confidence != CONFIDENCE_LOW ||
            (asked ? !spec_matches(spec, &release->version)
                   : version_is_prerelease(&release->version)))
            continue;
        seen++;
        if (would_do(arena, ask, active, release))
            return release;
    }
    return NULL;
}

const char *exactly(struct arena *arena, const struct ask *ask, const struct release *release)
{
    const char *said = arena_printf(arena, "%s==%s", ask->framework->name, release->version.text);
    return shell_command(arena, "--framework %s", said);
}
