"""Methods that work in blocks decide the same on every engine, whatever order the records come in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.guarantees import KAnonymity, LDiversity
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.loss import loss_from
from shoal.methods.registry import method_from
from shoal.methods.tables.problem import TableProblem

ROWS = 3_000
SCHEMA = Schema(
    (
        *(Column(name, Role.QUASI) for name in ("age", "town", "weight", "born")),
        Column("ill", Role.SENSITIVE),
        Column("note", Role.PLAIN),
    )
)


def table(order: np.ndarray) -> pa.Table:
    """Texts, whole and decimal numbers and dates, each with gaps; the rows in a given order."""
    chance = np.random.default_rng(5)
    made = {
        "age": pa.array(chance.integers(18, 90, ROWS), mask=chance.random(ROWS) < 0.02),
        "town": pa.array(chance.choice(["Ulm", "Bonn", "Kiel", "Köln", "Jena"], ROWS), mask=chance.random(ROWS) < 0.02),
        "weight": pa.array(chance.integers(40, 120, ROWS) / 2, mask=chance.random(ROWS) < 0.02),
        "born": pa.array(chance.integers(0, 40, ROWS) * 200, pa.int32()).cast(pa.date32()),
        "ill": pa.array(chance.choice(["flu", "cold", "ulcer"], ROWS)),
        "note": pa.array([f"n{i}" for i in range(ROWS)]),
    }
    return pa.table(made).take(pa.array(order))


def problem_of(engine, loss: str) -> TableProblem:
    specs = {
        "age": {"intervals": [5, 10, 20], "from": 0, "to": 100},
        "town": {"groups": {"south": ["Ulm"], "west": ["Bonn", "Köln"], "rest": ["Jena", "Kiel"]}},
        "weight": {"intervals": [5, 20], "from": 20, "to": 60, "decimals": True},
        "born": {"dates": ["month", "year"]},
    }
    trees = {
        name: build(spec, sorted(engine.domain(name).counts, key=lambda v: (v is None, v)))
        for name, spec in specs.items()
    }
    promised = (KAnonymity(4), LDiversity(2, "ill"))
    return TableProblem(trees, {"ill": None}, promised, loss_from(loss), {"age": 2.0}, Fraction(0))


def decided(engine, order, method, options, loss):
    """What the records of each combination show, by the texts of the hierarchies."""
    engine.load(from_frame(table(order)), SCHEMA)
    decision = method_from(method).decide(engine, problem_of(engine, loss), lambda _: None, **options)
    recoded = decision.recoding.recoded
    shown = [[recoded.shown[c].labels[v] for c, v in enumerate(row)] for row in recoded.values.tolist()]
    raw = [[h.labels[code] for h, code in zip(recoded.hierarchies, row, strict=True)] for row in recoded.codes.tolist()]
    each = [(r, shown[c], n) for r, c, n in zip(raw, recoded.classes.tolist(), recoded.counts.tolist(), strict=True)]
    return decision.loss, decision.blocks, sorted(each, key=repr)


@pytest.mark.parametrize(
    ("method", "options", "loss"),
    [
        ("mondrian", {"blocks": 300}, "ncp"),
        ("mstk", {"blocks": 300}, "glm"),
        ("cluster", {"blocks": 300}, "entropy"),
    ],
    ids=["mondrian", "mstk", "cluster"],
)
def test_blocks_decide_the_same_as_the_local_engine(engine, method, options, loss):
    reference = LocalEngine(threads=1)
    expected = decided(reference, np.arange(ROWS), method, options, loss)
    reference.close()
    shuffled = np.random.default_rng(9).permutation(ROWS)
    found = decided(engine, shuffled, method, options, loss)
    assert expected[1] > 5
    assert found == expected


def test_a_budget_is_divided_among_the_blocks(engine):
    """What `auto` finds depends on time; that it keeps the promises does not."""
    loss, blocks, each = decided(engine, np.arange(ROWS), "auto", {"blocks": 1000, "budget": "1s"}, "ncp")
    assert blocks > 2 and 0 < loss < 1 and sum(n for _, _, n in each) == ROWS
    assert engine.workers >= 1
