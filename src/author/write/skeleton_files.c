/* The files of a new type. */
#include "author/write/skeleton_files.h"

#include "base/embed.h"

#define FILES "src/author/files/type/"

EMBED(skeleton_plain_head, FILES "plain_head.yml");
EMBED(skeleton_stack_head, FILES "stack_head.yml");
EMBED(skeleton_extension_head, FILES "extension_head.yml");
EMBED(skeleton_extension_tail, FILES "extension_tail.yml");
EMBED(skeleton_test, FILES "test.yml");
EMBED(skeleton_manifest, FILES "template.yml");
EMBED(skeleton_readme, FILES "README.md.j2");
EMBED(skeleton_makefile, FILES "Makefile.j2");
EMBED(skeleton_docs, FILES "index.md.j2");

const struct skeleton_file skeleton_files[] = {
    {"template.yml", skeleton_manifest},
    {"files/README.md.j2", skeleton_readme},
    {"files/Makefile.j2", skeleton_makefile},
    {"files/docs/index.md.j2", skeleton_docs},
};
const size_t skeleton_file_count = sizeof(skeleton_files) / sizeof(*skeleton_files);
