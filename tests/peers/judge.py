"""
What an update did to a child, in one word. The same judge looks at every tool: at the files, at
git's index and at the exit code, never at what the tool calls it.
"""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

RIGHT = "right"
WRONG = "wrong"
LOSS = "silent loss"
UNTOLD = "conflict with exit 0"
REFUSED = "refused"
NOT_POSSIBLE = "not possible"
WORDS = (RIGHT, WRONG, LOSS, UNTOLD, REFUSED, NOT_POSSIBLE)

# Each tool's own file, which no tool treats as the child's content.
RECORDS = (".tmplgen.yml", ".copier-answers.yml", ".cruft.json")
# What tmplgen adds to a child's rules for that file.
RULE = b"/.tmplgen.yml -merge\n"
MARKER = re.compile(rb"^<<<<<<< ", re.M)
# A line of output that says so of a path. copier prints `conflict PATH` and `overwrite PATH` for
# each file that it renders again, merged or not: no word about what the child had there.
SAYS = re.compile(
    r"reject|with conflicts|patch failed|does not apply|warning|kept|\bconflict:", re.I
)
BROKEN = re.compile(r"pars|yaml|json|toml", re.I)
# What a tool leaves beside a file in conflict.
BESIDE = ("", ".rej", ".orig", "~HEAD", ".tmplgen-theirs")


@dataclass
class Seen:
    """A work tree and its repository at one moment."""

    files: dict  # path to (kind, bytes); kind is "", "x" or "l"
    head: str = ""
    index: str = ""
    stages: dict = field(default_factory=dict)  # path in conflict to {stage: bytes}


@dataclass
class Run:
    """How the tool ended; `possible` is False where it has no way to ask for this at all."""

    code: int
    out: str = ""
    possible: bool = True


@dataclass
class Verdict:
    word: str
    why: str = ""


def as_file(content):
    """Content as scenarios write it, as (kind, bytes)."""
    kind, text = content if isinstance(content, tuple) else ("", content)
    return kind, text if isinstance(text, bytes) else text.encode()


def told_paths(run, before, after):
    """Paths of which the child's owner can see that something is to be done."""
    found = set(after.stages) - set(before.stages)
    for path, (kind, data) in after.files.items():
        was = before.files.get(path)
        if was == (kind, data):
            continue
        if PurePosixPath(path).suffix in (".rej", ".orig"):
            found.add(path.rsplit(".", 1)[0])
        elif kind != "l" and MARKER.search(data) and not (was and MARKER.search(was[1])):
            found.add(path)
    return found


def said(run, path):
    return any(path in line and SAYS.search(line) for line in run.out.splitlines())


def lines_of(data):
    """Line endings are no content: who changes only those has written nothing."""
    return {line.rstrip(b"\r") for line in data.replace(RULE, b"").splitlines()}


def contribution(path, mine, base):
    """
    The lines that the child has and its base has not; None for what has no lines. A file that the
    template does not have may be one of the template's that was moved.
    """
    kind, data = mine
    if kind == "l" or b"\0" in data:
        return None
    old = [base[path]] if path in base else base.values()
    return lines_of(data) - set().union(*(lines_of(one[1]) for one in old))


def still_there(path, mine, base, before, after):
    """Whether what the child wrote is where its owner would look for it."""
    now = after.files.get(path)
    if now == mine:
        return True
    places = [after.files.get(path + end) for end in BESIDE]
    places += [("", data) for data in after.stages.get(path, {}).values()]
    places += [f for p, f in after.files.items() if before.files.get(p) != f]
    places = [place for place in places if place]
    wrote = contribution(path, mine, base)
    if wrote is None or (not wrote and path not in base and now is None):
        return any(place[1] == mine[1] for place in places)
    texts = [{ln.lstrip(b"+-") for ln in lines_of(p[1])} | lines_of(p[1]) for p in places]
    return any(wrote <= text for text in texts) or not wrote


def changed_by_child(base, before):
    for path, mine in before.files.items():
        if path not in RECORDS and base.get(path) != mine:
            yield path, mine


def lost(case, base, before, after):
    """Paths whose content of the child's is gone."""
    found = []
    for path, mine in changed_by_child(base, before):
        if case.mine is not None and path in base and b"\0" not in mine[1]:
            wrote = {line.encode() for line in case.mine} & lines_of(mine[1])
            now = set().union(*(lines_of(f[1]) for f in after.files.values()))
            if not wrote <= now:
                found.append(path)
        elif not still_there(path, mine, base, before, after):
            found.append(path)
    return found


def differing(case, base, before, after, but=()):
    """Where the files are not as they should be after a clean update."""
    found = []
    for path, content in case.files.items():
        if path in but or "~" in path:
            continue
        now = after.files.get(path)
        if content is None:
            if now or any(p.startswith(path + "/") for p in after.files):
                found.append(path)
            continue
        kind, data = as_file(content)
        if (
            not now
            or kind not in ("*", now[0])
            or now[1].replace(RULE, b"") != data.replace(RULE, b"")
        ):
            found.append(path)
    for path, mine in changed_by_child(base, before):
        if path not in base and path not in case.files and path not in but:
            if after.files.get(path) != mine:
                found.append(path)
    return found


def unchanged(before, after):
    return (before.files, before.head, before.index) == (after.files, after.head, after.index)


def judge(case, base, before, run, after):
    """
    `case` is a Case, `base` the files of the first render, `before` and `after` the child around
    the run.
    """
    verdict = judge_what_happened(case, base, before, run, after)
    if verdict.word not in (RIGHT, LOSS) and not run.possible:
        return Verdict(NOT_POSSIBLE, verdict.why)
    return verdict


def judge_what_happened(case, base, before, run, after):
    told = told_paths(run, before, after)
    if "back" in case.want:
        same = (case.mark.files, case.mark.head) == (after.files, after.head) and not told
        return Verdict(RIGHT) if same and run.code == 0 else Verdict(WRONG, "not as it was")
    if run.code != 0 and unchanged(before, after) and not told:
        return Verdict(RIGHT if "refused" in case.want else REFUSED, last_line(run))
    gone = lost(case, base, before, after)
    untold = [path for path in gone if path not in told and not said(run, path)]
    if untold and run.code == 0:
        return Verdict(LOSS, f"gone: {', '.join(untold)}")
    if gone:
        return Verdict(WRONG, f"gone, with exit {run.code}: {', '.join(gone)}")
    if told:
        return judge_conflict(case, base, before, run, after, told)
    if run.code != 0:
        return Verdict(WRONG, f"exit {run.code}, changed: {last_line(run)}")
    return judge_clean(case, base, before, run, after)


def judge_conflict(case, base, before, run, after, told):
    shown = f"conflict: {', '.join(sorted(told))}"
    if run.code == 0:
        return Verdict(UNTOLD, shown)
    if "conflict" not in case.want:
        return Verdict(WRONG, shown)
    differ = differing(case, base, before, after, but={*case.conflicts, *told})
    return Verdict(WRONG, f"not as wanted: {', '.join(differ)}") if differ else Verdict(RIGHT)


def judge_clean(case, base, before, run, after):
    if "nothing" in case.want and before.files == after.files:
        return Verdict(RIGHT)
    if "clean" not in case.want:
        return Verdict(WRONG, f"exit 0, no conflict; wanted: {' or '.join(case.want)}")
    differ = differing(case, base, before, after)
    if differ:
        return Verdict(WRONG, f"not as wanted: {', '.join(differ)}")
    if case.warning and not warned(run, case.warning):
        return Verdict(WRONG, f"no word about '{case.warning}'")
    record = next((after.files[name][1] for name in RECORDS if name in after.files), b"").decode()
    for word in case.record_lacks:
        if word in record:
            return Verdict(WRONG, f"'{word}' is still in the record")
    return Verdict(RIGHT)


def warned(run, path):
    return any(
        path in line and BROKEN.search(line.replace(path, "")) for line in run.out.splitlines()
    )


def last_line(run):
    lines = [line.strip() for line in run.out.splitlines() if line.strip()]
    return lines[-1][:120] if lines else f"exit {run.code}"
