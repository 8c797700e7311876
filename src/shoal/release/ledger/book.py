"""The ledger: a private file to which every release of a recipe adds a line.

    {"format": "shoal-ledger", "version": 1, "key": …}      once; the key makes pseudonyms of people
    {"event": "release", "id": …, …, "previous": …}         before the files of a release are moved to their places
    {"event": "published", "id": …, "previous": …}          after it; or "withdrawn", when nothing was published after all

A release is written down *before* it is published. If the process dies in between, the ledger has a release that may not exist:
it counts as an earlier one, which is harmless. The other way round a release could be missed. A last line that was cut short
belongs to a run that died before it published anything, or after its release was written down; it is dropped.

Each line holds the hash of the line before it, so that lines which were changed, lost or mixed up are noticed. Only whoever holds
the lock of the folder writes, and a run holds it from its look at earlier releases until its own stands in the ledger.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from shoal import system
from shoal.errors import DataError
from shoal.io.publishing.journal import open_new
from shoal.io.publishing.sweep import locked, storage_errors
from shoal.release.ledger.entry import Ending, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FORMAT, _VERSION = "shoal-ledger", 1
_KEY = 32  # bytes
_MOST = 1 << 30  # bytes that are read


@dataclass
class Ledger:
    """The lines of a ledger whose folder is locked."""

    path: Path
    key: bytes
    entries: tuple[Entry, ...] = ()  # without those that were withdrawn
    cut_short: frozenset[str] = frozenset()  # of which nobody knows whether they were published
    _last: str = field(default="", repr=False)  # the hash of the last line

    def people(self, number: str) -> Path:
        """The file that says who lies in which class of a release."""
        return self.path.with_suffix(".people") / f"{number}.parquet"

    def sweep(self) -> None:
        """Remove what belongs to no release of the ledger: a run died before it wrote its own down, or took it back."""
        kept = {entry.id for entry in self.entries}
        for file in self.people("").parent.glob("*.parquet"):
            if file.stem not in kept:
                file.unlink()

    def add(self, entry: Entry) -> None:
        """Write a release down that is about to be published."""
        self._append(entry.model_dump())

    def end(self, event: Literal["published", "withdrawn"], entry: Entry) -> None:
        """What became of it."""
        self._append(Ending(event=event, id=entry.id, time=now()).model_dump())

    def _append(self, values: dict[str, Any]) -> None:
        line = json.dumps(values | {"previous": self._last}, ensure_ascii=True).encode()
        with storage_errors(f"{self.path.name} cannot be written"), self.path.open("ab") as file:
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._last = hashlib.sha256(line).hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[Ledger]:
    """The ledger, a new one where there is none. No other run works with it meanwhile."""
    with storage_errors(f"{path.name} cannot be opened"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if system.is_link(path) or (path.exists() and not path.is_file()):
            raise DataError(
                f"ledger.path: {path.name} is no file of its own. Give another path. Nothing was published."
            )
    with locked(path.parent):
        with storage_errors(f"{path.name} cannot be opened"):
            if not path.exists():
                _begin(path)
            system.harden_file(path, private=True)
            _drop_cut_line(path)
            ledger = read(path)
            ledger.sweep()
        yield ledger


def read(path: Path) -> Ledger:
    """The ledger as it is; refused where anything in it is not as it was written."""
    with path.open("rb") as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise _damaged(path, "it is larger than any ledger")
    lines = data.split(b"\n")[:-1]  # what stands behind the last end of a line was cut short
    key = _key(path, lines[0] if lines else b"")
    entries: dict[str, Entry] = {}
    open_: set[str] = set()
    for number, (before, line) in enumerate(pairwise(lines), start=2):
        values = _values(path, number, line)
        if values.pop("previous", None) != hashlib.sha256(before).hexdigest():
            raise _damaged(path, f"line {number:,} does not follow the line before it")
        try:
            if values.get("event") == "release":
                entry = Entry.model_validate(values)
                entries[entry.id] = entry
                open_.add(entry.id)
                continue
            ending = Ending.model_validate(values)
        except ValidationError:
            raise _damaged(path, f"line {number:,} is not what a run writes") from None
        if ending.id not in open_:
            raise _damaged(path, f"line {number:,} speaks of a release that is not there")
        open_.discard(ending.id)
        if ending.event == "withdrawn":
            del entries[ending.id]
    return Ledger(path, key, tuple(entries.values()), frozenset(open_), hashlib.sha256(lines[-1]).hexdigest())


def now() -> str:
    """The time as the ledger has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _begin(path: Path) -> None:
    """Whole, or not at all."""
    header = {"format": _FORMAT, "version": _VERSION, "key": secrets.token_hex(_KEY)}
    begun = path.with_name(f".{path.name}.new")
    begun.unlink(missing_ok=True)  # of a run that died here
    with open_new(begun, 0o600) as file:
        file.write(json.dumps(header).encode() + b"\n")
    system.sync(begun)
    system.rename(begun, path)
    system.sync(path.parent)


def _drop_cut_line(path: Path) -> None:
    with path.open("r+b") as file:
        data = file.read(_MOST + 1)
        end = data.rfind(b"\n") + 1
        if 0 < end < len(data) <= _MOST:
            file.truncate(end)


def _key(path: Path, line: bytes) -> bytes:
    header = _values(path, 1, line)
    if header.get("format") != _FORMAT:
        raise DataError(f"ledger.path: {path.name} is not a ledger. Give another path. Nothing was published.")
    if header.get("version") != _VERSION:
        raise DataError(f"{path.name} is a ledger of another version of shoal. Nothing was published.")
    try:
        key = bytes.fromhex(header["key"])
    except (KeyError, TypeError, ValueError):
        raise _damaged(path, "line 1 has no key") from None
    if len(key) != _KEY:
        raise _damaged(path, "line 1 has no key")
    return key


def _values(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise _damaged(path, f"line {number:,} cannot be read")
    return values


def _damaged(path: Path, what: str) -> DataError:
    return DataError(
        f"{path.name} is damaged: {what}. Put back a copy that you trust. If there is none, move the file away and a new ledger "
        "is begun; earlier releases are then not checked any more. Nothing was published."
    )
