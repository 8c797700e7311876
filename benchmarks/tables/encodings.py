"""How much longer a CSV file in Windows-1252 takes to read than the same in UTF-8, by the makers and by the verifier.

python -m benchmarks.tables.encodings 10000000

SYNTHETIC people with umlauts in names and towns. Each file is read as often as the other, in turn; the best times are compared.
Prints one JSON object.
"""

from __future__ import annotations

import gc
import json
import tempfile
import time
from pathlib import Path

import duckdb

from benchmarks.lib import usage
from shoal.io.reading import RowReading
from shoal.io.source import open_source
from shoal.verifier.originals import open_original
from shoal.verifier.recipe.places import Input
from shoal.verifier.schema import Column, Role, Schema
from shoal.verifier.sql.duckdb import DuckDBSql, connection

ROUNDS = 2
_PIECE = 16 << 20
_NAMES = ("Müller", "Schäfer", "Groß", "Weber", "Köhler", "Jäger", "Hahn", "Böhm")
_TOWNS = ("Köln", "Düsseldorf", "Münster", "Ulm", "Görlitz", "Aachen")
WRITTEN = {"geboren": "dd.mm.yyyy", "betrag": "1.234,5"}


def make(rows: int, folder: Path) -> dict[str, Path]:
    """The same rows in two encodings."""
    utf8, windows = folder / "people.csv", folder / "people-1252.csv"
    con = duckdb.connect()
    names, towns = (str(list(words)) for words in (_NAMES, _TOWNS))
    con.execute(
        f"COPY (SELECT {names}[1 + (hash(range, 1) % {len(_NAMES)})::INT] || ' ' || range AS name, "
        "strftime(DATE '1930-01-01' + (hash(range, 2) % 30000)::INT, '%d.%m.%Y') AS geboren, "
        f"{towns}[1 + (hash(range, 3) % {len(_TOWNS)})::INT] AS ort, "
        "(1 + hash(range, 4) % 9) || '.' || (100 + hash(range, 5) % 900) || ',' || (10 + hash(range, 6) % 90) AS betrag "
        f"FROM range({rows})) TO '{utf8}' (FORMAT csv, DELIMITER ';', HEADER)"
    ).fetchall()
    con.close()
    with utf8.open(encoding="utf-8", newline="") as read, windows.open("w", encoding="cp1252", newline="") as write:
        while piece := read.read(_PIECE):
            write.write(piece)
    return {"utf-8": utf8, "windows-1252": windows}


def by_makers(path: Path, encoding: str, written: dict[str, str]) -> float:
    """Seconds to read a file into memory, checked."""
    started = time.perf_counter()
    open_source(path, RowReading(delimiter=";", encoding=encoding, written=written))
    return time.perf_counter() - started


def by_verifier(path: Path, encoding: str, written: dict[str, str]) -> float:
    """The same by the verifier's own reader."""
    schema = Schema(tuple(Column(name, Role.PLAIN, written=written.get(name, "")) for name in ("geboren", "betrag")))
    with connection() as con:
        started = time.perf_counter()
        open_original(DuckDBSql(con), "original", Input(path=path, delimiter=";", encoding=encoding), schema)
        return time.perf_counter() - started


def main(rows: int) -> None:
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = make(rows, Path(folder))
        for _ in range(ROUNDS):
            for encoding, path in files.items():
                for who, read in (("makers", by_makers), ("verifier", by_verifier)):
                    times.setdefault(f"{who}, {encoding}", []).append(read(path, encoding, {}))
                    gc.collect()
        for who, read in (("makers", by_makers), ("verifier", by_verifier)):
            times[f"{who}, windows-1252, with `written`"] = [read(files["windows-1252"], "windows-1252", WRITTEN)]
            gc.collect()
        size = files["utf-8"].stat().st_size
    best = {what: round(min(seconds), 2) for what, seconds in times.items()}
    ratios = {who: round(best[f"{who}, windows-1252"] / best[f"{who}, utf-8"], 2) for who in ("makers", "verifier")}
    print(json.dumps({"rows": rows, "bytes": size, "seconds": best, "windows-1252 : utf-8": ratios}))


if __name__ == "__main__":
    main(int(usage.given(__doc__, 1, 1)[0]))
