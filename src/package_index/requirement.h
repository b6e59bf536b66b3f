/* Requirements of packages as in their metadata: PEP 508, names and extras, markers. */
#pragma once

#include "base/err.h"
#include "matrix/version.h"

#include <stdbool.h>

struct arena;

/* `torch[a,b] (==2.1,<3) ; marker`. Texts are in the arena; names are as pip compares them. */
struct requirement {
    const char *name;
    const char *extras; /* separated by single blanks; "": none */
    struct spec spec;
    const char *marker; /* or NULL */
};

/* -1 for another form (URLs are not read). */
TG_CHECKED int requirement_parse(struct requirement *out, struct arena *arena, const char *text);
/* A name in the arena with its case, `.` and `_` folded: "Jax_CUDA12.plugin" is
 * "jax-cuda12-plugin".
 */
const char *requirement_name(struct arena *arena, const char *name);
/* The only version that meets it, as text: `==V`, `===V`, or `>=V,<=V`; or NULL. */
const char *requirement_pin(const struct requirement *requirement);
/* The V of `<=V`, the highest version that meets it; or NULL. */
const char *requirement_most(const struct requirement *requirement);
/* "torch (<4, >=2.1) ; ..." as in rows, without blanks, in the arena: "torch>=2.1,<4". */
const char *requirement_text(struct arena *arena, const struct requirement *requirement);

/* The environment for which a marker is evaluated. */
struct marker_world {
    const char *processor; /* x86_64, aarch64 */
    const char *python;    /* 3.12; NULL: any */
    const char *extras;    /* as in a requirement */
};

/*
 * True where a requirement applies on Linux with CPython. A marker that the world does not decide,
 * or that cannot be read, applies.
 */
bool marker_holds(struct arena *arena, const char *marker, const struct marker_world *world);
