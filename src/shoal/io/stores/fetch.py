"""What lies in a store or on the web, as files of a private folder: from there on it is read as any file, with the same limits."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from shoal.errors import DataError
from shoal.io.files import Limits
from shoal.io.folder import MARKER
from shoal.io.location import name_of
from shoal.io.stores.address import is_store
from shoal.io.stores.files import StoreFiles, store_errors
from shoal.io.stores.web import download


class Fetched:
    """A copy that goes with the object, and when the process ends."""

    def __init__(self, uri: str, scratch: Path | None = None) -> None:
        """scratch: a private folder; by default a new one in the folder for temporary files."""
        self._folder = Path(tempfile.mkdtemp(prefix="shoal-", dir=scratch))  # mode 0700
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self.path = self._folder / name_of(uri)
        try:
            if is_store(uri):
                _from_store(uri.rstrip("/"), self.path)
            else:
                download(uri, self.path, Limits().size)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the copy."""
        self._remove()


def _from_store(uri: str, path: Path) -> None:
    files, most = StoreFiles(uri), Limits().size
    with store_errors(f"{uri} cannot be read"):
        found = files.find(uri)
        if found is None:
            raise DataError(f"There is nothing at {uri}.")
        if not found.is_folder:
            _refuse_large(path.name, found.bytes, most)
            files.download(uri, path, most)
            return
        entries = files.entries(uri)
        _refuse_large(path.name, sum(entry.bytes for entry in entries), most)
        path.mkdir(mode=0o700)
        for entry in entries:
            if entry.is_folder:
                (path / entry.name).mkdir(mode=0o700)  # whoever reads the folder refuses it
            elif entry.name == MARKER or not entry.name.startswith(("_", ".")):
                files.download(f"{uri}/{entry.name}", path / entry.name, most)


def _refuse_large(name: str, size: int, most: int) -> None:
    if size > most:
        raise DataError(f"{name} holds {size:,} bytes; at most {most:,} are read.")
