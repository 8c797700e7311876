"""A person without a mouse: Tab until it is there, then Enter, the space bar, or what is to be typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steward import Steward

if TYPE_CHECKING:
    from playwright.sync_api import Locator

FAR = 400  # more stops than any page has
# where the person is, and whether they can see it: an outline or a shadow, on something that is not covered or outside
FOCUS = """here => {
    if (document.activeElement !== here) return "elsewhere";
    const look = getComputedStyle(here), label = here.labels?.[0] ? getComputedStyle(here.labels[0]) : look;
    const marked = [look, label].some(s => (s.outlineStyle !== "none" && s.outlineWidth !== "0px") || s.boxShadow !== "none");
    const box = here.getBoundingClientRect();
    if (!marked) return "not marked";
    return box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth ? "here" : "out of sight";
}"""


class KeyboardSteward(Steward):
    """Goes the same ways by keys alone."""

    def press(self, what: Locator) -> None:
        self._reach(what)
        ticked = what.evaluate("e => e.matches('input[type=checkbox], input[type=radio]')")
        self._key("Space" if ticked else "Enter")

    def choose(self, box: Locator, words: str) -> None:
        option = box.get_by_role("option", name=re.compile(words))
        self._reach(box)
        self.page.keyboard.type(option.inner_text().strip())
        assert box.input_value() == option.get_attribute("value")

    def fill(self, label: str | re.Pattern[str], text: str) -> None:
        self._reach(self.page.get_by_label(label).first)
        self._key("Control+a")
        self.page.keyboard.type(text)

    def _reach(self, what: Locator) -> None:
        """By Tab, from wherever the focus is."""
        what.wait_for()
        for _ in range(FAR):
            found = what.evaluate(FOCUS)
            if found != "elsewhere":
                assert found == "here", f"{what}: {found}"
                return
            self._key("Tab")
        raise AssertionError(f"{what} cannot be reached by Tab")

    def _key(self, name: str) -> None:
        self.clicks += 1
        self.page.keyboard.press(name)
