/* Executing statements. */
#ifndef TMPLGEN_TEMPLATE_EXEC_H
#define TMPLGEN_TEMPLATE_EXEC_H

#include "base/err.h"

struct program;
struct vm;

/* Begins the frame of a program that is rendered or evaluated: its variables, none of them set. */
struct frame;
void frame_init(struct frame *frame, struct vm *vm, const struct program *program);

/* Renders the program of the current frame to vm->out. */
TG_CHECKED int exec_program(struct vm *vm);

#endif
