"""What does someone learn who knows the method and everyone's other columns? With tuples kept together, and with tuples divided.

    python -m benchmarks.tables.minimality [--share 0.5]

Tiny tables: people with the values a, b, c, d of one column, whose hierarchy is (a b) (c d), and a sensitive value, yes or no. For
every way to give everyone a sensitive value, the cheapest release that keeps the promises is found by trying all: once with the
records of a value kept together, once with each record where it is cheapest. Ways that end in the same release cannot be told
apart; over these the chance of "yes" is computed for everyone. `certain`: the share of people (averaged over all ways) whose
value that gives away (under l = 2 every class holds both values). `beyond`: the share for whom the chance is further from that of
the whole table than t (t-closeness). `known`: how sure one is on average of a person's value. `loss`: GLM. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import comb

PLACES = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"))
PRICE = {"a": 0, "b": 0, "c": 0, "d": 0, "ab": 1, "cd": 1, "*": 3}  # in thirds
TABLES = ((2, 2, 2, 2), (3, 3, 2, 0), (4, 2, 2, 0), (3, 2, 2, 1), (5, 2, 1, 0))
K = 2


def shares(no: int, yes: int, *, divided: bool) -> list[tuple[tuple[int, int], ...]]:
    """Ways to send the records of a tuple to its three boxes: (no, yes) for each."""
    if not divided:
        return [tuple((no, yes) if i == at else (0, 0) for i in range(3)) for at in range(3)]
    parts = [(x, y) for x in range(no + 1) for y in range(yes + 1)]
    return [
        ((a, b), (c, d), (no - a - c, yes - b - d))
        for (a, b), (c, d) in product(parts, parts)
        if a + c <= no and b + d <= yes
    ]


def released(sizes: tuple[int, ...], yes: tuple[int, ...], promise: tuple[str, Fraction], *, divided: bool):
    """(cost, classes): the cheapest release, the first of equals in a fixed order; None when there is none."""
    records, total = sum(sizes), sum(yes)
    best = None
    for way in product(*(shares(n - y, y, divided=divided) for n, y in zip(sizes, yes, strict=True))):
        classes: dict[str, list[int]] = {}
        inside: dict[str, set[int]] = defaultdict(set)
        for at, boxes in enumerate(way):
            for (no, some), box in zip(boxes, PLACES[at], strict=True):
                if no + some:
                    held = classes.setdefault(box, [0, 0])
                    held[0] += no
                    held[1] += some
                    inside[box].add(at)
        cost = sum(PRICE[box] * sum(held) for box, held in classes.items())
        if best is not None and cost > best[0]:
            continue
        tight = all(len(inside[b]) > 1 for b in ("ab", "cd") if b in inside) and (
            "*" not in inside or ({0, 1} & inside["*"] and {2, 3} & inside["*"])
        )
        if not tight or not all(kept(held, promise, records, total) for held in classes.values()):
            continue
        found = (cost, tuple(sorted((box, *held) for box, held in classes.items())))
        if best is None or found < best:
            best = found
    return best


def kept(held: list[int], promise: tuple[str, Fraction], records: int, total: int) -> bool:
    size = sum(held)
    if size < K:
        return False
    if promise[0] == "l":
        return min(held) > 0
    return abs(Fraction(held[1], size) - Fraction(total, records)) <= promise[1]


def measured(sizes: tuple[int, ...], promise: tuple[str, Fraction], share: float, *, divided: bool) -> dict:
    alike: dict = defaultdict(list)  # release → ways
    every = lost = 0.0
    for yes in product(*(range(n + 1) for n in sizes)):
        chance = 1.0
        for n, y in zip(sizes, yes, strict=True):
            chance *= comb(n, y) * share**y * (1 - share) ** (n - y)
        release = released(sizes, yes, promise, divided=divided)
        if release is None:
            continue
        every += chance
        lost += chance * release[0] / (3 * sum(sizes))
        alike[release[1]].append((chance, yes))
    certain = beyond = known = 0.0
    for release, ways in alike.items():
        together = sum(chance for chance, _ in ways)
        whole = sum(held[2] for held in release) / sum(sizes)
        for at, n in enumerate(sizes):
            if n:
                yes = sum(chance * way[at] for chance, way in ways) / together / n
                part = together * n / sum(sizes)
                certain += part * (min(yes, 1 - yes) < 1e-9)
                beyond += part * (abs(yes - whole) > float(promise[1]) + 1e-9)
                known += part * max(yes, 1 - yes)
    figures = {"certain": certain / every, "known": known / every, "loss": lost / every}
    return figures if promise[0] == "l" else {"beyond": beyond / every, **figures}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--share", type=float, default=0.5)
    share = options.parse_args().share
    runs = []
    for sizes, promise in product(TABLES, (("l", Fraction(2)), ("t", Fraction(1, 4)))):
        for divided in (False, True):
            figures = measured(sizes, promise, share, divided=divided)
            runs.append(
                {
                    "people": sizes,
                    "promise": f"{promise[0]} = {float(promise[1]):g}",
                    "divided": divided,
                    **{name: round(value, 4) for name, value in figures.items()},
                }
            )
    print(json.dumps({"k": K, "share": share, "runs": runs}))


if __name__ == "__main__":
    main()
