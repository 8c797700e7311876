"""Write the HTML report of a release again from its JSON, and as PDF where a browser is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from shoal.errors import DataError, RecipeError
from shoal.report.html import render_html
from shoal.report.json import read_json

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_PATIENCE = 120  # seconds


def rewrite_reports(folder: Path, *, pdf: bool = False) -> tuple[Path, ...]:
    """One HTML (and PDF) for each `*.report.json` in the folder."""
    found = sorted(folder.glob("*.report.json"))
    if not found:
        raise RecipeError(f"There is no report in {folder.name}: no file ends in .report.json.")
    written: list[Path] = []
    for path in found:
        try:
            facts = read_json(path.read_text(encoding="utf-8"))
        except (ValueError, OSError):
            raise DataError(f"{path.name} is not a report that this version of shoal can read.") from None
        page = path.with_suffix(".html")
        page.write_text(render_html(facts), encoding="utf-8")
        written.append(page)
        if pdf:
            written.append(_print(page))
    return tuple(written)


def _print(page: Path) -> Path:
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise RecipeError(
            f"No browser was found to print with ({', '.join(_BROWSERS)}). Open {page.name} in any browser and print it from there."
        )
    target = page.with_suffix(".pdf")
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
