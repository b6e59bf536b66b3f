/* The stack options (DESIGN 3), declared once for every command that takes them. */
#include "cmd/cmd.h"
#include "matrix/matrix.h"

const struct option stack_options[] = {
    {"framework", "NAME[SPEC]", "framework, as in pytorch, 'pytorch>=2.6', pytorch==2.9.1", false},
    {"python", "SPEC", "Python version, such as 3.12", false},
    {"cuda", "SPEC", "CUDA version, such as 12.6 or '>=12.4'", false},
    {"variant", "WORD", "build of the framework: cu126, cuda12, pypi or cpu", false},
    {"driver", "VERSION", "NVIDIA driver of the GPU hosts; a bare branch means its last release",
     false},
    {"gpu", "MODEL|sm_NN", "a GPU that it must run on, such as T4 or sm_90", true},
    {"platform", "NAME", "where it runs: gke, eks, aks or generic", false},
    {"os", "NAME", "distribution of the image, such as ubuntu22.04", false},
    {"arch", "x86_64|aarch64", "processor (default x86_64)", false},
    {"runtime", "legacy|cdi",
     "how GPUs reach the container (default legacy: the image's start gate "
     "applies)",
     false},
    {"image", "REPO:TAG", "base image, instead of the one that fits best", false},
    {"with", "PACKAGE[SPEC]", "one more package that must agree with the stack", true},
    {NULL, NULL, NULL, false},
};

void stack_from_options(struct stack_request *out, struct run *run)
{
    const struct parsed *options = &run->options;
    *out = (struct stack_request){.framework = opt_value(options, "framework"),
                                  .python = opt_value(options, "python"),
                                  .cuda = opt_value(options, "cuda"),
                                  .variant = opt_value(options, "variant"),
                                  .driver = opt_value(options, "driver"),
                                  .platform = opt_value(options, "platform"),
                                  .os = opt_value(options, "os"),
                                  .arch = opt_value(options, "arch"),
                                  .runtime = opt_value(options, "runtime"),
                                  .image = opt_value(options, "image")};
    out->gpus = opt_values(&out->gpu_count, &run->arena, options, "gpu");
    out->with = opt_values(&out->with_count, &run->arena, options, "with");
}
