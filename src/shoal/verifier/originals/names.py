"""Names of columns: what a recipe, a report and SQL could each take for another one is refused.

Messages name positions, not names: a file without a header has the cells of a person there.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.looks import looks_like

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 10_000
_LONGEST = 1_000
_JOINERS = "\u200c\u200d"  # they shape letters of some scripts


def check_names(what: str, names: Sequence[str]) -> None:
    """Refuse names that are empty, have blanks at their edges or unseen signs in them, or look like one another."""
    if not names:
        raise DataError(f"{what}: there are no columns.")
    if len(names) > _MOST:
        raise DataError(f"{what}: {len(names):,} columns; at most {_MOST:,} are read.")
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        fault = _fault(name)
        if fault:
            raise DataError(f"{what}: column {place} has {fault}.")
        look = looks_like(name).casefold()
        if look in seen:
            raise DataError(
                f"{what}: columns {seen[look]} and {place} have the same name, or names that differ only in case or look alike."
            )
        seen[look] = place


def _fault(name: str) -> str | None:
    if not name.strip():
        return "an empty name"
    if name != name.strip():
        return "a name with blanks at its edges"
    if len(name) > _LONGEST:
        return f"a name of more than {_LONGEST:,} characters"
    if any(_is_unseen(sign) for sign in name):
        return "a name with unseen signs"
    return None


def _is_unseen(sign: str) -> bool:
    kind = unicodedata.category(sign)
    return kind in ("Cc", "Zl", "Zp") or (kind == "Cf" and sign not in _JOINERS)
