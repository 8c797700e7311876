"""A record for the report that nobody has: one value of each class, put together from the hierarchies, and what it would show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.trees import Forest
from shoal.recoding.trees.rules import LEFT_OUT
from shoal.report.trees.facts import DrawnNode, Example

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shoal.recoding.trees.rules import TreeRecoding

_MOST = 12  # classes that are drawn


def example_of(recoding: TreeRecoding, held: Mapping[str, Sequence[int]], stated: Collection[str]) -> Example | None:
    """held: by class, nodes of its hierarchy that the release shows; stated: classes whose raw values may be named.

    Of each class the first value, in the order of its hierarchy, that is shown under a label the release holds; where labels are
    kept apart, the first such pair is among them. Nothing depends on what any one record holds.
    """
    shape = recoding.shape
    chosen = {name: _first(recoding, number, held[name]) for number, name in enumerate(shape.names)}
    for upper, lower in (recoding.apart or recoding.out)[:1]:
        for label in (upper, lower):
            number = recoding.class_of(label)
            node = label - int(recoding.first_shown[number])
            if node in held[shape.names[number]]:
                chosen[shape.names[number]] = _first(recoding, number, [node])
    paths: dict[str, tuple[int, ...]] = {}
    for number, one in enumerate(shape.classes[:_MOST]):
        above = paths[one.parent] if one.parent is not None else ()
        leaf = chosen[one.name]
        paths[one.name] = above if leaf is None else (*above, int(recoding.first[number]) + leaf)
    if not any(paths.values()):
        return None
    tree = Forest.of_paths([paths.values()], shape, recoding.first)
    before = []
    for label, parent in zip(tree.labels.tolist(), tree.parents.tolist(), strict=True):
        number = int((recoding.first <= label).sum()) - 1
        name, leaf = shape.names[number], label - int(recoding.first[number])
        may_name = name in stated or leaf in held[name]
        before.append(DrawnNode(name, str(recoding.hierarchies[name].labels[leaf]) if may_name else "", parent))
    blurred = recoding.over(tree)
    after = [
        DrawnNode(*recoding.name_of(label), parent)
        for label, parent in zip(blurred.labels.tolist(), blurred.parents.tolist(), strict=True)
    ]
    return Example(tuple(before), tuple(after))


def _first(recoding: TreeRecoding, number: int, held: Sequence[int]) -> int | None:
    """The first leaf under one of these nodes; of a class that is left out, any. None: there is none to draw."""
    nodes = recoding.nodes[number].tolist()
    return next(
        (leaf for leaf, node in enumerate(nodes) if node in held),
        next((leaf for leaf, node in enumerate(nodes) if node == LEFT_OUT), None),
    )
