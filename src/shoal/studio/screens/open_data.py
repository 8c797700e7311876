"""The page "open": the first rows, and what was understood of how the data is written, each to be put right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from shoal.errors import RecipeError, ShoalError
from shoal.release.looking.forms import FORMS, unfit
from shoal.release.looking.opening import read_again
from shoal.release.looking.rows import ENCODING_NAMES, delimiters, is_csv
from shoal.studio.handlers import go, posted, project_of, text_of, texts_of
from shoal.studio.looks import keep_proposal, rows_of, suggestions_of
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.release.editing.document import RecipeDocument
    from shoal.studio.projects import Project

_DEFAULTS = {"encoding": "utf-8", "quote": '"'}


def page(request: Request) -> Response:
    """As the recipe is now."""
    return _page(request, project_of(request))


def _page(
    request: Request, project: Project, fault: ShoalError | None = None, form: FormData | None = None
) -> Response:
    """fault: of a change that was not made. form: what the person chose, which stays."""
    document = project.document()
    section = document.values.get("input", {})
    said = dict(section) if isinstance(section, dict) else {}
    rows = None
    try:
        rows = rows_of(project)
    except ShoalError as reason:
        fault = fault or reason
    if form is not None:
        said |= {key: text_of(form, key) for key in ("encoding", "quote", "sheet") if key in form}
        if "delimiter" in form:
            said["delimiter"] = _mark(text_of(form, "delimiter"))
    csv = _csv(project)
    default = "\t" if ".tsv" in str(said.get("path", "")).lower() else ","
    return render_step(
        request,
        project,
        "open.html.jinja",
        step="open",
        status=200 if fault is None else 422,
        document=document,
        fault=fault,
        rows=rows,
        said=said,
        csv=csv,
        place=_whereabouts(project, said),
        encodings=ENCODING_NAMES,
        encoding=said.get("encoding", "utf-8"),
        delimiters=delimiters(said.get("delimiter")),
        delimiter=said.get("delimiter") or default,
        quote=said.get("quote", '"'),
        written=_written(project, document) if csv else [],
        forms=FORMS,
        notes=list(dict.fromkeys([*(rows.warnings if rows else ()), *(project.recall("notes") or [])])),
        unsure=sum(1 for one in _written(project, document) if one["ask"]) if csv else 0,
    )


def _whereabouts(project: Project, said: dict[str, Any]) -> str:
    """Where the data is, as a person would look for it."""
    path = str(said.get("path") or "")
    if not path or "://" in path:
        tables = said.get("tables")
        return path or str(said.get("url") or ", ".join(tables if isinstance(tables, dict | list) else ()))
    return os.path.normpath(project.recipe.parent / path)


def _csv(project: Project) -> bool:
    try:
        return is_csv(project.recipe)
    except ShoalError:
        return False


def _written(project: Project, document: RecipeDocument) -> list[dict[str, Any]]:
    """The columns whose dates or numbers are read in a form, or could be."""
    suggestions = suggestions_of(project)
    lines = []
    for name, entry in document.columns.items():
        fitting = suggestions.get(name, {}).get("written", [])
        form = str(entry.get("written", ""))
        if form or len(fitting) > 1:
            choices = list(dict.fromkeys([*([form] if form else []), *fitting]))
            ask = not form and len(fitting) > 1 and entry.get("role") != "identifying" and bool(entry.get("suggested"))
            lines.append({"name": name, "form": form, "choices": choices, "ask": ask})
    return sorted(lines, key=lambda one: not one["ask"])


def _mark(text: str) -> str:
    return "\t" if text == "tab" else text


def _read(request: Request, form: FormData) -> Response:
    """The file is read as the person says; with other columns than before, they are looked at anew."""
    project = project_of(request)
    before = project.document()
    try:
        after, proposal = read_again(before, _stated(form, before))
    except ShoalError as fault:
        return _page(request, project, fault, form)
    project.save(before, after.at_revision(text_of(form, "revision") or "none"))
    if proposal is not None:
        keep_proposal(project, proposal)
    return go(f"/r/{project.key}/open")


def _stated(form: FormData, document: RecipeDocument) -> dict[str, Any]:
    """The keys of `[input]` that the form is about; what is as usual is not written down."""
    stated: dict[str, Any] = {}
    section = document.values.get("input", {})
    for key, usual in _DEFAULTS.items():
        if key in form:
            stated[key] = None if text_of(form, key) == usual else text_of(form, key)
    if "delimiter" in form:
        mark = _mark(form.get("delimiter", "") if isinstance(form.get("delimiter"), str) else "")  # type: ignore[arg-type]
        usual = "\t" if ".tsv" in str(section.get("path", "")).lower() else ","
        stated["delimiter"] = None if mark == usual else mark
    if "sheet" in form:
        stated["sheet"] = text_of(form, "sheet") or None
    if "header" in form:
        number = text_of(form, "header")
        if not number.isdigit() or not 0 < int(number) < 1_000_000:
            raise RecipeError("The row with the names of the columns is a number from 1 on.")
        stated["header"] = None if number == "1" else int(number)
    if "labels" in form:
        stated["labels"] = None if text_of(form, "labels") == "yes" else False
    if "lines" in form:
        stated["multiline"] = True if "several" in texts_of(form, "lines") else None
    if "markers" in form:
        there = section.get("missing", [])
        kept = set(texts_of(form, "marker"))
        stated["missing"] = [text for text in there if text in kept] or None
        extra = text_of(form, "more")
        if extra:
            stated["missing"] = list(dict.fromkeys([*(stated["missing"] or []), extra]))
    return stated


def _form(request: Request, form: FormData) -> Response:
    """How the dates or numbers of a column are written."""
    project = project_of(request)
    before = project.document()
    name, written = text_of(form, "column"), text_of(form, "written")
    entry = before.columns.get(name)
    try:
        if entry is None:
            raise RecipeError("The recipe has no such column any more.")
        if written:
            wrong, hierarchy = unfit(project.recipe, name, written)
            if wrong:
                raise RecipeError(f"{wrong:,} values of '{name}' are not written as {written}. Choose another form.")
            after = before.change_column(name, written=written)
            if hierarchy is not None and "hierarchy" not in entry and entry.get("role") == "quasi":
                after = after.change_column(name, hierarchy=hierarchy)
        else:
            after = before.change_column(name, written=None, hierarchy=None)
    except ShoalError as fault:
        return _page(request, project, fault)
    project.save(before, after.at_revision(text_of(form, "revision") or "none"))
    return go(f"/r/{project.key}/open")


def _place(request: Request, form: FormData) -> Response:
    """The data lies elsewhere now."""
    project = project_of(request)
    before = project.document()
    try:
        after, _ = read_again(before, {"path": text_of(form, "path").strip("'\"")})
    except ShoalError as fault:
        return _page(request, project, fault)
    project.save(before, after.at_revision(text_of(form, "revision") or "none"))
    return go(f"/r/{project.key}/open")


ROUTES = [
    Route("/r/{key}/open", page),
    Route("/r/{key}/open/reading", posted(_read), methods=["POST"]),
    Route("/r/{key}/open/written", posted(_form), methods=["POST"]),
    Route("/r/{key}/open/place", posted(_place), methods=["POST"]),
]
