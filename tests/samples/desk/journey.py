"""The way of a file: proposed by `shoal init`, confirmed, published by `shoal run`, checked by `shoal verify`."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from samples.desk.file import DeskFile
from shoal.cli.errors import run_command
from shoal.cli.root import shoal


@dataclass(frozen=True)
class Journey:
    """How far a file came, and the last words."""

    end: str  # "refused" by init, "stopped" by run, "not verified", or "verified"
    code: int
    words: str
    recipe: str  # as it was proposed; "" when it was not
    unchanged: bool  # whether the file is what it was


def travel(file: DeskFile) -> Journey:
    """In the current folder, which is empty."""
    file.write(Path(file.name))
    before = Path(file.name).read_bytes()
    end, code, words, recipe = _travel(file)
    return Journey(end, code, words, recipe, Path(file.name).read_bytes() == before)


def _travel(file: DeskFile) -> tuple[str, int, str, str]:
    code, words = command("init", file.address or file.name, *file.options)
    if code != 0:
        return "refused", code, words, ""
    recipe = Path("recipe.toml").read_text("utf-8")
    Path("recipe.toml").write_text(re.sub(r',? *suggested = (true|"unclear")', "", recipe), "utf-8")
    code, words = command("run", "recipe.toml")
    if code != 0:
        return "stopped", code, words, recipe
    release = tomllib.loads(recipe)["output"]["path"]
    code, words = command("verify", release, "--recipe", "recipe.toml", "--original", "recipe.toml")
    return ("verified" if code == 0 else "not verified"), code, words, recipe


def command(*arguments: str) -> tuple[int, str]:
    """Its exit code, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run_command(shoal, list(arguments))
    return code, said.getvalue()
