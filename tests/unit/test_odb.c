/* Objects are read as git has them, whatever their storage, and damage is an error. */
#include "git/odb.h"

#include "base/account.h"
#include "base/limits.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <git2.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

/* A shell in the folder of the test, with a git that no configuration changes. */
static int shell(const char *script)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0 && setenv("HOME", folder, 1) == 0 &&
            setenv("GIT_CONFIG_NOSYSTEM", "1", 1) == 0)
            (void)execl("/bin/sh", "sh", "-euc", script, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* Versions of some files that differ a little, so that git makes chains of deltas. */
static int make_repository(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/test-odb-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return shell("git config --global user.name a; git config --global user.email a@b;"
                 "git config --global core.fsync none; git config --global gc.auto 0;"
                 "git init -q -b main r; cd r; mkdir -p d/e; : > empty;"
                 "for i in $(seq 1 25); do for f in a d/b d/e/c; do"
                 " seq $i $((i * 37 % 400 + 300)) > $f; echo $f$i >> $f; done;"
                 " git add -A; git commit -q -m $i; done; git tag -a -m tag v1;"
                 "head -c 300000 /dev/zero > zeros; head -c 70000 /dev/urandom > noise;"
                 "cat noise noise > noise2; git add -A; git commit -q -m large");
}

static int remove_repository(void **state)
{
    (void)state;
    return shell("rm -rf \"$HOME\"");
}

static void check_object(git_odb *odb, const char *hex, const char *kind, size_t size)
{
    git_oid id;
    git_odb_object *object;
    git_object_t type;
    size_t told;
    assert_int_equal(git_oid_fromstr(&id, hex), 0);
    assert_int_equal(git_odb_read_header(&told, &type, odb, &id), 0);
    assert_int_equal(told, size);
    assert_string_equal(git_object_type2string(type), kind);
    /* libgit2 compares the content's hash with the id */
    assert_int_equal(git_odb_read(&object, odb, &id), 0);
    assert_int_equal(git_odb_object_size(object), size);
    assert_string_equal(git_object_type2string(git_odb_object_type(object)), kind);
    git_odb_object_free(object);
    assert_int_equal(git_odb_exists(odb, &id), 1);
}

static void check_prefix(git_odb *odb, const char *hex)
{
    git_oid wanted, found, shortened;
    assert_int_equal(git_oid_fromstr(&wanted, hex), 0);
    for (size_t digits = 9; digits <= 12; digits++) {
        assert_int_equal(git_oid_fromstrn(&shortened, hex, digits), 0);
        assert_int_equal(git_odb_exists_prefix(&found, odb, &shortened, digits), 0);
        assert_true(git_oid_equal(&found, &wanted));
    }
}

/* Every object that git knows in `repository`, by what git says of it. */
static void check_all(const char *repository)
{
    char *objects, *list, *script, hex[64], kind[16];
    size_t size, count = 0;
    git_odb *odb;
    struct err err = ERR_INIT;
    assert_true(asprintf(&objects, "%s/%s/.git/objects", folder, repository) > 0);
    assert_true(asprintf(&list, "%s/list", folder) > 0);
    assert_true(asprintf(&script, "git -C %s cat-file --batch-all-objects --batch-check > list",
                         repository) > 0);
    assert_int_equal(shell(script), 0);
    assert_int_equal(odb_open(&odb, objects, &err), 0);
    FILE *lines = fopen(list, "r");
    assert_non_null(lines);
    while (fscanf(lines, "%63s %15s %zu", hex, kind, &size) == 3) {
        check_object(odb, hex, kind, size);
        check_prefix(odb, hex);
        count++;
    }
    (void)fclose(lines);
    assert_true(count > 150);
    git_odb_free(odb);
    free(objects);
    free(list);
    free(script);
}

TEST(test_odb__reads_loose_objects)
{
    check_all("r");
}

/* A worker is forked: what its parent holds is not what the repository made it take. */
TEST(test_odb__reads_for_a_parent_that_holds_more_than_a_worker_may_take)
{
    const size_t much = LIMIT_FOREIGN_OBJECT_MEMORY_BYTES + (32 << 20);
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    char *held = malloc(much);
    assert_non_null(held);
    memset(held, 1, much);
    odb_forget();
    check_all("r");
    assert_int_equal(held[much / 2], 1);
    free(held);
}

TEST(test_odb__reads_packs_with_deltas)
{
    assert_int_equal(
        shell("cp -a r packed; cd packed; git repack -q -adf --depth=50 --window=50;"
              "test $(git verify-pack -v .git/objects/pack/*.idx | grep -c '^chain length') -ge 2"),
        0);
    check_all("packed");
}

TEST(test_odb__reads_deltas_that_name_their_base)
{
    assert_int_equal(shell("cp -a r named; cd named; git config repack.useDeltaBaseOffset false;"
                           "git repack -q -adf --depth=50"),
                     0);
    check_all("named");
}

TEST(test_odb__reads_old_and_large_indexes)
{
    assert_int_equal(
        shell("cp -a r old; cd old; git config pack.indexVersion 1; git repack -q -adf"), 0);
    check_all("old");
    assert_int_equal(
        shell(
            "cp -a r large; cd large; git repack -q -adf; cd .git/objects/pack; rm -f *.idx *.rev;"
            "git index-pack --index-version=2,0x200 *.pack > out; rm out"),
        0);
    check_all("large");
}

TEST(test_odb__reads_several_packs_and_alternates)
{
    assert_int_equal(
        shell("cp -a r half; cd half; git repack -q -d; seq 5 > new; git add new; git commit -qm n;"
              "git repack -q -d; seq 6 > new; git add new; git commit -qm n;"
              "git clone -q -s . ../shared; cd ../shared; seq 7 > new; git add new; git commit -qm "
              "n"),
        0);
    check_all("half");
    check_all("shared");
}

TEST(test_odb__sees_what_was_packed_meanwhile)
{
    char *objects;
    git_odb *odb;
    git_oid id;
    git_odb_object *object;
    struct err err = ERR_INIT;
    assert_int_equal(shell("cp -a r later; cd later; git repack -q -adf"), 0);
    assert_true(asprintf(&objects, "%s/later/.git/objects", folder) > 0);
    assert_int_equal(odb_open(&odb, objects, &err), 0);
    assert_int_equal(shell("cd later; echo later > later; git add later; git commit -qm later; git "
                           "repack -q -adf"),
                     0);
    assert_int_equal(git_odb_hash(&id, "later\n", 6, GIT_OBJECT_BLOB), 0);
    assert_int_equal(git_odb_read(&object, odb, &id), 0);
    git_odb_object_free(object);
    git_odb_free(odb);
    free(objects);
}

/* With the repository gone: what was looked at ahead, and nothing else, is there. */
TEST(test_odb__looks_ahead)
{
    char *objects, *script;
    git_odb *odb;
    git_odb_object *object;
    git_oid ids[1500], absent = {{1}};
    struct err err = ERR_INIT;
    assert_true(asprintf(&objects, "%s/ahead/.git/objects", folder) > 0);
    assert_true(asprintf(&script,
                         "git init -q ahead; cd ahead; for i in $(seq %zu); do echo $i > "
                         "$i; done; head -c 100000 /dev/zero > large; git add .",
                         sizeof(ids) / sizeof(*ids)) > 0);
    assert_int_equal(shell(script), 0);
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        char text[24];
        int len = snprintf(text, sizeof(text), "%zu\n", i % 700 + 1); /* some twice */
        assert_int_equal(git_odb_hash(&ids[i], text, (size_t)len, GIT_OBJECT_BLOB), 0);
    }
    assert_int_equal(odb_open(&odb, objects, &err), 0);
    odb_look_ahead(odb, &absent, 1); /* ends a worker, and is forgotten */
    odb_look_ahead(odb, ids, 700);
    odb_look_ahead(odb, ids + 350, sizeof(ids) / sizeof(*ids) - 350);
    assert_int_equal(shell("mv ahead/.git/objects gone"), 0);
    for (size_t i = 0; i < 700; i++) {
        assert_int_equal(git_odb_read(&object, odb, &ids[i]), 0);
        git_odb_object_free(object);
    }
    assert_int_not_equal(git_odb_read(&object, odb, &absent), 0);
    git_odb_free(odb);
    free(objects);
    free(script);
}

/* Whether an object can be read; where not, there was neither a hang nor a crash of this process.
 */
/* However much is asked for at once: what is kept has an end, and all can be read. */
TEST(test_odb__looks_ahead_within_its_memory)
{
    enum { COUNT = 900, BYTES = 60000 };
    static git_oid ids[COUNT];
    char *objects, *list, hex[64];
    git_odb *odb;
    git_odb_object *object;
    struct err err = ERR_INIT;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it has a malloc of its own, which counts nothing */
#endif
    assert_int_equal(shell("git init -q many; cd many; mkdir f; head -c 54000000 /dev/urandom |"
                           " split -b 60000 -a 3 - f/; git add -A;"
                           " git ls-files -s | cut -d ' ' -f 2 > ../many.list"),
                     0);
    assert_true(asprintf(&objects, "%s/many/.git/objects", folder) > 0);
    assert_true(asprintf(&list, "%s/many.list", folder) > 0);
    FILE *lines = fopen(list, "r");
    assert_non_null(lines);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(fscanf(lines, "%63s", hex) == 1 && git_oid_fromstr(&ids[i], hex) == 0);
    (void)fclose(lines);
    assert_int_equal(odb_open(&odb, objects, &err), 0);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    odb_look_ahead(odb, ids, COUNT);
    size_t kept = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    assert_in_range(kept, 1 << 20, 26 << 20);
    assert_int_equal(git_odb_read(&object, odb, &ids[COUNT - 1]), 0);
    assert_int_equal(git_odb_object_size(object), BYTES);
    git_odb_object_free(object);
    git_odb_free(odb);
    odb_forget();
    free(objects);
    free(list);
}

static bool readable(const char *repository, const char *hex)
{
    char *objects;
    git_odb *odb;
    git_odb_object *object;
    git_oid id;
    struct err err = ERR_INIT;
    assert_true(asprintf(&objects, "%s/%s/.git/objects", folder, repository) > 0);
    assert_int_equal(git_oid_fromstr(&id, hex), 0);
    assert_int_equal(odb_open(&odb, objects, &err), 0);
    bool good = git_odb_read(&object, odb, &id) == 0;
    if (good)
        git_odb_object_free(object);
    git_odb_free(odb);
    free(objects);
    odb_forget(); /* the next repository has the same name */
    return good;
}

/* The blob "later\n"; in the repositories below it is the only object of the only pack. */
#define LATER "e974158c2b867531a738941c09dbb50427e7dc6d"
/* For printf(1): the head of a delta, and the id of its base, which is LATER. */
#define ITSELF                                                                                     \
    "\\166\\351\\164\\025\\214\\053\\206\\165\\061\\247\\070"                                      \
    "\\224\\034\\011\\333\\265\\004\\047\\347\\334\\155"

TEST(test_odb__damaged_packs_are_errors)
{
    static const char *const damages[] = {
        "true", /* none */
        "truncate -s -1 *.idx",
        "truncate -s 0 *.idx",
        "truncate -s 50 *.pack",
        /* a fan-out that points behind the end */
        "printf '\\377\\377\\377' | dd of=$(echo *.idx) bs=1 seek=1028 conv=notrunc status=none",
        /* an object longer than it is */
        "printf '\\277\\177' | dd of=$(echo *.pack) bs=1 seek=12 conv=notrunc status=none",
        /* a delta whose base is itself, by its offset */
        "printf '\\146\\000' | dd of=$(echo *.pack) bs=1 seek=12 conv=notrunc status=none",
        /* a delta whose base is itself, by its id */
        ("printf '" ITSELF "' | dd of=$(echo *.pack) bs=1 seek=12 conv=notrunc status=none"),
    };
    for (EACH_ROW(i, damages, damages[i])) {
        char *script;
        assert_true(
            asprintf(
                &script,
                "rm -rf bad; git init -q bad; cd bad; echo later | git hash-object -w --stdin |"
                "git pack-objects -q .git/objects/pack/pack > name; rm -r .git/objects/e9;"
                "cd .git/objects/pack; chmod +w *; %s",
                damages[i]) > 0);
        assert_int_equal(shell(script), 0);
        assert_int_equal(readable("bad", LATER), i == 0);
        free(script);
    }
}

TEST(test_odb__damaged_loose_objects_are_errors)
{
    static const char *const damages[] = {
        "true", /* none */
        "truncate -s 10",
        "truncate -s 0",
        "cp ../../../noise",
    };
    for (EACH_ROW(i, damages, damages[i])) {
        char *script;
        assert_true(
            asprintf(&script,
                     "rm -rf bad; git init -q bad; cd bad; head -c 9000 /dev/urandom > noise;"
                     "echo later | git hash-object -w --stdin > id; cd .git/objects/e9;"
                     "chmod +w *; %s *",
                     damages[i]) > 0);
        assert_int_equal(shell(script), 0);
        assert_int_equal(readable("bad", LATER), i == 0);
        free(script);
    }
}

TEST_GROUP(make_repository, remove_repository)
