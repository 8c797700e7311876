"""What does the choice of classes tell of sensitive values? Every method for tables, in every possible world of tiny tables.

    python -m benchmarks.tables.worlds [--method NAME …]

An attacker knows the method, everyone's quasi-identifiers, and the sensitive values as a bag. Every way to deal the values out is a
world; those in which the method would have published the same cannot be told apart. `posterior`: how sure one is at most, of any
person in any release, of a value. `share`: the highest share of a value in any class that was published: what is learned without
knowing the method. `beyond`: the share of all (world, person) pairs in which the posterior of the likeliest value is above its
share in the person's class. `bound`: 1/l. Each as methods do by default, and with `minimality = "safe"`. Where `share` is above the
bound, that is what distinct l-diversity allows, and no method's doing. `left_out`: methods that cannot make both promises, or draw
who is where. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees import KAnonymity, LDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import loss_from
from shoal.methods.registry import METHODS, kind_of, method_from
from shoal.methods.tables.problem import TableProblem, table_recoding
from shoal.methods.tables.unsteered import decide_unsteered

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

L = 2
TOWN = Hierarchy.from_paths([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])
AGE = Hierarchy.from_paths([("x", "*"), ("y", "*")])
# (town, age) of each person as codes, and the bag of sensitive values
TABLES: tuple[tuple[tuple[tuple[int, int], ...], tuple[int, ...]], ...] = (
    (((0, 0), (0, 0), (1, 0), (1, 0), (2, 1), (2, 1)), (0, 0, 1, 1, 2, 2)),
    (((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0)), (0, 0, 1, 1, 2, 3)),
    (((0, 0), (0, 0), (1, 1), (1, 1), (2, 0), (3, 1)), (0, 0, 0, 1, 1, 2)),
)
OPTIONS: dict[str, dict[str, Any]] = {"auto": {"budget": "50ms"}}


class DrawnError(Exception):
    """What a method does cannot be measured by who is where."""


class World:
    """An engine over a few people."""

    workers = 1

    def __init__(self, people: Sequence[tuple[int, ...]], values: Sequence[int], domain: int) -> None:
        self._people, self._values, self._domain = people, values, domain

    def frequency_set(self, hierarchies: Any, sensitive: Any) -> FrequencySet:
        tuples = sorted(set(self._people))
        counts = Counter(self._people)
        known = {}
        if sensitive:
            pairs = Counter((tuples.index(who), value) for who, value in zip(self._people, self._values, strict=True))
            long = sorted(pairs.items())
            known["s"] = SensitiveCounts(
                np.array([place for (place, _), _ in long], np.int64),
                np.array([value for (_, value), _ in long], np.int32),
                np.array([number for _, number in long], np.int64),
                self._domain,
            )
        codes = np.array(tuples, np.int32).reshape(len(tuples), -1)
        return FrequencySet(tuple(hierarchies), codes, np.array([counts[one] for one in tuples], np.int64), known)


Release = tuple[tuple[Any, ...], ...]


def release_of(
    method: str, people: Sequence[tuple[int, ...]], values: Sequence[int], problem: TableProblem, *, safe: bool
) -> tuple[Release, list[Hashable]] | None:
    """(what is published: the classes by what they show, each with its bag of values; the class of each person)."""
    engine: Any = World(people, values, max(values) + 1)
    chosen, options = method_from(method), OPTIONS.get(method, {})
    try:
        if safe:
            decision = decide_unsteered(chosen, engine, problem, lambda _: None, options)
        else:
            decision = chosen.decide(engine, problem, lambda _: None, **options)
    except Infeasible:
        return None
    recoded = table_recoding(decision).over(engine.frequency_set(problem.hierarchies, problem.sensitive))
    if len(recoded.codes) != len({tuple(code) for code in recoded.codes.tolist()}):
        raise DrawnError("divides people with equal quasi-identifiers: who is where is drawn")
    place = {tuple(code): int(number) for code, number in zip(recoded.codes.tolist(), recoded.classes, strict=True)}
    labels = [tuple(shown.labels[v] for shown, v in zip(recoded.shown, row, strict=True)) for row in recoded.values]
    of = [None if place[who] < 0 else labels[place[who]] for who in people]
    bags: dict[Any, list[int]] = defaultdict(list)
    for label, value in zip(of, values, strict=True):
        if label is not None:
            bags[label].append(value)
    return tuple(sorted((label, tuple(sorted(bag))) for label, bag in bags.items())), list(of)


def measured(
    method: str, people: Sequence[tuple[int, ...]], bag: Sequence[int], problem: TableProblem, *, safe: bool
) -> dict[str, Any]:
    """Over all worlds."""
    alike: dict[Release, list[tuple[tuple[int, ...], list[Hashable]]]] = defaultdict(list)
    worlds = sorted(set(permutations(bag)))
    for world in worlds:
        made = release_of(method, people, world, problem, safe=safe)
        if made is not None:
            alike[made[0]].append((world, made[1]))
    posterior = share = Fraction(0)
    beyond = pairs = 0
    for release, found in alike.items():
        bags = dict(release)
        # of those who are hidden an attacker who has the bag knows what is left of it
        rest = tuple((Counter(bag) - Counter(value for held in bags.values() for value in held)).elements())
        for person in range(len(people)):
            value, often = Counter(world[person] for world, _ in found).most_common(1)[0]
            belief = Fraction(often, len(found))
            posterior = max(posterior, belief)
            pairs += len(found)
            for _, of in found:
                held = bags.get(of[person]) or rest
                beyond += belief > Fraction(held.count(value), len(held))
        share = max([share, *(Fraction(max(Counter(held).values()), len(held)) for _, held in release)])
    return {
        "worlds": len(worlds),
        "published": sum(map(len, alike.values())),
        "releases": len(alike),
        "posterior": round(float(posterior), 4),
        "share": round(float(share), 4),
        "beyond": round(beyond / pairs, 4) if pairs else 0.0,
    }


def problem_of(k: int = 2, l: int = L) -> TableProblem:  # noqa: E741
    promises = (KAnonymity(k), LDiversity(l, column="s"))
    return TableProblem({"town": TOWN, "age": AGE}, {"s": None}, promises, loss_from("glm"), {}, Fraction(0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", action="append", help="all for tables unless given")
    chosen = parser.parse_args().method or [name for name in METHODS if kind_of(name) == "tables"]
    started, runs = time.process_time(), []
    left_out: dict[str, str] = {}
    for method in chosen:
        for number, (people, bag) in enumerate(TABLES):
            for safe in (False, True):
                try:
                    figures = measured(method, people, bag, problem_of(), safe=safe)
                except (RecipeError, DrawnError) as reason:
                    left_out[f"{method}, {'safe' if safe else 'default'}"] = str(reason)
                    continue
                runs.append({"method": method, "table": number, "safe": safe, **figures})
    safe_runs = [run for run in runs if run["safe"]]
    print(
        json.dumps(
            {
                "k": 2,
                "l": L,
                "bound": 1 / L,
                "methods": len({run["method"] for run in runs}),
                "left_out": left_out,
                "worlds": sum(run["worlds"] for run in runs),
                "beyond_when_safe": max(run["beyond"] for run in safe_runs),
                "posterior_when_safe": max(run["posterior"] for run in safe_runs),
                "posterior_when_steered": max(run["posterior"] for run in runs if not run["safe"]),
                "cpu_seconds": round(time.process_time() - started, 1),
                "runs": runs,
            }
        )
    )


if __name__ == "__main__":
    main()
