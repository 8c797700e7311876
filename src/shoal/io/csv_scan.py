"""A strict check of CSV bytes, in whole blocks at a time, that names the line of the first fault.

Fast parsers are lenient: a quote in the wrong place joins two records, a blank line vanishes, a carriage return ends a line or
does not. Each reading is a guess about people's data. This scan accepts exactly the following and refuses the rest:

- lines end in LF or CRLF; the last one may have no end; no line is blank;
- every record has as many fields as the header;
- a field is either free of quotes, or opens with a quote at its first byte and closes with a quote at its last;
  within it a quote is doubled; line breaks stand only within quotes, and only when `multiline` is on;
- the bytes are UTF-8 without NUL; a field holds at most 1 MiB, a record at most 8 MiB.

How it works: a quote flips between inside and outside, and a doubled quote flips twice, so the running parity of quotes says
of every byte whether it lies inside. The delimiters and line ends outside are the structure; with n columns every n-th of
them must be a line end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_FIELD = 1 << 20
MAX_RECORD = 8 << 20
_LF, _CR = 10, 13

# (where it shows, where the blame lies, what): the fault that shows first is reported, because those after it may only follow
# from it. A misplaced quote shows at once, a wrong number of fields at the end of the record. Places are offsets in a block.
Fault = tuple[int, int, str]


class NotUtf8Error(DataError):
    """Bytes that are no UTF-8: whoever has the file can say more of them."""


class Scan:
    """Feed it the bytes after the header in pieces of any size, then call `finish`."""

    def __init__(
        self, name: str, *, delimiter: str, columns: int, multiline: bool, quote: str = '"', first_line: int = 2
    ) -> None:
        self.records = 0
        self.breaks = False  # whether a field went on after the end of a line
        self._name, self._columns, self._multiline = name, columns, multiline
        self._delimiter, self._quote, self._mark = ord(delimiter), ord(quote), quote.encode()
        self._line = first_line  # physical line on which the next block starts
        self._tail: list[bytes] = []  # what came after the last line end
        self._tail_size = 0
        # Only a quoted field with line breaks reaches from one block into the next:
        self._open = 0  # 1: the next block starts inside quotes
        self._open_line = 0
        self._fields = 0  # complete fields of the unfinished record
        self._field_size = 0  # bytes of the unfinished field
        self._record_size = 0
        self._record_line = first_line

    def feed(self, piece: bytes) -> None:
        cut = piece.rfind(b"\n") + 1
        if cut == 0:
            self._keep(piece)
            return
        block = b"".join((*self._tail, piece[:cut])) if self._tail else piece[:cut]
        self._tail, self._tail_size = [], 0
        self._check(block)
        self._keep(piece[cut:])

    def finish(self) -> None:
        last = b"".join(self._tail)
        self._tail = []
        if last.endswith(b"\r") and (self._open + last.count(self._mark)) % 2 == 0:
            self._check_encoding(last)
            raise self._fault(self._line, "a carriage return does not end a line; line ends must be LF or CRLF")
        if last:
            self._check(last + b"\n", closed=False)
        if self._open:
            raise self._fault(self._open_line, "a quote is opened here and never closed")

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        if self._tail_size > MAX_RECORD:
            self._check_encoding(b"".join(self._tail))
            if b"\r" in rest:
                raise self._fault(self._line, "a carriage return does not end a line; line ends must be LF or CRLF")
            raise self._fault(self._line, f"the line is longer than {MAX_RECORD:,} bytes")

    # ---- one block: whole lines ---------------------------------------------------------------------------------------

    def _check(self, block: bytes, *, closed: bool = True) -> None:
        """`block` ends in LF; `closed` is False when that LF was only added to end the file."""
        self._check_encoding(block)
        data = np.frombuffer(block, np.uint8)
        ends = data == _LF
        structure = ends | (data == self._delimiter)
        faults: list[Fault] = []
        start_open = self._open
        if self._open or self._mark in block:
            is_quote = data == self._quote
            inside = ((np.cumsum(is_quote, dtype=np.uint8) + np.uint8(start_open)) & np.uint8(1)).view(np.bool_)
            quotes = np.flatnonzero(is_quote)
            faults += self._bare_quotes(data, quotes, start_open)
            faults += self._breaks_inside(data, inside, closed)
            structure &= ~inside
            self._open = (start_open + len(quotes)) % 2
            if self._open and len(quotes):
                self._open_line = self._line_at(data, int(quotes[-1]))
        else:
            inside = None
        if b"\r" in block:
            faults += self._lone_returns(data, inside)
        marks = np.flatnonzero(structure)
        faults += self._ragged(data, marks)
        faults += self._too_long(data, marks)
        if faults:
            _, at, what = min(faults)
            raise self._fault(self._line_at(data, at) if at >= 0 else self._record_line, what)
        self._advance(data, marks, ends)

    def _check_encoding(self, block: bytes) -> None:
        nul = block.find(b"\0")
        if nul >= 0:
            raise self._fault(self._line + block.count(b"\n", 0, nul), "a NUL byte; the file is binary or damaged")
        if not block.isascii():
            try:
                block.decode("utf-8")
            except UnicodeDecodeError as error:
                line = self._line + block.count(b"\n", 0, error.start)
                # `from None`: the original error carries the bytes of the block
                raise NotUtf8Error(f"{self._name}, line {line:,}: not UTF-8 text.") from None

    def _bare_quotes(self, data: NDArray[np.uint8], quotes: NDArray[np.int64], start_open: int) -> list[Fault]:
        faults = []
        opening, closing = quotes[start_open::2], quotes[1 - start_open :: 2]
        # A block starts after a line end, so the byte before position 0 is one; data[-1] is that LF.
        before = data[opening - 1]
        wrong = (before != self._delimiter) & (before != _LF) & (before != self._quote)
        if wrong.any():
            at = int(opening[wrong.argmax()])
            doubled = 2 * self._mark.decode()
            faults.append(
                (at, at, f"a quote inside a field that does not start with one; write {doubled} within quotes")
            )
        after = data[closing + 1]  # exists: the block ends in LF
        wrong = (after != self._delimiter) & (after != _LF) & (after != self._quote) & (after != _CR)
        if wrong.any():
            at = int(closing[wrong.argmax()])
            faults.append((at, at, "a closing quote is not followed by the delimiter or the end of the line"))
        return faults

    def _breaks_inside(self, data: NDArray[np.uint8], inside: NDArray[np.bool_], closed: bool) -> list[Fault]:
        within = inside & ((data == _LF) | (data == _CR))
        if not within.any():
            return []
        if self._multiline:
            self.breaks = True
            return []
        at = int(within.argmax())
        if not closed and at == len(data) - 1:
            return []  # the end of the file: `finish` says so
        return [
            (
                at,
                at,
                "a quoted field goes on after the end of the line. If line breaks within fields are meant, set "
                "`[input] multiline = true`; otherwise a closing quote is missing",
            )
        ]

    def _lone_returns(self, data: NDArray[np.uint8], inside: NDArray[np.bool_] | None) -> list[Fault]:
        returns = np.flatnonzero(data == _CR)  # never the last byte
        lone = data[returns + 1] != _LF
        if inside is not None:
            lone &= ~inside[returns]
        if not lone.any():
            return []
        at = int(returns[lone.argmax()])
        return [(at, at, "a carriage return does not end a line; line ends must be LF or CRLF")]

    def _ragged(self, data: NDArray[np.uint8], marks: NDArray[np.int64]) -> list[Fault]:
        is_end = data[marks] == _LF
        first = self._columns - 1 - self._fields
        regular = bool(is_end[first :: self._columns].all())
        regular = regular and int(np.count_nonzero(is_end)) == len(range(first, len(marks), self._columns))
        if regular and self._columns > 1:
            return []  # with one column a blank line is regular too, so look on
        numbers = np.flatnonzero(is_end)
        counts = np.diff(numbers, prepend=-1 - self._fields)
        starts = np.concatenate(([-1 if self._record_size else 0], marks[numbers] + 1))
        sizes = marks[numbers] - starts[:-1]
        blank = (sizes == 0) | ((sizes == 1) & (data[starts[:-1]] == _CR))
        if self._record_size and len(blank):
            blank[0] = False
        wrong = (counts != self._columns) | blank
        if wrong.any():
            which = int(wrong.argmax())
            what = f"{_fields(int(counts[which]))}, but the header has {self._columns}"
            what = "the line is blank; remove it" if blank[which] else what
            return [(int(marks[numbers[which]]), int(starts[which]), what)]
        if not regular:
            return [(len(data), int(starts[-1]), f"more fields than the header, which has {self._columns}")]
        return []

    def _too_long(self, data: NDArray[np.uint8], marks: NDArray[np.int64]) -> list[Fault]:
        if self._record_size + len(data) <= MAX_FIELD:
            return []
        edges = np.concatenate(([-1 - self._field_size], marks, [len(data)]))
        sizes = np.diff(edges) - 1
        if int(sizes.max()) > MAX_FIELD:
            at = max(int(edges[sizes.argmax()]) + 1, 0)
            return [(at + MAX_FIELD, at, f"a field is longer than {MAX_FIELD:,} bytes")]
        ends = np.concatenate(([-1 - self._record_size], marks[data[marks] == _LF], [len(data)]))
        sizes = np.diff(ends) - 1
        if int(sizes.max()) > MAX_RECORD:
            at = max(int(ends[sizes.argmax()]) + 1, 0)
            return [(at + MAX_RECORD, at, f"a record is longer than {MAX_RECORD:,} bytes")]
        return []

    def _advance(self, data: NDArray[np.uint8], marks: NDArray[np.int64], ends: NDArray[np.bool_]) -> None:
        """Carry over what the next block needs; the block is known to be regular."""
        done, fields = divmod(self._fields + len(marks), self._columns)
        self.records += done
        last_end = int(marks[len(marks) - 1 - fields]) if done else -1
        last_mark = int(marks[-1]) if len(marks) else -1
        self._field_size = len(data) - 1 - last_mark + (0 if len(marks) else self._field_size)
        self._record_size = len(data) - 1 - last_end + (0 if done else self._record_size)
        if done and self._record_size:
            self._record_line = self._line_at(data, last_end + 1)
        self._fields = fields
        self._line += int(np.count_nonzero(ends))
        if not self._record_size:
            self._record_line = self._line

    def _line_at(self, data: NDArray[np.uint8], at: int) -> int:
        return self._line + int(np.count_nonzero(data[:at] == _LF))

    def _fault(self, line: int, what: str) -> DataError:
        return DataError(f"{self._name}, line {line:,}: {what}.")


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"
