"""A real `shoal studio`, and Chromium before it. Nothing but this computer may be asked for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chromium_window import CHROMIUM, open_chromium
from steward import Steward

from studio_process import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in str(item.path):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    pytest.importorskip("starlette", reason="the extra `studio` is not installed")
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def steward(chromium: Browser, tmp_path) -> Iterator[Steward]:
    """A person who has just followed the printed link."""
    with running(tmp_path / "shoal") as studio:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        person = Steward(context, studio, tmp_path / "shoal")
        yield person
        complaints = list(person.complaints)
        person.page.screenshot(path=tmp_path / "last.png", full_page=True)  # for whoever looks into a failure
        context.close()
        assert person.elsewhere == [], "a page asked another computer"
        assert complaints == [], "a page complained"
