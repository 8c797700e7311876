"""load: make a source visible as the view `data`, without its identifying columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.local.connection import Connection, quote, text

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.io.source import Source


def load(con: Connection, source: Source, schema: Schema) -> int:
    if source.path is not None and source.kind == "parquet":
        origin = f"read_parquet({text(str(source.path))})"
    else:
        con.register("source", source.table)
        origin = "source"
    types = con.table(f"DESCRIBE SELECT * FROM {origin}").to_pydict()
    floats = {n for n, t in zip(types["column_name"], types["column_type"], strict=True) if t in ("FLOAT", "DOUBLE")}
    columns = ", ".join(
        # NaN means missing, and -0.0 is 0.0: neither may form a class of its own
        f"nullif({quote(name)} + 0.0, 'NaN'::DOUBLE) AS {quote(name)}" if name in floats else quote(name)
        for name in schema.published
    )
    con.run(f"CREATE TEMP VIEW data AS SELECT {columns} FROM {origin}")
    return con.one("SELECT count(*) FROM data")[0]
