"""What a person sees and types in a real terminal of 80x24 and of 200x50.

Menus by arrow keys, wrapped text, and a terminal that is as before at any end."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest
import yaml

from ..common.program import BINARY, SANITIZED, VALGRIND
from ..common.tmux import pane

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
stops = pytest.mark.skipif(VALGRIND, reason="no program under valgrind can stop itself")

SIZES = [(80, 24), (200, 50)]
SERVICE = "--type service --framework pytorch"
# Runs the command with the terminal's settings before and after it.
WATCHED = """
trap : INT QUIT
stty -a >before
"$@"
echo "rc=$?"
stty -a >after
cmp before after && echo terminal=same
"""


@pytest.fixture
def terminal(tmplgen, work):
    """A pane in which `new` runs with these words."""

    def start(words, columns=80, rows=24, before=""):
        script = WATCHED.replace('"$@"', f"{before}{BINARY} new {words}")
        return pane(script, work, tmplgen.env, columns, rows)

    return start


def record(work, path):
    return yaml.safe_load((work / path / ".tmplgen.yml").read_text())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_arrow_keys_lead_to_a_project(terminal, work, columns, rows):
    with terminal("reviews", columns, rows) as it:
        it.answer(
            ("[batch] >", "<Up>"),
            ("[pytorch] >", "<Down>", "<Up>"),
            ("gpu - ", "T4, A100"),
            ("driver - ", "550"),
            ("[reviews] >", "<Left>", "<Up>"),
            ("description - ", "Sterne für Bücher"),
            ("[github] >", "<Down>", "<Space>", "<Down>", "<Space>", "<Space>"),
            ("registry - ", ""),
            ("[none] >", "j"),
            ("more? [n]", ""),
        )
        shown = it.wait("write it? [y] >")
        for line in ("type     service", "name     reviews", "path     reviews", "deploy   k8s"):
            assert f"\n  {line}\n" in shown, shown
        it.keys("Enter")
        it.wait("rc=0", "terminal=same")
        said = it.all()
    assert re.search(r"^ci - .*\n  > github, gitlab\n", said, re.M), said
    assert "^[" not in said and "[A" not in said
    made = record(work, "reviews")
    assert made["request"] == {"framework": "pytorch", "driver": "550", "gpu": ["T4", "A100"]}
    answers = made["answers"]
    assert (answers["name"], answers["description"]) == ("reviews", "Sterne für Bücher")
    assert (answers["ci"], answers["deploy"]) == (["github", "gitlab"], "k8s")


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_wrong_answers_are_told_and_asked_again(terminal, columns, rows):
    with terminal("--type servise", columns, rows) as it:
        it.wait("did you mean 'service'?", "rc=2")
    with terminal(f"it {SERVICE}", columns, rows) as it:
        it.answer(
            ("gpu - ", "T5"),
            ("did you mean 'T500'?", "K80"),
            ("driver - ", "12.4"),
            ("asks for that CUDA", "535"),
        )
        shown = re.sub(r"\s+", " ", it.wait("rules out", "--driver 470 would do"))
        assert "branch 470 is the last driver for K80 (Kepler), and 535 is newer" in shown
        it.answer(("[any] >", "470"), ("[it] >", "a b"))
        it.answer(("must match", "it"), ("description", ""), ("[github]", "gitlap"))
        it.wait("did you mean 'gitlab'?")
        it.keys("C-c")
        it.wait("rc=130")
        said = it.all()
    assert f"\n  tmplgen new it {SERVICE} --gpu K80 --driver 470 --name it\n" in said


def test_who_has_no_gpu_gets_a_stack_for_cpus(terminal, work):
    with terminal(f"it {SERVICE} --registry r.example.org/x") as it:
        it.answer(("gpu - ", "none"), ("[it] >", ""), ("description", ""), ("[github] >", ""))
        it.answer(("[none] >", ""), ("more? [n]", ""))
        assert "  base     r.example.org/x/pytorch, of your team\n" in it.wait("write it? [y] >")
        it.keys("Enter")
        it.wait("rc=0")
        assert "driver - " not in it.all()
    assert record(work, "it")["request"] == {"framework": "pytorch", "variant": "cpu"}


@pytest.mark.parametrize("key", ["C-c", "C-d", "C-\\", "TERM"])
def test_the_terminal_is_as_before_at_any_end(terminal, work, key):
    with terminal("it --type library", before="bash -c 'echo $$ >pid; exec \"$@\"' sh ") as it:
        it.wait("[pytorch] >")
        it.keys("Down")
        it.wait("[jax] >")
        if key == "TERM":
            os.kill(int((work / "pid").read_text()), signal.SIGTERM)
        else:
            it.keys(key)
        code = {"C-c": 130, "C-d": 2, "C-\\": 131, "TERM": 143}[key]
        it.wait(f"rc={code}", "terminal=same")


def test_ctrl_d_before_the_first_question_ends_the_input(terminal):
    with terminal("it --type library", before="echo slee''ps; sleep 1; ") as it:
        it.wait("sleeps")
        it.keys("C-d")
        it.wait("the input ended", "rc=2", "terminal=same")


@stops
def test_a_program_that_was_stopped_goes_on(tmplgen, work):
    with pane("PS1='ready>' exec bash --norc --noprofile -i", work, tmplgen.env) as it:
        it.wait("ready>")
        it.type(f"stty -a >before; {BINARY} new it --type library\n")
        it.wait("[pytorch] >")
        it.keys("C-z")
        it.wait("Stopped")
        it.type("stty -a >stopped; cmp before stopped && echo s''ame\n")
        it.wait("\nsame")
        it.type("fg\n")
        it.wait("same", "[pytorch] >")
        it.answer(("[pytorch] >", "<Down>"), ("gpu - ", "<C-c>"))
        it.wait("--framework jax")


@stops
def test_a_program_that_goes_on_in_the_background_keeps_its_mode(tmplgen, work, catalog):
    """A shell that edits its line has a mode of its own, in which the program looks on."""
    catalog.template(
        "description: d\nstack: none\nquestions:\n  - {name: q, multiline: true, default: x}\n"
    )
    catalog.file("hello.txt.j2", "{{ q }}")
    with pane("PS1='ready>' exec bash --norc -i", work, tmplgen.env) as it:
        it.wait("ready>")
        it.type(f"{BINARY} new it --type thing --catalog {catalog.folder}\n")
        it.wait("[it] >")
        it.keys("C-z")
        it.wait("Stopped")
        it.type("jobs -p >pid; echo d''one\n")
        it.wait("\ndone\nready>")
        time.sleep(0.3)
        os.kill(int((work / "pid").read_text()), signal.SIGCONT)
        time.sleep(0.3)
        it.type("fg\n")
        it.wait("fg\n")
        it.answer(("[it] >", "other"), ("[x] >", "typed"), ("", "."))
        it.wait("[x] > typed\n", "write it?")
        it.keys("Enter")
        it.wait("Created it")
    assert (work / "it/hello.txt").read_text() == "typed"


SIGNALS = """
#include <dlfcn.h>
#include <signal.h>
#include <termios.h>
#if BEGINS
int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    int (*set)(int, const struct sigaction *, struct sigaction *) = dlsym(RTLD_NEXT, "sigaction");
    int rc = set(number, action, before);
    if (number == SIGQUIT)
        raise(SIGQUIT);
    return rc;
}
#else
int tcsetattr(int side, int when, const struct termios *mode)
{
    int (*set)(int, int, const struct termios *) = dlsym(RTLD_NEXT, "tcsetattr");
    int rc = set(side, when, mode);
    if (mode->c_lflag & ICANON)
        raise(SIGQUIT);
    return rc;
}
#endif
"""


@pytest.mark.skipif(SANITIZED, reason="a sanitizer has to be loaded first")
@pytest.mark.parametrize("begins", [0, 1])
def test_a_signal_while_the_mode_changes_ends_the_program(terminal, tmp_path, begins):
    words = ["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", f"-DBEGINS={begins}", "-x", "c", "-"]
    library = tmp_path / "signals.so"
    subprocess.run([*words, "-o", library], input=SIGNALS, text=True, check=True)
    with terminal("it --type library", before=f"LD_PRELOAD={library} ") as it:
        if not begins:
            it.answer(("[pytorch] >",))
        it.wait("rc=131", "terminal=same")


@pytest.mark.parametrize("early", [False, True])
def test_pasted_lines_answer_question_after_question(terminal, work, early):
    with terminal("", before="sleep 0.3; " if early else "") as it:
        if not early:
            it.wait("[batch] >")
        it.paste("library\n3\nany\n\nshop\n\ngithub,jenkins\n\nn\ny\n")
        it.wait("rc=0", "terminal=same")
        said = it.all()
    assert "\nmore? [n] > n\n" in said and "\nwrite it? [y] > y\n" in said
    assert record(work, "shop")["answers"]["ci"] == ["github", "jenkins"]


def test_notes_and_refusals_break_between_words(terminal):
    with terminal(f"p {SERVICE} --defaults", 60, 50) as it:
        it.wait("rc=0")
        made = it.all()
    with terminal(f"q {SERVICE} --gpu K80 --driver 535", 60, 50) as it:
        it.wait("rc=4")
        refused = it.all()
    long = [line for line in (made + refused).splitlines() if len(line) > 60]
    assert len(long) == 1 and long[0].startswith("  install  pip install --index-url https://")
    assert "\n           branches 535, 570" in made or "570, 580" in made
    assert "\nhint: --driver 470 would do\n" in refused


def test_a_menu_follows_a_terminal_that_is_resized(terminal):
    with terminal("") as it:
        it.wait("[batch] >")
        for columns in (44, 120, 80):
            it.resize(columns, 40)
            it.keys("Down", "Up")
            it.wait("[batch] >")
            it.keys("Down")
            shown = it.wait("[cluster] >")
            assert it.all().count("type - kind of project") == 1
            assert shown.count(") service ") == 1 and shown.count("[cluster] >") == 1, shown
            it.keys("Up")


def test_long_text_stays_in_its_row(terminal, work):
    words = " ".join(f"w{i}" for i in range(60))
    with terminal("it --type images --name it --registry r.example.org/x") as it:
        it.wait("description - ")
        it.type(words + "!!")
        it.keys("BSpace", "BSpace")
        shown = it.wait("w59")
        assert shown.count("w59") == 1 and "w1 " not in shown
        it.answer(("w59", ""))
        it.wait("[github] >")
        it.keys("C-c")
        it.wait("rc=130")
        assert f"'description={words}'" in it.all()


def test_choices_that_the_screen_cannot_hold_are_a_list(terminal, catalog):
    many = ", ".join(f"c{i}" for i in range(40))
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        f"  - {{name: q, type: choice, choices: [{many}], default: c7}}\n"
    )
    catalog.file("hello.txt.j2", "{{ q }}")
    with terminal(f"it --type thing --catalog {catalog.folder}") as it:
        it.answer(("name - ", ""), ("[c7] >", "<Down>", "39"))
        assert "q        c38" in it.wait("write it?")


def test_a_default_that_is_refused_is_not_offered(terminal):
    with terminal("p --type library --framework pytorch --gpu T4 --name torch") as it:
        it.answer(("[torch_app] >", ""))
        assert "cannot be the name" not in it.wait("description - ")


WIDE = "項" * 36
LABELS = {"wide": WIDE, "odd": WIDE + "x", "narrow": "—“ü”’…" * 11, "combined": "e\u0301" * 60}


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_a_menu_knows_how_wide_its_characters_are(terminal, catalog, label):
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        f"  - {{name: q, type: choice, choices: [{{value: a, label: '{label}'}}, b, c]}}\n"
    )
    catalog.file("hello.txt.j2", "{{ q }}")
    with terminal(f"it --type thing --name it --catalog {catalog.folder}") as it:
        before = it.wait("[a] >")
        it.keys("Down")
        it.wait("[b] >")
        it.keys("Up")
        assert it.wait("[a] >") == before
