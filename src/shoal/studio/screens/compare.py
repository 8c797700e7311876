"""The page "compare": the release that would be made, beside the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from shoal.studio.handlers import go, jobs_of, posted, project_of
from shoal.studio.obstacles import obstacles
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

_TINTS = 4  # of cells in a table of counts


def page(request: Request) -> Response:
    """As the recipe is now, with what was compared last."""
    project = project_of(request)
    document = project.document()
    job = jobs_of(request).find(project, "compare")
    result = job.result if job is not None else None
    if not isinstance(result, dict) or "pictures" not in result:
        result = None
    pair = _pair(request, len(result["crossed"])) if result else 0
    return render_step(
        request,
        project,
        "compare.html.jinja",
        step="compare",
        document=document,
        job=job,
        result=result,
        stale=job is not None and job.revision != document.revision,
        obstacles=obstacles(document),
        unsound=bool(document.problems),
        pair=pair,
        crossed=_tinted(result["crossed"][pair]) if result and result["crossed"] else None,
    )


def _compare(request: Request, form: FormData) -> Response:
    project = project_of(request)
    jobs_of(request).start(project, "compare")
    return go(f"/r/{project.key}/compare")


def _pair(request: Request, pairs: int) -> int:
    """Which two columns, by their place: names of columns stand in no address."""
    text = request.query_params.get("pair", "0")
    place = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return place if place < pairs else 0


def _tinted(crossed: dict[str, Any]) -> dict[str, Any]:
    """Each count with how strong its cell is coloured; both tables by the same measure."""
    sides = [side for side in (crossed["before"], crossed["after"]) if side]
    most = max((cell for side in sides for row in side["counts"] for cell in row), default=0)

    def tint(count: int) -> int:
        return 0 if not count or not most else _TINTS + 1 - max(1, -(-count * _TINTS // most))

    def side(of: dict[str, Any] | None) -> dict[str, Any] | None:
        return of and {**of, "counts": [[(count, tint(count)) for count in row] for row in of["counts"]]}

    return {**crossed, "before": side(crossed["before"]), "after": side(crossed["after"])}


ROUTES = [Route("/r/{key}/compare", page), Route("/r/{key}/compare/make", posted(_compare), methods=["POST"])]
