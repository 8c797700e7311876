"""Nested records of dictionaries, lists and texts as trees, in the form in which they are published.

A record is walked as the reference says it: a value that is null, absent, empty or a code is no node, and what would hang below it
hangs below the node above; equal values below the same node are one node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.paths import lists_of, parts_of, path_text, wanted_of
from shoal.verifier.originals.published import Published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.originals.paths import Parts, Wanted
    from shoal.verifier.schema import Schema
    from shoal.verifier.trees.shape import TreeShape

_EMPTY: tuple[Any, ...] = (None, [], {})  # fit every place


@dataclass(frozen=True)
class Former:
    """Which values of a record become nodes of which class, and which are single values."""

    shape: TreeShape
    paths: Mapping[str, Parts]  # by class or single value
    singles: tuple[str, ...]
    codes: Mapping[str, tuple[str, ...]]  # by class or single value: what means "no value"
    root: _Scope

    @classmethod
    def of(cls, schema: Schema, missing: Sequence[str] = ()) -> Former:
        """missing: texts that mean "no value" wherever they stand."""
        shape = schema.shape
        places = {column.name: parts_of(column.place) for column in schema if column.name in schema.published}
        codes = {name: (*missing, *schema.codes(name)) for name in places}
        root = _Scope()
        place: dict[str | None, int] = {None: 0, **{name: i + 1 for i, name in enumerate(shape.names)}}
        for one in shape.classes:
            lists = lists_of(places[one.name])
            if one.parent is not None and lists[: len(lists_of(places[one.parent]))] != lists_of(places[one.parent]):
                raise RecipeError(f"columns.{one.name}: the lists of its path do not begin with those of its parent.")
            mine = _Class(
                place[one.name],
                place[one.parent],
                places[one.name],
                places[one.name][len(lists) :],
                frozenset(("", *codes[one.name])),
            )
            root.inside(lists).classes.append(mine)
        for name in schema.scalars:
            if None in places[name]:
                raise RecipeError(f"columns.{name}: lies in a list, so it is no single value of a record.")
        return cls(shape, places, schema.scalars, codes, root)

    @property
    def wanted(self) -> Wanted:
        """What of a record is looked at."""
        return wanted_of(self.paths.values())

    def batch(self, what: str, records: Iterable[Any]) -> pa.RecordBatch:
        """Records as they are published. None is kept longer than it is looked at."""
        import pyarrow as pa

        walk, number = _Walk(), 0
        singles: dict[str, list[str | None]] = {name: [] for name in self.singles}
        try:
            for record in records:
                number += 1
                walk.below[0] = -number
                walk.element(self.root, record)
                for name, texts in singles.items():
                    text = _text(_follow(record, self.paths[name], self.paths[name]), self.paths[name])
                    texts.append(None if text in self.codes[name] else text)
        except _Clash as clash:
            raise DataError(
                f"{what}: at {path_text(clash.parts)} is {clash.what}; the recipe says otherwise."
            ) from None
        holders, place, words = zip(*walk.nodes, strict=True) if walk.nodes else ((), (), ())
        above = np.array(holders, np.int64)
        return self.published(
            number,
            np.array(place, np.int64) - 1,
            np.where(above < 0, -1 - above, number + above),
            pa.array(words, pa.string()),
            {name: pa.array(texts, pa.string()) for name, texts in singles.items()},
        )

    def published(
        self,
        records: int,
        number: NDArray[np.int64],
        above: NDArray[np.int64],
        texts: pa.Array,
        singles: Mapping[str, pa.Array],
    ) -> pa.RecordBatch:
        """The single values, then the classes. The nodes: as `Published` takes them."""
        import pyarrow as pa

        columns = {**singles, **Published(self.shape, records, number, above, texts).columns()}
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


@dataclass(frozen=True)
class _Class:
    """Where a class is in the list of all (0 is the record), where its parent is, and where its values lie."""

    place: int
    parent: int
    path: Parts
    names: Parts  # what of the path lies within an element
    missing: frozenset[str]

    def value(self, element: Any) -> Any:
        """What an element has of it."""
        return _follow(element, self.names, self.path)


class _Walk:
    """Goes through records, and numbers their nodes."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, int, str], int] = {}  # by what it hangs below, class and text
        # by place of a class: what hangs below the last element met, its node or the one above that; of records -1, -2, …
        self.below: dict[int, int] = {}

    def element(self, scope: _Scope, element: Any) -> None:
        """The nodes of one element, and of the lists inside."""
        below, nodes = self.below, self.nodes
        fields = element if type(element) is dict else None
        for one in scope.classes:
            # most values are texts, in a field of the element itself
            text = fields.get(one.names[0]) if fields is not None and len(one.names) == 1 else one.value(element)
            if type(text) is not str:
                text = _text(text, one.path)
            node = below[one.parent]
            if text is not None and text not in one.missing:
                node = nodes.setdefault((node, one.place, text), len(nodes))
            below[one.place] = node
        for parts, inner in scope.lists.items():
            elements = _follow(element, parts[:-1], parts)
            if type(elements) is list:
                for inside in elements:
                    self.element(inner, inside)
            elif elements not in _EMPTY:
                raise _Clash(parts[:-1], "no list")


@dataclass
class _Scope:
    """The elements of a list, or the record: the classes whose values lie in each, and the lists inside."""

    classes: list[_Class] = field(default_factory=list)
    lists: dict[Parts, _Scope] = field(default_factory=dict)  # by where in the element, which ends with None

    def inside(self, lists: Parts) -> _Scope:
        if not lists:
            return self
        size = lists.index(None) + 1
        return self.lists.setdefault(lists[:size], _Scope()).inside(lists[size:])


class _Clash(Exception):  # noqa: N818  # it is told as a DataError, with its file
    def __init__(self, parts: Parts, what: str) -> None:
        super().__init__()
        self.parts, self.what = parts, what


def _follow(element: Any, names: Parts, parts: Parts) -> Any:
    """What is below these fields; None where there is nothing."""
    for name in names:
        if isinstance(element, dict):
            element = element.get(name)
        elif element in _EMPTY:
            return None
        else:
            raise _Clash(parts, "a value or a list above it")
    return element


def _text(value: Any, parts: Parts) -> str | None:
    if value is None or type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value in _EMPTY:
        return None
    raise _Clash(parts, "no single value")
