"""From what went wrong to an exit code and a message that says what to do next."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING

import click

from shoal.cli.output import echo, echo_text, emit
from shoal.cli.terminal.streams import unprinted
from shoal.errors import ShoalError, comes_of_a_stop

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = {1: "no", 2: "mistake", 3: "data", 4: "bug"}


def run_command(command: click.Command, args: Sequence[str]) -> int:
    """Its exit code; what went wrong is said in a sentence, or as JSON where that is asked for."""
    as_json = "--json" in args
    try:
        result = command.main(list(args), prog_name="shoal", standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _stopped()
    except click.exceptions.NoArgsIsHelpError as asked:
        echo_text(asked.format_message(), err=True)
        return 2
    except click.UsageError as mistake:
        hint = f" See `{mistake.ctx.command_path} --help`." if mistake.ctx else ""
        return _end(2, f"{_one_line(mistake)}{hint}", as_json)
    except click.ClickException as mistake:
        return _end(2, _one_line(mistake), as_json)
    except ShoalError as error:
        _trace()
        return _end(error.exit_code, str(error), as_json)
    except MemoryError:
        _trace()
        return _end(3, 'The data does not fit in memory. Give the engine a limit: [engine] memory = "4GB".', as_json)
    except Exception as bug:  # the last line of defence: no traceback, and no cell of the data in what is printed
        if comes_of_a_stop(bug):
            return _stopped()
        _trace()
        if isinstance(bug, OSError) and bug.strerror is not None:  # in the words of the system, which quote no cell
            where = "" if bug.filename is None else f": {bug.filename!r}"
            return _end(3, f"The system refused: {bug.strerror}{where}.", as_json)
        place = _place(bug)
        return _end(
            4,
            f"This is a bug in shoal ({type(bug).__name__}{place}). Nothing was published. Run again with SHOAL_DEBUG=1 to see "
            f"where; the trace may contain values of your data, so look before you send it to anyone.",
            as_json,
        )
    if isinstance(result, int):  # the answer stands, whether or not all that was said of it could be printed
        return result
    trouble = unprinted()
    return 0 if trouble is None else _end(3, f"Standard output could not be written: {trouble}.", False)


def _stopped() -> int:
    _trace()
    echo("Stopped. Nothing was published.", err=True)
    return 130


def _trace() -> None:
    """For whoever asks for it. The exit code stays what it is."""
    if os.environ.get("SHOAL_DEBUG"):
        echo_text(traceback.format_exc(), err=True)


def _one_line(mistake: click.ClickException) -> str:
    """What click says is wrong; where it quotes a name, that may hold the end of a line."""
    return " ".join(mistake.format_message().split())


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
    for line in message.split("\n"):
        echo(line, err=True, fg="red" if code != 1 else "yellow")
    return code
