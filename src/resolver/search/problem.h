/* A candidate, the problem that it must solve, and the objection where it does not. */
#pragma once

#include "resolver/search/demands.h"

/* The driver of the host: the requested one, the platform's default, or any. */
struct host_driver {
    const struct asked_driver *driver; /* NULL: any */
    bool by_platform;
};

/* What the search passed over only because it does not accept it yet. */
struct disliked {
    bool forward, eol;
};

/* Some of the demands of a request (a set of bits), and their consequences. */
struct problem {
    const struct demands *ask;
    uint64_t active;
    struct host_driver host;
    const struct asked_gpu *gpus[GPUS_MAX]; /* the active ones */
    size_t gpu_count;
    const char *arch;
    bool cdi;
    /* Every GPU is named, and each is a data-center part; at least one. What forward compatibility
     * needs: an unnamed GPU may be a card that it fails on. */
    bool all_datacenter;
    bool allow_forward, allow_eol; /* what the search accepts at present */
    struct disliked seen, *met;    /* `met`: where the rules note it; `&seen` or NULL */
    /* The branches of drivers.yml that can drive all the GPUs, where any driver will do. */
    const struct branch *branches[64];
    size_t branch_count;
};

struct objection {
    struct arena *arena; /* NULL: the caller wants the reason alone */
    const char *reason;  /* a fixed word that docs/json.md lists */
    const char *because, *source;
};

void problem_init(struct problem *out, const struct demands *ask, uint64_t active);
/* `demand` is a choice, or a need of the type. */
bool is_active(const struct problem *problem, int demand);
/* The requested SPEC, or NULL. */
const struct spec *asked_spec(const struct problem *problem, int demand);
/* True where drivers of that branch drive the GPU: not too old for it, nor past its last branch. */
bool branch_drives(const struct branch *branch, uint64_t number,
                   const struct architecture *architecture);

/* Fills in an objection; returns true, so that a rule can `return object(...)`. */
bool object(struct objection *out, const char *reason, const struct fact *fact, const char *format,
            ...) __attribute__((format(printf, 4, 5)));

/* Filled in tier by tier: a release, a build of it, a Python, an image. */
struct candidate {
    const struct release *release;
    const struct build *build;
    const char *python;
    const struct version *python_version;
    bool experimental; /* the Python is experimental for that release */
    /* One of: a row's tag; a plain image; the requested image (either, or none). */
    const struct image *image;
    const struct tag *tag;
    const struct plain_image *plain;
    bool named;
    const struct distribution *distribution; /* NULL: not known */
};

/* The CUDA that runs: the image's, where the build leaves it open. */
const struct version *candidate_cuda(const struct candidate *candidate);
/* REPO:TAG of its image, for people. */
const char *image_text(struct arena *arena, const struct demands *ask, const struct candidate *c);
