"""The one path on Spark: the same recoding as locally, a folder that was verified, and nothing when anything goes wrong."""

from __future__ import annotations

import csv
import hashlib
import json
import stat
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.errors import DataError, InternalError, NotAnonymous, RecipeError
from shoal.io.folder import check_folder, read_commit
from shoal.methods.tables.optimal import Optimal
from shoal.release import judge as judge_module

pytestmark = pytest.mark.spark

NAME = "patients.parquet"
FILES = [
    "codebook.csv",
    "codebook.json",
    "manifest.private.json",
    "parquet",
    "report.html",
    "report.json",
    "report.private.html",
]


@pytest.fixture
def people(demo):
    """The patients as a folder of part files, and a recipe that reads it."""
    with (demo / "patients.csv").open(newline="") as file:
        rows = pa.Table.from_pylist(list(csv.DictReader(file)))
    rows = rows.set_column(rows.column_names.index("age"), "age", rows["age"].cast(pa.int32()))
    (demo / "patients").mkdir()
    for i, start in enumerate(range(0, rows.num_rows, 400)):
        pq.write_table(rows.slice(start, 400), demo / "patients" / f"part-{i}.parquet")
    change(demo, ('path = "patients.csv"', 'path = "patients"'), ("release/patients.csv", f"release/{NAME}"))
    return demo


def change(demo: Path, *pairs: tuple[str, str]) -> Path:
    text = (demo / "recipe.toml").read_text()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    (demo / "recipe.toml").write_text(text)
    return demo / "recipe.toml"


def rows_of(path: Path) -> Counter:
    files = check_folder(path) if path.is_dir() else [path]
    return Counter(tuple(row.items()) for file in files for row in pq.read_table(file).to_pylist())


def leftovers(demo: Path) -> list[str]:
    folder = demo / "release"
    return sorted(path.name.removeprefix("patients.") for path in folder.iterdir()) if folder.exists() else []


def test_the_same_release_as_locally_in_a_folder(people, spark):
    made = shoal.run(people / "recipe.toml", session=spark)
    assert leftovers(people) == FILES
    folder = people / "release" / NAME
    assert made.files[0] == folder
    check_folder(folder, contents=True)
    commit = read_commit(folder)
    assert commit.records == made.records_out
    published = rows_of(folder)
    change(people, (f"release/{NAME}", "here/patients.parquet"))
    here = shoal.run(people / "recipe.toml", engine="local")
    assert made.decision.recoding.to_json() == here.decision.recoding.to_json()
    assert (made.loss, made.suppressed, made.levels) == (here.loss, here.suppressed, here.levels)
    assert published == rows_of(people / "here/patients.parquet")
    assert spark.range(3).count() == 3  # a session that was handed in stays open


def test_the_report_speaks_of_the_folder(people, spark):
    made = shoal.run(people / "recipe.toml", session=spark)
    report = json.loads((people / "release/patients.report.json").read_text())["facts"]["identity"]
    files = {file["name"]: file["sha256"] for file in report["files"]}
    assert list(files) == [NAME, "patients.codebook.json", "patients.codebook.csv"]
    assert report["files"][0]["what"] == "data in 1 file: hash of the listing"
    assert files[NAME] == read_commit(people / "release" / NAME).sha256
    book = (people / "release/patients.codebook.json").read_bytes()
    assert files["patients.codebook.json"] == hashlib.sha256(book).hexdigest()
    assert dict(map(tuple, report["versions"]))["Spark"] == spark.version
    assert made.to_json()["files"][0] == NAME


def test_it_is_verified_by_anyone(people, spark):
    shoal.run(people / "recipe.toml", session=spark)
    verdict = shoal.verify(people / "release" / NAME, people / "recipe.toml", original=people / "patients")
    assert verdict.passed, verdict.checks


def test_names_appear_nowhere(people, spark):
    shoal.run(people / "recipe.toml", session=spark)
    with (people / "patients.csv").open(newline="") as file:
        names = {row["name"].encode() for row in csv.DictReader(file)}
    for path in (people / "release").rglob("*"):
        if path.is_file():
            assert not any(name in path.read_bytes() for name in names), path.name


def test_who_shows_what_is_a_private_folder(people, spark):
    change(
        people,
        ('[[guarantee]]\nname = "l-diversity"\nl = 2\ncolumn = "diagnosis"\n', ""),
        ('name = "optimal"', 'name = "mondrian"'),
    )
    made = shoal.run(people / "recipe.toml", session=spark)
    assert leftovers(people) == sorted([*FILES, "assignment.private.parquet"])
    told = people / "release/patients.assignment.private.parquet"
    assert stat.S_IMODE(told.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in told.iterdir())
    check_folder(told, contents=True)
    verdict = shoal.verify(
        people / "release" / NAME, people / "recipe.toml", original=people / "patients", assignment=told
    )
    assert verdict.passed, verdict.checks
    assert made.suppressed == 0


def test_replace(people, spark):
    shoal.run(people / "recipe.toml", session=spark)
    first = read_commit(people / "release" / NAME)
    with pytest.raises(RecipeError, match="--replace"):
        shoal.run(people / "recipe.toml", engine="spark")  # refused before a session is looked for
    shoal.run(people / "recipe.toml", session=spark, replace=True)
    second = read_commit(people / "release" / NAME)
    assert first.release != second.release
    assert leftovers(people) == FILES


def test_on_the_command_line(people, spark, capsys):
    """A Spark that runs in the process already is used, and goes on running."""
    assert run_command(command, ["plan", str(people / "recipe.toml"), "--engine", "spark", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["engine"] == "spark"
    assert run_command(command, ["run", str(people / "recipe.toml"), "--engine", "spark"]) == 0
    told = capsys.readouterr()
    assert NAME in told.out
    assert "Read patients.report.private.html" in told.err
    assert spark.range(3).count() == 3
    assert run_command(command, ["report", str(people / "release")]) == 0


# ---- what goes wrong ------------------------------------------------------------------------------------------------------------


def test_a_draft_the_verifier_refuses_is_never_published(people, spark, monkeypatch):
    from shoal.guarantees import KAnonymity

    class Careless(Optimal):
        def decide(self, engine, problem, listener, **options):
            loose = type(problem)(**{**vars(problem), "guarantees": (KAnonymity(2),)})
            return super().decide(engine, loose, listener, **options)

    monkeypatch.setattr("shoal.release.plan.method_from", lambda name: Careless())
    with pytest.raises(NotAnonymous) as refused:
        shoal.run(people / "recipe.toml", session=spark)
    assert refused.value.verdict.witnesses
    assert leftovers(people) == []


def test_a_part_file_that_is_lost_is_noticed(people, spark, monkeypatch):
    from shoal.engines.spark import SparkEngine

    real = SparkEngine.write

    def write(self, draft):
        real(self, draft)
        file = next(draft.glob("*.parquet"))
        pq.write_table(pq.read_table(file).slice(1), file)

    monkeypatch.setattr(SparkEngine, "write", write)
    with pytest.raises((NotAnonymous, InternalError)):
        shoal.run(people / "recipe.toml", session=spark)
    assert leftovers(people) == []


def test_executors_that_write_elsewhere_are_noticed(people, spark, monkeypatch):
    from shoal.engines.spark import SparkEngine

    monkeypatch.setattr(SparkEngine, "write", lambda self, draft: draft.mkdir())
    with pytest.raises(DataError, match=r"another file system.*hdfs://"):
        shoal.run(people / "recipe.toml", session=spark)
    assert leftovers(people) == []


@pytest.mark.parametrize("stage", ["load", "apply", "write", "verify", "report"])
def test_a_listener_that_raises_leaves_nothing(people, spark, stage):
    def listener(event):
        if event.stage == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shoal.run(people / "recipe.toml", session=spark, listener=listener)
    assert leftovers(people) == []


# ---- URIs -----------------------------------------------------------------------------------------------------------------------


def test_uris_in_and_out(people, spark):
    change(
        people,
        ('path = "patients"', f'path = "file://{people}/patients"'),
        (f"release/{NAME}", f"file://{people}/release/{NAME}"),
    )
    made = shoal.run(people / "recipe.toml", session=spark)
    assert made.files[0] == f"file://{people}/release/{NAME}"
    assert made.to_json()["files"][0] == NAME
    assert leftovers(people) == FILES
    assert stat.S_IMODE((people / "release/patients.manifest.private.json").stat().st_mode) == 0o600
    check_folder(people / "release" / NAME, contents=True)
    report = json.loads((people / "release/patients.report.json").read_text())["facts"]["identity"]
    assert report["files"][0]["sha256"] == read_commit(people / "release" / NAME).sha256
    with pytest.raises(RecipeError, match="--replace"):
        shoal.run(people / "recipe.toml", session=spark)
    shoal.run(people / "recipe.toml", session=spark, replace=True)
    assert leftovers(people) == FILES
    with pytest.raises(RecipeError, match="a URI of this kind is for Spark"):
        shoal.run(people / "recipe.toml")


def test_an_object_store(people, spark, monkeypatch):
    """As if `file:` could not rename in one step: what is verified is where it will stay, and the marker is put last."""
    monkeypatch.setattr("shoal.io.publishing.drafts.renames_at_once", lambda uri: False)
    change(people, (f"release/{NAME}", f"file://{people}/release/{NAME}"))
    unmarked = []
    real = judge_module.verify_by_recipe

    def verify(*args, **more):
        unmarked.append((leftovers(people), read_commit(people / "release" / NAME)))
        return real(*args, **more)

    monkeypatch.setattr(judge_module, "verify_by_recipe", verify)
    shoal.run(people / "recipe.toml", session=spark)
    assert unmarked == [(["parquet"], None)]
    assert leftovers(people) == FILES
    check_folder(people / "release" / NAME, contents=True)
    assert read_commit(people / "release" / NAME) is not None
    with pytest.raises(RecipeError, match="cannot replace a release in one step"):
        shoal.run(people / "recipe.toml", session=spark, replace=True)


def test_a_refused_draft_at_a_uri_leaves_nothing(people, spark, monkeypatch):
    change(people, (f"release/{NAME}", f"file://{people}/release/{NAME}"))
    real = judge_module.verify_by_recipe

    def verify(*args, **more):
        raise NotAnonymous(f"no, {real.__name__} says")

    monkeypatch.setattr(judge_module, "verify_by_recipe", verify)
    with pytest.raises(NotAnonymous):
        shoal.run(people / "recipe.toml", session=spark)
    assert leftovers(people) == []


# ---- frames ---------------------------------------------------------------------------------------------------------------------


def test_a_spark_frame_in_a_spark_frame_out(people, spark):
    from pyspark.sql import DataFrame

    recipe = shoal.Recipe.load(people / "recipe.toml")
    frame = spark.read.parquet(str(people / "patients"))
    made = shoal.anonymize(frame, recipe)
    assert isinstance(made.data, DataFrame)
    assert made.data.columns == ["age", "sex", "postcode", "schooling", "ward", "diagnosis"]
    assert made.data.count() == made.records_out
    assert made.verdict.passed
    here = shoal.anonymize(pq.read_table(people / "patients"), recipe)
    assert made.decision.recoding.to_json() == here.decision.recoding.to_json()
    assert Counter(map(tuple, made.data.collect())) == Counter(tuple(row.values()) for row in here.data.to_pylist())


def test_what_is_verified_is_the_frame_that_is_given_back(people, spark, monkeypatch):
    judged = []
    real = judge_module.verify_by_recipe
    monkeypatch.setattr(judge_module, "verify_by_recipe", lambda *a, **more: (judged.append(a[0]), real(*a, **more))[1])
    made = shoal.anonymize(spark.read.parquet(str(people / "patients")), people / "recipe.toml")
    assert judged == [made.data]


def test_the_frame_says_where_the_work_is_done(people, spark, monkeypatch):
    """A recipe that says Spark does not move a table of this process there; a Spark frame is never brought here."""
    change(people, ("[context]", '[engine]\nname = "spark"\nmaster = "yarn"\n\n[context]'))
    table = pq.read_table(people / "patients")
    assert isinstance(shoal.anonymize(table, people / "recipe.toml").data, pa.Table)
    assert shoal.frontier(table, people / "recipe.toml").points


@pytest.mark.parametrize(
    ("kind", "says"),
    [("array(1)", "'odd' are lists"), ("binary('x')", "binary"), ("collate('x', 'UTF8_LCASE')", "string")],
)
def test_columns_that_are_not_plain_are_refused(spark, kind, says):
    with pytest.raises(DataError, match=says):
        shoal.anonymize(
            spark.range(3).selectExpr("id", f"{kind} AS odd"),
            {"columns": {"id": {"role": "quasi"}}, "guarantee": [{"name": "k-anonymity", "k": 2}]},
        )


def test_the_other_questions_take_a_spark_frame_too(people, spark):
    recipe = shoal.Recipe.load(people / "recipe.toml")
    frame, table = spark.read.parquet(str(people / "patients")), pq.read_table(people / "patients")
    there, here = shoal.frontier(frame, recipe), shoal.frontier(table, recipe)
    assert [(p.k, p.loss, p.levels) for p in there.points] == [(p.k, p.loss, p.levels) for p in here.points]
    assert shoal.risk(frame, recipe).to_json() == shoal.risk(table, recipe).to_json()
    methods = ["optimal", "incognito"]
    compared = [shoal.compare(data, recipe, methods).to_json()["methods"] for data in (frame, table)]
    for there, here in zip(*compared, strict=True):
        assert {**there, "seconds": 0} == {**here, "seconds": 0}
