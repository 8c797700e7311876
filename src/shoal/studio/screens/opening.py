"""The ways in: a file, a database, several tables, an example, or a recipe."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.routing import Route

from shoal.errors import DataError, RecipeError, ShoalError
from shoal.release.examples import EXAMPLES, write_example
from shoal.release.looking.opening import Asked, DataAddress, open_data
from shoal.release.looking.rows import ENCODING_NAMES, FORMATS
from shoal.studio.guard import MAX_UPLOAD
from shoal.studio.handlers import go, posted, projects_of, text_of
from shoal.studio.looks import keep_proposal
from shoal.studio.pages import render
from shoal.studio.uploads import drop_upload, keep_upload

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from shoal.studio.projects import Project

_FIELDS = ("path", "folder", "url", "table", "query", "record", "keys", "mapping", "delimiter", "encoding")


def start(request: Request) -> Response:
    """Nothing is chosen yet."""
    return _page(request, {"for": "risk" if request.query_params.get("for") == "risk" else ""})


def _page(request: Request, fields: dict[str, str], fault: ShoalError | None = None, way: str = "") -> Response:
    """fields: what the person wrote, which stays. way: the card that the fault is of."""
    blank = dict.fromkeys((*_FIELDS, "for"), "")
    return render(
        request,
        "open_start.html.jinja",
        status=200 if fault is None else 422,
        fields=blank | fields,
        fault=fault,
        question=fault if isinstance(fault, Asked) else None,
        way=way,
        examples=EXAMPLES,
        formats=FORMATS,
        encodings=ENCODING_NAMES,
        most=MAX_UPLOAD,
    )


def _fields_of(form: FormData) -> dict[str, str]:
    return {name: text_of(form, name) for name in (*_FIELDS, "for")}


def _open_path(request: Request, form: FormData) -> Response:
    fields = _fields_of(form)
    written = fields["path"].strip("'\"")
    place = Path(written).expanduser() if written and "://" not in written else None
    try:
        if not written:
            raise RecipeError("Write where the file is, such as /home/me/patients.csv.")
        if place is not None and not place.exists():
            raise RecipeError("There is nothing at this path. Copy it from your file manager, or drop the file here.")
        if place is not None and place.is_dir() and _holds_tables(place):
            raise Asked("tables")
    except Asked as question:
        return _page(request, {**fields, "folder": written}, question, "tables")
    except ShoalError as fault:
        return _page(request, fields, fault, "path")
    if place is not None and place.name.lower().endswith(".toml"):
        return _open_recipe(request, place, fields)
    whole = written if place is None else str(place.resolve())
    return _open(request, _address({**fields, "path": whole}), fields, "path")


def _holds_tables(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        names = [file.name.lower() for file in folder.iterdir() if not file.name.startswith(".")]
        return bool(names) and any(name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")) for name in names)
    return False


async def _upload(request: Request) -> Response:
    async with request.form(max_files=1, max_fields=50) as form:
        file = form.get("file")
        fields = _fields_of(form)
        if not isinstance(file, UploadFile) or not file.filename:
            return _page(request, fields, DataError("No file was chosen."), "file")
        return await run_in_threadpool(_keep_and_open, request, file, fields)


def _keep_and_open(request: Request, file: UploadFile, fields: dict[str, str]) -> Response:
    try:
        place = keep_upload(projects_of(request), file.filename or "", file.file)
    except ShoalError as fault:
        return _page(request, fields, fault, "file")
    if place.name == "recipe.toml":
        return _open_recipe(request, place, fields, "file", uploaded=True)
    return _open(request, _address({**fields, "path": str(place)}), {**fields, "path": str(place)}, "file", place)


def _open_database(request: Request, form: FormData) -> Response:
    fields = _fields_of(form)
    if not fields["url"]:
        return _page(request, fields, RecipeError("Write the address of the database."), "database")
    return _open(request, _address({**fields, "path": ""}), fields, "database")


def _open_tables(request: Request, form: FormData) -> Response:
    fields = _fields_of(form)
    try:
        if not fields["folder"]:
            raise RecipeError("Write where the folder is that holds the tables.")
        if not fields["record"]:
            raise RecipeError("Say which table has one row for each person.")
        address = DataAddress.of_folder(fields["folder"].strip("'\""), fields["record"], _lines(fields["keys"]))
    except ShoalError as fault:
        return _page(request, fields, fault, "tables")
    return _open(request, address, fields, "tables")


def _open_example(request: Request, form: FormData) -> Response:
    name = text_of(form, "name")
    if name not in dict(EXAMPLES):
        return _page(request, {}, RecipeError("There is no such example."), "example")
    projects = projects_of(request)
    project = projects.open(write_example(name, projects.new_folder(f"example {name}"))[-1])
    return _opened(project, _fields_of(form))


def _open_recipe(
    request: Request, place: Path, fields: dict[str, str], way: str = "path", *, uploaded: bool = False
) -> Response:
    try:
        return _opened(projects_of(request).open(place), fields)
    except ShoalError as fault:
        if uploaded:
            drop_upload(place)
        return _page(request, fields, fault, way)


def _address(fields: dict[str, str]) -> DataAddress:
    return DataAddress(
        path=fields["path"],
        url=fields["url"],
        table="" if fields["query"] or (fields["record"] and not fields["table"]) else fields["table"],
        query=fields["query"],
        record=fields["record"],
        keys=tuple(_lines(fields["keys"])),
        mapping=fields["mapping"],
        delimiter={"tab": "\t"}.get(fields["delimiter"], fields["delimiter"]),
        encoding=fields["encoding"],
    )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _open(
    request: Request, address: DataAddress, fields: dict[str, str], way: str, uploaded: Path | None = None
) -> Response:
    """A new project for the data; where it cannot be read, the page again with what is wrong."""
    projects = projects_of(request)
    waiting = uploaded or _waiting(projects.folder, address.path)  # dropped before, and then a question was asked
    folder = waiting.parent if waiting is not None else projects.new_folder(address.stem)
    recipe = folder / "recipe.toml"
    try:
        proposal = open_data(address, recipe)
    except ShoalError as fault:
        recipe.unlink(missing_ok=True)
        if waiting is None:
            folder.rmdir()
        elif uploaded is not None and not isinstance(fault, Asked):
            drop_upload(uploaded)
            fields = {**fields, "path": ""}
        return _page(request, fields, fault, way)
    project = projects.open(recipe)
    keep_proposal(project, proposal)
    return _opened(project, fields)


def _waiting(home: Path, path: str) -> Path | None:
    place = Path(path)
    alone = path and place.parent.parent == home and not (place.parent / "recipe.toml").exists()
    return place if alone else None


def _opened(project: Project, fields: dict[str, Any]) -> Response:
    project.remember("aim", "risk" if fields.get("for") == "risk" else "publish")
    return go(f"/r/{project.key}/open")


ROUTES = [
    Route("/open", start),
    Route("/open/path", posted(_open_path), methods=["POST"]),
    Route("/open/upload", _upload, methods=["POST"]),
    Route("/open/database", posted(_open_database), methods=["POST"]),
    Route("/open/tables", posted(_open_tables), methods=["POST"]),
    Route("/open/example", posted(_open_example), methods=["POST"]),
]
