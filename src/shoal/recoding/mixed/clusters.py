"""Recoding of mixed tables: every record is in a class, which shows the same single values, and its items in one way.

A *part* is a number of records with the same single values and the same items that are published alike. Where records of one such
kind lie in several classes, which of them goes where is left to the engine. Items that are declared sensitive are no part of this:
they are published as they are.

Several columns of sets are one domain: an item of the column NAME is `NAME:item` in the vocabulary then. No label stands for items
of two columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets
from shoal.errors import InternalError
from shoal.recoding.tables.recoded import HIDDEN, ShownValues

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    from shoal.recoding.tables.groups import GroupRecoding

LEFT_OUT = -1  # the label of an item that is not shown
_QUOTED = frozenset(',()"')
_CODES = np.int64(1) << np.int64(31)  # more than there are items


def set_label(texts: Sequence[str], taken: Container[str] = ()) -> str:
    """How several items are written as one. An item that could be read as more than itself stands in quotes.

    taken: texts that mean something else already. A label that reads like one of them has all its items in quotes.

    >>> set_label(["beer", "wine"]), set_label(["a,b", "c"]), set_label(["a", "b"], taken=["(a,b)"])
    ('(beer,wine)', '("a,b",c)', '("a","b")')
    """
    label = f"({','.join(text if _is_plain(text) else _quoted(text) for text in texts)})"
    return f"({','.join(map(_quoted, texts))})" if label in taken else label


def _is_plain(text: str) -> bool:
    return bool(text) and text == text.strip() and not set(text) & _QUOTED


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


@dataclass(frozen=True, eq=False)
class ClassItems:
    """How each class shows its items: those that occur in it, ascending, one class after the other."""

    starts: NDArray[np.int64]  # (classes + 1,)
    items: NDArray[np.int32]  # codes
    shows: NDArray[np.int32]  # the number of the label, or LEFT_OUT
    labels: ShownValues  # each with the codes of the items it may stand for
    columns: NDArray[np.int32]  # (labels,): the number of the column of sets it is shown in

    def __post_init__(self) -> None:
        labels = self.labels
        if len(self.columns) != len(labels.labels):
            raise InternalError("A label of items belongs to no column.")
        if len(set(zip(self.columns.tolist(), labels.labels, strict=True))) < len(labels.labels):
            raise InternalError("Two labels of items read the same, and do not stand for the same items.")
        if len(self.items) != len(self.shows) or self.starts[0] != 0 or self.starts[-1] != len(self.items):
            raise InternalError("The items of classes do not begin at 0, or do not all have a label.")
        classes = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        if ((np.diff(classes) == 0) & (np.diff(self.items) <= 0)).any():
            raise InternalError("The items of a class are not ascending and distinct.")
        width = int(max(self.items.max(initial=0), labels.leaves.max(initial=0))) + 1
        stands = np.repeat(np.arange(len(labels.labels)), labels.sizes) * np.int64(width) + labels.leaves
        shown = self.shows != LEFT_OUT
        if not np.isin(self.shows[shown] * np.int64(width) + self.items[shown], stands).all():
            raise InternalError("An item would be shown as a label that does not stand for it.")

    @property
    def classes(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """(items of all classes,): a number for each item of a class, ascending."""
        classes = np.repeat(np.arange(self.classes, dtype=np.int64), np.diff(self.starts))
        return classes * _CODES + self.items

    def label_numbers(self, classes: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[np.int32]:
        """The label of each item in its class, or LEFT_OUT. Fails for an item that does not occur in the class."""
        keys, wanted = self._keys, classes * _CODES + items
        places = np.searchsorted(keys, wanted)
        if len(wanted) and (places.max() >= len(keys) or (keys[places] != wanted).any()):
            raise InternalError("A record holds an item that its class does not show in any way.")
        numbers: NDArray[np.int32] = self.shows[places]
        return numbers


@dataclass(frozen=True, eq=False)
class MixedRecoding:
    """Single values by class, and a way of its own to show the items of each class."""

    groups: GroupRecoding  # of the single values; its parts are those of `sets`
    columns: tuple[str, ...]  # of sets
    sets: ItemSets  # (parts,): without sensitive items
    items: ClassItems

    def __post_init__(self) -> None:
        recoded = self.groups.recoded
        if len(self.sets) != len(recoded.counts):
            raise InternalError("A recoding of a table with item sets has parts without items, or the other way round.")
        if self.items.classes != len(recoded.values):
            raise InternalError("A class of a table with item sets does not say how its items are shown.")
        if not self.columns or set(self.columns) & set(self.groups.columns):
            raise InternalError("A column holds single values and sets of items at once, or there are no sets.")

    def vocabulary(self, number: int) -> tuple[int, pa.Array]:
        """Of a column of sets: the code of its first item, and its items by code, without what their column adds."""
        if len(self.columns) == 1:
            return 0, self.sets.vocabulary
        start = f"{self.columns[number]}:"
        mine = np.flatnonzero(pc.starts_with(self.sets.vocabulary, start).to_numpy(zero_copy_only=False))
        if not len(mine):
            return 0, self.sets.vocabulary.slice(0, 0)
        if mine[-1] - mine[0] + 1 != len(mine):
            raise InternalError("The items of several columns do not follow each other.")
        texts = [text.removeprefix(start) for text in self.sets.vocabulary.take(pa.array(mine)).to_pylist()]
        return int(mine[0]), pa.array(texts, pa.string())

    @cached_property
    def label_numbers(self) -> NDArray[np.int32]:
        """(items of all parts,): the label that each is shown as, or LEFT_OUT. Suppressed records show nothing."""
        classes = self.groups.recoded.classes.astype(np.int64)[self.sets.rows]
        numbers = np.full(len(classes), LEFT_OUT, np.int32)
        shown = classes != HIDDEN
        numbers[shown] = self.items.label_numbers(classes[shown], self.sets.items[shown])
        return numbers

    @cached_property
    def shown(self) -> ItemSets:
        """(parts,): what each shows, as numbers of labels. In the vocabulary these are `COLUMN:label`, by the column's number."""
        there = self.label_numbers != LEFT_OUT
        texts = [f"{c}:{text}" for c, text in zip(self.items.columns.tolist(), self.items.labels.labels, strict=True)]
        return ItemSets.of_pairs(
            self.sets.rows[there], self.label_numbers[there], len(self.sets), pa.array(texts, pa.string())
        )

    def to_json(self) -> dict[str, Any]:
        """For the private manifest: what each class shows. Which records it has is not told here."""
        text, items = self.groups.to_json(), self.items
        vocabulary = self.sets.vocabulary.to_pylist()
        for number, one in enumerate(text["classes"]):
            stretch = slice(int(items.starts[number]), int(items.starts[number + 1]))
            pairs = zip(items.items[stretch].tolist(), items.shows[stretch].tolist(), strict=True)
            one["items"] = {
                vocabulary[item]: None if label == LEFT_OUT else items.labels.labels[label]
                for item, label in pairs
                if label == LEFT_OUT or int(items.labels.sizes[label]) > 1
            }
        return {**text, "kind": "mixed", "sets": list(self.columns)}
