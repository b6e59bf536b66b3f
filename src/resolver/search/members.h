/* Who lives in the one environment of a request. */
#pragma once

#include "base/err.h"
#include "matrix/facts.h"

#include <stdint.h>

#define MEMBERS_MAX 40 /* a set of members is the bits of a uint64_t */

struct demands;

/* What a release says of another package: `torch>=2.6`. */
struct pin {
    const char *name, *said;
    struct spec spec;
};

struct pins {
    struct pin *items;
    size_t count;
};

/* What is installed into the environment, and rows know. */
struct member {
    const struct framework *row;
    const struct pins *pins;   /* of its releases, in their order */
    const struct demands *ask; /* what is asked of it */
    uint64_t demands;          /* those that name it */
    bool always;               /* there whatever is demanded */
    uint64_t brings;           /* members that it does not go without */
};

struct members {
    struct member items[MEMBERS_MAX]; /* the framework, then in the order of choosing */
    size_t count;
};

/*
 * Those rows, the first of which is the framework; the frameworks that they live on; and what their
 * releases require from the index of such a framework. The order does not depend on that of the
 * rows: frameworks, then packages, those first that require others. `all`: the matrix that the rows
 * are of. What is asked of them is left to the caller.
 */
TG_CHECKED int members_gather(struct members *out, struct arena *arena, const struct matrix *all,
                              const struct framework *const *rows, size_t count, struct err *err);
/* The member of that row, or the count of members. */
size_t member_of(const struct members *members, const struct framework *row);
/* What a release of a member says of a package of that name, or NULL. */
const struct pin *pin_of(const struct pins *pins, const struct framework *row);
/* The pins of one release. */
const struct pins *pins_of(const struct member *member, const struct release *release);
