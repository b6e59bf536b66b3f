/* A row compared with a package index, and the findings. */
#pragma once

#include "package_index/evidence/evidence.h"

struct arena;
struct build;
struct data;
struct framework;
struct matrix;
struct release;

/* One build of one release, and the index's evidence for it: in the arena or the matrix. */
struct verification {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *release;
    const struct build *build;
    const char *requirement; /* the requirement that installs it; NULL: another index has it */
    struct evidence evidence;
    struct data *proved, *differences; /* lists, as in verify.h */
};

/* Notes that the index proves that part of the row. */
void verification_prove(const struct verification *c, const char *what);
/* Notes a difference; the row may explain it (`differs`). The evidence is for people. */
void verification_differ(const struct verification *c, const char *what, const char *row,
                         const char *index, const char *evidence, ...)
    __attribute__((format(printf, 5, 6)));
/* "torch 2.8.0", in the arena. */
const char *verification_named(const struct verification *c);

/*
 * Verifies Pythons, processors, glibc, CUDA, cuDNN and NCCL, and that the installation is complete.
 * Needs evidence of a release that exists and has a wheel; asks no further questions.
 */
void verify_wheels(const struct verification *c);

/*
 * Verifies that each companion exists and, where it requires the release, agrees. INDEX_UNKNOWN: an
 * answer is missing, and now wanted; else INDEX_FAILED: a question failed; else INDEX_THERE.
 */
enum index_state verify_companions(const struct verification *c, struct package_index *index);
/*
 * Verifies `requires` and `pins` of the row by the release's metadata; where that has nothing, by
 * the requirements of the other package's releases. `*wanted` counts missing answers, as in
 * verify.h.
 */
void verify_requires(const struct verification *c, struct package_index *index, size_t *wanted);
