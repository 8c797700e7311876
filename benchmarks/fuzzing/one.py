"""Fuzz one reader, or all in turn, for some seconds: started by `benchmarks.fuzz`, once for each reader.

    python -m benchmarks.fuzzing.one "csv" --seconds 20 --folder DIR [--inputs 2000]

Inputs that made a reader raise anything but a refusal are kept in DIR; standard output has one line of JSON for each kind of fault.
libFuzzer tells on standard error how many inputs it tried; it ends the process at an input that takes more than ten seconds or a
gigabyte.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import atheris

with atheris.instrument_imports(include=["shoal"]):
    from benchmarks.fuzzing.readers import READERS
    from shoal.errors import InternalError, ShoalError

if TYPE_CHECKING:
    from benchmarks.fuzzing.readers import Reader

SECONDS, MEGABYTES, LONGEST = 10, 1_024, 4_096  # for one input


class Target:
    """Reads each input as a file; with several readers the first byte chooses."""

    def __init__(self, readers: list[Reader], scratch: Path, kept: Path) -> None:
        self._readers, self._scratch, self._kept = readers, scratch, kept
        self._faults: set[str] = set()

    def __call__(self, data: bytes) -> None:
        if not data:
            return
        if len(self._readers) == 1:
            reader = self._readers[0]
        else:
            reader, data = self._readers[data[0] % len(self._readers)], data[1:]
        path = self._scratch / f"input{reader.suffix}"
        path.write_bytes(data)
        try:
            reader.read(path)
        except InternalError as error:
            self._keep(error, reader, data)
        except ShoalError:
            pass  # refused, as it should be
        except Exception as error:  # whatever else comes is what is looked for
            self._keep(error, reader, data)

    def _keep(self, error: Exception, reader: Reader, data: bytes) -> None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(last.filename).name}, {last.name}, line {last.lineno}"
        if place in self._faults:
            return
        self._faults.add(place)
        (self._kept / f"fault-{len(self._faults)}{reader.suffix}").write_bytes(data)
        print(json.dumps({"fault": place}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", help="its name, or all")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--inputs", type=int, help="so many and no more, the same each time")
    chosen = parser.parse_args()
    readers = list(READERS.values()) if chosen.reader == "all" else [READERS[chosen.reader]]
    corpus = chosen.folder / "corpus"
    corpus.mkdir(parents=True)
    for number, reader in enumerate(readers):
        for at, seed in enumerate(reader.seeds):
            (corpus / f"{number}-{at}").write_bytes(seed if len(readers) == 1 else bytes([number]) + seed)
    often = [] if chosen.inputs is None else [f"-runs={chosen.inputs}", "-seed=1"]
    with tempfile.TemporaryDirectory() as scratch:
        atheris.Setup(
            [
                sys.argv[0],
                f"-max_total_time={chosen.seconds}",
                f"-timeout={SECONDS}",
                f"-rss_limit_mb={MEGABYTES}",
                f"-max_len={LONGEST}",
                f"-artifact_prefix={chosen.folder}/",
                "-print_final_stats=1",
                *often,
                str(corpus),
            ],
            Target(readers, Path(scratch), chosen.folder),
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
