"""Random recipes of every kind: a release that keeps its promises by their definitions, or a reason; never a fault of shoal.

50 of each kind, in parts that can run beside each other. `benchmarks/random_recipes.py` runs thousands, with other seeds.
A failure names the kind, the seed and the number of the case: `outcome_of(kind, seed, number, folder)` makes it again.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oracles.random_recipes.case import seeded
from oracles.random_recipes.matching import possible_pairs
from oracles.random_recipes.outcome import KINDS, outcome_of
from oracles.set_cases import perfect_edges

if TYPE_CHECKING:
    from pathlib import Path

SEED = 14
CASES = 50  # of each kind: 0.3 s each
PART = 25
RELEASED = 0.2  # of a part at least (of a kind about half): recipes that are all refused try nothing


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, PART))
@pytest.mark.parametrize("kind", KINDS)
def test_every_recipe_ends_in_a_verified_release_or_in_a_reason(kind: str, first: int, tmp_path: Path) -> None:
    outcomes = {number: outcome_of(kind, SEED, number, tmp_path) for number in range(first, first + PART)}
    faults = [f"{kind}, seed {SEED}, number {n}: {o.word}: {o.detail}" for n, o in outcomes.items() if o.is_fault]
    assert not faults, "\n".join(faults)
    words = Counter(outcome.word for outcome in outcomes.values())
    assert words["release"] >= RELEASED * PART, words


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_ends_as_documented(kind: str, tmp_path: Path) -> None:
    """A few through the real command, in a process of its own."""
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        case = KINDS[kind](seeded(kind, SEED, number))
        recipe = case.write(folder)
        command = [sys.executable, "-c", "from shoal.cli import main; main()", "run", str(recipe)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode in (0, 1, 2, 3), ended.stderr
        assert "Traceback" not in ended.stderr
        assert (ended.returncode == 0) == (folder / case.recipe["output"]["path"]).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_can_be_made_again(kind: str) -> None:
    one, two = (KINDS[kind](seeded(kind, 3, 7)) for _ in range(2))
    assert (one.recipe, one.files, one.tags) == (two.recipe, two.files, two.tags)


def test_possible_pairs_are_those_of_perfect_matchings() -> None:
    rng = seeded("matching", 1, 1)
    for _ in range(200):
        number = rng.randint(1, 5)
        fits = [[rng.random() < 0.5 for _ in range(number)] for _ in range(number)]
        tried = perfect_edges(number, number, lambda i, j, fits=fits: fits[i][j])
        found = possible_pairs(fits)
        assert {(i, j) for i, row in enumerate(found or []) for j in row} == tried
