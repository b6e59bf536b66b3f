"""Each rule of `template lint`: a catalog that it must find, and one that it must leave alone.

A case is the smallest catalog with one change. `BROKEN[rule]` makes it wrong, at the place that the
finding must name; `GOOD[rule]` does the same right.
"""

import re
from pathlib import Path

import pytest

from ..command.world import git

ROOT = Path(__file__).resolve().parents[2]
SHA = "0123456789abcdef0123456789abcdef01234567"
MORE = """\
description: a test
stack: none
questions:
  - {name: greeting, default: hello}
"""
DEFAULTS = "name: test\nversion: 1.0.0\ndefaults:\n  greeting: hi\n"
STACK = MORE.replace("stack: none", "stack: framework\nframeworks: [none]")


def dockerfile(text):
    return lambda c: c.file("Dockerfile", text)


def workflow(text):
    return lambda c: c.file(".github/workflows/ci.yml", text)


def release(catalog, tag):
    git(catalog.folder, "init", "-q", "-b", "main")
    git(catalog.folder, "add", ".")
    git(catalog.folder, "commit", "-qm", "release")
    git(catalog.folder, "tag", tag)
    return catalog


def after_release(change, version="1.1.0"):
    """A catalog that was released as 1.0.0, with `old.txt`, and is changed since."""

    def make(catalog):
        catalog.file("old.txt", "".join(f"line {i}\n" for i in range(20)))
        release(catalog, "v1.0.0")
        catalog.write("catalog.yml", f"name: test\nversion: {version}\n")
        change(catalog)

    return make


def move(catalog, migration=""):
    (catalog.folder / "templates/thing/files/old.txt").rename(
        catalog.folder / "templates/thing/files/new.txt"
    )
    catalog.file("new.txt", "".join(f"line {i}\n" for i in range(19)))
    catalog.template(MORE + migration)


def two_layers(first, second, more=""):
    def make(catalog):
        catalog.layer("one", "description: one\n", {"same.txt": "1\n"})
        catalog.layer("two", "description: two\n", {"same.txt": "2\n"})
        catalog.template(
            MORE + "  - {name: kind, type: choice, choices: [a, b], default: a}\n"
            f"layers:\n  - {{name: one{first}}}\n  - {{name: two{second}}}\n" + more
        )
        catalog.file("hello.txt.j2", "{{ greeting }} {{ kind }}\n")

    return make


CI = "on: push\npermissions: {contents: read}\njobs:\n  test:\n    steps:\n      - "
PLAIN = "FROM debian:12\nUSER 1000\n"

# rule: change, "file:line:column" of the finding, what must be said
BROKEN = {
    "manifest": (
        lambda c: c.template(MORE + "  - {name: b, type: strr}\nlayres: []\n"),
        "templates/thing/template.yml:5:21",
        "did you mean 'str'?",
    ),
    "matrix": (
        lambda c: c.write("matrices/cuda.yml", "toolkits: 12\n"),
        "matrices/cuda.yml:1:",
        "",
    ),
    "template": (
        lambda c: c.file("a.j2", "{% if greeting == 'x' %}{{ greeting|uper }}{% endif %}\n"),
        "templates/thing/files/a.j2:1:37",
        "did you mean 'upper'?",
    ),
    "render": (
        lambda c: c.file("a.j2", "{{ greeting + 1 }}\n"),
        "templates/thing/files/a.j2:1:",
        "",
    ),
    "unknown-name": (
        lambda c: c.file("a.j2", "{% if greeting == 'x' %}\n {{ greting }}{% endif %}\n"),
        "templates/thing/files/a.j2:2:5",
        "did you mean 'greeting'? Else ask for it by a question 'greting' in "
        "templates/thing/template.yml",
    ),
    "unknown-attribute": (
        lambda c: (
            c.template(STACK),
            c.file("a.j2", "{% if greeting == 'x' %}{{ resolution.pyton }}{% endif %}"),
        ),
        "templates/thing/files/a.j2:1:",
        "did you mean 'python'?",
    ),
    "missing-include": (
        lambda c: c.write("templates/_includes/part", "x").file(
            "a.j2", "{% include 'part' %}{% if greeting == 'x' %}{% include 'prt' %}{% endif %}\n"
        ),
        "templates/thing/files/a.j2:1:",
        "did you mean 'part'?",
    ),
    "path-clash": (
        two_layers("", ", when: \"kind == 'b'\""),
        "templates/_layers/two/files/same.txt:1:1",
        "such as with kind = b",
    ),
    "unused-question": (
        lambda c: c.template(MORE + "  - {name: spare, default: x}\n"),
        "templates/thing/template.yml:5:5",
        "no template reads the answer to 'spare'",
    ),
    "unused-layer": (
        lambda c: c.layer("spare", "description: spare\n", {"a": "b"}),
        "templates/_layers/spare/layer.yml:1:1",
        "",
    ),
    "unused-include": (
        lambda c: c.write("templates/thing/includes/spare", "x"),
        "templates/thing/includes/spare:1:1",
        "nothing includes 'thing/spare'",
    ),
    "unused-glob": (
        lambda c: c.template(MORE + 'files:\n  - {match: "dtaa/**", policy: seed}\n'),
        "templates/thing/template.yml:6:13",
        "'dtaa/**' matches no file",
    ),
    "unused-override": (
        lambda c: c.template(MORE + "overrides: [hello.txt]\n"),
        "templates/thing/template.yml:5:13",
        "",
    ),
    "unused-default": (
        lambda c: c.write("catalog.yml", DEFAULTS + "  greting: hi\n"),
        "catalog.yml:5:3",
        "did you mean 'greeting'?",
    ),
    "migration": (
        lambda c: c.template(MORE + "migrations:\n  - {from: abc}\n"),
        "templates/thing/template.yml:6:12",
        "must be a SPEC",
    ),
    "unknown-answer": (
        after_release(
            lambda c: c.template(MORE + 'migrations:\n  - {from: "<2", drop_answers: [never]}\n')
        ),
        "templates/thing/template.yml:6:33",
        "no release asked for 'never'",
    ),
    "missing-migration": (
        after_release(
            lambda c: (
                c.template(MORE.replace("greeting", "greetings")),
                c.file("hello.txt.j2", "{{ greetings }}"),
            )
        ),
        "templates/thing/template.yml:1:1",
        "rename_answers: {greeting: greetings}",
    ),
    "version": (
        after_release(lambda c: c.file("hello.txt.j2", "{{ greeting }}!"), version="1.0.0"),
        "catalog.yml:2:10",
        "raise the version",
    ),
    "suppression": (
        lambda c: c.file("hello.txt.j2", "{# tmplgen-lint: ignore docker-root #}{{ greeting }}\n"),
        "templates/thing/files/hello.txt.j2:1:4",
        "a reason is to be given",
    ),
    "docker-tag": (
        dockerfile("FROM debian\nUSER 1000\n"),
        "templates/thing/files/Dockerfile:1:1",
        "'debian'",
    ),
    "docker-root": (
        dockerfile("FROM debian:12 AS one\nUSER 1000\nFROM one\nRUN true\n"),
        "templates/thing/files/Dockerfile:3:1",
        "USER",
    ),
    "docker-add": (
        dockerfile(PLAIN + "ADD https://example.org/x /x\n"),
        "templates/thing/files/Dockerfile:3:1",
        "--checksum",
    ),
    "docker-apt": (
        dockerfile(
            "FROM debian:12\nRUN apt-get update \\\n"
            " && apt-get install -y --no-install-recommends gcc\nUSER 1\n"
        ),
        "templates/thing/files/Dockerfile:2:1",
        "/var/lib/apt/lists",
    ),
    "docker-pip": (
        dockerfile("FROM debian:12\nRUN pip install -r a.txt numpy==2.0 'ruff'\nUSER 1000\n"),
        "templates/thing/files/Dockerfile:2:1",
        "another 'ruff' each time",
    ),
    "docker-secret": (
        dockerfile(PLAIN + "ARG INDEX_PASSWORD\n"),
        "templates/thing/files/Dockerfile:3:1",
        "--mount=type=secret",
    ),
    "workflow-pin": (
        workflow(CI + "uses: actions/checkout@v4\n"),
        "templates/thing/files/.github/workflows/ci.yml:6:7",
        "actions/checkout@v4",
    ),
    "workflow-injection": (
        workflow(CI + "run: |\n          true\n          echo ${{ github.event.issue.title }}\n"),
        "templates/thing/files/.github/workflows/ci.yml:8:11",
        "github.event.issue.title",
    ),
    "workflow-permissions": (
        workflow(CI.replace("permissions: {contents: read}\n", "") + "run: make\n"),
        "templates/thing/files/.github/workflows/ci.yml:3:3",
        "contents: read",
    ),
    "workflow-target": (
        workflow(
            CI.replace("push", "pull_request_target")
            + f"uses: actions/checkout@{SHA}\n        with: {{ref: "
            '"${{ github.event.pull_request.head.sha }}"}\n'
        ),
        "templates/thing/files/.github/workflows/ci.yml:6:7",
        "pull_request_target",
    ),
}

GOOD = {
    "manifest": lambda c: c.template(MORE + "next: [make]\n"),
    "matrix": lambda c: None,
    "template": lambda c: c.file("a.j2", "{% if greeting == 'x' %}{{ greeting|upper }}{% endif %}"),
    "render": lambda c: c.file("a.j2", "{{ greeting ~ 1 }}\n"),
    "unknown-name": lambda c: c.file(
        "a.j2",
        # set here, in a loop, by a branch; guarded; what is not reached in this type
        "{% set a = 1 %}{{ a }}{% for b in [1] %}{{ b }}{{ loop.index }}{% endfor %}"
        "{% if a %}{% set c = 1 %}{% else %}{% set c = 2 %}{% endif %}{{ c }}"
        "{{ d|default('x') }}{% if e is defined and e %}{{ e }}{% endif %}"
        "{% if template == 'other' %}{{ f }}{% endif %}{{ g if template in ['x', 'y'] else 1 }}"
        "{{ template != 'thing' and h }}{% for i in range(2) %}{{ i }}{% endfor %}",
    ),
    "unknown-attribute": lambda c: c.file(
        "a.j2", "{% if resolution %}{{ resolution.python }}{% endif %}"
    ),
    "missing-include": lambda c: c.write("templates/_includes/a-part", "{{ greeting }}").file(
        "a.j2",
        "{% include 'no' ignore missing %}{% include ['no', 'a-part'] %}"
        "{% set x = 'a' %}{% include x ~ '-part' %}",
    ),
    "path-clash": two_layers(", when: \"kind == 'a'\"", ", when: \"kind != 'a'\""),
    "unused-question": lambda c: c.template(
        MORE + '  - {name: a, default: x}\n  - {name: b, default: "{{ a }}"}\n'
        'next: ["make {{ b }}"]\n'
    ),
    "unused-layer": lambda c: (
        c.layer("spare", "description: spare\n", {"a": "b"}),
        c.template(MORE + "layers: [{name: spare, when: \"greeting == 'x'\"}]\n"),
    ),
    "unused-include": lambda c: (
        c.write("templates/thing/includes/spare", "x"),
        c.file("a.j2", "{% if greeting == 'x' %}{% include template ~ '/spare' %}{% endif %}"),
    ),
    "unused-glob": lambda c: (
        c.template(MORE + 'files:\n  - {match: "src/*/a.py", policy: seed}\n'),
        c.file("src/{{ greeting }}/a.py", "x"),
    ),
    "unused-override": two_layers("", ', overrides: ["same*"]'),
    "unused-default": lambda c: (
        c.write("catalog.yml", DEFAULTS + "  of_layer: 1\n"),
        c.layer(
            "one", "description: 1\nquestions: [{name: of_layer}]\n", {"a.j2": "{{ of_layer }}"}
        ),
        c.template(MORE + "layers: [{name: one}]\n"),
    ),
    "migration": lambda c: c.template(
        MORE + 'migrations:\n  - {from: "<2", rename_answers: {greting: greeting}}\n'
    ),
    "unknown-answer": after_release(
        lambda c: c.template(MORE + 'migrations:\n  - {from: "<2", drop_answers: [greeting]}\n')
    ),
    "missing-migration": after_release(
        lambda c: move(c, 'migrations:\n  - {from: "<2", rename_files: {old.txt: new.txt}}\n')
    ),
    "version": after_release(lambda c: c.file("hello.txt.j2", "{{ greeting }}!"), "1.0.1-dev"),
    "suppression": lambda c: c.file(
        "Dockerfile",
        "# tmplgen-lint: ignore docker-root because it is unpacked, never run\nFROM debian:12\n",
    ),
    "docker-tag": dockerfile(
        "ARG BASE=debian:12\nFROM ${BASE} AS a\nFROM scratch AS b\nFROM a\nUSER 1000\n"
    ),
    "docker-root": dockerfile("FROM debian:12\nUSER 0\nRUN true\nUSER 1000:1000\n"),
    "docker-add": dockerfile(
        PLAIN + "ADD --checksum=sha256:00 https://example.org/x /x\nADD . /y\n"
    ),
    "docker-apt": dockerfile(
        "FROM debian:12\nRUN apt-get update && \\\n    # what is needed\n    apt-get install -y "
        "--no-install-recommends gcc && \\\n    rm -rf /var/lib/apt/lists/*\nUSER 1000\n"
    ),
    "docker-pip": dockerfile(
        "FROM debian:12\nRUN pip install --no-cache-dir -r a.txt 'ruff==0.4' . \"$X\" && echo numpy"
        "\nUSER 1000\n"
    ),
    "docker-secret": dockerfile(PLAIN + "ENV TOKENIZERS_PARALLELISM=false PASSWORD_FILE=/run/x\n"),
    "workflow-pin": workflow(CI + f"uses: actions/checkout@{SHA} # v4\n      - uses: ./here\n"),
    "workflow-injection": workflow(
        CI + 'run: echo "$TITLE" ${{ github.event.pull_request.number }}\n'
        '        env: {TITLE: "${{ github.event.issue.title }}"}\n'
    ),
    "workflow-permissions": workflow(
        CI.replace("permissions: {contents: read}\n", "").replace(
            "test:\n", "test:\n    permissions: {}\n"
        )
        + "run: make\n"
    ),
    "workflow-target": workflow(
        CI.replace("push", "pull_request_target") + f"uses: actions/checkout@{SHA}\n"
    ),
}


def rules(tmplgen, cwd):
    return {
        rule["rule"]: rule
        for rule in tmplgen("template", "lint", "--rules", "--json", cwd=cwd).json["rules"]
    }


@pytest.mark.parametrize("rule", BROKEN)
def test_a_rule_finds_what_is_wrong(rule, tmplgen, catalog, lint):
    change, place, text = BROKEN[rule]
    change(catalog)
    document = lint("--json").json
    severity = rules(tmplgen, catalog.folder)[rule]["severity"]
    found = document["error"]["findings"] if document["exit"] else document["findings"]
    mine = [one for one in found if one["rule"] == rule]
    assert mine, found
    assert all(one["severity"] == severity for one in mine)
    told = [f"{one['file']}:{one['line']}:{one['column']}" for one in mine]
    assert any(one.startswith(place) for one in told), mine
    assert any(text in one["message"] or text in (one["hint"] or "") for one in mine), mine
    assert document["exit"] == (2 if severity == "error" else 0)
    strict = lint("--strict")
    assert strict.code == 2
    assert re.search(rf"(?m)^{re.escape(place)}.*{severity}: .* \[{rule}\]\n  \| ", strict.out), (
        strict.out
    )


@pytest.mark.parametrize("rule", GOOD)
def test_a_rule_leaves_alone_what_is_right(rule, catalog, lint):
    GOOD[rule](catalog)
    document = lint("--json").json
    found = document["error"]["findings"] if document["exit"] else document["findings"]
    assert [one for one in found if one["rule"] == rule] == []


def test_every_rule_has_its_cases(tmplgen, catalog):
    assert set(rules(tmplgen, catalog.folder)) == set(BROKEN) == set(GOOD)


def test_the_manual_lists_these_rules(tmplgen, catalog):
    text = (ROOT / "docs/authors.md").read_text()
    told = re.findall(r"(?m)^\| `([a-z-]+)` \| (error|warning) \|", text)
    known = rules(tmplgen, catalog.folder)
    assert told == [(name, rule["severity"]) for name, rule in known.items()]
