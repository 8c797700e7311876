"""The promises that a recipe can make, and what each is called. What a name does not explain is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from shoal.errors import RecipeError
from shoal.verifier.recipe.added import is_added


@dataclass(frozen=True)
class Form:
    """Of what data a promise speaks, its parameters, and its technical name."""

    kind: str
    technical: str
    least: Mapping[str, int] = field(default_factory=dict)  # of whole numbers
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the first is the one unless another is given
    column: bool = False  # whether it speaks of a sensitive column


_MODE = {"mode": ("strict", "pairwise")}
FORMS: dict[str, Form] = {
    "k-anonymity": Form("tables", "{k}-anonymity", {"k": 2}),
    "l-diversity": Form(
        "tables",
        "{variant} {l}-diversity of '{column}'",
        {"l": 2},
        {"variant": ("distinct", "entropy", "recursive")},
        column=True,
    ),
    "t-closeness": Form(
        "tables",
        "{t}-closeness of '{column}' ({distance} distance)",
        words={"distance": ("equal", "ordered", "hierarchical")},
        column=True,
    ),
    "k-matching": Form("sets", "{k}-matching", {"k": 2}),
    "l-matching": Form("sets", "matching {l}-diversity of '{column}'", {"l": 2}, column=True),
    "km-anonymity": Form("sets", "{k}^{m}-anonymity", {"k": 2, "m": 1}),
    "lm-diversity": Form("sets", "{l}^{m}-diversity of '{column}'", {"l": 2, "m": 1}, column=True),
    "k-km-anonymity": Form("mixed", "({k}, {k}^{m})-anonymity", {"k": 2, "m": 1}),
    "k-lm-diversity": Form("mixed", "({k}, {l}^{m})-diversity of '{column}'", {"k": 2, "l": 2, "m": 1}, column=True),
    "kmn-anonymity": Form("trees", "{mode} {k}^({m},{n})-anonymity", {"k": 2, "m": 1, "n": 0}, _MODE),
    "kmn-diversity": Form(
        "trees",
        "{mode} {k}^({m},{n})-anonymity with {form} {l}-diversity of '{column}'",
        {"k": 2, "m": 1, "n": 0, "l": 2},
        {"form": ("distinct", "frequency"), **_MODE},
        column=True,
    ),
}
_RECURSIVE = "recursive ({c}, {l})-diversity of '{column}'"


@dataclass(frozen=True)
class Guarantee:
    """One promise; its parameters are read like attributes: `guarantee.k`."""

    name: str
    parameters: Mapping[str, Any]

    @classmethod
    def read(cls, values: object, key: str) -> Guarantee:
        """From one `[[guarantee]]`. key: its place in the recipe, for messages."""
        given = dict(values) if isinstance(values, Mapping) else {}
        name = given.pop("name", None)
        form = FORMS.get(name) if isinstance(name, str) else None
        if form is None and isinstance(name, str) and is_added(name):
            return cls(name, MappingProxyType(given))
        if form is None or not isinstance(name, str):
            raise RecipeError(f"{key}.name: the verifier knows no such guarantee.")
        parameters = {word: given.pop(word, words[0]) for word, words in form.words.items()}
        wrong = [word for word, words in form.words.items() if parameters[word] not in words]
        for number, least in form.least.items():
            value = parameters[number] = given.pop(number, None)
            if name == "l-diversity" and parameters["variant"] == "entropy":
                if not _is_number(value) or value <= 1:
                    wrong.append(number)
            elif isinstance(value, bool) or not isinstance(value, int) or value < least:
                wrong.append(number)
        if form.column:
            parameters["column"] = given.pop("column", None)
            if not isinstance(parameters["column"], str) or not parameters["column"]:
                wrong.append("column")
        if name == "t-closeness":
            parameters["t"] = given.pop("t", None)
            if not _is_number(parameters["t"]) or not 0 <= parameters["t"] < 1:
                wrong.append("t")
        if name == "l-diversity":
            c = parameters["c"] = given.pop("c", None)
            recursive = parameters["variant"] == "recursive"
            if (c is not None) != recursive or (recursive and not (_is_number(c) and c > 0)):
                wrong.append("c")
        if wrong or given:
            listed = ", ".join(f"`{one}`" for one in [*wrong, *map(str, given)])
            raise RecipeError(f"{key}: the verifier cannot read {listed} of {name}.")
        return cls(name, MappingProxyType(parameters))

    def __getattr__(self, name: str) -> Any:
        parameters = self.__dict__.get("parameters", {})
        if name not in parameters:
            raise AttributeError(name)
        return parameters[name]

    @property
    def kind(self) -> str:
        """Of what data it speaks."""
        return FORMS[self.name].kind if self.name in FORMS else "tables"  # others can add promises about tables

    @property
    def sensitive(self) -> str | None:
        """The column whose values it protects, if any."""
        column: str | None = self.parameters.get("column")
        return column

    def technical(self) -> str:
        """As an auditor says it: "5-anonymity"."""
        if self.name not in FORMS:
            return added_name(self.name, self.parameters)
        form = _RECURSIVE if self.parameters.get("variant") == "recursive" else FORMS[self.name].technical
        return form.format(**self.parameters)


def added_name(name: str, parameters: Mapping[str, Any]) -> str:
    """Of a promise that another package knows: what the recipe says, in one order."""
    listed = ", ".join(f"{key} = {parameters[key]!r}" for key in sorted(parameters))
    return f"{name} ({listed})" if listed else name


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
