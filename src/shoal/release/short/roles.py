"""From the short call to a recipe: `quasi=["age", "sex"], sensitive="diagnosis", drop=["name"], k=5, l=2`.

A column that nobody named is refused, not guessed. How a column is blurred is proposed as `shoal init` does, where nothing is said,
and stands in the recipe that comes back with the release.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Column, Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees.guarantee import Guarantee
from shoal.io.counts import column_counts
from shoal.io.csv_detection import Detected, detect
from shoal.io.location import is_uri
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, kind_of, open_source, set_columns
from shoal.release.kinds.registry import KINDS
from shoal.release.kinds.wanted import Wanted
from shoal.release.recipe.recipe import Recipe
from shoal.release.short.blur import Blur
from shoal.release.suggest.roles import blur_for
from shoal.release.suggest.summary import ColumnSummary

if TYPE_CHECKING:
    from shoal.io.source import Source

Promises = Guarantee | Iterable[Guarantee] | None
Names = str | Iterable[str] | Mapping[str, "Blur | str | Mapping[str, Any] | None"] | None
_ROLES = {"quasi": Role.QUASI, "sensitive": Role.SENSITIVE, "drop": Role.IDENTIFYING, "plain": Role.PLAIN}


@dataclass(frozen=True)
class Short:
    """What stands in the call in the place of a recipe."""

    quasi: Names = None
    sensitive: Names = None
    drop: Names = None
    plain: Names = None
    k: int | None = None
    l: float | None = None  # noqa: E741  # as in every recipe
    t: float | None = None
    m: int | None = None
    suppression: float | None = None
    method: str | None = None
    guarantees: Promises = None

    def given(self) -> list[str]:
        """The names of what was said."""
        return [one.name for one in fields(self) if getattr(self, one.name) is not None]

    def recipe(
        self,
        source: Source,
        *,
        others: Role | None = None,
        section: Mapping[str, Any] | None = None,
        blurred: bool = True,
    ) -> Recipe:
        """The recipe for these data. others: the role of columns that nobody named; without one they are refused. section: what
        it says of its input. blurred: whether blur rules are proposed; of a release they are not known."""
        named = {role: names_in(getattr(self, key)) for key, role in _ROLES.items()}
        roles = _roles(named, source, others)
        sets = set_columns(source)
        schema = Schema(tuple(Column(name, role, "set" if name in sets else "scalar") for name, role in roles.items()))
        private = tuple(name for name, role in roles.items() if role is Role.SENSITIVE)
        promises = self._promises(schema.kind, private)
        columns: dict[str, dict[str, Any]] = {}
        for name, role in roles.items():
            entry: dict[str, Any] = {"role": role.value}
            if name in sets:
                entry["kind"] = "set"
            blur = named[role].get(name)
            if blurred and role is Role.QUASI and blur is None and name not in sets:
                blur = _proposed(source, name)
            if blur is not None:
                entry["hierarchy"] = blur.spec if isinstance(blur, Blur) else blur
            columns[name] = entry
        values: dict[str, Any] = {"columns": columns, "guarantee": promises}
        if section:
            values["input"] = dict(section)
        if self.suppression is not None:
            values["suppression"] = {"limit": self.suppression}
        if self.method is not None:
            values["method"] = {"name": self.method}
        return Recipe.of(values)

    def _promises(self, kind: str, private: tuple[str, ...]) -> list[Any]:
        """The guarantees as they stand in the call, or those that the numbers mean for this kind of data."""
        if self.guarantees is None:
            return KINDS[kind].promises(Wanted(self.k, self.l, self.t, self.m, None, private))
        numbers = [name for name in ("k", "l", "t", "m") if getattr(self, name) is not None]
        if numbers:
            raise RecipeError(
                f"{', '.join(numbers)}: cannot be given beside guarantees, which say the whole promise. Add to them what is to be "
                "promised besides."
            )
        stated = self.guarantees
        promises = list(stated) if isinstance(stated, Iterable) else [stated]
        strange = [type(one).__name__ for one in promises if not isinstance(one, Guarantee)]
        if strange or not promises:
            raise RecipeError(
                f"guarantees: must be one or several of those that `shoal.guarantees()` lists; got "
                f"{', '.join(strange) or 'none'}."
            )
        return promises


def listed_names(text: str | None) -> list[str] | None:
    """Names as a command line has them: 'age,sex', one that holds a comma in double quotes."""
    return None if text is None else next(csv.reader([text], skipinitialspace=True), [])


def names_in(named: Names) -> dict[str, Any]:
    """The names, each with its blur rule where there is one."""
    if named is None:
        return {}
    if isinstance(named, str):
        return {named: None}
    return dict(named) if isinstance(named, Mapping) else dict.fromkeys(named)


def _roles(named: Mapping[Role, Mapping[str, Any]], source: Source, others: Role | None) -> dict[str, Role]:
    """The role of each column, in the order of the data; all mistakes at once."""
    by_key = {role: key for key, role in _ROLES.items()}
    problems = [
        f"{by_key[role]}: there is no column '{name}'.{did_you_mean(name, source.columns)}"
        for role, names in named.items()
        for name in names
        if name not in source.columns
    ]
    if not named[Role.QUASI]:
        problems.append("quasi: must name the columns that others could know of a person.")
    roles: dict[str, Role] = {}
    for name in source.columns:
        mine = [role for role, names in named.items() if name in names]
        if len(mine) > 1:
            problems.append(f"'{name}' is named twice: in {' and in '.join(by_key[role] for role in mine)}.")
        if mine or others is not None:
            roles[name] = mine[0] if mine else others  # type: ignore[assignment]
    unnamed = [name for name in source.columns if name not in roles]
    if unnamed:
        listed = ", ".join(f"'{name}'" for name in unnamed[:20]) + (" …" if len(unnamed) > 20 else "")
        problems.append(
            f"These columns have no role: {listed}. Put each into quasi (others could know it), sensitive (a private fact), drop "
            "(names a person) or plain (published as it is)."
        )
    if problems:
        raise RecipeError(*problems)
    return roles


def _proposed(source: Source, name: str) -> dict[str, Any] | None:
    counts = column_counts(source, name)
    missing = counts.pop(None, 0)
    texts = {value: records for value, records in counts.items() if value is not None}
    return blur_for(ColumnSummary.of_counts(name, "typed", texts, missing))


def measured_recipe(quasi: Names, source: Source, section: Mapping[str, Any]) -> Recipe:
    """For who only measures and promises nothing: the roles, with the least promise that fits the data."""
    named, sets = names_in(quasi), set_columns(source)
    mixed = bool(sets & named.keys()) and bool(named.keys() - sets)
    return Short(quasi, k=2, m=1 if mixed else None).recipe(source, others=Role.PLAIN, section=section, blurred=False)


def source_of(data: Any) -> tuple[Source, dict[str, Any]]:
    """A data frame, or a file in whatever dialect it is written; and what a recipe says of it under `[input]`."""
    if not isinstance(data, str | Path):
        return from_frame(data, None), {}
    if isinstance(data, str) and is_uri(data):
        return open_source(data, RowReading(sets=None)), {"path": data}
    path = Path(data)
    is_csv = path.is_file() and kind_of(path) == "csv"
    dialect = detect(path) if is_csv else Detected()
    source = open_source(path, dialect.reading(look=True) if is_csv else RowReading(sets=None))
    return source, {"path": str(path.resolve()), **dialect.section()}


def said_shortly(recipe: Any, short: Short) -> bool:
    """Whether the short call was used; either it is or a recipe is given."""
    if recipe is None and not short.given():
        raise RecipeError(
            "recipe: must be given; or the roles of the columns and k, as in quasi=['age', 'sex'], sensitive='diagnosis', "
            "drop=['name'], k=5."
        )
    if recipe is not None and short.given():
        raise RecipeError(f"{', '.join(short.given())}: cannot be given beside a recipe, which says it already.")
    return recipe is None
