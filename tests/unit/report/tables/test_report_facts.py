"""Facts refuse nonsense, and survive a trip through JSON."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples.example_facts import EXAMPLE, local, wide
from shoal.report import columns, facts, outcome
from shoal.report.columns import ColumnFacts, LevelShare, Rung
from shoal.report.facts import Floor, Search, Tried
from shoal.report.json import read_json, render_json
from shoal.report.outcome import Identity, Records, ReleasedFile, VerdictFacts
from shoal.report.schema import make_schema, schema
from shoal.report.tables import facts as tables_facts
from shoal.report.tables import figures, tally
from shoal.report.tables.facts import Facts
from shoal.report.tables.figures import Bar, Distribution, Finer, Risk, TradeOff, Why


@pytest.mark.parametrize("facts", [EXAMPLE, wide(), local()], ids=["example", "wide", "local"])
def test_round_trip(facts: Facts) -> None:
    assert Facts.from_json(facts.to_json()) == facts
    assert Facts.from_json(json.loads(json.dumps(facts.to_json()))) == facts
    assert read_json(render_json(facts)) == facts


@given(st.dictionaries(st.text(min_size=1), st.tuples(st.integers(0, 9), st.integers(0, 99)), min_size=1))
@settings(max_examples=30, deadline=None)
def test_round_trip_of_any_label(counts: dict[str, tuple[int, int]]) -> None:
    rows = [(label, hidden + published, published) for label, (hidden, published) in counts.items()]
    facts = replace(EXAMPLE, distributions=(tally.distribution("age", rows, EXAMPLE.k),))
    assert read_json(render_json(facts)) == facts


@pytest.mark.parametrize("facts", [EXAMPLE, wide(), local()], ids=["example", "wide", "local"])
def test_the_json_report_follows_its_schema(facts: Facts) -> None:
    shipped = schema("report")
    jsonschema.Draft202012Validator.check_schema(shipped)
    jsonschema.validate(json.loads(render_json(facts)), shipped, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("facts", "verdict", "passed"), "yes"),
        (("facts", "records", "read"), 1.5),
        (("facts", "risk", "before", "uniques"), "about 3"),
        (("facts", "columns", 0, "role"), "secret"),
        (("facts", "more"), 1),
        (("format",), "other"),
    ],
)
def test_the_schema_refuses(path: tuple[str | int, ...], value: object) -> None:
    report: Any = json.loads(render_json(EXAMPLE))
    place = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema("report"), jsonschema.Draft202012Validator)


def test_the_shipped_schemas_know_every_field() -> None:
    """Compared by names, since wording of a generated schema differs between versions of the generator."""
    for name in ("report", "codebook"):
        shipped, made = schema(name), make_schema(name)  # type: ignore[arg-type]
        assert _properties(shipped) == _properties(made), "run python -m shoal.report.schema"
    known = _properties(schema("report"))
    modules = (facts, outcome, columns, figures, tables_facts)
    for what in [what for module in modules for what in vars(module).values()]:
        if is_dataclass(what) and isinstance(what, type):
            assert known[what.__name__] == {field.name for field in fields(what)}


def _properties(of: dict[str, Any]) -> dict[str, set[str]]:
    return {name: set(node["properties"]) for name, node in {"": of, **of["$defs"]}.items()}


def test_read_json_refuses_other_files() -> None:
    with pytest.raises(ValueError, match="not a report"):
        read_json("{}")
    report = json.loads(render_json(EXAMPLE))
    with pytest.raises(ValueError, match="version 2"):
        read_json(json.dumps({**report, "version": 2}))
    report["facts"]["risk"]["before"]["uniques"] = 3
    with pytest.raises(ValueError, match="must be masked"):
        read_json(json.dumps(report))


def _with_bar(bar: Bar) -> Facts:
    return replace(EXAMPLE, distributions=(Distribution("age", (bar,)),))


LADDER = (Rung("", 1), Rung("", 1))


def _mixed(*mix: LevelShare) -> Facts:
    age = ColumnFacts("age", "quasi", ladder=LADDER, mix=mix)
    return replace(EXAMPLE, columns=(age,), distributions=(), why=Why())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _with_bar(Bar("1", 50, 3)), "must be masked"),
        (lambda: _with_bar(Bar("1", 4, 0)), "fewer than k"),
        (lambda: replace(EXAMPLE, distributions=(Distribution("age", (), gone=1),)), "must be masked"),
        (lambda: replace(EXAMPLE, why=Why((Finer("age", 4),))), "must be masked"),
        (lambda: replace(EXAMPLE, why=Why((Finer("age", 9, (("x", 2),)),))), "must be masked"),
        (lambda: replace(EXAMPLE, why=Why((), (TradeOff("0.01", 0.1, 2, (0, 0, 0, 0)),))), "must be masked"),
        (lambda: replace(EXAMPLE, why=Why((), (TradeOff("0.01", 0.1, 9, (0,)),))), "one level for each"),
        (lambda: replace(EXAMPLE, why=Why((Finer("nobody", 0),))), "not a quasi-identifying"),
        (lambda: replace(EXAMPLE, k=1), "at least 2"),
        (lambda: replace(EXAMPLE, promises=()), "at least one guarantee"),
        (lambda: replace(EXAMPLE, columns=(*EXAMPLE.columns, EXAMPLE.columns[0])), "same name"),
        (lambda: Records(10, 5, 4, "0.1", 1), "must equal"),
        (lambda: Records(10, 5, 5, "10", 1), "between 0 and 1"),
        (lambda: ColumnFacts("age", "quasi"), "have a level"),
        (lambda: ColumnFacts("age", "plain", level=1, ladder=(Rung("", 1), Rung("", 1))), "have a level"),
        (lambda: ColumnFacts("age", "quasi", level=2, ladder=(Rung("", 1),)), "not on a ladder"),
        (lambda: ColumnFacts("age", "quasi", level=0, ladder=LADDER, mix=(LevelShare(0, 9),)), "or a mix"),
        (lambda: ColumnFacts("age", "plain", mix=(LevelShare(0, 9),)), "or a mix"),
        (lambda: ColumnFacts("age", "quasi", ladder=LADDER, mix=(LevelShare(2, 9),)), "not on a ladder"),
        (
            lambda: ColumnFacts("age", "quasi", ladder=LADDER, mix=(LevelShare(1, 9), LevelShare(0, 9))),
            "exact one first",
        ),
        (lambda: ColumnFacts("age", "quasi", ladder=LADDER, mix=(LevelShare(1, 9), LevelShare(1, 9))), "once"),
        (lambda: _mixed(LevelShare(0, 11_940)), "at one level"),
        (lambda: _mixed(LevelShare(0, 11_937), LevelShare(1, 4)), "fewer than k"),
        (lambda: replace(local(), why=EXAMPLE.why), "mix them"),
        (lambda: replace(EXAMPLE, tried=(Tried("a", 0.1, 1.0, "", True), Tried("b", 0.1, 1.0, "", True))), "only one"),
        (lambda: Tried("mstk", None, 1.0, "", kept=True), "found nothing"),
        (lambda: Floor(-0.1, 0.0, ""), "0 or more"),
        (lambda: Floor(0.1, float("inf"), ""), "0 or more"),
        (lambda: Search("mstk", "GLM", 0, 0, 0.0, 1.0), "choose among levels"),
        (lambda: Search("optimal", "GLM", 3, 9, None, 1.0), "choose among levels"),
        (lambda: Search("optimal", "GLM", 3, 9, -0.1, 1.0), "0 or more"),
        (lambda: VerdictFacts(True, ()), "without a check"),
        (lambda: ReleasedFile("folder/data.csv", "data", "0" * 64), "without folders"),
        (lambda: ReleasedFile("data.csv", "data", "0" * 63), "hexadecimal"),
        (lambda: Identity((), "0" * 64, (), "2026-11-15"), "at least the released data"),
        (lambda: Risk(5, 6, 1, 0, 0), "cannot be more"),
    ],
)
def test_facts_refuse(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_failed_check_cannot_pass() -> None:
    failed = replace(EXAMPLE.verdict.checks[0], passed=False)
    with pytest.raises(ValueError, match="failed check"):
        replace(EXAMPLE.verdict, checks=(failed,))


def test_a_report_without_the_newer_facts_can_still_be_read() -> None:
    report = json.loads(render_json(EXAMPLE))
    for key in ("tried", "floor"):
        del report["facts"][key]
    for column in report["facts"]["columns"]:
        del column["mix"]
    for distribution in report["facts"]["distributions"]:
        del distribution["within"]
    assert read_json(json.dumps(report)) == EXAMPLE


def test_local_is_what_has_a_mix() -> None:
    assert local().local
    assert not EXAMPLE.local
    assert local().kept_method == local().tried[1]
    assert EXAMPLE.kept_method is None
    assert [share.place for share in local().quasi[0].mix] == ["0", "2", "2-3", "3", "4"]
