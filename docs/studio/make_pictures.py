"""Pictures of every screen of the studio, light and dark, wide and narrow, made by walking through it.

    python docs/studio/make_pictures.py [FOLDER]

Needs the packages of the tests and Chromium. The data is the hospital example: nobody in it exists.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tests"), str(HERE.parents[1] / "tests" / "browser")]

from chromium_window import open_chromium  # noqa: E402
from steward import Steward  # noqa: E402

from studio_process import running  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOKS = [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)]


def take(page: Page, name: str, folder: Path) -> None:
    """The whole page in every light and width."""
    page.locator("html.held").wait_for(state="detached")
    for light, width in LOOKS:
        page.emulate_media(color_scheme=light, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(150)
        page.screenshot(path=folder / f"{name}-{width}-{light}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")


def walk(steward: Steward, folder: Path) -> None:
    """Through all screens, with a picture of each."""
    page = steward.page
    take(page, "home", folder)
    steward.begin()
    take(page, "start", folder)
    steward.open_example("Patients, one diagnosis each")
    take(page, "open", folder)
    steward.next()
    steward.at("What is in each column?")
    take(page, "columns", folder)
    steward.confirm_columns()
    for name in ("blur", "promise", "risk", "search", "compare", "publish"):
        steward.go(name)
        take(page, name, folder)
    steward.publish()
    steward.sign()
    take(page, "signed", folder)
    steward.check(*steward.released())
    take(page, "check", folder)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, running(Path(home) / "shoal") as studio, open_chromium() as browser:
        steward = Steward(browser.new_context(viewport={"width": 1280, "height": 800}), studio, Path(home) / "shoal")
        walk(steward, folder)
    size = sum(path.stat().st_size for path in folder.glob("*.png"))
    print(f"{len(list(folder.glob('*.png')))} pictures, {size / 1024:,.0f} kB")


if __name__ == "__main__":
    main()
