/* Look-ups in the rows of a matrix. */
#include "matrix/facts.h"
#include "matrix/matrix.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define TEXT_MAX 4096 /* of a row, after filling in placeholders */

const char *const confidence_names[] = {"high", "medium", "low", NULL};
const char *const image_flavours[] = {"base",          "runtime",     "devel",
                                      "cudnn-runtime", "cudnn-devel", NULL};

bool same_minor(const struct version *a, const struct version *b)
{
    return version_compare_parts(a, b, 2) == 0;
}

const struct toolkit *toolkit_of(const struct matrix *matrix, const struct version *cuda)
{
    for (size_t i = 0; i < matrix->toolkits.count; i++) {
        const struct toolkit *row = ROW(struct toolkit, matrix->toolkits, i);
        if (same_minor(&row->cuda, cuda))
            return row;
    }
    return NULL;
}

const struct minor_floor *floor_of(const struct matrix *matrix, const struct version *cuda)
{
    for (size_t i = 0; i < matrix->floors.count; i++) {
        const struct minor_floor *row = ROW(struct minor_floor, matrix->floors, i);
        if (row->major >= 0 && (uint64_t)row->major == cuda->release[0])
            return row;
    }
    return NULL;
}

const struct architecture *architecture_of(const struct matrix *matrix, int cc)
{
    for (size_t i = 0; i < matrix->architectures.count; i++)
        if (ROW(struct architecture, matrix->architectures, i)->cc == cc)
            return ROW(struct architecture, matrix->architectures, i);
    return NULL;
}

const struct distribution *distribution_of(const struct matrix *matrix, const char *os)
{
    for (size_t i = 0; i < matrix->distributions.count; i++)
        if (str_equal(ROW(struct distribution, matrix->distributions, i)->os, os))
            return ROW(struct distribution, matrix->distributions, i);
    return NULL;
}

const struct platform *platform_of(const struct matrix *matrix, const char *name)
{
    for (size_t i = 0; i < matrix->platforms.count; i++)
        if (str_equal(ROW(struct platform, matrix->platforms, i)->name, name))
            return ROW(struct platform, matrix->platforms, i);
    return NULL;
}

const struct framework *framework_of(const struct matrix *matrix, const char *name)
{
    for (size_t i = 0; i < matrix->framework_count; i++)
        if (str_equal(matrix->frameworks[i].name, name))
            return &matrix->frameworks[i];
    return NULL;
}

const struct release *release_named(const struct framework *framework, const char *text)
{
    for (size_t i = 0; i < framework->releases.count; i++)
        if (str_equal(ROW(struct release, framework->releases, i)->version.text, text))
            return ROW(struct release, framework->releases, i);
    return NULL;
}

const struct release *release_of(const struct framework *framework, const struct version *version)
{
    for (size_t i = 0; i < framework->releases.count; i++)
        if (version_compare(&ROW(struct release, framework->releases, i)->version, version) == 0)
            return ROW(struct release, framework->releases, i);
    return NULL;
}

struct words words_read(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    size_t count = 0;
    for (const char *p = copy; *p; p++)
        count += *p != ' ' && (p == copy || p[-1] == ' ');
    struct words words = {arena_array(arena, count + 1, sizeof *words.items), 0};
    char *save = NULL;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        words.items[words.count++] = word;
    return words;
}

static char folded(char c)
{
    return c == '_' || c == '.' ? '-' : (char)tolower((unsigned char)c);
}

bool same_package(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b))
        a++, b++;
    return !*a && !*b;
}

const char *supply_of(const struct framework *framework, const struct build *build)
{
    return build->supply ? build->supply : framework->supply;
}

bool is_called(const struct framework *framework, const char *name)
{
    for (size_t i = 0; i < framework->packages.count; i++)
        if (same_package(framework->packages.items[i], name))
            return true;
    return same_package(framework->name, name);
}

const struct framework *any_framework(const struct matrix *matrix, size_t i)
{
    if (i < matrix->framework_count)
        return &matrix->frameworks[i];
    i -= matrix->framework_count;
    return i < matrix->package_count ? &matrix->packages[i] : NULL;
}

const struct framework *framework_or_package(const struct matrix *matrix, const char *name)
{
    const struct framework *found;
    for (size_t i = 0; (found = any_framework(matrix, i)); i++)
        if (str_equal(found->name, name))
            return found;
    return NULL;
}

const struct framework *package_of(const struct matrix *matrix, const char *name)
{
    const struct framework *found;
    for (size_t i = 0; (found = any_framework(matrix, i)); i++)
        if (is_called(found, name))
            return found;
    return NULL;
}

const char *pair_value(const struct pairs *pairs, const char *name)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (str_equal(pairs->items[i].name, name))
            return pairs->items[i].value;
    return NULL;
}

const char *cc_text(struct arena *arena, int cc)
{
    return arena_printf(arena, "%d.%d", cc / 10, cc % 10);
}

const char *tag_text(struct arena *arena, const struct image *image, const struct tag *tag)
{
    if (str_starts(tag->flavour, "cudnn"))
        return arena_printf(arena, "%s-%s%s-%s", image->cuda.text,
                            image->cudnn_word ? image->cudnn_word : "cudnn",
                            tag->flavour + strlen("cudnn"), tag->distribution->os);
    return arena_printf(arena, "%s-%s-%s", image->cuda.text, tag->flavour, tag->distribution->os);
}

bool has_images_of(const struct distribution *distribution, const struct version *cuda)
{
    const struct version *first = &distribution->first, *last = &distribution->last;
    return (!first->text || version_compare(cuda, first) >= 0) &&
           (!last->text || version_compare(cuda, last) <= 0);
}

bool holds_cuda_tags(const struct matrix *matrix, const char *repository)
{
    return str_equal(repository, matrix->repository) || words_have(&matrix->mirrors, repository);
}

static const struct tag *tag_with(struct arena *arena, const struct image *image, const char *tag)
{
    for (size_t i = 0; i < image->tag_count; i++)
        if (str_equal(tag, tag_text(arena, image, &image->tags[i])))
            return &image->tags[i];
    return NULL;
}

/* Lists of an observed image's tags are incomplete: there the tag is assumed to exist. */
const char *matrix_flavour_tag(struct arena *arena, const struct matrix *matrix,
                               const char *repository, const char *tag, const char *flavour)
{
    if (!holds_cuda_tags(matrix, repository))
        return NULL;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *image = ROW(struct image, matrix->images, i);
        const struct tag *now = tag_with(arena, image, tag);
        if (!now)
            continue;
        const struct tag wanted = {.flavour = flavour, .distribution = now->distribution};
        const char *text = tag_text(arena, image, &wanted);
        bool seen = str_equal(image->state, "observed");
        return seen || tag_with(arena, image, text) ? text : NULL;
    }
    return NULL;
}

const char *matrix_tag_state(struct arena *arena, const struct matrix *matrix,
                             const char *repository, const char *tag)
{
    if (!holds_cuda_tags(matrix, repository))
        return NULL;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *image = ROW(struct image, matrix->images, i);
        if (tag_with(arena, image, tag))
            return str_equal(image->state, "observed") ? "supported" : image->state;
    }
    return NULL;
}

/* The image if it has a gate (or else a cuDNN), or the newest of its minor that has one. */
static const struct image *image_with(const struct matrix *matrix, const struct image *image,
                                      bool gate)
{
    const struct image *newest = NULL;
    if (gate ? image->gate.cuda.text : image->cudnn)
        return image;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *row = ROW(struct image, matrix->images, i);
        if ((gate ? row->gate.cuda.text : row->cudnn) && same_minor(&row->cuda, &image->cuda) &&
            (!newest || version_compare(&row->cuda, &newest->cuda) > 0))
            newest = row;
    }
    return newest;
}

const struct gate *gate_of(const struct matrix *matrix, const struct image *image)
{
    const struct image *with = image_with(matrix, image, true);
    return with ? &with->gate : NULL;
}

const char *cudnn_of(const struct matrix *matrix, const struct image *image)
{
    const struct image *with = image_with(matrix, image, false);
    return with ? with->cudnn : NULL;
}

const struct ccs *capabilities_of(const struct matrix *matrix, const struct version *cuda)
{
    for (size_t i = 0; i < matrix->capabilities.count; i++) {
        const struct capability *row = ROW(struct capability, matrix->capabilities, i);
        if (spec_matches(&row->cuda, cuda))
            return &row->ccs;
    }
    return NULL;
}

bool has_cc(const struct ccs *ccs, int cc)
{
    for (size_t i = 0; i < ccs->count; i++)
        if (ccs->items[i] == cc)
            return true;
    return false;
}

bool image_fits(const struct build *build, const struct version *cuda)
{
    return build->images.count ? spec_matches(&build->images, cuda)
                               : same_minor(cuda, &build->cuda);
}

const struct library_path *library_path_of(const struct matrix *matrix, const struct version *cuda)
{
    const struct library_path *best = NULL;
    for (size_t i = 0; i < matrix->library_paths.count; i++) {
        const struct library_path *row = ROW(struct library_path, matrix->library_paths, i);
        if (version_compare(&row->from, cuda) <= 0 &&
            (!best || version_compare(&row->from, &best->from) > 0))
            best = row;
    }
    return best;
}

bool build_has_processor(const struct build *build, const char *arch)
{
    if (str_equal(arch, "x86_64") ? build->x86_64.count : build->aarch64.count)
        return true;
    return words_have(&build->processors, arch);
}

static const char *placeholder(const struct release *release, const struct build *build,
                               struct span name)
{
    if (span_equal(name, span_from("version")))
        return release->version.text;
    if (span_equal(name, span_from("variant")))
        return build->variant;
    if (span_equal(name, span_from("extra")))
        return build->extra ? build->extra : "";
    return NULL;
}

const char *fill_text(struct arena *arena, const char *text, const struct release *release,
                      const struct build *build)
{
    BUF_SCRATCH(out, TEXT_MAX);
    while (*text) {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        const char *value =
            end ? placeholder(release, build, span_of(text + 1, (size_t)(end - text) - 1)) : NULL;
        if (value) {
            buf_puts(&out, value);
            text = end + 1;
        } else {
            buf_putc(&out, *text++);
        }
    }
    return arena_strdup(arena, buf_text(&out));
}
