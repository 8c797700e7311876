"""The report as one HTML page: no network, no script, printable. Every text is escaped; pictures are drawn by us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.json import statements
from shoal.report.kinds import KINDS
from shoal.report.page import environment, every_view

if TYPE_CHECKING:
    from shoal.report.kinds import ReportFacts


def render_html(facts: ReportFacts) -> str:
    """The page of a release, of the edition that the facts are of."""
    kind = KINDS[facts.kind]
    view = {**every_view(facts, statements(facts), kind.remains(facts)), **kind.view(facts)}
    return environment().get_template(kind.template).render(view)
