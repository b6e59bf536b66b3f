"""
What the three tools are asked to do: the scenarios of tests/update, and those that need more than
two trees, from the common list of template updates (S-) and from what users met (U-). A case is
data; the manifest of a template of ours is the one source from which tools.py writes the others'.
"""

from dataclasses import dataclass, field

from ..update.scenarios import LONG, PLAIN, SCENARIOS, lines, template

# Of the common list, and not here.
LEFT_OUT = {
    "S-24, S-50, S-57, S-115, S-116, S-123": "not part of what tmplgen promises",
    "S-117, S-119, S-120": "the others replay no commits; tests/update/test_rebase_*.py",
    "a kill at any point": "tests/update/test_faults.py; copier and cruft have no recovery",
    "S-94 to S-96, `--base`": "the others have no base that could be proven",
}

OLD = {"a": LONG, "b": lines(5), "b.sh": ("x", "#!/bin/sh\n")}
NEW = {
    "a": lines(20, {15: "theirs"}),
    "b": lines(5),
    "b.sh": ("x", "#!/bin/sh\n"),
    "new/x": "new\n",
}
MINE = {"a": lines(20, {3: "mine"})}
MERGED = {"a": lines(20, {3: "mine", 15: "theirs"}), "new/x": "new\n"}
CLASH = {"a": lines(20, {15: "mine"})}
HEADER = (
    "# Copyright 2026 Example Incorporated, all rights reserved.\n# Licensed as told in LICENSE.\n"
)


@dataclass
class Case:
    id: str
    claim: str
    old: dict
    new: dict
    child: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)
    want: tuple = ("clean",)  # any of: clean, conflict, refused, nothing, back
    conflicts: tuple = ()
    old_template: str = PLAIN
    new_template: str = PLAIN
    yours: tuple = ()
    first: str = "1.0.0"  # the version that the child is made from
    answers: dict = field(default_factory=dict)  # given when the child is made
    steps: tuple = (("release",), ("update",))  # see drive.py
    mine: tuple | None = None  # the child's lines that must not go; None: all that its base lacks
    warning: str = ""
    record_lacks: tuple = ()
    needs: frozenset = frozenset()  # features, in the words of tools.py
    mark: object = None  # what `("mark",)` saw


def tells_of_merge(scenario):
    """That what was merged no longer parses."""
    return scenario.paths.get(scenario.warning) == "merged"


def needs_of(scenario):
    """What a tool must know beyond three trees."""
    both = scenario.old_template + scenario.new_template
    found = {word for word in ("rename_files", "managed") if word in both}
    if ("seed" in scenario.old_template) != ("seed" in scenario.new_template):
        found.add("seeds of the template")
    if "merge: lines" in both:
        found.add("merge: lines")
    if "--restore" in scenario.args:
        found.add("restore")
    if tells_of_merge(scenario):
        found.add("look at what was merged")
    return frozenset(found)


def from_scenario(scenario):
    options = {}
    if "--restore" in scenario.args:
        options["restore"] = scenario.args[1]
    return Case(
        scenario.id,
        scenario.claim,
        scenario.old,
        scenario.new,
        scenario.child,
        scenario.files,
        ("conflict",) if scenario.conflicts else ("clean",),
        scenario.conflicts,
        scenario.old_template,
        scenario.new_template,
        scenario.yours,
        steps=(("release",), ("update", options)),
        warning=scenario.warning if tells_of_merge(scenario) else "",
        needs=needs_of(scenario),
    )


def plain(id_, claim, *steps, **more):
    """The update that most cases share: an edit of line 3 here, of line 15 there, a new file."""
    more = {"child": MINE, "files": MERGED, "want": ("clean",), **more}
    return Case(id_, claim, OLD, NEW, steps=(("release",), *steps), **more)


def in_the_way(id_, claim, *steps, **more):
    """What must not be overwritten."""
    return plain(id_, claim, *steps, ("update",), **{"want": ("refused",), "files": {}, **more})


def asking(*questions, **more):
    return template(questions="".join(f"  - {q}\n" for q in questions), **more)


TEAM = "{name: team, type: str, default: red}"
TEAM_FILE = {"t.j2": "{{ team }}\n"}
ON = "{name: docs, type: bool, default: true}"
WHEN_DOCS = asking(ON) + "files:\n  - {match: guide.md, when: docs}\n"

CONTENT = [
    Case(
        "S-12",
        "a file that the child has with CRLF merges, and keeps CRLF",
        old={"a": LONG},
        child={"a": lines(20, {3: "mine"}).replace("\n", "\r\n")},
        new={"a": lines(20, {15: "theirs"})},
        files={"a": lines(20, {3: "mine", 15: "theirs"}).replace("\n", "\r\n")},
    ),
    Case(
        "S-12-only",
        "a file that differs by CRLF alone takes the template's edit, and keeps CRLF",
        old={"a": LONG},
        child={"a": LONG.replace("\n", "\r\n")},
        new={"a": lines(20, {15: "theirs"})},
        files={"a": lines(20, {15: "theirs"}).replace("\n", "\r\n")},
    ),
    Case(
        "S-18",
        "a clean merge that breaks TOML is told",
        old={"p.toml": "[a]\nx = 1\n\n\n\n\n[b]\ny = 1\n"},
        child={"p.toml": "[c]\nmine = 1\n\n[a]\nx = 1\n\n\n\n\n[b]\ny = 1\n"},
        new={"p.toml": "[a]\nx = 1\n\n\n\n\n[b]\ny = 1\n\n[c]\ntheirs = 1\n"},
        warning="p.toml",
        needs=frozenset({"look at what was merged"}),
    ),
    Case(
        "S-35",
        "a rename by the template that changes case alone is one file",
        old={"README.md": LONG, "x": "1\n"},
        child={"README.md": lines(20, {3: "mine"})},
        new={"Readme.md": lines(20, {15: "theirs"}), "x": "1\n"},
        files={"README.md": None, "Readme.md": lines(20, {3: "mine", 15: "theirs"})},
    ),
    Case(
        "S-35-untouched",
        "and it is renamed where the child left it alone",
        old={"README.md": LONG, "x": "1\n"},
        new={"Readme.md": LONG, "x": "1\n"},
        files={"README.md": None, "Readme.md": LONG},
    ),
    Case(
        "U-licence-header",
        "a licence header that many files share proves no rename",
        old={
            "src/utils/__init__.py": HEADER,
            "src/core/__init__.py": HEADER,
            "src/core/run.py": HEADER + LONG,
        },
        child={"src/utils/__init__.py": None, "src/mine/__init__.py": HEADER},
        new={
            "src/utils/__init__.py": HEADER + "from .x import y\n",
            "src/core/__init__.py": HEADER,
            "src/core/run.py": HEADER + LONG,
        },
        files={"src/utils/__init__.py": None, "src/mine/__init__.py": HEADER},
    ),
    Case(
        "S-21",
        "a file that the template drops is not deleted over an edit",
        old={"a": LONG, "x": "1\n"},
        child={"a": lines(20, {3: "mine"})},
        new={"x": "2\n"},
        want=("conflict",),
        conflicts=("a",),
        files={"x": "2\n"},
    ),
    Case(
        "S-26",
        "a rename that nobody declared loses no edit",
        old={"a": LONG},
        child={"a": lines(20, {3: "mine"})},
        new={"b": LONG},
        want=("conflict", "clean"),
        conflicts=("a", "b"),
    ),
]

TREES = [
    in_the_way(
        "S-59", "a staged change is refused", ("put", {"b": "staged\n"}), ("git", "add", "b")
    ),
    in_the_way(
        "S-59-edited",
        "an edit that is not committed of a file that would change is refused",
        ("put", {"a": lines(20, {3: "mine", 9: "unsaved"})}),
    ),
    plain(
        "S-59-elsewhere",
        "an edit that is not committed of another file is not in the way",
        ("put", {"b": lines(5, {2: "unsaved"})}),
        ("update",),
        files={**MERGED, "b": lines(5, {2: "unsaved"})},
    ),
    plain(
        "S-60",
        "an untracked file that no template path touches is not in the way",
        ("put", {"notes.txt": "notes\n"}),
        ("update", {"untracked": True}),
        files={**MERGED, "notes.txt": "notes\n"},
    ),
    in_the_way(
        "S-62-other", "an untracked file in the way is refused", ("put", {"new/x": "my own\n"})
    ),
    plain(
        "S-62",
        "an untracked file with the content that would be written is taken",
        ("put", {"new/x": "new\n"}),
        ("update", {"untracked": True}),
    ),
    Case(
        "S-61",
        "an ignored file in the way is refused",
        OLD,
        {**NEW, ".env": "theirs\n"},
        child={**MINE, ".gitignore": ".env\n"},
        want=("refused",),
        steps=(("release",), ("put", {".env": "SECRET=1\n"}), ("update",)),
    ),
    in_the_way(
        "U-link-in-the-way",
        "an untracked link in place of a folder is not followed",
        ("put", {"elsewhere/own": "own\n"}),
        ("git", "add", "elsewhere"),
        ("git", "commit", "-q", "-m", "own"),
        ("put", {"new": ("l", "elsewhere")}),
    ),
    Case(
        "S-65",
        "an ignore rule for a rendered file comes and goes",
        {"a": LONG, "local.cfg": "1\n", ".gitignore": "*.log\n"},
        {"a": LONG, "local.cfg": "3\n", "new.cfg": "1\n", ".gitignore": "*.log\n"},
        mine=(),
        files={"local.cfg": "3\n", "new.cfg": "1\n", ".gitignore": "*.log\n"},
        steps=(
            (
                "release",
                {"a": LONG, "local.cfg": "2\n", "new.cfg": "1\n", ".gitignore": "*.log\n*.cfg\n"},
            ),
            ("update",),
            ("settle", {}),
            ("release",),
            ("update",),
        ),
    ),
    plain(
        "S-68",
        "hooks that fail or write do not matter",
        (
            "hooks",
            {
                "post-checkout": "#!/bin/sh\nexit 1\n",
                "pre-commit": "#!/bin/sh\necho changed >> a\nexit 1\n",
                "commit-msg": "#!/bin/sh\nexit 1\n",
            },
        ),
        ("update",),
    ),
    plain(
        "S-70",
        "a linked work tree is updated",
        ("git", "worktree", "add", "-q", "-b", "linked", "../linked"),
        ("at", "linked"),
        ("update",),
    ),
    plain(
        "S-70-separate",
        "a git folder that lies elsewhere is no obstacle",
        ("git", "init", "-q", "--separate-git-dir", "../apart.git"),
        ("update",),
    ),
    plain(
        "S-70-submodule",
        "a child that is a submodule of another repository is updated",
        ("submodule",),
        ("update",),
    ),
    plain(
        "S-71",
        "a child in a folder of a larger repository, with a neighbour that is dirty",
        ("into", "services/a"),
        ("put", {"../b/own": "unsaved\n"}),
        ("update", {"untracked": True}),
    ),
    in_the_way(
        "S-71-clash",
        "there, too, a conflict is told and nothing is lost",
        ("into", "services/a"),
        child=CLASH,
        want=("conflict",),
        conflicts=("a",),
    ),
    plain(
        "S-73",
        "a detached HEAD: the update goes on a branch",
        ("git", "checkout", "-q", "--detach"),
        ("update", {"branch": "topic"}),
    ),
    in_the_way("S-74", "a repository without a commit is refused", ("unborn",)),
    plain(
        "S-77-split",
        "a split index is handled or refused",
        ("git", "update-index", "--split-index"),
        ("update",),
        want=("clean", "refused"),
    ),
    plain(
        "S-77-sparse",
        "a sparse index is handled or refused",
        ("commit", {"deep/er/file": "x\n"}),
        ("git", "sparse-checkout", "set", "--cone", "--sparse-index", "new"),
        ("update",),
        want=("clean", "refused"),
    ),
    in_the_way(
        "S-79",
        "a merge that is under way is refused",
        ("git", "checkout", "-q", "-b", "side"),
        ("commit", {"b": lines(5, {2: "side"})}),
        ("git", "checkout", "-q", "main"),
        ("commit", {"b": lines(5, {2: "main"})}),
        ("try", "merge", "-q", "side"),
    ),
    plain("S-80", "of two updates at one moment one is enough", ("update-twice",)),
    plain(
        "U-autocrlf",
        "core.autocrlf changes files on disk and never what is merged",
        ("clone", "-c", "core.autocrlf=true"),
        ("update",),
        files={"a": lines(20, {3: "mine", 15: "theirs"}).replace("\n", "\r\n")},
        mine=("mine",),
    ),
    plain(
        "U-filemode",
        "modes that do not count are left alone",
        ("git", "config", "core.fileMode", "false"),
        ("chmod", "a", 0o755),
        ("update",),
        files={"a": ("*", MERGED["a"]), "new/x": "new\n"},
    ),
    in_the_way(
        "U-sparse",
        "a sparse checkout: the file outside of it is merged, or it is refused",
        ("commit", {"deep/file": "x\n"}),
        ("git", "sparse-checkout", "set", "--no-cone", "/*", "!/a"),
        want=("clean", "refused"),
        files={"a": None, "new/x": "new\n"},
    ),
]

HISTORY = [
    plain(
        "S-82",
        "an update that was squashed onto another branch brings no old conflict back",
        *(("update",), ("settle", {}), ("git", "checkout", "-q", "-b", "work")),
        ("commit", {"a": lines(20, {3: "mine", 5: "mine", 15: "theirs"})}),
        ("release", {**NEW, "a": lines(20, {5: "theirs", 15: "theirs"})}),
        *(("update",), ("settle", {"a": lines(20, {3: "mine", 5: "mine", 15: "theirs"})})),
        ("git", "checkout", "-q", "main"),
        ("commit", {"other": "meanwhile\n"}),
        *(("git", "merge", "-q", "--squash", "work"), ("git", "commit", "-q", "-m", "squashed")),
        ("release", {**NEW, "a": lines(20, {5: "theirs", 12: "newest", 15: "theirs"})}),
        ("update",),
        files={"a": lines(20, {3: "mine", 5: "mine", 12: "newest", 15: "theirs"})},
        mine=("mine",),
    ),
    plain(
        "U-revert",
        "an update that was reverted can be taken again",
        *(("update",), ("settle", {}), ("git", "revert", "--no-edit", "HEAD"), ("update",)),
    ),
    plain(
        "U-two-hops",
        "two steps end as one",
        *(("update",), ("settle", {})),
        ("release", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})}),
        ("update",),
        files={"a": lines(20, {3: "mine", 15: "theirs", 18: "more"})},
        mine=("mine",),
    ),
    plain(
        "S-89",
        "a template that moved is found by its new name, without an edit of the record",
        ("move-template", "elsewhere"),
        ("update", {"source": "elsewhere"}),
        needs=frozenset({"a new source"}),
    ),
    in_the_way(
        "S-90", "a template that is not at hand changes nothing", ("move-template", "elsewhere")
    ),
    plain(
        "S-91",
        "nothing newer is exit 0, and nothing is written",
        *(("update",), ("settle", {}), ("update",)),
        want=("nothing",),
    ),
    plain(
        "S-92",
        "an older version is refused",
        *(("update",), ("settle", {}), ("update", {"to": "1.0.0"})),
        want=("refused", "nothing"),
    ),
    Case(
        "S-93",
        "the newest release is taken by its number, whatever else is tagged",
        {"a": "1\n"},
        {"a": "10\n"},
        files={"a": "10\n"},
        first="1.8.0",
        steps=(
            ("release", {"a": "10\n"}, {"version": "1.10.0"}),
            ("release", {"a": "9\n"}, {"version": "1.9.0"}),
            ("release", {"a": "rc\n"}, {"version": "2.0.0-rc1"}),
            ("tag-template", "nightly", "docs-3"),
            ("update", {"newest": True}),
        ),
        needs=frozenset({"release tags"}),
    ),
    plain("S-97", "a fresh clone gives the same files", ("clone",), ("update",)),
    plain("U-depth-1", "so does one of depth 1", ("clone", "--depth=1"), ("update",)),
    in_the_way(
        "S-99-markers", "a record with conflict markers is refused", ("break-record", "markers")
    ),
    in_the_way(
        "S-99-syntax", "a record that does not parse is refused", ("break-record", "syntax")
    ),
    in_the_way("S-99-keys", "a record that lacks its keys is refused", ("break-record", "keys")),
    in_the_way("S-99-gone", "a record that is gone is refused", ("break-record", "gone")),
    plain(
        "S-102",
        "a conflict that was solved is over: the next version merges",
        *(("update",), ("settle", {"a": lines(20, {15: "both"})})),
        ("release", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})}),
        ("update",),
        child=CLASH,
        mine=("both",),
        files={"a": lines(20, {15: "both", 18: "more"})},
    ),
    plain(
        "U-moved-abort",
        "an update in conflict can be undone after the repository was moved",
        *(("mark",), ("update",), ("move-child", "moved"), ("abort",)),
        child=CLASH,
        want=("back",),
    ),
    plain(
        "U-moved-continue",
        "and be finished there",
        *(("update",), ("move-child", "moved"), ("settle", {"a": lines(20, {15: "both"})})),
        ("release", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})}),
        ("update",),
        child=CLASH,
        mine=("both",),
        files={"a": lines(20, {15: "both", 18: "more"})},
    ),
    plain(
        "U-given-up",
        "an update in conflict that git's reset gave up can be done again",
        *(("update",), ("git", "reset", "-q", "--hard"), ("git", "clean", "-q", "-f", "-d")),
        ("update",),
        child=CLASH,
        want=("conflict",),
        conflicts=("a",),
        files={"new/x": "new\n"},
    ),
]

ANSWERS = [
    Case(
        "S-103",
        "a new question takes its default",
        {"a": "1\n"},
        {"a": "2\n", **TEAM_FILE},
        new_template=asking(TEAM),
        files={"a": "2\n", "t": "red\n"},
    ),
    Case(
        "S-104",
        "a new question without a default is refused where nobody is asked",
        {"a": "1\n"},
        {"a": "2\n", **TEAM_FILE},
        new_template=asking("{name: team, type: str}"),
        want=("refused",),
        needs=frozenset({"questions without a default"}),
    ),
    Case(
        "S-105",
        "a question that is gone leaves the record",
        {"a": "1\n", **TEAM_FILE},
        {"a": "2\n"},
        old_template=asking(TEAM),
        files={"a": "2\n", "t": None},
        record_lacks=("team",),
    ),
    Case(
        "S-107",
        "a new default does not replace an answer",
        {**TEAM_FILE, "a": "1\n"},
        {**TEAM_FILE, "a": "2\n"},
        old_template=asking(TEAM),
        new_template=asking(TEAM.replace("red", "blue")),
        files={"t": "red\n", "a": "2\n"},
    ),
    Case(
        "S-107-hidden",
        "a question that was hidden takes the new default",
        {"t.j2": "{{ docs }} {{ team }}\n"},
        {"t.j2": "{{ docs }} {{ team }}\n"},
        old_template=asking(ON.replace("true", "false"), TEAM.replace("}", ", when: docs}")),
        new_template=asking(
            ON.replace("true", "false"), TEAM.replace("}", ", when: docs}").replace("red", "blue")
        ),
        steps=(("release",), ("update", {"set": {"docs": True}})),
        files={"t": "True blue\n"},
        needs=frozenset({"questions that depend on others"}),
    ),
    Case(
        "S-108",
        "an answer that is no choice any more is refused, not replaced",
        TEAM_FILE,
        TEAM_FILE,
        old_template=asking("{name: team, type: choice, choices: [red, blue], default: red}"),
        new_template=asking("{name: team, type: choice, choices: [blue, green], default: blue}"),
        want=("refused",),
    ),
    Case(
        "S-109",
        "an answer is converted where nothing is lost",
        {"t.j2": "{{ team }}\n", "a": "1\n"},
        {"t.j2": "{{ team }}\n", "a": "2\n"},
        old_template=asking("{name: team, type: str, default: '7'}"),
        new_template=asking("{name: team, type: int, default: 1}"),
        files={"t": "7\n", "a": "2\n"},
    ),
    Case(
        "S-109-lossy",
        "and refused where it cannot be",
        {"t.j2": "{{ team }}\n", "a": "1\n"},
        {"t.j2": "{{ team }}\n", "a": "2\n"},
        old_template=asking("{name: team, type: str, default: many}"),
        new_template=asking("{name: team, type: int, default: 1}"),
        want=("refused",),
        needs=frozenset({"types of answers"}),
    ),
    Case(
        "S-112",
        "a question that becomes hidden leaves the record",
        {"t.j2": "{{ docs }} {{ team }}\n"},
        {"t.j2": "{{ docs }} {{ team }}\n"},
        old_template=asking(ON, TEAM.replace("}", ", when: docs}")),
        new_template=asking(ON, TEAM.replace("}", ", when: docs}")),
        answers={"team": "blue"},
        steps=(("release",), ("update", {"set": {"docs": False}})),
        files={"t": "False red\n"},
        record_lacks=("team",),
        needs=frozenset({"questions that depend on others"}),
    ),
    Case(
        "S-113",
        "an answer alone changes, at the same version",
        {"t.j2": "{{ team }}\n" + LONG},
        {},
        child={"t": "red\n" + lines(20, {10: "mine"})},
        old_template=asking(TEAM),
        steps=(("update", {"set": {"team": "blue"}, "to": "1.0.0"}),),
        files={"t": "blue\n" + lines(20, {10: "mine"})},
    ),
    Case(
        "S-40",
        "a file of a condition goes with the answer",
        {"guide.md": LONG, "a": "1\n"},
        {},
        old_template=WHEN_DOCS,
        steps=(("update", {"set": {"docs": False}, "to": "1.0.0"}),),
        files={"guide.md": None, "a": "1\n"},
    ),
    Case(
        "S-40-edited",
        "but not over an edit",
        {"guide.md": LONG, "a": "1\n"},
        {},
        child={"guide.md": lines(20, {3: "mine"})},
        old_template=WHEN_DOCS,
        steps=(("update", {"set": {"docs": False}, "to": "1.0.0"}),),
        want=("conflict",),
        conflicts=("guide.md",),
    ),
    Case(
        "S-40-back",
        "and comes back with it",
        {"guide.md": LONG, "a": "1\n"},
        {},
        old_template=WHEN_DOCS,
        steps=(
            ("update", {"set": {"docs": False}, "to": "1.0.0"}),
            ("settle", {}),
            ("update", {"set": {"docs": True}, "to": "1.0.0"}),
        ),
        files={"guide.md": LONG, "a": "1\n"},
    ),
    Case(
        "S-114",
        "the renames of an answer in two versions are followed at once",
        {"t.j2": "{{ one }}\n"},
        {"t.j2": "{{ three }}\n"},
        old_template=asking("{name: one, type: str, default: d}"),
        new_template=asking(
            "{name: three, type: str, default: d}",
            migrations="  - {from: '<2', rename_answers: {one: two}}\n"
            "  - {from: '<3', rename_answers: {two: three}}\n",
        ),
        answers={"one": "kept"},
        steps=(("release", None, {"version": "3.0.0"}), ("update",)),
        files={"t": "kept\n"},
        needs=frozenset({"rename_answers"}),
    ),
]

CASES = [*map(from_scenario, SCENARIOS), *CONTENT, *TREES, *HISTORY, *ANSWERS]
