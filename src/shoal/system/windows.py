"""Windows. Where it gives less than POSIX does, the docstring says so, and docs/reference/systems.md says it to users.

Modes do not exist: a file has the rights of the folder it was made in. So what is private is made in a folder that Python makes
for the owner alone (`mkdir(mode=0o700)`), and keeps these rights when it is moved. Pythons that ignore the mode are refused.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import errno
import msvcrt
import os
import stat
import sys
import time
from ctypes import c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

assert sys.platform == "win32"  # mypy checks this file for Windows

if sys.version_info[:3] < (3, 11, 10) or (3, 12) <= sys.version_info[:3] < (3, 12, 4):
    raise ImportError(
        "On Windows shoal needs Python 3.11.10, 3.12.4 or newer: older ones make the folders of private files so that others can "
        "read them."
    )

KEEPS_OPEN_FILES = True  # whether a file that is open cannot be renamed or removed
_READ = os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT
_WRITE = os.O_RDWR | os.O_BINARY | os.O_NOINHERIT
_LOCK = ".shoal-lock"
_PAUSES = (0.01, 0.05, 0.2, 0.5, 1.0)  # seconds: a scanner of viruses opens what was just written

_T = TypeVar("_T")


def _patiently(step: Callable[[], _T]) -> _T:
    """Once more when another program has the file open, for not quite two seconds."""
    for pause in _PAUSES:
        try:
            return step()
        except PermissionError:
            time.sleep(pause)
    return step()


# ---- files -------------------------------------------------------------------------------------------------------------


def open_file(path: Path, *, follow: bool = True) -> int:
    """A descriptor to read from. follow: through a link; whether it is one is asked first, not in the same step."""
    if not follow and is_link(path):
        raise OSError(errno.ELOOP, "it is a link")
    try:
        return os.open(path, _READ)
    except PermissionError:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder") from None
        raise


def open_new(path: Path, mode: int) -> int:
    """A descriptor to write a file that must not exist yet, not even as a link. mode: means nothing here."""
    if is_link(path):
        raise FileExistsError(errno.EEXIST, "it exists already")
    return os.open(path, _WRITE | os.O_CREAT | os.O_EXCL, 0o600)


def sync(path: Path) -> None:
    """Force a file to the disk. There is no such thing for a folder: what was renamed just before a power cut may not be."""
    if is_link(path):
        raise OSError(errno.ELOOP, "it is a link")
    if path.is_dir():
        return
    descriptor = os.open(path, _WRITE)  # one that only reads cannot be flushed
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def harden_file(path: Path, *, private: bool) -> os.stat_result:
    """On the disk. What is no regular file is left as it is: look at the status. private: see above, the folder did it."""
    if stat.S_ISREG(path.lstat().st_mode):
        sync(path)
    return path.lstat()  # closing may set the time of the last change


def harden_folder(path: Path, *, private: bool) -> os.stat_result:
    """A folder, and no link to one."""
    if is_link(path) or not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder")
    return path.lstat()


def rename(source: Path, target: Path) -> None:
    """Within a drive, in one step."""
    _patiently(lambda: source.rename(target))


def replace(source: Path, target: Path) -> None:
    """The same over a file that may be there."""
    _patiently(lambda: source.replace(target))


_DEVICES = frozenset(
    [
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "CONIN$",
        "CONOUT$",
        *(f"{port}{n}" for port in ("COM", "LPT") for n in "0123456789¹²³"),
    ]
)


def forbidden_name(name: str) -> str | None:
    """Why no file can have this name; None: it can."""
    if any(sign in '<>:"/\\|?*' or sign < " " for sign in name):
        return 'it has one of the signs < > : " / \\ | ? *, which Windows keeps for itself'
    if name.endswith((".", " ")):
        return "Windows drops a dot or a blank at the end of a name"
    if name.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return "Windows takes it for a device"
    return None


def is_link(path: Path) -> bool:
    """Whether a path leads elsewhere: a symbolic link, or a folder that is a junction."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == stat.IO_REPARSE_TAG_MOUNT_POINT


# ---- whose it is -------------------------------------------------------------------------------------------------------


def account() -> str:
    """A name for what is this user's among the temporary files: the folder of these is the user's own."""
    return "user"


def is_mine(path: Path) -> bool:
    """The rights of the folder decide who can remove it; the owner is not asked."""
    return True


def is_private(folder: Path) -> bool:
    """A folder, no link to one, in the user's profile, which is closed to other users."""
    return folder.is_dir() and not is_link(folder) and Path.home().resolve() in folder.resolve().parents


def is_guarded(folder: Path) -> bool:
    """Whether nobody else can rename or replace what this user has in it."""
    return is_private(folder)


# ---- locks, which end with the process, however it ends ------------------------------------------------------------------


def lock_file(path: Path, *, new: bool) -> int:
    """A descriptor that holds the lock until it is closed. BlockingIOError: another process has it."""
    if is_link(path):
        raise OSError(errno.ELOOP, "it is a link")
    return _locked(os.open(path, _WRITE | (os.O_CREAT | os.O_EXCL if new else 0), 0o600))


def take_folder(folder: Path) -> Callable[[], None]:
    """Lock a folder by a file in it; what comes back frees it. BlockingIOError: another process has it.

    The file goes when nobody has it open any more: Windows removes none that is. So nobody can lock one that is gone already.
    """
    place = folder / _LOCK
    if is_link(place):
        raise OSError(errno.ELOOP, f"{_LOCK} is a link")
    descriptor = _locked(_patiently(lambda: os.open(place, _WRITE | os.O_CREAT, 0o600)))

    def free() -> None:
        with contextlib.suppress(OSError):
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        os.close(descriptor)
        with contextlib.suppress(OSError):
            place.unlink()

    return free


def _locked(descriptor: int) -> int:
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except BaseException as taken:
        os.close(descriptor)
        if isinstance(taken, OSError):
            raise BlockingIOError(errno.EAGAIN, "another process has it") from None
        raise
    return descriptor


# ---- processes -----------------------------------------------------------------------------------------------------------

# For a process that Ctrl-C in our terminal does not reach: CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW.
GROUP: dict[str, Any] = {"creationflags": 0x00000200 | 0x08000000}
# How a confined process that went too far has ended: ERROR_NOT_ENOUGH_QUOTA, STATUS_NO_MEMORY.
ENDS = {1816: "it took too long", 0xC0000017: "it needed too much memory"}


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", c_int64),  # in units of 100 ns
        ("PerJobUserTimeLimit", c_int64),
        ("LimitFlags", c_uint32),
        ("MinimumWorkingSetSize", c_size_t),
        ("MaximumWorkingSetSize", c_size_t),
        ("ActiveProcessLimit", c_uint32),
        ("Affinity", c_size_t),
        ("PriorityClass", c_uint32),
        ("SchedulingClass", c_uint32),
    )


class _Limits(ctypes.Structure):
    _fields_ = (
        ("Basic", _BasicLimits),
        ("IoInfo", c_uint64 * 6),
        ("ProcessMemoryLimit", c_size_t),
        ("JobMemoryLimit", c_size_t),
        ("PeakProcessMemoryUsed", c_size_t),
        ("PeakJobMemoryUsed", c_size_t),
    )


_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_TIME, _MEMORY, _KILL_ON_CLOSE = 0x2, 0x100, 0x2000  # JOB_OBJECT_LIMIT_…
_jobs: list[int] = []  # open as long as this process lives


def _enter_job(limits: _Limits) -> None:
    """This process, and all it starts from now on, under these limits. OSError: the system does not let us, or forgets them."""
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = c_void_p
    kernel.CreateJobObjectW.argtypes = (c_void_p, c_void_p)
    kernel.SetInformationJobObject.argtypes = (c_void_p, c_uint32, c_void_p, c_uint32)
    kernel.QueryInformationJobObject.argtypes = (c_void_p, c_uint32, c_void_p, c_uint32, c_void_p)
    kernel.AssignProcessToJobObject.argtypes = (c_void_p, c_void_p)
    job = kernel.CreateJobObjectW(None, None)
    if (
        not job
        or not kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        or not kernel.AssignProcessToJobObject(job, kernel.GetCurrentProcess())
    ):
        raise OSError(errno.EPERM, f"the system refused a job object (error {ctypes.get_last_error()})")
    _jobs.append(job)
    kept = _Limits()
    if (
        not kernel.QueryInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(kept), ctypes.sizeof(kept), None)
        or kept.Basic.LimitFlags & limits.Basic.LimitFlags != limits.Basic.LimitFlags
        or kept.Basic.PerProcessUserTimeLimit != limits.Basic.PerProcessUserTimeLimit
        or kept.ProcessMemoryLimit != limits.ProcessMemoryLimit
    ):
        raise OSError(errno.EPERM, "the system does not limit what a process may use")


def confine(memory: int, seconds: int) -> None:
    """This process may commit so many bytes of memory and use so many seconds of the processor, those of the kernel not counted.

    OSError: the system does not let us; whoever promised a limit must stop here.
    """
    limits = _Limits()
    limits.Basic.LimitFlags = _TIME | _MEMORY | _KILL_ON_CLOSE
    limits.Basic.PerProcessUserTimeLimit = seconds * 10_000_000
    limits.ProcessMemoryLimit = memory
    _enter_job(limits)


def interrupt(process: subprocess.Popen[str]) -> None:
    """It hears the end of its input and interrupts itself: Ctrl-Break would need a console, and end what it started first."""
    with contextlib.suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()


def kill(process: subprocess.Popen[str]) -> None:
    """With all it started, if it said `end_children_with_me`."""
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()


def end_children_with_me() -> None:
    """What this process starts ends with it, however it ends; where the system refuses, by the end of its pipes alone."""
    limits = _Limits()
    limits.Basic.LimitFlags = _KILL_ON_CLOSE
    with contextlib.suppress(OSError):
        _enter_job(limits)


def interrupt_myself() -> None:
    """From a thread: KeyboardInterrupt in the main one, at its next step."""
    _thread.interrupt_main()


def end_myself(code: int) -> None:
    """At once, with all that was started."""
    os._exit(code)


# ---- streams -------------------------------------------------------------------------------------------------------------


def has_gone(error: OSError) -> bool:
    """Whether nobody reads any more at the other end of a pipe."""
    return isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL


def needs_console(stream: Any) -> bool:
    """Whether text must go through Python's own stream: a console takes bytes for another encoding."""
    return stream is not None and bool(stream.isatty())
