"""What anyone's table attains, whoever made it: the k, l, t and m that it keeps and what it lost, in figures and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from shoal.report.notebook import attained_html
from shoal.report.risk import Line


@dataclass(frozen=True)
class Diversity:
    """How mixed the values of a private column are among those who look the same: in the worst class.

    Examples
    --------
    >>> import polars, shoal
    >>> people = polars.DataFrame({"sex": ["f", "f", "m", "m"], "flu": ["yes", "no", "yes", "no"]})
    >>> shoal.measure(people, quasi="sex", sensitive="flu").private[0].distinct
    2
    """

    column: str
    distinct: int  # different values: it is distinct l-diverse up to this l
    entropy: float  # … and entropy l-diverse up to this one
    recursive: (
        float | None
    )  # recursive (c, 2)-diverse for every c above this; None: for none, everyone in a class has the same
    t: float  # t-close from this t on, any two values equally far apart
    t_ordered: float | None  # the same where values have an order, of numbers and dates; else None


@dataclass(frozen=True)
class MeasuredLoss:
    """How much a release lost against its original, by one loss.

    Attributes
    ----------
    name, title, formula : str
        As `shoal.losses()` has them.
    value : float or None
        None where it cannot be told; `reason` says why.
    reason : str
        Empty where there is a value.
    share : bool
        Whether it lies between 0 and 1.
    column : str
        The private column that it looks at, if any.

    Examples
    --------
    >>> import polars, shoal
    >>> before = polars.DataFrame({"age": ["31", "32", "38", "39"]})
    >>> after = polars.DataFrame({"age": ["30-35", "30-35", "36-39", "36-39"]})
    >>> shoal.measure(after, quasi="age", original=before).loss("ncp").value
    0.5
    """

    name: str
    title: str
    value: float | None
    reason: str
    formula: str
    share: bool
    column: str = ""

    @property
    def figure(self) -> str:
        """The value in few digits, or why there is none."""
        return f"not measured: {self.reason}" if self.value is None else f"{self.value:.4g}"


@dataclass(frozen=True)
class Attained:
    """What a table attains, and what it lost where an original was given.

    Attributes
    ----------
    quasi : tuple of str
        The columns that others could know.
    records, classes, unique_records : int
        Of the table; classes are groups of records that look the same.
    k : int
        The size of the smallest class.
    known : dict
        Of item sets: known items → records that hold them, at least.
    private : tuple of Diversity
        l and t of each private column.
    losses : tuple of MeasuredLoss
        Against the original; empty without one.
    original_records : int or None
        Of the original; None without one.

    Examples
    --------
    >>> import polars, shoal
    >>> people = polars.DataFrame({"sex": ["f", "f", "m", "m", "m"], "flu": ["yes", "no", "yes", "no", "no"]})
    >>> shoal.measure(people, quasi="sex", sensitive="flu")
    Attained(k 2 of 5 records, flu: l 2, t 0.100)
    """

    quasi: tuple[str, ...]
    records: int
    classes: int
    k: int
    unique_records: int
    known: dict[int, int]  # of item sets: who knows so many items of a person finds so many records, at least
    private: tuple[Diversity, ...]
    losses: tuple[MeasuredLoss, ...] = ()
    original_records: int | None = None

    def loss(self, name: str, column: str = "") -> MeasuredLoss:
        """Of this name; column: where one loss is measured for several."""
        for one in self.losses:
            if one.name == name and column in ("", one.column):
                return one
        listed = ", ".join(dict.fromkeys(loss.name for loss in self.losses)) or "none; give an original"
        raise KeyError(f"No loss '{name}' was measured. Losses: {listed}.")

    def to_json(self) -> dict[str, Any]:
        """As `shoal measure --json` prints it."""
        return {**asdict(self), "known": {str(m): k for m, k in self.known.items()}}

    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""
        return tuple(Line(f"{name}: {figure}", name == "k") for name, figure in self.rows().items())

    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        alike = "somebody looks like nobody else" if self.k == 1 else f"everyone looks like at least {others}"
        rows = {
            "k": f"{self.k:,} ({alike} by {', '.join(self.quasi)})",
            "records": f"{self.records:,} in {self.classes:,} groups of those who look the same",
            "alone in their group": f"{self.unique_records:,}",
        }
        for m, k in self.known.items():
            rows[f"k for {m} known item{'s' if m > 1 else ''}"] = f"{k:,}"
        for one in self.private:
            recursive = (
                "none: some group has one value" if one.recursive is None else f"(c, 2) for c above {one.recursive:.4g}"
            )
            rows[f"l of {one.column}"] = (
                f"{one.distinct:,} distinct; {one.entropy:.4g} by entropy; recursive {recursive}"
            )
            ordered = "" if one.t_ordered is None else f"; {one.t_ordered:.4g} in the order of its values"
            rows[f"t of {one.column}"] = f"{one.t:.4g}{ordered}"
        if self.original_records is not None:
            rows["records of the original"] = f"{self.original_records:,}, of which {self.records:,} are published"
        for loss in self.losses:
            rows[f"{loss.title}{f' of {loss.column}' if loss.column else ''}"] = loss.figure
        return rows

    def __repr__(self) -> str:
        private = "".join(f", {one.column}: l {one.distinct}, t {one.t:.3f}" for one in self.private)
        lost = next(
            (f", NCP {loss.figure}" for loss in self.losses if loss.name == "ncp" and loss.value is not None), ""
        )
        return f"Attained(k {self.k:,} of {self.records:,} records{private}{lost})"

    def _repr_html_(self) -> str:
        return attained_html(self.rows())
