"""shoal methods: what can decide a recoding."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def methods(as_json: bool) -> None:
    """List the methods a recipe can name, with their keys."""
    from shoal.cli.listing import show
    from shoal.methods.registry import AUTO, METHODS

    entries = {"auto": f"the method shoal would choose, now: {AUTO}"}
    for name, method in METHODS.items():
        entries[name] = method.title
        entries |= {f"  {key}": meaning for key, meaning in method.keys.items()} if not as_json else {}
    if as_json:
        listed = {m.name: {"title": m.title, "keys": dict(m.keys)} for m in METHODS.values()}
        click.echo(json.dumps({"methods": listed}))
        return
    show(entries)
