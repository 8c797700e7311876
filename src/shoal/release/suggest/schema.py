"""What kind of data a proposal makes of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.suggest.summary import Suggestion


def schema_of(suggestions: Sequence[Suggestion]) -> Schema:
    """The columns as they are proposed."""
    return Schema(tuple(Column(one.name, one.role, one.kind) for one in suggestions))
