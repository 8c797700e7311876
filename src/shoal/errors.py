"""What can go wrong, and whose fault it is.

    ShoalError
    ├── RecipeError      exit 2   the recipe, or the way a command was called, is mistaken
    │   └── ParameterError        a value was made with a parameter that it cannot have; a ValueError too
    ├── DataError        exit 3   the data (or a file beside it) is at fault
    │   └── HierarchyError        a hierarchy is not a tree, or does not cover the data
    ├── AnswerIsNo       exit 1   everything worked; the answer is no
    │   ├── Infeasible            no recoding within the limits meets the guarantee
    │   └── NotAnonymous          the verifier found a breach; carries the verdict
    └── InternalError    exit 4   our bug: an invariant of ours does not hold

Messages name columns, files, lines and counts. They never quote a cell of the data. A name may hold anything, and whoever wrote it
may want to paint over the terminal it is printed on: a message holds no control characters, whatever was put into it.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AnswerIsNo",
    "DataError",
    "HierarchyError",
    "Infeasible",
    "InternalError",
    "NotAnonymous",
    "ParameterError",
    "RecipeError",
    "ShoalError",
    "did_you_mean",
    "visible",
]


class ShoalError(Exception):
    """The root of every error shoal raises on purpose."""

    exit_code = 4

    def __init__(self, *lines: object) -> None:
        self.lines = tuple(visible(str(line)) for line in lines)
        super().__init__(*self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)


class RecipeError(ShoalError):
    """All mistakes of a recipe at once, each with the key it belongs to."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = self.lines


class ParameterError(RecipeError, ValueError):
    """A value was made with a parameter that it cannot have, such as a guarantee with k = 1. All mistakes at once."""


class DataError(ShoalError):
    """The data cannot be read without guessing."""

    exit_code = 3


class HierarchyError(DataError):
    """A hierarchy is not a tree over the values, or cannot be read. `faults` names every place."""

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.faults = self.lines


class AnswerIsNo(ShoalError):  # noqa: N818 - no is an answer, not an error
    """The question was understood and the answer is no."""

    exit_code = 1


class Infeasible(AnswerIsNo):
    """Nothing within the limits keeps the promise; `best` describes what came closest, if anything did."""

    def __init__(self, message: str, best: Any = None) -> None:
        self.best = best
        super().__init__(message)


class NotAnonymous(AnswerIsNo):
    """The verifier found a breach in a release; `verdict` holds the witness."""

    def __init__(self, message: str, verdict: Any = None) -> None:
        self.verdict = verdict
        super().__init__(message)


class InternalError(ShoalError):
    """An invariant of shoal itself does not hold. Nothing was published."""

    exit_code = 4


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean 'age'?' when one of the known words is close, else ''."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean '{close[0]}'?" if close else ""


# What Unicode lets a program draw as nothing although it counts as a letter, a mark or a symbol. Python finds it printable.
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)


def visible(text: str) -> str:
    """One line that shows what it holds.

    What moves the cursor, changes colours or the direction of writing, ends a line or takes no room is written as an escape:
    control and format characters and halves of surrogates. Blanks of any width stay: they only take room.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if _is_visible(sign) else sign.encode("unicode_escape").decode() for sign in text)


def _is_visible(sign: str) -> bool:
    return (sign.isprintable() and sign not in _UNSEEN) or unicodedata.category(sign) == "Zs"


def comes_of_a_stop(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: compiled code of a library may raise one of its own while the stop is handled, or in
    its place, as DuckDB does."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt) or (type(error) is RuntimeError and str(error) == "Query interrupted"):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
