"""What can go wrong, and whose fault it is.

    ShoalError
    ├── RecipeError      exit 2   the recipe, or the way a command was called, is mistaken
    ├── DataError        exit 3   the data (or a file beside it) is at fault
    │   └── HierarchyError        a hierarchy is not a tree, or does not cover the data
    ├── AnswerIsNo       exit 1   everything worked; the answer is no
    │   ├── Infeasible            no recoding within the limits meets the guarantee
    │   └── NotAnonymous          the verifier found a breach; carries the verdict
    └── InternalError    exit 4   our bug: an invariant of ours does not hold

Messages name columns, files, lines and counts. They never quote a cell of the data.
"""

from __future__ import annotations

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
    "RecipeError",
    "ShoalError",
    "did_you_mean",
]


class ShoalError(Exception):
    """The root of every error shoal raises on purpose."""

    exit_code = 4


class RecipeError(ShoalError):
    """All mistakes of a recipe at once, each with the key it belongs to."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))


class DataError(ShoalError):
    """The data cannot be read without guessing."""

    exit_code = 3


class HierarchyError(DataError):
    """A hierarchy is not a tree over the values, or cannot be read. `faults` names every place."""

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(faults))


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
