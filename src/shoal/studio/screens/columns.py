"""The page "columns": what each column holds, what it seems to be, and what a person says it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.routing import Route

from shoal.errors import RecipeError, ShoalError
from shoal.release.editing.roles import ROLES, save_columns, with_role
from shoal.report.charts.small import small_bars, tree_of_classes
from shoal.report.words import ROLE
from shoal.studio.handlers import go, posted, project_of, text_of, texts_of
from shoal.studio.looks import profile_of, suggestions_of
from shoal.studio.pages import render_step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.release.looking.profile import ColumnProfile
    from shoal.studio.projects import Project


_FATES = {"identifying": " (removed)", "quasi": " (blurred)", "sensitive": " (protected)", "plain": ""}
_UNSAID = "nothing says what it is"
_OWN = "nearly every record has a value of its own"  # which the page says by itself


def page(request: Request) -> Response:
    """As the recipe is now."""
    return _page(request, project_of(request))


def _page(request: Request, project: Project, fault: ShoalError | None = None) -> Response:
    document = project.document()
    try:
        profile = profile_of(project)
        seen = {one.name: one for one in profile.columns}
        records = profile.records - _empty(project, profile.reading)
    except ShoalError as reason:
        fault, seen, records = fault or reason, {}, 0
    entries, suggestions = document.columns, suggestions_of(project)
    cards = [
        _card(place, name, entry, suggestions.get(name, {}), seen.get(name))
        for place, (name, entry) in enumerate(entries.items())
    ]
    parents = {name: entry.get("parent") for name, entry in entries.items() if entry.get("kind") == "node"}
    waiting = [card for card in cards if card["state"] != "confirmed"]
    clear = {role: sum(card["role"] == role for card in waiting if card["state"] == "suggested") for role in ROLES}
    risk = project.recall("aim") == "risk"
    return render_step(
        request,
        project,
        "columns.html.jinja",
        step="columns",
        status=200 if fault is None else 422,
        document=document,
        fault=fault,
        cards=cards,
        records=records,
        roles=[(role, words) for role, (words, _) in ROLE.items()],
        fates=_FATES,
        clear={role: count for role, count in clear.items() if count},
        waiting=len(waiting),
        unclear=sum(card["state"] == "unclear" for card in waiting),
        tree=Markup(tree_of_classes(parents, "The classes of a record")) if parents else "",
        following=("risk", "Risk today") if risk else ("blur", "Blur rules"),
    )


def _empty(project: Project, reading: str) -> int:
    """Rows without any value, which are no records, as far as that was looked at."""
    rows = project.recall("rows")
    return int(rows.get("empty", 0)) if isinstance(rows, dict) and rows.get("reading") == reading else 0


def _card(
    place: int, name: str, entry: Mapping[str, Any], suggestion: Mapping[str, Any], seen: ColumnProfile | None
) -> dict[str, Any]:
    suggested = entry.get("suggested", False)
    role = str(entry.get("role", ""))
    codes = list(dict.fromkeys([*_texts(entry.get("missing")), *_texts(suggestion.get("codes"))]))
    bars = () if seen is None else tuple((bar.label, bar.records) for bar in seen.bars)
    others = seen is not None and seen.distinct > len(bars) and not (seen.numeric or seen.dates)
    drawn = bars[:-1] if others else bars
    unique = seen is not None and seen.nearly_unique
    return {
        "place": place,
        "name": name,
        "path": entry.get("path", ""),
        "role": role,
        "kind": entry.get("kind", "value"),
        "state": "unclear" if suggested == "unclear" else "suggested" if suggested else "confirmed",
        "why": _why(suggestion),
        "two_ways": len(suggestion.get("written", [])) > 1 and not entry.get("written") and bool(suggested),
        "reason": entry.get("reason", ""),
        "accepted": bool(entry.get("accept_unique")),
        "codes": [(number, code, code in _texts(entry.get("missing"))) for number, code in enumerate(codes)],
        "seen": seen,
        "bars": bars,
        "picture": Markup(small_bars(drawn, f"How often the values of {name} occur")) if drawn else "",
        "unique": unique,
        "open": unique and role in ("sensitive", "plain"),
    }


def _why(suggestion: Mapping[str, Any]) -> list[str]:
    """Sentences on what the column seems to be, and what to know before it is confirmed."""
    what = suggestion.get("what", "")
    first = [] if not what else [f"{what}." if what == _UNSAID else f"It seems to be {what}."]
    advice = [one["text"] for one in suggestion.get("advice", [])]
    said = [*first, *(f"{text}." for text in advice if text != _OWN and "written = " not in text)]
    return [text[0].upper() + text[1:] for text in said]


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _change(request: Request, form: FormData) -> Response:
    """All roles as they are chosen now; and some columns confirmed: one, those that are ticked, or all of a role."""
    project = project_of(request)
    before = project.document()
    suggestions = suggestions_of(project)
    names = list(before.columns)
    try:
        columns: dict[str, dict[str, Any]] = {name: dict(entry) for name, entry in before.columns.items()}
        for place, name in enumerate(names):
            role = text_of(form, f"role-{place}")
            if role and role != columns[name].get("role"):
                columns = with_role(columns, name, role)
            if f"more-{place}" in form:
                _more(columns[name], form, place, _texts(suggestions.get(name, {}).get("codes")))
        confirmed, role = _confirmed(form, names, columns)
        for name in confirmed:
            if role:
                columns = with_role(columns, name, role)
            columns[name].pop("suggested", None)
        after = save_columns(before, columns)
    except ShoalError as fault:
        return _page(request, project, fault)
    project.save(before, after.at_revision(text_of(form, "revision") or "none"))
    onward = text_of(form, "go")
    return go(f"/r/{project.key}/{onward if onward.isalpha() else 'columns'}")


def _confirmed(form: FormData, names: list[str], columns: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], str]:
    """Which columns are confirmed, and with which role where that is said for a selection."""
    asked = text_of(form, "confirm")
    if asked.isdigit() and int(asked) < len(names):
        return [names[int(asked)]], ""
    if asked == "ticked":
        ticked = [
            names[int(number)] for number in texts_of(form, "pick") if number.isdigit() and int(number) < len(names)
        ]
        if not ticked:
            raise RecipeError("No column is ticked. Tick those that you want to confirm, at the left of their names.")
        role = text_of(form, "all-role")
        return ticked, role if role in ROLES else ""
    if asked in ROLES:  # what is unclear stays for a person to look at
        return [
            name for name in names if columns[name].get("role") == asked and columns[name].get("suggested") is True
        ], ""
    return [], ""


def _more(entry: dict[str, Any], form: FormData, place: int, suggested: list[str]) -> None:
    """Codes for missing values, and whether people may be told apart by the column."""
    codes = list(dict.fromkeys([*_texts(entry.get("missing")), *suggested]))
    ticked = {int(number) for number in texts_of(form, f"code-{place}") if number.isdigit()}
    kept = [code for number, code in enumerate(codes) if number in ticked]
    extra = text_of(form, f"extra-{place}")
    kept = list(dict.fromkeys([*kept, *([extra] if extra else [])]))
    _put(entry, "missing", kept)
    reason = text_of(form, f"reason-{place}")
    _put(entry, "reason", reason)
    if f"unique-{place}" in form and entry.get("role") in ("sensitive", "plain"):
        if not reason:
            raise RecipeError(
                "Write why people may be told apart by the column. The reason is printed on page 1 of the report."
            )
        entry["accept_unique"] = True
    else:
        entry.pop("accept_unique", None)
    kind = text_of(form, f"kind-{place}")
    if kind in ("value", "set") and entry.get("kind", "value") in ("value", "set"):
        _put(entry, "kind", "set" if kind == "set" else "")
        if kind == "set" and isinstance(entry.get("hierarchy"), dict):
            entry.pop("hierarchy")
        if kind == "set":
            entry.pop("written", None)


def _put(entry: dict[str, Any], key: str, value: Any) -> None:
    if value:
        entry[key] = value
    else:
        entry.pop(key, None)


ROUTES = [Route("/r/{key}/columns", page), Route("/r/{key}/columns/change", posted(_change), methods=["POST"])]
