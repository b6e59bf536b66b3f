"""Pages of docs/: their commands, run as a reader would; a table or figures, written anew."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .program import ROOT

FENCE = re.compile(r"^```sh(?: (?P<mark>[a-z-]+))?\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass
class Block:
    """Commands that stand together; `mark` is a word behind the fence's `sh`, for the test."""

    text: str
    mark: str
    line: int


def blocks(page: str) -> list[Block]:
    """The blocks of shell commands of docs/PAGE, in their order."""
    text = (ROOT / "docs" / page).read_text()
    found = [
        Block(m["text"], m["mark"] or "", text.count("\n", 0, m.start()) + 2)
        for m in FENCE.finditer(text)
    ]
    assert found, f"docs/{page} has no commands"
    return found


def put_between(page: Path, begin: str, end: str, text: str) -> None:
    """Writes text in the place of what stands between two lines of a page."""
    head, found, rest = page.read_text().partition(begin)
    _, closed, tail = rest.partition(end)
    assert found and closed, f"{page}: no place between '{begin}' and '{end}'"
    page.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}")


class Reader:
    """Types blocks into one shell session: a folder that was changed to stays changed."""

    def __init__(self, folder: Path, env: dict[str, str]):
        self.folder, self.env = folder, env

    def type(self, block: Block, timeout=120) -> str:
        """What the commands print, both streams; each must succeed."""
        script = f'set -euo pipefail\n{block.text}\nprintf "%s" "$PWD" >&9\n'
        place = self.folder.parent / "pwd"
        with place.open("w") as out:
            done = subprocess.run(
                ["bash", "-c", f"exec 9>&{out.fileno()}\n{script}"],
                cwd=self.folder,
                env=self.env,
                pass_fds=[out.fileno()],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout,
                check=False,
            )
        assert done.returncode == 0, f"line {block.line}: {block.text}\n{done.stdout}"
        self.folder = Path(place.read_text())
        return done.stdout
