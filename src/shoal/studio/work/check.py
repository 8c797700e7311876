"""A release that somebody handed over: what its columns are, and whether it keeps a promise."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.release.outside.columns import look_at
from shoal.release.outside.examine import examine

if TYPE_CHECKING:
    from shoal.methods.method import Listener


def look(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """Its columns, each with a guess. options: `release`, where it lies."""
    return asdict(look_at(Path(options["release"]), listener))


def check(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """What the verifier says. options: `release`, `recipe`, `original` (may be empty), `exempt_suppressed`, `any_order`."""
    return examine(
        Path(options["release"]),
        Path(options["recipe"]),
        original=options.get("original") or None,
        exempt_suppressed=bool(options.get("exempt_suppressed")),
        any_order=bool(options.get("any_order")),
        listener=listener,
    )
