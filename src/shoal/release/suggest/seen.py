"""A column as the rules of `shoal init` see it: its values without those that stand for a missing one, and what its name says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.suggest import patterns, words
from shoal.release.suggest.groups import two_letter_codes

if TYPE_CHECKING:
    from shoal.release.suggest.summary import ColumnSummary

_NEARLY = 0.9  # of the records have a value of their own
_ENOUGH = 20  # records, before "nearly every one" means anything
_OWN_WORDS = 0.6  # different values per record, from which words are people's own
_SHARED = 10  # records to a value, from which it is not about one person


class Seen:
    """One column, with all that rules ask of it."""

    def __init__(self, column: ColumnSummary) -> None:
        self.column = column
        self.concepts = words.concepts_in(column.name)
        counted = dict(column.most_common)
        seen = list(dict.fromkeys([*counted, *column.sample_values]))
        country = any(concept.kind == "country" for concept in self.concepts)
        codes = country and two_letter_codes([v for v in seen if v == "NA" or not patterns.stands_for_missing(v)])
        self.markers = tuple(v for v in seen if patterns.stands_for_missing(v) and not (codes and v == "NA"))
        self.values = [v for v in seen if v not in self.markers]
        self.complete = len(counted) == column.distinct
        self.distinct = column.distinct - len(self.markers)
        self.empty = column.missing + sum(counted.get(marker, 0) for marker in self.markers)
        self.filled = column.records - self.empty  # of sets: items, counted once for each record that holds them
        self.holds_sets = column.kind == "set"
        # In CSV a cell that may be a set is judged by its items: one that holds many is long, and no sentence.
        items = column.items
        self.words = (
            self.values if items is None else list(dict.fromkeys([*dict(items.most_common), *items.sample_values]))
        )
        self.words_distinct = self.distinct if items is None else items.distinct
        self.words_filled = self.filled if items is None else items.records

    @property
    def alone(self) -> bool:
        """Nearly every record has a value of its own, however few there are."""
        return self.filled > 0 and self.distinct >= _NEARLY * self.filled

    @property
    def nearly_unique(self) -> bool:
        """`alone`, and there are enough records for that to mean something."""
        return self.filled >= _ENOUGH and self.alone

    @property
    def own_words(self) -> bool:
        """So many different values that people have not chosen from a list."""
        return self.words_filled > 0 and self.words_distinct >= _OWN_WORDS * self.words_filled

    @property
    def shared(self) -> bool:
        """So many records to a value that it is not about one person."""
        return self.words_filled >= _SHARED * self.words_distinct

    @property
    def in_words(self) -> bool:
        """Neither numbers nor dates."""
        return not (self.column.numeric or self.dates or self.comma_numbers)

    @property
    def values_in_words(self) -> str:
        """What the values are."""
        if self.holds_sets:
            return "sets"
        if self.dates:
            return "dates"
        if self.comma_numbers:
            return "decimal commas"
        if self.column.numeric:
            return "integers" if self.column.integer else "numbers"
        return "texts" if self.values else "nothing"

    @property
    def dates(self) -> bool:
        """In whatever form they are written."""
        return patterns.are_dates(self.values) or patterns.are_dates_written_otherwise(self.values)

    @property
    def comma_numbers(self) -> bool:
        """Numbers with a decimal comma."""
        return not self.holds_sets and patterns.are_numbers_with_a_comma(self.values)

    def names_a_person(self, kind: str) -> bool:
        """`name`, `id` and `text` are also said of places and things; then several records share the value."""
        if kind == "name":
            return not words.speaks_of_things(self.column.name)
        if kind == "id":
            return self.alone or words.speaks_of_people(self.column.name)
        if kind == "text":
            return self.in_words and (self.own_words or patterns.hold_blanks(self.words))
        return True
