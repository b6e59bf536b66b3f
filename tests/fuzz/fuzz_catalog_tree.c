/*
 * A catalog's trees as git has them, made of lines, in their order: "d NAME" opens a folder, "u"
 * leaves it, "f MODE NAME" is a file, with the octal mode as it stands there. Whatever is in them,
 * they are refused, or become a set of files by safe paths, in order, each of which is found.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/source/source_files.h"
#include "data/fileset.h"
#include "git/libgit2.h"

#include <git2.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX (LIMIT_TREE_DEPTH + 8)

static git_oid write_object(git_odb *odb, git_object_t type, struct span bytes)
{
    git_oid id;
    must(git_odb_write(&id, odb, bytes.ptr, bytes.len, type) == 0);
    return id;
}

static void put_entry(struct buf *tree, struct span mode, struct span name, const git_oid *id)
{
    (void)buf_append(tree, mode.ptr, mode.len);
    (void)buf_putc(tree, ' ');
    (void)buf_append(tree, name.ptr, name.len);
    (void)buf_putc(tree, '\0');
    (void)buf_append(tree, id->id, sizeof(id->id));
}

static struct span take_until(struct span *rest, char end)
{
    const char *found = rest->len ? memchr(rest->ptr, end, rest->len) : NULL;
    struct span taken = span_of(rest->ptr, found ? (size_t)(found - rest->ptr) : rest->len);
    size_t used = taken.len + (found != NULL);
    *rest = span_of(rest->ptr + used, rest->len - used);
    return taken;
}

/* The trees from the lines that are left, up to the "u" of this one. */
static git_oid write_tree(git_odb *odb, struct span *rest, size_t depth)
{
    BUF_SCRATCH(tree, LIMIT_MIB);
    static const struct span folder = {"40000", 5};
    while (rest->len) {
        struct span line = take_until(rest, '\n');
        struct span word = take_until(&line, ' ');
        if (span_equal(word, span_from("u")))
            break;
        if (span_equal(word, span_from("d")) && depth < DEPTH_MAX) {
            git_oid id = write_tree(odb, rest, depth + 1);
            put_entry(&tree, folder, line, &id);
        } else if (span_equal(word, span_from("f"))) {
            struct span mode = take_until(&line, ' ');
            git_oid id = write_object(odb, GIT_OBJECT_BLOB, line);
            put_entry(&tree, mode, line, &id);
        }
    }
    return write_object(odb, GIT_OBJECT_TREE, span_of(buf_text(&tree), tree.len));
}

static git_oid write_commit(git_odb *odb, struct span lines)
{
    BUF_SCRATCH(text, LIMIT_KIB);
    char hex[GIT_OID_HEXSZ + 1];
    git_oid tree = write_tree(odb, &lines, 0);
    (void)buf_printf(&text, "tree %s\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nm\n",
                     git_oid_tostr(hex, sizeof(hex), &tree));
    return write_object(odb, GIT_OBJECT_COMMIT, span_of(text.ptr, text.len));
}

/* No part of it leads out of the catalog, or into a repository. */
static void check_path(const char *path)
{
    for (const char *part = path; part;) {
        const char *slash = strchr(part, '/');
        struct span name = span_of(part, slash ? (size_t)(slash - part) : strlen(part));
        must(name.len && !span_equal(name, span_from(".")) && !span_equal(name, span_from("..")));
        must(!span_equal(name, span_from(".git")) && !span_equal(name, span_from(".GIT")));
        part = slash ? slash + 1 : NULL;
    }
}

static void check_files(const struct fileset *files)
{
    for (size_t i = 0; i < files->count; i++) {
        ERR_SCRATCH(err);
        struct span bytes;
        const struct fileset_entry *entry = &files->entries[i];
        check_path(entry->path);
        must(i == 0 || strcmp(files->entries[i - 1].path, entry->path) < 0);
        must(fileset_find(files, entry->path) == (long)i);
        (void)!files->read(&bytes, files, i, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    git_odb *odb = NULL;
    git_odb_backend *memory = NULL;
    git_repository *repository = NULL;
    const struct fileset *files = NULL;
    must(git_start(&err) == 0 && git_odb_new(&odb) == 0 && git_mempack_new(&memory) == 0);
    must(git_odb_add_backend(odb, memory, 1) == 0);
    must(git_repository_wrap_odb(&repository, odb) == 0);
    git_oid commit = write_commit(odb, span_of((const char *)bytes, size));
    if (catalog_git_files(&files, &arena, repository, &commit, "", &err) == 0)
        check_files(files);
    else
        must(err.exit != TG_OK && err.message);
    catalog_git_files_free(files);
    git_repository_free(repository);
    git_odb_free(odb);
    return 0;
}
