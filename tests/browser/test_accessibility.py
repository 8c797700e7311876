"""axe-core finds nothing on any screen: light and dark, wide and as narrow as a telephone."""

from __future__ import annotations

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

LOOKS = [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)]
ALL = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}
BY_LOOK = {"runOnly": {"type": "rule", "values": ["color-contrast", "target-size", "scrollable-region-focusable"]}}


def findings(page, options) -> list[str]:
    """What axe finds, a line for each."""
    answer = axe.Axe().run(page, options=options).response
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]}" for one in answer["violations"] for node in one["nodes"][:3]
    ]


def look_around(page) -> list[str]:
    """At the page as it is, in every light and width; also that nothing is cut off where it is narrow."""
    page.locator("html.held").wait_for(state="detached")
    seen = []
    for number, (light, width) in enumerate(LOOKS):
        page.emulate_media(color_scheme=light)
        page.set_viewport_size({"width": width, "height": 900})
        lines = findings(page, BY_LOOK if number else ALL)  # most rules ask for words and order, which stay the same
        wide = page.evaluate("document.documentElement.scrollWidth")
        lines += [f"the page is {wide} wide"] if wide > width else []
        seen += [f"{page.url.partition('?')[0]}: {light}, {width}: {line}" for line in lines]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    return seen


def look(steward, place: str) -> list[str]:
    """At the page of an address."""
    steward.page.goto(steward.studio.here + place)
    return look_around(steward.page)


@pytest.mark.parametrize("place", ["/", "/open", "/open?for=risk", "/check", "/nowhere"])
def test_pages_without_a_project(steward, place) -> None:
    assert look(steward, place) == []
    steward.complaints = [line for line in steward.complaints if place != "/nowhere" or "404" not in line]


STEPS = ("open", "columns", "blur", "promise", "risk", "search", "compare", "publish")


def test_every_step_before_anything_was_done(steward) -> None:
    """Other kinds of data: on the way of the flows."""
    from shoal.release.examples import write_example
    from shoal.studio.projects import Projects

    project = Projects(steward.folder).open(write_example("table", steward.folder / "example")[-1])
    assert [line for step in STEPS for line in look(steward, f"/r/{project.key}/{step}")] == []
