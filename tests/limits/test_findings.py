"""Inputs of a few bytes, each of which once took gigabytes, hours, a crash or a false success."""

import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ..command.world import git
from ..common.measure import MIB
from .measure import is_small
from .place import DRY, LIMIT, NEW, catalog, commit, holds, question, run_on, template, write

TOP = Path(__file__).resolve().parents[2]
BIG = "'a'*16000000"
MANIFEST = "template.yml:"

PATTERNS = {
    "powers": ("((a?){0,200}){0,200}a{200}", "a", (2,)),
    "brackets": ("(" * 20000 + ")" * 20000, "a", (2,)),
    "product": ("((((a{0,99}){0,99}){0,99}){0,99})b", "a", (2,)),
    "choices": ("|".join("a" * 20000), "a", (0, 2)),
    "more choices": ("|".join("a" * 50000), "a", (0, 2)),
    "long answer": ("(a{1,200}){1,200}", "a" * 30000, (0, 2)),
}


def pattern(text, answer):
    return question(f'type: str, default: "{answer}", pattern: "{text}"')


@pytest.mark.parametrize("words", [NEW, DRY], ids=["new", "dry run"])
@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(meter, name, words):
    text, answer, codes = PATTERNS[name]
    holds(run_on(meter, pattern(text, answer), words), codes, rf"{MANIFEST}|pattern")


def test_pattern_and_an_answer_of_the_command_line(meter):
    run = run_on(meter, pattern("(a{1,200}){1,200}", "a"), (*NEW, "--set", "q=" + "a" * 30000))
    holds(run, (0, 2), rf"{MANIFEST}|pattern")


@pytest.mark.parametrize("name", ["powers", "product"])
@pytest.mark.parametrize("words", [("update", "--check"), ("update",)], ids=" ".join)
def test_a_clone_that_is_its_own_catalog(meter, name, words):
    """Its record names itself, where a pattern waits: no local source, whoever cloned it."""
    assert run_on(meter, question("type: str, default: a"), (*NEW[:1], "child", *NEW[2:])).code == 0
    child = meter.folder / "child"
    record = child / ".tmplgen.yml"
    record.write_text(re.sub(r"source: .*", "source: .", record.read_text(), count=1))
    write(child, pattern(*PATTERNS[name][:2]))
    git(child, "add", "-A")
    git(child, "commit", "-q", "-m", "hostile")
    run = meter(*words, cwd=child)
    holds(run, (1, 2, 3), r"trust")
    assert git(child, "status", "--porcelain") == ""


EXPRESSIONS = {
    # Texts side by side are one text: that is linear.
    "side by side, 80 KB": ("{{ " + "'a' " * 20000 + "|length }}", (0, 2)),
    "side by side, 320 KB": ("{{ " + "'a' " * 80000 + "|length }}", (0, 2)),
    "side by side, 2 MB": ("{{ " + "'a' " * 500000 + "|length }}", (0, 2)),
    "to_yaml of many": ("{% set a = ['x'*16000000]*100000 %}{{ a|to_yaml|length }}", (2,)),
    "to_yaml of some": ("{% set a = ['x'*16000000]*200 %}{{ a|to_yaml|length }}", (2,)),
    "to_yaml of nested": (
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a|to_yaml }}",
        (2,),
    ),
    "tojson of many": ("{% set a = ['x'*16000000]*100000 %}{{ a|tojson|length }}", (2,)),
    **{
        f"long texts {how}": (f"{{% set a = ['x'*16000000]*100000 %}}{{{{ {text} }}}}", (2,))
        for how, text in {
            "as a text": "a|string|length",
            "joined": "(a ~ 1)|length",
            "printed": "a",
        }.items()
    },
    "long indent": ("{{ ([[1]]*900000)|tojson(' '*16000000)|length }}", (2,)),
    "title": (
        "{% for i in range(1000) %}{% set x = ('aB '*5000000)|title %}{% endfor %}",
        (2,),
    ),
    **{
        f"{call} {rounds} times": (
            f"{{% set a = {BIG} %}}{{% for i in range({rounds}) %}}"
            f"{{% set x = a{call} %}}{{% endfor %}}",
            (2,),
        )
        for call in ("|slug", "|shell_quote", ".splitlines()", ".removeprefix('a')")
        for rounds in (3000, 1000000)
    },
}


@pytest.mark.turns(8)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(meter, name):
    text, codes = EXPRESSIONS[name]
    holds(run_on(meter, template(text)), codes, rf"(?s)x\.j2.*({LIMIT})|({LIMIT}).*x\.j2")


@pytest.mark.parametrize("field", ["when", "default", "choices"])
def test_values_of_a_manifest(meter, field):
    big = "['x'*16000000]*100000"
    more = {
        "when": f'type: str, default: a, when: "{big}"',
        "default": f'type: list, default: "{{{{ {big} }}}}"',
        "choices": f'type: choice, default: a, choices: "{{{{ {big} }}}}"',
    }[field]
    holds(run_on(meter, question(more)), (0, 2) if field == "when" else (2,), MANIFEST)


def entries(count, kind):
    text = ", ".join(f"\"{{{{ 'x'*250000 }}}}{i}\"" for i in range(count))
    before = {"default": "type: list, ", "choices": "type: choice, default: a, "}[kind]
    return question(f"{before}{kind}: [a, {text}]")


def refusals(count):
    return catalog(
        "refuse:\n" + "  - {when: \"'x'*16000000 in 'x'*15999999\", because: b}\n" * count
    )


def many_questions(count):
    rows = "".join(f"  - {{name: q{i}, default: a}}\n" for i in range(count))
    used = "".join(f"{{{{ q{i} }}}}" for i in range(count))
    return catalog("questions:\n" + rows, file="{{ name }}" + used)


def many_rules(rules, files):
    rows = "".join(f"  - {{match: 'a{i}/*', policy: seed}}\n" for i in range(rules))
    return catalog("files:\n" + rows, files={f"f{i}": "x" for i in range(files)})


def many_renders(count):
    text = "{% for i in range(60) %}{{ 'x'*1000000 }}{% endfor %}"
    return catalog(files={f"f{i}.j2": text for i in range(count)})


WHOLES = {
    "40 renders of 60 MB": (lambda: many_renders(40), (2,)),
    "choices": (lambda: entries(4000, "choices"), (2,)),
    "defaults": (lambda: entries(4000, "default"), (2,)),
    "refusals": (lambda: refusals(1000), (2,)),
    "20,000 questions": (lambda: many_questions(20000), (0, 2)),
    "16,000 rules": (lambda: many_rules(16000, 300), (0, 2)),
}


@pytest.mark.turns(6)
@pytest.mark.parametrize("words", [NEW, DRY], ids=["new", "dry run"])
@pytest.mark.parametrize("name", WHOLES)
def test_the_whole(meter, name, words):
    make, codes = WHOLES[name]
    holds(run_on(meter, make(), words), codes)


def test_many_names_of_one_blob(meter):
    folder = meter.folder / "cat"
    write(folder, catalog(files={"b0": b"\0" * (63 * MIB)}))
    commit(folder)
    blob = git(folder, "rev-parse", "HEAD:templates/t/files/b0")
    for i in range(1, 40):
        path = f"templates/t/files/b{i}"
        git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    git(folder, "commit", "-q", "-m", "two")
    git(folder, "tag", "v1.0.0")
    holds(meter(*(w if w != "cat" else "file://" + str(folder) for w in NEW)))
    assert not (meter.folder / "made").exists()


@pytest.mark.parametrize("count", [20000, 100000])
def test_many_tags(meter, count):
    folder = meter.folder / "cat"
    write(folder, catalog())
    commit(folder)
    head = git(folder, "rev-parse", "HEAD")
    refs = sorted(f"{head} refs/tags/v1.0.{i}\n" for i in range(count))
    (folder / ".git/packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n" + "".join(refs)
    )
    holds(meter(*(w if w != "cat" else "file://" + str(folder) for w in NEW)), (0, 2))


# ---------------------------------------------------------------- what is believed and told


class Page(BaseHTTPRequestHandler):
    """A captive portal: a page for everything, or a redirect to one."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for who asked

    def do_GET(self):
        away = self.server.redirects and self.path != "/login"
        body = b"<html>log in</html>"
        self.send_response(302 if away else 200)
        for name, value in {"Location": "/login"}.items() if away else self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


PAGE = {"Content-Type": "text/html"}
TYPE = {"Content-Type": "application/vnd.oci.image.index.v1+json"}
API = {"Docker-Distribution-API-Version": "registry/2.0"}
WRONG = {"Docker-Content-Digest": "sha256:" + "0" * 64}
PORTALS = {
    "page": (False, PAGE),
    "redirect to a page": (True, PAGE),
    "page of an API": (False, {**PAGE, **API}),
    "no API": (False, TYPE),
    "no digest, and no manifest": (False, {**TYPE, **API}),
    "another digest": (False, {**TYPE, **API, **WRONG}),
}


@pytest.mark.parametrize("name", PORTALS)
def test_a_page_is_no_image(meter, name):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.redirects, server.headers = PORTALS[name]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        run = meter("matrix", "verify", "images", "--registry", f"127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert run.code not in (0, -9) and is_small(run), run
    assert not re.search(r"\b(\d+) of \1 tags are there", run.out + run.err), run


FORGED = {
    "line": "acme\\n\\nReviewed-by: Security <s@acme>\\nSigned-off-by: Boss <boss@acme>\\n",
    "ESC": "acme\\e[31m",
    "CR": "acme\\rworse",
    "BS": "acme\\bworse",
    "bidi": "acme\\u202Eworse",
}


@pytest.mark.parametrize("name", FORGED)
def test_name_of_a_catalog(meter, name):
    files = {**catalog(), "catalog.yml": f'name: "{FORGED[name]}"\nversion: 1.0.0\n'}
    run = run_on(meter, files)
    assert is_small(run), run
    told = run.err + run.out
    if run.code == 0:
        told += git(meter.folder / "made", "log", "--format=%B")
    else:
        assert run.code == 2 and "catalog.yml:1" in run.err, run
    assert not re.search(r"^\s*(Reviewed|Signed-off)-by:", told, re.MULTILINE), told
    assert not re.search("[\x1b\r\b\u202e]", told), repr(told)


def test_next_is_rendered(meter):
    text = 'next: ["run --port {{ port }}"]\nquestions:\n  - {name: port, default: "8080"}\n'
    run = run_on(meter, catalog(text))
    assert run.code == 0 and "run --port 8080" in run.out + run.err, run
    assert "no template reads" not in run.err


MIGRATIONS = {
    "no version": "{from: abc}",
    "empty": '{from: ""}',
    "out of the child": "{from: '<2', rename_files: {a: '../../evil'}}",
    "into .git": "{from: '<2', rename_files: {a: .git/hooks/x}}",
    "answer that is none": "{from: '<2', rename_answers: {old: never_was}}",
}


@pytest.mark.parametrize("name", MIGRATIONS)
def test_migrations_are_checked(meter, name):
    run = run_on(meter, catalog(f"migrations:\n  - {MIGRATIONS[name]}\n"))
    holds(run, (2,), r"template\.yml:4:\d+")


def test_the_fuzzers_library_is_installed():
    assert "libclang-rt" in (TOP / "tools" / "deps.sh").read_text()


def test_no_line_of_a_log_is_forged_by_a_file(meter):
    run = run_on(meter, catalog(files={"a\n::error file=x::b.j2": "{{ nope }}"}))
    assert run.code in (2, 3) and not re.search("^::", run.out + run.err, re.MULTILINE), run


@pytest.mark.parametrize("words", [(), ("--json",)], ids=["text", "json"])
def test_no_line_of_a_log_is_forged_by_a_reason(meter, words):
    text = 'refuse:\n  - {when: "true", because: "no\\n::error file=x::forged"}\n'
    run = run_on(meter, catalog(text), (*NEW, *words))
    assert run.code == 2 and not re.search("^::", run.out + run.err, re.MULTILINE), run


# ---------------------------------------------------------------- repositories of others

SECRET = "a secret of another repository\n"


def repository(meter):
    folder = meter.folder / "cat"
    write(folder, catalog())
    commit(folder)
    return folder


def other(meter):
    """Another repository of the user, with a catalog of its own that holds a secret."""
    folder = meter.folder / "other"
    write(folder, catalog(files={"secret": SECRET}))
    commit(folder)
    return folder


def made(meter):
    return [p.read_bytes() for p in (meter.folder / "made").rglob("*") if p.is_file()]


def test_configuration_of_a_catalog_is_not_followed(meter):
    folder = repository(meter)
    (meter.folder / "any").write_text("no configuration\n")
    with (folder / ".git/config").open("a") as config:
        config.write(f"[include]\n\tpath = {meter.folder}/any\n")
    run = meter(*(w if w != "cat" else "file://" + str(folder) for w in NEW))
    assert is_small(run) and "any:1" not in run.err, run
    assert run.code == 0 or "include" in run.err, run


@pytest.mark.parametrize("how", ["alternates", "git file"])
def test_objects_of_others_are_not_read(meter, how):
    folder, theirs = repository(meter), other(meter)
    if how == "alternates":
        (folder / ".git/objects/info/alternates").write_text(f"{theirs}/.git/objects\n")
        (folder / ".git/refs/heads/main").write_text(git(theirs, "rev-parse", "HEAD") + "\n")
    else:
        (folder / ".git").rename(meter.folder / "aside")
        (folder / ".git").write_text(f"gitdir: {theirs}/.git\n")
    run = meter(*(w if w != "cat" else "file://" + str(folder) for w in NEW))
    assert is_small(run) and SECRET.encode() not in made(meter), run
    if run.code:
        assert run.code == 3 and re.search(r"alternates|\.git", run.err), run


@pytest.mark.parametrize("name", ["a/b", "/etc/x", "a/../../evil"])
def test_tree_entries_with_a_slash(meter, name):
    folder = repository(meter)
    files = "HEAD:templates/t/files"
    blob = bytes.fromhex(git(folder, "rev-parse", files + "/x.j2"))
    odd = b"100644 " + name.encode() + b"\0" + blob + b"100644 x.j2\0" + blob

    def tree(content):
        done = subprocess.run(
            ["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"],
            cwd=folder, env={"PATH": os.environ["PATH"]}, input=content,
            capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout.decode().strip()

    def entry(mode, name, oid):
        return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid)

    manifest = git(folder, "rev-parse", "HEAD:templates/t/template.yml")
    top = git(folder, "rev-parse", "HEAD:catalog.yml")
    inner = tree(odd)
    inner = tree(entry(40000, "files", inner) + entry(100644, "template.yml", manifest))
    inner = tree(entry(40000, "t", inner))
    last = tree(entry(100644, "catalog.yml", top) + entry(40000, "templates", inner))
    head = git(folder, "commit-tree", last, "-m", "odd")
    git(folder, "update-ref", "refs/heads/main", head)
    run = meter(*(w if w != "cat" else "file://" + str(folder) for w in NEW))
    holds(run, (2, 3), r"name|path|tree|slash")
    assert not (meter.folder / "made").exists()


def test_a_remote_source_says_what_helps(meter):
    remote = ["https://127.0.0.1:1/x.git" if w == "cat" else w for w in NEW]
    told, trusted = meter(*remote), meter(*remote, "--trust")
    assert (told.code, trusted.code) == (3, 1)
    assert "give --trust" in told.err, told
    assert "git said" in trusted.err, trusted
