"""Who may talk to the studio: a browser on this computer that came by the link which was printed, and nobody else.

Any web page can make a browser send requests to this computer. So a request must name this computer as its host (a foreign name may
be made to point here), carry the cookie that the link gave, and, to change anything, come from a page of the studio itself.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
MAX_FORM = 4 << 20  # bytes of a form
MAX_UPLOAD = 4 << 30  # bytes of a file
_READS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True)
class Keys:
    """What opens the studio at a port."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """Its name has the port: browsers share cookies among all ports of a host."""
        return f"shoal_{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """As browsers name this computer; they leave port 80 out."""
        port = "" if self.port == 80 else f":{self.port}"
        return frozenset(name + port for name in ("127.0.0.1", "localhost"))

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"http://{host}" for host in self.hosts)

    def fits(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self.token.encode())


class Guard:
    """Stands before the app. Whatever it refuses, no line of the studio has seen."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        status, reason = self._refusal(scope, headers)
        if status:
            await _answer(send, status, reason)
            return
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if "token" in query:
            await self._let_in(scope, query, headers, send)
            return
        if not _from_here(headers):
            await _answer(send, 403, "A page of another site asked for this.")
            return
        if not self._known(headers):
            await _answer(send, 401, "Open the studio by the link that `shoal studio` printed.")
            return
        limit = MAX_UPLOAD if scope["path"].endswith("/upload") else MAX_FORM
        await self._app(scope, _limited(receive, limit), _guarded(send))

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str]:
        if headers.get("host", []) not in ([host] for host in self._keys.hosts):
            return 421, "This is the studio of another computer."
        if scope["method"] in _READS:
            return 0, ""
        if scope["method"] != "POST":
            return 405, "The studio does not know this method."
        origin = headers.get("origin", [])
        if len(origin) != 1 or origin[0] not in self._keys.origins or origin[0] != f"http://{headers['host'][0]}":
            return 403, "A change must come from a page of the studio."
        if headers.get("sec-fetch-site", ["same-origin"]) != ["same-origin"]:
            return 403, "A change must come from a page of the studio."
        length = headers.get("content-length", ["0"])
        limit = MAX_UPLOAD if scope["path"].endswith("/upload") else MAX_FORM
        if len(length) != 1 or not _is_count(length[0]) or int(length[0]) > limit:
            return 413, "This is more than the studio takes."
        return 0, ""

    def _known(self, headers: dict[str, list[str]]) -> bool:
        crumbs = [crumb.strip().partition("=") for line in headers.get("cookie", []) for crumb in line.split(";")]
        ours = [value for name, _, value in crumbs if name == self._keys.cookie]
        return len(ours) == 1 and self._keys.fits(ours[0])

    async def _let_in(self, scope: Scope, query: dict[str, str], headers: dict[str, list[str]], send: Send) -> None:
        """The token of the link becomes a cookie, and leaves the address."""
        if scope["method"] not in _READS or not self._keys.fits(query.pop("token")):
            await _answer(send, 401, "This link is of another start of the studio. Take the one that was printed last.")
            return
        path = "/" + quote(scope["path"].lstrip("/\\"))  # never an address of another computer, nor a line of its own
        target = path + (f"?{urlencode(query)}" if query else "")
        cookie = {"set-cookie": f"{self._keys.cookie}={self._keys.token}; HttpOnly; SameSite=Strict; Path=/"}
        if headers.get("sec-fetch-site", ["none"]) in (["none"], ["same-origin"]):
            await _answer(send, 303, "", {"location": target, **cookie})
            return
        # the link was clicked in a mail or a file: a browser would follow a redirect without the cookie, but not a page of ours
        page = f'<!doctype html><title>shoal</title><meta http-equiv="refresh" content="0;url={escape(target)}">'
        await _answer(send, 200, page, {"content-type": "text/html; charset=utf-8", **cookie})


def _from_here(headers: dict[str, list[str]]) -> bool:
    """Cookies do not tell ports apart: a page of another port must not load parts of ours. It may link to us."""
    site, mode = headers.get("sec-fetch-site", ["same-origin"]), headers.get("sec-fetch-mode", [""])
    return site in (["same-origin"], ["none"]) or mode == ["navigate"]


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _limited(receive: Receive, limit: int) -> Receive:
    """A body without a length, or with a false one, ends where it is too long."""
    seen = 0

    async def received() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(413)
        return message

    return received


def _guarded(send: Send) -> Send:
    """Every answer says what a browser may do with it; a page may say so more strictly itself."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in there),
            ]
        await send(message)

    return sent


async def _answer(send: Send, status: int, text: str, more: dict[str, str] | None = None) -> None:
    body = text.encode()
    headers = {**HEADERS, "content-type": "text/plain; charset=utf-8", "content-length": str(len(body)), **(more or {})}
    lines = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
