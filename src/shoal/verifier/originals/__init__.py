"""The original data, read by the verifier itself: every format of the reference, from the place that the recipe names.

Nothing that made a release has a hand in this. A fault in a maker's reader (a row dropped, columns swapped, an item lost) is seen
because it is not made here, too. The readers are simple rather than fast, and keep the limits that keep hostile files harmless.

`open_original` opens tables and sets of items for counting; `original_trees` brings nested records into the form in which trees
are published, `original_stream` a few at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.verifier.originals.flat import open_original
    from shoal.verifier.originals.nested import original_stream, original_trees

__all__ = ["open_original", "original_stream", "original_trees"]

_HOMES = {"open_original": "flat", "original_stream": "nested", "original_trees": "nested"}


def __getattr__(name: str) -> Any:
    """Each is loaded when it is asked for: few who verify have both kinds of data."""
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal.verifier.originals' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"shoal.verifier.originals.{_HOMES[name]}"), name)
