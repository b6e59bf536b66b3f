"""
Runs a command with limits that protect the machine, and writes what it took to a file:

    launch.py REPORT SECONDS BYTES COMMAND...

SECONDS are the processor's; by the clock it has six times as long.

It is small, since a child begins with the peak of the process that made it: pytest's is higher than
that of most runs here. The child has a process group of its own, which ends with it.
"""

import json
import os
import resource
import signal
import sys
import time

# A busy machine is slow by the clock: that ends a run only where it waits for something.
WAITING = 6


def start(seconds, memory, command):
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execvp(command[0], command)
    return child


def main(report, seconds, memory, *command):
    began = time.monotonic()
    child = start(int(seconds), int(memory), command)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(WAITING * int(seconds))
    _, status, used = os.wait4(child, 0)
    signal.alarm(0)
    took = {
        "code": os.waitstatus_to_exitcode(status),
        "wall": time.monotonic() - began,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss << 10,
    }
    try:
        os.killpg(child, signal.SIGKILL)  # whatever it left
        took["left"] = True
    except ProcessLookupError:
        took["left"] = False
    with open(report, "w") as file:
        json.dump(took, file)


main(*sys.argv[1:])
