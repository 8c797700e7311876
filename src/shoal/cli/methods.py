"""shoal methods: what can decide a recoding."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def methods(as_json: bool) -> None:
    """List the methods a recipe can name, with their keys."""
    from shoal.cli.listing import show
    from shoal.methods.registry import METHODS

    if as_json:
        emit({"methods": {m.name: {"title": m.title, "keys": dict(m.keys)} for m in METHODS.values()}})
        return
    entries = []
    for name, method in METHODS.items():
        entries.append((name, method.title))
        entries += [(f"  {key}", meaning) for key, meaning in method.keys.items()]  # methods share names of keys
    show(entries)
