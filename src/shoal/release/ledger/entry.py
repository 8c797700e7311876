"""What the ledger says of one release. Names, hashes and counts; never a cell."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Role = Literal["quasi", "sensitive", "plain"]


class Line(BaseModel):
    """A line of the ledger: frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class Named(Line):
    """A file by its name and what it holds."""

    name: str
    sha256: str


class Original(Line):
    """The data that a release was made of. `sha256`: of its bytes; empty where there is no file, as of a database."""

    sha256: str
    records: int


class Published(Line):
    """A column of a release: its role, and the hash of what the codebook says of its values."""

    role: Role
    recoding: str


class Entry(Line):
    """A release. It is written down before the release is moved to its place, so none can be missed."""

    event: Literal["release"] = "release"
    id: str
    time: str
    release: Named
    manifest: Named
    codebook: Named
    recipe: str  # SHA-256 of its text
    original: Original
    kind: str
    k: int
    columns: dict[str, Published]
    guarantees: list[str]
    known: int = 0  # so many items or values of a person may be known; 0: all of them
    person: str  # the column that names people; empty: they are known by their place in the original
    people: str  # SHA-256 of the file that says who lies in which class; empty where nobody could be followed
    unfollowed: str  # why nobody could be; empty where they were

    @property
    def day(self) -> str:
        """Of its making."""
        return self.time[:10]


class Ending(Line):
    """What became of a release that was written down: it stands at its place, or nothing was published after all."""

    event: Literal["published", "withdrawn"]
    id: str
    time: str
