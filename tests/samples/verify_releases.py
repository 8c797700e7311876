"""Small releases for the tests of the verifier, also in the manner of other tools."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms

if TYPE_CHECKING:
    from shoal.guarantees.guarantee import Guarantee
    from shoal.verifier import Check, Verdict

AGES = Hierarchy.from_paths(
    [(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 50)],
)
ILLNESSES = Hierarchy.from_paths(
    [("flu", "lungs", "*"), ("angina", "lungs", "*"), ("ulcer", "belly", "*"), ("colic", "belly", "*")]
)


def schema(**roles: str) -> Schema:
    """`schema(age="quasi", illness="sensitive")`. In so few records everyone is alone with a value, which is accepted."""
    return Schema(
        tuple(Column(name, Role(role), accept_unique=role in ("sensitive", "plain")) for name, role in roles.items())
    )


def terms(*guarantees: Guarantee, **more: Any) -> Terms:
    """Over the columns age and zip (quasi) and illness (sensitive) unless a schema is given; 2-anonymity by default."""
    columns = more.pop("schema", schema(age="quasi", zip="quasi", illness="sensitive"))
    return Terms(columns, guarantees or (KAnonymity(2),), **more)


def people(*rows: tuple[Any, ...], names: tuple[str, ...] = ("age", "zip", "illness")) -> pa.Table:
    columns = {name: pa.array([row[i] for row in rows]) for i, name in enumerate(names)}
    return pa.table(
        {name: array.cast(pa.string()) if array.type == pa.null() else array for name, array in columns.items()}
    )


def figures(verdict: Verdict) -> dict[str, Any]:
    """All but who is alone with a value, which is tested by itself."""
    return {name: figure for name, figure in verdict.facts.items() if name != "unique"}


def of_values(verdict: Verdict) -> Verdict:
    """Without what is asked of files only."""
    return replace(verdict, checks=tuple(one for one in verdict.checks if one.name not in ("one form", "row order")))


def check(verdict: Verdict, name: str) -> Check:
    (found,) = (one for one in verdict.checks if one.name == name)
    return found


KEPT = people(
    ("20-29", "13***", "flu"),
    ("20-29", "13***", "ulcer"),
    ("30-39", "14***", "flu"),
    ("30-39", "14***", "angina"),
    ("30-39", "14***", "colic"),
)
