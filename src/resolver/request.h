/* The stack choices, and a request: the user's words for each of them. */
#pragma once

#include "base/err.h"
#include "base/option.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct data;
struct yaml_node;

/* X(CONSTANT, option, argument, help, may it be repeated), as help and records have them. */
/* clang-format off */
#define STACK_CHOICES(X) \
    X(FRAMEWORK, "framework", "NAME[SPEC]", \
      "framework, as in pytorch, 'pytorch>=2.6', pytorch==2.9.1", false) \
    X(PYTHON, "python", "SPEC", "Python version, such as 3.12", false) \
    X(CUDA, "cuda", "SPEC", "CUDA version, such as 12.6 or '>=12.4'", false) \
    X(VARIANT, "variant", "WORD", "build of the framework: cu126, cuda12, pypi or cpu", false) \
    X(DRIVER, "driver", "VERSION|auto", \
      "NVIDIA driver of the GPU hosts: a version, a branch (its last release), or auto: this " \
      "machine's", false) \
    X(GPU, "gpu", "MODEL|sm_NN|auto", \
      "a GPU that it must run on, such as T4 or sm_90; auto: those of this machine", true) \
    X(PLATFORM, "platform", "NAME", "where it runs: gke, eks, aks, wsl2, jetson, generic", false) \
    X(OS, "os", "NAME", "distribution of the image, such as ubuntu22.04", false) \
    X(ARCH, "arch", "x86_64|aarch64", \
      "processor (default: that of the GPUs, else x86_64)", false) \
    X(RUNTIME, "runtime", "legacy|cdi", \
      "how GPUs reach the container (default legacy: the image's start gate applies)", false) \
    X(IMAGE, "image", "REPO:TAG", "base image, instead of the one that fits best", false) \
    X(WITH, "with", "PACKAGE[SPEC]", "one more package that must agree with the stack", true)
/* clang-format on */

#define STACK_CONSTANT(constant, ...) CHOICE_##constant,
enum stack_choice { STACK_CHOICES(STACK_CONSTANT) CHOICE_COUNT };

/*
 * The options of the choices, by that enum, and --unchecked; a row without a name ends them. An
 * option's name is also the key of --set, of answers, of a record's `request` and of JSON: all use
 * this table.
 */
extern const struct option stack_options[];

/* Finds the choice of that name; CHOICE_COUNT: there is none. */
enum stack_choice stack_choice_of(struct span name);

/* The needs of a type's files, whatever the user asks for. */
struct stack_need {
    const char *type;           /* for messages */
    const char *python;         /* SPEC, or NULL: any */
    struct words frameworks;    /* the frameworks that it has files for; none: any */
    struct words distributions; /* families of images that its files build on; none: any */
};

/*
 * Texts as the user gave them; the resolver checks and explains them. No text: the choice is open.
 * Only a repeatable choice has several. `need` is a demand like any other, but not the user's: no
 * record has it, and no suggestion changes it.
 */
struct stack_request {
    struct words said[CHOICE_COUNT];
    struct stack_need need;
    /* Packages named in this run: one whose name is a letter off a known one is refused (exit 2).
     */
    struct words spelled;
    /* The user's request, where this one holds the recorded stack, too; or NULL. Outlives this. */
    const struct stack_request *asked;
};

/* The text of a choice that is not repeatable; NULL: the user gave none. */
const char *request_text(const struct stack_request *request, enum stack_choice choice);
/* The requested processor in the matrix's word; NULL: none. "arm64" is "aarch64". */
const char *request_processor(const struct stack_request *request);
/* Sets `text` as the only text of a choice; NULL clears the choice. */
void request_say(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text);
/* Adds a text to a repeatable choice. */
void request_add(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text);
/* Removes every copy of a text from a choice. */
void request_take_back(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                       const char *text);
/* Replaces each choice that `over` has. */
void request_overlay(struct stack_request *request, const struct stack_request *over);

/* The request as in docs/json.md: only the choices with a text, in their order. */
struct data *stack_request_data(struct arena *arena, const struct stack_request *request);
/* Reads such a map, from a record. Exit 2 where its form is wrong. */
TG_CHECKED int stack_request_parse(struct stack_request *out, struct arena *arena,
                                   const struct data *data, struct err *err);

/* Reads a mapping of a file, where each value is a text or a list of texts. Exit 2. */
TG_CHECKED int stack_request_read(struct stack_request *out, struct arena *arena,
                                  const struct yaml_node *node, struct err *err);

/* The name inside `NAME[SPEC]`, in the arena: "pytorch" of "pytorch>=2.6". */
const char *package_name(struct arena *arena, const char *said);
/* The SPEC after the name and its extras: ">=2.6" of "pytorch[all]>=2.6". */
const char *package_spec(const char *said);
/* The name of the requested framework. */
const char *request_framework(const struct stack_request *request, struct arena *arena);
