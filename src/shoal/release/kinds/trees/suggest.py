"""Nested records: what the classes of nodes are called, and which hangs below which.

In each list one class speaks for an element, that is, says what it is: its type, class, kind, name, code or the like, also as the
last word of a name (`visit_type`, `encounterClass`); else the first that is no number, date or time; else the first. The other
classes of the list hang below it, and so does what speaks for the lists inside. What lies in no list hangs below the person.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.data.lookalikes import appearance
from shoal.data.paths import FieldPath, shown
from shoal.data.schema import Role
from shoal.data.trees import TREE
from shoal.errors import RecipeError
from shoal.io.trees.nested import around_of
from shoal.io.trees.unfold import VALUE
from shoal.release.suggest.summary import Advice
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.release.kinds.wanted import Wanted
    from shoal.release.suggest.summary import Suggestion

_SPEAKS = ("type", "class", "kind", "name", "code", "display", "title", "label", "description", "category")
_HEADS = (*_SPEAKS, "status")  # a list is not called by it
_GLUED = ("type", "class", "kind", "category", "status")  # known without a mark before them too, as in `encounterclass`
_IDS = ("id", "ids", "key", "uid", "uuid", "number", "no", "nr")
_TIMES = ("date", "time", "datetime", "timestamp", "day", "month", "year", "start", "stop", "end", "begin")
_TELLS_LITTLE = frozenset((*_IDS, *_TIMES))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_]")
_RESERVED = {VALUE, TREE}

TIES = "ties tables together"

_IN_LIST = Advice("private, but in a list it is a class of nodes, or removed")

_CHOICE = """
# The promise is about trees: whoever knows up to m values of someone, and of n pairs of them which stands above which, finds at
# least k records that fit. m = 2 and n = 1 stand for "this clinic, that diagnosis, and it was there".
#   A class without a hierarchy is shown or left out. For codes and names write one (`shoal hierarchy check` tells whether it fits)
#   and give it at the class: hierarchy = "diagnoses.csv".
#   parent says below which class a class hangs; a class without one hangs below the person.
"""


def promise(private: Sequence[str]) -> list[str]:
    """k^(m,n)-anonymity, with diversity for every private fact. private: names of the sensitive columns."""
    lines = [_CHOICE.rstrip(), "", "[[guarantee]]", 'name = "kmn-anonymity"', "k = 5", "m = 2", "n = 1"]
    for name in private:
        promise = ["", "[[guarantee]]", 'name = "kmn-diversity"', "k = 5", "m = 2", "n = 1", "l = 2"]
        lines += [*promise, f"column = {inline(name)}"]
    return lines


def promises(wanted: Wanted) -> list[dict[str, Any]]:
    """Against somebody who knows m values of a person, and how n pairs of them belong together."""
    wanted.only("k", "l", "m", "n", about="nested records")
    if wanted.m is None or wanted.n is None:
        raise RecipeError("m and n: must be given: how many values, and how many pairs of them, somebody may know.")
    numbers = {"k": wanted.k, "m": wanted.m, "n": wanted.n}
    found: list[dict[str, Any]] = [{"name": "kmn-anonymity", **numbers}]
    if wanted.l is not None:
        found += [{"name": "kmn-diversity", **numbers, "l": wanted.l, "column": column} for column in wanted.private]
    return found


def names_of(paths: Sequence[FieldPath]) -> dict[FieldPath, str]:
    """A name for each path, by its last field; with the field before where that is taken."""
    names: dict[FieldPath, str] = {}
    taken: set[str] = set()
    for path in paths:
        for name in _candidates(path):
            if _look(name) not in taken and (_look(name) not in _RESERVED):
                names[path] = name
                taken.add(_look(name))
                break
    return names


def _candidates(path: FieldPath) -> Iterator[str]:
    fields = _fields(path)
    if path.parts[-2:-1] == (None,) and fields[-1] in _SPEAKS:
        yield fields[-2]  # what speaks for the elements of a list is called like the list
    for size in range(1, len(fields) + 1):
        yield "_".join(fields[-size:])
    yield str(path)
    number = 2
    while True:
        yield f"{'_'.join(fields)}_{number}"
        number += 1


def words_of(path: FieldPath) -> str:
    """What a field says of its values: `name` alone says less than `diagnosis name`."""
    return "_".join(_fields(path)[-2:])


def _fields(path: FieldPath) -> list[str]:
    return [part.lstrip("@#") or part for part in path.parts if part is not None]


def _look(name: str) -> str:
    return appearance(name).casefold()


def as_classes(suggestions: Mapping[FieldPath, Suggestion]) -> tuple[Suggestion, ...]:
    """The proposals for nested records: what could be recognised becomes a class of nodes in its place."""
    classes: dict[FieldPath, Suggestion] = {}
    for path, one in suggestions.items():
        if path.scope and one.role in (Role.SENSITIVE, Role.PLAIN):
            one = replace(one, role=Role.QUASI, advice=(_IN_LIST,))
        classes[path] = replace(one, path=str(path), kind="node" if one.role is Role.QUASI else "scalar")
    heads = _heads(classes)
    return tuple(replace(one, parent=_parent(path, one, heads)) for path, one in classes.items())


def _heads(classes: Mapping[FieldPath, Suggestion]) -> dict[tuple[str | None, ...], str]:
    """By list, the name of the class that speaks for its elements."""
    heads: dict[tuple[str | None, ...], tuple[int, str]] = {}
    for path, one in classes.items():
        if one.kind != "node" or not path.scope:
            continue
        rank = _rank(_fields(path)[-1], one)
        if path.scope not in heads or rank < heads[path.scope][0]:
            heads[path.scope] = (rank, one.name)
    return {scope: name for scope, (_, name) in heads.items()}


def _rank(name: str, one: Suggestion) -> int:
    """How well a field says what an element of its list is; the lower, the better."""
    if name.casefold() in _HEADS:
        return _HEADS.index(name.casefold())
    words = [word.casefold() for word in _WORDS.findall(name)]
    last = next((word for word in _GLUED if name.casefold().endswith(word)), words[-1] if words else "")
    if last in _HEADS:
        return len(_HEADS) + _HEADS.index(last)
    of_numbers = one.hierarchy is not None and bool({"dates", "intervals"} & one.hierarchy.keys())
    return 2 * len(_HEADS) + (of_numbers or not _TELLS_LITTLE.isdisjoint(words))


def _parent(path: FieldPath, one: Suggestion, heads: Mapping[tuple[str | None, ...], str]) -> str | None:
    if one.kind != "node" or not path.scope:
        return None
    scope = path.scope
    while scope:
        if scope in heads and heads[scope] != one.name:
            return heads[scope]
        scope = around_of(scope)
    return None


def not_read(path: FieldPath) -> str:
    """The reason beside a value that has no text form."""
    return f"{shown(path.parts)} holds no plain values"
