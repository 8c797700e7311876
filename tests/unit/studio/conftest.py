"""A studio on a folder of its own, and a browser that came by its link."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shoal.release.examples import write_example
from shoal.studio.jobs import Jobs
from shoal.studio.projects import Project, Projects

if find_spec("starlette") is None:  # the extra `studio` is not installed
    collect_ignore_glob = ["test_*.py"]
else:
    from starlette.testclient import TestClient

    from shoal.studio.app import make_app
    from shoal.studio.guard import Keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpx import Response

    from shoal.studio.jobs import Job


@dataclass(frozen=True)
class Studio:
    """What a test does with it. `get` and `post` follow redirects, as a browser would."""

    projects: Projects
    keys: Keys
    browser: TestClient  # with the cookie and the Origin header of a page of the studio

    @property
    def jobs(self) -> Jobs:
        return self.browser.app.state.jobs  # type: ignore[attr-defined]

    def get(self, address: str, **more: Any) -> Response:
        return self.browser.get(address, **more)

    def post(self, address: str, fields: dict[str, Any] | None = None, **more: Any) -> Response:
        """A form as it stands: say the `revision` yourself."""
        return self.browser.post(address, data=fields or {}, **more)

    def change(self, project: Project, address: str, **fields: Any) -> Response:
        """A form of a page that was drawn just now: it carries the revision of the recipe."""
        return self.post(f"/r/{project.key}/{address}", {"revision": project.document().revision, **fields})

    def open_example(self, name: str = "table") -> Project:
        """A project of `shoal example NAME`."""
        folder = self.projects.new_folder(name)
        return self.projects.open(write_example(name, folder)[-1])

    def finish(self, project: Project, name: str, seconds: float = 600.0) -> Job:
        """Wait until some work has ended."""
        import time

        end = time.monotonic() + seconds
        while (job := self.jobs.find(project, name)) is not None and job.state == "running":
            assert time.monotonic() < end, f"`{name}` takes more than {seconds:.0f} s"
            time.sleep(0.02)
        assert job is not None, f"nobody started `{name}`"
        return job


def words(response: Response) -> str:
    """What a person reads on a page."""
    body = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", response.text)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setattr(Jobs, "warm", lambda self: None)  # a process that stands ready costs more than most tests
    projects, keys = Projects(tmp_path / "shoal"), Keys(49_152)
    here = f"http://127.0.0.1:{keys.port}"
    with TestClient(
        make_app(projects, keys),
        base_url=here,
        headers={"origin": here, "sec-fetch-site": "same-origin"},
        cookies={keys.cookie: keys.token},
        raise_server_exceptions=False,
    ) as browser:
        yield Studio(projects, keys, browser)
