"""How much memory does a lazy frame take, beside the same rows in memory? Adult drawn to so many rows.

    python -m benchmarks.scale.lazy [--rows 5000000] [--frames dataset,reader,lazy,relation] [--calls risk,measure,verify,anonymize]

Each call is made in a process of its own, once with the rows as a table of pyarrow, once with each kind of lazy frame: its peak
resident memory, with that of the imports taken away, its CPU seconds, and what was left in the folder for temporary files. Prints
one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.lib.child import run
from benchmarks.rows.adult import make

FRAMES = ("eager", "dataset", "reader", "lazy", "relation")
CALLS = ("risk", "measure", "verify", "anonymize")
QUASI = ["sex", "race", "marital-status"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--frames", default=",".join(FRAMES[1:]))
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--inside", nargs=3, metavar=("CALL", "FRAME", "FILE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        print(json.dumps(_inside(*chosen.inside)))
        return
    with TemporaryDirectory() as place:
        file = Path(place) / "adult.parquet"
        make(chosen.rows, file)
        os.environ["TMPDIR"] = str(Path(place) / "temporary")
        Path(os.environ["TMPDIR"]).mkdir()
        result = {
            call: {frame: _measured(call, frame, file) for frame in ("eager", *chosen.frames.split(","))}
            for call in chosen.calls.split(",")
        }
    print(json.dumps({"rows": chosen.rows, "calls": result}, indent=1))


def _measured(call: str, frame: str, file: Path) -> dict[str, Any]:
    ran = run([sys.executable, "-m", "benchmarks.scale.lazy", "--inside", call, frame, str(file)])
    if ran.code:
        raise SystemExit(ran.err)
    inside = json.loads(ran.out.splitlines()[-1])
    return {
        "peak_mb": round(inside["peak_mb"]),
        "cpu_s": round(ran.cpu_s, 1),
        "answer": inside["answer"],
        "left_behind": sum(1 for _ in Path(os.environ["TMPDIR"]).iterdir()),
    }


def _inside(call: str, frame: str, file: str) -> dict[str, Any]:
    import duckdb
    import polars
    import pyarrow.dataset

    import shoal
    import shoal.release.run
    import shoal.verifier.by_recipe  # what all calls load is not what we measure

    dataset = pyarrow.dataset.dataset(file)
    opened = {
        "eager": dataset.to_table,
        "dataset": lambda: dataset,
        "reader": lambda: dataset.scanner(batch_size=65_536, batch_readahead=2, fragment_readahead=1).to_reader(),
        "lazy": lambda: polars.scan_parquet(file),
        "relation": lambda: duckdb.read_parquet(file),
    }
    imports = _peak_mb()
    answer = _answer(shoal, call, opened[frame]())
    return {"peak_mb": _peak_mb() - imports, "answer": answer}


def _peak_mb() -> float:
    """Of this process since it began; what `getrusage` tells begins with the peak of the process that started it."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def _answer(shoal: Any, call: str, frame: Any) -> str:
    if call == "risk":
        return repr(shoal.risk(frame, quasi=QUASI))
    if call == "measure":
        return repr(shoal.measure(frame, quasi=QUASI, sensitive="salary-class"))
    if call == "verify":
        return repr(shoal.verify(frame, quasi=QUASI, k=2, any_order=True).passed)
    others = ["age", "education", "native-country", "workclass", "occupation"]
    release = shoal.anonymize(
        frame, quasi=QUASI, sensitive="salary-class", drop=others, k=5, l=2, suppression=0.01, method="optimal"
    )
    return repr((release.records_out, round(release.loss, 6)))


if __name__ == "__main__":
    main()
