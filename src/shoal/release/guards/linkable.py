"""Refuse data that could be linked by a column that is published as it is, before anything is decided.

The verifier asks the same of what is published, and counts for itself (`verifier/unique.py`). Here all records count: those that
will be suppressed are not known yet.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.verifier.unique import NAME as UNIQUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.plan import Plan
    from shoal.verifier.verdict import Verdict

_SHARE = 20  # one in so many people may be alone with a value
_FEW = 10  # below this it takes all people
_NAMED = 3  # pairs of columns that are named
CURE = (
    "Give it the role 'identifying' or 'quasi'. If nobody outside can know these values, say `accept_unique = true` and a "
    "`reason`, which page 1 of the report prints."
)


def refuse_linkable(plan: Plan, engine: Engine, records: int) -> None:
    """It is the roles that are at fault, not the data: so this is a mistake of the recipe."""
    problems = list(linkable(plan.schema, engine, records))
    if problems:
        raise RecipeError(*problems)


def refuse_linked(verdict: Verdict) -> None:
    """What only the verifier could see: of the published records more are alone than of all, or are so with sensitive items. The
    person who wrote the recipe reads what to change in it, and not that a draft did not pass."""
    failed = [check for check in verdict.checks if not check.passed]
    if [check.name for check in failed] == [UNIQUE]:
        raise RecipeError(f"columns: {failed[0].detail} Nothing was published.")


def linkable(schema: Schema, engine: Engine, records: int) -> Iterator[str]:
    """What is wrong, by column."""
    different: dict[str, int] = {}
    for name in schema.scalars:
        values, alone = engine.uniques([name])
        if not too_many(alone, records):
            different[name] = values
        elif name not in schema.accepted:
            yield (
                f"columns.{name}: is published as it is, and {alone:,} of {records:,} people are alone with their value: whoever "
                f"knows it finds their record. {CURE}"
            )
    open_ = [name for name in different if name not in schema.accepted]
    pairs = [
        (one, other)
        for one, other in combinations(open_, 2)
        if too_many(min(records, different[one] * different[other]), records)
    ]
    # who is alone with two of the columns is alone with all of them
    if len(pairs) > 1 and not too_many(engine.uniques(open_)[1], records):
        return
    named = 0
    for one, other in pairs:
        alone = engine.uniques([one, other])[1]
        if too_many(alone, records):
            yield (
                f"columns.{one}: is published as it is, and so is '{other}'; {alone:,} of {records:,} people are alone with their "
                f"two values: whoever knows both finds their record. {CURE}"
            )
            named += 1
        if named == _NAMED:
            return


def too_many(alone: int, records: int) -> bool:
    """More than 5 % of the people, and ten of them or more, or all."""
    return alone * _SHARE > records > 1 and (alone >= _FEW or alone == records)
