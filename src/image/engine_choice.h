/* Which of the programs that build images is used. */
#ifndef TMPLGEN_ENGINE_CHOICE_H
#define TMPLGEN_ENGINE_CHOICE_H

#include "base/err.h"

struct engine;

/*
 * The engine of that name, else of TMPLGEN_ENGINE, else the first of docker with buildx, buildah
 * and podman that can be used. Exit 2 for another name; 1, "no-engine", where none is there, or not
 * the one that was named.
 */
TG_CHECKED int engine_choose(const struct engine **out, const char *name, struct err *err);

#endif
