"""Worked examples of papers 002 and 004 (and NCP of 001) that concern hierarchies, losses and lattice nodes, by id.

The cases that exercise whole algorithms (spanning trees, frontiers) run with those algorithms.
"""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from golden.cases import METRICS, SMALL, adult_of, codes_002, frequency, trees_002, trees_of
from shoal.guarantees import KAnonymity
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import DM, GLM, IL, NCP, CAvg
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.lattice.lattice import Lattice
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import ShownValues

# ---- lattice nodes and losses of paper 004 ---------------------------------------------------------------------------


def k_of(sizes, eta):
    """The smallest class size t such that more than eta rows lie in classes of size <= t."""
    rows = 0
    for size in sorted(sizes.tolist()):
        rows += size
        if rows > eta:
            return size
    raise AssertionError("eta is not smaller than the number of rows")


@pytest.mark.parametrize("case_id", SMALL)
def test_every_node_has_the_k_and_the_loss_of_the_paper(golden, case_id):
    case = golden[case_id]
    trees = trees_of(case["input"]["hierarchies"])
    loss = METRICS[case["params"]["metric"]]
    eta = case["params"]["eta"]
    counts = frequency(trees, case["input"]["rows"])
    weights = normalized_weights(counts.columns, {})
    for expected in case["expected"]["evaluations"]:
        node = tuple(expected["node"])
        classes = Nodes(counts, trees, [], loss, weights).classes(node)
        k = k_of(classes.sizes, eta)
        nodes = Nodes(counts, trees, [KAnonymity(k)] if k > 1 else [], loss, weights)
        found = nodes.evaluate(node, eta)
        assert (k, float(found.loss)) == (expected["k"], pytest.approx(expected["loss"], abs=1e-9))


def test_004_table1(golden):
    case = golden["004-table1"]
    rows = case["input"]["rows"]
    trees = [
        build({"mask": "right"}, sorted({r[0] for r in rows})),
        build(None, ["M", "F"]),
        build(None, ["<50K", ">=50K"]),
    ]
    nodes = Nodes(frequency(trees, rows), trees, [], GLM(), normalized_weights("abc", {}))
    assert min(nodes.classes(tuple(case["input"]["node"])).sizes) == case["expected"]["k"]
    assert min(nodes.classes((0, 0, 0)).sizes) == case["expected"]["k_at_000"]
    assert len(nodes.classes(tuple(case["input"]["node"])).sizes) == len(case["expected"]["classes"])


def test_004_lattice_size(golden):
    case = golden["004-lattice-size"]
    lengths = case["input"]["dgh_lengths"]
    assert Lattice(tuple(lengths.values())).size == case["expected"]["nodes"]
    without = tuple(height for name, height in lengths.items() if name != "SalaryClass")
    assert Lattice(without).size == case["expected"]["nodes_without_salary"]
    assert case["input"]["rows"] // 100 == case["expected"]["eta_1_percent"]


def test_004_adult_frontier_nodes(golden, shared):
    """Every node on the exact frontier of Adult has the k, loss and suppressed rows that were stored for it."""
    case = golden["004-adult-frontier"]
    trees, rows = adult_of(case, shared)
    counts = frequency(trees, rows)
    assert Lattice(tuple(t.height for t in trees)).size == case["expected"]["nodes"]
    weights = normalized_weights(counts.columns, {})
    checked = 0
    for key, points in case["expected"]["frontier"].items():
        metric, eta = key.split(",eta=")
        loss = METRICS[metric]
        for point in points:
            guarantees = [KAnonymity(point["k"])] if point["k"] > 1 else []
            nodes = Nodes(counts, trees, guarantees, loss, weights)
            for node, suppressed in zip(point["nodes"], point["suppressed"], strict=True):
                found = nodes.evaluate(tuple(node), int(eta))
                assert found.feasible
                assert found.suppressed == suppressed
                assert float(found.loss) == pytest.approx(point["loss"], abs=1e-8)
                checked += 1
    assert checked > 40


# ---- hierarchies and DM of paper 002 ---------------------------------------------------------------------------------


@pytest.fixture
def paper_002(golden):
    case = golden["002-distance-matrix"]
    return case, trees_002(case)


def common_level(tree, first, second):
    """The lowest level at which two values are published alike."""
    a, b = tree.code(str(first)), tree.code(str(second))
    return next(level for level in range(tree.height + 1) if tree.label(a, level) == tree.label(b, level))


def test_002_distance_matrix(paper_002):
    """Twice the sum over columns of (levels up to the common value / height): Definitions 3 to 6."""
    case, trees = paper_002
    table = case["input"]["table"]
    assert {name: tree.height for name, tree in trees.items()} == case["input"]["heights"]
    for i, row in enumerate(case["expected"]["lower_triangle_exact"]):
        for j, expected in enumerate(row):
            distance = sum(
                2 * Fraction(common_level(tree, table[i][name], table[j][name]), tree.height)
                for name, tree in trees.items()
            )
            assert distance == Fraction(expected), (i, j)
    zip_code = trees["Zip"]
    assert Fraction(zip_code.path(zip_code.code("13051")).index("130**"), zip_code.height) == Fraction(2, 3)


@pytest.mark.parametrize("case_id", ["002-k2", "002-k3"])
def test_002_generalized_classes_and_their_dm(golden, paper_002, case_id):
    base, trees = paper_002
    case = golden[case_id]
    table = base["input"]["table"]
    for members in case["expected"]["classes"]:
        labels = []
        for name, tree in trees.items():
            codes = [tree.code(str(table[i - 1][name])) for i in members]
            level = next(lv for lv in range(tree.height + 1) if len({tree.label(c, lv) for c in codes}) == 1)
            labels.append(tree.label(codes[0], level))
        assert labels == case["expected"]["generalized"][str(members)]


@pytest.mark.parametrize("case_id", ["002-k2", "002-k3"])
def test_002_losses_of_the_classes(golden, paper_002, case_id):
    """DM, C_avg and IL of the paper's classes, which show values of their own."""
    base, trees = paper_002
    expected = golden[case_id]["expected"]
    codes = codes_002(base, trees)
    groups = np.empty(len(codes), np.int32)
    nodes = []
    for number, members in enumerate(expected["classes"]):
        groups[np.array(members) - 1] = number
        shown = expected["generalized"][str(members)]
        nodes.append([tree.node(label) for tree, label in zip(trees.values(), shown, strict=True)])
    recoded = GroupRecoding.of_nodes(
        tuple(trees), tuple(trees.values()), codes, np.ones(7, np.int64), groups, np.array(nodes, np.int32)
    ).recoded
    weights = normalized_weights(list(trees), {})
    assert DM().of(recoded, weights) == expected["DM"]
    assert CAvg(golden[case_id]["params"]["k"]).of(recoded, weights) == Fraction(expected["CAVG"]["exact"])
    assert IL().of(recoded, weights) == Fraction(expected["IL"]["exact"])


# ---- NCP of paper 001 ------------------------------------------------------------------------------------------------


def test_001_ncp_of_clusters(golden):
    """NCP of every cluster from the cost of its generalized values: ranges by width, categories by share of leaves."""
    data = golden["001-fig1a"]["input"]["relational"]
    case = golden["001-ncp-and-merge-decisions"]
    origin = build({"groups": case["input"]["hierarchies"]["Origin"]}, sorted({r[1] for r in data.values()}))
    gender = build(None, ["Male", "Female"])
    costs = NCP().cell_costs(
        [origin, gender], [np.ones(6, np.int64), np.ones(2, np.int64)], normalized_weights("ab", {})
    )
    for members, expected in case["expected"]["ncp_of_cluster"].items():
        rows = [data[str(i)] for i in json.loads(members)]
        ages = [int(r[0]) for r in rows]
        total = Fraction(max(ages) - min(ages), 51)
        for c, tree in enumerate((origin, gender)):
            codes = [tree.code(r[c + 1]) for r in rows]
            level = next(lv for lv in range(tree.height + 1) if len({tree.label(x, lv) for x in codes}) == 1)
            total += Fraction(int(costs.costs[c][level][tree.groups[level][codes[0]]]), costs.full[c])
        assert total / 3 == Fraction(expected["exact"]), members


def test_001_ncp_of_data_sets(golden):
    """001-10: ranges of ages are no labels of a hierarchy, and count by their width; a range of two values is not 0."""
    data = golden["001-fig1a"]["input"]["relational"]
    case = golden["001-ncp-and-merge-decisions"]
    grid = {str(age): (float(age), float(age)) for age in range(19, 71)}
    age = Hierarchy.from_paths([(label, "*") for label in grid], grid | {"*": (19.0, 70.0)})
    origin = build({"groups": case["input"]["hierarchies"]["Origin"]}, sorted({r[1] for r in data.values()}))
    trees = (age, origin, build(None, ["Male", "Female"]))
    codes = np.array([[t.code(v) for t, v in zip(trees, data[str(i)], strict=True)] for i in range(6)], np.int32)
    clusters = {members: [json.loads(members)] for members in case["expected"]["ncp_of_cluster"]}
    expected = case["expected"]["ncp_of_cluster"] | case["expected"]["ncp_of_dataset"]
    for name, groups in (clusters | {text: json.loads(text) for text in case["expected"]["ncp_of_dataset"]}).items():
        members = [i for group in groups for i in group]
        recoded = generalized(trees, codes[members], np.repeat(np.arange(len(groups)), [len(g) for g in groups]))
        assert NCP().of(recoded, normalized_weights("abc", {})) == Fraction(expected[name]["exact"]), name


def generalized(trees, codes, groups):
    """Ages in the narrowest range, the others in the lowest node."""
    shown, values = [], np.tile(np.arange(groups.max() + 1, dtype=np.int32)[:, None], len(trees))
    for c, tree in enumerate(trees):
        spans = [codes[groups == g, c] for g in range(len(values))]
        if tree.bounds is None:
            covers = (tree.levels[:, [span.min(), span.max()]] for span in spans)
            nodes = [next(int(level[0]) for level in cover if level[0] == level[1]) for cover in covers]
            shown.append(ShownValues.of_nodes(tree, nodes))
        else:
            leaves = [np.arange(span.min(), span.max() + 1, dtype=np.int32) for span in spans]
            labels = tuple(f"[{tree.labels[x[0]]}:{tree.labels[x[-1]]}]" for x in leaves)
            shown.append(ShownValues(labels, np.cumsum([0, *map(len, leaves)]), np.concatenate(leaves)))
    ones = np.ones(len(codes), np.int64)
    return GroupRecoding.of_values(
        tuple("abc"), trees, codes, ones, groups.astype(np.int32), values, tuple(shown)
    ).recoded
