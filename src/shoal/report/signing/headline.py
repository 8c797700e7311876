"""A release in three figures, and all that is said of it before somebody signs: as the first page of the report has it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.json import statements
from shoal.report.kinds import KINDS
from shoal.report.words import hidden_words, measure, number, one_in, percent, read_words

if TYPE_CHECKING:
    from shoal.report.kinds import ReportFacts


@dataclass(frozen=True)
class Figure:
    """One of them: what it is of, the figure, and what it says."""

    title: str
    figure: str
    words: str


def headline(facts: ReportFacts) -> tuple[Figure, ...]:
    """What is published, which risk remains, what was lost."""
    records = facts.records
    figures = [
        Figure("What is published", f"{number(records.published)} {read_words(records)}", hidden_words(records)),
    ]
    remains = KINDS[facts.kind].remains(facts)
    if remains.after is not None:
        before = "" if remains.before is None else f" In the original: {one_in(remains.before)}."
        figures.append(
            Figure(
                "Risk that remains",
                one_in(remains.after),
                f"Highest chance that whoever knows {remains.known} picks the right record.{before}",
            )
        )
    loss = facts.main_loss
    if loss is not None:
        figures.append(
            Figure(
                "What was lost",
                percent(loss.value) if loss.share else measure(loss.value),
                f"{loss.title}, measured as {loss.name}.",
            )
        )
    return tuple(figures)


def spoken(facts: ReportFacts) -> dict[str, Any]:
    """All of it as JSON holds it: verdict, figures, promises, grounds, notices, why."""
    said = statements(facts)
    return {
        "kind": facts.kind,
        "passed": facts.verdict.passed,
        "verdict": said.verdict,
        "checks": [asdict(check) for check in facts.verdict.checks],
        "figures": [asdict(figure) for figure in headline(facts)],
        "promises": [{"sentence": one.sentence, "technical": one.technical} for one in facts.promises],
        "grounds": asdict(said.before_signing),
        "notices": [notice.sentence for notice in said.notices],
        "why": list(said.why),
    }
