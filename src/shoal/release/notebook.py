"""Results as a notebook shows them."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from shoal.report.facts import Facts
from shoal.report.mixed_facts import MixedFacts
from shoal.report.words import at_most, percent

if TYPE_CHECKING:
    from shoal.release.assess import Assessment
    from shoal.release.assess_mixed import MixedAssessment
    from shoal.release.assess_sets import SetAssessment
    from shoal.release.assess_trees import TreeAssessment
    from shoal.release.result import Release
    from shoal.report.facts import ColumnFacts


def release_html(release: Release) -> str:
    rows = {
        "records published": f"{release.records_out:,} of {release.records_in:,}",
        "suppressed": f"{release.suppressed:,}",
        "smallest class": f"{release.verdict.smallest_class:,}",
        f"loss ({release.described.loss_name})": f"{release.loss:.4f}",
    }
    if release.floor is not None:
        rows["above the best possible"] = f"at most {at_most(release.floor.at_most_above)}"
    facts = release.described.facts
    if isinstance(facts, Facts):
        kept = facts.kept_method
        if kept is not None:
            rows["method"] = f"{kept.method}, the best of {len(facts.tried)} tried"
        rows["levels"] = "; ".join(_level(column, release.records_out) for column in facts.quasi)
        if isinstance(facts, MixedFacts):
            for column in facts.sets:
                rows[f"{column.name}, as they are"] = f"{percent(column.labels.share_as_they_are)} of what people hold"
    else:
        rows["what was done"] = release.described.why[0]
    checks = "".join(f"<li>{escape(c.name)}: {escape(c.detail)}</li>" for c in release.verdict.checks)
    return f"<p><b>Meets the stated guarantee</b></p><ul>{checks}</ul>{_table(rows)}"


def _level(column: ColumnFacts, records: int) -> str:
    """'age 2', or 'age 0 (54 %), 2 (46 %)' when records differ."""
    if column.level is not None:
        return f"{column.name} {column.level}"
    shares = (f"{share.place} ({percent(Fraction(share.records, records))})" for share in column.mix)
    return f"{column.name} {', '.join(shares)}"


def assessment_html(assessment: Assessment) -> str:
    risk = assessment.risk
    rows = {
        "records": f"{risk.records:,}",
        "alone in their class": f"{risk.sample_uniques:,}",
        "highest risk": f"1 in {risk.smallest_class:,}",
        "average risk": f"{risk.prosecutor.average:.4f}",
        "marketer": f"{risk.marketer:.4f}",
    }
    return f"<p><b>Risk of the data as it is</b></p>{_table(rows)}"


def set_assessment_html(assessment: SetAssessment) -> str:
    rows = {
        "records": f"{assessment.risk.records:,}",
        "items": f"{assessment.items.different:,}, {assessment.items.held_by_one:,} of them held by one record",
    }
    for known in assessment.known:
        what = "all items" if known.items is None else f"{known.items} item{'s' if known.items > 1 else ''}"
        rows[f"unique, {what} known"] = f"{known.unique_records:,}"
    return f"<p><b>Risk of the data as it is</b></p>{_table(rows)}"


def mixed_assessment_html(assessment: MixedAssessment) -> str:
    rows = {
        "records": f"{assessment.risk.records:,}",
        "items": f"{assessment.items.different:,}, {assessment.items.held_by_one:,} of them held by one record",
    }
    for known in assessment.known:
        items = "all items" if known.items is None else f"{known.items} item{'s' if known.items > 1 else ''}"
        what = f"values and {items}" if known.items != 0 else "values"
        rows[f"unique, {what} known"] = f"{known.unique_records:,}"
    return f"<p><b>Risk of the data as it is</b></p>{_table(rows)}"


def tree_assessment_html(assessment: TreeAssessment) -> str:
    rows = {
        "records": f"{assessment.risk.records:,}",
        "unique by their whole tree": f"{assessment.risk.sample_uniques:,}",
        "values": f"{assessment.nodes.different:,}, {assessment.nodes.held_by_one:,} of them held by one record",
    }
    for known in assessment.known:
        pairs = f" and {known.relations} of their pairs" if known.relations else ""
        values = f"{known.values} value{'s' if known.values > 1 else ''}"
        rows[f"at risk, {values}{pairs} known"] = f"{known.share_at_risk:.1%}"
    return f"<p><b>Risk of the data as it is</b></p>{_table(rows)}"


def _table(rows: dict[str, str]) -> str:
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows.items()
    )
    return f"<table>{body}</table>"
