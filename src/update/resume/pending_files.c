/* What an update that is not over has put into the work tree, and nobody has changed since. */
#include "update/resume/pending_files.h"

#include "apply/apply.h"
#include "git/disk_entry.h"
#include "git/path_change.h"
#include "git/repo.h"

#include <string.h>

int pending_files_has(bool *out, const struct unfinished *unfinished, const struct repo *repo,
                      const char *path, struct err *err)
{
    struct disk_entry disk;
    bool waits = unfinished->state != APPLY_NONE && unfinished->state != APPLY_STALE;
    const struct path_change *change = waits ? journal_change(&unfinished->journal, path) : NULL;
    *out = false;
    if (!change || path_change_conflicts(change) || !path_change_on_disk(change))
        return 0;
    if (disk_look(&disk, NULL, NULL, repo->top_fd, path, err) < 0)
        return -1;
    bool gone = change->new.kind == DISK_ABSENT &&disk.kind == DISK_FOLDER;
    *out = gone || disk_equal(&disk, &change->new);
    return 0;
}
