"""How pages are made: templates that escape every value, with the words and colours of the report."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup
from starlette.responses import HTMLResponse

from shoal.report.charts import palette
from shoal.report.page import environment
from shoal.studio.steps import STEPS

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

    from shoal.studio.projects import Project


@cache
def templates() -> Environment:
    """Those of the report, and the studio's own before them."""
    jinja = environment().overlay(
        loader=ChoiceLoader([PackageLoader("shoal.studio"), PackageLoader("shoal.report", package_path="")])
    )
    jinja.globals.update(STEPS=STEPS)
    jinja.filters.update(drawn_by_us=Markup)  # a picture of `report/charts`, in which every text is escaped
    return jinja


def render(request: Request, template: str, *, status: int = 200, **view: Any) -> HTMLResponse:
    """A page that belongs to no project, or a part of one."""
    return HTMLResponse(templates().get_template(template).render(request=request, **view), status)


def render_step(request: Request, project: Project, template: str, *, status: int = 200, **view: Any) -> HTMLResponse:
    """A page of a project. `step` of the view is where on the way it is; `document` the recipe, as it lies on disk now."""
    document = view.pop("document", None) or project.document()
    response = render(request, template, status=status, project=project, document=document, **view)
    response.headers["shoal-revision"] = document.revision
    return response


@cache
def colours() -> str:
    """The style sheet of the colours: the report's, and pictures in the dark."""
    return Markup(  # drawn by us
        f":root {{ {palette.variables(palette.LIGHT)} color-scheme: light dark; }}\n"
        f"@media (prefers-color-scheme: dark) {{\n  :root {{ {palette.variables(palette.DARK)} }}\n"
        f"  {palette.pictures_in_the_dark()}\n}}\n"
    )
