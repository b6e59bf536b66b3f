/* Is this path safe to write? One door for every path that a render, an update or a plan writes. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;

/*
 * Checks one relative path for what could leave the target or mean something else on
 * another system, in each of its parts:
 *
 * - not empty, not absolute, no empty part, no `.` or `..`, no backslash, valid UTF-8;
 * - no control, bidirectional, zero-width or other characters that do not show;
 * - no `.git`, and no `.gitmodules` (catalogs have no submodules), in any spelling that HFS+, APFS
 * or NTFS takes for it: `.GIT`, `.g\u200cit`, `git~1`, `.git.`, `.git::$INDEX_ALLOCATION`,
 * `GI7EBA~1`;
 * - nothing that Windows cannot hold or opens as something else: a colon, a dot or a blank at the
 *   end, a device (`con`, `aux.py`, `lpt1`);
 * - at most LIMIT_PATH_BYTES bytes, LIMIT_NAME_BYTES a part, LIMIT_TREE_DEPTH parts.
 *
 * Unsafe: exit 3, code "unsafe-path"; over a limit: exit 2, code "limit". The path in the message
 * is masked. It says nothing of links: code that writes opens each part without following any.
 */
TG_CHECKED int path_check(const char *path, struct err *err);

/*
 * A set of paths in which no two may meet after Unicode NFC and full case folding, nor a file be
 * the folder of another; `Docs/a` and `docs/b` meet in their folder. `origin` names where a path
 * came from, for the message. Adding a path takes time by its own length only, however paths are
 * chosen.
 */
struct path_set;
struct path_set *path_set_new(struct arena *arena);
/* Exit 2, code "path-clash", naming both paths and origins where they clash. */
TG_CHECKED int path_set_add(struct path_set *set, const char *path, const char *origin,
                            struct err *err);
