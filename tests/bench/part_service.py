"""The service of a child beside a plain FastAPI app, LitServe and BentoML, on the same weights."""

import asyncio
import json
import signal
import statistics
from contextlib import contextmanager

import clients
import servers
from contender import TOP, goal, prose
from servers import FIELD, ITEM, OURS, PLAIN, PREDICT

TITLE = "Under load, beside others"
REPORT = TOP / "docs" / "service.md"
ABOUT = """
Closed loops of clients without think time on kept connections, from a process of their own; all
servers on the same weights, each as it comes but for one thread to compute and no line of the log
for each request, and stopped while another one is measured: in each round all take turns. Medians
of the rounds; ratios are those of neighbours in a round.
"""
PRODUCT = """
The same with a product of matrices of true size (two of 4096 x 4096) in each pass: what batches are
for.
"""
# Clients, and items in each request.
SHAPES = [(1, 1), (16, 1), (64, 1), (16, 64)]
SECONDS = 3
KEPT = 200  # connections during a roll-out
OVER = 20  # times as many clients as fill the queue
ITEMS = 64
QUEUE = 256


def body_of(work, count):
    path = work / f"body-{count}.json"
    path.write_text(json.dumps({FIELD: [ITEM] * count}))
    return path


@contextmanager
def running(field, work, product=False):
    """All of them, paused."""
    started = []
    try:
        for server in field:
            started.append(server.start(work, product))
            server.pause()
        yield
    finally:
        for server in started:
            server.go_on()
            server.stop()


def one_round(number, field, work, shapes, seen):
    """Each once at each load, another one first each time."""
    for shape in shapes:
        count, items = shape
        for shift in range(len(field)):
            server = field[(number + shift) % len(field)]
            server.go_on()
            found = servers.ask(server, body_of(work, items), count, SECONDS)
            server.pause()
            seen.setdefault((server.name, shape), []).append(found)


def take_turns(rounds, field, work, shapes, product=False):
    """What was seen of each, by name and load, a list of one a round."""
    seen = {}
    with running(field, work, product):
        for number in range(rounds):
            one_round(number, field, work, shapes, seen)
    return seen


def median(found, value):
    """Of the rounds that have such a value."""
    values = [value(one) for one in found]
    values = [one for one in values if one is not None]
    return statistics.median(values) if values else float("nan")


def ratio(seen, shape, other, value):
    """Ours to another one's, the median over the rounds."""
    pairs = zip(seen[OURS.name, shape], seen[other, shape], strict=True)
    found = [value(one) / value(two) for one, two in pairs if value(one) and value(two)]
    return statistics.median(found) if found else float("nan")


def rate(found):
    return found["rate"]


def p50(found):
    return found["p50"].get("200")


def p99(found):
    return found["p99"].get("200")


def cpu_ms(found):
    return found["cpu_ms"]


def table(seen, field, shapes):
    rows = [
        "| clients | items each | | requests/s | ours to it | p50 ms | p99 ms | CPU ms each |",
        "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for shape in shapes:
        for server in field:
            found = seen[server.name, shape]
            rows.append(
                f"| {shape[0]} | {shape[1]} | {server.name} | {median(found, rate):.0f} "
                f"| {ratio(seen, shape, server.name, rate):.2f} | {median(found, p50) * 1000:.1f} "
                f"| {median(found, p99) * 1000:.1f} | {median(found, cpu_ms):.2f} |"
            )
    return rows


def goals_of_speed(seen):
    for shape in SHAPES[:3]:
        text = f"not slower than plain at {shape[0]} clients"
        yield goal(text, ratio(seen, shape, PLAIN.name, rate), 1, "x", digits=2)
    for name in ("LitServe", "LitServe, batches", "BentoML"):
        least = min(ratio(seen, shape, name, rate) for shape in SHAPES[:3])
        yield goal(f"2 times {name}", least, 2, "x", digits=2)
    worst = max(ratio(seen, shape, PLAIN.name, p99) for shape in SHAPES[:3])
    yield goal("p99 not above plain's", worst, 1, "x", more_is_better=False, digits=2)


def speed(rounds, work):
    seen = take_turns(rounds, servers.ALL, work, SHAPES)
    return [*prose(ABOUT), "", *table(seen, servers.ALL, SHAPES), "", *goals_of_speed(seen)]


def product(rounds, work):
    shapes, field = SHAPES[1:3], [OURS, PLAIN, servers.LIT_BATCH, servers.BENTO]
    seen = take_turns(rounds, field, work, shapes, product=True)
    least = min(ratio(seen, shape, PLAIN.name, rate) for shape in shapes)
    text = goal("3 times plain", least, 3, "x")
    return [*prose(PRODUCT), "", *table(seen, field, shapes), "", text]


@contextmanager
def ours(work, **settings):
    server = OURS.start(work, **settings)
    try:
        yield server
    finally:
        server.stop()


def overload(rounds, work):
    """As many clients as fill the queue, then many times as many."""
    few = QUEUE // ITEMS
    peaks, goods, refusals = [], [], []
    with ours(work, SERVE_QUEUE_SIZE=str(QUEUE)) as server:
        for _ in range(rounds):
            peaks.append(servers.ask(server, body_of(work, ITEMS), few, SECONDS)["rate"])
            found = servers.ask(server, body_of(work, ITEMS), few * OVER, SECONDS)
            goods.append(found["rate"])
            refusals.append(found["p99"].get("503"))
    pairs = zip(goods, peaks, strict=True)
    share = statistics.median(good / peak for good, peak in pairs) * 100
    slowest = median(refusals, lambda one: one) * 1000
    return [
        f"Too much ({few * OVER} clients that try again at once, {ITEMS} items each, "
        f"{OVER} times what fills the queue):",
        "",
        goal("refused within 50 ms at p99", slowest, 50, "ms", more_is_better=False),
        goal(f"goodput 80 % of that of {few} clients", share, 80, "%"),
    ]


def rollout(work):
    """How many requests SIGTERM costs those who keep their connections."""
    lost = 0
    for think in (0, 0.3):
        with ours(work) as server:
            raw = clients.request(PREDICT, body_of(work, 1).read_bytes())

            def terminate(process=server.process):
                process.send_signal(signal.SIGTERM)

            seen = asyncio.run(clients.roll_out(server.port, raw, KEPT, think, terminate))
            lost += seen.lost + seen.refused
    text = f"no request of {KEPT} kept connections lost, with and without think time"
    return [goal(text, lost, 0, "lost", more_is_better=False)]


def attacks(work):
    """The longest that /livez waits beside any of them."""
    longest, worst = 0.0, ""
    with ours(work) as server:
        for name, body in clients.hostile(FIELD, ITEM).items():
            one = clients.once(server.port, clients.request(PREDICT, body))
            _, waited = asyncio.run(clients.beside_probes(server.port, one))
            if waited > longest:
                longest, worst = waited, name
    text = f"hostile requests keep /livez waiting at most 100 ms (worst: {worst})"
    return [goal(text, longest * 1000, 100, "ms", more_is_better=False)]


def run(rounds, work, _env):
    servers.make_all()
    return [
        *speed(rounds, work),
        "",
        *product(rounds, work),
        "",
        *overload(rounds, work),
        "",
        "While it is replaced, and under attack:",
        "",
        *rollout(work),
        *attacks(work),
    ]
