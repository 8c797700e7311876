"""What lies in an object store or on the web, brought into a private folder, and read there as any file.

By code of the verifier's own, over the file systems of pyarrow and Python's own HTTP. Credentials come from the environment; an
address that holds one is refused, and so is a host that nobody named.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from shoal.errors import DataError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SCHEMES = ("s3", "gs", "az", "http", "https")
_MOST = 64 << 30  # bytes
_PIECE = 1 << 20
_SECONDS = 60
_BESIDE = ("report.json", "report.html", "codebook.json", "manifest.private.json")
_END = re.compile(r"\.(parquet|jsonl|(csv|tsv|dat)(\.gz)?)$", re.IGNORECASE)


def is_remote(place: Any) -> bool:
    """Whether it is an address that needs no Spark."""
    return isinstance(place, str) and place.partition("://")[0].lower() in _SCHEMES and "://" in place


def brought(address: str, folder: Path, *, beside: bool = False) -> Path:
    """A copy of the file or folder at the address. beside: also of report, codebook and manifest, where they stand beside it."""
    parts = urlsplit(address.rstrip("/"))
    if parts.query or parts.fragment or "@" in parts.netloc or not parts.netloc or not parts.path.strip("/"):
        raise RecipeError("The address must be scheme://bucket/name; no key and no password may stand in it.")
    folder.mkdir(mode=0o700)
    target = folder / parts.path.rpartition("/")[2]
    with _faults(target.name):
        if parts.scheme.lower().startswith("http"):
            _from_web(address, target)
        else:
            _from_store(address, target, beside)
    return target


def _from_store(address: str, target: Path, beside: bool) -> None:
    from pyarrow.fs import FileSelector, FileType

    parts = urlsplit(address.rstrip("/"))
    files, path = _opened(parts.scheme.lower(), parts.netloc), f"{parts.netloc}{parts.path}"
    (found,) = files.get_file_info([path])
    if found.type == FileType.NotFound:
        raise DataError(f"{target.name}: there is nothing at this address.")
    if found.type == FileType.File:
        _copied(files, path, target)
    else:
        target.mkdir(mode=0o700)
        for entry in files.get_file_info(FileSelector(path)):
            if entry.type != FileType.File:
                raise DataError(f"{target.name}: holds a folder; only files that lie in it are read.")
            if entry.base_name == "_COMMITTED" or not entry.base_name.startswith(("_", ".")):
                _copied(files, entry.path, target / entry.base_name)
    if beside:
        stem = _END.sub("", target.name)
        for kind in _BESIDE:
            name = f"{stem}.{kind}"
            place = path.rpartition("/")[0] + "/" + name
            if files.get_file_info([place])[0].type == FileType.File:
                _copied(files, place, target.with_name(name))


def _copied(files: Any, path: str, target: Path) -> None:
    left = _MOST
    with files.open_input_stream(path) as stream, target.open("xb") as file:
        while piece := stream.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise DataError(f"{target.name}: holds more than {_MOST:,} bytes.")
            file.write(piece)


def _opened(scheme: str, bucket: str) -> Any:
    from pyarrow import fs

    said = os.environ.get
    if scheme == "gs":
        return fs.GcsFileSystem()
    if scheme == "az":
        account = said("AZURE_STORAGE_ACCOUNT_NAME") or said("AZURE_STORAGE_ACCOUNT")
        if not account:
            raise RecipeError("az://: AZURE_STORAGE_ACCOUNT_NAME names the account, and is not set.")
        return fs.AzureFileSystem(account, account_key=said("AZURE_STORAGE_ACCOUNT_KEY"))
    region = said("AWS_REGION") or said("AWS_DEFAULT_REGION")
    endpoint = urlsplit(said("AWS_ENDPOINT_URL_S3") or said("AWS_ENDPOINT_URL") or "")
    if not endpoint.netloc:
        return fs.S3FileSystem(region=region or fs.resolve_s3_region(bucket))
    return fs.S3FileSystem(
        region=region or "us-east-1", endpoint_override=endpoint.netloc, scheme=endpoint.scheme or "https"
    )


def _from_web(address: str, target: Path) -> None:
    """One GET. An answer that sends elsewhere on the same host is followed a few times, and nowhere else."""
    for _ in range(5):
        parts = urlsplit(address)
        secure = parts.scheme.lower() == "https"
        connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(parts.netloc, timeout=_SECONDS, context=ssl.create_default_context())
            if secure
            else http.client.HTTPConnection(parts.netloc, timeout=_SECONDS)
        )
        try:
            connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""))
            answer = connection.getresponse()
            if answer.status in (301, 302, 303, 307, 308):
                address = _next(address, answer.headers.get("Location") or "")
                continue
            if answer.status != 200:
                raise DataError(f"{target.name}: {parts.netloc} answers with status {answer.status}.")
            _saved(answer, target)
            return
        finally:
            connection.close()
    raise DataError(f"{target.name}: the host sends the reader on and on.")


def _next(address: str, location: str) -> str:
    from urllib.parse import urljoin

    there = urljoin(address, location)
    before, after = urlsplit(address), urlsplit(there)
    if before.netloc != after.netloc or (before.scheme == "https" and after.scheme != "https"):
        raise DataError("The host sends the reader on to another one, which is not asked.")
    return there


def _saved(answer: http.client.HTTPResponse, target: Path) -> None:
    left = _MOST
    with target.open("xb") as file:
        while piece := answer.read(_PIECE):  # an answer that is cut off raises
            left -= len(piece)
            if left < 0:
                raise DataError(f"{target.name}: holds more than {_MOST:,} bytes.")
            file.write(piece)
    if answer.length:  # still to come when the connection ended
        raise DataError(f"{target.name}: was cut off on its way.")


@contextmanager
def _faults(name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (
        OSError,
        pa.ArrowException,
        http.client.HTTPException,
        ValueError,
    ) as error:  # their text may quote addresses
        raise DataError(f"{unquote(name)}: cannot be read from where it lies ({type(error).__name__}).") from None
