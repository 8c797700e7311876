"""Which original items a published label covers: it is one of the hierarchy, or names items as in `(a,b)`, or is the item itself.

In `(a,b)` an item with a comma, a parenthesis or a quote in it stands in quotes, and its own quotes are doubled. Unlike single
values (`values.py`) items are never numbers in an interval: `(20,30)` is two items. A label that is an item as well is that item.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.verifier.domain import Domain
from shoal.verifier.finding import counted
from shoal.verifier.looks import looks_like
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.mixed.reading import Merged

Words = dict[str, tuple[str, ...]]  # by column
_ONE = r'(?:"(?:[^"]|"")+"|[^,()"]+)'
_NAMED = re.compile(rf"\({_ONE}(?:,{_ONE})+\)")
_MEMBER = re.compile(r'"((?:[^"]|"")+)"|([^,()"]+)')


@dataclass(frozen=True)
class Covers:
    """Original item that may be known → the published labels that cover it; as the merged columns call them."""

    labels: Mapping[str, tuple[str, ...]]
    left_out: frozenset[str]


def check_labels(merged: Merged, words: Words, hierarchies: Mapping[str, Hierarchy]) -> Iterator[Check]:
    """Every label of a column that has a hierarchy is one of it, or names items of it, or is a sensitive item."""
    for name, hierarchy in hierarchies.items():
        if name not in words:
            continue
        sensitive = frozenset(merged.sensitive[name])
        labels = [label for label in words[name] if label not in sensitive]
        unknown = sum(not _is_known(label, hierarchy, sensitive) for label in labels)
        if unknown:
            detail = f"Column '{name}' has {counted(unknown, 'label')} that the hierarchy does not know."
            yield Check("labels", False, detail)
        else:
            yield Check("labels", True, f"All {len(labels):,} labels of column '{name}' are of its hierarchy.")


def _is_known(label: str, hierarchy: Hierarchy, sensitive: frozenset[str]) -> bool:
    if hierarchy.node(label) is not None:
        return True
    named = items_named(label)
    return named is not None and all(hierarchy.code(item) is not None and item not in sensitive for item in named)


def check_sensitive(
    merged: Merged, words: Words, hierarchies: Mapping[str, Hierarchy], items: Words
) -> Iterator[Check]:
    """Sensitive items stand as they are. A label that reads like one, or can stand for nothing else, would be counted as an item
    that somebody may know, and be held by all. items: of the original, if there is one."""
    for name, sensitive in merged.sensitive.items():
        if not sensitive:
            continue
        dress = _Dress(sensitive, hierarchies.get(name), frozenset(items.get(name, ())))
        wrong = sum(dress.hides(label) for label in words[name] if label not in sensitive)
        if wrong:
            labels = counted(wrong, "label")
            detail = f"Column '{name}' has {labels} that a reader takes for sensitive items; no promise counts them."
            yield Check("sensitive items", False, detail)
        else:
            yield Check("sensitive items", True, f"No label of column '{name}' reads like a sensitive item.")


def sensitive_item_warnings(merged: Merged, words: Words) -> Iterator[str]:
    """Sensitive items that no record shows: a promise about them may speak of nothing."""
    for name, sensitive in merged.sensitive.items():
        absent = len(set(sensitive).difference(words[name]))
        if absent:
            yield (
                f"{absent:,} of the {len(sensitive):,} sensitive items of column '{name}' {'is' if absent == 1 else 'are'} in no "
                f"published record. If {'it is' if absent == 1 else 'one is'} spelled otherwise there, nothing protects it."
            )


class _Dress:
    """What a label may be taken for."""

    def __init__(self, sensitive: Sequence[str], hierarchy: Hierarchy | None, items: frozenset[str]) -> None:
        self._looks, self._hierarchy, self._items = frozenset(map(looks_like, sensitive)), hierarchy, items

    def hides(self, label: str) -> bool:
        if looks_like(label) in self._looks:
            return True
        node = None if self._hierarchy is None else self._hierarchy.node(label)
        if self._hierarchy is not None and node is not None:
            leaves = self._hierarchy.labels[self._hierarchy.first[node] : self._hierarchy.last[node] + 1]
            return all(leaf is not None and looks_like(leaf) in self._looks for leaf in leaves)
        return label not in self._items and any(looks_like(item) in self._looks for item in items_named(label) or ())


def items_named(label: str) -> tuple[str, ...] | None:
    """The items of a label such as `(a,b)`; None when it is none."""
    if not _NAMED.fullmatch(label):
        return None
    members = [quoted.replace('""', '"') if quoted else plain for quoted, plain in _MEMBER.findall(label[1:-1])]
    return tuple(members) if len(set(members)) == len(members) else None


def covers_of(
    merged: Merged, items: Words, labels: Words, hierarchies: Mapping[str, Hierarchy], *, left_out: bool
) -> Covers:
    """left_out: all items may be missing from the published sets, if they are from all."""
    found: dict[str, list[str]] = {}
    shown = 0
    for name, sensitive in merged.sensitive.items():
        start, hidden = merged.start(name), frozenset(sensitive)
        known = [item for item in items[name] if item not in hidden]
        of_column = {item: found.setdefault(start + item, []) for item in known}
        domain = _Items(known, hidden, hierarchies.get(name))
        for label in labels[name]:
            if label in hidden:
                continue
            shown += 1
            for item in domain.covered_by(label):
                of_column[item].append(start + label)
    none = frozenset(found) if left_out and not shown else frozenset[str]()
    return Covers({item: tuple(covering) for item, covering in found.items()}, none)


class _Items:
    def __init__(self, known: Sequence[str], sensitive: frozenset[str], hierarchy: Hierarchy | None) -> None:
        self._known, self._sensitive, self._hierarchy = known, sensitive, hierarchy
        self._all = frozenset(known)
        self._domain = Domain(known, hierarchy)

    def covered_by(self, label: str) -> frozenset[str]:
        if self._hierarchy is not None and self._hierarchy.node(label) is not None:
            return frozenset(self._known[i] for i in self._domain.covered_by(label))
        named = items_named(label)
        if label in self._all or named is None:
            if self._hierarchy is not None or label in self._all:
                return self._all & {label}  # a label that no hierarchy knows stands for nothing else
            return frozenset(self._known[i] for i in self._domain.covered_by(label))
        if not all(self._is_item(item) for item in named):
            return frozenset()
        return self._all.intersection(named)

    def _is_item(self, item: str) -> bool:
        """Whether a label may name it: a sensitive item stands as it is, and an item that is none is a slip of the pen."""
        if item in self._sensitive:
            return False
        return item in self._all or (self._hierarchy is not None and self._hierarchy.code(item) is not None)
