"""Draw what `trees/sweep.py` measured, like Figs. 11 to 17 of paper 000.

    python -m benchmarks.trees.pictures FOLDER sweep.json …

For each parameter a picture: RPD, ML2, dML2, tree loss and seconds of deciding, one line for each method. Only what the verifier
passed is drawn. Where `acs` is among the methods, as in Figs. 12 and 13, the pictures are called `trees-acs-over-…`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.lib import usage
from benchmarks.mixed.pictures import Panel, Series, drawn
from benchmarks.trees.sweep import DEFAULTS
from shoal.report.charts.svg import INK, MUTED, RISK, SAFE

COLOURS = {"acs": INK, "gcs": SAFE, "ocs": RISK, "tree-cluster": MUTED}
FIGURES = {"rpd": "RPD", "ml2": "ML2", "dml2": "dML2", "tree-loss": "tree loss", "seconds": "seconds of deciding"}
NAMES = ("records", "k", "m", "n", "g")


def over(points: list[dict[str, Any]], name: str, usual: dict[str, Any]) -> list[dict[str, Any]]:
    """The points that differ from the defaults in nothing else."""
    return [p for p in points if all(p[other] == value for other, value in usual.items() if other != name)]


def main() -> None:
    folder, *files = map(Path, usage.given(__doc__, 2))
    points = [p for file in files for p in json.loads(file.read_text())["points"] if p["verdict"] == "pass"]
    sizes = [p["records"] for p in points]
    usual = {**{name: DEFAULTS[name] for name in ("k", "m", "n", "g")}, "records": max(set(sizes), key=sizes.count)}
    stem = "trees-acs-over" if any(p["method"] == "acs" for p in points) else "trees-over"
    for name in NAMES:
        mine = over(points, name, usual)
        panels = []
        for key, title in FIGURES.items():
            lines: Series = {}
            for method in COLOURS:
                found = sorted({(p[name], p[key]) for p in mine if p["method"] == method})
                if found:
                    lines[method] = found
            panels.append(Panel(title, name, lines, {}))
        others = ", ".join(f"{n} = {v:,}" for n, v in usual.items() if n != name)
        made = drawn(f"TPC-H trees over {name}", f"{others}; every release verified", panels, COLOURS, spaced=False)
        if made is not None:
            (folder / f"{stem}-{name}.svg").write_text(made)


if __name__ == "__main__":
    main()
