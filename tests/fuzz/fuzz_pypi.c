/* Whatever a package index answers: it is read into the one form or refused, and verifying ends. */
#include "fuzz.h"

#include "../unit/small_matrix.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "matrix/matrix.h"
#include "package_index/evidence/evidence.h"
#include "package_index/evidence/index_answer.h"
#include "package_index/evidence/zip.h"
#include "package_index/package_index.h"
#include "package_index/refresh.h"
#include "package_index/requirement.h"
#include "package_index/verify.h"

#include <stdint.h>
#include <string.h>

#define PAGE "https://index.invalid/simple/demo/"

/* A project as the readers make it, put into a record, is a record, and everything runs over it. */
static void use(struct arena *arena, const struct project_parts *parts, struct data *wanted)
{
    ERR_SCRATCH(err);
    struct memory memory;
    struct matrix *matrix;
    struct package_index *index;
    size_t count;
    BUF_SCRATCH(text, 64 * LIMIT_MIB);
    struct data *record = data_map(arena), *projects = data_map(arena);
    for (size_t i = 0; wanted && i < parts->releases->map.count; i++)
        data_put(arena, parts->releases->map.members[i].value, "requires", wanted);
    data_put(arena, projects, "demo", parts->releases);
    data_put(arena, record, "schema", data_str(arena, "tmplgen/index-record@1"));
    data_put(arena, record, "asked", data_str(arena, "2026-01-01"));
    data_put(arena, record, "projects", projects);
    must(json_write(&text, record, false) == 0);
    if (text.len > LIMIT_HTTP_JSON_BYTES)
        return;
    must(index_recorded(&index, arena, "record", span_of(text.ptr, text.len), &err) == 0);
    fill(&memory);
    must(matrix_load(&matrix, arena, &memory.set, span_of("", 0), "demo", &err) == 0);
    struct data *rows = matrix_verify(&count, arena, matrix, NULL, index);
    BUF_SCRATCH(table, 64 * LIMIT_MIB);
    (void)matrix_verify_table(&table, rows);
    struct data *proposals = matrix_refresh(&count, arena, matrix, NULL, false, index);
    (void)matrix_refresh_table(&table, proposals);
    struct patch *files;
    (void)!matrix_refresh_files(&files, &count, arena, matrix, proposals, "2026-01-01", &err);
}

static void read_parts(struct arena *arena, unsigned kind, struct span text)
{
    ERR_SCRATCH(err);
    struct project_parts parts;
    int rc = kind == 0   ? index_parse_project(&parts, arena, "demo", PAGE, text, &err)
             : kind == 1 ? index_parse_simple(&parts, arena, "demo", PAGE, text, &err)
                         : index_parse_html(&parts, arena, "demo", PAGE, text, &err);
    must(rc == 0 || (err.exit == TG_RUNTIME && err.message));
    if (rc == 0)
        use(arena, &parts, NULL);
}

/* Requirements are those of a release that has a wheel. */
static void read_requires(struct arena *arena, unsigned kind, struct span text)
{
    static const char page[] = "<a href=\"demo-2.0-cp310-cp310-manylinux2014_x86_64.whl\">";
    ERR_SCRATCH(err);
    struct project_parts parts;
    struct data *wanted;
    int rc = kind == 3 ? index_parse_release(&wanted, arena, "demo", "2.0", text, &err)
                       : index_parse_metadata(&wanted, arena, "demo", "2.0", text, &err);
    must(rc == 0 || (err.exit == TG_RUNTIME && err.message));
    if (rc < 0)
        return;
    must(index_parse_html(&parts, arena, "demo", PAGE, span_of(page, strlen(page)), &err) == 0);
    use(arena, &parts, wanted);
}

static void read_marker(struct arena *arena, struct span text)
{
    struct requirement requirement;
    const struct marker_world world = {"x86_64", "3.12", "cuda12 all"};
    const char *line = arena_memdup(arena, text.ptr, text.len);
    if (requirement_parse(&requirement, arena, line) == 0) {
        (void)marker_holds(arena, requirement.marker, &world);
        (void)requirement_pin(&requirement);
    }
}

static void read_zip(struct arena *arena, struct span text)
{
    struct zip_range range;
    struct span file;
    (void)!zip_directory(&range, text);
    (void)!zip_find(&range, text, "METADATA");
    must(zip_unpack(&file, arena, text, 4096) < 0 || file.len <= 4096);
}

/* The first byte says what the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    if (!size)
        return 0;
    unsigned kind = bytes[0] % 7;
    struct span text = span_of((const char *)bytes + 1, size - 1);
    if (kind < 3)
        read_parts(&arena, kind, text);
    else if (kind < 5)
        read_requires(&arena, kind, text);
    else if (kind == 5)
        read_marker(&arena, text);
    else
        read_zip(&arena, text);
    return 0;
}
