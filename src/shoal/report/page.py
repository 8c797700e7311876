"""The pages of reports: how texts are escaped, and numbers put into words. No network, no script."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shoal.report import words


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
