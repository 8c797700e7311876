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
from typing import Any, Literal, Self

from pydantic import BaseModel, PrivateAttr, ValidationError, model_validator

from shoal.data.schema import Column, Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees import guarantee_from, misplaced
from shoal.guarantees.guarantee import Guarantee
from shoal.io.location import Location, has_pattern, is_uri
from shoal.release.recipe_mixed import METHOD_FOR_BOTH, mixed_problems
from shoal.release.recipe_sets import choice_problems, method_for_sets, set_problems
from shoal.release.recipe_trees import METHOD_FOR_TREES, input_problems, method_problems, tree_problems
from shoal.release.sections import (
    ColumnSpec,
    Context,
    EngineName,
    EngineSpec,
    GuaranteeSpec,
    Input,
    LossSpec,
    MethodSpec,
    Output,
    Section,
    Suppression,
    on_engine,
)


class Recipe(Section):
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
    def load(cls, path: Path | str, *, engine: EngineName | None = None) -> Recipe:
        """`engine`: run on this one, whatever the recipe says. What it says for the other engine does not count then."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise RecipeError(f"There is no recipe at {path}. `shoal init DATA` writes one.") from None
        except (OSError, UnicodeDecodeError) as reason:
            raise RecipeError(f"{path.name} cannot be read as text: {type(reason).__name__}.") from None
        return cls.from_toml(text, path.resolve().parent, engine=engine)

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None, *, engine: EngineName | None = None) -> Recipe:
        try:
            values = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as reason:
            raise RecipeError(f"The recipe is not valid TOML: {reason}") from None
        recipe = cls.of(values if engine is None else on_engine(values, engine))
        recipe._folder, recipe._text = folder, text
        return recipe

    def on(self, engine: EngineName) -> Recipe:
        """The same recipe for another engine."""
        if self.engine.name == engine:
            return self
        made = type(self).of(on_engine(self.model_dump(exclude_unset=True), engine))
        made._folder, made._text = self._folder, self._text
        return made

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
        return Schema(
            tuple(
                Column(
                    name,
                    spec.role,
                    "scalar" if spec.kind == "value" else spec.kind,
                    tuple(spec.sensitive_items),
                    spec.path,
                    spec.parent,
                    tuple(spec.negated),
                )
                for name, spec in self.columns.items()
            )
        )

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return tuple(guarantee_from(g.name, **(g.model_extra or {})) for g in self.guarantee)

    @property
    def method_name(self) -> str:
        """The method that runs: where there are sets of items, "auto" means the one that goes with the promise."""
        kind = self.schema_.kind
        if kind == "table" or self.method.name != "auto":
            return self.method.name
        if kind == "trees":
            return METHOD_FOR_TREES
        return METHOD_FOR_BOTH if kind == "mixed" else method_for_sets(self.guarantees)

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

    def place(self, path: str) -> Location:
        """A path of the recipe, relative to its folder; a URI stays what it is."""
        return path if is_uri(path) else self.folder / path

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
        problems += [f"guarantee: {problem}" for problem in misplaced(self.guarantees, self.schema_.kind)]
        for i, made in enumerate(self.guarantees):
            column = made.sensitive
            if column is not None and column not in roles:
                problems.append(f"guarantee.{i}.column: there is no column '{column}'.{did_you_mean(column, roles)}")
            elif column is not None and self.columns[column].kind == "set" and made.kind == "mixed":
                pass  # it may have sensitive items: see `set_problems`
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
        # beside single values, sets have no weight
        weighed = [name for name in quasi if self.columns[name].kind != "set"] or quasi
        problems += [
            f"loss.weights: '{name}' holds sets of items; weights are of columns of single values."
            for name in self.loss.weights
            if name in quasi and name not in weighed
        ]
        problems += self._label_problems(roles)
        if self.loss.weights and not any(self.loss.weights.get(name, 1) for name in weighed):
            problems.append("loss.weights: all weights are 0; at least one must be positive.")
        for name, spec in self.columns.items():
            if spec.hierarchy is not None and spec.role not in (Role.QUASI, Role.SENSITIVE):
                problems.append(f"columns.{name}.hierarchy: a column with the role '{spec.role}' has no use for one.")
        problems += [] if self.input is None else input_problems(self.input)
        problems += set_problems(self.columns, self.guarantees, self.input, self.output, self.missing)
        problems += tree_problems(
            self.columns,
            self.input,
            self.output,
            self.loss,
            self.missing,
            limit=self.suppression.limit,
            is_trees=self.schema_.kind == "trees",
        )
        if self.schema_.kind == "trees":
            problems += method_problems(self.method.name, self.method.options)
        if self.schema_.kind == "mixed":
            problems += mixed_problems(self.columns, self.guarantees, self.method.options.get("items"))
        loss = self.loss.name if "name" in self.loss.model_fields_set else None
        problems += choice_problems(self.schema_.kind, self.method.name, loss)
        return problems + self._place_problems()

    def _place_problems(self) -> list[str]:
        """What the engine cannot read or write."""
        places = {
            "input.path": self.input.path if self.input else "",
            "output.path": self.output.path if self.output else "",
        }
        uris = {key: path for key, path in places.items() if is_uri(path)}
        if self.engine.name == "local":
            return [f'{key}: a URI is for Spark. Say [engine] name = "spark", or --engine spark.' for key in uris]
        problems = [
            f"{key}: a URI with a sign of a pattern, such as * or [, is not one place."
            for key in uris
            if has_pattern(uris[key])
        ]
        if "input.path" in uris and any(uris["input.path"].lower().endswith(end) for end in (".csv", ".tsv", ".gz")):
            problems.append(
                "input.path: only Parquet is read from a URI; CSV is read from a path that this process sees."
            )
        if self.output is not None and not self.output.path.endswith(".parquet"):
            problems.append('output.path: Spark writes Parquet; end it in .parquet, or use the engine "local".')
        if "output.path" in uris and self.engine.remote is not None:
            problems.append(
                "output.path: a URI cannot be written with `remote`, where the Java side of Spark is out of reach. Give a path on "
                "a file system that Spark and this process both see."
            )
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
