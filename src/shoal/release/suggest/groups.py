"""Groups for values that mean the same in many files: countries by continent, schooling, marital status and the like."""

from __future__ import annotations

import csv
import io
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# Below this share of known values the column is something else, and a list of exceptions would be no help.
_KNOWN_SHARE = 0.6


def groups_for(kind: str, values: Sequence[str]) -> tuple[dict[str, Any], int] | None:
    """The values of a column in named groups, and how many of them went to a group of their own for want of a better.

    `values` are all values of the column: a hierarchy has to cover them. None when most of them are unknown.
    """
    table = _table(kind)
    paths = {value: table.get(_key(value)) for value in values}
    strangers = sum(path is None for path in paths.values())
    if not table or len(values) < 3 or strangers > (1 - _KNOWN_SHARE) * len(values) or "*" in paths:
        return None
    labels = {label for path in table.values() for label in path}
    # A group may not have the name of a value.
    named = {label: f"{label} (group)" if label in paths else label for label in {*labels, "Other"}}
    groups: dict[str, Any] = {}
    place = {key: position for position, key in enumerate(table)}
    for value in sorted(values, key=lambda value: (place.get(_key(value), len(place)), value)):
        path = paths[value] or ("Other",)
        inside = groups
        for label in path[:-1]:
            inside = inside.setdefault(named[label], {})
        inside.setdefault(named[path[-1]], []).append(value)
    if len(groups) == 1:
        return None  # one group for all is the top
    return groups, strangers


def two_letter_codes(values: Sequence[str]) -> bool:
    """Country codes, among which NA is Namibia."""
    return bool(values) and all(len(value) == 2 and value.isalpha() and value.isupper() for value in values)


def _key(value: str) -> str:
    plain = unicodedata.normalize("NFKD", value).casefold()
    return "".join(sign for sign in plain if sign.isalnum() and not unicodedata.combining(sign))


@cache
def _table(kind: str) -> dict[str, tuple[str, ...]]:
    """Value → the names of its groups, the widest first."""
    here = files(__package__)
    if kind == "country":
        rows = csv.DictReader(io.StringIO(here.joinpath("countries.csv").read_text("utf-8")))
        return {
            _key(spelling): (row["continent"],)
            for row in rows
            for spelling in (row["alpha2"], row["alpha3"], *row["names"].split("|"))
        }
    known = tomllib.loads(here.joinpath("groups.toml").read_text("utf-8"))
    return dict(_walk(known[kind], ())) if kind in known else {}


def _walk(group: dict[str, Any], above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    values = [(_key(value), above) for value in group.get("values", ())]
    for label, inside in group.items():
        if label != "values":
            values += _walk(inside, (*above, label))
    return values
