"""Publishing in an object store without Spark: made and verified here in a private folder, then uploaded (see `upload_journal`)."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from shoal import system
from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.folder import MARKER, sha256_of
from shoal.io.location import beside, name_of
from shoal.io.publishing.destination import ADVICE, LARGEST, Earlier, refuse_name
from shoal.io.publishing.names import DATA_SUFFIXES, family, sidecar_name
from shoal.io.publishing.publish import Draft
from shoal.io.publishing.sweep import draft_name
from shoal.io.publishing.upload_journal import BEGUN, UploadJournal, put_in_place, settle_older
from shoal.io.stores.files import StoreFiles, store_errors

if TYPE_CHECKING:
    from types import TracebackType

    from shoal.io.folder import Sealed
    from shoal.io.stores.files import Files


class UploadedDraft:
    """Used like `Draft`: inside a `with` block, and only until it is published."""

    def __init__(self, destination: str, *, replace: bool = False, files: Files | None = None) -> None:
        self.destination, self.name = destination, name_of(destination)
        refuse_name(self.name)
        self._replace = replace
        self._files: Files = files or StoreFiles(destination)
        self._local = Draft(_private_folder() / self.name)
        self._names: dict[str, bool] = {self.name: False}  # name → private
        self._draft = beside(destination, draft_name())  # in the store
        self._keep = False  # the draft in the store holds a release that is decided; leave it to the next run

    def __enter__(self) -> Self:
        self._local.__enter__()
        try:
            with store_errors(f"{self.destination} cannot be written"):
                self._files.write(f"{self._draft}/{BEGUN}", b"shoal\n")
                settle_older(self._files, self._draft, self.name)
                self._refuse_taken()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._keep:
            with contextlib.suppress(Exception):
                self._files.delete_folder(self._draft)
        self._local.__exit__(kind, error, trace)

    # ---- writing ------------------------------------------------------------------------------------------------------

    def path(self, name: str, *, private: bool = False) -> Path:
        """Where to write a file of the release, here."""
        self._names[name] = private
        return self._local.path(name, private=private)

    def unannounced(self, name: str) -> Path:
        """Where a file of the release would be written; `path` says that it was."""
        return self._local.unannounced(name)

    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        """Write a whole file of the release."""
        self._names[name] = private
        self._local.write(name, data, private=private)

    def seal(self, name: str, records: int) -> Sealed:
        """Nothing will change any more in what was written."""
        return self._local.seal(name, records)

    @property
    def scratch(self) -> Path:
        """A folder here for an engine to spill to; it vanishes with the draft."""
        return self._local.scratch

    # ---- publishing ---------------------------------------------------------------------------------------------------

    def publish(self) -> tuple[str, ...]:
        """Upload everything, read it back, and put it in place; the published URIs, the data first."""
        names = sorted(self._names, key=lambda name: self._names[name])  # what may be passed on comes first
        with store_errors(f"{self.destination} cannot be published"):
            hashes = {}
            for name in names:
                path = self._local.unannounced(name)
                if not path.is_file():
                    raise InternalError(f"{name} was announced but not written; nothing was published.")
                hashes[name] = sha256_of(path)
                self._files.upload(path, f"{self._draft}/{name}")
            for name, digest in hashes.items():  # what was verified is what lies there
                if self._files.sha256(f"{self._draft}/{name}") != digest:
                    raise DataError(
                        f"{name} came to the store with other bytes than it was sent; nothing was published."
                    )
            settle_older(self._files, self._draft, self.name)
            self._refuse_taken()
            old = tuple(name for name in self._family() if self._files.find(beside(self.destination, name)))
            journal = UploadJournal(self.name, hashes, old)
            self._keep = True  # whether the record came to be cannot be told when writing it fails
            journal.write(self._files, self._draft)
        with store_errors(
            f"{self.destination}: the new release lies in the store whole, and could not be put in place. Run again in ten minutes "
            "with --replace: it is put in place first"
        ):
            put_in_place(self._files, self._draft, journal)
        self._keep = False
        return tuple(beside(self.destination, name) for name in names)

    # ---- the destination ------------------------------------------------------------------------------------------------

    def _family(self) -> list[str]:
        """Every name a release at this destination may occupy, the data first."""
        return list(dict.fromkeys([*family(self.name), *self._names]))

    def _refuse_taken(self) -> None:
        if self._files.find(beside(self.destination, MARKER)):
            raise RecipeError(
                f"`[output] path`: {self.name} would lie in a release in a folder. Choose another folder."
            )
        stem = sidecar_name(self.name, "").removesuffix(".")
        for suffix in DATA_SUFFIXES:
            if stem + suffix != self.name and self._files.find(beside(self.destination, stem + suffix)):
                raise RecipeError(
                    f"{stem + suffix} stands in the same folder and would share its report with {self.name}; "
                    "choose another name in `[output] path`."
                )
        taken = [name for name in self._family() if self._files.find(beside(self.destination, name))]
        if taken and not self._replace:
            raise RecipeError(f"{taken[0]} exists already. Choose another `[output] path`, or say --replace.")
        earlier = Earlier(self.name, self._text) if taken else None
        for name in taken:
            place = beside(self.destination, name)
            entry = self._files.find(place)
            if entry is not None and entry.is_folder:
                raise RecipeError(f"{name} at the output path is a folder, and a release is a file here. {ADVICE}")
            if earlier is not None:
                earlier.refuse_file(name, lambda place=place: self._files.sha256(place))  # type: ignore[misc]

    def _text(self, name: str) -> bytes | None:
        """Of a small file beside the data; None where there is none."""
        place = beside(self.destination, name)
        entry = self._files.find(place)
        return self._files.read(place) if entry is not None and not entry.is_folder and entry.bytes <= LARGEST else None


def _private_folder() -> Path:
    """One of this user's own among the temporary files, so that a later run can sweep up after one that was killed."""
    folder = Path(tempfile.gettempdir()) / f"shoal-{system.account()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        private = system.is_private(folder)
    except OSError as error:
        raise DataError(f"There is no room for drafts among the temporary files: {error.strerror}.") from None
    if not private:
        raise DataError(f"{folder} is not a folder of this user alone; set TMPDIR to a private folder.")
    return folder
