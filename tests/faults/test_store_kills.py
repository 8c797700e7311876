"""SIGKILL while a release is put into an object store: moto's S3 server, as a process of its own on the loopback.

A process of its own publishes one release after the other at the same place; it is killed at a random moment. Then either a whole
release stands there, or none that looks whole, and a later run puts the last one in place. At every single request this is tried
in `tests/unit/io/publishing/test_uploaded_draft.py`, with a store that is a folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import s3_server
from shoal.io.publishing import upload_journal
from shoal.io.stores.files import StoreFiles

pytest.importorskip("moto")
pytestmark = [pytest.mark.slow, pytest.mark.faults]

OUT = f"s3://{s3_server.BUCKET}/out"
KILLS = 8
PUBLISHING = """
import hashlib, json, os, sys
from shoal.io.publishing.uploaded_draft import UploadedDraft

def entry(name, data):
    return {"name": name, "sha256": hashlib.sha256(data).hexdigest()}

print("ready", flush=True)
while True:
    data, book = os.urandom(200_000), os.urandom(1000)
    files = [entry("people.csv", data), entry("people.codebook.json", book)]
    report = json.dumps({"format": "shoal-report", "files": files}).encode()
    files.append(entry("people.report.json", report))
    manifest = json.dumps({"format": "shoal-manifest", "files": files}).encode()
    with UploadedDraft(sys.argv[1], replace=True) as draft:
        draft.write("people.csv", data)
        draft.write("people.codebook.json", book)
        draft.write("people.report.json", report)
        draft.write("people.manifest.private.json", manifest, private=True)
        draft.publish()
    print("published", flush=True)
"""


@pytest.fixture(scope="module")
def store():
    with s3_server.server() as url, pytest.MonkeyPatch.context() as patch:
        for key, value in s3_server.environment(url).items():
            patch.setenv(key, value)
        yield StoreFiles(OUT + "/people.csv")


def test_killed_at_any_time_a_whole_release_stands_or_none_that_looks_so(store, tmp_path):
    chance, states = random.Random(7), []
    for _ in range(KILLS):
        _publish_until_killed(chance, tmp_path)
        states.append(_state(_release(store)))
        drafts = [entry.name for entry in store.entries(OUT) if entry.name.startswith(".shoal-draft-")]
        recorded = [name for name in drafts if store.find(f"{OUT}/{name}/journal.json")]
        assert states[-1] == "whole" or recorded, "what was being put in place can be finished"
        _settle(store)
        assert _state(_release(store)) == "whole"
        for name in drafts:
            store.delete_folder(f"{OUT}/{name}")
    assert "whole" in states
    drafts = tmp_path / f"shoal-{os.geteuid()}"
    assert len([one for one in drafts.iterdir() if one.name.startswith(".shoal-draft-")]) == 1, "dead drafts are swept"


def _publish_until_killed(chance, folder):
    """After at least one release; then at a moment within the time that one takes."""
    process = subprocess.Popen(
        [sys.executable, "-c", PUBLISHING, f"{OUT}/people.csv"],
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        started = time.monotonic()
        assert process.stdout.readline() == b"published\n"
        time.sleep(chance.uniform(0, time.monotonic() - started))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _release(store):
    return {one.name: store.read(f"{OUT}/{one.name}") for one in store.entries(OUT) if not one.is_folder}


def _state(found):
    """Whole: a manifest, and all that it names. Anything else must not look whole."""
    manifest = found.get("people.manifest.private.json")
    if manifest is None:
        if "people.csv" in found:  # beside its own report
            assert hashlib.sha256(found["people.csv"]).hexdigest().encode() in found["people.report.json"]
        return "cut short"
    for file in json.loads(manifest)["files"]:
        assert hashlib.sha256(found[file["name"]]).hexdigest() == file["sha256"], f"a mixture: {file['name']}"
    return "whole"


def _settle(store):
    own = f"{OUT}/.shoal-draft-{'0' * 16}"
    store.write(f"{own}/begun", b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upload_journal, "_PATIENCE", -10)
        upload_journal.settle_older(store, own, "people.csv")
    store.delete_folder(own)
