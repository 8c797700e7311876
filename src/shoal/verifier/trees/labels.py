"""Whether published values are labels of their class's hierarchy, and whether one of them stands for another as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.verifier.finding import counted
from shoal.verifier.verdict import KEPT_APART, Caution, Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy


def check_labels(name: str, words: Sequence[str], hierarchy: Hierarchy) -> Check:
    unknown = sum(hierarchy.node(word) is None for word in words)
    if unknown:
        detail = f"Class '{name}' has {counted(unknown, 'label')} that the hierarchy does not know."
        return Check("labels", False, detail)
    if not words:
        return Check("labels", True, f"Class '{name}' has no labels: nothing of it is published.")
    said = "The 1 label" if len(words) == 1 else f"All {len(words):,} labels"
    return Check("labels", True, f"{said} of class '{name}' {'is' if len(words) == 1 else 'are'} of its hierarchy.")


def label_warnings(name: str, words: Sequence[str], hierarchy: Hierarchy) -> Iterator[str]:
    """A label that stands for another one that is published too: they count as different, though a record may have both."""
    nodes = {node for word in words if (node := hierarchy.node(word)) is not None}
    within = 0
    for node in nodes:
        above = int(hierarchy.parents[node])
        while above >= 0 and above not in nodes:
            above = int(hierarchy.parents[above])
        within += above >= 0
    if within:
        yield (
            f"Class '{name}' has {counted(within, 'label')} for which another published label stands as well. They count as "
            "different values, and whoever knows one of them may look among the others too."
        )


def moved_warnings(rules: Any) -> Iterator[str]:
    """The promise counts what a release shows. What was moved shows by its place what was hidden, and that is not counted."""
    apart = rules.get("apart") if isinstance(rules, Mapping) else None
    if apart:
        yield Caution(
            KEPT_APART,
            f"Labels are kept apart, in {counted(len(apart), 'pair')}. A node is moved where the two belonged together only, so its"
            " place may tell who is hidden: somebody who knows the rules and one of these relations may find fewer records than "
            "promised. The methods inplace, ocs and tree-cluster move nothing.",
        )
