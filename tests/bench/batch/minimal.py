"""The training loop that anybody writes: the child's network, data and settings, nothing else.

minimal.py EPOCHS SETTING=VALUE...: prints the last loss on validation data, and how many steps
there were.
"""

import sys
from pathlib import Path

import torch
from pytorch_batch import config, network, tasks

epochs, *given = sys.argv[1:]
flags = dict(word.split("=") for word in given)
settings = config.load([Path("configs/base.toml")], flags=flags)
task = tasks.load(settings)
torch.manual_seed(settings.seed)
net = network.Network(settings, task.encoder)
optimizer = torch.optim.AdamW(
    net.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
)


def tensors(batch):
    inputs = {name: torch.from_numpy(array) for name, array in batch.inputs.items()}
    return inputs, torch.from_numpy(batch.targets)


inputs, targets = tensors(task.train)
seen, wanted = tensors(task.validation)
steps, loss = 0, torch.tensor(0.0)
for _ in range(int(epochs)):
    net.train()
    order = torch.randperm(len(targets))
    for chosen in order[: len(order) // settings.batch * settings.batch].split(settings.batch):
        scores = net(**{name: it[chosen] for name, it in inputs.items()})
        loss = net.loss(scores, targets[chosen]) / len(chosen)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), settings.clip_norm)
        optimizer.step()
        steps += 1
    net.eval()
    with torch.no_grad():
        loss = net.loss(net(**seen), wanted) / len(wanted)
print(loss.item(), steps)
