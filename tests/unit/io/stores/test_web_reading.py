"""Files on the web, from a server on the loopback: makers and verifier each with code of their own."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from shoal.errors import DataError
from shoal.io.files import Limits
from shoal.io.source import open_source
from shoal.io.stores import web
from shoal.verifier.files import remote

TEXT = b"age,zip\n" + b"39,10115\n" * 50
ASKED = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        ASKED.append(self.path)
        if self.path == "/moved.csv":
            self._answer(302, b"", Location="/people.csv")
        elif self.path == "/away.csv":
            self._answer(302, b"", Location=f"http://localhost:{self.server.server_port}/people.csv")
        elif self.path == "/round.csv":
            self._answer(302, b"", Location="/round.csv")
        elif self.path == "/cut.csv":
            self.send_response(200)
            self.send_header("Content-Length", str(len(TEXT) + 7))
            self.end_headers()
            self.wfile.write(TEXT)
        elif self.path == "/people.csv":
            self._answer(200, TEXT)
        else:
            self._answer(404, b"secret words of the server")

    def _answer(self, status, body, **headers):
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def url():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_file_is_read_as_any_other(url):
    source = open_source(f"{url}/people.csv")
    assert (source.name, source.columns, source.table.num_rows) == ("people.csv", ("age", "zip"), 50)


def test_the_copy_goes(url, tmp_path):
    source = open_source(f"{url}/moved.csv", scratch=tmp_path)
    assert source.table.num_rows == 50
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["away.csv", "round.csv", "cut.csv", "none.csv"])
def test_neither_is_led_astray(url, tmp_path, name):
    with pytest.raises(DataError) as made:
        open_source(f"{url}/{name}", scratch=tmp_path)
    with pytest.raises(DataError) as verified:
        remote.brought(f"{url}/{name}", tmp_path / "v")
    for caught in (made, verified):
        assert "secret words" not in str(caught.value)
    assert not [path for path in tmp_path.iterdir() if path.name != "v"]


def test_both_bring_the_same(url, tmp_path):
    assert remote.brought(f"{url}/people.csv", tmp_path / "v").read_bytes() == TEXT
    web.download(f"{url}/people.csv", tmp_path / "people.csv", Limits().size)
    assert (tmp_path / "people.csv").read_bytes() == TEXT


def test_no_more_than_the_limit(url, tmp_path, monkeypatch):
    with pytest.raises(DataError, match="holds more than 100 bytes"):
        web.download(f"{url}/people.csv", tmp_path / "people.csv", 100)
    monkeypatch.setattr(remote, "_MOST", 100)
    with pytest.raises(DataError, match="holds more than 100 bytes"):
        remote.brought(f"{url}/people.csv", tmp_path / "v")


def test_a_host_that_does_not_answer(tmp_path):
    with pytest.raises(DataError, match="does not answer"):
        open_source("http://127.0.0.1:9/people.csv", scratch=tmp_path)
