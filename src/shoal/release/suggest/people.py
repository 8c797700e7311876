"""Names of people, by what they look like: names that many people have, and the form "Last, First".

A name must be known without the help of the column's name: whoever exports a file calls its columns as they like.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_KNOWN = 0.3  # of the values hold a name that many people have: names are many, and no list holds all
_SHAPED = 0.8  # … and as many could be a name at all
_PAIRS = 0.9  # of the values with a comma have one only
_LOOKED_AT = 200  # characters of a value
_MANY_PAIRS = 0.2  # of the values have one; with fewer they would be no sets either

_WORD = re.compile(r"[^\W\d_]+(?:['’`´-][^\W\d_]+)*\.?")
_BETWEEN = re.compile(r"[\s,;|/]+")


def are_names(values: Collection[str]) -> bool:
    """Whether so many of the values hold names that many people have that the others are names as well."""
    words = [names for value in (value[:_LOOKED_AT] for value in values) if (names := _words(value))]
    known = sum(any(_plain(word) in _known() for word in one) for one in words)
    return known >= min(2, len(values)) > 0 and len(words) >= _SHAPED * len(values) and known >= _KNOWN * len(values)


def are_pairs_of_words(values: Collection[str]) -> bool:
    """Whether the values have the form of "Last, First": two parts of letters. Sets of items have three or more now and then."""
    parts = [[part for part in value.split(",") if not _is_title(part)] for value in values]
    pairs = sum(len(one) == 2 for one in parts)
    with_comma = sum(len(one) > 1 for one in parts)
    shaped = sum(all(_could_be_name(part) for part in one) for one in parts)
    return pairs >= max(_PAIRS * with_comma, _MANY_PAIRS * len(parts), 1) and shaped >= _SHAPED * len(parts)


def _words(value: str) -> Sequence[str]:
    """The words of what could be names, without titles; none where it cannot be: names have no digits and are few words."""
    words = [word for word in _BETWEEN.split(_letters(value).strip()) if word]
    if not 1 <= len(words) <= 6 or not all(_WORD.fullmatch(word) for word in words):
        return ()
    return [word for word in words if _plain(word) not in _titles()]


def _could_be_name(part: str) -> bool:
    words = _letters(part).split()
    return 1 <= len(words) <= 4 and all(_WORD.fullmatch(word) for word in words)


def _is_title(part: str) -> bool:
    words = part.split()
    return bool(words) and all(_plain(word) in _titles() for word in words)


def _letters(text: str) -> str:
    """Without what Unicode writes above, below and between letters, which many scripts cannot do without."""
    return "".join(sign for sign in text if unicodedata.category(sign) not in ("Mn", "Mc", "Me", "Cf"))


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.replace("ß", "ss").replace("ø", "o").replace("ł", "l").rstrip("."))
    return "".join(sign for sign in folded if not unicodedata.combining(sign)).casefold()


@cache
def _known() -> frozenset[str]:
    names = _read()
    return frozenset((*names["given"], *names["family"]))


@cache
def _titles() -> frozenset[str]:
    return frozenset(_read()["titles"])


@cache
def _read() -> dict[str, list[str]]:
    return tomllib.loads(files(__package__).joinpath("names.toml").read_text("utf-8"))
