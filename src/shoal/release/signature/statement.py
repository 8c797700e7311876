"""What a signature says: `people.signature.json`, and of all files `people.signature.private.json`.

The public one names public files only. A hash of the private manifest or of the private report would tell whoever tries every
value for a hidden person which of them gives that hash.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any, Self

from shoal.data import documents
from shoal.errors import RecipeError, visible
from shoal.report.signing.statement import STATEMENT, Signed

FORMAT = "shoal-signature"
VERSION = 1
LARGEST = 8 << 20  # bytes of a signature; a release of trees may have a file for each class
_LONGEST = {"name": 200, "role": 200, "reason": 2000}
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class SignedFile:
    """A file of the release as it was when it was signed. Of data in a folder: the hash of its listing."""

    name: str
    sha256: str

    def __post_init__(self) -> None:
        if not _SHA256.fullmatch(self.sha256) or self.name.startswith(("/", ".")) or "\\" in self.name:
            raise ValueError("A signed file has a name beside the signature, and a SHA-256.")
        if ".." in self.name.split("/"):
            raise ValueError("A signed file lies beside the signature.")


@dataclass(frozen=True)
class Statement:
    """What was signed, and by whom: the first who signed comes first."""

    files: tuple[SignedFile, ...]  # the data first
    recipe_sha256: str
    shoal: str  # the version that wrote it
    verdict: str
    promises: tuple[str, ...]
    signatures: tuple[Signed, ...]

    def __post_init__(self) -> None:
        if not self.files or not self.signatures or not _SHA256.fullmatch(self.recipe_sha256):
            raise ValueError("A signature names files, the recipe and who signed.")
        if len({file.name for file in self.files}) != len(self.files):
            raise ValueError("A signature names each file once.")

    @property
    def hashes(self) -> dict[str, str]:
        """By name of the file."""
        return {file.name: file.sha256 for file in self.files}

    def public(self) -> Self:
        """Without what stays with the custodian."""
        return replace(self, files=tuple(file for file in self.files if ".private." not in file.name))

    def to_bytes(self) -> bytes:
        """As it lies on disk."""
        stated = {"format": FORMAT, "version": VERSION, "statement": STATEMENT, **asdict(self)}
        return json.dumps(stated, ensure_ascii=False, indent=2).encode() + b"\n"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Raises ValueError for whatever is no signature."""
        stated: Any = documents.read_json(text)
        try:
            if (stated["format"], stated["version"]) != (FORMAT, VERSION):
                raise ValueError("This is not a signature of a version that this shoal reads.")
            return cls(
                tuple(SignedFile(_text(file["name"]), _text(file["sha256"])) for file in stated["files"]),
                _text(stated["recipe_sha256"]),
                _text(stated["shoal"]),
                _text(stated["verdict"]),
                tuple(map(_text, stated["promises"])),
                tuple(_signed(one) for one in stated["signatures"]),
            )
        except (KeyError, TypeError):
            raise ValueError("This is not a signature.") from None


def signed_now(name: str, reason: str, role: str, review: str | None, now: datetime) -> Signed:
    """One person's statement, refused where something is missing."""
    texts = {"name": " ".join(name.split()), "reason": " ".join(reason.split()), "role": " ".join(role.split())}
    problems = [f"{key}: say {what}." for key, what in (("name", "who signs"), ("reason", "why")) if not texts[key]]
    for key, text in texts.items():
        if len(text) > _LONGEST[key]:
            problems.append(f"{key}: {_LONGEST[key]:,} signs are enough.")
        elif visible(text) != text:
            problems.append(f"{key}: holds signs that cannot be seen. Type it again.")
    day = (review or "").strip() or None
    if day is not None:
        try:
            if date.fromisoformat(day) <= now.date():
                problems.append("review: must be a day that is yet to come.")
            day = date.fromisoformat(day).isoformat()
        except ValueError:
            problems.append("review: must be a day such as 2027-11-30.")
    if problems:
        raise RecipeError(*problems)
    return Signed(texts["name"], texts["role"], texts["reason"], now.strftime("%Y-%m-%dT%H:%M:%SZ"), day)


def _signed(one: Any) -> Signed:
    review = one["review"]
    signed = _text(one["signed"])
    datetime.fromisoformat(signed)
    return Signed(
        _text(one["name"]),
        _text(one["role"]),
        _text(one["reason"]),
        signed,
        None if review is None else _text(review),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
