"""How soon, and in how much memory, office files that are made to harm are refused: one JSON object.

python -m benchmarks.office_bombs
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.lib import usage

_PROBE = """
import json, resource, sys, time
from pathlib import Path
from shoal.errors import DataError
from shoal.io.office.opening import open_office
from shoal.io.reading import RowReading
from shoal.verifier.files.office.apart import read_apart
path, who = Path(sys.argv[1]), sys.argv[2]
started = time.monotonic()
try:
    open_office(path, RowReading()) if who == "makers" else read_apart(path, missing=[])
    refused = False
except DataError:
    refused = True
seconds = round(time.monotonic() - started, 2)
memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
print(json.dumps({"refused": refused, "seconds": seconds, "megabytes": memory}))
"""


def _bombs() -> dict[str, Any]:
    place = Path(__file__).parent.parent / "tests/faults/office_bombs.py"
    spec = importlib.util.spec_from_file_location("office_bombs", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.FILES)


def main() -> None:
    usage.given(__doc__, 0, 0)
    """Each file is read once by the makers' reader and once by the verifier's, in processes of their own."""
    import subprocess

    started, results = time.monotonic(), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (suffix, write) in _bombs().items():
            path = Path(folder) / f"bomb{suffix}"
            write(path)
            read = {}
            for who in ("makers", "verifier"):
                done = subprocess.run(
                    [sys.executable, "-c", _PROBE, str(path), who], capture_output=True, text=True, check=True
                )
                read[who] = json.loads(done.stdout)
            results[name] = {"suffix": suffix, "bytes": path.stat().st_size, **read}
    figures = [one[who] for one in results.values() for who in ("makers", "verifier")]
    print(
        json.dumps(
            {
                "files": len(results),
                "most_seconds": max(one["seconds"] for one in figures),
                "most_megabytes": max(one["megabytes"] for one in figures),
                "seconds": round(time.monotonic() - started, 1),
                "results": results,
            }
        )
    )


if __name__ == "__main__":
    main()
