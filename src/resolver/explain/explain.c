/* Words for people: for a resolution, for a refusal, and for the reasons. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/shell.h"
#include "data/document.h"
#include "resolver/resolver.h"

#include <string.h>

#define LINES_MAX 8   /* of one list; the rest is only counted */
#define PASSED_MAX 12 /* the same for builds that were passed over */
/* A refusal should be readable at a glance: with message and hint some 15 lines. */
#define CONFLICTS_MAX 8
#define NEAREST_MAX 5

static const char *deep(const struct data *map, const char *outer, const char *inner)
{
    return data_shown(data_get(map, outer), inner);
}

static size_t count_of(const struct data *list)
{
    return list && list->kind == DATA_LIST ? list->list.count : 0;
}

static void explain_cuda(struct buf *out, const struct data *r)
{
    if (!*deep(r, "cuda", "version")) {
        buf_puts(out, "  cuda     none: a CPU build\n");
        return;
    }
    static const struct {
        const char *supply, *words;
    } supplies[] = {{"wheel", "from the wheel"},
                    {"image", "from the image"},
                    {"install", "installed on the image"},
                    {"build", "compiled against a devel image"}};
    const char *words = "";
    for (size_t i = 0; i < sizeof supplies / sizeof *supplies; i++)
        if (str_equal(supplies[i].supply, deep(r, "cuda", "supply")))
            words = supplies[i].words;
    buf_printf(out, "  cuda     %s, %s", deep(r, "cuda", "version"), words);
    if (*data_shown(r, "cudnn"))
        buf_printf(out, "; cuDNN %s", data_shown(r, "cudnn"));
    buf_putc(out, '\n');
}

static void explain_driver(struct buf *out, const struct data *r)
{
    const char *how = deep(r, "driver", "relies_on");
    if (!*deep(r, "driver", "minimum"))
        return;
    buf_printf(out, "  driver   %s or newer", deep(r, "driver", "minimum"));
    if (str_equal(how, "minor-version"))
        buf_puts(out, ", by minor-version compatibility");
    else if (str_equal(how, "forward"))
        buf_puts(out, ", or an older one by a forward-compatibility package");
    buf_putc(out, '\n');
}

static void explain_gpus(struct buf *out, const struct data *r)
{
    const struct data *gpus = data_get(r, "gpus");
    for (size_t i = 0; i < count_of(gpus) && i < LINES_MAX; i++) {
        const struct data *gpu = gpus->list.items[i];
        buf_printf(out, "  gpu      %s (%s), covered by %s\n", data_shown(gpu, "name"),
                   data_shown(gpu, "compute_capability"), data_shown(gpu, "covered_by"));
    }
}

/* One command of the installation, without those of `list` that are in `but`. */
static void explain_step(struct buf *out, const char **joint, const char *options,
                         const struct data *list, const struct data *but)
{
    ARENA_SCRATCH(scratch);
    size_t written = 0;
    for (size_t i = 0; i < count_of(list); i++) {
        const char *text = data_text(list->list.items[i]);
        if (data_has_text(count_of(but) ? but : NULL, text))
            continue;
        if (written++ == 0)
            buf_printf(out, "%spip install%s", *joint, options);
        buf_printf(out, " %s", shell_word(&scratch, text));
    }
    if (written)
        *joint = " && ";
}

static void explain_install(struct buf *out, const struct data *r)
{
    ARENA_SCRATCH(scratch);
    const struct data *all = data_get(r, "requirements"),
                      *build = data_get(r, "build_requirements");
    const struct data *index = data_get(r, "index_requirements");
    const struct data *companions = data_get(r, "companions");
    const char *links = data_shown(r, "find_links"), *joint = "  install  ";
    explain_step(out, &joint,
                 shell_command(&scratch, " --index-url %s", data_shown(r, "index_url")), index,
                 NULL);
    if (count_of(all) > count_of(index) + count_of(build))
        explain_step(out, &joint, *links ? shell_command(&scratch, " --find-links %s", links) : "",
                     all, build);
    if (count_of(build)) /* what is compiled needs its tools in the environment */
        buf_printf(out, "%spip install ninja packaging psutil setuptools wheel", joint);
    explain_step(out, &joint, " --no-build-isolation", build, NULL);
    buf_putc(out, '\n');
    for (size_t i = 0; companions && i < companions->map.count; i++)
        buf_printf(out, "%s%s %s", i ? ", " : "  fits     ", companions->map.members[i].name.ptr,
                   data_text(companions->map.members[i].value));
    if (companions && companions->map.count)
        buf_putc(out, '\n');
}

int matrix_explain(struct buf *out, const struct data *r)
{
    const struct data *notes = data_get(r, "notes");
    size_t count = count_of(notes);
    buf_printf(out, "%s %s (%s) on Python %s, %s\n", deep(r, "framework", "name"),
               deep(r, "framework", "version"), deep(r, "cuda", "variant"), data_shown(r, "python"),
               data_shown(r, "arch"));
    if (*deep(r, "team_image", "repository")) /* of a child on a team's registry */
        buf_printf(out, "  base     %s:%s\n", deep(r, "team_image", "repository"),
                   deep(r, "team_image", "tag"));
    buf_printf(out, "  image    %s:%s", deep(r, "image", "repository"), deep(r, "image", "tag"));
    if (!str_equal(deep(r, "image", "state"), "supported"))
        buf_printf(out, " (%s)", deep(r, "image", "state"));
    buf_putc(out, '\n');
    explain_cuda(out, r);
    explain_driver(out, r);
    explain_gpus(out, r);
    explain_install(out, r);
    for (size_t i = 0; i < count && i < LINES_MAX; i++)
        buf_printf(out, "  note     %s\n", data_shown(notes->list.items[i], "text"));
    if (count > LINES_MAX)
        buf_printf(out, "  note     and %zu more (--json)\n", count - LINES_MAX);
    return out->overflowed ? -1 : 0;
}

static bool is_of_last(const struct data *conflicts, size_t i)
{
    return i > 0 && str_equal(data_shown(conflicts->list.items[i], "demand"),
                              data_shown(conflicts->list.items[i - 1], "demand"));
}

/* Lists only the first reasons of each demand, so that none takes the room of another. */
static void explain_conflicts(struct buf *out, const struct data *conflicts)
{
    size_t count = count_of(conflicts), lines = 0, told = 0, of_demand = 0, demands = 0;
    for (size_t i = 0; i < count; i++)
        demands += !is_of_last(conflicts, i);
    size_t room = demands <= CONFLICTS_MAX / 3 ? 2 : 1;
    for (size_t i = 0; i < count; i++) {
        const struct data *c = conflicts->list.items[i];
        bool again = is_of_last(conflicts, i);
        of_demand = again ? of_demand + 1 : 1;
        if (of_demand > room || lines + 2 > CONFLICTS_MAX)
            continue;
        if (!again)
            buf_printf(out, "%s\n", data_shown(c, "demand"));
        buf_printf(out, "  rules out %s (%s): %s\n", data_shown(c, "rules_out"),
                   data_shown(c, "reason"), data_shown(c, "because"));
        lines += again ? 1 : 2;
        told++;
    }
    if (count > told)
        buf_printf(out, "and %zu more (--json)\n", count - told);
}

static void explain_nearest(struct buf *out, const struct data *nearest)
{
    size_t count = count_of(nearest);
    if (count)
        buf_puts(out, "what would do instead:\n");
    for (size_t i = 0; i < count && i < NEAREST_MAX; i++) {
        const struct data *r = data_get(nearest->list.items[i], "resolution");
        const struct data *change = data_get(nearest->list.items[i], "change");
        buf_puts(out, " ");
        for (size_t j = 0; j < count_of(change); j++)
            buf_printf(out, " %s", data_text(change->list.items[j]));
        buf_printf(out, ": %s %s (%s), Python %s, %s:%s\n", deep(r, "framework", "name"),
                   deep(r, "framework", "version"), deep(r, "cuda", "variant"),
                   data_shown(r, "python"), deep(r, "image", "repository"),
                   deep(r, "image", "tag"));
    }
    if (count > NEAREST_MAX)
        buf_printf(out, "  and %zu more (--json)\n", count - NEAREST_MAX);
}

int matrix_explain_refusal(struct buf *out, const struct data *refusal)
{
    explain_conflicts(out, data_get(refusal, "conflicts"));
    explain_nearest(out, data_get(refusal, "nearest"));
    return out->overflowed ? -1 : 0;
}

int matrix_explain_why(struct buf *out, const struct data *why)
{
    const struct data *chosen = data_get(why, "chosen"), *passed = data_get(why, "passed_over");
    buf_puts(out, "chosen\n");
    for (size_t i = 0; i < chosen->list.count; i++) {
        const struct data *row = chosen->list.items[i];
        buf_printf(out, "  %-10s %s: %s\n", data_shown(row, "what"), data_shown(row, "value"),
                   data_shown(row, "because"));
    }
    if (passed->list.count)
        buf_puts(out, "passed over\n");
    for (size_t i = 0; i < passed->list.count && i < PASSED_MAX; i++) {
        const struct data *row = passed->list.items[i];
        buf_printf(out, "  %s (%s): %s\n", data_shown(row, "what"), data_shown(row, "reason"),
                   data_shown(row, "because"));
    }
    if (passed->list.count > PASSED_MAX)
        buf_printf(out, "  and %zu more (--json)\n", passed->list.count - PASSED_MAX);
    return out->overflowed ? -1 : 0;
}

/* ------------------------------------------------------------------ from one stack to another */

/* A value as one text: a list with spaces in between, null as nothing. */
static const char *flat(struct arena *arena, const struct data *value)
{
    const char *text = "";
    if (!value || value->kind == DATA_NULL)
        return NULL;
    if (value->kind != DATA_LIST)
        return data_text(value);
    for (size_t i = 0; i < value->list.count; i++) {
        const struct data *item = value->list.items[i];
        if (item->kind == DATA_MAP)
            item = data_get(item, data_get(item, "code") ? "code" : "name");
        text = arena_printf(arena, "%s%s%s", text, i ? " " : "", data_text(item));
    }
    return *text ? text : NULL;
}

static void compare(struct data *list, struct arena *arena, const char *what, const char *from,
                    const char *to)
{
    if (str_equal(from, to))
        return;
    data_push(arena, list,
              data_of(arena, FIELD("what", what), FIELD("from", from), FIELD("to", to)));
}

/* Compares the members of two maps, those of `from` first. */
static void compare_maps(struct data *list, struct arena *arena, const char *what,
                         const struct data *from, const struct data *to)
{
    for (size_t i = 0; i < from->map.count; i++)
        compare(list, arena, arena_printf(arena, "%s.%s", what, from->map.members[i].name.ptr),
                flat(arena, from->map.members[i].value),
                flat(arena, data_get(to, from->map.members[i].name.ptr)));
    for (size_t i = 0; i < to->map.count; i++)
        if (!data_get(from, to->map.members[i].name.ptr))
            compare(list, arena, arena_printf(arena, "%s.%s", what, to->map.members[i].name.ptr),
                    NULL, flat(arena, to->map.members[i].value));
}

static const char *image_name(struct arena *arena, const struct data *resolution)
{
    const struct data *image = data_get(resolution, "image");
    return arena_printf(arena, "%s:%s", data_get_text(image, "repository"),
                        data_get_text(image, "tag"));
}

struct data *matrix_diff(struct arena *arena, const struct data *from, const struct data *to)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < from->map.count; i++) {
        const char *name = from->map.members[i].name.ptr;
        const struct data *a = from->map.members[i].value, *b = data_get(to, name);
        if (str_equal(name, "sources"))
            continue;
        if (str_equal(name, "image")) {
            compare(list, arena, name, image_name(arena, from), image_name(arena, to));
            compare(list, arena, "image.state", data_get_text(a, "state"),
                    data_get_text(b, "state"));
        } else if (a->kind == DATA_MAP && b && b->kind == DATA_MAP) {
            compare_maps(list, arena, name, a, b);
        } else {
            compare(list, arena, name, flat(arena, a), flat(arena, b));
        }
    }
    return list;
}

int matrix_explain_diff(struct buf *out, const struct data *diff)
{
    size_t width = 0;
    for (size_t i = 0; i < diff->list.count; i++) {
        size_t len = strlen(data_get_text(diff->list.items[i], "what"));
        width = len > width ? len : width;
    }
    if (!diff->list.count)
        buf_puts(out, "no difference\n");
    for (size_t i = 0; i < diff->list.count; i++) {
        const char *from = data_get_text(diff->list.items[i], "from");
        const char *to = data_get_text(diff->list.items[i], "to");
        buf_printf(out, "%-*s  %s -> %s\n", (int)width, data_get_text(diff->list.items[i], "what"),
                   from ? from : "nothing", to ? to : "nothing");
    }
    return out->overflowed ? -1 : 0;
}
