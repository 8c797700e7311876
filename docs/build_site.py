"""Builds the documentation as a site: `python docs/build_site.py SITE`, with Zensical in the environment.

Pages are those of `docs`, to which SECURITY, CONTRIBUTING and CHANGELOG are added. The list of pages in the navigation is made
here, from the folders, so that no page can be forgotten. Fails on any warning, on a link that leads nowhere, and when a built page
asks another host for anything.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

DOCS = Path(__file__).resolve().parent
PROJECT = DOCS.parent
SOURCE = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
BESIDE = ("SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
_LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s#]+)")


def gather(folder: Path) -> None:
    """All that the site is made of: `pages` and the settings."""
    pages = folder / "pages"
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns("*.py", "*.toml", "__pycache__"))
    shutil.copy(PROJECT / "src/shoal/studio/static/shoal.svg", pages / "shoal.svg")
    (pages / "project").mkdir()
    for name in BESIDE:
        shutil.copy(PROJECT / name, pages / "project" / name)
    for page in pages.rglob("*.md"):
        page.write_text(_relinked(page, pages), encoding="utf-8")
    settings = (DOCS / "zensical.toml").read_text(encoding="utf-8")
    for section in ("how-to", "reference", "methods", "evidence"):
        names = sorted(str(page.relative_to(pages)) for page in (pages / section).glob("*.md"))
        settings = settings.replace(f'= "{section}"', f"= {json.dumps(names)}")
    (folder / "zensical.toml").write_text(settings, encoding="utf-8")


def _relinked(page: Path, pages: Path) -> str:
    """A link to a file beside the pages leads to its copy among them; one to the source leads there."""
    at = page.relative_to(pages)
    home = PROJECT if at.parts[0] == "project" else (DOCS / at).parent

    def link(found: re.Match[str]) -> str:
        target = (home / found[2]).resolve()
        if target.name in BESIDE and target.parent == PROJECT:
            new = pages / "project" / target.name
        elif target.is_relative_to(DOCS):
            new = pages / target.relative_to(DOCS)
        elif target == PROJECT / "README.md":
            new = pages / "index.md"
        elif target.exists():
            return f"{found[1]}{SOURCE}/blob/main/{target.relative_to(PROJECT).as_posix()}"
        else:
            raise ValueError(f"{at} links to {found[2]}, which is not there")
        return f"{found[1]}{Path(os.path.relpath(new, page.parent)).as_posix()}"

    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("`") else _LINK.sub(link, part) for part in parts)


class _Page(HTMLParser):
    """The links of a built page, the places links can lead to, and what it fetches from other hosts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.foreign: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        fetched = given.get("src", "") if tag != "link" or given.get("rel") == "canonical" else given.get("href", "")
        if re.match(r"(https?:)?//", fetched):
            self.foreign.add(fetched)


def check(site: Path) -> tuple[int, int]:
    """How many links and anchors there are inside the site; an exit where one leads nowhere, or a page asks another host."""
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    links = anchors = 0
    faults = []
    for path, page in pages.items():
        faults += [f"{path.name} asks {host}" for host in sorted(page.foreign)]
        for link in page.links:
            if re.match(r"[a-z]+:|//", link) or path.name == "404.html":
                continue
            target, _, anchor = unquote(link).partition("#")
            found = (path.parent / target).resolve() if target not in ("", ".") else path
            found = found / "index.html" if found.is_dir() else found
            links += 1
            if not found.exists():
                faults.append(f"{path.name} links to {link}")
            elif anchor and found in pages:
                anchors += 1
                if anchor not in pages[found].places:
                    faults.append(f"{path.name} links to {link}: no such place")
    if faults:
        sys.exit("\n".join(faults))
    return links, anchors


def build(site: Path) -> None:
    """Into a folder, or an exit."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        gather(folder)
        command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
        told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if told.returncode or re.search(r"warning|error", told.stdout + told.stderr, re.IGNORECASE):
            sys.exit(f"{told.stdout}{told.stderr}\nThe site was not built.")
        links, anchors = check(folder / "site")
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(folder / "site", site)
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages; {links:,} links, {anchors:,} of them to a place within a page: all lead somewhere")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python docs/build_site.py SITE")
    build(Path(sys.argv[1]))
