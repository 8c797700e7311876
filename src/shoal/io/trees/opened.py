"""Nested records that were opened, whatever they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.data.paths import FieldPath
    from shoal.io.trees.batches import Batches


@dataclass(frozen=True, eq=False)
class Opened:
    """Records to be read as often as they are needed, and what was found while they were opened."""

    batches: Batches
    leaves: tuple[FieldPath, ...]  # that are read
    unread: tuple[FieldPath, ...] = ()  # where no schema says what to read: those without a text form
    ties: tuple[FieldPath, ...] = ()  # of tables: columns of keys
    warnings: tuple[str, ...] = ()  # what is wrong with the records, perhaps; with counts, without values
