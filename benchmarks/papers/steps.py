"""The benchmarks that draw the papers' figures, with their sizes for a quick run and for the long one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """Commands that measure and draw. `{to}`: the paper's folder; `{json}`: what the first command of the step prints.

    `sizes`: what the quick run takes, what the long one takes, and what the paper has.
    """

    name: str
    paper: str
    quick: tuple[str, ...]
    full: tuple[str, ...]
    sizes: tuple[str, str, str]


_SWEEP, _DRAW_TREES = "benchmarks.trees.sweep {to}/rows", "benchmarks.trees.pictures {to} {json}"
_VERIFIED, _DRAW_MIXED = "benchmarks.mixed.verified --set informs", "benchmarks.mixed.pictures {to} {json}"
_YOUTUBE = "benchmarks.mixed.verified --set youtube"
_INFORMS = "26,854 people"
_DRAW_TIMES = "benchmarks.mixed.pictures {to} {to}/sizes.json {json}"

STEPS = (
    Step(
        "trees",
        "000",
        (f"{_SWEEP} --records 1000 --over k,g --scale 0.01 --siblings apart --until 120", _DRAW_TREES),
        (
            f"{_SWEEP} --records 250000 --over k,n,m,g,size --siblings apart --limit 1800 --until 20000 --resume",
            _DRAW_TREES,
        ),
        ("1,000 records", "250,000 records", "250,000 records"),
    ),
    Step(
        "acs",
        "000",
        (f"{_SWEEP} --records 500 --over k --methods gcs,acs --scale 0.01 --until 60", _DRAW_TREES),
        (f"{_SWEEP} --records 10000 --over k,m,n --methods gcs,acs --until 7200", _DRAW_TREES),
        ("500 records", "10,000 records", "10,000 records"),
    ),
    Step(
        "negation",
        "000",
        ("benchmarks.trees.negation {to} --records 1000 --scale 0.01 --k 5,20 --attacks 1000",),
        ("benchmarks.trees.negation {to}",),
        ("1,000 records", "100,000 records", "250,000 records"),
    ),
    Step(
        "mixed",
        "001",
        (f"{_VERIFIED} --rows 3000 --k 25 --deltas 3 --limit 30 --until 100", _DRAW_MIXED),
        (f"{_VERIFIED} --until 3600", _DRAW_MIXED),
        ("3,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "diverse",
        "001",
        (f"{_VERIFIED} --rows 3000 --k 25 --l 2 --deltas 3 --limit 30 --until 100", _DRAW_MIXED),
        (f"{_VERIFIED} --k 25 --l 2 --until 3600", _DRAW_MIXED),
        ("3,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "youtube",
        "001",
        (f"{_YOUTUBE} --rows 1500 --k 25 --deltas 3 --limit 30 --until 60", _DRAW_MIXED),
        (f"{_YOUTUBE} --until 3600", _DRAW_MIXED),
        ("1,500 videos", "7,649 videos", "131,780 videos"),
    ),
    Step(
        "sizes",
        "001",
        (f"{_VERIFIED} --over size --sizes 1000,3000,6000 --methods rum-bound --limit 30 --until 60", _DRAW_MIXED),
        (f"{_VERIFIED} --over size", _DRAW_MIXED),
        ("up to 6,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "ks",
        "001",
        (
            f"{_VERIFIED} --over k --rows 6000 --k 10,25,100 --rum 0.9 --methods rum-bound --limit 30 --until 60",
            _DRAW_TIMES,
        ),
        (f"{_VERIFIED} --over k --k 10,25,50,75,100", _DRAW_TIMES),
        ("6,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "order",
        "001",
        ("benchmarks.mixed.order --rows 2000 --deltas 0.7,0.8 --seeds 1,2", _DRAW_MIXED),
        ("benchmarks.mixed.order --deltas 0.65,0.7,0.75,0.8,0.85", _DRAW_MIXED),
        ("2,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "order-tum",
        "001",
        (
            "benchmarks.mixed.order --rows 2000 --method tum-bound --deltas 0.4,0.5 --seeds 1,2",
            _DRAW_MIXED,
        ),
        ("benchmarks.mixed.order --method tum-bound --deltas 0.35,0.4,0.45,0.5", _DRAW_MIXED),
        ("2,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "merges",
        "001",
        ("benchmarks.mixed.merges --rows 2000", _DRAW_MIXED),
        ("benchmarks.mixed.merges", _DRAW_MIXED),
        ("2,000 people", _INFORMS, "36,553 people"),
    ),
    Step(
        "mstk",
        "002",
        ("benchmarks.tables.mstk --plot {to} --turns 1",),
        ("benchmarks.tables.mstk --plot {to}",),
        ("30,162 people, one turn", "30,162 people, several turns", "30,162 people"),
    ),
    Step(
        "matching",
        "003",
        (
            "benchmarks.sets.matching --sets chess --k 2,4,8,16 --l 2,4,6 --diverse-scale 1,2,4",
            "benchmarks.sets.pictures {json} {to}",
        ),
        (
            "benchmarks.sets.matching --scale --diverse-scale 1,2,4,8,16",
            "benchmarks.sets.pictures {json} {to}",
        ),
        ("Chess, 3,196 records", "Chess, and Pumsb by its recipe (SYNTHETIC)", "Chess, Pumsb"),
    ),
    Step(
        "walk",
        "003",
        (
            "benchmarks.sets.closed_walk --steps 2000000 --copies 1,2 --k 2,4",
            "benchmarks.sets.seconds {to} {json} {to}/matching.json",
        ),
        (
            "benchmarks.sets.closed_walk --steps 400000000",
            "benchmarks.sets.seconds {to} {json} {to}/matching.json",
        ),
        ("2 times Chess", "16 times Chess", "16 times Chess"),
    ),
    Step(
        "poka",
        "004",
        ("benchmarks.tables.poka {to} --depths 1,2,3 --columns 2,3,4,5,6,7",),
        ("benchmarks.tables.poka {to}",),
        ("30,162 people, depths 1 to 3", "30,162 people, depths 1 to 6", "30,162 people, depths 1 to 6"),
    ),
)
