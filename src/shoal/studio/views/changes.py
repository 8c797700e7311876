"""What a person can change of a rule: from the fields of a form to the rule as a recipe says it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import HierarchyError
from shoal.release.editing.groups import FOLDER
from shoal.release.editing.ranges import Ranges, numbers_in
from shoal.release.editing.rules import DATE_STEPS
from shoal.studio.handlers import text_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from starlette.datastructures import FormData

    from shoal.studio.views.rule import Rule

LARGEST_FILE = 64 << 20  # bytes of a hierarchy file


def _ranges(rule: Rule, form: FormData) -> Any:
    """The borders of all steps, as the fields have them."""
    now = rule.ranges or Ranges.suggested(rule.counts)
    low, high = _ends(form)
    levels = [sorted(set(numbers_in(text_of(form, f"borders-{step}"), "Borders"))) for step in range(len(now.levels))]
    changed = now if [list(level) for level in now.levels] == levels else now.with_levels(levels)
    return changed.with_ends(low, high).spec


def _equal(rule: Rule, form: FormData) -> Any:
    widths = numbers_in(text_of(form, "widths"), "Widths")
    low, high = _ends(form)
    decimals = rule.ranges.decimals if rule.ranges else Ranges.suggested(rule.counts).decimals
    if not widths:
        raise HierarchyError("Widths: write at least one, for example 5, 10, 20.")
    return Ranges(low, high, (), decimals, tuple(widths)).spec


def _ends(form: FormData) -> tuple[Fraction, Fraction]:
    ends = [numbers_in(text_of(form, key), name) for key, name in (("from", "Begins at"), ("to", "Ends before"))]
    if any(len(end) != 1 for end in ends):
        raise HierarchyError("Begins at, Ends before: write one number each.")
    return ends[0][0], ends[1][0]


def _round(rule: Rule, form: FormData) -> Any:
    units = numbers_in(text_of(form, "unit"), "Round to")
    if len(units) != 1:
        raise HierarchyError("Round to: write one number, for example 5.")
    return _drawn(rule).rounded(units[0]).spec


def _coarser(rule: Rule, form: FormData) -> Any:
    return _drawn(rule).coarser().spec


def _without(rule: Rule, form: FormData) -> Any:
    if len(_drawn(rule).levels) < 2:
        raise HierarchyError("This is the only step. To hide the values entirely, choose that rule.")
    return _drawn(rule).without(rule.drawn).spec


def _drawn(rule: Rule) -> Ranges:
    if rule.ranges is None or not rule.ranges.levels:
        raise HierarchyError("There are no borders to change. Write the widths of the ranges instead.")
    return rule.ranges


def _dates(rule: Rule, form: FormData) -> Any:
    ticked = texts_of(form, "date")
    levels = [level for level in DATE_STEPS if level in ticked]
    if not levels:
        raise HierarchyError("Tick at least one step. To hide the days entirely, choose that rule.")
    return {"dates": levels}


def _characters(rule: Rule, form: FormData) -> Any:
    before = rule.spec if isinstance(rule.spec, dict) and "mask" in rule.spec else {}
    length = text_of(form, "length")
    if length and not length.isdecimal():
        raise HierarchyError("Characters of the longest code: write a whole number, or leave it empty.")
    side = "left" if text_of(form, "side") == "left" else "right"
    rest = {key: value for key, value in before.items() if key not in ("mask", "length")}
    return {"mask": side, **({"length": int(length)} if length else {}), **rest}


def _put(rule: Rule, form: FormData) -> Any:
    return _grouped(rule, rule.grouping.put(_values(rule, form), _names(rule, form), text_of(form, "name")))


def _take_out(rule: Rule, form: FormData) -> Any:
    return _grouped(rule, rule.grouping.take_out(_values(rule, form), _names(rule, form)))


def _grouped(rule: Rule, grouping: Any) -> Any:
    if rule.is_partial:
        raise HierarchyError("The column has too many values to group them here. Write a hierarchy file.")
    return grouping.spec([value for value, _ in rule.counts], rule.name, rule.folder)


def _values(rule: Rule, form: FormData) -> list[str]:
    """Those that are ticked; with `found`, all that were searched for."""
    if text_of(form, "reading") != (rule.reading or ""):
        raise HierarchyError("The data was read anew meanwhile, and its values are others. Tick them again.")
    numbers = set(rule.ticked) | (set(rule.found) if text_of(form, "found") and rule.search else set())
    return [rule.counts[number][0] for number in sorted(numbers)]


def _names(rule: Rule, form: FormData) -> list[str]:
    names = rule.grouping.names()
    return [names[int(tick)] for tick in texts_of(form, "group") if tick.isdecimal() and int(tick) < len(names)]


def _order(rule: Rule, form: FormData) -> Any:
    raw = form.get("order")
    lines = raw.replace("\r\n", "\n").split("\n") if isinstance(raw, str) else []
    sizes = numbers_in(text_of(form, "sizes"), "Neighbours")
    if any(size.denominator != 1 for size in sizes):
        raise HierarchyError("Neighbours: write whole numbers, for example 2, 4.")
    return {"order": [line for line in lines if line], "sizes": [int(size) for size in sizes]}


def _file(rule: Rule, form: FormData) -> Any:
    typed = text_of(form, "path")
    if not typed:
        raise HierarchyError("Write where the file is, or drop it here.")
    place = rule.folder / Path(typed).expanduser()
    if not place.is_file():
        raise HierarchyError("There is no such file. Write its path, or its name if it lies beside the recipe.")
    try:
        return str(place.resolve().relative_to(rule.folder.resolve()))
    except ValueError:
        return str(place)


def uploaded(rule: Rule, name: str, content: bytes) -> Any:
    """A file that was dropped: kept beside the recipe, under a name that says what it holds."""
    if not content:
        raise HierarchyError("Choose a file first; this one is empty.")
    if len(content) > LARGEST_FILE:
        raise HierarchyError(f"A hierarchy file has at most {LARGEST_FILE >> 20} MB.")
    path = Path(name.replace("\\", "/"))
    stem = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in path.stem)[:60] or "hierarchy"
    ending = path.suffix if path.suffix[1:].isalnum() and len(path.suffix) < 8 else ".csv"
    place = rule.folder / FOLDER / f"{stem}-{hashlib.sha256(content).hexdigest()[:8]}{ending}"
    try:
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    except OSError as reason:
        raise HierarchyError(f"The file cannot be kept beside the recipe: {reason.strerror}.") from None
    return f"{FOLDER}/{place.name}"


# by the end of the address that a form is sent to
CHANGES: dict[str, Callable[[Rule, FormData], Any]] = {
    "ranges": _ranges,
    "equal": _equal,
    "round": _round,
    "coarser": _coarser,
    "without": _without,
    "dates": _dates,
    "characters": _characters,
    "put": _put,
    "take-out": _take_out,
    "order": _order,
    "file": _file,
}
