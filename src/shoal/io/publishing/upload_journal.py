"""The record of a release that lies whole in a store and is about to be put in place, and how a later run finishes that.

A store renames nothing, and puts one object in one step. So a release is first uploaded into a hidden folder beside its place and
read back; then the record is written there. Before the record nothing at the place has changed. After it, the release can be put
in place from the hidden folder by anyone, as often as needed:

1. the manifest and the data of an older release go, so that it does not look whole any more;
2. what stands beside the data comes, then the data, and the manifest last: where it stands, all of its release stands.

A store has no locks that end with a process, so whether a run is dead is told by time, by the clock of the store.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.location import beside
from shoal.io.publishing.names import sidecar_name

if TYPE_CHECKING:
    from shoal.io.stores.files import Files

NAME = "journal.json"
BEGUN = "begun"  # the first file of a draft, which tells the time
_PATIENCE = 600  # seconds after which a record is taken for a dead run's
_OLD = 7 * 24 * 3600  # and a draft without one
_DRAFT = re.compile(r"\.shoal-draft-[0-9a-f]{16}")


@dataclass(frozen=True)
class UploadJournal:
    """What lies in a draft, whole and read back."""

    data: str  # name of the data
    new: dict[str, str]  # by name its SHA-256, the data included
    old: tuple[str, ...]  # names that an older release has at the place

    def __post_init__(self) -> None:
        if self.data not in self.new:
            raise ValueError("A journal must list its data among the new names.")
        for name in (*self.new, *self.old):
            if not name or "/" in name or name in {".", ".."}:
                raise ValueError("A journal holds bare names.")

    @property
    def manifest(self) -> str:
        """What is put in place last."""
        name = sidecar_name(self.data, "manifest.private.json")
        return name if name in self.new else self.data

    def write(self, files: Files, draft: str) -> None:
        """In one step: from here on the release is decided."""
        files.write(f"{draft}/{NAME}", json.dumps({"version": 1, **asdict(self)}).encode())

    @classmethod
    def read(cls, files: Files, draft: str) -> UploadJournal | None:
        """None when there is none: then nothing at the place has changed."""
        if files.find(f"{draft}/{NAME}") is None:
            return None
        try:
            stated = json.loads(files.read(f"{draft}/{NAME}"))
            return cls(stated["data"], dict(stated["new"]), tuple(stated["old"]))
        except (ValueError, KeyError, TypeError):
            return None


def put_in_place(files: Files, draft: str, journal: UploadJournal) -> None:
    """From the draft, which stays; to do it twice does no harm."""
    last = beside(draft, journal.manifest)
    if files.find(last) is None or files.sha256(last) != journal.new[journal.manifest]:
        gone = [journal.manifest, journal.data, *(name for name in journal.old if name not in journal.new)]
        for name in dict.fromkeys(gone):
            files.delete(beside(draft, name))
        others = [name for name in journal.new if name not in (journal.data, journal.manifest)]
        for name in dict.fromkeys((*others, journal.data, journal.manifest)):
            files.copy(f"{draft}/{name}", beside(draft, name))


def settle_older(files: Files, own: str, data: str) -> None:
    """Finish what dead runs were putting in place under the same name, and forget what they left. own: a draft begun just now."""
    begun = files.find(f"{own}/{BEGUN}")
    now = begun.modified if begun is not None else 0
    for entry in files.entries(beside(own, "").rstrip("/")):
        draft = beside(own, entry.name)
        if not _DRAFT.fullmatch(entry.name) or draft == own:
            continue
        record = files.find(f"{draft}/{NAME}")
        journal = UploadJournal.read(files, draft)
        if record is None or journal is None:
            first = files.find(f"{draft}/{BEGUN}")
            if first is not None and now - first.modified > _OLD:
                files.delete_folder(draft)
            continue
        if journal.data != data:
            continue
        if now - record.modified < _PATIENCE:
            raise DataError(
                f"Another run is publishing {data}, or was cut short while it did. Try again in {_PATIENCE // 60} minutes: what "
                "it left is then put in place first."
            )
        put_in_place(files, draft, journal)
        with contextlib.suppress(Exception):
            files.delete_folder(draft)
