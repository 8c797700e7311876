"""load: make a source visible as the view `data`, without its identifying columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.local.connection import Connection, quote, text

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.io.source import Source


def load(con: Connection, source: Source, schema: Schema) -> int:
    if source.path is not None and source.kind == "parquet":
        # DuckDB takes `people[1].parquet` for a pattern and `sex=F/` for a column: neither is meant
        exact = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(source.path.absolute()))
        origin = f"read_parquet({text(exact)}, hive_partitioning=false)"
    else:
        con.register("source", source.table)
        origin = "source"
    types = con.table(f"DESCRIBE SELECT * FROM {origin}").to_pydict()
    floats = {n for n, t in zip(types["column_name"], types["column_type"], strict=True) if t in ("FLOAT", "DOUBLE")}
    markers = ", ".join(map(text, source.missing))

    def column(name: str) -> str:
        value = quote(name)
        if (
            name in floats and name in schema.quasi
        ):  # NaN means missing, -0.0 is 0.0: neither may form a class of its own
            value = f"nullif({value} + 0.0, 'NaN'::DOUBLE)"
        if markers:
            value = f"CASE WHEN {quote(name)}::VARCHAR IN ({markers}) THEN NULL ELSE {value} END"
        return f"{value} AS {quote(name)}"

    columns = ", ".join(map(column, schema.published))
    con.run(f"CREATE TEMP VIEW data AS SELECT {columns} FROM {origin}")
    return con.one("SELECT count(*) FROM data")[0]
