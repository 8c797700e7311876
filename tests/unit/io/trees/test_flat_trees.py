"""The tables of a release of trees hold its nodes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from oracles.trees_by_hand import SHAPE, forests
from shoal.data.trees import Forest
from shoal.errors import InternalError
from shoal.io.parquet import write_parquet
from shoal.io.trees import flat
from shoal.io.trees.flat import file_name, write_tables
from shoal.io.trees.flat_check import check_tables
from shoal.io.trees.unfold import Wording, nested_fields, unfold
from shoal.io.trees.write_json import write_json_lines

TEXTS = [pa.array([f"{name}{i}" for i in range(4)]) for name in SHAPE.names]
WORDING = Wording(SHAPE, tuple(TEXTS))
WORDS = WORDING.all.to_pylist()


def joined(folder: Path, records: int) -> list[set[tuple[str, ...]]]:
    """The paths of each record, put together from the tables."""
    paths: dict[tuple[str, int], tuple[str, ...]] = {}
    made: list[set[tuple[str, ...]]] = [set() for _ in range(records)]
    for name in SHAPE.names:
        rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
        assert [row["node"] for row in rows] == list(range(len(rows)))
        assert [row["record"] for row in rows] == sorted(row["record"] for row in rows)
        for row in rows:
            above = () if row["parent_class"] is None else paths[row["parent_class"], row["parent_node"]]
            paths[name, row["node"]] = (*above, row["value"])
            made[row["record"]].add(paths[name, row["node"]])
    return made


@given(forests())
@settings(max_examples=25, deadline=None)
def test_tables_say_what_the_release_says(forest: Forest) -> None:
    table = pa.table(unfold(forest, WORDING), schema=pa.schema(nested_fields(SHAPE)))
    meant = [{tuple(WORDS[label] for label in path) for path in forest.paths(i)} for i in range(len(forest))]
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_parquet(table, folder / "release.parquet")
        write_tables(folder / "release.parquet", SHAPE, folder / "one")
        assert joined(folder / "one", len(forest)) == meant
        check_tables(folder / "release.parquet", SHAPE, folder / "one")
        write_json_lines(table.to_reader(), SHAPE, folder / "release.jsonl")
        write_tables(folder / "release.jsonl", SHAPE, folder / "two")
        check_tables(folder / "release.jsonl", SHAPE, folder / "two")
        for one in (folder / "one").iterdir():
            assert one.read_bytes() == (folder / "two" / one.name).read_bytes()


def test_batches_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [[(0,), (0, 8 + i % 4)] for i in range(7)]
    forest = Forest.of_paths(paths, SHAPE, WORDING.first)
    table = pa.table(unfold(forest, WORDING), schema=pa.schema(nested_fields(SHAPE)))
    write_parquet(table, tmp_path / "release.parquet")
    write_tables(tmp_path / "release.parquet", SHAPE, tmp_path / "one")
    monkeypatch.setattr(flat, "_ROWS", 2)
    write_tables(tmp_path / "release.parquet", SHAPE, tmp_path / "two")
    for one in (tmp_path / "one").iterdir():
        assert one.read_bytes() == (tmp_path / "two" / one.name).read_bytes()


def _changed(column: str, row: int, value: object) -> Callable[[list[dict[str, object]]], object]:
    return lambda rows: rows[row].update({column: value})


@pytest.mark.parametrize(
    "change",
    [
        _changed("value", 0, "another"),
        _changed("value", 0, None),
        _changed("record", 0, 1),
        _changed("record", -1, 99),
        _changed("parent_class", 0, None),
        _changed("parent_node", 0, 1),
        _changed("node", 1, 0),
        lambda rows: rows.pop(),
        lambda rows: rows.append(dict(rows[-1])),
        lambda rows: rows.append({**rows[-1], "record": 99, "node": 99}),
    ],
)
@pytest.mark.parametrize("batch", [2, 100])
def test_tables_that_say_something_else_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[list[dict[str, object]]], object], batch: int
) -> None:
    monkeypatch.setattr(flat, "_ROWS", batch)
    child = int(WORDING.first[SHAPE.names.index(SHAPE.under(SHAPE.names[0])[0])])
    paths = [[(0,), (0, child + i % 4)] for i in range(7)]
    forest = Forest.of_paths(paths, SHAPE, WORDING.first)
    write_parquet(
        pa.table(unfold(forest, WORDING), schema=pa.schema(nested_fields(SHAPE))), tmp_path / "release.parquet"
    )
    write_tables(tmp_path / "release.parquet", SHAPE, tmp_path / "tables")
    check_tables(tmp_path / "release.parquet", SHAPE, tmp_path / "tables")
    file = tmp_path / "tables" / f"{SHAPE.under(SHAPE.names[0])[0]}.parquet"
    rows = pq.read_table(file).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, flat.SCHEMA), file)
    with pytest.raises(InternalError, match="does not say"):
        check_tables(tmp_path / "release.parquet", SHAPE, tmp_path / "tables")


def test_file_names() -> None:
    assert file_name("place of birth") == "place of birth"
    assert file_name("a/b") == "a%2Fb"
    assert file_name("_x") == "%5Fx"
    assert file_name(".x") == "%2Ex"
