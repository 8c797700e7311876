"""Distinct rows, kept or read again, and the codes by which they are compared."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from samples.verify_releases import KEPT
from shoal.verifier.comparing import Packing
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection
from shoal.verifier.tables import groups
from shoal.verifier.tables.groups import count_groups


def counted(table: pa.Table, others: tuple[str, ...] = ("illness",)) -> tuple[Any, list[Any]]:
    with connection() as con:
        made = count_groups(open_source(DuckDBSql(con), "release", table, wanted=()), "release", ("age", "zip"), others)
        return made, con.execute(f"SELECT * FROM {made.table} AS g ORDER BY ALL").fetchall()


def test_groups_are_kept() -> None:
    made, found = counted(pa.concat_tables([KEPT, KEPT]))
    assert made.table == "release_groups"
    assert made.number == 5
    assert found[0] == ("20-29", "13***", "flu", 2)


def test_nearly_unique_rows_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = pa.table({"age": ["1"] * 400, "zip": ["1"] * 400, "illness": [str(i) for i in range(400)]})
    monkeypatch.setattr(groups, "_ALWAYS", 399)
    monkeypatch.setattr(groups, "_SAMPLE", 100)  # of twice the root of 400, 40, at least
    made, found = counted(crowd)
    assert made.table.startswith("(SELECT")
    assert made.number == len(found) == 400
    assert counted(crowd, ())[0].number == 1  # without the column there is nothing to guess
    pairs = pa.table({"age": ["1"] * 400, "zip": ["1"] * 400, "illness": [str(i % 40) for i in range(400)]})
    assert counted(pairs)[0].number == 40
    monkeypatch.setattr(groups, "_ALWAYS", 400)
    assert counted(crowd)[0].table == "release_groups"


@pytest.mark.parametrize("sizes", [(1,), (3, 1, 4), (2**40, 2**20, 2**10, 7), (2**62, 2, 2**61), (5,) * 40])
def test_codes_in_one_number(sizes: tuple[int, ...]) -> None:
    rng = random.Random(str(sizes))
    packing = Packing(sizes)
    assert [i for part in packing.parts for i in part] == list(range(len(sizes)))
    rows = sorted({tuple(rng.randrange(size) for size in sizes) for _ in range(50)})
    with duckdb.connect() as con:
        numbers = []
        for row in rows:
            picked = ", ".join(
                f"{number} AS {key}"
                for key, number in zip(packing.keys, packing.packed([f"{code}::BIGINT" for code in row]), strict=True)
            )
            numbers.append(con.execute(f"SELECT {picked}").fetchall()[0])
            (unpacked,) = con.execute(f"SELECT {', '.join(packing.unpacked())} FROM (SELECT {picked})").fetchall()
            assert unpacked == row
    assert numbers == sorted(set(numbers))  # the order of codes is kept
