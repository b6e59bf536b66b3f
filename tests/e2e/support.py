"""What the end-to-end tests share: commands, services, package indexes, bare Debian roots."""

import fcntl
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools.checks import files

from ..common.venvs import quick_python

TOP = Path(__file__).resolve().parents[2]
TMPLGEN = TOP / os.environ.get("TMPLGEN", "build/tmplgen")
WORK = TOP / "build" / "e2e"
CACHE = WORK / "cache"
NODE = TOP / "build" / "node"
# What hangs ends, however busy the machine is.
HANGS_S = 2 * 3600

# The text whose right answer every model of the template knows.
NEGATIVE = {"texts": ["the film was not good"]}


@functools.cache
def programs():
    """A folder to be first on PATH: the Pythons of this machine, whose environments cost little."""
    folder = WORK / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("python3.11", "python3"):
        if shutil.which(name):
            ask = [name, "-c", "import sys; print(sys.executable)"]
            real = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
            quick_python(folder / f"{name}.{os.getpid()}", real).rename(folder / name)
    return folder


# What they install is compiled where it is imported, and what mypy once read it reads no more.
THRIFT = {"PIP_NO_COMPILE": "1", "MYPY_CACHE_DIR": str(WORK / "mypy")}


def clean_env(**more):
    """The environment without what belongs to this test run alone."""
    dropped = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "VIRTUAL_ENV", "PYTHONPATH", "TMPLGEN")
    kept = {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith("PYTEST")}
    return {**kept, **THRIFT, "PATH": f"{programs()}:{os.environ['PATH']}", **more}


def run(*command, cwd=None, status=0, **env):
    """Runs a command that must end with `status`; returns its output, both streams."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean_env(**env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=HANGS_S,
        check=False,
    )
    shown = "\n".join(done.stdout.splitlines()[-80:])
    assert done.returncode == status, f"{command}: {done.returncode}, not {status}\n{shown}"
    return done.stdout


def venv_of(framework):
    """The environment that the children of a run have in common, if they have their framework."""
    return WORK / "venvs" / framework


@contextmanager
def set_up(child, framework):
    """After `make setup DEVICE=cpu`, in that environment; at the end it does not know the child."""
    venv, lock = venv_of(framework), f"venv-{framework}"
    with one_at_a_time(lock):
        run("make", "setup", "DEVICE=cpu", cwd=child, VENV=venv)
    yield venv
    name = re.search(r'^name = "(.*)"$', (child / "pyproject.toml").read_text(), re.MULTILINE)[1]
    with one_at_a_time(lock):
        run(venv / "bin/python", "-m", "pip", "uninstall", "--quiet", "--yes", name)


def share_tools(child):
    """Where a child has an environment in which `ci/dist.sh` builds, this one has it, too."""
    first = WORK / "venvs/dist"
    own = child / "build/dist-venv"
    if (first / "made").exists():
        own.parent.mkdir(exist_ok=True)
        own.symlink_to(first.resolve())
        return
    first.parent.mkdir(parents=True, exist_ok=True)
    first.unlink(missing_ok=True)
    first.symlink_to(own)


def seed():
    """What takes turns goes by this."""
    if os.environ.get("SEED"):
        return int(os.environ["SEED"])
    try:
        return int(run("git", "rev-list", "--count", "HEAD", cwd=TOP))
    except AssertionError:
        return 0  # not in a repository


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, path, body=None, timeout=HANGS_S):
    """Status and text of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Service:
    """A running service; `process` is the command that started it."""

    def __init__(self, command, port, log, cwd=None, **env):
        self.port = port
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd,
                env=clean_env(**env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_ready(self):
        end = time.monotonic() + HANGS_S
        while time.monotonic() < end:
            said = self.log.read_text(errors="replace")
            assert self.process.poll() is None, f"the service ended: {said}"
            try:
                if ask(self.port, "/readyz", timeout=5)[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError(f"never ready: {self.log.read_text(errors='replace')}")

    def ask(self, path, body=None):
        return ask(self.port, path, body)

    def predict(self):
        """The label that the service gives the text that it has to know."""
        status, text = self.ask("/v1/predict", NEGATIVE)
        assert status == 200, text
        return json.loads(text)["predictions"][0]["label"]

    def in_background(self, path, body):
        """Asks in a thread; returns the thread and the list that will hold the answer."""
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.ask(path, body)))
        thread.start()
        return thread, answers

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def service(*args, **kwargs):
    it = Service(*args, **kwargs)
    try:
        yield it
    finally:
        it.kill()


# ---------------------------------------------------------------- a package index on loopback


class _Index(SimpleHTTPRequestHandler):
    """A simple package index (PEP 503) over a folder of wheels."""

    def do_GET(self):
        match = re.fullmatch(r"/simple/([^/]+)/", self.path)
        if match is None:
            super().do_GET()
            return
        wheels = [w for w in Path(self.directory).iterdir() if _project(w.name) == match[1]]
        body = "".join(f'<a href="/{w.name}">{w.name}</a>\n' for w in sorted(wheels)).encode()
        self.send_response(200 if wheels else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def _project(wheel):
    return re.sub(r"[-_.]+", "-", wheel.split("-")[0]).lower()


@contextmanager
def package_index(folder):
    """Serves a folder of wheels; gives the URL to use as INDEX_URL."""
    handler = functools.partial(_Index, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()


# ---------------------------------------------------------------- image builds


@functools.cache
def storage_driver():
    """Layers that share their files, where this kernel lets us have them, else whole copies."""
    if not shutil.which("buildah"):  # those tests fail for want of it, and no others
        return "vfs"
    folder = WORK / f"driver-probe-{os.getpid()}"
    words = ["--root", folder / "root", "--runroot", folder / "run", "--storage-driver", "overlay"]
    done = subprocess.run(["buildah", *words, "info"], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    return "vfs" if done.returncode else "overlay"


# ---------------------------------------------------------------- bare Debian roots

SUITE = "bookworm"
# This machine's own settings of apt, pip, npm and certificates: without them nothing is reachable
# from behind a mirror.
SETTINGS = [
    "/etc/apt",
    "/etc/pip.conf",
    "/etc/npmrc",
    "/usr/etc/npmrc",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/share/ca-certificates",
    "/etc/resolv.conf",
    "/etc/hosts",
]
HOME_SETTINGS = [".config/pip/pip.conf", ".pip/pip.conf", ".npmrc", ".gitconfig"]
SETTINGS_ENV = re.compile(
    r"(PIP_|npm_config_|NPM_CONFIG_|NODE_EXTRA_CA_CERTS$|SSL_CERT_|REQUESTS_CA_BUNDLE$"
    r"|CURL_CA_BUNDLE$|GIT_SSL_CAINFO$|[a-zA-Z]+_proxy$|[A-Z]+_PROXY$)"
)


def settings_env():
    return {name: value for name, value in os.environ.items() if SETTINGS_ENV.match(name)}


def local_indexes():
    """Folders of this machine that its pip settings name."""
    said = run("python3", "-m", "pip", "config", "list")
    found = re.findall(r"(?:file://)?(/[^\s'\"]+)", "\n".join(settings_env().values()) + said)
    folders = {Path(name) for name in found if not name.startswith(("/etc", "/usr"))}
    # An index of files keeps them beside its pages.
    folders = {path.parent if path.name == "simple" else path for path in folders}
    return sorted(path for path in folders if path.is_dir())


def copy_settings(root):
    """Gives a bare root this machine's settings."""
    pairs = [(Path(name), root / name.lstrip("/")) for name in SETTINGS]
    pairs += [(Path.home() / name, root / "root" / name) for name in HOME_SETTINGS]
    for source, target in pairs:
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, symlinks=True)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(source, target)


@contextmanager
def one_at_a_time(name):
    """What the workers of a run share is made by one of them, while the others wait."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install_node_modules():
    """What tests/package.json names, in a folder."""
    wanted = (TOP / "tests/package.json").read_text()
    stamp = NODE / "made"
    NODE.mkdir(parents=True, exist_ok=True)
    with one_at_a_time("node"):
        if not stamp.exists() or stamp.read_text() != wanted:
            (NODE / "package.json").write_text(wanted)
            run("npm", "install", "--no-package-lock", "--ignore-scripts", cwd=NODE)
            stamp.write_text(wanted)
    return NODE / "node_modules"


def make_root(archive, packages, suite):
    scratch = CACHE / "root.new"
    shutil.rmtree(scratch, ignore_errors=True)
    include = [f"--include={','.join(packages)}"] if packages else []
    run("debootstrap", "--variant=minbase", *include, suite, scratch)
    run("tar", "--numeric-owner", "-cf", f"{archive}.new", "-C", scratch, ".")
    Path(f"{archive}.new").rename(archive)
    shutil.rmtree(scratch)


def bare_root(target, *packages, suite=SUITE):
    """A fresh minimal Debian with `packages`, from a cached archive where there is one."""
    archive = CACHE / f"{suite}-{'-'.join(packages)}.tar"
    with one_at_a_time("root"):
        if not archive.exists():
            make_root(archive, packages, suite)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    run("tar", "--numeric-owner", "-xpf", archive, "-C", target)
    copy_settings(target)
    for path in (target / "etc/apt").rglob("*"):
        if path.suffix in (".list", ".sources"):
            path.write_text(path.read_text().replace(SUITE, suite))
    return target


HOME = "/root/tmplgen"


def root_with_sources(target, suite=SUITE):
    """A bare root with git and make, and HOME with the sources as a source archive has them."""
    root = bare_root(target, "ca-certificates", suite=suite)
    status, said = in_root(root, "apt-get update && apt-get install --yes git make")
    assert status == 0, said
    for name in files.listed(TOP):
        place = root / HOME.lstrip("/") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, place)
    return root


def in_root(root, script):
    """Runs a shell script inside a root, with its own mounts; returns status and output."""
    mounts = "; ".join(
        f'mkdir -p "{root}{path}"; mount --bind -o ro "{path}" "{root}{path}"'
        for path in local_indexes()
    )
    inside = f"""
        set -e
        mount -t proc proc "{root}/proc"
        mount --rbind /dev "{root}/dev"
        {mounts}
        exec chroot "{root}" /bin/sh -c '{script}'
    """
    env = {
        "HOME": "/root",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        **settings_env(),
    }
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inside],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=HANGS_S,
        check=False,
    )
    return done.returncode, done.stdout
