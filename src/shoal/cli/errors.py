"""From what went wrong to an exit code and a message that says what to do next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = {1: "no", 2: "mistake", 3: "data", 4: "bug"}


def run_command(command: click.Command, args: Sequence[str]) -> int:
    as_json = "--json" in args
    try:
        result = command.main(list(args), prog_name="shoal", standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped. Nothing was published.", err=True)
        return 130
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.format_message(), err=True)
        return 2
    except click.UsageError as mistake:
        hint = f" See `{mistake.ctx.command_path} --help`." if mistake.ctx else ""
        return _end(2, f"{mistake.format_message()}{hint}", as_json)
    except click.ClickException as mistake:
        return _end(2, mistake.format_message(), as_json)
    except ShoalError as error:
        return _end(error.exit_code, str(error), as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader went away; Python must not complain at exit
        return 0
    except MemoryError:
        return _end(3, 'The data does not fit in memory. Give the engine a limit: [engine] memory = "4GB".', as_json)
    except Exception as bug:  # the last line of defence: no traceback, and no cell of the data in what is printed
        if os.environ.get("SHOAL_DEBUG"):
            raise
        place = _place(bug)
        return _end(
            4,
            f"This is a bug in shoal ({type(bug).__name__}{place}). Nothing was published. Run again with SHOAL_DEBUG=1 to see "
            f"where; the trace may contain values of your data, so look before you send it to anyone.",
            as_json,
        )
    return result if isinstance(result, int) else 0


def _place(bug: BaseException) -> str:
    """File and line inside shoal, which say nothing about the data."""
    trace, place = bug.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("shoal."):
            place = f" at {name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _end(code: int, message: str, as_json: bool) -> int:
    if as_json:
        emit({"verdict": "fail" if code == 1 else "error", "error": _WORDS[code], "message": message})
    for line in message.splitlines():
        click.secho(line, err=True, fg="red" if code != 1 else "yellow")
    return code
