/* Path safety: single paths, and sets of them. */
#include "base/arena.h"
#include "base/limits.h"
#include "io/path.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

TEST(test_path__accepts_what_repositories_hold)
{
    static const char *const paths[] = {
        "README.md",
        "src/service/app.py",
        ".gitignore",
        ".gitattributes",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "git/x",
        "x.git",
        "git~",
        "git~x",
        "gitmodules",
        "g~1",
        "...x",
        "..x",
        "a..b",
        "-rf",
        "--help",
        "~root",
        "$HOME",
        "*",
        "with blank.txt",
        "console.py",
        "com10",
        "com",
        "lpt0x",
        "null",
        "auxiliary/x",
        "\xC3\xA9t\xC3\xA9",
        "\xE6\x97\xA5\xE6\x9C\xAC/\xF0\x9F\x98\x80",
    };
    for (EACH_ROW(i, paths, paths[i])) {
        ERR_SCRATCH(err);
        if (path_check(paths[i], &err))
            fail_msg("%s", err.message);
    }
}

struct refusal {
    const char *path, *message;
};

#define GIT "it means git's own files ('.git' or '.gitmodules') to some file system"
#define DEVICE "it names a device on Windows"
#define ENDING "Windows drops a dot or a blank at the end of a name"
#define HIDDEN "it holds a character that does not show"

static const struct refusal refusals[] = {
    {"", "unsafe path '': it is empty"},
    {"/etc/passwd", "unsafe path '/etc/passwd': it is absolute"},
    {"/", "unsafe path '/': it is absolute"},
    {"a//b", "unsafe path 'a//b': a part of it is empty"},
    {"a/", "unsafe path 'a/': a part of it is empty"},
    {".", "unsafe path '.': it holds '.' or '..'"},
    {"..", "unsafe path '..': it holds '.' or '..'"},
    {"../x", "unsafe path '../x': it holds '.' or '..'"},
    {"a/../b", "unsafe path 'a/../b': it holds '.' or '..'"},
    {"a/./b", "unsafe path 'a/./b': it holds '.' or '..'"},
    {".git", "unsafe path '.git': " GIT},
    {".git/hooks/post-checkout", "unsafe path '.git/hooks/post-checkout': " GIT},
    {".GIT/config", "unsafe path '.GIT/config': " GIT},
    {"a/.gIt/x", "unsafe path 'a/.gIt/x': " GIT},
    {".git.", "unsafe path '.git.': " GIT},
    {".git ", "unsafe path '.git ': " GIT},
    {".git . .", "unsafe path '.git . .': " GIT},
    {".git::$INDEX_ALLOCATION/x", "unsafe path '.git::$INDEX_ALLOCATION/x': " GIT},
    {".git:x", "unsafe path '.git:x': " GIT},
    {"git~1", "unsafe path 'git~1': " GIT},
    {"GIT~1/config", "unsafe path 'GIT~1/config': " GIT},
    {"git~12", "unsafe path 'git~12': " GIT},
    {".gitmodules", "unsafe path '.gitmodules': " GIT},
    {".GitModules", "unsafe path '.GitModules': " GIT},
    {".gitmodule\xC5\xBF", "unsafe path '.gitmodule\xC5\xBF': " GIT},
    {"gitmod~1", "unsafe path 'gitmod~1': " GIT},
    {"GI7EBA~1", "unsafe path 'GI7EBA~1': " GIT},
    {"gi7~1234", "unsafe path 'gi7~1234': " GIT},
    {"~1000000", "unsafe path '~1000000': " GIT},
    {".g\xE2\x80\x8Cit/x", "unsafe path '.g\\u200Cit/x': " HIDDEN},
    {"\xEF\xBB\xBF.git", "unsafe path '\\uFEFF.git': " HIDDEN},
    {"a\xE2\x80\xAE"
     "b",
     "unsafe path 'a\\u202Eb': " HIDDEN},
    {"a\xE2\x80\x8B", "unsafe path 'a\\u200B': " HIDDEN},
    {"a\xC2\xAD", "unsafe path 'a\\u00AD': " HIDDEN},
    {"a\xEF\xB8\x8F", "unsafe path 'a\\uFE0F': " HIDDEN},
    {"a\xE2\x80\xA8", "unsafe path 'a\\u2028': " HIDDEN},
    {"a\x1B[0m", "unsafe path 'a\\x1B[0m': it holds a control character"},
    {"a\nb", "unsafe path 'a\\x0Ab': it holds a control character"},
    {"a\x7F", "unsafe path 'a\\x7F': it holds a control character"},
    {"a\xC2\x85", "unsafe path 'a\\u0085': it holds a control character"},
    {"a\xFF", "unsafe path 'a\\xFF': it is not valid UTF-8"},
    {"a\xC0\xAF", "unsafe path 'a\\xC0\\xAF': it is not valid UTF-8"},
    {"a\xED\xA0\x80", "unsafe path 'a\\xED\\xA0\\x80': it is not valid UTF-8"},
    {"a\\b", "unsafe path 'a\\b': a backslash separates folders on Windows"},
    {"c:x", "unsafe path 'c:x': a colon names a drive or a stream on Windows"},
    {"trail.", "unsafe path 'trail.': " ENDING},
    {"trail /x", "unsafe path 'trail /x': " ENDING},
    {"...", "unsafe path '...': " ENDING},
    {"CON", "unsafe path 'CON': " DEVICE},
    {"a/aux.py", "unsafe path 'a/aux.py': " DEVICE},
    {"nul.tar.gz", "unsafe path 'nul.tar.gz': " DEVICE},
    {"prn .txt", "unsafe path 'prn .txt': " DEVICE},
    {"Com1", "unsafe path 'Com1': " DEVICE},
    {"lpt9.x", "unsafe path 'lpt9.x': " DEVICE},
    {"com\xC2\xB9", "unsafe path 'com\xC2\xB9': " DEVICE},
    {"CONOUT$", "unsafe path 'CONOUT$': " DEVICE},
};

TEST(test_path__refuses_what_leaves_the_target_or_means_something_else)
{
    for (EACH_ROW(i, refusals, refusals[i].path)) {
        ERR_SCRATCH(err);
        assert_int_equal(path_check(refusals[i].path, &err), -1);
        assert_int_equal(err.exit, TG_REFUSED);
        assert_string_equal(err.code, "unsafe-path");
        assert_string_equal(err.message, refusals[i].message);
    }
}

TEST(test_path__refuses_git_in_every_letter_case_and_fold)
{
    for (unsigned bits = 0; bits < 1U << 3; bits++) {
        char path[] = ".git/x";
        for (int i = 0; i < 3; i++)
            if (bits & 1U << i)
                path[1 + i] = (char)(path[1 + i] - ('a' - 'A'));
        ERR_SCRATCH(err);
        assert_int_equal(path_check(path, &err), -1);
        assert_string_equal(err.code, "unsafe-path");
    }
}

/* `bytes` long, in names of at most `name` bytes. */
static const char *long_path(struct arena *arena, size_t bytes, size_t name)
{
    char *path = arena_alloc(arena, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        path[i] = (i + 1) % (name + 1) == 0 && i + 1 < bytes ? '/' : 'x';
    return path;
}

static void assert_limit(const char *path, int wanted, const char *hint)
{
    ERR_SCRATCH(err);
    assert_int_equal(path_check(path, &err), wanted);
    if (wanted == 0)
        return;
    assert_int_equal(err.exit, TG_USAGE);
    assert_string_equal(err.code, "limit");
    assert_string_equal(err.hint, hint);
}

TEST(test_path__limits_are_exact)
{
    ARENA_SCRATCH(arena);
    const char *bytes = "the limit is 512 bytes a path", *name = "the limit is 200 bytes a name";
    assert_limit(long_path(&arena, LIMIT_PATH_BYTES - 1, 100), 0, NULL);
    assert_limit(long_path(&arena, LIMIT_PATH_BYTES, 100), 0, NULL);
    assert_limit(long_path(&arena, LIMIT_PATH_BYTES + 1, 100), -1, bytes);
    assert_limit(long_path(&arena, 100000, 100), -1, bytes);
    assert_limit(long_path(&arena, LIMIT_NAME_BYTES - 1, 1000), 0, NULL);
    assert_limit(long_path(&arena, LIMIT_NAME_BYTES, 1000), 0, NULL);
    assert_limit(long_path(&arena, LIMIT_NAME_BYTES + 1, 1000), -1, name);
    assert_limit(long_path(&arena, 2 * LIMIT_TREE_DEPTH - 3, 1), 0, NULL);
    assert_limit(long_path(&arena, 2 * LIMIT_TREE_DEPTH - 1, 1), 0, NULL);
    assert_limit(long_path(&arena, 2 * LIMIT_TREE_DEPTH + 1, 1), -1, "the limit is 64 levels");
}

/* ---------------------------------------------------------------- sets */

TEST(test_path_set__takes_paths_that_do_not_meet)
{
    static const char *const paths[] = {
        "a", "b/a", "b/c", "b/d/a", "B2/a", "ab", "abc", "a.", "b.c", "\xC3\xA9", "e",
    };
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct path_set *set = path_set_new(&arena);
    for (EACH_ROW(i, paths, paths[i]))
        assert_int_equal(path_set_add(set, paths[i], "x", &err), 0);
}

struct meeting {
    const char *first, *second, *message;
};

#define CLASH(first, second, a, b)                                                                 \
    {                                                                                              \
        first, second,                                                                             \
            "'" first "' (one.j2) and '" second "' (two.j2) cannot both be written: '" a           \
            "' and '" b "' are one name to some file systems"                                      \
    }
#define BOTH(first, second, a)                                                                     \
    {                                                                                              \
        first, second,                                                                             \
            "'" first "' (one.j2) and '" second "' (two.j2) cannot both be written: '" a           \
            "' would be a file and a folder"                                                       \
    }

static const struct meeting meetings[] = {
    {"a/b", "a/b", "'a/b' would be written twice: by one.j2 and by two.j2"},
    CLASH("README.md", "readme.md", "README.md", "readme.md"),
    CLASH("Docs/a", "docs/b", "Docs", "docs"),
    CLASH("x/y/Z", "x/y/z", "x/y/Z", "x/y/z"),
    /* composed and decomposed; sharp s and its capital form; ligature; Kelvin sign; Greek sigmas */
    CLASH("\xC3\xA9", "e\xCC\x81", "\xC3\xA9", "e\xCC\x81"),
    CLASH("stra\xC3\x9F"
          "e",
          "STRASSE",
          "stra\xC3\x9F"
          "e",
          "STRASSE"),
    CLASH("\xEF\xAC\x81x", "fix", "\xEF\xAC\x81x", "fix"),
    CLASH("\xE2\x84\xAA", "k", "\xE2\x84\xAA", "k"),
    CLASH("\xCF\x83", "\xCF\x82", "\xCF\x83", "\xCF\x82"),
    CLASH("\xEA\xB0\x80", "\xE1\x84\x80\xE1\x85\xA1", "\xEA\xB0\x80", "\xE1\x84\x80\xE1\x85\xA1"),
    /* two marks in either order, of different classes */
    CLASH("a\xCC\xA3\xCC\x87", "a\xCC\x87\xCC\xA3", "a\xCC\xA3\xCC\x87", "a\xCC\x87\xCC\xA3"),
    BOTH("conf", "conf/x", "conf"),
    BOTH("a/b/c", "a/b", "a/b"),
    CLASH("conf", "Conf/x", "conf", "Conf"),
};

TEST(test_path_set__refuses_paths_that_meet)
{
    for (EACH_ROW(i, meetings, meetings[i].first)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct path_set *set = path_set_new(&arena);
        assert_int_equal(path_set_add(set, "other/file", "x", &err), 0);
        assert_int_equal(path_set_add(set, meetings[i].first, "one.j2", &err), 0);
        assert_int_equal(path_set_add(set, meetings[i].second, "two.j2", &err), -1);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.code, "path-clash");
        assert_string_equal(err.message, meetings[i].message);
    }
}

TEST(test_path_set__keeps_its_own_copies)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct path_set *set = path_set_new(&arena);
    char path[] = "abc", origin[] = "one";
    assert_int_equal(path_set_add(set, path, origin, &err), 0);
    memset(path, 'x', 3);
    memset(origin, 'x', 3);
    assert_int_equal(path_set_add(set, "abc", "two", &err), -1);
    assert_string_equal(err.message, "'abc' would be written twice: by one and by two");
}

TEST(test_path_set__finds_each_of_many)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct path_set *set = path_set_new(&arena);
    char path[64];
    for (unsigned i = 0; i < 20000; i++) {
        (void)snprintf(path, sizeof(path), "d%u/f%u", i * 7919 % 20000 % 113, i * 7919 % 20000);
        assert_int_equal(path_set_add(set, path, "one", &err), 0);
    }
    for (unsigned i = 0; i < 20000; i++) {
        (void)snprintf(path, sizeof(path), "d%u/f%u", i % 113, i);
        assert_int_equal(path_set_add(set, path, "two", &err), -1);
        assert_string_equal(err.code, "path-clash");
    }
}
