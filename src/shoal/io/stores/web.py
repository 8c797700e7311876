"""A file on the web, by a plain GET of exactly the host that was named: a redirect to another one is refused."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from shoal.errors import DataError, RecipeError
from shoal.io.stores.address import address_problems
from shoal.io.stores.files import NO_ROOM

if TYPE_CHECKING:
    from pathlib import Path

_PIECE = 1 << 20
_SECONDS = 60


def download(uri: str, path: Path, most: int) -> None:
    """Into a file that must not be there yet; at most so many bytes."""
    problems = address_problems("path", uri)
    if problems:
        raise RecipeError(*problems)
    opener = urllib.request.build_opener(_SameHost())
    request = urllib.request.Request(uri, headers={"User-Agent": "shoal", "Accept-Encoding": "identity"})
    try:
        with opener.open(request, timeout=_SECONDS) as answer, path.open("xb") as file:
            stated = answer.headers.get("Content-Length")
            read = 0
            while piece := answer.read(_PIECE):
                read += len(piece)
                if read > most:
                    raise DataError(f"{path.name} on the web holds more than {most:,} bytes; no more are read.")
                file.write(piece)
            if stated is not None and stated.isdigit() and int(stated) != read:
                raise DataError(f"{path.name} was cut off on its way: {read:,} of {int(stated):,} bytes came.")
    except urllib.error.HTTPError as error:
        raise DataError(f"{path.name} cannot be read from {urlsplit(uri).netloc}: status {error.code}.") from None
    except (urllib.error.URLError, OSError, ValueError) as error:
        if getattr(error, "errno", None) in NO_ROOM:
            raise DataError(
                f"{path.name}: there is no room on this machine's disk for a copy of it (TMPDIR)."
            ) from None
        raise DataError(f"{path.name} cannot be read: {urlsplit(uri).netloc} does not answer.") from None


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Nobody but the host that the user named is asked, and never with less protection."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if before.netloc != after.netloc or (before.scheme, after.scheme) == ("https", "http"):
            raise DataError(
                f"{before.netloc} sends the reader on to another place, which is not asked. Name the final address."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)
