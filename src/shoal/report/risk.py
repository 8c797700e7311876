"""The risk of data as it is, in words: the lines that the command prints, and the rows that a notebook shows.

What only one kind of data has to say stands in `risk.py` of its slice. No value and no item is ever named.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.report.notebook import risk_html
from shoal.report.words import listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.risk import Risk
    from shoal.attacks.tables.register import RegisterRisk
    from shoal.attacks.uniqueness.estimate import Uniqueness
    from shoal.attacks.without import Without


@dataclass(frozen=True)
class Line:
    """One line of what a person reads first to last."""

    text: str
    bold: bool = False


class RiskAssessment(ABC):
    """The base of frozen dataclasses that have these fields, and others of their own: figures, and how they are told.

    Examples
    --------
    >>> import shoal
    >>> isinstance(shoal.risk("demo/patients.csv", quasi=["age"]), shoal.RiskAssessment)
    True
    """

    risk: Risk
    empty_rows: int  # without any published value: no records

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers."""

    @abstractmethod
    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""

    @property
    def headline(self) -> str:
        """What is said first and large: '78 in 100 people could be recognised'."""
        return f"{in_a_hundred(self.risk.average)} could be recognised"

    def grids(self) -> tuple[Grid, ...]:
        """What tells people apart, and what leaving a column out would buy: tables of words, for a page."""
        return ()

    @abstractmethod
    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""

    def _repr_html_(self) -> str:
        return risk_html(self.rows())


@dataclass(frozen=True)
class Grid:
    """A table of words. The first column names what a row is about, the others are figures."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def in_a_hundred(share: float | Fraction) -> str:
    """'78 in 100 people', '1 in 400 people', 'nobody'. Never says all of what is not quite so."""
    share = Fraction(share)
    if not share:
        return "nobody"
    if share == 1:
        return "everybody"
    if share * 100 < 1:
        return f"1 in {round(1 / share):,} people"
    return f"{min(99, round(share * 100))} in 100 people"


def what_it_means(columns: Sequence[str]) -> str:
    """The headline, explained. columns: what somebody could know."""
    return (
        f"Somebody who knows {listed([named(name) for name in columns])} of everyone would pick out that many people rightly, in "
        "the data as it is."
    )


def without_grid(
    each: Sequence[Without], average: float | Fraction, uniques: int, what: str = "column"
) -> tuple[Grid, ...]:
    """Which column to leave out or to blur first, and what it would buy. average, uniques: with all of them."""
    if not each:
        return ()
    rows = tuple(
        (
            one.column,
            in_a_hundred(one.average).removesuffix(" people"),
            f"{max(0, uniques - one.unique_records):,}",
            f"{one.small_records:,}",
        )
        for one in each
    )
    first = each[0]
    saved = float(average) - first.average
    note = (
        f"Without {named(first.column)}, {in_a_hundred(first.average)} could be recognised instead of "
        f"{in_a_hundred(average)}. Blurring it buys a part of that."
        if saved > 0
        else f"Leaving out one {what} alone changes nothing."
    )
    heads = (f"without this {what}", "could be recognised", "people no longer unique", "in groups that are too small")
    return (Grid(f"Which {what} to leave out or blur first", heads, rows, note),)


def share(part: int, whole: int) -> str:
    """'12.5%'; of nothing, '0.0%'."""
    return f"{part / whole if whole else 0.0:.1%}"


def plural(amount: int, one: str) -> str:
    """'1 item', '2 items'."""
    return f"{amount} {one}{'s' if amount > 1 else ''}"


def held(different: int, by_one: int) -> str:
    """How many items or values there are, and how many of them are rare."""
    return f"{different:,}, {by_one:,} of them held by one record"


def other_attackers(risk: Risk, register: RegisterRisk | None = None) -> tuple[Line, ...]:
    """Those who do not know that the person is in the data, or want no one in particular."""
    journalist = "  not assessed: give --population"
    if register is not None:
        journalist = f"  highest {register.highest:.4f}; average {register.average:.4f} (counted in a register)"
    if risk.journalist is not None:
        journalist = f"  highest {risk.journalist.highest:.4f}; average {risk.journalist.average:.4f} (estimated)"
    return (
        Line("Journalist (has a register of the population)"),
        Line(journalist),
        *(() if register is None else register_lines(register)),
        *(() if risk.uniqueness is None else (Line(f"  {uniqueness_words(risk.uniqueness)}"),)),
        Line(f"Marketer (wants many): {risk.marketer:.1%} of the records could be matched rightly."),
    )


def uniqueness_words(found: Uniqueness) -> str:
    """How many people are unique in the population, and by which model."""
    if found.model == "none":
        return "unique in the population: none of the records, for none is unique in the data"
    names = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "slide negative binomial"}
    return (
        f"unique in the population: about {found.records:,.0f} of the records, and {found.share:.2%} of all people "
        f"(estimated; model: {names[found.model]})"
    )


def register_words(register: RegisterRisk) -> str:
    """In one sentence: which register, and the fewest people who match."""
    return (
        f"a register of {register.people:,} people, compared by {', '.join(register.columns)}. At least {register.k_map:,} of them "
        f"match every group (k-map). Of those who match, between {register.lowest_presence:.4f} and "
        f"{register.highest_presence:.4f} are published (δ-presence)."
    )


def register_lines(register: RegisterRisk) -> tuple[Line, ...]:
    """What a register of the population says of a table."""
    low, high = register.lowest_presence, register.highest_presence
    lines = [
        Line(f"Register of {register.people:,} people, compared by {', '.join(register.columns)}", bold=True),
        Line(f"  every class is matched by at least {register.k_map:,} of them ({register.k_map:,}-map)"),
        Line(f"  published of those who match: between {low:.4f} and {high:.4f} (δ-presence)"),
        Line(f"  people who match no class, and so are not in the release: {register.absent_people:,}"),
        Line(
            f"  unique in the data: {register.sample_uniques:,} records; of these unique in the register too: "
            f"{register.population_uniques:,}"
        ),
    ]
    if register.records_below_k:
        lines.append(Line(f"  in classes that too few people match: {register.records_below_k:,} records"))
    if register.records_unmatched:
        lines.append(
            Line(
                f"  nobody of the register matches {register.records_unmatched:,} records: it lacks people, or spells otherwise"
            )
        )
    return tuple(lines)
