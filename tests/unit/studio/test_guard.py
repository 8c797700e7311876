"""Nobody talks to the studio but a browser on this computer that came by its link."""

from __future__ import annotations

import asyncio

import pytest
from hostile import REQUESTS
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketDisconnect

from shoal.studio.guard import HEADERS, MAX_FORM, Keys

LINK = {"cookie": "", "origin": ""}


def _ask(studio, request) -> tuple[int, dict[bytes, bytes], bytes]:
    """To the app itself: a client library would put some of these requests right."""
    path, _, query = request.path.replace("{token}", studio.keys.token).partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": request.method,
        "path": _decoded(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (name.encode(), value.encode("latin-1"))
            for name, value in request.lines(studio.keys.port, studio.keys.token)
        ],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", studio.keys.port),
        "state": {},
    }
    answer: dict[str, object] = {"body": b""}

    async def receive():
        return {"type": "http.request", "body": request.body or b"", "more_body": False}

    async def send(message) -> None:
        if message["type"] == "http.response.start":
            answer.update(status=message["status"], headers=dict(message["headers"]))
        else:
            answer["body"] += message.get("body", b"")

    asyncio.run(studio.browser.app(scope, receive, send))
    return answer["status"], answer["headers"], answer["body"]


def _decoded(path: str) -> str:
    from urllib.parse import unquote

    return unquote(path)


def test_there_are_a_hundred_of_them() -> None:
    assert len({(request.why, request.method, request.path) for request in REQUESTS}) >= 100


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.why)
def test_hostile_requests_are_refused(studio, request_) -> None:
    project = studio.open_example("table")
    before = project.recipe.read_text()
    status, headers, body = _ask(studio, request_)
    assert status == request_.status
    assert studio.keys.token.encode() not in body and b"set-cookie" not in headers
    for name, value in HEADERS.items():
        assert headers[name.encode()] == value.encode(), name
    assert not [name for name in headers if name.startswith(b"access-control")]
    assert project.recipe.read_text() == before and studio.projects.recent() == [project]


def test_the_link_becomes_a_cookie_and_leaves_the_address(studio) -> None:
    stranger = TestClient(studio.browser.app, base_url=f"http://127.0.0.1:{studio.keys.port}", follow_redirects=False)
    answer = stranger.get(f"/check?for=risk&token={studio.keys.token}")
    assert answer.status_code == 303 and answer.headers["location"] == "/check?for=risk"
    cookie = answer.headers["set-cookie"].split("; ")
    assert cookie == [f"shoal_{studio.keys.port}={studio.keys.token}", "HttpOnly", "SameSite=Strict", "Path=/"]
    assert stranger.get("/check").status_code == 200
    assert stranger.get("/check", headers={"host": f"localhost:{studio.keys.port}"}).status_code in {200, 401}


def test_a_link_that_was_clicked_elsewhere_works_too(studio) -> None:
    """After a redirect that another site began, a browser holds the cookie back; so a page of ours leads on."""
    stranger = TestClient(studio.browser.app, base_url=f"http://127.0.0.1:{studio.keys.port}", follow_redirects=False)
    answer = stranger.get(f"/%22%3E%3Cb%3E?token={studio.keys.token}", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200 and "set-cookie" in answer.headers
    assert 'content="0;url=/%22%3E%3Cb%3E"' in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "/\\evil.example",
        "/%09/evil.example",
        "/%0d%0aset-cookie:%20x=y",
        "/%2f%2fevil.example",
        "/%5Cevil.example",
        "/%E2%82%AC",
    ],
)
def test_the_link_leads_to_this_computer_only(studio, path) -> None:
    from hostile import Hostile

    link = Hostile("a link that was tampered with", 303, path=path + "?token={token}", headers={"cookie": None})
    status, headers, _ = _ask(studio, link)
    place = headers[b"location"]
    assert status == 303 and place.startswith(b"/") and not place.startswith((b"//", b"/\\"))
    assert not set(place) & set(b"\r\n\t \\") and place.isascii()


def test_a_body_without_a_length_ends_where_it_is_too_long(studio) -> None:
    def pieces():
        for _ in range(MAX_FORM // 65_536 + 2):
            yield b"a" * 65_536

    answer = studio.browser.post(
        "/forget", content=pieces(), headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == 413
    assert "Too large" in answer.text


def test_a_form_with_a_file_where_none_belongs_is_refused(studio) -> None:
    answer = studio.browser.post("/forget", files={"key": ("key.txt", b"x")})
    assert answer.status_code == 400


def test_web_sockets_are_refused(studio) -> None:
    with pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)), studio.browser.websocket_connect("/"):
        pass


def test_what_is_printed_of_the_keys_has_no_token() -> None:
    keys = Keys(8080)
    assert keys.token not in repr(keys) and len(keys.token) >= 43


def test_port_80_is_left_out_by_browsers() -> None:
    assert Keys(80).hosts == {"127.0.0.1", "localhost"}
    assert Keys(80).origins == {"http://127.0.0.1", "http://localhost"}


def test_a_fault_has_the_headers_too_and_tells_no_cell(studio, monkeypatch, caplog) -> None:
    """Whatever goes wrong in a page: the kind of the fault is told, never its text."""
    from shoal.studio.projects import Projects

    def fault(self, key):
        raise ValueError("Kanarienvogel 7f3a is no number")

    monkeypatch.setattr(Projects, "find", fault)
    answer = studio.get("/r/0123456789ab/columns")
    assert answer.status_code == 500 and "ValueError" in answer.text
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
    assert "Kanarienvogel" not in answer.text + caplog.text
    assert "ValueError" in caplog.text


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '" onload="alert(1)', "{{ 7*7 }}", "javascript:alert(1)"]
)
def test_what_comes_from_outside_is_escaped(studio, text) -> None:
    folder = studio.projects.folder / "given"
    folder.mkdir()
    from shoal.release.examples import write_example

    recipe = write_example("table", folder)[-1]
    named = recipe.rename(folder / (text.replace("/", "∕") + ".toml"))
    project = studio.projects.open(named)
    for page in ("/", f"/r/{project.key}/columns"):
        body = studio.get(page).text
        assert "<script>alert" not in body and '" onload="' not in body and ">49<" not in body
