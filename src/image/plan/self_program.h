/* The program that runs, as a file: it goes into images that are to have tmplgen. */
#pragma once

#include "base/err.h"
#include "base/span.h"

struct arena;

/*
 * Its bytes, also where a dynamic loader was told to run it. Refused (3), "program-unknown", where
 * no file is it any more.
 */
TG_CHECKED int self_program_read(struct span *out, struct arena *arena, struct err *err);
