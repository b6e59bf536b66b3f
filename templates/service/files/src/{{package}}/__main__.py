"""Command line: serve, train, import, example, healthcheck."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import cpus
from .config import Settings
from .settings import SettingsError


def main() -> int:
    """Runs one command and returns its exit status."""
    parser = argparse.ArgumentParser(prog=__package__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer requests until told to stop")
    train = commands.add_parser("train", help="train a model and write it to a folder")
    train.add_argument("--data", type=Path, help="CSV or JSON lines; see schemas.py")
    train.add_argument("--out", type=Path, default=Path("model"))
    train.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    train.add_argument("--epochs", type=int, default=20)
    train.add_argument("--deterministic", action="store_true", help="the same bits each time")
    weights = commands.add_parser("import", help="make a model of weights from elsewhere")
    weights.add_argument("source", type=Path, help="a file of weights, or the folder of one")
    weights.add_argument("--labels", default="", help="a,b,...: in the order of its outputs")
    weights.add_argument("--out", type=Path, default=Path("model"))
    commands.add_parser("example", help="print a request that the service answers")
    commands.add_parser("healthcheck", help="status 0 if the service in this container is alive")
    args = parser.parse_args()
    try:
        return COMMANDS[args.command](args)
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


# Imports are inside: a health check must not load the framework, nor the server to train; and
# how many threads to use must be known before.


def _serve(_: argparse.Namespace) -> int:
    settings = Settings.from_environment()
    # One CPU is for the event loop.
    cpus.use(settings.threads, spare=1)
    from . import logs, serve

    logs.configure(settings.log_level)
    return serve.run(settings)


def _train(args: argparse.Namespace) -> int:
    cpus.use()  # before the framework is imported
    from . import schemas, train
    from .data import DataError
    from .devices import DeviceError

    source = args.data or Path(schemas.DATA)
    try:
        report = train.train(source, args.out, args.device, args.epochs, args.deterministic)
    except (DataError, DeviceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(report)
    return 0


def _import(args: argparse.Namespace) -> int:
    from . import importing
    from .manifest import ModelError

    try:
        print(importing.run(args.source, args.out, args.labels.split(",") if args.labels else ()))
    except ModelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _example(_: argparse.Namespace) -> int:
    from .schemas import EXAMPLES, PredictRequest

    print(PredictRequest(instances=EXAMPLES).model_dump_json())
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


COMMANDS = {
    "serve": _serve,
    "train": _train,
    "import": _import,
    "example": _example,
    "healthcheck": _healthcheck,
}

if __name__ == "__main__":
    sys.exit(main())
