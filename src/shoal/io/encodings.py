"""Text files as they are: which encoding a file is in, as far as its bytes decide, and its text as UTF-8.

A run is told the encoding and refuses bytes that are none of its characters, with the line. Only `shoal init` looks for one by
itself, and writes it into the recipe for a person to confirm.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from shoal.errors import DataError, RecipeError, did_you_mean

if TYPE_CHECKING:
    from shoal.io.files import ByteStream

UTF8 = "utf-8"
UTF16 = "utf-16"
WINDOWS = "windows-1252"
ENCODINGS = {  # as a recipe names them → as Python does
    UTF8: "utf-8",
    UTF16: "utf-16",
    WINDOWS: "cp1252",
    "latin-1": "iso8859-1",
}
_PIECE = 256 << 10
_SWAPPED = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LETTERS = frozenset(  # what texts of Western Europe use beyond ASCII; the same bytes in windows-1252 and latin-1
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ".encode("cp1252")
)
_SIGNS = frozenset("€‚„…‰Š‹ŒŽ‘’“”•–—™š›œžŸ¡£§©ª«®°²³´µ·¹º»¼½¾¿\xa0".encode("cp1252"))
_ACCENTED = re.escape(bytes(sorted(_LETTERS)))
_OPENING = re.escape("€‚„…‰‹‘“”•™›¡¢£§".encode("cp1252"))
# three accents in a row are a word of another alphabet; an opening quote inside a word is an umlaut of DOS
_STRANGE = re.compile(b"[%b]{3}|[A-Za-z%b][%b][A-Za-z%b]" % (_ACCENTED, _ACCENTED, _OPENING, _ACCENTED))
_CONTROLS = re.compile(b"[\x80-\x9f]")  # signs in windows-1252, and nothing to be seen in latin-1


def check_encoding(name: str) -> None:
    """Refuse an encoding that is not read."""
    if name not in ENCODINGS:
        raise RecipeError(
            f"input.encoding: '{name}' is not read. Encodings: {', '.join(ENCODINGS)}.{did_you_mean(name, list(ENCODINGS))}"
        )


def encoding_of(stream: ByteStream) -> str | None:
    """The one encoding that all bytes of a text allow; None where they allow none, or more than one that reads them differently.

    The stream is read to its end, and closed.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, is_western, high, before = True, True, set[int](), b""
    try:
        piece = stream.read(_PIECE)
        if piece.startswith(_SWAPPED):
            return UTF16
        while piece:
            if b"\x00" in piece:
                return None
            if is_utf8:
                is_utf8 = _decodes(decoder, piece)
            if not piece.isascii():
                high.update(byte for byte in set(piece) if byte > 127)
                is_western = is_western and not _STRANGE.search(before + piece)
            before = piece[-2:]
            piece = stream.read(_PIECE)
    finally:
        stream.close()
    if is_utf8 and _decodes(decoder, b"", final=True):
        return UTF8
    return WINDOWS if is_western and high <= _LETTERS | _SIGNS and high & _LETTERS else None


def _decodes(decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


class Transcoded:
    """A text in another encoding, as a stream of UTF-8. Bytes that are none of its characters are refused, with the line."""

    def __init__(self, stream: ByteStream, encoding: str, name: str) -> None:
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decoder = codecs.getincrementaldecoder(ENCODINGS[encoding])()
        self._wide = encoding == UTF16
        self._line = 1
        self._started = self._ended = False

    def read(self, size: int) -> bytes:
        """At most three times as many bytes as are asked for: a character of one byte may take three."""
        while not self._ended:
            piece = self._stream.read(size)
            self._ended = not piece
            if self._wide and not self._started:
                piece = self._marked(piece, size)
            elif not self._wide and piece.isascii():
                self._line += piece.count(b"\n")
                if piece:
                    return piece
            text = self._decoded(piece)
            self._line += text.count("\n")
            if text:
                return text.encode()
        return b""

    def _marked(self, piece: bytes, size: int) -> bytes:
        """The start of UTF-16. Without its mark the order of its bytes would be a guess."""
        self._started = True
        while len(piece) < 2 and (more := self._stream.read(size)):
            piece += more
        if not piece.startswith(_SWAPPED):
            raise DataError(
                f"{self._name} does not start with the byte order mark of UTF-16; save it as UTF-8, or set another "
                "`[input] encoding`."
            )
        return piece

    def _decoded(self, piece: bytes) -> str:
        control = _CONTROLS.search(piece) if self._encoding == "latin-1" else None
        if control is not None:
            raise self._fault(
                piece[: control.start()].count(b"\n"),
                f'a byte that is no character of latin-1, but one of {WINDOWS}: set `[input] encoding = "{WINDOWS}"`',
            )
        try:
            return self._decoder.decode(piece, self._ended)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(error.encoding, "replace")
            what = f"a byte that is no character of {self._encoding}; the file is in another encoding, or damaged"
        raise self._fault(before.count("\n"), what)  # outside of `except`: the first error holds the bytes

    def _fault(self, lines: int, what: str) -> DataError:
        return DataError(f"{self._name}, line {self._line + lines:,}: {what}.")

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
