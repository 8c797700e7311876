"""shoal prepare: compile ahead of time."""

from __future__ import annotations

import click

from shoal.cli.output import echo, emit


@click.command()
@click.argument("kinds", nargs=-1, type=click.Choice(["table", "baskets", "patients", "trees"]), metavar="[KIND]...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def prepare(kinds: tuple[str, ...], as_json: bool) -> None:
    """Compile what runs need, so that none of them waits for it. For an image of a container, or a machine without a person.

    Every method runs once on made-up data of each KIND (see `shoal example`); without one, of all. What is compiled is kept where
    NUMBA_CACHE_DIR says, or in the cache of the user, and later runs only read it.
    """
    from shoal.cli.progress import progress

    with progress(quiet=as_json) as listener:
        from shoal.release.preparing.prepare import prepare as prepare_all

        prepared = prepare_all(kinds, listener=listener)
    if as_json:
        emit(
            {
                "folder": str(prepared.folder),
                "functions": prepared.functions,
                "new": prepared.new,
                "seconds": round(prepared.seconds, 1),
            }
        )
        return
    echo(str(prepared.folder))
    echo(f"{prepared.new:,} functions compiled, {prepared.functions:,} are there.", err=True)
