"""The commands of docs/import.md, in their order, in a folder that has what the page speaks of."""

import json
import re
import subprocess

from ..common.program import ROOT, typed_as_tmplgen
from .world import put

FILES = {
    "cookiecutter.json": json.dumps({"project_slug": "their-project", "title": "A title"}),
    "{{ cookiecutter.project_slug }}/a.txt": "{{ cookiecutter.title }}\n",
}


def test_the_page_is_true(world):
    page = (ROOT / "docs" / "import.md").read_text()
    commands = re.findall(r"^    ((?:tmplgen|git) .*)$", page, re.MULTILINE)
    assert len(commands) == 8
    put(world.folder / "my-template", FILES)
    their = put(world.folder / "their-project", {"a.txt": "A title\n"})
    names = {
        f"GIT_{who}_{what}": "a@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    tools = typed_as_tmplgen(world.folder / "bin")
    env = {**world.env, **names, "PATH": f"{tools}:{world.env['PATH']}"}
    begin = "git init --quiet && git add . && git commit --quiet --message made"
    subprocess.run(begin, shell=True, cwd=their, env=env, check=True)
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=world.folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    assert (world.folder / "my-project" / "a.txt").read_text() == "A title\n"
    assert (their / ".tmplgen.yml").exists()
