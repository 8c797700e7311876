"""Grouping packed tuples against a dictionary of tuples."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.grouping import Grouper, Layout, group_sum


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_those_of_a_dictionary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [
        int(rng.choice([1, 2, 5, 25_000, 2**31])) for _ in range(int(rng.integers(1, 12)))
    ]  # some need several words
    codes = np.stack([rng.integers(0, min(size, 3), 60) * max(1, (size - 1) // 2) for size in sizes], axis=1)
    counts = rng.integers(1, 9, 60)
    layout = Layout.for_domains(sizes)
    keys = layout.pack(codes.astype(np.int32))
    assert all((layout.unpack(keys, column) == codes[:, column]).all() for column in range(len(sizes)))
    together: dict[tuple[int, ...], int] = {}
    for row, count in zip(codes.tolist(), counts.tolist(), strict=True):
        together[tuple(row)] = together.get(tuple(row), 0) + count
    groups, sums, group_of = group_sum(keys, counts)
    assert _codes(layout, groups) == list(together)  # in the order in which they are met
    assert sums.tolist() == list(together.values())
    assert [list(together)[group] for group in group_of] == [tuple(row) for row in codes.tolist()]


@pytest.mark.parametrize("seed", range(30))
def test_columns_are_replaced_before_tuples_are_grouped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(size) for size in rng.integers(1, 40, 14)]
    codes = np.stack([rng.integers(0, size, 50) for size in sizes], axis=1).astype(np.int32)
    counts = rng.integers(1, 9, 50)
    moved = np.flatnonzero(rng.random(len(sizes)) < 0.7)
    maps = {int(column): rng.integers(0, min(2, sizes[column]), sizes[column]) for column in moved}
    layout = Layout.for_domains(sizes)
    starts = np.cumsum([0, *(sizes[column] for column in moved)])[:-1].astype(np.int64)
    every = np.concatenate([np.empty(0, np.uint64), *(maps[int(column)].astype(np.uint64) for column in moved)])
    move = (layout.words[moved], layout.shifts[moved], layout.masks[moved], starts, every)
    together: dict[tuple[int, ...], int] = {}
    for row, count in zip(codes.tolist(), counts.tolist(), strict=True):
        new = tuple(int(maps[c][code]) if c in maps else code for c, code in enumerate(row))
        together[new] = together.get(new, 0) + count
    grouper = Grouper(layout.width)
    for members in (True, False, True):  # the same room again
        groups, sums, group_of = grouper(layout.pack(codes), counts, move, members=members)
        assert _codes(layout, groups) == list(together)
        assert sums.tolist() == list(together.values())
        assert len(group_of) == (50 if members else 0)


def _codes(layout: Layout, keys: np.ndarray) -> list[tuple[int, ...]]:
    columns = [layout.unpack(keys, column).tolist() for column in range(len(layout.words))]
    return list(zip(*columns, strict=True))
