"""A JSON Schema of recipes, for editors: which keys there are, what they mean, which go together.

`recipe.schema.json` beside this module is what `python -m shoal.release.recipe.schema` writes; a test holds them together.
The schema refuses no recipe that shoal takes, but for names that other packages add; it does not see everything that
`Recipe` sees, such as whether a column is there.
"""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING, fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER = {"type": "number"}
_TYPES = {"int": "integer", "str": "string", "float": "number", "float | None": "number"}
_RISING = {"type": "array", "minItems": 1, "items": _NUMBER}
_BOUNDS = {
    "from": {**_NUMBER, "description": "the least value there can be, whatever the data holds"},
    "to": {**_NUMBER, "description": "the end, which is not included"},
    "decimals": {"type": "boolean", "description": "true: values need not be whole numbers"},
}
_VALUE = {"type": ["string", "integer"]}
_GROUP = {"$ref": "#/$defs/Group"}

# what stands behind the keys of each form of hierarchy; the keys themselves are those of `FORMS`
_FORMS: dict[str, dict[str, Any]] = {
    "intervals": {
        "intervals": {**_RISING, "description": "widths of ranges, one for each level: [5, 10, 20]"},
        **_BOUNDS,
    },
    "borders": {
        "borders": {
            "anyOf": [_RISING, {"type": "array", "minItems": 1, "items": _RISING}],
            "description": "where ranges begin, one list for each level: [[18, 30, 65], [30]]",
        },
        **_BOUNDS,
    },
    "dates": {"dates": {"type": "array", "minItems": 1, "description": "parts of the calendar, from fine to coarse"}},
    "mask": {
        "mask": {"enum": ["right", "left"], "description": "the side on which characters are hidden first"},
        "length": {"type": "integer", "minimum": 1, "description": "how many characters a value has"},
        "char": {"type": "string", "minLength": 1, "description": "what stands for a hidden character; * without it"},
    },
    "groups": {"groups": {**_GROUP, "description": "groups by name, of values or of further groups"}},
    "order": {
        "order": {"type": "array", "minItems": 1, "items": _VALUE, "description": "all values, lowest first"},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 2}, "description": "neighbours in a group"},
    },
}
_PARAMETERS = {
    "k": "how many records look the same, or fit",
    "l": "how different what is private must be",
    "t": "how far a class may be from the whole table, from 0 to 1",
    "m": "how many items or values of somebody are known",
    "n": "of how many pairs of values it is known how they belong together",
    "column": "the sensitive column",
}


def schema() -> dict[str, Any]:
    """The schema as shipped."""
    text = files("shoal.release.recipe").joinpath("recipe.schema.json").read_text(encoding="utf-8")
    shipped: dict[str, Any] = json.loads(text)
    return shipped


def make_schema() -> dict[str, Any]:
    """The schema as the sections, guarantees, methods and forms of hierarchies say it now (JSON Schema, draft 2020-12)."""
    from shoal.loss import LOSSES, SET_LOSSES
    from shoal.loss.trees.pair_loss import TreeDistance
    from shoal.methods.registry import METHODS
    from shoal.release.recipe.contents import Contents

    document = Contents.model_json_schema()
    defs = document["$defs"]
    defs["Hierarchy"], defs["Group"] = _hierarchy(), _group()
    defs["ColumnSpec"]["properties"]["hierarchy"] = {"$ref": "#/$defs/Hierarchy"}
    defs["GuaranteeSpec"] = {"type": "object", "required": ["name"], "oneOf": _guarantees()}
    own = [method for method in METHODS.values() if type(method).__module__.startswith("shoal.methods.")]
    defs["MethodSpec"] = {
        "type": "object",
        "oneOf": [
            _named(
                method.name,
                {key: {"description": text} for key, text in method.keys.items()} | _minimality(method.kind),
                [] if method.name == "auto" else ["name"],
                method.title,
            )
            for method in own
        ],
    }
    names = dict.fromkeys([*_ours(LOSSES), *_ours(SET_LOSSES), TreeDistance.name])
    defs["LossSpec"]["properties"]["name"] = {"enum": list(names), "default": "ncp"}
    _tidy(document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:shoal:recipe:1",
        "title": "shoal recipe",
        **document,
    }


def _minimality(kind: str) -> dict[str, Any]:
    """The key that all methods have for data whose classes can be decided by the quasi-identifiers alone."""
    from shoal.release.recipe.dialects import DIALECTS
    from shoal.release.recipe.sections import MethodSpec

    meaning = MethodSpec.model_fields["minimality"].description
    return {"minimality": {"const": "safe", "description": meaning}} if DIALECTS[kind].can_be_unsteered else {}


def _ours(registry: Mapping[str, Any]) -> list[str]:
    """Not what other packages add: the schema is the same wherever it is made."""
    return [
        name
        for name, entry in registry.items()
        if (entry if isinstance(entry, type) else type(entry)).__module__.startswith("shoal.")
    ]


def _named(name: str, keys: dict[str, Any], required: list[str], meaning: str) -> dict[str, Any]:
    return {
        "description": meaning,
        "properties": {"name": {"const": name}, **keys},
        "required": required,
        "additionalProperties": False,
    }


def _guarantees() -> list[dict[str, Any]]:
    from shoal.guarantees import GUARANTEES, listing

    ours = set(_ours(GUARANTEES))
    choices = []
    for row in listing():
        if row.name not in ours:
            continue
        dataclass = GUARANTEES[row.name]
        names = vars(sys.modules[dataclass.__module__])  # where a type such as "Variant" is written out
        keys = {
            field.name: _parameter(field.name, names.get(str(field.type), field.type)) for field in fields(dataclass)
        }
        needed = [field.name for field in fields(dataclass) if field.default is MISSING]
        choices.append(_named(row.name, keys, ["name", *needed], row.title))
    return choices


def _parameter(name: str, hint: Any) -> dict[str, Any]:
    meaning = {"description": _PARAMETERS[name]} if name in _PARAMETERS else {}
    choices = get_args(hint)
    if choices and all(isinstance(choice, str) for choice in choices):
        return {"enum": list(choices), **meaning}
    if hint not in _TYPES:
        raise TypeError(f"The schema of recipes has no word for `{name}`, a {hint}.")
    return {"type": _TYPES[hint], **meaning}


def _hierarchy() -> dict[str, Any]:
    from shoal.hierarchies.build import FORMS
    from shoal.hierarchies.dates import LEVELS

    forms: list[dict[str, Any]] = [{"type": "string", "minLength": 1, "description": "a file: ARX, anjana or Amnesia"}]
    for form, (_, keys) in FORMS.items():
        properties = {key: _FORMS[form][key] for key in keys}
        if form == "dates":
            properties["dates"] = {**properties["dates"], "items": {"enum": list(LEVELS)}}
        required = [form, *(key for key in ("from", "to") if key in keys)]
        forms.append({"type": "object", "properties": properties, "required": required, "additionalProperties": False})
    return {"description": "how values are blurred; without it a value is shown or hidden", "anyOf": forms}


def _group() -> dict[str, Any]:
    listed = {"type": "array", "minItems": 1, "items": {"anyOf": [_VALUE, _GROUP]}}
    named = {"type": "object", "minProperties": 1, "additionalProperties": _GROUP}
    return {"anyOf": [listed, named]}


def _tidy(node: Any) -> None:
    """Drop generated titles: editors show them instead of what a key means."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for item in node.values():
            _tidy(item)


if __name__ == "__main__":
    made = json.dumps(make_schema(), ensure_ascii=False, indent=2)
    Path(__file__).with_name("recipe.schema.json").write_text(made + "\n", encoding="utf-8")
