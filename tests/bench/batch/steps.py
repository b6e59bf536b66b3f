"""What a step costs in the job and in the loop that anybody writes, in one process and in turns.

steps.py EPOCHS FOLDER SETTING=VALUE...: prints as JSON the seconds of a step of each, in processor
time. Every ten steps the other has its turn, on the same core, so that what else the machine does
slows both alike.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import torch
from pytorch_batch import backend, config, network, tasks, train

WARM_UP, TURN = 20, 10  # steps


class Side:
    """One of the two: it works while the other waits."""

    def __init__(self, deterministic):
        self.other, self._mine, self._deterministic = None, threading.Semaphore(0), deterministic
        self.steps, self._since, self.seconds, self.done = 0, 0.0, 0.0, False

    def wait(self):
        self._mine.acquire()
        torch.use_deterministic_algorithms(self._deterministic)

    def after_step(self):
        self.steps += 1
        if self.steps == WARM_UP:
            self._since = time.thread_time()
        self.seconds = time.thread_time() - self._since
        if self.steps % TURN == 0 and not self.other.done:
            self.other._mine.release()
            self.wait()

    def end(self):
        self.done = True
        self.other._mine.release()

    def of_a_step(self):
        return self.seconds / (self.steps - WARM_UP)


def minimal(settings, side):
    """The child's network, data and settings, evaluated after each epoch: nothing else."""
    side.wait()
    task = tasks.load(settings)
    net = network.Network(settings, task.encoder)
    optimizer = torch.optim.AdamW(
        net.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )

    def tensors(batch):
        inputs = {name: torch.from_numpy(array) for name, array in batch.inputs.items()}
        return inputs, torch.from_numpy(batch.targets)

    inputs, targets = tensors(task.train)
    seen, wanted = tensors(task.validation)
    for _ in range(settings.epochs):
        net.train()
        order = torch.randperm(len(targets))
        for chosen in order[: len(order) // settings.batch * settings.batch].split(settings.batch):
            scores = net(**{name: it[chosen] for name, it in inputs.items()})
            loss = net.loss(scores, targets[chosen]) / len(chosen)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), settings.clip_norm)
            optimizer.step()
            side.after_step()
        net.eval()
        with torch.no_grad():
            float(net.loss(net(**seen), wanted) / len(wanted))
    side.end()


def main():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    epochs, out, *given = sys.argv[1:]
    flags = dict(word.split("=") for word in given) | {"epochs": epochs, "out": out}
    settings = config.load([Path("configs/base.toml")], flags=flags)
    theirs, ours = Side(deterministic=False), Side(settings.deterministic)
    theirs.other, ours.other = ours, theirs
    thread = threading.Thread(target=minimal, args=[settings, theirs])
    thread.start()
    step = backend.Learner.step

    def counted(learner, parts):
        step(learner, parts)
        ours.after_step()

    backend.Learner.step = counted
    train.train(settings, train.Stop())
    ours.end()
    thread.join()
    print(json.dumps({"job": ours.of_a_step(), "minimal": theirs.of_a_step()}))


main()
