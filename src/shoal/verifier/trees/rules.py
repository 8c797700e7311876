"""What a release says it did to every tree: how each value is shown, and which labels are kept apart. Checked, not believed.

Applied here once more, path by path, from the definition. A value that is left out is taken out of its path. To keep b apart from a
above it (Definition 2 of the paper), a path … p a … q b r … becomes … p a … q r … and … p b. That is repeated until no two labels
of a path are to be kept apart, from the root downwards: the topmost label goes first that is to be kept apart from one above it,
and from the topmost of these. The order matters: of a b c d, to part a from b and then b from c leaves a c d and b; to part b from
c first leaves a d, a c and b. In this order what becomes of a label depends on those above it only, so a path that is cut short
gives nothing else.

To leave b out below a is simpler: a label of a path is dropped that is to be left out below one that is shown above it. That is for
classes without children. A release does one of the two, not both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.finding import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.trees.shape import TreeShape

Label = tuple[str, str]  # class and text
Path = tuple[Label, ...]


@dataclass(frozen=True)
class Rules:
    """shown: by class, what a value is shown as that is not shown as it is, or None when it is left out."""

    shown: Mapping[str, Mapping[str, str | None]]
    apart: frozenset[tuple[Label, Label]]  # the upper label first
    out: frozenset[tuple[Label, Label]] = frozenset()  # likewise: below the upper label the lower one is left out

    @classmethod
    def read(cls, stated: Any) -> Rules:
        """From the form in which a release tells them; what is not of that form is refused."""
        try:
            if stated["kind"] != "trees" or set(stated) - {"out"} != {"kind", "shown", "apart"}:
                raise ValueError
            shown = {
                str(name): {_text(value): None if label is None else _text(label) for value, label in values.items()}
                for name, values in stated["shown"].items()
            }
            apart, out = _pairs(stated["apart"]), _pairs(stated.get("out", []))
            if apart and out:
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(
                "The rules of the release do not have the form in which rules about trees are told."
            ) from None
        return cls(shown, apart, out)

    def problems(self, shape: TreeShape, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
        """Rules that name what does not exist, or show a value as a label that does not stand for it."""
        classes = shape.names
        for name, values in self.shown.items():
            if name not in classes:
                yield f"They speak of a class '{name}' that there is not."
                continue
            wrong = sum(not covers(hierarchies.get(name), label, value) for value, label in values.items() if label)
            if wrong:
                yield f"Class '{name}': {counted(wrong, 'value')} would be shown as a label that does not stand for it."
        wrong = 0
        for (upper, _), (lower, _) in (*self.apart, *self.out):
            wrong += upper not in classes or lower not in shape.under(upper)
        if wrong:
            yield f"{counted(wrong, 'pair')} of labels to be kept apart can never stand one above the other."
        wrong = sum(lower not in classes or bool(shape.under(lower)) for _, (lower, _) in self.out)
        if wrong:
            yield f"{counted(wrong, 'label')} of classes with children would be left out in place."

    def shown_as(self, raw: Label) -> Label | None:
        name, value = raw
        label = self.shown.get(name, {}).get(value, value)
        return None if label is None else (name, label)

    def over(self, path: Path) -> set[Path]:
        """The paths that one path becomes; those that are the beginning of another may be among them."""
        whole = tuple(label for label in map(self.shown_as, path) if label is not None)
        waiting = [self._without(whole) if self.out else whole]
        made: set[Path] = set()
        while waiting:
            one = waiting.pop()
            place = self._to_part(one)
            if place is None:
                made.add(one)
                continue
            upper, lower = place
            waiting += [one[:lower] + one[lower + 1 :], (*one[:upper], one[lower])]
        return made

    def _without(self, path: Path) -> Path:
        """What is left when labels are left out below others that are shown."""
        shown: list[Label] = []
        for label in path:
            if not any((upper, label) in self.out for upper in shown):
                shown.append(label)
        return tuple(shown)

    def _to_part(self, path: Path) -> tuple[int, int] | None:
        """The places of the next two labels to be parted."""
        if self.apart:
            for lower in range(1, len(path)):
                for upper in range(lower):
                    if (path[upper], path[lower]) in self.apart:
                        return upper, lower
        return None


def covers(hierarchy: Hierarchy | None, label: str, value: str) -> bool:
    """Whether a label stands for a value. Without a hierarchy a value stands for itself alone."""
    if hierarchy is None:
        return label == value
    node, leaf = hierarchy.node(label), hierarchy.code(value)
    return node is not None and leaf is not None and bool(hierarchy.first[node] <= leaf <= hierarchy.last[node])


def _pairs(stated: Any) -> frozenset[tuple[Label, Label]]:
    pairs = [(tuple(map(_text, upper)), tuple(map(_text, lower))) for upper, lower in stated]
    return frozenset(((a, b), (c, d)) for (a, b), (c, d) in pairs)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value
