"""A release that lost nearly everything says so, whatever was released: in the terminal, on page one, and for machines."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pyarrow as pa
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.cli.root import shoal as command
from shoal.data.frequency import FrequencySet
from shoal.release.kinds.tables.drops import drops

PLACES = {"role": "quasi"}


def _scattered(records=60):
    return pa.table(
        {
            "zip": [str(10_000 + i) for i in range(records)],
            "day": [str(i // 2) for i in range(records)],
            "sex": ["fm"[i % 2] for i in range(records)],
        }
    )


def _codes(release):
    said = release.to_json()
    assert [one["sentence"] for one in said["notices"]] == list(release.warnings)[: len(said["notices"])]
    return [one["code"] for one in said["notices"]]


def _recipe(**columns):
    return {"columns": columns, "guarantee": [{"name": "k-anonymity", "k": 40}]}


def test_a_table_names_the_column_to_drop():
    release = shoal.anonymize(_scattered(), _recipe(zip=PLACES, day=PLACES, sex=PLACES))
    assert _codes(release) == ["little-left", "mostly-hidden"]
    assert "What tells people apart most is zip" in release.warnings[0]


def test_a_table_that_keeps_much_is_silent():
    table = pa.table({"sex": ["f", "m"] * 40, "zip": ["1", "1", "2", "2"] * 20})
    release = shoal.anonymize(
        table, {**_recipe(sex=PLACES, zip=PLACES), "guarantee": [{"name": "k-anonymity", "k": 5}]}
    )
    assert _codes(release) == []


def test_item_sets():
    goods = [str(i) for i in range(40)]
    recipe = {
        "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": {"all goods": goods}}}},
        "guarantee": [{"name": "km-anonymity", "k": 20, "m": 2}],
    }
    release = shoal.anonymize(pa.table({"items": [[goods[i], goods[i - 1]] for i in range(40)]}), recipe)
    assert _codes(release)[0] == "little-left"
    assert "leave the rarest out" in release.warnings[0]


def test_a_mixed_table():
    table = _scattered().append_column("items", pa.array([[str(i), "milk"] for i in range(60)]))
    columns = {"zip": PLACES, "day": PLACES, "sex": PLACES, "items": {"role": "quasi", "kind": "set"}}
    recipe = {
        "columns": columns,
        "guarantee": [{"name": "k-km-anonymity", "k": 40, "m": 2}],
        "method": {"name": "rum-bound", "delta": 1.0},
    }
    release = shoal.anonymize(table, recipe)
    assert _codes(release)[0] == "little-left"
    assert "shoal frontier" in release.warnings[0]


def test_trees():
    records = [{"town": str(i), "visits": [{"code": f"c{i}", "cure": f"d{i}"}]} for i in range(30)]
    columns = {
        "town": {"role": "quasi", "kind": "node"},
        "code": {"role": "quasi", "kind": "node", "path": "visits[].code"},
        "cure": {"role": "quasi", "kind": "node", "path": "visits[].cure", "parent": "code"},
    }
    recipe = {"columns": columns, "guarantee": [{"name": "kmn-anonymity", "k": 10, "m": 2, "n": 1}]}
    release = shoal.anonymize(pa.Table.from_pylist(records), recipe)
    assert _codes(release) == ["little-left", "mostly-hidden"]
    assert "has no hierarchy" in release.warnings[0] and "3 of 3 classes" in release.warnings[1]


def test_the_terminal_and_both_pages(tmp_path):
    import pyarrow.csv

    pyarrow.csv.write_csv(_scattered(), tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text(
        '[input]\npath = "people.csv"\n[output]\npath = "out.csv"\n'
        '[columns]\nzip = { role = "quasi" }\nday = { role = "quasi" }\nsex = { role = "quasi" }\n'
        '[[guarantee]]\nname = "k-anonymity"\nk = 40\n'
    )
    done = CliRunner().invoke(command, ["run", str(tmp_path / "recipe.toml")])
    assert done.exit_code == 0
    assert "Warning: Everything that is blurred is lost" in done.stderr
    for page in ("out.report.private.html", "out.report.html"):
        text = (tmp_path / page).read_text()
        assert text.index("is lost") < text.index("<nav")
    public = json.loads((tmp_path / "out.report.json").read_text())
    assert [one["code"] for one in public["statements"]["notices"]] == ["little-left", "mostly-hidden"]
    assert "tells people apart" not in (tmp_path / "out.report.html").read_text()  # it was counted in the original


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12), st.integers(2, 4))
def test_the_first_column_to_drop_leaves_the_fewest_in_small_classes(rows, k):
    distinct = sorted(set(rows))
    counts = np.array([rows.count(row) for row in distinct], np.int64)
    frequency = FrequencySet(("a", "b", "c"), np.array(distinct, np.int32), counts)

    def small(columns):
        keys = [tuple(row[c] for c in columns) for row in rows]
        return sum(keys.count(key) < k for key in keys)

    chain = drops(frequency, k)
    if not chain:
        assert small((0, 1, 2)) <= 0.1 * len(rows)
        return
    least = min(small(pair) for pair in itertools.combinations(range(3), 2))
    rest = [c for c in range(3) if "abc"[c] != chain[0].column]
    assert small(rest) == least
    assert chain[0].after == ("below k" if 0 < least < k else least)
