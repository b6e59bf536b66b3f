/* Proposes the row of a build: its CUDA and libraries, and the GPUs that it covers. */
#include "package_index/refresh/proposal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/data.h"
#include "matrix/facts.h"

#include <string.h>

/* vLLM 0.32.0 pins PyTorch 2.13.0, and so has the CUDA of that release's wheel. */
static const char *cuda_of_ground(const struct proposal *p)
{
    const struct framework *ground =
        p->framework->on ? framework_of(p->matrix, p->framework->on) : NULL;
    const struct data *release;
    struct version pin;
    if (!ground ||
        index_release(&release, p->index, p->evidence.package, p->version) != INDEX_THERE)
        return NULL;
    const struct data *list = index_requires(release, processor_names[X86_64]);
    struct requirement said;
    const char *text;
    for (size_t at = 0; requires_next(&said, &text, &at, p->arena, list, NULL);) {
        if (!is_called(ground, said.name) || !requirement_pin(&said) ||
            version_parse(&pin, requirement_pin(&said)) < 0)
            continue;
        for (size_t j = 0; j < ground->releases.count; j++) {
            const struct release *row = ROW(struct release, ground->releases, j);
            for (size_t k = 0; version_compare(&row->version, &pin) == 0 && k < row->build_count;
                 k++)
                if (str_equal(row->builds[k]->variant, row->pypi)) {
                    proposal_say(p, "%s %s requires %s, which has CUDA %s", p->evidence.package,
                                 p->version, requirement_text(p->arena, &said),
                                 row->builds[k]->cuda.text);
                    return row->builds[k]->cuda.text;
                }
        }
    }
    return NULL;
}

const char *proven_cuda(const struct proposal *p)
{
    ERR_SCRATCH(err);
    const struct required *cuda = &p->evidence.cuda;
    const struct version *model = &p->build->cuda;
    struct version pin;
    struct spec own;
    if (p->framework->on)
        return cuda_of_ground(p);
    if (cuda->pin && version_parse(&pin, cuda->pin) == 0 && pin.count >= 2) {
        proposal_say(p, "%s", cuda->said);
        return arena_printf(p->arena, "%llu.%llu", (unsigned long long)pin.release[0],
                            (unsigned long long)pin.release[1]);
    }
    if (!cuda->said && (uint64_t)cuda_major_of(p->evidence.package) == model->release[0]) {
        proposal_say(p, "%s is for CUDA %llu by its name, %s as in the row of %s",
                     p->evidence.package, (unsigned long long)model->release[0], model->text,
                     p->model->version.text);
        return model->text;
    }
    if (!cuda->said || !cuda->range.count ||
        spec_parse(&own, p->arena, arena_printf(p->arena, "==%s.*", model->text), "cuda", &err) <
            0 ||
        !spec_overlaps(&cuda->range, &own))
        return NULL;
    proposal_say(p, "%s, which has room for %s of the row of %s", cuda->said, model->text,
                 p->model->version.text);
    return model->text;
}

const char *variant_for(const struct proposal *p, const char *cuda)
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
            words = append_word(p->arena, words, processor_names[i]);
    return words;
}

/* No GPU older than those that the toolkit makes cubins for. */
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
    row_put(row, "cuda", cuda);
    if (cudnn->said) {
        row_put(row, "cudnn", cudnn->pin ? cudnn->pin : cudnn->range.text);
        if (!cudnn->pin)
            row_put(row, "cudnn_package", p->build->cudnn_package);
        proposal_say(p, "%s", cudnn->said);
    }
    if (nccl->pin) {
        row_put(row, "nccl", nccl->pin);
        proposal_say(p, "%s", nccl->said);
    }
}

static const char *ccs_text(struct arena *arena, const struct ccs *ccs)
{
    const char *words = "";
    for (size_t i = 0; i < ccs->count; i++)
        words = append_word(arena, words, cc_text(arena, ccs->items[i]));
    return words;
}

/* Puts the GPUs that the build covers, as in the row before, for the processors with wheels. */
static void put_coverage(struct buf *row, const struct proposal *p, const char *processors)
{
    const struct build *b = p->inherited;
    if (b->x86_64.count && strstr(processors, "x86_64"))
        row_put(row, "x86_64", ccs_text(p->arena, &b->x86_64));
    if (b->aarch64.count && strstr(processors, "aarch64"))
        row_put(row, "aarch64", ccs_text(p->arena, &b->aarch64));
    if (!b->x86_64.count && !b->aarch64.count)
        row_put(row, "processors", processors);
    row_put(row, "ptx", b->ptx ? cc_text(p->arena, b->ptx) : NULL);
    row_put(row, "not_covered", ccs_text(p->arena, &b->not_covered));
    row_put(row, "cc_min", b->cc_min ? cc_text(p->arena, b->cc_min) : NULL);
    row_put(row, "cc_max", b->cc_max ? cc_text(p->arena, b->cc_max) : NULL);
    row_put(row, "driver", b->driver.text);
}

void propose_build(const struct proposal *p, struct data *list, const char *cuda)
{
    const struct build *model = p->build;
    const char *words = processors(p);
    BUF_SCRATCH(row, ROW_BYTES);
    if (model->cuda.text && !cuda) {
        proposal_add(p, list, "build", p->variant, NULL, NULL, "the index does not say its CUDA");
        return;
    }
    if (!*words) {
        proposal_add(p, list, "build", p->variant, NULL, NULL,
                     "no wheel for a processor of the row");
        return;
    }
    const struct build *inherited = cuda ? p->inherited : NULL;
    const char *confidence = inherited || !cuda ? "medium" : "low";
    (void)buf_puts(&row, "- {");
    row_put(&row, "releases", p->version);
    row_put(&row, "variant", p->variant);
    row_put(&row, "extra", model->extra);
    row_put(&row, "requirements", model->requirements);
    row_put(&row, "supply", model->supply);
    if (cuda)
        put_libraries(&row, p, cuda);
    if (inherited)
        put_coverage(&row, p, words);
    else
        row_put(&row, "processors", words);
    if (cuda && !inherited)
        row_put(&row, "cc_min", least_cc(p, cuda));
    else if (!cuda && model->cc_min)
        row_put(&row, "cc_min", cc_text(p->arena, model->cc_min));
    if (cuda)
        row_put(&row, "cubins", "low");
    row_put_end(&row, p,
                inherited ? arena_printf(p->arena, "the GPUs are those of %s %s", p->variant,
                                         p->before->version.text)
                : cuda    ? "for which GPUs it holds kernels is not known from the index"
                          : NULL,
                confidence);
    proposal_add(p, list, "build", p->variant, buf_text(&row), confidence, NULL);
}
