"""What one run remembers: it follows people into the classes of its release, and writes the release down in the ledger."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shoal.data.schema import Role
from shoal.errors import DataError
from shoal.io.folder import sha256_of
from shoal.io.publishing.names import sidecar_name
from shoal.release.kinds.registry import KINDS
from shoal.release.ledger import earlier
from shoal.release.ledger.book import Ledger, now, opened
from shoal.release.ledger.earlier import known_things
from shoal.release.ledger.entry import Entry, Named, Original, Published
from shoal.release.ledger.entry import Role as PublishedRole
from shoal.release.ledger.people import Followed, pseudonyms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from shoal.io.folder import Sealed
    from shoal.io.location import Location
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Decision
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.recipe.sections import LedgerSpec
    from shoal.release.sidecars import Described
    from shoal.release.task import Task

_ENGINE = 'people are followed by the engine "local" only'
_LEFT_OUT = "people were left out of the original, and no column names a person (`ledger.person`)"
_EMPTY = "rows without any published value are left out of the original, and no column names a person (`ledger.person`)"


class Memory:
    """Of one run."""

    def __init__(self, recipe: Recipe, spec: LedgerSpec, *, left_out: bool = False) -> None:
        """left_out: whether people of the original are left out of the release, as if they had never been there."""
        self.spec, self._left_out = spec, left_out
        self._path = recipe.folder / spec.path
        with opened(self._path) as ledger:  # a damaged one is refused before the work begins
            self._key = ledger.key
        self.original = Original(sha256=_fingerprint(recipe), records=0)
        self.followed: Followed | None = None
        self._placed = False  # whether the place of a record is its place in the original
        self.unfollowed = ""  # why nobody could be followed

    @classmethod
    def of(cls, recipe: Recipe, *, left_out: bool = False) -> Memory | None:
        """None where the recipe names no ledger."""
        return None if recipe.ledger is None else cls(recipe, recipe.ledger, left_out=left_out)

    def follow(self, task: Task, decision: Decision) -> None:
        """People into the classes that were decided, as long as the engine has the data."""
        self.original = Original(sha256=self.original.sha256, records=task.records)
        self._placed = not task.engine.empty_rows and not self._left_out
        if not self.spec.person and not self._placed:
            self.unfollowed = _LEFT_OUT if self._left_out else _EMPTY
            return
        found = KINDS[task.plan.schema.kind].follow(task, decision, self.spec.person or None, self._key)
        if isinstance(found, str) or found is None:
            self.unfollowed = found or _ENGINE
        else:
            self.followed = found

    def people_as(self, entry: Entry) -> pa.Array | None:
        """The people of the new release by pseudonyms as an earlier one has them; None where they cannot be compared."""
        if self.followed is None:
            return None
        if entry.person and entry.person == self.spec.person:
            return self.followed.people
        if entry.person or not self._placed or not self.original.sha256 or entry.original != self.original:
            return None
        return pseudonyms(None, self.original.records, self._key)

    def check(self, ledger: Ledger, described: Described) -> tuple[Described, tuple[str, ...]]:
        """The release beside the earlier ones: what its report says of that, and what whoever publishes it has to know."""
        recipe = described.plan.recipe
        if self.spec.earlier == "ignore":
            return described, ()
        new = self.unfollowed if self.followed is None else self.followed
        found, k = earlier.look(new, self.people_as, ledger, recipe), recipe.smallest_class
        if self.spec.earlier == "refuse":
            earlier.refuse(found, ledger, k)
        facts = earlier.facts(found, ledger, k)
        told = replace(
            described,
            facts=replace(described.facts, earlier=facts),
            public=replace(described.public, earlier=facts.public()),
        )
        return told, earlier.warnings(found, ledger, k)

    @contextlib.contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """The ledger, for nobody else until the release is written down."""
        with opened(self._path) as ledger:
            if ledger.key != self._key:
                raise DataError(f"{self._path.name} is another ledger than when this run began. Nothing was published.")
            yield ledger

    def publish(
        self, ledger: Ledger, draft: AnyDraft, described: Described, data: Sealed, sidecars: Mapping[str, bytes]
    ) -> tuple[Location, ...]:
        """Write the release down, then publish it. One that is only written down counts as an earlier one: nobody is harmed."""
        entry = self._entry(ledger, draft, described, data, sidecars)
        ledger.add(entry)
        try:
            files = draft.publish()
        except BaseException:
            if _is_not_there(draft, data):
                with contextlib.suppress(DataError):
                    ledger.end("withdrawn", entry)
            raise
        with contextlib.suppress(DataError):  # the release stands, and it is in the ledger
            ledger.end("published", entry)
        return files

    def _entry(
        self, ledger: Ledger, draft: AnyDraft, described: Described, data: Sealed, sidecars: Mapping[str, bytes]
    ) -> Entry:
        recipe, number = described.plan.recipe, secrets.token_hex(8)
        people = "" if self.followed is None else self.followed.write(ledger.people(number))

        def named(kind: str) -> Named:
            return Named(name=sidecar_name(draft.name, kind), sha256=hashlib.sha256(sidecars[kind]).hexdigest())

        return Entry(
            id=number,
            time=now(),
            release=Named(name=draft.name, sha256=data.sha256),
            manifest=named("manifest.private.json"),
            codebook=named("codebook.json"),
            recipe=hashlib.sha256(recipe.text.encode()).hexdigest(),
            original=self.original,
            kind=described.plan.schema.kind,
            k=recipe.smallest_class,
            columns=_columns(described),
            guarantees=[guarantee.technical() for guarantee in recipe.guarantees],
            known=known_things(recipe),
            person=self.spec.person,
            people=people,
            unfollowed=self.unfollowed,
        )


def _columns(described: Described) -> dict[str, Published]:
    said = {column["name"]: column for column in described.book.get("columns", ()) if "name" in column}
    return {
        column.name: Published(
            role=cast("PublishedRole", column.role.value),
            recoding=hashlib.sha256(_values(said.get(column.name, {}))).hexdigest(),
        )
        for column in described.plan.schema
        if column.role is not Role.IDENTIFYING
    }


def _values(column: Mapping[str, Any]) -> bytes:
    """What the codebook says of a column, without counts of records."""
    return json.dumps(_without_counts(column), sort_keys=True).encode()


def _without_counts(said: Any) -> Any:
    if isinstance(said, dict):
        return {key: _without_counts(one) for key, one in said.items() if key != "records"}
    return [_without_counts(one) for one in said] if isinstance(said, list | tuple) else said


def _fingerprint(recipe: Recipe) -> str:
    """Of the bytes of the original; empty where it is no file or folder of this machine."""
    place = recipe.place(recipe.input.path) if recipe.input is not None and recipe.input.path else None
    if not isinstance(place, Path):
        return ""
    with contextlib.suppress(OSError):  # what cannot be read is refused by whoever reads it
        if place.is_file():
            return sha256_of(place)
        parts = [f"{file.name} {sha256_of(file)}" for file in sorted(place.iterdir()) if file.is_file()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return ""


def _is_not_there(draft: AnyDraft, data: Sealed) -> bool:
    """Whether it is certain that a release whose publishing failed does not stand at its place."""
    place = draft.destination
    if not isinstance(place, Path):
        return False
    with contextlib.suppress(OSError):
        return not os.path.lexists(place) or (place.is_file() and sha256_of(place) != data.sha256)
    return False
