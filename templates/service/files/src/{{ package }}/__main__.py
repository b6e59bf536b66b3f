"""Command line: serve, train, healthcheck."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .config import Settings, SettingsError


def main() -> int:
    """Runs one command and returns its exit status."""
    parser = argparse.ArgumentParser(prog=__package__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer requests until told to stop")
    train = commands.add_parser("train", help="train a model and write it to a folder")
    train.add_argument("--data", type=Path, default=Path("data/reviews.csv"))
    train.add_argument("--out", type=Path, default=Path("model"))
    train.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    train.add_argument("--epochs", type=int, default=20)
    train.add_argument("--deterministic", action="store_true", help="the same bits each time")
    commands.add_parser("healthcheck", help="status 0 if the service in this container is alive")
    args = parser.parse_args()
    try:
        if args.command == "train":
            return _train(args)
        return _healthcheck() if args.command == "healthcheck" else _serve()
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


# Imports are inside: a health check must not load the framework, nor the server to train.


def _serve() -> int:
    from . import logs, serve

    settings = Settings.from_environment()
    logs.configure(settings.log_level)
    return serve.run(settings)


def _train(args: argparse.Namespace) -> int:
    from . import backend, train
    from .data import DataError

    try:
        report = train.train(args.data, args.out, args.device, args.epochs, args.deterministic)
    except (DataError, backend.DeviceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(report)
    return 0


def _healthcheck() -> int:
    from http.client import HTTPConnection

    settings = Settings.from_environment()
    connection = HTTPConnection("127.0.0.1", settings.port, timeout=3)
    try:
        connection.request("GET", "/livez")
        return 0 if connection.getresponse().status == 200 else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
