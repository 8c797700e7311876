"""The page "blur rules": how far each column that could be recognised may be blurred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import HierarchyError
from shoal.release.editing.document import ChangedMeanwhile
from shoal.release.editing.rules import KINDS, first_rule
from shoal.release.looking.steps import FORMATS, file_text
from shoal.report.steward import blur
from shoal.studio.handlers import edit, go, posted, project_of, text_of, texts_of
from shoal.studio.looks import profile_of
from shoal.studio.pages import render, render_step
from shoal.studio.views import changes
from shoal.studio.views.rule import Rule, rule_fits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.datastructures import FormData
    from starlette.requests import Request

    from shoal.release.editing.document import RecipeDocument
    from shoal.studio.projects import Project

    Change = Callable[[Rule, FormData], object]


@dataclass(frozen=True)
class Entry:
    """A column in the list."""

    number: int
    name: str
    words: str
    fits: bool


def page(request: Request) -> Response:
    """One column is open: the one of the address, or that which was looked at last."""
    project = project_of(request)
    document = project.document()
    number = request.path_params.get("number")
    if number is None:
        number = _last(project, document)
    elif number not in dict(_columns(document)):
        raise HTTPException(404)
    rule = None if number is None else _rule(project, document, number)
    if rule is not None:
        project.remember("blur", rule.name)
        chosen = request.query_params.get("show", "")
        at = request.query_params.get("at", "")
        rule = rule.but(chosen=chosen if chosen in KINDS else "", at=int(at) if at.isdecimal() else 0)
    return _whole(request, project, document, rule)


def _whole(
    request: Request, project: Project, document: RecipeDocument, rule: Rule | None, status: int = 200
) -> Response:
    columns, profile = document.columns, profile_of(project) if rule is not None else None
    entries = [
        Entry(
            number,
            name,
            blur.rule_words(columns[name].get("hierarchy")),
            profile is not None and rule_fits(columns[name].get("hierarchy"), profile, name, project.recipe.parent),
        )
        for number, name in _columns(document)
    ]
    return render_step(
        request,
        project,
        "blur.html.jinja",
        status=status,
        step="blur",
        document=document,
        entries=entries,
        rule=rule,
        words=blur,
        part=False,
    )


def _columns(document: RecipeDocument) -> list[tuple[int, str]]:
    return [(at, name) for at, (name, entry) in enumerate(document.columns.items()) if entry.get("role") == "quasi"]


def _last(project: Project, document: RecipeDocument) -> int | None:
    columns = _columns(document)
    last = project.recall("blur")
    return next((at for at, name in columns if name == last), columns[0][0] if columns else None)


def _rule(project: Project, document: RecipeDocument, number: int) -> Rule:
    name = dict(_columns(document)).get(number)
    if name is None:
        raise HTTPException(404)
    profile = profile_of(project)
    spec = document.columns[name].get("hierarchy")
    return Rule(number, name, spec, profile.find(name), project.recipe.parent, profile.reading)


def _asked(request: Request, form: FormData) -> Rule:
    """The rule as the person saw it: what is shown, ticked and searched comes with every form."""
    project = project_of(request)
    rule = _rule(project, project.document(), request.path_params["number"])
    chosen, at = text_of(form, "show"), text_of(form, "at")
    ticks = {int(tick) for tick in texts_of(form, "value") if tick.isdecimal()}
    return rule.but(
        chosen=chosen if chosen in KINDS else "",
        at=int(at) if at.isdecimal() else 0,
        search=text_of(form, "search"),
        ticked=frozenset(tick for tick in ticks if tick < len(rule.counts)),
        group=text_of(form, "name"),
    )


def _answer(request: Request, rule: Rule, status: int = 200) -> Response:
    """The part of the page that was asked for; the page where no script asked."""
    project = project_of(request)
    document = project.document()
    target = request.headers.get("hx-target", "")
    if target in ("rule", "outcome", "values"):
        response = render(
            request,
            f"blur/{target}.html.jinja",
            status=status,
            project=project,
            document=document,
            rule=rule,
            words=blur,
            part=True,
        )
        response.headers["shoal-revision"] = document.revision
        return response
    if rule.problems or rule.search or rule.ticked:
        return _whole(request, project, document, rule, status)
    show = "" if rule.is_saved else f"show={rule.chosen}"
    at = f"at={rule.at}" if rule.at else ""
    return go(f"/r/{project.key}/blur/{rule.number}?{'&'.join(filter(None, (show, at)))}".rstrip("?"))


def _changing(change: Change) -> Callable[[Request], Awaitable[Response]]:
    """A form that changes the rule; what cannot be is said at the column, and changes nothing."""
    return posted(lambda request, form: _save(request, form, change))


def _save(request: Request, form: FormData, change: Change) -> Response:
    rule = _asked(request, form)
    try:
        spec = change(rule, form)
        edit(request, form, lambda document: document.change_column(rule.name, hierarchy=spec))
    except HierarchyError as mistakes:
        return _answer(request, rule.but(problems=mistakes.faults), 422)
    except ChangedMeanwhile as meanwhile:
        response = render(
            request,
            "message.html.jinja",
            status=409,
            title="This was changed meanwhile",
            text=str(meanwhile),
            back=f"/r/{request.path_params['key']}/blur",
        )
        response.headers["hx-retarget"], response.headers["hx-reswap"] = "body", "innerHTML"
        return response
    project = project_of(request)
    fresh = _rule(project, project.document(), rule.number)
    # many values go into a file, and are grouped on here
    same = "groups" if rule.chosen == "groups" and isinstance(fresh.spec, str) else ""
    return _answer(request, fresh.but(at=rule.at, search=rule.search, chosen=same))


def _choose(request: Request, form: FormData) -> Response:
    """Another kind of rule. One that a person must say something for first is shown, and the recipe stays as it is."""
    kind = text_of(form, "kind")
    if kind not in KINDS:
        raise HTTPException(422)
    rule = _asked(request, form).but(chosen=kind, at=0)
    if kind in ("groups", "file") or rule.is_saved:
        return _answer(request, rule)
    return _save(request, form, lambda rule, _: first_rule(kind, rule.counts))


def _search(request: Request, form: FormData) -> Response:
    return _answer(request, _asked(request, form))


async def _upload(request: Request) -> Response:
    async with request.form(max_files=1, max_fields=20) as form:
        sent = form.get("file")
        content = b"" if sent is None or isinstance(sent, str) else await sent.read(changes.LARGEST_FILE + 1)
        name = "" if sent is None or isinstance(sent, str) else sent.filename or ""
        return await run_in_threadpool(_save, request, form, lambda rule, _: changes.uploaded(rule, name, content))


def download(request: Request) -> Response:
    """The rule as a hierarchy file."""
    project = project_of(request)
    rule = _rule(project, project.document(), request.path_params["number"])
    form = request.query_params.get("format", "arx")
    if form not in FORMATS:
        raise HTTPException(404)
    text = file_text(rule.spec, rule.counts, form, rule.folder)
    name = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in rule.name)[:60]
    ending = {"amnesia": "txt", "amnesia-json": "json"}.get(form, "csv")
    return Response(
        text,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}.{ending}"'},
    )


_PLACE = "/r/{key}/blur/{number:int}"
ROUTES = [
    Route("/r/{key}/blur", page),
    Route(_PLACE, page),
    Route(f"{_PLACE}/kind", posted(_choose), methods=["POST"]),
    Route(f"{_PLACE}/values", posted(_search), methods=["POST"]),
    Route(f"{_PLACE}/upload", _upload, methods=["POST"]),
    Route(f"{_PLACE}/download", download),
    *(Route(f"{_PLACE}/{name}", _changing(change), methods=["POST"]) for name, change in changes.CHANGES.items()),
]
