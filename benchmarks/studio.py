"""How quickly the studio answers, in a real browser.

    python -m benchmarks.studio [ROWS]

Prints one JSON object: first paint, ready time, bytes and requests of each screen of the hospital example; the seconds from a
Parquet file of a million rows to its Columns screen; the milliseconds of a click on the frontier and of a border that is moved; and
the clicks from the first page to a signed release.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.lib import usage

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "tests" / "browser")]

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from chromium_window import open_chromium  # noqa: E402
from steward import Steward  # noqa: E402

from studio_process import running  # noqa: E402

TIMING = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const all = [page, ...performance.getEntriesByType("resource")];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return {first_paint_ms: paint ? Math.round(paint.startTime) : null, ready_ms: Math.round(page.domContentLoadedEventEnd),
          bytes: all.reduce((sum, one) => sum + one.transferSize, 0), requests: all.length};
}"""


def people(rows: int, path: Path) -> Path:
    """Made-up people, the same every time."""
    import numpy as np

    chance = np.random.default_rng(17)
    table = {
        "age": chance.integers(0, 100, rows),
        "sex": chance.choice(["F", "M"], rows),
        "postcode": chance.integers(10_000, 11_000, rows).astype(str),
        "schooling": chance.choice(["primary", "secondary", "bachelor", "master"], rows),
        "diagnosis": chance.choice(["asthma", "flu", "fracture", "diabetes"], rows),
    }
    pq.write_table(pa.table(table), path)
    return path


def screens(steward: Steward) -> dict[str, Any]:
    """Each screen, loaded anew when its work is done."""
    seen: dict[str, Any] = {}
    for name in ("open", "columns", "blur", "promise", "risk", "search", "compare", "publish"):
        steward.go(name)
        steward.page.reload(wait_until="load")
        steward.page.wait_for_timeout(200)
        seen[name] = steward.page.evaluate(TIMING)
    return seen


def frontier_click(steward: Steward) -> float:
    """Milliseconds from a click on a point to its preview."""
    steward.go("search")
    page = steward.page
    title = page.locator("#preview-title").inner_text()
    point = page.locator(".plot a").first
    began = time.monotonic()
    point.click()
    while page.locator("#preview-title").inner_text() == title:
        pass
    return round(1000 * (time.monotonic() - began))


def moved_border(steward: Steward) -> list[float]:
    """Milliseconds of the answers of the server to a border that is moved by the keyboard."""
    steward.go("blur")
    page = steward.page
    took = []
    for _ in range(5):
        handle = page.get_by_role("slider").first
        handle.focus()
        with page.expect_response(lambda answer: answer.request.method == "POST") as answer:
            handle.press("ArrowRight")
        answer.value.finished()
        took.append(round(answer.value.request.timing["responseEnd"], 1))
        page.wait_for_timeout(300)
    return took


def clicks_to_release(steward: Steward) -> int:
    """From the first page to a signed release of the hospital example, by the buttons that lead on."""
    steward.clicks = 0
    steward.begin()
    steward.open_example("Patients, one diagnosis each")
    steward.next()
    steward.confirm_columns()
    for title in ("How may each", "What do you promise", "How risky", "Choose how much", "Compare", "Publish"):
        steward.next()
        steward.at(re.compile(title))
        steward.wait_for_work()
    steward.publish()
    steward.sign()
    return steward.clicks


def main() -> None:
    words = usage.given(__doc__, 0, 1)
    rows = int(words[0]) if words else 1_000_000
    with tempfile.TemporaryDirectory() as home, open_chromium() as browser, running(Path(home) / "shoal") as studio:
        steward = Steward(browser.new_context(), studio, Path(home) / "shoal")
        steward.begin()
        steward.fill("Where it is on this computer", str(people(rows, Path(home) / "people.parquet")))
        began = time.monotonic()
        steward.page.get_by_role("region", name="By its path").get_by_role("button", name="Open").click()
        steward.at("Is this your data?")
        rows_seen = time.monotonic() - began
        steward.next()
        steward.at("What is in each column?")
        figures: dict[str, Any] = {
            "parquet_rows": rows,
            "parquet_to_first_rows_s": round(rows_seen, 2),
            "parquet_to_columns_s": round(time.monotonic() - began, 2),
            "clicks_to_signed_release": clicks_to_release(steward),
            "screens": screens(steward),
        }
        for name, measure in (("frontier_click_ms", frontier_click), ("moved_border_ms", moved_border)):
            try:
                figures[name] = measure(steward)
            except Exception as reason:  # the other figures are told all the same
                figures[name] = f"not measured: {type(reason).__name__}"
        figures["complaints"], figures["elsewhere"] = steward.complaints, steward.elsewhere
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
