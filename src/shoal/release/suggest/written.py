"""In which form the numbers or dates of a text column are written, told from all of its values; never guessed.

`12/31/1980` says that months come first; `05/03/1984` alone says nothing, and neither does `1,234`. Where several forms fit and
read something else, all are named, and a person has to say which it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.hierarchies import dates, decimals
from shoal.io.written import THOUSANDS, DateForm, Form, NumberForm, form_of
from shoal.release.suggest.summary import Advice, Suggestion
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


_PLAIN = NumberForm("", ".")
_NUMBERS = (
    NumberForm("", ","),
    NumberForm(".", ","),
    NumberForm(",", "."),
    *(NumberForm(mark, ",") for mark in THOUSANDS if mark not in (".", ",")),
    *(NumberForm(mark, ".") for mark in THOUSANDS if mark not in (".", ",")),
)
_MARKS = (".", "/", "-", " ")
_YEARS = ("1850", "2100")  # of dates without marks, which may be any number otherwise


def forms_of(values: Collection[str], *, comma: bool = False) -> tuple[str, ...]:
    """The forms that all values have, each with a reading of its own: none, the one, or those between which a person must choose.

    comma: other columns of the file have decimal commas; then 1.234 may also be a thousand and more.
    """
    if not values or not any(sign.isdigit() for sign in next(iter(values))):
        return ()
    plain = all(decimals.parse(value) is not None for value in values)
    if all(dates.parse(value) is not None for value in values) or (plain and not comma):
        return _without_marks(values)
    return _numbers(values, plain) or _dates(values)


def _without_marks(values: Collection[str]) -> tuple[str, ...]:
    form = DateForm(("yyyy", "mm", "dd"), "")
    fits = all(form.canonical(value) is not None and _YEARS[0] <= value[:4] <= _YEARS[1] for value in values)
    return (str(form),) if fits else ()


def _numbers(values: Collection[str], plain: bool) -> tuple[str, ...]:
    """One form for each way in which all values can be read; none when they need no form."""
    read: dict[tuple[str | None, ...], Form] = {}
    for form in [_PLAIN, *_NUMBERS] if plain else _NUMBERS:
        texts = tuple(form.canonical(value) for value in values)
        if None not in texts:
            read.setdefault(texts, form)
    return () if plain and len(read) < 2 else tuple(map(str, read.values()))


def _dates(values: Collection[str]) -> tuple[str, ...]:
    """With as many digits as the values have. Both orders, also where days happen to be their own months."""
    for mark in _MARKS:
        for day, month in (("dd", "mm"), ("d", "m")):
            orders = ((day, month, "yyyy"), (month, day, "yyyy"), ("yyyy", month, day))
            forms = [DateForm(parts, mark) for parts in orders]
            fitting = [str(form) for form in forms if all(form.canonical(value) is not None for value in values)]
            if fitting:
                return tuple(fitting)
    return ()


def canonical_counts(counts: Mapping[str, int], forms: Sequence[str]) -> Mapping[str, int]:
    """The counts of values as they will be read, if there is one form for them; what does not fit it stays what it is."""
    if len(forms) != 1:
        return counts
    form, read = form_of(forms[0]), Counter[str]()
    for value, records in counts.items():
        read[form.canonical(value) or value] += records
    return dict(read)


def with_forms(one: Suggestion, forms: tuple[str, ...]) -> Suggestion:
    """The proposal for a column of CSV with how its values are written, or with the question."""
    if one.role is Role.IDENTIFYING or one.kind != "scalar" or one.mark is not None:
        return one
    if len(forms) < 2:
        return replace(one, written=forms)
    choice = " or ".join(f"written = {inline(form)}" for form in forms)
    advice = Advice(f"all values fit {choice}; add the one that it is, or they stay text", doubt=True)
    blur = "shown or hidden" if one.blur else ""
    return replace(one, written=forms, hierarchy=None, blur=blur, advice=(*one.advice, advice))
