"""Whole numbers put aside in a file that has no name, and read again a stretch after the other.

The file lies in a private folder, is readable by its owner only, and is gone from the folder before anything is written to it: a
process that is killed leaves nothing. What comes back short is a fault, never an end.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_NUMBER = np.dtype(np.int32)
_FEW = 1 << 17  # numbers that need no file


class Aside:
    """Numbers of 32 bits, in the order in which they were put here; few of them stay in memory. One thread at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        """folder: private; None: that of the system for files that pass."""
        self._folder, self._length = folder, 0
        self._few: list[NDArray[np.int32]] = []
        self._file: Any = None

    def __len__(self) -> int:
        return self._length

    def add(self, numbers: NDArray[np.int32]) -> None:
        if numbers.dtype != _NUMBER:
            raise InternalError(f"Numbers of type {numbers.dtype} cannot be put aside.")
        self._few.append(numbers)
        self._length += len(numbers)
        if self._file is None and self._length <= _FEW:
            return
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder, prefix="shoal-aside-", buffering=0)  # noqa: SIM115
            self._file.seek(0, 2)
            for some in self._few:
                left = np.ascontiguousarray(some).view(np.uint8).data
                while len(left):
                    left = left[self._file.write(left) :]
        except OSError as error:
            raise DataError(
                f"What the verifier puts aside cannot be written ({type(error).__name__}); nothing is verified. It takes 4 bytes "
                "for each node, some times over."
            ) from None
        self._few = []

    def __getitem__(self, place: slice) -> NDArray[np.int32]:
        first, last, step = place.indices(self._length)
        if step != 1:
            raise InternalError("What was put aside is read in its order.")
        if self._file is None:
            return np.concatenate([np.zeros(0, _NUMBER), *self._few])[first:last]
        made = np.empty(max(last - first, 0), _NUMBER)
        left = made.view(np.uint8).data
        try:
            self._file.seek(first * _NUMBER.itemsize)
            while len(left):
                read = self._file.readinto(left)
                if not read:
                    raise InternalError("What the verifier put aside is not all there. Nothing is verified.")
                left = left[read:]
        except OSError as error:
            raise DataError(
                f"What the verifier put aside cannot be read ({type(error).__name__}); nothing is verified."
            ) from None
        return made

    def close(self) -> None:
        """Give the room back; what is here is forgotten."""
        if self._file is not None:
            self._file.close()
        self._file, self._few, self._length = None, [], 0

    def __del__(self) -> None:
        self.close()
