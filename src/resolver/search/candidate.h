/* One consistent set in the making. */
#ifndef TMPLGEN_CANDIDATE_H
#define TMPLGEN_CANDIDATE_H

#include "resolver/search/demands.h"

/* Filled level by level: a release, a build of it, a Python, an image. */
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

/* The CUDA that runs: the image's where the build leaves it to the image. */
const struct version *candidate_cuda(const struct candidate *candidate);
/* REPO:TAG of its image, for people. */
const char *image_text(struct arena *arena, const struct demands *ask, const struct candidate *c);

#endif
