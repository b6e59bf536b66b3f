/* The matrix on rows made up for the test: reading is strict, rules hold, refusals are minimal. */
#include "base/arena.h"
#include "base/buf.h"
#include "data/data.h"
#include "data/fileset.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"
#include "unit/rows.h"
#include "unit/small_matrix.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ one resolution */

struct outcome {
    struct arena arena;
    struct err err;
    struct data *resolution, *refusal;
    int rc;
};

/* Resolves on the small matrix, with `overlay` over it (NULL: none). */
static void resolve_over(struct outcome *out, const char *overlay, struct stack_request request)
{
    struct memory memory;
    struct matrix *matrix;
    *out = (struct outcome){0};
    fill(&memory);
    if (!request_text(&request, CHOICE_FRAMEWORK))
        request_say(&request, &out->arena, CHOICE_FRAMEWORK, "demo");
    const char *name = request_framework(&request, &out->arena);
    out->rc = matrix_load(&matrix, &out->arena, &memory.set,
                          overlay ? span_from(overlay) : span_of("", 0), name, &out->err);
    if (out->rc == 0)
        out->rc = matrix_resolve(&out->resolution, &out->refusal, &out->arena, matrix, &request,
                                 &out->err);
}

static void done(struct outcome *out)
{
    arena_release(&out->arena);
    err_release(&out->err);
}

#define OUTCOME(name, overlay, ...)                                                                \
    __attribute__((cleanup(done))) struct outcome name;                                            \
    resolve_over(&name, overlay, (struct stack_request){__VA_ARGS__})
#define GPU(...) SAY(GPU, __VA_ARGS__)

static const char *text_at(const struct data *data, const char *outer, const char *inner)
{
    const struct data *map = inner ? data_get(data, outer) : data;
    return data_text(data_get(map, inner ? inner : outer));
}

static void assert_stack(const struct outcome *out, const char *version, const char *variant,
                         const char *python, const char *tag)
{
    if (out->rc)
        fail_msg("%s", out->err.message);
    assert_string_equal(text_at(out->resolution, "framework", "version"), version);
    assert_string_equal(text_at(out->resolution, "cuda", "variant"), variant);
    assert_string_equal(text_at(out->resolution, "python", NULL), python);
    assert_string_equal(text_at(out->resolution, "image", "tag"), tag);
}

static bool list_has(const struct data *list, const char *name, const char *text)
{
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *item = data_get(list->list.items[i], name);
        if (item->kind == DATA_LIST)
            item = item->list.items[0];
        if (str_equal(data_text(item), text))
            return true;
    }
    return false;
}

static bool has_note(const struct outcome *out, const char *code)
{
    return list_has(data_get(out->resolution, "notes"), "code", code);
}

static void assert_refused(const struct outcome *out, const char *reason)
{
    assert_int_equal(out->rc, -1);
    assert_int_equal(out->err.exit, TG_UNSOLVABLE);
    assert_string_equal(out->err.code, "unsatisfiable");
    assert_true(list_has(data_get(out->refusal, "conflicts"), "reason", reason));
}

static bool is_near(const struct outcome *out, const char *change)
{
    return list_has(data_get(out->refusal, "nearest"), "change", change);
}

static void assert_usage(const struct outcome *out, const char *code)
{
    assert_int_equal(out->rc, -1);
    assert_int_equal(out->err.exit, TG_USAGE);
    assert_string_equal(out->err.code, code);
}

/* ------------------------------------------------------------------ preferences */

TEST(test_resolver__takes_the_release_default_build_shipped_python_and_newest_image)
{
    OUTCOME(plain, NULL, SAY(FRAMEWORK, "demo"));
    assert_stack(&plain, "2.0", "cu118", "3.10", "11.8.0-base-ubuntu22.04");
    assert_string_equal(text_at(plain.resolution, "driver", "minimum"), "450.80.02");
    assert_string_equal(text_at(plain.resolution, "driver", "relies_on"), "minor-version");
}

TEST(test_resolver__takes_the_smallest_flavour_before_the_newest_patch)
{
    OUTCOME(smallest, NULL, SAY(VARIANT, "cu124"));
    assert_stack(&smallest, "2.0", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    assert_string_equal(text_at(smallest.resolution, "image", "state"), "supported");
}

TEST(test_resolver__takes_an_image_at_its_end_of_life_last)
{
    OUTCOME(only, NULL, SAY(OS, "rocky9"));
    assert_stack(&only, "2.0", "cu124", "3.12", "12.4.0-base-rocky9");
    assert_string_equal(text_at(only.resolution, "image", "state"), "eol");
    assert_true(has_note(&only, "image-eol"));
}

TEST(test_resolver__takes_a_release_of_low_confidence_only_by_its_name)
{
    OUTCOME(named, NULL, SAY(FRAMEWORK, "demo==3.0"));
    OUTCOME(range, NULL, SAY(FRAMEWORK, "demo>=3.0"));
    assert_stack(&named, "3.0", "cu124", "3.12", "12.4.1-base-ubuntu22.04");
    assert_true(has_note(&named, "low-confidence"));
    assert_refused(&range, "framework");
    assert_true(is_near(&range, "--framework demo==2.0"));
    assert_false(is_near(&range, "--framework demo==3.0"));
}

TEST(test_resolver__prefers_a_stable_python_that_the_image_ships)
{
    OUTCOME(shipped, NULL, SAY(FRAMEWORK, "demo==2.0"), SAY(PYTHON, ">=3.10"));
    OUTCOME(brought, NULL, SAY(FRAMEWORK, "demo==2.0"), SAY(PYTHON, ">=3.11"));
    OUTCOME(experiment, NULL, SAY(FRAMEWORK, "demo==2.0"), SAY(PYTHON, ">=3.13"));
    assert_stack(&shipped, "2.0", "cu118", "3.10", "11.8.0-base-ubuntu22.04");
    assert_stack(&brought, "2.0", "cu118", "3.12", "11.8.0-base-ubuntu22.04");
    assert_true(has_note(&brought, "python-not-shipped"));
    assert_stack(&experiment, "2.0", "cu118", "3.13", "11.8.0-base-ubuntu22.04");
    assert_true(has_note(&experiment, "python-experimental"));
}

TEST(test_resolver__gives_a_cpu_build_only_when_asked)
{
    OUTCOME(cpu, NULL, SAY(VARIANT, "cpu"));
    assert_stack(&cpu, "2.0", "cpu", "3.10", "22.04");
    assert_null(text_at(cpu.resolution, "cuda", "version"));
    assert_null(text_at(cpu.resolution, "driver", "minimum"));
}

TEST(test_resolver__takes_what_plain_pypi_gives)
{
    OUTCOME(pypi, NULL, SAY(VARIANT, "pypi"));
    assert_stack(&pypi, "2.0", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    assert_null(text_at(pypi.resolution, "index_url", NULL));
}

/* ------------------------------------------------------------------ hard rules */

TEST(test_resolver__covers_gpus_by_cubins_of_their_major_and_by_ptx)
{
    OUTCOME(minor, NULL, GPU("RTX 3090"));
    OUTCOME(ptx, NULL, GPU("B1"), SAY(DRIVER, "550"));
    OUTCOME(denied, NULL, GPU("B2"), SAY(DRIVER, "550"));
    const struct data *covered = data_get(minor.resolution, "gpus")->list.items[0];
    assert_string_equal(text_at(covered, "covered_by", NULL), "sm_80");
    assert_string_equal(text_at(covered, "name", NULL), "RTX 3090");
    covered = data_get(ptx.resolution, "gpus")->list.items[0];
    assert_string_equal(text_at(covered, "covered_by", NULL), "compute_90");
    assert_string_equal(text_at(ptx.resolution, "driver", "minimum"), "550.54.14");
    assert_refused(&denied, "gpu-arch");
}

TEST(test_resolver__checks_cudnn_against_the_gpu)
{
    OUTCOME(kepler, NULL, GPU("K80"));
    assert_refused(&kepler, "cudnn");
}

TEST(test_resolver__counts_minor_version_compatibility)
{
    OUTCOME(native, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "550"));
    OUTCOME(minor, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "535.54.03"));
    OUTCOME(older, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "520"));
    assert_string_equal(text_at(native.resolution, "driver", "relies_on"), "native");
    assert_string_equal(text_at(minor.resolution, "driver", "relies_on"), "minor-version");
    assert_refused(&older, "driver");
    assert_true(is_near(&older, "--driver 535"));
    assert_true(is_near(&older, "--variant cu118"));
}

TEST(test_resolver__counts_forward_compatibility_on_named_data_center_gpus_only)
{
    OUTCOME(server, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"), SAY(RUNTIME, "cdi"),
            GPU("A100"));
    OUTCOME(gamer, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"), SAY(RUNTIME, "cdi"),
            GPU("RTX 3080"));
    OUTCOME(number, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"), SAY(RUNTIME, "cdi"),
            GPU("sm_80"));
    OUTCOME(nobody, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"), SAY(RUNTIME, "cdi"));
    assert_string_equal(text_at(server.resolution, "driver", "relies_on"), "forward");
    assert_true(has_note(&server, "forward-compat"));
    assert_refused(&gamer, "compat-hardware");
    assert_refused(&number, "compat-hardware");
    assert_refused(&nobody, "driver");
}

TEST(test_resolver__refuses_a_driver_that_dropped_the_gpu)
{
    OUTCOME(dropped, NULL, SAY(DRIVER, "535"), GPU("K80"));
    assert_refused(&dropped, "driver-dropped-gpu");
}

TEST(test_resolver__refuses_a_driver_older_than_the_gpu)
{
    OUTCOME(young, NULL, SAY(DRIVER, "535"), GPU("B1"));
    assert_refused(&young, "driver");
    assert_true(is_near(&young, "--driver 550"));
}

TEST(test_resolver__applies_the_start_gate_unless_cdi)
{
    /* 12.4.2 is in no list: its gate is that of 12.4.1 */
    const char *image = "nvidia/cuda:12.4.2-runtime-ubuntu22.04";
    OUTCOME(listed, NULL, SAY(IMAGE, image), SAY(DRIVER, "535"), GPU("A100"));
    OUTCOME(geforce, NULL, SAY(IMAGE, image), SAY(DRIVER, "535"), GPU("RTX 3090"));
    OUTCOME(cdi, NULL, SAY(IMAGE, image), SAY(DRIVER, "535"), SAY(RUNTIME, "cdi"), GPU("RTX 3090"));
    assert_stack(&listed, "2.0", "cu118", "3.10", "12.4.2-runtime-ubuntu22.04");
    assert_refused(&geforce, "gate");
    assert_true(is_near(&geforce, "--runtime cdi"));
    assert_stack(&cdi, "2.0", "cu118", "3.10", "12.4.2-runtime-ubuntu22.04");
}

TEST(test_resolver__takes_plain_ubuntu_where_no_cuda_image_starts)
{
    OUTCOME(plain, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "535"), GPU("RTX 3090"));
    OUTCOME(cuda, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "535"), GPU("A100"));
    assert_stack(&plain, "2.0", "cu124", "3.10", "22.04");
    assert_string_equal(text_at(plain.resolution, "image", "repository"), "ubuntu");
    assert_string_equal(text_at(plain.resolution, "env", "NVIDIA_VISIBLE_DEVICES"), "all");
    assert_true(has_note(&plain, "image-other"));
    assert_stack(&cuda, "2.0", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    assert_null(text_at(cuda.resolution, "env", "NVIDIA_VISIBLE_DEVICES"));
    assert_false(has_note(&cuda, "image-other"));
}

TEST(test_resolver__refuses_a_tag_that_is_in_no_list)
{
    OUTCOME(word, NULL, SAY(IMAGE, "nvidia/cuda:11.8.0-cudnn-runtime-ubuntu20.04"));
    OUTCOME(patch, NULL, SAY(IMAGE, "nvidia/cuda:12.4.9-base-ubuntu22.04"));
    OUTCOME(foreign, NULL, SAY(IMAGE, "example.org/x:12.4.9"));
    assert_refused(&word, "image");
    assert_true(is_near(&word, "--image nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu20.04"));
    assert_refused(&patch, "image");
    assert_true(is_near(&patch, "--image nvidia/cuda:12.4.1-base-ubuntu22.04"));
    assert_int_equal(foreign.rc, 0);
    assert_true(has_note(&foreign, "image-unknown"));
}

TEST(test_resolver__takes_an_unseen_flavour_of_an_image_known_by_sightings)
{
    OUTCOME(unseen, NULL, SAY(IMAGE, "nvidia/cuda:12.4.2-base-ubuntu22.04"));
    OUTCOME(seen, NULL, SAY(IMAGE, "nvidia/cuda:12.4.2-runtime-ubuntu22.04"));
    OUTCOME(listed, NULL, SAY(IMAGE, "nvidia/cuda:12.4.1-devel-ubuntu22.04"));
    assert_stack(&unseen, "2.0", "cu118", "3.10", "12.4.2-base-ubuntu22.04");
    assert_true(has_note(&unseen, "image-unseen"));
    assert_false(has_note(&seen, "image-unseen"));
    assert_refused(&listed, "image");
}

TEST(test_resolver__takes_a_platforms_driver_and_gpus)
{
    OUTCOME(driver, NULL, SAY(PLATFORM, "there"));
    OUTCOME(foreign, NULL, SAY(PLATFORM, "there"), GPU("A100"));
    assert_stack(&driver, "2.0", "cu118", "3.10", "11.8.0-base-ubuntu22.04");
    assert_true(has_note(&driver, "driver-platform"));
    assert_refused(&foreign, "platform");
    assert_int_equal(data_get(foreign.refusal, "nearest")->list.count, 0); /* both are given */
}

TEST(test_resolver__wants_a_wheel_for_the_processor)
{
    OUTCOME(there, NULL, SAY(ARCH, "aarch64"));
    OUTCOME(missing, NULL, SAY(ARCH, "aarch64"), SAY(VARIANT, "cu118"));
    assert_stack(&there, "2.0", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    assert_refused(&missing, "arch");
    assert_true(is_near(&missing, "--variant cu124"));
    assert_false(is_near(&missing, "--arch x86_64")); /* the processor is given */
}

TEST(test_resolver__keeps_the_wheels_libraries_from_being_shadowed)
{
    OUTCOME(keeps, NULL, SAY(VARIANT, "cu124"));
    assert_false(has_note(&keeps, "library-path")); /* the framework does not say that it minds */
    OUTCOME(minds, "frameworks: {demo: {library_path: reset}}", SAY(VARIANT, "cu124"));
    assert_true(has_note(&minds, "library-path"));
    assert_string_equal(text_at(minds.resolution, "env", "LD_LIBRARY_PATH"), "/mnt");
}

/* ------------------------------------------------------------------ refusals */

TEST(test_refusal__names_a_set_that_any_one_demand_dropped_makes_solvable)
{
    OUTCOME(refused, NULL, SAY(FRAMEWORK, "demo==2.0"), SAY(VARIANT, "cu124"), SAY(PYTHON, "3.10"),
            SAY(DRIVER, "470"), SAY(OS, "ubuntu22.04"));
    const struct data *conflicts = data_get(refused.refusal, "conflicts");
    assert_refused(&refused, "driver");
    assert_int_equal(conflicts->list.count, 2);
    assert_true(list_has(conflicts, "demand", "variant cu124"));
    assert_true(list_has(conflicts, "demand", "driver 470"));
    assert_true(list_has(conflicts, "rules_out", "demo 2.0 cu124"));
    assert_true(list_has(conflicts, "source", "a source"));
}

TEST(test_refusal__proposes_only_what_works)
{
    OUTCOME(refused, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"));
    const struct data *nearest = data_get(refused.refusal, "nearest");
    assert_true(nearest->list.count > 0);
    for (size_t i = 0; i < nearest->list.count; i++) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct stack_request request;
        struct outcome again;
        assert_int_equal(stack_request_parse(&request, &arena,
                                             data_get(nearest->list.items[i], "request"), &err),
                         0);
        resolve_over(&again, NULL, request);
        assert_int_equal(again.rc, 0);
        assert_true(data_equal(again.resolution, data_get(nearest->list.items[i], "resolution")));
        done(&again);
    }
}

TEST(test_refusal__fits_a_screen)
{
    OUTCOME(refused, NULL, SAY(VARIANT, "cu124"), SAY(DRIVER, "470"));
    BUF_SCRATCH(text, 100000);
    size_t lines = 0;
    assert_int_equal(matrix_explain_refusal(&text, refused.refusal), 0);
    for (const char *p = buf_text(&text); *p; p++)
        lines += *p == '\n';
    assert_in_range(lines, 3, 24);
}

/* ------------------------------------------------------------------ wrong usage */

TEST(test_request__unknown_words_are_wrong_usage)
{
    OUTCOME(gpu, NULL, GPU("V1000"));
    OUTCOME(variant, NULL, SAY(VARIANT, "cu125"));
    OUTCOME(platform, NULL, SAY(PLATFORM, "ther"));
    OUTCOME(os, NULL, SAY(OS, "ubuntu21.04"));
    OUTCOME(arch, NULL, SAY(ARCH, "x86"));
    OUTCOME(runtime, NULL, SAY(RUNTIME, "none"));
    OUTCOME(driver, NULL, SAY(DRIVER, "r535"));
    OUTCOME(image, NULL, SAY(IMAGE, "ubuntu"));
    OUTCOME(spec, NULL, SAY(FRAMEWORK, "demo=2"));
    OUTCOME(framework, NULL, SAY(FRAMEWORK, "damo"));
    assert_usage(&gpu, "unknown-gpu");
    assert_non_null(strstr(gpu.err.hint, "V100"));
    assert_usage(&variant, "unknown-variant");
    assert_usage(&platform, "unknown-platform");
    assert_usage(&os, "unknown-os");
    assert_usage(&arch, "unknown-arch");
    assert_usage(&runtime, "unknown-runtime");
    assert_usage(&driver, "invalid-driver");
    assert_usage(&image, "invalid-image");
    assert_usage(&spec, "invalid-spec");
    assert_usage(&framework, "unknown-framework");
    assert_non_null(strstr(framework.err.hint, "demo"));
}

TEST(test_request__survives_a_record)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct stack_request request = {SAY(FRAMEWORK, "demo>=1"), SAY(DRIVER, "535"),
                                    GPU("A100", "V100"), SAY(WITH, "other")};
    struct stack_request back;
    struct data *data = stack_request_data(&arena, &request);
    assert_int_equal(stack_request_parse(&back, &arena, data, &err), 0);
    assert_true(data_equal(data, stack_request_data(&arena, &back)));
    assert_string_equal(back.said[CHOICE_GPU].items[1], "V100");
    data_put(&arena, data, "frame", data_str(&arena, "x"));
    assert_int_equal(stack_request_parse(&back, &arena, data, &err), -1);
    assert_non_null(strstr(err.message, "'frame'"));
}

/* ------------------------------------------------------------------ overlays, strict reading */

TEST(test_overlay__adds_and_replaces_rows_and_says_so)
{
    OUTCOME(more,
            "frameworks:\n  demo:\n    releases:\n"
            "    - {version: 2.5, pythons: 3.10, default: cu124}\n"
            "    builds:\n"
            "    - {releases: 2.5, variant: cu124, cuda: 12.4, x86_64: 9.0}\n",
            SAY(FRAMEWORK, "demo"));
    assert_stack(&more, "2.5", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    assert_true(has_note(&more, "overlay"));
    OUTCOME(other,
            "images:\n  images:\n"
            "  - {cuda: 12.4.2, state: observed, tags: {base: ubuntu22.04}}\n",
            SAY(VARIANT, "cu124"));
    assert_stack(&other, "2.0", "cu124", "3.10", "12.4.2-base-ubuntu22.04");
    OUTCOME(bad, "image: {}\n", SAY(FRAMEWORK, "demo"));
    assert_usage(&bad, "invalid");
    assert_string_equal(bad.err.where.file, ".tmplgen-matrix.yml");
}

#define DEMO_HEAD "framework: demo\ntitle: x\nsupply: wheel\nrequirements: x\nsources: {s: x}\n"

static const struct {
    int file;
    const char *text, *message;
    size_t line;
} broken_files[] = {
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, verison: 1, " ROWS "}\n",
     "unknown key 'verison'", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: twelve, driver: 5, " ROWS "}\n",
     "cuda: 'twelve' is no version", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, " ROWS "}\n", "'driver' is missing", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, source: s}\n",
     "'as_of' is missing", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, as_of: 2026-01}\n",
     "'source' is missing", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, source: t, as_of: 2026-01}\n",
     "no source 't' in 'sources'", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, source: s, as_of: lately}\n",
     "as_of must be YYYY-MM or YYYY-MM-DD", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, source: s, as_of: 2026-13}\n",
     "as_of must be YYYY-MM or YYYY-MM-DD", 3},
    {CUDA,
     "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, driver: 5, " ROWS "}\n"
     "- {cuda: 12.4, driver: 6, " ROWS "}\n",
     "a second row of cuda 12.4", 4},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 1, driver: 5, " ROWS ", confidence: sure}\n",
     "'sure' is no confidence", 3},
    {CUDA, "sources: {s: x}\ntoolkit: []\n", "unknown key 'toolkit'", 2},
    {CUDA, "sources: {s: x}\ntoolkits: {}\n", "'toolkits' must be a list of rows", 2},
    {CUDA, "sources: {s: x}\ncudnn:\n- {cudnn: ==, cuda: 12, cc: 5.0, " ROWS "}\n",
     "cudnn: '==' is no version or SPEC", 3},
    {CUDA, "sources: {s: x}\ncudnn:\n- {cudnn: 9, cuda: 12, cc: 5, " ROWS "}\n",
     "'5' is no compute capability such as 8.6", 3},
    {CUDA, "sources: {s: x}\ncudnn:\n- {cudnn: 9, cuda: 12, cc: \"\", " ROWS "}\n",
     "no compute capability is named", 3},
    {CUDA, "sources: {s: x}\ncudnn:\n- {cudnn: \"\", cuda: 12, cc: 5.0, " ROWS "}\n",
     "cudnn: '' is no version or SPEC", 3},
    {GPUS, "sources: {s: x}\ngpus:\n- {gpu: T4, cc: 7.5, class: jetson, on: {a: [b]}, " ROWS "}\n",
     "a: must be a text or a number", 3},
    {CUDA, "- 1\n", "must be a mapping", 1},
    {GPUS, "sources: {s: x}\ngpus:\n- {gpu: T4, cc: 7.5, class: server, " ROWS "}\n",
     "'server' is no class", 3},
    {IMAGES,
     "repository: r\nsources: {s: x}\nimages:\n"
     "- {cuda: 12.4, state: supported, tags: {base: plan9}, " ROWS "}\n",
     "'plan9' is no distribution", 4},
    {IMAGES,
     "repository: r\nsources: {s: x}\nimages:\n"
     "- {cuda: 12.4, state: supported, tags: {small: x}, " ROWS "}\n",
     "'small' is no flavour", 4},
    {IMAGES, "sources: {s: x}\n", "'repository' is missing", 1},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, like: 12.5, " ROWS "}\n",
     "like: no row of cuda 12.5", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, like: 12.4, " ROWS "}\n",
     "like: a row is not like itself", 3},
    {CUDA,
     "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, like: 12.5, " ROWS "}\n"
     "- {cuda: 12.5, like: 12.6, " ROWS "}\n- {cuda: 12.6, like: 12.5, " ROWS "}\n",
     "like: these rows are like each other in a circle", 5},
    {CUDA,
     "sources: {s: x}\ntoolkits:\n- {cuda: 1, like: 2, " ROWS "}\n"
     "- {cuda: 2, like: 3, " ROWS "}\n- {cuda: 3, like: 4, " ROWS "}\n"
     "- {cuda: 4, like: 5, " ROWS "}\n- {cuda: 5, like: 6, " ROWS "}\n"
     "- {cuda: 6, like: 7, " ROWS "}\n- {cuda: 7, like: 8, " ROWS "}\n"
     "- {cuda: 8, like: 9, " ROWS "}\n- {cuda: 9, driver: 5, " ROWS "}\n",
     "like: more than 8 rows from one to the next", 10},
    {CUDA, "sources: {s: x}\ncudnn:\n- {cudnn: 9, like: 8, " ROWS "}\n", "unknown key 'like'", 3},
    {CUDA, "sources: {s: x}\ntoolkits:\n- {cuda: 12.4, like: [1], " ROWS "}\n",
     "'like' must be a text, not a list", 3},
    {CUDA,
     "sources: {s: x}\ntexts: {t: a text}\ntoolkits:\n- {cuda: 1, driver: 5, note: T, " ROWS "}\n",
     "no text 'T' in 'texts'", 4},
    {CUDA, "sources: {s: x}\ntexts: [a]\n", "'texts' must be a mapping of keys to texts", 2},
    {CUDA, "sources: {s: x}\ntexts:\n  t: [a]\n", "'t' must be a text, not a list", 3},
    {DEMO,
     DEMO_HEAD "releases:\n- {version: 1.0, pythons: 3.8, default: a, " ROWS "}\nbuilds:\n"
               "- {releases: 1.0, variant: a, like: 2.0, " ROWS "}\n"
               "- {releases: 2.0, variant: b, processors: x86_64, " ROWS "}\n",
     "like: no row of releases 2.0 and variant a", 9},
    {DEMO, "framework: other\ntitle: x\nsupply: wheel\nrequirements: x\n",
     "'matrices/frameworks/demo.yml' is of framework 'other'", 0},
    {DEMO, "framework: demo\ntitle: x\nsupply: wheels\nrequirements: x\n", "'wheels' is no supply",
     3},
};

TEST(test_files__are_read_strictly)
{
    for (EACH_ROW(i, broken_files, broken_files[i].text)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct memory memory;
        struct matrix *matrix;
        fill(&memory);
        memory.texts[broken_files[i].file] = broken_files[i].text;
        assert_int_equal(matrix_load(&matrix, &arena, &memory.set, span_of("", 0), "demo", &err),
                         -1);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.message, broken_files[i].message);
        assert_int_equal(err.where.line, broken_files[i].line);
    }
}

/* The same stack from rows in full, and from rows that are like others. */
TEST(test_rows__like_another_have_its_fields_but_not_what_it_says_of_itself)
{
    static const char text[] = DEMO_HEAD
        "texts: {shared: two words}\n"
        "releases:\n"
        "- {version: 3.0, like: 2.0, pythons: 3.12, " ROWS "}\n"
        "- {version: 2.0, like: 1.0, default: cu124, " ROWS ", confidence: low, note: an own one}\n"
        "- {version: 1.0, pythons: 3.10, default: cu118, companions: {other: 5.0}, " ROWS "}\n"
        "builds:\n"
        "- {releases: 3.0, variant: cu124, like: 2.0, x86_64: 9.0, note: shared, " ROWS "}\n"
        "- {releases: 2.0, variant: cu118, cuda: 11.8, x86_64: 7.0, " ROWS "}\n"
        "- {releases: 1.0 2.0, variant: cu124, cuda: 12.4, cudnn: 9.1, x86_64: 8.0, " ROWS
        ", confidence: medium}\n";
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct memory memory;
    struct matrix *matrix;
    fill(&memory);
    memory.texts[DEMO] = text;
    assert_int_equal(matrix_load(&matrix, &arena, &memory.set, span_of("", 0), "demo", &err), 0);
    const struct release *release = ROW(struct release, matrix->frameworks[0].releases, 0);
    assert_string_equal(release->version.text, "3.0");
    assert_string_equal(release->pythons.items[0], "3.12");
    assert_string_equal(release->default_variant, "cu124");
    assert_string_equal(pair_value(&release->companions, "other"), "5.0");
    assert_int_equal(release->fact.confidence, CONFIDENCE_HIGH);
    assert_null(release->fact.note);
    assert_int_equal(release->build_count, 1);
    const struct build *build = release->builds[0];
    assert_string_equal(build->cuda.text, "12.4");
    assert_string_equal(build->cudnn, "9.1");
    assert_int_equal(build->x86_64.items[0], 90);
    assert_string_equal(build->fact.note, "two words");
    assert_int_equal(build->fact.confidence, CONFIDENCE_HIGH);
}

TEST(test_overlay__rows_may_be_like_curated_ones)
{
    OUTCOME(newer,
            "frameworks:\n  demo:\n    releases:\n"
            "    - {version: 2.5, like: 2.0, default: cu124}\n"
            "    builds:\n"
            "    - {releases: 2.5, variant: cu124, like: 2.0}\n",
            SAY(FRAMEWORK, "demo"));
    assert_stack(&newer, "2.5", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    OUTCOME(changed,
            "frameworks:\n  demo:\n    releases:\n"
            "    - {version: 2.0, like: 2.0, default: cu124}\n",
            SAY(FRAMEWORK, "demo"));
    assert_stack(&changed, "2.0", "cu124", "3.10", "12.4.1-base-ubuntu22.04");
    OUTCOME(unknown,
            "frameworks:\n  demo:\n    releases:\n"
            "    - {version: 2.5, like: 9.0}\n",
            SAY(FRAMEWORK, "demo"));
    assert_usage(&unknown, "invalid");
    assert_string_equal(unknown.err.message, "like: no row of version 9.0");
    assert_int_equal(unknown.err.where.line, 4);
    assert_int_equal(unknown.err.where.column, 28);
}

TEST(test_builds__of_one_release_and_variant_are_one)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct memory memory;
    struct matrix *matrix;
    BUF_SCRATCH(text, 10000);
    fill(&memory);
    buf_printf(&text, "%s- {releases: 2.0, variant: cu118, cuda: 11.8, x86_64: 8.0, " ROWS "}\n",
               texts[DEMO]);
    memory.texts[DEMO] = buf_text(&text);
    assert_int_equal(matrix_load(&matrix, &arena, &memory.set, span_of("", 0), "demo", &err), -1);
    assert_string_equal(err.message, "a second build cu118 of 2.0");
}
