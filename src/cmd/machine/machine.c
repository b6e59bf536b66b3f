/* Finds this machine's driver and GPUs, where a request has `auto`. */
#include "cmd/cmd.h"

#include "base/str.h"
#include "catalog/catalog.h"
#include "matrix/matrix.h"
#include "resolver/request.h"
#include "resolver/resolver.h"
#include "smoke/doctor.h"

#include <stdio.h>

#define WORD "auto"

/* Runs the quick part of gpu-smoke, only for the parts that it finds; `doctor` uses its report. */
static int look(struct smoke_machine *machine, struct err *err)
{
    static char program[] = "gpu-smoke", quick[] = "--level=quick";
    char *words[] = {program, quick, NULL};
    tar_error error;
    FILE *out = fopen("/dev/null", "we");
    int rc = -1;
    if (out) {
        rc = smoke_doctor(machine, 2, words, NULL, out, out, error);
        (void)fclose(out);
    }
    return rc < 0 || rc == TG_RUNTIME || rc == TG_USAGE
               ? err_set(err, TG_RUNTIME, "smoke", "this machine could not be looked at")
               : 0;
}

static int nothing_here(struct err *err, const char *option, const char *what)
{
    err_set(err, TG_USAGE, "no-gpu", "--%s auto: this machine has no %s", option, what);
    return err_hint(err, "say it as on the GPU hosts; `tmplgen doctor` tells what is missing here");
}

static bool says_auto(const struct stack_request *request, enum stack_choice choice)
{
    return words_have(&request->said[choice], WORD);
}

/* Adds the matrix's name of the model, so that the record means the same to every catalog. */
static int add_gpu(struct stack_request *request, struct run *run, const struct matrix *matrix,
                   const struct smoke_gpu *found, struct err *err)
{
    const struct machine_gpu gpu = {found->name, found->compute_capability};
    const char *word = matrix_gpu_word(&run->arena, matrix, &gpu);
    if (!word)
        return err_set(err, TG_USAGE, "unknown-gpu", "--gpu auto: the matrix does not know '%s'",
                       found->name);
    if (!words_have(&request->said[CHOICE_GPU], word))
        request_add(request, &run->arena, CHOICE_GPU, word);
    return 0;
}

/* Puts the GPUs that were found in the place of `auto`, among named ones. */
static int fill_gpus(struct stack_request *request, struct run *run,
                     const struct smoke_machine *machine, struct err *err)
{
    const struct words said = request->said[CHOICE_GPU];
    struct catalog *catalog = NULL;
    struct matrix *matrix;
    if (!machine->gpu_count)
        return nothing_here(err, "gpu", "GPU that answers");
    request_say(request, &run->arena, CHOICE_GPU, NULL);
    int rc =
        catalog_open(&catalog, &run->arena, NULL, NULL, err) < 0 ||
                matrix_load(&matrix, &run->arena, catalog->files, span_of("", 0), "none", err) < 0
            ? -1
            : 0;
    for (size_t i = 0; !rc && i < said.count; i++)
        if (!str_equal(said.items[i], WORD))
            request_add(request, &run->arena, CHOICE_GPU, said.items[i]);
    for (size_t i = 0; !rc && i < machine->gpu_count; i++)
        rc = add_gpu(request, run, matrix, &machine->gpus[i], err);
    catalog_close(catalog);
    return rc;
}

int machine_fill_auto(struct stack_request *request, struct run *run, struct err *err)
{
    struct smoke_machine machine = {0};
    bool driver = says_auto(request, CHOICE_DRIVER), arch = says_auto(request, CHOICE_ARCH),
         gpu = says_auto(request, CHOICE_GPU);
    if (!driver && !arch && !gpu)
        return 0;
    if (look(&machine, err) < 0)
        return -1;
    if (driver && !*machine.driver)
        return nothing_here(err, "driver", "NVIDIA driver");
    if (driver)
        request_say(request, &run->arena, CHOICE_DRIVER, arena_strdup(&run->arena, machine.driver));
    if (arch && !machine.arch)
        return nothing_here(err, "arch", "NVIDIA driver");
    if (arch)
        request_say(request, &run->arena, CHOICE_ARCH, machine.arch);
    return gpu ? fill_gpus(request, run, &machine, err) : 0;
}

/* "NVIDIA A100-SXM4-40GB, driver 550.54.15" */
static const char *words_of(struct arena *arena, const struct smoke_machine *machine)
{
    struct words words = {0};
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (!words_have(&words, machine->gpus[i].name))
            words_add(&words, arena, arena_strdup(arena, machine->gpus[i].name));
    if (*machine->driver)
        words_printf(&words, arena, "driver %s", machine->driver);
    return words.count ? str_join(arena, words.items, words.count, ", ") : NULL;
}

void machine_find(struct stack_request *out, const char **words, struct run *run)
{
    ERR_SCRATCH(ignored);
    struct smoke_machine machine = {0};
    *out = (struct stack_request){0};
    *words = NULL;
    if (look(&machine, &ignored) < 0)
        return;
    *words = words_of(&run->arena, &machine);
    if (*machine.driver)
        request_say(out, &run->arena, CHOICE_DRIVER, arena_strdup(&run->arena, machine.driver));
    request_say(out, &run->arena, CHOICE_GPU, WORD);
    if (fill_gpus(out, run, &machine, &ignored) < 0) /* of a model that the matrix does not know */
        request_say(out, &run->arena, CHOICE_GPU, NULL);
}
