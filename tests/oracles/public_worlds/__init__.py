"""Small worlds that differ in one record, and what the public could see of each.

A world is a small data set. One record of it is the target: everything else is taken to be known. Every value that the target
could have makes another world. Worlds whose released records are the same must have the same public files to the last byte: then
the report and the codebook say nothing of the target that the released records do not say.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import shoal
from shoal.errors import DataError, HierarchyError, Infeasible
from shoal.report.html import render_html
from shoal.report.json import render_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    Record = Any


@dataclass(frozen=True)
class Family:
    """All worlds of one target. `others`: the records that are known; None in `targets`: the target is not in the data at all."""

    recipe: dict[str, Any]
    others: Sequence[Record]
    targets: Sequence[Record | None]
    table: Callable[[Sequence[Record]], pa.Table]

    @property
    def k(self) -> int:
        return min(guarantee["k"] for guarantee in self.recipe["guarantee"] if "k" in guarantee)


@dataclass(frozen=True)
class Seen:
    """What everybody sees of a world. `hidden`: how many records the release does not have, which nobody sees."""

    released: str
    report: dict[str, Any]
    page: str
    codebook: str
    hidden: int


def seen_of(family: Family, target: Record | None) -> Seen | None:
    """None where there is no release of that world."""
    records = [*family.others, *([] if target is None else [target])]
    try:
        release = shoal.anonymize(family.table(records), family.recipe)
    except (Infeasible, DataError, HierarchyError):
        return None
    described = release.described
    return Seen(
        repr(release.data.to_pylist()),
        json.loads(render_json(described.public)),
        render_html(described.public),
        json.dumps(described.codebook()),
        release.suppressed,
    )


@dataclass(frozen=True)
class Comparison:
    """`released`: worlds that have a release; `compared`: pairs of them with the same released records; `problems`: what of the
    public files tells such a pair apart."""

    released: int
    compared: int
    problems: tuple[str, ...]


def compare(family: Family) -> Comparison:
    alike: dict[str, list[tuple[Record | None, Seen]]] = defaultdict(list)
    for target in family.targets:
        seen = seen_of(family, target)
        if seen is not None:
            alike[seen.released].append((target, seen))
    problems = []
    for worlds in alike.values():
        known, first = worlds[0]
        for target, other in worlds[1:]:
            told = _differences(first, other)
            # where k more are hidden, the bound on their number says so, and nothing else does
            allowed = {".facts.records.fewer_than"} if first.hidden // family.k != other.hidden // family.k else set()
            if told - allowed or (not allowed and (first.page, first.codebook) != (other.page, other.codebook)):
                problems.append(f"{known!r} and {target!r} differ in {sorted(told) or 'the page or the codebook'}")
    sizes = [len(worlds) for worlds in alike.values()]
    return Comparison(sum(sizes), sum(size - 1 for size in sizes), tuple(problems))


def _differences(one: Seen, other: Seen) -> set[str]:
    """The places of the report that differ."""
    first, second = (dict(leaves(seen.report)) for seen in (one, other))
    return {place for place in first.keys() | second.keys() if first.get(place) != second.get(place)}


def leaves(value: Any, place: str = "") -> list[tuple[str, Any]]:
    """Every single figure of a report with its place."""
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in leaves(item, f"{place}.{key}")]
    if isinstance(value, list):
        return [found for at, item in enumerate(value) for found in leaves(item, f"{place}[{at}]")]
    return [(place, value)]
