"""Read a file in a process of its own: what a hostile or damaged file does to a reader happens there, and ends there.

The readers of these formats are large libraries in C and Rust that were written for files of friends. The process may use only so
much memory and so much time; when it dies, the file is refused and nothing else happens. The table comes back through a pipe as an
Arrow stream and is never on disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal import system
from shoal.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

NOTES = b"shoal"  # the key of the schema's metadata that holds what was noted while reading
REFUSED = 3  # exit code: the sentence on standard error says why


@dataclass(frozen=True)
class Confines:
    """What a reader may use."""

    memory: int = 4 << 30  # bytes of address space
    seconds: int = 600  # of processor time
    unpacked: int = 2 << 30  # bytes in all that a packed file may say it holds


@dataclass(frozen=True)
class Notes:
    """What was seen beside the values."""

    warnings: tuple[str, ...] = ()
    labels: dict[str, dict[str, str]] = field(default_factory=dict)  # by column: code → label
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by column: codes that the file declares missing
    by_label: tuple[str, ...] = ()  # columns whose labelled codes were read as their labels
    titles: dict[str, str] = field(default_factory=dict)  # by column: what the file says it is
    sheet: str = ""  # of a workbook: the one that was read
    sheets: tuple[str, ...] = ()  # those that show something
    hidden: tuple[str, ...] = ()
    header: int = 1  # the row that names the columns

    def to_json(self) -> bytes:
        """As the metadata of a schema holds them."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of(cls, schema: pa.Schema) -> Notes:
        """Those of a table that came from a reader."""
        noted: dict[str, Any] = json.loads((schema.metadata or {}).get(NOTES, b"{}"))
        noted["missing"] = {name: tuple(codes) for name, codes in noted.get("missing", {}).items()}
        values: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in noted.items()}
        return cls(**values)


def read_confined(path: Path, options: dict[str, Any], confines: Confines | None = None) -> tuple[pa.Table, Notes]:
    """The table of a file, and what was noted. options: as the reader of its format takes them."""
    task = json.dumps({"path": os.fspath(path), "options": options, "confines": asdict(confines or Confines())})
    paths = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    with subprocess.Popen(
        [sys.executable, "-m", "shoal.io.office.reader"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **paths, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"},
    ) as process:
        assert process.stdin and process.stdout and process.stderr  # pipes were asked for
        said: list[bytes] = []
        listening = threading.Thread(target=lambda pipe: said.append(pipe.read()), args=(process.stderr,), daemon=True)
        listening.start()
        try:
            process.stdin.write(task.encode())
            process.stdin.close()
            table = _table(process.stdout)
            listening.join()
            code = process.wait()
        finally:
            process.kill()
    if code == REFUSED:
        raise DataError(b"".join(said).decode("utf-8", "replace").strip())
    if code or table is None:
        how = system.ENDS.get(code, "its reader ended in an error")
        raise DataError(f"{path.name} cannot be read: {how}. The file may be damaged; save it anew, or as CSV.")
    notes = Notes.of(table.schema)
    return table.replace_schema_metadata(None), notes


def _table(pipe: Any) -> pa.Table | None:
    try:
        with pa.ipc.open_stream(pipe) as stream:
            return stream.read_all()
    except (pa.ArrowInvalid, OSError):  # the reader refused, or died
        return None
