/* buildah: no daemon, and no privileges where it may not have them. */
#ifndef TMPLGEN_ENGINE_BUILDAH_H
#define TMPLGEN_ENGINE_BUILDAH_H

#include "image/build/engine.h"

extern const struct engine buildah_engine;

#endif
