"""From what a recipe says of a column to its hierarchy, over the values that the verifier itself found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.verifier.hierarchies import dates, intervals, masks, named
from shoal.verifier.hierarchies.files import file_rows
from shoal.verifier.hierarchies.hierarchy import Hierarchy
from shoal.verifier.hierarchies.numbers import number_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.verifier.hierarchies.hierarchy import Label, Row

# by the key that names a form: the rows it gives, and the keys it may have
_FORMS = {
    "intervals": (intervals.interval_rows, intervals.KEYS),
    "borders": (intervals.border_rows, intervals.BORDER_KEYS),
    "dates": (dates.date_rows, dates.KEYS),
    "mask": (masks.mask_rows, masks.KEYS),
    "groups": (named.group_rows, named.GROUP_KEYS),
    "order": (named.order_rows, named.ORDER_KEYS),
}


@dataclass(frozen=True)
class Form:
    """How the recipe says a hierarchy: the name of a file, a table, or nothing, when a value is shown or hidden."""

    spec: str | Mapping[str, object] | None
    folder: Path = Path()  # in which files lie

    @property
    def states_its_values(self) -> bool:
        """Whether it names its values without a look at the data."""
        return isinstance(self.spec, str) or bool(self.spec and {"groups", "order"} & self.spec.keys())

    def over(self, values: Iterable[Label]) -> Hierarchy:
        """The hierarchy that covers these values; None is a missing one."""
        distinct = dict.fromkeys(values)
        texts = sorted(value for value in distinct if value is not None)
        rows = self._rows(texts)
        if not rows:
            if None not in distinct:
                raise HierarchyError("There is no value to build a hierarchy of.")
            return Hierarchy.of([(None, "*")])  # a column of which nothing is known
        lost = len(set(texts) - {row[0] for row in rows})
        if lost:
            raise HierarchyError(_lost(self.spec, lost, len(texts)))
        if None in distinct and None not in {row[0] for row in rows}:
            rows = [*_with_top(rows), (None, _with_top(rows)[0][-1])]
        return Hierarchy.of(rows)

    def known(self, values: Iterable[Label]) -> list[Label]:
        """Those of the values that it can place. Data about other people may hold some that it cannot."""
        distinct = dict.fromkeys(values)
        try:
            placed = {row[0] for row in self._rows(sorted(value for value in distinct if value is not None))}
        except HierarchyError:  # one of them is out of its reach: which?
            placed = {value for value in distinct if value is not None and self._knows(value)}
        return [value for value in distinct if value is None or value in placed]

    def _knows(self, value: str) -> bool:
        try:
            return any(row[0] == value for row in self._rows([value]))
        except HierarchyError:
            return False

    def _rows(self, texts: Sequence[str]) -> list[Row]:
        if self.spec is None:
            return _flat(texts)
        if isinstance(self.spec, str):
            try:
                return file_rows(self.folder / self.spec, texts)
            except HierarchyError as fault:
                raise HierarchyError(*(f"{self.spec}: {one}" for one in fault.faults)) from None
        forms = [key for key in _FORMS if key in self.spec]
        if len(forms) != 1 or self.spec.keys() - _FORMS[forms[0]][1]:
            raise HierarchyError(f"A hierarchy has one of the keys {', '.join(_FORMS)}, and no other beside its own.")
        return list(_FORMS[forms[0]][0](self.spec, texts))


def flat(values: Iterable[Label]) -> Hierarchy:
    """Of nodes of a tree: each value stands for itself, or for all."""
    texts = sorted(value for value in values if value is not None)
    return Hierarchy.of(_flat(texts) if texts else [("*",)])


def _flat(texts: Sequence[str]) -> list[Row]:
    top = "*"
    while top in texts:  # data in which `*` stands for something already
        top += "*"
    numbers = {text: number_in(text) for text in texts}
    if None not in numbers.values():
        texts = sorted(texts, key=lambda text: (numbers[text], text))
    return [(text, top) for text in texts]


def _with_top(rows: Sequence[Row]) -> list[Row]:
    """A single value that is its own top gets one to share with the missing ones."""
    if len(rows) > 1 or len(set(rows[0])) > 1:
        return list(rows)
    return [(rows[0][0], "**" if rows[0][0] == "*" else "*")]


def _lost(spec: object, lost: int, values: int) -> str:
    where = f"{spec}: " if isinstance(spec, str) else ""
    more = f" To see them: shoal hierarchy check {spec} --data DATA --column COLUMN --show-values" if where else ""
    return f"{where}{lost:,} of the {values:,} values of the data are not in the hierarchy.{more}"
