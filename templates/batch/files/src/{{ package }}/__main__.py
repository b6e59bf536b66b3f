"""Command line: train, eval, predict, bench, profile, estimate, shrink, data.

Exit status: errors.py. Every setting of config.py is a flag of the commands that read settings.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

from . import config, errors, logs, reviews, world
from .config import Settings
from .errors import DeviceError, InputError, Stopped
from .signals import Spot, Stop

log = logging.getLogger(__name__)
BASE = Path("configs/base.toml")


class _Parser(argparse.ArgumentParser):
    """Wrong flags are bad configuration: whoever started this must not try again."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(errors.BAD_INPUT, f"error: {message}\n")


def _settings(args: argparse.Namespace) -> Settings:
    given = {name.name: getattr(args, name.name, None) for name in fields(Settings)}
    files = args.config or ([BASE] if BASE.exists() else [])
    return config.load(files, flags={name: it for name, it in given.items() if it is not None})


def _model(args: argparse.Namespace, settings: Settings) -> Path:
    return args.model or Path(settings.out) / "model"


def _train(args: argparse.Namespace, stop: Stop) -> int:
    from . import train

    settings, here = _settings(args), world.from_environment()
    stop.limit(settings.max_minutes)
    with Spot(settings.spot, stop):
        run = train.train(settings, stop, here)
    if not run.finished:
        raise Stopped(f"{stop.reason} after step {run.step}")
    if here.first:
        _tell(
            model=str(run.out / "model"),
            steps=run.step,
            epochs=run.epochs,
            accuracy=run.scores.accuracy,
        )
    return errors.DONE


def _profile(args: argparse.Namespace, stop: Stop) -> int:
    from . import train

    settings = _settings(args)
    steps = settings.profile or 20
    wanted = 0 if args.plain else steps
    settings = replace(settings, profile=wanted, out=f"{settings.out}-profile")
    shutil.rmtree(Path(settings.out) / "checkpoints", ignore_errors=True)
    run = train.train(settings, stop, steps=train.WARM_UP + steps + 1)
    _tell(profile=str(run.out / "profile") if wanted else None, steps=steps)
    return errors.DONE


def _eval(args: argparse.Namespace, _stop: Stop) -> int:
    from . import data, model, tasks

    settings = _settings(args)
    it = model.load(_model(args, settings), tasks.pick_device(settings, world.ALONE))
    _, test = data.split(data.examples(settings))
    loss, accuracy = tasks.evaluate(it.learner, data.encode(test, it.vocabulary, it.labels))
    _tell(examples=len(test), loss=loss, accuracy=accuracy)
    return errors.DONE


def _predict(args: argparse.Namespace, stop: Stop) -> int:
    from . import model, predict, tasks

    settings = _settings(args)
    it = model.load(_model(args, settings), tasks.pick_device(settings, world.ALONE))
    with Spot(settings.spot, stop):
        count = predict.predict(it, args.input, args.output, stop)
    _tell(texts=count, output=str(args.output))
    return errors.DONE


def _bench(args: argparse.Namespace, _stop: Stop) -> int:
    from . import bench

    names = args.only or list(bench.CONFIGURATIONS)
    text = bench.bench(_settings(args), names, args.rounds, args.steps)
    args.report.parent.mkdir(parents=True, exist_ok=True)
    args.report.write_text(text, encoding="utf-8")
    print(text, end="")
    return errors.DONE


def _estimate(args: argparse.Namespace, _stop: Stop) -> int:
    from . import footprint, tasks

    settings = _settings(args)
    task = tasks.load(settings)
    needed, limit = tasks.estimate(settings, task, tasks.pick_device(settings, world.ALONE))
    print(footprint.report(needed, limit))
    footprint.check(needed, limit)
    return errors.DONE


def _shrink(args: argparse.Namespace, _stop: Stop) -> int:
    from . import backend, data, model, shrink, tasks

    if "shrink" in backend.UNSUPPORTED:
        raise InputError(f"shrink: {backend.UNSUPPORTED['shrink']}")
    if not 0 <= args.prune < 1:
        raise InputError(f"prune: {args.prune} is out of range")
    settings = _settings(args)
    source = _model(args, settings)
    target = args.to or source.with_name("model-small")
    about, arrays = model.read(source)
    arrays = shrink.prune(shrink.expand(arrays), args.prune)
    it = model.load(source, tasks.pick_device(settings, world.ALONE))
    smaller = shrink.quantize(arrays) if args.quantize else arrays
    it.learner.load_weights(shrink.expand(smaller))
    _, test = data.split(data.examples(Settings(**about["settings"])))
    _, accuracy = tasks.evaluate(it.learner, data.encode(test, it.vocabulary, it.labels))
    before, about["accuracy"] = about["accuracy"], accuracy
    model.write(target, smaller, about, it)
    both = (source, target)
    sizes = [sum(path.stat().st_size for path in at.glob("weights-*")) for at in both]
    _tell(accuracy=[before, accuracy], bytes=sizes, zeros=round(shrink.sparsity(arrays), 4))
    return errors.DONE


def _data(args: argparse.Namespace, _stop: Stop) -> int:
    rows = reviews.make(args.examples, args.seed)
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    args.to.parent.mkdir(parents=True, exist_ok=True)
    args.to.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return errors.DONE


def _tell(**values: Any) -> None:
    print(json.dumps(values))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=__package__)
    commands = parser.add_subparsers(required=True, parser_class=_Parser)

    def command(
        name: str, run: Callable[[argparse.Namespace, Stop], int], text: str, settings: bool = True
    ) -> argparse.ArgumentParser:
        it = commands.add_parser(name, help=text, description=text)
        it.set_defaults(run=run)
        if settings:
            it.add_argument("--config", type=Path, action="append", help=f"default: {BASE}")
            for field in fields(Settings):
                flag = "--" + field.name.replace("_", "-")
                it.add_argument(flag, metavar=str(field.default) or "TEXT")
        return it

    command("train", _train, "train a model; continues a run that was stopped")
    it = command("profile", _profile, "train for some steps under the framework's profiler")
    it.add_argument("--plain", action="store_true", help="without it: nsys and ncu stand no other")
    command("estimate", _estimate, "say how much memory training takes, and whether it fits")
    it = command("eval", _eval, "test a model")
    it.add_argument("--model", type=Path, help="default: the model of --out")
    it = command("predict", _predict, "answer a file of texts, CSV or JSON lines")
    it.add_argument("--model", type=Path, help="default: the model of --out")
    it.add_argument("--input", type=Path, required=True)
    it.add_argument("--output", type=Path, required=True)
    it = command("bench", _bench, "CPU against GPU, as a table")
    it.add_argument("--only", action="append", choices=["tutorial", "large"])
    it.add_argument("--rounds", type=int, default=5)
    it.add_argument("--steps", type=int, default=10)
    it.add_argument("--report", type=Path, default=Path("bench/RESULTS.md"))
    it = command("shrink", _shrink, "a smaller copy of a model")
    it.add_argument("--model", type=Path, help="default: the model of --out")
    it.add_argument("--to", type=Path, help="default: model-small beside it")
    it.add_argument("--prune", type=float, default=0.0, help="fraction of weights to remove")
    it.add_argument("--quantize", action="store_true", help="keep weights in 8 bits")
    it = command("data", _data, "write made-up reviews to a file", settings=False)
    it.add_argument("--to", type=Path, default=Path("data/reviews.jsonl"))
    it.add_argument("--examples", type=int, default=2000)
    it.add_argument("--seed", type=int, default=0)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    args = _parser().parse_args(arguments)
    with Stop().on_signals() as stop:
        try:
            logs.configure(world.from_environment().rank)
            return int(args.run(args, stop))
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
            return errors.BAD_INPUT
        except DeviceError as error:
            print(f"error: {error}", file=sys.stderr)
            return errors.NO_GPU
        except Stopped as error:
            log.warning("stopped by %s: run the same command again to go on", error)
            return errors.AGAIN
        except Exception:
            log.exception("failed")
            return errors.BUG


if __name__ == "__main__":
    sys.exit(main())
