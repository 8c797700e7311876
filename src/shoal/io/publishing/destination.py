"""What may stand where a release goes: nothing, or an earlier release of ours, which `--replace` deletes. All else is refused.

An earlier release is known by its papers: the report or the private manifest beside it names the SHA-256 of the data and of the
codebook. A file without papers is somebody's, and so is one that was changed after it was published: neither can be made again.
A folder has its marker inside (see `folder`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal import system
from shoal.errors import RecipeError
from shoal.io.folder import MARKER, sha256_of
from shoal.io.publishing.journal import Identity
from shoal.io.publishing.names import ASSIGNMENT, sidecar_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

PAPERS = {"report.json": "shoal-report", "manifest.private.json": "shoal-manifest"}  # kind → format
LARGEST = 64 << 20  # so many bytes of a report or a manifest are looked at
ADVICE = "Move or delete it yourself, or choose another `[output] path`."


def refuse_name(name: str) -> None:
    """Refuses names that no release may have."""
    if name in {"", ".", ".."}:
        raise RecipeError("`[output] path` must end in a file name.")
    if name.lower().endswith(f".{ASSIGNMENT}"):
        raise RecipeError(
            f"`[output] path`: {name} is the name of a private file that stands beside a release. Choose another name."
        )
    if why := system.forbidden_name(name):
        raise RecipeError(f"`[output] path`: no file can be called {name}: {why}. Choose another name.")


def refuse_folder(destination: Path) -> None:
    """The folder must be what it is called: were it a link, whoever set it would choose where the release goes."""
    folder = destination.parent
    if system.is_link(folder):
        raise RecipeError(
            f"`[output] path`: the folder {folder.name} is a symbolic link; it is not written through. Name the folder it leads to."
        )
    for above in (folder, *folder.parents):
        if (above / MARKER).is_file():
            raise RecipeError(
                f"`[output] path`: {destination.name} would lie in {above.name}, which is a release in a folder itself. Choose "
                "another folder."
            )


class Earlier:
    """What an earlier release at this place has to be."""

    def __init__(self, name: str, read: Callable[[str], bytes | None]) -> None:
        """name: of the data. read: a small file beside it by its name; None where there is none."""
        self._name = name
        self._papers = {sidecar_name(name, kind): form for kind, form in PAPERS.items()}
        self._ours = {}
        for paper, form in self._papers.items():
            text = read(paper)
            hashes = None if text is None else _hashes(text, form)
            if hashes is not None:
                self._ours[paper] = hashes

    def refuse_file(self, name: str, sha256: Callable[[], str]) -> None:
        """Refuse a file that is there, unless it belongs to a release."""
        if name in self._ours:
            return
        if name in self._papers or not self._ours:
            raise RecipeError(
                f"{name} in the output folder is no file of a release of shoal: no {' or '.join(self._papers)} vouches for it. "
                f"--replace deletes releases, and nothing else. {ADVICE}"
            )
        bound = name in {self._name, *(sidecar_name(self._name, kind) for kind in ("codebook.json", "codebook.csv"))}
        if bound and sha256() not in frozenset().union(*self._ours.values()):
            raise RecipeError(
                f"{name} in the output folder is not as it was published: the report beside it states another SHA-256. --replace "
                f"does not delete what somebody has changed. {ADVICE}"
            )


class Known:
    """Files that were found to be of an earlier release, so that none is read twice."""

    def __init__(self) -> None:
        self._seen: set[tuple[Path, Identity]] = set()

    def refuse_others(self, destination: Path, paths: Iterable[Path]) -> None:
        """Refuse files that are not of an earlier release. paths: of those that are there."""
        earlier: Earlier | None = None
        for path in paths:
            identity = Identity.of(path)
            if identity is not None and (path, identity) in self._seen:
                continue
            earlier = earlier or Earlier(destination.name, lambda name: _read(destination.with_name(name)))
            earlier.refuse_file(path.name, lambda path=path: sha256_of(path))  # type: ignore[misc]
            if identity is not None:
                self._seen.add((path, identity))


def _read(path: Path) -> bytes | None:
    if system.is_link(path) or not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(LARGEST)


def _hashes(text: bytes, form: str) -> frozenset[str] | None:
    """Of the files that a report or a manifest speaks of; None when it is none of ours. It is not parsed: it may be anyone's."""
    if re.match(rb'\s*\{\s*"format":\s*"%s"' % form.encode(), text) is None:
        return None
    return frozenset(found.decode() for found in re.findall(rb'"sha256":\s*"([0-9a-f]{64})"', text))
