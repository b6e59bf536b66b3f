"""The servers of the benchmark of the service: ours and three others, all on one model.

Each has an environment of its own below build/bench-service/, in which the framework is that of the
child: a file names the child's packages after the server's own.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from contender import TMPLGEN, TOP

HERE = Path(__file__).parent / "service"
PLACE = TOP / "build" / "bench-service"
CHILD, MODEL = PLACE / "pytorch-service", PLACE / "model"
FRAMEWORK = "pytorch==2.13.0"
PREDICT, FIELD, ITEM = "/v1/predict", "instances", "the film was not good"
# One thread each: the other core is the clients'.
THREADS = {"OMP_NUM_THREADS": "1", "BENTOML_DO_NOT_TRACK": "True"}


def call(*words, cwd=None, **env):
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{words} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def python_of(name):
    return PLACE / f"venv-{name}" / "bin" / "python"


def make_child():
    """The child as it is rendered now, in the environment that was there before, and its model."""
    call("rm", "-rf", CHILD, MODEL)
    PLACE.mkdir(parents=True, exist_ok=True)
    words = ["--type", "service", "--framework", FRAMEWORK, "--python", "3.11", "--no-git"]
    call(TMPLGEN, "new", CHILD, *words)
    venv = str(PLACE / "venv-ours")
    call("make", "setup", "DEVICE=cpu", cwd=CHILD, VENV=venv)
    call(python_of("ours"), "-m", "pytorch_service", "train", "--out", MODEL, cwd=CHILD, **THREADS)


def make_environment(name):
    """Once for each list of packages."""
    wanted = (HERE / f"{name}.txt").read_text()
    folder, made = PLACE / f"venv-{name}", PLACE / f"venv-{name}" / "made"
    if not made.exists() or made.read_text() != wanted:
        call("rm", "-rf", folder)
        call(sys.executable, "-m", "venv", folder)
        call(folder / "bin/pip", "install", "-qq", "-r", HERE / f"{name}.txt")
        made.write_text(wanted)
    [ours] = (PLACE / "venv-ours/lib").glob("python*/site-packages")
    [own] = (folder / "lib").glob("python*/site-packages")
    (own / "child.pth").write_text(f"{ours}\n{CHILD / 'src'}\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One of them, with all processes that it starts."""

    def __init__(self, name, words, ready="/readyz"):
        self.name = name
        self._words = words
        self._ready = ready

    def start(self, work, product=False, **settings):
        """`words` with a port for PORT; comes back when it is ready."""
        self.port = free_port()
        words = [str(word).replace("PORT", str(self.port)) for word in self._words]
        self.log = work / f"{self.name}.log".replace(" ", "-")
        env = os.environ | THREADS | settings
        env |= {"BENCH_MODEL": str(MODEL), "BENCH_PRODUCT": str(int(product))}
        env |= {"SERVE_PORT": str(self.port), "SERVE_MODEL_DIR": str(MODEL), "SERVE_DEVICE": "cpu"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                words,
                cwd=HERE,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait()
        return self

    def _wait(self):
        url = f"http://127.0.0.1:{self.port}{self._ready}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                with opener.open(url, timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            time.sleep(0.2)
        self.stop()
        sys.exit(f"{self.name} did not start:\n{self.log.read_text(errors='replace')[-4000:]}")

    def _members(self):
        """What /proc says, after their names, of the process and of all that it has started."""
        found, children = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(path.parent.name)] = fields
            children.setdefault(int(fields[1]), []).append(int(path.parent.name))
        members = [self.process.pid] if self.process.pid in found else []
        for pid in members:
            members += children.get(pid, [])
        return {pid: found[pid] for pid in members}

    def cpu(self):
        """Seconds of processor time of all its processes."""
        ticks = sum(int(fields[11]) + int(fields[12]) for fields in self._members().values())
        return ticks / os.sysconf("SC_CLK_TCK")

    def signal(self, number):
        for pid in self._members():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def pause(self):
        """While others are measured."""
        self.signal(signal.SIGSTOP)

    def go_on(self):
        self.signal(signal.SIGCONT)

    def stop(self):
        self.signal(signal.SIGKILL)
        self.process.wait()


OURS = Server("ours", [python_of("ours"), "ours.py"])
PLAIN = Server(
    "plain FastAPI",
    [python_of("plain"), "-m", "uvicorn", "plain:app", "--port", "PORT", "--no-access-log"],
)
LIT = Server("LitServe", [python_of("lit"), "lit.py", "PORT", "1"], "/health")
LIT_BATCH = Server("LitServe, batches", [python_of("lit"), "lit.py", "PORT", "32"], "/health")
BENTO = Server(
    "BentoML", [python_of("bento"), "-m", "bentoml", "serve", "bento:Texts", "-p", "PORT"]
)
ALL = [OURS, PLAIN, LIT, LIT_BATCH, BENTO]


def make_all():
    make_child()
    for name in ("plain", "lit", "bento"):
        make_environment(name)


def ask(server, body, clients, seconds, warmup=0.5):
    """What the clients, in a process of their own, saw; with the processor time of the server."""
    before = server.cpu()
    said = call(
        *(sys.executable, Path(__file__).parent / "clients.py", "--port", server.port),
        *("--path", PREDICT, "--body", body, "--clients", clients),
        *("--seconds", seconds, "--warmup", warmup),
    )
    seen = json.loads(said)
    seen["cpu_ms"] = (server.cpu() - before) * 1000 / max(seen["asked"], 1)
    seen["rate"] = seen["counts"].get("200", 0) / seconds
    return seen
