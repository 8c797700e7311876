"""Whether a release is what was signed. Whoever is handed it has the public signature; the custodian has that of all files."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.documents import read_text
from shoal.io.publishing.names import PRIVATE_SIGNATURE, SIGNATURE, sidecar
from shoal.release.recipe.recipe import Recipe
from shoal.release.signature.files import released_files
from shoal.release.signature.statement import LARGEST, Statement
from shoal.report.signing.statement import Signed, fit_words, signed_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class SignatureCheck:
    """What was found of the signature of a release. `fits`: no file was changed or added since, and the data were signed."""

    signatures: tuple[Signed, ...]
    fits: bool
    same: tuple[str, ...] = ()  # files that are as they were signed
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # signed, and not here: whoever passes a release on may leave some out
    recipe_sha256: str = ""
    other_recipe: bool = False  # than the one it was compared with
    verdict: str = ""
    promises: tuple[str, ...] = ()
    unreadable: str = ""  # the name of a signature that is none

    def fit_words(self) -> str:
        """'all 6 hashes fit', or what does not."""
        if self.unreadable:
            return f"does not fit: {self.unreadable} cannot be read as a signature"
        return fit_words(len(self.same), self.changed, self.added, self.missing)

    def words(self) -> str:
        """'Signed by Ada Lovelace on 2026-11-16; all 6 hashes fit'."""
        who = f"{signed_words(self.signatures)}; " if self.signatures else "The signature "
        return f"{who}{self.fit_words()}"

    def to_json(self) -> dict[str, Any]:
        """As `shoal verify --json` prints it."""
        return {**asdict(self), "words": self.words()}


def check_signature(release: Path, recipe: Path | None = None) -> SignatureCheck | None:
    """None when nobody signed it. What cannot be read as a signature does not fit. recipe: to compare with the signed one."""
    places = [sidecar(release, kind) for kind in (SIGNATURE, PRIVATE_SIGNATURE)]
    there = [place for place in places if place.exists() or place.is_symlink()]
    if not there:
        return None
    statements: list[Statement] = []
    for place in there:
        statement = read_statement(place)
        if statement is None:
            return SignatureCheck((), False, unreadable=place.name)
        statements.append(statement)
    now = {file.name: file.sha256 for file in released_files(release)}
    public = {name: sha256 for name, sha256 in now.items() if ".private." not in name}
    covered = [public if place.name == places[0].name else now for place in there]
    first = statements[0]
    hashes: dict[str, set[str]] = {}
    for statement in statements:
        for name, sha256 in statement.hashes.items():
            hashes.setdefault(name, set()).add(sha256)
    changed = _in_order(name for name, signed in hashes.items() if name in now and signed != {now[name]})
    added = _in_order(name for one, of in zip(statements, covered, strict=True) for name in of.keys() - one.hashes)
    if release.name not in hashes and release.name not in added:
        added = (release.name, *added)
    return SignatureCheck(
        max((one.signatures for one in statements), key=len),
        not changed and not added,
        tuple(name for name in hashes if name in now and name not in changed),
        changed,
        added,
        tuple(name for name in hashes if name not in now),
        first.recipe_sha256,
        recipe is not None and hashlib.sha256(Recipe.load(recipe).text.encode()).hexdigest() != first.recipe_sha256,
        first.verdict,
        first.promises,
    )


def read_statement(place: Path) -> Statement | None:
    """None when it cannot be read as one."""
    try:
        return Statement.from_text(read_text(place, LARGEST))
    except (OSError, ValueError):
        return None


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
