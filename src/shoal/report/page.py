"""The pages of reports: how texts are escaped, and numbers put into words. No network, no script."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shoal.report import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.json import Statements
    from shoal.report.release_facts import ReleaseFacts


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("shoal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Jinja escapes what comes out of here; markup we drew ourselves passes as it is.
        finalize=lambda value: (
            words.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    made.filters.update(
        number=words.number,
        percent=words.percent,
        cut_percent=words.cut_percent,
        one_in=words.one_in,
        at_most=words.at_most,
        chance=words.chance,
        measure=words.measure,
        exact_percent=words.exact_percent,
    )
    return made


def every_view(facts: ReleaseFacts, said: Statements, attention: Sequence[str]) -> dict[str, Any]:
    """What every template prints: the facts, the sentences derived from them, and how to put figures into words."""
    return {
        "facts": facts,
        "said": said,
        "attention": attention,
        "role_words": words.ROLE,
        "loss": facts.main_loss,
        "checks_passed": sum(check.passed for check in facts.verdict.checks),
        "plural": words.plural,
        "share_of": lambda value, whole: words.percent(value / whole) if isinstance(value, int) and whole else "",
        "fraction": lambda least: Fraction(1, least) if least else Fraction(0),
    }
