/* A small matrix in memory, made up for tests. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "data/fileset.h"
#include "resolver/request.h"

#include <string.h>

/* Says one or more texts for a choice, inside the braces of a struct stack_request. */
#define SAY(choice, ...)                                                                           \
    .said[CHOICE_##choice] = {(const char *[]){__VA_ARGS__},                                       \
                              sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)}

#define ROWS "source: s, as_of: 2026-01"

enum { CUDA, DRIVERS, DEMO, GPUS, IMAGES, PLATFORMS, FILES };

static const char *const paths[FILES] = {
    "matrices/cuda.yml", "matrices/drivers.yml", "matrices/frameworks/demo.yml",
    "matrices/gpus.yml", "matrices/images.yml",  "matrices/platforms.yml"};

static const char *const texts[FILES] = {
    [CUDA] = "sources: {s: a source}\n"
             "toolkits:\n"
             "- {cuda: 11.8.0, driver: 520.61.05, " ROWS "}\n"
             "- {cuda: 12.4.0, driver: 550.54.14, " ROWS "}\n"
             "minor_version:\n"
             "- {major: 11, driver: 450.80.02, " ROWS "}\n"
             "- {major: 12, driver: 525.60.13, " ROWS "}\n"
             "cudnn:\n"
             "- {cudnn: 8, cuda: 11, cc: 5.0 9.0, " ROWS "}\n",
    [DRIVERS] = "sources: {s: a source}\n"
                "branches:\n"
                "- {branch: 470, cuda: 11.4, ended: true, " ROWS "}\n"
                "- {branch: 520, cuda: 11.8, ended: true, " ROWS "}\n"
                "- {branch: 535, cuda: 12.2, ended: false, " ROWS "}\n"
                "- {branch: 550, cuda: 12.4, ended: false, " ROWS "}\n"
                "forward:\n"
                "- {cuda: 12.4, package: cuda-compat-12-4, branches: 470, " ROWS "}\n",
    [DEMO] = "framework: demo\n"
             "title: Demo\n"
             "supply: wheel\n"
             "requirements: demo=={version}\n"
             "index_url: https://example.org/{variant}\n"
             "sources: {s: the demo's table, t: another table}\n"
             "releases:\n"
             "- {version: 1.0, pythons: 3.8 3.10, default: cu118, " ROWS "}\n"
             "- {version: 2.0, pythons: 3.10 3.12, experimental: 3.13, default: cu118, pypi: cu124,"
             " companions: {other: 5.0}, source: s t, as_of: 2026-01-15}\n"
             "- {version: 3.0, pythons: 3.12, default: cu124, " ROWS ", confidence: low}\n"
             "builds:\n"
             "- {releases: 1.0 2.0, variant: cu118, cuda: 11.8, cudnn: 8.7.0.84,"
             " x86_64: 3.7 7.0 8.0, " ROWS "}\n"
             "- {releases: 2.0 3.0, variant: cu124, cuda: 12.4, x86_64: 8.0 9.0, aarch64: 9.0,"
             " ptx: 9.0, not_covered: 12.0, " ROWS "}\n"
             "- {releases: all, variant: cpu, processors: x86_64, " ROWS "}\n",
    [GPUS] =
        "sources: {s: a source}\n"
        "architectures:\n"
        "- {cc: 3.7, name: Kepler, last_branch: 470, " ROWS "}\n"
        "- {cc: 7.0, name: Volta, first_cuda: 9.0, " ROWS "}\n"
        "- {cc: 8.0, name: Ampere, first_cuda: 11.0, " ROWS "}\n"
        "- {cc: 8.6, name: Ampere, first_cuda: 11.1, " ROWS "}\n"
        "- {cc: 10.0, name: Blackwell, first_cuda: 12.4, " ROWS "}\n"
        "- {cc: 12.0, name: Blackwell, first_cuda: 12.4, " ROWS "}\n"
        "gpus:\n"
        "- {gpu: K80, cc: 3.7, class: datacenter, " ROWS "}\n"
        "- {gpu: V100, cc: 7.0, class: datacenter, on: {there: v}, " ROWS "}\n"
        "- {gpu: A100, cc: 8.0, class: datacenter, " ROWS "}\n"
        "- {gpu: RTX 30 series, names: \"RTX 3080, RTX 3090\", cc: 8.6, class: geforce, " ROWS "}\n"
        "- {gpu: B1, cc: 10.0, class: datacenter, " ROWS "}\n"
        "- {gpu: B2, cc: 12.0, class: datacenter, " ROWS "}\n",
    [IMAGES] = "repository: nvidia/cuda\n"
               "sources: {s: the lists}\n"
               "distributions:\n"
               "- {os: ubuntu20.04, family: ubuntu, python: 3.8, " ROWS "}\n"
               "- {os: ubuntu22.04, family: ubuntu, python: 3.10, " ROWS "}\n"
               "- {os: rocky9, family: rocky, python: 3.9, " ROWS "}\n"
               "plain:\n"
               "- {os: ubuntu22.04, repository: ubuntu, tag: 22.04, " ROWS "}\n"
               "cudnn_words:\n"
               "- {cuda: 11.8.0, word: cudnn8, " ROWS "}\n"
               "library_paths:\n"
               "- {from: 11.0.0, path: /mnt, shadows: false, " ROWS "}\n"
               "- {from: 12.4.1, path: /cuda, shadows: true, " ROWS "}\n"
               "images:\n"
               "- {cuda: 11.8.0, state: supported, gate: {cuda: 11.8, branches: 470, geforce:"
               " true}, tags: {base devel cudnn-runtime: ubuntu20.04"
               " ubuntu22.04}, " ROWS "}\n"
               "- {cuda: 12.4.0, state: eol, superseded_by: 12.4.1, gate: {cuda: 12.4, branches:"
               " 535, geforce: false}, tags: {base: ubuntu22.04 rocky9}, " ROWS "}\n"
               "- {cuda: 12.4.1, state: supported, gate: {cuda: 12.4, branches: 535, geforce:"
               " false}, tags: {base: ubuntu20.04 ubuntu22.04}, " ROWS "}\n"
               "- {cuda: 12.4.2, state: observed, tags: {runtime: ubuntu22.04}, " ROWS "}\n",
    [PLATFORMS] =
        "sources: {s: a source}\n"
        "platforms:\n"
        "- {platform: there, title: There, driver: 535, selector: x, gpus: listed, " ROWS "}\n"
        "- {platform: here, title: Here, selector: x, gpus: any, " ROWS "}\n",
};

struct memory {
    struct fileset set;
    struct fileset_entry entries[FILES];
    const char *texts[FILES];
};

static int read_memory(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct memory *memory = (const struct memory *)set;
    (void)err;
    *out = span_from(memory->texts[index]);
    return 0;
}

static inline void fill(struct memory *memory)
{
    for (size_t i = 0; i < FILES; i++) {
        memory->entries[i] = (struct fileset_entry){.path = paths[i]};
        memory->texts[i] = texts[i];
    }
    memory->set = (struct fileset){memory->entries, FILES, read_memory};
}
