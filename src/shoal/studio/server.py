"""Start the studio, print its link, and end it on Ctrl-C."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import webbrowser
from html import escape
from typing import TYPE_CHECKING

import uvicorn

from shoal.errors import RecipeError
from shoal.studio.app import make_app
from shoal.studio.guard import Keys
from shoal.studio.projects import Projects, write_private

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from shoal.studio.jobs import Jobs

_HOST = "127.0.0.1"


def serve(
    recipe: Path | None = None,
    *,
    folder: Path | None = None,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Until Ctrl-C. port: 0 takes any that is free. say: is given the link, and before it what a person must know."""
    projects = Projects(folder)
    if not projects.lasting:
        say(
            f"Your home folder cannot be written to. What you make goes to {projects.folder}: move it before the computer ends."
        )
    page = "/" if recipe is None else f"/r/{projects.open(recipe).key}/open"
    with _socket(port) as listening:
        keys = Keys(listening.getsockname()[1])
        app = make_app(projects, keys)
        _hush()
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # the first address has the token
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=1,  # a page that loads something long would hold it up
        )
        link = f"http://{_HOST}:{keys.port}{page}?token={keys.token}"
        say(link)
        if browser:
            threading.Timer(0.3, _open_browser, (link, projects.folder / ".studio" / "open.html")).start()
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again when all has ended
            _Server(config, app.state.jobs).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Lets pages go that follow some work, as soon as Ctrl-C comes."""

    def __init__(self, config: uvicorn.Config, jobs: Jobs) -> None:
        super().__init__(config)
        self._jobs = jobs

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._jobs.stop_following()
        super().handle_exit(sig, frame)


def _open_browser(link: str, page: Path) -> None:
    """By a private file that leads on: everybody on this computer can see the words that a browser is started with."""
    write_private(
        page, f'<!doctype html><title>shoal</title><meta http-equiv="refresh" content="0;url={escape(link)}">'
    )
    webbrowser.open(page.as_uri())


def _socket(port: int) -> socket.socket:
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_HOST, port))
    except (OSError, OverflowError):
        listening.close()
        raise RecipeError(f"--port: {port} is taken or not allowed. Leave it out, and a free one is found.") from None
    return listening


def _hush() -> None:
    """A traceback may show cells of the data; the kind of the fault is enough."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(_without_traceback)
    threading.excepthook = lambda fault: logging.getLogger("uvicorn.error").error(_line(fault.exc_type))


def _without_traceback(record: logging.LogRecord) -> bool:
    if record.exc_info and record.exc_info[0] is not None:
        record.msg, record.args = _line(record.exc_info[0]), ()
        record.exc_info = record.exc_text = None
    return True


def _line(kind: type[BaseException]) -> str:
    return f"A fault of shoal: {kind.__name__}"
