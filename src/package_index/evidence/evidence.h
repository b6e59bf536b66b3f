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
    const char *pin;   /* the only version, or NULL */
    struct spec range; /* where several versions are allowed */
    const char *said;  /* "torch 2.8.0 requires nvidia-nccl-cu12==2.27.3"; NULL: nothing is said */
};

/*
 * `state` is that of the package itself; the rest is valid where it is INDEX_THERE and `old` and
 * `yanked` are false. Packages of the same family that are pinned, or bounded by `<=` (jax: jaxlib,
 * jax-cuda12-plugin), count as parts of it.
 */
struct evidence {
    enum index_state state;
    const char *package, *version, *uploaded;
    bool old, yanked;
    const char *elsewhere; /* a part that only another index has: "jaxlib 0.4.28+cuda12"; or NULL */
    const char *missing;   /* a part that the index lacks; or NULL */
    bool wheel[PROCESSORS];
    bool compiled;             /* a wheel of the family has code for a processor */
    const char *left_out;      /* "jaxlib==0.4.20; extra == 'cpu'": what other extras would add */
    const char *left_cuda;     /* the same for CUDA */
    bool read[PROCESSORS];     /* its requirements there are known */
    bool cuda_for[PROCESSORS]; /* it requires its CUDA libraries there */
    struct words pythons;      /* that have wheels; "3.8", ... */
    bool any_python;           /* a wheel is for later Pythons, too: there is no upper bound */
    const char *python_spec;
    int glibc;      /* the lowest glibc minor of the wheels; 0: none */
    int most_glibc; /* the highest, where the wheels differ */
    int cuda_major; /* from names such as nvidia-cublas-cu12; 0: not known */
    const char *major_said;
    struct required cuda, cudnn, nccl;
};

/* 12 for "cudf-cu12"; 0: the name has none. */
int cuda_major_of(const char *name);

/* The requirement that installs a build, in the arena; NULL: the user's index does not have it. */
const char *build_requirement(struct arena *arena, const struct framework *framework,
                              const struct release *release, const struct build *build);

/*
 * Gathers the evidence. INDEX_UNKNOWN: an answer is missing, and now wanted. `requirement` is a
 * target with one version, such as "jax[cuda12]==0.7.0".
 */
enum index_state evidence_gather(struct evidence *out, struct arena *arena,
                                 struct package_index *index,
                                 const struct requirement *requirement);

/*
 * Finds the next requirement of `list` (NULL: none) that can be read, of the package `name`, or of
 * any (NULL). Starts at `*at`, and moves it past the result. False after the last.
 */
bool requires_next(struct requirement *out, const char **text, size_t *at, struct arena *arena,
                   const struct data *list, const char *name);

/*
 * True where the metadata of a release (package_index.h) admits exactly the versions that `row`
 * does, on one of the processors, for one of the Pythons. The extra with that package's name counts
 * as requested (transformers[torch]), others do not. `*said` is the metadata's text, "torch>=2.6;
 * extra == 'torch'"; NULL: it has none.
 */
bool requires_agree(const char **said, struct arena *arena, const struct data *release,
                    const struct words *pythons, const struct requirement *row);

/* True where the metadata of a release requires a package in a version like that one. */
bool requires_version(struct arena *arena, const struct data *release, const char *name,
                      const char *version);

/* True where a text of the metadata holds for each of the Pythons, without any extra. */
bool requires_always(struct arena *arena, const struct requirement *said,
                     const struct words *pythons);
