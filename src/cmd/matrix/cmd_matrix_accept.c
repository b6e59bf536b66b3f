/* `matrix accept`: a person has looked at a row, and says so. */
#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_folder.h"
#include "cmd/matrix/matrix_session.h"
#include "data/data.h"
#include "matrix/matrix.h"
#include "package_index/refresh.h"

#include <string.h>

#define LIKE "tmplgen matrix accept pytorch==2.15.0 --catalog FOLDER"

static const struct option what_options[] = {
    {"variant", "V", "this build alone, and the release", false},
    {"confidence", "WORD", "what they are lifted to: medium (default) or high", false},
    {NULL, NULL, NULL, false},
};

static const struct option where_options[] = {
    {"catalog", "FOLDER", "the catalog whose file is changed", false},
    {NULL, NULL, NULL, false},
};

static int read_words(struct acceptance *out, struct session *s)
{
    struct run *run = s->run;
    const char *word = run->options.argument_count ? run->options.arguments[0] : "";
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

static void tell(struct session *s, const struct acceptance *a, struct data *lifted,
                 const char *path)
{
    struct run *run = s->run;
    data_put_text(&run->arena, run->document, "framework", a->framework);
    data_put_text(&run->arena, run->document, "release", a->version);
    data_put_text(&run->arena, run->document, "confidence", a->confidence);
    data_put(&run->arena, run->document, "lifted", lifted);
    data_put_text(&run->arena, run->document, "written", path);
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

static int accept_rows(struct session *s)
{
    struct run *run = s->run;
    struct acceptance acceptance;
    struct matrix *matrix;
    struct data *lifted;
    const char *folder, *text, *path = NULL;
    if (read_words(&acceptance, s) < 0 || matrix_folder(&folder, s, "accept", LIKE) < 0 ||
        matrix_load_around(&matrix, &run->arena, s->catalog->files, span_of("", 0),
                           acceptance.framework, s->err) < 0 ||
        matrix_accept(&lifted, &text, &run->arena, matrix, &acceptance, s->err) < 0)
        return -1;
    if (lifted->list.count) {
        path = arena_printf(&run->arena, "%s/%s", folder,
                            matrix_file_of(&run->arena, matrix, acceptance.framework));
        if (matrix_replace_file(path, text, s->err) < 0)
            return -1;
    }
    tell(s, &acceptance, lifted, path);
    return TG_OK;
}

static int matrix_accept_run(struct run *run, struct err *err)
{
    return matrix_in_session(run, accept_rows, err);
}

static const struct option_group groups[] = {
    {"What", what_options},
    {"Where", where_options},
    {"Output", common_options},
    {NULL, NULL},
};

const struct command matrix_accept_command = {
    .name = "matrix accept",
    .schema = "accept",
    .usage = "FRAMEWORK==VERSION|PACKAGE==VERSION",
    .summary = "Lift the confidence of a release's rows that you have looked at.",
    .details = "Rows of low confidence are chosen only when they are named exactly. Nothing but "
               "the words of the confidence is changed in the file, and only where all files agree "
               "with each other afterwards. A row that several releases share is lifted for all.",
    .options = groups,
    .max_arguments = 1,
    .run = matrix_accept_run};
