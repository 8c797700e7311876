"""Draw the seconds that `sets/closed_walk.py` and `sets/matching.py --diverse-scale` measured, like Fig. 7 of paper 003.

    python -m benchmarks.sets.seconds FOLDER walk.json matching.json

Three panels: assignments over k, as many records as Pumsb (7a), and over 1 to 16 times Chess (7b), by closed walks and by
backtracking; whole l-matching and CAHD over the size (7c). A walk that was stopped before its end is not drawn.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.lib import usage
from benchmarks.mixed.pictures import Panel, Series, drawn
from shoal.report.charts.svg import INK, MUTED, RISK, SAFE

WALKS = {"closed walk": SAFE, "backtracking, marks kept": MUTED, "backtracking, marks forgotten": RISK}
COLOURS = {**WALKS, "nonreciprocal": SAFE, "cahd": INK}


def walks(found: list[dict[str, Any]], over: str) -> Series:
    ended = ((name, one) for name in WALKS for one in found if one[name]["rounds"] == one["k"])
    lines: Series = {}
    for name, one in ended:
        lines.setdefault(name, []).append((one[over], one[name]["seconds"]))
    return lines


def main() -> None:
    folder, walk, matching = map(Path, usage.given(__doc__, 3, 3))
    told = json.loads(walk.read_text())
    panels = [
        Panel("7a, records as Pumsb", "k", walks(told["as many records as Pumsb"], "k"), {}),
        Panel("7b, k = 16", "records", walks(told["1 to 16 times Chess, k = 16"], "records"), {}),
    ]
    sizes = json.loads(matching.read_text()).get("diverse_scale", [])
    lines: Series = {name: [(one["records"], one[name]) for one in sizes] for name in ("nonreciprocal", "cahd")}
    panels.append(Panel("7c, l = 6", "records", lines, {}))
    note = "what was stopped before its end is not drawn; less is better"
    made = drawn("CPU seconds of matching item sets", note, panels, COLOURS, spaced=False)
    if made is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "matching-seconds.svg").write_text(made + "\n")


if __name__ == "__main__":
    main()
