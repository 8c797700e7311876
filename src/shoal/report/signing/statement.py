"""What is said of a signature: what somebody states who signs, and whether a release is still what was signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.words import clean, listed, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

STATEMENT = (
    "I have read the report on these files. The roles of the columns are right as far as I know, and the remaining risk is "
    "acceptable for those who receive the release."
)
NOT_CRYPTOGRAPHIC = (
    "A signature here is a statement with the SHA-256 of every file, not a cryptographic signature: it tells whether a file was "
    "changed after signing, but whoever can write to the folder can write another statement. Keep a copy elsewhere."
)

OTHER_RECIPE = "The release was signed for another recipe than this one: what was promised may differ."


@dataclass(frozen=True)
class Signed:
    """One person's statement."""

    name: str
    role: str  # "" where they did not say
    reason: str
    signed: str  # when, UTC: "2026-11-16T09:30:00Z"
    review: str | None  # the day on which it is to be looked at again

    def words(self) -> str:
        """'Ada Lovelace (data steward) on 2026-11-16'."""
        role = f" ({self.role})" if self.role else ""
        return clean(f"{self.name}{role} on {self.signed[:10]}")


def signed_words(signed: Sequence[Signed]) -> str:
    """'Signed by Ada Lovelace on 2026-11-16, and by Tom Jones on 2026-11-17'."""
    return f"Signed by {', and by '.join(one.words() for one in signed)}"


def fit_words(files: int, changed: Sequence[str], added: Sequence[str], missing: Sequence[str]) -> str:
    """Whether the files are those that were signed. files: how many fit."""
    faults = []
    if changed:
        faults.append(f"{listed([clean(name) for name in changed])} {_was(changed)} changed after signing")
    if added:
        faults.append(f"{listed([clean(name) for name in added])} {_was(added)} added after signing")
    gone = f"; not here: {listed([clean(name) for name in missing])}" if missing else ""
    if faults:
        return f"does not fit: {'; '.join(faults)}{gone}"
    return f"{'all ' if files > 1 and not missing else ''}{plural(files, 'hash', 'hashes')} fit{'' if files > 1 else 's'}{gone}"


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
