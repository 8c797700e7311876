"""`shoal verify` of trees: with what the release says about itself, and with a breach that is drawn."""

from __future__ import annotations

import json

import pytest

from oracles.published_trees import Record, TreeCase, closed
from shoal.cli.errors import run_command
from shoal.cli.root import shoal

RECIPE = """
[columns]
sex     = { role = "quasi", kind = "node" }
place   = { role = "quasi", kind = "node", path = "visits[].place" }
illness = { role = "quasi", kind = "node", path = "visits[].illnesses[]", parent = "place" }
ill     = { role = "sensitive" }

[[guarantee]]
name = "kmn-anonymity"
k = 2
m = 2
n = 1
"""
PARENTS = (("sex", None), ("place", None), ("illness", "place"))
ULM = closed([(("place", "Ulm"), ("illness", "flu")), (("sex", "f"),)])
APART = closed([(("place", "Ulm"),), (("illness", "flu"),), (("sex", "f"),)])


@pytest.fixture
def call(capsys, tmp_path):
    def verify(*trees, more=()):
        recipe, release = tmp_path / "recipe.toml", tmp_path / "release.jsonl"
        recipe.write_text(RECIPE)
        release.write_text(TreeCase(tuple(Record(tree, "a") for tree in trees), PARENTS).lines())
        code = run_command(shoal, ["verify", str(release), "--recipe", str(recipe), *more])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return code, captured.out

    return verify


def test_it_meets_the_guarantee(call):
    code, out = call(ULM, ULM, APART)  # whatever is known of the third is true of the others too
    assert code == 0
    assert "3 records, which show 2 different trees." in out


def test_a_breach_is_drawn(call):
    code, out = call(ULM, APART, APART)
    assert code == 1
    assert "(someone)\n    └─ place = Ulm\n       └─ illness = flu\n" in out
    code, out = call(ULM, APART, APART, more=["--json"])
    found = json.loads(out)
    assert found["verdict"] == "fail"
    assert found["witnesses"][0]["drawn"] == ["(someone)", "└─ place = Ulm", "   └─ illness = flu"]
    assert found["witnesses"][0]["rows"] == [1]
