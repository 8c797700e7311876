"""Results as a notebook shows them: a heading, what was checked, and a table of figures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LEFT = "'text-align:left'"


def release_html(checks: Iterable[tuple[str, str]], rows: Mapping[str, str]) -> str:
    """A release that was verified. checks: their names, and what was found."""
    passed = "".join(f"<li>{escape(name)}: {escape(detail)}</li>" for name, detail in checks)
    return f"<p><b>Meets the stated guarantee</b></p><ul>{passed}</ul>{_table(rows)}"


def risk_html(rows: Mapping[str, str]) -> str:
    """Risk figures of data that nothing was done to."""
    return f"<p><b>Risk of the data as it is</b></p>{_table(rows)}"


def attained_html(rows: Mapping[str, str]) -> str:
    """What a table attains, whoever made it."""
    return f"<p><b>What the table attains</b></p>{_table(rows)}"


def recipe_html(columns: Iterable[tuple[str, ...]], promises: Iterable[str], method: str) -> str:
    """A recipe. columns: name, role, blur rule and reason of each."""
    heads = "".join(f"<th style={_LEFT}>{head}</th>" for head in ("column", "role", "blurred by", "reason"))
    body = "".join(
        f"<tr>{''.join(f'<td style={_LEFT}>{escape(cell)}</td>' for cell in column)}</tr>" for column in columns
    )
    promised = "".join(f"<li>{escape(promise)}</li>" for promise in promises)
    return (
        f"<p><b>Recipe</b>, method {escape(method)}</p><ul>{promised}</ul>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def _table(rows: Mapping[str, str]) -> str:
    body = "".join(
        f"<tr><th style={_LEFT}>{escape(name)}</th><td style={_LEFT}>{escape(figure)}</td></tr>"
        for name, figure in rows.items()
    )
    return f"<table>{body}</table>"
