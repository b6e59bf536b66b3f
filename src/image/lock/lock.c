/* The lock file: base images by digest, and the packages that their images were built with. */
#include "image/lock.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/document.h"
#include "data/yaml.h"
#include "io/io.h"
#include "io/output.h"
#include "registry/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define HEAD                                                                                       \
    "# Base images by digest, and the packages that were found for them. Written by\n"             \
    "# `tmplgen image lock` and `tmplgen image build`; commit it.\n"

/* ------------------------------------------------------------------ reading */

static int read_digest(struct data *map, struct arena *arena, const struct yaml_node *node,
                       const char *name, struct err *err)
{
    const char *text = NULL;
    if (!node || yaml_text(&text, node, name, err) < 0)
        return node ? -1 : 0;
    if (!image_digest_is_valid(text))
        return yaml_error(err, node, "'%s' is no digest", text);
    data_put_text(arena, map, name, text);
    return 0;
}

static int read_platforms(struct data *map, struct arena *arena, const struct yaml_node *node,
                          struct err *err)
{
    struct data *platforms = data_map(arena);
    if (node && node->kind != YAML_MAP)
        return yaml_error(err, node, "'platforms' must be a mapping");
    for (size_t i = 0; node && i < node->map.count; i++)
        if (read_digest(platforms, arena, node->map.members[i].value,
                        node->map.members[i].key->text.ptr, err) < 0)
            return -1;
    data_put(arena, map, "platforms", platforms);
    return 0;
}

static int read_image(struct data *images, struct arena *arena, const struct yaml_member *member,
                      struct err *err)
{
    static const char *const keys[] = {"digest", "media_type", "platforms", NULL};
    const struct yaml_node *node = member->value;
    struct data *map = data_map(arena);
    struct image_reference reference;
    ERR_SCRATCH(inner);
    const char *media_type = NULL;
    if (image_reference_parse(&reference, arena, member->key->text.ptr, &inner) < 0)
        return yaml_error(err, member->key, "%s", inner.message);
    if (reference.digest ||
        !str_ends(member->key->text.ptr, arena_printf(arena, ":%s", reference.tag)))
        return yaml_error(err, member->key, "'%s' is not REPO:TAG", member->key->text.ptr);
    if (yaml_check_keys(node, keys, err) < 0 ||
        read_digest(map, arena, yaml_get(node, "digest"), "digest", err) < 0 ||
        yaml_text(&media_type, yaml_get(node, "media_type"), "media_type", err) < 0)
        return -1;
    if (!data_get(map, "digest"))
        return yaml_error(err, node, "'digest' is missing");
    if (media_type)
        data_put_text(arena, map, "media_type", media_type);
    if (read_platforms(map, arena, yaml_get(node, "platforms"), err) < 0)
        return -1;
    data_put_span(arena, images, member->key->text, map);
    return 0;
}

/* NAME==VERSION, as pip's `freeze` prints it: no option, and no URL. */
bool lock_takes_package(const char *text)
{
    size_t name = strspn(text, LETTERS DIGITS "._-"), version;
    if (!name || strchr("._-", *text) || strncmp(text + name, "==", 2) != 0)
        return false;
    version = strspn(text + name + 2, LETTERS DIGITS ".!+_-");
    return version && !text[name + 2 + version] && strlen(text) <= LIMIT_NAME_BYTES * 4;
}

static int read_packages(struct data *packages, struct arena *arena,
                         const struct yaml_member *member, struct err *err)
{
    const struct yaml_node *node = member->value;
    struct data *steps = data_map(arena);
    if (node->kind != YAML_MAP)
        return yaml_error(err, node, "the packages of an image must be a mapping");
    for (size_t i = 0; i < node->map.count; i++) {
        struct words texts = {NULL, 0};
        const struct yaml_node *list = node->map.members[i].value;
        if (yaml_texts(&texts, arena, list, "packages", err) < 0)
            return -1;
        for (size_t j = 0; j < texts.count; j++)
            if (!lock_takes_package(texts.items[j]))
                return yaml_error(err, list->list.items[j], "'%s' is no NAME==VERSION",
                                  texts.items[j]);
        data_put_span(arena, steps, node->map.members[i].key->text,
                      data_texts(arena, texts.items, texts.count));
    }
    data_put_span(arena, packages, member->key->text, steps);
    return 0;
}

static int
read_map(struct data *out, struct arena *arena, const struct yaml_node *node, const char *what,
         int (*read)(struct data *, struct arena *, const struct yaml_member *, struct err *),
         struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_MAP)
        return yaml_error(err, node, "'%s' must be a mapping", what);
    for (size_t i = 0; i < node->map.count; i++)
        if (read(out, arena, &node->map.members[i], err) < 0)
            return -1;
    return 0;
}

static int read_lock(struct lock *out, struct arena *arena, const struct yaml_node *root,
                     struct err *err)
{
    static const char *const keys[] = {"schema", "images", "packages", NULL};
    int64_t schema = 0;
    if (yaml_check_keys(root, keys, err) < 0 ||
        yaml_int(&schema, yaml_get(root, "schema"), "schema", err) < 0)
        return -1;
    if (schema != 1) {
        (void)yaml_error(err, yaml_get(root, "schema") ? yaml_get(root, "schema") : root,
                         "'schema' must be 1");
        return err_hint(err, "a newer lock file needs a newer tmplgen");
    }
    if (read_map(out->images, arena, yaml_get(root, "images"), "images", read_image, err) < 0)
        return -1;
    return read_map(out->packages, arena, yaml_get(root, "packages"), "packages", read_packages,
                    err);
}

int lock_load(struct lock *out, struct arena *arena, const char *path, struct err *err)
{
    struct yaml_doc *doc;
    struct span text;
    *out = (struct lock){arena_strdup(arena, path), data_map(arena), data_map(arena)};
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (io_read_file(&text, arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0 ||
        yaml_parse(&doc, arena, path, text, err) < 0)
        return -1;
    if (doc->root)
        return read_lock(out, arena, doc->root, err);
    (void)err_set(err, TG_USAGE, "invalid", "the lock file '%s' is empty", path);
    return err_hint(err, "remove it to begin anew");
}

const char *lock_digest(const struct lock *lock, const char *reference)
{
    return data_get_text(data_get(lock->images, reference), "digest");
}

/* ------------------------------------------------------------------ writing */

static int format(struct buf *out, const struct lock *lock)
{
    ARENA_SCRATCH(scratch);
    struct data *root =
        data_of(&scratch, FIELD("schema", 1), FIELD("images", data_sorted(&scratch, lock->images)));
    if (lock->packages->map.count)
        data_put(&scratch, root, "packages", data_sorted(&scratch, lock->packages));
    return buf_puts(out, HEAD) < 0 || yaml_write(out, root, 0) < 0 ? -1 : 0;
}

int lock_write(bool *written, const struct lock *lock, struct err *err)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(unread);
    struct span now = {0};
    struct output file;
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    *written = false;
    if (format(&text, lock) < 0)
        return err_set(err, TG_RUNTIME, "limit", "'%s' would be larger than %zu bytes, the limit",
                       lock->path, LIMIT_DOCUMENT_BYTES);
    if (access(lock->path, F_OK) == 0 &&
        io_read_file(&now, &scratch, AT_FDCWD, lock->path, LIMIT_DOCUMENT_BYTES, &unread) == 0 &&
        span_equal(now, span_of(text.ptr, text.len)))
        return 0;
    if (output_open(&file, &scratch, lock->path, err) < 0 ||
        output_write(&file, span_of(text.ptr, text.len), err) < 0)
        return -1;
    *written = true;
    return 0;
}

/* Locks the folder: the file itself is replaced by a rename. */
static int hold_folder(const char *path, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? arena_memdup(&scratch, path, slash > path ? (size_t)(slash - path) : 1) : ".";
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? -1 : flock(fd, LOCK_EX);
    if (rc < 0 && (fd < 0 || !io_is_unsupported(errno))) {
        (void)err_errno(err, errno, "io", "cannot write '%s'", path);
        if (fd >= 0)
            (void)close(fd);
        fd = -1;
    }
    return fd;
}

int lock_edit(bool *written, struct arena *arena, const char *path,
              void (*act)(struct lock *now, void *context), void *context, struct err *err)
{
    struct lock now;
    int fd = hold_folder(path, err);
    *written = false;
    if (fd < 0)
        return -1;
    int rc = lock_load(&now, arena, path, err);
    if (rc == 0) {
        act(&now, context);
        rc = lock_write(written, &now, err);
    }
    (void)close(fd);
    return rc;
}

struct data *lock_drop(struct data **map, struct arena *arena, const struct data *needed)
{
    struct data *kept = data_map(arena), *dropped = data_list(arena);
    for (size_t i = 0; i < (*map)->map.count; i++) {
        const struct data_member *member = &(*map)->map.members[i];
        if (data_has_text(needed, member->name.ptr))
            data_put_span(arena, kept, member->name, member->value);
        else
            data_push(arena, dropped, data_span(arena, member->name));
    }
    *map = kept;
    return dropped;
}
