"""count: a mergeable summary over batches of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.local.connection import Connection, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.engine import Counter


def count(con: Connection, counter: Counter[Any], columns: Sequence[str]) -> Any:
    total = counter.empty()
    for batch in con.reader(f"SELECT {', '.join(map(quote, columns))} FROM data"):
        total = counter.merge(total, counter.partial(batch))
    return total
