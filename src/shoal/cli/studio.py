"""shoal studio: a page on this computer that leads from a file to a signed release."""

from __future__ import annotations

import click

from shoal.cli.output import echo


@click.command()
@click.argument("recipe", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--port",
    default=0,
    show_default="any that is free",
    type=click.IntRange(0, 65535),
    help="The port on this computer.",
)
@click.option("--no-browser", is_flag=True, help="Print the link only.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False),
    help="Where recipes and releases go; by default `shoal` in your home folder.",
)
def studio(recipe: str | None, port: int, no_browser: bool, folder: str | None) -> None:
    """Open the studio: from a file to a signed release without writing a line.

    It runs on this computer alone, for whoever has the printed link; no data leaves it. Ctrl-C ends it. RECIPE is opened.
    """
    from pathlib import Path

    from shoal.errors import RecipeError

    try:
        from shoal.studio.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] not in {"starlette", "uvicorn", "python_multipart"}:
            raise
        raise RecipeError("The studio is not installed: pip install 'shoal[studio]'.") from None
    serve(
        None if recipe is None else Path(recipe),
        folder=None if folder is None else Path(folder),
        port=port,
        browser=not no_browser,
        say=_say,
    )


def _say(link: str) -> None:
    echo("The studio runs on this computer alone. Open this link; Ctrl-C ends it.", err=True)
    echo(link)
