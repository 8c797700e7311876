"""What every page of a project can do: take back a change, follow work, cancel it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from shoal.studio.handlers import go, jobs_of, posted, project_of, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.datastructures import FormData
    from starlette.requests import Request


def _undo(request: Request, form: FormData) -> Response:
    project_of(request).undo(text_of(form, "revision"))
    return go(f"/r/{request.path_params['key']}/{_step(form)}")


def _cancel(request: Request, form: FormData) -> Response:
    jobs_of(request).cancel(project_of(request), request.path_params["name"])
    return go(f"/r/{request.path_params['key']}/{_step(form)}")


def _step(form: FormData) -> str:
    step = text_of(form, "step", "open")
    return step if step.isalpha() else "open"


def events(request: Request) -> Response:
    """The progress of some work, as it comes."""
    job = jobs_of(request).find(project_of(request), request.path_params["name"])
    if job is None:
        raise HTTPException(404)

    async def stream() -> AsyncIterator[str]:
        async for facts in jobs_of(request).events(job):
            yield f"data: {json.dumps(facts)}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


ROUTES = [
    Route("/r/{key}/undo", posted(_undo), methods=["POST"]),
    Route("/r/{key}/jobs/{name}/cancel", posted(_cancel), methods=["POST"]),
    Route("/r/{key}/jobs/{name}/events", events),
]
