"""What a build tells: of hostile builders, of secrets, on terminals of any kind and elsewhere."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from ..common.program import INSTRUMENTED
from ..common.terminal import decoder, start
from .engines import World, until

TAG = "13.0.3-runtime-py312-ubuntu24.04"
SECRET = "hunter2%21"


@pytest.fixture(name="world")
def make_world(tmp_path):
    return World(tmp_path)


# ---------------------------------------------------------------- hostile words


def said(world, bash, *words):
    """What reaches standard error of lines that a builder prints, as bytes."""
    world.on("build", bash)
    process = world.start("build", "gamma", *words)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


HOSTILE = {
    "escape": (r"a\033[31mred\033[0mb", b"aredb"),
    "clear": (r"a\033[2J\033[Hb", b"ab"),
    "title": (r"a\033]0;owned\007b", b"ab"),
    "title, other end": (r"a\033]0;owned\033\\b", b"ab"),
    "title without end": (r"a\033]0;owned", b"a"),
    "device text": (r"a\033Pq#0\033\\b", b"ab"),
    "escape alone": (r"a\033", b"a"),
    "half a sequence": (r"a\033[3", b"a"),
    "reset": (r"a\033cb", b"ab"),
    "C1 in UTF-8": (r"a\302\23331mb", b"ab"),
    "other C1 in UTF-8": (r"a\302\235b", b"a\\u009Db"),
    "C1 as a byte": (r"a\23331mb", b"a\\x9B31mb"),
    "no UTF-8": (r"a\377\376b", b"a\\xFF\\xFEb"),
    "overlong": (r"a\300\257b", b"a\\xC0\\xAFb"),
    "control": (r"a\001\010\016b", b"a\\x01\\x08\\x0Eb"),
    "bidirectional": (r"a\342\200\256b", b"a\\u202Eb"),
    "NUL": (r"a\000b", b"ab"),
    "tab": (r"a\tb", b"a b"),
    "drawn over": (r"10%%\r50%%\rab", b"ab"),
    "drawn over and left": (r"10%%\r50%%\r", b"50%"),
    "drawn over, as Windows ends lines": (r"10%%\rab\r", b"ab"),
    "UTF-8": (r"gr\303\274n \342\234\223", "grün ✓".encode()),
}


def harmless(err):
    assert b"\033" not in err and b"\r" not in err and b"\0" not in err
    return err.decode()


def test_hostile_lines(world):
    prints = [f"printf '<{n} [{text}]>\\n'" for n, (text, _) in enumerate(HOSTILE.values())]
    code, err = said(world, "\n".join(prints))
    assert code == 0
    harmless(err)
    lines = [line for line in err.splitlines() if b"built after" not in line]
    for n, (name, (_, shown)) in enumerate(HOSTILE.items()):
        wanted = b"<%d [%s]>" % (n, shown)
        if "drawn over" in name:  # from its beginning
            wanted = wanted[wanted.index(shown) :] if not name.endswith("left") else b"]>"
        if "without end" in name or "alone" in name or "half" in name:
            wanted = wanted.removesuffix(b"]>")
        assert any(line.startswith(wanted) for line in lines), (name, wanted, lines)


# With what the filter keeps at the end of a build: half a sequence, half a character, half a line.
@pytest.mark.parametrize(
    "name", ["title without end", "escape alone", "half a sequence", "overlong"]
)
def test_hostile_last_words(world, name):
    text, shown = HOSTILE[name]
    code, err = said(world, f"printf '[{text}'")
    assert code == 0 and b"[" + shown in err
    harmless(err)


def test_hostile_words_in_failures_and_documents(world):
    text = r"STEP 2/9: RUN \033]0;x\007\377\302\233m here"
    world.on("build", f"printf '{text}\\n'; exit 1")
    result = world.run("build", "gamma")
    assert result.code == 1 and "\033" not in result.err and "\x9b" not in result.err
    assert result.err.count(r"RUN \xFF here") == 3  # as it was said, where, among the last
    row = world.built("gamma")[1]["gamma"]
    assert row["instruction"] == r"STEP 2/9: RUN \xFF here"


@pytest.mark.parametrize("size", ["-5", "0", "null", "1e99", '\\"x\\"'])
def test_hostile_answers(world, size):
    """What is no size is none: no budget is kept by it."""
    layers = f'{{\\"layers\\": [{{\\"size\\": {size}}}]}}'
    text = f'{{"FromImageDigest": "sha256:\\u001b[31m", "Manifest": "{layers}"}}'
    world.on("inspect", f"cat <<'END'\n{text}\nEND\nexit 0")
    result = world.run("build", "alpha", "gamma")
    assert result.code == 1 and "\033" not in result.out + result.err
    assert "failed at 'budget': the engine does not tell its size" in result.err
    built = world.built("alpha", "gamma")[1]
    assert built["alpha"]["failed_step"] == "budget" and built["gamma"]["status"] == "built"
    assert [built[name]["bytes"] for name in ("alpha", "gamma")] == [None, None]
    assert [built[name]["digest"] for name in ("alpha", "gamma")] == [None, None]
    assert world.tags == {"gamma"}


FLOODS = {
    "a line of 10 MB": "head -c 10000000 /dev/zero | tr '\\0' x; echo",
    "10 MB drawn over": "yes '50%' | tr '\\n' '\\r' | head -c 10000000; echo",
    "many lines": "yes 'STEP 1/2: RUN x' | head -c 10000000",
    "long lines": "yes \"STEP 1/2: $(head -c 9000 /dev/zero | tr '\\0' y)\" | head -c SIZE",
}


def flood(world, text):
    """Builds with no more than 200 MB to have, of which libraries take a part."""
    world.on("build", text)
    words = ["sh", "-c", 'ulimit -v 200000; exec "$@" 2>/dev/null', "-", *world.command("build")]
    return subprocess.run([*words, "gamma"], cwd=world.work, env=world.env, check=False)


@pytest.mark.skipif(INSTRUMENTED, reason="sanitizers take all there is")
@pytest.mark.parametrize("name", FLOODS)
def test_floods_take_no_memory(world, name):
    assert flood(world, FLOODS[name].replace("SIZE", "100000000")).returncode == 0


@pytest.mark.soak
def test_a_gigabyte(world):
    assert flood(world, FLOODS["long lines"].replace("SIZE", "1000000000")).returncode == 0


@pytest.mark.parametrize("verb", ["inspect", "from"])
def test_an_endless_answer(world, verb):
    world.on(verb, "yes")
    code, built = world.built("beta")
    assert code == 1 and "prints too much" in built["beta"]["why"]
    assert world.nothing_left()


# ---------------------------------------------------------------- secrets


SHAPES = [
    "https://me:{}@index.example.org/simple",
    "https://{}@index.example.org/simple",
    "'https://me:{}@index.example.org:8443/simple'",
    "http://a:{}@one.example.org/ https://b:{}@two.example.org",
    "git+https://me:{}@git.example.org/x.git@v1",
    "https://me:\033[1m{}\033[0m@index.example.org/simple",
]


def test_no_password_is_told(world):
    urls = [shape.format(SECRET, SECRET) for shape in SHAPES]
    world.lock()
    found = "".join(f"x{n} @ {url}\nok{n}==1\n" for n, url in enumerate(urls))
    (world.fake / "packages" / "gamma").write_text(f"== /p/step.txt\n{found}")
    echo = [f"STEP 2/3: ARG URL_{n}={url}\nlooking in {url}\n" for n, url in enumerate(urls)]
    cat = f"cat <<'END'\n{''.join(echo)}END\n"
    world.on("build", cat + 'cat "$FAKE/fails" 2>/dev/null && exit 1')
    given = [f"URL_{n}={url.replace(chr(39), '')}" for n, url in enumerate(urls)]
    words = ["gamma", *(word for one in given for word in ("--build-arg", one))]
    for fails in (False, True):
        if fails:
            (world.fake / "fails").touch()
        for more in ([], ["--json"], ["--verbose"], ["--quiet"]):
            result = world.run("build", *words, *more)
            assert result.code == fails
            assert SECRET not in result.out and SECRET not in result.err
            if not more:
                assert result.err.count("***@") >= 2 * len(SHAPES)
    assert SECRET not in (world.work / "base-images.lock.yml").read_text()
    told = [word for call in world.calls("build") for word in call]
    assert all(any(one in word for word in told) for one in given)


def test_no_password_in_a_complaint_of_usage(world):
    result = world.run("build", "--build-arg", f"https://me:{SECRET}@x.org/")
    assert result.code == 2 and SECRET not in result.err


# ---------------------------------------------------------------- elsewhere than on a terminal


def test_no_escapes_in_a_pipe(world):
    result = world.run("build", "--jobs", "2", TERM="xterm-256color")
    assert "\033" not in result.err + result.out and "\r" not in result.err
    assert f"gamma:{TAG}: build\n" in result.err
    assert f"gamma:{TAG} | STEP 1/2: FROM scratch\n" in result.err
    assert re.search(rf"gamma:{TAG}: built after \d+ s\n", result.err)


def test_quiet_tells_errors_alone(world):
    result = world.run("build", "gamma", "--quiet")
    warnings = "".join(line for line in result.err.splitlines() if "warning: " not in line)
    assert result.code == 0 and warnings == ""
    world.on("build@beta", "echo 'the last words'; exit 3")
    result = world.run("build", "--quiet")
    assert "the last words" in result.err and "failed at 'build'" in result.err
    assert "FROM scratch" not in result.err.split("tmplgen: error")[0]


# ---------------------------------------------------------------- on a terminal


class Screen:
    """The rows of a terminal, of what is used here of its language; anything else is an error."""

    def __init__(self, width):
        self.width, self.rows, self.row, self.column = width, [""], 0, 0
        self.begun = ""  # a sequence whose end is still to come

    def feed(self, text):
        text = self.begun + text
        self.begun = re.search(r"(\033(\[[0-9;]*)?)?$", text)[0]
        text = text.removesuffix(self.begun)
        for piece in re.findall(r"\033\[[0-9;]*[A-Za-z]|\r|\n|[^\033\r\n]", text):
            if piece == "\r":
                self.column = 0
            elif piece == "\n":
                self.down()
            elif piece[0] != "\033":
                self.put(piece)
            elif piece[-1] == "A":
                self.row = max(0, self.row - int(piece[2:-1] or 1))
            elif piece[-1] == "J":
                self.rows[self.row :] = [self.rows[self.row][: self.column]]
            else:
                assert piece[-1] == "m", repr(piece)

    def down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append("")

    def put(self, character):
        if self.column == self.width:
            self.column = 0
            self.down()
        row = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = row[: self.column] + character + row[self.column + 1 :]
        self.column += 1


class Terminal:
    def __init__(self, world, *words, width=100, **env):
        env = {"TERM": "xterm-256color", **world.env, **env}
        self.main, self.process = start(world.command("build", *words), world.work, env)
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        self.screen, self.raw, self.decode = Screen(width), "", decoder()

    def until(self, true, seconds=20):
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self.screen.rows
            if select.select([self.main], [], [], 0.05)[0]:
                try:
                    chunk = self.decode(os.read(self.main, 65536))
                except OSError:
                    return
                self.raw += chunk
                self.screen.feed(chunk)

    def shows(self, pattern):
        self.until(lambda: any(re.match(pattern, row) for row in self.screen.rows))

    def progress(self):
        return [row for row in self.screen.rows if row.startswith("[build] ")]

    def end(self):
        self.until(lambda: False if self.process.poll() is None else not self.more())
        self.process.stdout.read()
        os.close(self.main)
        return self.process.wait(timeout=20), [row for row in self.screen.rows if row.strip()]

    def more(self):
        return bool(select.select([self.main], [], [], 0.05)[0])


WAIT = 'touch "$FAKE/$image"; until [ -f "$FAKE/go" ]; do sleep 0.05; done'


def test_progress_below_what_is_said(world):
    world.on("build@gamma", f"{WAIT}; echo done")
    terminal = Terminal(world, "gamma")
    terminal.shows(r"\[build\] [1-9]\d* s, gamma:")  # though the builder says nothing
    assert len(terminal.progress()) == 1
    (world.fake / "go").touch()
    code, rows = terminal.end()
    assert code == 0
    assert "done" in rows and not [row for row in rows if row.startswith("[")]
    assert re.fullmatch(rf"gamma:{TAG}: built after \d+ s", rows[-1])
    assert "\033[36m" in terminal.raw


def test_a_line_for_each_that_runs(world):
    world.on("build", WAIT)
    terminal = Terminal(world, "--jobs", "2")
    terminal.shows(r"\[build\] \d+ s, beta:")
    running = [row.split(", ")[1].split(":")[0] for row in terminal.progress()]
    assert running == ["alpha", "beta"]
    (world.fake / "go").touch()
    code, rows = terminal.end()
    assert code == 0 and not [row for row in rows if row.startswith("[")]
    assert len([row for row in rows if " built after " in row]) == 3
    assert f"beta:{TAG} | STEP 1/2: FROM scratch" in rows


@pytest.mark.parametrize("width", [1, 2, 20, 39])
def test_a_narrow_terminal(world, width):
    world.on("build", "sleep 1.2; echo a line that is longer than the terminal is wide")
    terminal = Terminal(world, "gamma", width=width)
    code, rows = terminal.end()
    assert code == 0
    text = "".join(rows)
    assert "a line that is longer than the terminal is wide".replace(" ", "") in text.replace(
        " ", ""
    )
    assert "[build]" not in text


def test_no_colour(world):
    terminal = Terminal(world, "gamma", NO_COLOR="1")
    assert terminal.end()[0] == 0
    assert not re.search(r"\033\[[0-9;]*m", terminal.raw)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal(world, term):
    terminal = Terminal(world, "gamma", TERM=term)
    assert terminal.end()[0] == 0
    assert not re.search(r"\033\[[0-9]*[A-L]", terminal.raw)


def test_an_interrupted_terminal_is_clean(world):
    world.on("build", 'touch "$FAKE/there"; sleep 300')
    terminal = Terminal(world, "beta", "gamma", "--jobs", "2")
    until((world.fake / "there").exists)
    terminal.shows(r"\[build\]")
    os.write(terminal.main, b"\003")  # no controlling terminal: the echo alone
    terminal.process.send_signal(signal.SIGINT)
    code, rows = terminal.end()
    assert code == 130
    assert not [row for row in rows if row.startswith("[")]
    assert rows[-1].startswith("tmplgen: error: interrupted by SIGINT")
