"""A file of an office program, read in another process: whatever it does to its reader happens there.

The process has so much memory and so much time; a file that needs more is refused. The table comes back as an Arrow stream.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.files.opening import first_bytes

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

SUFFIXES = (".xlsx", ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
_STARTS = {
    ".xlsx": (b"PK\x03\x04",),
    ".sav": (b"$FL2", b"$FL3"),
    ".zsav": (b"$FL2", b"$FL3"),
    ".dta": (b"<stata_dta>", b"\x71", b"\x72", b"\x73"),
}
MEMORY = 8 << 30  # bytes of address space
SECONDS = 1_200  # of processor time
REFUSED = 3  # exit code of a reader that says why on standard error


def is_office(path: Path) -> bool:
    """Whether a published file is one of an office program, by its suffix and its first bytes."""
    starts = _STARTS.get(path.suffix.lower())
    return starts is not None and not path.is_dir() and first_bytes(path, 11).startswith(starts)


def read_apart(path: Path, **options: Any) -> pa.Table:
    """options: `sheet`, `header`, `labels`, `missing` as the recipe has them. `alone`: of a release: a table and no more."""
    import pyarrow as pa

    first_bytes(path, 1)  # a regular file that may be read
    task = json.dumps({"path": os.fspath(path.absolute()), "options": options}).encode()
    surroundings = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(place for place in sys.path if place),
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # others reserve more than the limit before they use it
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            [sys.executable, "-m", "shoal.verifier.files.office.reading"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            env=surroundings,
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(task)
                process.stdin.close()
                table = pa.ipc.open_stream(process.stdout).read_all()
            except (pa.ArrowInvalid, OSError):  # it refused, or died
                table = None
            finally:
                if table is None:
                    process.stdout.close()
                code = process.wait()
        said.seek(0)
        why = said.read(10_000).decode("utf-8", "replace").strip()
    if code == REFUSED:
        raise DataError(why)
    if code or table is None:
        raise DataError(f"{path.name}: the verifier cannot read it; it is damaged, or needs too much memory or time.")
    return table
