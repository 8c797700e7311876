"""Every case of paper 002 by id: distances, tree, cuts, merges, and the whole method."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from golden.cases import codes_002, trees_002
from shoal.data.frequency import FrequencySet
from shoal.errors import Infeasible
from shoal.guarantees import KAnonymity
from shoal.kernels.tables.boxes import Trees, joint_price, smallest_boxes
from shoal.kernels.tables.spanning import Growth, Rows, grow
from shoal.loss import DM, GLM, IL, CAvg
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.level_distance import Space
from shoal.methods.tables.mstk import Mstk, cut_apart, heaviest_kept, merge_classes, spanning_groups
from shoal.methods.tables.problem import TableProblem
from shoal.methods.tables.spanning import Edges, spanning_tree


def quiet(_):
    pass


# ---- the paper's table -----------------------------------------------------------------------------------------------


class Paper:
    """The seven records; points are numbered as the method does, records from 1 as in the paper."""

    def __init__(self, case) -> None:
        self.trees = trees_002(case)
        self.frequency = FrequencySet(tuple(self.trees), codes_002(case, self.trees), np.ones(7, np.int64))
        ground = self.ground(2)
        self.space = Space.of(
            ground.priced, ground.hierarchies, ground.weights, self.frequency.codes, self.frequency.counts
        )
        self.point = {int(record) + 1: point for point, record in enumerate(self.space.tuples)}

    def ground(self, k: int) -> Ground:
        return Ground.over(self.frequency, TableProblem(self.trees, {}, (KAnonymity(k),), GLM(), {}, Fraction(0)))

    def distance(self, one: int, two: int) -> Fraction:
        """Between two records, as in Definition 5."""
        codes = self.space.codes
        half = joint_price(self.space.priced, codes[self.point[one]], codes[self.point[two]], np.inf)
        return 2 * Fraction(int(half)) / self.space.scale

    def classes(self, points_by_group) -> list[list[int]]:
        found = {}
        for record, point in sorted(self.point.items()):
            found.setdefault(int(points_by_group[point]), []).append(record)
        return sorted(found.values())

    def method(self, k: int):
        ground = self.ground(k)
        groups = spanning_groups(ground, quiet)
        decision = ground.decision(groups)
        return self.classes(groups[self.space.tuples]), decision.recoding.recoded


@pytest.fixture(scope="module")
def paper(golden):
    return Paper(golden["002-distance-matrix"])


def test_002_distance_matrix(golden, paper):
    case = golden["002-distance-matrix"]
    for i, row in enumerate(case["expected"]["lower_triangle_exact"], start=1):
        for j, expected in enumerate(row, start=1):
            assert paper.distance(i, j) == Fraction(expected), (i, j)
    heights = {name: tree.height for name, tree in paper.trees.items()}
    assert heights == case["input"]["heights"]
    offsets, prices = paper.space.priced.offsets, paper.space.priced.prices
    price = {
        name: {label: Fraction(int(prices[at + node])) / paper.space.scale for node, label in enumerate(tree.labels)}
        for at, (name, tree) in zip(offsets, paper.trees.items(), strict=True)
    }
    assert price["Zip"]["130**"] == Fraction(case["expected"]["GHD_13051_130xx"]["exact"])
    effort = price["Age"]["[20-30]"] + price["Sex"]["M"] + price["Zip"]["1305*"]
    assert effort == Fraction(case["expected"]["GE_t2_to_table1b"]["exact"])


@pytest.mark.parametrize("by_levels", [True, False])
def test_002_mst_and_inflexion(golden, paper, by_levels):
    expected = golden["002-mst-and-inflexion"]["expected"]
    edges = spanning_tree(paper.space, quiet, by_levels=by_levels)
    weights = sorted(2 * Fraction(int(w)) / paper.space.scale for w in edges.weights)
    assert weights == [Fraction(w) for w in expected["mst_weights_sorted"]]
    assert sum(weights) == Fraction(expected["mst_total"])
    mean = sum(weights) / len(weights)
    deviation = (sum((w - mean) ** 2 for w in weights) / (len(weights) - 1)) ** 0.5
    assert float(mean) == pytest.approx(expected["mean"]["value"])
    assert deviation == pytest.approx(expected["std_sample"]["value"])
    inflexion = expected["inflexion"]["value"]
    assert float(mean) + deviation == pytest.approx(inflexion)
    kept = heaviest_kept(6, int(edges.weights.sum()), int((edges.weights**2).sum()))
    assert 2 * kept / paper.space.scale <= inflexion < 2 * (kept + 1) / paper.space.scale
    assert paper.classes(cut_apart(paper.space.records, edges, 2)) == expected["subtrees"]


def test_002_mst_all_eight_trees_are_cut_alike(golden, paper):
    """Whichever of the minimum spanning trees comes out, the subtrees are the same."""
    expected = golden["002-mst-and-inflexion"]["expected"]
    pairs = list(combinations(range(1, 8), 2))
    least, cuts = 0, set()
    for chosen in combinations(pairs, 6):
        joined = {i: {i} for i in range(1, 8)}
        for i, j in chosen:
            if joined[i] is not joined[j]:
                joined[i] |= joined[j]
                for member in joined[j]:
                    joined[member] = joined[i]
        if len(joined[1]) < 7 or sum(paper.distance(i, j) for i, j in chosen) > Fraction(expected["mst_total"]):
            continue
        least += 1
        edges = Edges(
            np.array([paper.point[i] for i, _ in chosen]),
            np.array([paper.point[j] for _, j in chosen]),
            np.array([int(paper.distance(i, j) * paper.space.scale / 2) for i, j in chosen]),
        )
        cuts.add(json.dumps(paper.classes(cut_apart(paper.space.records, edges, 2))))
    assert least == expected["number_of_minimum_spanning_trees"]
    assert [json.loads(cut) for cut in cuts] == [expected["subtrees"]]


@pytest.mark.parametrize("case_id", ["002-k2", "002-k3"])
def test_002_whole_method(golden, paper, case_id):
    case = golden[case_id]
    expected, k = case["expected"], case["params"]["k"]
    classes, recoded = paper.method(k)
    assert classes == expected["classes"]
    for members in classes:
        (shown,) = {int(recoded.classes[i - 1]) for i in members}
        labels = [recoded.shown[c].labels[recoded.values[shown, c]] for c in range(3)]
        assert labels == expected["generalized"][str(members)]
    weights = (Fraction(1, 3),) * 3
    assert DM().of(recoded, weights) == expected["DM"]
    assert CAvg(k).of(recoded, weights) == Fraction(expected["CAVG"]["exact"])
    assert IL().of(recoded, weights) == Fraction(expected["IL"]["exact"])


def test_002_k3_distances_of_classes(golden, paper):
    """CDist between the subtrees, by the price of the boxes that the merges use."""
    trees, codes = paper.space.priced, paper.space.codes
    for pair, expected in golden["002-k3"]["expected"]["CDist"].items():
        members = [[paper.point[i] for i in json.loads(f"[{part}]")] for part in pair.strip("[]").split("]-[")]
        groups = np.full(7, -1, np.int32)
        for number, points in enumerate(members):
            groups[points] = number
        one, two = smallest_boxes(trees, codes, groups, 2)
        both = joint_price(trees, one, two, np.inf)
        cost = sum(
            len(points) * (both - joint_price(trees, box, box, np.inf))
            for points, box in zip(members, (one, two), strict=True)
        )
        assert Fraction(int(cost)) / paper.space.scale == Fraction(expected["exact"]), pair


def test_002_k4_k7(golden, paper):
    for k, expected in golden["002-k4-k7"]["expected"].items():
        assert paper.method(int(k))[0] == expected
    with pytest.raises(Infeasible, match="fewer than the 8"):
        paper.ground(8)


def test_002_ce_exactly_k(golden, paper):
    case = golden["002-ce-exactly-k"]["expected"]
    for k, expected in case["required"].items():
        classes, recoded = paper.method(int(k))
        assert classes == expected
        assert sum(map(len, classes)) == recoded.rows == 7
        assert classes != case["letter"][k]["published"]


# ---- counterexamples without a table ---------------------------------------------------------------------------------


def tree_of(distances) -> Edges:
    """A spanning tree of points whose distances are given: one block of columns whose table they are."""
    points = len(distances)
    none = np.zeros(1, np.int32)
    rows = Rows(
        np.arange(points, dtype=np.uint32).reshape(1, -1),
        np.array([0, points]),
        np.array(distances, np.int64).reshape(-1),
        np.array([0]),
        np.array([-1]),
        Trees(np.zeros(1, np.int64), none, none, none, np.zeros(1)),
    )
    growth = Growth.of(rows, np.arange(points), np.arange(points, dtype=np.int32))
    grow(rows, growth, points)
    return Edges(growth.first[: points - 1], growth.second[: points - 1], growth.weights[: points - 1])


def ranges_of(points, nodes) -> Trees:
    """One column over sorted points; a node covers points from one place to another and costs its width. The root comes last."""
    spans = [*((i, i) for i in range(len(points))), *nodes]
    parents = [
        next((n for n, (lo, hi) in enumerate(spans) if n > i and n >= len(points) and lo <= first and last <= hi), -1)
        for i, (first, last) in enumerate(spans)
    ]
    return Trees(
        np.zeros(1, np.int64),
        np.array([first for first, _ in spans], np.int32),
        np.array([last for _, last in spans], np.int32),
        np.array(parents, np.int32),
        np.array([points[last] - points[first] for first, last in spans], np.float64),
    )


def classes_of(points, groups) -> list[list[int]]:
    return sorted([points[i] for i in np.flatnonzero(groups == group)] for group in np.unique(groups))


def cut_and_merge(points, nodes, k):
    """Returns the edges as well, for splitting again."""
    edges = tree_of([[abs(x - y) for y in points] for x in points])
    records = np.ones(len(points), np.int64)
    groups = cut_apart(records, edges, k)
    trees = ranges_of(points, nodes)
    leaves = np.arange(len(points), dtype=np.int32).reshape(-1, 1)
    boxes = smallest_boxes(trees, leaves, groups.astype(np.int32), int(groups.max()) + 1)
    merged = merge_classes(trees, boxes, np.bincount(groups), k, lambda shown: shown.astype(np.uint64), quiet)
    return edges, merged[groups]


def test_002_ce_no_split(golden):
    alike, three, two = golden["002-ce-no-split"]["input"]["instances"]
    points, k = alike["points"], alike["k"]
    edges = tree_of(np.ones((points, points), int) - np.eye(points, dtype=int))
    assert edges.weights.tolist() == [1] * (points - 1)
    records = np.ones(points, np.int64)
    groups = cut_apart(records, edges, k)
    assert sorted(np.bincount(groups)) == [2, 2, 2, 2]  # ties go to the last point: a path, which can be halved
    star = Edges(np.zeros(points - 1, np.int64), np.arange(1, points), np.ones(points - 1, np.int64))
    assert cut_apart(records, star, k).tolist() == [0] * points  # no edge leaves two on both sides
    for instance in (three, two):
        weights = instance["mst_weights"]
        assert heaviest_kept(len(weights), sum(weights), sum(w * w for w in weights)) >= max(weights)
        for order in set(product(weights, repeat=len(weights))):
            if sorted(order) == sorted(weights):
                path = Edges(np.arange(len(weights)), np.arange(1, len(weights) + 1), np.array(order))
                groups = cut_apart(np.ones(len(weights) + 1, np.int64), path, 1)
                assert len(set(groups.tolist())) == len(weights) + 1


def test_one_edge_has_no_deviation():
    """ERRATA 002-4."""
    assert heaviest_kept(1, 7, 49) == 7


def test_002_ce_merge_pairs(golden):
    case = golden["002-ce-merge-pairs"]
    points, k, required = case["input"]["points_1d"], case["params"]["k"], case["expected"]["required"]
    edges, merged = cut_and_merge(points, [(2, 9), (0, 1), (0, 9)], k)
    assert classes_of(points, merged) == required["without_resplit"]
    split = cut_apart(np.ones(len(points), np.int64), edges, k, at_mean=False)
    assert classes_of(points, split) == required["with_resplit"]
    assert np.bincount(split).min() >= k and len(split) == required["records_kept"]


def test_002_ce_odd_leftover(golden):
    case = golden["002-ce-odd-leftover"]
    points = case["input"]["points_1d"]
    _, merged = cut_and_merge(points, [(1, 5), (0, 5)], case["params"]["k"])
    assert classes_of(points, merged) == case["expected"]["required"]


def test_every_case_is_here(golden):
    tests = {name for name in globals() if name.startswith("test_002_")}
    by_parameter = {"002-k2", "002-k3"}
    for case in (name for name in golden if name.startswith("002-")):
        assert case in by_parameter or any(name.startswith(f"test_{case.replace('-', '_')}") for name in tests), case


def test_keys_of_a_recipe():
    assert Mstk().problems({}) == Mstk().problems({"resplit": False}) == []
    assert "Keys: resplit" in Mstk().problems({"depth": 1})[0]
    assert "true or false" in Mstk().problems({"resplit": "no"})[0]
