"""What `shoal init` proposes, on a screen: what is alike is said once; or one line for each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.output import console, echo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shoal.release.accept import Acceptance
    from shoal.release.suggest.summary import Suggestion

_MOST = 8  # columns, or runs of numbered ones, that are named before the rest is only counted
_NARROW = 80  # signs
_FATE = {
    "identifying": "removed",
    "quasi": "blurred",
    "sensitive": "published as they are, and protected",
    "plain": "published as they are",
}


def outline(suggestions: Sequence[Suggestion]) -> None:
    """By role, what the columns are, and what a person should look at."""
    from rich.table import Table

    from shoal.release.suggest.advice import columns_in_words, grouped

    alike: dict[tuple[str, str], list[str]] = {}
    for role in _FATE:
        for one in suggestions:
            if one.role == role:
                alike.setdefault((role, _why(one)), []).append(one.name)
    screen = console(err=True)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("role", "columns", "what they are"):
        table.add_column(head, no_wrap=head == "role", overflow="fold")
    for (role, why), names in alike.items():
        table.add_row(role, columns_in_words(names, _MOST), why)
    screen.print(table)
    counts = ((sum(one.role == role for one in suggestions), role, fate) for role, fate in _FATE.items())
    parts = [f"{number:,} {role} ({fate})" for number, role, fate in counts if number]
    echo(f"{len(suggestions):,} {'column' if len(suggestions) == 1 else 'columns'}: {', '.join(parts)}.", err=True)
    remarks = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(2):
        remarks.add_column(overflow="fold")
    for advice, names in grouped(suggestions):
        remarks.add_row("unclear" if advice.doubt else "look at", f"{columns_in_words(names, _MOST)}: {advice.text}")
    if remarks.row_count:
        screen.print(remarks)


def table_of(suggestions: Sequence[Suggestion], confirmed: Collection[str]) -> None:
    """One line for each column, without a value of anybody."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("column", "values", "distinct", "missing", "role", "why", "state"):
        figure = head in ("distinct", "missing")
        table.add_column(
            head,
            justify="right" if figure else "left",
            no_wrap=figure or head in ("role", "state"),
            overflow="fold",
        )
    for one in suggestions:
        table.add_row(
            one.name,
            one.values,
            _figure(one.distinct),
            _figure(one.empty),
            str(one.role),
            _why(one),
            "confirmed" if one.name in confirmed else "unclear" if one.unclear else "suggested",
        )
    screen = console()
    # On a narrower screen names would be squeezed away; there the lines run on.
    (screen if screen.width >= _NARROW else console(width=_NARROW)).print(table)


def confirmed_lines(acceptance: Acceptance) -> Iterator[str]:
    """What was confirmed, what is left, and why."""
    from shoal.release.suggest.advice import columns_in_words

    for role, names in acceptance.confirmed.items():
        yield f"Confirmed as {role} ({_FATE[role]}), {len(names):,}: {columns_in_words(names)}."
    if not acceptance.confirmed:
        yield "Nothing was confirmed: no clear suggestion of this role is left."
    if acceptance.unclear:
        yield f"Unclear, for you to decide in the recipe, {len(acceptance.unclear):,}: {columns_in_words(acceptance.unclear)}."
    if acceptance.waiting:
        yield f"Of other roles, not confirmed yet, {len(acceptance.waiting):,}: {columns_in_words(acceptance.waiting)}."


def _why(one: Suggestion) -> str:
    blur = one.blur.removeprefix("blurred to ")
    return f"{one.what}; {blur}" if blur else one.what


def _figure(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
