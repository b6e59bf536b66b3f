/* Frames and scopes: the variables of the code being rendered. */
#pragma once

#include "base/err.h"
#include "jinja/run/vm.h"

#include <stddef.h>

struct scope;

/*
 * Pushes a frame with the program, routine, up and context of `as`, and enters `scope`. The caller
 * restores the old frame. Fails if too many frames are open.
 */
TG_CHECKED int frame_begin(struct frame **outer, struct vm *vm, const struct frame *as,
                           const struct scope *scope);
/* Adds this place of the current frame to the error's trace; returns -1. */
int frame_trace(struct vm *vm, const char *how, size_t offset);

/* Initializes the variables of a scope on entry; ends them on exit. */
TG_CHECKED int scope_enter(struct vm *vm, const struct scope *scope);
void scope_leave(struct vm *vm, const struct scope *scope);
