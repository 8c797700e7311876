"""Whether two places are one, or one lies in the other: through links and hard links, and however they are spelt.

Names count as the same in any letter case and any Unicode form: many file systems (of macOS, of Windows, network shares) take such
names for one, and which one a folder lies on cannot be told from its path.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shoal.io.location import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shoal.io.location import Location

Relation = Literal["is", "lies in", "holds"]
# different names of one kind of store
_STORES = {"s3": "s3a", "s3n": "s3a", "webhdfs": "hdfs", "swebhdfs": "hdfs", "viewfs": "hdfs", "abfss": "abfs"}


@dataclass(frozen=True)
class Place:
    """A path or a URI by all that it can be recognised by."""

    store: str  # "file", or the scheme of a URI
    host: str
    spellings: frozenset[tuple[str, ...]]  # its parts, as it is written and where its links lead
    files: frozenset[tuple[int, int]] = frozenset()  # device and inode: its own, and of a folder those of its files
    above: frozenset[tuple[int, int]] = frozenset()  # of the folders it lies in

    @classmethod
    def of(cls, location: Location) -> Place:
        if isinstance(location, str):
            scheme, host, path = split(location)
            if scheme != "file":
                spelling = _folded(os.path.normpath(f"/{path.strip('/')}"))
                return cls(_STORES.get(scheme, scheme), host, frozenset({spelling}))
            location = Path(path)
        real = Path(os.path.realpath(location))
        written = Path(os.path.realpath(location.parent), location.name)
        return cls(
            "file",
            "",
            frozenset({_folded(str(real)), _folded(str(written))}),
            frozenset(_identities([real, *_inside(real)])),
            frozenset(_identities(real.parents)),
        )

    def to(self, other: Place) -> Relation | None:
        """How this one lies to another; None: apart."""
        if self.store != other.store or (self.host != other.host and self.host and other.host):
            return None  # a URI without a host means the one that Spark is set up for, which may be any
        if self.spellings & other.spellings:
            return "is"
        if self.above & other.files or _any_below(self.spellings, other.spellings):
            return "lies in"
        if other.above & self.files or _any_below(other.spellings, self.spellings):
            return "holds"
        return "is" if self.files & other.files else None


def _folded(path: str) -> tuple[str, ...]:
    return Path(unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())).parts


def _any_below(lower: frozenset[tuple[str, ...]], upper: frozenset[tuple[str, ...]]) -> bool:
    return any(one[: len(other)] == other for one in lower for other in upper)


def _inside(folder: Path) -> Iterator[Path]:
    """The files of a folder: its table may be made of links to others."""
    try:
        yield from (Path(entry.path) for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return


def _identities(paths: Iterable[Path]) -> Iterator[tuple[int, int]]:
    for path in paths:
        try:
            status = path.stat()
        except (OSError, ValueError):
            continue
        if status.st_ino and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):  # 0: no inodes here
            yield status.st_dev, status.st_ino
