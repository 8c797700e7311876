"""A table in a flat folder of part files, and the marker that says it is a whole release.

A cluster writes many files, and a folder can be seen while it is being filled. So a release in a folder holds `_COMMITTED`: written
after all part files were verified, it names each with its size and SHA-256. A folder without one may be anyone's; a folder that
does not hold what its marker says is refused. Names that start with `_` or `.` are no data to Spark, to DuckDB or to us.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.documents import MAX_JSON, read_json
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER = "_COMMITTED"
_ADVICE = "Read it in Spark and hand the frame over: shoal.anonymize(frame, recipe)."
# what else may lie in such a folder, and means that its files are not simply the table
_FOREIGN = {
    "_delta_log": f"is a Delta table, which keeps files of older versions. {_ADVICE}",
    ".hoodie": f"is a Hudi table, which keeps files of older versions. {_ADVICE}",
    "_temporary": "is being written, or its writer was cut short: it holds a folder _temporary.",
}


@dataclass(frozen=True)
class Part:
    """One file of the folder."""

    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        if not self.name or self.name != Path(self.name).name or self.name.startswith(("_", ".")) or "\n" in self.name:
            raise ValueError("`name` of a part must be the name of a data file, without folders.")
        if self.bytes < 0 or not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError("A Part needs its size and its SHA-256, as 64 hexadecimal digits in lower case.")


@dataclass(frozen=True)
class Commit:
    """What the marker says: which files, in the order of their names, make up one release."""

    release: str  # no other release has the same
    records: int
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if not names or names != sorted(set(names)):
            raise ValueError("A Commit names at least one part, each once, in the order of their names.")
        if self.records < 0 or not re.fullmatch(r"[0-9a-f]{32}", self.release):
            raise ValueError("A Commit needs the number of records, and an id of 32 hexadecimal digits.")

    @property
    def sha256(self) -> str:
        """Of the listing, which `sha256sum *.parquet` prints inside the folder as well."""
        listing = "".join(f"{part.sha256}  {part.name}\n" for part in self.parts)
        return hashlib.sha256(listing.encode()).hexdigest()

    @property
    def sealed(self) -> Sealed:
        return Sealed(self.sha256, len(self.parts))

    def to_bytes(self) -> bytes:
        stated = {
            "format": "shoal-commit",
            "version": 1,
            "release": self.release,
            "records": self.records,
            "files": len(self.parts),
            "bytes": sum(part.bytes for part in self.parts),
            "sha256": self.sha256,
            "parts": [asdict(part) for part in self.parts],
        }
        return json.dumps(stated, indent=1).encode() + b"\n"

    @classmethod
    def from_bytes(cls, text: bytes) -> Commit:
        """Raises ValueError when it is not a marker, or contradicts itself."""
        try:
            stated = read_json(text.decode())
            commit = cls(stated["release"], stated["records"], tuple(Part(**part) for part in stated["parts"]))
            if stated != json.loads(commit.to_bytes()):
                raise ValueError("A marker must say of its parts what they add up to.")
        except (KeyError, TypeError, AttributeError, RecursionError):
            raise ValueError("A marker must be a JSON object that names a release and its parts.") from None
        return commit

    def problem(self, sizes: Mapping[str, int]) -> str | None:
        """What is wrong with a folder that holds these data files (name → bytes); None when nothing is."""
        stated = {part.name: part.bytes for part in self.parts}
        for name in sorted(stated.keys() | sizes.keys()):
            if name not in sizes:
                return f"{name} is missing"
            if name not in stated:
                return f"{name} does not belong to it"
            if stated[name] != sizes[name]:
                return f"{name} has {sizes[name]:,} bytes where the marker says {stated[name]:,}"
        return None


@dataclass(frozen=True)
class Sealed:
    """What a report says of data that will not change any more."""

    sha256: str  # of the file; of a folder, of its listing
    files: int | None = None  # in a folder

    @property
    def what(self) -> str:
        if self.files is None:
            return "data"
        return f"data in {self.files:,} file{'' if self.files == 1 else 's'}: hash of the listing"


def part_files(folder: Path) -> tuple[Path, ...]:
    """The Parquet files of a flat folder, in the order of their names. A folder that means anything else is refused."""
    try:
        entries = {path.name: path.is_dir() for path in folder.iterdir()}
    except OSError as error:
        raise DataError(f"{folder.name} cannot be read: {error.strerror}.") from None
    return tuple(folder / name for name in part_names(folder.name, entries))


def part_names(what: str, entries: Mapping[str, bool]) -> tuple[str, ...]:
    """The same by the names of what is in a folder, and whether each is a folder itself. `what`: how messages call it."""
    for name in entries:
        if name in _FOREIGN:
            raise DataError(f"{what} {_FOREIGN[name]}")
    data = sorted(name for name in entries if not name.startswith(("_", ".")))
    for name in data:
        if entries[name]:
            raise DataError(f"{what} holds the folder {name}; only files that lie in {what} itself are read. {_ADVICE}")
        if not name.lower().endswith(".parquet"):
            raise DataError(f"{what} holds {name}, which is not named .parquet; what it is cannot be told.")
    if not data:
        raise DataError(f"{what} is a folder without a .parquet file.")
    return tuple(data)


def check_folder(folder: Path, *, contents: bool = False) -> tuple[Path, ...]:
    """The part files; refused when there is a marker and they are not those it names. `contents`: compare the bytes as well."""
    files = part_files(folder)
    commit = read_commit(folder)
    if commit is None:
        return files
    problem = commit.problem({path.name: path.stat().st_size for path in files})
    if problem is None and contents:
        changed = (part.name for part in commit.parts if sha256_of(folder / part.name) != part.sha256)
        problem = next((f"{name} holds other bytes" for name in changed), None)
    if problem is not None:
        raise DataError(not_the_release(folder.name, problem))
    return files


def not_the_release(what: str, problem: str) -> str:
    """The sentence for a folder that differs from what its marker says."""
    return f"{what} is not the release that its {MARKER} speaks of: {problem}."


def read_commit(folder: Path) -> Commit | None:
    """None when there is no marker. One that cannot be read is refused: the folder is half a release at best."""
    path = folder / MARKER
    try:
        if path.stat().st_size > MAX_JSON:
            raise ValueError("A marker lists files; it is not that long.")
        return Commit.from_bytes(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise DataError(
            f"{folder.name}: its {MARKER} cannot be read, so what belongs to the release is unknown."
        ) from None


def holds_a_release(folder: Path) -> bool:
    """Whether it holds a release of ours and nothing else at all."""
    try:
        commit = read_commit(folder)
        if commit is None or commit.problem({path.name: path.stat().st_size for path in part_files(folder)}):
            return False
    except DataError:
        return False
    return all(
        path.name == MARKER or is_leftover(path.name) for path in folder.iterdir() if path.name.startswith(("_", "."))
    )


def is_leftover(name: str) -> bool:
    """What Hadoop writes beside its files: that a job has ended, and checksums."""
    return name == "_SUCCESS" or (name.startswith(".") and name.endswith(".crc"))


def sha256_of(path: Path) -> str:
    """Of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
