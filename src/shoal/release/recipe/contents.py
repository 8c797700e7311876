"""What a recipe says, and what follows from it alone. Whether it fits together is checked by `checking`."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Annotated, Literal

from pydantic import Field

from shoal.data.schema import Column, Schema
from shoal.guarantees import guarantee_from
from shoal.guarantees.guarantee import Guarantee
from shoal.io.dialect import Dialect
from shoal.io.encodings import UTF8
from shoal.io.sets.items import MARK
from shoal.io.written import form_of
from shoal.release.recipe.sections import (
    Attacks,
    ColumnSpec,
    Context,
    EngineSpec,
    GuaranteeSpec,
    Input,
    LedgerSpec,
    LossSpec,
    MethodSpec,
    Output,
    Population,
    Section,
    Suppression,
)

_CELLS: dict[str, Literal["scalar", "set", "node"]] = {"value": "scalar", "set": "set", "node": "node"}


class Contents(Section):
    """The sections of a recipe."""

    shoal: Literal[1] = 1
    missing: Literal["value", "refuse"] = "value"
    seed: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="for tests: records are dealt out by this number and not at random, so the release must not be published",
    )
    input: Input | None = None
    output: Output | None = None
    columns: dict[str, ColumnSpec]
    guarantee: list[GuaranteeSpec]
    method: MethodSpec = MethodSpec()
    loss: LossSpec = LossSpec()
    suppression: Suppression = Suppression()
    context: Context = Context()
    attacks: Attacks = Attacks()
    population: Population = Population()
    ledger: LedgerSpec | None = None
    engine: EngineSpec = EngineSpec()

    @property
    def schema_(self) -> Schema:
        """The columns with their roles."""
        return Schema(
            tuple(
                Column(
                    name,
                    spec.role,
                    _CELLS[spec.kind],
                    tuple(spec.sensitive_items),
                    spec.path,
                    spec.parent,
                    tuple(spec.negated),
                    spec.accept_unique,
                    tuple(spec.missing),
                    self.ledger is not None and self.ledger.person == name,
                )
                for name, spec in self.columns.items()
            )
        )

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised."""
        return tuple(guarantee_from(g.name, **(g.model_extra or {})) for g in self.guarantee)

    @property
    def smallest_class(self) -> int:
        """The k that is promised: the least number of records that may share a published combination.

        Values that differ need l records to differ in. Sensitive items do not: where nobody holds one, k records are enough.
        """
        needing = (g for g in self.guarantees if g.sensitive not in self.schema_.quasi_sets)
        return max([2, *(g.k or 2 for g in self.guarantees), *(ceil(g.l or 2) for g in needing)])

    @property
    def suppression_limit(self) -> Fraction:
        """The share of the records that may be suppressed, exactly as written."""
        return Fraction(str(self.suppression.limit))

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """The columns whose role is only suggested."""
        return tuple(name for name, spec in self.columns.items() if spec.suggested)

    @property
    def dialect(self) -> Dialect:
        """How a CSV file is written: as the input is, unless it is said otherwise."""
        given, wanted = self.input, self.output
        forms = {name: form_of(spec.written) for name, spec in self.columns.items() if spec.written}
        return Dialect(
            encoding=(wanted and wanted.encoding) or (given.encoding if given else UTF8),
            delimiter=(wanted and wanted.delimiter) or (given and given.delimiter) or ",",
            quote=given.quote if given else '"',
            written=forms if wanted is None or wanted.written else {},
        )

    @property
    def item_mark(self) -> str:
        """What separates items in CSV, in what is read and in what is written."""
        return self.input.items if self.input is not None and self.input.items is not None else MARK
