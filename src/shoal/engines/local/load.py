"""load: make a source visible as the view `data`, without its identifying columns; and as `numbered`, to be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.local.connection import Connection, quote, text
from shoal.engines.local.records import Records, few_texts, number_of, reading
from shoal.engines.local.sets import Sets, load_sets

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.io.source import Source


def load(con: Connection, source: Source, schema: Schema) -> tuple[Records, tuple[Sets, ...]]:
    if source.kind == "parquet":
        # DuckDB takes `people[1].parquet` for a pattern and `sex=F/` for a column: neither is meant
        paths = ["".join(f"[{s}]" if s in "*?[" else s for s in str(file.absolute())) for file in source.files]
        files = f"[{', '.join(map(text, paths))}]"
        origin = f"read_parquet({files}, hive_partitioning=false)"
    else:
        con.register("source", source.table)
        files, origin = "", "source"
    types = con.table(f"DESCRIBE SELECT * FROM {origin}").to_pydict()
    floats = {n for n, t in zip(types["column_name"], types["column_type"], strict=True) if t in ("FLOAT", "DOUBLE")}
    markers = ", ".join(map(text, source.missing))

    def value(name: str) -> str:
        made = quote(name)
        if name in floats and name in schema.quasi:
            # NaN means missing, -0.0 is 0.0: neither may form a class of its own
            made = f"nullif({made} + 0.0, 'NaN'::DOUBLE)"
        return f"CASE WHEN {quote(name)}::VARCHAR IN ({markers}) THEN NULL ELSE {made} END" if markers else made

    published = schema.published
    found = [name for name in schema.sets if name in published]
    if found:
        return _with_sets(con, found, {name: value(name) for name in published}, origin)
    con.run(
        f"CREATE TEMP VIEW data AS SELECT {', '.join(f'{value(n)} AS {quote(n)}' for n in published)} FROM {origin}"
    )
    (records,) = con.one("SELECT count(*) FROM data")
    with reading():
        coded = few_texts(con, files, origin, published, records, source.missing) if files else frozenset()
    numbered = (f"{number_of(c, n) if n in coded else value(n)} AS k{c}" for c, n in enumerate(published))
    con.run(f"CREATE TEMP VIEW numbered AS SELECT {', '.join(numbered)} FROM {origin}")
    return Records(records, published, coded), ()


def _with_sets(
    con: Connection, found: list[str], values: dict[str, str], origin: str
) -> tuple[Records, tuple[Sets, ...]]:
    """The same, where columns hold sets of items: they are brought into one form, and `data` is a table."""
    values |= {column: f"coalesce({quote(column)}, [])::VARCHAR[]" for column in found}
    with reading():
        (records,) = con.one(f"SELECT count(*) FROM {origin}")
        sets = load_sets(con, found, values, origin, records)
    con.run(
        f"CREATE TEMP VIEW numbered AS SELECT {', '.join(f'{quote(n)} AS k{c}' for c, n in enumerate(values))} FROM data"
    )
    return Records(records, tuple(values)), sets
