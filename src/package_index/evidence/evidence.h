/* What an index proves of a requirement: wheels, Pythons, processors, glibc, CUDA, cuDNN, NCCL. */
#pragma once

#include "package_index/package_index.h"
#include "package_index/requirement.h"

#include <stdbool.h>
#include <stddef.h>

struct build;
struct framework;
struct release;

enum processor { X86_64, AARCH64, PROCESSORS };
extern const char *const processor_names[PROCESSORS];

/* A library that the packages require. */
struct required {
    const char *pin;   /* the one version, or NULL */
    struct spec range; /* where it is left open */
    const char *said;  /* "torch 2.8.0 requires nvidia-nccl-cu12==2.27.3"; NULL: nothing is said */
};

/*
 * `state` is of the package itself; the rest holds where it is INDEX_THERE and `old` and `yanked`
 * are false. Packages of the same family that are pinned, or bounded by `<=` (jax: jaxlib,
 * jax-cuda12-plugin) count as parts of it.
 */
struct evidence {
    enum index_state state;
    const char *package, *version, *uploaded;
    bool old, yanked;
    const char *elsewhere; /* a part that only another index has: "jaxlib 0.4.28+cuda12"; or NULL */
    const char *missing;   /* a part that the index does not have; or NULL */
    bool wheel[PROCESSORS];
    bool compiled;             /* a wheel of the family holds code for a processor */
    const char *left_out;      /* "jaxlib==0.4.20; extra == 'cpu'": what other extras would bring */
    const char *left_cuda;     /* the same, of CUDA */
    bool read[PROCESSORS];     /* its requirements there are known */
    bool cuda_for[PROCESSORS]; /* its CUDA libraries are required there */
    struct words pythons;      /* with wheels; "3.8", ... */
    bool any_python;           /* a wheel is for later Pythons too: there is no upper bound */
    const char *python_spec;
    int glibc;      /* the minor that the wheels want at least; 0: none */
    int most_glibc; /* and at most, where there are several */
    int cuda_major; /* of names such as nvidia-cublas-cu12; 0: not told */
    const char *major_said;
    struct required cuda, cudnn, nccl;
};

/* 12 of "cudf-cu12"; 0: the name does not say. */
int cuda_major_of(const char *name);

/* What a build is installed by, in the arena; NULL: not from the user's index. */
const char *build_requirement(struct arena *arena, const struct framework *framework,
                              const struct release *release, const struct build *build);

/*
 * INDEX_UNKNOWN: something was not asked yet, and is wanted now. `requirement` is a target with
 * one version, such as "jax[cuda12]==0.7.0".
 */
enum index_state evidence_gather(struct evidence *out, struct arena *arena,
                                 struct package_index *index,
                                 const struct requirement *requirement);

/*
 * The next of the requirements `list` (NULL: none) that can be read, from `*at` on, which moves
 * behind it: of the package `name`, or of any (NULL). False behind the last.
 */
bool requires_next(struct requirement *out, const char **text, size_t *at, struct arena *arena,
                   const struct data *list, const char *name);

/*
 * Whether the metadata of a release (index.h) admits of a package just what `row` does: on one of
 * the processors, for one of the Pythons. The extra that has that package's name counts as asked
 * for (transformers[torch]), others do not. `*said` is what it says, "torch>=2.6; extra ==
 * 'torch'", or NULL where it is silent.
 */
bool requires_agree(const char **said, struct arena *arena, const struct data *release,
                    const struct words *pythons, const struct requirement *row);

/* Whether the metadata of a release requires a package, in a version like that one. */
bool requires_version(struct arena *arena, const struct data *release, const char *name,
                      const char *version);

/* Whether a text of the metadata holds for every one of the Pythons, without any extra. */
bool requires_always(struct arena *arena, const struct requirement *said,
                     const struct words *pythons);
