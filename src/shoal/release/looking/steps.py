"""What a rule makes of a column, step by step: the labels that a release would show, and how many people share each.

The rule is the hierarchy of a recipe, built by `shoal.hierarchies` over the values that were counted; nothing here knows how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.hierarchies.check import check
from shoal.hierarchies.convert import losses
from shoal.hierarchies.files import text_of
from shoal.hierarchies.stated import Format

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.hierarchies.build import Spec
    from shoal.hierarchies.hierarchy import Hierarchy, Label

    Counts = Sequence[tuple[str, int]]  # the different values of a column, and how many people have each

LISTED = 200  # labels of a step that are told one by one
FORMATS = tuple(form.value for form in Format)


@dataclass(frozen=True)
class Step:
    """How the column looks when it is blurred so far."""

    example: Label  # what the example of the rule becomes
    labels: int  # different ones that somebody has
    smallest: int  # people who share the rarest of them
    people: tuple[tuple[Label, int], ...]  # of the first `LISTED` labels, in order; None stands for a missing value


@dataclass(frozen=True)
class Steps:
    """All steps of a rule, from the value itself to the top; none where the rule does not fit the values."""

    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()

    @property
    def examples(self) -> tuple[Label, ...]:
        """One value on its way to the top, each look once."""
        looks = [step.example for step in self.steps]
        return tuple(look for at, look in enumerate(looks) if at == 0 or look != looks[at - 1])


def steps_of(spec: Spec, counts: Counts, missing: int = 0, folder: Path | None = None) -> Steps:
    """missing: people without a value. folder: where hierarchy files lie. The example is the most common value."""
    try:
        hierarchy = _hierarchy(spec, counts, missing, folder)
    except HierarchyError as mistakes:
        return Steps((), mistakes.faults)
    people = np.zeros(hierarchy.leaf_count, np.int64)
    for value, count in counts:
        people[hierarchy.code(value) or 0] += count
    if missing:
        people[hierarchy.code(None) or 0] += missing
    common = max(counts, key=lambda pair: pair[1])[0] if counts else None
    leaf = hierarchy.code(common) or 0
    return Steps(tuple(_step(hierarchy, level, leaf, people) for level in range(hierarchy.height + 1)))


def findings(path: Path, counts: Counts) -> tuple[tuple[bool, str], ...]:
    """What is wrong with a hierarchy file, as `shoal hierarchy check` says it; each with whether it keeps it from being used."""
    return tuple((fault.refuses, str(fault)) for fault in check(path, [value for value, _ in counts]))


def file_text(spec: Spec, counts: Counts, form: str, folder: Path | None = None) -> str:
    """The rule as a hierarchy file of a format; refused where the format cannot hold it."""
    hierarchy = _hierarchy(spec, counts, 0, folder)
    lost = losses(hierarchy, Format(form))
    if lost:
        raise HierarchyError(*lost, "Take another format: `arx` holds everything.")
    return text_of(hierarchy, Format(form))


def _hierarchy(spec: Spec, counts: Counts, missing: int, folder: Path | None) -> Hierarchy:
    domain = sorted(value for value, _ in counts)
    return build(spec, [*domain, None] if missing else domain, base=folder)


def _step(hierarchy: Hierarchy, level: int, leaf: int, people: np.ndarray) -> Step:
    nodes = hierarchy.levels[level]
    sums = np.bincount(nodes, weights=people, minlength=len(hierarchy.labels)).astype(np.int64)
    order = dict.fromkeys(nodes[people > 0].tolist())  # as the leaves stand: numbers from low to high
    labels = [(hierarchy.labels[node], int(sums[node])) for node in order]
    return Step(
        hierarchy.label(leaf, level),
        len(labels),
        min((count for _, count in labels), default=0),
        tuple(labels[:LISTED]),
    )


def labels_at(spec: Spec, values: Sequence[str], level: int) -> tuple[Label, ...]:
    """What these values look like at a level of a rule, whether anybody has them or not."""
    hierarchy = build(spec, values)
    return tuple(hierarchy.label(hierarchy.code(value) or 0, level) for value in values)
