/* Verifies the signature of a catalog's revision: with git, never by the catalog's own claims. */

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/revision.h"
#include "catalog/trust.h"
#include "data/document.h"
#include "git/libgit2.h"
#include "git/new_repo.h"
#include "git/transport.h"
#include "io/io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>

enum { VERIFY_SECONDS = 60 };

static const char *allowed_signers;

void signature_allow(const char *path)
{
    allowed_signers = path;
}

/* An object, and git's verdict on its signature. */
struct verifying {
    struct arena *arena;
    git_repository *repository;
    const struct signature_wanted *wanted;
    struct words signers; /* accepted signers; empty: no requirement */
    bool is_signed, is_good;
    const char *signer, *key; /* "alice@example.org"; "SHA256:...", or a fingerprint of gpg */
    const char *subkey;       /* of gpg: the signing key; else NULL */
    const char *words;        /* why it is not good */
    struct err *err;
};

/* ---------------------------------------------------------------- git's verdict */

/* Good "git" signature for WHO with ED25519 key SHA256:... */
static void read_ssh(struct verifying *v, const char *raw)
{
    static const char good[] = "Good \"git\" signature for ", with[] = " with ";
    const char *line = str_starts(raw, good) ? raw : strstr(raw, "\nGood \"git\" signature for ");
    if (!line)
        return;
    line += (*line == '\n') + strlen(good);
    char *text = arena_memdup(v->arena, line, strcspn(line, "\n")), *end = NULL;
    for (char *at = strstr(text, with); at; at = strstr(at + 1, with))
        end = at;
    const char *key = end ? strstr(end, "SHA256:") : NULL;
    if (!key)
        return;
    *end = '\0';
    v->signer = text;
    v->key = key;
}

/* gpg's line that begins with that word, or NULL. Names of keys may contain anything. */
static const char *gpg_line(const char *raw, const char *word)
{
    static const char head[] = "[GNUPG:] ";
    for (const char *line = raw; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *rest = str_starts(line, head) ? line + strlen(head) : NULL;
        if (rest && str_starts(rest, word) && (rest[strlen(word)] == ' ' || !*word))
            return line;
    }
    return NULL;
}

/* Word `number` of gpg's line, counted from 0. */
static const char *word_at(struct arena *arena, const char *line, int number)
{
    while (number-- && *line && *line != '\n') {
        line += strcspn(line, " \n");
        line += *line == ' ';
    }
    return arena_memdup(arena, line, strcspn(line, " \n"));
}

/* [GNUPG:] GOODSIG KEYID WHO; [GNUPG:] VALIDSIG KEY ... (eight more) PRIMARY-KEY */
static void read_gpg(struct verifying *v, const char *raw)
{
    const char *good = gpg_line(raw, "GOODSIG"), *valid = gpg_line(raw, "VALIDSIG");
    enum { WHO = 3, KEY = 2, PRIMARY = 11 };
    if (!good || !valid)
        return;
    const char *name = good;
    for (int i = 0; i < WHO; i++)
        name += strcspn(name, " \n") + 1;
    v->signer = arena_memdup(v->arena, name, strcspn(name, "\n"));
    v->subkey = word_at(v->arena, valid, KEY);
    v->key = word_at(v->arena, valid, PRIMARY);
    if (!*v->key)
        v->key = v->subkey;
}

static int ask_git(struct verifying *v, const char *git_dir, const char *verb, const char *id)
{
    const char *arguments[8];
    size_t count = 0;
    struct transport transport = {.git_dir = git_dir, .seconds = VERIFY_SECONDS};
    struct transport_answer answer;
    if (allowed_signers) {
        arguments[count++] = "-c";
        arguments[count++] =
            arena_printf(v->arena, "gpg.ssh.allowedSignersFile=%s", allowed_signers);
    }
    arguments[count++] = verb;
    arguments[count++] = "--raw";
    arguments[count++] = id;
    arguments[count] = NULL;
    if (transport_run(&answer, v->arena, &transport, arguments, v->err) < 0)
        return -1;
    v->words = answer.words;
    if (gpg_line(answer.raw, ""))
        read_gpg(v, answer.raw);
    else
        read_ssh(v, answer.raw);
    v->is_good = answer.status == 0 && v->signer && v->key;
    return 0;
}

/* ---------------------------------------------------------------- one object */

/* Copies the object into an empty repository, where git sees nothing else of the catalog. */
static int copy_object(struct verifying *v, const char *git_dir, git_odb_object *object)
{
    git_odb *odb = NULL;
    git_oid id;
    const char *objects = arena_printf(v->arena, "%s/objects", git_dir);
    int rc = git_odb_open(&odb, objects);
    if (rc == 0)
        rc = git_odb_write(&id, odb, git_odb_object_data(object), git_odb_object_size(object),
                           git_odb_object_type(object));
    git_odb_free(odb);
    return rc < 0 ? git_fail(v->err, "cannot copy what is signed") : 0;
}

static int verify_copy(struct verifying *v, git_odb_object *object)
{
    const char *base = getenv("TMPDIR");
    char *folder =
        arena_printf(v->arena, "%s/tmplgen-XXXXXX", base && *base == '/' ? base : "/tmp");
    const char *verb =
        git_odb_object_type(object) == GIT_OBJECT_TAG ? "verify-tag" : "verify-commit";
    const char *id = arena_strdup(v->arena, git_oid_tostr_s(git_odb_object_id(object)));
    if (!mkdtemp(folder))
        return err_errno(v->err, errno, "io", "cannot make the folder '%s'", folder);
    const char *git_dir = arena_printf(v->arena, "%s/git", folder);
    bool asked = new_repo_bare(git_dir, v->err) == 0 && copy_object(v, git_dir, object) == 0 &&
                 ask_git(v, git_dir, verb, id) == 0;
    io_remove(AT_FDCWD, folder);
    return asked ? 0 : -1;
}

static bool is_signed(const git_odb_object *object)
{
    ARENA_SCRATCH(scratch);
    const char *text = arena_memdup(&scratch, git_odb_object_data((git_odb_object *)object),
                                    git_odb_object_size((git_odb_object *)object));
    if (git_odb_object_type((git_odb_object *)object) == GIT_OBJECT_TAG)
        return strstr(text, "\n-----BEGIN SSH SIGNATURE-----\n") ||
               strstr(text, "\n-----BEGIN PGP SIGNATURE-----\n");
    const char *header = strstr(text, "\ngpgsig "), *body = strstr(text, "\n\n");
    return header && (!body || header < body);
}

/* Checks that a tag has this name and leads to this commit: else it proves nothing. */
static int check_tag(struct verifying *v, const git_oid *id, const char *name)
{
    git_object *tag = NULL, *end = NULL;
    int rc = git_object_lookup(&tag, v->repository, id, GIT_OBJECT_TAG);
    if (rc == 0)
        rc = git_object_peel(&end, tag, GIT_OBJECT_COMMIT);
    bool same = rc == 0 && strcmp(git_tag_name((const git_tag *)tag), name) == 0 &&
                strcmp(git_oid_tostr_s(git_object_id(end)), v->wanted->commit) == 0;
    git_object_free(end);
    git_object_free(tag);
    if (rc == 0 && !same) {
        v->is_good = false;
        v->words = "the tag that is signed has another name, or leads to another commit";
    }
    return rc;
}

/* `name` is a tag's name; NULL for a commit. A missing object counts as unsigned. */
static int verify(struct verifying *v, const char *hex, const char *name)
{
    git_odb *odb = NULL;
    git_odb_object *object = NULL;
    git_oid id;
    int rc = 0;
    v->is_signed = v->is_good = false;
    v->signer = v->key = v->subkey = NULL;
    if (git_oid_fromstr(&id, hex) < 0 || git_repository_odb(&odb, v->repository) < 0)
        return git_fail(v->err, "cannot look for a signature");
    if (git_odb_read(&object, odb, &id) == 0)
        v->is_signed = is_signed(object);
    if (v->is_signed)
        rc = verify_copy(v, object);
    if (rc == 0 && v->is_good && name && check_tag(v, &id, name) < 0)
        v->is_good = false;
    git_odb_object_free(object);
    git_odb_free(odb);
    return rc;
}

/* ---------------------------------------------------------------- accepted signers */

/* Compares gpg fingerprints, ignoring blanks and case. */
static bool same_key(const char *key, const char *given)
{
    while (key && *key && *given) {
        if (*given == ' ') {
            given++;
        } else if (toupper((unsigned char)*key++) != toupper((unsigned char)*given++)) {
            return false;
        }
    }
    return key && !*key && !*given;
}

/* Anyone can write any name into a gpg key: so gpg signers are identified by key only. */
static bool is_accepted(const struct verifying *v)
{
    bool by_name = v->is_good && str_starts(v->key, "SHA256:");
    for (size_t i = 0; v->is_good && i < v->signers.count; i++) {
        const char *signer = v->signers.items[i];
        if (strcmp(signer, "*") == 0 || (by_name && strcmp(signer, v->signer) == 0) ||
            (by_name ? strcmp(signer, v->key) == 0
                     : same_key(v->key, signer) || same_key(v->subkey, signer)))
            return true;
    }
    return v->is_good && v->signers.count == 0;
}

static void tell(struct catalog_origin *out, const struct verifying *v)
{
    out->signer = v->is_good ? v->signer : NULL;
    out->signature = v->is_good ? "good" : v->is_signed ? "unverified" : "unsigned";
}

static int refuse(const struct verifying *v)
{
    const struct signature_wanted *wanted = v->wanted;
    const char *what = wanted->tag ? arena_printf(v->arena, "tag '%s'", wanted->tag->name)
                                   : arena_printf(v->arena, "commit %.12s", wanted->commit);
    if (!v->is_signed)
        (void)err_set(v->err, TG_REFUSED, "signature",
                      "the %s of the catalog '%s' is not signed, and must be", what,
                      wanted->source);
    else if (!v->is_good)
        (void)err_set(v->err, TG_REFUSED, "signature",
                      "the signature of the %s of the catalog '%s' does not count: git said: %s",
                      what, wanted->source, v->words);
    else
        (void)err_set(v->err, TG_REFUSED, "signature",
                      "the %s of the catalog '%s' is signed by '%s' (%s), who is none of its "
                      "signers",
                      what, wanted->source, v->signer, v->key);
    return err_hint(v->err, "who may sign it is listed under 'trusted' in your configuration; keys "
                            "of ssh are in 'allowed_signers'");
}

/* For a branch or a commit id: accepts a tag of the commit, else the commit's own signature. */
static int verify_commit(struct verifying *v)
{
    const struct signature_wanted *wanted = v->wanted;
    for (size_t i = 0; i < wanted->count; i++) {
        const struct catalog_revision *tag = &wanted->revisions[i];
        if (tag->kind != REVISION_TAG || !tag->object || strcmp(tag->commit, wanted->commit) != 0 ||
            strcmp(tag->object, wanted->commit) == 0)
            continue;
        if (verify(v, tag->object, tag->name) < 0)
            return -1;
        if (is_accepted(v))
            return 0;
    }
    return verify(v, wanted->commit, NULL);
}

int signature_check(struct catalog_origin *out, struct arena *arena, git_repository *repository,
                    const struct signature_wanted *wanted, struct err *err)
{
    struct verifying v = {.arena = arena,
                          .repository = repository,
                          .wanted = wanted,
                          .signers = trust_signers_of(wanted->source),
                          .words = "",
                          .err = err};
    const struct catalog_revision *tag = wanted->tag;
    bool looked = !tag || tag->object;
    if (looked && (tag ? verify(&v, tag->object, tag->name) : verify_commit(&v)) < 0)
        return -1;
    if (looked)
        tell(out, &v);
    return v.signers.count == 0 || (looked && is_accepted(&v)) ? 0 : refuse(&v);
}

struct data *signature_data(struct arena *arena, const struct catalog_origin *origin)
{
    if (!origin->signature)
        return data_null(arena);
    return data_of(arena, FIELD("state", origin->signature), FIELD("signer", origin->signer));
}

const char *signature_words(struct arena *arena, const struct data *signature)
{
    const char *state = signature->kind == DATA_MAP ? data_get_text(signature, "state") : NULL;
    if (!state)
        return NULL;
    if (strcmp(state, "good") == 0)
        return arena_printf(arena, "signed by %s", data_get_text(signature, "signer"));
    return strcmp(state, "unsigned") == 0 ? "not signed"
                                          : "signed, but not by anybody whose key is known here";
}
