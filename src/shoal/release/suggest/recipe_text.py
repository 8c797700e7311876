"""Suggestions as a recipe that a person can read, correct and confirm: one line per column, and beside it what the column is.

What holds for several columns is said once, above them. The lines are laid out here, because a file to be signed off has to be
easy on the eye; tomlkit writes the keys and values and reads the result back.
"""

from __future__ import annotations

import textwrap
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import tomlkit

from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.release.kinds.registry import KINDS
from shoal.release.suggest.advice import columns_in_words, grouped
from shoal.release.suggest.schema import schema_of
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.suggest.summary import Suggestion

_MANY_QUASI = 10
_WIDE = 120  # what stands beside a longer line would be out of sight; it goes above
_ALIGNED = 24  # longer column names do not push the others to the right

_HEAD = """\
# A recipe proposed by `shoal init`. It is a guess: only a person can say what others may know.
# Go through the columns one by one. Put right the role and the hierarchy, then delete `suggested = true`.
# Where a line says `suggested = "unclear"`, only you can say what it is; see above [columns]. `shoal init THIS_FILE --accept quasi`
# deletes all of a role that are clear. `shoal run` refuses this file until none is left.
#
#   identifying   names a person                      is removed
#   quasi         could be recognised by others       is blurred; without a hierarchy it is shown or hidden
#   sensitive     private fact                        is published as it is, protected by the guarantee
#   plain         says nothing about anyone           is published as it is
"""


def write_recipe(
    suggestions: Sequence[Suggestion],
    input_path: str | PurePath | dict[str, Any],
    output_path: str | PurePath,
    *,
    items: str | None = None,
) -> str:
    """The text of a recipe with every column marked `suggested = true`. items: the mark between items in CSV.

    input_path: or all that [input] says; nothing of a data frame, which has no place.
    """
    markers = list(dict.fromkeys(marker for one in suggestions for marker in one.missing))
    quasi = sum(one.role is Role.QUASI for one in suggestions)
    private = [one.name for one in suggestions if one.role is Role.SENSITIVE]
    lines = [_HEAD.rstrip()]
    if quasi > _MANY_QUASI:
        lines += [
            "#",
            f"# {quasi} columns are quasi. Each one costs detail in all the others: remove those nobody needs.",
        ]
    lines += ["", "shoal = 1", ""]
    section = input_path if isinstance(input_path, dict) else {"path": _posix(input_path)}
    if section:
        lines += ["[input]", *(f"{key} = {inline(value)}" for key, value in section.items())]
    if markers and section:
        columns = sum(bool(one.missing) for one in suggestions)
        remark = f"found in {columns} {'column' if columns == 1 else 'columns'}; read as no value"
        lines.append(f"missing = {inline(markers)}  # {remark}")
    if items is not None and section:
        lines.append(f"items = {inline(items)}  # between the items of a set")
    if section:
        lines += ["", "[output]", f"path = {inline(_posix(output_path))}", ""]
    lines += [
        *_advice(suggestions),
        "[columns]",
        *_columns(suggestions),
    ]
    lines += KINDS[schema_of(suggestions).kind].promise(private)
    lines.append("")
    text = "\n".join(lines)
    if list(tomlkit.parse(text).unwrap()["columns"]) != [one.name for one in suggestions]:
        raise InternalError("The proposed recipe does not read back as it was written.")
    return text


def _advice(suggestions: Sequence[Suggestion]) -> list[str]:
    """What to know before confirming, each once."""
    lines = []
    for advice, names in grouped(suggestions):
        text = f"{'Unclear' if advice.doubt else 'Look at'} {_printable(columns_in_words(names))}: {_printable(advice.text)}."
        lines += textwrap.wrap(
            text, _WIDE, initial_indent="# - ", subsequent_indent="#   ", break_long_words=False, break_on_hyphens=False
        )
    return lines


def _columns(suggestions: Sequence[Suggestion]) -> list[str]:
    keys = [tomlkit.key(one.name).as_string() for one in suggestions]
    width = max((len(key) for key in keys if len(key) <= _ALIGNED), default=0)
    lines = []
    for key, one in zip(keys, suggestions, strict=True):
        entry: dict[str, Any] = {"role": one.role.value, "suggested": "unclear" if one.unclear else True}
        if one.kind != "scalar":
            entry["kind"] = one.kind
        if one.path and one.path != one.name:
            entry["path"] = one.path
        if one.parent is not None:
            entry["parent"] = one.parent
        if one.codes:
            entry["missing"] = list(one.codes)
        if len(one.written) == 1:
            entry["written"] = one.written[0]
        if one.hierarchy is not None:
            entry["hierarchy"] = one.hierarchy
        line = f"{key:<{width}} = {inline(entry)}"
        what = f"# {_printable(one.what)}"
        lines += [f"{line}  {what}"] if len(line) <= _WIDE else [what, line]
    return lines


def _printable(text: str) -> str:
    """The name of a column may hold anything, also the end of a line."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _posix(path: str | PurePath) -> str:
    return path.as_posix() if isinstance(path, PurePath) else path
