"""What a person does in the studio, by the words they see: a few verbs over roles and labels, as a screen reader has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page, Route

    from studio_process import Running

LONG = 300_000  # milliseconds that work may take on a busy computer


class Steward:
    """`clicks` counts what they did; `elsewhere` and `complaints` must stay empty."""

    def __init__(self, context: BrowserContext, studio: Running, folder: Path) -> None:
        self.studio, self.folder, self.clicks = studio, folder, 0
        self.elsewhere: list[str] = []
        self.complaints: list[str] = []
        context.route("**/*", self._guard)
        context.set_default_timeout(90_000)
        self.page: Page = context.new_page()
        self.page.on("console", lambda said: self._hear(said.type, said.text))
        self.page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        self.page.goto(studio.link)

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(f"{urlsplit(self.page.url).path}: {text}")

    def _guard(self, route: Route) -> None:
        place = urlsplit(route.request.url)
        if place.scheme in {"data", "blob"} or place.netloc == f"127.0.0.1:{self.studio.port}":
            route.continue_()
        else:
            self.elsewhere.append(route.request.url)
            route.abort()

    # ---- verbs -------------------------------------------------------------------------------------------------------

    def click(self, words: str | re.Pattern[str], role: str | None = None) -> None:
        """A button or a link, by what it says."""
        self.press(self.find(words, role).first)

    def press(self, what: Locator) -> None:
        """A button, a link, a tick."""
        self.clicks += 1
        what.click()

    def choose(self, box: Locator, words: str) -> None:
        """The option with these words among those of a box."""
        self.clicks += 1
        box.select_option(box.get_by_role("option", name=re.compile(words)).get_attribute("value"))

    def find(self, words: str | re.Pattern[str], role: str | None = None) -> Locator:
        if role is not None:
            return self.page.get_by_role(role, name=words)
        return self.page.get_by_role("button", name=words).or_(self.page.get_by_role("link", name=words))

    def sees(self, words: str | re.Pattern[str], seconds: float = 20) -> None:
        self.page.get_by_text(words).first.wait_for(timeout=1000 * seconds)

    def at(self, title: str | re.Pattern[str], seconds: float = 40) -> None:
        """On the page with this heading."""
        self.page.get_by_role("heading", level=1, name=title).wait_for(timeout=1000 * seconds)

    @property
    def key(self) -> str:
        """Of the project that is open."""
        match = re.search(r"/r/([0-9a-f]{12})/", self.page.url)
        assert match is not None, self.page.url
        return match[1]

    def step(self, name: str) -> None:
        """By the bar on top."""
        self.press(self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(name)))
        self.page.wait_for_url(re.compile(rf"/r/{self.key}/"))

    # ---- the way from a file to a release ----------------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """From the first page; as far as the first rows."""
        self.begin()
        self.fill("Where it is on this computer", str(path))
        self.press(self.page.get_by_role("region", name="By its path").get_by_role("button", name="Open"))
        self.at("Is this your data?")

    def open_database(self, url: str, record: str) -> None:
        """Records that are spread over several tables."""
        self.begin()
        self.fill("Address, without a password", url)
        self.press(self.page.get_by_text("A query, or records spread over several tables"))
        self.fill("PostgreSQL: the table with one row for each person", record)
        self.click("Open the database")
        self.at("Is this your data?")

    def begin(self) -> None:
        """The first page, and from there on to publish something."""
        if urlsplit(self.page.url).path != "/":
            self.page.goto(self.studio.here + "/")
        self.click(re.compile("^Publish"), "link")
        self.at("What do you want to publish?")

    def fill(self, label: str | re.Pattern[str], text: str) -> None:
        self.page.get_by_label(label).first.fill(text)

    def next(self) -> None:
        """The button that leads to the next step."""
        self.click(re.compile("^Next:"))

    def publish(self) -> None:
        """On the page "publish": make the release."""
        self.at("Publish")
        self.click("Make the release", "button")
        self.page.get_by_role("heading", name="Sign", exact=True).wait_for(timeout=LONG)

    def sign(self, name: str = "Ada Steward", reason: str = "For research on waiting times, by contract.") -> None:
        self.fill("Your name", name)
        self.fill("Why may it be released", reason)
        part = self.page.get_by_role("region", name="Sign", exact=True)
        self.press(part.get_by_role("checkbox"))
        self.press(part.get_by_role("button", name="Sign", exact=True))
        self.sees(re.compile(f"[Ss]igned.*{name}|{name}.*signed"))

    def open_example(self, words: str) -> None:
        """One of the examples, by a word of its button."""
        part = self.page.get_by_role("region", name="Only trying out?")
        self.press(part.get_by_role("button", name=re.compile(words)).first)
        self.at("Is this your data?")

    def wait_for_work(self) -> None:
        """Until no work is under way on the page; of "compare" it is begun first."""
        self.page.wait_for_timeout(300)
        rehearse = self.page.locator("form[action$='/compare/make'] button").first
        if rehearse.is_visible() and rehearse.is_enabled() and not self.page.locator("job-progress").count():
            self.press(rehearse)
            self.page.get_by_role("link", name=re.compile("^Next: Publish")).wait_for(timeout=LONG)
        self.page.locator("job-progress").wait_for(state="detached", timeout=LONG)

    def released(self) -> tuple[Path, Path]:
        """The release that was made last, and its recipe."""
        from shoal.studio.projects import Projects

        project = Projects(self.folder).find(self.key)
        return Path(project.recall("publish.result")["places"][0]), project.recipe

    def confirm_columns(self, **roles: str) -> None:
        """All roles as suggested, but for those given by the name of the column, in the words of the page."""
        self.at("What is in each column?")
        for name, role in roles.items():
            card = self.page.get_by_role("listitem").filter(has=self.page.get_by_role("heading", name=name, exact=True))
            self.choose(card.get_by_label("This column"), role)
        if self.page.get_by_text("All are confirmed").is_visible():
            return
        self.press(self.page.get_by_label("tick all that are shown"))
        self.click("Confirm ticked", "button")
        self.sees("All are confirmed")

    def go(self, step: str) -> None:
        """To a step by its address; until its work is done."""
        self.page.goto(f"{self.studio.here}/r/{self.key}/{step}")
        self.wait_for_work()

    def check(self, release: Path, recipe: Path) -> None:
        """A release, by the recipe it was made by; until the verdict."""
        self.page.goto(self.studio.here + "/check")
        self.fill("or give its path", str(release))
        self.fill("or its path", str(recipe))
        self.click("Go on")
        self.page.get_by_role("heading", name="What the verifier asked").wait_for(timeout=LONG)
