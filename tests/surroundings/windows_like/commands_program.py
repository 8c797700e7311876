"""The commands of an example, one after the other in one process, and what each ended with."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import shoal.system  # noqa: F401  # from here on it is like Windows
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as root


def main() -> None:
    kind, folder = sys.argv[1], Path(sys.argv[2])
    codes = {}

    def run(*words: object) -> None:
        with redirect_stdout(io.StringIO()):
            codes[str(words[0])] = run_command(root, [str(word) for word in words])

    run("example", kind, folder)
    recipe = folder / "recipe.toml"
    stated = tomllib.loads(recipe.read_text(encoding="utf-8"))
    data, release = folder / stated["input"]["path"], folder / stated["output"]["path"]
    run("init", data, "-o", folder / "proposed.toml")
    run("risk", recipe)
    run("run", recipe)
    assignment = release.with_name(f"{release.stem}.assignment.private.parquet")
    more = ("--assignment", assignment) if assignment.exists() else ()
    run("verify", release, "--recipe", recipe, "--original", recipe, *more)
    left = [path.name for path in folder.rglob(".shoal*")]
    print(json.dumps({"codes": codes, "left": left, "posix": "shoal.system.posix" in sys.modules}))


if __name__ == "__main__":
    main()
