/* Files in memory, made of a fuzzer's input: a catalog, and what a user says beside it.
 *
 * The input is text: a line `--- PATH` begins a file, `--+ PATH` an executable one, and what
 * follows up to the next such line is its content.
 */
#ifndef MEMORY_CATALOG_H
#define MEMORY_CATALOG_H

#include "fuzz.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/catalog.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* More would be as slow as it is useless: a catalog of many files finds nothing that few do not. */
#define MEMORY_FILES_MAX ((size_t)64)

struct memory_file {
    struct fileset_entry entry; /* first: files are sorted as entries are */
    struct span bytes;
};

struct memory_files {
    struct fileset set; /* first: a set is cast back */
    struct fileset_entry entries[MEMORY_FILES_MAX];
    struct memory_file files[MEMORY_FILES_MAX];
};

static inline int memory_read(struct span *out, const struct fileset *set, size_t index,
                              struct err *err)
{
    const struct memory_files *files = (const struct memory_files *)set;
    (void)err;
    *out = files->files[index].bytes;
    return 0;
}

static inline bool memory_heads(struct span text)
{
    return text.len > 4 && (memcmp(text.ptr, "--- ", 4) == 0 || memcmp(text.ptr, "--+ ", 4) == 0);
}

/* The bytes up to the next head of a file. */
static inline size_t memory_content(struct span text)
{
    size_t at = 0;
    while (at < text.len && !memory_heads(span_of(text.ptr + at, text.len - at))) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        at = end ? (size_t)(end - text.ptr) + 1 : text.len;
    }
    return at;
}

/* What no folder and no git tree of a catalog can hold. */
static inline bool memory_path_fits(const char *path)
{
    return *path && strlen(path) <= LIMIT_PATH_BYTES && *path != '/' && !str_ends(path, "/") &&
           !strstr(path, "//");
}

/* Each piece is an allocation of its own, without a NUL at its end: overruns are seen. */
static inline struct span memory_exact(struct arena *arena, struct span text)
{
    char *copy = arena_alloc(arena, text.len);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return span_of(copy, text.len);
}

/* Adds a file, where it can be one of a catalog and the first of its path. */
static inline struct memory_file *memory_put(struct memory_files *out, struct arena *arena,
                                             const char *path, struct span bytes)
{
    if (out->set.count == MEMORY_FILES_MAX || !memory_path_fits(path))
        return NULL;
    for (size_t i = 0; i < out->set.count; i++)
        if (strcmp(out->files[i].entry.path, path) == 0)
            return NULL;
    struct memory_file *file = &out->files[out->set.count++];
    *file = (struct memory_file){{.path = path}, memory_exact(arena, bytes)};
    return file;
}

static inline int memory_by_path(const void *a, const void *b)
{
    const struct memory_file *left = a, *right = b;
    return strcmp(left->entry.path, right->entry.path);
}

/* Sorts what was put; before that the set is not to be used. */
static inline void memory_settle(struct memory_files *files)
{
    qsort(files->files, files->set.count, sizeof(*files->files), memory_by_path);
    for (size_t i = 0; i < files->set.count; i++)
        files->entries[i] = files->files[i].entry;
    files->set.entries = files->entries;
    files->set.read = memory_read;
}

static inline struct memory_files *memory_files(struct arena *arena, struct span input)
{
    struct memory_files *files = arena_alloc(arena, sizeof(*files));
    for (size_t at = memory_content(input); at < input.len;) {
        const char *start = input.ptr + at, *end = memchr(start, '\n', input.len - at);
        struct span head = span_of(start, end ? (size_t)(end - start) : input.len - at);
        at += head.len + (end != NULL);
        struct span rest = span_of(input.ptr + at, input.len - at);
        size_t len = memory_content(rest);
        struct memory_file *file = memory_put(
            files, arena, arena_memdup(arena, head.ptr + 4, head.len - 4), span_of(rest.ptr, len));
        if (file)
            file->entry.executable = head.ptr[2] == '+';
        at += len;
    }
    memory_settle(files);
    return files;
}

/* The content of a file; empty where there is none. */
static inline struct span memory_text(const struct memory_files *files, const char *path)
{
    long index = fileset_find(&files->set, path);
    return index < 0 ? span_of("", 0) : files->files[index].bytes;
}

/* Such a file as YAML: `*root` is NULL where there is none, or nothing in it. */
static inline int memory_document(const struct yaml_node **root, struct arena *arena,
                                  const struct memory_files *files, const char *path,
                                  struct err *err)
{
    struct yaml_doc *doc;
    *root = NULL;
    if (fileset_find(&files->set, path) < 0)
        return 0;
    if (yaml_parse(&doc, arena, path, memory_text(files, path), err) < 0)
        return -1;
    *root = doc->root;
    return 0;
}

/* The members of a mapping, as `--answers` and records give them. */
static inline int memory_given(struct given_list *out, struct arena *arena,
                               const struct memory_files *files, const char *path,
                               enum given_from from, struct err *err)
{
    const struct yaml_node *root;
    if (memory_document(&root, arena, files, path, err) < 0)
        return -1;
    for (size_t i = 0; root && root->kind == YAML_MAP && i < root->map.count; i++)
        given_add(out, arena,
                  (struct given){.name = root->map.members[i].key->text.ptr,
                                 .from = from,
                                 .node = root->map.members[i].value});
    return 0;
}

static inline struct catalog memory_catalog(const struct memory_files *files)
{
    return (struct catalog){
        .origin = {.source = "/memory"}, .name = "memory", .files = &files->set};
}

/* A refusal has its kind, its words and its fixed code; where nothing is read, nothing breaks. */
static inline void memory_check_refusal(const struct err *err)
{
    must(err->exit == TG_USAGE || err->exit == TG_REFUSED || err->exit == TG_UNSOLVABLE);
    must(err->message && *err->message && err->code);
}

#endif
