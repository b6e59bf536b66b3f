"""A conversation with tmplgen on a terminal."""

import codecs
import os
import pty
import select
import signal
import subprocess
import time


def decoder():
    """Of pieces as they come, which may end inside a character."""
    return codecs.getincrementaldecoder("utf-8")().decode


def start(command, cwd, env):
    main, side = pty.openpty()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        stdin=side,
        stdout=subprocess.PIPE,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    return main, process


def interrupt(command, cwd, env):
    """Runs a command on a terminal, and sends SIGINT at its first question."""
    main, process = start(command, cwd, env)
    shown, decode = "", decoder()
    while ">" not in shown:
        shown += decode(os.read(main, 4096))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    os.close(main)
    return process.returncode


def converse(command, cwd, env, replies, timeout=30):
    """Runs a command on a terminal of its own; each reply is sent once its cue has been shown."""
    main, process = start(command, cwd, env)
    shown, mark, deadline = "", 0, time.time() + timeout
    replies, decode = list(replies), decoder()
    while time.time() < deadline:
        if select.select([main], [], [], 0.05)[0]:
            try:
                chunk = decode(os.read(main, 65536))
            except OSError:
                break
            shown += chunk
        if replies and replies[0][0] in shown[mark:]:
            cue, reply = replies.pop(0)
            mark = shown.index(cue, mark) + len(cue)
            os.write(main, reply.encode())
        if process.poll() is not None and not select.select([main], [], [], 0.1)[0]:
            break
    out = process.communicate(timeout=timeout)[0].decode()
    os.close(main)
    return process.returncode, out, shown
