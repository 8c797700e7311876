"""Runs Python code in a notebook kernel of its own and prints what it prints: kernel_client.py FILE"""

from __future__ import annotations

import sys
from pathlib import Path

from jupyter_client.manager import KernelManager

manager = KernelManager()
# the interpreter that runs this, whatever kernels are installed for the user
manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
manager.start_kernel(stderr=sys.stderr)
client = manager.client()
try:
    client.start_channels()
    client.wait_for_ready(timeout=120)
    reply = client.execute_interactive(Path(sys.argv[1]).read_text(), timeout=600)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
sys.exit(reply["content"]["status"] != "ok")
