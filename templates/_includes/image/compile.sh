{#
Compiles what is not compiled yet, in one order and with one hash seed: Python's own way leaves other bytes
every time, and a file that is written again is in one layer more. Some packages ship files that are no Python,
for their tests.
#}
venv/bin/python -c 'from importlib.util import cache_from_source as c; from pathlib import Path as P; print(*sorted(str(f) for d in ("venv", "python") for f in P(d).rglob("*.py") if not P(c(str(f))).exists()), sep="\n")' >/tmp/to-compile; \
    PYTHONHASHSEED=0 venv/bin/python -m compileall -qq -i /tmp/to-compile --invalidation-mode unchecked-hash || :; \
    rm /tmp/to-compile
