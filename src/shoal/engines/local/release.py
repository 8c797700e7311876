"""What a recoding leaves behind in the local engine: the records to be written, and who shows what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from shoal.data.trees import TreeShape
    from shoal.engines.engine import Written
    from shoal.engines.local.values import Applied


@dataclass(frozen=True, eq=False)
class Release:
    """The tables `release` and, where classes show values of their own, `assigned`, and how they are read."""

    written: Written
    applied: Applied
    rows: Callable[[], pa.RecordBatchReader]  # one record after the other, in their final order
    assignment: Callable[[], pa.RecordBatchReader] | None = None  # None where what is shown follows from what is held
    shape: TreeShape | None = None  # of trees, which are written as JSON where others are written as CSV
