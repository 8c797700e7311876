"""The page "risk today": how many people could be recognised in the data as it is, by what, and what to do first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.routing import Route

from shoal.release.editing.basis import risk_basis
from shoal.report.charts.group_sizes import Groups, group_sizes
from shoal.report.risk import in_a_hundred, what_it_means
from shoal.studio.handlers import go, jobs_of, posted, project_of
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response


def page(request: Request) -> Response:
    """The work starts by itself, and again when what it rests on has changed; unless it was cancelled or failed."""
    project, jobs = project_of(request), jobs_of(request)
    document = project.document()
    problems, job = document.problems, jobs.find(project, "risk")
    result = job.result if job is not None else None
    stale = result is not None and result.get("basis") != risk_basis(document.values)
    if not problems and (job is None or job.state == "interrupted" or stale):
        job, result = jobs.start(project, "risk"), None
    return render_step(
        request,
        project,
        "risk.html.jinja",
        step="risk",
        document=document,
        problems=problems,
        job=job,
        result=result,
        stale=stale,
        **(_view(result) if result else {}),
    )


def _again(request: Request, form: FormData) -> Response:
    jobs_of(request).start(project_of(request), "risk")
    return go(f"/r/{request.path_params['key']}/risk")


def _view(result: dict[str, Any]) -> dict[str, Any]:
    figures = result["figures"]
    groups = [Groups(**one) for one in figures["class_sizes"]]
    attacker = figures["prosecutor"]
    return {
        "figures": figures,
        "groups": groups,
        "chart": Markup(group_sizes(groups, result["k"])),  # drawn by us, from numbers
        "meaning": what_it_means(figures["columns"]),
        "at_risk": attacker["records_at_risk"],
        "average": in_a_hundred(attacker["average"]),
    }


ROUTES = [Route("/r/{key}/risk", page), Route("/r/{key}/risk", posted(_again), methods=["POST"])]
