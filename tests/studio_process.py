"""A studio as a person starts it: `shoal studio`, in a process of its own."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOAL = (sys.executable, "-c", "from shoal.cli import main; main()")


@dataclass
class Running:
    """`link` is what was printed; `log` all that the process said on its errors, once it has ended."""

    process: subprocess.Popen[str]
    link: str
    log: str = ""

    @property
    def port(self) -> int:
        return int(re.search(r":(\d+)/", self.link)[1])

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2]

    @property
    def here(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, request: bytes, seconds: float = 10.0) -> bytes:
        """Whatever comes back for these bytes, until the other end closes or says nothing for a while."""
        with socket.create_connection(("127.0.0.1", self.port), seconds) as line:
            line.sendall(request)
            answer = b""
            while select.select([line], [], [], seconds)[0]:
                try:
                    piece = line.recv(1 << 16)
                except ConnectionResetError:  # it has heard enough
                    break
                if not piece:
                    break
                answer += piece
                head, _, body = answer.partition(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                if length and len(body) >= int(length[1]):
                    break
            return answer

    def end(self, with_signal: int = signal.SIGINT) -> float:
        """Ctrl-C, or worse; the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(with_signal)
        _, self.log = self.process.communicate(timeout=20)
        return time.monotonic() - began


@contextmanager
def running(folder: Path, *more: str, env: dict[str, str] | None = None) -> Iterator[Running]:
    """Until the block ends. folder: where recipes and releases go."""
    process = subprocess.Popen(
        [*SHOAL, "studio", "--no-browser", "--folder", str(folder), *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )
    try:
        link = process.stdout.readline().strip()
        assert link.startswith("http://127.0.0.1:"), process.communicate(timeout=10)[1]
        studio = Running(process, link)
        _wait_for(studio.port)
        yield studio
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)


def _wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
