"""Adult with hierarchies of the lengths in paper 004: the frontier is that of all 17,920 nodes, found with few looks."""

from __future__ import annotations

import json

import pytest

from real.adult_frontier import FOLDER, LABEL, adult_looks
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.loss import CE, DM, GLM, NCP
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.pareto import Pareto

# loss, records that may be suppressed, columns, largest share of the nodes looked at
CASES = [
    (GLM(), 0, 8, 0.025),
    (GLM(), 301, 8, 0.12),
    (DM(), 0, 8, 0.025),
    (DM(), 301, 8, 0.20),
    (NCP(), 0, 8, 0.025),
    (NCP(), 301, 8, 0.12),
    (CE(LABEL), 0, 8, 0.025),
    (CE(LABEL), 301, 8, 0.025),
    (CE(LABEL), 0, 7, 0.05),  # as in the paper: the label is no quasi-identifier
    (CE(LABEL), 301, 7, 0.40),
]
NODES = {8: 17_920, 7: 8_960}


def search_of(looks, loss):
    search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, loss, looks.limit))
    assert search.run(lambda search: False)
    return points_of(looks.seen.values(), search.least_loss)


def names(case):
    loss, limit, columns, _ = case
    return f"{loss.name}-{limit}-{columns}"


@pytest.mark.parametrize("case", CASES, ids=names)
def test_few_nodes_are_looked_at(shared, case, record_property):
    loss, limit, columns, most = case
    looks = adult_looks(shared, loss, limit, columns)
    points = search_of(looks, loss)
    assert looks.nodes.lattice.size == NODES[columns]
    assert looks.nodes.evaluated <= most * NODES[columns]
    assert all(point.proved for point in points)
    record_property("evaluated", looks.nodes.evaluated)
    print(f"{names(case)}: {looks.nodes.evaluated} of {NODES[columns]} nodes, {len(points)} points")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=names)
def test_the_frontier_is_that_of_all_nodes(shared, case):
    loss, limit, columns, _ = case
    points = search_of(adult_looks(shared, loss, limit, columns), loss)
    every = adult_looks(shared, loss, limit, columns)
    for node in every.nodes.lattice.bottom_up():
        every(node)
    assert points == points_of(every.seen.values(), lambda k: float("inf"))


@pytest.fixture
def recipe(shared, tmp_path):
    text = (FOLDER / "recipe.toml").read_text().replace("../../../../shared", str(shared))
    (tmp_path / "recipe.toml").write_text(text)
    for file in FOLDER.glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path / "recipe.toml"


def test_the_command_finds_the_same(shared, recipe, capsys):
    assert run_command(shoal, ["frontier", str(recipe), "--json", "--plot", str(recipe.parent / "front.svg")]) == 0
    told = json.loads(capsys.readouterr().out)
    points = search_of(adult_looks(shared, GLM(), 0), GLM())
    assert [(one["k"], one["loss"]) for one in told["points"]] == [(p.k, float(p.loss)) for p in points]
    assert told["complete"] and told["lattice"] == 17_920
    assert (recipe.parent / "front.svg").read_text().startswith("<svg")
