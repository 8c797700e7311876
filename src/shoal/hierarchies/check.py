"""`shoal hierarchy check`: everything that is wrong with a hierarchy file, line by line.

Faults keep the file from being used. Warnings do not: they are what a person usually did not mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.build import uncovered
from shoal.hierarchies.files import hierarchy_of, read_stated
from shoal.hierarchies.likeness import folded, interval_of
from shoal.hierarchies.stated import Fault, Faults, Format, Stated, tree_faults

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from shoal.hierarchies.hierarchy import Hierarchy, Label


def check(path: Path, values: Iterable[Label] | None = None) -> tuple[Fault, ...]:
    """All faults and warnings of a file, in the order of its lines. `values` of the data must be covered."""
    stated = read_stated(path)
    faults = Faults()
    faults.extend(stated.faults)
    if not any(fault.refuses for fault in stated.faults):
        faults.extend(tree_faults(stated.rows))
    _labels(stated, faults)
    if not any(fault.refuses for fault in faults.all()):
        try:
            hierarchy = hierarchy_of(stated, path.name)
        except HierarchyError as error:
            for message in error.faults:
                faults.add("not-a-tree", message)
        else:
            _levels(stated, hierarchy, faults)
            _intervals(stated, hierarchy, faults)
            _coverage(hierarchy, values, faults)
    return faults.all()


def _labels(stated: Stated, faults: Faults) -> None:
    alike: dict[str, tuple[str, int]] = {}
    for label, line in stated.where.items():
        if label is None:
            if stated.format in (Format.ARX, Format.ANJANA):
                faults.add("missing-row", "a row without a value: it stands for missing values", line, warn=True)
            continue
        if label != label.strip():
            faults.add("blanks", "a label begins or ends with a blank", line, [label], warn=True)
        twin, first = alike.setdefault(folded(label), (label, line))
        if twin != label:
            message = f"a label differs only by case, Unicode form or invisible characters from one in line {first}"
            faults.add("look-alike", message, line, [twin, label], warn=True)


def _levels(stated: Stated, hierarchy: Hierarchy, faults: Faults) -> None:
    lengths = {len(path) for _, path in stated.rows}
    if len(lengths) > 1:
        message = (
            f"values have between {min(lengths) - 1} and {max(lengths) - 1} groups above them: read as an uneven tree"
        )
        faults.add("uneven", message, warn=True)
    counts = [int(groups.max()) + 1 for groups in hierarchy.groups]
    for level in range(1, len(counts)):
        if counts[level] == counts[level - 1]:
            faults.add(
                "merges-nothing", f"level {level} merges nothing: it has the groups of level {level - 1}", warn=True
            )


def _intervals(stated: Stated, hierarchy: Hierarchy, faults: Faults) -> None:
    """Values that lie outside the interval one of their groups names."""
    leaves = hierarchy.leaf_count
    intervals = [None if label is None else interval_of(label) for label in hierarchy.labels]
    for leaf, value in enumerate(hierarchy.labels[:leaves]):
        number = None if value is None else decimals.parse(value)
        if number is None:
            continue
        above = dict.fromkeys(hierarchy.levels[1:, leaf].tolist())
        outside = [node for node in above if (interval := intervals[node]) is not None and number not in interval]
        if outside:
            message = f"the value lies outside the interval that {len(outside)} of its {len(above)} groups name"
            labels = [value, *(hierarchy.labels[node] for node in outside)]
            faults.add("outside-interval", message, stated.where.get(value), labels, warn=True)


def _coverage(hierarchy: Hierarchy, values: Iterable[Label] | None, faults: Faults) -> None:
    if values is None:
        return
    present = [value for value in values if value is not None]
    outside = uncovered(hierarchy, present)
    if outside:
        message = f"{len(outside):,} of the {len(present):,} values of the data are not in the hierarchy"
        faults.add("not-covered", message, labels=sorted(outside)[:50])
