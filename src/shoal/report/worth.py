"""Whether so little is left that a release is hardly worth publishing, and what would leave more: said first, wherever a release is
spoken of. Each kind says what to drop (`tables/worth.py` and so on).

A notice is made from the facts of one edition alone, so the public one tells nothing that its figures do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.words import NBSP, listed, named, percent, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import LossFacts, ReleaseFacts
    from shoal.report.outcome import Records

MOST_LOST = 0.8  # of the detail: beyond it a reader learns little more than how many records there are
HIDDEN = 0.5  # of the records, or of the columns: more than half
LITTLE_LEFT = "little-left"
MOSTLY_HIDDEN = "mostly-hidden"
RECORDS_HIDDEN = "records-hidden"


@dataclass(frozen=True)
class Notice:
    """A warning about what is left. `code`: for whoever has to recognise it, whatever the words are."""

    code: str
    sentence: str


def share_lost(facts: ReleaseFacts) -> LossFacts | None:
    """The loss that says which share of the detail is gone: the one that was to be small, or the first that is such a share."""
    losses = [loss for loss in facts.losses if loss.share]
    main = facts.main_loss
    return main if main is not None and main.share else losses[0] if losses else None


def little_left(loss: LossFacts | None, cure: str) -> tuple[Notice, ...]:
    """cure: what to do, as sentences."""
    if loss is None or loss.value <= MOST_LOST:
        return ()
    return (Notice(LITTLE_LEFT, f"{how_much([loss])}. {cure}"),)


def how_much(losses: Sequence[LossFacts]) -> str:
    """'Nearly everything is lost: 93 % (NCP)'. 100 % is said of nothing but all."""
    if all(loss.value == 1 for loss in losses):
        return f"Everything that is blurred is lost ({listed([loss.name for loss in losses])})"
    shares = [
        f"{percent(loss.value) if loss.value < 0.99 else f'more than 99{NBSP}%'} ({loss.name})" for loss in losses
    ]
    return f"Nearly everything is lost: {' and '.join(shares)}"


def mostly_hidden(hidden: Sequence[str], of: int, what: str, cure: str) -> tuple[Notice, ...]:
    """hidden: names of what shows nothing for most records; of: how many there are; what: "column"."""
    if not of or len(hidden) <= HIDDEN * of:
        return ()
    all_of = f"{len(hidden)} of {plural(of, what, 'classes' if what == 'class' else None)}"
    verb = "shows" if len(hidden) == 1 else "show"
    names = listed([named(name) for name in hidden])
    return (Notice(MOSTLY_HIDDEN, f"{all_of} that are blurred {verb} nothing for most records: {names}. {cure}"),)


def records_hidden(records: Records) -> tuple[Notice, ...]:
    """Of the custodian's edition: the public one does not tell how many."""
    if not records.read or not records.suppressed or records.suppressed <= HIDDEN * records.read:
        return ()
    share = percent(records.suppressed / records.read)
    return (
        Notice(
            RECORDS_HIDDEN,
            f"{share} of the records are hidden, so what is counted in the release is not true of all. Lower "
            "`[suppression] limit`, so that records are blurred rather than hidden.",
        ),
    )
