"""The pages of reports: how texts are escaped, and numbers put into words. No network, no script."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shoal.report import words
from shoal.report.charts import palette
from shoal.report.signing.gaps import found_by

if TYPE_CHECKING:
    from shoal.report.facts import ReleaseFacts
    from shoal.report.json import Statements
    from shoal.report.signing.grounds import Remains


@cache
def environment() -> Environment:
    """Where templates are found, and how they put figures into words."""
    jinja = Environment(
        loader=PackageLoader("shoal.report", package_path=""),  # `templates/…`, and `tables/…` and so on for each kind
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Jinja escapes what comes out of here; markup we drew ourselves passes as it is.
        finalize=lambda value: (
            words.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    jinja.filters.update(
        number=words.number,
        percent=words.percent,
        cut_percent=words.cut_percent,
        one_in=words.one_in,
        at_most=words.at_most,
        floor_words=words.floor_words,
        chance=words.chance,
        measure=words.measure,
        exact_percent=words.exact_percent,
    )
    return jinja


def every_view(facts: ReleaseFacts, statements: Statements, remains: Remains) -> dict[str, Any]:
    """What every template prints: the facts, the sentences derived from them, and how to put figures into words."""
    return {
        "facts": facts,
        "statements": statements,
        "remains": remains,
        "grounds": statements.before_signing,
        "light": Markup(palette.variables(palette.LIGHT)),
        "dark": Markup(palette.variables(palette.DARK)),
        "pictures_in_the_dark": Markup(palette.pictures_in_the_dark()),
        "role_words": words.ROLE,
        "loss": facts.main_loss,
        "made_small": "what the method keeps small",
        "hidden_counted": False,
        "checks_passed": sum(check.passed for check in facts.verdict.checks),
        "found_by": lambda one: found_by(one.records, facts.records.published, facts.k),
        "empty_rows_words": words.empty_rows_words(facts.records.empty_rows, facts.records.no_quasi_value, facts.k),
        "plural": words.plural,
        "read_words": words.read_words(facts.records),
        "hidden_words": words.hidden_words(facts.records),
        "public": facts.edition == "public",
        "share_of": lambda value, whole: words.percent(value / whole) if isinstance(value, int) and whole else "",
        "fraction": lambda least: Fraction(1, least) if least else Fraction(0),
    }
