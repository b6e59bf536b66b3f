"""One case through one tool: the steps, and what was seen around the last of them."""

import os
import shutil
import subprocess

from ..update.world import World, put
from .judge import Run, Seen, judge


def seen(world, child):
    """The files below `child`, and what its repository says of them."""
    files = {}
    for here, folders, names in os.walk(child):
        folders[:] = sorted(f for f in folders if f != ".git")
        for name in [*names, *folders]:
            path = os.path.join(here, name)
            relative = os.path.relpath(path, child)
            if name == ".git":
                continue
            if os.path.islink(path):
                files[relative] = ("l", os.readlink(path).encode())
            elif os.path.isfile(path):
                mode = "x" if os.lstat(path).st_mode & 0o100 else ""
                with open(path, "rb") as file:
                    files[relative] = (mode, file.read())
    index = world.git("ls-files", "-s", "-z", cwd=child, check=False).stdout.decode(
        errors="replace"
    )
    stages = {}
    for line in index.split("\0"):
        meta, _, path = line.partition("\t")
        if meta and not meta.endswith(" 0"):
            _, blob, stage = meta.split(" ")
            data = world.git("cat-file", "blob", blob, cwd=child, check=False).stdout
            stages.setdefault(path, {})[stage] = data
    head = world.git("rev-parse", "-q", "--verify", "HEAD", cwd=child, check=False).stdout.decode()
    return Seen(files, head.strip(), index, stages)


class Drive:
    """The steps of a case, in order."""

    def __init__(self, case, kind, folder):
        self.case = case
        self.world = World(folder)
        settings = '\n[protocol "file"]\n\tallow = always\n[user]\n\tname = Ann\n\temail = a@b\n'
        with open(self.world.home / ".gitconfig", "a") as file:
            file.write(settings)
        self.tool = kind(self.world, case)
        self.before = self.after = self.run = None

    def git(self, *args, check=True):
        return self.world.git(*args, cwd=self.tool.child, check=check)

    def go(self):
        self.begin()
        for name, *args in self.case.steps:
            getattr(self, "do_" + name.replace("-", "_"))(*args)
        return judge(self.case, self.base, self.before, self.run, self.after)

    def begin(self):
        case, tool = self.case, self.tool
        for name, *args in case.steps:
            if name == "into":
                top = self.world.folder / "mono"
                put(top, {"README": "mono\n", "services/b/x": "x\n"})
                self.world.git("init", "-q", cwd=top)
                self.world.commit(cwd=top)
                tool.child = top / args[0]
        tool.release(case.first, case.old, case.old_template)
        tool.make()
        self.base = seen(self.world, tool.child).files
        if case.child:
            self.do_commit(case.child)
        if case.yours:
            tool.keep(case.yours)
            self.world.commit("yours", cwd=tool.child)

    # ------------------------------------------------------------ the template

    def do_release(self, files=None, options=None):
        options = options or {}
        last = self.tool.versions[-1].split(".")
        version = options.get("version", f"{last[0]}.{int(last[1]) + 1}.0")
        files = self.case.new if files is None else files
        self.tool.release(version, files, self.case.new_template)

    def do_tag_template(self, *names):
        for name in names:
            self.world.git("tag", name, cwd=self.tool.source)

    def do_move_template(self, name):
        self.tool.source.rename(self.world.folder / name)

    # ------------------------------------------------------------ the child

    def do_put(self, files):
        put(self.tool.child, files)

    def do_commit(self, files):
        put(self.tool.child, files)
        self.world.commit(cwd=self.tool.child)

    def do_git(self, *args):
        self.git(*args)

    def do_try(self, *args):
        self.git(*args, check=False)

    def do_chmod(self, path, mode):
        (self.tool.child / path).chmod(mode)

    def do_hooks(self, hooks):
        put(self.tool.child / ".git/hooks", {name: ("x", text) for name, text in hooks.items()})

    def do_unborn(self):
        shutil.rmtree(self.tool.child / ".git")
        self.git("init", "-q")

    def do_at(self, name):
        self.tool.child = self.world.folder / name

    def do_into(self, _name):
        """The child was made there."""

    def do_clone(self, *args):
        url = f"file://{self.tool.child}"
        self.world.git("clone", "-q", *args, url, "clone", cwd=self.world.folder)
        self.do_at("clone")

    def do_submodule(self):
        parent = self.world.folder / "parent"
        parent.mkdir()
        self.world.git("init", "-q", cwd=parent)
        self.world.git("submodule", "add", "-q", self.tool.child, "sub", cwd=parent)
        self.do_at("parent/sub")

    def do_move_child(self, name):
        self.tool.child.rename(self.world.folder / name)
        self.do_at(name)

    def do_break_record(self, how):
        path = self.tool.child / self.tool.record
        text = path.read_text()
        put(
            self.tool.child,
            {
                self.tool.record: {
                    "markers": f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n",
                    "syntax": '{"a": [\n',
                    "keys": "{}\n",
                    "gone": None,
                }[how]
            },
        )
        self.world.commit(cwd=self.tool.child)

    def do_mark(self):
        self.case.mark = seen(self.world, self.tool.child)

    # ------------------------------------------------------------ the update

    def around(self, act):
        self.before = seen(self.world, self.tool.child)
        self.run = act()
        self.after = seen(self.world, self.tool.child)

    def do_update(self, options=None):
        self.around(lambda: self.tool.update(options or {}))

    def do_update_twice(self):
        self.around(self.twice)

    def twice(self):
        command = [str(word) for word in self.tool.update_command({})]
        runs = [
            subprocess.Popen(
                command,
                cwd=self.tool.child,
                env=self.world.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(2)
        ]
        return Run(min(run.wait() for run in runs))

    def do_abort(self):
        self.around(self.tool.abort)

    def do_settle(self, files):
        for path in self.after.files:
            if path.endswith((".rej", ".orig")) and path not in self.before.files:
                (self.tool.child / path).unlink()
        put(self.tool.child, files)
        self.tool.settle()
