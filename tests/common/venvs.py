"""Environments that are there at once."""

from pathlib import Path

import pip

SCRIPT = """\
#!/bin/sh
# {python}, but that the environments which it makes have a copy of a pip: to install one
# takes longer than what most tests do in them.
[ "$1 $2" = "-m venv" ] || exec {python} "$@"
shift 2
{python} -m venv --without-pip "$@" || exit
for folder; do :; done
cp -Rp {site}/pip {site}/pip-*.dist-info "$folder"/lib/python*/site-packages/
"""


def quick_python(program, python):
    """Writes a PROGRAM that is this Python."""
    program.write_text(SCRIPT.format(python=python, site=Path(pip.__file__).parents[1]))
    program.chmod(0o755)
    return program
