/* The files of a new type. */
#ifndef TMPLGEN_SKELETON_FILES_H
#define TMPLGEN_SKELETON_FILES_H

#include <stddef.h>

struct skeleton_file {
    const char *path; /* below templates/TYPE/ */
    const char *text;
};

extern const struct skeleton_file skeleton_files[];
extern const size_t skeleton_file_count;

/* The head of template.yml, before what skeleton_files says of it; of a stack and without one. */
extern const char skeleton_stack_head[], skeleton_plain_head[];

/* template.yml of a type that extends another: before and behind the line that says which. */
extern const char skeleton_extension_head[], skeleton_extension_tail[];

/* tests/TYPE/test.yml of these files. */
extern const char skeleton_test[];

#endif
