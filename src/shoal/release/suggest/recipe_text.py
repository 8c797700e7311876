"""Suggestions as a recipe that a person can read, correct and confirm: one line per column, with the reason beside it.

The lines are laid out here, because a file to be signed off has to be easy on the eye; tomlkit writes the keys and values and
reads the result back.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import tomlkit

from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.release.suggest.sets import CHOICE, CHOICE_BESIDE_VALUES, beside_values
from shoal.release.suggest.trees import CHOICE as CHOICE_OF_TREES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.suggest.summary import Suggestion

_MANY_QUASI = 10
_WIDE = 120  # a reason beside a longer line would be out of sight; it goes above
_ALIGNED = 24  # longer column names do not push the others to the right

_HEAD = """\
# A recipe proposed by `shoal init`. It is a guess: only a person can say what others may know.
# Go through the columns one by one. Put right the role and the hierarchy, then delete `suggested = true`.
# `shoal run` refuses this file until none is left.
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

    input_path: or all that [input] says.
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
    lines += ["", "shoal = 1", "", "[input]"]
    given = input_path if isinstance(input_path, dict) else {"path": _posix(input_path)}
    lines += [f"{key} = {_value(value)}" for key, value in given.items()]
    if markers:
        columns = sum(bool(one.missing) for one in suggestions)
        found = f"found in {columns} {'column' if columns == 1 else 'columns'}; read as no value"
        lines.append(f"missing = {_value(markers)}  # {found}")
    if items is not None:
        lines.append(f"items = {_value(items)}  # between the items of a set")
    lines += ["", "[output]", f"path = {_value(_posix(output_path))}", "", "[columns]", *_columns(suggestions)]
    if any(one.kind == "node" for one in suggestions):
        lines += _trees(private)
    elif beside_values(suggestions):
        lines += _both(private)
    elif any(one.kind == "set" for one in suggestions):
        lines += _sets(private)
    else:
        lines += _table(private)
    lines.append("")
    text = "\n".join(lines)
    if list(tomlkit.parse(text).unwrap()["columns"]) != [one.name for one in suggestions]:
        raise InternalError("The proposed recipe does not read back as it was written.")
    return text


def _table(private: Sequence[str]) -> list[str]:
    lines = ["", "[[guarantee]]", 'name = "k-anonymity"', "k = 5"]
    for name in private:
        lines += ["", "[[guarantee]]", 'name = "l-diversity"', "l = 2", f"column = {_value(name)}"]
    lines += ["", "[suppression]", "limit = 0.01  # the fraction of the records that may be left out"]
    return [*lines, "", "[loss]", 'name = "glm"']


def _sets(private: Sequence[str]) -> list[str]:
    lines = [CHOICE.rstrip(), "", "[[guarantee]]", 'name = "k-matching"', "k = 5"]
    for name in private[:1]:  # labels of one column are kept apart
        lines += ["", "[[guarantee]]", 'name = "l-matching"', "l = 2", f"column = {_value(name)}"]
    return lines


def _both(private: Sequence[str]) -> list[str]:
    lines = [CHOICE_BESIDE_VALUES.rstrip(), "", "[[guarantee]]", 'name = "k-km-anonymity"', "k = 5", "m = 2"]
    for name in private:
        promise = ["", "[[guarantee]]", 'name = "k-lm-diversity"', "k = 5", "l = 2", "m = 2"]
        lines += [*promise, f"column = {_value(name)}"]
    return [*lines, "", "[method]", 'name = "rum-bound"', "delta = 0.5"]


def _trees(private: Sequence[str]) -> list[str]:
    lines = [CHOICE_OF_TREES.rstrip(), "", "[[guarantee]]", 'name = "kmn-anonymity"', "k = 5", "m = 2", "n = 1"]
    for name in private:
        promise = ["", "[[guarantee]]", 'name = "kmn-diversity"', "k = 5", "m = 2", "n = 1", "l = 2"]
        lines += [*promise, f"column = {_value(name)}"]
    return lines


def _columns(suggestions: Sequence[Suggestion]) -> list[str]:
    keys = [tomlkit.key(one.name).as_string() for one in suggestions]
    width = max((len(key) for key in keys if len(key) <= _ALIGNED), default=0)
    lines = []
    for key, one in zip(keys, suggestions, strict=True):
        entry: dict[str, Any] = {"role": one.role.value, "suggested": True}
        if one.kind != "scalar":
            entry["kind"] = one.kind
        if one.path and one.path != one.name:
            entry["path"] = one.path
        if one.parent is not None:
            entry["parent"] = one.parent
        if one.hierarchy is not None:
            entry["hierarchy"] = one.hierarchy
        line = f"{key:<{width}} = {_value(entry)}"
        # A reason may name another column, and a column name may hold anything.
        reason = "# " + "".join(sign if sign.isprintable() else " " for sign in one.reason)
        lines += [f"{line}  {reason}"] if len(line) <= _WIDE else [reason, line]
    return lines


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{tomlkit.key(key).as_string()} = {_value(inner)}" for key, inner in value.items()) + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(tomlkit.item(value).as_string())


def _posix(path: str | PurePath) -> str:
    return path.as_posix() if isinstance(path, PurePath) else path
