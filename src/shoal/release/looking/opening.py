"""Data that a person points at becomes a recipe with suggestions. Where it can be read in two ways, the person is asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError, ShoalError
from shoal.io.csv import default_delimiter
from shoal.io.csv_detection import Unclear
from shoal.io.location import is_uri
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.io.trees.opening import FLAT, XML
from shoal.release.init import Proposal, given_input, propose, write_proposal
from shoal.release.looking.input import Looked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.methods.method import Listener
    from shoal.release.editing.document import RecipeDocument
    from shoal.release.suggest.summary import Suggestion

_ASKED = {
    "delimiter": "What stands between the columns?",
    "encoding": "In which encoding is the file? If you do not know: in German or French files, windows-1252.",
    "record": "Which element of the file holds one person?",
    "tables": "This is a folder of tables. Which one has a row for each person, and how do the others hang on it?",
}


@dataclass(frozen=True)
class DataAddress:
    """What a person points at: a path, a database, or tables that make up records."""

    path: str = ""
    url: str = ""
    table: str = ""
    query: str = ""
    tables: tuple[str, ...] = ()  # NAME=FILE, or names where there is a database
    record: str = ""
    keys: tuple[str, ...] = ()
    mapping: str = ""
    delimiter: str = ""
    encoding: str = ""

    @property
    def stem(self) -> str:
        """What a project of it is called."""
        if self.path:
            return Path(self.path).name.split(".")[0]
        return self.table.split(".")[-1] or self.record or self.url.rpartition("/")[2].split("?")[0] or "data"

    @property
    def is_xml(self) -> bool:
        """Whether an element has to be named that holds a record."""
        return self.path.lower().endswith(XML)

    @classmethod
    def of_folder(cls, folder: str, record: str, keys: Sequence[str]) -> DataAddress:
        """A folder of tables in CSV, which keys tie together."""
        place = Path(folder).expanduser()
        try:
            files = sorted(file for file in place.iterdir() if file.name.lower().endswith(FLAT))
        except OSError as reason:
            raise RecipeError(f"The folder cannot be read: {(reason.strerror or 'unknown').lower()}.") from None
        if not files:
            raise RecipeError(f"There is no CSV file in {place.name}.")
        return cls(tables=tuple(f"{file.name.split('.')[0]}={file}" for file in files), record=record, keys=tuple(keys))


class Asked(ShoalError):  # noqa: N818  # an answer, as the other exceptions of shoal
    """Only a person can say how the data is to be read: `key`, one of `choices`, or free where there are none."""

    def __init__(self, key: str, choices: Sequence[str] = ()) -> None:
        super().__init__(_ASKED[key])
        self.key, self.choices = key, tuple(choices)


def open_data(address: DataAddress, recipe: Path, *, listener: Listener = lambda _: None) -> Proposal:
    """Look at the data and write a recipe where there is none yet."""
    proposal = look_at(address, recipe, listener=listener)
    write_proposal(proposal, recipe)
    recipe.chmod(0o600)  # its groups may show values
    return proposal


def look_at(
    address: DataAddress, recipe: Path, *, stated: Mapping[str, Any] | None = None, listener: Listener = lambda _: None
) -> Proposal:
    """The same without writing. stated: as in `propose`."""
    if address.is_xml and not address.record:
        raise Asked("record")
    if address.mapping and address.mapping not in MAPPINGS and not Path(address.mapping).is_file():
        raise RecipeError(f"There is no mapping called {address.mapping}. There is: {', '.join(MAPPINGS)}.")
    tables = address.tables or ((address.table,) if address.table else ())
    data = given_input(
        address.path or None,
        tables=tables,
        url=address.url,
        record=address.record,
        keys=address.keys,
        mapping=address.mapping,
        query=address.query,
    )
    try:
        return propose(
            data,
            recipe,
            delimiter=address.delimiter or None,
            encoding=address.encoding or None,
            stated=stated or {},
            listener=listener,
        )
    except Unclear as question:
        raise Asked(question.key, question.choices) from None


def suggestions_json(suggestions: Sequence[Suggestion]) -> dict[str, Any]:
    """What was proposed of each column and why, to be kept beside the recipe."""
    return {
        one.name: {
            "role": str(one.role),
            "what": one.what,
            "blur": one.blur,
            "advice": [asdict(advice) for advice in one.advice],
            "written": list(one.written),
            "codes": list(one.codes),
            "values": one.values,
        }
        for one in suggestions
    }


def read_again(document: RecipeDocument, stated: Mapping[str, Any]) -> tuple[RecipeDocument, Proposal | None]:
    """The recipe when `[input]` says this; None takes a key away. With other columns than before, it is proposed anew."""
    changed = document
    for key, value in stated.items():
        changed = changed.remove("input", key) if value is None else changed.put(value, "input", key)
    looked = Looked.of_document(changed)
    if looked.nested or not looked.input.path:
        with looked.trees() if looked.nested else looked.rows():
            return changed, None
    reason: DataError | None = None
    try:
        with looked.rows() as source:
            if set(source.columns) == set(document.columns):
                return changed, None
    except DataError as fault:  # a column that its form does not fit any more is looked at anew as well
        reason = fault
    spec = looked.input
    address = DataAddress(
        path=spec.path if is_uri(spec.path) else str(looked.folder / spec.path),
        delimiter=spec.delimiter or default_delimiter(Path(spec.path)),
        encoding=spec.encoding,
    )
    given = {key: stated[key] for key in ("quote", "sheet", "header", "labels") if stated.get(key) is not None}
    try:
        proposal = look_at(address, document.path, stated=given)
    except DataError as fault:
        raise reason or fault from None
    return replace(document, text=proposal.text), proposal
