/* What a fork of the built-in catalog has besides it: CI, and how to work on it. */
#include "author/write/fork_files.h"

#include "base/embed.h"

#define FILES "src/author/files/fork/"

EMBED(fork_readme, FILES "README.md");
EMBED(fork_script, FILES "ci/catalog.sh");
EMBED(fork_requirements, FILES "ci/requirements.txt");
EMBED(fork_hadolint, FILES ".hadolint.yaml");
EMBED(fork_github, FILES ".github/workflows/catalog.yml");
EMBED(fork_gitlab, FILES ".gitlab-ci.yml");
EMBED(fork_jenkins, FILES "Jenkinsfile");

const struct fork_file fork_files[] = {
    {"README.md", fork_readme, false},
    {"ci/catalog.sh", fork_script, true},
    {"ci/requirements.txt", fork_requirements, false},
    {".hadolint.yaml", fork_hadolint, false},
    {".github/workflows/catalog.yml", fork_github, false},
    {".gitlab-ci.yml", fork_gitlab, false},
    {"Jenkinsfile", fork_jenkins, false},
};
const size_t fork_file_count = sizeof(fork_files) / sizeof(*fork_files);
