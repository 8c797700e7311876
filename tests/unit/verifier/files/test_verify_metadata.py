"""What a Parquet file says besides its records fails tables and sets as it fails trees."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import KEPT, terms
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KMAnonymity
from shoal.verifier import Terms, verify_release
from shoal.verifier.files.parquet_form import metadata_marks

SETS = Terms(Schema((Column("items", Role.QUASI, kind="set"),)), (KMAnonymity(2, 1),))
BASKETS = pa.table({"items": [["a", "b"], ["a", "b"], []]})


def release(folder: Path, table: pa.Table, *, schema: bool = True) -> Path:
    path = folder / "release.parquet"
    pq.write_table(table, path, store_schema=schema)
    return path


@pytest.mark.parametrize(("table", "promised"), [(KEPT, terms()), (BASKETS, SETS)], ids=["table", "sets"])
def test_texts_beside_the_schema_fail(tmp_path: Path, table: pa.Table, promised: Terms) -> None:
    marked = release(tmp_path, table.replace_schema_metadata({"who": "row 2 is Zebedee"}))
    verdict = verify_release(marked, promised)
    assert not verdict.passed
    (told,) = (one.detail for one in verdict.checks if not one.passed)
    assert "2 texts beside the schema" in told and "Zebedee" not in told  # Arrow's copy of the schema says it as well


@pytest.mark.parametrize("schema", [True, False], ids=["with Arrow's schema", "without"])
@pytest.mark.parametrize(("table", "promised"), [(KEPT, terms()), (BASKETS, SETS)], ids=["table", "sets"])
def test_a_file_without_passes(tmp_path: Path, table: pa.Table, promised: Terms, schema: bool) -> None:
    path = release(tmp_path, table, schema=schema)
    assert verify_release(path, promised).passed
    assert verify_release(table, promised).passed


def marked(place: str) -> pa.Schema:
    says = {"who": "row 2 is Zebedee"}
    fields = [field.with_metadata(says) if place == "field" else field for field in KEPT.schema]
    if place == "nested field":
        fields[0] = pa.field("age", pa.struct([pa.field("x", pa.string(), metadata=says)]))
    return pa.schema(fields, metadata=says if place == "schema" else None)


@pytest.mark.parametrize("place", ["schema", "field", "nested field", "other names", "more after it"])
def test_what_only_looks_like_the_schema_is_a_warning(tmp_path: Path, place: str) -> None:
    """Arrow's schema is let through when it is the columns and nothing else."""
    text = b64encode(marked(place).serialize().to_pybytes())
    if place == "other names":
        text = b64encode(pa.schema([("Zebedee", pa.string())]).serialize().to_pybytes())
    if place == "more after it":
        text = b64encode(KEPT.schema.serialize().to_pybytes() + b"row 2 is Zebedee")
    assert "1 text beside" in " ".join(metadata_marks([with_text(tmp_path, text)], arrow=True))


@pytest.mark.parametrize(
    "kind", [pa.timestamp("us", "Zebedee"), pa.list_(pa.field("Zebedee", pa.string()))], ids=["time zone", "list"]
)
def test_words_in_a_type_are_a_warning(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "release.parquet"
    pq.write_table(pa.table({"a": pa.array([None], kind)}), path)
    assert metadata_marks([path], arrow=True) != ()


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("us", "UTC"), pa.timestamp("us"), pa.list_(pa.string()), pa.decimal128(9, 2), pa.date32()],
    ids=str,
)
def test_usual_types_are_none(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "release.parquet"
    pq.write_table(pa.table({"a": pa.array([None], kind)}), path)
    assert metadata_marks([path], arrow=True) == ()


def test_arrow_schema_as_it_is(tmp_path: Path) -> None:
    text = b64encode(KEPT.schema.serialize().to_pybytes())
    assert metadata_marks([with_text(tmp_path, text)], arrow=True) == ()
    assert metadata_marks([with_text(tmp_path, text)]) != ()


def with_text(folder: Path, text: bytes) -> Path:
    path = folder / "release.parquet"
    with pq.ParquetWriter(path, KEPT.schema, store_schema=False) as writer:
        writer.write_table(KEPT)
        writer.add_key_value_metadata({"ARROW:schema": text.decode()})
    return path


def test_all_files_of_a_folder_are_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    for i, more in enumerate(({}, {"a": "1"}, {"a": "1", "b": "2"})):
        with pq.ParquetWriter(folder / f"part-{i}.parquet", KEPT.schema) as writer:
            writer.write_table(KEPT)
            writer.add_key_value_metadata(more)
    (told,) = (one.detail for one in verify_release(folder, terms()).checks if not one.passed)
    assert "3 texts beside the schema" in told


def test_a_csv_file_has_none(tmp_path: Path) -> None:
    import pyarrow.csv

    path = tmp_path / "release.csv"
    pyarrow.csv.write_csv(KEPT, path)
    assert verify_release(path, terms()).passed
