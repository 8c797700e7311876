"""How blur rules are put into words: what each kind does, and what the rule of a column says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.report.words import MISSING, listed, number, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# by the kind of a rule: its name, and what it does to a value
KINDS: dict[str, tuple[str, str]] = {
    "ranges": ("Ranges", "A number becomes the range it lies in."),
    "dates": ("Dates", "A day becomes its month, its quarter or its year."),
    "characters": ("Hidden characters", "The characters of a code are hidden one after the other."),
    "groups": ("Groups", "Values that you put in one group look the same."),
    "order": ("Order", "Values have an order, and neighbours look the same."),
    "file": ("Hierarchy file", "A file says what each value becomes, as ARX and Amnesia write it."),
    "hidden": ("Shown or hidden", "A value is shown as it is, or hidden entirely."),
}
UNFIT = {
    "ranges": "The values are not all numbers.",
    "dates": "The values are not all dates such as 1984-03-05.",
    "order": "There are too many values to put them in order by hand.",
}
DATE_STEPS = {
    "day": "day (of a time of day)",
    "month": "month",
    "quarter": "quarter of the year",
    "half-year": "half of the year",
    "year": "year",
    "decade": "ten years",
}

MANY = 30  # values that can only be shown or hidden: worth a remark


def many_words(values: int) -> str:
    """What to do about so many values that are only shown or hidden."""
    return (
        f"{number(values)} values that are only shown or hidden deserve groups, ranges or a hierarchy file: then more can be "
        "told of them."
    )


def rule_words(spec: Any) -> str:
    """What a rule of a recipe says, in a few words: 'ranges of 5, 10 and 20, from 0 to 100'."""
    if isinstance(spec, str):
        return f"as {spec} says"
    if not isinstance(spec, dict):
        return "shown or hidden entirely"
    key = next((key for key in _WORDS if key in spec), None)
    try:
        return _WORDS[key](spec) if key else "a rule that cannot be read"
    except (TypeError, ValueError, KeyError, IndexError):
        return "a rule that cannot be read"


def look(label: str | None) -> str:
    """A label as a page shows it."""
    return MISSING if label is None else label or "(empty)"


def way(examples: Sequence[str | None]) -> str:
    """One value on its way up: '57 → 55-59 → *'."""
    return " → ".join(map(look, examples))


def step_words(step: int, steps: int) -> str:
    """What to call a step of a rule with so many, the value itself counted."""
    if step == 0:
        return "As it is"
    return "Hidden" if step == steps - 1 else f"Step {step}"


def people_words(people: int) -> str:
    """'1 person', '2,589 people'."""
    return plural(people, "person", "people")


def outside_words(below: int, above: int, low: str, high: str) -> str:
    """Who lies outside the ranges; nothing where nobody does."""
    parts = [
        f"{people_words(count)} {side} {end}"
        for count, side, end in ((below, "below", low), (above, "from", high))
        if count
    ]
    tail = " on" if above else ""
    return f"{listed(parts)}{tail} are outside the ranges and look the same at each end." if parts else ""


def _numbers(numbers: Sequence[Any]) -> str:
    return listed([number(one) if isinstance(one, int) else f"{one:g}" for one in numbers])


def _ends(spec: Mapping[str, Any]) -> str:
    return f"from {_numbers([spec['from']])} to {_numbers([spec['to']])}"


def _borders(spec: Mapping[str, Any]) -> str:
    stated = spec["borders"]
    levels = stated if isinstance(stated[0], list) else [stated]
    steps = f", in {plural(len(levels), 'step')}" if len(levels) > 1 else ""
    return f"{plural(len(levels[0]) + 1, 'range')} {_ends(spec)}{steps}"


def _groups(spec: Mapping[str, Any]) -> str:
    stated = spec["groups"]
    tables = [stated] if isinstance(stated, dict) else [member for member in stated if isinstance(member, dict)]
    return listed([str(name) for table in tables for name in table], at_most=3)


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "intervals": lambda spec: f"ranges of {_numbers(spec['intervals'])}, {_ends(spec)}",
    "borders": _borders,
    "dates": lambda spec: listed([str(level) for level in spec["dates"]]),
    "mask": lambda spec: f"hidden from the {spec['mask']}",
    "groups": _groups,
    "order": lambda spec: f"runs of {_numbers(spec['sizes'])} neighbours" if spec.get("sizes") else "in order",
}
