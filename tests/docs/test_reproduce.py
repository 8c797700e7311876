"""The list of the papers' figures: every figure is drawn by a step or says why not, and every finding can come out either way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from doc_pages import PROJECT

sys.path.insert(0, str(PROJECT))
from benchmarks.papers import findings
from benchmarks.papers.figures import FIGURES, PAPERS
from benchmarks.papers.steps import STEPS
from benchmarks.reproduce import ENDING, LEAST, MINUTES, Outcome, page, paper_page

MSTK = next(step for step in STEPS if step.name == "mstk")
POKA = next(step for step in STEPS if step.name == "poka")


def test_every_figure_has_a_fate() -> None:
    steps = {step.name for step in STEPS}
    assert {figure.step for figure in FIGURES if figure.step} == steps
    assert all(bool(figure.check) == bool(figure.step) for figure in FIGURES)
    assert all(bool(figure.why) != bool(figure.step) for figure in FIGURES)
    assert {step.paper for step in STEPS} == {figure.paper for figure in FIGURES} == set(PAPERS)
    assert all(figure.measures or not figure.step for figure in FIGURES)
    names = [(figure.paper, figure.name) for figure in FIGURES]
    assert len(names) == len(set(names))


def test_time_of_the_quick_run_is_bounded() -> None:
    assert MINUTES <= 10 and ENDING + LEAST * len(STEPS) < 60 * MINUTES


def _rows(mstk: float, incognito: float) -> dict[str, Any]:
    keys = ("il", "dm", "c_avg", "seconds")
    return {"by_k": [{"mstk": dict.fromkeys(keys, mstk), "incognito": dict.fromkeys(keys, incognito)}]}


def test_the_pages_tell_what_was_drawn_and_what_not() -> None:
    done = Outcome(MSTK, "", 1, 1, ("a.svg",), _rows(1, 2))
    stopped = Outcome(POKA, "stopped after 110 s", 110, 90, (), {})
    text = page([done, stopped], quick=True)
    assert sum("| drawn |" in line for line in text.splitlines()) == sum(f.step == "mstk" for f in FIGURES)
    assert text.count("agrees: ") == 3 and text.count("differs: mstk is slower for 0 of 1 k") == 1
    assert "| not drawn | stopped after 110 s |" in text
    assert "| left out | its step was not asked for |" in text
    assert sum(text.count(f"\n| {word}") for word in ("Fig", "Table", "running")) == len(FIGURES)
    assert "![a](002/a.svg)" in paper_page("002", [done, stopped])
    assert f"| quick: {MSTK.sizes[0]}; the paper {MSTK.sizes[2]} |" in text
    assert f"| full: {MSTK.sizes[1]}" in page([Outcome(MSTK, "", 1, 1, (), _rows(1, 2), True)], quick=True)


def test_what_was_finished_is_found_again_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "002").mkdir()
    (tmp_path / "002/mstk.json").write_text("{}")
    for full in (True, False):
        commands = MSTK.full if full else MSTK.quick
        Outcome(MSTK, "", 1, 2, ("a.svg",), {}, full).save(tmp_path, commands)
        found = Outcome.saved(MSTK, tmp_path, commands)
        assert found is not None and found.full is full
        assert Outcome.saved(MSTK, tmp_path, MSTK.quick if full else MSTK.full) is None


def test_a_run_that_is_too_short_is_not_judged() -> None:
    text = page([Outcome(POKA, "", 1, 1, (), {"by_loss": {}, "by_depth": {}, "by_size": [], "paper": {}})], quick=True)
    assert "not judged" in text


def _sweep(**figures: tuple[float, ...]) -> dict[str, Any]:
    """Methods with their figures for k = 5 and 20."""
    usual = {"m": 3, "n": 2, "g": 2, "verdict": "pass"}
    keys = ("rpd", "ml2", "dml2", "seconds")
    return {
        "points": [
            {**usual, "method": name.replace("_", "-"), "k": k, **dict.fromkeys(keys, value)}
            for name, values in figures.items()
            for k, value in zip((5, 20), values, strict=True)
        ]
    }


def _delta(*rows: tuple[float, float, float, int, float]) -> dict[str, Any]:
    """By merge: UL, ARE of (0,2) and of (1,0), the largest class; twice, the second time with the last ARE more or less."""
    points = []
    for merge, (ul, items, values, largest, change) in zip(("r", "t", "rt"), rows, strict=True):
        for delta in (0.1, 0.9):
            later = change if delta > 0.5 else 0
            points.append(
                {
                    "method": "rum-bound", "merge": merge, "delta": delta, "verdict": "pass", "within_bound": True, "ul": ul,
                    "are_0_2": items - later, "are_1_0": values + later, "largest": largest,
                }
            )  # fmt: skip
    return {"points": points}


def _lacking(original: float, generalized: float) -> dict[str, Any]:
    values = {"original": original, "generalized": generalized}
    return {"lacking": [{"of": of, "breached": one, "lacking": 4, "k": 20} for of, one in values.items()]}


def _order(faster: float, over: float) -> dict[str, Any]:
    return {"runs": [{"merge": "t", "times_faster": faster, "ul_over_exact": {"mean": over}}]}


def _matching(tsp: float, gray: float, mine: float, cahd: float) -> dict[str, Any]:
    def lost(value: float) -> dict[str, float]:
        return dict.fromkeys(("er", "qe_1", "qe_2"), value)

    rings = {"4": {"gray-tsp": {"ring": lost(tsp)}, "gray": {"ring": lost(gray)}}}
    labels = {"2": {"nonreciprocal": lost(mine), "cahd": lost(cahd)}}
    sizes = [{"records": n, "nonreciprocal": mine * n, "cahd": cahd * n} for n in (1, 2)]
    return {"sets": {"chess": {"k-matching": rings, "l-matching": labels}}, "diverse_scale": sizes}


def _walk(closed: float, kept: float) -> dict[str, Any]:
    walk = {"rounds": 4, "steps": 9}
    ways = {"closed walk": closed, "backtracking, marks kept": kept, "backtracking, marks forgotten": kept}
    row = {"records": 9, "k": 4, **{name: {**walk, "seconds": seconds} for name, seconds in ways.items()}}
    return {"as many records as Pumsb": [row], "1 to 16 times Chess, k = 16": [row]}


def _depths(*found: int) -> dict[str, Any]:
    runs = {str(d): {"depth": d, "found": n, "true": 9, "share": n / 10} for d, n in enumerate(found, start=1)}
    return {"by_depth": runs, "paper": {str(d): {"evaluated": 1792 * n} for d, n in enumerate((4, 8, 9), start=1)}}


def _g(*values: float) -> dict[str, Any]:
    usual = {"m": 3, "n": 2, "k": 20, "verdict": "pass", "method": "gcs"}
    return {"points": [{**usual, "g": g, "rpd": value} for g, value in enumerate(values, start=1)]}


def _times(over: str, *rows: tuple[float, float, float]) -> dict[str, Any]:
    usual = {"method": "rum-bound", "verdict": "pass"}
    return {
        "over": over,
        "points": [
            {**usual, "records": n, "k": n, "merge": merge, "cpu_s": seconds}
            for n, row in enumerate(rows, start=1)
            for merge, seconds in zip(("r", "t", "rt"), row, strict=True)
        ],
    }


def _sizes(*shares: float) -> dict[str, Any]:
    return {"by_size": [{"nodes": 10**n, "share": share} for n, share in enumerate(shares)]}


def _found(glm: int, ce: int) -> dict[str, Any]:
    return {"by_loss": {name: {"found": n, "true": 9} for name, n in (("glm", glm), ("ce", ce))}}


def _rises(number: int) -> dict[str, Any]:
    return {"rises": {"rum-bound, r": {"rises": number, "merges": 40, "highest_rise": 0.1 * number}}}


EITHER_WAY = {
    findings.larger_g: (_g(3, 2, 2), _g(3, 2, 1)),
    findings.as_good_as_acs: (_sweep(gcs=(1, 1), acs=(1, 1)), _sweep(gcs=(2, 2), acs=(1, 1))),
    findings.faster_than_acs: (_sweep(gcs=(1, 1), acs=(11, 12)), _sweep(gcs=(1, 1), acs=(2, 3))),
    **dict.fromkeys(
        (findings.rpd, findings.ml2, findings.dml2),
        (_sweep(gcs=(1, 1), ocs=(2, 2), tree_cluster=(3, 3)), _sweep(gcs=(3, 1), ocs=(2, 2), tree_cluster=(3, 3))),
    ),
    findings.quicker_with_k: (_sweep(gcs=(2, 1)), _sweep(gcs=(1, 2))),
    findings.negation: (_lacking(0, 0.2), _lacking(0, 0.3)),
    findings.conflict: (_delta(*[(1, 5, 1, 1, 0.5)] * 3), _delta(*[(1, 5, 1, 1, -0.5)] * 3)),
    findings.largest_by_values: (
        _delta((1, 5, 1, 9, 0), (2, 5, 1, 8, 0), (2, 5, 1, 8, 0)),
        _delta((3, 5, 1, 9, 0), (2, 5, 1, 8, 0), (2, 5, 1, 8, 0)),
    ),
    findings.slowest_by_both: (_times("size", (2, 1, 3)), _times("size", (2, 1, 1.5))),
    findings.quicker_with_larger_k: (_times("k", (2, 2, 2), (1, 1, 1)), _times("k", (2, 2, 2), (1, 1, 3))),
    findings.btd: (_order(11, 0.01), _order(11, -0.1)),
    findings.never_rises: (_rises(0), _rises(1)),
    **dict.fromkeys(
        (findings.information_loss, findings.discernibility, findings.class_size), (_rows(1, 2), _rows(2, 1))
    ),
    findings.slower_than_incognito: (_rows(2, 1), _rows(1, 2)),
    findings.tour_pays: (_matching(1, 2, 1, 2), _matching(2, 1, 1, 2)),
    findings.below_cahd: (_matching(1, 2, 1, 2), _matching(1, 2, 2, 1)),
    findings.queries: (_matching(1, 2, 1, 2), _matching(2, 1, 1, 2)),
    findings.slower_than_cahd: (_matching(1, 2, 2, 1), _matching(1, 2, 1, 2)),
    **dict.fromkeys((findings.walks_over_k, findings.walks_over_size), (_walk(1, 2), _walk(2, 1))),
    findings.found_by_loss: (_found(9, 9), _found(9, 1)),
    findings.found_by_depth: (_depths(4, 8, 9), _depths(4, 8, 8)),
    findings.looked_at: (_depths(4, 8, 9), _depths(4, 8, 2)),
    findings.falls_with_size: (_sizes(0.9, 0.5, 0.1), _sizes(0.1, 0.5, 0.9)),
}


@pytest.mark.parametrize("figure", [f for f in FIGURES if f.check], ids=lambda figure: f"{figure.paper} {figure.name}")
def test_a_finding_can_come_out_either_way(figure: Any) -> None:
    agreeing, differing = EITHER_WAY[figure.check]
    assert figure.check(agreeing).agrees
    assert not figure.check(differing).agrees
