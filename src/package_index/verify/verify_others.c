/* Verifies a row's statements on other packages: companions, requirements. */
#include "package_index/verify/verification.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"
#include "matrix/facts.h"
#include "package_index/evidence/evidence.h"

/* ------------------------------------------------------------------ companions */

/* The companion's requirement on its package; NULL: it has none. */
static const char *said_of(const struct verification *c, const struct data *companion, bool *agrees)
{
    const struct data *list = index_requires(companion, processor_names[X86_64]);
    struct version version;
    struct requirement requirement;
    const char *text;
    size_t at = 0;
    if (version_parse(&version, c->evidence.version) < 0 ||
        !requires_next(&requirement, &text, &at, c->arena, list, c->evidence.package))
        return NULL;
    *agrees = spec_matches(&requirement.spec, &version);
    return text;
}

static enum index_state check_companion(const struct verification *c, struct package_index *index,
                                        const char *name, const char *version, bool *proved)
{
    const struct data *release;
    bool agrees = true;
    enum index_state state =
        index_release(&release, index, requirement_name(c->arena, name), version);
    if (state == INDEX_UNKNOWN || state == INDEX_FAILED)
        return state;
    if (state == INDEX_ABSENT) {
        verification_differ(c, "companion", arena_printf(c->arena, "%s %s", name, version), "none",
                            "the index has no %s %s", name, version);
        *proved = false;
        return state;
    }
    const char *said = said_of(c, release, &agrees);
    if (said && !agrees)
        verification_differ(c, "companion", arena_printf(c->arena, "%s %s", name, version), said,
                            "%s %s requires %s", name, version, said);
    *proved &= said && agrees;
    return state;
}

enum index_state verify_companions(const struct verification *c, struct package_index *index)
{
    const struct pairs *pairs = &c->release->companions;
    enum index_state worst = INDEX_THERE;
    bool proved = pairs->count > 0;
    for (size_t i = 0; i < pairs->count; i++) {
        enum index_state state =
            check_companion(c, index, pairs->items[i].name, pairs->items[i].value, &proved);
        if (state == INDEX_UNKNOWN || (state == INDEX_FAILED && worst != INDEX_UNKNOWN))
            worst = state;
    }
    if (proved && worst == INDEX_THERE)
        verification_prove(c, "companions");
    return worst;
}

/* ------------------------------------------------------------------ requirements */

/* The reverse: every PyTorch that goes with a Triton without requirements requires it. */
static bool is_required_by(const struct verification *c, struct package_index *index,
                           const struct requirement *row, size_t *wanted)
{
    const struct framework *other = package_of(c->matrix, row->name);
    bool found = false;
    for (size_t i = 0; other && i < other->releases.count; i++) {
        const struct version *version = &ROW(struct release, other->releases, i)->version;
        const struct data *release;
        if (!spec_matches(&row->spec, version))
            continue;
        enum index_state state = index_release(&release, index, row->name, version->text);
        *wanted += state == INDEX_UNKNOWN;
        if (state != INDEX_THERE ||
            !requires_version(c->arena, release, c->evidence.package, c->evidence.version))
            return false;
        found = true;
    }
    return found;
}

static bool check_stated(const struct verification *c, struct package_index *index,
                         const struct data *release, const char *word, size_t *wanted)
{
    struct requirement row;
    const char *said;
    if (requirement_parse(&row, c->arena, word) < 0)
        return false;
    /* A pin on itself holds --with to the release: `numpy==2.5.5` of NumPy 2.5.5. */
    if (str_equal(row.name, c->evidence.package) && spec_matches(&row.spec, &c->release->version))
        return true;
    if (requires_agree(&said, c->arena, release, &c->release->pythons, &row) ||
        (!said && is_required_by(c, index, &row, wanted)))
        return true;
    verification_differ(c, "requires", word, said ? said : "nothing", "%s requires %s%s",
                        verification_named(c), said ? said : "no ", said ? "" : row.name);
    return false;
}

static bool names_package(const struct verification *c, const struct words *words, const char *name)
{
    struct requirement row;
    for (size_t i = 0; i < words->count; i++)
        if (requirement_parse(&row, c->arena, words->items[i]) == 0 && str_equal(row.name, name))
            return true;
    return false;
}

/* A package on a framework must list everything that it requires of these files' packages. */
static bool check_unstated(const struct verification *c, const struct data *list,
                           const struct words *stated)
{
    bool all = true;
    struct requirement said;
    const char *text;
    if (!c->framework->on)
        return true;
    for (size_t i = 0; requires_next(&said, &text, &i, c->arena, list, NULL);) {
        if (!package_of(c->matrix, said.name) || names_package(c, stated, said.name) ||
            !requires_always(c->arena, &said, &c->release->pythons))
            continue;
        verification_differ(c, "requires", "nothing", text, "%s requires %s", verification_named(c),
                            text);
        all = false;
    }
    return all;
}

void verify_requires(const struct verification *c, struct package_index *index, size_t *wanted)
{
    const struct release *r = c->release;
    const struct data *release, *list;
    struct words stated =
        words_read(c->arena, arena_printf(c->arena, "%s %s", r->requires ? r->requires : "",
                                          r->pins ? r->pins : ""));
    if (index_release(&release, index, c->evidence.package, c->evidence.version) != INDEX_THERE)
        return;
    list = index_requires(release, processor_names[X86_64]);
    if (!list && !(list = index_requires(release, processor_names[AARCH64])))
        return; /* no metadata: it has no wheel */
    bool agree = check_unstated(c, list, &stated);
    for (size_t i = 0; i < stated.count; i++)
        agree &= check_stated(c, index, release, stated.items[i], wanted);
    if (agree && stated.count)
        verification_prove(c, "requires");
}
