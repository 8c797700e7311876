"""Files of an object store, through pyarrow's file systems. What they say in errors is not repeated, apart from its kind."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from shoal.errors import DataError, RecipeError
from shoal.io.stores.address import address_problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PIECE = 4 << 20
_AT_ONCE = 4 << 30  # bytes that a store copies by itself in one step
_SECONDS = 60
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


@dataclass(frozen=True)
class Entry:
    """A file or a folder of a store."""

    name: str
    bytes: int
    modified: float  # seconds, by the clock of the store
    is_folder: bool


class Files(Protocol):
    """What a store must be able to do. Places are URIs of that store."""

    def find(self, uri: str) -> Entry | None: ...

    def entries(self, folder: str) -> list[Entry]: ...

    def read(self, uri: str) -> bytes: ...

    def sha256(self, uri: str) -> str: ...

    def download(self, uri: str, path: Path, most: int) -> None: ...

    def write(self, uri: str, data: bytes) -> None: ...

    def upload(self, path: Path, uri: str) -> None: ...

    def copy(self, uri: str, target: str) -> None: ...

    def delete(self, uri: str) -> None: ...

    def delete_folder(self, uri: str) -> None: ...


class StoreFiles:
    """See `Files`. The file system of one URI."""

    def __init__(self, uri: str) -> None:
        problems = address_problems("path", uri)
        if problems:
            raise RecipeError(*problems)
        with store_errors(f"{uri} cannot be reached"):
            self._files = _filesystem(uri)

    def find(self, uri: str) -> Entry | None:
        """None where there is nothing."""
        from pyarrow.fs import FileType

        (info,) = self._files.get_file_info([_path(uri)])
        return None if info.type == FileType.NotFound else _entry(info)

    def entries(self, folder: str) -> list[Entry]:
        """What is in a folder; nothing where there is none."""
        from pyarrow.fs import FileSelector

        infos = self._files.get_file_info(FileSelector(_path(folder), allow_not_found=True))
        return sorted((_entry(info) for info in infos), key=lambda entry: entry.name)

    def read(self, uri: str) -> bytes:
        """A small file."""
        with self._files.open_input_stream(_path(uri)) as stream:
            return bytes(stream.read())

    def sha256(self, uri: str) -> str:
        """Of a file of any size."""
        digest = hashlib.sha256()
        with self._files.open_input_stream(_path(uri)) as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
        return digest.hexdigest()

    def download(self, uri: str, path: Path, most: int) -> None:
        """Into a file that must not be there yet."""
        with self._files.open_input_stream(_path(uri)) as stream, path.open("xb") as file:
            while piece := stream.read(_PIECE):
                most -= len(piece)
                if most < 0:
                    raise DataError(f"{path.name} grew while it was read, beyond what is read at most.")
                file.write(piece)

    def write(self, uri: str, data: bytes) -> None:
        """A whole file, in one step."""
        with self._files.open_output_stream(_path(uri)) as stream:
            stream.write(data)

    def upload(self, path: Path, uri: str) -> None:
        """A file of any size; it is there when all of it is."""
        with path.open("rb") as file, self._files.open_output_stream(_path(uri)) as stream:
            while piece := file.read(_PIECE):
                stream.write(piece)

    def copy(self, uri: str, target: str) -> None:
        """Within the store."""
        entry = self.find(uri)
        if entry is not None and entry.bytes <= _AT_ONCE:
            self._files.copy_file(_path(uri), _path(target))
            return
        with (
            self._files.open_input_stream(_path(uri)) as source,
            self._files.open_output_stream(_path(target)) as stream,
        ):
            while piece := source.read(_PIECE):
                stream.write(piece)

    def delete(self, uri: str) -> None:
        """A file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_file(_path(uri))

    def delete_folder(self, uri: str) -> None:
        """With all that is in it."""
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_dir(_path(uri))


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    return f"{parts.netloc}{parts.path}".rstrip("/")


def _entry(info: Any) -> Entry:
    from pyarrow.fs import FileType

    modified = 0.0 if info.mtime_ns is None else info.mtime_ns / 1e9
    return Entry(info.base_name, info.size or 0, modified, info.type == FileType.Directory)


def _filesystem(uri: str) -> Any:
    """By the scheme. Credentials: of the environment, as the client of that store looks for them."""
    from pyarrow import fs

    scheme, bucket = uri.partition("://")[0].lower(), urlsplit(uri).netloc
    if scheme == "gs":
        return fs.GcsFileSystem()
    if scheme == "az":
        account = os.environ.get("AZURE_STORAGE_ACCOUNT_NAME") or os.environ.get("AZURE_STORAGE_ACCOUNT")
        if not account:
            raise RecipeError("path: of az:// the account is taken from AZURE_STORAGE_ACCOUNT_NAME, which is not set.")
        return fs.AzureFileSystem(account, account_key=os.environ.get("AZURE_STORAGE_ACCOUNT_KEY"))
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    options: dict[str, Any] = {"connect_timeout": _SECONDS, "request_timeout": _SECONDS, "allow_delayed_open": True}
    if endpoint:
        said, _, host = endpoint.rpartition("://")
        options |= {"endpoint_override": host.rstrip("/"), "scheme": said or "https", "region": region or "us-east-1"}
    else:
        options["region"] = region or fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(**options)


@contextlib.contextmanager
def store_errors(what: str) -> Iterator[None]:
    """What a store could not do, as a DataError; its text may quote what was sent."""
    import pyarrow as pa

    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{what}: there is nothing there.") from None
    except PermissionError:
        raise DataError(f"{what}: access is denied to these credentials.") from None
    except (OSError, pa.ArrowException) as error:
        if getattr(error, "errno", None) in NO_ROOM:
            raise DataError(f"{what}: there is no room on this machine's disk for a copy of it (TMPDIR).") from None
        denied = any(word in str(error) for word in ("ACCESS_DENIED", "Forbidden", "InvalidAccessKeyId", "403"))
        why = "access is denied to these credentials" if denied else "the store did not do what it was asked"
        raise DataError(f"{what}: {why}. Credentials, region and endpoint are taken from the environment.") from None
