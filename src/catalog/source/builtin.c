/* The built-in catalog: tables in the binary with the files of all released versions. */
#include "catalog/catalog_source.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/builtin_data.h"
#include "catalog/revision.h"
#include "data/fileset.h"

#include <string.h>

/* Finds a release by "v0.1.0", "0.1.0" or its commit id. */
static const struct builtin_version *find_release(const char *ref)
{
    for (size_t i = 0; i < builtin_release_count; i++)
        if (strcmp(builtin_versions[i].commit, ref) == 0 ||
            strcmp(builtin_versions[i].version, *ref == 'v' ? ref + 1 : ref) == 0)
            return &builtin_versions[i];
    return NULL;
}

static int unknown_ref(const char *ref, struct err *err)
{
    (void)err_set(err, TG_USAGE, "unknown-ref", "the built-in catalog has no version '%s'", ref);
    if (builtin_release_count == 0)
        return -1;
    return err_hint(err, "this tmplgen has versions %s to %s; a newer tmplgen has newer ones",
                    builtin_versions[0].version,
                    builtin_versions[builtin_release_count - 1].version);
}

static struct span bytes_of(struct builtin_part part)
{
    return span_of(builtin_bytes + part.at, part.size);
}

struct version_files {
    struct fileset set; /* must come first: the set is cast back */
    const struct builtin_version *version;
};

static const struct builtin_file *file_of(const struct builtin_version *version, size_t index)
{
    return &builtin_files[version->first + index];
}

static int read_file(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct builtin_version *version = ((const struct version_files *)set)->version;
    (void)err;
    *out = bytes_of(builtin_blobs[file_of(version, index)->blob].data);
    return 0;
}

static const struct fileset *files_of(struct arena *arena, const struct builtin_version *version)
{
    struct version_files *files = arena_alloc(arena, sizeof(*files));
    struct fileset_entry *entries = arena_array(arena, version->count, sizeof(*entries));
    for (size_t i = 0; i < version->count; i++) {
        const struct builtin_file *file = file_of(version, i);
        const struct builtin_blob *blob = &builtin_blobs[file->blob];
        entries[i] = (struct fileset_entry){.path = builtin_bytes + file->path,
                                            .executable = file->executable,
                                            .id = blob->id,
                                            .deflated = bytes_of(blob->deflated),
                                            .rows = bytes_of(blob->rows)};
    }
    *files = (struct version_files){{entries, version->count, read_file}, version};
    return &files->set;
}

static bool builtin_takes(const char *source)
{
    return strcmp(source, CATALOG_BUILTIN) == 0;
}

static int builtin_open(struct catalog *out, struct arena *arena, const char *source,
                        const char *ref, struct err *err)
{
    const struct builtin_version *head = &builtin_versions[builtin_head];
    const struct builtin_version *release = find_release(ref ? ref : head->commit);
    const struct builtin_version *version = release ? release : head;
    if (ref && !release && strcmp(ref, head->commit) != 0)
        return unknown_ref(ref, err);
    out->files = files_of(arena, version);
    out->is_tested = true;
    out->origin = (struct catalog_origin){
        .source = source,
        .ref = release ? arena_printf(arena, "v%s", release->version) : version->commit,
        .commit = version->commit};
    return 0;
}

static int builtin_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                        const char *source, struct err *err)
{
    (void)source;
    (void)err;
    *out = arena_array(arena, builtin_release_count + 1, sizeof(**out));
    *count = builtin_release_count;
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (struct catalog_revision){
            .kind = REVISION_TAG,
            .name = arena_printf(arena, "v%s", builtin_versions[i].version),
            .commit = builtin_versions[i].commit};
    return 0;
}

/* Author, date and message must be those of tools/catalog_pack.c: the ids depend on them. */
size_t builtin_history(struct builtin_commit **out, struct arena *arena)
{
    size_t count = builtin_head >= builtin_release_count ? builtin_head + 1 : builtin_release_count;
    *out = arena_array(arena, count, sizeof(**out));
    for (size_t i = 0; i < count; i++) {
        const struct builtin_version *version = &builtin_versions[i];
        bool released = i < builtin_release_count;
        (*out)[i] = (struct builtin_commit){
            .version = version->version,
            .commit = version->commit,
            .tag = released ? arena_printf(arena, "v%s", version->version) : NULL,
            .who = arena_printf(arena, "tmplgen <tmplgen@localhost> %lld +0000", version->time),
            .message = arena_printf(arena, "tmplgen catalog %s%s\n", version->version,
                                    released ? "" : ", unreleased"),
            .files = files_of(arena, version)};
    }
    return count;
}

const struct source_kind source_builtin = {
    .takes = builtin_takes, .open = builtin_open, .revisions = builtin_list};
