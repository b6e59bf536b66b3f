/* New rows for a matrix, from what a package index serves and proves. */
#include "index/refresh.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/yaml.h"
#include "index/evidence.h"
#include "index/requires.h"
#include "matrix/facts.h"

#include <string.h>

#define NEW_RELEASES_MAX 200
#define COMPANION_TRIES 6
#define MODEL_ROWS 4 /* the newest rows, whose builds a new release may have */
#define MODELS_MAX 12
#define COLUMNS 120
#define ROW_BYTES (8 * LIMIT_KIB)

/* Of a package that brings nothing but Python: no row says how to build it. */
static const struct build bare = {.variant = ""};

/* A release that the matrix does not have, seen as one of the builds of its newest releases. */
struct proposal {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *model;   /* one of the newest rows of the framework */
    const struct build *build;     /* one of its builds, or `bare` */
    const struct release *before;  /* the newest row that is older; or the oldest */
    const struct build *inherited; /* the same build of it, with the same CUDA; or NULL */
    const struct release *present; /* the row that is completed; NULL: a new one */
    const char *version, *text;    /* of the new release; what it is installed by */
    const char *variant;
    struct evidence evidence;
    struct data *said;
    size_t *wanted;
    struct package_index *index;
    bool gaps;
};

/* ------------------------------------------------------------------ rows as text */

/* Stands between two fields until the row is laid out: no text of a field has it. */
#define FIELD_BREAK "\x01"

/* Plain where nothing in it means anything to YAML. */
static void put_field(struct buf *out, const char *name, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "._+- ";
    if (!value || !*value)
        return;
    (void)buf_printf(out, "%s%s: ", buf_text(out)[out->len - 1] == '{' ? "" : "," FIELD_BREAK,
                     name);
    if (strspn(value, plain) == strlen(value) && *value != '-' && *value != ' ') {
        (void)buf_puts(out, value);
        return;
    }
    (void)buf_putc(out, '"');
    for (const char *c = value; *c; c++)
        if (*c == '"' || *c == '\\')
            (void)buf_printf(out, "\\%c", *c);
        else
            (void)buf_putc(out, (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
    (void)buf_putc(out, '"');
}

static void put_end(struct buf *out, const struct proposal *p, const char *note,
                    const char *confidence)
{
    const char *today = index_asked_on(p->index);
    put_field(out, "note", note);
    put_field(out, "source", arena_printf(p->arena, REFRESH_SOURCE, today));
    put_field(out, "as_of", today);
    put_field(out, "confidence", confidence);
    (void)buf_putc(out, '}');
}

static const char *minor_text(struct arena *arena, const struct version *version)
{
    return arena_printf(arena, "%llu.%llu", (unsigned long long)version->release[0],
                        (unsigned long long)version->release[1]);
}

static const char *add_word(struct arena *arena, const char *words, const char *word)
{
    return arena_printf(arena, "%s%s%s", words, *words ? " " : "", word);
}

static void say(const struct proposal *p, const char *text)
{
    if (text)
        data_push(p->arena, p->said, data_str(p->arena, text));
}

/* No line beyond COLUMNS, where fields allow. */
static const char *laid_out(const struct proposal *p, const char *row)
{
    BUF_SCRATCH(out, ROW_BYTES);
    size_t column = 0;
    while (row && *row) {
        size_t len = strcspn(row, FIELD_BREAK);
        bool fits = column + 1 + len <= COLUMNS;
        if (column)
            (void)buf_puts(&out, fits ? " " : "\n   ");
        column = column ? (fits ? column + 1 : 3) : 0;
        (void)buf_append(&out, row, len);
        column += len;
        row += len + (row[len] != '\0');
    }
    return arena_strdup(p->arena, buf_text(&out));
}

static void add_row(const struct proposal *p, struct data *list, const char *kind,
                    const char *variant, const char *row, const char *confidence, const char *why)
{
    struct data *map = data_map(p->arena);
    data_put_text(p->arena, map, "framework", p->framework->name);
    data_put_text(p->arena, map, "release", p->version);
    data_put_text(p->arena, map, "kind", kind);
    data_put_text(p->arena, map, "variant", variant);
    data_put_text(p->arena, map, "requirement", p->text);
    data_put_text(p->arena, map, "row", row ? laid_out(p, row) : NULL);
    data_put_text(p->arena, map, "confidence", confidence);
    data_put(p->arena, map, "evidence", p->said);
    data_put_text(p->arena, map, "why", why);
    data_push(p->arena, list, map);
}

/* ------------------------------------------------------------------ the row of a release */

/* The companion's release of that time or later that requires this version, or NULL. */
static const char *find_companion(const struct proposal *p, const char *name)
{
    const struct data *releases, *release;
    const char *project = requirement_name(p->arena, name), *since = p->evidence.uploaded;
    size_t tries = 0;
    struct version own;
    enum index_state state = index_project(&releases, p->index, project);
    *p->wanted += state == INDEX_UNKNOWN;
    for (size_t i = 0; state == INDEX_THERE && i < releases->map.count; i++) {
        const char *version = releases->map.members[i].name.ptr;
        const char *uploaded = data_text(data_get(releases->map.members[i].value, "uploaded"));
        if (!since || !uploaded || strncmp(uploaded, since, strlen("2026-10")) < 0 ||
            ++tries > COMPANION_TRIES)
            continue;
        *p->wanted += index_release(&release, p->index, project, version, true) == INDEX_UNKNOWN;
        const struct data *list = index_requires(release, processor_names[X86_64]);
        for (size_t j = 0; list && j < list->list.count; j++) {
            struct requirement requirement;
            if (requirement_parse(&requirement, p->arena, data_text(list->list.items[j])) == 0 &&
                str_equal(requirement.name, p->evidence.package) && requirement.spec.count &&
                version_parse(&own, p->version) == 0 && spec_matches(&requirement.spec, &own)) {
                say(p, arena_printf(p->arena, "%s %s requires %s", name, version,
                                    data_text(list->list.items[j])));
                return version;
            }
        }
    }
    return NULL;
}

/* The one of the row before, where it is still the newest and pins no other release. */
static const char *inherited_companion(const struct proposal *p, const struct pair *pair)
{
    const struct data *releases, *release;
    struct version version, newest;
    const char *project = requirement_name(p->arena, pair->name);
    enum index_state state = index_project(&releases, p->index, project);
    if (state != INDEX_THERE || version_parse(&newest, pair->value) < 0)
        return NULL;
    for (size_t i = 0; i < releases->map.count; i++)
        if (version_parse(&version, releases->map.members[i].name.ptr) == 0 &&
            !version_is_prerelease(&version) && version_compare(&version, &newest) > 0)
            return NULL;
    state = index_release(&release, p->index, project, pair->value, true);
    *p->wanted += state == INDEX_UNKNOWN;
    const struct data *list = release ? index_requires(release, processor_names[X86_64]) : NULL;
    for (size_t i = 0; list && i < list->list.count; i++) {
        struct requirement requirement;
        const char *text = data_text(list->list.items[i]);
        if (requirement_parse(&requirement, p->arena, text) == 0 &&
            str_equal(requirement.name, p->evidence.package))
            return NULL;
    }
    return list ? pair->value : NULL;
}

/*
 * "companions: {torchvision: 0.28.0}", or "". `*all` becomes false where one of the row before has
 * no successor. Those that a present row names already are left out.
 */
static const char *companions(const struct proposal *p, bool *all)
{
    const struct pairs *pairs = &p->before->companions;
    const char *text = "";
    for (size_t i = 0; i < pairs->count; i++) {
        const char *name = pairs->items[i].name;
        if (p->present && pair_value(&p->present->companions, name))
            continue;
        const char *version = find_companion(p, name);
        if (!version) {
            version = inherited_companion(p, &pairs->items[i]);
            if (version)
                say(p, arena_printf(p->arena, "%s %s, as %s has it, is still the newest", name,
                                    version, p->before->version.text));
        }
        *all &= version != NULL;
        if (version)
            text = arena_printf(p->arena, "%s%s%s: %s", text, *text ? ", " : "", name, version);
    }
    return *text ? arena_printf(p->arena, "companions: {%s}", text) : "";
}

/* "torch>=2.1.0,<4.0" of "torch (<4.0, >=2.1.0) ; ...": as rows have it, without blanks. */
static const char *as_word(const struct proposal *p, const struct requirement *requirement)
{
    char *text = arena_printf(p->arena, "%s%s", requirement->name, requirement->spec.text),
         *to = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ')
            *to++ = *c;
    *to = '\0';
    return text;
}

/* What the metadata says of a package, with the extra of its name; NULL: nothing. */
static const char *said_of(const struct proposal *p, const struct data *list, const char *name)
{
    const char *python = p->evidence.python_count ? p->evidence.pythons[0] : NULL;
    const struct marker_world world = {processor_names[X86_64], python, name};
    struct requirement there;
    for (size_t i = 0; list && i < list->list.count; i++)
        if (requirement_parse(&there, p->arena, data_text(list->list.items[i])) == 0 &&
            str_equal(there.name, name) && marker_holds(p->arena, there.marker, &world))
            return as_word(p, &there);
    return NULL;
}

static const char *add_required(const struct proposal *p, const char *words, const char *found)
{
    say(p, arena_printf(p->arena, "%s %s requires %s", p->evidence.package, p->version, found));
    return add_word(p->arena, words, found);
}

/* What the row before does not name, of the packages that the matrix knows. */
static const char *more_requires(const struct proposal *p, const char *words,
                                 const struct data *list, const struct words *names)
{
    const struct words pythons = {(const char **)p->evidence.pythons, p->evidence.python_count};
    struct requirement said;
    for (size_t i = 0; list && i < list->list.count; i++)
        if (requirement_parse(&said, p->arena, data_text(list->list.items[i])) == 0 &&
            package_of(p->matrix, said.name) && !words_have(names, said.name) &&
            requires_always(p->arena, &said, &pythons))
            words = add_required(p, words, as_word(p, &said));
    return words;
}

/* Of a package that says nothing itself, which rows of the other one require it; or NULL. */
static const char *required_by(const struct proposal *p, const char *name)
{
    const struct framework *other = package_of(p->matrix, name);
    const char *newest = NULL, *oldest = NULL;
    for (size_t i = 0; other && i < other->releases.count; i++) {
        const char *version = ROW(struct release, other->releases, i)->version.text;
        const struct data *release;
        enum index_state state = index_release(&release, p->index, name, version, true);
        *p->wanted += state == INDEX_UNKNOWN;
        if (state != INDEX_THERE ||
            !requires_version(p->arena, release, p->evidence.package, p->version))
            continue;
        newest = newest ? newest : version;
        oldest = version;
    }
    if (!newest)
        return NULL;
    const char *found = newest == oldest
                            ? arena_printf(p->arena, "%s==%s", name, newest)
                            : arena_printf(p->arena, "%s>=%s,<=%s", name, oldest, newest);
    say(p, arena_printf(p->arena, "%s requires %s %s", found, p->evidence.package, p->version));
    return found;
}

/* Words of the row before, as the new release's metadata has them; `more`: and what else it says.
 */
static const char *requires(const struct proposal *p, const char *before, bool more, bool *all)
{
    const char *text = "";
    const struct data *release;
    struct words words = words_read(p->arena, before ? before : "");
    struct words names = {arena_array(p->arena, words.count + 1, sizeof(*names.items)), 0};
    if (index_release(&release, p->index, p->evidence.package, p->version, true) != INDEX_THERE)
        return before;
    const struct data *list = index_requires(release, processor_names[X86_64]);
    for (size_t i = 0; i < words.count; i++) {
        struct requirement wanted;
        if (requirement_parse(&wanted, p->arena, words.items[i]) < 0)
            continue;
        const char *found = said_of(p, list, wanted.name);
        const char *other = found ? NULL : required_by(p, wanted.name);
        *all &= found || other;
        names.items[names.count++] = wanted.name;
        text = found ? add_required(p, text, found)
                     : add_word(p->arena, text, other ? other : words.items[i]);
    }
    return more ? more_requires(p, text, list, &names) : text;
}

/* There is no wheel: which Pythons it is for is as it was. */
static bool is_compiled(const struct proposal *p)
{
    const struct build *build = p->build;
    return str_equal(build->supply ? build->supply : p->framework->supply, "build");
}

/* Pythons that no row calls stable yet are experimental. */
static void split_pythons(const struct proposal *p, const char **stable, const char **experimental)
{
    const struct evidence *e = &p->evidence;
    *stable = *experimental = "";
    for (size_t i = 0; is_compiled(p) && i < p->before->pythons.count; i++)
        *stable = add_word(p->arena, *stable, p->before->pythons.items[i]);
    for (size_t i = 0; i < e->python_count; i++) {
        bool known = words_have(&p->model->pythons, e->pythons[i]);
        if (known)
            *stable = add_word(p->arena, *stable, e->pythons[i]);
        else if (!e->any_python && **stable)
            *experimental = add_word(p->arena, *experimental, e->pythons[i]);
    }
}

static bool is_for_all(const struct build *build)
{
    return build->releases.count == 1 && str_equal(build->releases.items[0], "all");
}

/* Its processors; its builds on the framework's own index, which nobody asked, are as before. */
static void put_package(struct buf *row, const struct proposal *p, bool *known)
{
    const struct evidence *e = &p->evidence;
    if (!p->framework->on)
        return;
    if (e->wheel[X86_64] != e->wheel[AARCH64])
        put_field(row, "processors", processor_names[e->wheel[X86_64] ? X86_64 : AARCH64]);
    if (!p->framework->index)
        return;
    const char *variants = "";
    for (size_t i = 0; i < p->before->variants.count; i++)
        variants = add_word(p->arena, variants, p->before->variants.items[i]);
    put_field(row, "variants", variants);
    *known = false;
}

static void propose_release(const struct proposal *p, struct data *list)
{
    bool known = p->inherited || !p->build->cuda.text || is_for_all(p->build);
    const char *stable, *experimental, *all = companions(p, &known);
    const char *more = requires(p, p->before->requires, p->framework->on != NULL, &known);
    const char *pins = requires(p, p->before->pins, false, &known);
    const struct release *model = p->model;
    BUF_SCRATCH(row, ROW_BYTES);
    split_pythons(p, &stable, &experimental);
    if (!*stable) {
        add_row(p, list, "release", NULL, NULL, NULL, "no wheel for a Python that a row knows");
        return;
    }
    bool renamed = str_equal(model->pypi, p->build->variant);
    (void)buf_puts(&row, "- {");
    put_field(&row, "version", p->version);
    put_field(&row, "pythons", stable);
    put_field(&row, "experimental", experimental);
    put_field(&row, "default", renamed ? p->variant : model->default_variant);
    put_field(&row, "pypi", renamed ? p->variant : model->pypi);
    if (*all)
        (void)buf_printf(&row, "," FIELD_BREAK "%s", all);
    if (p->evidence.glibc > 17)
        put_field(&row, "glibc", arena_printf(p->arena, "2.%d", p->evidence.most_glibc));
    put_package(&row, p, &known);
    put_field(&row, "requires", more);
    put_field(&row, "pins", pins);
    put_end(&row, p, NULL, known ? "medium" : "low");
    add_row(p, list, "release", NULL, buf_text(&row), known ? "medium" : "low", NULL);
}

/* ------------------------------------------------------------------ the row of a build */

/* vLLM 0.32.0 pins PyTorch 2.13.0, and has the CUDA of that one's wheel. */
static const char *cuda_of_ground(const struct proposal *p)
{
    const struct framework *ground =
        p->framework->on ? framework_of(p->matrix, p->framework->on) : NULL;
    const struct data *release;
    struct version pin;
    if (!ground ||
        index_release(&release, p->index, p->evidence.package, p->version, true) != INDEX_THERE)
        return NULL;
    const struct data *list = index_requires(release, processor_names[X86_64]);
    for (size_t i = 0; list && i < list->list.count; i++) {
        struct requirement said;
        if (requirement_parse(&said, p->arena, data_text(list->list.items[i])) < 0 ||
            !is_called(ground, said.name) || !requirement_pin(&said) ||
            version_parse(&pin, requirement_pin(&said)) < 0)
            continue;
        for (size_t j = 0; j < ground->releases.count; j++) {
            const struct release *row = ROW(struct release, ground->releases, j);
            for (size_t k = 0; version_compare(&row->version, &pin) == 0 && k < row->build_count;
                 k++)
                if (str_equal(row->builds[k]->variant, row->pypi)) {
                    say(p, arena_printf(p->arena, "%s %s requires %s, which has CUDA %s",
                                        p->evidence.package, p->version, as_word(p, &said),
                                        row->builds[k]->cuda.text));
                    return row->builds[k]->cuda.text;
                }
        }
    }
    return NULL;
}

/* The CUDA that the index proves, else that of the model where the index leaves room for it. */
static const char *proven_cuda(const struct proposal *p)
{
    ERR_SCRATCH(err);
    const struct required *cuda = &p->evidence.cuda;
    const struct version *model = &p->build->cuda;
    struct version pin;
    struct spec own;
    if (p->framework->on)
        return cuda_of_ground(p);
    if (cuda->pin && version_parse(&pin, cuda->pin) == 0 && pin.count >= 2) {
        say(p, cuda->said);
        return minor_text(p->arena, &pin);
    }
    if (!cuda->said && (uint64_t)cuda_major_of(p->evidence.package) == model->release[0]) {
        say(p, arena_printf(p->arena, "%s is for CUDA %llu by its name, %s as in the row of %s",
                            p->evidence.package, (unsigned long long)model->release[0], model->text,
                            p->model->version.text));
        return model->text;
    }
    if (!cuda->said || !cuda->range.count ||
        spec_parse(&own, p->arena, arena_printf(p->arena, "==%s.*", model->text), "cuda", &err) <
            0 ||
        !spec_overlaps(&cuda->range, &own))
        return NULL;
    say(p, arena_printf(p->arena, "%s, which has room for %s of the row of %s", cuda->said,
                        model->text, p->model->version.text));
    return model->text;
}

/* "cu132" where the model's variant is written by its CUDA, else its own name. */
static const char *variant_for(const struct proposal *p, const char *cuda)
{
    const char *model = p->build->variant;
    bool by_cuda = str_starts(model, "cu") && strspn(model + 2, "0123456789") == strlen(model) - 2;
    const char *dot = cuda ? strchr(cuda, '.') : NULL;
    return by_cuda && dot ? arena_printf(p->arena, "cu%.*s%s", (int)(dot - cuda), cuda, dot + 1)
                          : model;
}

static const char *processors(const struct proposal *p)
{
    const struct evidence *e = &p->evidence;
    const char *words = "";
    for (int i = 0; i < PROCESSORS; i++)
        if (e->wheel[i] && build_has_processor(p->build, processor_names[i]) &&
            (e->cuda_for[i] || !p->build->cuda.text || !e->cuda_for[X86_64]))
            words = add_word(p->arena, words, processor_names[i]);
    return words;
}

/* No older GPU than the toolkit makes cubins for. */
static const char *least_cc(const struct proposal *p, const char *cuda)
{
    struct version version;
    const struct ccs *ccs =
        version_parse(&version, cuda) == 0 ? capabilities_of(p->matrix, &version) : NULL;
    int least = 0;
    for (size_t i = 0; ccs && i < ccs->count; i++)
        if (!least || ccs->items[i] < least)
            least = ccs->items[i];
    if (p->build->cc_min > least)
        least = p->build->cc_min;
    return least ? cc_text(p->arena, least) : NULL;
}

static void put_libraries(struct buf *row, const struct proposal *p, const char *cuda)
{
    const struct required *cudnn = &p->evidence.cudnn, *nccl = &p->evidence.nccl;
    put_field(row, "cuda", cuda);
    if (cudnn->said) {
        put_field(row, "cudnn", cudnn->pin ? cudnn->pin : cudnn->range.text);
        if (!cudnn->pin)
            put_field(row, "cudnn_package", p->build->cudnn_package);
        say(p, cudnn->said);
    }
    if (nccl->pin) {
        put_field(row, "nccl", nccl->pin);
        say(p, nccl->said);
    }
}

static const char *ccs_text(struct arena *arena, const struct ccs *ccs)
{
    const char *words = "";
    for (size_t i = 0; i < ccs->count; i++)
        words = add_word(arena, words, cc_text(arena, ccs->items[i]));
    return words;
}

/* Which GPUs the build covers, as the row before has it, for the processors that have wheels. */
static void put_coverage(struct buf *row, const struct proposal *p, const char *processors)
{
    const struct build *b = p->inherited;
    if (b->x86_64.count && strstr(processors, "x86_64"))
        put_field(row, "x86_64", ccs_text(p->arena, &b->x86_64));
    if (b->aarch64.count && strstr(processors, "aarch64"))
        put_field(row, "aarch64", ccs_text(p->arena, &b->aarch64));
    if (!b->x86_64.count && !b->aarch64.count)
        put_field(row, "processors", processors);
    put_field(row, "ptx", b->ptx ? cc_text(p->arena, b->ptx) : NULL);
    put_field(row, "not_covered", ccs_text(p->arena, &b->not_covered));
    put_field(row, "cc_min", b->cc_min ? cc_text(p->arena, b->cc_min) : NULL);
    put_field(row, "cc_max", b->cc_max ? cc_text(p->arena, b->cc_max) : NULL);
    put_field(row, "driver", b->driver.text);
}

static void propose_build(struct proposal *p, struct data *list, const char *cuda)
{
    const struct build *model = p->build;
    const char *words = processors(p);
    BUF_SCRATCH(row, ROW_BYTES);
    if (model->cuda.text && !cuda) {
        add_row(p, list, "build", p->variant, NULL, NULL, "the index does not say its CUDA");
        return;
    }
    if (!*words) {
        add_row(p, list, "build", p->variant, NULL, NULL, "no wheel for a processor of the row");
        return;
    }
    const struct build *inherited = cuda ? p->inherited : NULL;
    const char *confidence = inherited || !cuda ? "medium" : "low";
    (void)buf_puts(&row, "- {");
    put_field(&row, "releases", p->version);
    put_field(&row, "variant", p->variant);
    put_field(&row, "extra", model->extra);
    put_field(&row, "requirements", model->requirements);
    put_field(&row, "supply", model->supply);
    if (cuda)
        put_libraries(&row, p, cuda);
    if (inherited)
        put_coverage(&row, p, words);
    else
        put_field(&row, "processors", words);
    if (cuda && !inherited)
        put_field(&row, "cc_min", least_cc(p, cuda));
    else if (!cuda && model->cc_min)
        put_field(&row, "cc_min", cc_text(p->arena, model->cc_min));
    if (cuda)
        put_field(&row, "cubins", "low");
    put_end(&row, p,
            inherited ? arena_printf(p->arena, "the GPUs are those of %s %s", p->variant,
                                     p->before->version.text)
            : cuda    ? "for which GPUs it holds kernels is not known from the index"
                      : NULL,
            confidence);
    add_row(p, list, "build", p->variant, buf_text(&row), confidence, NULL);
}

/* ------------------------------------------------------------------ which releases */

static const char *requirement_for(const struct proposal *p)
{
    struct release release = *p->model;
    const struct build *build = p->build;
    release.version.text = p->version;
    bool other =
        (build->index_url || p->framework->index_url) && !str_equal(p->model->pypi, build->variant);
    const char *text = build->requirements ? build->requirements : p->framework->requirements;
    if (other)
        return NULL;
    text = fill_text(p->arena, text, &release, build);
    return arena_memdup(p->arena, text, strcspn(text, " "));
}

static bool is_known(const struct framework *framework, const struct version *version)
{
    for (size_t i = 0; i < framework->releases.count; i++)
        if (version_compare(&ROW(struct release, framework->releases, i)->version, version) == 0)
            return true;
    return false;
}

static bool is_new(const struct proposal *p, const char *text, const struct data *release)
{
    struct version version;
    const char *since = index_since(p->index);
    const char *uploaded = data_text(data_get(release, "uploaded"));
    const struct data *yanked = data_get(release, "yanked");
    if (version_parse(&version, text) < 0 || version_is_prerelease(&version) || version.local.len ||
        is_known(p->framework, &version) || !yanked || yanked->kind != DATA_BOOL || yanked->boolean)
        return false;
    const struct release *newest = ROW(struct release, p->framework->releases, 0);
    bool newer = version_compare(&version, &newest->version) > 0;
    return newer || (p->gaps && since && uploaded && strcmp(uploaded, since) >= 0);
}

/* The same build of the release before, of the same CUDA. */
static void find_before(struct proposal *p, const char *cuda)
{
    const struct rows *rows = &p->framework->releases;
    struct version version, minor;
    p->before = ROW(struct release, *rows, rows->count - 1);
    p->inherited = NULL;
    for (size_t i = 0; i < rows->count && version_parse(&version, p->version) == 0; i++)
        if (version_compare(&ROW(struct release, *rows, i)->version, &version) < 0) {
            p->before = ROW(struct release, *rows, i);
            break;
        }
    for (size_t i = 0; cuda && i < p->before->build_count; i++) {
        const struct build *build = p->before->builds[i];
        if (str_equal(build->variant, p->variant) && build->cuda.text &&
            version_parse(&minor, cuda) == 0 && same_minor(&build->cuda, &minor))
            p->inherited = build;
    }
}

static bool is_there(const struct proposal *p)
{
    const struct evidence *e = &p->evidence;
    return !e->old && !e->yanked && !e->missing && !e->elsewhere &&
           (e->wheel[X86_64] || e->wheel[AARCH64] || is_compiled(p));
}

static bool is_proposed(const struct proposal *p, const struct data *list)
{
    for (size_t i = 0; i < list->list.count; i++)
        if (str_equal(data_text(data_get(list->list.items[i], "framework")), p->framework->name) &&
            str_equal(data_text(data_get(list->list.items[i], "release")), p->version))
            return true;
    return false;
}

static void propose(struct proposal *p, struct data *list, bool known)
{
    struct requirement requirement;
    p->text = requirement_for(p);
    p->said = data_list(p->arena);
    if (!p->text || requirement_parse(&requirement, p->arena, p->text) < 0)
        return;
    enum index_state state = evidence_gather(&p->evidence, p->arena, p->index, &requirement);
    *p->wanted += state == INDEX_UNKNOWN;
    bool side = !p->build->cuda.text && p->model->default_variant &&
                !str_equal(p->model->default_variant, p->build->variant);
    if (state != INDEX_THERE || !is_there(p) || (side && !known && !is_proposed(p, list)))
        return;
    const char *cuda = p->build->cuda.text ? proven_cuda(p) : NULL;
    p->variant = variant_for(p, cuda);
    find_before(p, cuda);
    struct data *of_build = p->said;
    p->said = data_list(p->arena);
    say(p, arena_printf(p->arena, "%s was uploaded on %s", p->text,
                        p->evidence.uploaded ? p->evidence.uploaded : "a day not told"));
    if (!known && !is_proposed(p, list))
        propose_release(p, list);
    p->said = of_build;
    if (!is_for_all(p->build) && p->build != &bare)
        propose_build(p, list, cuda);
}

/* The package that a build is installed by, as the index knows it. */
static const struct data *releases_of(struct proposal *p)
{
    struct requirement requirement;
    const struct data *releases;
    p->version = p->model->version.text;
    const char *text = requirement_for(p);
    if (!text || requirement_parse(&requirement, p->arena, text) < 0)
        return NULL;
    enum index_state state = index_project(&releases, p->index, requirement.name);
    *p->wanted += state == INDEX_UNKNOWN;
    return state == INDEX_THERE ? releases : NULL;
}

/* A build of one of the newest rows, and what the index has of its package. */
struct model {
    const struct release *release;
    const struct build *build;
    const char *requirement; /* without a version: each package is asked once */
    const struct data *releases;
};

struct models {
    struct model items[MODELS_MAX];
    size_t count;
};

static void add_model(struct models *models, struct proposal *p, const struct release *release,
                      const struct build *build)
{
    p->model = release;
    p->build = build;
    p->version = "";
    const char *requirement = requirement_for(p);
    for (size_t i = 0; i < models->count; i++)
        if (str_equal(models->items[i].requirement, requirement) &&
            (str_equal(models->items[i].build->variant, build->variant) ||
             str_equal(release->pypi, build->variant)))
            return;
    const struct data *releases = requirement ? releases_of(p) : NULL;
    if (releases && models->count < MODELS_MAX)
        models->items[models->count++] = (struct model){release, build, requirement, releases};
}

static void find_models(struct models *models, struct proposal *p)
{
    const struct rows *rows = &p->framework->releases;
    for (size_t i = 0; i < rows->count && i < MODEL_ROWS; i++) {
        const struct release *release = ROW(struct release, *rows, i);
        for (size_t j = 0; j < release->build_count; j++)
            add_model(models, p, release, release->builds[j]);
        if (!release->build_count)
            add_model(models, p, release, &bare);
    }
}

/* One of the newest rows that has no such build: what a package of its own may bring. */
static bool lacks_build(const struct proposal *p, const char *text, const struct build *build)
{
    struct version version;
    for (size_t i = 0; i < p->framework->releases.count && i < MODEL_ROWS; i++) {
        const struct release *release = ROW(struct release, p->framework->releases, i);
        if (version_parse(&version, text) < 0 || version_compare(&version, &release->version) != 0)
            continue;
        for (size_t j = 0; j < release->build_count; j++)
            if (str_equal(release->builds[j]->variant, build->variant))
                return false;
        return release->build_count && build->requirements && !release->pypi;
    }
    return false;
}

/* The versions of all models that have something new, the oldest first, each once. */
struct versions {
    const char **items;
    size_t count;
};

static void add_version(struct versions *versions, struct arena *arena, const char *text)
{
    struct version version, other;
    size_t at = versions->count;
    if (version_parse(&version, text) < 0)
        return;
    for (size_t i = 0; i < versions->count; i++)
        if (version_parse(&other, versions->items[i]) == 0 &&
            version_compare(&version, &other) == 0)
            return;
    versions->items = arena_grow(arena, versions->items, versions->count, sizeof(char *));
    versions->count++;
    for (; at && version_parse(&other, versions->items[at - 1]) == 0 &&
           version_compare(&version, &other) < 0;
         at--)
        versions->items[at] = versions->items[at - 1];
    versions->items[at] = text;
}

static bool is_wanted(const struct proposal *p, const struct data_member *member,
                      const struct build *build)
{
    return is_new(p, member->name.ptr, member->value) || lacks_build(p, member->name.ptr, build);
}

static void propose_version(struct proposal *p, struct data *list, const struct models *models,
                            const char *text)
{
    struct version version, other;
    for (size_t i = 0; i < models->count && version_parse(&version, text) == 0; i++) {
        const struct model *model = &models->items[i];
        for (size_t j = 0; j < model->releases->map.count; j++) {
            const struct data_member *member = &model->releases->map.members[j];
            if (version_parse(&other, member->name.ptr) < 0 ||
                version_compare(&version, &other) != 0 || !is_wanted(p, member, model->build))
                continue;
            p->model = model->release;
            p->build = model->build;
            p->version = text;
            propose(p, list, is_known(p->framework, &version));
        }
    }
}

/* The newest row below `i` that has companions, or NULL. */
static const struct release *accompanied(const struct rows *rows, size_t i)
{
    for (size_t j = i + 1; j < rows->count; j++)
        if (ROW(struct release, *rows, j)->companions.count)
            return ROW(struct release, *rows, j);
    return NULL;
}

static bool lacks_companion(const struct release *release, const struct release *before)
{
    for (size_t i = 0; before && i < before->companions.count; i++)
        if (!pair_value(&release->companions, before->companions.items[i].name))
            return true;
    return false;
}

/* Of a row that is there, what goes with it; asked of the build that the index has. */
static void complete(struct proposal *p, struct data *list, const struct release *release)
{
    struct requirement requirement;
    bool all = true;
    p->model = p->present = release;
    p->version = release->version.text;
    p->text = NULL;
    for (size_t i = 0; !p->text && i < release->build_count; i++) {
        p->build = release->builds[i];
        p->text = requirement_for(p);
    }
    if (!p->text || requirement_parse(&requirement, p->arena, p->text) < 0)
        return;
    enum index_state state = evidence_gather(&p->evidence, p->arena, p->index, &requirement);
    *p->wanted += state == INDEX_UNKNOWN;
    if (state != INDEX_THERE || !is_there(p))
        return;
    p->said = data_list(p->arena);
    const char *field = companions(p, &all);
    if (*field)
        add_row(p, list, "companions", NULL, field, "medium", NULL);
}

static void complete_rows(const struct proposal *p, struct data *list)
{
    const struct rows *rows = &p->framework->releases;
    for (size_t i = rows->count; i > 0; i--) {
        const struct release *release = ROW(struct release, *rows, i - 1);
        struct proposal present = *p;
        present.before = accompanied(rows, i - 1);
        if (release->fact.node && lacks_companion(release, present.before))
            complete(&present, list, release);
    }
}

static void refresh_framework(struct proposal *p, struct data *list)
{
    struct models models = {.count = 0};
    struct versions versions = {NULL, 0};
    complete_rows(p, list);
    find_models(&models, p);
    p->model = ROW(struct release, p->framework->releases, 0);
    for (size_t i = 0; i < models.count; i++)
        for (size_t j = 0; j < models.items[i].releases->map.count; j++) {
            const struct data_member *member = &models.items[i].releases->map.members[j];
            if (is_wanted(p, member, models.items[i].build))
                add_version(&versions, p->arena, member->name.ptr);
        }
    size_t from = versions.count > NEW_RELEASES_MAX ? versions.count - NEW_RELEASES_MAX : 0;
    for (size_t i = from; i < versions.count; i++)
        propose_version(p, list, &models, versions.items[i]);
}

static bool is_of(const struct data *proposal, const char *kind, const char *release)
{
    return str_equal(data_text(data_get(proposal, "kind")), kind) &&
           str_equal(data_text(data_get(proposal, "release")), release);
}

/* A release that no row says how to build is none: it would be out of reach. */
static void drop_unbuilt(struct arena *arena, const struct framework *framework, struct data *list,
                         size_t from)
{
    if (!framework->builds.count)
        return;
    for (size_t i = 0; i < framework->builds.count; i++)
        if (words_have(&ROW(struct build, framework->builds, i)->releases, "all"))
            return;
    for (size_t i = from; i < list->list.count; i++) {
        struct data *proposal = list->list.items[i];
        const char *release = data_text(data_get(proposal, "release"));
        bool built = !is_of(proposal, "release", release);
        for (size_t j = from; !built && j < list->list.count; j++)
            built = is_of(list->list.items[j], "build", release) &&
                    data_text(data_get(list->list.items[j], "row"));
        if (built)
            continue;
        data_put(arena, proposal, "row", data_null(arena));
        data_put(arena, proposal, "confidence", data_null(arena));
        data_put_text(arena, proposal, "why", "no build of it is proven");
    }
}

struct data *matrix_refresh(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                            const char *name, bool gaps, struct package_index *index)
{
    struct data *list = data_list(arena);
    const struct framework *f;
    *wanted = 0;
    for (size_t i = 0; (f = any_framework(matrix, i)); i++) {
        if ((name && !str_equal(name, f->name)) || !f->releases.count ||
            (f->on && f->by_companions))
            continue;
        struct proposal p = {.arena = arena,
                             .matrix = matrix,
                             .framework = f,
                             .model = ROW(struct release, f->releases, 0),
                             .wanted = wanted,
                             .index = index,
                             .gaps = gaps};
        size_t from = list->list.count;
        refresh_framework(&p, list);
        drop_unbuilt(arena, f, list, from);
    }
    return list;
}

int matrix_refresh_table(struct buf *out, const struct data *proposals)
{
    for (size_t i = 0; i < proposals->list.count; i++) {
        const struct data *p = proposals->list.items[i], *said = data_get(p, "evidence");
        const char *row = data_text(data_get(p, "row")),
                   *variant = data_text(data_get(p, "variant"));
        (void)buf_printf(out, "%s %s%s%s: ", data_text(data_get(p, "framework")),
                         data_text(data_get(p, "release")), variant ? " " : "",
                         variant ? variant : "");
        if (row)
            (void)buf_printf(
                out, "%s%s, confidence %s\n    %s\n",
                is_of(p, "companions", data_text(data_get(p, "release"))) ? "" : "a new ",
                data_text(data_get(p, "kind")), data_text(data_get(p, "confidence")), row);
        else
            (void)buf_printf(out, "no row: %s\n", data_text(data_get(p, "why")));
        for (size_t j = 0; j < said->list.count; j++)
            (void)buf_printf(out, "    because %s\n", data_text(said->list.items[j]));
    }
    return out->overflowed ? -1 : 0;
}
