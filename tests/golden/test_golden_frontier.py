"""Worked examples and counterexamples of paper 004 that concern the frontier and POkA, by id."""

from __future__ import annotations

import pytest

from golden.cases import METRICS, SMALL, adult_of, frequency, trees_of
from real.adult_frontier import adult_looks
from shoal.loss import GLM
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.looks import Looks
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.pareto import Pareto
from shoal.methods.tables.poka import poka


def looks_of(trees, rows, metric, eta):
    counts = frequency(trees, rows)
    nodes = Nodes(counts, trees, [], METRICS[metric], normalized_weights(counts.columns, {}))
    return Looks(nodes, counts, eta)


def frontier_of(looks, metric):
    search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, METRICS[metric], looks.limit))
    assert search.run(lambda search: False)
    return points_of(looks.seen.values(), search.least_loss)


@pytest.mark.parametrize("case_id", SMALL)
def test_the_frontier_holds_the_pareto_nodes_and_no_others(golden, case_id):
    case = golden[case_id]
    metric, eta = case["params"]["metric"], case["params"]["eta"]
    looks = looks_of(trees_of(case["input"]["hierarchies"]), case["input"]["rows"], metric, eta)
    points = frontier_of(looks, metric)
    assert sorted(list(tie.levels) for point in points for tie in point.ties) == case["expected"]["pareto_nodes"]
    stored = {tuple(one["node"]): one for one in case["expected"]["evaluations"]}
    for point in points:
        assert point.k == stored[point.levels]["k"]
        assert float(point.loss) == pytest.approx(stored[point.levels]["loss"], abs=1e-9)


@pytest.mark.parametrize(
    ("case_id", "key", "depth", "last_k"),
    [
        ("004-ce-plateau-GLM", "letter", 3, 2),
        ("004-ce-plateau-DCN", "letter", 3, 2),
        ("004-ce-null-exit", "letter", 2, 2),
        ("004-ce-ground-node", "letter_G_best", "best", 1),
        ("004-ce-ground-node", "letter_G_best", None, 1),  # the average depth is 1 as well
        ("004-ce-ground-node", "letter_G_worst", "worst", 1),
    ],
)
def test_poka_to_the_letter(golden, case_id, key, depth, last_k):
    case = golden[case_id]
    trees = trees_of(case["input"]["hierarchies"])
    looks = looks_of(trees, case["input"]["rows"], case["params"]["metric"], case["params"]["eta"])
    steps = poka(looks, depth, last_k=last_k)
    found = [list(base.node) for base in steps.found]
    assert ([*found, None] if steps.ended_early else found) == case["expected"][key]


def test_004_adult_frontier(golden, shared):
    """ARX's hierarchies, seven columns, 2,160 nodes: the frontier that was stored, point by point and tie by tie."""
    case = golden["004-adult-frontier"]
    trees, rows = adult_of(case, shared)
    for key, expected in case["expected"]["frontier"].items():
        metric, eta = key.split(",eta=")
        looks = looks_of(trees, rows, metric, int(eta))
        assert looks.nodes.lattice.size == case["expected"]["nodes"]
        points = frontier_of(looks, metric)
        assert [point.k for point in points] == [one["k"] for one in expected]
        for point, one in zip(points, expected, strict=True):
            assert float(point.loss) == pytest.approx(one["loss"], abs=1e-8)
            stored = {tuple(node): hidden for node, hidden in zip(one["nodes"], one["suppressed"], strict=True)}
            assert {tie.levels: tie.suppressed for tie in point.ties} == stored


def test_004_adult_reference(golden, shared):
    """Hierarchies of the printed lengths. The counts depend on the hierarchies, which are not printed: ours are no worse."""
    expected = golden["004-adult-reference"]["expected"]
    for key, evaluations in expected["exact_frontier_evaluations"].items():
        metric, eta = key.split(",eta=")
        looks = adult_looks(shared, METRICS[metric], int(eta))
        assert looks.nodes.lattice.size == golden["004-lattice-size"]["expected"]["nodes"]
        frontier_of(looks, metric)
        assert looks.nodes.evaluated <= evaluations


@pytest.mark.slow
def test_004_adult_reference_poka(golden, shared):
    """With the average depth POkA returns true points for GLM and needs about the looks that the paper prints."""
    expected = golden["004-adult-reference"]["expected"]
    printed, _ = expected["printed_table3_GLM"]["3"]
    looks = adult_looks(shared, GLM(), 301)
    steps = poka(looks)
    assert 0.8 * printed < looks.nodes.evaluated < 1.2 * printed
    true = {(point.k, point.loss) for point in frontier_of(adult_looks(shared, GLM(), 301), "GLM")}
    returned = {(base.k, base.loss) for base in steps.found}
    assert returned <= true
    assert {k for k, _ in true - returned} == {1}  # it ends at k = 2
