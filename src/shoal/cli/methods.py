"""shoal methods: what can decide a recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit

if TYPE_CHECKING:
    from shoal.data.listing import Entry


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def methods(as_json: bool) -> None:
    """List the methods a recipe can name, with their keys."""
    from shoal.cli.listing import show
    from shoal.methods import listing
    from shoal.methods.registry import METHODS

    rows = listing()
    if as_json:
        emit({"methods": {row.name: {"title": row.title, "keys": dict(row.keys)} | _package(row) for row in rows}})
        return
    entries = []
    for row in rows:
        entries.append((row.name, row.title if not row.package else f"{row.title} (from {row.package})"))
        entries += [(f"  {key}", meaning) for key, meaning in row.keys.items()]  # methods share names of keys
    entries += [(name, f"cannot be used: {reason}") for name, reason in METHODS.broken.items()]
    show(entries)


def _package(row: Entry) -> dict[str, str]:
    return {"package": row.package} if row.package else {}
