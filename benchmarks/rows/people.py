"""Make a large table of made-up people: Adult resampled to N rows, with jitter, as one Parquet file.

    python -m benchmarks.rows.people 10000000 FOLDER

Rows are drawn with replacement; then age moves by up to 3 years and the working hours by up to 5, so that many tuples are
distinct: a table that merely repeats Adult has 18,000 of them, however many rows. Which row is drawn and how far it moves is a
function of the row's number and a seed: the same call makes the same rows. With `identified`, a column `key` is added that is
nearly unique, for recipes that publish it as it is. Writes `people.parquet` and `hours-per-week.csv`, the hierarchy of the
column that Adult's own hierarchies lack.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import duckdb

from benchmarks.lib import usage
from benchmarks.lib.places import SHARED

ADULT = SHARED / "data/relational/adult"
QUASI = ("age", "hours-per-week", "sex", "race", "marital-status", "education", "native-country", "occupation")
SENSITIVE = "salary-class"
KEY = "key"
SEED = 7
_MEMORY = "500MB"


def make(
    rows: int, folder: Path, *, seed: int = SEED, identified: bool = False, repeats_after: int | None = None
) -> Path:
    """The path of the data. `repeats_after`: so many rows, over and over; tables of different size then have the same tuples."""
    target = folder / "people.parquet"
    con = duckdb.connect(config={"threads": "2", "memory_limit": _MEMORY, "temp_directory": str(folder / "spill")})
    con.execute("SET enable_progress_bar = false").fetchall()
    con.execute(
        "CREATE TABLE adult AS SELECT *, row_number() OVER () - 1 AS position "
        f"FROM read_csv('{ADULT}/adult_complete_30162.csv.gz')"
    ).fetchall()
    ((records,),) = con.execute("SELECT count(*) FROM adult").fetchall()
    names = ", ".join(f'"{name}"' for name in (*QUASI[2:], SENSITIVE))
    # the key: drawn from twice as many numbers as there are rows, so that most occur once and some twice
    key = f", hash(n, {seed}, 3) % {2 * rows} AS {KEY}" if identified else ""
    number = "range" if repeats_after is None else f"range % {repeats_after}"
    con.execute(
        f"COPY (SELECT greatest(17, least(90, age + (hash(n, {seed}, 1) % 7)::INTEGER - 3)) AS age, "
        f'greatest(1, least(99, "hours-per-week" + (hash(n, {seed}, 2) % 11)::INTEGER - 5)) AS "hours-per-week", '
        f"{names}{key} FROM (SELECT {number} AS n FROM range({rows})) JOIN adult ON hash(n, {seed}, 0) % {records} = position) "
        f"TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
    ).fetchall()
    con.close()
    _write_hours(folder / "hours-per-week.csv")
    return target


def hierarchy_file(folder: Path, name: str) -> Path:
    return folder / "hours-per-week.csv" if name == "hours-per-week" else ADULT / "hierarchies" / f"{name}.csv"


def distinct_tuples(data: Path) -> int:
    names = ", ".join(f'"{name}"' for name in QUASI)
    with duckdb.connect(config={"memory_limit": "2GB", "temp_directory": str(data.parent / "spill")}) as con:
        ((number,),) = con.execute(
            f"SELECT count(*) FROM (SELECT {names} FROM read_parquet('{data}') GROUP BY ALL)"
        ).fetchall()
    return int(number)


def _write_hours(path: Path) -> None:
    def interval(hours: int, width: int) -> str:
        low = hours // width * width
        return f'"[{max(low, 1)}; {low + width}["'

    path.write_text("".join(f"{h};{';'.join(interval(h, width) for width in (10, 20, 40))};*\n" for h in range(1, 100)))


if __name__ == "__main__":
    number, file = usage.given(__doc__, 2, 2)
    place = Path(file)
    place.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    made = make(int(number), place)
    print(
        json.dumps(
            {
                "rows": int(number),
                "distinct_tuples": distinct_tuples(made),
                "bytes": made.stat().st_size,
                "seconds": round(time.perf_counter() - started, 1),
            }
        )
    )
