"""The sections of a recipe. Each checks itself when it is made; what must fit between them is checked by `Recipe`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from shoal.data.lookalikes import lookalikes
from shoal.data.paths import FieldPath
from shoal.data.schema import Role
from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees import guarantee_from
from shoal.hierarchies.build import problems as hierarchy_problems
from shoal.io.encodings import ENCODINGS, UTF8
from shoal.io.written import form_of
from shoal.loss import LOSSES, SET_LOSSES
from shoal.loss.trees.pair_loss import TreeDistance

HierarchySpec = str | dict[str, Any]
EngineName = Literal["local", "spark"]
OF_ENGINE: dict[str, EngineName] = {
    "threads": "local",
    "master": "spark",
    "remote": "spark",
    "settings": "spark",
}


class Section(BaseModel):
    """A part of a recipe: frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class Input(Section):
    """Where the data come from."""

    path: str = Field(default="", description="a file or a folder")
    tables: dict[str, str] | list[str] = Field(
        default={}, description="of trees: a file for each table; with `url`, tables of the database"
    )
    url: str = Field(
        default="",
        description="a database without a password: postgresql://user@host/name, duckdb:///file.duckdb, sqlite:///file.db",
    )
    table: str = Field(default="", description="with `url`: the table whose rows are the records")
    query: str = Field(default="", description="with `url`: a query that only reads, whose rows are the records")
    record: str = Field(
        default="", description="of trees: the table that has a row for each person; in XML, the element of a record"
    )
    keys: list[str] = Field(
        default=[],
        description='of trees: how tables hang together, "orders.customer = customer.id"; found in a database by itself',
    )
    mapping: str = Field(default="", description='of trees: how FHIR resources make up a record: "fhir-r4", or a file')
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    encoding: str = Field(default=UTF8, description="of CSV files: utf-8, utf-16, windows-1252 or latin-1")
    quote: Literal['"', "'"] = Field(default='"', description="what stands around CSV fields that hold the delimiter")
    missing: list[str] = Field(default=[], description="texts that mean: no value")
    multiline: bool = Field(default=False, description="whether quoted CSV fields may contain line breaks")
    items: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        default=None, description="what separates the items of a set in a CSV cell"
    )
    sheet: str = Field(
        default="", description="of a workbook: the sheet; may be left out where only one shows something"
    )
    header: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="of a workbook: the number of the row that names the columns; by default 1"
    )
    labels: bool = Field(
        default=True, description="of SPSS, Stata and SAS: true to read a labelled code as its label, false as the code"
    )

    @field_validator("encoding")
    @classmethod
    def _encoding(cls, name: str) -> str:
        return known_encoding(name)


class Output(Section):
    """Where the release goes."""

    path: str
    spreadsheet_safe: bool = Field(default=False, description="escape cells that a spreadsheet would run as a formula")
    tables: bool = Field(default=False, description="of trees: also a folder with a table for each class of nodes")
    encoding: str | None = Field(default=None, description="of a CSV file; by default that of the input")
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        default=None, description="of a CSV file; by default that of the input"
    )
    written: bool = Field(
        default=True, description="whether values in a CSV file are written as `columns.*.written` says"
    )

    @field_validator("encoding")
    @classmethod
    def _encoding(cls, name: str | None) -> str | None:
        return None if name is None else known_encoding(name)

    @field_validator("path")
    @classmethod
    def _format(cls, path: str) -> str:
        if not path.endswith((".csv", ".parquet", ".xlsx", ".sav", ".dta", ".dat", ".jsonl")):
            raise ValueError(
                "must end in .csv, .parquet, .xlsx, .sav or .dta; a release of item sets alone also in .dat; one of trees in "
                ".parquet or .jsonl."
            )
        return path


def known_encoding(name: str) -> str:
    """The name of an encoding, if it is one that is read and written."""
    if name not in ENCODINGS:
        raise ValueError(
            f"'{name}' is not read. Encodings: {', '.join(ENCODINGS)}.{did_you_mean(name, list(ENCODINGS))}"
        )
    return name


def each_once(texts: list[str], noun: str, one: str) -> list[str]:
    """The texts, if none is empty and no two look the same."""
    if not all(texts):
        raise ValueError(f"{one} needs a text.")
    alike = lookalikes(texts)
    if alike or len(set(texts)) < len(texts):
        raise ValueError(f"each {noun} is named once, and no two that look the same.")
    return texts


class ColumnSpec(Section):
    """What is said of one column."""

    role: Role = Field(strict=False)
    kind: Literal["value", "set", "node"] = Field(
        default="value", description="what a cell holds: a value, or a set of items; or: a class of nodes of a tree"
    )
    path: str = Field(
        default="",
        description="of trees: where the values lie in a record, such as visits[].diagnoses[].code; by default the name",
    )
    parent: str | None = Field(
        default=None, description="of a class of nodes: the class below which it hangs; by default the root"
    )
    negated: list[str] = Field(
        default=[],
        description="of a class of nodes: values that somebody may know a person *not* to have; each counts as one of the m values",
    )
    missing: list[str] = Field(
        default=[], description='codes that stand for a missing value, such as "Refused", "99" or "-1"'
    )
    written: str = Field(
        default="",
        description='how numbers or dates are written in a CSV file, by example: "1.234,5" or "dd.mm.yyyy"',
    )
    hierarchy: HierarchySpec | None = None
    sensitive_items: list[str] = Field(
        default=[], description="of a column of sets: items that are published as they are, and that nobody is to learn"
    )
    reason: str = Field(default="", description="why the column has this role; printed in the report")
    accept_unique: bool = Field(
        default=False,
        description="publish it as it is although many people can be told apart by it; needs a `reason`, which page 1 prints",
    )
    suggested: bool | Literal["unclear"] = Field(
        default=False, description="written by `shoal init`, not yet confirmed by a person"
    )

    @field_validator("hierarchy")
    @classmethod
    def _sound(cls, spec: HierarchySpec | None) -> HierarchySpec | None:
        faults = hierarchy_problems(spec)
        if faults:
            raise ValueError("\n".join(faults))
        return spec

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        FieldPath.of(path)
        return path

    @field_validator("written")
    @classmethod
    def _written(cls, form: str) -> str:
        if form:
            form_of(form)
        return form

    @field_validator("sensitive_items")
    @classmethod
    def _items(cls, items: list[str]) -> list[str]:
        return each_once(items, "item", "an item")

    @field_validator("missing")
    @classmethod
    def _codes(cls, codes: list[str]) -> list[str]:
        return each_once(codes, "code", "a code")

    @field_validator("negated")
    @classmethod
    def _values(cls, values: list[str]) -> list[str]:
        return each_once(values, "value", "a value")

    @model_validator(mode="after")
    def _open(self) -> Self:
        if not self.accept_unique:
            return self
        if not self.reason.strip():
            raise ValueError("`accept_unique` needs a `reason`: why people may be told apart by this column.")
        if self.role in (Role.QUASI, Role.IDENTIFYING) and not self.sensitive_items:
            raise ValueError(
                f"`accept_unique` is for what is published as it is; a column with the role '{self.role}' is not."
            )
        return self

    @property
    def states_its_values(self) -> bool:
        """Whether the hierarchy names its raw values without a look at the data: a file, groups or an order."""
        return isinstance(self.hierarchy, str) or bool(self.hierarchy and {"groups", "order"} & self.hierarchy.keys())


class GuaranteeSpec(BaseModel):
    """One promise, with its parameters."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @model_validator(mode="after")
    def _sound(self) -> Self:
        try:
            guarantee_from(self.name, **(self.model_extra or {}))
        except RecipeError as mistakes:
            raise ValueError("\n".join(mistakes.problems)) from None
        return self


class MethodSpec(BaseModel):
    """How the recoding is decided, with the keys of the method."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str = "auto"
    minimality: Literal["safe"] | None = Field(
        default=None,
        description='"safe": classes are decided by the quasi-identifiers alone, and a promise about sensitive values that does '
        "not hold then is a refusal; for tables of single values",
    )

    @model_validator(mode="after")
    def _sound(self) -> Self:
        from shoal.methods.registry import METHODS, method_from

        if self.name not in METHODS:
            known = list(METHODS)
            raise ValueError(
                f"no method is called '{self.name}'. Methods: {', '.join(known)}.{did_you_mean(self.name, known)}"
            )
        try:
            problems = method_from(self.name).problems(self.options)
        except RecipeError as reason:  # of another package, which cannot be used
            problems = list(reason.problems)
        if problems:
            raise ValueError("\n".join(problems))
        return self

    @property
    def options(self) -> dict[str, Any]:
        """The keys of the method itself."""
        return dict(self.model_extra or {})


class LossSpec(Section):
    """What is to be small."""

    name: str = "ncp"
    column: str | None = Field(
        default=None, description="the sensitive column that holds the labels, for the loss 'ce'"
    )
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False, strict=False)]] = {}

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in LOSSES and name not in (*SET_LOSSES, TreeDistance.name):
            known = [*LOSSES, *SET_LOSSES, TreeDistance.name]
            raise ValueError(f"no loss is called '{name}'. Losses: {', '.join(known)}.{did_you_mean(name, known)}")
        return name


class Suppression(Section):
    """How many records may be left out."""

    limit: float = Field(default=0.0, strict=False)

    @field_validator("limit")
    @classmethod
    def _fraction(cls, limit: float) -> float:
        if limit > 1:
            raise ValueError(f"is a fraction of the records, not a percentage: for {limit:g} % write {limit / 100:g}.")
        if not 0 <= limit < 1:
            raise ValueError("must be at least 0 and below 1.")
        return limit


class Context(Section):
    """Who gets the release and why; printed in the report."""

    access: Literal["public", "restricted", ""] = ""
    recipients: str = ""
    purpose: str = ""
    controller: str = ""
    next_review: str = ""
    threshold: float | None = Field(default=None, gt=0, le=1, description="the chance of recognition to compare with")


class Attacks(Section):
    """How long a release is attacked before it is published."""

    budget: float = Field(
        default=10.0,
        ge=0,
        le=86_400,
        strict=False,
        description="seconds after which no further attack is begun; 0: none",
    )


class Population(Section):
    """The people from whom the records were drawn."""

    size: Annotated[int, Field(ge=1)] | None = Field(default=None, description="how many they are")
    file: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="a register of them, with some of the quasi-identifying columns"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.size is not None and self.file is not None:
            raise ValueError("`size` and `file` cannot both be given; a register says itself how many people it has.")
        return self


class LedgerSpec(Section):
    """Which releases of the same people there were, and what they tell together with this one."""

    path: str = Field(
        min_length=1,
        description="a private file that a line is added to for each release; not where releases are published",
    )
    person: str = Field(
        default="",
        description="the identifying column that names a person; without it only releases of the very same original compare",
    )
    earlier: Literal["warn", "refuse", "ignore"] = Field(
        default="warn", description="what happens when an earlier release and this one together tell people apart"
    )


class EngineSpec(Section):
    """Where the work is done."""

    name: EngineName = "local"
    memory: Annotated[str, Field(pattern=r"^\d+(\.\d+)? ?([KMGT]i?B)$")] | None = Field(
        default=None, description='the most memory this process may use, for example "4GB"'
    )
    threads: Annotated[int, Field(ge=1)] | None = None
    master: str | None = Field(default=None, description='where Spark runs, for example "yarn" or "local[4]"')
    remote: str | None = Field(default=None, description='a Spark Connect server, for example "sc://host:15002"')
    settings: dict[str, str] = Field(default={}, description="of Spark, by their own names")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        problems = [
            f'`{key}` is for the engine "{OF_ENGINE[key]}", and this is "{self.name}".'
            for key in self.model_fields_set
            if OF_ENGINE.get(key, self.name) != self.name
        ]
        if self.master is not None and self.remote is not None:
            problems.append("`master` and `remote` cannot both be given; a remote Spark has a master already.")
        if self.remote is not None and not self.remote.startswith("sc://"):
            problems.append('`remote` is the address of a Spark Connect server and starts with "sc://".')
        strange = [key for key in self.settings if not key.startswith("spark.")]
        if strange:
            problems.append(f'`settings` are those of Spark, and start with "spark.": not {", ".join(strange)}.')
        if problems:
            raise ValueError("\n".join(sorted(problems)))
        return self


def on_engine(values: dict[str, Any], engine: EngineName) -> dict[str, Any]:
    """The values of a recipe for this engine; what they say for the other is left out."""
    keys = values.get("engine", {})
    if not isinstance(keys, dict):
        return values
    return {
        **values,
        "engine": {k: v for k, v in keys.items() if OF_ENGINE.get(k, engine) == engine} | {"name": engine},
    }
