"""Command line: serve, tiny, healthcheck."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .config import Settings
from .settings import SettingsError


def main() -> int:
    """Runs one command and returns its exit status."""
    parser = argparse.ArgumentParser(prog=__package__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer requests until told to stop")
    tiny = commands.add_parser("tiny", help="make a tiny model that knows a few answers")
    tiny.add_argument("--data", type=Path, default=Path("data/dialogues.jsonl"))
    tiny.add_argument("--out", type=Path, default=Path("model"))
    commands.add_parser("healthcheck", help="status 0 if the service in this container is alive")
    args = parser.parse_args()
    try:
        return COMMANDS[args.command](args)
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


# Imports are inside: a health check must not load the framework, nor the server.


def _serve(_: argparse.Namespace) -> int:
    from . import logs, serve

    settings = Settings.from_environment()
    logs.configure(settings.log_level)
    return serve.run(settings)


def _tiny(args: argparse.Namespace) -> int:
    from . import tiny

    print(tiny.make(args.data, args.out))
    return 0


def _healthcheck(_: argparse.Namespace) -> int:
    from http.client import HTTPConnection

    settings = Settings.from_environment()
    connection = HTTPConnection("127.0.0.1", settings.port, timeout=3)
    try:
        connection.request("GET", "/livez")
        return 0 if connection.getresponse().status == 200 else 1
    except OSError:
        return 1


COMMANDS = {"serve": _serve, "tiny": _tiny, "healthcheck": _healthcheck}

if __name__ == "__main__":
    sys.exit(main())
