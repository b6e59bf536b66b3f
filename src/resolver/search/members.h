/* The members: the packages that share the one environment of a request. */
#pragma once

#include "base/err.h"
#include "matrix/facts.h"

#include <stdint.h>

#define MEMBERS_MAX 40 /* a set of members is the bits of a uint64_t */

struct demands;

/* A release's requirement of another package: `torch>=2.6`. */
struct pin {
    const char *name, *said;
    struct spec spec;
};

struct pins {
    struct pin *items;
    size_t count;
};

/* A package of the environment that rows know. */
struct member {
    const struct framework *row;
    const struct pins *pins;   /* of its releases, in their order */
    const struct demands *ask; /* the demands on it */
    uint64_t demands;          /* the set of demands that name it */
    bool always;               /* present whatever the demands are */
    uint64_t brings;           /* the set of members that it requires */
};

struct members {
    struct member items[MEMBERS_MAX]; /* the framework, then in the order of choosing */
    size_t count;
};

/*
 * Gathers the members: those rows, the first of which is the framework; the frameworks that they
 * live on; and the packages that their releases require from the index of such a framework. The
 * order does not depend on that of the rows: frameworks, then packages, first those that require
 * others. `all` is the rows' matrix. The caller sets the demands.
 */
TG_CHECKED int members_gather(struct members *out, struct arena *arena, const struct matrix *all,
                              const struct framework *const *rows, size_t count, struct err *err);
/* The index of the member of that row, or the number of members. */
size_t member_of(const struct members *members, const struct framework *row);
/* A member's pin on the package of that row, or NULL. */
const struct pin *pin_of(const struct pins *pins, const struct framework *row);
/* The pins of one release. */
const struct pins *pins_of(const struct member *member, const struct release *release);
