"""An S3 server that runs for some tests only: moto, as a real process on the loopback, with its data in memory.

moto answers the end of an upload in parts with a root element by another name than S3 has (getmoto/moto#10055), which Arrow takes
for an error; the name is put right on its way out.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

BUCKET = "steward"
SECRET = "kanarienvogel-s3-51c7"


def environment(url):
    """What a process needs to reach it."""
    return {
        "AWS_ACCESS_KEY_ID": "tester",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL": url,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def server():
    """Its address, once it answers; the bucket is there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, __file__, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        urllib.request.urlopen(urllib.request.Request(f"{url}/{BUCKET}", method="PUT"), timeout=30)
        yield url
    finally:
        process.kill()
        process.wait()


def _wait(url, process):
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError("the S3 server ended before it answered")
        try:
            urllib.request.urlopen(url, timeout=5)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the S3 server does not answer")


class _Renamed:
    def __init__(self, app):
        self.app = app

    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] != "POST":
            return self.app(environ, start_response)
        stated = {}

        def start(status, headers, exc_info=None):
            stated["status"], stated["headers"] = status, headers
            return lambda _: None

        answer = self.app(environ, start)
        body = b"".join(answer)
        body = re.sub(rb"(</?)CompleteMultipartUpload(?:Output|Response)", rb"\1CompleteMultipartUploadResult", body)
        headers = [(key, value) for key, value in stated["headers"] if key.lower() != "content-length"]
        start_response(stated["status"], [*headers, ("Content-Length", str(len(body)))])
        return [body]


if __name__ == "__main__":
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import run_simple

    os.environ.setdefault("MOTO_S3_CUSTOM_ENDPOINTS", "")
    run_simple("127.0.0.1", int(sys.argv[1]), _Renamed(DomainDispatcherApplication(create_backend_app)), threaded=True)
