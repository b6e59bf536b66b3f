/* From a request to one consistent stack or reasons. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/document.h"
#include "resolver/explain/refuse.h"
#include "resolver/result/resolution.h"
#include "resolver/search/hardly_known.h"
#include "resolver/search/search.h"

/* "driver 470.82.01 and variant cu121". */
static const char *list_demands(struct arena *arena, const struct demands *ask, uint64_t set)
{
    const char *text = "";
    size_t left = (size_t)__builtin_popcountll(set);
    for (size_t i = 0; i < ask->demand_count; i++) {
        if (!(set >> i & 1))
            continue;
        left--;
        text = arena_printf(arena, "%s%s%s", text, ask->demands[i].text,
                            left > 1 ? ", "
                            : left   ? " and "
                                     : "");
    }
    return text;
}

/* The message of a refusal. A need of the type gets a sentence of its own. */
static int say_refusal(struct arena *arena, const struct demands *ask, uint64_t set,
                       struct err *err)
{
    const char *name = ask->named->name, *need = "";
    uint64_t type = 0;
    for (int i = CHOICE_COUNT; i < DEMAND_KINDS; i++)
        type |= ask->at[i] < 0 ? 0 : (uint64_t)1 << ask->at[i];
    if (!set)
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "the matrix has no stack for %s at all",
                       name);
    if (set & type)
        need = arena_printf(arena, ": %s", list_demands(arena, ask, set & type));
    if (!(set & ~type))
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "no %s stack will do%s", name, need);
    return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "no %s stack meets %s%s", name,
                   list_demands(arena, ask, set & ~type), need);
}

/* "--python 3.12 and --driver 535": the first suggestion. */
static const char *first_change(struct arena *arena, const struct data *nearest)
{
    const struct data *change = data_get(nearest->list.items[0], "change");
    const char *text = "";
    for (size_t i = 0; i < change->list.count; i++)
        text =
            arena_printf(arena, "%s%s%s", text, i ? " and " : "", data_text(change->list.items[i]));
    return text;
}

/* True where only kernels are missing, for GPUs that drivers still drive. */
static bool lacks_kernels(const struct demands *ask, const struct data *conflicts)
{
    for (size_t i = 0; i < ask->gpu_count; i++)
        if (ask->gpus[i].architecture->last_branch)
            return false;
    for (size_t i = 0; i < conflicts->list.count; i++)
        if (str_equal(data_get_text(conflicts->list.items[i], "reason"), "gpu-arch"))
            return true;
    return false;
}

/* Where no row helps, another vendor's build may: NVIDIA compiles frameworks for all its GPUs. */
static const char *hint_elsewhere(struct arena *arena, const struct demands *ask, const char *text,
                                  const struct data *conflicts)
{
    if (!lacks_kernels(ask, conflicts))
        return text;
    return arena_printf(arena, "%s; NVIDIA's own containers (nvcr.io/nvidia) may hold a build",
                        text);
}

/* The GPUs of a platform where the user must name one and has not; NULL elsewhere. */
static const char *gpus_to_say(struct arena *arena, const struct demands *ask)
{
    const struct platform *platform = ask->platform;
    const char *names = NULL;
    if (!platform || ask->gpu_count || !str_equal(platform->gpus, "named"))
        return NULL;
    for (size_t i = 0; i < ask->matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, ask->matrix->gpus, i);
        if (pair_value(&gpu->on, platform->name))
            names = arena_printf(arena, "%s%s%s", names ? names : "", names ? ", " : "", gpu->name);
    }
    return names;
}

static const char *hint_of(struct arena *arena, const struct demands *ask,
                           const struct data *refusal)
{
    const struct data *nearest = data_get(refusal, "nearest");
    const struct data *conflicts = data_get(refusal, "conflicts");
    const struct release *newer = hardly_known(arena, ask, ask_all(ask), ask->named, NULL);
    const char *name = ask->named->name, *text = "";
    if (newer)
        text = arena_printf(arena, "%s takes %s, of which little is known%s",
                            exactly(arena, ask, ask->named, newer), newer->version.text,
                            nearest->list.count ? "; " : "");
    if (nearest->list.count) {
        const struct data *made = data_get(nearest->list.items[0], "resolution");
        const char *change = first_change(arena, nearest);
        text = arena_printf(arena, "%s%s%s would do", text, change,
                            str_starts(change, "without") ? " it" : "");
        if (str_equal(data_get_text(data_get(made, "framework"), "name"), name))
            return text;
        return hint_elsewhere(arena, ask, arena_printf(arena, "%s: no %s does", text, name),
                              conflicts);
    }
    if (newer)
        return text;
    const char *gpus = gpus_to_say(arena, ask);
    if (gpus)
        return arena_printf(arena, "say by --gpu which it is: %s", gpus);
    return hint_elsewhere(arena, ask, "nothing that could be changed would do", conflicts);
}

static int refuse(struct data **refusal, struct arena *arena, const struct demands *ask,
                  struct err *err)
{
    uint64_t set = minimal_conflict(ask);
    struct data *nearest = nearest_data(arena, ask);
    if (budget_steps(0, err) < 0)
        return -1;
    *refusal = data_of(arena, FIELD("conflicts", conflicts_data(arena, ask, set)),
                       FIELD("nearest", nearest));
    (void)say_refusal(arena, ask, set, err);
    return err_hint(err, "%s", hint_of(arena, ask, *refusal));
}

int matrix_resolve(struct data **resolution, struct data **refusal, struct arena *arena,
                   const struct matrix *matrix, const struct stack_request *request,
                   struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct demands *ask = arena_alloc(arena, sizeof *ask);
    struct candidate candidate;
    if (ask_compile(ask, arena, matrix, request, err))
        return -1;
    bool found = search_best(&candidate, ask, ask_all(ask));
    if (budget_steps(0, err) < 0)
        return -1;
    if (!found)
        return refuse(refusal, arena, ask, err);
    *resolution = resolution_data(arena, ask, &candidate);
    return 0;
}
