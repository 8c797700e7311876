"""Make a large table: Adult resampled to N rows, as Parquet. Synthetic: rows are drawn with replacement.

python -m benchmarks.rows.adult 10000000 OUT.parquet
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchmarks.lib import usage
from benchmarks.lib.places import SHARED

ADULT = SHARED / "data/relational/adult/adult_arx_30162.csv.gz"


def make(rows: int, target: Path) -> None:
    con = duckdb.connect()
    con.execute("SET threads = 2").fetchall()
    con.execute(
        f"CREATE TABLE adult AS SELECT *, row_number() OVER () - 1 AS position FROM read_csv('{ADULT}')"
    ).fetchall()
    records = con.execute("SELECT count(*) FROM adult").fetchall()[0][0]
    con.execute(
        f"COPY (SELECT adult.* EXCLUDE (position) FROM (SELECT hash(range, 7) % {records} AS drawn FROM range({rows})) "
        f"JOIN adult ON drawn = position) TO '{target}' (FORMAT parquet)"
    ).fetchall()
    con.close()


if __name__ == "__main__":
    records, file = usage.given(__doc__, 2, 2)
    make(int(records), Path(file))
