"""The one path: what is published was verified; whatever goes wrong, nothing is published."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections import Counter

import pytest

import shoal
from shoal.errors import DataError, HierarchyError, Infeasible, InternalError, NotAnonymous, RecipeError
from shoal.methods.tables.optimal import Optimal
from shoal.release import engines as engines_module


def recipe_of(demo, **changes):
    text = (demo / "recipe.toml").read_text()
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    (demo / "recipe.toml").write_text(text)
    return demo / "recipe.toml"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def leftovers(demo):
    release = demo / "release"
    return sorted(os.listdir(release)) if release.exists() else []


def test_a_release_is_published_with_everything_that_belongs_to_it(demo):
    release = shoal.run(demo / "recipe.toml")
    assert leftovers(demo) == [
        "patients.codebook.csv",
        "patients.codebook.json",
        "patients.csv",
        "patients.manifest.private.json",
        "patients.report.html",
        "patients.report.json",
        "patients.report.private.html",
    ]
    assert release.records_in == release.records_out + release.suppressed == 1500
    for name in ("manifest.private.json", "report.private.html"):
        assert stat.S_IMODE((demo / f"release/patients.{name}").stat().st_mode) == 0o600


def test_plain_python_agrees_with_the_verdict(demo):
    """The promises counted by hand over the written file."""
    release = shoal.run(demo / "recipe.toml")
    rows = rows_of(demo / "release/patients.csv")
    assert len(rows) == release.records_out
    classes = Counter((r["age"], r["sex"], r["postcode"], r["schooling"]) for r in rows)
    assert min(classes.values()) == release.verdict.smallest_class >= 5
    for values in classes:
        inside = {r["diagnosis"] for r in rows if (r["age"], r["sex"], r["postcode"], r["schooling"]) == values}
        assert len(inside) >= 2


def test_nothing_is_lost_or_invented(demo):
    release = shoal.run(demo / "recipe.toml")
    verdict = shoal.verify(demo / "release/patients.csv", demo / "recipe.toml", original=demo / "patients.csv")
    assert verdict.passed
    before = Counter((r["ward"], r["diagnosis"]) for r in rows_of(demo / "patients.csv"))
    after = Counter((r["ward"], r["diagnosis"]) for r in rows_of(demo / "release/patients.csv"))
    assert not after - before
    assert sum((before - after).values()) == release.suppressed


def test_names_appear_in_no_published_file(demo):
    shoal.run(demo / "recipe.toml")
    names = {r["name"] for r in rows_of(demo / "patients.csv")}
    for path in (demo / "release").iterdir():
        text = path.read_text()
        assert not any(name in text for name in names), path.name
        if "private" not in path.name:
            assert str(demo) not in text


def test_the_report_speaks_of_the_published_bytes(demo):
    import hashlib

    shoal.run(demo / "recipe.toml")
    report = json.loads((demo / "release/patients.report.json").read_text())
    files = {f["name"]: f["sha256"] for f in report["facts"]["identity"]["files"]}
    for name, digest in files.items():
        assert hashlib.sha256((demo / "release" / name).read_bytes()).hexdigest() == digest
    assert (
        report["facts"]["identity"]["recipe_sha256"] == hashlib.sha256((demo / "recipe.toml").read_bytes()).hexdigest()
    )


def test_the_same_recipe_gives_the_same_bytes(demo):
    shoal.run(demo / "recipe.toml")
    first = (demo / "release/patients.csv").read_bytes()
    lines = (demo / "patients.csv").read_text().splitlines()
    (demo / "patients.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    shoal.run(demo / "recipe.toml", replace=True)
    assert (demo / "release/patients.csv").read_bytes() == first


def test_an_earlier_release_is_not_replaced_unasked(demo):
    shoal.run(demo / "recipe.toml")
    with pytest.raises(RecipeError, match="--replace"):
        shoal.run(demo / "recipe.toml")


def test_suggestions_must_be_confirmed(demo):
    recipe = recipe_of(demo, a=('sex       = { role = "quasi" }', 'sex       = { role = "quasi", suggested = true }'))
    with pytest.raises(RecipeError, match="sex"):
        shoal.run(recipe)
    assert leftovers(demo) == []


@pytest.mark.parametrize(
    ("old", "new", "error", "says"),
    [
        ("k = 5", "k = 1501", Infeasible, "fewer than the 1,501"),
        ("l = 2", "l = 9", Infeasible, "9-diversity"),
        ('hierarchy = "schooling.csv"', 'hierarchy = "absent.csv"', DataError, "absent.csv"),
        ('ward      = { role = "plain"', 'wardd     = { role = "plain"', RecipeError, "Did you mean 'ward'"),
        ("[context]", 'missing = "refuse"\n[context]', RecipeError, "missing"),
        ('sex       = { role = "quasi" }', 'sex = { role = "quasi", hierarchy = { groups = {a=["F"]} } }', HierarchyError, "sex"),
        ('path = "patients.csv"', 'path = "nobody.csv"', DataError, "nobody.csv"),
    ],
)  # fmt: skip
def test_what_goes_wrong_publishes_nothing(demo, old, new, error, says):
    recipe = recipe_of(demo, a=(old, new))
    with pytest.raises(error, match=says):
        shoal.run(recipe)
    assert leftovers(demo) == []


def test_a_draft_the_verifier_refuses_is_never_published(demo, monkeypatch):
    """A method that decides a recoding which breaks the promise is caught by the verifier, not believed."""

    class Careless(Optimal):
        def decide(self, engine, problem, listener, **options):
            return super().decide(
                engine, type(problem)(**{**vars(problem), "guarantees": (shoal_k(2),)}), listener, **options
            )

    from shoal.guarantees import KAnonymity as shoal_k

    monkeypatch.setattr("shoal.release.plan.method_from", lambda name: Careless())
    with pytest.raises(NotAnonymous) as refused:
        shoal.run(demo / "recipe.toml")
    assert refused.value.verdict.witnesses
    assert leftovers(demo) == []


def test_an_engine_that_loses_records_is_caught(demo, monkeypatch):
    real = engines_module.LocalEngine

    class Lossy(real):
        def to_table(self):
            return super().frame().slice(1)

        def write(self, draft):
            super().write(draft)
            lines = draft.read_text().splitlines(keepends=True)
            draft.write_text("".join(lines[:-1]))

    monkeypatch.setattr(engines_module, "LocalEngine", Lossy)
    with pytest.raises((NotAnonymous, InternalError)):  # even where one record less would pass as suppressed
        shoal.run(demo / "recipe.toml")
    assert leftovers(demo) == []


def test_an_engine_that_suppresses_other_records_is_caught(demo, monkeypatch):
    from shoal.engines.engine import Written

    real = engines_module.LocalEngine

    class Wrong(real):
        def apply(self, recoding):
            written = super().apply(recoding)
            return Written(written.records - 1, written.suppressed + 1)

    monkeypatch.setattr(engines_module, "LocalEngine", Wrong)
    with pytest.raises(InternalError):
        shoal.run(demo / "recipe.toml")
    assert leftovers(demo) == []


def test_frames_come_back_as_they_came(demo):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    recipe = shoal.Recipe.load(demo / "recipe.toml")
    frame = pandas.read_csv(demo / "patients.csv", dtype=str)
    made = shoal.anonymize(frame, recipe)
    assert isinstance(made.data, pandas.DataFrame)
    assert list(made.data.columns) == ["age", "sex", "postcode", "schooling", "ward", "diagnosis"]
    assert list(made.data.index) == list(range(made.records_out))
    assert isinstance(shoal.anonymize(polars.from_pandas(frame), recipe).data, polars.DataFrame)
    assert shoal.verify(made.data, recipe, original=frame).passed
    assert "Meets the stated guarantee" in made._repr_html_()


def test_risk_falls(demo):
    before = shoal.risk(demo / "patients.csv", demo / "recipe.toml")
    shoal.run(demo / "recipe.toml")
    after = shoal.risk(demo / "release/patients.csv", demo / "recipe.toml")
    assert before.risk.smallest_class == 1
    assert after.risk.smallest_class >= 5
    assert after.risk.sample_uniques == 0


def test_progress_is_told_in_order(demo):
    stages = []
    shoal.run(demo / "recipe.toml", listener=lambda event: stages.append(event.stage))
    order = [stage for i, stage in enumerate(stages) if stage not in stages[:i]]
    assert order == ["load", "count", "search", "apply", "write", "verify", "bound", "report"]


def test_missing_values_are_a_value_of_their_own(demo):
    lines = (demo / "patients.csv").read_text().splitlines()
    header, *rows = [line.split(",") for line in lines]
    for row in rows[::40]:
        row[header.index("sex")] = ""
    (demo / "patients.csv").write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
    shoal.run(demo / "recipe.toml")
    assert shoal.verify(demo / "release/patients.csv", demo / "recipe.toml", original=demo / "patients.csv").passed
    published = rows_of(demo / "release/patients.csv")
    assert {r["sex"] for r in published} <= {"F", "M", "", "*"}
    with pytest.raises(DataError, match="'sex': 38 records have no value"):
        shoal.run(recipe_of(demo, a=("shoal = 1", 'shoal = 1\nmissing = "refuse"')), replace=True)


def test_formulas_are_escaped_and_still_verified(demo):
    lines = (demo / "patients.csv").read_text().splitlines()
    payloads = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "-5", "'=kept", "plain;=x"]
    rows = [lines[0], *(line.replace("north", payloads[i % len(payloads)]) for i, line in enumerate(lines[1:]))]
    (demo / "patients.csv").write_text("\n".join(rows) + "\n")
    recipe = recipe_of(
        demo, a=('path = "release/patients.csv"', 'path = "release/patients.csv"\nspreadsheet_safe = true')
    )
    shoal.run(recipe)
    wards = {row["ward"] for row in rows_of(demo / "release/patients.csv")}
    assert {"'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", "-5"} <= wards
    assert not any(ward.startswith(("=", "+", "@")) for ward in wards)
