"""Opens every page of the built site in Chromium: `python docs/look_at_site.py SITE`, with playwright in the environment.

At 360 and 1,280 pixels, light and dark: nothing may be wider than the window unless it scrolls inside its own box, every picture
must load, nothing may be asked of another host, and no script may fail. Prints how many views were looked at, or what is wrong.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
LOOK = """() => {
  const wide = document.documentElement.clientWidth, faults = [];
  const boxed = e => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(p).overflowX)) return true;
    return false;
  };
  if (document.documentElement.scrollWidth > wide) faults.push(`scrolls to ${document.documentElement.scrollWidth}`);
  for (const e of document.querySelectorAll("article *")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > wide + 1 && !boxed(e)) faults.push(`${e.tagName} reaches ${Math.round(box.right)}`);
  }
  for (const i of document.images) if (i.complete && !i.naturalWidth) faults.push(`no picture ${i.getAttribute("src")}`);
  return faults.slice(0, 5);
}"""


def look(site: Path) -> tuple[int, list[str]]:
    """How many views there were, and what is wrong with them. 404.html is left out: its addresses begin at a server's root."""
    from playwright.sync_api import sync_playwright

    faults: list[str] = []
    views = 0
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width in WIDTHS:
            for scheme in SCHEMES:
                page: Any = browser.new_context(
                    viewport={"width": width, "height": 800},
                    color_scheme="dark" if scheme == "dark" else "light",
                ).new_page()
                told: list[str] = []
                page.on("pageerror", lambda error, told=told: told.append(f"script: {error}"))
                page.on("request", lambda asked, told=told: _outside(asked.url, told))
                for path in pages:
                    told.clear()
                    page.goto(path.resolve().as_uri(), wait_until="load")
                    name = f"{path.relative_to(site)} at {width}, {scheme}"
                    faults += [f"{name}: {fault}" for fault in (*page.evaluate(LOOK), *told)]
                    views += 1
        browser.close()
    return views, faults


def _outside(address: str, told: list[str]) -> None:
    if not address.startswith(("file:", "data:", "blob:")):
        told.append(f"asks {address}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python docs/look_at_site.py SITE")
    seen, wrong = look(Path(sys.argv[1]))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{seen} views: nothing reaches over the edge, every picture is there, nothing was asked of another host")
