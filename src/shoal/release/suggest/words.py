"""What the name of a column says: the words of `words.toml`, looked for in names as people write them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from shoal.data.schema import Role


@dataclass(frozen=True)
class Concept:
    """Something that names of columns speak of."""

    what: str
    role: Role
    kind: str  # which hierarchy suits it; "" for none in particular
    words: frozenset[str]
    stems: tuple[str, ...]
    unless: frozenset[str]  # words beside which it is something else, as `civil` beside `union`

    def fits(self, words: frozenset[str], joined: str) -> bool:
        """words: of a name, alone and in pairs. joined: all of them in one piece."""
        return not self.unless & words and (bool(self.words & words) or any(stem in joined for stem in self.stems))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


@cache
def concepts() -> tuple[Concept, ...]:
    """All there are, the deciding ones first."""
    return tuple(
        Concept(
            one["what"],
            Role(one["role"]),
            one.get("kind", ""),
            frozenset(one["words"]),
            tuple(one.get("stems", ())),
            frozenset(one.get("unless", ())),
        )
        for one in _read()["concept"]
    )


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column name: `dateOfBirth`, `date_of_birth` and `Date of Birth` have the same three."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    plain = plain.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("ł", "l")
    parts = re.sub(r"([a-z])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3 \2\4", plain)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+", parts))


def concepts_in(name: str) -> list[Concept]:
    """Every concept the name speaks of, the deciding one first."""
    words = words_of(name)
    joined = "".join(words)
    # `email` may be written e-mail or eMail, `fnlwgt` in one piece: neighbours are looked up together as well.
    pairs = {a + b for a, b in pairwise(words)}
    spellings = frozenset({*words, *pairs, joined})
    return [concept for concept in concepts() if concept.fits(spellings, joined)]


def speaks_of_people(name: str) -> bool:
    """The name of the column says whose it is."""
    return not set(_read()["people"]).isdisjoint(words_of(name))


def speaks_of_things(name: str) -> bool:
    """The name of the column says that it is of no person."""
    return not set(_read()["things"]).isdisjoint(words_of(name))
