/* Proposes the row of a release: Pythons, companions, and requirements. */
#include "package_index/refresh/proposal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/data.h"
#include "matrix/facts.h"
#include "package_index/evidence/evidence.h"

#include <string.h>

#define COMPANION_TRIES 6

/* ------------------------------------------------------------------ companions */

/* The companion's release, of that time or later, that requires this version; or NULL. */
static const char *find_companion(const struct proposal *p, const char *name)
{
    const struct data *releases, *release;
    const char *project = requirement_name(p->arena, name), *since = p->evidence.uploaded;
    size_t tries = 0;
    struct version own;
    struct requirement said;
    const char *text;
    enum index_state state = index_project(&releases, p->index, project);
    *p->wanted += state == INDEX_UNKNOWN;
    for (size_t i = 0; state == INDEX_THERE && i < releases->map.count; i++) {
        const char *version = releases->map.members[i].name.ptr;
        const char *uploaded = data_get_text(releases->map.members[i].value, "uploaded");
        if (!since || !uploaded || strncmp(uploaded, since, strlen("2026-10")) < 0 ||
            ++tries > COMPANION_TRIES)
            continue;
        *p->wanted += index_release(&release, p->index, project, version) == INDEX_UNKNOWN;
        const struct data *list = index_requires(release, processor_names[X86_64]);
        for (size_t j = 0; requires_next(&said, &text, &j, p->arena, list, p->evidence.package);)
            if (said.spec.count && version_parse(&own, p->version) == 0 &&
                spec_matches(&said.spec, &own)) {
                proposal_say(p, "%s %s requires %s", name, version, text);
                return version;
            }
    }
    return NULL;
}

/* The companion of the row before, where it is still the newest and pins no other release. */
static const char *inherited_companion(const struct proposal *p, const struct pair *pair)
{
    const struct data *releases, *release;
    struct version version, newest;
    const char *project = requirement_name(p->arena, pair->name);
    enum index_state state = index_project(&releases, p->index, project);
    if (state != INDEX_THERE || version_parse(&newest, pair->value) < 0)
        return NULL;
    for (size_t i = 0; i < releases->map.count; i++)
        if (version_parse(&version, releases->map.members[i].name.ptr) == 0 &&
            !version_is_prerelease(&version) && version_compare(&version, &newest) > 0)
            return NULL;
    state = index_release(&release, p->index, project, pair->value);
    *p->wanted += state == INDEX_UNKNOWN;
    const struct data *list = release ? index_requires(release, processor_names[X86_64]) : NULL;
    struct requirement said;
    const char *text;
    size_t at = 0;
    return list && !requires_next(&said, &text, &at, p->arena, list, p->evidence.package)
               ? pair->value
               : NULL;
}

const char *companions_field(const struct proposal *p, bool *all)
{
    const struct pairs *pairs = &p->before->companions;
    const char *text = "";
    for (size_t i = 0; i < pairs->count; i++) {
        const char *name = pairs->items[i].name;
        if (p->present && pair_value(&p->present->companions, name))
            continue;
        const char *version = find_companion(p, name);
        if (!version) {
            version = inherited_companion(p, &pairs->items[i]);
            if (version)
                proposal_say(p, "%s %s, as %s has it, is still the newest", name, version,
                             p->before->version.text);
        }
        *all &= version != NULL;
        if (version)
            text = arena_printf(p->arena, "%s%s%s: %s", text, *text ? ", " : "", name, version);
    }
    return *text ? arena_printf(p->arena, "companions: {%s}", text) : "";
}

/* ------------------------------------------------------------------ requirements */

/* The metadata's text for a package, with the extra of its name; NULL: none. */
static const char *said_of(const struct proposal *p, const struct data *list, const char *name)
{
    const char *python = p->evidence.pythons.count ? p->evidence.pythons.items[0] : NULL;
    const struct marker_world world = {processor_names[X86_64], python, name};
    struct requirement there;
    const char *text;
    for (size_t i = 0; requires_next(&there, &text, &i, p->arena, list, name);)
        if (marker_holds(p->arena, there.marker, &world))
            return requirement_text(p->arena, &there);
    return NULL;
}

static const char *add_required(const struct proposal *p, const char *words, const char *found)
{
    proposal_say(p, "%s %s requires %s", p->evidence.package, p->version, found);
    return append_word(p->arena, words, found);
}

/* The requirements that the row before lacks, on packages that the matrix has. */
static const char *more_requires(const struct proposal *p, const char *words,
                                 const struct data *list, const struct words *names)
{
    struct requirement said;
    const char *text;
    for (size_t i = 0; requires_next(&said, &text, &i, p->arena, list, NULL);)
        if (package_of(p->matrix, said.name) && !words_have(names, said.name) &&
            requires_always(p->arena, &said, &p->evidence.pythons))
            words = add_required(p, words, requirement_text(p->arena, &said));
    return words;
}

/* Which rows of the other package require this one, whose metadata has nothing; or NULL. */
static const char *required_by(const struct proposal *p, const char *name)
{
    const struct framework *other = package_of(p->matrix, name);
    const char *newest = NULL, *oldest = NULL;
    for (size_t i = 0; other && i < other->releases.count; i++) {
        const char *version = ROW(struct release, other->releases, i)->version.text;
        const struct data *release;
        enum index_state state = index_release(&release, p->index, name, version);
        *p->wanted += state == INDEX_UNKNOWN;
        if (state != INDEX_THERE ||
            !requires_version(p->arena, release, p->evidence.package, p->version))
            continue;
        newest = newest ? newest : version;
        oldest = version;
    }
    if (!newest)
        return NULL;
    const char *found = newest == oldest
                            ? arena_printf(p->arena, "%s==%s", name, newest)
                            : arena_printf(p->arena, "%s>=%s,<=%s", name, oldest, newest);
    proposal_say(p, "%s requires %s %s", found, p->evidence.package, p->version);
    return found;
}

/* The requirements of the row before, as the new metadata has them; `more` adds its others. */
static const char *requires(const struct proposal *p, const char *before, bool more, bool *all)
{
    const char *text = "";
    const struct data *release;
    struct words words = words_read(p->arena, before ? before : "");
    struct words names = {arena_array(p->arena, words.count + 1, sizeof(*names.items)), 0};
    if (index_release(&release, p->index, p->evidence.package, p->version) != INDEX_THERE)
        return before;
    const struct data *list = index_requires(release, processor_names[X86_64]);
    for (size_t i = 0; i < words.count; i++) {
        struct requirement wanted;
        if (requirement_parse(&wanted, p->arena, words.items[i]) < 0)
            continue;
        const char *found = said_of(p, list, wanted.name);
        const char *other = found ? NULL : required_by(p, wanted.name);
        *all &= found || other;
        names.items[names.count++] = wanted.name;
        text = found ? add_required(p, text, found)
                     : append_word(p->arena, text, other ? other : words.items[i]);
    }
    return more ? more_requires(p, text, list, &names) : text;
}

/* ------------------------------------------------------------------ the row */

/* Pythons that no row calls stable yet are experimental. */
static void split_pythons(const struct proposal *p, const char **stable, const char **experimental)
{
    const struct evidence *e = &p->evidence;
    *stable = *experimental = "";
    for (size_t i = 0; proposal_is_compiled(p) && i < p->before->pythons.count; i++)
        *stable = append_word(p->arena, *stable, p->before->pythons.items[i]);
    for (size_t i = 0; i < e->pythons.count; i++) {
        const char *python = e->pythons.items[i];
        if (words_have(&p->model->pythons, python))
            *stable = append_word(p->arena, *stable, python);
        else if (!e->any_python && **stable)
            *experimental = append_word(p->arena, *experimental, python);
    }
}

/* Puts its processors. Builds on the framework's own index, which was not asked, stay as before. */
static void put_package(struct buf *row, const struct proposal *p, bool *known)
{
    const struct evidence *e = &p->evidence;
    if (!p->framework->on)
        return;
    if (e->wheel[X86_64] != e->wheel[AARCH64])
        row_put(row, "processors", processor_names[e->wheel[X86_64] ? X86_64 : AARCH64]);
    if (!p->framework->index)
        return;
    const struct words *variants = &p->before->variants;
    row_put(row, "variants", str_join(p->arena, variants->items, variants->count, " "));
    *known = false;
}

void propose_release(const struct proposal *p, struct data *list)
{
    bool known = p->inherited || !p->build->cuda.text || proposal_is_for_all(p);
    const char *stable, *experimental, *all = companions_field(p, &known);
    const char *more = requires(p, p->before->requires, p->framework->on != NULL, &known);
    const char *pins = requires(p, p->before->pins, false, &known);
    const struct release *model = p->model;
    BUF_SCRATCH(row, ROW_BYTES);
    split_pythons(p, &stable, &experimental);
    if (!*stable) {
        proposal_add(p, list, "release", NULL, NULL, NULL,
                     "no wheel for a Python that a row knows");
        return;
    }
    bool renamed = str_equal(model->pypi, p->build->variant);
    (void)buf_puts(&row, "- {");
    row_put(&row, "version", p->version);
    row_put(&row, "pythons", stable);
    row_put(&row, "experimental", experimental);
    row_put(&row, "default", renamed ? p->variant : model->default_variant);
    row_put(&row, "pypi", renamed ? p->variant : model->pypi);
    row_put_written(&row, all);
    if (p->evidence.glibc > 17)
        row_put(&row, "glibc", arena_printf(p->arena, "2.%d", p->evidence.most_glibc));
    put_package(&row, p, &known);
    row_put(&row, "requires", more);
    row_put(&row, "pins", pins);
    row_put_end(&row, p, NULL, known ? "medium" : "low");
    proposal_add(p, list, "release", NULL, buf_text(&row), known ? "medium" : "low", NULL);
}
