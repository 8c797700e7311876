"""What somebody may know a person *not* to have: counted as a value of every record that does not show it.

A published label can be passed over by whoever knows that a person has none of the values that it stands for. So if a label stands
only for values that the recipe names (`negated`), and for no more of them than may be known, "not this label" is a label too: of
every record without it, related to nothing. It is one of the m values that may be known, and is held to the same promise. A label
that stands for other values as well cannot be passed over, whatever is known to be absent.

What a label stands for is told by the rules of the release, and by what else it shows: where "Kiel" is shown, "north" stands for
the others. If either says that a label can be passed over, it counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.finding import counted
from shoal.verifier.trees.rules import covers
from shoal.verifier.trees.shape import NodeClass, TreeShape
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.trees.nodes import Trees
    from shoal.verifier.trees.rules import Rules

NAME = "values that are absent"


def with_denials(
    trees: Trees,
    negated: Mapping[str, Sequence[str]],
    hierarchies: Mapping[str, Hierarchy],
    rules: Rules | None,
    most: int,
) -> tuple[Trees, Check]:
    """The same trees with a node below the root for each label that can be passed over and is not there. most: values that may be
    known. They stand in classes of their own, after all others."""
    classes, labels = list(trees.shape.classes), list(trees.labels)
    record, label = [trees.record], [trees.label]
    unknown = denied = 0
    for number, name in enumerate(trees.shape.names):
        values = frozenset(negated.get(name, ()))
        if not values:
            continue
        hierarchy = hierarchies.get(name)
        unknown += 0 if hierarchy is None else sum(hierarchy.code(value) is None for value in values)
        absences = passed_over(name, trees.texts(number), values, hierarchy, rules, most)
        denied += len(absences)
        for text in absences:
            shows = np.zeros(trees.records, np.bool_)
            shows[trees.record[trees.label == trees.labels.index((number, text))]] = True
            lacking = np.flatnonzero(~shows)
            record.append(lacking)
            label.append(np.full(len(lacking), len(labels), np.int64))
            labels.append((len(classes), text))
        classes.append(NodeClass(_free(f"not {name}", [one.name for one in classes])))
    made = replace(
        trees,
        shape=TreeShape(tuple(classes)),
        labels=tuple(labels),
        record=np.concatenate(record),
        label=np.concatenate(label),
        parent=np.concatenate([trees.parent, np.full(sum(map(len, record[1:])), -1, np.int64)]),
    )
    if unknown:
        detail = (
            f"{counted(unknown, 'value')} that somebody may know to be absent are not in the hierarchy of their class."
        )
        return made, Check(NAME, False, detail)
    detail = (
        f"{counted(denied, 'published label')} can be passed over by whoever knows what somebody does not have; counted below as "
        "values of those who lack them."
    )
    return made, Check(NAME, True, detail)


def passed_over(
    name: str,
    texts: Sequence[str],
    negated: frozenset[str],
    hierarchy: Hierarchy | None,
    rules: Rules | None,
    most: int,
) -> list[str]:
    """The published labels of a class that whoever knows some of these values to be absent can pass over, in order."""
    ways = [_by_release(texts, hierarchy)]
    if rules is not None:
        ways.append(_by_rules(name, texts, hierarchy, rules))
    return [
        text
        for text in texts
        if any(
            values and values <= negated and len(values) <= most for values in (way.get(text, set()) for way in ways)
        )
    ]


def _by_release(texts: Sequence[str], hierarchy: Hierarchy | None) -> dict[str, set[str]]:
    """What each label stands for: the values below it for which none below it is published."""
    if hierarchy is None:
        return {text: {text} for text in texts}
    published = {node: text for text in texts if (node := hierarchy.node(text)) is not None}
    made: dict[str, set[str]] = {}
    for leaf, value in enumerate(hierarchy.labels[: hierarchy.leaf_count]):
        node = leaf
        while node >= 0 and node not in published:
            node = int(hierarchy.parents[node])
        if node >= 0 and value is not None:
            made.setdefault(published[node], set()).add(value)
    return made


def _by_rules(name: str, texts: Sequence[str], hierarchy: Hierarchy | None, rules: Rules) -> dict[str, set[str]]:
    """What each label stands for, as the rules have it; what they say wrongly is found elsewhere."""
    ruled = rules.shown.get(name, {})
    if hierarchy is None:
        values = {*ruled, *(text for text in texts if text not in ruled.values())}
    else:
        values = {value for value in hierarchy.labels[: hierarchy.leaf_count] if value is not None}
    made: dict[str, set[str]] = {}
    for value in values:
        label = rules.shown_as((name, value))
        if label is not None and (hierarchy is None or covers(hierarchy, label[1], value)):
            made.setdefault(label[1], set()).add(value)
    return made


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name = f"not {name}"
    return name
