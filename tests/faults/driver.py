"""The program under test: makes one release of seven files through `Draft`, checks it and publishes it.

- `driver.py FOLDER WRITER VERSION [--replace]`, where WRITER is pyarrow, duckdb, csv or parts (data and assignment are folders of
  part files, as a cluster writes them)
- `driver.py FOLDER --sweep`: what the next start does first
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import ShoalError
from shoal.io.csv_write import write_csv
from shoal.io.folder import check_folder, read_commit
from shoal.io.parquet import write_parquet
from shoal.io.publishing.publish import ASSIGNMENT, Draft, sidecar, sweep

ROWS = 300_000  # three row groups, so that data is written in several pieces
NAME = {"pyarrow": "people.parquet", "duckdb": "people.parquet", "csv": "people.csv", "parts": "people.parquet"}
PARTS = 3


def release(folder: Path, writer: str, version: str, replace: bool) -> None:
    destination = folder / NAME[writer]
    sweep(folder)
    with Draft(destination, replace=replace) as draft:
        data = draft.path(destination.name)
        write(writer, data, version)
        digests = {data.name: draft.seal(data.name, ROWS).sha256}
        for kind in ("report.html", "report.json", "codebook.json", "codebook.csv"):
            name = sidecar(destination, kind).name
            draft.write(name, text_of(kind, version, digests))
            digests[name] = digest(draft.path(name))
        private = sidecar(destination, ASSIGNMENT).name
        if writer == "parts":
            write(writer, draft.path(private, private=True), version)
        else:
            draft.write(private, f"who shows what in version {version}\n".encode() * 500, private=True)
        digests[private] = draft.seal(private, ROWS).sha256
        files = [{"sha256": sha256} for sha256 in digests.values()]
        stated = {"format": "shoal-manifest", "version": version, "files": files, "sha256": digests}
        manifest = json.dumps(stated).encode()
        draft.write(sidecar(destination, "manifest.private.json").name, manifest, private=True)
        if digest(data) != digests[data.name]:
            raise AssertionError("the draft changed")
        draft.publish()


def text_of(kind: str, version: str, digests: dict[str, str]) -> bytes:
    """The report states what the data is known by."""
    text = f"{kind} of version {version}\n" * 500
    if kind != "report.json":
        return text.encode()
    files = [{"sha256": sha256} for sha256 in digests.values()]
    return json.dumps({"format": "shoal-report", "facts": {"identity": {"files": files}}, "text": text}).encode()


def write(writer: str, path: Path, version: str) -> None:
    if writer == "duckdb":
        connection = duckdb.connect(config={"threads": 2})
        connection.execute(
            f"COPY (SELECT range AS n, hash(range) AS h, '{version}' AS v FROM range({ROWS})) TO '{path}' (FORMAT parquet)"
        )
        connection.close()
        return
    if writer == "parts":
        path.mkdir()
        for part in range(PARTS):
            pq.write_table(pa.table({"n": [part] * 1000, "v": [version] * 1000}), path / f"part-{part}.parquet")
        (path / "_SUCCESS").touch()
        return
    rows = ROWS if writer == "pyarrow" else ROWS // 4
    table = pa.table({"n": np.arange(rows), "v": pa.repeat(version, rows)})
    if writer == "pyarrow":
        write_parquet(table, path)
    else:
        write_csv(table, path)


def digest(path: Path) -> str:
    if path.is_dir():
        check_folder(path, contents=True)
        return read_commit(path).sha256
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(argv: list[str]) -> int:
    folder = Path(argv[0])
    try:
        if argv[1] == "--sweep":
            sweep(folder)
        else:
            release(folder, argv[1], argv[2], "--replace" in argv)
    except ShoalError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("published")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
