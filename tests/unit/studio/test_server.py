"""The studio as a process: over a real socket, through Ctrl-C and kills, without a terminal, without its extra."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from hostile import REQUESTS

from shoal.release.examples import write_example
from shoal.studio.server import _open_browser
from studio_process import SHOAL, running

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with running(tmp_path_factory.mktemp("shoal")) as studio:
        yield studio


def _get(studio, path: str = "/", **more: str) -> bytes:
    lines = {"host": f"127.0.0.1:{studio.port}", "cookie": f"shoal_{studio.port}={studio.token}", **more}
    return studio.ask(f"GET {path} HTTP/1.1\r\n{_written(lines.items())}\r\n".encode("latin-1"))


def _written(lines) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in lines)


def _status(answer: bytes) -> int:
    return int(answer.split()[1])


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.why)
def test_hostile_requests_are_refused_on_the_wire_too(studio, request_) -> None:
    """The server before the guard may be stricter (400), never laxer."""
    lines = request_.lines(studio.port, studio.token)
    if request_.method == "POST" and "content-length" not in dict(lines):
        lines.append(("content-length", str(len(request_.body or b""))))
    path = request_.path.replace("{token}", studio.token)
    head = f"{request_.method} {path} HTTP/1.1\r\n{_written(lines)}\r\n"
    answer = studio.ask(head.encode("latin-1") + (request_.body or b""))
    assert _status(answer) in {request_.status, 400}
    assert studio.token.encode() not in answer and b"set-cookie" not in answer.lower()


@pytest.mark.parametrize(
    "words",
    [
        b"CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",  # TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n host: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\nx: y\r\n\r\n",
        b"POST /forget HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /forget HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nkey=",
        b"POST /forget HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
    ],
    ids=lambda words: words[:40].decode("latin-1").split("\r")[0],
)
def test_words_that_are_hardly_http(studio, words) -> None:
    answer = studio.ask(words.replace(b"{port}", str(studio.port).encode()), 3)
    assert not answer or 400 <= _status(answer) < 500
    assert _status(_get(studio)) == 200  # and goes on


def test_a_large_body_in_pieces_is_cut_off(studio) -> None:
    lines = {
        "host": f"127.0.0.1:{studio.port}",
        "cookie": f"shoal_{studio.port}={studio.token}",
        "origin": studio.here,
        "content-type": "application/x-www-form-urlencoded",
        "transfer-encoding": "chunked",
    }
    piece = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", studio.port), 10) as line:
        line.sendall(f"POST /forget HTTP/1.1\r\n{_written(lines.items())}\r\n".encode())
        try:
            for _ in range(100):
                line.sendall(piece)
        except OSError:
            pass  # it has heard enough
        try:
            answer = line.recv(1 << 16)
        except OSError:
            answer = b""
    assert not answer or _status(answer) in {400, 413}


def test_only_this_computer_can_reach_it(studio) -> None:
    listening = [c.laddr.ip for c in psutil.Process(studio.process.pid).net_connections("tcp") if c.status == "LISTEN"]
    assert listening == ["127.0.0.1"]


def test_nothing_of_the_server_is_told(studio) -> None:
    answer = _get(studio).lower()
    assert b"\r\nserver:" not in answer and b"uvicorn" not in answer and b"starlette" not in answer


# ---- ends ------------------------------------------------------------------------------------------------------------

LONG = """
import sys
if "shoal.studio.work" in sys.orig_argv:
    import long_work
elif "studio" in sys.orig_argv:
    import shoal.studio.screens.check as check
    from starlette.routing import Route
    from shoal.studio.handlers import go, jobs_of, posted, project_of

    def begin(request, form):
        jobs_of(request).start(project_of(request), "risk")
        return go("/")

    check.ROUTES = [Route("/r/{key}/begin", posted(begin), methods=["POST"]), *check.ROUTES]
"""
WORK = """
import time
from shoal.methods.method import Progress
from shoal.studio.work import registry

def wait(recipe, options, listener):
    listener(Progress("waiting", "Waiting", 0.1))
    time.sleep(600)

registry.WORKS = {**registry.WORKS, "risk": wait}
"""


@pytest.fixture
def long_work(tmp_path) -> dict[str, str]:
    """An environment in which the work of the page "risk" takes long."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(LONG)
    (site / "long_work.py").write_text(WORK)
    return {"PYTHONPATH": os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])}


def _begin(studio, folder: Path) -> tuple[str, socket.socket]:
    """Work that takes long, and a page that follows it."""
    from shoal.studio.projects import Projects

    project = Projects(folder).open(write_example("table", folder / "t")[-1])
    own = {"host": f"127.0.0.1:{studio.port}", "cookie": f"shoal_{studio.port}={studio.token}", "origin": studio.here}
    started = studio.ask(
        f"POST /r/{project.key}/begin HTTP/1.1\r\n{_written(own.items())}content-length: 0\r\n\r\n".encode()
    )
    if _status(started) != 303:
        pytest.fail(started.decode(errors="replace")[:300])
    line = socket.create_connection(("127.0.0.1", studio.port), 10)
    line.sendall(f"GET /r/{project.key}/jobs/risk/events HTTP/1.1\r\n{_written(own.items())}\r\n".encode())
    heard = b""
    while b"Waiting" not in heard:
        heard += line.recv(1 << 16)
    return project.key, line


def _workers(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def _gone(processes: list[psutil.Process], seconds: float) -> bool:
    return psutil.wait_procs(processes, seconds)[1] == []


def test_ctrl_c_ends_an_open_stream_and_the_work(tmp_path, long_work) -> None:
    with running(tmp_path / "shoal", env=long_work) as studio:
        _, line = _begin(studio, tmp_path / "shoal")
        workers = _workers(studio.process.pid)
        assert workers
        assert studio.end() < 2
        line.close()
        assert studio.process.returncode == 0
        assert studio.log.count("\n") == 1, studio.log  # where the studio runs, and nothing else
        assert _gone(workers, 1)


def test_a_killed_studio_leaves_no_work_and_starts_where_it_was(tmp_path, long_work) -> None:
    with running(tmp_path / "shoal", env=long_work) as studio:
        key, line = _begin(studio, tmp_path / "shoal")
        workers = _workers(studio.process.pid)
        studio.end(signal.SIGKILL)
        line.close()
        assert _gone(workers, 8)
    with running(tmp_path / "shoal") as studio:
        page = _get(studio, f"/r/{key}/jobs/risk/events").decode()
        assert '"state": "interrupted"' in page


def test_termination_ends_it_too(tmp_path) -> None:
    with running(tmp_path / "shoal") as studio:
        assert studio.end(signal.SIGTERM) < 2
        assert studio.process.returncode in {0, -signal.SIGTERM, 128 + signal.SIGTERM}


def test_started_deaf_to_ctrl_c(tmp_path) -> None:
    """As `shoal studio &` in a script: it still ends by a termination."""
    import shlex

    command = shlex.join([*SHOAL, "studio", "--no-browser", "--folder", str(tmp_path / "shoal")])
    shell = subprocess.Popen(
        ["sh", "-c", f"{command} & echo $!; wait"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    pid = int(shell.stdout.readline())
    assert shell.stdout.readline().startswith("http://127.0.0.1:")
    time.sleep(0.5)
    os.kill(pid, signal.SIGTERM)
    shell.communicate(timeout=20)


# ---- starts ----------------------------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_told(studio, tmp_path) -> None:
    end = subprocess.run(
        [
            *SHOAL,
            "studio",
            "--no-browser",
            "--folder",
            str(tmp_path),
            "--port",
            str(studio.port),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert end.returncode == 2 and f"--port: {studio.port} is taken" in end.stderr


def test_a_recipe_is_opened(tmp_path) -> None:
    recipe = write_example("table", tmp_path / "t")[-1]
    with running(tmp_path / "shoal", str(recipe)) as studio:
        assert re.search(r"/r/[0-9a-f]{12}/open\?token=", studio.link)


def test_without_the_extra_it_says_what_to_install(tmp_path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "starlette.py").write_text("raise ModuleNotFoundError(\"No module named 'starlette'\", name='starlette')\n")
    (site / "uvicorn.py").write_text("raise ModuleNotFoundError(\"No module named 'uvicorn'\", name='uvicorn')\n")
    end = subprocess.run(
        [*SHOAL, "studio", "--no-browser"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(site)},
    )
    assert end.returncode == 2 and "pip install 'shoal[studio]'" in end.stderr and "Traceback" not in end.stderr


def test_the_browser_is_started_without_the_token_in_sight(tmp_path, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    _open_browser("http://127.0.0.1:1/?token=secret&x=%22", tmp_path / "open.html")
    (address,) = opened
    assert address == (tmp_path / "open.html").as_uri()
    page = tmp_path / "open.html"
    assert "url=http://127.0.0.1:1/?token=secret&amp;x=%22" in page.read_text() and page.stat().st_mode & 0o077 == 0


def test_a_fault_tells_no_cell_in_the_log(tmp_path) -> None:
    """A cell that makes a page fail: neither the page nor the terminal shows it."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys\nif 'studio' in sys.orig_argv:\n"
        "    import shoal.studio.screens.check as check\n"
        "    from starlette.routing import Route\n"
        "    def fault(request):\n"
        "        import threading, asyncio\n"
        "        def inner(): raise ValueError('Kanarienvogel in a thread')\n"
        "        thread = threading.Thread(target=inner); thread.start(); thread.join()\n"
        "        raise ValueError('Kanarienvogel in a page')\n"
        "    async def stream(request):\n"
        "        from starlette.responses import StreamingResponse\n"
        "        async def pieces():\n"
        "            yield 'begun'\n"
        "            raise ValueError('Kanarienvogel in a stream')\n"
        "        return StreamingResponse(pieces())\n"
        "    check.ROUTES = [Route('/fault', fault), Route('/stream', stream), *check.ROUTES]\n"
    )
    paths = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    with running(tmp_path / "shoal", env={"PYTHONPATH": paths}) as studio:
        page = _get(studio, "/fault")
        assert _status(page) == 500 and b"ValueError" in page and b"Kanarienvogel" not in page
        assert b"content-security-policy" in page
        assert b"Kanarienvogel" not in _get(studio, "/stream", connection="close")
        studio.end()
        assert "ValueError" in studio.log
        assert "Kanarienvogel" not in studio.log and "Traceback" not in studio.log
