"""Results as a notebook shows them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.release.run import Release


def release_html(release: Release) -> str:
    rows = {
        "records published": f"{release.records_out:,} of {release.records_in:,}",
        "suppressed": f"{release.suppressed:,}",
        "smallest class": f"{release.verdict.smallest_class:,}",
        f"loss ({release.described.loss_name})": f"{release.loss:.4f}",
        "levels": ", ".join(f"{name} {level}" for name, level in release.levels.items()),
    }
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows.items()
    )
    checks = "".join(f"<li>{escape(c.name)}: {escape(c.detail)}</li>" for c in release.verdict.checks)
    return f"<p><b>Meets the stated guarantee</b></p><ul>{checks}</ul><table>{body}</table>"
