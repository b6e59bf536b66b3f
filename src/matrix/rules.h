/* The hard rules: why a candidate will not do. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_RULES_H
#define TMPLGEN_MATRIX_RULES_H

#include "matrix/ask.h"

/* How a driver comes to run a build's CUDA. */
enum reliance { RELIES_NOT, RELIES_NATIVE, RELIES_MINOR, RELIES_FORWARD };

/* The driver of the host: asked for, the platform's default, or any that there is. */
struct host {
    const struct asked_driver *driver; /* NULL: any */
    bool by_platform;
};

/* What was passed over only because the search was not ready to accept it. */
struct disliked {
    bool forward, eol;
};

/* Some of the demands of a request (a set of bits), and what follows from them. */
struct problem {
    const struct ask *ask;
    uint64_t active;
    struct host host;
    const struct asked_gpu *gpus[GPUS_MAX]; /* the active ones */
    size_t gpu_count;
    const char *arch;
    bool cdi;
    bool all_datacenter; /* every GPU is named, and each is a data-center part; at least one */
    bool allow_forward, allow_eol; /* what the search is ready to accept */
    struct disliked seen, *met;    /* `met`: where the rules note it, `seen` or NULL */
    /* The branches of drivers.yml that can drive all the GPUs, where the driver is any. */
    const struct branch *branches[64];
    size_t branch_count;
};

/* One consistent set in the making; filled level by level. */
struct candidate {
    const struct release *release;
    const struct build *build;
    const char *python;
    const struct version *python_version;
    bool experimental; /* the Python is, for that release */
    /* One of: a row's tag; a plain image; the image that was asked for (any of the two, or none).
     */
    const struct image *image;
    const struct tag *tag;
    const struct plain_image *plain;
    bool named;
    const struct distribution *distribution; /* NULL: not known */
};

enum level { LEVEL_RELEASE, LEVEL_BUILD, LEVEL_PYTHON, LEVEL_IMAGE };

struct objection {
    struct arena *arena; /* NULL: only the reason is wanted */
    const char *reason;  /* a fixed word of DESIGN 5 */
    const char *because, *source;
};

void problem_init(struct problem *out, const struct ask *ask, uint64_t active);
bool is_active(const struct problem *problem, enum stack_choice choice);

/*
 * Whether a rule of that level speaks against the candidate. `out` may be NULL; else it gets the
 * first objection.
 */
bool objects(const struct problem *problem, const struct candidate *candidate, enum level level,
             struct objection *out);
/* All levels, in their order. */
bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out);

/* What a driver relies on to run a build with some CUDA; forward compatibility only where allowed.
 */
enum reliance driver_reliance(const struct problem *problem, const struct build *build,
                              const struct version *cuda, const struct version *driver,
                              const struct branch *branch);
/* The CUDA that runs: the image's where the build leaves it to the image. */
const struct version *candidate_cuda(const struct candidate *candidate);
/*
 * For a build that leaves cuDNN open: the row of the newest one with kernels for every GPU, and
 * whether that is the newest at all. NULL: none is known to have them.
 */
const struct cudnn *cudnn_choice(const struct problem *problem, const struct build *build,
                                 bool *newest);
/* The forward-compatibility row for that build on that branch, or NULL. */
const struct forward *forward_of(const struct problem *problem, const struct build *build,
                                 const struct branch *branch);
/* The lowest driver that runs cubins of the build, and the row that says so; NULL: not known. */
const struct version *driver_floor(const struct matrix *matrix, const struct build *build,
                                   const struct fact **fact);
/* How a build reaches a compute capability: a cubin's, else the PTX's, else 0. */
int covering_cubin(const struct build *build, const char *arch, int cc);
int covering_ptx(const struct build *build, const char *arch, int cc);
/* Whether the build's cubins are not known, and its own bounds speak for it. */
bool covered_by_bounds(const struct build *build, int cc);
const char *supply_of(const struct framework *framework, const struct build *build);
/* From 0, the flavour that the supply needs; -1 where it will not do. */
int flavour_rank(const char *supply, bool wants_cudnn, const char *flavour);

#endif
