"""The page "check": anyone's release, against a promise. It belongs to no project; a private folder keeps what is known."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from shoal.errors import RecipeError
from shoal.release.outside.recipe import recipe_beside, small_recipe
from shoal.studio.handlers import go, jobs_of, posted, projects_of, text_of
from shoal.studio.pages import render
from shoal.studio.projects import write_private

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.datastructures import FormData
    from starlette.requests import Request

    from shoal.studio.projects import Project

ROLES = {
    "quasi": "could be known by others",
    "sensitive": "private fact",
    "plain": "neither",
    "identifying": "names a person",
}
_FILES = ("release", "recipe", "original")


def start(request: Request) -> Response:
    """What is to be checked."""
    return render(request, "check.html.jinja", problem="", fields={})


async def _open(request: Request) -> Response:
    """A release, and perhaps its recipe and the original: dropped on the page, or as paths on this computer."""
    async with request.form(max_files=len(_FILES), max_fields=20) as form:
        return await run_in_threadpool(_begin, request, form)


def _begin(request: Request, form: FormData) -> Response:
    fields = {name: text_of(form, f"{name}_path") for name in _FILES}
    project = projects_of(request).new_check()
    try:
        places = {name: _place(project, name, form.get(name), fields[name]) for name in _FILES}
        release = places["release"]
        if release is None:
            raise RecipeError("Which release? Choose a file, or give its path.")
    except RecipeError as problem:
        shutil.rmtree(project.private)
        return render(request, "check.html.jinja", status=422, problem=str(problem), fields=fields)
    recipe = places["recipe"] or recipe_beside(release)
    project.remember(
        "asked",
        {
            "release": str(release),
            "recipe": "" if recipe is None else str(recipe),
            "original": str(places["original"] or ""),
            "exempt_suppressed": text_of(form, "exempt_suppressed") == "yes",
            "any_order": text_of(form, "any_order") == "yes",
        },
    )
    if recipe is None:
        jobs_of(request).start(project, "look", {"release": str(release)})
    else:
        _start_check(request, project)
    return go(f"/check/{_number(project)}")


def _place(project: Project, name: str, upload: Any, path: str) -> Path | None:
    """Of what was dropped, a copy in the private folder."""
    if isinstance(upload, UploadFile) and upload.filename:
        folder = project.private / name
        folder.mkdir(mode=0o700)
        copy = folder / (Path(upload.filename.replace("\\", "/")).name.lstrip(".") or "file")
        with copy.open("xb") as file:
            shutil.copyfileobj(upload.file, file)
        copy.chmod(0o600)
        return copy
    if not path:
        return None
    place = Path(path).expanduser()
    if not place.is_absolute() or not place.exists():
        raise RecipeError(f"There is nothing at the path of the {name}. Give the whole path, from the first / on.")
    return place


def page(request: Request) -> Response:
    """What is asked next, or what was found."""
    project = projects_of(request).find_check(request.path_params["number"])
    asked = _asked(project)
    look, check = (jobs_of(request).find(project, name) for name in ("look", "check"))
    running = next((job for job in (check, look) if job is not None and job.state == "running"), None)
    recipe = Path(asked["recipe"]) if asked["recipe"] else None
    return render(
        request,
        "checked.html.jinja",
        number=_number(project),
        asked=asked,
        name=Path(asked["release"]).name,
        beside=recipe is not None and recipe != project.recipe,
        running=running,
        look=look,
        check=check,
        columns=look.result if look is not None and look.state == "done" else None,
        result=check.result if check is not None and check.state == "done" else None,
        roles=ROLES,
        chosen=project.recall("roles") or {},
    )


def _promise(request: Request, form: FormData) -> Response:
    """Roles and a promise, from the quick form."""
    project = projects_of(request).find_check(request.path_params["number"])
    asked = _asked(project)
    look = jobs_of(request).find(project, "look")
    seen = look.result if look is not None else None
    if not isinstance(seen, dict):
        raise RecipeError("Look at the columns first.")
    roles = {column["name"]: text_of(form, f"role-{i}", column["role"]) for i, column in enumerate(seen["columns"])}
    if not set(roles.values()) <= set(ROLES):
        raise RecipeError("This is no role of a column.")
    if "quasi" not in roles.values():
        raise RecipeError(
            "Say of at least one column that it could be known by others; else there is nothing to check."
        )
    private = [name for name, role in roles.items() if role == "sensitive"]
    k, l = _whole(text_of(form, "k"), 2), _whole(text_of(form, "l") or "1", 1)  # noqa: E741
    text = small_recipe(Path(asked["release"]), seen["dialect"], roles, k, l if l > 1 else None, private)
    write_private(project.recipe, text)
    project.remember("roles", {"roles": roles, "k": k, "l": l})
    ticks = {name: text_of(form, name) == "yes" for name in ("exempt_suppressed", "any_order")}
    project.remember("asked", {**asked, **ticks, "recipe": str(project.recipe)})
    _start_check(request, project)
    return go(f"/check/{_number(project)}")


def _again(request: Request, form: FormData) -> Response:
    project = projects_of(request).find_check(request.path_params["number"])
    ticks = {name: text_of(form, name) == "yes" for name in ("exempt_suppressed", "any_order")}
    project.remember("asked", {**_asked(project), **ticks})
    _start_check(request, project)
    return go(f"/check/{_number(project)}")


def _cancel(request: Request, form: FormData) -> Response:
    project = projects_of(request).find_check(request.path_params["number"])
    for name in ("look", "check"):
        jobs_of(request).cancel(project, name)
    return go(f"/check/{_number(project)}")


def events(request: Request) -> Response:
    """The progress of the check, as it comes."""
    project = projects_of(request).find_check(request.path_params["number"])
    job = jobs_of(request).find(project, request.path_params["name"])
    if job is None:
        raise HTTPException(404)

    async def stream() -> AsyncIterator[str]:
        async for facts in jobs_of(request).events(job):
            yield f"data: {json.dumps(facts)}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


def _start_check(request: Request, project: Project) -> None:
    jobs_of(request).start(project, "check", _asked(project))


def _asked(project: Project) -> dict[str, Any]:
    asked = project.recall("asked")
    if not isinstance(asked, dict):
        raise RecipeError("The studio knows no such check any more. Open the release again.")
    return asked


def _whole(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= 1_000_000:
        raise RecipeError(f"The promise needs a whole number of at least {least}.")
    return int(text)


def _number(project: Project) -> str:
    return project.private.name.removeprefix("check-")


ROUTES = [
    Route("/check", start),
    Route("/check/upload", _open, methods=["POST"]),
    Route("/check/{number}", page),
    Route("/check/{number}/promise", posted(_promise), methods=["POST"]),
    Route("/check/{number}/again", posted(_again), methods=["POST"]),
    Route("/check/{number}/cancel", posted(_cancel), methods=["POST"]),
    Route("/check/{number}/jobs/{name}/events", events),
]
