"""The order of rows may be that of the original; records that show the same stand together in one that says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import check, schema, terms
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KKMAnonymity, KMAnonymity, KMNAnonymity
from shoal.verifier import Terms, verify_release
from shoal.verifier.order import NAME

if TYPE_CHECKING:
    from pathlib import Path

AGES = ["20-29", "30-39"] * 6
SETS = [["a", "b"], ["c"]] * 6


def release(kind: str, rows: list[int]) -> tuple[pa.Table, Terms]:
    if kind == "table":
        return pa.table({"age": [AGES[i] for i in rows]}), terms(schema=schema(age="quasi"))
    if kind == "sets":
        promised = Terms(Schema((Column("items", Role.QUASI, "set"),)), (KMAnonymity(2, 1),))
        return pa.table({"items": [SETS[i] for i in rows]}), promised
    if kind == "mixed":
        columns = (Column("age", Role.QUASI), Column("items", Role.QUASI, "set"))
        table = pa.table({"age": [AGES[i] for i in rows], "items": [SETS[i] for i in rows]})
        return table, Terms(Schema(columns), (KKMAnonymity(2, 1),))
    nodes = [[{"value": AGES[i]}] for i in rows]
    table = pa.table({"age": pa.array(nodes, pa.list_(pa.struct([("value", pa.string())])))})
    return table, Terms(Schema((Column("age", Role.QUASI, "node"),)), (KMNAnonymity(2, 1, 0),))


@pytest.mark.parametrize("kind", ["table", "sets", "mixed", "trees"])
def test_an_order_that_may_be_the_original_one_fails(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "release.parquet"
    scattered, promised = release(kind, list(range(12)))
    pq.write_table(scattered, path, store_schema=False)
    failed = [one for one in verify_release(path, promised).checks if not one.passed]
    assert [one.name for one in failed] == [NAME]
    assert "12 runs of 2 classes" in failed[0].detail
    together, _ = release(kind, sorted(range(12), key=lambda i: i % 2))
    pq.write_table(together, path, store_schema=False)
    assert verify_release(path, promised).passed


def test_rows_that_were_shuffled_pass_when_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    pq.write_table(release("table", list(range(12)))[0], path)
    assert verify_release(path, terms(schema=schema(age="quasi"), any_order=True)).passed


def test_each_file_of_a_folder_is_in_an_order_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    for part in range(2):
        table, promised = release("table", sorted(range(12), key=lambda i: i % 2))
        pq.write_table(table, folder / f"part-{part}.parquet")
    assert verify_release(folder, promised).passed


def test_a_csv_file_is_asked_too(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("age\n" + "\n".join(AGES) + "\n")
    assert not check(verify_release(path, terms(schema=schema(age="quasi"))), NAME).passed


def test_a_table_in_memory_has_no_order_yet() -> None:
    assert verify_release(*release("table", list(range(12)))).passed
