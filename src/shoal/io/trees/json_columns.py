"""Records of dictionaries and lists, shredded into Arrow columns: what is wanted is kept, all else is only named.

Values are texts. Each place of a record holds one sort of thing: a value, an object or a list; a place that is missing, null or
empty fits all of them. Two sorts at one place are refused, with the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.paths import MAX_DEPTH, FieldPath, shown
from shoal.errors import DataError
from shoal.io.columns import MAX_COLUMNS
from shoal.io.trees.json_records import at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shoal.io.trees.json_records import Line, Record
    from shoal.io.trees.leaves import Wanted

_ROWS = 1 << 14
_CELLS = 1 << 20  # of a batch
_SORTS = {"leaf": "a single value", "object": "an object", "list": "a list"}


class _Place:
    """One place in a record, whatever the record. What is wanted below it is built; what else is met there is `seen`."""

    __slots__ = ("covered", "element", "fields", "met", "offsets", "parts", "seen", "sort", "values", "wanted")

    def __init__(self, parts: tuple[str | None, ...], covered: bool) -> None:
        self.parts = parts
        self.sort = ""
        self.covered = covered  # what is not wanted below it is dropped without a look
        self.wanted = False
        self.met = False  # of a leaf that is wanted: whether there was a value
        self.fields: dict[str, _Place] = {}  # wanted
        self.seen: dict[str, _Place] = {}  # not wanted
        self.element: _Place | None = None
        self.values: list[str | None] = []
        self.offsets: list[int] = [0]


class Shredder:
    """where: how messages call the data. It keeps no records beyond a batch."""

    def __init__(self, wanted: Wanted, where: str) -> None:
        self._wanted, self._where = wanted, where
        self._root = _Place((), False)
        self._root.sort, self._root.wanted = "object", True
        self._places = 0
        for path in wanted.kept:
            self._plant(path)
        self.schema = pa.schema([(name, _type(place)) for name, place in self._root.fields.items()])

    def batches(self, records: Iterable[tuple[Line, Record]]) -> Iterator[pa.RecordBatch]:
        rows = 0
        self._cells = 0
        for line, record in records:
            self._put(self._root, record, line)
            rows += 1
            if rows == _ROWS or self._cells > _CELLS:
                yield self._batch()
                rows = self._cells = 0
        if rows:
            yield self._batch()

    def look(self, records: Iterable[tuple[Line, Record]]) -> None:
        """Only see which places there are."""
        for _ in self.batches(records):
            pass

    @property
    def leaves(self) -> tuple[FieldPath, ...]:
        """Paths at which values were met, apart from those that are dropped; fields in the order in which they were met."""
        return tuple(_leaves(self._root))

    # ---- the places --------------------------------------------------------------------------------------------------

    def _plant(self, path: FieldPath) -> None:
        place = self._root
        for number, part in enumerate(path.parts):
            parts = path.parts[: number + 1]
            if part is None:
                place.sort = "list"
                if place.element is None:
                    place.element = self._new(parts)
                place = place.element
            else:
                place.sort = "object"
                if part not in place.fields:
                    place.fields[part] = self._new(parts)
                place = place.fields[part]
            place.wanted = True
        place.sort = "leaf"

    def _new(self, parts: tuple[str | None, ...]) -> _Place:
        self._places += 1
        if self._places > MAX_COLUMNS:
            raise DataError(
                f"{self._where}: more than {MAX_COLUMNS:,} different places in the records. Are there data among the names of "
                "fields?"
            )
        return _Place(parts, self._wanted.drops(FieldPath(parts)))

    # ---- one record --------------------------------------------------------------------------------------------------

    def _put(self, place: _Place, value: Any, line: Line) -> None:
        """Add what is at a wanted place, once for each element of the list around it."""
        sort = place.sort
        if type(value) is str:
            if sort != "leaf":
                self._clash(place, "leaf", line)
            place.values.append(value)
            place.met = True
            self._cells += 1
        elif value is None or value in ([], {}):
            if sort == "leaf":
                place.values.append(None)
            elif sort == "list":
                place.offsets.append(place.offsets[-1])
            else:
                for child in place.fields.values():
                    self._put(child, None, line)
        elif isinstance(value, dict):
            if sort != "object":
                self._clash(place, "object", line)
            for name, child in place.fields.items():
                one = value.get(name)
                if type(one) is str and child.sort == "leaf":  # most are
                    child.values.append(one)
                    child.met = True
                else:
                    self._put(child, one, line)
            self._cells += len(place.fields)
            if not place.covered and not value.keys() <= place.fields.keys():
                for name, one in value.items():
                    if name not in place.fields:
                        self._look(self._among(place, name, line), one, line)
        elif isinstance(value, list):
            if sort != "list":
                self._clash(place, "list", line)
            element = place.element
            assert element is not None
            if element.sort == "leaf" and all(type(one) is str for one in value):
                element.values += value
                element.met = True
            else:
                for one in value:
                    self._put(element, one, line)
            place.offsets.append(place.offsets[-1] + len(value))
            self._cells += len(value)
        else:
            self._put(place, "true" if value else "false", line)

    def _among(self, place: _Place, name: str, line: Line) -> _Place:
        if not name:
            raise DataError(f"{at(line)}: an object has a field with an empty name.")
        if name not in place.seen:
            place.seen[name] = self._new((*place.parts, name))
        return place.seen[name]

    def _look(self, place: _Place, value: Any, line: Line) -> None:
        """See what is at a place that is not wanted."""
        if place.covered or value is None or value in ([], {}):
            return
        if len(place.parts) >= MAX_DEPTH:
            raise DataError(f"{at(line)}: nested too deep; at most {MAX_DEPTH} levels are read.")
        sort = "object" if isinstance(value, dict) else "list" if isinstance(value, list) else "leaf"
        if place.sort != sort:
            if place.sort:
                self._clash(place, sort, line)
            place.sort = sort
        if sort == "object":
            for name, one in value.items():
                self._look(self._among(place, name, line), one, line)
        elif sort == "list":
            if place.element is None:
                place.element = self._new((*place.parts, None))
            for one in value:
                self._look(place.element, one, line)

    def _clash(self, place: _Place, found: str, line: Line) -> None:
        raise DataError(
            f"{at(line)}: at {shown(place.parts)} is {_SORTS[found]}, and {_SORTS[place.sort]} elsewhere or in the recipe; the two "
            "cannot be read as one."
        )

    # ---- batches -----------------------------------------------------------------------------------------------------

    def _batch(self) -> pa.RecordBatch:
        arrays = [_array(place) for place in self._root.fields.values()]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _type(place: _Place) -> pa.DataType:
    if place.sort == "leaf":
        return pa.string()
    if place.sort == "list":
        assert place.element is not None
        return pa.list_(_type(place.element))
    return pa.struct([(name, _type(child)) for name, child in place.fields.items()])


def _array(place: _Place) -> pa.Array:
    """What was added since the last batch."""
    if place.sort == "leaf":
        values, place.values = place.values, []
        return pa.array(values, pa.string())
    if place.sort == "list":
        assert place.element is not None
        offsets, place.offsets = place.offsets, [0]
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), _array(place.element))
    return pa.StructArray.from_arrays([_array(child) for child in place.fields.values()], list(place.fields))


def _leaves(place: _Place) -> Iterator[FieldPath]:
    if place.sort == "leaf" and (place.met if place.wanted else not place.covered):
        yield FieldPath(place.parts)
    for child in (*place.fields.values(), *place.seen.values(), *(() if place.element is None else (place.element,))):
        yield from _leaves(child)
