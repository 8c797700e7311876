"""Fuzz every reader of files, guided by what of shoal's code an input reaches: one JSON object.

    python -m benchmarks.fuzz [--reader NAME …] [--together] [--seconds 600] [--inputs N] [--folder DIR]

Every reader of the makers and of the verifier (benchmarks/fuzzing/readers.py) is given changed files for so many seconds, in a
process of its own. What is looked for: anything but a refusal, more than ten seconds or a gigabyte for an input of at most 4 kB.
`--together`: all in one process, which tries each for a part of the seconds. `--inputs`: so many and no more, drawn alike each
time. The exit code is 1 when something was found; the inputs are in DIR. Needs atheris (`pip install atheris`). Code in other
languages (DuckDB, Arrow, the reader of workbooks) is run, but does not guide.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.lib.places import PROJECT

_TRIED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_REACHED = re.compile(r"cov: (\d+)")


def fuzz(reader: str, seconds: int, inputs: int | None, folder: Path) -> dict[str, Any]:
    """What was tried, reached and found."""
    folder.mkdir(parents=True)
    started = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "benchmarks.fuzzing.one",
        reader,
        "--seconds",
        str(seconds),
        "--folder",
        str(folder),
    ]
    if inputs is not None:
        command += ["--inputs", str(inputs)]
    with (folder / "log.txt").open("w") as log:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True, check=False, cwd=PROJECT)
    said = (folder / "log.txt").read_text(errors="replace")
    faults = [json.loads(line)["fault"] for line in done.stdout.splitlines() if line.startswith('{"fault"')]
    if done.returncode:
        faults.append(f"the process ended with {done.returncode}: {said.strip().splitlines()[-1:] or 'without a word'}")
    tried, reached = _TRIED.search(said), _REACHED.findall(said)
    return {
        "inputs": int(tried[1]) if tried else 0,
        "places_reached": int(reached[-1]) if reached else 0,
        "seconds": round(time.monotonic() - started, 1),
        "faults": faults,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", action="append", help="all unless given")
    parser.add_argument("--together", action="store_true", help="all in one process")
    parser.add_argument("--seconds", type=int, default=600, help="of each process")
    parser.add_argument("--inputs", type=int, help="of each process, at most; drawn alike each time")
    parser.add_argument(
        "--folder", type=Path, help="where inputs that show a fault are kept; a temporary one unless given"
    )
    chosen = parser.parse_args()
    from benchmarks.fuzzing.readers import READERS

    names = ["all"] if chosen.together else (chosen.reader or list(READERS))
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        results = {name: fuzz(name, chosen.seconds, chosen.inputs, folder / name.replace(" ", "-")) for name in names}
    faults = sum(len(one["faults"]) for one in results.values())
    least = min(one["seconds"] for one in results.values())
    print(
        json.dumps(
            {
                "readers": len(READERS) if chosen.together else len(results),
                "seconds_of_each": least,
                "inputs": sum(one["inputs"] for one in results.values()),
                "faults": faults,
                "results": results,
            }
        )
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
