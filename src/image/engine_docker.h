/* docker with buildx, and podman, which has the same commands for all but the building. */
#ifndef TMPLGEN_IMAGE_ENGINE_DOCKER_H
#define TMPLGEN_IMAGE_ENGINE_DOCKER_H

#include "image/engine.h"

extern const struct engine docker_engine, podman_engine;

#endif
