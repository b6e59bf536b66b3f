"""Command line: train, sweep, eval, predict, bench, profile, estimate, shrink, data, doctor.

Exit status: errors.py. A setting of config.py is a flag of each command that reads it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any, NoReturn

from . import config, cpus, data, errors, logs, world
from .batches import Batch
from .config import Settings
from .errors import DeviceError, InputError, Stopped
from .signals import Spot, Stop

log = logging.getLogger(__name__)
BASE = Path("configs/base.toml")

# The settings that commands read; those that are not here read all.
_DEVICE = ("device", "threads", "memory_fraction", "deterministic", "seed", "out")
_DATA = ("data", "examples", "validation", "test", "stream", "held")
_OF_MODEL = (*_DATA, "seed")  # what `eval` takes from the model, unless told others
READS = {
    "eval": (*_DATA, *_DEVICE),
    "shrink": _DEVICE,  # the data are those of the model
    "predict": (*_DEVICE, "max_minutes", "spot"),
    "doctor": _DEVICE,
    "data": (),
}


class Parser(argparse.ArgumentParser):
    """Wrong flags are bad configuration: whoever started this must not try again."""

    def error(self, message: str) -> NoReturn:
        """Ends with the usage and what was wrong."""
        self.print_usage(sys.stderr)
        self.exit(errors.BAD_INPUT, f"error: {message}\n")


def _settings(args: argparse.Namespace) -> Settings:
    given = {name.name: getattr(args, name.name, None) for name in fields(Settings)}
    files = args.config or ([BASE] if BASE.exists() else [])
    it = config.load(files, flags={name: it for name, it in given.items() if it is not None})
    limit_threads(it.threads)
    return it


def limit_threads(wanted: int) -> int:
    """Before the framework is imported: that is when it looks. Returns how many there are."""
    if wanted:
        for name in cpus.VARIABLES:
            os.environ.pop(name, None)
    cpus.use(wanted or max((cpus.promised() or 1) // world.from_environment().here, 1))
    return int(os.environ["OMP_NUM_THREADS"])


def _model(args: argparse.Namespace, settings: Settings) -> Path:
    return args.model or Path(settings.out) / "model"


def _train(args: argparse.Namespace, stop: Stop) -> int:
    from . import tracking, train

    settings, here = _settings(args), world.from_environment()
    stop.limit(settings.max_minutes)
    with Spot(settings.spot, stop):
        run = train.train(settings, stop, here)
    if not run.finished:
        raise Stopped(f"{stop.reason} after step {run.step}")
    if here.first:
        # A GPU may not hold alone what several held in parts.
        parted = here.size > 1 and run.settings.parallel == "fsdp"
        settings = replace(run.settings, device="cpu") if parted else run.settings
        found = _report(settings, run.out / "model", stop, run.task.test)
        tracking.keep(run.settings)
        _tell(
            model=str(run.out / "model"),
            steps=run.step,
            epochs=run.epochs,
            **{f"validation_{name}": value for name, value in run.scores.values.items()},
            **found,
        )
    return errors.DONE


def _report(
    settings: Settings, folder: Path, stop: Stop, test: Batch | None = None, whole: bool = False
) -> dict[str, Any]:
    """Tests the model; returns its scores and where the report is."""
    from . import model, report, tasks

    it = model.load(folder, tasks.pick_device(settings, world.ALONE))
    out = Path(settings.out)
    batch = test or tasks.for_test(settings, it.encoder, stop, whole)
    found = report.write(out / "report", it, batch, out / "metrics.jsonl")
    numbers = {f"test_{name}": value for name, value in found.items() if type(value) is not dict}
    numbers.pop("test_confusion", None)
    return {**numbers, "report": str(out / "report/report.html")}


def _sweep(args: argparse.Namespace, stop: Stop) -> int:
    from . import sweep

    world.refuse_several(
        "sweep: its trials have one process each",
        "start one, and for each further GPU another sweep with another --out",
    )
    settings = _settings(args)
    stop.limit(settings.max_minutes)
    with Spot(settings.spot, stop):
        _tell(**sweep.sweep(settings, args.space, args.trials, stop))
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


def _eval(args: argparse.Namespace, stop: Stop) -> int:
    from . import model

    settings = _settings(args)
    folder = _model(args, settings)
    if args.all and not args.config and not _given(args, "data"):
        raise InputError("--all: name data by --data: the model's own have taught it")
    if not args.config:
        trained = config.known(model.read(folder)[0]["settings"])
        names = [name for name in _OF_MODEL if not _given(args, name)]
        mine = {name: getattr(trained, name) for name in names}
        settings = replace(settings, **mine)
    _tell(**_report(settings, folder, stop, whole=args.all))
    return errors.DONE


def _given(args: argparse.Namespace, name: str) -> bool:
    return getattr(args, name) is not None or _in_environment(name)


def _in_environment(name: str) -> bool:
    return config.PREFIX + name.upper() in os.environ


def _predict(args: argparse.Namespace, stop: Stop) -> int:
    from . import model, predict, tasks

    settings = _settings(args)
    it = model.load(_model(args, settings), tasks.pick_device(settings, world.ALONE))
    stop.limit(settings.max_minutes)
    with Spot(settings.spot, stop):
        done = predict.predict(it, args.input, args.output, stop, args.bad_rows)
    _tell(rows=done.rows, bad_rows=done.bad, output=str(args.output))
    return errors.DONE


def _bench(args: argparse.Namespace, _stop: Stop) -> int:
    from . import bench

    text = bench.bench(_settings(args), args.only, args.rounds, args.steps)
    args.report.parent.mkdir(parents=True, exist_ok=True)
    args.report.write_text(text, encoding="utf-8")
    print(text, end="")
    return errors.DONE


def _estimate(args: argparse.Namespace, stop: Stop) -> int:
    from . import footprint, tasks

    settings = _settings(args)
    task = tasks.load(settings, stop)
    needed, limit = tasks.estimate(settings, task, tasks.pick_device(settings, world.ALONE))
    print(footprint.report(needed, limit))
    footprint.check(needed, limit)
    return errors.DONE


def _shrink(args: argparse.Namespace, stop: Stop) -> int:
    from . import backend, model, shrink, tasks

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
    test = tasks.for_test(config.known(about["settings"]), it.encoder, stop)
    before = tasks.evaluate(it.learner, test)
    it.learner.load_weights(shrink.expand(smaller))
    about["scores"] = tasks.evaluate(it.learner, test)
    model.write(target, smaller, about, it)
    both = (source, target)
    sizes = [sum(path.stat().st_size for path in at.glob("weights-*")) for at in both]
    changes = {name: [before[name], value] for name, value in about["scores"].items()}
    _tell(**changes, bytes=sizes, zeros=round(shrink.sparsity(arrays), 4))
    return errors.DONE


def _data(args: argparse.Namespace, _stop: Stop) -> int:
    lines = [json.dumps(row) for row in data.made_up(args.examples, args.seed)]
    args.to.parent.mkdir(parents=True, exist_ok=True)
    args.to.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return errors.DONE


def _doctor(args: argparse.Namespace, _stop: Stop) -> int:
    from . import backend, tasks

    settings = _settings(args)
    device = tasks.pick_device(settings, world.ALONE)
    held, total = backend.memory(device)
    about = {"name": backend.device_name(device), "memory": total, "held": held}
    _tell(**backend.info(), device=device, **about, threads=int(os.environ["OMP_NUM_THREADS"]))
    return errors.DONE


def _tell(**values: Any) -> None:
    print(json.dumps(values))


def _now() -> Settings:
    """What holds without flags; should files be wrong, the command itself will say so."""
    try:
        return config.load([BASE] if BASE.exists() else [])
    except InputError:
        return Settings()


def _flag(parser: argparse.ArgumentParser, field: Field[Any], now: Any) -> None:
    choices = field.metadata["choices"]
    # A switch may stand alone: --restart is --restart true.
    switch: dict[str, Any] = {"nargs": "?", "const": "true"} if type(field.default) is bool else {}
    parser.add_argument(
        "--" + field.name.replace("_", "-"),
        metavar="|".join(choices) or type(field.default).__name__.upper(),
        help=f"{field.metadata['help']} (now: {str(now) or 'empty'})".replace("%", "%%"),
        **switch,
    )


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=__package__)
    commands = parser.add_subparsers(required=True, parser_class=Parser)

    now = _now()

    def command(
        name: str, run: Callable[[argparse.Namespace, Stop], int], text: str
    ) -> argparse.ArgumentParser:
        it = commands.add_parser(name, help=text, description=text)
        it.set_defaults(run=run)
        read = READS.get(name, tuple(field.name for field in fields(Settings)))
        if read:
            it.add_argument("--config", type=Path, action="append", help=f"default: {BASE}")
        for field in fields(Settings):
            if field.name in read:
                own = name == "eval" and field.name in _OF_MODEL and not _in_environment(field.name)
                _flag(it, field, "the model's" if own else getattr(now, field.name))
        return it

    command("train", _train, "train a model; continues a run that was stopped")
    it = command("sweep", _sweep, "train with many settings, find the best; goes on as train does")
    it.add_argument("--space", type=Path, default=Path("configs/sweep.toml"), help="what to try")
    it.add_argument("--trials", type=int, default=20, help="runs in all (default: 20)")
    it = command("profile", _profile, "train for some steps under the framework's profiler")
    it.add_argument("--plain", action="store_true", help="without it: nsys and ncu stand no other")
    command("estimate", _estimate, "say how much memory training takes, and whether it fits")
    text = "test a model with its data, or others, and report on it, in report/ of --out"
    it = command("eval", _eval, text)
    it.add_argument("--model", type=Path, help="default: the model of --out")
    text = "every row of --data, which are for the test alone; else the share that `test` names"
    it.add_argument("--all", action="store_true", help=text)
    it = command("predict", _predict, "answer a file of rows, CSV, JSON lines or Parquet")
    it.add_argument("--model", type=Path, help="default: the model of --out")
    it.add_argument("--input", required=True, help="a file, or a pattern such as 'data/*.csv'")
    it.add_argument("--output", type=Path, required=True, help="ends with .csv or .jsonl")
    it.add_argument("--bad-rows", type=Path, help="where rows go that cannot be read")
    it = command("bench", _bench, "CPU against GPU, as a table")
    it.add_argument("--only", action="append", help="a configuration of its network")
    it.add_argument("--rounds", type=int, default=5)
    it.add_argument("--steps", type=int, default=10)
    it.add_argument("--report", type=Path, default=Path("bench/RESULTS.md"))
    it = command("shrink", _shrink, "a smaller copy of a model")
    it.add_argument("--model", type=Path, help="default: the model of --out")
    it.add_argument("--to", type=Path, help="default: model-small beside it")
    it.add_argument("--prune", type=float, default=0.0, help="fraction of weights to remove")
    it.add_argument("--quantize", action="store_true", help="keep weights in 8 bits")
    it = command("data", _data, "write made-up rows to a file")
    it.add_argument("--to", type=Path, default=Path("runs/made-up.jsonl"))
    it.add_argument("--examples", type=int, default=2000)
    it.add_argument("--seed", type=int, default=0)
    command("doctor", _doctor, "say what there is to compute with; `make smoke` looks deeper")
    return parser


def guarded(run: Callable[[Stop], int]) -> int:
    """Runs a command that can be told to stop; returns the exit status of whatever it ends with."""
    with Stop().on_signals() as stop:
        try:
            logs.configure(world.from_environment().rank)
            return run(stop)
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
            return errors.BAD_INPUT
        except DeviceError as error:
            print(f"error: {error}", file=sys.stderr)
            return errors.NO_GPU
        except Stopped as error:
            log.warning("stopped by %s: run the same command again to go on", error)
            return errors.AGAIN
        except Exception as error:
            text = errors.in_one_line(error)
            if text is None:
                log.exception("failed")
            else:
                print(f"error: {text}", file=sys.stderr)
            return errors.BUG


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    args = _parser().parse_args(arguments)
    return guarded(lambda stop: int(args.run(args, stop)))


if __name__ == "__main__":
    sys.exit(main())
