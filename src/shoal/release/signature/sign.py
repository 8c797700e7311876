"""Sign a release: write beside its report who answers for it, and what every file held at that moment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from shoal import system
from shoal.data.documents import MAX_JSON, read_text
from shoal.errors import DataError, RecipeError
from shoal.io.location import is_uri
from shoal.io.publishing.journal import open_new
from shoal.io.publishing.names import PRIVATE_SIGNATURE, SIGNATURE, sidecar
from shoal.io.publishing.sweep import draft_name, locked, storage_errors, sweep_locked
from shoal.release.signature.check import check_signature, read_statement
from shoal.release.signature.files import released_files
from shoal.release.signature.statement import Statement, signed_now
from shoal.report.json import read_json, verdict
from shoal.system import sync
from shoal.verifier.verdict import SEEDED
from shoal.version import __version__

if TYPE_CHECKING:
    from shoal.release.signature.statement import SignedFile
    from shoal.report.kinds import ReportFacts


@dataclass(frozen=True)
class SignedRelease:
    """What came of it."""

    statement: Statement  # of all files
    files: tuple[Path, ...]  # that were written


def sign(
    release: Path | str,
    *,
    name: str,
    reason: str,
    role: str = "",
    review: str | None = None,
    read_report: bool = False,
    sha256: str = "",
) -> SignedRelease:
    """Refused when the release is not what was published. Whoever signs after another is added.

    read_report: they say that they have read the report; without it nothing is signed. sha256: of the data that they read
    about; refused if others lie there by now.
    """
    if isinstance(release, str) and is_uri(release):
        raise RecipeError("A release in a store cannot be signed there. Sign it where it was made, or fetch it first.")
    data = Path(release)
    signed = signed_now(name, reason, role, review, datetime.now(UTC))
    if not read_report:
        raise RecipeError("Read the report first, and say that you have: a signature states it.")
    if not data.exists():
        raise RecipeError(f"There is no release at {data.name}. Make it first.")
    folder = data.absolute().parent
    with storage_errors(f"{data.name} cannot be signed"), locked(folder):
        sweep_locked(folder)
        facts = _facts(data)
        files = released_files(data)
        if sha256 and sha256 != files[0].sha256:
            raise DataError(f"{data.name} is not the release that you looked at: another was made meanwhile.")
        _refuse_changed(data, facts, files)
        earlier = _earlier(data)
        statement = Statement(
            files,
            facts.identity.recipe_sha256,
            __version__,
            verdict(facts),
            tuple(promise.sentence for promise in facts.promises),
            (*(earlier.signatures if earlier else ()), signed),
        )
        private, public = sidecar(data.absolute(), PRIVATE_SIGNATURE), sidecar(data.absolute(), SIGNATURE)
        _put(folder, {private: (statement, 0o600), public: (statement.public(), 0o666)})
    return SignedRelease(statement, (public, private))


def _facts(data: Path) -> ReportFacts:
    report = sidecar(data, "report.json")
    try:
        facts = read_json(read_text(report, MAX_JSON))
    except FileNotFoundError:
        raise RecipeError(
            f"{report.name} is not beside {data.name}: only a release of shoal, with its report, can be signed."
        ) from None
    except (OSError, ValueError):
        raise DataError(f"{report.name} is not a report that this version of shoal can read.") from None
    if not facts.verdict.passed:
        raise DataError(f"{data.name} does not keep its promise, as its report says. It cannot be signed.")
    if SEEDED in facts.verdict.codes:
        raise DataError(
            f"{data.name} was made with a `seed`, for tests, and must not be published. It cannot be signed."
        )
    if facts.identity.files[0].name != data.name:
        raise DataError(f"{report.name} is not about {data.name}.")
    return facts


def _refuse_changed(data: Path, facts: ReportFacts, files: tuple[SignedFile, ...]) -> None:
    """Against what the report states, and the manifest where it is there."""
    now = {file.name: file.sha256 for file in files}
    stated = {file.name: file.sha256 for file in facts.identity.files}
    manifest = sidecar(data, "manifest.private.json")
    if manifest.exists():
        try:
            stated |= {one["name"]: one["sha256"] for one in json.loads(read_text(manifest, MAX_JSON))["files"]}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise DataError(f"{manifest.name} is not a manifest that this version of shoal can read.") from None
    for name, sha256 in stated.items():
        if name not in now:
            raise DataError(f"{name} belongs to the release and is gone. Make the release again before you sign.")
        if now[name] != sha256:
            raise DataError(
                f"{name} was changed after it was published. Make the release again (`shoal run … --replace`) before you sign."
            )


def _earlier(data: Path) -> Statement | None:
    """Of those who signed before; refused if that is not what lies here."""
    check = check_signature(data)
    if check is None:
        return None
    if not check.fits:
        raise DataError(
            f"The signature of {data.name} {check.fit_words()}. Make the release again (`shoal run … --replace`), or delete "
            f"{sidecar(data, SIGNATURE).name} and {sidecar(data, PRIVATE_SIGNATURE).name}."
        )
    private = sidecar(data, PRIVATE_SIGNATURE)
    return read_statement(private if private.exists() else sidecar(data, SIGNATURE))


def _put(folder: Path, statements: dict[Path, tuple[Statement, int]]) -> None:
    """Each whole or not at all, the public one last. What a kill leaves lies in a draft, which the next run sweeps."""
    draft = folder / draft_name()
    draft.mkdir(mode=0o700)
    try:
        for place, (statement, mode) in statements.items():
            with open_new(draft / place.name, mode) as file:
                file.write(statement.to_bytes())
            sync(draft / place.name)
        for place in statements:
            system.replace(draft / place.name, place)
        sync(folder)
    finally:
        for place in statements:
            (draft / place.name).unlink(missing_ok=True)
        draft.rmdir()
