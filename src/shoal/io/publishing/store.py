"""Files at a URI: on HDFS, in an object store or on a shared disk, through Hadoop's file systems in the JVM of a Spark session.

Only names, sizes, times and small files pass through here. What is large stays with Spark.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.io.folder import MARKER, Commit, is_leftover, not_the_release, part_names
from shoal.io.location import name_of
from shoal.io.publishing.apart import is_of_spark

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Entry:
    """A file or folder of a store."""

    name: str
    bytes: int
    modified: int  # milliseconds, by the clock of the store
    is_folder: bool


class Store:
    """The file system of one URI; it understands the URIs of that file system only."""

    def __init__(self, session: Any, uri: str) -> None:
        self._session, self._jvm = session, session._jvm
        with store_errors(f"{uri} cannot be reached"):
            self._conf = session._jsc.hadoopConfiguration()
            # of our own: the one that Spark works with keeps its settings
            self._files = self._hadoop.FileSystem.newInstance(self._path(uri).toUri(), self._conf)
            self._files.setWriteChecksum(False)  # or a file: URI gets a hidden `.name.crc` beside each file
        self._uri = uri

    @classmethod
    def of(cls, session: Any, uri: str) -> Store | None:
        """None where no JVM is at hand: with Spark Connect it runs elsewhere."""
        return cls(session, uri) if getattr(session, "_jvm", None) is not None else None

    @property
    def _hadoop(self) -> Any:
        return self._jvm.org.apache.hadoop.fs

    def _path(self, uri: str) -> Any:
        return self._hadoop.Path(uri)

    def find(self, uri: str) -> Entry | None:
        path = self._path(uri)
        return _entry(self._files.getFileStatus(path)) if self._files.exists(path) else None

    def entries(self, uri: str) -> list[Entry]:
        """What is in a folder."""
        entries = (_entry(status) for status in self._files.listStatus(self._path(uri)))
        return sorted(entries, key=lambda entry: entry.name)

    def read(self, uri: str) -> bytes:
        stream = self._files.open(self._path(uri))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()

    def write(self, uri: str, data: bytes, *, mode: str | None = None) -> None:
        """A file that must not be there yet."""
        path = self._path(uri)
        stream = self._files.create(path, False)
        try:
            if mode is not None:
                self.protect(uri, mode)
            stream.write(data)
            with contextlib.suppress(Exception):  # stores that keep nothing before the end have no use for it
                stream.hsync()
        finally:
            stream.close()

    def make_folder(self, uri: str, *, mode: str | None = None) -> None:
        path = self._path(uri)
        if mode is None:
            self._files.mkdirs(path)
        else:
            self._files.mkdirs(path, self._permission(mode))

    def protect(self, uri: str, mode: str) -> None:
        """Where the store has modes; others take no notice."""
        self._files.setPermission(self._path(uri), self._permission(mode))

    def _permission(self, mode: str) -> Any:
        return self._hadoop.permission.FsPermission(mode)

    def move(self, uri: str, target: str) -> None:
        """In one step. Unlike `FileSystem.rename` it fails when the target is there, instead of moving into it."""
        kinds = self._hadoop.Options.Rename
        no_overwriting = self._session.sparkContext._gateway.new_array(kinds, 1)
        no_overwriting[0] = kinds.NONE
        files = self._hadoop.FileContext.getFileContext(self._path(self._uri).toUri(), self._conf)
        files.rename(self._path(uri), self._path(target), no_overwriting)

    def delete(self, uri: str) -> None:
        """With all that is in it, when it is a folder."""
        self._files.delete(self._path(uri), True)

    def delete_if_empty(self, uri: str) -> None:
        if self.find(uri) is not None and not self.entries(uri):
            self._files.delete(self._path(uri), False)

    def delete_at_exit(self, uri: str) -> None:
        """When the JVM ends, which it also does when this process is killed."""
        self._files.deleteOnExit(self._path(uri))

    def keep_at_exit(self, uri: str) -> None:
        self._files.cancelDeleteOnExit(self._path(uri))

    def close(self) -> None:
        self._files.close()


def _entry(status: Any) -> Entry:
    return Entry(status.getPath().getName(), status.getLen(), status.getModificationTime(), bool(status.isDirectory()))


def check_store_folder(store: Store, uri: str, *, marked: bool = False) -> None:
    """Refuse what is not there, what is no flat folder of Parquet files, and what is not what its marker says.

    `marked`: refuse a folder without a marker as well, and one that holds anything else.
    """
    what = name_of(uri)
    with store_errors(f"{uri} cannot be read"):
        found = store.find(uri)
        if found is None:
            raise DataError(f"There is nothing at {uri}.")
        if not found.is_folder:
            return
        entries = {entry.name: entry for entry in store.entries(uri)}
        names = part_names(what, {name: entry.is_folder for name, entry in entries.items()})
        hidden = {name for name in entries.keys() - set(names) if not is_leftover(name)}
        if marked and hidden != {MARKER}:
            raise DataError(f"{what} is not a release and nothing else.")
        if MARKER not in entries:
            return
        commit = read_store_commit(store, uri)
    problem = commit.problem({name: entries[name].bytes for name in names})
    if problem is not None:
        raise DataError(not_the_release(what, problem))


def read_store_commit(store: Store, uri: str) -> Commit:
    """The marker of a release in a store."""
    try:
        return Commit.from_bytes(store.read(f"{uri.rstrip('/')}/{MARKER}"))
    except ValueError:
        raise DataError(
            f"{name_of(uri)}: its {MARKER} cannot be read, so what belongs to the release is unknown."
        ) from None


@contextlib.contextmanager
def store_errors(what: str) -> Iterator[None]:
    """What Hadoop or Spark could not do, as a DataError. Only the kind of the fault is told: its text may say what was read.

    Ctrl-C stays Ctrl-C where it breaks a connection, and what is said over that connection next fails.
    """
    outside = sys.exception()  # handled by whoever called us: it is not meant
    try:
        yield
    except Exception as error:
        if not is_of_spark(error):
            raise
        if _was_interrupted(error, outside):
            raise KeyboardInterrupt from None
        raise DataError(f"{what}: {kind_of(error)}.") from None


def _was_interrupted(error: BaseException | None, outside: BaseException | None) -> bool:
    while error is not None and error is not outside:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def kind_of(error: BaseException) -> str:
    """The name of what went wrong in Java, where it did, and nothing of its text."""
    fault = getattr(error, "java_exception", None)
    with contextlib.suppress(Exception):  # it is asked of Java, which may be gone
        return type(error).__name__ if fault is None else str(fault.getClass().getSimpleName())
    return type(error).__name__
