"""`shoal verify` of folders, and on Spark."""

from __future__ import annotations

import json
import shutil

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.io.folder import Commit, Part, sha256_of
from shoal.release.examples import write_example


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The example, released; data and release as folders of Parquet files as well."""
    folder = tmp_path_factory.mktemp("verify") / "demo"
    write_example("table", folder)
    assert run_command(shoal, ["run", str(folder / "recipe.toml"), "--json"]) == 0
    for name, file in (("data", folder / "patients.csv"), ("release.parquet", folder / "release/patients.csv")):
        table = pc.read_csv(file, convert_options=pc.ConvertOptions(strings_can_be_null=True))
        (folder / name).mkdir()
        for i in range(3):
            pq.write_table(table.slice(i * 400, 400 if i < 2 else None), folder / name / f"part-{i}.parquet")
    return folder


@pytest.fixture
def call(capsys, demo):
    def run(*args):
        given = ["verify", *map(str, args), "--recipe", str(demo / "recipe.toml"), "--json"]
        code = run_command(shoal, given)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return code, json.loads(captured.out)

    return run


def test_folders(demo, call):
    code, verdict = call(demo / "release.parquet", "--original", demo / "data")
    assert (code, verdict["verdict"]) == (0, "pass")
    assert verdict["records_in"] == verdict["records_out"] + verdict["suppressed"]


def test_a_folder_that_is_not_what_its_marker_says(demo, call, tmp_path):
    folder = tmp_path / "release.parquet"
    folder.mkdir()
    for path in (demo / "release.parquet").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    parts = tuple(Part(p.name, p.stat().st_size, sha256_of(p)) for p in sorted(folder.iterdir()))
    (folder / "_COMMITTED").write_bytes(Commit("0" * 32, 1000, parts).to_bytes())
    assert call(folder)[0] == 0
    path = folder / "part-1.parquet"
    content = bytearray(path.read_bytes())
    content[6] ^= 1  # as many bytes as before
    path.write_bytes(content)
    code, answer = call(folder)
    assert code == 3
    assert "part-1.parquet holds other bytes" in json.dumps(answer)


def test_a_uri_needs_spark(demo, call):
    if _has_spark():
        pytest.skip("Spark is installed here")
    code, answer = call("hdfs://nowhere/release.parquet")
    assert code == 2
    assert "pip install 'shoal[spark]'" in json.dumps(answer)


@pytest.mark.spark
def test_on_spark(demo, call, spark):
    local = call(demo / "release.parquet", "--original", demo / "data")
    code, there = call(demo / "release.parquet", "--original", demo / "data", "--engine", "spark")
    assert code == 0
    assert {**there, "seconds": 0} == {**local[1], "seconds": 0}
    uri = f"file://{demo}/release.parquet"
    assert call(uri, "--original", f"file://{demo}/data")[0] == 0
    csv = demo / "release/patients.csv"
    assert call(csv, "--original", demo / "patients.csv", "--engine", "spark")[0] == 0


@pytest.mark.spark
def test_frames_of_spark(demo, spark):
    frame, recipe = spark.read.parquet(str(demo / "release.parquet")), demo / "recipe.toml"
    assert library.verify(frame, recipe, original=demo / "data").passed
    raw = spark.read.parquet(str(demo / "data"))
    assert not library.verify(raw, recipe).passed
    assert library.verify(demo / "release.parquet", recipe, original=raw, session=spark).passed


def _has_spark() -> bool:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return False
    return True


# ---- signatures ------------------------------------------------------------------------------------------------------


@pytest.fixture
def signed(demo, tmp_path):
    """The release of the example, signed, with the recipe."""
    shutil.copytree(demo / "release", tmp_path / "release")
    place = tmp_path / "release/patients.csv"
    given = ["--name", "Ada Lovelace", "--reason", "for the registry", "--role", "steward", "--read-report"]
    assert run_command(shoal, ["sign", str(place), *given]) == 0
    return place


def test_a_signature_is_shown(signed, demo, capsys):
    capsys.readouterr()
    assert run_command(shoal, ["verify", str(signed), "--recipe", str(demo / "recipe.toml")]) == 0
    out = capsys.readouterr().out
    assert "Meets the stated guarantee.\n" in out
    assert "pass  signature: Signed by Ada Lovelace (steward) on 2" in out and "; all 7 hashes fit." in out


def test_a_file_that_was_changed_after_signing_fails(signed, call, demo, capsys):
    page = signed.with_name("patients.report.private.html")
    page.write_bytes(page.read_bytes() + b"\n")
    capsys.readouterr()
    code, verdict = call(signed)
    assert (code, verdict["verdict"], verdict["signature"]["fits"]) == (1, "fail", False)
    assert verdict["signature"]["changed"] == ["patients.report.private.html"]
    assert [check["name"] for check in verdict["checks"] if not check["passed"]] == ["signature"]
    assert run_command(shoal, ["verify", str(signed), "--recipe", str(demo / "recipe.toml")]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Meets the stated guarantee, but is not what was signed.")
    assert "does not fit: patients.report.private.html was changed after signing" in out


def test_another_recipe_than_the_signed_one_is_named(signed, demo, tmp_path, capsys):
    other = tmp_path / "other.toml"
    other.write_text((demo / "recipe.toml").read_text() + "\n# changed\n")
    for file in demo.glob("*.csv"):
        shutil.copy(file, tmp_path)
    capsys.readouterr()
    assert run_command(shoal, ["verify", str(signed), "--recipe", str(other), "--json"]) == 0
    assert "signed for another recipe" in " ".join(json.loads(capsys.readouterr().out)["warnings"])


def test_an_unsigned_release_has_no_signature(demo, call):
    assert call(demo / "release/patients.csv")[1]["signature"] is None


def test_signing_needs_a_reader(demo, tmp_path, capsys):
    shutil.copytree(demo / "release", tmp_path / "release")
    given = ["sign", str(tmp_path / "release/patients.csv"), "--name", "Ada", "--reason", "why", "--json"]
    capsys.readouterr()
    assert run_command(shoal, given) == 2
    assert "Read the report first" in json.loads(capsys.readouterr().out)["message"]
    assert run_command(shoal, [*given, "--read-report"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [
        "patients.signature.json",
        "patients.signature.private.json",
    ]
