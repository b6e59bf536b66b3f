/* A chosen candidate as the `resolution` of docs/json.md. */
#include "resolver/result/resolution.h"

#include "base/arena.h"
#include "data/document.h"
#include "resolver/search/chosen_set.h"
#include "resolver/search/members.h"

#include <string.h>

/* ------------------------------------------------------------------ the parts of the map */

static struct data *framework_part(const struct chosen_set *s)
{
    size_t named = member_of(&s->ask->members, s->ask->named);
    const struct release *release =
        chosen_has(s, named) ? s->picks[named].release : s->candidate->release;
    return data_of(s->arena, FIELD("name", s->ask->named->name),
                   FIELD("version", release->version.text));
}

/* The minor version of the CUDA that runs. */
static const char *cuda_text(const struct chosen_set *s)
{
    const struct version *cuda = candidate_cuda(s->candidate);
    if (cuda == &s->candidate->build->cuda)
        return cuda->text;
    return arena_printf(s->arena, "%llu.%llu", (unsigned long long)cuda->release[0],
                        (unsigned long long)cuda->release[1]);
}

static struct data *cuda_part(const struct chosen_set *s)
{
    const struct build *build = s->candidate->build;
    return data_of(s->arena, FIELD("version", cuda_text(s)), FIELD("variant", build->variant),
                   FIELD("supply", build->cuda.text ? supply_of(s->ask->framework, build) : NULL));
}

/* The version below which cuDNN must stay because of the GPUs; NULL: no pin is needed. */
static const char *cudnn_bound(const struct chosen_set *s)
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

/* The stack's cuDNN: a version, or the SPEC that the installation leaves open. */
static const char *cudnn_text(const struct chosen_set *s)
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

static struct data *companions_part(const struct chosen_set *s)
{
    const struct demands *ask = s->ask;
    const struct pairs *companions = &s->candidate->release->companions;
    struct data *map = data_map(s->arena);
    for (size_t i = 0; i < companions->count; i++)
        data_put_text(s->arena, map, companions->items[i].name, companions->items[i].value);
    if (ask->named != ask->framework) {
        const struct words *packages = &ask->framework->packages; /* "torch" of pytorch */
        data_put_text(s->arena, map, packages->count ? packages->items[0] : ask->framework->name,
                      s->candidate->release->version.text);
    }
    for (size_t i = 0; i < ask->members.count; i++)
        if (chosen_has(s, i) && ask->members.items[i].row != ask->named &&
            !data_get(map, ask->members.items[i].row->name))
            data_put_text(s->arena, map, ask->members.items[i].row->name,
                          s->picks[i].release->version.text);
    return map;
}

static struct data *image_part(const struct chosen_set *s)
{
    const struct candidate *c = s->candidate;
    const char *repository = s->ask->matrix->repository, *tag;
    bool listed = c->image && !str_equal(c->image->state, "observed");
    if (c->named || c->plain) {
        repository = c->named ? s->ask->image.repository : c->plain->repository;
        tag = c->named ? s->ask->image.tag : c->plain->tag;
    } else {
        tag = tag_text(s->arena, c->image, c->tag);
    }
    return data_of(s->arena, FIELD("repository", repository), FIELD("tag", tag),
                   FIELD("digest", c->named ? s->ask->image.digest : NULL),
                   FIELD("state", listed ? c->image->state : "supported"));
}

static struct data *driver_part(const struct chosen_set *s)
{
    static const char *const words[] = {NULL, "native", "minor-version", "forward"};
    return data_of(s->arena, FIELD("minimum", s->minimum ? s->minimum->text : NULL),
                   FIELD("relies_on", words[s->reliance]));
}

/* Adds the words of a value, each up to a ':', each once: "1g.5gb" of "1g.5gb:7". */
static void push_words(struct arena *arena, struct data *list, const char *value)
{
    for (const char *p = value; *p;) {
        size_t len = strcspn(p, " ");
        const char *word = arena_memdup(arena, p, strcspn(p, ": "));
        if (!data_has_text(list, word))
            data_push(arena, list, data_str(arena, word));
        p += len + (p[len] == ' ');
    }
}

/* The named platform's names for it: none, one, or several. */
static struct data *node_names(const struct chosen_set *s, const struct gpu *gpu)
{
    const struct platform *platform =
        is_active(s->problem, CHOICE_PLATFORM) ? s->ask->platform : NULL;
    struct data *list = data_list(s->arena);
    for (size_t i = 0; platform && i < gpu->on.count; i++)
        if (str_equal(gpu->on.items[i].name, platform->name))
            push_words(s->arena, list, gpu->on.items[i].value);
    return list;
}

/* Adds what is needed to place the project on a machine with that GPU model. */
static void put_model(struct data *map, const struct chosen_set *s, const struct gpu *gpu)
{
    static const struct gpu nothing = {.class = NULL};
    struct data *mig = data_list(s->arena);
    gpu = gpu ? gpu : &nothing;
    for (size_t i = 0; i < gpu->mig.count; i++) /* profiles of all memory sizes */
        push_words(s->arena, mig, gpu->mig.items[i].value);
    data_add(s->arena, map, FIELD("class", gpu->class), FIELD("memory_gb", gpu->memory),
             FIELD("mig", mig), FIELD("products", gpu->products),
             FIELD("node_names", node_names(s, gpu)));
}

static struct data *gpus_part(const struct chosen_set *s)
{
    const struct build *build = s->candidate->build;
    struct data *list = data_list(s->arena);
    for (size_t i = 0; i < s->problem->gpu_count; i++) {
        const struct asked_gpu *gpu = s->problem->gpus[i];
        int cubin = covering_cubin(build, s->problem->arch, gpu->cc);
        struct data *map = data_of(s->arena, FIELD("name", gpu->name),
                                   FIELD("compute_capability", cc_text(s->arena, gpu->cc)));
        if (cubin)
            data_put_text(s->arena, map, "covered_by", arena_printf(s->arena, "sm_%d", cubin));
        else if (covered_by_bounds(build, gpu->cc))
            data_put_text(s->arena, map, "covered_by", "wheel");
        else
            data_put_text(s->arena, map, "covered_by",
                          arena_printf(s->arena, "compute_%d", build->ptx));
        put_model(map, s, gpu->gpu);
        data_push(s->arena, list, map);
    }
    return list;
}

/* The build's GPU code, in compilers' names; empty where it is not known. */
static struct data *archs_part(const struct chosen_set *s)
{
    const struct build *build = s->candidate->build;
    const struct ccs *cubins = cubins_of(build, s->problem->arch);
    struct data *list = data_list(s->arena);
    for (size_t i = 0; i < cubins->count; i++)
        data_push(s->arena, list,
                  data_str(s->arena, arena_printf(s->arena, "sm_%d", cubins->items[i])));
    if (cubins->count && build->ptx)
        data_push(s->arena, list,
                  data_str(s->arena, arena_printf(s->arena, "compute_%d", build->ptx)));
    return list;
}

/* ------------------------------------------------------------------ environment */

/* The folder with the host's driver, without the image's own libraries. */
static const char *harmless_path(const struct matrix *matrix)
{
    const char *path = "";
    for (size_t i = 0; i < matrix->library_paths.count; i++)
        if (!ROW(struct library_path, matrix->library_paths, i)->shadows)
            path = ROW(struct library_path, matrix->library_paths, i)->path;
    return path;
}

static const char *library_path(const struct chosen_set *s)
{
    const struct platform *platform =
        is_active(s->problem, CHOICE_PLATFORM) ? s->ask->platform : NULL;
    if (chosen_is_shadowed(s))
        return str_equal(s->ask->framework->library_path, "unset") && !platform
                   ? ""
                   : harmless_path(s->ask->matrix);
    return s->candidate->image || !platform ? NULL : platform->library_path;
}

static struct data *env_part(const struct chosen_set *s)
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

static struct data *sources_part(const struct chosen_set *s)
{
    const struct fact *facts[FACTS_MAX];
    size_t count = chosen_facts(facts, s);
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

struct data *resolution_data(struct arena *arena, const struct demands *ask,
                             const struct candidate *candidate)
{
    struct problem problem;
    struct chosen_set s;
    problem_init(&problem, ask, ask_all(ask));
    chosen_init(&s, arena, &problem, candidate);
    struct data *map =
        data_of(arena, FIELD("framework", framework_part(&s)), FIELD("python", candidate->python),
                FIELD("cuda", cuda_part(&s)), FIELD("cudnn", cudnn_text(&s)),
                FIELD("companions", companions_part(&s)), FIELD("image", image_part(&s)),
                FIELD("driver", driver_part(&s)), FIELD("gpus", gpus_part(&s)),
                FIELD("archs", archs_part(&s)), FIELD("arch", problem.arch));
    put_requirements(map, &s, cudnn_bound(&s));
    return data_add(arena, map, FIELD("env", env_part(&s)), FIELD("notes", notes_data(&s)),
                    FIELD("sources", sources_part(&s)));
}
