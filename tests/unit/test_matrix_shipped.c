/* The shipped matrix: it resolves whatever is asked. `--bench N` times N requests in one process.
 */
#include "base/arena.h"
#include "catalog/catalog.h"
#include "data/data.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"
#include "resolver/rules/gpu_name.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ random requests */

static const char *const specs[] = {"", "", "", ">=2.0", "<2.6", "==2.9.1", ">=0.6", "==2.14.0"};
static const char *const pythons[] = {"3.8", "3.10", "3.12", "3.13", ">=3.11", "<3.11"};
static const char *const cudas[] = {"12", "13", "11.8", ">=12.4", "<13"};
static const char *const variants[] = {"cu126", "cu118", "cuda12", "pypi", "cpu", "cu130"};
static const char *const drivers[] = {"470", "525.60.13", "535", "550.54.15", "570", "580", "595"};
static const char *const gpus[] = {"V100",     "T4",   "A100",  "H100",
                                   "RTX 5090", "B200", "sm_86", "K80"};
static const char *const systems[] = {"ubuntu20.04", "ubuntu22.04", "ubuntu24.04", "rockylinux9"};
static const char *const images[] = {"nvidia/cuda:12.6.3-base-ubuntu24.04", "acme/base:1.0",
                                     "nvidia/cuda:12.8.1-devel-ubuntu22.04"};

struct random {
    uint64_t state;
};

/* xorshift: the same numbers everywhere. */
static uint64_t draw(struct random *random, uint64_t below)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return random->state % below;
}

#define PICK(random, words) (words[draw(random, COUNT(words))])
#define MAYBE(random, words) (draw(random, 4) ? NULL : PICK(random, words))

static struct stack_request random_request(struct arena *arena, struct random *random,
                                           const char *framework)
{
    struct stack_request request = {0};
    request_say(&request, arena, CHOICE_FRAMEWORK,
                arena_printf(arena, "%s%s", framework, PICK(random, specs)));
    request_say(&request, arena, CHOICE_PYTHON, MAYBE(random, pythons));
    request_say(&request, arena, CHOICE_CUDA, MAYBE(random, cudas));
    request_say(&request, arena, CHOICE_VARIANT, MAYBE(random, variants));
    request_say(&request, arena, CHOICE_DRIVER, MAYBE(random, drivers));
    request_say(&request, arena, CHOICE_OS, MAYBE(random, systems));
    request_say(&request, arena, CHOICE_IMAGE, draw(random, 8) ? NULL : PICK(random, images));
    request_say(&request, arena, CHOICE_GPU, draw(random, 2) ? PICK(random, gpus) : NULL);
    return request;
}

/* ------------------------------------------------------------------ tests */

struct shipped {
    struct arena arena;
    struct catalog *catalog;
    struct matrix *matrix;
};

static int open_shipped(struct shipped *shipped)
{
    ERR_SCRATCH(err);
    if (catalog_open(&shipped->catalog, &shipped->arena, NULL, NULL, &err) < 0 ||
        matrix_load(&shipped->matrix, &shipped->arena, shipped->catalog->files, span_of("", 0),
                    NULL, &err) < 0) {
        (void)fprintf(stderr, "%s\n", err.message);
        return -1;
    }
    return 0;
}

static void close_shipped(struct shipped *shipped)
{
    catalog_close(shipped->catalog);
    arena_release(&shipped->arena);
}

static void fail_on_finding(void *context, const struct err *finding)
{
    (void)context;
    fail_msg("%s:%zu: %s", finding->where.file, finding->where.line, finding->message);
}

TEST(test_shipped_matrix__is_consistent)
{
    struct shipped shipped = {0};
    assert_int_equal(open_shipped(&shipped), 0);
    assert_int_equal(
        matrix_check(&shipped.arena, shipped.matrix, span_of("", 0), fail_on_finding, NULL), 0);
    close_shipped(&shipped);
}

/* Of one name: it means this row, and no other that has it too. */
static void expect_row(const struct shipped *shipped, const struct gpu *gpu, const char *name)
{
    ERR_SCRATCH(err);
    ARENA_SCRATCH(arena);
    struct asked_gpu found;
    const char *brand = arena_printf(&arena, "NVIDIA %s", name);
    assert_int_equal(gpu_find(&found, &arena, shipped->matrix, brand, &err), 0);
    if (found.gpu != gpu || !str_equal(found.name, name))
        fail_msg("'%s' of '%s' is taken for '%s' of '%s'", name, gpu->name, found.name,
                 found.gpu->name);
}

TEST(test_shipped_gpus__have_names_of_their_own)
{
    struct shipped shipped = {0};
    assert_int_equal(open_shipped(&shipped), 0);
    for (size_t i = 0; i < shipped.matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, shipped.matrix->gpus, i);
        char *names = arena_strdup(&shipped.arena, gpu->names ? gpu->names : ""), *save = NULL;
        expect_row(&shipped, gpu, gpu->name);
        for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
            expect_row(&shipped, gpu, name + strspn(name, " "));
    }
    close_shipped(&shipped);
}

/* Resolves one request; 0, or the exit code. */
static int resolve_one(const struct shipped *shipped, struct random *random,
                       const char *const *frameworks, size_t count)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *resolution = NULL, *refusal = NULL;
    struct stack_request request = random_request(&arena, random, frameworks[draw(random, count)]);
    if (matrix_resolve(&resolution, &refusal, &arena, shipped->matrix, &request, &err) == 0)
        return resolution ? 0 : -1;
    return err.exit == TG_UNSOLVABLE && !refusal ? -1 : (int)err.exit;
}

TEST(test_shipped_matrix__answers_every_request)
{
    struct shipped shipped = {0};
    struct random random = {20261120};
    const char **frameworks;
    assert_int_equal(open_shipped(&shipped), 0);
    size_t count = matrix_frameworks(&frameworks, &shipped.arena, shipped.catalog->files);
    assert_true(count >= 6);
    for (int i = 0; i < 60; i++) {
        int code = resolve_one(&shipped, &random, frameworks, count);
        assert_true(code == 0 || code == TG_UNSOLVABLE || code == TG_USAGE);
    }
    close_shipped(&shipped);
}

static int bench(long requests)
{
    struct shipped shipped = {0};
    struct random random = {20261120};
    const char **frameworks;
    struct timespec start, end;
    long solved = 0, refused = 0;
    if (open_shipped(&shipped))
        return 1;
    size_t count = matrix_frameworks(&frameworks, &shipped.arena, shipped.catalog->files);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < requests; i++) {
        int code = resolve_one(&shipped, &random, frameworks, count);
        solved += code == 0;
        refused += code == TG_UNSOLVABLE;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%ld requests in %.3f s: %ld solved, %ld refused\n", requests, seconds, solved, refused);
    close_shipped(&shipped);
    return 0;
}

/* glibc gives a constructor what it gives main. */
__attribute__((constructor)) static void measure(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--bench") == 0)
        exit(bench(strtol(argv[2], NULL, 10)));
}
