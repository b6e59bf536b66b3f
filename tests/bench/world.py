"""A template of 200 files in two versions, for each of the contenders, and a child of it."""

import random
import subprocess

import yaml

FILES, CHANGED, EDITED = 200, 20, 40
LINES = 60
SEED = 20261121


def git(folder, *words):
    return subprocess.run(
        ["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def path_of(number):
    return f"part{number // 20:02}/file{number:03}.txt"


def lines_of(number):
    made = random.Random(SEED + number)
    return [f"line {i} of {number}: {made.getrandbits(64):016x}" for i in range(LINES)]


def template_lines(number, version, variable):
    """Every file says the project's name once; a fifth of them change at the top in version 2."""
    lines = [f"project {variable}", *lines_of(number)]
    if version == 2 and number % (FILES // CHANGED) == 0:
        lines[5:8] = [f"changed {number} {i}" for i in range(4)]
    return "\n".join(lines) + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_tmplgen(folder, version):
    write(folder / "catalog.yml", f"name: bench\nversion: {version}.0.0\n")
    write(
        folder / "templates/plain/template.yml",
        "description: for the benchmark\nstack: none\n",
    )
    for number in range(FILES):
        path = folder / "templates/plain/files" / f"{path_of(number)}.j2"
        write(path, template_lines(number, version, "{{ name }}"))


def write_copier(folder, version):
    settings = {
        "_subdirectory": "template",
        "_templates_suffix": ".j2",
        "_envops": {"keep_trailing_newline": True},
        "name": {"type": "str", "default": "bench"},
    }
    write(folder / "copier.yml", yaml.safe_dump(settings))
    write(
        folder / "template/{{ _copier_conf.answers_file }}.j2", "{{ _copier_answers|to_nice_yaml }}"
    )
    for number in range(FILES):
        path = folder / "template" / f"{path_of(number)}.j2"
        write(path, template_lines(number, version, "{{ name }}"))


def write_cookiecutter(folder, version):
    write(folder / "cookiecutter.json", '{"name": "bench"}\n')
    for number in range(FILES):
        path = folder / "{{ cookiecutter.name }}" / path_of(number)
        write(path, template_lines(number, version, "{{ cookiecutter.name }}"))


def make_template(folder, write_version):
    """A repository with two tagged versions."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    for version in (1, 2):
        write_version(folder, version)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"version {version}")
        git(folder, "tag", f"v{version}.0.0")
    git(folder, "gc", "-q")


def grow(child, total):
    """The user's own files, and edits at the end of some of the template's."""
    for number in range(total - FILES):
        path = child / f"own{number // 100:04}" / f"own{number:06}.txt"
        write(path, "\n".join(lines_of(1000 + number % 500)) + f"\n{number}\n")
    for number in range(0, FILES, FILES // EDITED):
        path = child / path_of(number)
        path.write_text(path.read_text().replace(f"line {LINES - 3} of", "the user's line"))
    git(child, "add", "-A")
    git(child, "commit", "-q", "-m", "the user's work")
    git(child, "gc", "-q")
