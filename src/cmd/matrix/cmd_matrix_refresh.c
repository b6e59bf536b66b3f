/* `matrix refresh`: new rows proposed from the live world, written only when told. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/matrix/live_index.h"
#include "cmd/matrix/matrix_folder.h"
#include "cmd/matrix/matrix_session.h"
#include "data/data.h"
#include "matrix/matrix.h"
#include "package_index/package_index.h"
#include "package_index/refresh.h"

static const struct option what_options[] = {
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
        ARENA_SCRATCH(scratch); /* what is not yet the answer only says what to ask */
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
        if (matrix_replace_file(path, files[i].text.ptr, s->err) < 0)
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
    data_put_text(&run->arena, run->document, "index", s->live.name);
    data_put(&run->arena, run->document, "proposals", proposals);
    data_put(&run->arena, run->document, "written", written);
    (void)matrix_refresh_table(&text, proposals);
    cmd_print(run, "%s", proposals->list.count ? buf_text(&text) : "nothing new\n");
    if (index_check(s->live.index, s->err) == 0 && index_check_any(s->live.index, s->err) == 0)
        return TG_OK;
    run->document = data_map(&run->arena); /* what could not be asked is no result */
    return -1;
}

static int refresh(struct session *s)
{
    struct run *run = s->run;
    struct matrix *matrix;
    struct data *proposals, *written = data_list(&run->arena);
    const char *folder, *framework = run->options.argument_count ? run->options.arguments[0] : NULL;
    if ((opt_given(&run->options, "write") && writable_folder(&folder, s) < 0) ||
        matrix_load_around(&matrix, &run->arena, s->catalog->files, s->overlay, framework, s->err) <
            0 ||
        live_open(&s->live, run, s->err) < 0 ||
        refresh_all(&proposals, s, matrix, framework, s->live.index) < 0 ||
        live_record(&s->live, run, s->err) < 0 || write_rows(written, s, matrix, proposals) < 0)
        return -1;
    return tell(s, proposals, written);
}

static int matrix_refresh_run(struct run *run, struct err *err)
{
    return matrix_in_session(run, refresh, err);
}

static const struct option_group groups[] = {
    {"What", what_options},
    {"Index", live_options},
    {"How", matrix_source_options},
    {"Output", common_options},
    {NULL, NULL},
};

const struct command matrix_refresh_command = {
    .name = "matrix refresh",
    .schema = "matrix-refresh",
    .usage = "[FRAMEWORK|PACKAGE]",
    .summary = "Propose rows for releases that the package index has and the matrix has not.",
    .details = "Each row comes with its evidence and a stated confidence; what the index does not "
               "prove is left out. Nothing is written but with --write, and only into a folder "
               "whose files agree with each other with the new rows.",
    .options = groups,
    .max_arguments = 1,
    .run = matrix_refresh_run};
