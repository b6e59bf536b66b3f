/* Words for what the matrix does not hold: other makers' GPUs, other systems. */
#include "resolver/explain/unknown_hardware.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define CPU "`--variant cpu` runs without a GPU"

/* `words`: between spaces; one with '#' is what precedes a number, as in MI300X. */
static const struct {
    const char *words, *what, *hint;
} places[] = {
    {"rocm rocm# hip hip# amd radeon instinct mi# gfx# rx vega navi", "AMD's GPUs",
     CPU "; AMD's own images (rocm/pytorch) are taken as given: "
         "`--framework none --variant cpu --image rocm/pytorch:TAG`"},
    {"xpu oneapi sycl ipex intel arc iris openvino", "Intel's GPUs",
     CPU "; Intel's own images (intel/intel-extension-for-pytorch) are taken as given: "
         "`--framework none --variant cpu --image REPO:TAG`"},
    {"hpu gaudi gaudi# habana", "Intel's Gaudi",
     CPU "; Habana's own images are taken as given: "
         "`--framework none --variant cpu --image REPO:TAG`"},
    {"mps mlx apple m# macos macos# mac osx darwin", "Apple's machines",
     CPU ", on a Mac in a Linux container too (`--arch aarch64`); GPUs are not reached from there"},
    {"windows windows# win win# win32 win64 directml dml", "Windows",
     "`--platform wsl2`: in WSL 2 the same images and wheels run on Windows' driver"},
    {"tpu tpu# tpuv#", "Google's TPUs", CPU},
    {"neuron trainium trainium# inferentia inferentia# trn# inf#", "Amazon's chips", CPU},
    {"npu cann ascend ascend# mlu mlu# musa", "another maker's chips", CPU},
    {"vulkan opencl webgpu", "no CUDA", CPU},
};

static bool matches(struct span word, const char *pattern, size_t len)
{
    bool numbered = pattern[len - 1] == '#';
    len -= numbered;
    if (strncasecmp(word.ptr, pattern, word.len < len ? word.len : len) != 0)
        return false;
    return numbered ? word.len > len && isdigit((unsigned char)word.ptr[len]) : word.len == len;
}

static bool is_among(struct span word, const char *patterns)
{
    while (*patterns) {
        size_t len = strcspn(patterns, " ");
        if (matches(word, patterns, len))
            return true;
        patterns += len + strspn(patterns + len, " ");
    }
    return false;
}

/* Whether a word of `text` is one of `patterns`. */
static bool names_one(const char *text, const char *patterns)
{
    static const char breaks[] = " -_/:.";
    while (*(text += strspn(text, breaks))) {
        size_t len = strcspn(text, breaks);
        if (is_among(span_of(text, len), patterns))
            return true;
        text += len;
    }
    return false;
}

bool is_elsewhere(struct err *err, const char *code, const char *text)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!names_one(text, places[i].words))
            continue;
        err_set(err, TG_USAGE, code, "tmplgen's matrix is NVIDIA on Linux: '%s' means %s", text,
                places[i].what);
        err_hint(err, "%s", places[i].hint);
        return true;
    }
    return false;
}
