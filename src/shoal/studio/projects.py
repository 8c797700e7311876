"""What is worked on: recipes on disk, those of the studio's folder and those opened elsewhere.

The folder is the person's own, `shoal` in their home, so that they find what they published:

    shoal/patients/recipe.toml            the recipe, which `shoal run` runs as well
    shoal/patients/patients.csv           a file that was dropped on the page
    shoal/patients/release/patients.csv   the release, with its report
    shoal/.studio/<key>/                  private: results of searches, earlier texts of the recipe; may be deleted at any time
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal import system
from shoal.errors import DataError, RecipeError
from shoal.release.editing.document import ChangedMeanwhile, RecipeDocument

RECENT = 50  # recipes that are remembered
UNDONE = 50  # earlier texts that are kept of each
CHECKS = 7 * 86_400  # seconds that what was checked is kept
_LOCK = threading.Lock()  # two tabs are two threads


@dataclass(frozen=True)
class Project:
    """A recipe, and the private folder of what the studio knows of it."""

    recipe: Path
    private: Path

    @property
    def key(self) -> str:
        """In addresses of pages."""
        return key_of(self.recipe)

    @property
    def name(self) -> str:
        """As a person would call it."""
        return self.recipe.parent.name if self.recipe.name == "recipe.toml" else self.recipe.stem

    def document(self) -> RecipeDocument:
        """The recipe as it lies on disk now."""
        return RecipeDocument.open(self.recipe)

    # ---- changes, and taking them back -------------------------------------------------------------------------------

    def save(self, before: RecipeDocument, after: RecipeDocument) -> RecipeDocument:
        """A change; the text before it can be brought back."""
        if after.text == before.text:
            return before
        with _LOCK:
            saved = after.save()
            steps = self._steps()
            number = steps[-1].number + 1 if steps else 1
            write_private(self.private / "earlier" / f"{number:06}-{saved.revision}.toml", before.text)
            for old in steps[: max(0, len(steps) + 1 - UNDONE)]:
                old.path.unlink(missing_ok=True)
        return saved

    @property
    def can_undo(self) -> bool:
        """Whether the recipe is as the last change here left it: what was written elsewhere since is not ours to take back."""
        steps = self._steps()
        return bool(steps) and steps[-1].revision == self.document().revision

    def undo(self, seen: str) -> None:
        """Bring back the text before the last change that was made here. seen: the revision that the person looked at."""
        with _LOCK:
            steps = self._steps()
            if not steps:
                return
            last = steps[-1]
            if last.revision != seen:
                raise ChangedMeanwhile(
                    f"{self.recipe.name} was changed meanwhile, in another window or an editor, so nothing was taken back."
                )
            RecipeDocument(self.recipe, last.path.read_text(encoding="utf-8"), seen).save()
            last.path.unlink()

    def _steps(self) -> list[_Step]:
        names = ((path, path.stem.partition("-")) for path in self.private.glob("earlier/*-*.toml"))
        steps = (_Step(int(number), revision, path) for path, (number, _, revision) in names if number.isdigit())
        return sorted(steps, key=lambda step: step.number)

    # ---- what is known of it, kept until it changes ------------------------------------------------------------------

    def remember(self, name: str, value: Any) -> None:
        """Keep what was found, as JSON in the private folder."""
        write_private(self.private / f"{name}.json", json.dumps(value))

    def recall(self, name: str) -> Any:
        """What was kept; None if nothing was, or it cannot be read."""
        try:
            return json.loads((self.private / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


@dataclass(frozen=True)
class _Step:
    """An earlier text of the recipe, and the revision of the one that took its place."""

    number: int
    revision: str
    path: Path


class Projects:
    """The studio's folder, and the recipes it remembers.

    `lasting` is False where the home folder cannot be written to: then all goes to a temporary folder, and the person must know.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder, self.lasting = _home() if folder is None else (_asked(folder), True)
        self._private = self.folder / ".studio"
        self._private.mkdir(mode=0o700, exist_ok=True)
        self._private.chmod(0o700)
        self._sweep()

    def recent(self) -> list[Project]:
        """The last that was opened first; what is gone is left out."""
        return [self._project(Path(path)) for path in self._remembered() if Path(path).is_file()]

    def find(self, key: str) -> Project:
        """The one of an address."""
        for path in self._remembered():
            if key_of(Path(path)) == key:
                return self._project(Path(path))
        raise RecipeError("The studio knows no such recipe any more. Open it again from the first page.")

    def open(self, recipe: Path) -> Project:
        """Remember a recipe that is there."""
        recipe = recipe.resolve()
        RecipeDocument.open(recipe)
        with _LOCK:
            paths = [str(recipe), *(path for path in self._remembered() if path != str(recipe))]
            write_private(self._private / "recent.json", json.dumps(paths[:RECENT]))
        return self._project(recipe)

    def forget(self, key: str) -> None:
        """Take a recipe off the list, and delete what the studio kept of it; the recipe and its releases stay."""
        with _LOCK:
            known = self._remembered()
            paths = [path for path in known if key_of(Path(path)) != key]
            if len(paths) == len(known):
                return  # whatever the key is, it names no folder of ours
            shutil.rmtree(self._private / key, ignore_errors=True)
            write_private(self._private / "recent.json", json.dumps(paths))

    def new_folder(self, name: str) -> Path:
        """A folder for a new project, named after what is opened."""
        plain = re.sub(r"[^\w .-]", "_", name).strip(" .")[:60] or "data"
        for number in range(1, 1000):
            folder = self.folder / (plain if number == 1 else f"{plain} {number}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
        raise DataError(f"There are a thousand folders called {plain} already. Move some away.")

    def new_check(self) -> Project:
        """A private folder for a release that is only checked; it is on no list."""
        folder = self._private / f"check-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        write_private(folder / "recipe.toml", "")
        return Project(folder / "recipe.toml", folder)

    def _sweep(self) -> None:
        """Copies of releases and originals that were only checked do not stay for ever."""
        for folder in self._private.glob("check-*"):
            if folder.stat().st_mtime < time.time() - CHECKS:
                shutil.rmtree(folder, ignore_errors=True)

    def find_check(self, number: str) -> Project:
        """The one of an address."""
        folder = self._private / f"check-{number}"
        if not re.fullmatch(r"[0-9a-f]{16}", number) or not (folder / "recipe.toml").is_file():
            raise RecipeError("The studio knows no such check any more. Open the release again.")
        return Project(folder / "recipe.toml", folder)

    def _project(self, recipe: Path) -> Project:
        return Project(recipe, self._private / key_of(recipe))

    def _remembered(self) -> list[str]:
        try:
            paths = json.loads((self._private / "recent.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def key_of(recipe: Path) -> str:
    """Short, and the same whenever the studio is started."""
    return hashlib.sha256(os.fsencode(recipe)).hexdigest()[:12]


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, for this person only."""
    fresh = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, fresh = tempfile.mkstemp(prefix=".", dir=path.parent)  # mode 0600
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        system.replace(Path(fresh), path)
    except OSError as reason:
        if fresh:
            Path(fresh).unlink(missing_ok=True)
        raise DataError(f"{path.parent} cannot be written to: {reason.strerror}. Make room there.") from None


def _home() -> tuple[Path, bool]:
    """`shoal` in the home folder; where that cannot be written to, a folder that lasts as long as the computer runs."""
    try:
        folder = Path.home() / "shoal"
        _try(folder)
    except (OSError, RuntimeError):
        return Path(tempfile.mkdtemp(prefix="shoal-studio-")), False
    return folder, True


def _asked(folder: Path) -> Path:
    try:
        _try(folder)
    except OSError as reason:
        raise RecipeError(f"--folder: {folder} cannot be written to: {reason.strerror}. Choose another.") from None
    return folder.resolve()


def _try(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".{os.getpid()}.{time.monotonic_ns()}"
    probe.touch()
    probe.unlink()
