/*
 * Keeps the released versions of the built-in catalog, and puts them into the binary.
 *
 *   catalog-pack embed FOLDER   writes FOLDER/catalog_data.c, which catalog/builtin_data.h declares
 *   catalog-pack check          fails unless the catalog here is a release, or a version to come
 *   catalog-pack release DATE   adds the catalog here to releases/ (see tools/release-catalog)
 *
 * Runs at the top of the source tree, which need not be a git repository. releases/catalog.pack is
 * a git pack of one commit for each release, oldest first; releases/index.txt says which:
 * lines of `VERSION COMMIT TREE DATE`. Commit ids depend on content, version and DATE only.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "matrix/read/fields.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <git2/sys/mempack.h>
#include <git2/sys/repository.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define PACK "releases/catalog.pack"
#define INDEX "releases/index.txt"

enum { MAX_RELEASES = 1000, MAX_TEXT = 64, MAX_PATH = 1024, MAX_DEPTH = 64 };

struct release {
    char version[MAX_TEXT], date[MAX_TEXT];
    git_oid commit, tree;
    size_t first, count; /* its files */
};

/* Where in the bytes of the binary something lies. */
struct part {
    size_t at, size;
};

/* A content, once for all the files that have it. */
struct blob {
    git_oid id;
    bool copied;        /* by a file that is no template */
    const char *matrix; /* a path of the head that may be a matrix; or NULL */
    struct part data, deflated, rows;
};

struct file {
    char *path;
    bool executable;
    git_oid id;
    size_t at; /* of its path in the bytes of the binary */
};

struct store {
    git_repository *repository;
    git_odb *odb;
    char scratch[MAX_PATH]; /* a folder for the pack's index; "" before it is made */
    struct release releases[MAX_RELEASES + 1];
    size_t release_count;
    struct release *head; /* the newest release, or what is here instead: behind the releases */
    struct file *files;   /* of the releases, then of the head */
    size_t file_count, file_room;
    struct blob *blobs; /* of all files, by id */
    size_t blob_count;
    size_t written; /* bytes of the binary so far */
};

__attribute__((format(printf, 1, 2))) static int fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("catalog-pack: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return -1;
}

static int fail_git(const char *what)
{
    const git_error *error = git_error_last();
    return fail("%s: %s", what, error && error->message ? error->message : "unknown error");
}

/* ---------------------------------------------------------------- reading releases/ */

/* The whole file; NULL and *len 0 where there is none. */
static int read_file(char **out, size_t *len, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    *out = NULL;
    *len = 0;
    if (!file)
        return errno == ENOENT ? 0 : fail("%s: %s", path, strerror(errno));
    if (fstat(fileno(file), &status) < 0 || !(*out = calloc(1, (size_t)status.st_size + 1))) {
        fclose(file);
        return fail("%s: cannot be read", path);
    }
    *len = fread(*out, 1, (size_t)status.st_size, file);
    fclose(file);
    return *len == (size_t)status.st_size ? 0 : fail("%s: cannot be read", path);
}

static int parse_release(struct release *out, const char *line, size_t number)
{
    char commit[MAX_TEXT], tree[MAX_TEXT];
    if (sscanf(line, "%63s %63s %63s %63s", out->version, commit, tree, out->date) != 4 ||
        git_oid_fromstr(&out->commit, commit) < 0 || git_oid_fromstr(&out->tree, tree) < 0)
        return fail("%s:%zu: not a line of VERSION COMMIT TREE DATE", INDEX, number);
    return 0;
}

static int load_index(struct store *store)
{
    char *text = NULL, *state = NULL;
    size_t len = 0, number = 0;
    int rc = read_file(&text, &len, INDEX);
    char *line = text ? strtok_r(text, "\n", &state) : NULL;
    for (; rc == 0 && line; line = strtok_r(NULL, "\n", &state)) {
        number++;
        if (store->release_count == MAX_RELEASES)
            rc = fail("%s: more than %d releases", INDEX, MAX_RELEASES);
        else
            rc = parse_release(&store->releases[store->release_count++], line, number);
    }
    free(text);
    return rc;
}

/* libgit2 reads a pack through an index, which is made here in a folder that is removed again. */
static int index_pack(git_odb_backend **out, struct store *store, const char *pack, size_t len)
{
    git_indexer *indexer = NULL;
    git_indexer_progress progress;
    char path[MAX_PATH + 64];
    int rc = git_indexer_new(&indexer, store->scratch, 0600, NULL, NULL);
    memset(&progress, 0, sizeof(progress));
    if (rc == 0)
        rc = git_indexer_append(indexer, pack, len, &progress);
    if (rc == 0)
        rc = git_indexer_commit(indexer, &progress);
    if (rc == 0) {
        snprintf(path, sizeof(path), "%s/pack-%s.idx", store->scratch, git_indexer_name(indexer));
        rc = git_odb_backend_one_pack(out, path);
    }
    git_indexer_free(indexer);
    return rc < 0 ? fail_git(PACK) : 0;
}

static int load_pack(struct store *store)
{
    git_odb_backend *backend = NULL;
    const char *base = getenv("TMPDIR");
    char *pack = NULL;
    size_t len = 0;
    int rc = read_file(&pack, &len, PACK);
    if (rc == 0 && len > 0) {
        snprintf(store->scratch, sizeof(store->scratch), "%s/catalog-pack-XXXXXX",
                 base && *base ? base : "/tmp");
        if (!mkdtemp(store->scratch))
            rc = fail("%s: %s", store->scratch, strerror(errno));
        if (rc == 0)
            rc = index_pack(&backend, store, pack, len);
        if (rc == 0 && git_odb_add_backend(store->odb, backend, 1) < 0)
            rc = fail_git(PACK);
    }
    free(pack);
    return rc;
}

static int open_store(struct store *store)
{
    git_odb_backend *memory = NULL;
    if (git_libgit2_init() < 0 || git_odb_new(&store->odb) < 0 || git_mempack_new(&memory) < 0 ||
        git_odb_add_backend(store->odb, memory, 2) < 0 ||
        git_repository_wrap_odb(&store->repository, store->odb) < 0)
        return fail_git("cannot make an object store");
    return load_index(store) < 0 || load_pack(store) < 0 ? -1 : 0;
}

static void remove_scratch(const char *folder)
{
    DIR *dir = *folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (*folder)
        (void)rmdir(folder);
}

static void close_store(struct store *store)
{
    git_repository_free(store->repository);
    git_odb_free(store->odb);
    git_libgit2_shutdown();
    remove_scratch(store->scratch);
    for (size_t i = 0; i < store->file_count; i++)
        free(store->files[i].path);
    free(store->files);
    free(store->blobs);
}

/* ---------------------------------------------------------------- the catalog here, as a tree */

static int add_path(git_treebuilder *builder, struct store *store, const char *path, int depth);

static int add_folder(git_oid *out, struct store *store, const char *path, int depth)
{
    git_treebuilder *builder = NULL;
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int rc = 0;
    if (!dir || depth > MAX_DEPTH) {
        if (dir)
            closedir(dir);
        return fail("%s: %s", path, dir ? "too deep" : strerror(errno));
    }
    if (git_treebuilder_new(&builder, store->repository, NULL) < 0)
        rc = fail_git(path);
    while (rc == 0 && (entry = readdir(dir))) {
        char child[MAX_PATH];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(child, sizeof(child), "%s/%s", path, entry->d_name) >= (int)sizeof(child))
            rc = fail("%s: path too long", path);
        else
            rc = add_path(builder, store, child, depth + 1);
    }
    closedir(dir);
    if (rc == 0 && git_treebuilder_entrycount(builder) == 0)
        memset(out, 0, sizeof(*out)); /* git holds no empty folders */
    else if (rc == 0 && git_treebuilder_write(out, builder) < 0)
        rc = fail_git(path);
    git_treebuilder_free(builder);
    return rc;
}

static int add_file(git_oid *out, struct store *store, const char *path)
{
    char *text = NULL;
    size_t len = 0;
    int rc = read_file(&text, &len, path);
    if (rc == 0 && git_odb_write(out, store->odb, text, len, GIT_OBJECT_BLOB) < 0)
        rc = fail_git(path);
    free(text);
    return rc;
}

/* A file or folder, under the last part of its path. */
static int add_path(git_treebuilder *builder, struct store *store, const char *path, int depth)
{
    const char *slash = strrchr(path, '/');
    struct stat status;
    git_filemode_t mode;
    git_oid id;
    int rc;
    if (lstat(path, &status) < 0)
        return fail("%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode)) {
        mode = GIT_FILEMODE_TREE;
        rc = add_folder(&id, store, path, depth);
    } else if (S_ISREG(status.st_mode)) {
        mode = (status.st_mode & S_IXUSR) ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
        rc = add_file(&id, store, path);
    } else {
        return fail("%s: neither a file nor a folder", path);
    }
    if (rc < 0 || git_oid_is_zero(&id))
        return rc;
    if (git_treebuilder_insert(NULL, builder, slash ? slash + 1 : path, &id, mode) < 0)
        return fail_git(path);
    return 0;
}

static int write_catalog_tree(git_oid *out, struct store *store)
{
    static const char *const parts[] = {"catalog.yml", "CHANGELOG.md", "templates", "base-images",
                                        "matrices"};
    git_treebuilder *builder = NULL;
    int rc = 0;
    if (git_treebuilder_new(&builder, store->repository, NULL) < 0)
        return fail_git("cannot make a tree");
    for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (i == 0 || access(parts[i], F_OK) == 0)
            rc = add_path(builder, store, parts[i], 1);
    if (rc == 0 && git_treebuilder_write(out, builder) < 0)
        rc = fail_git("cannot write the catalog's tree");
    git_treebuilder_free(builder);
    return rc;
}

/* The value of the line `version: X` of catalog.yml; the program itself reads it as YAML. */
static int read_version(char out[MAX_TEXT])
{
    char *text = NULL;
    size_t len = 0;
    int rc = read_file(&text, &len, "catalog.yml");
    const char *line = text;
    while (line && strncmp(line, "version:", 8) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (rc == 0 && (!line || sscanf(line + 8, " %*1[\"']%63[0-9A-Za-z.+-]", out) != 1) &&
        (!line || sscanf(line + 8, " %63[0-9A-Za-z.+-]", out) != 1))
        rc = fail("catalog.yml: no line 'version: X.Y.Z'");
    free(text);
    return rc;
}

/* ---------------------------------------------------------------- commits */

static git_time_t seconds_of(const char *date)
{
    struct tm tm;
    memset(&tm, 0, sizeof(tm));
    const char *end = strptime(date, "%Y-%m-%d", &tm);
    return end && *end == '\0' ? (git_time_t)timegm(&tm) : -1;
}

static int write_commit(git_oid *out, struct store *store, const struct release *parent,
                        const git_oid *tree_id, const char *date, const char *message)
{
    git_signature *who = NULL;
    git_commit *parents[1] = {NULL};
    git_tree *tree = NULL;
    git_time_t when = seconds_of(date);
    if (when < 0)
        return fail("'%s' is no date of the form YYYY-MM-DD", date);
    int rc = git_signature_new(&who, "tmplgen", "tmplgen@localhost", when, 0);
    if (rc == 0)
        rc = git_tree_lookup(&tree, store->repository, tree_id);
    if (rc == 0 && parent)
        rc = git_commit_lookup(&parents[0], store->repository, &parent->commit);
    if (rc == 0)
        rc = git_commit_create(out, store->repository, NULL, who, who, NULL, message, tree,
                               parent ? 1 : 0, (const git_commit **)parents);
    git_signature_free(who);
    git_commit_free(parents[0]);
    git_tree_free(tree);
    return rc < 0 ? fail_git("cannot write a commit") : 0;
}

static const struct release *newest(const struct store *store)
{
    return store->release_count ? &store->releases[store->release_count - 1] : NULL;
}

static int make_head(struct store *store)
{
    struct release *head = &store->releases[store->release_count];
    const struct release *last = newest(store);
    char message[MAX_TEXT * 2];
    if (read_version(head->version) < 0 || write_catalog_tree(&head->tree, store) < 0)
        return -1;
    if (last && git_oid_equal(&last->tree, &head->tree))
        head--;
    store->head = head;
    if (head == last)
        return 0;
    snprintf(message, sizeof(message), "tmplgen catalog %s, unreleased\n", head->version);
    snprintf(head->date, sizeof(head->date), "%s", last ? last->date : "1970-01-01");
    return write_commit(&head->commit, store, last, &head->tree, head->date, message);
}

/* ---------------------------------------------------------------- embed */

/* Files come in git's order, which sorts a folder as if its name ended in '/': so do paths. */
static int collect_file(const char *folder, const git_tree_entry *entry, void *payload)
{
    struct store *store = payload;
    char *path = NULL;
    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE)
        return 0;
    if (store->file_count == store->file_room) {
        store->file_room = store->file_room ? store->file_room * 2 : 1024;
        store->files = reallocarray(store->files, store->file_room, sizeof(*store->files));
    }
    if (!store->files || asprintf(&path, "%s%s", folder, git_tree_entry_name(entry)) < 0)
        return fail("out of memory");
    store->files[store->file_count++] =
        (struct file){.path = path,
                      .executable = git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE,
                      .id = *git_tree_entry_id(entry)};
    return 0;
}

static int collect_files(struct release *release, struct store *store)
{
    git_commit *commit = NULL;
    git_tree *tree = NULL;
    if (git_commit_lookup(&commit, store->repository, &release->commit) < 0)
        return fail_git("cannot read a release");
    bool same = git_oid_equal(git_commit_tree_id(commit), &release->tree) != 0;
    int rc = git_commit_tree(&tree, commit);
    git_commit_free(commit);
    release->first = store->file_count;
    if (rc == 0)
        rc = git_tree_walk(tree, GIT_TREEWALK_PRE, collect_file, store);
    release->count = store->file_count - release->first;
    git_tree_free(tree);
    if (!same)
        return fail("%s: a commit and its tree do not belong together", INDEX);
    return rc < 0 ? fail_git("cannot read a tree") : 0;
}

/* Of every release, and of what is here. */
static int collect_all(struct store *store)
{
    for (struct release *release = store->releases; release <= store->head; release++)
        if (collect_files(release, store) < 0)
            return -1;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    return git_oid_cmp(&((const struct blob *)a)->id, &((const struct blob *)b)->id);
}

static struct blob *find_blob(const struct store *store, const git_oid *id)
{
    const struct blob key = {.id = *id};
    return bsearch(&key, store->blobs, store->blob_count, sizeof(key), by_id);
}

static int collect_blobs(struct store *store)
{
    store->blobs = calloc(store->file_count + 1, sizeof(*store->blobs));
    if (!store->blobs)
        return fail("out of memory");
    for (size_t i = 0; i < store->file_count; i++)
        store->blobs[i].id = store->files[i].id;
    qsort(store->blobs, store->file_count, sizeof(*store->blobs), by_id);
    for (size_t i = 0; i < store->file_count; i++)
        if (i == 0 || by_id(&store->blobs[i - 1], &store->blobs[i]) != 0)
            store->blobs[store->blob_count++] = store->blobs[i];
    for (size_t i = 0; i < store->file_count; i++) {
        const struct file *file = &store->files[i];
        const char *ending = strrchr(file->path, '.');
        struct blob *blob = find_blob(store, &file->id);
        blob->copied |= !ending || strcmp(ending, ".j2") != 0;
        if (i >= store->head->first)
            blob->matrix = file->path;
    }
    return 0;
}

/* Escapes '?' against trigraphs; three octal digits, so that a digit may follow. */
static void print_literal(FILE *out, const unsigned char *data, size_t size)
{
    enum { WIDTH = 96 };
    size_t column = 0;
    fputs("\n  \"", out);
    for (size_t i = 0; i < size; i++) {
        if (column > WIDTH) {
            fputs("\"\n  \"", out);
            column = 0;
        }
        if (data[i] == '\n')
            column += (size_t)fprintf(out, "\\n");
        else if (strchr("\"\\?", data[i]) && data[i])
            column += (size_t)fprintf(out, "\\%c", data[i]);
        else if (data[i] < 0x80 && isprint(data[i]))
            column += (size_t)fprintf(out, "%c", data[i]);
        else
            column += (size_t)fprintf(out, "\\%03o", data[i]);
    }
    fputs("\"", out);
}

/* Appends to the bytes of the binary. */
static struct part print_part(FILE *out, struct store *store, const void *data, size_t size)
{
    struct part part = {store->written, size};
    print_literal(out, data, size);
    store->written += size;
    return part;
}

/* As packs hold it. */
static int print_deflated(FILE *out, struct store *store, struct blob *blob, const void *data,
                          size_t size)
{
    uLongf len = compressBound(size);
    unsigned char *deflated = malloc(len);
    int rc = deflated ? compress2(deflated, &len, data, size, Z_BEST_COMPRESSION) : Z_MEM_ERROR;
    if (rc == Z_OK)
        blob->deflated = print_part(out, store, deflated, len);
    free(deflated);
    return rc == Z_OK ? 0 : fail("zlib cannot compress a file");
}

/* What is no valid matrix is left for the program to refuse where it is read. */
static void print_rows(FILE *out, struct store *store, struct blob *blob, const void *data,
                       size_t size)
{
    BUF_SCRATCH(rows, 16 * LIMIT_MIB);
    ERR_SCRATCH(err);
    if (rows_pack(&rows, blob->matrix, span_of(data, size), &err) == 0)
        blob->rows = print_part(out, store, buf_text(&rows), rows.len);
}

/* What every run reads lies together, and apart from what few do: fewer pages come into memory. */
enum pass { PASS_ROWS, PASS_DATA, PASS_DEFLATED, PASSES };

static int print_content(FILE *out, struct store *store, enum pass pass, struct blob *blob)
{
    git_odb_object *content = NULL;
    int rc = 0;
    if (git_odb_read(&content, store->odb, &blob->id) < 0)
        return fail_git("cannot read an object");
    const void *data = git_odb_object_data(content);
    size_t size = git_odb_object_size(content);
    if (pass == PASS_DATA)
        blob->data = print_part(out, store, data, size);
    else if (pass == PASS_DEFLATED && blob->copied)
        rc = print_deflated(out, store, blob, data, size);
    else if (pass == PASS_ROWS && blob->matrix)
        print_rows(out, store, blob, data, size);
    git_odb_object_free(content);
    return rc;
}

static int print_bytes(FILE *out, struct store *store)
{
    fputs("const char builtin_bytes[] =", out);
    for (size_t i = 0; i < store->file_count; i++)
        store->files[i].at =
            print_part(out, store, store->files[i].path, strlen(store->files[i].path) + 1).at;
    for (enum pass pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < store->blob_count; i++)
            if (print_content(out, store, pass, &store->blobs[i]) < 0)
                return -1;
    fputs(";\n\n", out);
    return 0;
}

static void print_blob(FILE *out, const struct blob *blob)
{
    fputs("    {{", out);
    for (size_t i = 0; i < sizeof(blob->id.id); i++)
        fprintf(out, "%u,", blob->id.id[i]);
    fprintf(out, "}, {%zu, %zu}, {%zu, %zu}, {%zu, %zu}},\n", blob->data.at, blob->data.size,
            blob->deflated.at, blob->deflated.size, blob->rows.at, blob->rows.size);
}

static int print_data(FILE *out, struct store *store)
{
    char hex[GIT_OID_HEXSZ + 1];
    fputs("/* Made by tools/catalog_pack.c: the built-in catalog. */\n"
          "#include \"catalog/builtin_data.h\"\n\n",
          out);
    if (print_bytes(out, store) < 0)
        return -1;
    fputs("const struct builtin_blob builtin_blobs[] = {\n", out);
    for (size_t i = 0; i < store->blob_count; i++)
        print_blob(out, &store->blobs[i]);
    fputs("};\n\nconst struct builtin_file builtin_files[] = {\n", out);
    for (size_t i = 0; i < store->file_count; i++)
        fprintf(out, "    {%zu, %td, %d},\n", store->files[i].at,
                find_blob(store, &store->files[i].id) - store->blobs, store->files[i].executable);
    fputs("};\n\nconst struct builtin_version builtin_versions[] = {\n", out);
    for (const struct release *release = store->releases; release <= store->head; release++)
        fprintf(out, "    {\"%s\", \"%s\", %lld, %zu, %zu},\n", release->version,
                git_oid_tostr(hex, sizeof(hex), &release->commit),
                (long long)seconds_of(release->date), release->first, release->count);
    fprintf(out,
            "};\nconst unsigned long builtin_release_count = %zu;\n"
            "const unsigned long builtin_head = %td;\n",
            store->release_count, store->head - store->releases);
    return 0;
}

/* Moves `from` over `to`, unless they are equal: then make has nothing to rebuild. */
static int replace_if_changed(const char *from, const char *to)
{
    char *new_text = NULL, *old_text = NULL;
    size_t new_len = 0, old_len = 0;
    int rc = read_file(&new_text, &new_len, from) < 0 || read_file(&old_text, &old_len, to) < 0;
    bool same = rc == 0 && old_text && new_text && new_len == old_len &&
                memcmp(new_text, old_text, new_len) == 0;
    if (rc == 0 && same)
        (void)unlink(from);
    else if (rc == 0 && rename(from, to) < 0)
        rc = fail("%s: %s", to, strerror(errno));
    free(new_text);
    free(old_text);
    return rc ? -1 : 0;
}

static int embed(struct store *store, const char *folder)
{
    char path[MAX_PATH], beside[MAX_PATH + 8];
    if (make_head(store) < 0 || collect_all(store) < 0 || collect_blobs(store) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/catalog_data.c", folder);
    snprintf(beside, sizeof(beside), "%s.new", path);
    FILE *out = fopen(beside, "wb");
    if (!out)
        return fail("%s: %s", beside, strerror(errno));
    int rc = print_data(out, store);
    if ((ferror(out) | fclose(out)) != 0 && rc == 0)
        rc = fail("%s: cannot be written", beside);
    return rc < 0 ? -1 : replace_if_changed(beside, path);
}

/* ---------------------------------------------------------------- check and release */

static const struct release *find_release(const struct store *store, const char *version)
{
    for (size_t i = 0; i < store->release_count; i++)
        if (strcmp(store->releases[i].version, version) == 0)
            return &store->releases[i];
    return NULL;
}

/* Numbers of X.Y.Z without anything behind it. */
static int parse_version(unsigned out[3], const char *text)
{
    int end = 0;
    if (sscanf(text, "%u.%u.%u%n", &out[0], &out[1], &out[2], &end) == 3 && text[end] == '\0')
        return 0;
    return fail("'%s' is no version of the form X.Y.Z", text);
}

static bool is_newer(const unsigned a[3], const unsigned b[3])
{
    for (size_t i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] > b[i];
    return false;
}

/* A version with a suffix, 0.2.0-dev, is one to come: it may differ from every release. */
static int check(struct store *store)
{
    if (make_head(store) < 0 || collect_all(store) < 0)
        return -1;
    const struct release *head = store->head, *release = find_release(store, head->version);
    if (strchr(head->version, '-'))
        printf("catalog %s, not yet released\n", head->version);
    else if (!release)
        return fail("catalog %s is not in releases/; tools/release-catalog adds it", head->version);
    else if (!git_oid_equal(&release->tree, &head->tree))
        return fail("the catalog differs from release %s; give it a new version in catalog.yml",
                    head->version);
    else
        printf("catalog %s, as released on %s\n", head->version, release->date);
    return 0;
}

static int write_pack(struct store *store, const git_oid *tip)
{
    git_packbuilder *builder = NULL;
    git_revwalk *walk = NULL;
    git_buf pack = GIT_BUF_INIT;
    FILE *out = NULL;
    int rc = git_packbuilder_new(&builder, store->repository);
    if (rc == 0)
        rc = git_revwalk_new(&walk, store->repository);
    if (rc == 0)
        rc = git_revwalk_push(walk, tip);
    if (rc == 0)
        rc = git_packbuilder_insert_walk(builder, walk);
    if (rc == 0)
        rc = git_packbuilder_write_buf(&pack, builder);
    rc = rc < 0 ? fail_git("cannot make the pack") : 0;
    if (rc == 0 && !(out = fopen(PACK ".new", "wb")))
        rc = fail("%s.new: %s", PACK, strerror(errno));
    if (rc == 0)
        (void)fwrite(pack.ptr, 1, pack.size, out);
    if (out && (ferror(out) | fclose(out)) != 0)
        rc = fail("%s.new: cannot be written", PACK);
    if (rc == 0 && rename(PACK ".new", PACK) < 0)
        rc = fail("%s: %s", PACK, strerror(errno));
    git_buf_dispose(&pack);
    git_revwalk_free(walk);
    git_packbuilder_free(builder);
    return rc;
}

static int append_index(const char *version, const git_oid *commit, const git_oid *tree,
                        const char *date)
{
    char commit_hex[GIT_OID_HEXSZ + 1], tree_hex[GIT_OID_HEXSZ + 1];
    FILE *out = fopen(INDEX, "ab");
    if (!out)
        return fail("%s: %s", INDEX, strerror(errno));
    fprintf(out, "%s %s %s %s\n", version, git_oid_tostr(commit_hex, sizeof(commit_hex), commit),
            git_oid_tostr(tree_hex, sizeof(tree_hex), tree), date);
    if ((ferror(out) | fclose(out)) != 0)
        return fail("%s: cannot be written", INDEX);
    printf("released %s as %s\n", version, commit_hex);
    return 0;
}

static int release(struct store *store, const char *date)
{
    const struct release *last = newest(store);
    unsigned version[3], before[3];
    char message[MAX_TEXT * 2];
    git_oid commit;
    if (make_head(store) < 0 || parse_version(version, store->head->version) < 0)
        return -1;
    const struct release *head = store->head;
    if (last && parse_version(before, last->version) < 0)
        return -1;
    if (head == last) {
        printf("%s is released already, with these files\n", head->version);
        return 0;
    }
    if (last && !is_newer(version, before))
        return fail("%s is not newer than %s, the newest release; a release is never changed",
                    head->version, last->version);
    if (last && seconds_of(date) < seconds_of(last->date))
        return fail("%s is before %s, the date of the newest release", date, last->date);
    snprintf(message, sizeof(message), "tmplgen catalog %s\n", head->version);
    if (write_commit(&commit, store, last, &head->tree, date, message) < 0 ||
        write_pack(store, &commit) < 0)
        return -1;
    return append_index(head->version, &commit, &head->tree, date);
}

static int run(struct store *store, int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "embed") == 0)
        return embed(store, argv[2]);
    if (argc == 2 && strcmp(argv[1], "check") == 0)
        return check(store);
    if (argc == 3 && strcmp(argv[1], "release") == 0)
        return release(store, argv[2]);
    return fail("usage: catalog-pack embed FOLDER | check | release DATE");
}

int main(int argc, char **argv)
{
    static struct store store;
    int rc = open_store(&store) < 0 ? -1 : run(&store, argc, argv);
    close_store(&store);
    return rc < 0 ? 1 : 0;
}
