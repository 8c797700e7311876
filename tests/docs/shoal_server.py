"""The command `shoal` for the pages: imported once, and forked for each call.

    shoal_server.py SOCKET       the server; prints "ready"
    shoal_server.py SOCKET ARG…  the command: hands over its arguments, folder, environment and streams, and ends as the fork does

Importing takes longer than most commands of a page do, so a fork saves half of the time. Each command has a process of its own
with its own streams all the same, so that pipes, `&` and `$?` are those of the shell.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

_MOST = 1 << 20  # bytes of arguments and environment


def call(place: str, arguments: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(place)
        said = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
        socket.send_fds(server, [len(said).to_bytes(4, "big")], [0, 1, 2])
        server.sendall(said)
        return int(server.recv(16) or b"4")


def serve(place: str) -> None:
    from shoal.cli import main
    from shoal.cli.root import COMMANDS, shoal

    for name in COMMANDS:
        shoal.get_command(None, name)  # type: ignore[arg-type]  # the context is not looked at
    import pandas  # noqa: F401 - pyarrow looks for it, and every call would load it anew

    import shoal.release.run
    import shoal.report.html

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for a command
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        print("ready", flush=True)
        while True:
            client, _ = server.accept()
            if os.fork() == 0:
                server.close()
                _answer(client, main)
            client.close()


def _answer(client: socket.socket, main: object) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(client, 4, 3)
    said = b""
    while len(said) < min(int.from_bytes(size, "big"), _MOST):
        said += client.recv(1 << 16)
    arguments, folder, environment = json.loads(said)
    child = os.fork()
    if child == 0:
        client.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["shoal", *arguments]
        try:
            main()  # type: ignore[operator]
        finally:
            os._exit(70)  # it ends the process itself
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    client.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())
    os._exit(0)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    sys.exit(call(sys.argv[1], sys.argv[2:]))
