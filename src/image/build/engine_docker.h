/* docker with buildx, and podman, which has the same commands for all but the building. */
#ifndef TMPLGEN_ENGINE_DOCKER_H
#define TMPLGEN_ENGINE_DOCKER_H

#include "image/build/engine.h"

extern const struct engine docker_engine, podman_engine;

#endif
