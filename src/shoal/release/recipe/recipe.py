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

from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

import tomlkit
from pydantic import PrivateAttr, ValidationError, model_validator

from shoal.data.documents import MAX_TOML, TooLargeError, encoding_of, read_text, read_toml
from shoal.errors import RecipeError, visible
from shoal.io.columns import MAX_COLUMNS
from shoal.io.location import Location, is_uri
from shoal.release.recipe.checking import problems_of
from shoal.release.recipe.contents import Contents
from shoal.release.recipe.dialects import DIALECTS
from shoal.release.recipe.mistakes import sentences
from shoal.release.recipe.sections import EngineName, on_engine
from shoal.release.recipe.spoken import in_words
from shoal.release.suggest.toml import inline
from shoal.report.notebook import recipe_html


class Recipe(Contents):
    """A recipe that fits together, and where it was read.

    Examples
    --------
    >>> import shoal
    >>> recipe = shoal.Recipe.load("demo/recipe.toml")
    >>> recipe.guarantees[0].technical()
    '5-anonymity'
    """

    _file: Path | None = PrivateAttr(default=None)
    _folder: Path | None = PrivateAttr(default=None)
    _text: str | None = PrivateAttr(default=None)
    _values: dict[str, Any] | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _sound(self) -> Self:
        problems = problems_of(self)
        if problems:
            raise ValueError("\n".join(map(visible, problems)))  # a name may hold the end of a line
        return self

    # ---- reading -----------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Path | str, *, engine: EngineName | None = None) -> Recipe:
        """`engine`: run on this one, whatever the recipe says. What it says for the other engine does not count then."""
        path = Path(path)
        try:
            text = read_text(path, MAX_TOML)
        except FileNotFoundError:
            raise RecipeError(f"There is no recipe at {path}. `shoal init DATA` writes one.") from None
        except TooLargeError as reason:
            raise RecipeError(f"{path.name} is no recipe: {reason}.") from None
        except UnicodeDecodeError as reason:
            raise _not_utf8(path, reason.object) from None
        except OSError as reason:
            raise RecipeError(
                f"{path.name} cannot be read: {(reason.strerror or 'it is no readable file').lower()}."
            ) from None
        if "\0" in text:  # UTF-16 of plain letters is UTF-8 as well
            raise _not_utf8(path, text.encode())
        recipe = cls.from_toml(text, path.resolve().parent, engine=engine)
        recipe._file = path.resolve()
        return recipe

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None, *, engine: EngineName | None = None) -> Recipe:
        """folder: what its paths are relative to. engine: as in `load`."""
        try:
            values = read_toml(text)
        except ValueError as reason:
            raise RecipeError(f"The recipe is not valid TOML: {str(reason).rstrip('.')}.") from None
        columns = values.get("columns")
        if isinstance(columns, dict) and len(columns) > MAX_COLUMNS:
            raise RecipeError(f"columns: {len(columns):,} are named; at most {MAX_COLUMNS:,} are handled.")
        recipe = cls.of(values if engine is None else on_engine(values, engine))
        recipe._folder, recipe._text = folder, text
        return recipe

    def on(self, engine: EngineName) -> Recipe:
        """The same recipe for another engine."""
        if self.engine.name == engine:
            return self
        other = type(self).of(on_engine(self.model_dump(exclude_unset=True), engine))
        other._file, other._folder, other._text, other._values = self._file, self._folder, self._text, self._values
        return other

    @classmethod
    def of(cls, values: dict[str, Any] | Recipe) -> Recipe:
        """From nested dictionaries, with all mistakes reported at once.

        `guarantee` may hold values such as `shoal.KAnonymity(5)`, and `hierarchy` of a column one such as `shoal.mask()`.
        """
        if isinstance(values, Recipe):
            return values
        words = in_words(values)
        try:
            recipe = cls.model_validate(words)
        except ValidationError as mistakes:
            raise RecipeError(*sentences(mistakes.errors(include_url=False, include_input=False), cls)) from None
        recipe._values = deepcopy(words)
        return recipe

    # ---- what it says ------------------------------------------------------------------------------------------------

    @property
    def method_name(self) -> str:
        """The method that runs: "auto" means the one that goes with the kind of data and the promise."""
        if self.method.name != "auto":
            return self.method.name
        return DIALECTS[self.schema_.kind].default_method(self.guarantees)

    @property
    def loss_name(self) -> str:
        """What that method makes small."""
        return DIALECTS[self.schema_.kind].loss(self, self.method_name)

    @property
    def file(self) -> Path | None:
        """Where it was read; None of a recipe built in Python."""
        return self._file

    @property
    def folder(self) -> Path:
        """Paths in a recipe are relative to its file; of a recipe built in Python, to the current folder."""
        return self._folder or Path.cwd()

    @property
    def text(self) -> str:
        """As written, or as JSON when it was built in Python."""
        return self._text if self._text is not None else self.model_dump_json(exclude_defaults=True)

    @property
    def as_written(self) -> str | dict[str, Any]:
        """As its author gave it: the text of the file, or the dictionaries; for the verifier, who reads it by itself."""
        if self._text is not None:
            return self._text
        return self._values if self._values is not None else self.model_dump(exclude_unset=True)

    @property
    def home(self) -> Path | None:
        """The folder of its file, or the one that it came with; None of a recipe built in Python."""
        return self._folder

    def to_toml(self, path: Path | str | None = None) -> str:
        """The recipe as the text of a file; with a path it is also written there, where no file may be yet."""
        text = self._text if self._text is not None else _toml(self.model_dump(mode="json", exclude_unset=True))
        if path is not None:
            try:
                with Path(path).open("x", encoding="utf-8", newline="") as file:  # never over one that is confirmed
                    file.write(text)
            except FileExistsError:
                raise RecipeError(f"{Path(path).name} exists already. Choose another name.") from None
            except OSError as reason:
                raise RecipeError(f"{Path(path).name} cannot be written: {reason.strerror}.") from None
        return text

    def __repr__(self) -> str:
        roles = Counter(spec.role.value for spec in self.columns.values())
        return (
            f"Recipe({', '.join(f'{count} {role}' for role, count in roles.items())}; "
            f"{', '.join(one.technical() for one in self.guarantees)}; method {self.method.name})"
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rules = {name: "" if spec.hierarchy is None else inline(spec.hierarchy) for name, spec in self.columns.items()}
        return recipe_html(
            [(name, spec.role.value, rules[name], spec.reason) for name, spec in self.columns.items()],
            [one.sentence() for one in self.guarantees],
            self.method.name,
        )

    def place(self, path: str) -> Location:
        """A path of the recipe, relative to its folder; a URI stays what it is."""
        return path if is_uri(path) else self.folder / path


def _toml(values: dict[str, Any]) -> str:
    """One line for each column and key, as a person would write it."""
    lines = [f"{key} = {inline(value)}" for key, value in values.items() if not isinstance(value, dict | list)]
    for name, section in values.items():
        for table in section if isinstance(section, list) else [section] if isinstance(section, dict) else []:
            lines += ["", f"[[{name}]]" if isinstance(section, list) else f"[{name}]"]
            lines += [
                f"{tomlkit.key(key).as_string()} = {inline(value)}" for key, value in table.items() if value is not None
            ]
    return "\n".join(lines).lstrip("\n") + "\n"


def _not_utf8(path: Path, data: bytes) -> RecipeError:
    looks = encoding_of(data)
    return RecipeError(
        f"{path.name} is not in UTF-8; it looks like {looks}. Save it as UTF-8: editors ask for the encoding under Save as; or "
        f"`iconv -f {looks} -t UTF-8 {path.name} > new.toml`."
    )
