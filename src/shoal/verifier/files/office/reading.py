"""The program that `apart.py` starts: one file in, one Arrow table out, within limits."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import system
from shoal.errors import DataError
from shoal.verifier.files.office.apart import MEMORY, REFUSED, SECONDS

if TYPE_CHECKING:
    import pyarrow as pa


def read_office(path: Path, options: dict[str, Any]) -> pa.Table:
    """By the suffix of the name."""
    suffix, missing = path.suffix.lower(), tuple(options.get("missing") or ())
    if suffix == ".xlsx":
        from shoal.verifier.files.office.workbook import read_workbook

        alone = bool(options.get("alone"))
        return read_workbook(path, options.get("sheet") or "", options.get("header") or 1, missing, alone=alone)
    from shoal.verifier.files.office.labelled import table_of

    by_label, alone = options.get("labels", True), bool(options.get("alone"))
    if suffix in (".sav", ".zsav"):
        from shoal.verifier.files.office.spss import read_spss

        return table_of(read_spss(path), by_label, missing, alone=alone)
    if suffix == ".dta":
        from shoal.verifier.files.office.stata import read_stata

        return table_of(read_stata(path), by_label, missing, alone=alone)
    from shoal.verifier.files.office.sas import read_sas

    return table_of(read_sas(path), by_label, missing, alone=alone)


def main() -> None:
    """The task on standard input, the table on standard output; why there is none on standard error."""
    task = json.loads(sys.stdin.buffer.read())
    path = Path(task["path"])
    try:
        system.confine(MEMORY, SECONDS)
    except OSError as refusal:
        sys.stderr.write(
            f"{path.name}: the verifier does not read it: {refusal.strerror}, and a file may be made to harm it."
        )
        sys.exit(REFUSED)
    try:
        table = read_office(path, task["options"])
    except DataError as refusal:
        why = str(refusal)
    except MemoryError:
        why = f"{path.name}: the verifier needs too much memory to read it."
    except (ValueError, KeyError, IndexError, struct.error, zlib.error, OSError, OverflowError, LookupError) as error:
        why = f"{path.name}: the verifier cannot read it ({type(error).__name__}); it may be damaged."
    else:
        import pyarrow as pa

        with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
            stream.write_table(table)
        return
    sys.stderr.write(why)
    sys.exit(REFUSED)


if __name__ == "__main__":
    main()
