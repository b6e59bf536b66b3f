/* The files of a new type. */
#include "author/skeleton_files.h"

const char skeleton_plain_head[] =
    "# What `tmplgen new` asks for a project of this type, and which files it gets.\n"
    "description: a project of ours # one line, for those who choose a type\n"
    "stack: none # no GPU stack; `framework`, the other word, needs matrices/ in the catalog\n";

const char skeleton_stack_head[] =
    "# What `tmplgen new` asks for a project of this type, and which files it gets.\n"
    "description: a project of ours # one line, for those who choose a type\n"
    "stack: framework # each project has a GPU stack: templates see it as `resolution`\n"
    "# frameworks: [pytorch] # those that the type has files for; without this line all\n"
    "# python: \">=3.10\" # what the files need\n";

const char skeleton_extension_head[] =
    "# What `tmplgen new` asks for a project of this type, and which files it gets: all that the "
    "other\n"
    "# type has, and what is added here.\n"
    "description: a project of ours # one line, for those who choose a type\n";

const char skeleton_extension_tail[] =
    "# Files go below files/, beside this. Those that replace one of the other type:\n"
    "# overrides: [README.md]\n"
    "# layers: # more files that types share, of templates/_layers/NAME/\n"
    "#   - name: on-call\n"
    "# questions: # more of them; one of a name that is there changes what it gives of that one\n"
    "#   - {name: team, type: str, help: \"The team that looks after it\", default: platform}\n"
    "# refuse: # answers that do not go together, and why\n"
    "#   - {when: \"team == name\", because: \"a team is no project\"}\n"
    "# files:\n"
    "#   - {match: \"docs/**\", policy: seed} # written once, then the project's own\n"
    "# next: [make team] # what is said besides at the end of `new`\n";

static const char manifest[] =
    "# layers: # files that types share, of templates/_layers/NAME/\n"
    "#   - name: docker\n"
    "#   - {name: ci-github, when: \"docs\"}\n"
    "questions: # a question may say more: min, max, items, multiline, secret, computed\n"
    "  # A text. What is in braces comes from earlier answers; `name` is always one.\n"
    "  - name: description\n"
    "    type: str\n"
    "    help: \"What it is for, in a sentence\"\n"
    "    default: \"What {{ name }} is for\"\n"
    "  # A text that must be of some form.\n"
    "  - name: owner\n"
    "    type: str\n"
    "    help: \"The team that looks after it: small letters, digits and dashes\"\n"
    "    default: platform\n"
    "    pattern: \"[a-z][a-z0-9-]*\"\n"
    "  # One of several.\n"
    "  - name: license\n"
    "    type: choice\n"
    "    help: \"The licence, by its SPDX name\"\n"
    "    choices: [none, MIT, Apache-2.0]\n"
    "    default: none\n"
    "  # Any of several.\n"
    "  - name: checks\n"
    "    type: list\n"
    "    help: \"What `make check` does\"\n"
    "    choices: [lint, test, build]\n"
    "    default: [lint, test]\n"
    "  # A whole number, asked only where it makes a difference.\n"
    "  - name: jobs\n"
    "    type: int\n"
    "    help: \"How many checks run at the same time\"\n"
    "    default: 2\n"
    "    when: \"checks\"\n"
    "  # A number.\n"
    "  - name: budget\n"
    "    type: float\n"
    "    help: \"Minutes that all checks may take\"\n"
    "    default: 2.5\n"
    "  # Yes or no.\n"
    "  - name: docs\n"
    "    type: bool\n"
    "    help: \"A folder docs/ for more than the README\"\n"
    "    default: true\n"
    "refuse: # answers that do not go together, and why\n"
    "  - when: \"jobs < 1\"\n"
    "    because: \"with {{ jobs }} jobs nothing is checked\"\n"
    "files:\n"
    "  - {match: \"docs/**\", when: docs} # only where that holds\n"
    "  - {match: \"docs/**\", policy: seed} # written once, then the project's own\n"
    "# delimiters: [{match: \".github/**\", delimiters: square}] # [[ ]] for files full of ${{ }}\n"
    "# migrations: # what a later version renames, so that projects follow\n"
    "#   - {from: \"<2\", rename_answers: {team: owner}, rename_files: {\"a.txt\": \"b.txt\"}}\n"
    "next: [make check]\n";

static const char readme[] = "# {{ name }}\n"
                             "\n"
                             "{{ description }}\n"
                             "\n"
                             "Looked after by {{ owner }}.\n"
                             "{% if license != 'none' %}\n"
                             "\n"
                             "Licence: {{ license }}.\n"
                             "{% endif %}\n"
                             "{% if resolution %}\n"
                             "\n"
                             "Made for {{ resolution.framework.name }} "
                             "{{ resolution.framework.version }} on Python "
                             "{{ resolution.python }}.\n"
                             "{% endif %}\n"
                             "{% if docs %}\n"
                             "\n"
                             "More is in [docs/](docs/index.md).\n"
                             "{% endif %}\n";

static const char makefile[] = ".PHONY: check{% for check in checks %} {{ check }}{% endfor +%}\n"
                               "\n"
                               "# Within {{ budget }} minutes.\n"
                               "check:\n"
                               "{% if checks %}\n"
                               "\t$(MAKE) --jobs {{ jobs }} {{ checks | join(' ') }}\n"
                               "{% endif %}\n"
                               "{% for check in checks %}\n"
                               "\n"
                               "{{ check }}:\n"
                               "\t@echo \"say here how to {{ check }}\"\n"
                               "{% endfor %}\n";

static const char docs[] = "# {{ name }}\n"
                           "\n"
                           "{{ description }}\n";

const char skeleton_test[] =
    "# How `tmplgen template test` treats this type.\n"
    "samples: # what is tried of a question, besides its default, instead of what tmplgen thinks "
    "of\n"
    "  jobs: [1, 16]\n"
    "check: # with --check: run in a project of each case that is kept here\n"
    "  - [make, check]\n"
    "# files: [README.md, \"docs/**\"] # what golden/ holds; all of it without this line\n";

const struct skeleton_file skeleton_files[] = {
    {"template.yml", manifest},
    {"files/README.md.j2", readme},
    {"files/Makefile.j2", makefile},
    {"files/docs/index.md.j2", docs},
};
const size_t skeleton_file_count = sizeof(skeleton_files) / sizeof(*skeleton_files);
