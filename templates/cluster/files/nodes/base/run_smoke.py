"""Runs gpu-smoke and leaves what it said for label_node.py: the container that has the GPU.

This container has no credentials, and the one that has some has no GPU.

Environment:
    REPORT   the file that the report is written to; a volume that both containers mount
    EXPECT   what gpu-smoke holds the node against (--expect)
    EVERY    seconds from one run to the next; 0: run once
    LIMIT    seconds after which a run that hangs is ended (600)
    GPU_SMOKE  the program (gpu-smoke)
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def run(limit: float) -> tuple[int, str]:
    """The exit code of gpu-smoke and what it printed; 124 where it had to be ended."""
    program = os.environ.get("GPU_SMOKE", "gpu-smoke")
    command = [program, "--json", "--require-gpu", "--expect", os.environ["EXPECT"]]
    # Into a file: what the program started may hold a pipe open for longer than it lives itself.
    with tempfile.TemporaryFile("w+") as printed:
        try:
            running = subprocess.Popen(command, stdout=printed, start_new_session=True)
        except OSError as error:
            print(f"{program}: {error.strerror}", file=sys.stderr)
            return 127, ""
        try:
            code = running.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            return 124, ""
        printed.seek(0)
        return code, printed.read()


def finding(printed: str) -> dict[str, Any] | None:
    """What is broken, of the document tmplgen/smoke@1; nothing where there is no document."""
    try:
        document = json.loads(printed)
    except json.JSONDecodeError:
        return None
    found = document.get("finding") if isinstance(document, dict) else None
    return found if isinstance(found, dict) else None


def leave(path: Path, code: int, found: dict[str, Any] | None) -> None:
    """Whole or not at all: the other container may read at any time."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps({"exit": code, "finding": found, "at": time.time()}))
    written.replace(path)


def main() -> None:
    every = float(os.environ.get("EVERY", "0"))
    limit = float(os.environ.get("LIMIT", "600"))
    while True:
        code, printed = run(limit)
        print(printed, end="", flush=True)
        leave(Path(os.environ["REPORT"]), code, finding(printed))
        if not every:
            return
        time.sleep(every)


if __name__ == "__main__":
    main()
