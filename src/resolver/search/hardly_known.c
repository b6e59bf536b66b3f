/* Releases of low confidence: they are taken only when named exactly. */
#include "resolver/search/hardly_known.h"

#include "base/arena.h"
#include "base/shell.h"
#include "resolver/search/search.h"

#define LOOKED_AT 4 /* releases; older ones are not missed */

/* The index of a package in the request's --with, or their number. */
static size_t place_of(const struct demands *ask, const struct framework *row)
{
    size_t i = 0;
    while (i < ask->with_count && ask->with[i].row != row)
        i++;
    return i;
}

/* Names exactly `release` of the named package, or of the --with package at an index. */
static void say_exactly(struct stack_request *request, struct arena *arena,
                        const struct demands *ask, const struct framework *row,
                        const struct release *release)
{
    const char *said = arena_printf(arena, "%s==%s", row->name, release->version.text);
    if (row == ask->named) {
        request_say(request, arena, CHOICE_FRAMEWORK, said);
        return;
    }
    request_say(request, arena, CHOICE_WITH, NULL);
    for (size_t i = 0; i < ask->with_count; i++)
        request_add(request, arena, CHOICE_WITH,
                    ask->with[i].row == row ? said : ask->with[i].said);
}

/* Whether the demands `active` would take the release if it were named exactly. */
static bool would_do(struct arena *arena, const struct demands *ask, uint64_t active,
                     const struct framework *row, const struct release *release)
{
    ERR_SCRATCH(ignored);
    struct candidate candidate;
    struct demands *named = arena_alloc(arena, sizeof *named);
    struct stack_request request = ask->request;
    say_exactly(&request, arena, ask, row, release);
    if (ask_compile(named, arena, ask->matrix, &request, &ignored))
        return false;
    if (row == ask->named && ask->at[CHOICE_FRAMEWORK] < 0) /* one more demand, before all others */
        active <<= 1;
    if (row == ask->named)
        active |= (uint64_t)1 << named->at[CHOICE_FRAMEWORK];
    return search_best(&candidate, named, active);
}

/* The same for the user's own request, without the recorded stack that the project holds. */
static const struct release *known_of_user(struct arena *arena, const struct demands *ask,
                                           const struct framework *row, const struct version *than)
{
    ERR_SCRATCH(ignored);
    struct demands *user = arena_alloc(arena, sizeof *user);
    if (ask_compile(user, arena, ask->matrix, ask->request.asked, &ignored))
        return NULL;
    return hardly_known(arena, user, ask_all(user), row, than);
}

/* The SPEC for the releases of a row; NULL where no active demand has one. */
static const struct spec *spec_of(const struct demands *ask, uint64_t active,
                                  const struct framework *row)
{
    int at = ask->at[CHOICE_FRAMEWORK];
    if (row == ask->named)
        return at >= 0 && active >> at & 1 ? &ask->specs[CHOICE_FRAMEWORK] : NULL;
    const struct spec *spec = &ask->with[place_of(ask, row)].spec;
    return spec->count ? spec : NULL;
}

const struct release *hardly_known(struct arena *arena, const struct demands *ask, uint64_t active,
                                   const struct framework *row, const struct version *than)
{
    if (ask->request.asked && active == ask_all(ask))
        return known_of_user(arena, ask, row, than);
    if (row != ask->named && place_of(ask, row) == ask->with_count)
        return NULL; /* it is there only because another requires it */
    const struct spec *asked = spec_of(ask, active, row);
    size_t seen = 0;
    if (asked && spec_is_exact(asked))
        return NULL;
    for (size_t i = 0; i < row->releases.count && seen < LOOKED_AT; i++) {
        const struct release *release = ROW(struct release, row->releases, i);
        if (than && version_compare(&release->version, than) <= 0)
            break; /* the rows have the newest first */
        if (release->fact.confidence != CONFIDENCE_LOW ||
            (asked ? !spec_matches(asked, &release->version)
                   : version_is_prerelease(&release->version)))
            continue;
        seen++;
        if (would_do(arena, ask, active, row, release))
            return release;
    }
    return NULL;
}

const char *exactly(struct arena *arena, const struct demands *ask, const struct framework *row,
                    const struct release *release)
{
    const char *said = arena_printf(arena, "%s==%s", row->name, release->version.text);
    return row == ask->named ? shell_command(arena, "--framework %s", said)
                             : shell_command(arena, "--with %s", said);
}
