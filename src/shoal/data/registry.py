"""What can be named in a recipe: what shoal brings itself, and what other packages add as entry points.

A package adds a method with

    [project.entry-points."shoal.methods"]
    datafly = "my_package.datafly:Datafly"

and likewise in `shoal.losses` and `shoal.guarantees`. What shoal brings goes through the same check. Entry points are read when a
name is looked up that shoal does not bring, or when all names are listed; never when shoal starts. A package that cannot be used
is passed over until somebody asks for it by name: then the reason is told.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

T = TypeVar("T")
CHECKS = "shoal.checks"  # the group in which a package ships the check of a guarantee, for the verifier
_log = logging.getLogger("shoal")


@dataclass(frozen=True)
class Package:
    """Who added something."""

    name: str
    version: str


class Registry(MutableMapping[str, T], Generic[T]):
    """By name. `accept` gets a name and what stands there, and returns what is kept or raises a TypeError with the reason."""

    def __init__(self, group: str, noun: str, accept: Callable[[str, Any], T], own: Iterable[tuple[str, Any]]) -> None:
        self._group, self._noun, self._accept = group, noun, accept
        self._own: dict[str, T] = {name: accept(name, value) for name, value in own}
        self._added: dict[str, EntryPoint] | None = None
        self._loaded: dict[str, T] = {}
        self._broken: dict[str, str] = {}

    def __getitem__(self, name: str) -> T:
        if name in self._own:
            return self._own[name]
        self._load(name)
        if name in self._broken:
            raise RecipeError(f"The {self._noun} '{name}' cannot be used: {self._broken[name]}")
        return self._loaded[name]

    def __setitem__(self, name: str, value: T) -> None:
        self._own[name] = value

    def __delitem__(self, name: str) -> None:
        del self._own[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._entries()

    def __iter__(self) -> Iterator[str]:
        """What can be used: what shoal brings, and then what others add."""
        yield from self._own
        for name in self._entries():
            self._load(name)
            if name in self._loaded:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def package(self, name: str) -> Package | None:
        """Who added it; None of what shoal brings."""
        entry = None if name in self._own else self._entries().get(name)
        if entry is None:
            return None
        return Package(entry.dist.name, entry.dist.version) if entry.dist is not None else Package("unknown", "")

    def packaged(self, name: str) -> str:
        """Who added it, with the version; empty of what shoal brings."""
        package = self.package(name)
        return "" if package is None else f"{package.name} {package.version}".strip()

    @property
    def added(self) -> tuple[str, ...]:
        """Names of what others add and can be used."""
        return tuple(name for name in self if name not in self._own)

    @property
    def broken(self) -> dict[str, str]:
        """What others add and cannot be used, with the reason."""
        list(self)
        return dict(self._broken)

    def forget(self) -> None:
        """Look for entry points again, when packages were added to a running process."""
        self._added = None
        self._loaded.clear()
        self._broken.clear()

    def _entries(self) -> dict[str, EntryPoint]:
        if self._added is None:
            self._added = {}
            for entry in _entry_points(self._group):
                if entry.name in self._own:
                    _log.warning(
                        "A package adds the %s '%s', which shoal has itself: passed over.", self._noun, entry.name
                    )
                    continue
                if entry.name in self._added and self._added[entry.name].value != entry.value:
                    self._broken[entry.name] = "two packages add it. Remove one of them."
                self._added[entry.name] = entry
        return self._added

    def _load(self, name: str) -> None:
        entry = self._entries().get(name)
        if entry is None or name in self._loaded or name in self._broken:
            return
        package = self.package(name)
        by = f"the package {package.name} " if package else "its package "
        try:
            self._loaded[name] = self._accept(name, entry.load())
        except TypeError as reason:
            self._broken[name] = f"{by}is not made for this version of shoal. {reason}"
        except Exception as reason:  # whatever another package raises while it is imported
            self._broken[name] = f"{by}failed while it was loaded ({type(reason).__name__})."


def packages_of(*named: tuple[Registry[Any], str]) -> tuple[Package, ...]:
    """Of these names, the packages that others brought; each once."""
    return tuple(dict.fromkeys(p for registry, name in named if (p := registry.package(name)) is not None))


def ships_check(guarantee: str) -> bool:
    """Whether a package ships a check of this guarantee, so that a release can be verified."""
    return any(entry.name == guarantee for entry in _entry_points(CHECKS))


def _entry_points(group: str) -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=group)


def asked_of(value: Any, attributes: Iterable[str], noun: str) -> None:
    """Raise a TypeError that names what is missing."""
    missing = [attribute for attribute in attributes if getattr(value, attribute, None) is None]
    if missing:
        raise TypeError(f"A {noun} has {', '.join(f'`{attribute}`' for attribute in missing)}, and this one has not.")
