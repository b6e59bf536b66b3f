/* `matrix refresh` proposes rows from a live index, `matrix accept` takes rows that a person has
 * looked at. Both write into the folder of a catalog. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "matrix/matrix.h"
#include "package_index/package_index.h"
#include "package_index/refresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The folder that --catalog names: the built-in catalog and repositories are never written. Exit 2,
 * with the command `like` as the hint, where it names none.
 */
static int matrix_folder(const char **out, struct session *s, const char *what, const char *like)
{
    struct stat info;
    const char *folder = opt_value(&s->run->options, "catalog");
    *out = folder;
    if (folder && stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return 0;
    (void)err_set(s->err, TG_USAGE, "usage", "%s needs a folder to write to", what);
    return err_hint(s->err, "%s", like);
}

/* In a catalog that extends another, the file may be the other's. */
static int refuse_missing(const char *path, struct err *err)
{
    (void)err_set(err, TG_USAGE, "missing-file", "there is no '%s' to write to", path);
    return err_hint(err, "where it is a file of a catalog that this one extends, add rows in "
                         "matrices/rows/, or copy it and name it under 'overrides'");
}

static int replace_file(const char *path, const char *text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct stat before;
    char *beside = arena_printf(&scratch, "%s.XXXXXX", path);
    bool there = stat(path, &before) == 0;
    if (!there && errno == ENOENT)
        return refuse_missing(path, err);
    int fd = there ? mkostemp(beside, O_CLOEXEC) : -1;
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot write beside '%s'", path);
    bool written = io_write_all(fd, span_from(text)) == 0 &&
                   fchmod(fd, before.st_mode & 07777) == 0 && fsync(fd) == 0;
    if (close(fd) == 0 && written && rename(beside, path) == 0) {
        interrupt_settle();
        return 0;
    }
    int number = errno;
    (void)unlink(beside);
    return err_errno(err, number, "io", "cannot write '%s'", path);
}

/* ------------------------------------------------------------------ matrix refresh */

static const struct option refresh_options[] = {
    {"since", "DATE", "releases missing between the rows as well, if uploaded since this day",
     false},
    {"write", NULL, "put the rows into the files of the folder that --catalog names", false},
    {"record", "FILE", "write what was asked and answered, for --offline", false},
    {NULL, NULL, NULL, false},
};

static int refresh_all(struct data **proposals, struct session *s, const struct matrix *matrix,
                       const char *framework, struct package_index *index)
{
    size_t wanted, asked;
    bool gaps = opt_given(&s->run->options, "since");
    do {
        ARENA_SCRATCH(scratch); /* an incomplete result only tells what to ask */
        (void)matrix_refresh(&wanted, &scratch, matrix, framework, gaps, index);
        if (index_ask(&asked, index, s->err) < 0)
            return -1;
    } while (asked);
    *proposals = matrix_refresh(&wanted, &s->run->arena, matrix, framework, gaps, index);
    return 0;
}

static int writable_folder(const char **out, struct session *s)
{
    return matrix_folder(out, s, "--write", "tmplgen matrix refresh --write --catalog FOLDER");
}

static int write_rows(struct data *written, struct session *s, const struct matrix *matrix,
                      const struct data *proposals)
{
    struct arena *arena = &s->run->arena;
    const char *folder;
    struct patch *files;
    size_t count;
    if (!opt_given(&s->run->options, "write"))
        return 0;
    if (writable_folder(&folder, s) < 0 ||
        matrix_refresh_files(&files, &count, arena, matrix, proposals,
                             index_asked_on(s->live.index), s->err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, files[i].path);
        if (replace_file(path, files[i].text.ptr, s->err) < 0)
            return -1;
        data_push(arena, written, data_str(arena, path));
        cmd_say(s->run, "wrote %s", path);
    }
    return 0;
}

static int tell(struct session *s, struct data *proposals, struct data *written)
{
    struct run *run = s->run;
    BUF_SCRATCH(text, LIMIT_MIB);
    cmd_tell(run, FIELD("index", s->live.name), FIELD("proposals", proposals),
             FIELD("written", written));
    (void)matrix_refresh_table(&text, proposals);
    cmd_print(run, "%s", proposals->list.count ? buf_text(&text) : "nothing new\n");
    if (index_check(s->live.index, s->err) == 0 && index_check_any(s->live.index, s->err) == 0)
        return TG_OK;
    run->document = data_map(&run->arena); /* with failed questions there is no result */
    return -1;
}

static int matrix_refresh_run(struct run *run, struct err *err)
{
    struct session session, *s = &session;
    struct matrix *matrix;
    struct data *proposals, *written = data_list(&run->arena);
    const char *folder, *framework = cmd_argument(run, NULL);
    if (matrix_session_open(s, run, err) < 0 ||
        (opt_given(&run->options, "write") && writable_folder(&folder, s) < 0) ||
        matrix_load_around(&matrix, &run->arena, s->run->catalog->files, s->overlay, framework,
                           s->err) < 0 ||
        live_open(&s->live, run, s->err) < 0 ||
        refresh_all(&proposals, s, matrix, framework, s->live.index) < 0 ||
        live_record(&s->live, run, s->err) < 0 || write_rows(written, s, matrix, proposals) < 0)
        return -1;
    return tell(s, proposals, written);
}

const struct command matrix_refresh_command = {
    .name = "matrix refresh",
    .usage = "[FRAMEWORK|PACKAGE]",
    .summary = "Propose rows for releases that the package index has and the matrix has not.",
    .details = "Each row comes with its evidence and a stated confidence; what the index does not "
               "prove is left out. Nothing is written but with --write, and only into a folder "
               "whose files agree with each other with the new rows.",
    .options =
        OPTIONS({"What", refresh_options}, {"Index", live_options}, {"How", matrix_source_options}),
    .max_arguments = 1,
    .run = matrix_refresh_run};

/* ------------------------------------------------------------------ matrix accept */

#define LIKE "tmplgen matrix accept pytorch==2.15.0 --catalog FOLDER"

static const struct option accept_options[] = {
    {"variant", "V", "this build alone, and the release", false},
    {"confidence", "medium|high", "what they are lifted to (default: medium)", false},
    {NULL, NULL, NULL, false},
};

static const struct option where_options[] = {
    {"catalog", "FOLDER", "the catalog whose file is changed", false},
    {NULL, NULL, NULL, false},
};

static int read_words(struct acceptance *out, struct session *s)
{
    struct run *run = s->run;
    const char *word = cmd_argument(run, "");
    const char *equals = strstr(word, "==");
    const char *confidence = opt_value(&run->options, "confidence");
    if (!equals || equals == word || !equals[2]) {
        (void)err_set(s->err, TG_USAGE, "usage",
                      "one release is accepted: FRAMEWORK==VERSION or PACKAGE==VERSION");
        return err_hint(s->err, LIKE);
    }
    if (confidence && !str_equal(confidence, "medium") && !str_equal(confidence, "high"))
        return err_set(s->err, TG_USAGE, "usage", "--confidence: '%s' is neither medium nor high",
                       confidence);
    *out =
        (struct acceptance){.framework = arena_memdup(&run->arena, word, (size_t)(equals - word)),
                            .version = equals + 2,
                            .variant = opt_value(&run->options, "variant"),
                            .confidence = confidence ? confidence : "medium"};
    return 0;
}

static void tell_lifted(struct session *s, const struct acceptance *a, struct data *lifted,
                        const char *path)
{
    struct run *run = s->run;
    cmd_tell(run, FIELD("framework", a->framework), FIELD("release", a->version),
             FIELD("confidence", a->confidence), FIELD("lifted", lifted), FIELD("written", path));
    for (size_t i = 0; i < lifted->list.count; i++) {
        const struct data *row = lifted->list.items[i];
        const char *variant = data_text(data_get(row, "variant"));
        cmd_print(run, "%s:%lld: %s %s%s%s: %s -> %s\n", path,
                  (long long)data_get(row, "line")->integer, data_text(data_get(row, "kind")),
                  data_text(data_get(row, "releases")), variant ? " " : "", variant ? variant : "",
                  data_text(data_get(row, "was")), a->confidence);
    }
    if (!lifted->list.count)
        cmd_print(run, "nothing to lift: the rows of %s %s are as sure as that\n", a->framework,
                  a->version);
}

static int matrix_accept_run(struct run *run, struct err *err)
{
    struct session session, *s = &session;
    struct acceptance acceptance;
    struct matrix *matrix;
    struct data *lifted;
    const char *folder, *text, *path = NULL;
    if (matrix_session_open(s, run, err) < 0 || read_words(&acceptance, s) < 0 ||
        matrix_folder(&folder, s, "accept", LIKE) < 0 ||
        matrix_load_around(&matrix, &run->arena, s->run->catalog->files, span_of("", 0),
                           acceptance.framework, s->err) < 0 ||
        matrix_accept(&lifted, &text, &run->arena, matrix, &acceptance, s->err) < 0)
        return -1;
    if (lifted->list.count) {
        path = arena_printf(&run->arena, "%s/%s", folder,
                            matrix_file_of(&run->arena, matrix, acceptance.framework));
        if (replace_file(path, text, s->err) < 0)
            return -1;
    }
    tell_lifted(s, &acceptance, lifted, path);
    return TG_OK;
}

const struct command matrix_accept_command = {
    .name = "matrix accept",
    .schema = "accept",
    .usage = "FRAMEWORK==VERSION|PACKAGE==VERSION",
    .summary = "Mark a release's rows as reviewed, which lifts their confidence.",
    .details = "Rows of low confidence are chosen only when they are named exactly. Nothing but "
               "the words of the confidence is changed in the file, and only where all files agree "
               "with each other afterwards. A row that several releases share is lifted for all.",
    .options = OPTIONS({"What", accept_options}, {"Where", where_options}),
    .max_arguments = 1,
    .run = matrix_accept_run};
