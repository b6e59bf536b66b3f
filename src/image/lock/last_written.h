/* What a run wrote somewhere, noted in the user's cache: a later one sees whether it still is that.
 */
#ifndef TMPLGEN_LAST_WRITTEN_H
#define TMPLGEN_LAST_WRITTEN_H

#include "base/limits.h"
#include "base/span.h"

#include <stdbool.h>

#define MARK_BYTES_MAX (32 * LIMIT_MIB)

struct arena;

/*
 * Notes `text` of what lies at `place`, in the folder `marks`, which may be NULL. Without a mark
 * something is only not replaced: nothing depends on this.
 */
void last_written_keep(const char *marks, const char *place, struct span text);
/* What was noted of it last. */
bool last_written_read(struct span *out, struct arena *arena, const char *marks, const char *place);

#endif
