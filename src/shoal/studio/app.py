"""The app: pages by address, answers to faults. `guard` stands before it."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.errors import ShoalError
from shoal.release.editing.document import ChangedMeanwhile
from shoal.studio.guard import Guard
from shoal.studio.jobs import Jobs
from shoal.studio.pages import render
from shoal.studio.screens import (
    blur,
    check,
    columns,
    compare,
    home,
    open_data,
    opening,
    promise,
    publish,
    risk,
    search,
    shared,
)
from shoal.studio.steps import STEPS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from shoal.studio.guard import Keys
    from shoal.studio.projects import Projects

_ANSWERS = {
    404: ("Not found", "There is no such page. The studio's first page leads on."),
    405: ("Not found", "There is no such page. The studio's first page leads on."),
    413: ("Too large", "This is more than the studio takes. Give the path of the file instead of the file."),
}
_LOG = logging.getLogger("uvicorn.error")
_SCREENS = (home, opening, open_data, columns, blur, promise, risk, search, compare, publish, check, shared)


def make_app(projects: Projects, keys: Keys) -> Starlette:
    """The studio of one person, for one port."""
    jobs = Jobs()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        jobs.warm()
        try:
            yield
        finally:
            jobs.close()

    routes: list[Route | Mount] = [route for screen in _SCREENS for route in screen.ROUTES]
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(packages=[("shoal.studio", "static")]))],
        middleware=[Middleware(Guard, keys=keys), Middleware(_Faults)],
        exception_handlers={
            ChangedMeanwhile: _changed,
            ShoalError: _mistake,
            HTTPException: _not_here,
        },
        lifespan=lifespan,
    )
    app.state.projects, app.state.jobs = projects, jobs
    return app


def _changed(request: Request, answer: Exception) -> Response:
    return render(
        request,
        "message.html.jinja",
        status=409,
        title="This was changed meanwhile",
        text=str(answer),
        back=_back(request),
    )


def _mistake(request: Request, answer: Exception) -> Response:
    return render(
        request, "message.html.jinja", status=422, title="That does not work", text=str(answer), back=_back(request)
    )


def _not_here(request: Request, answer: Exception) -> Response:
    status = answer.status_code if isinstance(answer, HTTPException) else 404
    title, text = _ANSWERS.get(status, ("That does not work", "The studio cannot answer this."))
    return render(request, "message.html.jinja", status=status, title=title, text=text, back=_back(request))


def _back(request: Request) -> str:
    """The page that a form stood on: addresses of forms begin with that of their page."""
    if request.method != "POST" or "key" not in request.path_params:
        return "/"
    place = request.url.path.split("/")  # "", "r", key, page, …
    step = place[3] if place[3] in {one.name for one in STEPS} else "columns"
    return f"/r/{request.path_params['key']}/{step}"


class _Faults:
    """Answers for what nobody foresaw, within the guard, so that this page has its headers too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except ClientDisconnect:
            return
        except Exception as bug:
            if begun or scope["type"] != "http":
                raise
            _LOG.error("A fault of shoal: %s", type(bug).__name__)
            await _fault(Request(scope), bug)(scope, receive, send)


def _fault(request: Request, bug: Exception) -> Response:
    """Only the kind of the fault is told: its text may hold cells of the data."""
    text = f"This is a fault of shoal ({type(bug).__name__}), not yours. Nothing was published, and the recipe is as it was."
    return render(
        request, "message.html.jinja", status=500, title="Something went wrong", text=text, back=_back(request)
    )
