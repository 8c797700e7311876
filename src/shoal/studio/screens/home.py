"""The first page: what was worked on lately, and three ways in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from shoal.release.editing.progress import progress_of
from shoal.studio.handlers import go, posted, projects_of, text_of
from shoal.studio.pages import colours, render

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request


def home(request: Request) -> Response:
    """Recent recipes with how far each is, and what can be done."""
    recent = [(project, progress_of(project.recipe)) for project in projects_of(request).recent()]
    return render(request, "home.html.jinja", recent=recent, folder=projects_of(request).folder)


def style(request: Request) -> Response:
    """The colours, light and dark."""
    return Response(colours(), media_type="text/css")


def _forget(request: Request, form: FormData) -> Response:
    projects_of(request).forget(text_of(form, "key"))
    return go("/")


ROUTES = [Route("/", home), Route("/colours.css", style), Route("/forget", posted(_forget), methods=["POST"])]
