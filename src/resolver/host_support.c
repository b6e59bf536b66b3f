/* What a host can run of a matrix, with its driver and GPUs. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/document.h"
#include "resolver/explain/refuse.h"
#include "resolver/result/resolution.h"
#include "resolver/search/search.h"

#include <stdlib.h>
#include <string.h>

struct survey {
    struct arena *arena;
    const struct matrix *matrix;
    struct stack_request request; /* the host, without a framework */
    struct data *unknown;         /* GPUs that the matrix does not know */
};

/* What one framework can do with a given driver. */
struct reach {
    const char *name;
    struct demands *ask;
    struct candidate newest;
    bool found;
    struct data *stack;          /* the newest, as a resolution; NULL: none */
    struct version version;      /* of the named package, in that stack */
    int64_t rows, runs, forward; /* `forward`: only with a forward-compatibility package */
};

/* ------------------------------------------------------------------ the host as a request */

const char *matrix_gpu_word(struct arena *arena, const struct matrix *matrix,
                            const struct machine_gpu *gpu)
{
    struct asked_gpu found;
    ERR_SCRATCH(ignored);
    const char *sm = arena_printf(arena, "sm_%d", gpu->compute_capability);
    if (gpu_find(&found, arena, matrix, gpu->name, &ignored) == 0 &&
        (!gpu->compute_capability || found.cc == gpu->compute_capability))
        return found.name;
    return gpu_find(&found, arena, matrix, sm, &ignored) == 0 ? sm : NULL;
}

static void ask_for_host(struct survey *s, const struct machine *machine)
{
    struct words *gpus = &s->request.said[CHOICE_GPU];
    s->unknown = data_list(s->arena);
    request_say(&s->request, s->arena, CHOICE_DRIVER, machine->driver);
    request_say(&s->request, s->arena, CHOICE_ARCH, machine->arch);
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const char *word = matrix_gpu_word(s->arena, s->matrix, &machine->gpus[i]);
        if (!word)
            data_push(s->arena, s->unknown, data_str(s->arena, machine->gpus[i].name));
        else if (!words_have(gpus, word) && gpus->count < GPUS_MAX)
            request_add(&s->request, s->arena, CHOICE_GPU, word);
    }
}

/* ------------------------------------------------------------------ one framework */

static void count_rows(struct reach *r, struct problem *problem)
{
    const struct framework *framework = r->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        for (size_t j = 0; j < release->build_count; j++) {
            const struct build *build = release->builds[j];
            struct candidate candidate;
            if (!build->cuda.text)
                continue;
            r->rows++;
            problem->allow_forward = false;
            bool runs = search_build(&candidate, problem, release, build);
            problem->allow_forward = true;
            r->runs += runs;
            r->forward += !runs && search_build(&candidate, problem, release, build);
        }
    }
}

/* True where the builds are its own: a package on another framework has that one's. */
static bool has_builds(const struct reach *r)
{
    return !r->ask->named->on;
}

static int reach_framework(struct reach *out, const struct survey *s, const char *name,
                           const char *driver, struct err *err)
{
    struct stack_request request = s->request;
    struct problem problem;
    *out = (struct reach){.name = name, .ask = arena_alloc(s->arena, sizeof *out->ask)};
    request_say(&request, s->arena, CHOICE_FRAMEWORK, name);
    request_say(&request, s->arena, CHOICE_DRIVER, driver);
    if (ask_compile(out->ask, s->arena, s->matrix, &request, err) < 0)
        return -1;
    out->found = search_tiers(&out->newest, &problem, out->ask, ask_all(out->ask)) &&
                 out->newest.build->cuda.text;
    if (out->found) {
        out->stack = resolution_data(s->arena, out->ask, &out->newest);
        if (version_parse(&out->version,
                          data_get_text(data_get(out->stack, "framework"), "version")) < 0)
            out->version = out->newest.release->version;
    }
    problem.allow_eol = true;
    count_rows(out, &problem);
    return 0;
}

/* Why none of its builds runs: the first conflict's words. */
static const char *why_not(const struct survey *s, const struct demands *ask)
{
    const struct data *conflicts = conflicts_data(s->arena, ask, minimal_conflict(ask));
    return conflicts->list.count ? data_get_text(conflicts->list.items[0], "because") : NULL;
}

static struct data *framework_data(const struct survey *s, const struct reach *r)
{
    return data_of(s->arena, FIELD("framework", r->name), FIELD("rows", r->rows),
                   FIELD("runs", r->runs), FIELD("forward", r->forward),
                   FIELD("image", r->found ? image_text(s->arena, r->ask, &r->newest) : NULL),
                   FIELD("resolution", r->stack),
                   FIELD("because", r->found ? NULL : why_not(s, r->ask)));
}

/* ------------------------------------------------------------------ images */

static struct data *image_of(struct data *images, const char *image)
{
    for (size_t i = 0; i < images->list.count; i++)
        if (str_equal(data_get_text(images->list.items[i], "image"), image))
            return images->list.items[i];
    return NULL;
}

static int by_use(const void *a, const void *b)
{
    const struct data *x = *(const struct data *const *)a, *y = *(const struct data *const *)b;
    size_t n = data_get(x, "frameworks")->list.count, m = data_get(y, "frameworks")->list.count;
    if (n != m)
        return n > m ? -1 : 1;
    return strcmp(data_get_text(x, "image"), data_get_text(y, "image"));
}

static struct data *images_data(const struct survey *s, const struct reach *reaches, size_t count)
{
    struct data *images = data_list(s->arena);
    for (size_t i = 0; i < count; i++) {
        const struct reach *r = &reaches[i];
        if (!r->found)
            continue;
        const char *text = image_text(s->arena, r->ask, &r->newest);
        struct data *image = image_of(images, text);
        if (!image) {
            image =
                data_of(s->arena, FIELD("image", text), FIELD("frameworks", data_list(s->arena)));
            data_push(s->arena, images, image);
        }
        data_push(s->arena, data_get(image, "frameworks"),
                  data_str(s->arena, arena_printf(s->arena, "%s %s %s", r->name, r->version.text,
                                                  r->newest.build->variant)));
    }
    if (images->list.count)
        qsort(images->list.items, images->list.count, sizeof *images->list.items, by_use);
    return images;
}

/* ------------------------------------------------------------------ newer drivers */

static bool is_better(const struct reach *now, const struct reach *then)
{
    if (!then->found)
        return false;
    if (!now->found)
        return true;
    int order = version_compare(&then->version, &now->version);
    if (!order)
        order = version_compare(candidate_cuda(&then->newest), candidate_cuda(&now->newest));
    return order > 0;
}

static struct data *opened_data(const struct survey *s, const struct reach *r)
{
    return data_of(s->arena, FIELD("framework", r->name), FIELD("version", r->version.text),
                   FIELD("variant", r->newest.build->variant),
                   FIELD("image", image_text(s->arena, r->ask, &r->newest)));
}

/* What a branch allows and `best` does not; `best` becomes that. NULL: it allows no more. */
static int open_branch(struct data **out, const struct survey *s, const struct branch *branch,
                       struct reach *best, size_t count, struct err *err)
{
    struct data *opens = data_list(s->arena);
    int64_t more = 0;
    const char *driver = arena_printf(s->arena, "%lld", (long long)branch->number);
    for (size_t i = 0; i < count; i++) {
        struct reach then;
        if (reach_framework(&then, s, best[i].name, driver, err) < 0)
            return -1;
        if (is_better(&best[i], &then))
            data_push(s->arena, opens, opened_data(s, &then));
        if (then.runs <= best[i].runs && !is_better(&best[i], &then))
            continue;
        more += has_builds(&then) ? then.runs - best[i].runs : 0;
        best[i] = then;
    }
    if (more > 0 || opens->list.count)
        *out = data_of(s->arena, FIELD("driver", driver), FIELD("cuda", branch->cuda.text),
                       FIELD("more_rows", more), FIELD("opens", opens));
    return 0;
}

/* The maintained branches that are later than the host's, by number. */
static int newer_drivers(struct data **out, const struct survey *s, struct reach *best,
                         size_t count, struct err *err)
{
    *out = data_list(s->arena);
    for (size_t i = 0; i < s->matrix->branches.count; i++) {
        const struct branch *branch = ROW(struct branch, s->matrix->branches, i);
        struct data *opened = NULL;
        if (branch->ended ||
            branch->number <= strtol(request_text(&s->request, CHOICE_DRIVER), NULL, 10))
            continue;
        if (open_branch(&opened, s, branch, best, count, err) < 0)
            return -1;
        if (opened)
            data_push(s->arena, *out, opened);
    }
    return 0;
}

/* ------------------------------------------------------------------ all of it */

static int survey_all(struct data **out, const struct survey *s, struct err *err)
{
    size_t count = s->matrix->framework_count;
    struct reach *reaches = arena_array(s->arena, count + 1, sizeof *reaches);
    struct data *frameworks = data_list(s->arena), *newer, *images;
    int64_t rows = 0, runs = 0, forward = 0;
    for (size_t i = 0; i < count; i++) {
        if (reach_framework(&reaches[i], s, s->matrix->frameworks[i].name,
                            request_text(&s->request, CHOICE_DRIVER), err) < 0)
            return -1;
        data_push(s->arena, frameworks, framework_data(s, &reaches[i]));
        if (!has_builds(&reaches[i]))
            continue;
        rows += reaches[i].rows;
        runs += reaches[i].runs;
        forward += reaches[i].forward;
    }
    images = images_data(s, reaches, count);
    if (newer_drivers(&newer, s, reaches, count, err) < 0)
        return -1;
    *out = data_of(s->arena, FIELD("request", stack_request_data(s->arena, &s->request)),
                   FIELD("unknown_gpus", s->unknown), FIELD("rows", rows), FIELD("runs", runs),
                   FIELD("forward", forward), FIELD("frameworks", frameworks),
                   FIELD("images", images), FIELD("newer_drivers", newer));
    return 0;
}

int matrix_runs(struct data **out, struct arena *arena, const struct matrix *matrix,
                const struct machine *machine, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct survey s = {.arena = arena, .matrix = matrix};
    ask_for_host(&s, machine);
    return survey_all(out, &s, err) < 0 ? -1 : budget_steps(0, err);
}

/* ------------------------------------------------------------------ one stack */

/* Makes demands of a resolution's parts, which only that resolution meets. */
static void ask_for_stack(struct survey *s, const struct data *resolution,
                          const struct data *request)
{
    const struct data *framework = data_get(resolution, "framework"),
                      *image = data_get(resolution, "image");
    const char *tag = data_get_text(image, "tag");
    request_say(&s->request, s->arena, CHOICE_FRAMEWORK,
                arena_printf(s->arena, "%s==%s", data_get_text(framework, "name"),
                             data_get_text(framework, "version")));
    request_say(&s->request, s->arena, CHOICE_VARIANT,
                data_get_text(data_get(resolution, "cuda"), "variant"));
    request_say(&s->request, s->arena, CHOICE_PYTHON, data_get_text(resolution, "python"));
    request_say(&s->request, s->arena, CHOICE_RUNTIME, data_get_text(request, "runtime"));
    if (tag)
        request_say(&s->request, s->arena, CHOICE_IMAGE,
                    arena_printf(s->arena, "%s:%s", data_get_text(image, "repository"), tag));
}

/* Sets `runs`: true, false with a reason, or null where this matrix does not know the stack. */
static struct data *judge_stack(const struct survey *s, const char **relies_on,
                                const char **because)
{
    struct demands *ask = arena_alloc(s->arena, sizeof *ask);
    struct candidate candidate;
    ERR_SCRATCH(err);
    if (ask_compile(ask, s->arena, s->matrix, &s->request, &err) < 0) {
        *because = arena_strdup(s->arena, err.message);
        return data_null(s->arena);
    }
    if (search_best(&candidate, ask, ask_all(ask))) {
        const struct data *stack = resolution_data(s->arena, ask, &candidate);
        *relies_on = data_get_text(data_get(stack, "driver"), "relies_on");
        return data_bool(s->arena, true);
    }
    *because = why_not(s, ask);
    return data_bool(s->arena, false);
}

struct data *matrix_runs_stack(struct arena *arena, const struct matrix *matrix,
                               const struct machine *machine, const struct data *resolution,
                               const struct data *request)
{
    struct survey s = {.arena = arena, .matrix = matrix};
    const char *relies_on = NULL, *because = NULL;
    ask_for_host(&s, machine);
    ask_for_stack(&s, resolution, request);
    struct data *runs = judge_stack(&s, &relies_on, &because);
    return data_of(arena, FIELD("runs", runs), FIELD("relies_on", relies_on),
                   FIELD("because", because));
}
