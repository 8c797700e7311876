"""Text in another encoding than UTF-8, for the verifier's readers of CSV: a stream of the same text in UTF-8."""

from __future__ import annotations

import io
import re
from typing import BinaryIO, cast

from shoal.errors import DataError, RecipeError

ENCODINGS = ("utf-8", "utf-16", "windows-1252", "latin-1")
_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNSEEN = re.compile("[\x80-\x9f]")  # what latin-1 makes of bytes that are signs in windows-1252


def check_encoding(key: str, encoding: str) -> None:
    """Refuse an encoding that the verifier does not read."""
    if encoding not in ENCODINGS:
        raise RecipeError(f"{key}: the verifier reads {', '.join(ENCODINGS)}.")


def in_utf8(stream: BinaryIO, encoding: str, name: str) -> BinaryIO:
    """The same text in UTF-8."""
    check_encoding("encoding", encoding)
    if encoding == "utf-8":
        return stream
    plain = cast("io.BufferedReader", stream)  # as `opened` has it
    if encoding == "utf-16" and plain.peek(2)[:2] not in _MARKS:
        raise DataError(f"{name}: does not begin with the mark of UTF-16, so the order of its bytes is not known.")
    return io.BufferedReader(_Recoded(io.TextIOWrapper(plain, encoding, newline=""), encoding, name), 1 << 20)


class _Recoded(io.RawIOBase):
    def __init__(self, text: io.TextIOWrapper, encoding: str, name: str) -> None:
        self._text, self._encoding, self._name = text, encoding, name
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._ready:
            self._ready = self._next(max(len(buffer) // 3, 1)).encode()
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _next(self, signs: int) -> str:
        try:
            text = self._text.read(signs)
        except UnicodeError:
            text = None
        if text is None or (self._encoding == "latin-1" and _UNSEEN.search(text)):
            raise DataError(f"{self._name}: has a byte that is no sign of {self._encoding}.")
        return text
