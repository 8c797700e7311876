"""Columns that are published as they are, and tell so many people apart that whoever knows them finds the record.

No promise speaks of them. A name, a case number or the exact weight of a person left in such a column undoes every promise about
the others. So it fails when more than 5 % of the records are alone with their value in one of these columns, or in two together,
unless the recipe accepts it openly. In small releases a few rare values are no sign of an identifier: there it takes ten people,
or all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.verifier.recipe.guarantees import Guarantee
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.tables.groups import Groups
    from shoal.verifier.terms import Terms

NAME = "columns published as they are"
_ONE_IN = 20  # more than one in so many people told apart is too many
_FEW = 10  # fewer may be alone by chance, unless they are all there are
_SHOWN = 3  # pairs that are named; there may be many


@dataclass(frozen=True)
class AsTheyAre:
    """Where columns that are published as they are can be counted. `number`: the SQL of how many records a group of rows is."""

    sql: Sql
    table: str
    columns: Mapping[str, str]  # name → SQL
    number: str = "count(*)"

    @classmethod
    def of(cls, source: Source, terms: Terms, groups: Groups | None = None) -> AsTheyAre:
        """groups: of the same source; they are fewer than its rows."""
        if groups is not None and set(terms.others) <= set(groups.others):
            sql, table = groups.nearest
            return cls(sql, f"{table} AS g", {name: groups.columns[name] for name in terms.others}, "sum(c)")
        return cls(source.sql, source.relation, {name: source.column(name) for name in terms.others})

    def alone(self, names: Sequence[str]) -> tuple[int, int]:
        """How many different combinations there are, and how many of them one record has."""
        picked = ", ".join(f"{self.columns[name]} AS v{i}" for i, name in enumerate(names))
        keys = ", ".join(f"v{i}" for i in range(len(names)))
        rows = f"SELECT {picked}{'' if self.number == 'count(*)' else ', c'} FROM {self.table}"
        groups = f"SELECT {self.number} AS n FROM ({rows}) AS r GROUP BY {keys}"
        ((different, alone),) = self.sql.rows(
            f"SELECT count(*) AS d, count(*) FILTER (WHERE n = 1) AS u FROM ({groups}) AS found"
        )
        return int(different), int(alone)


def check_unique(
    found: AsTheyAre, records: int, accepted: frozenset[str], guarantees: Iterable[Guarantee]
) -> tuple[list[Check], dict[str, Any]]:
    """No check where no column is published as it is."""
    if not found.columns or not records:
        return [], {}
    singles = {name: found.alone([name]) for name in found.columns}
    counts: dict[tuple[str, ...], int] = {(name,): alone for name, (_, alone) in singles.items() if alone}
    counts |= _pairs(
        found, {name: d for name, (d, u) in singles.items() if not _too_many(u, records)}, records, accepted
    )
    many = {names: alone for names, alone in counts.items() if _too_many(alone, records)}
    wrong = {names: alone for names, alone in many.items() if not accepted.intersection(names)}
    facts = {"unique": [{"columns": list(names), "records": alone} for names, alone in counts.items()]}
    if wrong:
        details = [
            f"{_named(names)} published as {'it is' if len(names) == 1 else 'they are'}, and {alone:,} of {records:,} records are "
            f"alone with what they show there: whoever knows it finds the person."
            for names, alone in wrong.items()
        ]
        cure = (
            "Remove it, or give it the role 'quasi'. If nobody can know these values, the recipe may say so: `accept_unique = "
            "true` and a `reason`."
        )
        return [Check(NAME, False, " ".join([*details, cure]))], facts
    least = max([2, *(getattr(g, name, None) or 2 for g in guarantees for name in ("k", "l"))])
    if not many:
        many_columns = f"None of {len(found.columns):,}, and no two together, tells"
        which = "It does not tell" if len(found.columns) == 1 else many_columns
        return [Check(NAME, True, f"{which} more than 5 % of the records apart, or only few.")], facts
    shares = [
        f"{_named(names)} published as {'it is' if len(names) == 1 else 'they are'}, and "
        f"{100 * alone / records if alone >= least else 5:.1f} % of the records{'' if alone >= least else ' or more'} are alone "
        "with what they show there. The recipe accepts it."
        for names, alone in many.items()
    ]
    return [Check(NAME, True, " ".join(shares))], facts


def _pairs(
    found: AsTheyAre, different: Mapping[str, int], records: int, accepted: frozenset[str]
) -> dict[tuple[str, ...], int]:
    """Two columns that tell too many apart together; all that hold an accepted column, and the first few of the others.

    different: of columns that alone do not, how many values each has. No more records can be alone than there are combinations,
    and none are alone with two columns who are not with all.
    """
    likely = [
        pair
        for pair in combinations(different, 2)
        if _too_many(min(different[pair[0]] * different[pair[1]], records), records)
    ]
    if len(likely) > 1 and not _too_many(found.alone(list(different))[1], records):
        return {}
    made: dict[tuple[str, ...], int] = {}
    for pair in likely:
        if len([names for names in made if not accepted.intersection(names)]) == _SHOWN:
            break
        alone = found.alone(pair)[1]
        if _too_many(alone, records):
            made[pair] = alone
    return made


def _too_many(alone: int, records: int) -> bool:
    return alone * _ONE_IN > records > 1 and (alone >= _FEW or alone == records)


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"Column '{names[0]}' is"
    return f"Columns {' and '.join(repr(name) for name in names)} are"
