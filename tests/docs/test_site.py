"""The site: everything is gathered for it, every page is in its navigation, and a broken link is seen. Zensical is not needed."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

import pytest
from doc_pages import PROJECT


@pytest.fixture(scope="module")
def builder() -> Any:
    spec = importlib.util.spec_from_file_location("build_site", PROJECT / "docs" / "build_site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation(builder: Any, tmp_path: Path) -> None:
    builder.gather(tmp_path)
    settings = tomllib.loads((tmp_path / "zensical.toml").read_text(encoding="utf-8"))
    listed = [page for part in settings["project"]["nav"] for pages in part.values() for page in pages]
    there = {str(page.relative_to(tmp_path / "pages")) for page in (tmp_path / "pages").rglob("*.md")}
    assert sorted(listed) == sorted(there)
    assert "](project/SECURITY.md)" in (tmp_path / "pages/index.md").read_text(encoding="utf-8")


def _site(folder: Path, body: str) -> Path:
    (folder / "index.html").write_text(f'<h1 id="top">x</h1>{body}', encoding="utf-8")
    (folder / "other.html").write_text('<h2 id="here">y</h2>', encoding="utf-8")
    return folder


def test_links_are_checked(builder: Any, tmp_path: Path) -> None:
    links = '<a href="other.html#here">a</a><a href="#top">b</a><a href="https://example.org">c</a>'
    assert builder.check(_site(tmp_path, links)) == (2, 2)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="none.html">a</a>', "links to none.html"),
        ('<a href="other.html#there">a</a>', "no such place"),
        ('<script src="https://cdn.example/a.js"></script>', "asks https://cdn.example"),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', "asks //fonts.example"),
    ],
)
def test_faults_are_seen(builder: Any, tmp_path: Path, body: str, fault: str) -> None:
    with pytest.raises(SystemExit, match=fault):
        builder.check(_site(tmp_path, body))
