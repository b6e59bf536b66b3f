/* Notes for the user on a stack, besides its versions. */
#include "resolver/search/chosen_set.h"

#include "base/arena.h"
#include "base/shell.h"
#include "data/document.h"
#include "resolver/search/hardly_known.h"
#include "resolver/search/search.h"

#include <stdarg.h>
#include <string.h>

struct notes {
    const struct chosen_set *chosen;
    struct data *list;
};

__attribute__((format(printf, 3, 4))) static void note(const struct notes *n, const char *code,
                                                       const char *format, ...)
{
    struct arena *arena = n->chosen->arena;
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(arena, format, args);
    va_end(args);
    for (size_t i = 0; i < n->list->list.count; i++)
        if (str_equal(data_get_text(n->list->list.items[i], "text"), text))
            return; /* rows share texts: a release and its build may have the same */
    data_push(arena, n->list, data_of(arena, FIELD("code", code), FIELD("text", text)));
}

/* ------------------------------------------------------------------ the image */

/* The project has an environment of its own, and cannot use the packages in the image. */
static void stock_note(const struct notes *n, const struct asked_image *asked)
{
    const struct chosen_set *s = n->chosen;
    const struct stocked *stock = asked->stock;
    const char *rest = strstr(stock->holds, "{version}");
    const char *name = s->ask->framework->name, *version = s->candidate->release->version.text;
    const char *of_tag = arena_memdup(s->arena, asked->tag, strcspn(asked->tag, "-"));
    const char *held = stock->holds;
    if (rest)
        held = arena_printf(s->arena, "%.*s%s%s", (int)(rest - held), held, of_tag,
                            rest + strlen("{version}"));
    struct version held_version;
    bool other = str_equal(stock->framework, name) && !str_equal(of_tag, version) &&
                 version_parse(&held_version, of_tag) == 0;
    note(n, "image-holds",
         "%s holds %s of its own, which stays unused: %s %s is installed beside it, in an "
         "environment of its own%s",
         asked->said, held, name, version,
         other ? arena_printf(s->arena, "; %s is what it holds",
                              shell_command(s->arena, "--framework %s",
                                            arena_printf(s->arena, "%s==%s", name, of_tag)))
               : "");
}

/* True for an image of a distribution alone, which starts on every driver. */
static bool is_plain(const struct matrix *matrix, const struct asked_image *asked)
{
    for (size_t i = 0; i < matrix->plain.count; i++) {
        const struct plain_image *plain = ROW(struct plain_image, matrix->plain, i);
        if (str_equal(plain->repository, asked->repository) && str_equal(plain->tag, asked->tag))
            return true;
    }
    return false;
}

static void image_notes(const struct notes *n)
{
    const struct candidate *c = n->chosen->candidate;
    const char *text = image_text(n->chosen->arena, n->chosen->ask, c);
    const struct asked_image *asked = &n->chosen->ask->image;
    if (c->named && !asked->curated && !c->image && !is_plain(n->chosen->ask->matrix, asked))
        note(n, "image-unknown", "%s is taken as given: %son which drivers it starts, is not known",
             text, asked->stock ? "" : "what is in it, and ");
    if (c->named && asked->stock)
        stock_note(n, asked);
    if (!c->image)
        return;
    if (c->named && asked->unseen)
        note(n, "image-unseen",
             "nobody was seen to use %s: it is taken all the same, since of CUDA %s only sightings "
             "are known",
             text, c->image->cuda.text);
    if (str_equal(c->image->state, "eol"))
        note(n, "image-eol", "%s is at its end of life: mirror it, its maintainers delete it",
             text);
    if (str_equal(c->image->state, "superseded"))
        note(n, "image-superseded",
             "%s is superseded by CUDA %s: its maintainers delete it six months later", text,
             c->image->superseded_by ? c->image->superseded_by : "a newer patch");
    if (c->named && c->build->cuda.text && !image_fits(c->build, &c->image->cuda))
        note(n, "image-cuda", "%s is of CUDA %s, the build of %s", text, c->image->cuda.text,
             c->build->cuda.text);
}

/* Why the image has another CUDA than the build. */
static void other_note(const struct notes *n)
{
    const struct chosen_set *s = n->chosen;
    const struct candidate *c = s->candidate;
    struct candidate first;
    struct objection objection = {.arena = s->arena};
    if (c->named || !c->build->cuda.text || (c->image && image_fits(c->build, &c->image->cuda)))
        return;
    const char *text = image_text(s->arena, s->ask, c), *cuda = c->build->cuda.text;
    if (search_exact_image(&first, s->problem, c, &objection))
        note(n, "image-other", "%s rather than one of CUDA %s: %s", text, cuda, objection.because);
    else
        note(n, "image-other",
             "%s rather than one of CUDA %s: the lists hold none%s%s that would do", text, cuda,
             is_active(s->problem, CHOICE_OS) ? " for " : "",
             is_active(s->problem, CHOICE_OS) ? s->ask->os->os : "");
}

static void size_note(const struct notes *n)
{
    const struct candidate *c = n->chosen->candidate;
    if (c->image && c->build->cuda.text && !str_equal(c->tag->flavour, "base") &&
        str_equal(supply_of(n->chosen->ask->framework, c->build), "wheel"))
        note(n, "image-size",
             "the wheel brings its own CUDA libraries: those of a '%s' image are "
             "there a second time",
             c->tag->flavour);
}

static void gate_notes(const struct notes *n)
{
    const struct chosen_set *s = n->chosen;
    const struct candidate *c = s->candidate;
    if (!c->image || !c->build->cuda.text || s->problem->cdi)
        return;
    const struct gate *gate = gate_of(s->ask->matrix, c->image);
    if (!gate) {
        note(n, "gate-unknown", "on which drivers images of CUDA %s start is not known",
             c->image->cuda.text);
        return;
    }
    if (s->problem->host.driver)
        return;
    const char *branches = str_join(s->arena, gate->branches.items, gate->branches.count, ", ");
    note(n, "start-gate", "the image starts on drivers of CUDA %s or newer%s%s%s", gate->cuda.text,
         *branches ? ", and on branches " : "", branches,
         *branches && !gate->geforce ? " (not with GeForce cards)" : "");
}

/* ------------------------------------------------------------------ driver and GPUs */

static void driver_notes(const struct notes *n)
{
    const struct chosen_set *s = n->chosen;
    const struct asked_driver *driver = s->problem->host.driver;
    if (!driver || !s->candidate->build->cuda.text)
        return;
    if (s->reliance == RELIES_FORWARD)
        note(n, "forward-compat",
             "driver %s runs CUDA %s only through %s, which must be in the "
             "image",
             driver->said, s->candidate->build->cuda.text,
             forward_of(s->problem, s->candidate->build, driver->branch)->package);
    if (!driver->listed)
        note(n, "driver-unknown",
             "driver branch %llu is not in the matrix: taken for one of CUDA "
             "%s",
             (unsigned long long)driver->version.release[0],
             driver->branch ? driver->branch->cuda.text : "10.0");
    else if (driver->branch->ended)
        note(n, "driver-ended", "driver branch %lld gets no more updates%s%s",
             (long long)driver->branch->number, driver->branch->eol ? " since " : "",
             driver->branch->eol ? driver->branch->eol : "");
    if (s->problem->host.by_platform && driver != &s->ask->platform_driver)
        note(n, "driver-platform",
             "driver branch %s is the first of %s for these GPUs: the nodes must ask for 'latest'",
             driver->said, s->ask->platform->title);
    else if (s->problem->host.by_platform)
        note(n, "driver-platform", "driver branch %s is what %s installs unless told otherwise",
             driver->said, s->ask->platform->title);
}

static void gpu_notes(const struct notes *n)
{
    const struct chosen_set *s = n->chosen;
    const struct build *build = s->candidate->build;
    for (size_t i = 0; i < s->problem->gpu_count; i++) {
        const struct asked_gpu *gpu = s->problem->gpus[i];
        if (gpu->architecture->last_branch)
            note(n, "driver-last-branch", "%s is driven up to branch %lld and no further",
                 gpu->name, (long long)gpu->architecture->last_branch);
        if (gpu->gpu && gpu->gpu->host && !is_active(s->problem, CHOICE_ARCH))
            note(n, "host-arch", "%s comes with %s hosts only: the stack is for them", gpu->name,
                 gpu->gpu->host);
    }
    if (s->problem->gpu_count && build->cubins != CONFIDENCE_HIGH)
        note(n, "cubins", "for which GPUs %s holds kernels is known with %s confidence",
             build->variant, build->cubins == CONFIDENCE_LOW ? "low" : "medium");
}

/* ------------------------------------------------------------------ framework and Python */

static void python_notes(const struct notes *n)
{
    const struct candidate *c = n->chosen->candidate;
    if (c->experimental)
        note(n, "python-experimental", "Python %s is experimental for %s %s", c->python,
             n->chosen->ask->framework->name, c->release->version.text);
    if (c->distribution && !same_minor(c->python_version, &c->distribution->python))
        note(n, "python-not-shipped", "%s ships Python %s: %s comes from elsewhere (uv)",
             c->distribution->os, c->distribution->python.text, c->python);
}

/* A newer release that only a user who names it gets. */
static void newer_note(const struct notes *n, const struct framework *row,
                       const struct release *than)
{
    const struct chosen_set *s = n->chosen;
    const struct release *newer =
        hardly_known(s->arena, s->ask, s->problem->active, row, &than->version);
    const char *doubt = newer ? doubt_of(newer) : NULL;
    if (newer)
        note(n, "newer-known", "%s %s is known, with low confidence%s%s%s: %s takes it", row->name,
             newer->version.text, doubt ? " (" : "", doubt ? doubt : "", doubt ? ")" : "",
             exactly(s->arena, s->ask, row, newer));
}

static void build_notes(const struct notes *n)
{
    const struct candidate *c = n->chosen->candidate;
    const struct demands *ask = n->chosen->ask;
    newer_note(n, ask->framework, c->release);
    if (str_equal(c->build->channel, "experimental"))
        note(n, "build-experimental", "%s is an experimental build of %s %s", c->build->variant,
             n->chosen->ask->framework->name, c->release->version.text);
    if (c->release->fact.note)
        note(n, "release", "%s", c->release->fact.note);
    if (c->build->fact.note)
        note(n, "build", "%s", c->build->fact.note);
}

static void unchecked_notes(const struct notes *n)
{
    const struct demands *ask = n->chosen->ask;
    for (size_t i = 0; i < ask->with_count; i++)
        if (!ask->with[i].row &&
            !pair_value(&n->chosen->candidate->release->companions, ask->with[i].name))
            note(n, "with-unchecked",
                 "no row of the matrix knows %s: whether it goes with this stack is not checked",
                 ask->with[i].name);
}

static void package_notes(const struct notes *n)
{
    const struct chosen_set *s = n->chosen;
    for (size_t i = 0; i < s->ask->members.count; i++) {
        const struct framework *row = s->ask->members.items[i].row;
        if (i && chosen_has(s, i))
            newer_note(n, row, s->picks[i].release);
        if (!chosen_has(s, i) || !row->on)
            continue;
        if (str_equal(row->supply, "build"))
            note(n, "with-built",
                 "%s has no wheel: it is compiled, which takes long, in a stage with CUDA's "
                 "compiler",
                 row->name);
        if (s->picks[i].release->fact.note)
            note(n, "package", "%s", s->picks[i].release->fact.note);
        if (s->picks[i].build->fact.note)
            note(n, "package", "%s", s->picks[i].build->fact.note);
    }
    unchecked_notes(n);
}

static void fact_notes(const struct notes *n)
{
    const struct fact *facts[FACTS_MAX];
    size_t count = chosen_facts(facts, n->chosen);
    bool low = false, overlaid = false;
    for (size_t i = 0; i < count; i++) {
        low |= facts[i]->confidence == CONFIDENCE_LOW;
        overlaid |= facts[i]->overlaid;
    }
    if (low)
        note(n, "low-confidence", "some of this rests on rows of low confidence: verify it");
    if (overlaid)
        note(n, "overlay", "rows of .tmplgen-matrix.yml were used");
}

struct data *notes_data(const struct chosen_set *s)
{
    const struct notes n = {s, data_list(s->arena)};
    image_notes(&n);
    other_note(&n);
    size_note(&n);
    gate_notes(&n);
    if (chosen_is_shadowed(s))
        note(&n, "library-path",
             "LD_LIBRARY_PATH is reset so that the wheel's CUDA libraries win over the image's");
    driver_notes(&n);
    if (is_active(s->problem, CHOICE_PLATFORM) && !s->ask->platform->driver &&
        s->ask->platform->fact.note) /* the driver's note tells what a platform installs */
        note(&n, "platform", "%s", s->ask->platform->fact.note);
    gpu_notes(&n);
    python_notes(&n);
    build_notes(&n);
    package_notes(&n);
    fact_notes(&n);
    return n.list;
}
