"""All that commands print passes here: nothing that comes out of a file or a recipe can steer the terminal.

Names of columns, published values and labels were written by whoever made the file, and that may be someone who wants a failing
check to look like a pass. So every line is made visible before it is printed, to a terminal as to a log, and nothing in it is read
as a style. No other file of `shoal.cli` calls `click.echo` or prints; a test holds it.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from shoal.errors import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

VERSION = 1  # of what `--json` prints: counts up when a key changes its meaning or goes
KEYS = ("verdict", "loss", "records_in", "records_out", "suppressed", "seconds")


def echo(text: object, *, err: bool = False, **style: Any) -> None:
    """One line, whatever is in it; `style` as in `click.style`."""
    line = visible(str(text))
    click.echo(click.style(line, **style) if style else line, err=err)


def echo_prose(text: str, *, err: bool = False, **style: Any) -> None:
    """A sentence, or a few: broken between words where a terminal would break within them; one line in a log or a file."""
    line = visible(text)
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        echo(line, err=err, **style)
        return
    width = max(shutil.get_terminal_size().columns, 40)
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    for part in textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False):
        echo(part, err=err, **style)


def echo_text(text: str, *, err: bool = False) -> None:
    """Several lines of our own, such as a help text or a drawing."""
    for line in text.removesuffix("\n").split("\n"):
        echo(line, err=err)


def echo_file(text: str) -> None:
    """What could stand in a file: as it is where it goes to one, visible on a terminal."""
    if sys.stdout.isatty():
        echo_text(text)
    else:
        click.echo(text, nl=False)


def empty_rows(number: int) -> str:
    """What became of rows without any published value."""
    return f"{number:,} empty {'row' if number == 1 else 'rows'} left out: without any published value, no record"


def emit(facts: dict[str, Any]) -> None:
    """What `--json` prints: one object, in which the keys scripts rely on are always there.

    Its form is in `terminal/output.schema.json`. `verdict` is "pass", "fail", "error" or null; a key that a command has nothing to
    say about is null. What a terminal could obey is written with the escapes of JSON, so that whoever reads the object gets the
    same text.
    """
    text = json.dumps({"version": VERSION, **dict.fromkeys(KEYS), **facts}, ensure_ascii=False)
    if visible(text) != text:
        text = "".join(sign if visible(sign) == sign else json.dumps(sign)[1:-1] for sign in text)
    click.echo(text)


def console(*, err: bool = False, width: int | None = None) -> Console:
    """For tables: text is shown, never read as markup, and made visible like every other line."""
    from rich.console import Console

    class Screen(Console):
        def render_str(self, text: str, **given: Any) -> Text:
            return super().render_str(visible(text), **{**given, "markup": False, "emoji": False, "highlight": False})

    return Screen(stderr=err, width=width, markup=False, emoji=False, highlight=False)
