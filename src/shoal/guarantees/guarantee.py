"""What a guarantee is: a statement with parameters, a sentence a person reads, and a test on counts. No algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each value of a sensitive column occurs in each class, in long form, sorted by (class, value)."""

    classes: NDArray[np.int64]  # (entries,) class number
    values: NDArray[np.int32]  # (entries,) value code
    counts: NDArray[np.int64]  # (entries,) at least 1
    value_count: int  # codes run from 0 to value_count-1
    hierarchy: Hierarchy | None = None  # over the values, when the recipe gives one; code = leaf code then
    missing: int | None = None  # the code of a missing value; beyond the leaves when the hierarchy has no leaf for it
    places: NDArray[np.int64] | None = None  # (value_count,) of each code in the order; None: the codes are the order

    def regrouped(self, class_of: NDArray[np.int32]) -> Histogram:
        """The counts of classes that became one, added up. class_of: (classes,) the new class of each."""
        from shoal.kernels.grouping import group_sum  # a guarantee can be named without loading compiled code

        width = np.uint64(self.value_count)
        keys = class_of[self.classes].astype(np.uint64) * width + self.values.astype(np.uint64)
        merged, counts, _ = group_sum(keys.reshape(-1, 1), self.counts)
        order = np.argsort(merged[:, 0])
        flat = merged[order, 0]
        return Histogram(
            (flat // width).astype(np.int64),
            (flat % width).astype(np.int32),
            counts[order],
            self.value_count,
            self.hierarchy,
            self.missing,
            self.places,
        )


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The equivalence classes of a (possible) release: their sizes and the sensitive values inside."""

    sizes: NDArray[np.int64]  # (classes,)
    histograms: Mapping[str, Histogram] = field(default_factory=dict)  # by sensitive column

    def keep(self, kept: NDArray[np.bool_]) -> ClassCounts:
        """The counts of a release in which only these classes are published."""
        number = np.cumsum(kept) - 1
        histograms = {}
        for column, h in self.histograms.items():
            inside = kept[h.classes]
            histograms[column] = replace(
                h, classes=number[h.classes[inside]], values=h.values[inside], counts=h.counts[inside]
            )
        return ClassCounts(self.sizes[kept], histograms)

    def histogram(self, column: str) -> Histogram:
        if column not in self.histograms:
            raise InternalError(f"The values of column '{column}' were not counted, but a guarantee speaks of it.")
        return self.histograms[column]


@runtime_checkable
class Guarantee(Protocol):
    """A promise about a release. `kind` says of what data.

    Every guarantee declares all four numbers, None where it promises nothing about them.

    Examples
    --------
    >>> import shoal
    >>> isinstance(shoal.KAnonymity(5), shoal.Guarantee)
    True
    """

    name: ClassVar[str]
    kind: ClassVar[Kind]

    @property
    def k(self) -> int | None:
        """So many records, at least, look alike or fit what is known."""
        ...

    @property
    def l(self) -> float | None:  # noqa: E743  # the name of the parameter in the literature and in every recipe
        """So many sensitive values, at least, are possible."""
        ...

    @property
    def m(self) -> int | None:
        """So many items or values of a person may be known."""
        ...

    @property
    def n(self) -> int | None:
        """Of so many pairs of known values it may be known how they belong together."""
        ...

    @property
    def sensitive(self) -> str | None:
        """The sensitive column the guarantee speaks of, if any."""
        ...

    def sentence(self) -> str:
        """The promise as a person reads it."""
        ...

    def technical(self) -> str:
        """The promise as an auditor reads it, for example '5-anonymity'."""
        ...


@runtime_checkable
class ClassGuarantee(Guarantee, Protocol):
    """A promise about every equivalence class of a table.

    Pruning relies on two declared facts, and on nothing else:

    - `monotone`: if every class of a release meets the guarantee, so does every class of any coarser release.
    - `monotone_with_suppression`: a class that meets the guarantee still does after it is merged with *any* other
      class, failing ones included. Then the number of records in failing classes never grows by generalizing.
    """

    @property
    def monotone(self) -> bool: ...

    @property
    def monotone_with_suppression(self) -> bool: ...

    def failing(self, classes: ClassCounts) -> NDArray[np.bool_]:
        """(classes,): True where a class breaks the promise."""
        ...


def of_classes(guarantees: Iterable[Guarantee]) -> tuple[ClassGuarantee, ...]:
    """The same guarantees, for a method that asks about classes. The recipe has refused any other for a table."""
    asked: list[ClassGuarantee] = []
    for guarantee in guarantees:
        if not isinstance(guarantee, ClassGuarantee):
            raise InternalError(f"{guarantee.technical()} is not a promise about the classes of a table.")
        asked.append(guarantee)
    return tuple(asked)
