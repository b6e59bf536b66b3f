/* What a fork of the built-in catalog has besides it: CI, and how to work on it. */
#include "author/fork_files.h"

static const char readme[] =
    "# A catalog of tmplgen\n"
    "\n"
    "What our repositories are made from: a fork of the catalog that is built into tmplgen. Its\n"
    "releases are in the history, under the ids that repositories made from them have recorded.\n"
    "\n"
    "    tmplgen new --catalog . --type service --framework pytorch ../try    # as it lies here\n"
    "    tmplgen template render service --framework pytorch --watch          # again at each "
    "save\n"
    "    ci/catalog.sh                                                        # what CI runs\n"
    "\n"
    "## Release a version\n"
    "\n"
    "Raise `version` in catalog.yml, say what is new in CHANGELOG.md, commit, then\n"
    "\n"
    "    git tag v1.0.0 && git push --follow-tags origin main v1.0.0\n"
    "\n"
    "Repositories of the built-in catalog come over by `tmplgen update --catalog SRC`, once.\n"
    "\n"
    "## Take over the next release of the built-in catalog\n"
    "\n"
    "    tmplgen template export ../next                  # with the newer tmplgen\n"
    "    git fetch ../next 'refs/tags/v*:refs/tags/tmplgen-v*'\n"
    "    git merge tmplgen-v0.0.0                         # the newest of them\n"
    "\n"
    "## CI\n"
    "\n"
    "`ci/catalog.sh` takes the tmplgen that is installed, else the one in the image that the\n"
    "variable `TMPLGEN_IMAGE` names (`tmplgen image build tmplgen` makes such an image).\n";

static const char script[] =
    "#!/bin/sh\n"
    "# What CI runs: are the manifests and templates right, and does all of it still render?\n"
    "# Takes the tmplgen that is installed, else the one in the image that TMPLGEN_IMAGE names.\n"
    "set -eu\n"
    "cd \"$(dirname \"$0\")/..\"\n"
    "\n"
    "run() {\n"
    "    if command -v tmplgen >/dev/null; then\n"
    "        command tmplgen \"$@\"\n"
    "    elif [ -n \"${TMPLGEN_IMAGE-}\" ]; then\n"
    "        docker run --rm --volume \"$PWD:/catalog:ro\" --workdir /catalog \"$TMPLGEN_IMAGE\" "
    "tmplgen \"$@\"\n"
    "    else\n"
    "        echo \"no tmplgen: install it, or set TMPLGEN_IMAGE (README.md)\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "}\n"
    "\n"
    "run template lint\n"
    "run template test\n";

static const char github[] = "name: catalog\n"
                             "\n"
                             "on:\n"
                             "  push:\n"
                             "    branches: [main]\n"
                             "  pull_request:\n"
                             "\n"
                             "permissions:\n"
                             "  contents: read\n"
                             "  packages: read # the image of tmplgen\n"
                             "\n"
                             "jobs:\n"
                             "  catalog:\n"
                             "    runs-on: ubuntu-24.04\n"
                             "    timeout-minutes: 20\n"
                             "    steps:\n"
                             "      - uses: CHECKOUT\n"
                             "        with:\n"
                             "          fetch-depth: 0 # lint compares with the newest tag\n"
                             "          persist-credentials: false\n"
                             "      - run: ci/catalog.sh\n"
                             "        env:\n"
                             "          TMPLGEN_IMAGE: ${{ vars.TMPLGEN_IMAGE }}\n";

static const char gitlab[] =
    "# TMPLGEN_IMAGE, a variable of the project, names an image that has tmplgen.\n"
    "catalog:\n"
    "  image:\n"
    "    name: $TMPLGEN_IMAGE\n"
    "    entrypoint: [\"\"]\n"
    "  variables:\n"
    "    GIT_DEPTH: 0 # lint compares with the newest tag\n"
    "  timeout: 20 minutes\n"
    "  script:\n"
    "    - ci/catalog.sh\n";

static const char jenkins[] =
    "// The agent has tmplgen, or docker and TMPLGEN_IMAGE: README.md, \"CI\".\n"
    "pipeline {\n"
    "    agent any\n"
    "    options {\n"
    "        timeout(time: 20, unit: 'MINUTES')\n"
    "    }\n"
    "    stages {\n"
    "        stage('catalog') {\n"
    "            steps {\n"
    "                sh 'ci/catalog.sh'\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n";

const struct fork_file fork_files[] = {
    {"README.md", readme, false},
    {"ci/catalog.sh", script, true},
    {".github/workflows/catalog.yml", github, false},
    {".gitlab-ci.yml", gitlab, false},
    {"Jenkinsfile", jenkins, false},
};
const size_t fork_file_count = sizeof(fork_files) / sizeof(*fork_files);
