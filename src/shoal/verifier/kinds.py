"""The registry: who audits which kind of data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.verifier.mixed.audit import audit_mixed
from shoal.verifier.sets.audit import audit_sets
from shoal.verifier.tables.audit import audit_tables
from shoal.verifier.trees.audit import audit_trees

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.verifier.base import Case
    from shoal.verifier.terms import Terms
    from shoal.verifier.verdict import Verdict


@dataclass(frozen=True)
class Kind:
    """How one kind of data is audited."""

    audit: Callable[[Case, Terms], Verdict]
    footers: bool = True  # whether it remains to be seen what a Parquet footer tells; trees look where they are read


KINDS: dict[str, Kind] = {
    "tables": Kind(audit_tables),
    "sets": Kind(audit_sets),
    "mixed": Kind(audit_mixed),
    "trees": Kind(audit_trees, footers=False),
}
