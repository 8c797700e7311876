"""A recipe as text that is edited key by key: comments, order and unknown keys of the person who wrote it survive.

A recipe that is being edited need not be sound yet; `problems` says what is missing. Nothing is lost when two edit at once: who
saves says which text the change was made to, and is refused if another stands there.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, InlineTable, Table

from shoal import system
from shoal.data.documents import MAX_TOML, read_text, read_toml
from shoal.errors import RecipeError, ShoalError
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class ChangedMeanwhile(ShoalError):  # noqa: N818  # an answer, as the other exceptions of shoal
    """Somebody else changed the recipe after this text was read."""


@dataclass(frozen=True)
class RecipeDocument:
    """The text of a recipe at a place. Every change gives a new document; `save` writes it."""

    path: Path
    text: str
    revision: str  # of the text on disk that this one came from

    @classmethod
    def open(cls, path: Path) -> Self:
        """As it lies on disk."""
        try:
            text = read_text(path, MAX_TOML)
            _refuse_unreadable(text)
        except FileNotFoundError:
            raise RecipeError(f"There is no recipe at {path.name} any more.") from None
        except (OSError, ValueError, TOMLKitError) as reason:
            raise RecipeError(f"{path.name} cannot be read as a recipe: {str(reason).rstrip('.')}.") from None
        return cls(path, text, _revision(text))

    @cached_property
    def values(self) -> dict[str, Any]:
        """What it says, sound or not. To be read only: it is parsed once."""
        return read_toml(self.text)

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """What it says of each column."""
        columns = self.values.get("columns", {})
        return {name: entry for name, entry in columns.items() if isinstance(entry, dict)}

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it could not run, a sentence each; none when it is sound."""
        try:
            self.recipe()
        except RecipeError as mistakes:
            return tuple(mistakes.problems)
        return ()

    def recipe(self) -> Recipe:
        """The recipe of this text, if it is sound."""
        return Recipe.from_toml(self.text, self.path.resolve().parent)

    # ---- changes -----------------------------------------------------------------------------------------------------

    def put(self, value: Any, *keys: str) -> Self:
        """With a value at a key, such as `put(5, "suppression", "limit")`. Tables on the way are made."""
        document = tomlkit.parse(self.text)
        holder: Any = document
        for depth, key in enumerate(keys[:-1]):
            if key not in holder:
                holder[key] = tomlkit.inline_table() if depth else tomlkit.table()
            holder = holder[key]
        _assign(holder, keys[-1], value)
        return self._with(tomlkit.dumps(document))

    def remove(self, *keys: str) -> Self:
        """Without a key; as it is where there is none."""
        document = tomlkit.parse(self.text)
        holder: Any = document
        for key in keys[:-1]:
            if key not in holder:
                return self
            holder = holder[key]
        if keys[-1] in holder:
            if isinstance(holder, InlineTable):  # a key taken out of it would leave its blanks
                rest = {key: value for key, value in holder.unwrap().items() if key != keys[-1]}
                return self.put(rest, *keys[:-1]) if len(keys) > 1 else self
            del holder[keys[-1]]
        return self._with(tomlkit.dumps(document))

    def change_column(self, name: str, **keys: Any) -> Self:
        """With these keys of a column changed; None takes one away. All else of the column stays."""
        document = self
        for key, value in keys.items():
            document = (
                document.remove("columns", name, key) if value is None else document.put(value, "columns", name, key)
            )
        return document

    def put_columns(self, entries: Mapping[str, Mapping[str, Any]]) -> Self:
        """With these columns as they are here, and all others as they were; quick for hundreds at once."""
        document = tomlkit.parse(self.text)
        columns: Any = document["columns"]
        for name, entry in entries.items():
            there = columns[name]
            if isinstance(there, InlineTable) or not isinstance(there, Table):
                _assign(columns, name, dict(entry))
                continue
            for key in [key for key in there if key not in entry]:
                del there[key]
            for key, value in entry.items():
                if there.get(key) != value:
                    _assign(there, key, value)
        return self._with(tomlkit.dumps(document))

    def confirm_column(self, name: str, **keys: Any) -> Self:
        """As `change_column`, by a person who has looked at the column."""
        return self.change_column(name, **keys, suggested=None)

    def put_guarantees(self, guarantees: list[dict[str, Any]]) -> Self:
        """With exactly these promises; what stays of those that were there keeps its comments."""
        document = tomlkit.parse(self.text)
        old = document.get("guarantee")
        tables = old if isinstance(old, AoT) else tomlkit.aot()
        del tables[len(guarantees) :]
        for place, guarantee in enumerate(guarantees):
            if place == len(tables):
                tables.append(tomlkit.table())
            table = tables[place]
            for key in [key for key in table if key not in guarantee]:
                del table[key]
            for key, value in guarantee.items():
                _assign(table, key, value)
        if tables is not old:
            document["guarantee"] = tables
        return self._with(tomlkit.dumps(document))

    # ---- saving ------------------------------------------------------------------------------------------------------

    def save(self) -> Self:
        """Put it in the place of the text it came from, whole or not at all; refused if another stands there by now."""
        place = self.path.resolve()  # a link stays one
        with _locked(place):
            try:
                there = _revision(read_text(place, MAX_TOML))
            except FileNotFoundError:
                there = ""
            if there != self.revision:
                raise ChangedMeanwhile(
                    f"{self.path.name} was changed meanwhile, in another window or an editor. Look at it as it is now, and "
                    "make the change again."
                )
            _write_whole(place, self.text)
        return replace(self, revision=_revision(self.text))

    def at_revision(self, revision: str) -> Self:
        """The same text, for someone who saw that revision: `save` refuses if another stands on disk."""
        return replace(self, revision=revision)

    def _with(self, text: str) -> Self:
        return replace(self, text=text)


def _assign(holder: Any, key: str, value: Any) -> None:
    fresh = tomlkit.value(inline(value)) if isinstance(value, dict | list) else value
    if isinstance(holder, InlineTable):
        holder[key] = fresh
        return
    if key in holder and isinstance(holder, Table | tomlkit.TOMLDocument):
        old = holder.item(key) if hasattr(holder, "item") else None
        trivia = getattr(old, "trivia", None)
        holder[key] = fresh
        if trivia is not None:
            item: Any = holder.item(key)
            item.trivia.comment_ws, item.trivia.comment = trivia.comment_ws, trivia.comment
        return
    holder[key] = fresh


@lru_cache(maxsize=16)
def _refuse_unreadable(text: str) -> None:
    """A page is drawn from the same text again and again, and tomlkit takes its time."""
    read_toml(text)  # refuses what no recipe needs before tomlkit, which trusts it, sees it
    tomlkit.parse(text)


def _revision(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """One saves at a time, also of several processes; the lock is on the folder, leaves nothing, and ends with its holder."""
    while True:
        try:
            free = system.take_folder(place.parent)
            break
        except BlockingIOError:
            time.sleep(0.02)
    try:
        yield
    finally:
        free()


def _write_whole(place: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".new", dir=place.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o600)
        system.replace(fresh, place)
    except OSError as reason:
        fresh.unlink(missing_ok=True)
        raise RecipeError(f"{place.name} cannot be written: {reason.strerror}.") from None
