/* The stack of an update: the request, resolved again in the matrix of the target. */

#include "base/arena.h"
#include "child/record.h"
#include "child/team_image.h"
#include "data/document.h"
#include "matrix/matrix.h"
#include "matrix/version.h"
#include "resolver/resolver.h"
#include "update/target/update_target.h"

#include <string.h>

/* The recorded request, without the cleared choices, and with the new ones. */
static void ask_anew(struct stack_request *request, struct arena *arena,
                     const struct stack_input *input)
{
    for (size_t i = 0; i < input->unset.count; i++)
        request_say(request, arena, stack_choice_of(span_from(input->unset.items[i])), NULL);
    if (input->said)
        request_overlay(request, input->said);
}

/* "2.9" of "2.9.1". */
static const char *minor_of(struct arena *arena, const char *version)
{
    const char *dot = strchr(version, '.');
    const char *second = dot ? strchr(dot + 1, '.') : NULL;
    return second ? arena_memdup(arena, version, (size_t)(second - version)) : version;
}

struct attempt {
    bool framework, variant; /* each stays as it was */
};

/*
 * Adds the recorded framework and variant to the request where the user asks for neither. Another
 * CUDA means another variant.
 */
static struct stack_request hold(struct arena *arena, const struct stack_request *request,
                                 const struct record *recorded, struct attempt attempt)
{
    struct stack_request held = *request;
    held.asked = request;
    const struct data *framework = data_get(recorded->resolution, "framework");
    const char *name = data_text(data_get(framework, "name"));
    const char *version = data_text(data_get(framework, "version"));
    const char *variant = data_text(data_get(data_get(recorded->resolution, "cuda"), "variant"));
    const char *cuda = data_text(data_get(recorded->request, "cuda"));
    if (!name || !str_equal(request_framework(request, arena), name))
        return held;
    if (attempt.framework && version && str_equal(request_text(request, CHOICE_FRAMEWORK), name))
        request_say(&held, arena, CHOICE_FRAMEWORK,
                    arena_printf(arena, "%s==%s.*", name, minor_of(arena, version)));
    if (attempt.variant && variant && !request_text(request, CHOICE_VARIANT) &&
        str_equal(request_text(request, CHOICE_CUDA), cuda))
        request_say(&held, arena, CHOICE_VARIANT, variant);
    return held;
}

static bool same_choice(const struct stack_request *a, const struct stack_request *b,
                        enum stack_choice choice)
{
    return str_equal(request_text(a, choice), request_text(b, choice));
}

/* The note where an attempt after the first one has succeeded. */
static const char *move_note(struct attempt attempt)
{
    return attempt.framework
               ? "nothing that meets the request has the CUDA variant of before: another was taken"
           : attempt.variant
               ? "nothing that meets the request has the framework version of before: another was "
                 "taken"
               : "nothing that meets the request has the framework version or the CUDA variant of "
                 "before: others were taken";
}

static int resolve(struct carried_stack *out, struct arena *arena, const struct stack_input *input,
                   const struct stack_request *request, struct err *err)
{
    static const struct attempt attempts[] = {
        {true, true}, {true, false}, {false, true}, {false, false}};
    struct matrix *matrix;
    struct stack_request last = {0};
    const char *name = request_framework(request, arena);
    if (matrix_load(&matrix, arena, input->files, input->overlay, name, err) < 0)
        return -1;
    for (size_t i = input->upgrade ? 3 : 0; i < 4; i++) {
        struct stack_request held = hold(arena, request, input->recorded, attempts[i]);
        if (i > 0 && same_choice(&held, &last, CHOICE_FRAMEWORK) &&
            same_choice(&held, &last, CHOICE_VARIANT))
            continue;
        last = held;
        out->refusal = NULL;
        if (matrix_resolve(&out->resolution, &out->refusal, arena, matrix, &held, err) == 0) {
            err_release(err); /* of the attempts before */
            if (i > 0 && !input->upgrade)
                out->note = move_note(attempts[i]);
            return 0;
        }
        /* The matrix may no longer know the recorded variant: the user's request is not wrong. */
        bool lost =
            !same_choice(&held, request, CHOICE_VARIANT) && str_equal(err->code, "unknown-variant");
        if (err->exit != TG_UNSOLVABLE && !lost)
            return -1;
    }
    return -1;
}

int stack_make(struct carried_stack *out, struct arena *arena, const struct stack_input *input,
               struct err *err)
{
    struct stack_request request = {0};
    const struct record *recorded = input->recorded;
    *out = (struct carried_stack){0};
    if (recorded->request && stack_request_parse(&request, arena, recorded->request, err) < 0)
        return -1;
    ask_anew(&request, arena, input);
    request.need = input->need;
    if (!request_text(&request, CHOICE_FRAMEWORK)) {
        (void)err_set(err, TG_USAGE, "missing-answer", "the framework is missing");
        return err_hint(err, "--set framework=NAME names it");
    }
    out->request = stack_request_data(arena, &request);
    if (input->keep && recorded->request && recorded->resolution &&
        data_equal(out->request, recorded->request)) {
        out->resolution = team_image_drop(arena, data_copy(arena, recorded->resolution));
        return 0;
    }
    return resolve(out, arena, input, &request, err);
}

int stack_refuse(const struct stack_input *input, const char *type, struct err *err)
{
    const char *first = input->unset.count ? input->unset.items[0] : NULL;
    for (enum stack_choice i = 0; !first && input->said && i < CHOICE_COUNT; i++)
        if (input->said->said[i].count)
            first = stack_options[i].name;
    if (!first)
        return 0;
    return err_set(err, TG_USAGE, "usage", "the type '%s' has no stack: '--set %s' means nothing",
                   type, first);
}

/* ---------------------------------------------------------------- changes */

static const struct data *at(const struct data *map, const char *one, const char *two)
{
    const struct data *value = map ? data_get(map, one) : NULL;
    return value && two ? data_get(value, two) : value;
}

/* The image that the Dockerfile starts from. */
static const char *image_of(struct arena *arena, const struct data *resolution)
{
    const char *from = at(resolution, TEAM_IMAGE, NULL) ? TEAM_IMAGE : "image";
    const char *repository = data_text(at(resolution, from, "repository"));
    const char *tag = data_text(at(resolution, from, "tag"));
    return repository ? arena_printf(arena, "%s:%s", repository, tag ? tag : "") : NULL;
}

static void add_change(struct data *list, struct arena *arena, const char *what, const char *from,
                       const char *to)
{
    if (str_equal(from, to))
        return;
    data_push(arena, list,
              data_of(arena, FIELD("what", data_str(arena, what)),
                      FIELD("from", data_str(arena, from)), FIELD("to", data_str(arena, to))));
}

static void compare_companions(struct data *list, struct arena *arena, const struct data *before,
                               const struct data *after)
{
    const struct data *old = at(before, "companions", NULL), *new = at(after, "companions", NULL);
    for (size_t i = 0; new &&new->kind == DATA_MAP &&i < new->map.count; i++) {
        const char *name = new->map.members[i].name.ptr;
        add_change(list, arena, name, old ? data_text(data_get(old, name)) : NULL,
                   data_text(new->map.members[i].value));
    }
    for (size_t i = 0; old && old->kind == DATA_MAP && i < old->map.count; i++) {
        const char *name = old->map.members[i].name.ptr;
        if (!new || !data_get(new, name))
            add_change(list, arena, name, data_text(old->map.members[i].value), NULL);
    }
}

struct data *stack_changes(struct arena *arena, const struct data *before, const struct data *after)
{
    static const struct {
        const char *what, *one, *two;
    } texts[] = {{"framework", "framework", "name"},
                 {"version", "framework", "version"},
                 {"python", "python", NULL},
                 {"cuda", "cuda", "version"},
                 {"variant", "cuda", "variant"},
                 {"supply", "cuda", "supply"},
                 {"cudnn", "cudnn", NULL},
                 {"driver", "driver", "minimum"},
                 {"arch", "arch", NULL},
                 {"index_url", "index_url", NULL}};
    struct data *list = data_list(arena);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        add_change(list, arena, texts[i].what, data_text(at(before, texts[i].one, texts[i].two)),
                   data_text(at(after, texts[i].one, texts[i].two)));
    add_change(list, arena, "image", image_of(arena, before), image_of(arena, after));
    compare_companions(list, arena, before, after);
    return list;
}
