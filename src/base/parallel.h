/* What waits for the disk or for other programs, done together. */
#pragma once

#include <stddef.h>

/*
 * Calls `act` with each number below `count`, `at_once` at a time (at most 64) and in no order,
 * from threads of their own and this one; returns when all are done. Where threads cannot be had,
 * one after another. Not for what uses libgit2 or shares an arena.
 */
void parallel_run(size_t count, size_t at_once, void (*act)(void *context, size_t number),
                  void *context);
