/* The schema of the files of matrices/: their sections, rows and fields. */
#include "matrix/read/fields.h"

#include "matrix/facts.h"

#include <stddef.h>

#define END_OF_FIELDS                                                                              \
    {                                                                                              \
        NULL, FIELD_TEXT, 0, false, NULL, NULL                                                     \
    }
#define FIELD(name, type, kind, member, required)                                                  \
    {                                                                                              \
        name, kind, offsetof(struct type, member), required, NULL, NULL                            \
    }
#define NEED(type, kind, member) FIELD(#member, type, kind, member, true)
#define MAY(type, kind, member) FIELD(#member, type, kind, member, false)
#define ONE_OF(choices, type, member, required)                                                    \
    {                                                                                              \
#member, FIELD_TEXT, offsetof(struct type, member), required, choices, NULL                \
    }

static const struct field no_header[] = {END_OF_FIELDS};

/* Of every row. */
const struct field fact_fields[] = {NEED(fact, FIELD_TEXT, source), NEED(fact, FIELD_TEXT, as_of),
                                    MAY(fact, FIELD_CONFIDENCE, confidence),
                                    MAY(fact, FIELD_TEXT, note), END_OF_FIELDS};

/* ------------------------------------------------------------------ cuda.yml */

static const struct field toolkit_fields[] = {NEED(toolkit, FIELD_VERSION, cuda),
                                              NEED(toolkit, FIELD_VERSION, driver), END_OF_FIELDS};
static const struct field floor_fields[] = {
    NEED(minor_floor, FIELD_INT, major), NEED(minor_floor, FIELD_VERSION, driver), END_OF_FIELDS};
static const struct field capability_fields[] = {NEED(capability, FIELD_SPEC, cuda),
                                                 FIELD("cc", capability, FIELD_CCS, ccs, true),
                                                 END_OF_FIELDS};
static const struct field cudnn_fields[] = {
    NEED(cudnn, FIELD_SPEC, cudnn), NEED(cudnn, FIELD_SPEC, cuda),
    FIELD("cc", cudnn, FIELD_CCS, range, true), MAY(cudnn, FIELD_CCS, without), END_OF_FIELDS};

#define SECTION(name, type, fields, member, key)                                                   \
    {                                                                                              \
        name, sizeof(struct type), fields, offsetof(struct matrix, member), key, NULL, NULL        \
    }
#define END_OF_SECTIONS                                                                            \
    {                                                                                              \
        NULL, 0, NULL, 0, NULL, NULL, NULL                                                         \
    }

static const struct section cuda_sections[] = {
    SECTION("toolkits", toolkit, toolkit_fields, toolkits, "cuda"),
    SECTION("minor_version", minor_floor, floor_fields, floors, "major"),
    SECTION("capabilities", capability, capability_fields, capabilities, "cuda"),
    SECTION("cudnn", cudnn, cudnn_fields, cudnns, NULL), END_OF_SECTIONS};

/* ------------------------------------------------------------------ drivers.yml */

static const struct field branch_fields[] = {FIELD("branch", branch, FIELD_INT, number, true),
                                             NEED(branch, FIELD_VERSION, cuda),
                                             MAY(branch, FIELD_TEXT, kind),
                                             MAY(branch, FIELD_TEXT, eol),
                                             NEED(branch, FIELD_BOOL, ended),
                                             END_OF_FIELDS};
static const struct field forward_fields[] = {NEED(forward, FIELD_VERSION, cuda),
                                              NEED(forward, FIELD_TEXT, package),
                                              NEED(forward, FIELD_WORDS, branches), END_OF_FIELDS};
static const struct section driver_sections[] = {
    SECTION("branches", branch, branch_fields, branches, "branch"),
    SECTION("forward", forward, forward_fields, forwards, "cuda"), END_OF_SECTIONS};

/* ------------------------------------------------------------------ gpus.yml */

static const char *const gpu_classes[] = {"datacenter", "workstation", "geforce",
                                          "jetson",     "desktop",     NULL};
static const char *const processors[] = {"x86_64", "aarch64", NULL};

static const struct field architecture_fields[] = {NEED(architecture, FIELD_CC, cc),
                                                   NEED(architecture, FIELD_TEXT, name),
                                                   MAY(architecture, FIELD_VERSION, first_cuda),
                                                   MAY(architecture, FIELD_VERSION, last_cuda),
                                                   MAY(architecture, FIELD_INT, last_branch),
                                                   END_OF_FIELDS};
static const struct field gpu_fields[] = {FIELD("gpu", gpu, FIELD_TEXT, name, true),
                                          MAY(gpu, FIELD_TEXT, names),
                                          NEED(gpu, FIELD_CC, cc),
                                          ONE_OF(gpu_classes, gpu, class, true),
                                          ONE_OF(processors, gpu, host, false),
                                          MAY(gpu, FIELD_WORDS, memory),
                                          MAY(gpu, FIELD_INT, bandwidth),
                                          MAY(gpu, FIELD_WORDS, instances),
                                          MAY(gpu, FIELD_WORDS, products),
                                          MAY(gpu, FIELD_PAIRS, on),
                                          MAY(gpu, FIELD_PAIRS, mig),
                                          END_OF_FIELDS};
static const struct section gpu_sections[] = {
    SECTION("architectures", architecture, architecture_fields, architectures, "cc"),
    SECTION("gpus", gpu, gpu_fields, gpus, "gpu"), END_OF_SECTIONS};

/* ------------------------------------------------------------------ platforms.yml */

static const char *const gpu_choices[] = {"listed", "named", "any", NULL};

static const struct field platform_fields[] = {FIELD("platform", platform, FIELD_TEXT, name, true),
                                               NEED(platform, FIELD_TEXT, title),
                                               MAY(platform, FIELD_INT, driver),
                                               MAY(platform, FIELD_WORDS, latest),
                                               MAY(platform, FIELD_TEXT, library_path),
                                               NEED(platform, FIELD_TEXT, selector),
                                               ONE_OF(gpu_choices, platform, gpus, true),
                                               MAY(platform, FIELD_WORDS, processors),
                                               MAY(platform, FIELD_CC, cc_min),
                                               MAY(platform, FIELD_BOOL, no_forward),
                                               END_OF_FIELDS};
static const struct section platform_sections[] = {
    SECTION("platforms", platform, platform_fields, platforms, "platform"), END_OF_SECTIONS};

/* ------------------------------------------------------------------ images.yml */

static const char *const image_states[] = {"supported", "superseded", "eol", "observed", NULL};

static const struct field distribution_fields[] = {NEED(distribution, FIELD_TEXT, os),
                                                   NEED(distribution, FIELD_TEXT, family),
                                                   NEED(distribution, FIELD_VERSION, python),
                                                   MAY(distribution, FIELD_VERSION, first),
                                                   MAY(distribution, FIELD_VERSION, last),
                                                   MAY(distribution, FIELD_VERSION, glibc),
                                                   END_OF_FIELDS};
static const struct field plain_fields[] = {NEED(plain_image, FIELD_TEXT, os),
                                            NEED(plain_image, FIELD_TEXT, repository),
                                            NEED(plain_image, FIELD_TEXT, tag), END_OF_FIELDS};
static const struct field stocked_fields[] = {NEED(stocked, FIELD_TEXT, repository),
                                              NEED(stocked, FIELD_TEXT, holds),
                                              MAY(stocked, FIELD_TEXT, framework), END_OF_FIELDS};
static const struct field library_path_fields[] = {
    NEED(library_path, FIELD_VERSION, from), NEED(library_path, FIELD_TEXT, path),
    NEED(library_path, FIELD_BOOL, shadows), END_OF_FIELDS};
static const struct field cudnn_word_fields[] = {NEED(cudnn_word, FIELD_SPEC, cuda),
                                                 NEED(cudnn_word, FIELD_TEXT, word), END_OF_FIELDS};
static const struct field gate_fields[] = {NEED(gate, FIELD_VERSION, cuda),
                                           MAY(gate, FIELD_WORDS, branches),
                                           NEED(gate, FIELD_BOOL, geforce), END_OF_FIELDS};
static const struct field image_fields[] = {
    NEED(image, FIELD_VERSION, cuda),
    ONE_OF(image_states, image, state, true),
    MAY(image, FIELD_TEXT, superseded_by),
    MAY(image, FIELD_TEXT, cudnn),
    MAY(image, FIELD_TEXT, nccl),
    {"gate", FIELD_PART, offsetof(struct image, gate), false, NULL, gate_fields},
    FIELD("tags", image, FIELD_PAIRS, tag_words, true),
    END_OF_FIELDS};
static const struct field image_header[] = {
    FIELD("repository", matrix, FIELD_TEXT, repository, true),
    FIELD("mirrors", matrix, FIELD_WORDS, mirrors, false), END_OF_FIELDS};
static const struct section image_sections[] = {
    SECTION("distributions", distribution, distribution_fields, distributions, "os"),
    SECTION("plain", plain_image, plain_fields, plain, "os"),
    SECTION("library_paths", library_path, library_path_fields, library_paths, "from"),
    SECTION("cudnn_words", cudnn_word, cudnn_word_fields, cudnn_words, "cuda"),
    SECTION("images", image, image_fields, images, "cuda"),
    SECTION("stocked", stocked, stocked_fields, stocked, "repository"),
    END_OF_SECTIONS};

/* ------------------------------------------------------------------ frameworks/NAME.yml */

static const char *const supplies[] = {"wheel", "image", "install", "build", NULL};
static const char *const library_paths[] = {"reset", "unset", "keep", NULL};
static const char *const library_pins[] = {"exact", NULL};
static const char *const channels[] = {"stable", "experimental", NULL};

static const struct field release_fields[] = {
    NEED(release, FIELD_VERSION, version),
    NEED(release, FIELD_WORDS, pythons),
    MAY(release, FIELD_WORDS, experimental),
    FIELD("default", release, FIELD_TEXT, default_variant, false),
    MAY(release, FIELD_TEXT, pypi),
    MAY(release, FIELD_PAIRS, companions),
    MAY(release, FIELD_TEXT, requires),
    MAY(release, FIELD_TEXT, pins),
    MAY(release, FIELD_VERSION, glibc),
    MAY(release, FIELD_WORDS, differs),
    END_OF_FIELDS};
static const struct field build_fields[] = {NEED(build, FIELD_WORDS, releases),
                                            NEED(build, FIELD_TEXT, variant),
                                            MAY(build, FIELD_VERSION, cuda),
                                            MAY(build, FIELD_SPEC, images),
                                            MAY(build, FIELD_TEXT, cudnn),
                                            MAY(build, FIELD_TEXT, cudnn_package),
                                            MAY(build, FIELD_SPEC, nccl),
                                            ONE_OF(supplies, build, supply, false),
                                            MAY(build, FIELD_TEXT, index_url),
                                            MAY(build, FIELD_TEXT, find_links),
                                            MAY(build, FIELD_TEXT, requirements),
                                            MAY(build, FIELD_TEXT, extra),
                                            ONE_OF(channels, build, channel, false),
                                            MAY(build, FIELD_CCS, x86_64),
                                            MAY(build, FIELD_CCS, aarch64),
                                            MAY(build, FIELD_CCS, not_covered),
                                            MAY(build, FIELD_WORDS, processors),
                                            MAY(build, FIELD_VERSION, glibc_aarch64),
                                            MAY(build, FIELD_CC, ptx),
                                            MAY(build, FIELD_CC, cc_min),
                                            MAY(build, FIELD_CC, cc_max),
                                            MAY(build, FIELD_VERSION, driver),
                                            MAY(build, FIELD_CONFIDENCE, cubins),
                                            MAY(build, FIELD_WORDS, differs),
                                            MAY(build, FIELD_SPEC, libraries),
                                            END_OF_FIELDS};
static const struct field framework_header[] = {
    FIELD("framework", framework, FIELD_TEXT, name, true),
    NEED(framework, FIELD_TEXT, title),
    ONE_OF(supplies, framework, supply, true),
    ONE_OF(library_paths, framework, library_path, false),
    NEED(framework, FIELD_TEXT, requirements),
    MAY(framework, FIELD_TEXT, on),
    ONE_OF(library_pins, framework, libraries, false),
    MAY(framework, FIELD_TEXT, index_url),
    MAY(framework, FIELD_WORDS, packages),
    MAY(framework, FIELD_PAIRS, env),
    END_OF_FIELDS};
static const struct section framework_sections[] = {
    {"releases", sizeof(struct release), release_fields, offsetof(struct framework, releases),
     "version", NULL, NULL},
    {"builds", sizeof(struct build), build_fields, offsetof(struct framework, builds), NULL,
     "releases", "variant"},
    END_OF_SECTIONS};
const struct document framework_document = {framework_header, framework_sections};

/* ------------------------------------------------------------------ packages/NAME.yml */

static const char *const indexes[] = {"framework", NULL};

static const struct field package_release_fields[] = {NEED(release, FIELD_VERSION, version),
                                                      NEED(release, FIELD_WORDS, pythons),
                                                      MAY(release, FIELD_WORDS, experimental),
                                                      MAY(release, FIELD_WORDS, processors),
                                                      MAY(release, FIELD_WORDS, variants),
                                                      MAY(release, FIELD_TEXT, requires),
                                                      MAY(release, FIELD_VERSION, glibc),
                                                      MAY(release, FIELD_WORDS, differs),
                                                      END_OF_FIELDS};
static const struct field package_header[] = {FIELD("package", framework, FIELD_TEXT, name, true),
                                              NEED(framework, FIELD_TEXT, on),
                                              NEED(framework, FIELD_TEXT, title),
                                              ONE_OF(supplies, framework, supply, false),
                                              ONE_OF(indexes, framework, index, false),
                                              MAY(framework, FIELD_TEXT, requirements),
                                              MAY(framework, FIELD_WORDS, packages),
                                              END_OF_FIELDS};
static const struct section package_sections[] = {
    {"releases", sizeof(struct release), package_release_fields,
     offsetof(struct framework, releases), "version", NULL, NULL},
    {"builds", sizeof(struct build), build_fields, offsetof(struct framework, builds), NULL,
     "releases", "variant"},
    END_OF_SECTIONS};
const struct document package_document = {package_header, package_sections};

const struct shared_file shared_files[] = {
    {"cuda", "matrices/cuda.yml", {no_header, cuda_sections}},
    {"drivers", "matrices/drivers.yml", {no_header, driver_sections}},
    {"gpus", "matrices/gpus.yml", {no_header, gpu_sections}},
    {"platforms", "matrices/platforms.yml", {no_header, platform_sections}},
    {"images", "matrices/images.yml", {image_header, image_sections}},
};
const size_t shared_file_count = sizeof shared_files / sizeof *shared_files;

const struct document *document_of(const char *path)
{
    for (size_t i = 0; i < shared_file_count; i++)
        if (str_equal(shared_files[i].path, path))
            return &shared_files[i].document;
    if (!str_ends(path, ".yml"))
        return NULL;
    if (str_starts(path, PACKAGES_FOLDER))
        return &package_document;
    return str_starts(path, FRAMEWORKS_FOLDER) ? &framework_document : NULL;
}
