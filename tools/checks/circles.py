"""No circle of files: NAME.c with NAME.h is one, and what it uses or includes stands below it.

A name stands once in src/ (layers.py), so that the header may lie above its source.
"""

import functools
from collections import deque

from . import c_source

MOST_NAMES = 3


class Unit:
    """NAME.c and NAME.h together."""

    def __init__(self, name):
        self.name = name
        self.defined = set()  # for other files, too
        self.own = set()
        self.used = {}
        self.included = set()


def unit_name(path):
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@functools.cache
def read_units(root, paths):
    """{name: unit} of C files and headers, read once for all checkers."""
    units = {}
    for path in paths:
        unit = units.setdefault(unit_name(path), Unit(unit_name(path)))
        for declaration in c_source.read(root / path):
            if included := c_source.includes(declaration):
                unit.included.add(unit_name(included))
            if path.endswith(".c"):
                names = c_source.defined_names(declaration)
                (unit.own if c_source.is_static(declaration) else unit.defined).update(names)
            unit.used.update(c_source.used_names(declaration))
    return units


def _arrows(units):
    """{from: {to: the names that tie them}}; no names where a header is only included."""
    owner = {name: unit.name for unit in units.values() for name in unit.defined}
    arrows = {name: {} for name in units}
    for unit in units.values():
        for name in sorted(unit.used.keys() - unit.own - unit.defined):
            if name in owner:
                arrows[unit.name].setdefault(owner[name], []).append(name)
        for name in unit.included & units.keys() - {unit.name}:
            arrows[unit.name].setdefault(name, [])
    return arrows


def reached(arrows, start):
    """{unit: the one before it} of all that a walk along the arrows comes to, nearest first."""
    before, todo = {}, deque([start])
    while todo:
        current = todo.popleft()
        for name in sorted(arrows[current]):
            if name not in before:
                before[name] = current
                todo.append(name)
    return before


def calls(units):
    """{unit: those whose functions and objects it uses}"""
    return {
        name: {to for to, ties in tied.items() if ties} for name, tied in _arrows(units).items()
    }


def _knots(arrows):
    """Sets of units each of which leads to all others of its set."""
    below = {name: set(reached(arrows, name)) for name in arrows}
    knots = {
        frozenset(other for other in below[name] if name in below[other])
        for name in arrows
        if name in below[name]
    }
    return sorted(knots, key=sorted)


def _shortest_circle(arrows, knot):
    circles = []
    for start in sorted(knot):
        before, circle = reached(arrows, start), [start]
        while len(circle) == 1 or circle[-1] != start:
            circle.append(before[circle[-1]])
        circles.append(circle[::-1])
    return min(circles, key=len)


def _described(arrows, circle):
    words = [circle[0]]
    for one, other in zip(circle, circle[1:], strict=False):
        names = arrows[one][other]
        more = ", ..." if len(names) > MOST_NAMES else ""
        words.append(f"{other} ({', '.join(names[:MOST_NAMES]) or 'included'}{more})")
    return " -> ".join(words)


def findings(root, paths):
    """One line for each knot: the shortest circle in it, and what else is tied in."""
    units = read_units(root, tuple(p for p in paths if p.startswith("src/")))
    arrows = _arrows(units)
    found = []
    for knot in _knots(arrows):
        circle = _shortest_circle(arrows, knot)
        others = sorted(knot - set(circle))
        more = f"; tied in too: {', '.join(others)}" if others else ""
        found.append(f"{circle[0]}: a circle of files: {_described(arrows, circle)}{more}")
    return found
