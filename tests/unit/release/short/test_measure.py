"""What a table attains, against the definitions."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.release.short.measure import measure

rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.sampled_from([1, 2, 3, None])), min_size=1, max_size=25
)


@settings(max_examples=40, deadline=None)
@given(rows)
def test_against_the_definitions(people):
    frame = pl.DataFrame(people, schema={"q": pl.String, "r": pl.Int64, "s": pl.Int64}, orient="row")
    attained = measure(frame, quasi=["q", "r"], sensitive="s")
    classes = defaultdict(list)
    for q, r, s in people:
        classes[q, r].append(s)
    assert attained.k == min(map(len, classes.values()))
    assert attained.classes == len(classes)
    assert attained.unique_records == sum(len(values) == 1 for values in classes.values())
    (one,) = attained.private
    every = Counter(s for _, _, s in people)
    worst = (math.inf, math.inf, 0.0, 0.0)
    for values in classes.values():
        counts = sorted(Counter(v for v in values if v is not None).values(), reverse=True)
        if not counts:
            distinct, entropy, recursive = 0, 0.0, math.inf
        else:
            counts[0] += values.count(None)
            distinct = len(counts)
            shares = [count / len(values) for count in counts]
            entropy = math.exp(-sum(share * math.log(share) for share in shares))
            recursive = counts[0] / sum(counts[1:]) if distinct > 1 else math.inf
        held = Counter(values)
        distance = sum(abs(held[v] / len(values) - every[v] / len(people)) for v in every) / 2
        worst = (min(worst[0], distinct), min(worst[1], entropy), max(worst[2], recursive), max(worst[3], distance))
    assert one.distinct == worst[0]
    assert one.entropy == pytest.approx(worst[1])
    assert one.recursive == (None if math.isinf(worst[2]) else pytest.approx(worst[2]))
    assert one.t == pytest.approx(worst[3], abs=1e-12)
    json.dumps(attained.to_json())


def test_a_file_of_another_tool(tmp_path):
    path = tmp_path / "theirs.csv"
    path.write_text(
        "Alter;Ort;Diagnose\n[20, 30[;0*;Grippe\n[20, 30[;0*;Asthma\n*;*;Grippe\n*;*;Grippe\n", encoding="windows-1252"
    )
    attained = measure(path, quasi=["Alter", "Ort"], sensitive="Diagnose")
    assert (attained.k, attained.private[0].distinct, attained.private[0].t_ordered) == (2, 1, None)
    assert "everyone looks like at least 1 other by Alter, Ort" in attained.rows()["k"]


def test_sets_and_mixed_tables():
    baskets = pl.DataFrame({"age": [1, 1, 2, 2], "items": [["a"], ["a", "b"], ["a"], ["a"]]})
    assert measure(baskets.select("items"), quasi="items").k == 1
    assert measure(baskets.select("items"), quasi="items").known[1] == 1
    assert measure(baskets, quasi=["age", "items"]).k >= 1
