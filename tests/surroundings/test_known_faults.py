"""Known faults of packages: a version that has one is found, whatever way its name is written."""

from __future__ import annotations

from packaging.version import Version

from benchmarks.known_faults import faults, pinned
from benchmarks.lib.places import PROJECT

DATABASE = {
    "$meta": {"timestamp": 0},
    "Some.Package": [{"cve": "CVE-1", "id": "a", "specs": ["<1.2", ">=2,<2.1"]}],
    "other": [{"cve": None, "id": "b", "specs": ["<9"]}],
}


def test_a_version_with_a_fault_is_found():
    lock = "some-package==2.0.5 \\\n    --hash=sha256:00\n    # via other==1\nsafe[extra]==1.0\n"
    packages = pinned(lock)
    assert packages == {"some-package": Version("2.0.5"), "safe": Version("1.0")}
    assert faults(packages, DATABASE) == (1, [{"package": "some-package", "version": "2.0.5", "id": "CVE-1"}])
    assert faults(pinned("some_package==2.1\n"), DATABASE) == (1, [])
    assert faults(pinned("other==8.9\n"), DATABASE)[1] == [{"package": "other", "version": "8.9", "id": "b"}]


def test_all_packages_of_the_lock_are_asked_for():
    lock = (PROJECT / ".ci" / "requirements.lock").read_text()
    assert len(pinned(lock)) == sum("==" in line for line in lock.splitlines() if line[:1].isalnum()) > 50
