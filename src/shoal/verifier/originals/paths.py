"""Where values lie in a nested record: `visits[].diagnoses[].code`, as the reference of recipes writes it.

Names of fields are joined by dots, `[]` stands after a list, and a name with a dot, a bracket or a quote in it is written in double
quotes, with `""` for a quote. Parts are the names in their order, and None for `[]`: "of each element".

All paths of a recipe together are a tree: below each part what may come after it, and nothing below a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable

Parts = tuple[str | None, ...]
Wanted = dict[str | None, Any]  # by part, what is wanted below it; {} below a value

_MOST = 100  # parts


def parts_of(text: str) -> Parts:
    """The parts of a path that a recipe states."""
    parts: list[str | None] = []
    left = text
    while True:
        name, left = _name(left, text)
        parts.append(name)
        while left.startswith("[]"):
            parts.append(None)
            left = left[2:]
        if not left:
            break
        if not left.startswith("."):
            raise _fault(text)
        left = left[1:]
    if len(parts) > _MOST:
        raise _fault(text)
    return tuple(parts)


def _name(left: str, text: str) -> tuple[str, str]:
    if left.startswith('"'):
        end = 1
        while True:
            end = left.find('"', end)
            if end < 0:
                raise _fault(text)
            if not left.startswith('""', end):
                break
            end += 2
        name, left = left[1:end].replace('""', '"'), left[end + 1 :]
    else:
        size = next((place for place, sign in enumerate(left) if sign in '."[]'), len(left))
        name, left = left[:size], left[size:]
    if not name:
        raise _fault(text)
    return name, left


def _fault(text: str) -> RecipeError:
    return RecipeError(
        f"columns: the path '{text}' is not names of fields joined by dots, with [] after a list: visits[].diagnoses[].code."
    )


def lists_of(parts: Parts) -> Parts:
    """Up to the last list: values with the same lists belong to the same element."""
    places = [place for place, part in enumerate(parts) if part is None]
    return parts[: places[-1] + 1] if places else ()


def path_text(parts: Parts) -> str:
    """For messages."""
    text = ""
    for part in parts:
        if part is None:
            text += "[]"
        else:
            name = '"' + part.replace('"', '""') + '"' if any(sign in '."[]' for sign in part) else part
            text += f".{name}" if text else name
    return text


def wanted_of(paths: Iterable[Parts]) -> Wanted:
    """The tree of all paths."""
    tree: Wanted = {}
    for parts in paths:
        place = tree
        for part in parts:
            place = place.setdefault(part, {})
    _check(tree, ())
    return tree


def _check(tree: Wanted, parts: Parts) -> None:
    if None in tree and len(tree) > 1:
        raise RecipeError(f"columns: '{path_text(parts)}' cannot be a list and have fields.")
    for part, below in tree.items():
        _check(below, (*parts, part))
