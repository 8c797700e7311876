"""From an object store to an object store without Spark: moto's S3 server, as a process of its own on the loopback."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import s3_server
import shoal
from shoal.errors import DataError, NotAnonymous, RecipeError
from shoal.io.stores.files import StoreFiles
from shoal.release.init import given_input, propose

pytest.importorskip("moto")
pytestmark = pytest.mark.slow

ROWS = [(f"Zebedee {i}", 20 + i % 30, f"1011{i % 3}", ("flu", "cold")[i % 2]) for i in range(300)]
RECIPE = """
[input]
path = "{source}"
[output]
path = "{target}"
[columns]
name = {{ role = "identifying" }}
age = {{ role = "quasi", hierarchy = {{ intervals = [10, 20], from = 0, to = 100 }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
ill = {{ role = "sensitive" }}
[[guarantee]]
name = "k-anonymity"
k = {k}
"""
IN = f"s3://{s3_server.BUCKET}/in"


@pytest.fixture(scope="module")
def server():
    with s3_server.server() as url:
        yield url


@pytest.fixture
def store(server, monkeypatch):
    for key, value in s3_server.environment(server).items():
        monkeypatch.setenv(key, value)
    files = StoreFiles(f"{IN}/people.csv")
    files.delete_folder(f"s3://{s3_server.BUCKET}/out")
    text = "name,age,zip,ill\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
    files.write(f"{IN}/people.csv", text.encode())
    sink = io.BytesIO()
    table = pa.table(dict(zip(("name", "age", "zip", "ill"), zip(*ROWS, strict=True), strict=True)))
    pq.write_table(table, sink)
    files.write(f"{IN}/people.parquet", sink.getvalue())
    for number in range(3):
        part = io.BytesIO()
        pq.write_table(table.slice(number * 100, 100), part)
        files.write(f"{IN}/folder.parquet/part-{number}.parquet", part.getvalue())
    return files


def recipe(folder, source, target, k=5):
    path = folder / "recipe.toml"
    path.write_text(RECIPE.format(source=source, target=target, k=k))
    return path


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "folder.parquet"])
def test_from_store_to_store(store, tmp_path, name):
    target = f"s3://{s3_server.BUCKET}/out/people.parquet"
    path = recipe(tmp_path, f"{IN}/{name}", target)
    release = shoal.run(path)
    assert release.verdict.passed
    assert release.files[0] == target
    there = {entry.name for entry in store.entries(f"s3://{s3_server.BUCKET}/out")}
    assert {"people.parquet", "people.report.json", "people.manifest.private.json"} <= there
    assert not any(name.startswith(".") for name in there)
    manifest = json.loads(store.read(f"s3://{s3_server.BUCKET}/out/people.manifest.private.json"))
    for file in manifest["files"]:
        assert store.sha256(f"s3://{s3_server.BUCKET}/out/{file['name']}") == file["sha256"]
    assert shoal.verify(target, path, original=path).passed
    assert shoal.verify(target, path, original=f"{IN}/{name}").passed
    with pytest.raises(RecipeError, match="exists already"):
        shoal.run(path)
    assert shoal.run(path, replace=True).verdict.passed


def test_what_was_changed_in_the_store_does_not_pass(store, tmp_path):
    target = f"s3://{s3_server.BUCKET}/out/people.csv"
    path = recipe(tmp_path, f"{IN}/people.csv", target)
    shoal.run(path)
    text = store.read(target)
    store.write(target, text.replace(b"flu", b"cold", 1))
    verdict = shoal.verify(target, path, original=path)
    assert not verdict.passed
    assert "sidecars" in {check.name for check in verdict.checks if not check.passed}
    with pytest.raises(RecipeError, match="not as it was published"):
        shoal.run(path, replace=True)


def test_an_original_that_changes_in_between_stops_the_run(store, tmp_path, monkeypatch):
    from shoal.release import make

    judge = make.judge

    def later(*args, **more):
        text = store.read(f"{IN}/people.csv")
        store.write(f"{IN}/people.csv", text.replace(b"flu", b"measles", 1))
        return judge(*args, **more)

    monkeypatch.setattr(make, "judge", later)
    with pytest.raises(NotAnonymous):
        shoal.run(recipe(tmp_path, f"{IN}/people.csv", f"s3://{s3_server.BUCKET}/out/people.csv"))
    assert store.entries(f"s3://{s3_server.BUCKET}/out") == []


def test_the_original_is_not_written_over(store, tmp_path):
    for target in (f"{IN}/people.csv", f"s3://{s3_server.BUCKET}/IN/people.csv", f"{IN}/folder.parquet/people.csv"):
        source = f"{IN}/folder.parquet" if "folder" in target else f"{IN}/people.csv"
        with pytest.raises(RecipeError, match="which this run reads"):
            shoal.run(recipe(tmp_path, source, target), replace=True)


def test_init_names_the_place_in_the_store(store, tmp_path):
    given = given_input(f"{IN}/people.csv", tables=[], url="", record="", keys=[], mapping="")
    proposal = propose(given, tmp_path / "recipe.toml")
    assert f'path = "{IN}/people.csv"' in proposal.text
    assert "k-anonymity" in proposal.text


def test_faults_are_told_without_the_key(store, tmp_path, monkeypatch):
    target = f"s3://{s3_server.BUCKET}/out/people.csv"
    with pytest.raises(DataError, match="There is nothing at") as caught:
        shoal.run(recipe(tmp_path, f"{IN}/none.csv", target))
    assert s3_server.SECRET not in str(caught.value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(DataError, match="cannot be written") as caught:
        shoal.run(recipe(tmp_path, f"{IN}/people.csv", target))
    assert s3_server.SECRET not in str(caught.value)
