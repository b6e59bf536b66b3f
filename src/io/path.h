/* Checks paths before anything is written: every path of a render, an update or a plan. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;

/*
 * Checks that a relative path stays in the target and means the same on other systems. Each part:
 *
 * - not empty, not absolute, no empty part, no `.` or `..`, no backslash, valid UTF-8;
 * - no control, bidirectional, zero-width or other invisible characters;
 * - no `.git` and no `.gitmodules` (catalogs have no submodules), in any spelling that HFS+, APFS
 *   or NTFS accept for it: `.GIT`, `.g\u200cit`, `git~1`, `.git.`, `.git::$INDEX_ALLOCATION`,
 *   `GI7EBA~1`;
 * - nothing that Windows cannot store or opens as something else: a colon, a dot or a blank at the
 *   end, a device (`con`, `aux.py`, `lpt1`);
 * - at most LIMIT_PATH_BYTES bytes, LIMIT_NAME_BYTES a part, LIMIT_TREE_DEPTH parts.
 *
 * Unsafe: exit 3, code "unsafe-path"; over a limit: exit 2, code "limit". The message masks the
 * path. Links are not checked: code that writes opens each part without following them.
 */
TG_CHECKED int path_check(const char *path, struct err *err);

/*
 * A set of paths. Two paths clash if they are equal after Unicode NFC and full case folding, or if
 * a file is the folder of another; the folders of `Docs/a` and `docs/b` clash. `origin` says where
 * a path came from, for the message. The time to add a path depends on its length only.
 */
struct path_set;
struct path_set *path_set_new(struct arena *arena);
/* Exit 2, code "path-clash", naming both paths and origins, if the path clashes. */
TG_CHECKED int path_set_add(struct path_set *set, const char *path, const char *origin,
                            struct err *err);
