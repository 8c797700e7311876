"""Mistakes that pydantic found in a recipe, as sentences with the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from shoal.errors import did_you_mean
from shoal.release.recipe.sections import ColumnSpec

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MOST = 100  # mistakes that are named
_TEXT, _TRUTH, _WHOLE = "must be a text in quotes", "must be true or false, without quotes", "must be a whole number"
_NUMBER, _LIST, _TABLE = (
    "must be a number, without quotes",
    'must be a list in brackets: ["one", "two"]',
    "must be a table in braces: { key = value }",
)
_FORMS = {  # by what pydantic calls a mistake; its own sentences name classes of the code
    "string_type": _TEXT,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _TABLE,
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
}
_PROMISE = (
    'write `[[guarantee]]` in two pairs of brackets, and below it `name = "k-anonymity"` and `k = 5`, each in a line'
)


def sentences(mistakes: list[ErrorDetails], recipe: type[BaseModel]) -> list[str]:
    """Lines of 'key: what is wrong'. recipe: which keys there are."""
    lines = [line for one in mistakes[:_MOST] for line in _lines(one, recipe)]
    more = len(mistakes) - _MOST
    return [*lines, *([f"and {more:,} more mistakes."] if more > 0 else [])]


def _lines(mistake: ErrorDetails, recipe: type[BaseModel]) -> list[str]:
    place = mistake["loc"]
    key = ".".join(
        str(part) for at, part in enumerate(place) if at < 2 or not _is_choice(str(part))
    )  # a column may be named so
    message = str(mistake["msg"]).removeprefix("Value error, ")
    if mistake["type"] == "extra_forbidden":
        return [f"{key}: not a key of a recipe.{_known_keys(place, recipe)}"]
    if mistake["type"] == "missing":
        return [f"{key}: must be given{f'; {_PROMISE}' if key == 'guarantee' else ''}."]
    if key == "guarantee" and mistake["type"] in _FORMS:
        return [f"{key}: each promise is a table of its own; {_PROMISE}."]
    if len(place) == 2 and place[0] == "columns" and mistake["type"] in _FORMS:
        return [f'{key}: must say which role it has: {{ role = "quasi" }}.']
    if mistake["type"] in ("literal_error", "enum"):
        return [f"{key}: must be {mistake['ctx']['expected']}."]
    if mistake["type"] in _FORMS:
        return [f"{key}: {_FORMS[mistake['type']]}."]
    if mistake["type"] == "string_pattern_mismatch":
        return [f'{key}: must be a size such as "4GB" or "500MB".']
    if mistake["type"] == "value_error":
        return [f"{key}: {line}" if key else line for line in message.split("\n")]
    return [f"{key}: {message[0].lower()}{message[1:]}{'' if message.endswith('.') else '.'}"]


def _is_choice(part: str) -> bool:
    """Of several forms that a value may have, the one that was tried."""
    return part in ("str", "bool", "dict[str,any]") or part.startswith("literal[")


def _known_keys(place: tuple[Any, ...], recipe: type[BaseModel]) -> str:
    model: Any = recipe
    for part in place[:-1]:
        if not isinstance(part, str) or not hasattr(model, "model_fields"):
            break
        field = model.model_fields.get(part)
        if part == "columns":
            model = ColumnSpec
            break
        model = getattr(field, "annotation", None)
        for choice in getattr(model, "__args__", ()):
            if isinstance(choice, type) and issubclass(choice, BaseModel):
                model = choice
    if not hasattr(model, "model_fields"):
        return ""
    keys = list(model.model_fields)
    return f" Keys here: {', '.join(keys)}.{did_you_mean(str(place[-1]), keys)}"
