"""What the facts of every kind of release have in common: what is asked of all of them, and how they are written and read.

The fields stand in the classes themselves, in the order in which each writes them.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self

    from pydantic import TypeAdapter

    from shoal.report.facts import (
        AttackRate,
        ColumnFacts,
        Context,
        Earlier,
        LossFacts,
        PrivateFact,
        Promise,
        Records,
        VerdictFacts,
    )


class ReleaseFacts:
    """The base of frozen dataclasses that have these fields, and others of their own."""

    k: int
    verdict: VerdictFacts
    records: Records
    columns: tuple[ColumnFacts, ...]
    promises: tuple[Promise, ...]
    losses: tuple[LossFacts, ...]
    private_facts: tuple[PrivateFact, ...]
    attacks: tuple[AttackRate, ...]
    context: Context
    earlier: Earlier
    limits: tuple[str, ...]

    @property
    def main_loss(self) -> LossFacts | None:
        """The loss the search made as small as possible, or the first."""
        return next((loss for loss in self.losses if loss.minimised), self.losses[0] if self.losses else None)

    @property
    def protected(self) -> frozenset[str]:
        """Sensitive columns that a promise speaks of."""
        return frozenset(promise.column for promise in self.promises if promise.column)

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers."""
        return _plain_lists(asdict(self))  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The facts that `to_json` wrote; raises ValueError for anything else."""
        read: Self = cls._reader().validate_json(json.dumps(data), strict=True)
        return read

    @classmethod
    @cache
    def _reader(cls) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(cls)


def _plain_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_lists(item) for key, item in value.items()}
    return [_plain_lists(item) for item in value] if isinstance(value, (list, tuple)) else value
