"""What shoal asks of the operating system and every system answers in its own way: locks, links, modes, limits, other processes.

`posix` is for Linux and macOS, `windows` for Windows; both have the same functions. Nothing else in shoal calls what only one of
them has. It knows nothing of data and decides nothing about it, so the verifier may use it like everybody else.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from shoal.system.windows import (
        ENDS,
        GROUP,
        KEEPS_OPEN_FILES,
        account,
        confine,
        end_children_with_me,
        end_myself,
        forbidden_name,
        harden_file,
        harden_folder,
        has_gone,
        interrupt,
        interrupt_myself,
        is_guarded,
        is_link,
        is_mine,
        is_private,
        kill,
        lock_file,
        needs_console,
        open_file,
        open_new,
        rename,
        replace,
        sync,
        take_folder,
    )
else:
    from shoal.system.posix import (
        ENDS,
        GROUP,
        KEEPS_OPEN_FILES,
        account,
        confine,
        end_children_with_me,
        end_myself,
        forbidden_name,
        harden_file,
        harden_folder,
        has_gone,
        interrupt,
        interrupt_myself,
        is_guarded,
        is_link,
        is_mine,
        is_private,
        kill,
        lock_file,
        needs_console,
        open_file,
        open_new,
        rename,
        replace,
        sync,
        take_folder,
    )

__all__ = [
    "ENDS",
    "GROUP",
    "KEEPS_OPEN_FILES",
    "account",
    "confine",
    "end_children_with_me",
    "end_myself",
    "forbidden_name",
    "harden_file",
    "harden_folder",
    "has_gone",
    "interrupt",
    "interrupt_myself",
    "is_guarded",
    "is_link",
    "is_mine",
    "is_private",
    "kill",
    "lock_file",
    "needs_console",
    "open_file",
    "open_new",
    "rename",
    "replace",
    "sync",
    "take_folder",
]
