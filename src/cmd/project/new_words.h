/* What `new` tells of a project that it made, beside the result. */
#pragma once

struct created;
struct making;
struct run;

/*
 * Says what a person should know or do: of git's user, of signatures, of images that must be built
 * first, of a catalog that is not released, of a Python that is not here. `repository` is the one
 * that the project lies in; NULL: none, or --no-git.
 */
void new_say(struct run *run, const struct making *making, const struct created *created,
             const char *repository);
