"""The pages of the four examples: how many sheets of A4 they take, how they are built, and what they say to somebody who signs."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import shoal
from shoal.release.examples import write_example
from shoal.report.charts.palette import LIGHT
from shoal.report.json import statements

KINDS = ("table", "baskets", "patients", "trees")
SHEETS = 4  # of A4, before the appendix
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    return {kind: shoal.run(write_example(kind, folder / kind)[-1]) for kind in KINDS}


@pytest.fixture(params=KINDS)
def release(request, releases):
    return releases[request.param]


def pages_of(release) -> list[Path]:
    return [Path(file) for file in release.files if str(file).endswith(".html")]


def sheets(page: Path, text: str, folder: Path) -> int:
    """Printed by a browser, with its own profile and without a network."""
    source, target = folder / page.name, folder / "page.pdf"
    source.write_text(text)
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("Chromium is not installed.")
    subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            f"--user-data-dir={folder / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri(),
        ],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    return len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))


def test_what_is_read_before_signing_takes_four_sheets(release, tmp_path):
    for page in pages_of(release):
        whole = page.read_text()
        main = whole.replace("</style>", "@media print { #appendix { display: none; } }\n</style>", 1)
        assert 1 < sheets(page, main, tmp_path) <= SHEETS, page.name
        assert sheets(page, whole, tmp_path) > SHEETS - 2, page.name


class Outline(HTMLParser):
    """Headings, pictures and identifiers of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.pictures: list[dict[str, str | None]] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        self.pictures += [dict(attrs)] if tag == "svg" else []
        self.ids += [value or "" for name, value in attrs if name == "id"]


def test_headings_go_down_one_level_at_a_time_and_pictures_have_names(release):
    for page in pages_of(release):
        outline = Outline(page.read_text())
        assert outline.levels[0] == 1 and outline.levels.count(1) == 1
        assert all(after <= before + 1 for before, after in zip(outline.levels, outline.levels[1:], strict=False))
        assert outline.pictures
        assert all(picture["role"] == "img" and picture["aria-label"] for picture in outline.pictures)
        assert len(set(outline.ids)) == len(outline.ids)


def test_pictures_are_no_wider_than_half_a_page_and_have_colours_of_the_palette(release):
    for page in pages_of(release):
        text = page.read_text()
        assert all(float(picture["width"] or 0) <= 440 for picture in Outline(text).pictures)
        drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
        assert {colour for _, colour in re.findall(r'(fill|stroke)="([^"]+)"', drawn)} <= {*LIGHT.values(), "none"}


def test_formulas_stand_in_the_appendix_only(release):
    for page in pages_of(release):
        before, _, appendix = page.read_text().partition('id="appendix"')
        assert "How it is computed" in appendix and "How it is computed" not in before
        assert "Sign-off" in before and "What was lost" in before


KNOWN = {
    "table": "everything about a person in the columns that could be recognised",
    "baskets": "up to 2 items of a person",
    "patients": "all single values and up to 2 items of a person",
    "trees": "up to 2 values of a person, and how up to 1 pair of them belongs together",
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_says_what_speaks_for_it_what_against_and_what_nobody_checked(releases, kind):
    told = statements(releases[kind].described.facts).before_signing
    assert told.line.startswith(
        f"For signing: the promise was verified; whoever knows {KNOWN[kind]} picks somebody out with a chance of 1\u00a0in\u00a05"
    )
    assert any(f"Whoever knows {KNOWN[kind]} picks the right record" in point for point in told.speaks_for)
    assert any("published unchanged and outside the promise" in point for point in told.against)
    assert any("no margin" in point for point in told.against) == (kind != "trees")  # of trees nothing is counted
    assert told.unchecked[0].startswith("Whether the roles are right")


def test_the_headline_of_sets_tells_both_sides(releases):
    for kind, told in (
        ("baskets", "45 items → <strong>16 shown</strong>"),
        ("patients", "16 items → <strong>20 shown</strong>"),
    ):
        (page,) = (page for page in pages_of(releases[kind]) if ".private." in page.name)
        first = page.read_text().partition('id="decide"')[0]
        assert told in first
        assert re.search(r"fewer than 5 records fit: [\d,]+ → <strong>0</strong>", first)
    assert "how vague the items are" in first and "of single values" in first  # what either side of a mixed table lost
