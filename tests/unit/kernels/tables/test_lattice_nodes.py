"""What is done at the nodes of a lattice (the cheapest shared box, peeling, boxes that are opened), tuple by tuple.

A ladder is a list of levels, each the label of every leaf; a level's price is that of a label.
"""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

from shoal.kernels.tables.guarded.moving import Units
from shoal.kernels.tables.guarded.promises import Promises
from shoal.kernels.tables.lattice_pass import cheapest_shared
from shoal.kernels.tables.opening import boxes_at, open_boxes
from shoal.kernels.tables.peeling import peel
from shoal.kernels.tables.signatures import random_numbers


class Lattice:
    """Random ladders and tuples over them, as lists and as the arrays of the kernels."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        columns = int(rng.integers(1, 4))
        self.ladders: list[list[list[int]]] = []
        self.prices: list[list[list[int]]] = []
        for _ in range(columns):
            leaves, height = int(rng.integers(2, 7)), int(rng.integers(0, 4))
            level = list(range(leaves))
            ladder = [level]
            for _ in range(height):
                level = [label // 2 for label in level]
                ladder.append(level)
            self.ladders.append(ladder)
            self.prices.append([[int(rng.integers(0, 4)) + 4 * up] * leaves for up in range(height + 1)])
        rows = {tuple(int(rng.integers(0, len(ladder[0]))) for ladder in self.ladders) for _ in range(14)}
        self.rows = sorted(rows)
        self.counts = rng.integers(1, 4, len(self.rows)).tolist()
        self.k = int(rng.integers(1, 7))
        self.nodes = list(product(*(range(len(ladder)) for ladder in self.ladders)))
        self.rng = rng
        # arrays
        self.codes = np.array(self.rows, np.int32)
        self.heights = np.array([len(ladder) - 1 for ladder in self.ladders], np.int64)
        sizes = [len(ladder) * len(ladder[0]) for ladder in self.ladders]
        self.starts = np.cumsum([0, *sizes]).astype(np.int64)
        names = [
            (c, up, label)
            for c, ladder in enumerate(self.ladders)
            for up, level in enumerate(ladder)
            for label in level
        ]
        number = dict(zip(sorted(set(names)), random_numbers(len(set(names)), 3), strict=True))
        self.signs = np.array([number[name] for name in names], np.uint64)
        self.costs = np.array([x for ladder in self.prices for level in ladder for x in level], np.float64)
        self.spots = np.zeros((columns, int(self.heights.max()) + 1), np.int64)
        for c, ladder in enumerate(self.ladders):
            self.spots[c, : len(ladder)] = self.starts[c] + np.arange(len(ladder)) * len(ladder[0])

    def shown(self, row: tuple[int, ...], node: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.ladders[c][up][row[c]] for c, up in enumerate(node))

    def price(self, row: tuple[int, ...], node: tuple[int, ...]) -> int:
        return sum(self.prices[c][up][row[c]] for c, up in enumerate(node))

    def classes(self, node: tuple[int, ...], tuples: list[int]) -> dict[tuple[int, ...], list[int]]:
        made: dict[tuple[int, ...], list[int]] = {}
        for i in tuples:
            made.setdefault(self.shown(self.rows[i], node), []).append(i)
        return made

    def records(self, tuples: list[int]) -> int:
        return sum(self.counts[i] for i in tuples)


@pytest.mark.parametrize("seed", range(40))
def test_the_cheapest_box_that_k_records_share(seed: int) -> None:
    table = Lattice(seed)
    every = list(range(len(table.rows)))
    by_hand = [(inf, 0)] * len(every)
    for number, node in enumerate(table.nodes):
        for members in table.classes(node, every).values():
            for i in members if table.records(members) >= table.k else ():
                price = table.price(table.rows[i], node)
                if price < by_hand[i][0]:
                    by_hand[i] = (price, number)
    best, where = np.full(len(every), np.inf), np.zeros(len(every), np.int64)
    none = np.empty(0, np.int64)
    units = Units(np.array(table.counts), np.zeros(len(every) + 1, np.int64), none, none)
    promises = Promises(table.k, none, np.zeros(1, np.int64), none, np.empty(0), none, none, none, none, none, none)
    middle = len(table.nodes) // 2  # in two parts
    for first, last in ((0, middle), (middle, len(table.nodes))):
        cheapest_shared(
            table.codes,
            units,
            promises,
            table.heights,
            table.starts,
            table.signs,
            table.costs,
            first,
            last,
            best,
            where,
        )
    assert list(zip(best.tolist(), where.tolist(), strict=True)) == by_hand


@pytest.mark.parametrize("seed", range(40))
def test_classes_that_are_large_enough_leave(seed: int) -> None:
    table = Lattice(seed)
    tried = [table.nodes[i] for i in table.rng.permutation(len(table.nodes))]
    left, groups, formed = list(range(len(table.rows))), [-1] * len(table.rows), []
    for number, node in enumerate(tried):
        for members in table.classes(node, left).values():
            if table.records(members) >= table.k:
                for i in members:
                    groups[i] = len(formed)
                formed.append(number)
        left = [i for i in left if groups[i] < 0]
    made_groups, made_formed = np.full(len(table.rows), -1, np.int32), np.full(len(table.rows), -1, np.int64)
    places, remaining, made = np.arange(len(table.rows)), len(table.rows), 0
    for first, last in ((0, 2), (2, len(tried))):
        remaining, made = peel(
            table.codes, np.array(table.counts), np.array(tried, np.int64), table.spots, table.signs, table.k,
            first, min(last, len(tried)), places, remaining, made, made_groups, made_formed,
        )  # fmt: skip
    assert (places[:remaining].tolist(), made_groups.tolist(), made_formed[:made].tolist()) == (left, groups, formed)


@pytest.mark.parametrize("seed", range(40))
def test_boxes_are_opened_in_the_order_of_their_excess(seed: int) -> None:
    table = Lattice(seed)
    every = list(range(len(table.rows)))
    boxes = [
        (table.price(table.rows[members[0]], node), members)
        for node in table.nodes
        for members in table.classes(node, every).values()
        if table.records(members) >= table.k
    ]
    room = len(table.nodes) * len(every)
    members, ends, prices = np.empty(room, np.int32), np.empty(room + 1, np.int64), np.empty(room)
    found = boxes_at(
        table.codes, np.array(table.counts), np.array(table.nodes, np.int64), table.spots, table.signs, table.costs,
        table.k, members, ends, prices,
    )  # fmt: skip
    listed = [(prices[i], members[ends[i] : ends[i + 1]].tolist()) for i in range(found)]
    assert listed == boxes
    # each tuple has a floor of its own, so that no two excesses are the same
    floors = [float(x) for x in table.rng.permutation(len(every)) + table.rng.random(len(every))]
    sorted_boxes = [(price, sorted(box, key=lambda i: -floors[i])) for price, box in boxes]
    groups = [-1] * len(every)

    def excess(price: float, box: list[int]) -> float:
        """What the first k records that are free pay above their floors, on average."""
        records = [floors[i] for i in box if groups[i] < 0 for _ in range(table.counts[i])][: table.k]
        return price - sum(records) / table.k if len(records) == table.k else inf

    made = 0
    while boxes:
        _, at = min((excess(*box), i) for i, box in enumerate(sorted_boxes))
        price, box = sorted_boxes[at]
        if excess(price, box) == inf:
            break
        records = 0
        for i in (i for i in box if groups[i] < 0):
            if records >= table.k and floors[i] < price:
                break
            groups[i] = made
            records += table.counts[i]
        made += 1
    opened = np.full(len(every), -1, np.int32)
    number = open_boxes(
        np.array([i for _, box in sorted_boxes for i in box], np.int32),
        np.cumsum([0, *(len(box) for _, box in sorted_boxes)]).astype(np.int64),
        np.array([price for price, _ in sorted_boxes], np.float64),
        np.array(table.counts, np.int64),
        np.array(floors),
        table.k,
        opened,
    )
    assert number == made
    assert opened.tolist() == groups
