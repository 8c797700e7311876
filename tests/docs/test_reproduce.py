"""The list of the papers' figures: every figure is drawn by a step or says why not, and every step draws one."""

from __future__ import annotations

import sys

from doc_pages import PROJECT

sys.path.insert(0, str(PROJECT))
from benchmarks.reproduce import FIGURES, PAPERS, STEPS, Outcome, page


def test_every_figure_has_a_fate() -> None:
    steps = {step.name for step in STEPS}
    assert {figure.step for figure in FIGURES if figure.step} == steps
    assert all(figure.step or figure.why for figure in FIGURES)
    assert {step.paper for step in STEPS} == {figure.paper for figure in FIGURES} == set(PAPERS)
    names = [(figure.paper, figure.name) for figure in FIGURES]
    assert len(names) == len(set(names))


def test_time_of_the_quick_run_is_bounded() -> None:
    assert sum(step.limit for step in STEPS) <= 600


def test_the_page_tells_what_was_drawn_and_what_not() -> None:
    done, stopped = STEPS[2], STEPS[4]
    text = page([Outcome(done, "", 1, 1, ("a.svg",)), Outcome(stopped, "stopped after 110 s", 110, 90, ())], quick=True)
    assert "![a](002/a.svg)" in text
    assert sum("| drawn" in line for line in text.splitlines()) == sum(f.step == done.name for f in FIGURES)
    assert "not drawn: stopped after 110 s" in text
    assert "left out: its step was not asked for" in text
    assert text.count("\n| Fig") + text.count("\n| Table") + text.count("\n| running") == len(FIGURES)
