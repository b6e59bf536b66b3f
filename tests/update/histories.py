"""
Random histories of children, by seed: a template with its versions, and what people did to a child.

Everything of a history follows from its seed. Commits are written by `git fast-import`, so that
a thousand histories take minutes; updates in between are real runs of tmplgen. A text file is
blocks of lines between fences; a careful history has the template change some blocks and the child
others, so that nothing should conflict, a careless one does not look.

    python -m tests.update.histories SEED      leaves that one, and says where
"""

import os
import random
import stat
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .world import RECORD, World

WORDS = "amber birch cedar delta ember fjord grove heron inlet jetty kelp larch moss north".split()
PEOPLE = [
    ("Ann", "ann@example.com"),
    ("Jörg Müller", "joerg@example.org"),
    ("李 雷", "lei@example.cn"),
    ("Dr. O'Hara, PhD", "o.hara+git@example.com"),
    ("x", "x"),
]
ZONES = ["+0000", "-0800", "+0530", "+1245", "-0330"]
FENCES = 6  # blocks of a text file, the template's and the child's in turn
PINS, MANAGED, SEED_FILE = "requirements/pins.txt", "ci/managed.cfg", "notes/seed.md"


def text(lines) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


@dataclass
class File:
    """Content and mode as git has them."""

    content: bytes
    mode: str = "100644"

    def same(self, other) -> bool:
        return other is not None and (self.content, self.mode) == (other.content, other.mode)


class FastImport:
    """Commits for one run of git fast-import, each with all its files, on the one before it."""

    def __init__(self):
        self.out, self.marks = [], {}

    def blob(self, content: bytes) -> int:
        if content not in self.marks:
            self.marks[content] = len(self.marks) + 1
            self.out.append(b"blob\nmark :%d\n" % self.marks[content] + data(content))
        return self.marks[content]

    def commit(self, files: dict, message: bytes, author: bytes, parent=b"", encoding=b""):
        lines = [
            b"M %s :%d %s\n" % (file.mode.encode(), self.blob(file.content), path.encode())
            for path, file in sorted(files.items())
        ]
        self.out.append(b"commit refs/heads/main\nauthor %s\ncommitter %s\n" % (author, author))
        self.out.append(b"encoding %s\n" % encoding if encoding else b"")
        self.out.append(data(message))
        self.out.append(b"from %s\n" % parent if parent else b"")
        self.out.append(b"deleteall\n" + b"".join(lines) + b"\n")

    def tag(self, name: str):
        self.out.append(b"reset refs/tags/%s\nfrom refs/heads/main\n\n" % name.encode())

    def run(self, world: World, folder):
        world.git("fast-import", "--quiet", "--force", cwd=folder, stdin=b"".join(self.out))


# ---------------------------------------------------------------- what a person does to a text


def blocks_of(lines) -> list:
    """Places of lines that are not fences, with the number of their block."""
    found, block = [], -1
    for at, line in enumerate(lines):
        if line.startswith("==="):
            block += 1
        else:
            found.append((at, max(block, 0)))
    return found


def edit_lines(rng, lines, parity, word) -> list:
    """One line replaced, inserted or deleted; in the blocks of `parity` alone, None: anywhere."""
    places = [at for at, block in blocks_of(lines) if parity is None or block % 2 == parity]
    if not places:
        return lines
    at, way = rng.choice(places), rng.choice("rriid")
    if way == "r":
        return [*lines[:at], word, *lines[at + 1 :]]
    if way == "i":
        return [*lines[: at + 1], word, *lines[at + 1 :]]
    return [*lines[:at], *lines[at + 1 :]] if len(places) > 3 else lines


def is_text(file: File) -> bool:
    return b"\n===" in file.content and b"\0" not in file.content


class Words:
    """Words that nobody else uses, so that no line is like another."""

    def __init__(self, rng, who):
        self.rng, self.who = rng, who

    def __call__(self) -> str:
        return f"{self.who} {self.rng.choice(WORDS)} {self.rng.getrandbits(40):x}"


# ---------------------------------------------------------------- the template


class Template:
    """Three to six versions, all made beforehand."""

    def __init__(self, rng, plain, careless):
        self.rng, self.plain, self.careless = rng, plain, careless
        self.word = Words(rng, "template")
        self.versions, self.moves, self.fixes, self.hands_off = [], [], [], set()
        files = self.first()
        self.versions.append(dict(files))
        for number in range(1, rng.randint(3, 6)):
            for _ in range(rng.randint(1, 5)):
                self.change(files, number)
            self.versions.append(dict(files))

    def new_text(self) -> File:
        lines = []
        for block in range(FENCES):
            lines.append(f"=== {block} {self.word()}")
            lines += [self.word() for _ in range(self.rng.randint(3, 6))]
        lines.append(f"=== end {self.word()}")
        return File(text([lines[0].replace("===", "#"), *lines]))

    def first(self) -> dict:
        rng = self.rng
        names = ["README.md", "src/app.py", "src/deep/er/tool.py", "docs/guide.md", "Makefile"]
        files = {name: self.new_text() for name in names[: rng.randint(2, 5)]}
        if self.plain:
            return files
        files["run.sh"] = File(self.new_text().content, "100755")
        files["bin/logo"] = File(b"\0logo" + rng.randbytes(200))
        files[PINS] = File(text(f"{word}=={n}.0" for n, word in enumerate(WORDS[:9])))
        files[MANAGED] = self.new_text()
        files[SEED_FILE] = self.new_text()
        if rng.random() < 0.3:
            files["src/__init__.py"] = File(b"")
        return files

    def texts(self, files) -> list:
        return sorted(path for path, file in files.items() if is_text(file))

    def change(self, files, number):
        ways = [self.edit, self.edit, self.edit, self.edit, self.add]
        if not self.plain:
            ways += [self.pins, self.rename, self.delete, self.mode, self.binary, self.seed]
        self.rng.choice(ways)(files, number)

    def edit(self, files, number):
        path = self.rng.choice(self.texts(files))
        old = files[path].content.decode().splitlines()
        parity = None if self.careless and self.rng.random() < 0.2 else 0
        new = edit_lines(self.rng, old, parity, self.word())
        files[path] = File(text(new), files[path].mode)
        if len(old) == len(new):
            self.fixes += [(path, a, b, number) for a, b in zip(old, new, strict=True) if a != b]

    def add(self, files, number):
        files[f"new/{number}-{self.rng.choice(WORDS)}.txt"] = self.new_text()

    def pins(self, files, number):
        lines = files[PINS].content.decode().splitlines()
        at = self.rng.randrange(len(lines))
        lines[at] = lines[at].split("==")[0] + f"=={number}.{self.rng.randint(1, 99)}"
        if self.rng.random() < 0.3:
            lines.insert(at, f"template-{self.rng.getrandbits(24):x}==1.0")
        files[PINS] = File(text(lines))

    def rename(self, files, number):
        path = self.rng.choice(self.texts(files))
        if path in (MANAGED, SEED_FILE):
            return
        target = f"moved/{number}/{path}"
        files[target] = files.pop(path)
        self.moves.append((number, path, target))

    def delete(self, files, number):
        left = [path for path in self.texts(files) if path not in (MANAGED, SEED_FILE)]
        if len(left) > 2:
            path = self.rng.choice(left)
            del files[path]
            self.hands_off |= {path, *self.names_before(path)}

    def names_before(self, path):
        for _, old, new in reversed(self.moves):
            if new == path:
                path = old
                yield path

    def mode(self, files, number):
        path = self.rng.choice(self.texts(files))
        other = "100644" if files[path].mode == "100755" else "100755"
        files[path] = File(files[path].content, other)

    def binary(self, files, number):
        files["bin/logo"] = File(b"\0logo" + self.rng.randbytes(200))
        self.hands_off.add("bin/logo")

    def seed(self, files, number):
        files[SEED_FILE] = self.new_text()

    # ------------------------------------------------------------ the catalog

    def manifest(self, number) -> bytes:
        lines = ["description: a test", "stack: none"]
        if not self.plain:
            lines += ["files:", f"  - {{match: {PINS}, merge: lines}}"]
            lines += [f"  - {{match: {MANAGED}, policy: managed}}"]
            lines += [f"  - {{match: {SEED_FILE}, policy: seed}}"]
        moves = [move for move in self.moves if move[0] <= number]
        if moves:
            lines.append("migrations:")
        for at, old, new in moves:
            lines.append(f"  - {{from: '<1.{at}', rename_files: {{{old}: {new}}}}}")
        return text(lines)

    def write(self, world: World):
        world.catalog.mkdir()
        world.git("init", "-q", cwd=world.catalog)
        stream = FastImport()
        for number, files in enumerate(self.versions):
            all_files = {f"templates/app/files/{path}": file for path, file in files.items()}
            all_files["templates/app/template.yml"] = File(self.manifest(number))
            all_files["catalog.yml"] = File(text(["name: demo", f"version: 1.{number}.0"]))
            stream.commit(all_files, b"version", b"T <t@example.com> 1600000000 +0000")
            stream.tag(f"v1.{number}.0")
        stream.run(world, world.catalog)
        world.git("reset", "-q", "--hard", cwd=world.catalog)


# ---------------------------------------------------------------- the child


@dataclass
class Log:
    """What was done, for messages, and what a test has to expect."""

    events: list = field(default_factory=list)
    merges: int = 0  # updates by a merge commit
    resolved: int = 0  # updates with a conflict that was resolved by hand
    rebases: int = 0
    published: bool = False  # a remote or a tag has commits of it


class History:
    """`world.child` with its commits; `plain`: of changes that git itself can replay alone."""

    def __init__(self, folder, seed):
        self.seed, self.rng = seed, random.Random(seed)
        self.plain = self.rng.random() < 0.25
        self.careless = self.rng.random() < 0.35
        self.world = World(folder)
        self.log = Log()
        self.template = Template(self.rng, self.plain, self.careless)
        self.template.write(self.world)
        self.word = Words(self.rng, "mine")
        self.now = 1650000000
        self.version, self.made = 0, []
        self.world.new(ref="v1.0.0")
        self.files = self.read()
        self.build()
        if not self.plain and self.rng.random() < 0.06:
            self.publish()

    def __str__(self):
        kind = f"{'plain, ' * self.plain}{'careless' if self.careless else 'careful'}"
        return f"seed {self.seed} ({kind}): {'; '.join(self.log.events)}"

    def read(self) -> dict:
        """The work tree, which is what is committed."""
        files, top = {}, self.world.child
        for path in self.world.git("ls-files", "-z").split("\0"):
            if path and os.path.islink(top / path):
                files[path] = File(os.readlink(top / path).encode(), "120000")
            elif path:
                executable = os.stat(top / path).st_mode & stat.S_IXUSR
                mode = "100755" if executable else "100644"
                files[path] = File((top / path).read_bytes(), mode)
        return files

    # ------------------------------------------------------------ commits

    def build(self):
        count = self.rng.randint(1, 30)
        stops = set() if self.plain else self.where_updates_are(count)
        if self.rng.random() < 0.2:
            self.amend_root()
        stream = FastImport()
        for number in range(count):
            if number in stops:
                self.flush(stream)
                stream = FastImport()
                self.update()
            self.commit(stream, b"refs/heads/main^0" if not stream.out else b"")
        self.flush(stream)

    def where_updates_are(self, count) -> set:
        wanted = self.rng.choice([0, 0, 1, 1, 2, 3])
        return set(self.rng.sample(range(count), min(wanted, count)))

    def flush(self, stream):
        if stream.out:
            stream.run(self.world, self.world.child)
            self.world.git("reset", "-q", "--hard")

    def author(self) -> bytes:
        name, email = self.rng.choice(PEOPLE)
        self.now += self.rng.randint(-5000, 90000)  # clocks go wrong, too
        return f"{name} <{email}> {self.now} {self.rng.choice(ZONES)}".encode()

    def message(self, what) -> bytes:
        subject = f"{what}: {self.word()}".encode()
        forms = [
            subject + b"\n",
            subject,
            subject + b"\n\nA body of\ntwo lines.\n\nSigned-off-by: Ann <ann@example.com>\n",
            b"\n\n" + subject + b"\n\n\n",
            subject + b"\n\n# no comment\n\ttab  \n",
            subject + " für Übung\n".encode(),
        ]
        return self.rng.choice(forms) if self.rng.random() < 0.98 else b""

    def commit(self, stream, parent):
        before = dict(self.files)
        way = self.rng.choice(PLAIN if self.plain else WAYS)
        for _ in range(self.rng.choice([1, 1, 1, 2, 4])):
            way(self)
        message, encoding = self.message(way.__name__), b""
        if self.rng.random() < 0.04:
            message, encoding = "Prüfung\n".encode("latin-1"), b"ISO-8859-1"
        stream.commit(self.files, message, self.author(), parent, encoding)
        self.made.append((before, dict(self.files)))
        self.log.events.append(way.__name__)

    def amend_root(self):
        """The first commit holds more than what was rendered."""
        for _ in range(2):
            self.edit_text()
            self.add_file()
        self.log.events.append("root amended")
        stream = FastImport()
        stream.commit(self.files, b"first\n", self.author())
        stream.run(self.world, self.world.child)
        self.world.git("reset", "-q", "--hard")

    def publish(self):
        commits = self.world.git("rev-list", "HEAD").splitlines()
        ref = self.rng.choice(["refs/remotes/origin/main", "refs/tags/v1"])
        self.world.git("update-ref", ref, self.rng.choice(commits))
        self.log.published = True
        self.log.events.append(ref)

    # ------------------------------------------------------------ the ways of a person

    def mine(self) -> list:
        """Files that may be edited without asking for trouble."""
        off = set() if self.careless else {*self.template.hands_off, MANAGED}
        return sorted(path for path in self.files if path not in {RECORD, ".gitattributes", *off})

    def texts(self) -> list:
        return [path for path in self.mine() if is_text(self.files[path])]

    def follows(self, path) -> bool:
        """The template has it or had it, under this name or one before."""
        return any(path in files for files in self.template.versions)

    def edit_text(self):
        if not self.texts():
            return
        path = self.rng.choice(self.texts())
        lines = self.files[path].content.decode().splitlines()
        parity = None if self.careless and self.rng.random() < 0.2 else 1
        new = edit_lines(self.rng, lines, parity, self.word())
        self.files[path] = File(text(new), self.files[path].mode)

    def add_file(self):
        name = f"own/{self.rng.choice(WORDS)}/{self.rng.getrandbits(32):x}"
        self.files[name] = File(text(self.word() for _ in range(self.rng.randint(1, 20))))

    def add_binary(self):
        name = f"own/{self.rng.getrandbits(32):x}.bin"
        self.files[name] = File(b"\0" + self.rng.randbytes(300))

    def add_empty(self):
        self.files[f"own/{self.rng.getrandbits(32):x}/.keep"] = File(b"")

    def add_link(self):
        self.files[f"own/link-{self.rng.getrandbits(16):x}"] = File(b"../README.md", "120000")

    def nothing(self):
        """An empty commit."""

    def edit_own(self):
        own = [path for path in self.mine() if path.startswith("own/") and "link-" not in path]
        if own:
            path = self.rng.choice(own)
            old = self.files[path]
            self.files[path] = File(old.content + self.word().encode() + b"\n", old.mode)

    def delete(self):
        paths = self.mine() if self.careless else [p for p in self.mine() if not self.follows(p)]
        if len(paths) > 2:
            del self.files[self.rng.choice(paths)]

    def delete_the_templates(self):
        """It stays deleted."""
        paths = [path for path in self.texts() if self.follows(path)]
        if len(paths) > 3:
            del self.files[self.rng.choice(paths)]

    def rename(self):
        paths = self.mine() if self.careless and not self.plain else self.texts()
        if paths:
            path = self.rng.choice(paths)
            target = f"mine/{self.rng.getrandbits(16):x}/{os.path.basename(path)}"
            self.files[target] = self.files.pop(path)

    def mode(self):
        paths = [path for path in self.mine() if self.files[path].mode != "120000"]
        if paths:
            path = self.rng.choice(paths)
            other = "100644" if self.files[path].mode == "100755" else "100755"
            self.files[path] = File(self.files[path].content, other)

    def binary(self):
        if "bin/logo" in self.mine():
            self.files["bin/logo"] = File(b"\0mine" + self.rng.randbytes(200))

    def pins(self):
        if PINS in self.files:
            lines = self.files[PINS].content.decode().splitlines()
            at = self.rng.randint(0, len(lines))
            lines.insert(at, f"mine-{self.rng.getrandbits(24):x}==2.0")
            self.files[PINS] = File(text(lines))

    def yours(self):
        """The one part of the record that people edit."""
        old = self.files[RECORD].content.decode().splitlines()
        globs = self.rng.choice(["[]", "[own/**]", "[private/**, own/x]", "[docs/**]"])
        at = next(i for i, line in enumerate(old) if line.startswith("yours:"))
        after = [line for line in old[at + 1 :] if not line.startswith((" ", "-"))]
        self.files[RECORD] = File(text([*old[:at], f"yours: {globs}", *after]))

    def managed(self):
        if self.careless and MANAGED in self.files:
            lines = self.files[MANAGED].content.decode().splitlines()
            new = edit_lines(self.rng, lines, 1, self.word())
            self.files[MANAGED] = File(text(new), self.files[MANAGED].mode)

    def revert(self):
        """A commit before is undone, where what it touched is as it left it."""
        if not self.made:
            return
        before, after = self.rng.choice(self.made[-8:])
        touched = {p for p in {*before, *after} if not File.same(after.get(p, NONE), before.get(p))}
        touched.discard(RECORD)
        if all(after.get(p, NONE).same(self.files.get(p, NONE)) for p in touched):
            for path in touched:
                self.files.pop(path, None)
                if path in before:
                    self.files[path] = before[path]

    def take_a_fix(self):
        """A line as a later version of the template has it; a careful one, as the newest has it."""
        mine = self.mine()
        last = b"".join(file.content for file in self.template.versions[-1].values())
        fixes = [
            fix
            for fix in self.template.fixes
            if fix[3] > self.version and fix[0] in mine
            if self.careless or text([fix[2]]) in last
        ]
        if not fixes:
            return
        path, old, new, _ = self.rng.choice(fixes)
        file = self.files[path]
        if text([old]) in file.content:
            changed = file.content.replace(text([old]), text([new]), 1)
            self.files[path] = File(changed, file.mode)

    # ------------------------------------------------------------ updates in between

    def update(self):
        last = len(self.template.versions) - 2
        if self.version >= last:
            return
        target = self.rng.randint(self.version + 1, last)
        strategy = self.rng.choice(["pick"] * 7 + ["rebase"] * 2 + ["merge"])
        done = self.world.update("--strategy", strategy, "--to", f"v1.{target}.0")
        event = f"update to 1.{target} by {strategy}: {done.code}"
        if done.code == 5 and not self.careless and self.rng.random() < 0.5:
            assert self.world.update("--abort").code == 0
            event += ", aborted"
        elif done.code == 5:
            self.resolve_all()
            event += ", resolved"
            self.log.resolved += strategy != "rebase"
        self.log.merges += strategy == "merge" and done.code in (0, 5)
        self.log.rebases += strategy == "rebase" and done.code in (0, 5)
        self.log.events.append(event)
        self.files = self.read()
        if f'version: "1.{target}.0"'.encode() in self.files[RECORD].content:
            self.version, self.made = target, []

    def resolve_all(self):
        """Until it is done: each stop is resolved as it comes."""
        for _ in range(40):
            resolve(self.rng, self.world, self.world.child)
            done = self.world.update("--continue")
            if done.code != 5:
                assert done.code == 0, done.out
                return
        raise AssertionError("it stops for ever")


def resolve(rng, world, child):
    """Every path in conflict: the child's, the template's, both, or nothing."""
    listed = world.git("ls-files", "-u", "-z", cwd=child).split("\0")
    paths = sorted({line.split("\t", 1)[1] for line in listed if line})
    for path in paths:
        target = child / path
        if not target.is_file() or target.is_symlink() or rng.random() < 0.1:
            world.git("rm", "-q", "-f", "--cached", "--", path, cwd=child)
            if target.is_file() or target.is_symlink():
                target.unlink()
            continue
        target.write_bytes(without_markers(rng, target.read_bytes()))
        world.git("add", "-f", "--", path, cwd=child)


def without_markers(rng, content: bytes) -> bytes:
    """Of every conflict one of its sides, or both."""
    kept, side, keep = [], "", "ours"
    for line in content.splitlines(keepends=True):
        if line.startswith(b"<<<<<<< "):
            side, keep = "ours", rng.choice(["ours", "theirs", "both"])
        elif side and line.startswith(b"||||||| "):
            side = "base"
        elif side and line.rstrip(b"\r\n") == b"=======":
            side = "theirs"
        elif side and line.startswith(b">>>>>>> "):
            side = ""
        elif not side or side == keep or (keep == "both" and side != "base"):
            kept.append(line)
    return b"".join(kept)


NONE = File(b"", "")
# Where git has no rule of its own that differs.
PLAIN = [
    *[History.edit_text] * 6,
    *(History.add_file, History.edit_own, History.nothing, History.mode, History.rename),
    *(History.add_binary, History.add_empty, History.take_a_fix),
]
WAYS = [
    *[History.edit_text] * 8,
    *(History.add_file, History.add_file, History.add_binary, History.add_empty, History.add_link),
    *(History.nothing, History.edit_own, History.edit_own, History.delete, History.rename),
    *(History.mode, History.binary, History.pins, History.yours, History.managed),
    *(History.revert, History.take_a_fix, History.take_a_fix, History.delete_the_templates),
]

if __name__ == "__main__":
    made = History(Path(tempfile.mkdtemp()) / "w", int(sys.argv[1]))
    print(f"{made}\n{made.world.child}\nHOME={made.world.home}")
