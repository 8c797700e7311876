"""A hundred requests that nobody who works with the studio would send, and what each must get for an answer.

`{port}`, `{token}` and `{cookie}` stand for those of the studio. A header that is None is left out; a list is sent more than once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

HOST, ORIGIN = "127.0.0.1:{port}", "http://127.0.0.1:{port}"
COOKIE = "{cookie}={token}"


@dataclass(frozen=True)
class Hostile:
    """A request, as one of our own but for what it says otherwise."""

    why: str
    status: int
    method: str = "GET"
    path: str = "/"
    headers: dict[str, str | list[str] | None] = field(default_factory=dict)
    body: bytes | None = None

    def lines(self, port: int, token: str) -> list[tuple[str, str]]:
        """Its headers."""
        own: dict[str, str | list[str] | None] = {"host": HOST, "cookie": COOKIE}
        if self.method == "POST":
            own |= {"origin": ORIGIN, "content-type": "application/x-www-form-urlencoded"}
        names = {"port": str(port), "token": token, "cookie": f"shoal_{port}"}
        return [
            (name, _filled(value, names))
            for name, values in (own | self.headers).items()
            for value in (values if isinstance(values, list) else [values])
            if value is not None
        ]


def _filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:{port}",  # a name that was made to point here
    "127.0.0.1.nip.io:{port}",
    "localhost.evil.example:{port}",
    "evil.localhost:{port}",
    "127.0.0.1",  # without the port
    "localhost",
    "127.0.0.1:{port}0",
    "127.0.0.1:1",
    "127.0.0.1:{port}.",
    "127.0.0.1.:{port}",
    "localhost.:{port}",
    "LOCALHOST:{port}",
    "Localhost:{port}",
    "0.0.0.0:{port}",
    "127.0.0.2:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0x7f.0.0.1:{port}",
    "[::1]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "user@127.0.0.1:{port}",
    "127.0.0.1:{port}@evil.example",
    "127.0.0.1:{port}, evil.example",
    "127.0.0.1:{port}/evil",
    "evil.example#127.0.0.1:{port}",
    "",
]
FALSE_COOKIES = [
    None,
    "",
    "{cookie}",
    "{cookie}=",
    "{cookie}=guess",
    "{cookie}={token}x",
    "{cookie}=x{token}",
    '{cookie}="{token}"',
    "{cookie}={token},",
    "{cookie}=%7Btoken%7D",
    "shoal={token}",
    "shoal_1={token}",
    "SHOAL_{port}={token}",
    "{cookie}x={token}",
    "token={token}",
    "{token}",
    "{cookie}=guess; {cookie}={token}",  # a page of another port planted one of its own
    "{cookie}={token}; {cookie}={token}",
    ["{cookie}={token}", "{cookie}=guess"],
    "{cookie}={token}\x00",
]
FALSE_ORIGINS = [
    None,
    "",
    "null",
    "http://evil.example",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}0",
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}",  # ours, but not the one that the host names
    "HTTP://127.0.0.1:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://evil.example#http://127.0.0.1:{port}",
    "http://user@127.0.0.1:{port}",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    ["http://127.0.0.1:{port}", "http://evil.example"],
    ["http://127.0.0.1:{port}", "http://127.0.0.1:{port}"],
]
FALSE_TOKENS = ["", "guess", "{token}x", "%00", "%7Btoken%7D", "guess&token=", "null", "%F0%9F%90%9F"]

REQUESTS = (
    *(Hostile(f"host {host}", 421, headers={"host": host}) for host in FOREIGN_HOSTS),
    Hostile("two hosts", 421, headers={"host": [HOST, "evil.example"]}),
    Hostile("the same host twice", 421, headers={"host": [HOST, HOST]}),
    Hostile("no host", 421, headers={"host": None}),
    Hostile("a foreign host with the token", 421, path="/?token={token}", headers={"host": "evil.example:{port}"}),
    Hostile(
        "a foreign host that says it was forwarded", 421, headers={"host": "evil.example", "x-forwarded-host": HOST}
    ),
    *(Hostile(f"cookie {cookie}", 401, headers={"cookie": cookie}) for cookie in FALSE_COOKIES),
    *(Hostile(f"token {token}", 401, path=f"/?token={token}", headers={"cookie": None}) for token in FALSE_TOKENS),
    Hostile("the token in the body", 401, "POST", body=b"token=x", headers={"cookie": None}),
    Hostile("the token as basic authorization", 401, headers={"cookie": None, "authorization": "Basic {token}"}),
    Hostile("the token as a bearer", 401, headers={"cookie": None, "authorization": "Bearer {token}"}),
    Hostile("a change by the link", 401, "POST", "/forget?token={token}", body=b"key="),
    *(Hostile(f"origin {origin}", 403, "POST", "/forget", {"origin": origin}, b"key=") for origin in FALSE_ORIGINS),
    Hostile("a form of another site", 403, "POST", "/forget", {"sec-fetch-site": "cross-site"}, b"key="),
    Hostile("a form of another port", 403, "POST", "/forget", {"sec-fetch-site": "same-site"}, b"key="),
    Hostile("a form of nowhere", 403, "POST", "/forget", {"sec-fetch-site": "none"}, b"key="),
    Hostile("a form of a foreign host", 421, "POST", "/forget", {"host": "evil.example"}, b"key="),
    Hostile("a script of another port", 403, path="/static/studio.js", headers={"sec-fetch-site": "same-site"}),
    Hostile("a picture of another site", 403, headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}),
    Hostile("a fetch of another port", 403, headers={"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}),
    *(
        Hostile(method, 405, method, "/")
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "TRACK")
    ),
    Hostile(
        "a preflight",
        405,
        "OPTIONS",
        "/forget",
        {"origin": "http://evil.example", "access-control-request-method": "POST"},
    ),
    Hostile("post dressed as get", 403, "POST", "/", {"origin": None, "x-http-method-override": "GET"}, b""),
    Hostile("a length beyond what a form has", 413, "POST", "/forget", {"content-length": "4194305"}),
    Hostile("a length beyond what a file has", 413, "POST", "/open/upload", {"content-length": "99999999999999"}),
    Hostile("no way up", 404, path="/static/../guard.py"),
    Hostile("no way up, encoded", 404, path="/static/..%2fguard.py"),
    Hostile("no way up, encoded twice", 404, path="/static/..%252fguard.py"),
    Hostile("no way up, with backslashes", 404, path="/static/..%5cguard.py"),
    Hostile("no way to a file", 404, path="/static//etc/passwd"),
    Hostile("no way to the packages", 404, path="/static/%2e%2e/%2e%2e/__init__.py"),
    Hostile("a null byte", 404, path="/static/studio.css%00.js"),
    Hostile("no list of a folder", 404, path="/static/"),
    Hostile("no name of another computer", 404, path="//evil.example/"),
    Hostile("no project outside", 404, path="/r/..%2f..%2fetc/open"),
    Hostile("no project of that name", 422, path="/r/../columns"),
    Hostile("no job outside", 404, path="/r/x/jobs/..%2f..%2frecent/events"),
)
