"""A real terminal: what a person sees in a pane of tmux, and types there."""

import contextlib
import os
import shlex
import subprocess
import time
import uuid


class Pane:
    """A script of bash in a pane of its own."""

    def __init__(self, script, cwd, env, columns=80, rows=24):
        self.socket = f"tmplgen-{uuid.uuid4().hex[:12]}"
        path = cwd / f"{self.socket}.sh"
        path.write_text(script)
        words = ["env", "-i", *(f"{k}={v}" for k, v in env.items()), "TERM=screen"]
        run = shlex.join([*words, "bash", "--norc", "--noprofile", str(path)])
        size = ["-x", str(columns), "-y", str(rows)]
        keep = ["start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"]
        self.tmux("-f", "/dev/null", *keep, "new-session", "-d", *size, "-c", str(cwd), run)

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-L", self.socket, *words], capture_output=True, text=True, check=False
        )
        return done.stdout

    def keys(self, *names):
        """Names of keys: Down, Space, C-c."""
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def paste(self, text):
        """Lines at once, as a terminal pastes them: each end is a Return."""
        self.tmux("set-buffer", text)
        self.tmux("paste-buffer")

    def resize(self, columns, rows):
        """tmux tells the program of it only after a while."""
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        side = os.open(self.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR)
        while os.get_terminal_size(side) != (columns, rows):
            time.sleep(0.02)
        os.close(side)

    def shown(self, *more):
        return self.tmux("capture-pane", "-p", *more)

    def all(self):
        """With what scrolled away, rows that a terminal broke as one line."""
        return self.shown("-J", "-S", "-")

    def wait(self, *cues, seconds=20):
        """Waits until the screen has all of them; returns it."""
        deadline = time.time() + seconds
        while True:
            shown = self.shown()
            if all(cue in shown for cue in cues):
                return shown
            assert time.time() < deadline, f"{cues} did not come:\n{self.all()}"
            time.sleep(0.02)

    def answer(self, *replies):
        """Pairs of a cue, and of keys ("<Down>") or text to type before Enter."""
        for cue, *typed in replies:
            self.wait(cue)
            for text in typed:
                if text.startswith("<"):
                    self.keys(text[1:-1])
                else:
                    self.type(text)
            self.keys("Enter")


@contextlib.contextmanager
def pane(*words, **more):
    it = Pane(*words, **more)
    try:
        yield it
    finally:
        it.tmux("kill-server")
