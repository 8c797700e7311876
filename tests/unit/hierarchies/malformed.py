"""Hierarchy files that are wrong, each in a way a person, an editor, another tool or an attacker makes them wrong.

Families state a fault and the line it must be reported on; variants write the same fault with other line ends, separators,
packing and marks. Every label carries the canary, so that a message that quotes a cell is noticed.
"""

from __future__ import annotations

import gzip
import itertools
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CANARY = "Qzx"


@dataclass(frozen=True)
class Case:
    id: str
    raw: bytes
    line: int | None  # None: the file as a whole


# {d} is the separator, {a} … {d} labels with the canary
_A, _B, _C, _X, _Y = (f"{CANARY}{name}" for name in "abcxy")

TABLE: dict[str, tuple[str, int | None]] = {
    "empty": ("", None),
    "only-blank-lines": ("\n\n\n", None),
    "one-cell": (f"{_A};{_X};*\n{_B}\n", 2),
    "one-cell-first": (f"{_B}\n{_A};{_X};*\n", 1),
    "no-separator": (f"{_A}\n{_B}\n", 1),
    "empty-middle": (f"{_A};{_X};*\n{_B};;*\n", 2),
    "empty-top": (f"{_A};{_X};*\n{_B};{_X};\n", 2),
    "empty-after-value": (f"{_A};{_X};*\n;{_X};;*\n", 2),
    "only-separators": (f"{_A};{_X};*\n;;\n", 2),
    "blank-line": (f"{_A};{_X};*\n\n{_B};{_X};*\n", 2),
    "line-of-blanks": (f"{_A};{_X};*\n   \n{_B};{_X};*\n", 2),
    "doubled": (f"{_A};{_X};*\n{_B};{_X};*\n{_A};{_X};*\n", 3),
    "doubled-elsewhere": (f"{_A};{_X};*\n{_B};{_Y};*\n{_A};{_Y};*\n", 3),
    "missing-twice": (f"{_A};{_X};*\n;;*\n;;*\n", 3),
    "two-parents": (f"{_A};{_X};{_Y};*\n{_B};{_X};*\n", 2),
    "two-parents-higher": (f"{_A};{_X};{_Y};{_C};*\n{_B};1;{_Y};2;*\n", 2),
    "cycle-in-a-row": (f"{_A};{_X};{_Y};{_X};*\n", 1),
    "value-above-itself": (f"{_A};{_X};{_A};*\n{_B};{_X};*\n", 1),
    "cycle-across-rows": (f"{_A};{_X};{_Y};*\n{_B};{_Y};{_X};*\n", 2),
    "value-is-group": (f"{_A};{_X};*\n{_X};{_Y};*\n", 2),
    "value-is-top": (f"{_A};*\n*;*\n", 2),
    "several-tops": (f"{_A};{_X};*\n{_B};{_X};+\n", 2),
    "no-common-top": (f"{_A};{_X}\n{_B};{_Y}\n", 2),
    "top-has-parent": (f"{_A};{_X}\n{_B};{_X};*\n", 1),
    "level-splits": (f"{_A};{_X};{_X};*\n{_B};{_X};*;*\n", 2),
    "header": (f"level0;level1;level2\n{_A};{_X};*\n", 2),
    "unclosed-quote": (f'{_A};{_X};*\n"{_B};{_X};*\n{_C};{_X};*\n', 2),
    "unclosed-quote-last": (f'{_A};{_X};*\n{_B};{_X};"*\n', 2),
    "quote-over-lines": (f'{_A};{_X};*\n"{_B}\n{_C}";{_X};*\n', 2),
    "quote-inside": (f'{_A};{_X};*\n{_B}"q"r;{_X};*\n', 2),
    "text-after-quote": (f'{_A};{_X};*\n"{_B}"r;{_X};*\n', 2),
    "lone-quotes": (f'{_A};{_X};*\n{_B};""";*\n', 2),
    "nul": (f"{_A};{_X};*\n{_B}\0;{_X};*\n", 2),
    "escape": (f"{_A};{_X};*\n\x1b[31m{_B};{_X};*\n", 2),
    "bell": (f"{_A}\a;{_X};*\n", 1),
    "tab": (f"{_A};{_X};*\n{_B}\t;{_X};*\n", 2),
    "tab-separated": (f"{_A}\t{_X}\t*\n{_B}\t{_X}\t*\n", 1),
    "lone-return": (f"{_A};{_X};*\n{_B};{_X}\r;*\n", 2),
    "old-mac": (f"{_A};{_X};*\r{_B};{_X};*\r", 1),
    "form-feed": (f"{_A};{_X};*\n\f{_B};{_X};*\n", 2),
    "next-line": (f"{_A};{_X};*\n{_B}\x85;{_X};*\n", 2),
    "line-separator": (f"{_A};{_X};*\n{_B}\u2028;{_X};*\n", 2),
    "delete": (f"{_A}\x7f;{_X};*\n", 1),
    "too-deep": (f"{_A};*\n{_B};" + ";".join(f"{_X}{n}" for n in range(300)) + ";*\n", 2),
    "long-line": (f"{_A};*\n{_B};" + f"{_X};" * 200_000 + "*\n", 2),
    "long-cell": (f"{_A};*\n{_B * 25_000};*\n", 2),
}

_HEAD = "distinct\nname n\ntype string\nheight 3\n\n"

AMNESIA: dict[str, tuple[str, int | None]] = {
    "header-only": ("distinct\n", 1),
    "no-blank-line": (f"distinct\nname n\ntype string\nheight 2\n* has {_A}\n", 5),
    "no-groups": (_HEAD, None),
    "no-height": (f"distinct\nname n\ntype string\n\n* has {_A} {_B}\n", 3),
    "no-type": (f"distinct\nname n\nheight 2\n\n* has {_A} {_B}\n", 3),
    "strange-type": (f"distinct\nname n\ntype colour\nheight 2\n\n* has {_A} {_B}\n", 3),
    "strange-height": (f"distinct\nname n\ntype string\nheight two\n\n* has {_A} {_B}\n", 4),
    "negative-height": (f"distinct\nname n\ntype string\nheight -2\n\n* has {_A} {_B}\n", 4),
    "huge-height": (f"distinct\nname n\ntype string\nheight {'9' * 5000}\n\n* has {_A} {_B}\n", 4),
    "arabic-height": (f"distinct\nname n\ntype string\nheight ٢\n\n* has {_A} {_B}\n", 4),
    "wrong-height": (f"distinct\nname n\ntype string\nheight 9\n\n* has {_A} {_B}\n", None),
    "type-twice": (f"distinct\ntype string\ntype int\nheight 2\n\n* has {_A} {_B}\n", 3),
    "strange-key": (f"distinct\ncolour red\ntype string\nheight 2\n\n* has {_A} {_B}\n", 2),
    "words-after-kind": (f"distinct set\ntype string\nheight 2\n\n* has {_A} {_B}\n", 1),
    "no-has": (f"{_HEAD}{_X} {_A} {_B}\n\n* has {_X}\n", 6),
    "no-children": (f"{_HEAD}{_X} has\n\n* has {_X}\n", 6),
    "no-parent": (f"{_HEAD}has {_A} {_B}\n\n* has {_X}\n", 6),
    "has-twice": (f"{_HEAD}{_X} has {_A} has {_B}\n\n* has {_X}\n", 6),
    "blank-in-label": (f"{_HEAD}{_X} {_Y} has {_A} {_B}\n\n* has {_X}\n", 6),
    "child-twice": (f"{_HEAD}{_X} has {_A} {_A}\n\n* has {_X}\n", 6),
    "parent-twice": (f"{_HEAD}{_X} has {_A}\n{_X} has {_B}\n\n* has {_X}\n", 7),
    "two-parents": (f"{_HEAD}{_X} has {_A}\n{_Y} has {_A}\n\n* has {_X} {_Y}\n", 7),
    "own-child": (f"{_HEAD}{_X} has {_X} {_A}\n\n* has {_X}\n", 6),
    "cycle": (f"{_HEAD}{_X} has {_Y}\n{_Y} has {_X}\n", 6),
    "cycle-apart": (f"{_HEAD}{_X} has {_Y}\n{_Y} has {_X}\n\n* has {_A} {_B}\n", 6),
    "long-cycle": (_HEAD + "".join(f"{CANARY}{n} has {CANARY}{(n + 1) % 999}\n" for n in range(999)), 6),
    "several-tops": (f"{_HEAD}{_X} has {_A}\n{_Y} has {_B}\n", 7),
    "cut-off": (f"{_HEAD}{_X} has {_A}\n{_Y} has {_B}\n\n* has {_X}\n", 9),
    "missing-twice": (f"{_HEAD}{_X} has {_A}\n\n* has {_X} NaN (null)\n", 8),
    "too-deep": (_HEAD + "".join(f"{CANARY}{n} has {CANARY}{n + 1}\n" for n in range(400)), None),
    "comb": (
        _HEAD.replace("height 3", "height 251")
        + "".join(f"g{n} has g{n + 1} " + " ".join(f"{CANARY}{n}.{m}" for m in range(100)) + "\n" for n in range(249))
        + "g249 has end end2 end\n",
        255,
    ),
    "range-without-comma": (f"range\ntype int\nheight 2\n\n0,9 has 0-4 {CANARY}\n", 5),
    "range-of-words": (f"range\ntype int\nheight 2\n\n0,9 has {_A},{_B} 5,9\n", 5),
    "range-of-nan": ("range\ntype int\nheight 2\n\n0,9 has 0,nan 5,9\n", 5),
    "range-of-inf": ("range\ntype decimal\nheight 2\n\n0,9 has 0,4 5,inf\n", 5),
    "range-backwards": ("range\ntype int\nheight 2\n\n0,9 has 4,0 5,9\n", 5),
    "range-of-three": ("range\ntype int\nheight 2\n\n0,9 has 0,4,6 5,9\n", 5),
    "range-overlap": ("range\ntype int\nheight 2\n\n0,9 has 0,6 5,9\n", 5),
    "range-outside": ("range\ntype int\nheight 2\n\n0,9 has 0,4 5,12\n", 5),
    "long-label": (f"{_HEAD}{_X} has {_A * 25_000}\n\n* has {_X}\n", 6),
    "nul": (f"{_HEAD}{_X} has {_A}\0 {_B}\n\n* has {_X}\n", 6),
    "tab": (f"{_HEAD}{_X}\thas\t{_A}\n\n* has {_X}\n", 6),
}

_GOOD_JSON = (
    '{"hierType": "distinct", "name": "n",\n"type": "string", "height": 3,\n'
    f'"level1": {{"*": ["{_X}", "{_Y}"]}},\n"level2": {{"{_X}": ["{_A}", "{_B}"],\n"{_Y}": ["{_C}"]}}}}'
)


def _json(old: str, new: str) -> str:
    assert old in _GOOD_JSON, old
    return _GOOD_JSON.replace(old, new, 1)


JSON: dict[str, tuple[str, int | None]] = {
    "empty-object": ("{}", 1),
    "no-kind": (_json('"hierType": "distinct", ', ""), 1),
    "strange-kind": (_json('"distinct"', '"tree"'), 1),
    "no-type": (_json('"type": "string", ', ""), 1),
    "strange-type": (_json('"string"', '"colour"'), 2),
    "no-height": (_json(', "height": 3', ""), 1),
    "text-height": (_json('"height": 3', '"height": "three"'), 2),
    "fraction-height": (_json('"height": 3', '"height": 3.5'), 2),
    "huge-height": (_json('"height": 3', f'"height": {"9" * 5000}'), 2),
    "wrong-height": (_json('"height": 3', '"height": 8'), None),
    "kind-twice": (_json('"name": "n"', '"hierType": "range"'), 1),
    "level-twice": (_json('"level2"', '"level1"'), 4),
    "level-0": (_json('"level2"', '"level0"'), 4),
    "strange-key": (_json('"name"', '"nome"'), 1),
    "level-is-list": (_json(f'{{"*": ["{_X}", "{_Y}"]}}', f'["{_X}"]'), 3),
    "children-are-text": (_json(f'["{_C}"]', f'"{_C}"'), 5),
    "children-are-object": (_json(f'["{_C}"]', f'{{"{_C}": 1}}'), 5),
    "no-children": (_json(f'["{_C}"]', "[]"), 5),
    "null-child": (_json(f'["{_C}"]', "[null]"), 5),
    "true-child": (_json(f'["{_C}"]', "[true]"), 5),
    "nan-child": (_json(f'["{_C}"]', "[NaN]"), 5),
    "list-child": (_json(f'["{_C}"]', f'[["{_C}"]]'), 5),
    "empty-child": (_json(f'["{_C}"]', '[""]'), 5),
    "control-child": (_json(f'["{_C}"]', f'["{_C}\\u0000"]'), 5),
    "newline-child": (_json(f'["{_C}"]', f'["{_C}\\n"]'), 5),
    "surrogate-child": (_json(f'["{_C}"]', f'["{_C}\\ud800"]'), 5),
    "wrong-escape": (_json(f'["{_C}"]', f'["{_C}\\x"]'), 5),
    "unclosed-text": (_json(f'["{_C}"]', f'["{_C}]'), 5),
    "text-over-lines": (_json(f'["{_C}"]', f'["{_C}\n"]'), 5),
    "comma-too-many": (_json(f'["{_C}"]', f'["{_C}",]'), 5),
    "comma-missing": (_json(f'"{_A}", "{_B}"', f'"{_A}" "{_B}"'), 4),
    "colon-missing": (_json('"height": 3', '"height" 3'), 2),
    "single-quotes": (_json(f'["{_C}"]', f"['{_C}']"), 5),
    "comment": (_json(f'["{_C}"]', f'["{_C}"] // {CANARY}'), 5),
    "something-after": (_GOOD_JSON + "\n{}", 6),
    "two-parents": (_json(f'["{_C}"]', f'["{_A}"]'), 5),
    "child-twice": (_json(f'["{_C}"]', f'["{_C}", "{_C}"]'), 5),
    "parent-twice": (_json(f'"{_Y}": [', f'"{_X}": ['), 5),
    "own-child": (_json(f'["{_C}"]', f'["{_Y}"]'), 5),
    "cycle": (_json(f'["{_C}"]', f'["{_X}"]'), 5),
    "several-tops": (_json(f', "{_Y}"]', "]"), 5),
    "long-label": (_json(f'["{_C}"]', f'["{_C * 25_000}"]'), 5),
    "long-number": (_json(f'["{_C}"]', f"[{'7' * 100_000}]"), 5),
    "deep": ('{"level1": ' + "[" * 200_000, 1),
    "deep-objects": ('{"level1":' * 100_000, 1),
    "range-of-words": (_json('"distinct"', '"range"'), 4),
}


def _bytes() -> Iterator[Case]:
    good = f"{_A};{_X};*\n{_B};{_X};*\n{_C};{_Y};*\n".encode()
    packed = gzip.compress(good, mtime=0)
    for cut in range(2, len(packed)):
        yield Case(f"bytes-gzip-cut-{cut}", packed[:cut], None)
    for at in range(10, len(packed)):
        broken = bytearray(packed)
        broken[at] ^= 0xFF
        yield Case(f"bytes-gzip-broken-{at}", bytes(broken), None)
    yield Case("bytes-gzip-twice", gzip.compress(packed), 1)
    yield Case("bytes-gzip-then-junk", packed + b"junk", None)
    yield Case("bytes-utf-16", good.decode().encode("utf-16"), 1)
    yield Case("bytes-utf-16-be", b"\xfe\xff" + good.decode().encode("utf-16-be"), 1)
    yield Case("bytes-utf-16-unmarked", good.decode().encode("utf-16-le"), 1)
    yield Case("bytes-latin-1", good + "é;x;*\n".encode("latin-1"), 4)
    yield Case("bytes-utf-8-cut", good + "é".encode()[:1] + b";x;*\n", 4)
    yield Case("bytes-utf-8-overlong", good + b"\xc0\xaf;x;*\n", 4)
    yield Case("bytes-utf-8-surrogate", good + b"\xed\xa0\x80;x;*\n", 4)
    yield Case("bytes-zip", b"PK\x03\x04" + good, 1)
    yield Case("bytes-png", b"\x89PNG\r\n\x1a\n" + good, 1)
    yield Case("bytes-parquet", b"PAR1\x15\x04" + good, 1)
    yield Case("bytes-pickle", b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins", 1)
    yield Case("bytes-java", b"\xac\xed\x00\x05sr\x00", 1)
    yield Case("bytes-zlib", zlib.compress(good), 1)


def cases() -> Iterator[Case]:
    for (name, (text, line)), separator, end, mark, packing in itertools.product(
        TABLE.items(), ";,", ("lf", "crlf"), ("", "\ufeff"), (False, True)
    ):
        written = text.replace(";", separator)
        yield _variant(f"table-{name}", written, line, end=end, mark=mark, packing=packing, extra=separator)
    for kind, families in (("amnesia", AMNESIA), ("json", JSON)):
        for (name, (text, line)), end, mark, packing in itertools.product(
            families.items(), ("lf", "crlf"), ("", "\ufeff"), (False, True)
        ):
            yield _variant(f"{kind}-{name}", text, line, end=end, mark=mark, packing=packing)
    for cut in range(2, len(_GOOD_JSON)):
        yield Case(f"json-cut-{cut}", _GOOD_JSON[:cut].encode(), _GOOD_JSON.count("\n", 0, cut) + 1)
    yield from _bytes()


def _variant(name: str, text: str, line: int | None, *, end: str, mark: str, packing: bool, extra: str = "") -> Case:
    raw = (mark + (text.replace("\n", "\r\n") if end == "crlf" else text)).encode("utf-8")
    marks = [extra, end, "bom" if mark else "", "gz" if packing else ""]
    return Case("-".join([name, *filter(None, marks)]), gzip.compress(raw) if packing else raw, line)
