"""The stages of long work in the log, under the name `shoal`: what is done, never a cell of the data."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from shoal.errors import visible

if TYPE_CHECKING:
    from shoal.engines.engine import Listener, Progress

LOG = logging.getLogger("shoal")


class Logged:
    """A listener that also logs each stage once, at the level INFO."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._last = ("", "")

    def __call__(self, event: Progress) -> None:
        """Hand on what happens; a bar that moves is no new stage."""
        stage = (event.stage, event.message)
        if stage != self._last:
            self._last = stage
            LOG.info("%s: %s", event.stage, visible(event.message))
        self._listener(event)


def logged(listener: Listener) -> Listener:
    """The same listener, with a log; one that has it already stays as it is."""
    return listener if isinstance(listener, Logged) else Logged(listener)
