"""The report as JSON, for machines: the facts, and the statements the HTML derives from them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from shoal.report import mixed_answers, mixed_words, set_answers, set_words, tree_answers, tree_words
from shoal.report.facts import Facts
from shoal.report.limits import known_limits
from shoal.report.mixed_facts import MixedFacts
from shoal.report.set_facts import SetFacts
from shoal.report.table_answers import answers
from shoal.report.tree_facts import TreeFacts
from shoal.report.why import sentences
from shoal.report.wp29 import Answer  # not only for typing: the JSON Schema is made from `Report`

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Literal["shoal-report"] = "shoal-report"
VERSION: Literal[1] = 1


@dataclass(frozen=True)
class Statements:
    """Sentences derived from the facts, as the HTML prints them."""

    verdict: str
    why: tuple[str, ...]
    questions: tuple[Answer, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """A release report of shoal. Everything in it is public."""

    format: Literal["shoal-report"]
    version: Literal[1]
    facts: Facts | SetFacts | MixedFacts | TreeFacts
    statements: Statements


def statements(facts: Facts | SetFacts | TreeFacts) -> Statements:
    if isinstance(facts, SetFacts):
        return Statements(
            verdict(facts), set_words.sentences(facts), set_answers.answers(facts), set_words.known_limits(facts)
        )
    if isinstance(facts, MixedFacts):
        return Statements(
            verdict(facts), mixed_words.sentences(facts), mixed_answers.answers(facts), mixed_words.known_limits(facts)
        )
    if isinstance(facts, TreeFacts):
        return Statements(
            verdict(facts), tree_words.sentences(facts), tree_answers.answers(facts), tree_words.known_limits(facts)
        )
    return Statements(verdict(facts), sentences(facts), answers(facts), known_limits(facts))


def verdict(facts: Facts | SetFacts | TreeFacts) -> str:
    return "Meets the stated guarantee" if facts.verdict.passed else "Does not meet the stated guarantee"


def render_json(facts: Facts | SetFacts | TreeFacts) -> str:
    """One JSON object, UTF-8, two blanks of indent; the schema is `report.schema.json` in this package."""
    whole = asdict(Report(FORMAT, VERSION, facts, statements(facts)))
    return json.dumps(_clean(whole), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_json(text: str) -> Facts | SetFacts | TreeFacts:
    """The facts of a report that `render_json` wrote, to render it again. Raises ValueError for anything else."""
    report: Any = json.loads(text)
    if not isinstance(report, dict) or report.get("format") != FORMAT:
        raise ValueError("This is not a report of shoal: `format` is not 'shoal-report'.")
    if report.get("version") != VERSION:
        raise ValueError(f"The report has version {report.get('version')!r}; this shoal reads version {VERSION}.")
    facts = report.get("facts", {})
    if isinstance(facts, dict) and facts.get("kind") == "sets":
        return SetFacts.from_json(facts)
    if isinstance(facts, dict) and facts.get("kind") == "mixed":
        return MixedFacts.from_json(facts)
    if isinstance(facts, dict) and facts.get("kind") == "trees":
        return TreeFacts.from_json(facts)
    return Facts.from_json(facts)


def _clean(value: Any) -> Any:
    """Lone surrogates (from file names that are not UTF-8) cannot be written as UTF-8."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        items: Mapping[str, Any] = value
        return {key: _clean(item) for key, item in items.items()}
    return [_clean(item) for item in value] if isinstance(value, (list, tuple)) else value
