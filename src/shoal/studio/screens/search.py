"""The page "search": releases as points of a plot, what each would show, and which one the recipe makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape
from starlette.routing import Route

from shoal.release.editing.promises import fitting
from shoal.release.recipe.recipe import Recipe
from shoal.release.searching.promised import number_of, with_number
from shoal.release.searching.search import basis_of
from shoal.report.charts.choices import choices_plot
from shoal.report.steward.choices import Choices, chance_words, point_words
from shoal.report.steward.promises import left_out_words
from shoal.studio.handlers import edit, go, jobs_of, posted, project_of, text_of
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.release.editing.document import RecipeDocument
    from shoal.studio.projects import Project

_MOST_LEFT_OUT = 20  # per cent that the slider offers


def page(request: Request) -> Response:
    """The search starts by itself when the page is opened first; later results are marked if they no longer hold."""
    project, jobs = project_of(request), jobs_of(request)
    document = project.document()
    problems, job = document.problems, jobs.find(project, "search")
    if not problems and (job is None or job.state == "interrupted"):
        job = jobs.start(project, "search")
    result = job.result if job is not None else None
    view: dict[str, Any] = {"result": None}
    if result is not None:
        view = _view(request, project, document, Choices.from_json(result))
    methods = jobs.find(project, "methods")
    return render_step(
        request,
        project,
        "search.html.jinja",
        step="search",
        document=document,
        problems=problems,
        job=job,
        fit=fitting(document),
        methods=methods,
        compared=_compared(document, methods.result if methods is not None else None),
        **view,
    )


def _view(request: Request, project: Project, document: RecipeDocument, choices: Choices) -> dict[str, Any]:
    own, method, limit = _promised(document)
    mine = None if own is None else choices.chosen(own)
    asked = request.query_params.get("point", "")
    at = int(asked) if asked.isdecimal() and int(asked) < len(choices.points) else mine
    point = None if at is None else choices.points[at]

    def link(place: int) -> str:
        address = escape(f"/r/{project.key}/search?point={place}")
        return (
            f'id="point-{place}" href="{address}" hx-get="{address}" hx-target="#choose" hx-select="#choose" '
            'hx-swap="outerHTML show:none" hx-push-url="true"'
        )

    return {
        "result": choices,
        "stale": choices.basis != basis_of(document),
        "plot": Markup(choices_plot(choices, at, link=link)),  # drawn by us: numbers, and an address we made
        "at": at,
        "mine": mine,
        "point": point,
        "own": own,
        "method": method,
        "uses": point is not None and at == mine and own == point.k and method == (point.method or method),
        "today": chance_words(choices.today),
        "chance": chance_words(point.average) if point is not None else "",
        "words": [point_words(choices, one) for one in choices.points],
        "limit": limit,
        "most": max(_MOST_LEFT_OUT, int(limit * 100 + 1)),
        "limit_words": left_out_words(limit, choices.records),
    }


def _promised(document: RecipeDocument) -> tuple[int | None, str, float]:
    """The number of the promise, the method and the limit of a recipe; no number while it is not sound."""
    if document.problems:
        return None, "", 0.0
    recipe: Recipe = document.recipe()
    return number_of(recipe.guarantees), recipe.method.name, recipe.suppression.limit


def _compared(document: RecipeDocument, result: Any) -> dict[str, Any] | None:
    """The methods with what they lose; stale when they were compared for another promise."""
    if not isinstance(result, dict):
        return None
    stale = result.get("basis") != basis_of(document) or json.dumps(result.get("promise")) != json.dumps(
        document.values.get("guarantee")
    )
    return {**result, "stale": stale}


def _start(request: Request, form: FormData) -> Response:
    """Search again; with another number of people who may be left out, if that was changed."""
    if text_of(form, "limit"):
        edit(request, form, lambda document: _with_limit(document, text_of(form, "limit")))
    jobs_of(request).start(project_of(request), "search")
    return go(f"/r/{request.path_params['key']}/search")


def _with_limit(document: RecipeDocument, percent: str) -> RecipeDocument:
    try:
        limit = float(f"{float(percent) / 100:.6g}")
    except ValueError:
        return document
    there = document.values.get("suppression", {})
    return document if limit == there.get("limit", 0) else document.put(limit, "suppression", "limit")


def _use(request: Request, form: FormData) -> Response:
    """Write the recipe so that `shoal run` makes the release that was looked at."""
    project = project_of(request)
    job = jobs_of(request).find(project, "search")
    result = job.result if job is not None else None
    asked = text_of(form, "point")
    if result is not None and asked.isdecimal() and int(asked) < len(result["points"]):
        point = Choices.from_json(result).points[int(asked)]
        edit(request, form, lambda document: _with_method(with_number(document, point.k), point.method))
    return go(f"/r/{request.path_params['key']}/search")


def _take(request: Request, form: FormData) -> Response:
    """Another method, for the promise as it is."""
    edit(request, form, lambda document: _with_method(document, text_of(form, "method")))
    return go(f"/r/{request.path_params['key']}/search")


def _with_method(document: RecipeDocument, name: str) -> RecipeDocument:
    there = document.values.get("method", {})
    if not name or (isinstance(there, dict) and there.get("name", "auto") == name):
        return document
    for key in there if isinstance(there, dict) else ():  # keys of one method mean nothing to another
        if key != "name":
            document = document.remove("method", key)
    return document.put(name, "method", "name")


def _methods(request: Request, form: FormData) -> Response:
    jobs_of(request).start(project_of(request), "methods")
    return go(f"/r/{request.path_params['key']}/search")


ROUTES = [
    Route("/r/{key}/search", page),
    Route("/r/{key}/search", posted(_start), methods=["POST"]),
    Route("/r/{key}/search/use", posted(_use), methods=["POST"]),
    Route("/r/{key}/search/take", posted(_take), methods=["POST"]),
    Route("/r/{key}/search/methods", posted(_methods), methods=["POST"]),
]
