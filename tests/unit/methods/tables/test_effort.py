"""`effort`: the same steps on every machine, whatever the clock on the wall shows, and however many threads there are."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.methods.clock import EFFORTS, WallClock, WorkClock
from shoal.methods.tables import floor, guarded_search, hiding, local_search, partition, starts

DRAW = random.Random(7)
TOWNS = ["Ulm", "Kiel", "Bonn", "Bremen", "Trier"]
FRAME = pa.table(
    {
        "age": [str(DRAW.randrange(20, 80)) for _ in range(300)],
        "town": [DRAW.choice(TOWNS) for _ in range(300)],
        "sex": [DRAW.choice("mf") for _ in range(300)],
        "illness": [DRAW.choice(["flu", "ulcer", "none", "none"]) for _ in range(300)],
    }
)
L = {"name": "l-diversity", "l": 2, "column": "illness"}


def recipe(*promises: dict, seed: int | None = 3, threads: int = 1, **method: object) -> dict:
    """With a seed the whole release is the same; without one only the classes are."""
    return {
        **({} if seed is None else {"seed": seed}),
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20], "from": 0, "to": 100}},
            "town": {
                "role": "quasi",
                "hierarchy": {"groups": {"south": ["Ulm", "Trier"], "north": ["Kiel", "Bremen", "Bonn"]}},
            },
            "sex": {"role": "quasi"},
            "illness": {"role": "sensitive"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 3}, *promises],
        "method": {"name": "auto", "effort": 1, **method},
        "engine": {"threads": threads},
    }


@pytest.mark.parametrize("promises", [(), (L,)], ids=["k", "k and l"])
@pytest.mark.parametrize("method", [{}, {"blocks": 60}, {"values": "free"}], ids=["whole", "in blocks", "free"])
def test_the_same_release_twice_and_no_look_at_the_clock(monkeypatch, promises, method) -> None:
    first = shoal.anonymize(FRAME, recipe(*promises, **method))
    shuffled = FRAME.take(random.Random(1).sample(range(300), 300))  # what is read in another order is the same data
    if "blocks" not in method:  # blocks are worked on in other processes

        def asked(self) -> float:
            raise AssertionError("the clock on the wall was asked")

        monkeypatch.setattr(WallClock, "now", asked)
    again = shoal.anonymize(shuffled, recipe(*promises, threads=2, **method))
    assert again.data.equals(first.data)
    assert again.loss == first.loss


def test_without_a_seed_the_classes_are_the_same_and_records_are_dealt_out_at_random() -> None:
    first, again = (shoal.anonymize(FRAME, recipe(seed=None)) for _ in range(2))
    quasi = ["age", "town", "sex"]
    assert first.data.select(quasi).equals(again.data.select(quasi))
    assert first.loss == again.loss
    assert first.verdict.codes == again.verdict.codes == ()


@settings(deadline=None, max_examples=3)
@given(
    rows=st.lists(
        st.tuples(st.integers(20, 60), st.sampled_from(TOWNS), st.sampled_from("mf")), min_size=6, max_size=40
    )
)
def test_property_any_table_twice(rows) -> None:
    ages, towns, sexes = zip(*rows, strict=True)
    illnesses = ["flu", "none"] * len(rows)
    frame = pa.table({"age": list(map(str, ages)), "town": towns, "sex": sexes, "illness": illnesses[: len(rows)]})
    spec = recipe()
    spec["columns"]["illness"] |= {"accept_unique": True, "reason": "so few records"}
    assert shoal.anonymize(frame, spec).data.equals(shoal.anonymize(frame, spec).data)


def test_more_effort_never_loses_more() -> None:
    losses = [shoal.anonymize(FRAME, recipe(L, effort=effort)).loss for effort in (1, 2)]
    assert losses[1] <= losses[0]


@pytest.mark.parametrize("effort", [0, 6, 2.5, True, "3"])
def test_an_effort_that_is_none_is_refused(effort) -> None:
    with pytest.raises(shoal.RecipeError, match="`effort` must be a whole number from 1 to 5"):
        shoal.Recipe.of(recipe(effort=effort))


def test_effort_and_budget_exclude_each_other() -> None:
    with pytest.raises(shoal.RecipeError, match="cannot both be given"):
        shoal.Recipe.of(recipe(budget="5s"))


@pytest.mark.parametrize("module", [floor, guarded_search, hiding, local_search, partition, starts])
def test_what_auto_searches_with_knows_no_other_clock(module) -> None:
    assert "time" not in vars(module), "ask `ground.clock`, and tell it what a step takes"


def test_the_clocks() -> None:
    work, wall = WorkClock(5.0), WallClock()
    work.spend(2.5)
    before = time.monotonic()
    wall.spend(1000.0)
    assert work.now() == 7.5
    assert before <= wall.now() <= time.monotonic()
    assert list(EFFORTS) == [1, 2, 3, 4, 5] and sorted(EFFORTS.values()) == list(EFFORTS.values())


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_effort_ends_after_its_steps_and_gives_the_same_twice(monkeypatch, effort) -> None:
    """With steps that take a hundredth: what ends a search is the same for all efforts."""
    monkeypatch.setitem(EFFORTS, effort, EFFORTS[effort] / 100)
    first, again = (shoal.anonymize(FRAME, recipe(L, effort=effort, threads=threads)) for threads in (1, 2))
    assert again.data.equals(first.data)
    assert again.loss == first.loss


@pytest.mark.slow
@pytest.mark.parametrize("promises", [(), (L,)], ids=["k", "k and l"])
def test_the_same_bytes_with_one_thread_and_with_two(tmp_path, promises) -> None:
    pyarrow.csv.write_csv(FRAME, tmp_path / "people.csv")
    text = shoal.Recipe.of(recipe(*promises, threads=1)).to_toml()
    text = '[input]\npath = "people.csv"\n[output]\npath = "release/people.csv"\n' + text
    seed, rest = "seed = 3\n", text.replace("seed = 3\n", "")
    written = []
    for threads in ("1", "2"):
        file = tmp_path / f"recipe{threads}.toml"
        file.write_text(seed + rest.replace("threads = 1", f"threads = {threads}"))
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        ran = subprocess.run(
            [sys.executable, "-m", "shoal", "run", str(file), "--replace"],
            env={**os.environ, **dict.fromkeys(names, threads), "PYTHONHASHSEED": threads},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert "Made with a `seed`" in ran.stderr + ran.stdout
        written.append((tmp_path / "release" / "people.csv").read_bytes())
    assert written[0] == written[1]
