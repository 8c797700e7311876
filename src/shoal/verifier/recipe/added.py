"""Checks that other packages ship for promises of their own: entry points in the group `shoal.checks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_GROUP = "shoal.checks"


@dataclass(frozen=True)
class AddedCheck:
    """Of one guarantee, and who ships it."""

    check: Callable[..., Any]
    package: str

    @classmethod
    def of(cls, name: str) -> AddedCheck | None:
        """None where no package, or more than one, ships a check of this name."""
        from importlib.metadata import entry_points

        entries = list({entry.value: entry for entry in entry_points(group=_GROUP, name=name)}.values())
        if len(entries) != 1:
            return None
        try:
            check = entries[0].load()
        except Exception:  # whatever another package raises while it is imported
            return None
        dist = entries[0].dist
        package = "another package" if dist is None else f"{dist.name} {dist.version}"
        return cls(check, package) if callable(check) else None


def is_added(name: str) -> bool:
    """Whether exactly one package ships a check of a guarantee of this name."""
    return AddedCheck.of(name) is not None
