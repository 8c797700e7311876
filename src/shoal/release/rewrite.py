"""Write the HTML report of a release again from its JSON, and as PDF where a browser is installed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal import system
from shoal.data.documents import MAX_JSON, read_text
from shoal.errors import DataError, NotAnonymous, RecipeError
from shoal.io.folder import part_files, sha256_of
from shoal.io.publishing.overwrite import PAGE, overwrite, refuse_foreign
from shoal.release.check import check_release
from shoal.report.html import render_html
from shoal.report.json import read_json

if TYPE_CHECKING:
    from shoal.report.kinds import ReportFacts

_UNBOUND = (
    "This page was rendered again without the custodian's manifest. That the data keep the promise, how many records there are and "
    "the roles of the columns were verified again; all other figures are as the JSON states them, and nothing binds them."
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_PATIENCE = 120  # seconds


def rewrite_reports(folder: Path, *, recipe: Path | str | None = None, pdf: bool = False) -> tuple[Path, ...]:
    """One HTML (and PDF) for each `*.report.json` in the folder, if something binds what it says.

    Anyone can edit the JSON and leave the hash of the data in it. The custodian's manifest has the hash of the report; where it is
    not there, the release is verified again by its recipe, and the page says that no more than that is known.
    """
    reports = sorted(folder.glob("*.report.json"))
    if not reports:
        raise RecipeError(f"There is no report in {folder.name}: no file ends in .report.json.")
    bound = [(path, _facts(path, recipe)) for path in reports]  # all of them, before a page is written
    pages: list[Path] = []
    for path, facts in bound:
        page = path.with_suffix(".html")
        refuse_foreign(page, PAGE)
        overwrite(page, render_html(facts).encode())
        _note_page(page)
        pages.append(page)
        if pdf:
            pages.append(_print(page))
    return tuple(pages)


def _facts(path: Path, recipe: Path | str | None) -> ReportFacts:
    try:
        text = read_text(path, MAX_JSON)
        facts = read_json(text)
    except (ValueError, OSError):
        raise DataError(f"{path.name} is not a report that this version of shoal can read.") from None
    data = path.with_name(facts.identity.files[0].name)
    if not data.exists():
        raise DataError(f"{path.name} is about {data.name}, which does not stand beside it. Nothing was rendered.")
    if _sha256(data) != facts.identity.files[0].sha256:
        raise DataError(
            f"{path.name} is not about the {data.name} that stands beside it: the SHA-256 is another. Nothing was rendered."
        )
    stated = _stated(path).get(path.name)
    if stated is not None:
        if stated != hashlib.sha256(text.encode()).hexdigest():
            raise DataError(f"{path.name} was changed after it was published: the manifest has another SHA-256.")
        return facts
    if recipe is None:
        raise RecipeError(
            f"Nothing binds what {path.name} says: the manifest that `shoal run` wrote is not beside it, or has no hash of it. Put "
            "it there; or give the recipe (--recipe), and the release is verified again first."
        )
    verdict = check_release(data, recipe)
    if not verdict.passed:
        failed = "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)
        raise NotAnonymous(f"{data.name} did not pass again, and nothing was rendered. {failed}", verdict)
    judged = replace(facts.verdict, warnings=(*facts.verdict.warnings, _UNBOUND))
    return replace(facts, verdict=judged)


def _stated(path: Path) -> dict[str, str]:
    """What the manifest beside a report has as hashes, by name of the file; nothing when there is none."""
    manifest = _manifest(path)
    try:
        return {one["name"]: one["sha256"] for one in json.loads(read_text(manifest, MAX_JSON))["files"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{manifest.name} is not a manifest that this version of shoal can read.") from None


def _note_page(page: Path) -> None:
    """A page that another version rendered has other bytes: the manifest gets its hash."""
    if page.name not in _stated(page):
        return
    manifest = _manifest(page)
    document = json.loads(read_text(manifest, MAX_JSON))
    for one in document["files"]:
        if one["name"] == page.name:
            one["sha256"] = sha256_of(page)
    fresh = manifest.with_name(f".{manifest.name}.new")
    with os.fdopen(system.open_new(fresh, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    system.replace(fresh, manifest)


def _manifest(path: Path) -> Path:
    stem = path.name.removesuffix(".json").removesuffix(".html").removesuffix(".report")
    return path.with_name(f"{stem}.manifest.private.json")


def _sha256(data: Path) -> str:
    if not data.is_dir():
        return sha256_of(data)
    listing = "".join(f"{sha256_of(file)}  {file.name}\n" for file in part_files(data))
    return hashlib.sha256(listing.encode()).hexdigest()


def _print(page: Path) -> Path:
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise RecipeError(
            f"No browser was found to print with ({', '.join(_BROWSERS)}). Open {page.name} in any browser and print it from there."
        )
    target = page.with_suffix(".pdf")
    refuse_foreign(target, b"%PDF-")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                f"--user-data-dir={profile}", "--no-pdf-header-footer", f"--print-to-pdf={target.resolve()}",
                page.resolve().as_uri(),
            ],
            capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    if done.returncode or not target.exists():
        raise DataError(f"The browser could not print {page.name}. Open it and print it by hand.")
    return target
