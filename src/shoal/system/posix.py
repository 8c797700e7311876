"""Linux and macOS. What only they have is named in this file and nowhere else; `tests/architecture` holds that."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import signal
import stat
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

assert sys.platform != "win32"  # mypy checks this file for the systems that it is for

KEEPS_OPEN_FILES = False  # whether a file that is open cannot be renamed or removed

# ---- files -------------------------------------------------------------------------------------------------------------


def open_file(path: Path, *, follow: bool = True) -> int:
    """A descriptor to read from; it waits for nobody at the other end of a pipe. follow: through a symbolic link."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))


def open_new(path: Path, mode: int) -> int:
    """A descriptor to write a file that must not exist yet, not even as a symbolic link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)


def sync(path: Path) -> None:
    """Force a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        _flush(descriptor)
    finally:
        os.close(descriptor)


def harden_file(path: Path, *, private: bool) -> os.stat_result:
    """On the disk and, if private, for this user only. What is no regular file is left as it is: look at the status."""
    descriptor = open_file(path, follow=False)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            if private:
                os.fchmod(descriptor, 0o600)
            _flush(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def harden_folder(path: Path, *, private: bool) -> os.stat_result:
    """The same of a folder, without what lies in it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if private:
            os.fchmod(descriptor, 0o700)
        _flush(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    os.fsync(descriptor)
    if sys.platform == "darwin":  # where fsync leaves it in the memory of the drive
        with contextlib.suppress(OSError):  # of a file system that cannot do more
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)


def rename(source: Path, target: Path) -> None:
    """Within a file system, in one step."""
    source.rename(target)


def replace(source: Path, target: Path) -> None:
    """The same over a file that may be there."""
    source.replace(target)


def forbidden_name(name: str) -> str | None:
    """Why no file can have this name; None: it can."""
    return "it has a zero byte" if "\0" in name else None


def is_link(path: Path) -> bool:
    """Whether a path leads elsewhere."""
    return path.is_symlink()


# ---- whose it is -------------------------------------------------------------------------------------------------------


def account() -> str:
    """A name for what is this user's among the temporary files of all."""
    return str(os.geteuid())


def is_mine(path: Path) -> bool:
    """Whether this user owns it."""
    return path.stat().st_uid == os.geteuid()


def is_private(folder: Path) -> bool:
    """A folder, no link to one, that this user owns and nobody else may write to or look into."""
    about = folder.lstat()
    others = about.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and not others


def is_guarded(folder: Path) -> bool:
    """Whether nobody else can rename or replace what this user has in it."""
    about = folder.stat()
    others_write = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return about.st_uid in {0, os.geteuid()} and (not others_write or bool(about.st_mode & stat.S_ISVTX))


# ---- locks, which end with the process, however it ends ------------------------------------------------------------------


def lock_file(path: Path, *, new: bool) -> int:
    """A descriptor that holds the lock until it is closed. BlockingIOError: another process has it."""
    if new:
        return _locked(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    return _locked(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))


def take_folder(folder: Path) -> Callable[[], None]:
    """Lock a folder; what comes back frees it, and nothing is left. BlockingIOError: another process has it."""
    descriptor = _locked(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    return lambda: os.close(descriptor)


def _locked(descriptor: int) -> int:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


# ---- processes -----------------------------------------------------------------------------------------------------------

# For a process that Ctrl-C in our terminal does not reach, and that can be ended with all it started.
GROUP: dict[str, Any] = {"start_new_session": True}
# How a confined process that went too far has ended.
ENDS = {-signal.SIGKILL: "it needed too much memory", -signal.SIGXCPU: "it took too long"}


def confine(memory: int, seconds: int) -> None:
    """This process may use so many bytes of address space and seconds of the processor. A limit that is tighter already stays.

    OSError: the system does not let us; whoever promised a limit must stop here.
    """
    for which, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(which, (most, most))
        except ValueError as refusal:
            raise OSError(errno.EPERM, "the system does not limit what a process may use") from refusal


def interrupt(process: subprocess.Popen[str]) -> None:
    """As Ctrl-C does: it may clean up."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)


def kill(process: subprocess.Popen[str]) -> None:
    """One that was started with GROUP, with all it started, also if it has ended itself."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def end_children_with_me() -> None:
    """Whoever was started with GROUP leads one: `kill` and `end_myself` reach all of it."""


def interrupt_myself() -> None:
    """From a thread: KeyboardInterrupt in the main one, also if it waits."""
    os.kill(os.getpid(), signal.SIGINT)


def end_myself(code: int) -> None:
    """At once, with all that was started, if this process leads a group."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(code)


# ---- streams -------------------------------------------------------------------------------------------------------------


def has_gone(error: OSError) -> bool:
    """Whether nobody reads any more at the other end of a pipe."""
    return isinstance(error, BrokenPipeError)


def needs_console(stream: Any) -> bool:
    """Whether text must go through Python's own stream: bytes would be taken for another encoding."""
    return False
