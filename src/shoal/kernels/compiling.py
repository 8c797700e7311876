"""`@kernel`: a loop that is compiled when it is first called, and kept on disk for the next time.

What is kept lies in a folder named after the source of *all* kernels. Numba by itself looks at the file of a function only, and not
at the files of those it calls: after an upgrade that changed one of these it would go on running the old code. The place of the
installation is no part of the name, so that several environments with the same kernels compile them once.

A folder that can only be read is as good, once `shoal prepare` has filled it: what is missing is compiled for this process alone.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from shoal.kernels.cache import find_room
from shoal.kernels.linking import linking

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound="Callable[..., Any]")
SOURCE = Path(__file__).parent
_FORGOTTEN = 60 * 24 * 3600  # seconds after which what earlier kernels left is deleted


def kernel(function: F) -> Dispatcher[F]:
    """Compile a function of arrays and numbers; it runs beside other threads."""
    return _compiled(function, "never")


def small_kernel(function: F) -> Dispatcher[F]:
    """One that is put into those that call it, where a call costs as much as its work."""
    return _compiled(function, "always")


def _compiled(function: F, inline: Literal["never", "always"]) -> Dispatcher[F]:
    # kernels are called from Python or from each other, never by their address: that wrapper would be compiled for nothing
    options = {"nopython": True, "nogil": True, "inline": inline, "no_cfunc_wrapper": True, "boundscheck": None}
    made: Any = _Kernel(function, targetoptions=options)
    return made  # type: ignore[no-any-return]


class _Part(CPUDispatcher):
    """A kernel inside others: Python does not call it, and it is kept with those that do."""

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=targetoptions | {"no_cpython_wrapper": True})

    def compile(self, sig: Any) -> Any:
        with linking():
            return super().compile(sig)


class _Kernel(CPUDispatcher):
    """A kernel that Python calls. To other kernels it gives a form of itself that only they can call."""

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = Compiler
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class)
        self._cache = _KernelCache(py_func)  # type: ignore[no-untyped-call] # what `cache=True` sets
        self._part = _Part(py_func, targetoptions)

    def compile(self, sig: Any) -> Any:
        with linking():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self._part.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        return self._compiling_counter or self._part._compiling_counter


@cache
def digest() -> str:
    """Of the source of all kernels."""
    content = hashlib.sha256()
    for file in sorted(SOURCE.rglob("*.py")):
        content.update(f"{file.relative_to(SOURCE)}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()[:16]


@cache
def folder() -> Path:
    """Where these kernels are kept, compiled."""
    room = find_room()
    place = room / digest()
    with suppress(OSError):  # not to be written
        if not place.is_dir():
            room.mkdir(mode=0o700, parents=True, exist_ok=True)
            _forget(room)
            place.mkdir(mode=0o700, exist_ok=True)
    return place


@cache
def _say_not_kept() -> None:
    """Once in a process."""
    warnings.warn(
        f"Compiled code cannot be kept in {folder()}, so the next process compiles again. Fill the folder with "
        f"`shoal prepare`, or set NUMBA_CACHE_DIR to one that you can write to.",
        RuntimeWarning,
        stacklevel=2,
    )


def _forget(room: Path) -> None:
    """Delete what kernels of long ago left. Another process that still runs them compiles anew."""
    import shutil

    for old in room.iterdir():
        if len(old.name) == len(digest()) and old.is_dir() and time.time() - old.stat().st_mtime > _FORGOTTEN:
            shutil.rmtree(old, ignore_errors=True)


class _Place(_CacheLocator):
    """Numba asks it for the folder of a function, and whether what lies there is still true: the name of the folder says so."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno

    def get_cache_path(
        self,
    ) -> str:  # kernels lie below SOURCE, and nowhere else: their digest says nothing of other files
        return str(folder() / Path(self._py_file).parent.relative_to(SOURCE))

    def get_source_stamp(self) -> str:
        return digest()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Self:
        return cls(py_func, py_file)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Place]  # noqa: RUF012 - as its base has it


class _KernelCache(FunctionCache):
    """What cannot be read counts as missing, and what cannot be written is done without: neither keeps a kernel from running."""

    _impl_class = _KernelCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except OSError:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError:
            _say_not_kept()
