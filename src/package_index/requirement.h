/* Requirements of packages, as their metadata states them: PEP 508, names and extras, markers. */
#pragma once

#include "base/err.h"
#include "matrix/version.h"

#include <stdbool.h>

struct arena;

/* `torch[a,b] (==2.1,<3) ; marker`. Texts are in the arena; names are as pip compares them. */
struct requirement {
    const char *name;
    const char *extras; /* separated by single blanks; "" where there are none */
    struct spec spec;
    const char *marker; /* or NULL */
};

/* -1 where `text` is no such requirement (a URL is none that we read). */
TG_CHECKED int requirement_parse(struct requirement *out, struct arena *arena, const char *text);
/* A name in the arena with its case, `.` and `_` folded: "Jax_CUDA12.plugin" is
 * "jax-cuda12-plugin".
 */
const char *requirement_name(struct arena *arena, const char *name);
/* The one version that meets it, as text, or NULL: `==V`, `===V`, or `>=V,<=V`. */
const char *requirement_pin(const struct requirement *requirement);
/* The V of `<=V`, beyond which it is not met, or NULL. */
const char *requirement_most(const struct requirement *requirement);
/* "torch>=2.1,<4" of "torch (<4, >=2.1) ; ...", in the arena: as rows have it, without blanks. */
const char *requirement_text(struct arena *arena, const struct requirement *requirement);

/* What a marker is asked about. */
struct marker_world {
    const char *processor; /* x86_64, aarch64 */
    const char *python;    /* 3.12; NULL: any that there is */
    const char *extras;    /* as in a requirement */
};

/*
 * Whether a requirement counts on Linux with CPython. What the world leaves open, and what is no
 * marker, counts.
 */
bool marker_holds(struct arena *arena, const char *marker, const struct marker_world *world);
