/* What a release's metadata says of another package, beside what a row says of it. */
#ifndef TMPLGEN_REQUIRES_H
#define TMPLGEN_REQUIRES_H

#include <stdbool.h>

struct arena;
struct data;
struct requirement;
struct words;

/*
 * Whether the metadata of a release (index.h) admits of a package just what `row` does: on one of
 * the processors, for one of the Pythons. The extra that has that package's name counts as asked
 * for (transformers[torch]), others do not. `*said` is what it says, "torch>=2.6; extra ==
 * 'torch'", or NULL where it is silent.
 */
bool requires_agree(const char **said, struct arena *arena, const struct data *release,
                    const struct words *pythons, const struct requirement *row);

/* Whether the metadata of a release requires a package, in a version like that one. */
bool requires_version(struct arena *arena, const struct data *release, const char *name,
                      const char *version);

/* Whether a text of the metadata holds for every one of the Pythons, without any extra. */
bool requires_always(struct arena *arena, const struct requirement *said,
                     const struct words *pythons);

#endif
