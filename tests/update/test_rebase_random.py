"""
Rebase on random histories: the tree that pick makes, or a reason; every commit of the user's is
told of; git agrees where it can be asked; and from any stop everything comes back, byte for byte.
"""

import os
import random
import re
import shutil
from collections import Counter

from .faults import FIRST, clone_folder, fast_folder, sizes
from .histories import History, resolve
from .world import RECORD, assert_sound, files_on_disk, git_files

# Why a run may refuse, beside what of the history has to be so.
REASONS = {
    "merge-in-range": lambda history: history.log.merges,
    "update-conflicts": lambda history: history.log.resolved,
    "published": lambda history: history.log.published,
    "differs-from-pick": lambda history: True,
}
FEW_STOPS = 40
WRITTEN = re.compile(rb"mine [a-z]+ [0-9a-f]+|mine-[0-9a-f]+==")


def everything(world, child) -> dict:
    """What `--abort` gives back: files, index, refs, HEAD, each to the byte."""
    git = child / ".git"
    refs = world.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=child).splitlines()
    state = {"files": files_on_disk(child), "refs": refs}
    for name in ("HEAD", "index", "ORIG_HEAD", "CHERRY_PICK_HEAD", "MERGE_MSG", "config"):
        state[name] = (git / name).read_bytes() if (git / name).exists() else None
    return state


def differences(old, new) -> dict:
    return {key: (old.get(key), new.get(key)) for key in old if old.get(key) != new.get(key)}


def assert_everything(world, child, before):
    now = everything(world, child)
    assert now == before, differences(before, now)


def raw_commits(world, child, ids) -> dict:
    """Headers (tree, author, encoding and so on, each a list) and message of each, as bytes."""
    found = {}
    for oid, (kind, body) in world.objects(ids, child).items():
        assert kind == "commit"
        head, message = body.split(b"\n\n", 1)
        headers = {}
        for header in head.replace(b"\n ", b"\0").split(b"\n"):
            name, value = header.split(b" ", 1)
            headers.setdefault(name.decode(), []).append(value)
        found[oid] = (headers, message)
    return found


def commits_of(world, child, rev="HEAD") -> list:
    return world.git("rev-list", "--reverse", "--topo-order", rev, cwd=child).splitlines()


class Trial:
    """One history, its pick, and its rebase."""

    def __init__(self, folder, seed):
        self.rng = random.Random(seed)
        self.history = History(folder / "w", seed)
        self.world = world = self.history.world
        self.tip = world.git("rev-parse", "HEAD")
        self.commits = commits_of(world, world.child)
        self.child, self.picked = world.folder / "rebased", world.folder / "picked"
        for copy in (self.child, self.picked):
            clone_folder(world.child, copy)
            world.git("update-index", "-q", "--refresh", cwd=copy)
        self.pick = self.update("--strategy", "pick", child=self.picked)
        assert self.pick.code in (0, 5), self.pick.out
        self.before = everything(world, self.child)

    def update(self, *args, child=None):
        return self.world.update(*args, child=child or self.child)

    def rebase(self, *args):
        return self.update("--strategy", "rebase", *args)

    @property
    def conflict(self) -> bool:
        """Whether there is something that a rebase may not be able to do."""
        log = self.history.log
        return bool(self.pick.code or log.merges or log.resolved or log.published)

    # ------------------------------------------------------------ a run

    def run(self) -> str:
        """What came of it, for the tally."""
        dry = self.dry_run()
        done = self.rebase()
        if done.code == 3 and done.error["code"] == "published":
            self.assert_refused(done, dry)
            self.dry_run("--rewrite-published")
            done = self.rebase("--rewrite-published")
            dry = None
        if done.code == 3:
            self.assert_refused(done, dry)
            return f"refused {done.error['code']}"
        assert done.code in (0, 5), done.out + done.err
        assert dry is None or self.same_list(dry, done), (dry.out, done.out)
        if done.code == 5:
            return self.stopped(done)
        self.assert_equal(done)
        if self.history.plain:
            self.assert_git_agrees(done)
        return "equal"

    def dry_run(self, *args):
        """It touches nothing, not even a time."""
        before = (git_files(self.child / ".git"), files_on_disk(self.child, times=True))
        done = self.rebase("--dry-run", *args)
        now = (git_files(self.child / ".git"), files_on_disk(self.child, times=True))
        assert now == before, [differences(a, b) for a, b in zip(before, now, strict=True)]
        return done

    def same_list(self, dry, done) -> bool:
        """States and notes are what the dry run said; nobody can know behind the first conflict."""
        lists = [run.json["commits"] for run in (dry, done)]
        keys = ("commit", "subject", "state", "note")
        pairs = [[{key: entry[key] for key in keys} for entry in one] for one in lists]
        return dry.code == done.code and pairs[0] == pairs[1]

    def assert_refused(self, done, dry):
        code = done.error["code"]
        assert code in REASONS and REASONS[code](self.history), done.out
        assert done.error["message"] and done.error["hint"], done.out
        assert dry is None or (dry.code, dry.error) == (3, done.error), dry.out
        assert_everything(self.world, self.child, self.before)

    # ------------------------------------------------------------ the end

    def assert_equal(self, done):
        """Nothing was resolved by hand: pick has no conflict, and the same tree."""
        world, child = self.world, self.child
        assert self.pick.code == 0, "pick conflicts, and the rebase went through"
        assert world.tree(child) == world.tree(self.picked)
        assert files_on_disk(child) == files_on_disk(self.picked)
        assert done.json["result"] == "updated" and done.json["strategy"] == "rebase"
        self.assert_ended(done)
        if not self.history.careless:
            self.assert_each_has_its_own(done)

    def assert_ended(self, done):
        world, child = self.world, self.child
        self.assert_commits(done)
        assert world.git("symbolic-ref", "HEAD", cwd=child) == "refs/heads/main"
        assert world.git("rev-parse", "ORIG_HEAD", "main@{1}", cwd=child).split() == [self.tip] * 2
        assert world.git("status", "--porcelain", "-uall", cwd=child) == ""
        assert_sound(world, child)
        again, before = None, git_files(child / ".git")
        again = self.rebase()
        assert (again.code, again.json["result"]) == (0, "up-to-date"), again.out
        assert git_files(child / ".git") == before

    def listed(self, done) -> list:
        """The report's lines, one for each commit of the user's, oldest first."""
        entries = done.json["commits"]
        ids = [entry["commit"] for entry in entries]
        if self.is_base(self.commits[0]) and len(ids) == len(self.commits) - 1:
            assert ids == self.commits[1:]
        else:
            assert ids == self.commits
        return entries

    def is_base(self, commit) -> bool:
        return RECORD not in self.world.git("ls-tree", "--name-only", commit).splitlines()

    def assert_commits(self, done, by_hand=False):
        """What the user wrote is in the new commits, and the order is that of the old ones."""
        entries = self.listed(done)
        assert {entry["state"] for entry in entries} <= {"replayed", "dropped"}, entries
        made = [entry for entry in entries if entry["state"] == "replayed"]
        chain = commits_of(self.world, self.child)
        assert [entry["to"] for entry in made] == chain[1:], entries
        assert self.world.tree(self.child, chain[0]) == done.json["tree"]
        raw = raw_commits(self.world, self.child, [*self.commits, *chain])
        for entry in made:
            self.assert_alike(raw, entry)
        for entry in entries:
            if entry["state"] == "dropped":
                assert entry["note"], entry
                assert by_hand or not self.was_empty(raw, entry["commit"]), entry

    def assert_each_has_its_own(self, done):
        """Where nothing conflicts each commit has what the user had written by then, no more."""
        old, new = (self.written(tip) for tip in (self.tip, "HEAD"))
        at = commits_of(self.world, self.child)[0]
        for entry in self.listed(done):
            at = entry["to"] or at
            assert new[at] == old[entry["commit"]], entry

    def written(self, tip) -> dict:
        """By commit the user's words and binaries in its tree, and how often."""
        command = ("log", "--reverse", "--raw", "--no-abbrev", "--no-renames", "--format=%H", tip)
        found, tree, known = {}, {}, {}
        for line in filter(None, self.world.git(*command, cwd=self.child).splitlines()):
            if not line.startswith(":"):
                found[line] = tree = dict(tree)
                continue
            meta, path = line.split("\t", 1)
            tree[path] = meta.split(" ")[3]
        blobs = {blob for tree in found.values() for blob in tree.values() if blob.strip("0")}
        for blob, (_, content) in self.world.objects(blobs, self.child).items():
            binary = content[:1] == b"\0" and not content.startswith(b"\0logo")
            known[blob] = Counter([content] if binary else WRITTEN.findall(content))
        return {
            commit: sum((known.get(blob, Counter()) for blob in tree.values()), Counter())
            for commit, tree in found.items()
        }

    def was_empty(self, raw, commit) -> bool:
        headers, _ = raw[commit]
        parents = headers.get("parent", [])
        return bool(parents) and raw[parents[0].decode()][0]["tree"] == headers["tree"]

    def assert_alike(self, raw, entry):
        old, old_message = raw[entry["commit"]]
        new, new_message = raw[entry["to"]]
        assert new["author"] == old["author"], entry
        assert new_message == old_message, entry
        assert new.get("encoding") == old.get("encoding"), entry
        assert new["committer"][0].startswith(b"Ann <ann@example.com> "), entry
        assert set(new) <= {"tree", "parent", "author", "committer", "encoding"}, entry
        if self.was_empty(raw, entry["commit"]):
            assert self.was_empty(raw, entry["to"]), entry

    # ------------------------------------------------------------ git's own rebase

    def git_rebase(self):
        """`git rebase --onto N B`: B and N are the old rendering and the new one, as commits."""
        world, child = self.world, self.picked
        form = "--format=%(tree) %(objectname)"
        bases = {}
        for place in (
            world.child,
            child,
        ):  # those that nothing names any more are gone in the other
            refs = world.git("for-each-ref", form, "refs/tmplgen", cwd=place)
            bases |= (line.split(" ") for line in refs.splitlines())
        # A commit made just so has no parent, as the first one has none: it is put before that.
        old = bases[self.pick.json["base"]["tree"]]
        world.git("replace", "--graft", self.commits[0], old, cwd=child)
        world.git("checkout", "-q", "-f", "--detach", self.tip, cwd=child)
        new = bases[self.pick.json["tree"]]
        rules = ("-c", "merge.directoryRenames=false")
        return world.git(*rules, "rebase", "-q", "--onto", new, old, cwd=child, check=False)

    def assert_git_agrees(self, done):
        """Commit by commit: what each changes, and so the tree."""
        run = self.git_rebase()
        assert run.returncode == 0, f"git conflicts: {run.stdout.decode()}"
        assert self.changes(self.picked) == self.changes(self.child)
        assert self.changes_of_tree(self.picked) == self.changes_of_tree(self.child)

    def changes(self, child) -> list:
        """Author and changed blobs of each commit, but for the record."""
        form = "--format=%an %ae %ad"
        more = ("--raw", "--no-abbrev", "--no-renames", "--reverse", "--date=raw")
        lines = self.world.git("log", form, *more, "HEAD", cwd=child).splitlines()
        return self.without_base([line for line in lines if line and not line.endswith(RECORD)])

    def without_base(self, lines) -> list:
        """From the first commit of the user's on."""
        people = [at for at, line in enumerate(lines) if not line.startswith(":")]
        first = self.world.git("log", "-1", "--format=%an %ae %ad", "--date=raw", self.commits[0])
        return lines[next(at for at in people if lines[at] == first) :]

    def changes_of_tree(self, child) -> dict:
        listing = self.world.listing(child=child)
        listing.pop(RECORD)
        return listing

    # ------------------------------------------------------------ a stop

    def stopped(self, done) -> str:
        if self.history.plain:
            run = self.git_rebase()
            assert run.returncode, "git replays all of it"
            at = self.world.git("rev-parse", "REBASE_HEAD", cwd=self.picked)
            assert at == self.stop_of(done)["commit"], "git stops elsewhere"
        wanted = self.rng.choice([0, 0, 1, 2, FEW_STOPS])
        for number in range(FEW_STOPS):
            self.assert_stop(done)
            if number == wanted:
                return self.abort()
            resolve(self.rng, self.world, self.child)
            done = self.update("--continue")
            assert done.code in (0, 5), done.out + done.err
            if done.code == 0:
                self.assert_commits(done, by_hand=True)
                self.assert_ended(done)
                return "stopped, ended"
        raise AssertionError("it stops for ever")

    def abort(self):
        done = self.update("--abort")
        assert (done.code, done.json["result"]) == (0, "aborted"), done.out
        assert_everything(self.world, self.child, self.before)
        assert_sound(self.world, self.child)
        return "stopped, aborted"

    def stop_of(self, done) -> dict:
        stops = [entry for entry in done.json["commits"] if entry["state"] == "conflict"]
        assert len(stops) == 1, done.out
        return stops[0]

    def assert_stop(self, done):
        """The commit is named; git knows it; the branch has not moved."""
        world, child = self.world, self.child
        entries, stop = self.listed(done), self.stop_of(done)
        at = entries.index(stop)
        assert {entry["state"] for entry in entries[:at]} <= {"replayed", "dropped"}
        assert {entry["state"] for entry in entries[at + 1 :]} <= {"pending"}
        assert stop["note"] and done.json["result"] == "conflicts", stop
        read = world.git("rev-parse", "CHERRY_PICK_HEAD", "main", "HEAD", cwd=child).split()
        assert read[:2] == [stop["commit"], self.tip]
        assert world.git("symbolic-ref", "-q", "HEAD", cwd=child, check=False).returncode == 1
        made = [entry["to"] for entry in entries[:at] if entry["state"] == "replayed"]
        assert read[2] == made[-1] if made else self.is_new_base(read[2], done)
        self.assert_stages(stop["commit"])

    def is_new_base(self, commit, done) -> bool:
        return self.world.tree(self.child, commit) == done.json["tree"]

    def assert_stages(self, commit):
        """As of a cherry-pick: 2 is what was replayed, 3 the commit."""
        world, child = self.world, self.child
        blobs = {2: self.blobs("HEAD"), 3: self.blobs(commit)}
        lines = world.git("ls-files", "-u", cwd=child).splitlines()
        assert lines
        for line in lines:
            _, blob, stage = line.split("\t")[0].split(" ")
            assert stage == "1" or blob in blobs[int(stage)], line

    def blobs(self, rev) -> set:
        return {blob for _, blob in self.world.listing(rev, child=self.child).values()}


# ---------------------------------------------------------------- how many


def trial(seed) -> tuple:
    """What came of it, and whether anything might have been in the way."""
    folder = fast_folder()
    made = None
    try:
        made = Trial(folder, seed)
        return made.run(), made.conflict
    except Exception as error:
        raise AssertionError(f"{made.history if made else f'seed {seed}'}: {error}") from error
    finally:
        shutil.rmtree(folder)


@sizes(few=(8, 1), sample=(20, 1), every=int(os.environ.get("HISTORIES", "1000")))
def test_histories(size):
    """Most of what nothing stands in the way of ends in pick's tree."""
    found, clean = Counter(), Counter()
    for seed in range(FIRST, FIRST + size):
        outcome, conflict = trial(seed)
        found[outcome] += 1
        if not conflict:
            clean[outcome] += 1
    print(f"SEED={FIRST}: {dict(found)}; without conflict: {dict(clean)}")
    assert clean["equal"] >= 0.6 * clean.total() > 0, f"SEED={FIRST}: {clean}, {found}"
