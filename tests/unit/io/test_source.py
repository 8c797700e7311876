import datetime as dt
import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.io.counts import column_counts, read_column_counts
from shoal.io.reading import RowReading
from shoal.io.source import Source, from_frame, kind_of, open_source


def test_csv_is_in_memory_and_parquet_on_disk(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "t.parquet")
    csv, parquet = open_source(tmp_path / "t.csv"), open_source(str(tmp_path / "t.parquet"))
    assert (csv.kind, csv.columns, csv.name) == ("csv", ("a", "b"), "t.csv")
    assert csv.table.num_rows == 1
    assert (parquet.kind, parquet.columns) == ("parquet", ("a", "b"))
    assert parquet.path == tmp_path / "t.parquet"
    assert parquet.table is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.csv", "csv"), ("A.CSV", "csv"), ("a.tsv.gz", "csv"), ("x.y.csv.gz", "csv"), ("a.Parquet", "parquet")],
)
def test_kinds(tmp_path, name, kind):
    assert kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("name", ["a.txt", "a", ".csv", "csv", "a.csv.zip", "a.gz", ".parquet"])
def test_other_suffixes_say_what_there_is(tmp_path, name):
    with pytest.raises(DataError, match=r"\.csv, \.tsv, \.csv\.gz, \.tsv\.gz, \.dat, \.dat\.gz, \.parquet"):
        open_source(tmp_path / name)


def test_a_source_refuses_nonsense(tmp_path):
    with pytest.raises(ValueError, match="needs a `path`"):
        Source("parquet", ("a",))
    with pytest.raises(ValueError, match="needs a `table`"):
        Source("csv", ("a",), path=tmp_path / "a.csv")


def test_counts_by_text(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n,x\n1,y\nNA,\n"))
    assert read_column_counts(tmp_path / "t.csv.gz", "a") == {"1": 2, None: 1, "NA": 1}
    assert read_column_counts(tmp_path / "t.csv.gz", "a", RowReading(missing=("NA",))) == {"1": 2, None: 2}
    table = pa.table(
        {
            "f": [1.0, float("nan"), None, 0.5, -0.0, 0.0],
            "d": [dt.date(2020, 1, 1)] * 5 + [None],
            "s": pa.array(["x", "y", "x", None, "y", "y"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    assert read_column_counts(tmp_path / "t.parquet", "f") == {"1": 1, None: 2, "0.5": 1, "0": 2}
    assert read_column_counts(tmp_path / "t.parquet", "d") == {"2020-01-01": 5, None: 1}
    assert read_column_counts(tmp_path / "t.parquet", "s") == {"x": 2, "y": 3, None: 1}
    assert column_counts(from_frame(table), "s") == {"x": 2, "y": 3, None: 1}


def test_a_column_that_is_not_there(tmp_path):
    (tmp_path / "t.csv").write_text("age,town\n1,x\n")
    with pytest.raises(DataError, match=r"Columns: age, town\. Did you mean 'age'\?"):
        read_column_counts(tmp_path / "t.csv", "agee")


# ---- data frames -----------------------------------------------------------------------------------------------------------


def test_pyarrow(tmp_path):
    table = pa.table({"a": [1, 2], "b": ["x", None]}).replace_schema_metadata({"k": "v"})
    for frame in (table, table.to_reader(), table.to_batches()[0]):
        source = from_frame(frame)
        assert source.kind == "arrow"
        assert source.table.to_pylist() == table.to_pylist()
        assert source.table.schema.metadata is None


def test_polars():
    polars = pytest.importorskip("polars")
    source = from_frame(
        polars.DataFrame({"a": [1, None], "b": ["x", "y"], "c": polars.Series(["u", "v"], dtype=polars.Categorical)})
    )
    assert source.columns == ("a", "b", "c")
    assert source.table.to_pylist() == [{"a": 1, "b": "x", "c": "u"}, {"a": None, "b": "y", "c": "v"}]
    assert not any(pa.types.is_string_view(field.type) for field in source.table.schema)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        source = from_frame(connection.sql("SELECT range AS n, 'x' AS s FROM range(3)"))
        assert source.table.to_pylist() == [{"n": i, "s": "x"} for i in range(3)]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("1::hugeint", "1"),
        ("1.50::decimal(9, 2)", "1.5"),
        ("'a'::enum('a', 'b')", "a"),
        ("'{}'::json", "{}"),
        ("time '10:00'", "10:00:00"),
        ("timestamp_ns '2020-01-01 10:00:00.000000001'", "2020-01-01T10:00:00.000000001"),
        ("timestamptz '2020-01-01 10:00+02'", "2020-01-01T08:00:00Z"),
        ("'c1a31a5e-0000-4000-8000-000000000000'::uuid", "c1a31a5e-0000-4000-8000-000000000000"),
        ("NULL", None),
    ],
)
def test_types_of_duckdb(sql, text):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        assert column_counts(from_frame(connection.sql(f"SELECT {sql} AS a")), "a") == {text: 1}


@pytest.mark.parametrize("sql", ["interval 1 day", "'x'::blob", "[1]", "{'a': 1}", "'101'::bit"])
def test_types_of_duckdb_that_are_refused(sql):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection, pytest.raises(DataError, match="data frame"):
        from_frame(connection.sql(f"SELECT {sql} AS a"))


class TestPandas:
    pandas = pytest.importorskip("pandas")

    def frame(self, **options):
        return self.pandas.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]}, **options)

    def test_row_numbers_are_not_data(self):
        for frame in (
            self.frame(),
            self.frame(index=[7, 8, 9]),
            self.frame()[lambda f: f.a > 1],
            self.frame(index=list("pqr")),
        ):
            source = from_frame(frame)
            assert source.columns == ("a", "b")
            assert source.table.num_rows == len(frame)
            assert source.table.schema.metadata is None

    def test_a_named_index_is_neither_dropped_nor_published_in_silence(self):
        frame = self.frame().set_index("b")
        with pytest.raises(DataError, match=r"index named 'b'.*reset_index\(\)"):
            from_frame(frame)
        assert from_frame(frame.reset_index()).columns == ("b", "a")

    def test_missing_values(self):
        frame = self.pandas.DataFrame(
            {"x": [1.5, float("nan")], "s": ["a", None], "i": self.pandas.array([1, None], "Int64")}
        )
        assert from_frame(frame).table.to_pylist()[1] == {"x": None, "s": None, "i": None}

    def test_names(self):
        twice = self.frame()
        twice.columns = ["a", "a"]
        with pytest.raises(DataError, match=r"columns 1, 2 .*have the same name"):
            from_frame(twice)
        with pytest.raises(DataError, match="columns 1, 2 have a name that is not text"):
            from_frame(self.pandas.DataFrame([[1, 2]]))

    def test_mixed_types_name_the_column_and_no_cell(self):
        frame = self.pandas.DataFrame({"ok": [1, 2], "mixed": self.pandas.Series([1, "kanarienvogel"], dtype=object)})
        with pytest.raises(DataError, match="mixed") as caught:
            from_frame(frame)
        assert "kanarienvogel" not in str(caught.value)
        assert "ok" not in str(caught.value).replace("look", "")


def test_a_lazy_frame_that_fails_is_not_quoted():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        lazy = connection.sql("SELECT v::int AS v FROM (VALUES ('1'), ('kanarienvogel')) AS t(v)")
        with pytest.raises(DataError, match="ConversionException") as caught:
            from_frame(lazy)
    assert "kanarienvogel" not in str(caught.value)


@pytest.mark.parametrize(
    "table",
    [
        pa.table([[1], [2]], names=["a", "a"]),
        pa.table([[1], [2]], names=["a", "A"]),
        pa.table({"a": [[1]]}),
        pa.table({"a": [{"b": 1}]}),
        pa.table({"a": [b"x"]}),
        pa.table({"a": [dt.timedelta(1)]}),
        pa.table({}),
    ],
)
def test_frames_that_are_no_table(table):
    with pytest.raises(DataError, match="data frame"):
        from_frame(table)


@pytest.mark.parametrize("thing", [None, 1, "people.csv", [1], {"a": [1]}, object()])
def test_what_is_no_frame(thing):
    with pytest.raises(DataError, match="not a data frame"):
        from_frame(thing)
