"""What the first run of each example costs above later ones: CPU seconds of compiling, and which kernels they go to.

    python -m benchmarks.first_run [table] [baskets] [patients] [trees] [--kernels]

Each example is written by `shoal example` and run by `shoal run` in a process of its own: first with an empty folder for compiled
code, then again with what the first run left there. CPU seconds hardly depend on what else the machine does. With `--kernels` the
first run is made once more with a listener to Numba: of each kernel how often it was compiled, in CPU seconds without those of
the kernels that it calls. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.lib.child import run
from benchmarks.lib.places import PROJECT

EXAMPLES = ("table", "baskets", "patients", "trees")
SHOAL = [sys.executable, "-m", "shoal"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", nargs="*", default=EXAMPLES, metavar="EXAMPLE")
    parser.add_argument("--kernels", action="store_true", help="say which kernels are compiled")
    parser.add_argument("--inside", metavar="RECIPE", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        print(json.dumps(_kernels(chosen.inside)))
        return
    compileall.compile_dir(PROJECT / "src", quiet=1)  # byte code is not what we measure
    print(json.dumps({example: _measured(example, chosen.kernels) for example in chosen.examples}, indent=1))


def _measured(example: str, kernels: bool) -> dict[str, Any]:
    with TemporaryDirectory() as place:
        folder = Path(place) / example
        subprocess.run([*SHOAL, "example", example, str(folder)], check=True, capture_output=True)
        recipe = str(folder / "recipe.toml")
        os.environ["NUMBA_CACHE_DIR"] = str(Path(place) / "compiled")
        cold = _seconds([*SHOAL, "run", recipe, "--replace"])
        warm = min(_seconds([*SHOAL, "run", recipe, "--replace"]) for _ in range(2))
        result: dict[str, Any] = {
            "cold": round(cold, 2),
            "warm": round(warm, 2),
            "above": round(cold - warm, 2),
            "files": sum(1 for _ in (Path(place) / "compiled").rglob("*.nbc")),
        }
        if kernels:
            os.environ["NUMBA_CACHE_DIR"] = str(Path(place) / "listened")
            ran = run([sys.executable, "-m", "benchmarks.first_run", "--inside", recipe])
            result["kernels"] = json.loads(ran.out.splitlines()[-1])
        return result


def _seconds(command: list[str]) -> float:
    ran = run(command)
    if ran.code:
        raise SystemExit(f"{' '.join(command)}: {ran.err}")
    return ran.cpu_s


def _kernels(recipe: str) -> dict[str, Any]:
    """Of each kernel, most expensive first: CPU seconds without those of the kernels it calls, and its signatures."""
    from numba.core import event

    import shoal

    costs: dict[str, dict[str, Any]] = {}
    began: list[float] = []
    inner = [0.0]  # of what is being compiled, outermost first: seconds that kernels below it took

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            inner.append(0.0)
            began.append(time.thread_time())

        def on_end(self, event: Any) -> None:
            whole = time.thread_time() - began.pop()
            below = inner.pop()
            inner[-1] += whole
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__.removeprefix('shoal.kernels.')}.{function.__name__}"
            cost = costs.setdefault(name, {"seconds": 0.0, "signatures": []})
            cost["seconds"] = round(cost["seconds"] + whole - below, 2)
            cost["signatures"].append(", ".join(map(str, event.data["args"])))

    event.register("numba:compile", Listener())
    shoal.run(recipe, replace=True)
    return dict(sorted(costs.items(), key=lambda entry: -entry[1]["seconds"]))


if __name__ == "__main__":
    main()
