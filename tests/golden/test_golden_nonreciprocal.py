"""Every case of paper 003 by id: order, ring, votes, assignments, blocks and labels."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from oracles.set_oracle import arrays, bitmap, cyclic_length, gray_rank, of_bitmaps, ring_matchings
from oracles.set_rounds import transfer_count
from shoal.attacks.sets.ring import joint_knowledge
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.k_matching import KMatching
from shoal.kernels.sets.block_cuts import cut_into_blocks, weights
from shoal.kernels.sets.closed_walk import assignments
from shoal.kernels.sets.gray_order import gray_order
from shoal.kernels.sets.hamming import cyclic_sum
from shoal.kernels.sets.label_sequence import label_sequence
from shoal.kernels.sets.segments import segments
from shoal.kernels.sets.tour import NEAREST, shorten
from shoal.kernels.sets.voting import vote
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.nonreciprocal import Nonreciprocal, ring

NO_LABELS = np.empty(0, np.int32)


@pytest.fixture(scope="session")
def golden(shared):
    cases = json.loads((shared / "golden" / "003_nonreciprocal.json").read_text())["cases"]
    return {case["id"]: case for case in cases}


class Paper:
    """The six records, numbered from 0."""

    def __init__(self, golden):
        given = golden["003-gray-order"]["input"]
        self.sets = of_bitmaps(given["records"].values())
        self.labels = list(given["labels"].values())
        self.offsets, self.items = arrays(self.sets)
        self.order = np.array(golden["003-ring-3"]["input"]["order"]) - 1

    def ring(self, k):
        """What is shown at each place of the ring, and who may have come there."""
        windows = ring(self.order, k)
        return windows, vote(self.offsets, self.items, 4, windows.starts, windows.members, np.arange(6))


@pytest.fixture(scope="module")
def paper(golden):
    return Paper(golden)


def error_rate(offsets, members, apart, matches):
    lengths = np.maximum(np.diff(offsets), 1)[members]
    by_length = np.bincount(lengths, weights=apart).astype(np.int64)
    total = sum(Fraction(int(a), length) for length, a in enumerate(by_length) if a)
    return total / matches


def test_003_gray_order(golden, paper):
    case = golden["003-gray-order"]["expected"]
    ranks = {str(i + 1): gray_rank(one, 4) for i, one in enumerate(paper.sets)}
    assert ranks == case["gray_rank"]
    gray = gray_order(paper.offsets, paper.items, 4)
    assert (gray + 1).tolist() == case["gray_order"]
    sums = case["cyclic_hamming_sum"]
    assert cyclic_sum(paper.offsets, paper.items, np.arange(6)) == sums["input order"]
    assert cyclic_sum(paper.offsets, paper.items, gray) == sums["gray"]
    assert cyclic_sum(paper.offsets, paper.items, paper.order) == sums["gray-tsp"]
    shortest = min(cyclic_length(paper.sets, [0, *rest]) for rest in permutations(range(1, 6)))
    assert shortest == case["optimal_cyclic_tour"]
    # with the ends in their places, the tour is the paper's or as short
    tour = shorten(paper.offsets, paper.items, 4, gray, np.array([0, 6]), NEAREST, 3)
    assert shortest <= cyclic_sum(paper.offsets, paper.items, tour) <= sums["gray-tsp"]


def test_003_gray_code(golden):
    case = golden["003-gray-code"]
    bits = case["input"]["bits"]
    sets = of_bitmaps([format(i, f"0{bits}b") for i in range(2**bits)])
    order = gray_order(*arrays(sets), bits)
    assert [bitmap(sets[i], bits) for i in order] == case["expected"]["gray"]


def worlds(shown, universe):
    base, differ, at_most = shown
    for count in range(at_most + 1):
        for flipped in combinations(sorted(differ), count):
            yield bitmap(base ^ set(flipped), universe)


def test_003_ring_3(golden, paper):
    case = golden["003-ring-3"]["expected"]
    windows, shown = paper.ring(3)
    matches = {str(i + 1): [] for i in range(6)}
    for place in range(6):
        own = str(paper.order[place] + 1)
        inside = windows.members[windows.starts[place] : windows.starts[place + 1]]
        expected = case["published"][own]
        base = set(shown.base[shown.base_starts[place] : shown.base_starts[place + 1]].tolist())
        differ = set(shown.differ[shown.differ_starts[place] : shown.differ_starts[place + 1]].tolist())
        assert bitmap(base, 4) == expected["base"]
        assert bitmap(differ, 4) == expected["distance_bitmap"]
        assert shown.at_most[place] == expected["threshold"]
        assert sorted((inside + 1).tolist()) == expected["preimages"]
        possible = sorted(worlds((base, differ, int(shown.at_most[place])), 4))
        assert possible == expected["possible_worlds"]
        among = [i + 1 for i, one in enumerate(paper.sets) if bitmap(one, 4) in possible]
        assert among == expected["originals_among_worlds"]
        for one in inside:
            matches[str(one + 1)].append(int(own))
    assert {one: sorted(found) for one, found in matches.items()} == case["matches_of_original"]
    rate = error_rate(paper.offsets, windows.members, shown.apart, 18)
    assert rate == Fraction(case["ER_expected_over_matches"]["exact"])
    own_base = {int(k) - 1: of_bitmaps([v["base"]])[0] for k, v in case["published"].items()}
    same = sum(Fraction(len(one ^ own_base[i]), len(one)) for i, one in enumerate(paper.sets)) / 6
    assert same == Fraction(case["ER_same_index"]["exact"])


def test_003_bit_voting(golden):
    case = golden["003-bit-voting"]
    offsets, items = arrays(of_bitmaps(case["input"]["preimages"]))
    shown = vote(offsets, items, 4, np.array([0, 3]), np.arange(3), np.zeros(1, np.int64))
    assert bitmap(set(shown.base.tolist()), 4) == case["expected"]["base"]


def test_003_ce_labels_after_assignment(golden, paper):
    case = golden["003-ce-labels-after-assignment"]
    expected = case["expected"]
    matches = {int(k): v for k, v in golden["003-ring-3"]["expected"]["matches_of_original"].items()}

    def diverse(assignment):
        """assignment: original → published, whose label is then that of its original."""
        label = {published: paper.labels[one - 1] for one, published in assignment.items()}
        return all(len({label[m] for m in matches[one]}) == 3 for one in matches)

    all_of_them = []
    for places in permutations(range(1, 7)):
        assignment = dict(zip(range(1, 7), places, strict=True))
        if all(published in matches[one] for one, published in assignment.items()):
            all_of_them.append(assignment)
    assert len(all_of_them) == expected["perfect_matchings"]
    assert sum(not diverse(a) for a in all_of_them) == expected["breaking_3_diversity"]
    given = {int(one): published for one, published in case["input"]["assignment"].items()}
    label = {published: paper.labels[one - 1] for one, published in given.items()}
    assert {str(p): label[p] for p in sorted(label)} == expected["published_label"]
    seen = sorted(label[m] for m in matches[4])
    assert seen == sorted(expected["labels_seen_by_r4"])
    assert Fraction(seen.count("Christian"), 3) == Fraction(expected["posterior_r4_christian"]["exact"])
    # what we do: blocks of different labels, in which no assignment can break anything
    codes = np.unique(paper.labels, return_inverse=True)[1].astype(np.int32)
    cuts, sequence = label_sequence(codes[paper.order], 3, 3)
    assert [len(set(codes[paper.order][sequence[a:b]])) for a, b in pairwise(cuts)] == [3, 3]


@pytest.mark.parametrize("records", [3, 4, 5, 6, 7])
def test_003_ce_ring_2_one_identity(golden, records):
    found = sorted(ring_matchings(records, 2))
    assert len(found) == golden["003-ce-ring-2-one-identity"]["expected"]["perfect_matchings"]
    assert found == [(0,) * records, (1,) * records]


@pytest.mark.parametrize("k", [2, 3])
def test_rings_that_unravel_are_refused(k):
    from shoal.methods.sets.problem import SetProblem

    problem = SetProblem({"items": None}, {}, (KMatching(k),))
    with pytest.raises(RecipeError, match=f"k = {k}"):
        Nonreciprocal().decide(None, problem, lambda _: None, mode="ring")


def test_003_perfect_matchings_ring(golden):
    case = golden["003-perfect-matchings-ring"]
    for (records, k), count in zip(case["input"]["cases"], case["expected"]["count"], strict=True):
        assert transfer_count(records, k) == count
        if records < 9:
            assert len(list(ring_matchings(records, k))) == count


def test_003_round1_bias(golden):
    expected = golden["003-round1-bias"]["expected"]
    for name, values in expected["values"].items():
        records, k = (int(part.split("=")[1]) for part in name.split(","))
        runs = 40_000 // records
        first, each = np.zeros(k), np.zeros((k, records, k), np.int64)
        for _ in range(runs):
            rounds = assignments(records, k, lambda size: os.urandom(min(size, 4096)))
            first += np.bincount(rounds[0], minlength=k)
            np.add.at(each, (np.arange(k)[:, None], np.arange(records)[None, :], rounds), 1)
        assert np.abs(first / (runs * records) - values).max() < expected["tolerance"]
        assert (each.sum(axis=0) == runs).all()  # a uniform pick gives every edge exactly 1/k


def test_003_joint_posterior(golden, monkeypatch):
    monkeypatch.setattr(
        "shoal.attacks.sets.ring.PLACES", 40_000
    )  # off by less than 0.02 then, and it takes a quarter of the time
    expected = golden["003-joint-posterior"]["expected"]
    for name, value in expected["values"].items():
        records, k = (int(part.split("=")[1]) for part in name.split(","))
        found = joint_knowledge(records, k)
        assert abs(found - value) < expected["tolerance"], name


def test_003_ce_greedy_dead_end(golden):
    case = golden["003-ce-greedy-dead-end"]
    l = case["params"]["l"]
    texts = [case["input"]["labels"][str(i)] for i in case["input"]["order"]]
    labels = np.unique(texts, return_inverse=True)[1].astype(np.int32)
    assert (max(Counter(texts).values()) * l <= len(texts)) == case["expected"]["l_eligible"]
    cuts, sequence = label_sequence(labels, 4, l)
    blocks = [sequence[a:b] for a, b in pairwise(cuts)]
    assert all(len(set(labels[block])) == len(block) >= l for block in blocks)
    for block in case["expected"]["a_valid_block_partition"]:
        assert len({case["input"]["labels"][str(i)] for i in block}) == len(block)


def test_003_ce_segmentation(golden):
    case = golden["003-ce-segmentation"]
    least, most = case["input"]["m"], case["input"]["M"]
    gaps = [n for low, high in case["expected"]["n_without_segmentation"] for n in range(low, high + 1)]
    for count in range(1, 1900):
        sizes = np.diff(segments(np.ones(count, np.int64), least, most))
        assert sizes.sum() == count and sizes.max() <= most
        if count in gaps:
            assert sizes.min() < least and len(sizes) == -(-count // most) and sizes.max() - sizes.min() <= 1
        else:
            assert sizes.min() >= least


def test_003_ce_n_less_than_k(golden):
    case = golden["003-ce-n-less-than-k"]
    assert case["expected"]["required"] == "refuse"
    promise = MatchingPromise.of("nonreciprocal", (KMatching(case["input"]["k"]),))
    with pytest.raises(Infeasible, match="2 records"):
        promise.check(None, case["input"]["n"])


def test_003_ring_equals_mean_of_blocks(golden, paper):
    case = golden["003-ring-equals-mean-of-blocks"]["expected"]
    windows, shown = paper.ring(3)
    ring_rate = error_rate(paper.offsets, windows.members, shown.apart, 18)
    assert ring_rate == Fraction(case["ring_ER_expected"]["exact"])
    found = []
    for offset in range(3):
        order = np.roll(paper.order, offset)
        starts = np.array([0, 3, 6])
        votes = vote(paper.offsets, paper.items, 4, starts, order, starts[:-1])
        blocks = sorted(sorted((order[a:b] + 1).tolist()) for a, b in pairwise(starts))
        found.append((blocks, error_rate(paper.offsets, order, votes.apart, 6)))
    expected = [(sorted(b["blocks"]), Fraction(b["ER"]["exact"])) for b in case["blocks_by_offset"]]
    assert sorted(found) == sorted(expected)
    assert sum(rate for _, rate in found) / 3 == ring_rate


def test_003_chess_reference(golden, shared):
    case = golden["003-chess-reference"]
    lines = gzip.decompress((shared / case["input"]["file"]).read_bytes()).decode().splitlines()
    offsets, items = arrays([{int(item) - 1 for item in line.split()} for line in lines])
    order = gray_order(offsets, items, 75)
    expected = case["expected"]
    assert cyclic_sum(offsets, items, order) == expected["cyclic_hamming_sum"]
    assert order[:10].tolist() == expected["first_ten_record_indices"]
    for k, rates in expected["ER"].items():
        windows = order[(np.arange(len(order))[:, None] + np.arange(int(k))) % len(order)].ravel()
        starts = np.arange(len(order) + 1) * int(k)
        shown = vote(offsets, items, 75, starts, windows, np.arange(len(order)))
        assert error_rate(offsets, windows, shown.apart, len(windows)) == Fraction(rates["ring"])
        cuts = cut_into_blocks(
            offsets, items, 75, order, weights(np.diff(offsets)), int(k), 2 * int(k) - 1, NO_LABELS, 0
        )
        shown = vote(offsets, items, 75, cuts, order, cuts[:-1])
        assert error_rate(offsets, order, shown.apart, len(order)) == Fraction(rates["blocks"])


def test_every_case_has_a_test(golden):
    named = {name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_003")}
    assert named == set(golden)
