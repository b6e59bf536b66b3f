/* What live checks read: wheels' names, requirements and markers, zips, references, challenges. */
#include "base/arena.h"
#include "base/str.h"
#include "io/http.h"
#include "package_index/evidence/wheel.h"
#include "package_index/evidence/zip.h"
#include "package_index/requirement.h"
#include "registry/client/credentials.h"
#include "registry/reference.h"
#include "registry/registry.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <string.h>

/* ------------------------------------------------------------------ wheels */

TEST(test_wheel__tells_processor_and_glibc)
{
    static const struct {
        const char *platform;
        int x86_64, aarch64; /* glibc; -1: does not install */
    } cases[] = {{"manylinux_2_28_x86_64", 28, -1},
                 {"manylinux2014_aarch64", -1, 17},
                 {"manylinux_2_17_x86_64.manylinux2014_x86_64", 17, -1},
                 {"manylinux_2_27_x86_64.manylinux_2_28_x86_64", 27, -1},
                 {"manylinux1_x86_64", 5, -1},
                 {"manylinux2010_x86_64", 12, -1},
                 {"linux_x86_64", 0, -1},
                 {"any", 0, 0},
                 {"musllinux_1_2_x86_64", -1, -1},
                 {"manylinux_2__x86_64", -1, -1},
                 {"manylinux_2_9999_x86_64", -1, -1},
                 {"win_amd64", -1, -1},
                 {"macosx_11_0_arm64", -1, -1}};
    for (EACH_ROW(i, cases, cases[i].platform)) {
        ARENA_SCRATCH(arena);
        struct wheel wheel;
        int glibc;
        const char *name = arena_printf(&arena, "a-1-cp312-cp312-%s.whl", cases[i].platform);
        assert_int_equal(wheel_parse(&wheel, name), 0);
        assert_int_equal(wheel_fits_processor(&glibc, &wheel, "x86_64") ? glibc : -1,
                         cases[i].x86_64);
        assert_int_equal(wheel_fits_processor(&glibc, &wheel, "aarch64") ? glibc : -1,
                         cases[i].aarch64);
    }
}

TEST(test_wheel__tells_its_pythons)
{
    static const struct {
        const char *tags, *python;
        bool fits, later;
    } cases[] = {{"cp312-cp312", "3.12", true, false},    {"cp312-cp312", "3.13", false, false},
                 {"cp312-cp312", "3.1", false, false},    {"cp39-abi3", "3.14", true, true},
                 {"cp39-abi3", "3.8", false, true},       {"py3-none", "3.6", true, true},
                 {"py2.py3-none", "3.12", true, true},    {"cp313-cp313t", "3.13", false, false},
                 {"pp310-pypy310", "3.10", false, false}, {"py2-none", "3.12", false, false},
                 {"py39-none", "3.14", true, true},       {"py39-none", "3.8", false, true}};
    for (EACH_ROW(i, cases, cases[i].tags)) {
        ARENA_SCRATCH(arena);
        struct wheel wheel;
        const char *name = arena_printf(&arena, "a_b-1.0-2-%s-any.whl", cases[i].tags);
        assert_int_equal(wheel_parse(&wheel, name), 0);
        assert_true(span_equal(wheel.name, span_from("a_b")));
        assert_true(span_equal(wheel.version, span_from("1.0")));
        assert_int_equal(wheel_fits_python(&wheel, cases[i].python), cases[i].fits);
        assert_int_equal(wheel_is_for_later_pythons(&wheel), cases[i].later);
    }
}

TEST(test_wheel__refuses_what_is_no_name_of_one)
{
    static const char *const names[] = {"",
                                        ".whl",
                                        "a.whl",
                                        "a-1.whl",
                                        "a-1-py3-none.whl",
                                        "-1-py3-none-any.whl",
                                        "a-1-py3-none-any.zip",
                                        "a--py3-none-any.whl"};
    struct wheel wheel;
    for (EACH_ROW(i, names, names[i]))
        assert_int_equal(wheel_parse(&wheel, names[i]), -1);
}

/* ------------------------------------------------------------------ requirements */

TEST(test_requirement__has_name_extras_pin_and_marker)
{
    static const struct {
        const char *text, *name, *extras, *pin, *marker;
    } cases[] = {{"torch (==2.8.0)", "torch", "", "2.8.0", NULL},
                 {"Jax_CUDA12.plugin[with_cuda, B]<=0.7.0,>=0.7.0; extra == \"c\"",
                  "jax-cuda12-plugin", "with-cuda b", "0.7.0", "extra == \"c\""},
                 {"nvidia-cudnn-cu12<10.0,>=9.8", "nvidia-cudnn-cu12", "", NULL, NULL},
                 {"a===1.0", "a", "", "1.0", NULL},
                 {"a==1.*", "a", "", NULL, NULL},
                 {"filelock", "filelock", "", NULL, NULL},
                 {"a >= 1.0 ; os_name == 'nt'", "a", "", NULL, "os_name == 'nt'"},
                 {"jaxlib==0.4.28+cuda12.cudnn89", "jaxlib", "", "0.4.28+cuda12.cudnn89", NULL}};
    for (EACH_ROW(i, cases, cases[i].text)) {
        ARENA_SCRATCH(arena);
        struct requirement requirement;
        assert_int_equal(requirement_parse(&requirement, &arena, cases[i].text), 0);
        assert_string_equal(requirement.name, cases[i].name);
        assert_string_equal(requirement.extras, cases[i].extras);
        assert_true(str_equal(requirement_pin(&requirement), cases[i].pin));
        assert_true(str_equal(requirement.marker, cases[i].marker));
    }
}

TEST(test_requirement__refuses_urls_and_nonsense)
{
    static const char *const texts[] = {"", "a @ https://x/y.whl", "a[b", "a==not", "[x]", "a b"};
    for (EACH_ROW(i, texts, texts[i])) {
        ARENA_SCRATCH(arena);
        struct requirement requirement;
        assert_int_equal(requirement_parse(&requirement, &arena, texts[i]), -1);
    }
}

TEST(test_marker__is_asked_of_linux_cpython_and_the_extras)
{
    static const struct {
        const char *marker;
        bool holds;
    } cases[] = {
        {"platform_system == \"Linux\" and platform_machine == \"x86_64\"", true},
        {"platform_machine == 'aarch64'", false},
        {"platform_machine != 'aarch64' and sys_platform == 'linux'", true},
        {"platform_system == 'Windows' or extra == 'cuda12'", true},
        {"extra == 'cuda13'", false},
        {"extra == \"with_cuda\"", true},
        {"extra == 'cuda'", false},
        {"python_version >= '3.9'", true},
        {"python_version < '3.12'", false},
        {"python_version == '3.12'", true},
        {"python_full_version < '3.13'", true},
        {"'linux' in sys_platform", true},
        {"sys_platform not in 'win32 darwin'", true},
        {"(os_name == 'nt' or os_name == 'posix') and implementation_name == 'cpython'", true},
        {"os_name == 'nt' or os_name == 'posix' and extra == 'no'", false},
        {"platform_release >= '5'", true}, /* open: it counts */
        {"nonsense", true},
        {"os_name == 'nt' and", true},
        {"", true}};
    const struct marker_world world = {"x86_64", "3.12", "cuda12 with-cuda"};
    for (EACH_ROW(i, cases, cases[i].marker)) {
        ARENA_SCRATCH(arena);
        if (marker_holds(&arena, cases[i].marker, &world) != cases[i].holds)
            fail_msg("%s", cases[i].marker);
    }
}

TEST(test_marker__that_nests_without_end_is_open)
{
    ARENA_SCRATCH(arena);
    const struct marker_world world = {"x86_64", NULL, ""};
    char marker[4096];
    memset(marker, '(', sizeof(marker) - 1);
    marker[sizeof(marker) - 1] = '\0';
    assert_true(marker_holds(&arena, marker, &world));
}

/* ------------------------------------------------------------------ images */

TEST(test_reference__follows_dockers_rules)
{
#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    static const struct {
        const char *text, *host, *path, *tag, *digest;
    } cases[] = {{"ubuntu", "docker.io", "library/ubuntu", "latest", NULL},
                 {"nvidia/cuda:12.6.3-base-ubuntu24.04", "docker.io", "nvidia/cuda",
                  "12.6.3-base-ubuntu24.04", NULL},
                 {"localhost/a", "localhost", "a", "latest", NULL},
                 {"localhost:5000/a/b:1", "localhost:5000", "a/b", "1", NULL},
                 {"r.example.com/a__b/c-d@" DIGEST, "r.example.com", "a__b/c-d", NULL, DIGEST},
                 {"r.example.com/a:1@" DIGEST, "r.example.com", "a", "1", DIGEST}};
    for (EACH_ROW(i, cases, cases[i].text)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct image_reference reference;
        assert_int_equal(image_reference_parse(&reference, &arena, cases[i].text, &err), 0);
        assert_string_equal(reference.host, cases[i].host);
        assert_string_equal(reference.path, cases[i].path);
        assert_true(str_equal(reference.tag, cases[i].tag));
        assert_true(str_equal(reference.digest, cases[i].digest));
    }
}

static const char long_digest[] = "a@" DIGEST "0";

TEST(test_reference__refuses_what_is_none)
{
    static const char *const texts[] = {
        "",      "Upper/case", "a//b",   "a:",     "a@sha256:12", "-a",         "a/",
        "a:b:c", "a b",        "a/../b", "a:.tag", long_digest,   "http://x/a", "r.io/../../etc"};
    for (EACH_ROW(i, texts, texts[i])) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct image_reference reference;
        if (image_reference_parse(&reference, &arena, texts[i], &err) != -1)
            fail_msg("'%s' was taken", texts[i]);
        assert_int_equal(err.exit, TG_USAGE);
    }
}

/* "library/" counts. */
TEST(test_reference__has_a_longest_path)
{
    for (size_t len = 246; len <= 249; len++) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct image_reference reference;
        char name[256] = "";
        memset(name, 'a', len);
        assert_int_equal(image_reference_parse(&reference, &arena, name, &err),
                         len <= 247 ? 0 : -1);
    }
}

TEST(test_challenge__password_is_for_the_registrys_own)
{
    static const struct {
        const char *url, *realm;
        bool may;
    } cases[] = {
        {"https://registry-1.docker.io", "https://auth.docker.io/token", true},
        {"https://registry.gitlab.com", "https://gitlab.com/jwt/auth", true},
        {"https://mine.azurecr.io", "https://mine.azurecr.io/oauth2/token", true},
        {"https://mine.azurecr.io", "https://other.azurecr.io/oauth2/token", false},
        {"https://a.jfrog.io", "https://B.JFROG.io/token", false},
        {"https://registry.example.com", "https://example.org/token", false},
        {"https://registry.example.com", "http://registry.example.com/token", false},
        {"https://registry.bmw.de", "https://gitlab.bmw.de/jwt/auth", true},
        {"https://registry.ibm.eu", "https://ibm.eu/token", true},
        {"https://registry.team.co.uk", "https://auth.team.co.uk/token", true},
        {"https://registry.team.co.uk", "https://auth.other.co.uk/token", false},
        {"https://registry.com.br", "https://other.com.br/token", false},
        {"https://a.gov.in", "https://b.GOV.in/token", false},
        {"https://10.0.0.1.nip.io", "https://10.0.0.2.nip.io/token", false},
        {"https://a.ny.us", "https://b.ny.us/token", false},
    };
    struct arena arena = ARENA_INIT;
    for (EACH_ROW(i, cases, cases[i].url))
        assert_int_equal(challenge_may_have_password(&arena, cases[i].url, cases[i].realm),
                         cases[i].may);
    arena_release(&arena);
}

TEST(test_challenge__is_read_by_parameter)
{
    static const char header[] =
        "Bearer realm=\"https://auth.example.com/token\", service=\"a b\",scope=x";
    ARENA_SCRATCH(arena);
    assert_string_equal(challenge_parameter(&arena, header, "Bearer", "realm"),
                        "https://auth.example.com/token");
    assert_string_equal(challenge_parameter(&arena, header, "bearer", "Service"), "a b");
    assert_string_equal(challenge_parameter(&arena, header, "Bearer", "scope"), "x");
    assert_null(challenge_parameter(&arena, header, "Bearer", "error"));
    assert_null(challenge_parameter(&arena, header, "Basic", "realm"));
    assert_null(challenge_parameter(&arena, NULL, "Basic", "realm"));
}

TEST(test_http__shows_urls_without_secrets)
{
    static const char *const cases[][2] = {
        {"https://user:secret@host:1/a/b?token=x#y", "https://host:1/a/b"},
        {"https://host/a@b", "https://host/a@b"},
        {"https://u@v@host/", "https://host/"},
        {"host/path?x", "host/path"}};
    for (EACH_ROW(i, cases, cases[i][0])) {
        ARENA_SCRATCH(arena);
        assert_string_equal(http_shown(&arena, cases[i][0]), cases[i][1]);
    }
}

TEST(test_http__this_machine_is_told_by_its_address)
{
    static const char *const here[] = {"localhost",      "LocalHost", "localhost:5000", "127.0.0.1",
                                       "127.255.3.4:80", "[::1]",     "[::1]:5000"};
    static const char *const elsewhere[] = {"127.evil.example",
                                            "127.0.0.1.evil.example",
                                            "127.0.0.1:80.evil.example",
                                            "127.0.0.1@evil.example",
                                            "127.",
                                            "127.1.2",
                                            "127.0.0.256",
                                            "128.0.0.1",
                                            "localhost.evil.example",
                                            "localhost:x",
                                            "localhostess",
                                            "[::1].evil.example",
                                            "[::1",
                                            "[::12]",
                                            "[::1]x",
                                            "::1",
                                            "",
                                            "[",
                                            "127.0.0.1111111111111111111111111111111111111111111"};
    for (EACH_ROW(i, here, here[i]))
        if (!http_is_this_machine(here[i]))
            fail_msg("%s", here[i]);
    for (EACH_ROW(i, elsewhere, elsewhere[i]))
        if (http_is_this_machine(elsewhere[i]))
            fail_msg("%s", elsewhere[i]);
}

TEST(test_http__finds_headers)
{
    static const char headers[] = "HTTP/1.1 200 OK\r\nETag:  \"x\" \r\nX-Etag: no\r\nLink: a\r\n";
    ARENA_SCRATCH(arena);
    assert_string_equal(http_header(&arena, headers, "etag"), "\"x\"");
    assert_string_equal(http_header(&arena, headers, "LINK"), "a");
    assert_null(http_header(&arena, headers, "tag"));
    assert_null(http_header(&arena, NULL, "tag"));
}

TEST(test_zip__is_refused_where_it_is_damaged)
{
    ARENA_SCRATCH(arena);
    struct zip_range range;
    struct span file;
    char tail[64] = {0};
    assert_int_equal(zip_directory(&range, span_of("", 0)), -1);
    assert_int_equal(zip_directory(&range, span_of(tail, sizeof(tail))), -1);
    assert_int_equal(zip_find(&range, span_of("PK\1\2", 4), "x"), -1);
    assert_int_equal(zip_unpack(&file, &arena, span_of(tail, sizeof(tail)), 10), -1);
    memcpy(tail + 42, "PK\5\6", 4);
    memset(tail + 42 + 12, 0xFF, 4);
    assert_int_equal(zip_directory(&range, span_of(tail, sizeof(tail))), -1);
}
