"""What becomes of a case: a release that keeps its promises, a reason, or a fault of shoal."""

from __future__ import annotations

import shutil
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

import shoal
from oracles.random_recipes import mixed, sets, tables, trees
from oracles.random_recipes.case import seeded
from oracles.random_recipes.release import leaks, rows_in, rows_of
from shoal.errors import DataError, Infeasible, NotAnonymous, RecipeError

if TYPE_CHECKING:
    from pathlib import Path

    from oracles.random_recipes.case import Case, Rows

KINDS = {"tables": tables.random_case, "sets": sets.random_case, "mixed": mixed.random_case, "trees": trees.random_case}
FAULTS = ("refused draft", "breach", "traceback")
COMMAND_EVERY = 25  # one case in so many is run as the command line would


@dataclass(frozen=True)
class Outcome:
    word: str  # "release", "infeasible", "recipe", "data", or one of FAULTS
    detail: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        return self.word in FAULTS


def outcome_of(kind: str, seed: int, number: int, folder: Path) -> Outcome:
    """folder: empty, and empty again afterwards."""
    case = KINDS[kind](seeded(kind, seed, number))
    try:
        recipe = case.write(folder)
        if number % COMMAND_EVERY == 0:
            found = _by_command(case, recipe)
        else:
            found = _in_process(case, recipe)
    except Exception as failure:  # of whatever kind: it is counted, and told with how to make it again
        found = Outcome("traceback", "".join(traceback.format_exception(failure)))
    finally:
        for one in folder.iterdir():
            shutil.rmtree(one) if one.is_dir() else one.unlink()
    return Outcome(found.word, found.detail, case.tags)


def _in_process(case: Case, recipe: Path) -> Outcome:
    output = recipe.parent / case.recipe["output"]["path"]
    try:
        if case.frame is not None:
            return _judged(case, rows_in(shoal.anonymize(case.frame, recipe).data), [])
        shoal.run(recipe)
    except NotAnonymous as refused:
        return Outcome("refused draft", str(refused))
    except Infeasible as reason:
        return _nothing_there(output, "infeasible", str(reason))
    except RecipeError as mistake:
        return _nothing_there(output, "recipe", str(mistake))
    except DataError as fault:
        return _nothing_there(output, "data", str(fault))
    return _judged(case, _rows(case, output), leaks(output.parent))


def _by_command(case: Case, recipe: Path) -> Outcome:
    """As the command line runs it, in this process: what counts is the exit code."""
    from shoal.cli.errors import run_command
    from shoal.cli.root import shoal as command

    output = recipe.parent / case.recipe["output"]["path"]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        code = run_command(command, ["run", str(recipe)])
    if code == 0:
        return _judged(case, _rows(case, output), leaks(output.parent))
    if "The verifier did not pass the draft" in said.getvalue():
        return Outcome("refused draft", said.getvalue())
    words = {1: "infeasible", 2: "recipe", 3: "data"}
    if code in words:
        return _nothing_there(output, words[code], said.getvalue())
    return Outcome("traceback", f"exit code {code}: {said.getvalue()}")


def _rows(case: Case, output: Path) -> Rows:
    """A release goes out with the delimiter that came in, if the recipe names one."""
    return rows_of(output, case.recipe["input"].get("delimiter", ","))


def _judged(case: Case, rows: Rows, leaked: list[str]) -> Outcome:
    found = case.breaches(rows) + leaked
    return Outcome("breach", "; ".join(found)) if found else Outcome("release")


def _nothing_there(output: Path, word: str, detail: str) -> Outcome:
    if output.exists():
        return Outcome("breach", f"{detail} But {output.name} is there.")
    return Outcome(word, detail)
