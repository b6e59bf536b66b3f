/* `doctor`: this host's GPU call stack, layer by layer, and what of the matrix runs on it. */
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "child/record.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "data/json.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"
#include "smoke/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_FILE ".tmplgen.yml"
#define COLUMNS 78
#define TITLE_WIDTH 7
#define WORDS_MAX 64

/* Passed to gpu-smoke unchanged. */
static const struct option run_options[] = {
    {"level", "quick|medium|long", "how much is run (default: quick)", false},
    {"timeout", "SECONDS", "give up on vendor code then (default: 20, 120, 1800)", false},
    {"share", "N", "then N processes at once on the first GPU: what each of them gets", false},
    {"require-gpu", NULL, "no GPU is an error (10), not 'skipped' (77)", false},
    {"expect", "FILE", "what was promised, KEY: VALUE: driver cuda gpu gpus ...", false},
    {NULL, NULL, NULL, false},
};

static const struct option other_options[] = {
    {"root", "DIR|TAR", "diagnose a captured machine (.tar or .tar.gz), and run nothing", false},
    {"load", NULL, "with --root: load its libraries all the same", false},
    {"capture", "FILE.tar[.gz]", "write what was looked at, for --root elsewhere", false},
    {"explain", "TEXT|CODE|-|@FILE", "explain an error or a log (-: standard input), offline",
     false},
    {"junit", "FILE", "write a JUnit report too", false},
    {"redact", NULL, "hide UUIDs and the host's name, in a capture too", false},
    {NULL, NULL, NULL, false},
};

/* One run: the arguments for gpu-smoke, its output, and the machine. */
struct doctor {
    struct run *run;
    char *words[WORDS_MAX];
    int word_count;
    char *unpacked; /* our folder with the root, or NULL */
    char *text, *complaints;
    struct smoke_machine machine;
    struct err *err;
};

/* ------------------------------------------------------------------ the root */

/* Unpacks a root that is a tar into a folder of ours. */
static int unpack_root(struct doctor *d, const char **root)
{
    const char *temporary = getenv("TMPDIR");
    struct stat st;
    tar_error error;
    if (stat(*root, &st) != 0)
        return err_set(d->err, TG_USAGE, "usage", "--root '%s': %s", *root, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return 0;
    if (opt_given(&d->run->options, "load")) {
        err_set(d->err, TG_USAGE, "usage",
                "--load does not go with a tar: it holds no whole library");
        return err_hint(d->err, "leave out --load");
    }
    char *folder = arena_printf(&d->run->arena, "%s/tmplgen-doctor-XXXXXX",
                                temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return err_errno(d->err, errno, "io", "a folder for the root, '%s'", folder);
    d->unpacked = folder;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? err_errno(d->err, errno, "io", "'%s'", folder) : 0;
    if (!rc && tar_unpack(*root, fd, error) < 0) {
        err_set(d->err, TG_USAGE, "invalid", "%s", error);
        rc = err_hint(d->err, "give a folder, or a tar that 'tmplgen doctor --capture' made");
    }
    if (fd >= 0)
        close(fd);
    *root = folder;
    return rc;
}

/* ------------------------------------------------------------------ the run of gpu-smoke */

static void add_word(struct doctor *d, const char *text)
{
    if (d->word_count < WORDS_MAX)
        d->words[d->word_count++] = arena_strdup(&d->run->arena, text);
}

static int add_words(struct doctor *d)
{
    add_word(d, "gpu-smoke");
    if (d->run->json)
        add_word(d, "--json");
    for (size_t i = 0; i < d->run->options.count; i++) {
        const struct option_value *value = &d->run->options.values[i];
        const char *text = value->text;
        bool ours = value->option >= run_options &&
                    value->option < run_options + sizeof run_options / sizeof *run_options;
        ours |= value->option >= other_options &&
                value->option < other_options + sizeof other_options / sizeof *other_options;
        if (!ours || str_equal(value->option->name, "capture"))
            continue;
        if (str_equal(value->option->name, "root") && unpack_root(d, &text) < 0)
            return -1;
        add_word(d, arena_printf(&d->run->arena, "--%s%s%s", value->option->name, text ? "=" : "",
                                 text ? text : ""));
    }
    return 0;
}

/* Message and hint of a failure, as gpu-smoke has them. */
static int smoke_failed(const struct doctor *d, int code)
{
    static const char prefix[] = "gpu-smoke: ";
    const char *text = d->complaints && str_starts(d->complaints, prefix)
                           ? d->complaints + strlen(prefix)
                           : "out of memory";
    int message = (int)strcspn(text, "\n");
    const char *hint = text + message + strspn(text + message, "\n ");
    err_set(d->err, code == TG_USAGE ? TG_USAGE : TG_RUNTIME, code == TG_USAGE ? "usage" : "smoke",
            "%.*s", message, text);
    if (!*hint || strstr(hint, "--help"))
        return err_hint(d->err, "see `tmplgen help doctor`");
    return err_hint(d->err, "%.*s", (int)strcspn(hint, "\n"), hint);
}

static int run_smoke(struct doctor *d)
{
    size_t size = 0, complaint_size = 0;
    tar_error error;
    FILE *out = open_memstream(&d->text, &size);
    FILE *complaints = open_memstream(&d->complaints, &complaint_size);
    int rc = TG_RUNTIME;
    if (out && complaints)
        rc = smoke_doctor(&d->machine, d->word_count, d->words,
                          opt_value(&d->run->options, "capture"), out, complaints, error);
    if (complaints && fclose(complaints))
        rc = TG_RUNTIME;
    if (out && fclose(out))
        rc = TG_RUNTIME;
    if (rc < 0)
        return err_set(d->err, TG_RUNTIME, "io", "%s", error);
    if (opt_given(&d->run->options, "capture") || opt_given(&d->run->options, "junit"))
        interrupt_settle(); /* the report is written */
    return rc == TG_RUNTIME || rc == TG_USAGE ? smoke_failed(d, rc) : rc;
}

/* Makes the report's members the document's; main adds `schema` and `exit` itself. */
static int take_document(const struct doctor *d)
{
    struct data *report;
    struct arena *arena = &d->run->arena;
    if (!d->run->json)
        return 0;
    if (json_parse(&report, arena, "the report", span_from(d->text), d->err) < 0)
        return -1;
    for (size_t i = 0; i < report->map.count; i++) {
        const struct data_member *member = &report->map.members[i];
        if (!span_equal(member->name, span_from("schema")) &&
            !span_equal(member->name, span_from("exit")))
            data_put_span(arena, d->run->document, member->name, member->value);
    }
    return 0;
}

/* ------------------------------------------------------------------ the matrix */

static struct machine machine_of(struct doctor *d)
{
    struct machine_gpu *gpus = arena_array(&d->run->arena, d->machine.gpu_count + 1, sizeof *gpus);
    for (size_t i = 0; i < d->machine.gpu_count; i++)
        gpus[i] =
            (struct machine_gpu){d->machine.gpus[i].name, d->machine.gpus[i].compute_capability};
    return (struct machine){d->machine.driver, d->machine.arch, gpus, d->machine.gpu_count};
}

/* Reads the record of the current folder, if it has one with a stack. */
static int read_child(struct doctor *d, struct record *record, bool *found)
{
    struct span text;
    *found = false;
    if (access(RECORD_FILE, F_OK) != 0)
        return 0;
    if (io_read(&text, &d->run->arena, AT_FDCWD, RECORD_FILE, LIMIT_DOCUMENT_BYTES, d->err) < 0 ||
        record_parse(record, &d->run->arena, RECORD_FILE, text, d->err) < 0)
        return -1;
    *found = record->resolution != NULL;
    return 0;
}

static struct data *child_data(struct doctor *d, const struct matrix *matrix,
                               const struct record *record)
{
    struct arena *arena = &d->run->arena;
    const struct machine machine = machine_of(d);
    const struct data *judged = NULL;
    if (matrix)
        judged = matrix_runs_stack(arena, matrix, &machine, record->resolution, record->request);
    return data_of(
        arena, FIELD("record", RECORD_FILE),
        FIELD("framework", data_copy(arena, data_get(record->resolution, "framework"))),
        FIELD("variant",
              data_copy(arena, data_get(data_get(record->resolution, "cuda"), "variant"))),
        FIELD("runs", judged ? data_get(judged, "runs") : data_null(arena)),
        FIELD("relies_on", judged ? data_get(judged, "relies_on") : data_null(arena)),
        FIELD("because", judged ? data_get(judged, "because")
                                : data_str(arena, "the driver's version is not known here")));
}

/* Adds the matrix's verdict on a machine whose driver is known; else `matrix` is null. */
static int add_matrix(struct doctor *d, struct span overlay)
{
    struct run *run = d->run;
    struct matrix *matrix = NULL;
    struct record record;
    struct data *runs;
    const struct machine machine = machine_of(d);
    bool is_child;
    if (*machine.driver) {
        if (matrix_load(&matrix, &run->arena, run->catalog->files, overlay, NULL, d->err) < 0 ||
            matrix_runs(&runs, &run->arena, matrix, &machine, d->err) < 0)
            return -1;
        cmd_tell(run, FIELD("matrix", runs));
    }
    if (read_child(d, &record, &is_child) < 0)
        return -1;
    if (is_child)
        cmd_tell(run, FIELD("child", child_data(d, matrix, &record)));
    return 0;
}

static int open_matrix(struct doctor *d)
{
    struct span overlay;
    if (cmd_config(d->run, d->err) < 0 || matrix_overlay(&overlay, d->run, d->err) < 0 ||
        cmd_open_catalog(d->run, d->err) < 0)
        return -1;
    return add_matrix(d, overlay);
}

/* A matrix or record that the user did not name must not stop a report on the machine. */
static int consult_matrix(struct doctor *d)
{
    struct run *run = d->run;
    const struct parsed *options = &run->options;
    cmd_tell(run, FIELD("matrix", data_null(&run->arena)), FIELD("child", data_null(&run->arena)));
    if (open_matrix(d) == 0)
        return 0;
    if (opt_given(options, "catalog") || opt_given(options, "overlay"))
        return -1;
    struct data *warnings = data_get(run->document, "warnings");
    const char *file = d->err->where.file, *text = d->err->message;
    text = arena_printf(&run->arena, "not all of the matrix is here: %s%s%s", file ? file : "",
                        file ? ": " : "", text);
    cmd_warn(run, "%s", text);
    if (warnings)
        data_push(&run->arena, warnings, data_str(&run->arena, text));
    err_release(d->err);
    *d->err = (struct err)ERR_INIT;
    return 0;
}

/* ------------------------------------------------------------------ words for people */

/* Prints a title, and a text wrapped at blanks. */
static void print_wrapped(struct run *run, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void print_wrapped(struct run *run, const char *title, const char *format, ...)
{
    BUF_SCRATCH(lines, LIMIT_MIB);
    va_list args;
    va_start(args, format);
    const char *text = cmd_masked(run, arena_vprintf(&run->arena, format, args));
    va_end(args);
    (void)buf_printf(&lines, "%-*s", TITLE_WIDTH, title);
    wrap_text(&lines, text, TITLE_WIDTH, TITLE_WIDTH, COLUMNS);
    cmd_print(run, "%s", buf_text(&lines));
}

static void print_summary(struct run *run, const struct data *matrix)
{
    const struct data *request = data_get(matrix, "request");
    const char *gpus = data_join(&run->arena, data_get(request, "gpu"), NULL);
    const char *unknown = data_join(&run->arena, data_get(matrix, "unknown_gpus"), NULL);
    long long forward = (long long)data_get(matrix, "forward")->integer;
    const char *more =
        forward
            ? arena_printf(&run->arena, ", %lld more with a forward-compatibility package", forward)
            : "";
    print_wrapped(run, "matrix", "driver %s, %s: %lld of %lld builds run here%s%s%s",
                  data_shown(request, "driver"), *gpus ? gpus : "GPU not known",
                  (long long)data_get(matrix, "runs")->integer,
                  (long long)data_get(matrix, "rows")->integer, more,
                  *unknown ? "; not in the matrix: " : "", unknown);
}

static void print_images(struct run *run, const struct data *matrix)
{
    const struct data *images = data_get(matrix, "images");
    for (size_t i = 0; i < images->list.count && i < 2; i++) {
        const struct data *image = images->list.items[i];
        print_wrapped(run, i ? "" : "image", "%s: %s", data_shown(image, "image"),
                      data_join(&run->arena, data_get(image, "frameworks"), NULL));
    }
}

/* Prints only the next branch that allows more. */
static void print_newer(struct run *run, const struct data *matrix)
{
    const struct data *newer = data_get(matrix, "newer_drivers");
    const char *text = "";
    if (!newer->list.count)
        return;
    const struct data *branch = newer->list.items[0], *opens = data_get(branch, "opens");
    for (size_t i = 0; i < opens->list.count; i++)
        text = arena_printf(&run->arena, "%s%s%s %s %s", text, i ? ", " : ": ",
                            data_shown(opens->list.items[i], "framework"),
                            data_shown(opens->list.items[i], "version"),
                            data_shown(opens->list.items[i], "variant"));
    print_wrapped(run, "newer", "driver %s (CUDA %s) opens %lld builds more%s",
                  data_shown(branch, "driver"), data_shown(branch, "cuda"),
                  (long long)data_get(branch, "more_rows")->integer, text);
}

static void print_child(struct run *run, const struct data *child)
{
    const struct data *framework = data_get(child, "framework"), *runs = data_get(child, "runs");
    const char *because = data_shown(child, "because"), *relies = data_shown(child, "relies_on");
    const char *variant = data_shown(child, "variant");
    const char *verdict = runs->kind != DATA_BOOL ? "cannot be judged"
                          : runs->boolean         ? "runs on this host"
                                                  : "does not run on this host";
    print_wrapped(run, "child", "%s %s%s%s %s%s%s%s%s", data_shown(framework, "name"),
                  data_shown(framework, "version"), *variant ? " " : "", variant, verdict,
                  *because ? ": " : "", because, *relies ? ", driver: " : "", relies);
}

/* With a finding the report fills the screen: then prints only the short parts. */
static void print_report(const struct doctor *d, int code)
{
    struct run *run = d->run;
    const struct data *matrix = data_get(run->document, "matrix"),
                      *child = data_get(run->document, "child");
    cmd_print(run, "%s", d->text);
    if (matrix && matrix->kind == DATA_MAP) {
        print_summary(run, matrix);
        if (code == TG_OK || run->verbose) {
            print_images(run, matrix);
            print_newer(run, matrix);
        }
    }
    if (child && child->kind == DATA_MAP)
        print_child(run, child);
}

/* ------------------------------------------------------------------ the command */

static int diagnose(struct doctor *d)
{
    bool explains = opt_given(&d->run->options, "explain");
    d->run->document = data_map(&d->run->arena);
    if (explains) { /* the same command, but its document is another */
        struct command *form = arena_alloc(&d->run->arena, sizeof(*form));
        *form = doctor_command;
        form->schema = "explain@2";
        d->run->command = form;
    }
    int code = add_words(d) < 0 ? -1 : run_smoke(d);
    if (code < 0 || take_document(d) < 0)
        return -1;
    if (!explains && consult_matrix(d) < 0)
        return -1;
    print_report(d, code);
    return code;
}

static int doctor_run(struct run *run, struct err *err)
{
    struct doctor d = {.run = run, .err = err};
    if (opt_given(&run->options, "explain") && opt_given(&run->options, "capture")) {
        (void)err_set(err, TG_USAGE, "usage", "--explain looks at no machine: nothing to capture");
        return err_hint(err, "leave out one of --explain and --capture");
    }
    int code = diagnose(&d);
    if (d.unpacked)
        io_remove(AT_FDCWD, d.unpacked);
    free(d.text);
    free(d.complaints);
    return code;
}

#define DETAILS                                                                                    \
    "Walks the call stack from the hardware up and names the first layer that is broken: what, "   \
    "why, what to do. Driver code runs only in child processes under a watchdog. Then: which "     \
    "builds of the matrix this driver and these GPUs run, which image to take, what a newer "      \
    "driver would open, and in a child whether its own stack runs here.\n\n"                       \
    "Exit codes: 0 all layers work; 10 hw, kmod; 11 devnodes; 12 inject; 13 libcuda; 14 init; "    \
    "15 jit; 16 exec, bandwidth; 17 sharing; 18 health; 19 toolkit, framework; 77 no GPU here."

const struct command doctor_command = {
    .name = "doctor",
    .schema = "smoke",
    .usage = "[options]",
    .summary = "Name the broken layer of this host's GPU call stack, and the fix.",
    .details = DETAILS,
    .options = OPTIONS({"Test", run_options}, {"Machine and report", other_options},
                       {"Matrix", matrix_source_options}),
    .run = doctor_run};
