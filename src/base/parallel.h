/* Runs work that waits for the disk or for other programs in parallel. */
#pragma once

#include <stddef.h>

/*
 * Calls `act` with each number below `count`, in no fixed order, at most `at_once` (and 64) at a
 * time, on new threads and on this one. Returns when all calls are done. Without threads, calls run
 * one after another. `act` must not use libgit2 or a shared arena.
 */
void parallel_run(size_t count, size_t at_once, void (*act)(void *context, size_t number),
                  void *context);
