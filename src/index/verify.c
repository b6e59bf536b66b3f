/* The rows of a matrix against what a package index serves. */
#include "index/verify.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/str.h"
#include "base/yaml.h"
#include "index/evidence.h"
#include "index/requires.h"
#include "matrix/facts.h"

#include <stdlib.h>
#include <string.h>

#define OLDEST_GLIBC 17 /* a row without glibc: any that a distribution in use has */

/* One build of one release, against what the index says of it. */
struct verification {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *release;
    const struct build *build;
    const char *requirement; /* what it is installed by; NULL: another index has it */
    struct evidence evidence;
    struct data *proved, *differences;
};

static void prove(const struct verification *c, const char *what)
{
    data_push(c->arena, c->proved, data_str(c->arena, what));
}

static void differ(const struct verification *c, const char *what, const char *row,
                   const char *index, const char *evidence)
{
    struct data *map = data_map(c->arena);
    bool explained = words_have(&c->release->differs, what) || words_have(&c->build->differs, what);
    data_put_text(c->arena, map, "what", what);
    data_put_text(c->arena, map, "row", row);
    data_put_text(c->arena, map, "index", index);
    data_put_text(c->arena, map, "evidence", evidence);
    data_put(c->arena, map, "explained", data_bool(c->arena, explained));
    data_push(c->arena, c->differences, map);
}

static const char *named(const struct verification *c)
{
    return arena_printf(c->arena, "%s %s", c->evidence.package, c->evidence.version);
}

/* ------------------------------------------------------------------ the parts of a row */

static bool evidence_has_python(const struct evidence *e, const char *python)
{
    for (size_t i = 0; i < e->python_count; i++)
        if (str_equal(e->pythons[i], python))
            return true;
    return false;
}

static const char *joined(struct arena *arena, const char *const *items, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? " " : "", items[i]);
    return *text ? text : "none";
}

/* Some wheels are for any later Python: it counts where a row of an older release has it. */
static bool is_due(const struct verification *c, const char *python)
{
    const struct rows *rows = &c->framework->releases;
    if (!c->evidence.any_python)
        return true;
    for (size_t i = rows->count; i > 0; i--) {
        const struct release *older = ROW(struct release, *rows, i - 1);
        if (older == c->release)
            return false;
        if (words_have(&older->pythons, python))
            return true;
    }
    return false;
}

static void check_pythons(const struct verification *c)
{
    const struct release *r = c->release;
    const struct evidence *e = &c->evidence;
    const char *lost = "", *more = "";
    for (size_t i = 0; i < r->pythons.count + r->experimental.count; i++) {
        bool stable = i < r->pythons.count;
        const char *python =
            stable ? r->pythons.items[i] : r->experimental.items[i - r->pythons.count];
        if (!evidence_has_python(e, python))
            lost = arena_printf(c->arena, "%s %s", lost, python);
    }
    for (size_t i = 0; i < e->python_count; i++)
        if (!words_have(&r->pythons, e->pythons[i]) &&
            !words_have(&r->experimental, e->pythons[i]) && is_due(c, e->pythons[i]))
            more = arena_printf(c->arena, "%s %s", more, e->pythons[i]);
    if (!*lost && !*more) {
        prove(c, "python");
        return;
    }
    const char *evidence =
        *lost && *more
            ? arena_printf(c->arena, "no wheel of %s for%s; wheels for%s", named(c), lost, more)
        : *lost ? arena_printf(c->arena, "no wheel of %s for%s", named(c), lost)
                : arena_printf(c->arena, "%s has wheels for%s too", named(c), more);
    differ(c, "python", joined(c->arena, r->pythons.items, r->pythons.count),
           joined(c->arena, e->pythons, e->python_count), evidence);
}

static bool has_processor(const struct verification *c, const char *processor)
{
    const struct words *own = &c->release->processors;
    return build_has_processor(c->build, processor) && (!own->count || words_have(own, processor));
}

/* Whether the wheels for a processor are what the row speaks of: with CUDA, where it has CUDA. */
static bool serves(const struct verification *c, int p)
{
    const struct evidence *e = &c->evidence;
    bool told = e->cuda_for[X86_64] || e->cuda_for[AARCH64];
    return e->wheel[p] && (!c->build->cuda.text || !told || e->cuda_for[p]);
}

static void check_processors(const struct verification *c)
{
    bool same = true;
    const char *rows[PROCESSORS], *served[PROCESSORS], *evidence = "";
    size_t row_count = 0, served_count = 0;
    for (int p = 0; p < PROCESSORS; p++) {
        bool in_row = has_processor(c, processor_names[p]), there = serves(c, p);
        if (c->evidence.wheel[p] && !c->evidence.read[p])
            there = in_row; /* a wheel of which nothing is known */
        if (in_row)
            rows[row_count++] = processor_names[p];
        if (there)
            served[served_count++] = processor_names[p];
        if (in_row != there) {
            const char *why = there                  ? "has a wheel"
                              : c->evidence.wheel[p] ? "requires no CUDA there"
                                                     : "has no wheel";
            evidence = arena_printf(c->arena, "%s%s%s: %s %s", evidence, *evidence ? "; " : "",
                                    processor_names[p], named(c), why);
            same = false;
        }
    }
    if (same)
        prove(c, "processor");
    else
        differ(c, "processor", joined(c->arena, rows, row_count),
               joined(c->arena, served, served_count), evidence);
}

/*
 * A row may want more than some wheel: of several wheels the one for the newer glibc is the one
 * with CUDA. Less than every wheel wants, or more than any does, is wrong. Wheels without code of
 * their own tell nothing.
 */
static void check_glibc(const struct verification *c)
{
    const struct evidence *e = &c->evidence;
    const struct version *row = &c->release->glibc;
    int has = row->text && row->count >= 2 ? (int)row->release[1] : OLDEST_GLIBC;
    bool too_much = c->build->cuda.text && has > OLDEST_GLIBC && has > e->most_glibc;
    if (!e->glibc)
        return;
    if (has >= e->glibc && !too_much) {
        prove(c, "glibc");
        return;
    }
    const char *said = arena_printf(c->arena, "2.%d", too_much ? e->most_glibc : e->glibc);
    differ(c, "glibc", row->text ? row->text : "any", said,
           arena_printf(c->arena, "the wheels of %s are for glibc %s", named(c), said));
}

/* "12.8.*" of 12.8: what a range must leave room for. */
static bool range_has_room(const struct verification *c, const struct spec *range,
                           const struct version *version)
{
    ERR_SCRATCH(err);
    struct spec own;
    const char *text = arena_printf(c->arena, "==%s.*", version->text);
    return spec_parse(&own, c->arena, text, "range", &err) < 0 || spec_overlaps(range, &own);
}

static void check_cuda(const struct verification *c)
{
    const struct required *cuda = &c->evidence.cuda;
    const struct version *row = &c->build->cuda;
    struct version pin;
    if (!row->text) {
        if (c->evidence.cuda_for[X86_64] && !strchr(c->build->variant, 'c'))
            differ(c, "cuda", "none", "some", c->evidence.cuda.said);
        return;
    }
    if (cuda->pin && version_parse(&pin, cuda->pin) == 0) {
        if (same_minor(&pin, row))
            prove(c, "cuda");
        else
            differ(c, "cuda", row->text, cuda->pin, cuda->said);
    } else if (cuda->said && cuda->range.count) {
        if (range_has_room(c, &cuda->range, row))
            prove(c, "cuda-range");
        else
            differ(c, "cuda", row->text, cuda->range.text, cuda->said);
    } else if (c->evidence.cuda_major) {
        if ((uint64_t)c->evidence.cuda_major == row->release[0])
            prove(c, "cuda-major");
        else
            differ(c, "cuda", row->text, arena_printf(c->arena, "%d", c->evidence.cuda_major),
                   c->evidence.major_said);
    }
}

/* 9.3 of a row stands for 9.3.0.75. */
static bool agrees_to_its_end(const struct version *row, const struct version *pin)
{
    return version_compare_parts(row, pin, row->count) == 0;
}

static bool cudnn_agrees(const struct build *build, const struct required *found,
                         const struct version *pin)
{
    if (found->pin && build->cudnn_window.count)
        return spec_matches(&build->cudnn_window, pin);
    if (found->pin)
        return agrees_to_its_end(&build->cudnn_version, pin);
    return build->cudnn_window.count && spec_same(&build->cudnn_window, &found->range);
}

static void check_cudnn(const struct verification *c)
{
    const struct required *found = &c->evidence.cudnn;
    struct version pin = {0};
    if (!c->build->cuda.text || !found->said || (!found->pin && !found->range.count) ||
        (found->pin && version_parse(&pin, found->pin) < 0))
        return;
    const char *says = found->pin ? found->pin : found->range.text;
    if (c->build->cudnn && cudnn_agrees(c->build, found, &pin))
        prove(c, "cudnn");
    else
        differ(c, "cudnn", c->build->cudnn ? c->build->cudnn : "not given", says, found->said);
}

static void check_nccl(const struct verification *c)
{
    struct version row, pin;
    const struct required *found = &c->evidence.nccl;
    if (!c->build->nccl.count || !found->pin || version_parse(&row, c->build->nccl.text) < 0 ||
        version_parse(&pin, found->pin) < 0)
        return;
    if (agrees_to_its_end(&row, &pin))
        prove(c, "nccl");
    else
        differ(c, "nccl", c->build->nccl.text, found->pin, found->said);
}

/* A package that lives on another framework's brings no code of its own. */
static bool stands_alone(const struct verification *c)
{
    return !c->framework->on && !c->release->companions.count;
}

/* What is installed is the whole of it: jax without jaxlib imports nothing. */
static void check_family(const struct verification *c)
{
    const struct evidence *e = &c->evidence;
    const struct build *build = c->build;
    bool brings = str_equal(build->supply ? build->supply : c->framework->supply, "wheel");
    bool cuda = e->cuda_for[X86_64] || e->cuda_for[AARCH64] || e->cuda_major;
    if (!e->compiled && stands_alone(c))
        differ(c, "family", c->requirement, "no code",
               arena_printf(c->arena, "no wheel that %s brings is for a processor%s%s",
                            c->requirement, e->left_out ? "; it requires " : "",
                            e->left_out ? e->left_out : ""));
    else if (build->cuda.text && brings && !cuda && e->left_cuda)
        differ(c, "family", c->requirement, "no CUDA",
               arena_printf(c->arena, "%s brings no CUDA; it requires %s", c->requirement,
                            e->left_cuda));
}

/* ------------------------------------------------------------------ days */

/* Days and months are compared as far as the shorter one goes. */
static int compare_days(const char *a, const char *b)
{
    size_t len = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, len);
}

/* A row cannot know of a release before it was uploaded, nor after the index was asked. */
static void check_day(const struct verification *c, const struct fact *fact, const char *asked)
{
    const char *uploaded = c->evidence.uploaded;
    if (asked && compare_days(fact->as_of, asked) > 0)
        differ(c, "as_of", fact->as_of, asked,
               arena_printf(c->arena, "the index was asked on %s", asked));
    else if (uploaded && compare_days(fact->as_of, uploaded) < 0)
        differ(c, "as_of", fact->as_of, uploaded,
               arena_printf(c->arena, "%s was uploaded on %s", named(c), uploaded));
}

static void check_days(const struct verification *c, const struct package_index *index)
{
    const char *asked = index_asked_on(index);
    check_day(c, &c->release->fact, asked);
    if (c->build->releases.count && !words_have(&c->build->releases, "all"))
        check_day(c, &c->build->fact, asked);
}

/* ------------------------------------------------------------------ companions */

/* What a companion says of the package that it goes with; NULL: nothing. */
static const char *said_of(const struct verification *c, const struct data *companion, bool *agrees)
{
    const struct data *list = index_requires(companion, processor_names[X86_64]);
    struct version version;
    for (size_t i = 0; list && i < list->list.count; i++) {
        struct requirement requirement;
        const char *text = data_text(list->list.items[i]);
        if (requirement_parse(&requirement, c->arena, text) < 0 ||
            !str_equal(requirement.name, c->evidence.package) ||
            version_parse(&version, c->evidence.version) < 0)
            continue;
        *agrees = spec_matches(&requirement.spec, &version);
        return text;
    }
    return NULL;
}

static enum index_state check_companion(const struct verification *c, struct package_index *index,
                                        const char *name, const char *version, bool *proved)
{
    const struct data *release;
    bool agrees = true;
    enum index_state state =
        index_release(&release, index, requirement_name(c->arena, name), version, true);
    if (state == INDEX_UNKNOWN || state == INDEX_FAILED)
        return state;
    if (state == INDEX_ABSENT) {
        differ(c, "companion", arena_printf(c->arena, "%s %s", name, version), "none",
               arena_printf(c->arena, "the index has no %s %s", name, version));
        return state;
    }
    const char *said = said_of(c, release, &agrees);
    if (said && !agrees)
        differ(c, "companion", arena_printf(c->arena, "%s %s", name, version), said,
               arena_printf(c->arena, "%s %s requires %s", name, version, said));
    *proved &= said && agrees;
    return state;
}

static enum index_state check_companions(const struct verification *c, struct package_index *index)
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
        prove(c, "companions");
    return worst;
}

/* ------------------------------------------------------------------ requirements */

/* The other way about: every PyTorch that a Triton goes with requires it, which itself is silent.
 */
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
        enum index_state state = index_release(&release, index, row->name, version->text, true);
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
    /* A pin of itself holds --with against the release: `numpy==2.5.5` of NumPy 2.5.5. */
    if (str_equal(row.name, c->evidence.package) && spec_matches(&row.spec, &c->release->version))
        return true;
    if (requires_agree(&said, c->arena, release, &c->release->pythons, &row) ||
        (!said && is_required_by(c, index, &row, wanted)))
        return true;
    differ(c, "requires", word, said ? said : "nothing",
           said ? arena_printf(c->arena, "%s requires %s", named(c), said)
                : arena_printf(c->arena, "%s requires no %s", named(c), row.name));
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

/* What lives on a framework says all that it requires of whatever is in these files. */
static bool check_unstated(const struct verification *c, const struct data *list,
                           const struct words *stated)
{
    bool all = true;
    for (size_t i = 0; c->framework->on && list && i < list->list.count; i++) {
        struct requirement said;
        const char *text = data_text(list->list.items[i]);
        if (requirement_parse(&said, c->arena, text) < 0 || !package_of(c->matrix, said.name) ||
            names_package(c, stated, said.name) ||
            !requires_always(c->arena, &said, &c->release->pythons))
            continue;
        differ(c, "requires", "nothing", text,
               arena_printf(c->arena, "%s requires %s", named(c), text));
        all = false;
    }
    return all;
}

static void check_requires(const struct verification *c, struct package_index *index,
                           size_t *wanted)
{
    const struct release *r = c->release;
    const struct data *release, *list;
    struct words stated =
        words_read(c->arena, arena_printf(c->arena, "%s %s", r->requires ? r->requires : "",
                                          r->pins ? r->pins : ""));
    if (index_release(&release, index, c->evidence.package, c->evidence.version, true) !=
        INDEX_THERE)
        return;
    list = index_requires(release, processor_names[X86_64]);
    if (!list && !(list = index_requires(release, processor_names[AARCH64])))
        return; /* no metadata: it has no wheel */
    bool agree = check_unstated(c, list, &stated);
    for (size_t i = 0; i < stated.count; i++)
        agree &= check_stated(c, index, release, stated.items[i], wanted);
    if (agree && stated.count)
        prove(c, "requires");
}

/* ------------------------------------------------------------------ a row */

/* What a build is installed by, where the user's index has it; NULL: `*why` says who has it. */
static const char *requirement_of(const struct verification *c, const char **why)
{
    const struct build *build = c->build;
    const char *url = build->index_url ? build->index_url : c->framework->index_url;
    if (url && !str_equal(c->release->pypi, build->variant)) {
        *why = arena_printf(c->arena, "it is on %s", fill_text(c->arena, url, c->release, build));
        return NULL;
    }
    const char *text = build->requirements ? build->requirements : c->framework->requirements;
    text = fill_text(c->arena, text, c->release, build);
    return arena_memdup(c->arena, text, strcspn(text, " "));
}

static bool is_compiled(const struct verification *c)
{
    return str_equal(c->build->supply ? c->build->supply : c->framework->supply, "build");
}

/* No wheel, and no Python that the release does not admit. */
static void check_source(const struct verification *c)
{
    ERR_SCRATCH(err);
    const struct evidence *e = &c->evidence;
    struct spec spec;
    struct version version;
    if (e->wheel[X86_64] || e->wheel[AARCH64]) {
        differ(c, "wheel", "none", "some",
               arena_printf(c->arena, "%s has a wheel for Linux", named(c)));
        return;
    }
    prove(c, "source");
    if (!e->python_spec || spec_parse(&spec, c->arena, e->python_spec, "Requires-Python", &err) < 0)
        return;
    for (size_t i = 0; i < c->release->pythons.count; i++) {
        const char *python = c->release->pythons.items[i];
        if (version_parse(&version, arena_printf(c->arena, "%s.99", python)) == 0 &&
            spec_matches(&spec, &version))
            continue;
        differ(c, "python", python, e->python_spec,
               arena_printf(c->arena, "%s requires Python %s", named(c), e->python_spec));
        return;
    }
    prove(c, "python");
}

static const char *compare(struct verification *c, struct package_index *index, const char **why,
                           size_t *wanted)
{
    const struct evidence *e = &c->evidence;
    if (e->yanked)
        differ(c, "release", e->version, "withdrawn",
               arena_printf(c->arena, "%s was withdrawn from the index", named(c)));
    else if (e->missing)
        differ(c, "release", e->version, "none",
               arena_printf(c->arena, "%s requires %s, which the index does not have", named(c),
                            e->missing));
    else if (is_compiled(c))
        check_source(c);
    else if (!e->wheel[X86_64] && !e->wheel[AARCH64])
        differ(c, "wheel", "some", "none",
               arena_printf(c->arena, "%s has no wheel for Linux", named(c)));
    else {
        prove(c, "wheel");
        check_family(c);
        check_pythons(c);
        check_processors(c);
        check_glibc(c);
        check_cuda(c);
        check_cudnn(c);
        check_nccl(c);
        check_requires(c, index, wanted);
        enum index_state state = check_companions(c, index);
        *wanted += state == INDEX_UNKNOWN;
        if (state == INDEX_FAILED) {
            *why = "a companion could not be asked for";
            return "failed";
        }
    }
    return "verified";
}

static bool is_unexplained(const struct verification *c)
{
    for (size_t i = 0; i < c->differences->list.count; i++)
        if (!data_get(c->differences->list.items[i], "explained")->boolean)
            return true;
    return false;
}

static const char *judge(struct verification *c, struct package_index *index, const char **why,
                         size_t *wanted)
{
    struct requirement requirement;
    const char *text = c->requirement;
    if (requirement_parse(&requirement, c->arena, text) < 0 || !requirement_pin(&requirement)) {
        *why = "its requirement names no one version";
        return "not-asked";
    }
    enum index_state state = evidence_gather(&c->evidence, c->arena, index, &requirement);
    if (state == INDEX_UNKNOWN) {
        (*wanted)++;
        *why = "it is not in the record";
        return "not-asked";
    }
    if (state == INDEX_FAILED) {
        *why = "the index could not be asked";
        return "failed";
    }
    if (state == INDEX_ABSENT) {
        differ(c, "release", requirement_pin(&requirement), "none",
               arena_printf(c->arena, "the index has no %s", text));
        return "verified";
    }
    if (c->evidence.old) {
        *why = arena_printf(c->arena, "uploaded on %s", c->evidence.uploaded);
        return "old";
    }
    if (c->evidence.elsewhere) {
        *why = arena_printf(c->arena, "it requires %s, which is on another index",
                            c->evidence.elsewhere);
        return "not-asked";
    }
    return compare(c, index, why, wanted);
}

static void put_place(struct arena *arena, struct data *row, const struct yaml_node *node)
{
    ERR_SCRATCH(err);
    (void)yaml_error(&err, node, "here");
    data_put_text(arena, row, "file", err.where.file);
    data_put(arena, row, "line", data_int(arena, (int64_t)err.where.line));
}

/* A row in the arena: what it takes to find it out, which is much more, is not kept. */
static struct data *verify_build(struct arena *arena, const struct verification *build,
                                 struct package_index *index, size_t *wanted)
{
    ARENA_SCRATCH(scratch);
    struct verification check = *build, *c = &check;
    struct data *row = data_map(&scratch);
    const char *why = NULL;
    c->arena = &scratch;
    c->requirement = requirement_of(c, &why);
    c->proved = data_list(c->arena);
    c->differences = data_list(c->arena);
    const char *state = c->requirement ? judge(c, index, &why, wanted) : "not-asked";
    check_days(c, index);
    if (is_unexplained(c))
        state = "differs";
    data_put_text(c->arena, row, "framework", c->framework->name);
    data_put_text(c->arena, row, "release", c->release->version.text);
    data_put_text(c->arena, row, "variant", c->build->variant);
    data_put_text(c->arena, row, "requirement", c->requirement);
    data_put_text(c->arena, row, "state", state);
    data_put(c->arena, row, "proved", c->proved);
    data_put(c->arena, row, "differences", c->differences);
    data_put_text(c->arena, row, "why", why);
    /* What needs no row of a build stands where its release does. */
    put_place(c->arena, row, c->build->fact.node ? c->build->fact.node : c->release->fact.node);
    return data_copy(arena, row);
}

struct data *matrix_verify(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                           const char *name, struct package_index *index)
{
    struct data *rows = data_list(arena);
    const struct framework *f;
    *wanted = 0;
    for (size_t i = 0; (f = any_framework(matrix, i)); i++) {
        if ((name && !str_equal(name, f->name)) || (f->on && f->by_companions))
            continue;
        for (size_t j = 0; j < f->releases.count; j++) {
            const struct release *release = ROW(struct release, f->releases, j);
            for (size_t k = 0; k < release->build_count; k++) {
                const struct verification build = {.matrix = matrix,
                                                   .framework = f,
                                                   .release = release,
                                                   .build = release->builds[k]};
                data_push(arena, rows, verify_build(arena, &build, index, wanted));
            }
        }
    }
    return rows;
}

/* ------------------------------------------------------------------ for people */

static const char *const states[] = {"verified", "differs", "not-asked", "old", "failed"};
#define STATES (sizeof(states) / sizeof(*states))

static size_t count_state(const struct data *rows, const char *framework, const char *state)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct data *row = rows->list.items[i];
        count += (!framework || str_equal(data_text(data_get(row, "framework")), framework)) &&
                 (!state || str_equal(data_text(data_get(row, "state")), state));
    }
    return count;
}

static size_t count_explained(const struct data *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->list.count; i++)
        count += data_get(rows->list.items[i], "differences")->list.count > 0 &&
                 str_equal(data_text(data_get(rows->list.items[i], "state")), "verified");
    return count;
}

struct data *matrix_verify_counts(struct arena *arena, const struct data *rows)
{
    static const char *const keys[STATES] = {"verified", "differs", "not_asked", "old", "failed"};
    struct data *counts = data_map(arena);
    for (size_t i = 0; i < STATES; i++)
        data_put(arena, counts, keys[i],
                 data_int(arena, (int64_t)count_state(rows, NULL, states[i])));
    data_put(arena, counts, "explained", data_int(arena, (int64_t)count_explained(rows)));
    return counts;
}

static void print_frameworks(struct buf *out, const struct data *rows)
{
    const char *last = NULL;
    (void)buf_printf(out, "%-21s %9s %9s %9s %9s %9s\n", "framework or package", "verified",
                     "differs", "not asked", "old", "failed");
    for (size_t i = 0; i < rows->list.count; i++) {
        const char *name = data_text(data_get(rows->list.items[i], "framework"));
        if (str_equal(name, last))
            continue;
        last = name;
        (void)buf_printf(out, "%-21s", name);
        for (size_t j = 0; j < STATES; j++)
            (void)buf_printf(out, " %9zu", count_state(rows, name, states[j]));
        (void)buf_putc(out, '\n');
    }
}

static void print_differences(struct buf *out, const struct data *row, bool explained)
{
    const struct data *list = data_get(row, "differences");
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *d = list->list.items[i];
        if (data_get(d, "explained")->boolean != explained)
            continue;
        (void)buf_printf(out, "%s %s %s: %s: the row has %s, the index %s\n    %s\n",
                         data_text(data_get(row, "framework")), data_text(data_get(row, "release")),
                         data_text(data_get(row, "variant")), data_text(data_get(d, "what")),
                         data_text(data_get(d, "row")), data_text(data_get(d, "index")),
                         data_text(data_get(d, "evidence")));
    }
}

int matrix_verify_table(struct buf *out, struct arena *arena, const struct data *rows)
{
    (void)arena;
    print_frameworks(out, rows);
    (void)buf_putc(out, '\n');
    for (size_t i = 0; i < rows->list.count; i++)
        print_differences(out, rows->list.items[i], false);
    return out->overflowed ? -1 : 0;
}
