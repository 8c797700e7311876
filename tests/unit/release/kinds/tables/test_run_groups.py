"""The one path for a release in which every class shows values of its own."""

from __future__ import annotations

import csv
import json
import os
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.engines.local import LocalEngine
from shoal.errors import NotAnonymous
from shoal.release import judge as judge_module

L_DIVERSITY = '[[guarantee]]\nname = "l-diversity"\nl = 2\ncolumn = "diagnosis"\n'
ASSIGNMENT = "release/patients.assignment.private.parquet"


@pytest.fixture
def groups(demo):
    """The example with a method that makes groups."""
    text = (demo / "recipe.toml").read_text()
    assert L_DIVERSITY in text
    (demo / "recipe.toml").write_text(text.replace(L_DIVERSITY, "").replace('name = "optimal"', 'name = "mondrian"'))
    return demo


def verified(folder, **more):
    return shoal.verify(
        folder / "release/patients.csv", folder / "recipe.toml", original=folder / "patients.csv", **more
    )


def test_the_assignment_is_published_privately_and_last_but_the_manifest(groups):
    release = shoal.run(groups / "recipe.toml")
    assert [path.name for path in release.files] == [
        "patients.csv",
        "patients.codebook.json",
        "patients.codebook.csv",
        "patients.report.html",
        "patients.report.json",
        "patients.assignment.private.parquet",
        "patients.report.private.html",
        "patients.manifest.private.json",
    ]
    assert stat.S_IMODE((groups / ASSIGNMENT).stat().st_mode) == 0o600
    told = pq.read_table(groups / ASSIGNMENT)
    assert pa.compute.sum(told["records"]).as_py() == release.records_out
    assert told.column_names[:2] == ["raw:age", "shown:age"]
    assert verified(groups).passed
    assert verified(groups, assignment=groups / ASSIGNMENT).passed
    assert verified(groups, assignment=str(groups / ASSIGNMENT)).passed
    assert verified(groups, assignment=told).passed
    assert not verified(groups, assignment=told.slice(1)).passed


def test_it_goes_with_the_release_it_belongs_to(groups):
    shoal.run(groups / "recipe.toml")
    recipe = (groups / "recipe.toml").read_text()
    (groups / "recipe.toml").write_text(recipe.replace("mondrian", "optimal"))
    shoal.run(groups / "recipe.toml", replace=True)
    assert not (groups / ASSIGNMENT).exists()


def test_the_manifest_and_the_report_do_not_tell_who_is_where(groups):
    shoal.run(groups / "recipe.toml")
    recoding = json.loads((groups / "release/patients.manifest.private.json").read_text())["recoding"]
    assert recoding["kind"] == "groups"
    report = (groups / "release/patients.report.json").read_text()
    assert "assignment" not in report


@pytest.mark.parametrize("spoil", ["a count", "a line"])
def test_an_assignment_that_does_not_fit_publishes_nothing(groups, monkeypatch, spoil):
    real = LocalEngine.write_assignment

    def write_assignment(self, draft):
        assert real(self, draft)
        told = pq.read_table(draft)
        if spoil == "a line":
            told = told.slice(1)
        else:
            counts = told["records"].to_pylist()
            told = told.set_column(told.num_columns - 1, "records", pa.array([counts[0] + 1, *counts[1:]]))
        pq.write_table(told, draft)
        return True

    monkeypatch.setattr(LocalEngine, "write_assignment", write_assignment)
    with pytest.raises(NotAnonymous, match="The assignment does not fit"):
        shoal.run(groups / "recipe.toml")
    assert os.listdir(groups / "release") == [] if (groups / "release").exists() else True


def test_a_draft_that_says_something_else_publishes_nothing(groups, monkeypatch):
    real = LocalEngine.write

    def write(self, draft):
        real(self, draft)
        with draft.open(newline="") as file:
            rows = list(csv.reader(file))
        ward = rows[0].index("ward")
        rows[1][ward] = next(row[ward] for row in rows[2:] if row[ward] != rows[1][ward])
        with draft.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)

    monkeypatch.setattr(LocalEngine, "write", write)
    with pytest.raises(NotAnonymous, match="nothing lost or invented"):
        shoal.run(groups / "recipe.toml")
    assert not (groups / "release").exists()


def test_a_frame_is_verified_with_its_assignment_too(groups, monkeypatch):
    given = []
    real = judge_module.verify_by_recipe
    monkeypatch.setattr(judge_module, "verify_by_recipe", lambda *a, **more: (given.append(more), real(*a, **more))[1])
    with (groups / "patients.csv").open(newline="") as file:
        frame = pa.Table.from_pylist(list(csv.DictReader(file)))
    release = shoal.anonymize(frame, groups / "recipe.toml")
    assert release.verdict.passed
    assert isinstance(given[0]["assignment"], pa.Table)


def test_on_the_command_line(groups, capsys):
    shoal.run(groups / "recipe.toml")
    paths = {"recipe": "recipe.toml", "original": "patients.csv", "assignment": ASSIGNMENT}
    options = {name: [f"--{name}", str(groups / path)] for name, path in paths.items()}
    file = ["verify", str(groups / "release/patients.csv")]
    assert run_command(command, [*file, *options["recipe"], *options["original"], *options["assignment"]]) == 0
    assert run_command(command, [*file, *options["recipe"], *options["assignment"]]) == 2
    assert "--original" in capsys.readouterr().err
    told = pq.read_table(groups / ASSIGNMENT)
    pq.write_table(told.slice(1), groups / ASSIGNMENT)
    assert run_command(command, [*file, *options["recipe"], *options["original"], *options["assignment"]]) == 1
    assert "The assignment does not fit" in capsys.readouterr().out
