"""Where a value lies in a nested record: `encounters[].conditions[].code`.

Names of fields are joined by dots, and `[]` stands after a list: for each of its elements. A name that holds a dot, a bracket or
a quote is written in double quotes, with `""` for a quote: `"a.b".c`. The *scope* of a path is what comes before and with its last
`[]`: values of one scope belong to the same element.

>>> FieldPath.of("encounters[].conditions[].code").scope
('encounters', None, 'conditions', None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

MAX_DEPTH = 100  # of lists and structures in one another; no honest record comes near it
_NAME = re.compile(r'"((?:[^"]|"")*+)"|([^."\[\]]++)')
_BARE = re.compile(r'[^."\[\]]+')


@dataclass(frozen=True, order=True)
class FieldPath:
    """parts: names of fields; None means: of each element of the list."""

    parts: tuple[str | None, ...]

    def __post_init__(self) -> None:
        if not self.parts or self.parts[0] is None or "" in self.parts:
            raise ValueError("a path begins with the name of a field, and no name is empty.")
        if len(self.parts) > MAX_DEPTH:
            raise ValueError(f"a path has at most {MAX_DEPTH} parts.")

    @classmethod
    def of(cls, text: str) -> Self:
        """Raises ValueError; the text is one of the recipe, not of the data."""
        parts: list[str | None] = []
        at = 0
        while True:
            match = _NAME.match(text, at)
            if match is None:
                raise ValueError(
                    "must be names of fields joined by dots, with [] after a list: visits[].diagnoses[].code. A name with "
                    "other signs of these in it stands in double quotes."
                )
            quoted, bare = match.groups()
            parts.append(bare if quoted is None else quoted.replace('""', '"'))
            at = match.end()
            while text.startswith("[]", at):
                parts.append(None)
                at += 2
            if at == len(text):
                return cls(tuple(parts))
            if text[at] != ".":
                raise ValueError("must have a dot between two names, and [] after a list.")
            at += 1

    def __str__(self) -> str:
        return shown(self.parts)

    @property
    def scope(self) -> tuple[str | None, ...]:
        """Up to the last list; () for a value of the record itself."""
        lists = [place for place, part in enumerate(self.parts) if part is None]
        return self.parts[: lists[-1] + 1] if lists else ()

    def covers(self, other: FieldPath) -> bool:
        """Whether the other is the same, or lies below."""
        return other.parts[: len(self.parts)] == self.parts


def shown(parts: tuple[str | None, ...]) -> str:
    """As a recipe writes it."""
    text = ""
    for part in parts:
        if part is None:
            text += "[]"
        else:
            name = part if _BARE.fullmatch(part) else '"' + part.replace('"', '""') + '"'
            text += f".{name}" if text else name
    return text
