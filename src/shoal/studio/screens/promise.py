"""The page "promise": sentences with numbers in them, how many people may be left out, and who gets the release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from shoal.release.editing.promises import (
    added_promise,
    added_promises,
    fitting,
    is_added,
    problems_by_promise,
    technical_name,
    usual_promise,
)
from shoal.report.steward.promises import PROMISES, example_of, left_out_words
from shoal.studio.handlers import edit, go, posted, project_of, text_of
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.release.editing.document import RecipeDocument
    from shoal.release.editing.promises import Fitting
    from shoal.report.steward.promises import Promise
    from shoal.studio.projects import Project

    Promises = list[dict[str, Any]]

_CONTEXT = ("access", "recipients", "purpose")
_COMMON = 6  # values of a column that examples choose from
MOST_LEFT_OUT = 20  # per cent that the slider offers


@dataclass(frozen=True)
class _Card:
    """One promise of the recipe, as the page shows it."""

    place: int
    words: Promise
    parameters: Mapping[str, Any]
    attack: str
    technical: str
    problems: list[str]


def page(request: Request) -> Response:
    """As the recipe is now."""
    project = project_of(request)
    document = project.document()
    fit, values = fitting(document), document.values
    guarantees = _guarantees(values)
    at, altogether = problems_by_promise(document.problems)
    common, records = common_values(project)
    cards = []
    for place, parameters in enumerate(guarantees):
        words = PROMISES.get(str(parameters.get("name")))
        if words is None:
            altogether += at.get(place, [])
            continue
        example = example_of(fit.quasi, common, str(parameters.get("column", "")))
        cards.append(
            _Card(
                place,
                words,
                parameters,
                words.attack(parameters, example),
                technical_name(parameters),
                at.get(place, []),
            )
        )
    limit, context = _number(_section(values, "suppression").get("limit")), _section(values, "context")
    threshold = context.get("threshold")
    return render_step(
        request,
        project,
        "promise.html.jinja",
        step="promise",
        document=document,
        fit=fit,
        cards=cards,
        foreign=[(place, added_promise(one)) for place, one in enumerate(guarantees) if is_added(str(one.get("name")))],
        added=added_promises(document),
        altogether=altogether,
        others=[PROMISES[name] for name in _addable(fit, guarantees)],
        columns=_columns(fit, guarantees),
        limit=limit,
        most=max(MOST_LEFT_OUT, math.ceil(limit * 100)),
        limit_words=left_out_words(limit, records),
        context={key: str(context.get(key, "")) for key in _CONTEXT},
        threshold=_percent(threshold) if isinstance(threshold, int | float) else "",
        elsewhere=[one for one in document.problems if not one.startswith(("guarantee", "context", "suppression"))],
        wrong=[one for one in document.problems if one.startswith(("context", "suppression"))],
    )


def _keep(request: Request, form: FormData) -> Response:
    """Everything on the page."""
    return _changed(request, form)


def _next(request: Request, form: FormData) -> Response:
    """The same, and on."""
    return _changed(request, form, step="risk")


def _remove(request: Request, form: FormData) -> Response:
    """Without one of the promises."""
    gone = request.path_params["place"]
    return _changed(request, form, lambda kept, _: [one for place, one in enumerate(kept) if place != gone])


def _add(request: Request, form: FormData) -> Response:
    """With another that fits the data."""
    name = text_of(form, "add")

    def added(kept: Promises, document: RecipeDocument) -> Promises:
        fit = fitting(document)
        return [*kept, _new(name, fit)] if name in fit.names else kept

    return _changed(request, form, added)


def _usual(request: Request, form: FormData) -> Response:
    """With what is usual, where nothing is promised."""
    return _changed(request, form, lambda kept, document: kept or usual_promise(document))


def _changed(
    request: Request,
    form: FormData,
    change: Callable[[Promises, RecipeDocument], Promises] = lambda kept, _: kept,
    *,
    step: str = "promise",
) -> Response:
    """Keep what stands on the page, with one change to the promises."""

    def after(document: RecipeDocument) -> RecipeDocument:
        before = _guarantees(document.values)
        kept = change([_filled(guarantee, place, form) for place, guarantee in enumerate(before)], document)
        changed = document if kept == before else document.put_guarantees(kept)
        return _with_context(_with_limit(changed, form), form)

    edit(request, form, after)
    return go(f"/r/{request.path_params['key']}/{step}")


def _filled(guarantee: dict[str, Any], place: int, form: FormData) -> dict[str, Any]:
    """The promise with what stands in its sentence. Keys that the page does not show stay."""
    words = PROMISES.get(str(guarantee.get("name")))
    if words is None:
        return guarantee
    filled = dict(guarantee)
    for slot in words.slots:
        field = f"{slot.key}-{place}"
        if field in form:
            text = text_of(form, field)
            if text in ("", slot.default) and slot.key not in guarantee and slot.options:
                continue  # what is meant without a word needs none
            filled[slot.key] = text if slot.options or slot.column else _as_number(text)
    for slot in words.slots:
        if not slot.applies(filled):
            filled.pop(slot.key, None)
        elif slot.key not in filled and slot.around != ("", ""):
            filled[slot.key] = slot.default
    return {key: value for key, value in filled.items() if value != ""}


def _new(name: str, fit: Fitting) -> dict[str, Any]:
    words = PROMISES[name]
    asked = {
        slot.key: slot.default for slot in words.slots if not slot.column and not slot.options and slot.applies({})
    }
    columns = {slot.key: fit.columns[0] for slot in words.slots if slot.column and fit.columns}
    return {"name": name, **asked, **columns}


def _with_limit(document: RecipeDocument, form: FormData) -> RecipeDocument:
    text = text_of(form, "limit")
    if not text:
        return document
    limit = _share(text)
    if limit is None or limit == _section(document.values, "suppression").get("limit", 0):
        return document
    return document.put(limit, "suppression", "limit")


def _with_context(document: RecipeDocument, form: FormData) -> RecipeDocument:
    there = _section(document.values, "context")
    for key in _CONTEXT:
        if key in form and text_of(form, key) != str(there.get(key, "")):
            text = text_of(form, key)
            document = document.put(text, "context", key) if text else document.remove("context", key)
    if "threshold" in form:
        share = _share(text_of(form, "threshold"))
        if share is None and "threshold" in there and not text_of(form, "threshold"):
            document = document.remove("context", "threshold")
        elif share is not None and share != there.get("threshold"):
            document = document.put(share, "context", "threshold")
    return document


def common_values(project: Project) -> tuple[dict[str, list[str]], int | None]:
    """Frequent values of each column, and the number of records, from the profile of the data; nothing where there is none."""
    profile = project.recall("profile")
    columns = profile.get("columns", []) if isinstance(profile, dict) else []
    common: dict[str, list[str]] = {}
    records = None
    for column in columns:
        values = [pair for pair in column.get("values", []) if isinstance(pair, list) and len(pair) == 2]
        frequent = sorted((pair for pair in values if pair[0]), key=lambda pair: -int(pair[1]))
        common[str(column.get("name"))] = [str(value) for value, _ in frequent[:_COMMON]]
        records = column.get("records", records)
    return common, records if isinstance(records, int) else None


def _addable(fit: Fitting, guarantees: list[dict[str, Any]]) -> list[str]:
    """A promise that names no column can be made once."""
    made = {str(guarantee.get("name")) for guarantee in guarantees}
    return [name for name in fit.names if name not in made or any(slot.column for slot in PROMISES[name].slots)]


def _columns(fit: Fitting, guarantees: list[dict[str, Any]]) -> list[str]:
    """To choose from; what the recipe names already among them, even if it does not fit."""
    named = [str(guarantee["column"]) for guarantee in guarantees if "column" in guarantee]
    return list(dict.fromkeys([*fit.columns, *named]))


def _guarantees(values: dict[str, Any]) -> list[dict[str, Any]]:
    promises = values.get("guarantee", [])
    return [dict(one) for one in promises if isinstance(one, dict)] if isinstance(promises, list) else []


def _section(values: dict[str, Any], name: str) -> dict[str, Any]:
    section = values.get(name, {})
    return section if isinstance(section, dict) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _as_number(text: str) -> int | float | str:
    """As the recipe has it; what is no number stays as it is, and the recipe says what is wrong with it."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _share(percent: str) -> float | None:
    """'1.5' of the page is 0.015 of the recipe, exactly."""
    try:
        value = Decimal(percent) / 100
    except InvalidOperation:
        return None
    return float(value) if value.is_finite() else None


def _percent(share: float) -> str:
    return f"{(Decimal(str(share)) * 100).normalize():f}"


_PAGE = "/r/{key}/promise"
ROUTES = [
    Route(_PAGE, page),
    Route(_PAGE, posted(_keep), methods=["POST"]),
    Route(f"{_PAGE}/next", posted(_next), methods=["POST"]),
    Route(f"{_PAGE}/add", posted(_add), methods=["POST"]),
    Route(f"{_PAGE}/usual", posted(_usual), methods=["POST"]),
    Route(f"{_PAGE}/remove/{{place:int}}", posted(_remove), methods=["POST"]),
]
