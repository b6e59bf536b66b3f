/* The variables of what is being rendered: frames, and the scopes within them. */
#pragma once

#include "base/err.h"
#include "jinja/run/vm.h"

#include <stddef.h>

struct scope;

/*
 * Makes a frame of the program, routine, up and context of `as`, moves to it and enters `scope`;
 * the frame that was there is the caller's to put back. Fails where too many are open.
 */
TG_CHECKED int frame_begin(struct frame **outer, struct vm *vm, const struct frame *as,
                           const struct scope *scope);
/* Says in the trace of the error that it happened below this place of the current frame; -1. */
int frame_trace(struct vm *vm, const char *how, size_t offset);

/* The variables of a scope as they are when it is entered; what they are once it is left. */
TG_CHECKED int scope_enter(struct vm *vm, const struct scope *scope);
void scope_leave(struct vm *vm, const struct scope *scope);
