/* Base images on the command line: shared by the `image` commands. */
#include "cmd/image/image_session.h"

#include "base/shell.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "cmd/project/choices.h"
#include "data/document.h"
#include "image/image_rows.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PLAN_FILE "images.yml"
/* A registry answers one question in some 20 ms, most of which is network time. */
#define QUESTIONS_AT_ONCE 32

const struct option image_row_options[] = {
    {"plan", "FILE", "the rows of this plan (default: images.yml, where there is one)", false},
    {"only", "IMAGE:TAG", "this row of them", true},
    {"registry", "HOST/PATH", "where the images go (default: the plan's, the configuration's)",
     false},
    {NULL, NULL, NULL, false},
};

const struct option image_registry_options[] = {
    {"mirror", "HOST[/PATH]", "where Docker Hub's images are looked for instead", false},
    {"timeout", "SECONDS", "how long a question may take (default 120)", false},
    {NULL, NULL, NULL, false},
};

const struct option image_lock_options[] = {
    {"lock", "FILE", "digests of base images (default: base-images.lock.yml beside the plan)",
     false},
    {NULL, NULL, NULL, false},
};

/* The lock file's path: beside the plan; without a plan in the working folder. */
static const char *lock_path(struct run *run, const char *plan)
{
    const char *named = opt_value(&run->options, "lock");
    const char *slash = plan ? strrchr(plan, '/') : NULL;
    if (named || !slash)
        return named ? named : LOCK_FILE;
    return arena_printf(&run->arena, "%.*s" LOCK_FILE, (int)(slash + 1 - plan), plan);
}

/* A named lock must exist, unless this run makes it: a mistyped name would pin nothing. */
static int load_lock(struct image_session *s, const char *plan)
{
    struct run *run = s->run;
    const char *named = opt_value(&run->options, "lock");
    if (!named || s->work & IMAGE_LOCKS || access(named, F_OK) == 0 || errno != ENOENT)
        return lock_load(&s->lock, &run->arena, lock_path(run, plan), s->err);
    (void)err_set(s->err, TG_USAGE, "no-lock", "the lock file '%s' is not there", named);
    return err_hint(
        s->err, "%s makes it",
        shell_command(&run->arena, "tmplgen image lock --lock %s", shell_path(&run->arena, named)));
}

static int not_a_name(const struct image_session *s, const char *text)
{
    (void)err_set(s->err, TG_USAGE, "unknown-image", "'%s' is no name of an image", text);
    struct arena *arena = &s->run->arena;
    return s->work & IMAGE_LOCKS
               ? err_hint(s->err, "--update asks again for a base image: %s",
                          shell_command(arena, "--update %s", text))
               : err_hint(s->err, "a row is picked by %s", shell_command(arena, "--only %s", text));
}

/* Splits the arguments: names of images have no ':', a named base has a tag. */
static int split_arguments(struct image_session *s)
{
    const struct parsed *options = &s->run->options;
    const char **names = arena_array(&s->run->arena, options->argument_count + 1, sizeof(*names));
    size_t count = 0;
    s->references = data_list(&s->run->arena);
    for (size_t i = 0; i < options->argument_count; i++) {
        const char *text = options->arguments[i];
        if (!strchr(text, ':'))
            names[count++] = text;
        else if (image_refuse_user(text, "unknown-image", s->err) < 0)
            return -1;
        else if (opt_given(options, "update"))
            data_push(&s->run->arena, s->references, data_str(&s->run->arena, text));
        else
            return not_a_name(s, text);
    }
    s->selection.images = (struct words){names, count};
    return 0;
}

static int choose_registry(struct image_session *s)
{
    const char *said = opt_value(&s->run->options, "registry");
    s->selection.registry = said                           ? said
                            : s->plan && s->plan->registry ? s->plan->registry
                                                           : s->run->config.registry;
    if (s->selection.registry && !*s->selection.registry)
        s->selection.registry = NULL;
    return s->selection.registry && said ? plan_check_registry(said, s->err) : 0;
}

/* A build here is for this machine's processor: another's would get the row's name, too. */
static int check_processor(struct image_session *s, const struct image_row *row)
{
    struct arena *arena = &s->run->arena;
    const char *arch, *here = image_this_platform(arena, &arch);
    struct data *platforms;
    if (image_row_platforms(&platforms, arena, &s->selection, row, s->err) < 0)
        return -1;
    if (data_has_text(platforms, here))
        return 0;
    (void)err_set(s->err, TG_USAGE, "other-processor", "%s is for %s, and this machine is %s",
                  row->name,
                  platforms->list.count ? data_join(arena, platforms, NULL) : "no platform", here);
    if (!arch || request_text(&row->request, CHOICE_ARCH))
        return err_hint(s->err, "`tmplgen image bake` builds for others");
    return err_hint(s->err,
                    "'arch: %s' in the request of its row (%s) makes it one for this "
                    "machine; `tmplgen image bake` builds for others",
                    arch, shell_command(arena, "--arch %s", arch));
}

static void warn_once(struct image_session *s, struct data *told, const char *text)
{
    if (data_has_text(told, text))
        return;
    cmd_warn(s->run, "%s", text);
    data_push(&s->run->arena, told, data_str(&s->run->arena, text));
}

/* `verify` reports this itself; `lock` and `push` make nothing. */
static void warn_of_bases(struct image_session *s)
{
    static const char *const codes[] = {"image-eol", "image-superseded", "image-unknown",
                                        "image-unseen", "image-holds"};
    struct data *told = data_list(&s->run->arena);
    if (!(s->work & IMAGE_USES_BASES))
        return;
    for (size_t i = 0; i < s->count; i++) {
        const struct data *notes = data_get(s->rows[i].resolution, "notes");
        if (!data_get_text(data_get(s->rows[i].resolution, "cuda"), "version"))
            continue; /* no CUDA: its base affects no GPU */
        for (size_t j = 0; notes && j < notes->list.count; j++)
            if (str_is_among(data_get_text(notes->list.items[j], "code"), codes,
                             sizeof codes / sizeof *codes))
                warn_once(s, told, data_shown(notes->list.items[j], "text"));
    }
}

/* Exit 4 comes with the matrix's refusal. */
static int resolve_rows(struct image_session *s)
{
    struct data *refusal = NULL;
    if (image_rows(&s->rows, &s->count, &refusal, &s->run->arena, &s->selection, s->err) < 0) {
        if (refusal)
            cmd_refuse(s->run, refusal);
        return -1;
    }
    for (size_t i = 0; s->work & IMAGE_BUILDS_HERE && i < s->count; i++)
        if (check_processor(s, &s->rows[i]) < 0)
            return -1;
    warn_of_bases(s);
    return 0;
}

int image_open(struct image_session *s, struct run *run, unsigned work, struct err *err)
{
    struct session session;
    const char *path;
    *s = (struct image_session){.run = run, .work = work, .err = err};
    if (matrix_session_open(&session, run, err) < 0)
        return -1;
    s->selection.catalog = run->catalog;
    s->selection.overlay = session.overlay;
    if (split_arguments(s) < 0)
        return -1;
    s->selection.only = opt_values(&run->arena, &run->options, "only");
    s->selection.request = choices_said(&s->request, run) ? &s->request : NULL;
    const char *named = opt_value(&run->options, "plan");
    path = named || access(PLAN_FILE, F_OK) < 0 ? named : PLAN_FILE;
    if (s->selection.request && named)
        return err_set(err, TG_USAGE, "usage", "--plan does not go with options of the stack");
    if (path && plan_load(&s->plan, &run->arena, path, err) < 0)
        return -1;
    /* A row that the user asks for ignores the plan's rows, but goes to the plan's registry. */
    s->selection.plan = s->selection.request ? NULL : s->plan;
    if (choose_registry(s) < 0 || load_lock(s, path) < 0)
        return -1;
    return resolve_rows(s);
}

const char *image_mirror(const struct run *run)
{
    const char *said = opt_value(&run->options, "mirror");
    return said ? said : run->config.mirror;
}

const char *image_marks(const struct image_session *s)
{
    return cmd_user_path(&s->run->arena, "XDG_CACHE_HOME", ".cache", "tmplgen/rendered");
}

int image_registry(struct registry **out, struct run *run, struct err *err)
{
    if (live_http(run, NULL, QUESTIONS_AT_ONCE, err) < 0 || cmd_config(run, err) < 0 ||
        registry_open(out, &run->arena, run->http, err) < 0)
        return -1;
    return registry_set_mirror(*out, image_mirror(run), err);
}
