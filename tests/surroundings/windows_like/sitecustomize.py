"""A Python on Linux that lacks what Windows lacks, and refuses what Windows refuses. With this folder on PYTHONPATH it takes effect
as soon as `shoal.system` is imported, also in the processes that shoal starts.

It is no Windows: it shows that shoal needs nothing of POSIX, not that Windows does what we expect of it. Beside the names that are
gone, a file that is open cannot be renamed or removed, nothing is renamed over another, no folder is opened, a descriptor that only
reads cannot be flushed. `msvcrt` and the job objects of kernel32 stand on the locks and limits of Linux.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import types
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder

from posix_names import MODULES, OS, SIGNAL

LIBRARY = (  # they ask for the system, or use what only POSIX has, while they are imported
    "asyncio subprocess tempfile shutil socket multiprocessing getpass tarfile zipfile uuid platform webbrowser selectors ctypes "
    "logging.handlers concurrent.futures http.client urllib.request"
)
NEEDED = (
    "numpy pyarrow pyarrow.parquet pyarrow.csv pyarrow.json pyarrow.dataset pyarrow.compute pyarrow.fs duckdb numba "
    "numba.core.event numba.core.caching pydantic tomlkit rich.console rich.live rich.progress click jinja2"
)
EXTRAS = "pandas python_calamine pyreadstat uvicorn starlette.applications anyio._backends._asyncio pyspark.sql psycopg"
# how much is imported first: "library", or everything that is there
MUCH = {"library": LIBRARY, "": f"{LIBRARY} {NEEDED}", "all": f"{LIBRARY} {NEEDED} {EXTRAS}"}[
    os.environ.get("WINDOWS_LIKE", "")
]


class _Threshold(MetaPathFinder):
    """Becomes Windows before `shoal.system` looks which system it is on."""

    def find_spec(self, name, path=None, target=None):
        if name != "shoal.system":
            return None
        sys.meta_path.remove(self)
        become_windows()
        spec = PathFinder.find_spec(name, path)
        loader = spec.loader
        execute = loader.exec_module

        def execute_on_windows(module: types.ModuleType) -> None:
            before, sys.platform = sys.platform, "win32"
            version, sys.version_info = sys.version_info, max(sys.version_info[:3], (3, 11, 10))
            try:
                execute(module)
            finally:
                sys.platform, sys.version_info = before, version

        loader.exec_module = execute_on_windows
        return spec


sys.meta_path.insert(0, _Threshold())


def become_windows() -> None:
    for name in MUCH.split():
        with suppress(ImportError if name in EXTRAS else ()):
            __import__(name)
    import fcntl
    import resource
    import signal

    kept = types.SimpleNamespace(**vars(os))
    _refuse_what_is_open(kept, fcntl)
    _spare_the_library(kept)
    sys.modules["msvcrt"] = _msvcrt(fcntl)
    _kernel32(resource)
    for name in MODULES & {*sys.modules, "fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"} - {"posix"}:
        sys.modules[name] = None
    for module, names in ((os, OS), (signal, SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    os.O_BINARY, os.O_NOINHERIT = 0, kept.O_CLOEXEC
    stat.IO_REPARSE_TAG_MOUNT_POINT = 0xA0000003


# ---- files that are open -------------------------------------------------------------------------------------------------


def _refuse_what_is_open(kept: types.SimpleNamespace, fcntl: types.ModuleType) -> None:
    def open_places() -> set[str]:
        places = set()
        for number in kept.listdir("/proc/self/fd"):
            try:
                places.add(kept.readlink(f"/proc/self/fd/{number}"))
            except OSError:
                continue
        return places

    def refuse(path: object) -> None:
        place = kept.path.join(
            kept.path.realpath(kept.path.dirname(kept.fspath(path)) or "."), kept.path.basename(kept.fspath(path))
        )
        if any(one == place or one.startswith(place + "/") for one in open_places()):
            raise PermissionError(errno.EACCES, "another process uses the file", str(path))

    def unlink(path, **more):
        refuse(path)
        kept.unlink(path, **more)

    def rename(source, target, **more):
        refuse(source)
        if kept.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "it is there already", str(target))
        kept.rename(source, target, **more)

    def replace(source, target, **more):
        refuse(source)
        refuse(target)
        kept.replace(source, target, **more)

    def open_(path, flags, mode=0o777, **more):
        if not isinstance(path, int) and kept.path.isdir(path):
            raise PermissionError(errno.EACCES, "it is a folder", str(path))
        return kept.open(path, flags, mode, **more)

    def fsync(descriptor: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & kept.O_ACCMODE == kept.O_RDONLY:
            raise OSError(errno.EBADF, "it is open for reading only")
        kept.fsync(descriptor)

    os.unlink = os.remove = unlink
    os.rename, os.replace, os.open, os.fsync = rename, replace, open_, fsync


def _spare_the_library(kept: types.SimpleNamespace) -> None:
    """The standard library was imported for Linux, and goes on with what it has there."""
    import shutil
    import signal
    import subprocess
    import tempfile

    tempfile._os = kept
    subprocess.signal = types.SimpleNamespace(**vars(signal))
    shutil._use_fd_functions = False
    if hasattr(shutil, "_rmtree_unsafe"):
        shutil._rmtree_impl = shutil._rmtree_unsafe
    start = subprocess.Popen.__init__

    def started(self, *args, creationflags: int = 0, **named) -> None:
        start(self, *args, start_new_session=bool(creationflags & 0x200), **named)

    subprocess.Popen.__init__ = started


# ---- what Windows has instead ----------------------------------------------------------------------------------------------


def _msvcrt(fcntl: types.ModuleType) -> types.ModuleType:
    module = types.ModuleType("msvcrt")
    module.LK_UNLCK, module.LK_NBLCK = 0, 2

    def locking(descriptor: int, mode: int, _: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN if mode == module.LK_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "locked") from None

    module.locking = locking
    return module


def _kernel32(resource: types.ModuleType) -> None:
    """Job objects: limits of a process, and that its children end with it. WINDOWS_LIKE_NO_LIMITS: it forgets
    the limits, as Wine does."""
    import ctypes

    jobs: dict[int, object] = {}

    def create(*_: object) -> int:
        jobs[len(jobs) + 1] = None
        return len(jobs)

    def set_information(job: int, which: int, limits: object, size: int) -> bool:
        jobs[job] = limits._obj
        return which == 9 and size == 144

    def query(job: int, which: int, limits: object, size: int, _: object) -> bool:
        if not os.environ.get("WINDOWS_LIKE_NO_LIMITS"):
            ctypes.memmove(ctypes.byref(limits._obj), ctypes.byref(jobs[job]), size)
        return which == 9 and size == 144

    def assign(job: int, process: int) -> bool:
        limits = jobs[job]
        for flag, kind, most in (
            (0x2, resource.RLIMIT_CPU, limits.Basic.PerProcessUserTimeLimit // 10_000_000),
            (0x100, resource.RLIMIT_AS, limits.ProcessMemoryLimit),
        ):
            if limits.Basic.LimitFlags & flag:
                resource.setrlimit(kind, (most, most))
        return process == -1

    functions = {
        "CreateJobObjectW": create,
        "SetInformationJobObject": set_information,
        "QueryInformationJobObject": query,
        "AssignProcessToJobObject": assign,
        "GetCurrentProcess": lambda: -1,
    }
    ctypes.WinDLL = lambda *_, **__: types.SimpleNamespace(**functions)
    ctypes.get_last_error = lambda: 5
