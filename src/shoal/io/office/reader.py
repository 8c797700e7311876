"""The program that reads one file within limits, and sends the table to whoever started it (`confined.py`)."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import system
from shoal.errors import DataError
from shoal.io.office.confined import NOTES, REFUSED, Notes

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    Reader = Callable[[Path, dict[str, Any]], tuple[pa.Table, Notes]]


_LEAST, _TIMES = 1 << 30, 16  # bytes of memory that any file may take, and how many for each of its own


def reader_of(path: Path) -> Reader:
    """The reader that a suffix asks for."""
    from shoal.io.office.excel import read_excel
    from shoal.io.office.statistics import READ, read_statistics

    return read_statistics if path.suffix.lower() in READ else read_excel


def main() -> None:
    """One task on standard input, one Arrow stream on standard output."""
    task = json.loads(sys.stdin.buffer.read())
    path, confines = Path(task["path"]), task["confines"]
    try:
        system.confine(min(confines["memory"], _LEAST + _TIMES * unpacked_size(path)), confines["seconds"])
    except OSError as refusal:
        sys.stderr.write(
            f"{path.name} is not read: {refusal.strerror}, and a file may be made to harm its reader. Save it as CSV."
        )
        sys.exit(REFUSED)
    try:
        table, notes = reader_of(path)(path, {**task["options"], "unpacked": confines["unpacked"]})
    except DataError as refusal:
        sys.stderr.write(str(refusal))
        sys.exit(REFUSED)
    except MemoryError:
        sys.stderr.write(f"{path.name} cannot be read: it needs more than {confines['memory'] >> 30} GiB of memory.")
        sys.exit(REFUSED)
    import pyarrow as pa

    table = table.replace_schema_metadata({NOTES: notes.to_json()})
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


def unpacked_size(path: Path) -> int:
    """What a file says it takes unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 4 * path.stat().st_size  # a byte of a packed file of SPSS is a number of eight


if __name__ == "__main__":
    main()
