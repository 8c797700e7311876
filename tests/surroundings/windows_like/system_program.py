"""What `shoal.system` and the publish protocol promise, tried in a folder; one line for each, with OK or NOT in front.

It is run where Windows is imitated (`test_windows_like.py`), and by hand with a Windows Python, on Windows or under Wine:
`python system_program.py FOLDER`. It needs nothing but shoal's sources on the path.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from shoal import system
from shoal.errors import ShoalError
from shoal.io.publishing.publish import Draft, sweep

KINDS = ("report.json", "manifest.private.json")


def say(what: str, holds: bool) -> None:
    print("OK " if holds else "NOT", what, flush=True)


def raises(kind: type[BaseException], work) -> bool:
    try:
        work()
    except kind:
        return True
    return False


def in_another(code: str, *args: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, check=False
    ).stdout.strip()


def files(base: Path) -> None:
    new = base / "new.txt"
    descriptor = system.open_new(new, 0o600)
    os.write(descriptor, b"a\nb")
    os.close(descriptor)
    say("bytes are written as they are", new.read_bytes() == b"a\nb")
    say("a new file does not take the place of another", raises(FileExistsError, lambda: system.open_new(new, 0o600)))
    system.sync(new)
    system.sync(base)
    status = system.harden_file(new, private=True)
    moved, other = base / "moved.txt", base / "other.txt"
    system.rename(new, moved)
    now = moved.lstat()
    same = all(getattr(status, name) == getattr(now, name) for name in ("st_dev", "st_ino", "st_size", "st_mtime_ns"))
    say("a file is known again after it was moved", same and now.st_ino != 0)
    other.write_bytes(b"other")
    system.replace(other, moved)
    say("a file is replaced in one step", moved.read_bytes() == b"other")
    if system.KEEPS_OPEN_FILES:
        say("a folder is told from a file", raises(IsADirectoryError, lambda: system.open_file(base)))
        other.write_bytes(b"other")
        say("nothing is renamed over another", raises(FileExistsError, lambda: system.rename(other, moved)))
        with moved.open("rb"):
            say("an open file is not renamed", raises(PermissionError, lambda: system.rename(moved, base / "x")))
        for name in ("CON.csv", "nul", "com1.parquet", "a:b.csv", "a.", "a ", "a?b"):
            say(f"no file is called {name!r}", system.forbidden_name(name) is not None)
    say("an ordinary name is allowed", system.forbidden_name("Größe 2.csv") is None)


TAKE = """
import pathlib, sys, shoal.system as system
try:
    system.take_folder(pathlib.Path(sys.argv[1]))()
    print("taken")
except BlockingIOError:
    print("blocked")
"""
HOLD = """
import pathlib, sys, time, shoal.system as system
free = system.take_folder(pathlib.Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def locks(base: Path) -> None:
    free = system.take_folder(base)
    say("another process does not get a folder that is locked", in_another(TAKE, str(base)) == "blocked")
    say("nor does this one, again", raises(BlockingIOError, lambda: system.take_folder(base)))
    free()
    say("a lock leaves nothing", not (base / ".shoal-lock").exists())
    say("then another process gets it", in_another(TAKE, str(base)) == "taken")
    with subprocess.Popen([sys.executable, "-c", HOLD, str(base)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        held = raises(BlockingIOError, lambda: system.take_folder(base))
        holder.kill()
        holder.wait()
    ended = time.monotonic() + 5
    while in_another(TAKE, str(base)) != "taken" and time.monotonic() < ended:
        time.sleep(0.05)
    say("a lock ends with a process that is killed", held and in_another(TAKE, str(base)) == "taken")


def publish(place: Path, text: bytes, *, replace: bool = False) -> None:
    with Draft(place, replace=replace) as draft:
        draft.path(place.name).write_bytes(text)
        paper = b'{"format": "shoal-report", "sha256": "%s"}' % hashlib.sha256(text).hexdigest().encode()
        draft.write(f"{place.stem}.{KINDS[0]}", paper)
        draft.write(f"{place.stem}.{KINDS[1]}", b'{"format": "shoal-manifest"}', private=True)
        assert draft.scratch.is_dir()
        draft.publish()


def drafts(base: Path) -> None:
    place = base / "out" / "people.csv"
    whole = sorted([place.name, *(f"{place.stem}.{kind}" for kind in KINDS)])

    def stands(*texts: bytes) -> bool:
        return place.read_bytes() in texts and sorted(os.listdir(place.parent)) == whole

    publish(place, b"age\n39\n")
    say("a release is published as a whole", stands(b"age\n39\n"))
    say("another is refused", raises(ShoalError, lambda: publish(place, b"age\n40\n")) and stands(b"age\n39\n"))
    publish(place, b"age\n41\n", replace=True)
    say("and replaces it where that is asked for", stands(b"age\n41\n"))
    if system.KEEPS_OPEN_FILES:
        with place.open("rb"):
            refused = raises(ShoalError, lambda: publish(place, b"age\n42\n", replace=True))
        say("a release that somebody has open stays whole", refused and stands(b"age\n41\n"))
        odd = place.with_name("CON.csv")
        say(
            "a device is no place for a release",
            raises(ShoalError, lambda: publish(odd, b"age\n1\n")) and stands(b"age\n41\n"),
        )
    for step in range(1, 8):  # six renames; the seventh time it ends well
        subprocess.run([sys.executable, __file__, "killed", str(place), str(step)], capture_output=True, check=False)
        sweep(place.parent)
        say(f"killed before rename {step}, a whole release stands", stands(b"age\n41\n", b"age\n50\n"))
    say("the last one was published", stands(b"age\n50\n"))


def killed(place: Path, step: int) -> None:
    real, count = system.rename, [0]

    def rename(source: Path, target: Path) -> None:
        count[0] += 1
        if count[0] == step:
            os._exit(9)
        real(source, target)

    system.rename = rename
    publish(place, b"age\n50\n", replace=True)


WORK = """
import sys, threading, time, shoal.system as system
system.end_children_with_me()
def end():
    sys.stdin.read()
    system.interrupt_myself()
threading.Thread(target=end, daemon=True).start()
try:
    print("ready", flush=True)  # heard from here on
    while True:
        time.sleep(0.05)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
CONFINED = """
import shoal.system as system
try:
    system.confine(1 << 30, 60)
    try:
        bytearray(2 << 30)
        print("not limited")
    except MemoryError:
        print("limited")
except OSError:
    print("refused")
"""


def processes() -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", WORK], **pipes, **system.GROUP) as worker:
        worker.stdout.readline()
        system.interrupt(worker)
        say("work that is cancelled hears it", worker.stdout.readline().strip() == "interrupted")
        system.kill(worker)
    say("a reader has limits, or does not read", in_another(CONFINED) in ("limited", "refused"))


def main() -> None:
    if sys.argv[1] == "killed":
        killed(Path(sys.argv[2]), int(sys.argv[3]))
        return
    base = Path(sys.argv[1])
    base.mkdir(parents=True)
    files(base)
    locks(base)
    drafts(base)
    processes()


if __name__ == "__main__":
    main()
