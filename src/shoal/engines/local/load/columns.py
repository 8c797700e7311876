"""load, where records are rows: a source as the view `data`, without its identifying columns; and as `numbered`, to be counted.

Columns of sets are brought into one form first; `data` is a table then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.driver.connection import Connection, quote, text
from shoal.engines.local.loaded import Loaded
from shoal.engines.local.missing import FLOATS, is_nan, types, without_codes, without_empty
from shoal.engines.local.records import Records, few_texts, number_of, reading
from shoal.engines.local.sets import load_sets

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.io.source import Source


def load(con: Connection, source: Source, schema: Schema) -> Loaded:
    """Records whose cells are single values or sets of items."""
    if source.files:
        # DuckDB takes `people[1].parquet` for a pattern and `sex=F/` for a column: neither is meant
        paths = ["".join(f"[{s}]" if s in "*?[" else s for s in str(file.absolute())) for file in source.files]
        files = f"[{', '.join(map(text, paths))}]"
        origin = f"read_parquet({files}, hive_partitioning=false)"
    else:
        con.register("source", source.table)
        files, origin = "", "source"
    kinds, published = types(con, origin), schema.published
    codes = {name: (*source.missing, *schema.codes(name)) for name in published}

    def value(name: str) -> str:
        read = quote(name)
        if kinds[name] in FLOATS and name in schema.quasi:
            # NaN means missing, -0.0 is 0.0: neither may form a class of its own
            read = f"CASE WHEN {is_nan(read)} THEN NULL ELSE {read} + 0.0 END"
        return without_codes(read, quote(name), kinds[name], codes[name])

    sets = [name for name in schema.sets if name in published]
    values = {name: quote(name) if name in sets else value(name) for name in published}
    with reading():
        origin, empty = without_empty(con, origin, values, kinds, schema)
    if sets:
        return _with_sets(con, sets, values, origin, empty)
    con.run(
        f"CREATE TEMP VIEW data AS SELECT {', '.join(f'{values[n]} AS {quote(n)}' for n in published)} FROM {origin}"
    )
    (records,) = con.one("SELECT count(*) FROM data")
    with reading():
        coded = few_texts(con, files, origin, codes, records) if files else frozenset()
    numbered = (f"{number_of(c, n) if n in coded else values[n]} AS k{c}" for c, n in enumerate(published))
    con.run(f"CREATE TEMP VIEW numbered AS SELECT {', '.join(numbered)} FROM {origin}")
    return Loaded(Records(records, published, coded, empty), origin=origin, values=values)


def _with_sets(con: Connection, columns: list[str], values: dict[str, str], origin: str, empty: int) -> Loaded:
    values |= {column: f"coalesce({quote(column)}, [])::VARCHAR[]" for column in columns}
    with reading():
        (records,) = con.one(f"SELECT count(*) FROM {origin}")
        sets = load_sets(con, columns, values, origin, records)
    con.run(
        f"CREATE TEMP VIEW numbered AS SELECT {', '.join(f'{quote(n)} AS k{c}' for c, n in enumerate(values))} FROM data"
    )
    return Loaded(Records(records, tuple(values), empty=empty), sets, origin=origin, values=values)
