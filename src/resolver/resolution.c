/* A chosen candidate as the `resolution` of JSON.md. */
#include "resolver/resolution.h"

#include "base/arena.h"
#include "base/data.h"
#include "resolver/cover.h"
#include "resolver/notes.h"

#include <string.h>

/* `torch=={version}` with its placeholders filled in; an unknown one stays as it is. */
static const char *fill_in(const struct chosen *s, const char *text)
{
    return fill_text(s->arena, text, s->candidate->release, s->candidate->build);
}

/* ------------------------------------------------------------------ the parts of the map */

static struct data *framework_part(const struct chosen *s)
{
    struct data *map = data_map(s->arena);
    data_put_text(s->arena, map, "name", s->ask->framework->name);
    data_put_text(s->arena, map, "version", s->candidate->release->version.text);
    return map;
}

/* The CUDA that runs, to its minor. */
static const char *cuda_text(const struct chosen *s)
{
    const struct version *cuda = candidate_cuda(s->candidate);
    if (cuda == &s->candidate->build->cuda)
        return cuda->text;
    return arena_printf(s->arena, "%llu.%llu", (unsigned long long)cuda->release[0],
                        (unsigned long long)cuda->release[1]);
}

static struct data *cuda_part(const struct chosen *s)
{
    const struct build *build = s->candidate->build;
    struct data *map = data_map(s->arena);
    data_put_text(s->arena, map, "version", cuda_text(s));
    data_put_text(s->arena, map, "variant", build->variant);
    data_put_text(s->arena, map, "supply",
                  build->cuda.text ? supply_of(s->ask->framework, build) : NULL);
    return map;
}

/* Below which version cuDNN must stay for the sake of the GPUs; NULL: no pin is needed. */
static const char *cudnn_bound(const struct chosen *s)
{
    bool newest;
    if (!s->candidate->build->cudnn_window.count || !s->problem->gpu_count)
        return NULL;
    const struct cudnn *row = cudnn_choice(s->problem, s->candidate->build, &newest);
    for (size_t i = 0; row && !newest && i < row->cudnn.count; i++)
        if (row->cudnn.clauses[i].op == SPEC_LT)
            return row->cudnn.clauses[i].version.text;
    return NULL;
}

/* The cuDNN that comes with the stack: a version, or the SPEC that installation leaves open. */
static const char *cudnn_text(const struct chosen *s)
{
    const struct candidate *c = s->candidate;
    const char *bound = cudnn_bound(s);
    if (c->build->cudnn && c->image && str_equal(supply_of(s->ask->framework, c->build), "image"))
        return cudnn_of(s->ask->matrix, c->image);
    if (!bound)
        return c->build->cudnn;
    return arena_printf(s->arena, "%s%s,<%s",
                        c->build->cudnn_window.clauses[0].op == SPEC_GE ? ">=" : "==",
                        c->build->cudnn_window.clauses[0].version.text, bound);
}

static struct data *companions_part(const struct chosen *s)
{
    const struct pairs *companions = &s->candidate->release->companions;
    struct data *map = data_map(s->arena);
    for (size_t i = 0; i < companions->count; i++)
        data_put_text(s->arena, map, companions->items[i].name, companions->items[i].value);
    for (size_t i = 0; i < s->ask->with_count; i++) {
        struct candidate partner;
        if (chosen_partner(&partner, s, i))
            data_put_text(s->arena, map, s->ask->with[i].partner->framework->name,
                          partner.release->version.text);
    }
    return map;
}

static const char *image_state(const struct candidate *c)
{
    if (!c->image || str_equal(c->image->state, "observed"))
        return "supported";
    return c->image->state;
}

static struct data *image_part(const struct chosen *s)
{
    const struct candidate *c = s->candidate;
    struct data *map = data_map(s->arena);
    if (c->named) {
        data_put_text(s->arena, map, "repository", s->ask->image.repository);
        data_put_text(s->arena, map, "tag", s->ask->image.tag);
    } else if (c->plain) {
        data_put_text(s->arena, map, "repository", c->plain->repository);
        data_put_text(s->arena, map, "tag", c->plain->tag);
    } else {
        data_put_text(s->arena, map, "repository", s->ask->matrix->repository);
        data_put_text(s->arena, map, "tag", tag_text(s->arena, c->image, c->tag));
    }
    data_put_text(s->arena, map, "digest", c->named ? s->ask->image.digest : NULL);
    data_put_text(s->arena, map, "state", image_state(c));
    return map;
}

static struct data *driver_part(const struct chosen *s)
{
    static const char *const words[] = {NULL, "native", "minor-version", "forward"};
    struct data *map = data_map(s->arena);
    data_put_text(s->arena, map, "minimum", s->minimum ? s->minimum->text : NULL);
    data_put_text(s->arena, map, "relies_on", words[s->reliance]);
    return map;
}

static struct data *gpus_part(const struct chosen *s)
{
    const struct build *build = s->candidate->build;
    struct data *list = data_list(s->arena);
    for (size_t i = 0; i < s->problem->gpu_count; i++) {
        const struct asked_gpu *gpu = s->problem->gpus[i];
        int cubin = covering_cubin(build, s->problem->arch, gpu->cc);
        struct data *map = data_map(s->arena);
        data_put_text(s->arena, map, "name", gpu->name);
        data_put_text(s->arena, map, "compute_capability", cc_text(s->arena, gpu->cc));
        if (cubin)
            data_put_text(s->arena, map, "covered_by", arena_printf(s->arena, "sm_%d", cubin));
        else if (covered_by_bounds(build, gpu->cc))
            data_put_text(s->arena, map, "covered_by", "wheel");
        else
            data_put_text(s->arena, map, "covered_by",
                          arena_printf(s->arena, "compute_%d", build->ptx));
        data_push(s->arena, list, map);
    }
    return list;
}

/* ------------------------------------------------------------------ requirements and environment
 */

static void push_words(const struct chosen *s, struct data *list, const char *text)
{
    char *copy = arena_strdup(s->arena, text ? text : ""), *save = NULL;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        data_push(s->arena, list, data_str(s->arena, word));
}

/* What a build is installed by. */
static void push_build(const struct chosen *s, struct data *list)
{
    const struct candidate *c = s->candidate;
    const char *text =
        c->build->requirements ? c->build->requirements : s->ask->framework->requirements;
    push_words(s, list, fill_in(s, text));
    push_words(s, list, c->release->requires);
}

/* One package of --with: pinned where the matrix knows it, else as it was said. */
static void push_package(const struct chosen *s, struct data *list, size_t i)
{
    const struct asked_package *package = &s->ask->with[i];
    const char *companion = pair_value(&s->candidate->release->companions, package->name);
    struct candidate partner;
    struct chosen theirs = *s;
    if (words_have(&s->ask->framework->packages, package->name))
        return; /* it is there already */
    if (chosen_partner(&partner, s, i)) {
        theirs.ask = package->partner;
        theirs.candidate = &partner;
        push_build(&theirs, list);
        return;
    }
    const char *text = package->said;
    const char *spec = package->spec.text ? package->spec.text : "";
    if (companion)
        text = arena_printf(s->arena, "%s==%s", package->name, companion);
    else if (*spec >= '0' && *spec <= '9')
        text = arena_printf(s->arena, "%.*s==%s.*", (int)(strlen(text) - strlen(spec)), text, spec);
    data_push(s->arena, list, data_str(s->arena, text));
}

static struct data *requirements_part(const struct chosen *s)
{
    const struct candidate *c = s->candidate;
    struct data *list = data_list(s->arena);
    push_build(s, list);
    if (cudnn_bound(s) && c->build->cudnn_package)
        push_words(s, list,
                   arena_printf(s->arena, "%s<%s", c->build->cudnn_package, cudnn_bound(s)));
    for (size_t i = 0; i < s->ask->with_count; i++)
        push_package(s, list, i);
    return list;
}

/* NULL: the index that pip is set up for. */
static const char *index_url(const struct chosen *s)
{
    const struct build *build = s->candidate->build;
    const char *url = build->index_url ? build->index_url : s->ask->framework->index_url;
    if (!url || (is_active(s->problem, CHOICE_VARIANT) && str_equal(s->ask->variant, "pypi")))
        return NULL;
    return fill_in(s, url);
}

/* Companions are built for one release and one CUDA of the framework, and lie beside it. */
static struct data *index_requirements_part(const struct chosen *s)
{
    const struct candidate *c = s->candidate;
    const char *text =
        c->build->requirements ? c->build->requirements : s->ask->framework->requirements;
    struct data *list = data_list(s->arena);
    if (!index_url(s))
        return list;
    push_words(s, list, fill_in(s, text));
    for (size_t i = 0; i < s->ask->with_count; i++)
        if (pair_value(&c->release->companions, s->ask->with[i].name))
            push_package(s, list, i);
    return list;
}

/* Where the host's driver is mounted, without the image's own libraries. */
static const char *harmless_path(const struct matrix *matrix)
{
    const char *path = "";
    for (size_t i = 0; i < matrix->library_paths.count; i++)
        if (!ROW(struct library_path, matrix->library_paths, i)->shadows)
            path = ROW(struct library_path, matrix->library_paths, i)->path;
    return path;
}

static const char *library_path(const struct chosen *s)
{
    const struct platform *platform =
        is_active(s->problem, CHOICE_PLATFORM) ? s->ask->platform : NULL;
    if (chosen_is_shadowed(s))
        return str_equal(s->ask->framework->library_path, "unset") && !platform
                   ? ""
                   : harmless_path(s->ask->matrix);
    return s->candidate->image || !platform ? NULL : platform->library_path;
}

static struct data *env_part(const struct chosen *s)
{
    const struct pairs *env = &s->ask->framework->env;
    struct data *map = data_map(s->arena);
    if (!s->candidate->build->cuda.text)
        return map;
    for (size_t i = 0; i < env->count; i++)
        data_put_text(s->arena, map, env->items[i].name, env->items[i].value);
    if (!s->candidate->image)
        data_put_text(s->arena, map, "NVIDIA_VISIBLE_DEVICES", "all");
    if (library_path(s))
        data_put_text(s->arena, map, "LD_LIBRARY_PATH", library_path(s));
    return map;
}

/* ------------------------------------------------------------------ drivers and sources */

static struct data *sources_part(const struct chosen *s)
{
    const struct fact *facts[FACTS_MAX];
    size_t count = chosen_facts(facts, FACTS_MAX, s);
    struct data *list = data_list(s->arena);
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t j = 0; j < i && !again; j++)
            again = str_equal(facts[i]->source, facts[j]->source);
        if (!again)
            data_push(s->arena, list, data_str(s->arena, facts[i]->source));
    }
    return list;
}

struct data *resolution_data(struct arena *arena, const struct ask *ask,
                             const struct candidate *candidate)
{
    struct problem problem;
    struct chosen s;
    problem_init(&problem, ask, ask_all(ask));
    chosen_init(&s, arena, &problem, candidate);
    struct data *map = data_map(arena);
    data_put(arena, map, "framework", framework_part(&s));
    data_put_text(s.arena, map, "python", candidate->python);
    data_put(arena, map, "cuda", cuda_part(&s));
    data_put_text(s.arena, map, "cudnn", cudnn_text(&s));
    data_put(arena, map, "companions", companions_part(&s));
    data_put(arena, map, "image", image_part(&s));
    data_put(arena, map, "driver", driver_part(&s));
    data_put(arena, map, "gpus", gpus_part(&s));
    data_put_text(s.arena, map, "arch", problem.arch);
    data_put(arena, map, "requirements", requirements_part(&s));
    data_put_text(s.arena, map, "index_url", index_url(&s));
    data_put(arena, map, "index_requirements", index_requirements_part(&s));
    data_put(arena, map, "build_requirements", data_list(arena));
    data_put(arena, map, "build_image", data_null(arena));
    data_put(arena, map, "env", env_part(&s));
    data_put(arena, map, "notes", notes_data(&s));
    data_put(arena, map, "sources", sources_part(&s));
    return map;
}
