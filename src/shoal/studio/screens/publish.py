"""The page "publish": make the release, read its report, sign it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.routing import Route

from shoal.errors import RecipeError
from shoal.release.signature.check import check_signature
from shoal.release.signature.files import file_beside
from shoal.release.signature.sign import sign
from shoal.report.signing.statement import NOT_CRYPTOGRAPHIC, STATEMENT
from shoal.studio.handlers import go, jobs_of, posted, project_of, text_of
from shoal.studio.obstacles import destination, obstacles
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.studio.projects import Project

# A report has its style inside and no script: nothing else of it may do anything.
REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
_HASHED = 256 << 20  # bytes of a release that are read for each drawing of the page


def page(request: Request) -> Response:
    """As the recipe is now, with the release that was made last."""
    project = project_of(request)
    document = project.document()
    job = jobs_of(request).find(project, "publish")
    place = destination(document)
    result = _result(job)
    compare = jobs_of(request).find(project, "compare")
    fresh = compare is not None and compare.state == "done" and compare.revision == document.revision
    preview = compare.result if compare is not None and fresh and result is None else None
    return render_step(
        request,
        project,
        "publish.html.jinja",
        step="publish",
        document=document,
        job=job,
        obstacles=obstacles(document),
        place=place,
        taken=isinstance(place, Path) and place.exists(),
        result=result,
        stale=job is not None and job.revision != document.revision,
        preview=(preview or {}).get("spoken"),
        commands=_commands(project, result, place),
        signature=_signature(result),
        statement=STATEMENT,
        not_cryptographic=NOT_CRYPTOGRAPHIC,
    )


def _publish(request: Request, form: FormData) -> Response:
    project = project_of(request)
    seen = text_of(form, "revision")
    if seen and seen != project.document().revision:
        raise RecipeError("The recipe was changed meanwhile, in another window or an editor. Look at it as it is now.")
    jobs_of(request).start(project, "publish", {"replace": text_of(form, "replace") == "yes"})
    return go(f"/r/{project.key}/publish")


def _sign(request: Request, form: FormData) -> Response:
    project = project_of(request)
    data = _data(project, request)
    sign(
        data,
        name=text_of(form, "name"),
        reason=text_of(form, "reason"),
        role=text_of(form, "role"),
        review=text_of(form, "review") or None,
        read_report=text_of(form, "read") == "yes",
        sha256=text_of(form, "sha256"),
    )
    return go(f"/r/{project.key}/publish#signature")


def show_file(request: Request) -> Response:
    """A file of the release: a report as a page that can do nothing, all else to be saved."""
    data = _data(project_of(request), request)
    kind = request.path_params["kind"]
    place = file_beside(data, kind)
    if place is None:
        raise HTTPException(404)
    if kind.endswith(".html"):
        return FileResponse(place, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})
    return FileResponse(place, filename=place.name)


def _data(project: Project, request: Request) -> Path:
    """The release that was made last; never a place that an address names."""
    result = _result(jobs_of(request).find(project, "publish"))
    if result is None or not result["hashes"] or not Path(result["places"][0]).exists():
        raise RecipeError("There is no release yet, or it is gone. Make it first.")
    return Path(result["places"][0])


def _result(job: Any) -> dict[str, Any] | None:
    result = None if job is None else job.result
    return result if isinstance(result, dict) and "spoken" in result else None


def _signature(result: dict[str, Any] | None) -> Any:
    """Who signed; whether it fits is told of a release that is read in a moment."""
    if result is None or not result["hashes"] or sum(file["bytes"] for file in result["hashes"]) > _HASHED:
        return None
    data = Path(result["places"][0])
    return check_signature(data) if data.exists() else None


def _commands(project: Project, result: dict[str, Any] | None, place: Path | str | None) -> dict[str, str]:
    """What the engineer types for the same."""
    recipe = shlex.quote(str(project.recipe))
    release = shlex.quote(str(result["places"][0] if result else place or "RELEASE"))
    return {
        "run": f"shoal run {recipe}{' --replace' if result else ''}",
        "verify": f"shoal verify {release} --recipe {recipe} --original {recipe}",
    }


ROUTES = [
    Route("/r/{key}/publish", page),
    Route("/r/{key}/publish/make", posted(_publish), methods=["POST"]),
    Route("/r/{key}/publish/sign", posted(_sign), methods=["POST"]),
    Route("/r/{key}/publish/file/{kind}", show_file),
]
