"""The way from a file to a release, step by step, as the bar on top of every page shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A page of a project."""

    name: str  # in the address
    title: str


STEPS = (
    Step("open", "Open"),
    Step("columns", "Columns"),
    Step("blur", "Blur rules"),
    Step("promise", "Promise"),
    Step("risk", "Risk today"),
    Step("search", "Search"),
    Step("compare", "Compare"),
    Step("publish", "Publish"),
)
