"""What the report of each kind of release is made of: its facts, its sentences, its page. Here, and nowhere else in the report, the
kind is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.report.answers import Answer
from shoal.report.charts.pictured import Pictured
from shoal.report.mixed import answers as mixed_answers
from shoal.report.mixed import pictures as mixed_pictures
from shoal.report.mixed import summary as mixed_summary
from shoal.report.mixed import view as mixed_view
from shoal.report.mixed import words as mixed_words
from shoal.report.mixed import worth as mixed_worth
from shoal.report.mixed.facts import MixedFacts
from shoal.report.mixed.risk import MixedAssessment
from shoal.report.sets import answers as sets_answers
from shoal.report.sets import pictures as sets_pictures
from shoal.report.sets import summary as sets_summary
from shoal.report.sets import view as sets_view
from shoal.report.sets import words as sets_words
from shoal.report.sets import worth as sets_worth
from shoal.report.sets.facts import SetFacts
from shoal.report.sets.risk import SetAssessment
from shoal.report.signing.grounds import Remains
from shoal.report.tables import answers as tables_answers
from shoal.report.tables import pictures as tables_pictures
from shoal.report.tables import summary as tables_summary
from shoal.report.tables import view as tables_view
from shoal.report.tables import words as tables_words
from shoal.report.tables import worth as tables_worth
from shoal.report.tables.facts import Facts
from shoal.report.tables.risk import Assessment
from shoal.report.trees import answers as trees_answers
from shoal.report.trees import pictures as trees_pictures
from shoal.report.trees import summary as trees_summary
from shoal.report.trees import view as trees_view
from shoal.report.trees import words as trees_words
from shoal.report.trees import worth as trees_worth
from shoal.report.trees.facts import TreeFacts
from shoal.report.trees.risk import TreeAssessment
from shoal.report.worth import Notice

ReportFacts = Facts | SetFacts | MixedFacts | TreeFacts
AnyAssessment = Assessment | SetAssessment | MixedAssessment | TreeAssessment  # of the risk of data as it is


@dataclass(frozen=True)
class Kind:
    """All functions take the facts of the kind."""

    facts: type[Any]
    sentences: Callable[[Any], tuple[str, ...]]  # what was done, and why
    answers: Callable[[Any], tuple[Answer, Answer, Answer]]  # to the three questions
    notices: Callable[[Any], tuple[Notice, ...]]  # that little is left, and what to drop
    remains: Callable[[Any], Remains]  # the risk
    attention: Callable[[Any], tuple[str, ...]]  # what speaks against signing
    known_limits: Callable[[Any], tuple[str, ...]]  # what is not promised
    view: Callable[[Any], dict[str, Any]]  # what the template prints besides what all do
    template: str
    figures: Callable[[Any], dict[str, Any]]  # of `--json`, besides what all kinds have
    brief: Callable[[Any, int], str]  # of a `repr`; with the size of the smallest class
    rows: Callable[[Any], dict[str, str]]  # of a notebook
    pictures: Callable[[Any], tuple[Pictured, ...]]  # before and after, each with its table


KINDS: dict[str, Kind] = {
    "tables": Kind(
        Facts,
        tables_words.sentences,
        tables_answers.answers,
        tables_worth.notices,
        tables_words.remains,
        tables_words.attention,
        tables_words.known_limits,
        tables_view.view,
        "tables/report.html.jinja",
        tables_summary.figures,
        tables_summary.brief,
        tables_summary.rows,
        tables_pictures.pictures,
    ),
    "sets": Kind(
        SetFacts,
        sets_words.sentences,
        sets_answers.answers,
        sets_worth.notices,
        sets_words.remains,
        sets_words.attention,
        sets_words.known_limits,
        sets_view.view,
        "sets/report.html.jinja",
        sets_summary.figures,
        sets_summary.brief,
        sets_summary.rows,
        sets_pictures.pictures,
    ),
    "mixed": Kind(
        MixedFacts,
        mixed_words.sentences,
        mixed_answers.answers,
        mixed_worth.notices,
        mixed_words.remains,
        mixed_words.attention,
        mixed_words.known_limits,
        mixed_view.view,
        "mixed/report.html.jinja",
        mixed_summary.figures,
        mixed_summary.brief,
        mixed_summary.rows,
        mixed_pictures.pictures,
    ),
    "trees": Kind(
        TreeFacts,
        trees_words.sentences,
        trees_answers.answers,
        trees_worth.notices,
        trees_words.remains,
        trees_words.attention,
        trees_words.known_limits,
        trees_view.view,
        "trees/report.html.jinja",
        trees_summary.figures,
        trees_summary.brief,
        trees_summary.rows,
        trees_pictures.pictures,
    ),
}
