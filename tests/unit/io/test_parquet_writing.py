import datetime as dt
import itertools
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.io.parquet import ROW_GROUP, open_parquet, read_batches, read_parquet, write_parquet


@pytest.fixture(scope="module")
def table():
    n = 300_000
    chance = random.Random(1)
    return pa.table(
        {
            "town": [chance.choice(["Paris", "Lyon", None]) for _ in range(n)],
            "n": list(range(n)),
            "x": [i / 7 for i in range(n)],
            "day": [dt.date(2020, 1, 1)] * n,
        }
    )


def test_the_same_rows_give_the_same_bytes_however_they_come(table, tmp_path):
    cuts = [0, 1, 1000, ROW_GROUP - 1, ROW_GROUP, ROW_GROUP + 1, 250_000, table.num_rows]
    pieces = [table.slice(a, b - a) for a, b in itertools.pairwise(cuts)]
    dictionary = table.set_column(0, "town", table.column("town").dictionary_encode())
    ways = {
        "whole": table,
        "pieces": pa.concat_tables(pieces),
        "reader": pa.concat_tables(pieces).to_reader(max_chunksize=77_777),
        "dictionary": dictionary,
        "other-dictionary": pa.concat_tables([dictionary.slice(5), dictionary.slice(0, 5)]).take(
            pa.array([*range(table.num_rows - 5, table.num_rows), *range(table.num_rows - 5)])
        ),
        "metadata": table.replace_schema_metadata({"pandas": "{}", "host": "kanarienvogel"}),
        "slice-of-more": pa.concat_tables([table, table]).slice(table.num_rows),
    }
    made = {}
    for name, rows in ways.items():
        path = tmp_path / f"{name}.parquet"
        assert write_parquet(rows, path) == table.num_rows
        made[name] = path.read_bytes()
    assert len(set(made.values())) == 1, {name: hash(data) for name, data in made.items()}
    assert read_parquet(tmp_path / "reader.parquet").equals(table)


def test_no_metadata_beyond_the_writer(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pa.Table.from_pandas(pandas.DataFrame({"a": [1, 2]}, index=[5, 6]), preserve_index=False)
    field = pa.field("b", pa.int64(), metadata={"kanarienvogel": "1"})
    frame = frame.append_column(field, pa.array([1, 2]))
    path = tmp_path / "t.parquet"
    write_parquet(frame, path)
    metadata = pq.read_metadata(path)
    assert metadata.metadata is None
    assert metadata.created_by.startswith("parquet-cpp-arrow version")
    data = path.read_bytes()
    for word in (b"pandas", b"kanarienvogel", b"ARROW:schema", str(tmp_path).encode()):
        assert word not in data


def test_no_rows(tmp_path):
    path = tmp_path / "t.parquet"
    assert write_parquet(pa.table({"a": pa.array([], pa.string())}), path) == 0
    assert open_parquet(path).rows == 0
    assert read_parquet(path).num_rows == 0


def test_types_that_are_handled(tmp_path):
    types = [
        pa.bool_(), pa.int8(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(38, 4), pa.string(), pa.large_string(),
        pa.date32(), pa.time32("ms"), pa.time64("us"), pa.timestamp("ns"), pa.timestamp("us", tz="UTC"), pa.null(),
        pa.dictionary(pa.int32(), pa.string()), pa.uuid(),
    ]  # fmt: skip
    for kind in types:
        pq.write_table(pa.table({"a": pa.nulls(3, kind)}), tmp_path / "t.parquet")
        assert open_parquet(tmp_path / "t.parquet").columns == ("a",)


def test_facts(table, tmp_path):
    path = tmp_path / "t.parquet"
    write_parquet(table, path)
    facts = open_parquet(path)
    assert facts.columns == ("town", "n", "x", "day")
    assert facts.rows == table.num_rows
    assert sum(batch.num_rows for batch in read_batches(path, ("n",))) == table.num_rows
    assert read_parquet(path, ("x",)).column_names == ["x"]


def test_damage_found_while_reading_batches(table, tmp_path):
    path = tmp_path / "t.parquet"
    write_parquet(table, path)
    data = bytearray(path.read_bytes())
    data[200:260] = bytes(60)
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="damaged"):
        list(read_batches(path, ("town", "n")))
