"""The recipe: a TOML file that says what is read, what is promised, how, and where the release goes.

All mistakes are collected and reported at once, each with its key. A recipe can also be built in Python:

>>> recipe = Recipe.of({
...     "columns": {"age": {"role": "quasi"}, "name": {"role": "identifying"}},
...     "guarantee": [{"name": "k-anonymity", "k": 5}],
... })
>>> recipe.guarantees[0].technical()
'5-anonymity'
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from shoal.data.schema import Column, Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees import guarantee_from
from shoal.guarantees.guarantee import Guarantee
from shoal.hierarchies.build import problems as hierarchy_problems
from shoal.loss import LOSSES

HierarchySpec = str | dict[str, Any]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Input(_Section):
    path: str
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    missing: list[str] = Field(default=[], description="texts that mean: no value")
    multiline: bool = Field(default=False, description="whether quoted CSV fields may contain line breaks")


class Output(_Section):
    path: str
    spreadsheet_safe: bool = Field(default=False, description="escape cells that a spreadsheet would run as a formula")

    @field_validator("path")
    @classmethod
    def _format(cls, path: str) -> str:
        if not path.endswith((".csv", ".parquet")):
            raise ValueError("must end in .csv or .parquet.")
        return path


class ColumnSpec(_Section):
    role: Role = Field(strict=False)
    kind: Literal["value"] = "value"
    hierarchy: HierarchySpec | None = None
    reason: str = Field(default="", description="why the column has this role; printed in the report")
    suggested: bool = Field(default=False, description="written by `shoal init`, not yet confirmed by a person")

    @field_validator("hierarchy")
    @classmethod
    def _sound(cls, spec: HierarchySpec | None) -> HierarchySpec | None:
        faults = hierarchy_problems(spec)
        if faults:
            raise ValueError("\n".join(faults))
        return spec

    @property
    def states_its_values(self) -> bool:
        """Whether the hierarchy names its raw values without a look at the data: a file, groups or an order."""
        return isinstance(self.hierarchy, str) or bool(self.hierarchy and {"groups", "order"} & self.hierarchy.keys())


class GuaranteeSpec(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @model_validator(mode="after")
    def _sound(self) -> Self:
        try:
            guarantee_from(self.name, **(self.model_extra or {}))
        except RecipeError as mistakes:
            raise ValueError("\n".join(mistakes.problems)) from None
        return self


class MethodSpec(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    name: str = "auto"

    @model_validator(mode="after")
    def _sound(self) -> Self:
        from shoal.methods.registry import METHODS, method_from

        known = list(METHODS)
        if self.name not in known:
            raise ValueError(
                f"no method is called '{self.name}'. Methods: {', '.join(known)}.{did_you_mean(self.name, known)}"
            )
        problems = method_from(self.name).problems(self.options)
        if problems:
            raise ValueError("\n".join(problems))
        return self

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class LossSpec(_Section):
    name: str = "ncp"
    column: str | None = Field(
        default=None, description="the sensitive column that holds the labels, for the loss 'ce'"
    )
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False, strict=False)]] = {}

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in LOSSES:
            raise ValueError(f"no loss is called '{name}'. Losses: {', '.join(LOSSES)}.{did_you_mean(name, LOSSES)}")
        return name


class Suppression(_Section):
    limit: float = Field(default=0.0, strict=False)

    @field_validator("limit")
    @classmethod
    def _fraction(cls, limit: float) -> float:
        if limit > 1:
            raise ValueError(f"is a fraction of the records, not a percentage: for {limit:g} % write {limit / 100:g}.")
        if not 0 <= limit < 1:
            raise ValueError("must be at least 0 and below 1.")
        return limit


class Context(_Section):
    access: Literal["public", "restricted", ""] = ""
    recipients: str = ""
    purpose: str = ""
    controller: str = ""
    next_review: str = ""
    threshold: float | None = Field(default=None, gt=0, le=1, description="the chance of recognition to compare with")


class EngineSpec(_Section):
    name: Literal["local"] = "local"
    memory: Annotated[str, Field(pattern=r"^\d+(\.\d+)? ?([KMGT]i?B)$")] | None = Field(
        default=None, description='the most memory the engine may use, for example "4GB"'
    )
    threads: Annotated[int, Field(ge=1)] | None = None


class Recipe(_Section):
    shoal: Literal[1] = 1
    missing: Literal["value", "refuse"] = "value"
    input: Input | None = None
    output: Output | None = None
    columns: dict[str, ColumnSpec]
    guarantee: list[GuaranteeSpec]
    method: MethodSpec = MethodSpec()
    loss: LossSpec = LossSpec()
    suppression: Suppression = Suppression()
    context: Context = Context()
    engine: EngineSpec = EngineSpec()

    @model_validator(mode="after")
    def _sound(self) -> Self:
        problems = self._problems()
        if problems:
            raise ValueError("\n".join(problems))
        return self

    _folder: Path | None = PrivateAttr(default=None)
    _text: str | None = PrivateAttr(default=None)

    # ---- reading -----------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Path | str) -> Recipe:
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise RecipeError(f"There is no recipe at {path}. `shoal init DATA` writes one.") from None
        except (OSError, UnicodeDecodeError) as reason:
            raise RecipeError(f"{path.name} cannot be read as text: {type(reason).__name__}.") from None
        return cls.from_toml(text, path.resolve().parent)

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None) -> Recipe:
        try:
            values = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as reason:
            raise RecipeError(f"The recipe is not valid TOML: {reason}") from None
        recipe = cls.of(values)
        recipe._folder, recipe._text = folder, text
        return recipe

    @classmethod
    def of(cls, values: dict[str, Any] | Recipe) -> Recipe:
        """From nested dictionaries, with all mistakes reported at once."""
        if isinstance(values, Recipe):
            return values
        try:
            return cls.model_validate(values)
        except ValidationError as mistakes:
            told = [line for one in mistakes.errors(include_url=False, include_input=False) for line in _sentences(one)]
            raise RecipeError(*told) from None

    # ---- what it says ------------------------------------------------------------------------------------------------

    @property
    def schema_(self) -> Schema:
        return Schema(tuple(Column(name, spec.role) for name, spec in self.columns.items()))

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return tuple(guarantee_from(g.name, **(g.model_extra or {})) for g in self.guarantee)

    @property
    def smallest_class(self) -> int:
        """The k that is promised: the least number of records that may share a published combination."""
        return max([2, *(getattr(g, "k", 2) for g in self.guarantees), *(getattr(g, "l", 2) for g in self.guarantees)])

    @property
    def suppression_limit(self) -> Fraction:
        return Fraction(str(self.suppression.limit))

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        return tuple(name for name, spec in self.columns.items() if spec.suggested)

    @property
    def folder(self) -> Path:
        """Paths in a recipe are relative to its file; of a recipe built in Python, to the current folder."""
        return self._folder or Path.cwd()

    @property
    def text(self) -> str:
        """As written, or as JSON when it was built in Python."""
        return self._text if self._text is not None else self.model_dump_json(exclude_defaults=True)

    def resolve(self, path: str) -> Path:
        return self.folder / path

    # ---- checking ----------------------------------------------------------------------------------------------------

    def _problems(self) -> list[str]:
        """What is wrong between the sections; each section has checked itself."""
        problems = []
        roles = {name: spec.role for name, spec in self.columns.items()}
        quasi = [name for name, role in roles.items() if role is Role.QUASI]
        if not quasi:
            problems.append("columns: no column has the role 'quasi'. Which ones could others know about a person?")
        if not self.guarantee:
            problems.append('guarantee: nothing is promised. Add [[guarantee]] with name = "k-anonymity" and k = 5.')
        for i, made in enumerate(self.guarantees):
            column = made.sensitive
            if column is not None and column not in roles:
                problems.append(f"guarantee.{i}.column: there is no column '{column}'.{did_you_mean(column, roles)}")
            elif column is not None and roles[column] is not Role.SENSITIVE:
                problems.append(
                    f"guarantee.{i}.column: '{column}' has the role '{roles[column]}'; it must be 'sensitive'."
                )
            if (
                getattr(made, "distance", "") == "hierarchical"
                and column in roles
                and self.columns[column].hierarchy is None
            ):
                problems.append(
                    f"columns.{column}.hierarchy: must be given for t-closeness with hierarchical distance."
                )
        problems += [
            f"loss.weights: '{name}' is not a quasi-identifying column.{did_you_mean(name, quasi)}"
            for name in self.loss.weights
            if name not in quasi
        ]
        problems += self._label_problems(roles)
        if self.loss.weights and not any(self.loss.weights.get(name, 1) for name in quasi):
            problems.append("loss.weights: all weights are 0; at least one must be positive.")
        for name, spec in self.columns.items():
            if spec.hierarchy is not None and spec.role not in (Role.QUASI, Role.SENSITIVE):
                problems.append(f"columns.{name}.hierarchy: a column with the role '{spec.role}' has no use for one.")
        return problems

    def _label_problems(self, roles: dict[str, Role]) -> list[str]:
        column = self.loss.column
        if column is None:
            needed = (
                'loss.column: must be given for the loss "ce"; it names the sensitive column that holds the labels.'
            )
            return [needed] if self.loss.name == "ce" else []
        if column not in roles:
            return [f"loss.column: there is no column '{column}'.{did_you_mean(column, roles)}"]
        if roles[column] is not Role.SENSITIVE:
            return [f"loss.column: '{column}' has the role '{roles[column]}'; it must be 'sensitive'."]
        return []


def _sentences(mistake: Any) -> list[str]:
    """One pydantic error as lines of 'key: what is wrong'."""
    place = mistake["loc"]
    key = ".".join(str(part) for part in place if part not in ("str", "dict[str,any]"))
    message = str(mistake["msg"]).removeprefix("Value error, ")
    if mistake["type"] == "extra_forbidden":
        return [f"{key}: not a key of a recipe.{_known_keys(place)}"]
    if mistake["type"] == "missing":
        return [f"{key}: must be given."]
    if mistake["type"] == "string_pattern_mismatch":
        return [f'{key}: must be a size such as "4GB" or "500MB".']
    if mistake["type"] == "value_error":
        return [f"{key}: {line}" if key else line for line in message.splitlines()]
    return [f"{key}: {message[0].lower()}{message[1:]}{'' if message.endswith('.') else '.'}"]


def _known_keys(place: tuple[Any, ...]) -> str:
    model: Any = Recipe
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
