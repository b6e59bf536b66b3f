"""The commands of a page of docs/, so that a test can run them as its reader would."""

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
