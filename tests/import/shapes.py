"""Templates as they are found: their constructs, rebuilt by hand, never their text."""

import json
from dataclasses import dataclass, field

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR{{ x }}" + bytes(range(256))
ROOT = "{{ cookiecutter.project_slug }}/"
SLUG = "{{ cookiecutter.project_name|lower|replace(' ', '-') }}"
COPIER_ANSWERS = "# Do not edit\n{{ _copier_answers|to_nice_yaml }}"


@dataclass
class Shape:
    """`like` is the template whose shape it is; `kinds` the decisions that an import tells."""

    name: str
    like: str
    tool: str
    files: dict
    answers: list = field(default_factory=lambda: [{}])
    kinds: set = field(default_factory=set)
    aside: set = field(default_factory=set)  # files that are a decision, not compared


def cookie(name, like, manifest, files, answers=None, root=ROOT, **more):
    whole = {
        path if path.startswith(("hooks/", "/")) else root + path: text
        for path, text in files.items()
    }
    whole = {path.lstrip("/"): text for path, text in whole.items()}
    whole["cookiecutter.json"] = json.dumps(manifest)
    return Shape(name, like, "cookiecutter", whole, [{}, *(answers or [])], **more)


def copier(name, like, manifest, files, answers=None, **more):
    whole = {"copier.yml": manifest, **files}
    return Shape(name, like, "copier", whole, [{}, *(answers or [])], **more)


COOKIECUTTER = [
    cookie(
        "pypackage",
        "audreyfeldroy/cookiecutter-pypackage",
        {
            "full_name": "Ann Author",
            "email": "ann@example.com",
            "project_name": "Python Boilerplate",
            "project_slug": "{{ cookiecutter.project_name.lower().replace(' ', '_').replace('-', "
            "'_') }}",
            "short": "What it needs.",
            "version": "0.1.0",
            "cli": ["Typer", "Argparse", "none"],
            "open_source_license": ["MIT license", "BSD license", "Not open source"],
        },
        {
            "README.rst": "{% set is_open = cookiecutter.open_source_license != 'Not open "
            "source' -%}\n"
            "{% for _ in cookiecutter.project_name %}={% endfor %}\n"
            "{{ cookiecutter.project_name }}\n"
            "{% for _ in cookiecutter.project_name %}={% endfor %}\n\n{% if is_open %}\n"
            ".. image:: https://example.com/{{ cookiecutter.project_slug }}.svg\n{%- endif %}\n\n"
            "{{ cookiecutter.short }}\n\n{% if is_open %}\n"
            "* Free: {{ cookiecutter.open_source_license }}\n"
            "{% endif %}\n",
            "setup.py": "{%- set licenses = {\n    'MIT license': 'MIT',\n"
            "    'BSD license': 'BSD'\n} %}\n"
            "setup(\n{%- if 'no' not in cookiecutter.cli|lower %}\n"
            "    entry='{{ cookiecutter.cli }}',\n"
            "{%- endif %}\n{%- if cookiecutter.open_source_license in licenses %}\n"
            '    license="{{ licenses[cookiecutter.open_source_license] }}",\n{%- endif %}\n)\n',
            "src/{{ cookiecutter.project_slug }}/__init__.py": (
                '__author__ = """{{ cookiecutter.full_name }}"""\n'
                "__email__ = '{{ cookiecutter.email }}'\n"
                "__version__ = '{{ cookiecutter.version }}'\n"
            ),
            "src/{{ cookiecutter.project_slug }}/{{ cookiecutter.project_slug "
            "}}.py": '"""Main."""\n',
            "tests/__init__.py": '"""Unit tests of {{ cookiecutter.project_slug }}."""\n',
            ".github/workflows/test.yml": (
                "on: push\nenv:\n  PY: {% raw %}${{ matrix.python }}{% endraw %}\n"
            ),
            "Makefile": ".PHONY: clean\nclean:\n\trm -rf {{ cookiecutter.project_slug }}"
            ".egg-info\n",
            "hooks/post_gen_project.py": (
                "import os\n\nif 'none' in '{{ cookiecutter.cli }}'.lower():\n"
                "    os.remove('cli.py')\n"
            ),
        },
        [
            {
                "project_name": "Ünï Code",
                "project_slug": "uni",
                "open_source_license": "Not open source",
            },
            {"cli": "none", "open_source_license": "BSD license", "full_name": 'O\'Neil "x"'},
        ],
        kinds={"hook"},
    ),
    cookie(
        "django",
        "cookiecutter/cookiecutter-django",
        {
            "project_name": "My Awesome Project",
            "project_slug": "{{ cookiecutter.project_name.lower()|replace(' ', '_')|trim() }}",
            "domain_name": "example.com",
            "timezone": "UTC",
            "username_type": ["username", "email"],
            "use_docker": "n",
            "postgresql_version": ["16", "15"],
            "cloud_provider": ["AWS", "GCP", "None"],
            "use_celery": ["n", "y"],
            "use_mailpit": "n",
            "debug": "n",
        },
        {
            "config/settings/base.py": 'TIME_ZONE = "{{ cookiecutter.timezone }}"\n'
            '{% if cookiecutter.use_docker == "y" -%}\n'
            'DB = env()\n{%- else -%}\nDB = env(\n    default="{% if cookiecutter.debug '
            "== 'y' %}x{% else %}postgres://{% endif %}/{{cookiecutter.project_slug}"
            '}",\n)\n'
            "{%- endif %}\nINSTALLED = [\n{%- if cookiecutter.use_celery == "
            "'y' %}\n    \"celery\",\n{%- endif %}\n]\n"
            "{% if cookiecutter.cloud_provider == 'AWS' %}\n"
            "BUCKET = 1\n{% elif cookiecutter.cloud_provider == 'GCP' %}\n"
            "GS = 2\n{% endif %}\n",
            "docker-compose.local.yml": "services:\n  django: &django\n    build: .\n"
            "    {%- if cookiecutter.use_mailpit == 'y' %}\n"
            "    mailpit:\n    {%- endif %}\n"
            "  {%- if cookiecutter.use_celery == 'y' %}\n"
            "\n  celery:\n    <<: *django\n  {%- endif %}\n",
            "{{ cookiecutter.project_slug }}/users/models.py": (
                'class User:\n    {%- if cookiecutter.username_type == "email" %}'
                "\n    email = 1\n    {%- endif %}\n"
            ),
            "{{ cookiecutter.project_slug }}/templates/base.html": (
                "{% raw %}{% load static %}\n<title>{% block title %}{% endraw %}"
                "{{ cookiecutter.project_name }}{% raw %}{% endblock title %}</title>{% "
                "endraw %}\n"
            ),
            "locale/README.md": "plain\n",
            "merge.sh": ("#!/bin/sh\necho {{ cookiecutter.domain_name }}\n", True),
            ".editorconfig": "[*.{py,rst}]\nindent = 4\n",
            "hooks/pre_gen_project.py": "slug = '{{ cookiecutter.project_slug }}'\n"
            "assert slug.isidentifier()\n",
        },
        [
            {"use_docker": "y", "use_celery": "y", "cloud_provider": "GCP"},
            {"username_type": "email", "use_mailpit": "y"},
        ],
        kinds={"hook"},
    ),
    cookie(
        "data-science",
        "drivendataorg/cookiecutter-data-science",
        {
            "project_name": "project_name",
            "repo_name": "{{ cookiecutter.project_name.lower().replace(' ', '_') }}",
            "module_name": "{{ cookiecutter.project_name.lower().replace(' ', '_').replace('-', "
            "'_') }}",
            "python_version_number": "3.10",
            "environment_manager": ["virtualenv", "conda", "none"],
            "dependency_file": ["requirements.txt", "pyproject.toml"],
            "pydata_packages": ["none", "basic"],
            "docs": ["mkdocs", "none"],
            "include_code_scaffold": ["Yes", "No"],
        },
        {
            "Makefile": "PROJECT_NAME = {{ cookiecutter.repo_name }}\n"
            "PYTHON_VERSION = {{ cookiecutter.python_version_number }}\n"
            "\n"
            "{% if cookiecutter.environment_manager == 'conda' -%}\n"
            "env:\n\tconda env create --name $(PROJECT_NAME)\n"
            "{% elif cookiecutter.environment_manager == 'virtualenv' -%}\n"
            'env:\n\t@bash -c "if [ ! -z `which virtualenvwrapper.sh` ]; then '
            ':; fi"\n{% endif %}\nhelp:\n\t@python -c "${PRINT_HELP}" < $(MAKEFILE_LIST)\n',
            "README.md": "# {{cookiecutter.project_name}}\n\n```\n├── data\n"
            "│   └── raw\n{% if cookiecutter.include_code_scaffold == 'Yes' "
            "%}└── {{ cookiecutter.module_name }}\n{% endif %}```\n",
            "{{ cookiecutter.module_name }}/config.py": "from pathlib import Path\n",
            "data/raw/.gitkeep": "",
            "docs/docs/index.md": "# {{ cookiecutter.project_name }}\n",
            "hooks/post_gen_project.py": "from copy import copy\nprint('x')\n",
        },
        [
            {"environment_manager": "conda", "include_code_scaffold": "No"},
            {"environment_manager": "none"},
        ],
        root="{{ cookiecutter.repo_name }}/",
        kinds={"hook"},
    ),
    cookie(
        "scverse",
        "scverse/cookiecutter-scverse",
        {
            "project_name": "my-project",
            "package_name": "{{ cookiecutter.project_name|replace('-', '_') }}",
            "project_description": "A very interesting piece of code",
            "github_user": "owner",
            "project_repo": (
                "https://example.com/{{ cookiecutter.github_user }}/{{ cookiecutter.project_name }}"
            ),
            "license": ["MIT License", "Unlicense"],
            "_copy_without_render": ["*.html", "docs/_static/*"],
            "_render_devdocs": False,
            "_jinja2_env_vars": {"lstrip_blocks": True, "trim_blocks": True},
        },
        {
            "pyproject.toml": '[project]\nname = "{{ cookiecutter.project_name }}"\n'
            "    {% if cookiecutter.license == 'MIT License' %}\n"
            'license = {text = "MIT"}\n    {% endif %}\n'
            'urls.Source = "{{ cookiecutter.project_repo }}"\n',
            "docs/conf.py": "x = {\n{% if not cookiecutter._render_devdocs %}\n"
            "  1,\n{% else %}\n  2,\n{% endif %}\n}\n",
            "docs/_static/a.css": "a {{ not rendered }} b\n",
            "docs/page.html": "{{ content }}\n{% if x %}\n",
            "src/{{ cookiecutter.package_name }}/__init__.py": "__all__ = []\n",
        },
        [{"project_name": "other-one", "license": "Unlicense"}],
        root="{{ cookiecutter.project_name }}/",
    ),
    cookie(
        "nf-core",
        "nf-core/tools pipeline-template",
        {
            "name": "nf/pipe",
            "short_name": "{{ cookiecutter.name.split('/')[1] }}",
            "project_slug": "{{ cookiecutter.short_name }}",
            "is_nfcore": True,
            "igenomes": False,
            "version": "1.0dev",
            "_ci": ["docker", "conda"],
            "__dash": "{{ cookiecutter.name|replace('/', '-') }}",
        },
        {
            "main.nf": "#!/usr/bin/env nextflow\n{% if cookiecutter.is_nfcore -%}\n"
            "/* {{ cookiecutter.name }} */\n{% endif -%}\n"
            "workflow {\n    {%- if cookiecutter.igenomes %}\n    genomes()\n    {%- endif %}\n}\n",
            ".github/ci.yml": "matrix:\n{%- for kind in cookiecutter._ci %}\n"
            "  - {{ kind }}{% if not loop.last %},{% endif %}\n"
            "{%- endfor %}\n"
            "run: {% raw %}${{ matrix.NXF }}{% endraw %} {{ cookiecutter.__dash }}\n",
            "conf/igenomes{% if not cookiecutter.igenomes %}_ignored{% endif %}.config": "x\n",
            "logo_{{ cookiecutter.short_name }}.png": PNG,
        },
        [{"name": "a/b-c", "is_nfcore": False, "igenomes": True}],
    ),
    cookie(
        "kedro",
        "kedro-org/kedro-starters",
        {
            "project_name": "New Kedro Project",
            "repo_name": "{{ cookiecutter.project_name.strip().replace(' ', '-').replace('_', "
            "'-').lower() }}",
            "python_package": "{{ cookiecutter.project_name.strip().replace(' ', '_').replace('-', "
            "'_').lower() }}",
            "kedro_version": "0.19",
        },
        {
            "pyproject.toml": '[tool.kedro]\npackage_name = "{{ cookiecutter.python_package }}'
            '"\nkedro_init_version = "{{ cookiecutter.kedro_version }}"\n',
            "src/{{ cookiecutter.python_package }}/settings.py": (
                '"""Settings of {{ cookiecutter.project_name }}."""\n'
            ),
            "conf/base/catalog.yml": "# {{ '{{' }} kept {{ '}}' }}\n",
            "/prompts.yml": "project_name:\n  title: x\n",
            "/README.md": "of the starter\n",
        },
        [{"project_name": "Spaceflights_2 X"}],
        root="{{ cookiecutter.repo_name }}/",
    ),
    cookie(
        "hypermodern",
        "cjolowicz/cookiecutter-hypermodern-python",
        {
            "project_name": "hyper-python",
            "package_name": "{{ cookiecutter.project_name.replace('-', '_') }}",
            "friendly_name": "{{ cookiecutter.project_name.replace('-', ' ').title() }}",
            "copyright_year": "2026",
            "license": ["MIT", "Apache-2.0"],
            "development_status": [
                "Development Status :: 1 - Planning",
                "Development Status :: 3 - Alpha",
            ],
            "_extensions": ["jinja2.ext.do"],
        },
        {
            "LICENSE.md": "# {% if cookiecutter.license == 'MIT' -%}\n"
            "MIT\n\nCopyright © {{cookiecutter.copyright_year}}\n"
            "{%- else -%}\nApache\n{%- endif %}\n",
            ".github/workflows/tests.yml": (
                "jobs:\n  tests:\n    name: {% raw %}${{ matrix.session }} ${{ matrix.python "
                "}}{% endraw %}\n    run: {% raw %}>\n      {{ x }}\n"
                "{% endraw %}"
            ),
            "CONTRIBUTING.rst": (
                '{{cookiecutter.friendly_name}}\n{{"=" * cookiecutter.friendly_name|length}}\n'
            ),
            "src/{{cookiecutter.package_name}}/py.typed": "",
        },
        [{"license": "Apache-2.0", "copyright_year": "1999"}],
        root="{{cookiecutter.project_name}}/",
        kinds={"extension"},
    ),
    cookie(
        "pylibrary",
        "ionelmc/cookiecutter-pylibrary",
        {
            "project_name": "Nameless",
            "project_slug": SLUG,
            "c_extension_support": ["no", "yes", "cython"],
            "command_line_interface": ["plain", "no"],
            "sphinx_docs": "yes",
            "year_from": "2020",
            "year_to": "2026",
        },
        {
            "{% if cookiecutter.c_extension_support != 'no' %}MANIFEST.in{% "
            "endif %}": "graft src\n",
            "{% if cookiecutter.sphinx_docs == 'yes' %}docs{% endif %}x.txt": "odd\n",
            "README.rst": "{{ '*' * cookiecutter.project_name|length }}\n"
            "{% if cookiecutter.year_from == cookiecutter.year_to %}{{ cookiecutter.year_f"
            "rom }}{% else %}"
            "{{ cookiecutter.year_from }}-{{ cookiecutter.year_to }}{% endif %}, x\n",
            "tox.ini": "[testenv]\ncommands =\n    {%- if cookiecutter.c_extension_support "
            "== 'cython' %}\n    python build.py\n    {%- endif %}\n"
            "    {posargs:pytest}\n",
            "ci/templates/x.yml": "{{ '{%' }} for env in envs {{ '%}' }}\n",
        },
        [{"c_extension_support": "cython", "sphinx_docs": "no"}],
    ),
    cookie(
        "flask",
        "cookiecutter-flask/cookiecutter-flask",
        {
            "full_name": "My Name",
            "app_name": "my_flask_app",
            "project_slug": "{{ cookiecutter.app_name }}",
            "use_pipenv": ["no", "yes"],
            "use_heroku": False,
            "node_version": 20,
            "ratio": 0.5,
            "_copy_without_render": ["{{cookiecutter.app_name}}/static", "*.js", "templates_raw"],
        },
        {
            "{{cookiecutter.app_name}}/app.py": (
                "app = '{{ cookiecutter.app_name }}'  # {{ cookiecutter.node_version "
                "}} {{ cookiecutter.ratio }}\n"
            ),
            "{{cookiecutter.app_name}}/static/a.txt": "{{ x }}\n",
            "webpack.js": "let a = {{ b: 1 }};\n",
            "templates_raw/page.txt": "{% block x %}\n",
            "Procfile": "{%- if cookiecutter.use_heroku -%}\nweb: gunicorn\n{%- endif -%}\n",
            "Dockerfile": "FROM node:{{ cookiecutter.node_version }}\n"
            "{% if cookiecutter.use_pipenv == 'yes' %}RUN pipenv\n"
            "{% else %}RUN pip\n{% endif %}",
        },
        [{"use_heroku": True, "use_pipenv": "yes", "node_version": "18", "app_name": "shop"}],
    ),
    Shape(
        "menu",
        "cookiecutter docs: several templates in one repository",
        "cookiecutter",
        {
            "cookiecutter.json": json.dumps(
                {
                    "templates": {
                        "lib": {"path": "./lib", "title": "Library", "description": "a library"},
                        "Web App": {"path": "web/", "title": "Web"},
                    }
                }
            ),
            "lib/cookiecutter.json": json.dumps({"project_slug": "lib"}),
            "lib/" + ROOT + "a.txt": "{{ cookiecutter.project_slug }}\n",
            "web/cookiecutter.json": json.dumps({"project_slug": "web", "port": "80"}),
            "web/" + ROOT + "b.txt": "{{ cookiecutter.port }}{{ cookiecutter.project_slug }}\n",
        },
    ),
    cookie(
        "includes",
        "cookiecutter docs: local templates",
        {"project_slug": "x", "header": "H", "owner": "me", "python-version": "3.11"},
        {
            "a.txt": "{% include 'head.txt' %}{{ cookiecutter['python-version'] }}\n",
            "head.txt": "  {% if cookiecutter.header %}\n  {{ cookiecutter.header }} {{ "
            'cookiecutter["owner"] }}\n  {% endif %}\n',
            "b.txt": "{% include 'shared/foot.txt' %}\nend",
            "/templates/shared/foot.txt": "foot {{ cookiecutter.header }}\n",
        },
        [{"header": "", "python-version": "3.12"}],
    ),
    cookie(
        "dictionaries",
        "cookiecutter docs: dictionary variables",
        {
            "project_slug": "new-project",
            "file_types": {
                "png": {
                    "name": "Portable {{ cookiecutter.project_slug }}",
                    "library": "libpng",
                    "apps": ["GIMP", "x'y"],
                },
                "bmp": {"name": "Bitmap", "library": "", "apps": []},
            },
            "_raw": {"a": "{{ kept }}", "n": 3, "z": None},
        },
        {
            "list.html": "{% for extension, details in cookiecutter.file_types|items %}\n"
            "<dl>{{ extension }}: {{ details.name }}\n"
            "{% for app in details.apps -%}\n{{ app }};\n"
            "{% endfor -%}\n</dl>{% endfor %}\n{{ cookiecutter._raw.a }} {{ "
            "cookiecutter._raw['n'] }}\n",
        },
        [{"project_slug": "z"}],
        kinds={"question"},
    ),
    cookie(
        "clashes",
        "many: variables called as tmplgen's own, locals called as variables",
        {
            "project_slug": "s",
            "name": "n",
            "python": "3.11",
            "image": "i",
            "type": "t",
            "not": "x",
            "items": "many",
            "project_type": "p",
            "1st": "first",
        },
        {
            "a.txt": "{% set python = cookiecutter.python ~ '!' %}{{ python }} {{ cookiecutter.pyth"
            "on }} {{ cookiecutter.image }}\n"
            "{% for name in ['a', 'b'] %}{{ name }}{{ cookiecutter.name }}{% "
            "endfor %} {{ cookiecutter.type }}{{ cookiecutter.project_type }"
            "}\n"
            "{{ cookiecutter['not'] }} {{ cookiecutter['items'] }} {{ cookiecutter['1st'] "
            "}} {{ 'x'|default(cookiecutter.name, boolean=true) }}\n",
            "{{ cookiecutter.name }}.txt": "{{ cookiecutter.project_slug }}",
        },
        [{"name": "other", "python": "3.12"}],
    ),
    cookie(
        "unconverted",
        "many: the year of a licence, random keys, local extensions",
        {"project_slug": "s", "only_here": "x", "secret_key": "{{ random_ascii_string(10) }}"},
        {
            "LICENSE": "(c) {% now 'utc', '%Y' %} {{ cookiecutter.only_here }}\n",
            "all.json": "{{ cookiecutter|jsonify }}\n",
            "key.txt": "{{ cookiecutter.secret_key|length }}\n",
            "ok.txt": "{{ cookiecutter.project_slug }}\n",
        },
        kinds={"template", "default"},
        aside={"LICENSE", "all.json", "key.txt"},
    ),
    cookie(
        "odd-files",
        "many: files that look like templates of ours, without a last newline, empty",
        {"project_slug": "s"},
        {
            "page.j2": "{{ cookiecutter.project_slug }}",
            "empty.txt": "",
            "blank.txt": "\n\n",
            "run": ("#!/bin/sh\necho {{ cookiecutter.project_slug }}\n", True),
            "copied.sh": ("#!/bin/sh\n", True),
            "crlf.txt": "a\r\nb\r\n",
            "a b/ü.txt": "{# only a comment #}",
            "[x]*.txt": "globs\n",
            "data.png": PNG,
        },
    ),
]

QUESTIONS = """\
project_name:
  type: str
  help: What is it called, {{ 'please' }}?
  default: My Project
slug:
  type: str
  default: "{{ project_name|lower|replace(' ', '-') }}"
"""

COPIER = [
    copier(
        "copier-uv",
        "pawamoy/copier-uv",
        """\
_min_copier_version: "9"
_jinja_extensions: [jinja2.ext.do]
_templates_suffix: .jinja
_subdirectory: project
_tasks: ["git init", {command: "rm -rf old", when: "{{ public }}"}]
_message_after_copy: "Your project {{ project_name }} is there"
"""
        + QUESTIONS
        + """\
copyright_license:
  type: str
  default: ISC
  choices:
    ISC License: ISC
    MIT License: MIT
public: {type: bool, default: yes, help: Is it public}
insiders:
  type: bool
  default: false
  when: "{{ public }}"
testpypi: {default: "{{ insiders }}", type: bool, when: false}
python_package_import_name:
  default: "{{ slug|replace('-', '_') }}"
  when: false
""",
        {
            "project/pyproject.toml.jinja": (
                '[project]\nname = "{{ slug }}"\nlicense = "{{ copyright_license '
                '}}"\n{% if insiders %}\nx = 1\n{% endif -%}\n'
                "end = {{ testpypi }}\n"
            ),
            "project/src/{{python_package_import_name}}/__init__.py.jinja": (
                '"""{{ project_name }}."""\n'
            ),
            "project/{% if public %}CODE_OF_CONDUCT.md{% endif %}.jinja": "# {{ project_name }}\n",
            "project/{% if insiders %}insiders{% endif %}/a.txt": "a\n",
            "project/{% if insiders %}insiders{% endif %}/deep/b.txt.jinja": "{{ slug }}\n",
            "project/page.html.j2": "{% block x %}{{ y }}{# z #}{\n{{",
            "project/.github/ci.yml": "x: ${{ github.ref }}\n",
            "project/{{_copier_conf.answers_file}}.jinja": COPIER_ANSWERS,
            "README.md": "of the template\n",
        },
        [
            {"project_name": "Other Thing", "insiders": True, "copyright_license": "MIT"},
            {"public": False},
        ],
        kinds={"task", "extension", "message"},
        aside={".copier-answers.yml"},
    ),
    copier(
        "copier-pdm",
        "pawamoy/copier-pdm",
        "_exclude: ['.git', 'copier.yml', '*.tmp', /scratch, 'tests/**/skip.txt']\n"
        "_skip_if_exists: [CHANGELOG.md, docs/]\n"
        + QUESTIONS
        + "line_length: {type: int, default: 100}\nratio: {type: float, default: 0.5}\n",
        {
            "a.txt.jinja": "{{ line_length + 1 }} {{ ratio }} {{ slug }}\n",
            "b.tmp": "x",
            "scratch/x.txt": "x",
            "keep/scratch/x.txt": "x",
            "tests/a/skip.txt": "x",
            "tests/a/keep.txt": "x",
            "CHANGELOG.md": "# Changes\n",
            "docs/index.md.jinja": "# {{ project_name }}\n",
        },
        [{"line_length": 88, "ratio": 1.25}],
        aside={".copier-answers.yml"},
    ),
    copier(
        "simple-modern-uv",
        "jlevy/simple-modern-uv",
        """\
_subdirectory: template
package_name: {type: str, default: changeme, help: Package name}
package_module: {type: str, default: "{{ package_name.replace('-', '_') }}"}
package_author_name:
  type: str
  default: changeme
  validator: "{% if not package_author_name %}a name is needed{% endif %}"
package_github_org: {type: str, default: changeme}
""",
        {
            "template/pyproject.toml.jinja": (
                '[project]\nauthors = [\n    { name="{{ package_author_name }}" '
                "},\n]\n# https://github.com/{{ package_github_org }}/{{ package_name "
                "}}\n"
            ),
            "template/src/{{ package_module }}/x.py.jinja": "print('{{ package_name }}')\n",
            "template/Makefile": "all:\n\techo ${{ x }}\n",
        },
        [{"package_name": "a-b", "package_author_name": "Ünal {{ x }}"}],
    ),
    copier(
        "python-copier-template",
        "DiamondLightSource/python-copier-template",
        """\
_subdirectory: template
package_name:
  type: str
  default: thing
  help: |
    Name of the package.
    Two lines.
  validator: >-
    {% if not (package_name | regex_search('^[a-z][a-z_0-9]+$')) %}
    only small letters
    {% endif %}
description: {type: str, default: "An expanded\\nmultiline text"}
git_platform:
  type: str
  choices: [github.com, gitlab.x.ac.uk]
  default: github.com
github_org:
  type: str
  default: "{% if git_platform == 'github.com' %}Diamond{% else %}daq{% endif %}"
docs_type:
  type: str
  choices:
    - [Sphinx docs, sphinx]
    - [README only, README]
  default: README
docs_url:
  type: str
  when: "{{ docs_type != 'README' }}"
  default: "{% if docs_type == 'README' %}README{% else %}https://{{ github_org }}.io{% endif %}"
pypi: {type: bool, default: "{{ docs_type == 'sphinx' }}"}
""",
        {
            "template/{% if docs_type != 'README' %}docs{% endif %}/index.md.jinja": (
                "{{ docs_url }}\n"
            ),
            "template/README.md.jinja": "{% if docs_url != 'README' %}\nDocs: {{ docs_url }}\n"
            "{%- endif %}\n{{ description }}\n{{ pypi }} {{ github_org }}\n"
            "{% include 'shared/note.jinja' %}\n",
            "template/src/{{ package_name }}/__init__.py.jinja": "\n",
            "shared/note.jinja": "  {% if pypi %}\n  on PyPI\n  {% endif %}\n",
        },
        [
            {"docs_type": "sphinx", "git_platform": "gitlab.x.ac.uk"},
            {"docs_type": "sphinx", "docs_url": "z"},
        ],
    ),
    copier(
        "nlesc",
        "NLeSC/python-template",
        """\
_subdirectory: template
_skip_if_exists: [CITATION.cff]
SelectGitHubActions: &no_anchor_here
  type: bool
  default: true
""".replace(" &no_anchor_here", "")
        + """\
profile:
  type: str
  choices:
    Recommended: {value: recommended}
    Minimum: {value: minimum}
  default: recommended
AddLint:
  type: bool
  default: "{{ profile in ['recommended'] }}"
  when: "{{ SelectGitHubActions and profile != 'minimum' }}"
AddDocs:
  type: bool
  default: "{% if profile == 'recommended' %}true{% else %}false{% endif %}"
extras:
  type: str
  multiselect: true
  choices: [mypy, ruff, sonar]
  default: [ruff]
""",
        {
            "template/{% if AddDocs %}docs{% endif %}/conf.py.jinja": "p = '{{ profile }}'\n",
            "template/{% if AddLint and SelectGitHubActions %}lint.yml{% endif "
            "%}.jinja": "on: {{ AddLint }}\n",
            "template/CITATION.cff.jinja": "{% for e in extras %}\n- {{ e }}\n{% endfor %}\n"
            "{% if 'mypy' in extras %}m{% endif %}\n",
        },
        [
            {"profile": "minimum", "extras": ["mypy", "sonar"]},
            {"SelectGitHubActions": False, "extras": []},
        ],
    ),
    copier(
        "doodba",
        "Tecnativa/doodba-copier-template",
        """\
_exclude:
  - /.git
  - /copier.yml
  - "{% if not use_db %}/db{% endif %}"
  - "{% if version < 14 %}new.txt{% endif %}"
_secret_questions: [password]
_migrations:
  - {version: v2.0.0, after: ["invoke migrate"]}
_envops: {trim_blocks: true, lstrip_blocks: true}
version: {type: float, default: 16.0, choices: [13.0, 14.0, 16.0]}
use_db: {type: bool, default: true}
password: {type: str, default: hunter2}
ports: {type: yaml, default: [80, 443]}
limits: {type: yaml, default: {cpu: 2, mem: "1g"}}
""",
        {
            "db/a.txt.jinja": "{{ password }}\n",
            "new.txt": "new\n",
            "odoo.conf.jinja": "  {% if version >= 14 %}\n  v {{ version }}\n"
            "  {% endif %}\n{% for p in ports %}\nport {{ p }}\n"
            "{% endfor %}\n"
            "cpu {{ limits.cpu }} {{ limits['mem'] }}\n",
        },
        [{"version": 13.0}, {"use_db": False}],
        kinds={"secret", "migration", "question"},
        aside={".copier-answers.yml"},
    ),
    copier(
        "oca",
        "OCA/oca-addons-repo-template",
        """\
_answers_file: .answers/repo.yml
org_name: Odoo Community Association
repo_slug: {type: str, default: repo, help: Slug}
odoo_version: {type: float, default: 16.0, choices: [15.0, 16.0]}
use_ruff: "{{ odoo_version > 15 }}"
ci: {type: str, choices: [GitHub, Travis, none], default: GitHub}
extra_lines: {type: str, multiline: true, default: ""}
""",
        {
            "{% if ci == 'GitHub' %}.github{% endif %}/workflows/{% if use_ruff "
            "%}pre-commit.yml{% endif %}.jinja": "v: {{ odoo_version }}\n",
            "{% if ci == 'Travis' %}.travis.yml{% endif %}": "x\n",
            "README.md.jinja": "{{ org_name }} {{ repo_slug }} {{ use_ruff }}{{ extra_lines }}\n",
            ".answers/repo.yml.jinja": COPIER_ANSWERS,
        },
        [{"ci": "Travis", "odoo_version": 15.0}, {"ci": "none", "extra_lines": "a\nb"}],
        aside={".answers/repo.yml"},
    ),
    copier(
        "full-stack",
        "fastapi/full-stack-fastapi-template",
        """\
_exclude:
  - .vscode
  - .mypy_cache
  - .git
  - copier.yml
_answers_file: .copier/.copier-answers.yml
_tasks: ["{{ _copier_python }} .copier/update_dotenv.py"]
project_name: {type: str, help: The name, default: FastAPI Project}
stack_name: {type: str, default: fastapi-project}
secret_key: {type: str, default: changethis}
smtp_host: {type: str, default: ""}
sentry_dsn: ""
""",
        {
            ".copier/.copier-answers.yml.jinja": COPIER_ANSWERS,
            ".env": "DOMAIN=localhost\n",
            ".vscode/launch.json": "{}\n",
            "note.txt.jinja": "{{ project_name }} {{ stack_name }}{{ secret_key }} {{ smtp_host "
            "or 'none' }}{{ sentry_dsn }}\n",
        },
        [{"smtp_host": "h"}],
        kinds={"task"},
        aside={".copier/.copier-answers.yml"},
    ),
    copier(
        "no-suffix",
        "templates of copier 5 and before: all files are rendered",
        "_templates_suffix: ''\n_envops:\n  block_start_string: '[%'\n"
        "  block_end_string: '%]'\n  comment_start_string: '[#'\n"
        "  comment_end_string: '#]'\n  variable_start_string: '[['\n"
        "  variable_end_string: ']]'\n  keep_trailing_newline: true\n"
        + QUESTIONS.replace("{{", "[[").replace("}}", "]]"),
        {
            "ci.yml": "on: ${{ github.ref }}\n  [% if slug %]\nname: [[ project_name ]] "
            "{{ x }} {% y %}\n  [% endif %]\n",
            "[[ slug ]]/a.j2": "{{ x }} [[ slug ]]\n",
            "[% if slug == 'x' %]x.txt[% endif %]": "x\n",
            "plain.txt": "{{ x }}\n",
            "logo.png": PNG,
        },
        [{"project_name": "X", "slug": "x"}],
        aside={".copier-answers.yml"},
    ),
    copier(
        "latex",
        "templates of LaTeX and Go: delimiters of their own",
        "_envops: {variable_start_string: '<<', variable_end_string: '>>', "
        "block_start_string: '<%', block_end_string: '%>', comment_start_string: "
        "'<#', comment_end_string: '#>', trim_blocks: true}\n"
        "title: {type: str, default: 'On << \"x\" >>'}\nnumbered: {type: bool, default: true}\n",
        {
            "a.tex.jinja": "\\title{<< title >>}{\n<% if numbered %>\n"
            "{{\\bf x}}{% y\n<% endif %>{<< title >>}{# z #}\n"
            "<# gone #>\n<% raw %>\n<< kept >>{{ x }}\n"
            "<% endraw %>\n",
            "{{ .Name }}.tmpl.jinja": "{{ .Name }} << title >>\n",
            "<< title|length >>/b.txt": "x\n",
        },
        [{"title": "T {{ x }}", "numbered": False}],
    ),
]
SHAPES = COOKIECUTTER + COPIER
