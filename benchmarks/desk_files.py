"""Files as people have them, each on its way through `shoal init`, `run` and `verify`.

    python -m benchmarks.desk_files

The files are those of `tests/samples/desk`, made anew from made-up people. Each suggestion is confirmed as it stands. Prints one
JSON object: how many files came how far; and of each file its options of init, the section `[input]` and the columns that were
proposed, how far it came and the last line that was said.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import tempfile
import time
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.lib import usage

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from samples.desk.desk import FILES
from samples.desk.file import DeskFile
from samples.desk.journey import travel


def way_of(file: DeskFile) -> dict[str, Any]:
    """In a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        started = time.process_time()
        journey = travel(file)
        recipe = tomllib.loads(journey.recipe)
        columns = {
            name: " ".join(filter(None, (str(entry["role"]), entry.get("written", ""))))
            for name, entry in recipe.get("columns", {}).items()
        }
        lines = [line for line in journey.words.splitlines() if line.strip()]
        return {
            "options": list(file.options),
            "input": recipe.get("input", {}),
            "columns": dict(list(columns.items())[:12]),
            "end": journey.end,
            "code": journey.code,
            "words": lines[0] if lines else "",
            "unchanged": journey.unchanged,
            "cpu_seconds": round(time.process_time() - started, 2),
        }


def main() -> None:
    usage.given(__doc__, 0, 0)
    os.environ["COLUMNS"] = "120"
    ways = {file.name: way_of(file) for file in FILES}
    print(
        json.dumps(
            {
                "shoal": version("shoal"),
                "python": platform.python_version(),
                "files": len(ways),
                "ends": dict(Counter(str(way["end"]) for way in ways.values())),
                "ways": ways,
            },
            ensure_ascii=False,
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
