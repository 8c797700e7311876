"""What the handlers of pages have in common. They are plain functions, run in threads: counting and reading hold nobody up."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, cast

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from shoal.release.editing.document import RecipeDocument

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.studio.jobs import Jobs
    from shoal.studio.projects import Project, Projects

_FIELDS = 20_000  # of a form: thousands of values can be ticked


def projects_of(request: Request) -> Projects:
    """The recipes of this studio."""
    return cast("Projects", request.app.state.projects)


def jobs_of(request: Request) -> Jobs:
    """The work of this studio."""
    return cast("Jobs", request.app.state.jobs)


def project_of(request: Request) -> Project:
    """The one that the address names."""
    return projects_of(request).find(request.path_params["key"])


def posted(handler: Callable[[Request, FormData], Response]) -> Callable[[Request], Awaitable[Response]]:
    """A handler of a form, without files."""

    @wraps(handler)
    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=_FIELDS) as form:
            return await run_in_threadpool(handler, request, form)

    return endpoint


def text_of(form: FormData, name: str, default: str = "") -> str:
    """A field of a form, as text."""
    value = form.get(name, default)
    return value.strip() if isinstance(value, str) else default


def texts_of(form: FormData, name: str) -> list[str]:
    """All fields of a name: what was ticked."""
    return [value for value in form.getlist(name) if isinstance(value, str)]


def edit(request: Request, form: FormData, change: Callable[[RecipeDocument], RecipeDocument]) -> RecipeDocument:
    """Change the recipe that the person saw; if another stands on disk by now, `ChangedMeanwhile` is raised and they are told."""
    project = project_of(request)
    before = project.document()
    seen = text_of(form, "revision") or "none"
    return project.save(before, change(before).at_revision(seen))


def go(place: str) -> RedirectResponse:
    """On to another page, after a form."""
    return RedirectResponse(place, 303)
