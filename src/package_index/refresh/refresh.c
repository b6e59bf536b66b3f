/* Proposes new rows for a matrix, as a package index proves them. */
#include "package_index/refresh.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/document.h"
#include "matrix/facts.h"
#include "package_index/evidence/evidence.h"
#include "package_index/refresh/proposal.h"

#include <string.h>

#define NEW_RELEASES_MAX 200
#define MODEL_ROWS 4 /* the newest rows, whose builds a new release may have */
#define MODELS_MAX 12

/* The build of a package in pure Python: no row says how to build it. */
static const struct build bare = {.variant = ""};

/* ------------------------------------------------------------------ one release */

static const char *requirement_for(const struct proposal *p)
{
    struct release release = *p->model;
    release.version.text = p->version;
    return build_requirement(p->arena, p->framework, &release, p->build);
}

static bool is_new(const struct proposal *p, const char *text, const struct data *release)
{
    struct version version;
    const char *since = index_since(p->index);
    const char *uploaded = data_get_text(release, "uploaded");
    const struct data *yanked = data_get(release, "yanked");
    if (version_parse(&version, text) < 0 || version_is_prerelease(&version) || version.local.len ||
        release_of(p->framework, &version) || !yanked || yanked->kind != DATA_BOOL ||
        yanked->boolean)
        return false;
    const struct release *newest = ROW(struct release, p->framework->releases, 0);
    bool newer = version_compare(&version, &newest->version) > 0;
    return newer || (p->gaps && since && uploaded && strcmp(uploaded, since) >= 0);
}

/* Finds the same build of the release before, with the same CUDA. */
static void find_before(struct proposal *p, const char *cuda)
{
    const struct rows *rows = &p->framework->releases;
    struct version version, minor;
    p->before = ROW(struct release, *rows, rows->count - 1);
    p->inherited = NULL;
    for (size_t i = 0; i < rows->count && version_parse(&version, p->version) == 0; i++)
        if (version_compare(&ROW(struct release, *rows, i)->version, &version) < 0) {
            p->before = ROW(struct release, *rows, i);
            break;
        }
    for (size_t i = 0; cuda && i < p->before->build_count; i++) {
        const struct build *build = p->before->builds[i];
        if (str_equal(build->variant, p->variant) && build->cuda.text &&
            version_parse(&minor, cuda) == 0 && same_minor(&build->cuda, &minor))
            p->inherited = build;
    }
}

/* Gathers the evidence of `text`; true where the release exists. */
static bool is_there(struct proposal *p)
{
    const struct evidence *e = &p->evidence;
    struct requirement requirement;
    if (!p->text || requirement_parse(&requirement, p->arena, p->text) < 0)
        return false;
    enum index_state state = evidence_gather(&p->evidence, p->arena, p->index, &requirement);
    *p->wanted += state == INDEX_UNKNOWN;
    return state == INDEX_THERE && !e->old && !e->yanked && !e->missing && !e->elsewhere &&
           (e->wheel[X86_64] || e->wheel[AARCH64] || proposal_is_compiled(p));
}

static bool is_proposed(const struct proposal *p, const struct data *list)
{
    for (size_t i = 0; i < list->list.count; i++)
        if (str_equal(data_get_text(list->list.items[i], "framework"), p->framework->name) &&
            str_equal(data_get_text(list->list.items[i], "release"), p->version))
            return true;
    return false;
}

static void propose(struct proposal *p, struct data *list, bool known)
{
    p->text = requirement_for(p);
    p->said = data_list(p->arena);
    bool side = !p->build->cuda.text && p->model->default_variant &&
                !str_equal(p->model->default_variant, p->build->variant);
    if (!is_there(p) || (side && !known && !is_proposed(p, list)))
        return;
    const char *cuda = p->build->cuda.text ? proven_cuda(p) : NULL;
    p->variant = variant_for(p, cuda);
    find_before(p, cuda);
    struct data *of_build = p->said;
    p->said = data_list(p->arena);
    proposal_say(p, "%s was uploaded on %s", p->text,
                 p->evidence.uploaded ? p->evidence.uploaded : "a day not told");
    if (!known && !is_proposed(p, list))
        propose_release(p, list);
    p->said = of_build;
    if (!proposal_is_for_all(p) && p->build != &bare)
        propose_build(p, list, cuda);
}

/* ------------------------------------------------------------------ which releases */

/* The releases of the package that installs a build, as the index lists them. */
static const struct data *releases_of(struct proposal *p)
{
    struct requirement requirement;
    const struct data *releases;
    p->version = p->model->version.text;
    const char *text = requirement_for(p);
    if (!text || requirement_parse(&requirement, p->arena, text) < 0)
        return NULL;
    enum index_state state = index_project(&releases, p->index, requirement.name);
    *p->wanted += state == INDEX_UNKNOWN;
    return state == INDEX_THERE ? releases : NULL;
}

/* A build of one of the newest rows, and the index's releases of its package. */
struct model {
    const struct release *release;
    const struct build *build;
    const char *requirement; /* without a version: each package needs one question */
    const struct data *releases;
};

struct models {
    struct model items[MODELS_MAX];
    size_t count;
};

static void add_model(struct models *models, struct proposal *p, const struct release *release,
                      const struct build *build)
{
    p->model = release;
    p->build = build;
    p->version = "";
    const char *requirement = requirement_for(p);
    for (size_t i = 0; i < models->count; i++)
        if (str_equal(models->items[i].requirement, requirement) &&
            (str_equal(models->items[i].build->variant, build->variant) ||
             str_equal(release->pypi, build->variant)))
            return;
    const struct data *releases = requirement ? releases_of(p) : NULL;
    if (releases && models->count < MODELS_MAX)
        models->items[models->count++] = (struct model){release, build, requirement, releases};
}

static void find_models(struct models *models, struct proposal *p)
{
    const struct rows *rows = &p->framework->releases;
    for (size_t i = 0; i < rows->count && i < MODEL_ROWS; i++) {
        const struct release *release = ROW(struct release, *rows, i);
        for (size_t j = 0; j < release->build_count; j++)
            add_model(models, p, release, release->builds[j]);
        if (!release->build_count)
            add_model(models, p, release, &bare);
    }
}

/* True where one of the newest rows lacks the build: a package of its own may bring it. */
static bool lacks_build(const struct proposal *p, const char *text, const struct build *build)
{
    struct version version;
    for (size_t i = 0; i < p->framework->releases.count && i < MODEL_ROWS; i++) {
        const struct release *release = ROW(struct release, p->framework->releases, i);
        if (version_parse(&version, text) < 0 || version_compare(&version, &release->version) != 0)
            continue;
        for (size_t j = 0; j < release->build_count; j++)
            if (str_equal(release->builds[j]->variant, build->variant))
                return false;
        return release->build_count && build->requirements && !release->pypi;
    }
    return false;
}

/* Adds each version once, the oldest first. */
static void add_version(struct words *versions, struct arena *arena, const char *text)
{
    struct version version, other;
    size_t at = versions->count;
    if (version_parse(&version, text) < 0)
        return;
    for (size_t i = 0; i < versions->count; i++)
        if (version_parse(&other, versions->items[i]) == 0 &&
            version_compare(&version, &other) == 0)
            return;
    words_add(versions, arena, text);
    for (; at && version_parse(&other, versions->items[at - 1]) == 0 &&
           version_compare(&version, &other) < 0;
         at--)
        versions->items[at] = versions->items[at - 1];
    versions->items[at] = text;
}

static bool is_wanted(const struct proposal *p, const struct data_member *member,
                      const struct build *build)
{
    return is_new(p, member->name.ptr, member->value) || lacks_build(p, member->name.ptr, build);
}

static void propose_version(struct proposal *p, struct data *list, const struct models *models,
                            const char *text)
{
    struct version version, other;
    for (size_t i = 0; i < models->count && version_parse(&version, text) == 0; i++) {
        const struct model *model = &models->items[i];
        for (size_t j = 0; j < model->releases->map.count; j++) {
            const struct data_member *member = &model->releases->map.members[j];
            if (version_parse(&other, member->name.ptr) < 0 ||
                version_compare(&version, &other) != 0 || !is_wanted(p, member, model->build))
                continue;
            p->model = model->release;
            p->build = model->build;
            p->version = text;
            propose(p, list, release_of(p->framework, &version) != NULL);
        }
    }
}

/* ------------------------------------------------------------------ gaps in present rows */

/* The newest row below `i` that has companions, or NULL. */
static const struct release *accompanied(const struct rows *rows, size_t i)
{
    for (size_t j = i + 1; j < rows->count; j++)
        if (ROW(struct release, *rows, j)->companions.count)
            return ROW(struct release, *rows, j);
    return NULL;
}

static bool lacks_companion(const struct release *release, const struct release *before)
{
    for (size_t i = 0; before && i < before->companions.count; i++)
        if (!pair_value(&release->companions, before->companions.items[i].name))
            return true;
    return false;
}

/* Completes a present row's companions, by the build that the index has. */
static void complete(struct proposal *p, struct data *list, const struct release *release)
{
    bool all = true;
    p->model = p->present = release;
    p->version = release->version.text;
    p->text = NULL;
    for (size_t i = 0; !p->text && i < release->build_count; i++) {
        p->build = release->builds[i];
        p->text = requirement_for(p);
    }
    if (!is_there(p))
        return;
    p->said = data_list(p->arena);
    const char *field = companions_field(p, &all);
    if (*field)
        proposal_add(p, list, "companions", NULL, field, "medium", NULL);
}

static void complete_rows(const struct proposal *p, struct data *list)
{
    const struct rows *rows = &p->framework->releases;
    for (size_t i = rows->count; i > 0; i--) {
        const struct release *release = ROW(struct release, *rows, i - 1);
        struct proposal present = *p;
        present.before = accompanied(rows, i - 1);
        if (release->fact.node && lacks_companion(release, present.before))
            complete(&present, list, release);
    }
}

/* ------------------------------------------------------------------ a matrix */

static void refresh_framework(struct proposal *p, struct data *list)
{
    struct models models = {.count = 0};
    struct words versions = {0}; /* of all models with news */
    complete_rows(p, list);
    find_models(&models, p);
    p->model = ROW(struct release, p->framework->releases, 0);
    for (size_t i = 0; i < models.count; i++)
        for (size_t j = 0; j < models.items[i].releases->map.count; j++) {
            const struct data_member *member = &models.items[i].releases->map.members[j];
            if (is_wanted(p, member, models.items[i].build))
                add_version(&versions, p->arena, member->name.ptr);
        }
    size_t from = versions.count > NEW_RELEASES_MAX ? versions.count - NEW_RELEASES_MAX : 0;
    for (size_t i = from; i < versions.count; i++)
        propose_version(p, list, &models, versions.items[i]);
}

static bool is_of(const struct data *proposal, const char *kind, const char *release)
{
    return str_equal(data_get_text(proposal, "kind"), kind) &&
           str_equal(data_get_text(proposal, "release"), release);
}

/* Drops a release that no row says how to build: no request would reach it. */
static void drop_unbuilt(struct arena *arena, const struct framework *framework, struct data *list,
                         size_t from)
{
    if (!framework->builds.count)
        return;
    for (size_t i = 0; i < framework->builds.count; i++)
        if (words_have(&ROW(struct build, framework->builds, i)->releases, "all"))
            return;
    for (size_t i = from; i < list->list.count; i++) {
        struct data *proposal = list->list.items[i];
        const char *release = data_get_text(proposal, "release");
        bool built = !is_of(proposal, "release", release);
        for (size_t j = from; !built && j < list->list.count; j++)
            built = is_of(list->list.items[j], "build", release) &&
                    data_get_text(list->list.items[j], "row");
        if (built)
            continue;
        data_add(arena, proposal, FIELD("row", data_null(arena)),
                 FIELD("confidence", data_null(arena)), FIELD("why", "no build of it is proven"));
    }
}

struct data *matrix_refresh(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                            const char *name, bool gaps, struct package_index *index)
{
    struct data *list = data_list(arena);
    const struct framework *f;
    *wanted = 0;
    for (size_t i = 0; (f = any_framework(matrix, i)); i++) {
        if ((name && !str_equal(name, f->name)) || !f->releases.count ||
            (f->on && f->by_companions))
            continue;
        struct proposal p = {.arena = arena,
                             .matrix = matrix,
                             .framework = f,
                             .model = ROW(struct release, f->releases, 0),
                             .wanted = wanted,
                             .index = index,
                             .gaps = gaps};
        size_t from = list->list.count;
        refresh_framework(&p, list);
        drop_unbuilt(arena, f, list, from);
    }
    return list;
}

/* ------------------------------------------------------------------ for people */

int matrix_refresh_table(struct buf *out, const struct data *proposals)
{
    for (size_t i = 0; i < proposals->list.count; i++) {
        const struct data *p = proposals->list.items[i], *said = data_get(p, "evidence");
        const char *row = data_get_text(p, "row"), *variant = data_get_text(p, "variant");
        (void)buf_printf(out, "%s %s%s%s: ", data_get_text(p, "framework"),
                         data_get_text(p, "release"), variant ? " " : "", variant ? variant : "");
        if (row)
            (void)buf_printf(out, "%s%s, confidence %s\n    %s\n",
                             is_of(p, "companions", data_get_text(p, "release")) ? "" : "a new ",
                             data_get_text(p, "kind"), data_get_text(p, "confidence"), row);
        else
            (void)buf_printf(out, "no row: %s\n", data_get_text(p, "why"));
        for (size_t j = 0; j < said->list.count; j++)
            (void)buf_printf(out, "    because %s\n", data_text(said->list.items[j]));
    }
    return out->overflowed ? -1 : 0;
}
