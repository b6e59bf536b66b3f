/* Git trees as flat lists of files, and new trees made by editing others. */
#include "git/tree.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/store.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 2048, MODE_MAX = 8 };
#define TREE_MAX ((size_t)1 << 30)
#define FOLDER_MODE "40000 "

/* One entry of a tree object; `name` is not NUL-terminated by promise. */
struct tree_node {
    struct span name;
    struct tree_entry leaf;
};

static int malformed(struct err *err, const char *path)
{
    (void)err_set(err, TG_RUNTIME, "git", "the tree of '%s' is damaged", path);
    return err_hint(err, "look at it with 'git fsck'");
}

/* Takes the next entry off `rest`. Names that no file can have are damage. */
static int next_node(struct tree_node *out, struct span *rest)
{
    const char *end = rest->ptr + rest->len, *at = rest->ptr;
    out->leaf.mode = 0;
    while (at < end && *at >= '0' && *at <= '7' && at - rest->ptr < MODE_MAX)
        out->leaf.mode = out->leaf.mode * 8 + (unsigned)(*at++ - '0');
    if (at == rest->ptr || at == end || *at++ != ' ')
        return -1;
    const char *stop = memchr(at, '\0', (size_t)(end - at));
    if (!stop || stop == at || (size_t)(end - stop - 1) < sizeof(struct oid) ||
        memchr(at, '/', (size_t)(stop - at)))
        return -1;
    out->name = span_of(at, (size_t)(stop - at));
    memcpy(out->leaf.id.id, stop + 1, sizeof(struct oid));
    at = stop + 1 + sizeof(struct oid);
    *rest = span_of(at, (size_t)(end - at));
    return 0;
}

/* Old trees have modes such as 100664, which count as 100644. */
static unsigned known_mode(unsigned mode)
{
    if ((mode & 0170000) == 0100000)
        return mode & 0100 ? LEAF_EXECUTABLE : LEAF_FILE;
    return mode;
}

struct tree_lister {
    struct arena *arena;
    const struct store *store;
    struct tree_file *files;
    size_t count;
    size_t visited, max; /* entries, including folders */
    struct err *err;
};

/* A few trees that contain each other many times could expand to any number of files. */
static int too_many(const struct tree_lister *l)
{
    (void)err_set(l->err, TG_RUNTIME, "git", "a tree has more files than it can have here: %zu",
                  l->max);
    return err_hint(l->err, "look at it with 'git fsck'");
}

/* Joins prefix and name, with '/' at the end for a folder. */
static const char *join(struct arena *arena, const char *prefix, struct span name, bool folder)
{
    size_t before = strlen(prefix);
    char *path = arena_alloc(arena, before + name.len + 2);
    memcpy(path, prefix, before);
    memcpy(path + before, name.ptr, name.len);
    path[before + name.len] = folder ? '/' : '\0';
    return path;
}

/* Prefetches the subtrees of a tree in one round trip. Damage is reported when one is read. */
static void look_ahead(const struct store *store, struct span tree)
{
    BUF_SCRATCH(ids, TREE_MAX);
    const char *end = tree.ptr + tree.len, *name_end;
    for (const char *at = tree.ptr; at < end; at = name_end + 1 + sizeof(struct oid)) {
        name_end = memchr(at, '\0', (size_t)(end - at));
        if (!name_end || (size_t)(end - name_end) <= sizeof(struct oid))
            break;
        if (str_starts(at, FOLDER_MODE))
            (void)buf_append(&ids, name_end + 1, sizeof(struct oid));
    }
    store_look_ahead(store, (const struct oid *)buf_text(&ids), ids.len / sizeof(struct oid));
}

/* Git's order of entries is the bytewise order of full paths. */
static int list_folder(struct tree_lister *l, const struct oid *tree, const char *prefix, int depth)
{
    STORE_BYTES_SCRATCH(loaded);
    const char *what = *prefix ? prefix : ".";
    if (depth > DEPTH_MAX)
        return malformed(l->err, what);
    if (store_get(&loaded, l->store, STORE_TREE, tree, what, l->err) < 0)
        return -1;
    look_ahead(l->store, loaded.bytes);
    for (struct span rest = loaded.bytes; rest.len;) {
        struct tree_node node;
        if (next_node(&node, &rest) < 0)
            return malformed(l->err, what);
        bool folder = node.leaf.mode == LEAF_TREE;
        const char *path = join(l->arena, prefix, node.name, folder);
        if (folder && list_folder(l, &node.leaf.id, path, depth + 1) < 0)
            return -1;
        node.leaf.mode = known_mode(node.leaf.mode);
        if (l->visited++ == l->max)
            return too_many(l);
        if (!folder)
            arena_push(l->arena, l->files, l->count) = (struct tree_file){path, node.leaf};
    }
    return 0;
}

int tree_list(struct tree_files *out, struct arena *arena, const struct store *store,
              const struct oid *tree, size_t max, struct err *err)
{
    struct tree_lister l = {.arena = arena, .store = store, .max = max, .err = err};
    if (list_folder(&l, tree, "", 0) < 0)
        return -1;
    *out = (struct tree_files){l.files, l.count};
    return 0;
}

static int visit_folder(const struct store *store, const struct oid *tree, tree_visitor *visit,
                        void *context, int depth, struct err *err)
{
    ARENA_SCRATCH(scratch);
    STORE_BYTES_SCRATCH(loaded);
    if (depth > DEPTH_MAX)
        return malformed(err, "a folder");
    if (store_get(&loaded, store, STORE_TREE, tree, "a folder", err) < 0)
        return -1;
    look_ahead(store, loaded.bytes);
    for (struct span rest = loaded.bytes; rest.len;) {
        struct tree_node node;
        if (next_node(&node, &rest) < 0)
            return malformed(err, "a folder");
        struct tree_visit one = {arena_memdup(&scratch, node.name.ptr, node.name.len), node.leaf};
        int rc = visit(context, &one);
        if (rc == 0 && node.leaf.mode == LEAF_TREE)
            rc = visit_folder(store, &node.leaf.id, visit, context, depth + 1, err);
        if (rc < 0)
            return -1;
    }
    return 0;
}

int tree_visit_all(const struct store *store, const struct oid *tree, tree_visitor *visit,
                   void *context, struct err *err)
{
    return visit_folder(store, tree, visit, context, 0, err);
}

/* The entry `name` of one tree. */
static int find_node(struct tree_entry *out, const struct store *store, const struct oid *tree,
                     struct span name, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded);
    *out = (struct tree_entry){0};
    if (store_get(&loaded, store, STORE_TREE, tree, "a folder", err) < 0)
        return -1;
    for (struct span rest = loaded.bytes; rest.len;) {
        struct tree_node node;
        if (next_node(&node, &rest) < 0)
            return malformed(err, "a folder");
        if (!span_equal(node.name, name))
            continue;
        *out = node.leaf;
        out->mode = known_mode(out->mode);
        return 0;
    }
    return 0;
}

int tree_find(struct tree_entry *out, const struct store *store, const struct oid *tree,
              const char *path, struct err *err)
{
    *out = (struct tree_entry){LEAF_TREE, *tree};
    while (*path) {
        const char *slash = strchr(path, '/');
        size_t len = slash ? (size_t)(slash - path) : strlen(path);
        struct oid folder = out->id;
        if (out->mode != LEAF_TREE) {
            *out = (struct tree_entry){0};
            return 0;
        }
        if (find_node(out, store, &folder, span_of(path, len), err) < 0)
            return -1;
        if (out->mode == LEAF_ABSENT)
            return 0;
        path += len + (slash != NULL);
    }
    return 0;
}

struct editor {
    struct arena *arena;
    const struct store *read;
    struct store *write; /* NULL: only hash */
    struct err *err;
};

/* The entries of one tree during an edit. */
struct folder {
    struct tree_node *nodes;
    size_t count;
    size_t loaded; /* the first so many are old; a removed entry has mode 0 */
};

static int load_folder(struct folder *out, const struct editor *e, const struct oid *tree)
{
    struct span rest;
    *out = (struct folder){0};
    if (!tree)
        return 0;
    if (store_copy(&rest, e->arena, e->read, STORE_TREE, tree, "a folder", e->err) < 0)
        return -1;
    while (rest.len) {
        struct tree_node node;
        if (next_node(&node, &rest) < 0)
            return malformed(e->err, "a folder");
        arena_push(e->arena, out->nodes, out->count) = node;
    }
    out->loaded = out->count;
    return 0;
}

/* Git's order: a folder's name counts as if it ended in '/'. */
static int by_git_name(const void *a, const void *b)
{
    const struct tree_node *left = a, *right = b;
    size_t common = left->name.len < right->name.len ? left->name.len : right->name.len;
    int order = memcmp(left->name.ptr, right->name.ptr, common);
    if (order)
        return order;
    unsigned char left_next = left->name.len > common        ? (unsigned char)left->name.ptr[common]
                              : left->leaf.mode == LEAF_TREE ? '/'
                                                             : 0;
    unsigned char right_next = right->name.len > common ? (unsigned char)right->name.ptr[common]
                               : right->leaf.mode == LEAF_TREE ? '/'
                                                               : 0;
    return left_next - right_next;
}

static void drop_removed(struct folder *folder)
{
    size_t kept = 0;
    for (size_t i = 0; i < folder->count; i++)
        if (folder->nodes[i].leaf.mode != LEAF_ABSENT)
            folder->nodes[kept++] = folder->nodes[i];
    folder->count = kept;
}

static int write_folder(struct oid *out, const struct editor *e, struct folder *folder)
{
    BUF_SCRATCH(text, TREE_MAX);
    if (folder->count)
        qsort(folder->nodes, folder->count, sizeof(*folder->nodes), by_git_name);
    for (size_t i = 0; i < folder->count; i++) {
        const struct tree_node *node = &folder->nodes[i];
        (void)buf_printf(&text, "%o %.*s", node->leaf.mode, (int)node->name.len, node->name.ptr);
        (void)buf_putc(&text, '\0');
        (void)buf_append(&text, node->leaf.id.id, sizeof(node->leaf.id.id));
    }
    struct span bytes = span_of(buf_text(&text), text.len);
    return e->write ? store_put(out, e->write, STORE_TREE, bytes, e->err)
                    : store_hash(out, STORE_TREE, bytes, e->err);
}

static struct tree_node *get_node(const struct folder *folder, struct span name)
{
    for (size_t i = 0; i < folder->loaded; i++)
        if (span_equal(folder->nodes[i].name, name))
            return &folder->nodes[i];
    return NULL;
}

static void set_node(struct folder *folder, const struct editor *e, struct span name,
                     const struct tree_entry *leaf)
{
    struct tree_node *node = get_node(folder, name);
    if (node)
        node->leaf = *leaf;
    else if (leaf->mode != LEAF_ABSENT)
        arena_push(e->arena, folder->nodes, folder->count) = (struct tree_node){name, *leaf};
}

/* By path, with '/' before all other bytes, so that edits below a folder are adjacent. */
static int by_part(const void *a, const void *b)
{
    const char *left = ((const struct tree_edit *)a)->path;
    const char *right = ((const struct tree_edit *)b)->path;
    while (*left && *left == *right)
        left++, right++;
    int l = *left == '/' ? 1 : *left ? (unsigned char)*left + 1 : 0;
    int r = *right == '/' ? 1 : *right ? (unsigned char)*right + 1 : 0;
    return l - r;
}

static int edit_folder(struct tree_entry *out, const struct editor *e, const struct oid *tree,
                       const struct tree_edit *edits, size_t count, size_t skip);

static struct span first_part(const struct tree_edit *edit, size_t skip)
{
    const char *part = edit->path + skip, *slash = strchr(part, '/');
    return span_of(part, slash ? (size_t)(slash - part) : strlen(part));
}

/* All edits at and below one name. An edit of the name itself comes first, and counts last. */
static int edit_name(struct folder *folder, const struct editor *e, const struct tree_edit *edits,
                     size_t count, size_t skip)
{
    struct span name = first_part(&edits[0], skip);
    bool itself = edits[0].path[skip + name.len] == '\0';
    const struct tree_node *node = get_node(folder, name);
    const struct oid *tree = node && node->leaf.mode == LEAF_TREE ? &node->leaf.id : NULL;
    struct tree_entry below = {0};
    if (count > itself &&
        edit_folder(&below, e, tree, edits + itself, count - itself, skip + name.len + 1) < 0)
        return -1;
    if (itself && edits[0].leaf.mode != LEAF_ABSENT)
        below = edits[0].leaf;
    set_node(folder, e, name, &below);
    return 0;
}

static int edit_folder(struct tree_entry *out, const struct editor *e, const struct oid *tree,
                       const struct tree_edit *edits, size_t count, size_t skip)
{
    struct folder folder;
    if (load_folder(&folder, e, tree) < 0)
        return -1;
    for (size_t i = 0, next; i < count; i = next) {
        struct span name = first_part(&edits[i], skip);
        for (next = i + 1; next < count && span_equal(first_part(&edits[next], skip), name); next++)
            ;
        if (edit_name(&folder, e, edits + i, next - i, skip) < 0)
            return -1;
    }
    drop_removed(&folder);
    *out = (struct tree_entry){folder.count || skip == 0 ? LEAF_TREE : LEAF_ABSENT, {{0}}};
    return out->mode == LEAF_ABSENT ? 0 : write_folder(&out->id, e, &folder);
}

int tree_edit(struct oid *out, const struct store *read, struct store *write,
              const struct oid *tree, const struct tree_edit *edits, size_t count, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct editor e = {.arena = &scratch, .read = read, .write = write, .err = err};
    struct tree_edit *sorted = arena_array(&scratch, count + 1, sizeof(*sorted));
    struct tree_entry root;
    if (count) {
        memcpy(sorted, edits, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), by_part);
    }
    if (edit_folder(&root, &e, tree, sorted, count, 0) < 0)
        return -1;
    *out = root.id;
    return 0;
}
