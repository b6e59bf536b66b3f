/* What everybody needs of libgit2: start-up, errors, identity, trees made in memory. */
#define TG_GIT_C
#include "git/libgit2.h"

#include "base/library.h"

#include <git2.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int git_fail(struct err *err, const char *format, ...)
{
    const git_error *reason = git_error_last();
    char *why = reason && reason->message ? strdup(reason->message) : NULL;
    char *message = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&message, format, args);
    va_end(args);
    (void)err_set(err, TG_RUNTIME, "git", "%s: %s", len < 0 ? "git" : message,
                  why ? why : "no reason given");
    if (len >= 0)
        free(message);
    free(why);
    return -1;
}

/*
 * Debian's libgit2 reads and parses the system's whole CA bundle whenever it starts (3 ms, more
 * than all of a dry run), for transports that tmplgen never uses: the git command talks to the
 * network. The program's own symbol comes before the library's, and says that there is nothing to
 * read. A libgit2 built on another TLS library never calls it.
 */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
    (void)chain;
    (void)path;
    return 0;
}

static void git_stop(void)
{
    (void)git_libgit2_shutdown();
}

int git_start(struct err *err)
{
    static bool started;
    if (started)
        return 0;
    /* libgit2 brings libcrypto, whose thousands of functions are found sooner among fewer others */
    if (library_load("libcrypto", err) < 0 || library_load("libgit2", err) < 0)
        return -1;
    if (git_libgit2_init() < 0)
        return git_fail(err, "cannot start libgit2");
    started = true;
    (void)atexit(git_stop);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    /* a tree's id is wanted before, and often without, its blobs being written */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    /* git/odb/odb.c compares what it reads with its id; nothing else that is read can be damaged */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    return 0;
}

int git_memory_repository(git_repository **out, struct err *err)
{
    git_odb *odb = NULL;
    git_odb_backend *memory = NULL;
    *out = NULL;
    if (git_start(err) < 0)
        return -1;
    if (git_odb_new(&odb) < 0)
        return git_fail(err, "cannot make an object database");
    int rc = git_mempack_new(&memory);
    if (rc == 0)
        rc = git_odb_add_backend(odb, memory, 1); /* owns the backend from here on */
    if (rc == 0)
        rc = git_repository_wrap_odb(out, odb);
    if (rc < 0)
        (void)git_fail(err, "cannot make an object database");
    git_odb_free(odb);
    return rc < 0 ? -1 : 0;
}

int git_hash_blob(unsigned char id[20], struct span bytes, struct err *err)
{
    git_oid made;
    if (git_start(err) < 0)
        return -1;
    if (git_odb_hash(&made, bytes.ptr, bytes.len, GIT_OBJECT_BLOB) < 0)
        return git_fail(err, "cannot hash a file");
    memcpy(id, made.id, sizeof(made.id));
    return 0;
}

int git_write_tree(git_oid *tree, git_repository *repository, const struct git_file *files,
                   size_t count, struct err *err)
{
    git_index *index = NULL;
    int rc = git_index_new(&index);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        git_index_entry entry = {.path = files[i].path,
                                 .mode = files[i].executable ? GIT_FILEMODE_BLOB_EXECUTABLE
                                                             : GIT_FILEMODE_BLOB};
        memcpy(entry.id.id, files[i].id, sizeof(entry.id.id));
        rc = git_index_add(index, &entry);
    }
    if (rc == 0)
        rc = git_index_write_tree_to(tree, index, repository);
    git_index_free(index);
    return rc < 0 ? git_fail(err, "cannot write a tree") : 0;
}

#define FALLBACK_NAME "tmplgen"
#define FALLBACK_EMAIL "tmplgen@localhost"

static int open_config(git_config **out, git_repository *repository, struct err *err)
{
    git_config *config = NULL;
    int rc = repository ? git_repository_config_snapshot(out, repository)
                        : git_config_open_default(&config);
    if (rc == 0 && !repository) {
        rc = git_config_snapshot(out, config);
        git_config_free(config);
    }
    return rc < 0 ? git_fail(err, "cannot read git's configuration") : 0;
}

static const char *config_text(git_config *config, const char *key)
{
    const char *value = NULL;
    return git_config_get_string(&value, config, key) == 0 && *value ? value : NULL;
}

/* Where git looks for one half of an identity: environment, then configuration, then EMAIL. */
struct identity_source {
    const char *variable, *own_key, *user_key, *last_variable;
};

struct who {
    struct identity_source name, email;
};

static const struct who author_source = {
    {"GIT_AUTHOR_NAME", "author.name", "user.name", NULL},
    {"GIT_AUTHOR_EMAIL", "author.email", "user.email", "EMAIL"}};
static const struct who committer_source = {
    {"GIT_COMMITTER_NAME", "committer.name", "user.name", NULL},
    {"GIT_COMMITTER_EMAIL", "committer.email", "user.email", "EMAIL"}};

/* What would end the field in a commit is left out, as git does it. */
static char *without_brackets(const char *text)
{
    char *out = text ? strdup(text) : NULL, *to = out;
    for (const char *at = text; out && *at; at++)
        if (*at != '<' && *at != '>' && *at != '\n')
            *to++ = *at;
    if (out)
        *to = '\0';
    return out;
}

static char *find_half(git_config *config, const struct identity_source *source)
{
    const char *text = getenv(source->variable);
    if (!text || !*text)
        text = config_text(config, source->own_key);
    if (!text)
        text = config_text(config, source->user_key);
    if (!text && source->last_variable)
        text = getenv(source->last_variable);
    return text && *text ? without_brackets(text) : NULL;
}

/* What nothing gives makes the whole identity the fallback. */
static int make_signature(git_signature **out, bool *fallback, git_config *config,
                          const struct who *who, struct err *err)
{
    char *name = find_half(config, &who->name), *email = find_half(config, &who->email);
    bool known = name && email;
    *fallback = *fallback || !known;
    int rc = git_signature_now(out, known ? name : FALLBACK_NAME, known ? email : FALLBACK_EMAIL);
    if (rc < 0)
        (void)git_fail(err, "the git identity '%s <%s>' cannot be used", name ? name : "",
                       email ? email : "");
    free(name);
    free(email);
    return rc < 0 ? -1 : 0;
}

int git_identity(git_signature **author, git_signature **committer, bool *fallback,
                 git_repository *repository, struct err *err)
{
    git_config *config = NULL;
    *author = *committer = NULL;
    *fallback = false;
    if (git_start(err) < 0 || open_config(&config, repository, err) < 0)
        return -1;
    int rc = make_signature(author, fallback, config, &author_source, err);
    if (rc == 0)
        rc = make_signature(committer, fallback, config, &committer_source, err);
    git_config_free(config);
    if (rc < 0) {
        git_signature_free(*author);
        *author = NULL;
    }
    return rc;
}
