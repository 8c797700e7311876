"""The report as JSON, for machines: the facts, and the statements the HTML derives from them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from shoal.data import documents
from shoal.report.answers import Answer  # not only for typing: the JSON Schema is made from `Report`
from shoal.report.kinds import KINDS, ReportFacts
from shoal.report.signing.grounds import Grounds, grounds
from shoal.report.worth import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Literal["shoal-report"] = "shoal-report"
VERSION: Literal[1] = 1


@dataclass(frozen=True)
class Statements:
    """Sentences derived from the facts, as the HTML prints them."""

    verdict: str
    notices: tuple[Notice, ...]
    why: tuple[str, ...]
    questions: tuple[Answer, ...]
    limits: tuple[str, ...]
    before_signing: Grounds


@dataclass(frozen=True)
class Report:
    """A release report of shoal. Everything in it is public."""

    format: Literal["shoal-report"]
    version: Literal[1]
    facts: ReportFacts
    statements: Statements


def statements(facts: ReportFacts) -> Statements:
    """What the report says in sentences."""
    kind = KINDS[facts.kind]
    notices = kind.notices(facts)
    return Statements(
        verdict(facts),
        notices,
        kind.sentences(facts),
        kind.answers(facts),
        kind.known_limits(facts),
        grounds(facts, kind.remains(facts), kind.attention(facts), notices),
    )


def verdict(facts: ReportFacts) -> str:
    """In the words that all reports use: never "anonymous"."""
    return "Meets the stated guarantee" if facts.verdict.passed else "Does not meet the stated guarantee"


def render_json(facts: ReportFacts) -> str:
    """One JSON object, UTF-8, two blanks of indent; the schema is `report.schema.json` in this package."""
    whole = asdict(Report(FORMAT, VERSION, facts, statements(facts)))
    return json.dumps(_clean(whole), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_json(text: str) -> ReportFacts:
    """The facts of a report that `render_json` wrote, to render it again. Raises ValueError for anything else."""
    report: Any = documents.read_json(text)
    if not isinstance(report, dict) or report.get("format") != FORMAT:
        raise ValueError("This is not a report of shoal: `format` is not 'shoal-report'.")
    if report.get("version") != VERSION:
        raise ValueError(f"The report has version {report.get('version')!r}; this shoal reads version {VERSION}.")
    facts = report.get("facts")
    kind = facts.get("kind", "tables") if isinstance(facts, dict) else "tables"
    if kind not in list(KINDS):
        raise ValueError("The report is about a kind of data that this shoal does not know.")
    read: ReportFacts = KINDS[kind].facts.from_json(facts)
    return read


def _clean(value: Any) -> Any:
    """Lone surrogates (from file names that are not UTF-8) cannot be written as UTF-8."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        items: Mapping[str, Any] = value
        return {key: _clean(item) for key, item in items.items()}
    return [_clean(item) for item in value] if isinstance(value, (list, tuple)) else value
