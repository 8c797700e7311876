"""The risk of a table as it is: how many people share each combination of quasi-identifiers, and which columns single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.risk import Grid, Line, RiskAssessment, other_attackers, share, without_grid
from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.attacks.risk import Risk
    from shoal.attacks.tables.combinations import Riskiest
    from shoal.attacks.tables.register import RegisterRisk
    from shoal.attacks.without import Without

_SIZES = ((1, "one column"), (2, "two columns together"), (3, "three columns together"))
_NAMED = 5  # combinations of each size
_SHOWN = 4  # of each size, on a page


@dataclass(frozen=True)
class Assessment(RiskAssessment):
    """Risk figures, and the column combinations that make most records unique.

    Examples
    --------
    >>> import shoal
    >>> shoal.risk("demo/patients.csv", quasi=["age", "sex", "postcode"]).headline
    '69 in 100 people could be recognised'
    """

    columns: tuple[str, ...]
    risk: Risk
    riskiest: Riskiest
    empty_rows: int = 0  # without any published value: no records
    without: tuple[Without, ...] = ()  # each column left out, the one that buys most first
    register: RegisterRisk | None = None  # of the population, where the recipe names one

    def grids(self) -> tuple[Grid, ...]:
        """Columns that single people out, and what leaving one out would buy."""
        return (*without_grid(self.without, self.risk.average, self.risk.sample_uniques), *riskiest_grid(self.riskiest))

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "columns": list(self.columns),
            **self.risk.to_json(),
            "empty_rows": self.empty_rows,
            **riskiest_json(self.riskiest),
            "without": [asdict(one) for one in self.without],
            **({} if self.register is None else {"register": self.register.to_json()}),
        }

    def __repr__(self) -> str:
        r = self.risk
        return (
            f"Assessment({r.records:,} records, {r.sample_uniques:,} unique on {', '.join(self.columns)}; highest risk "
            f"1 in {r.smallest_class:,}, average {r.prosecutor.average:.4f})"
        )

    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""
        risk, attacker = self.risk, self.risk.prosecutor
        unique = f"{risk.sample_uniques:,} of {risk.records:,} records ({share(risk.sample_uniques, risk.records)})"
        lines = [
            Line(f"{unique} are unique on {', '.join(self.columns)}.", bold=True),
            Line(
                f"The {risk.records:,} records form {risk.classes:,} classes; the smallest has {risk.smallest_class:,}."
            ),
            Line("Prosecutor (knows the person is in the data)"),
            Line(f"  highest 1 in {risk.smallest_class:,}; average {attacker.average:.4f}"),
        ]
        if attacker.records_at_risk is not None:
            at_risk = f"{attacker.records_at_risk:,} records ({attacker.share_at_risk:.1%})"
            lines.append(Line(f"  above {risk.threshold:g}: {at_risk}"))
        return (*lines, *other_attackers(risk, self.register), *riskiest_lines(self.riskiest))

    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""
        risk = self.risk
        return {
            "records": f"{risk.records:,}",
            "alone in their class": f"{risk.sample_uniques:,}",
            "highest risk": f"1 in {risk.smallest_class:,}",
            "average risk": f"{risk.prosecutor.average:.4f}",
            "marketer": f"{risk.marketer:.4f}",
        }


def riskiest_json(riskiest: Riskiest) -> dict[str, Any]:
    """Combinations of columns that make most records unique."""
    return {
        "riskiest": [asdict(combination) for combination in riskiest.combinations],
        "combinations_examined": riskiest.examined,
    }


def riskiest_grid(riskiest: Riskiest) -> tuple[Grid, ...]:
    """The combinations of each size that make most people unique."""
    telling = [c for size, _ in _SIZES for c in riskiest.of_size(size)[:_SHOWN] if c.unique_records]
    rows = tuple((" + ".join(c.columns), f"{c.unique_records:,}", percent(c.share)) for c in telling)
    if not rows:
        return ()
    return (Grid("Columns that single people out", ("known together", "people who are unique", "share"), rows),)


def riskiest_lines(riskiest: Riskiest) -> tuple[Line, ...]:
    """The same in words."""
    telling = [c for c in riskiest.combinations if c.unique_records]
    lines = [Line("Columns that single people out:" if telling else "No one is unique on up to three of the columns.")]
    for size, title in _SIZES:
        of_size = [c for c in telling if len(c.columns) == size]
        lines += [Line(f"  {title}")] if of_size else []
        lines += [
            Line(f"    {c.share:7.1%}  {c.unique_records:>10,} unique  {' + '.join(c.columns)}")
            for c in of_size[:_NAMED]
        ]
    return tuple(lines)
