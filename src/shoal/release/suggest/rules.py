"""Which role suits a column: the rules of `shoal init`, in the order in which they are asked. The first that knows decides.

What names a person comes before everything else, by the values as well as by the name of the column; then free text. Numbers with
a decimal comma and dates come before sets of items, because a comma inside a cell is not yet a set. In doubt a column is `quasi`: a
wrong `quasi` costs detail, a wrong `plain` or `sensitive` publishes a value as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.release.suggest import identifiers, patterns, people, weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.data.schema import CellKind
    from shoal.release.suggest.seen import Seen

_PERSON = "does it name a person? It is called so, but records share its values. If yes, it is identifying"
_FILE_VALUES = 20  # a batch or a version has few values


@dataclass(frozen=True)
class Finding:
    """What a rule says of a column."""

    role: Role
    what: str  # the column is, in words
    hierarchy: str = ""  # the kind that suits it
    kind: CellKind = "scalar"
    unclear: str = ""  # what only a person can decide


def find(seen: Seen) -> Finding:
    """Of the first rule that knows."""
    return next(finding for rule in RULES if (finding := rule(seen)) is not None)


def values_are_identifiers(seen: Seen) -> Finding | None:
    """E-mail addresses, telephone numbers, accounts, addresses, numbers given to one person: most values are one, or hold one."""
    what = identifiers.identifier_in(
        seen.words, shared=seen.shared and seen.words is not seen.values, alone=seen.own_words
    )
    if what is None and seen.words is not seen.values:
        what = identifiers.identifier_in(seen.values, shared=seen.shared, alone=seen.own_words)
    return None if what is None else Finding(Role.IDENTIFYING, f"looks like {what}")


def values_are_survey_weights(seen: Seen) -> Finding | None:
    """`weight` of a record in a sample, and not of a person: `gewicht`, `poids` and `peso` are said of both."""
    if any(concept.kind == "weight" for concept in seen.concepts) and weights.are_of_a_sample(seen):
        return Finding(Role.IDENTIFYING, weights.WHAT)
    return None


def name_says_it_names_people(seen: Seen) -> Finding | None:
    """`surname`, `email`, `patient_id` and the like. A date names nobody: `dod_ssn` is when one died, as one office has it."""
    if patterns.are_dates(seen.values):
        return None
    for concept in seen.concepts:
        if concept.role is Role.IDENTIFYING and seen.names_a_person(concept.kind):
            return Finding(Role.IDENTIFYING, concept.what)
    return None


def values_are_names(seen: Seen) -> Finding | None:
    """Known names, or pairs of words in the form of names."""
    if not seen.in_words:
        return None
    if people.are_names(seen.values) or people.are_names(seen.words):
        return Finding(Role.IDENTIFYING, "looks like names of people")
    # The form alone yields to a name that says something else, as of "Asthma, mild".
    if _stated(seen) is None and not seen.holds_sets and people.are_pairs_of_words(seen.values):
        return Finding(Role.IDENTIFYING, 'pairs of words, as names are written ("Last, First")')
    return None


def values_are_free_text(seen: Seen) -> Finding | None:
    """Sentences; and remarks of a few words, unless people have chosen from a list."""
    if not seen.in_words:
        return None
    if patterns.is_free_text(seen.words) or (seen.own_words and patterns.are_remarks(seen.words)):
        return Finding(Role.IDENTIFYING, "free text, in which people may be named")
    return None


def always_the_same(seen: Seen) -> Finding | None:
    """It tells nobody apart."""
    if seen.distinct <= 1 and not seen.empty and not seen.holds_sets:
        return Finding(Role.PLAIN, "the same in every record")
    return None


def values_are_numbers_or_dates(seen: Seen) -> Finding | None:
    """Numbers with a decimal comma, and dates: no sets, whatever stands between their digits."""
    if seen.holds_sets or not (seen.comma_numbers or seen.dates):
        return None
    said = name_says_what_it_is(seen)
    if said is not None or (
        seen.dates and seen.column.integer and seen.nearly_unique
    ):  # 19840305 may be a number as well
        return said
    return Finding(Role.QUASI, "a date" if seen.dates else "numbers with a decimal comma")


def items_of_ones_own(seen: Seen) -> Finding | None:
    """A list whose items nobody shares names its owner as well as a number would."""
    if seen.holds_sets and seen.nearly_unique:
        return Finding(Role.IDENTIFYING, "lists of items that no two records share")
    return None


def values_are_sets(seen: Seen) -> Finding | None:
    """Lists as they are typed; in CSV, cells with enough evidence: see `sets.mark_of`."""
    if seen.holds_sets or seen.column.items is not None:
        number = seen.distinct if seen.column.items is None else seen.column.items.distinct
        return Finding(Role.QUASI, f"sets of {number:,} items", kind="set")
    return None


def values_are_codes_of_diagnoses(seen: Seen) -> Finding | None:
    """ICD-10, known by its form."""
    if _stated(seen) is None and patterns.are_codes_of_diagnoses(seen.values):
        return Finding(Role.SENSITIVE, "codes of diagnoses (ICD-10)")
    return None


def name_says_what_it_is(seen: Seen) -> Finding | None:
    """`age`, `diagnosis` and the like: quasi, sensitive or plain."""
    said = _stated(seen)
    if said is None or said.role is not Role.SENSITIVE:
        return said
    if seen.dates:
        return Finding(Role.QUASI, f"a date ({said.what})", said.hierarchy)
    if seen.distinct < 2:  # no two values, so no diversity to promise
        return Finding(Role.QUASI, f"{said.what}, either stated or not", said.hierarchy)
    return None if seen.nearly_unique and seen.in_words else said  # published as it is, it would name its owner


def nearly_every_record_has_its_own(seen: Seen) -> Finding | None:
    """It would name its owner."""
    if seen.nearly_unique and (seen.in_words or seen.column.integer):
        return Finding(Role.IDENTIFYING, "nearly every record has a value of its own")
    return None


def codes_that_records_share(seen: Seen) -> Finding | None:
    """A number of something else than a person."""
    if any(concept.kind == "id" for concept in seen.concepts):
        return Finding(Role.QUASI, "a number or code that several records share", "code", unclear=_PERSON)
    return None


def others_may_know_it(seen: Seen) -> Finding:
    """In doubt."""
    called = any(concept.role is Role.IDENTIFYING for concept in seen.concepts)
    return Finding(Role.QUASI, "nothing says what it is", unclear=_PERSON if called else "")


RULES: tuple[Callable[[Seen], Finding | None], ...] = (
    values_are_survey_weights,
    values_are_identifiers,
    name_says_it_names_people,
    values_are_names,
    values_are_free_text,
    always_the_same,
    values_are_numbers_or_dates,
    items_of_ones_own,
    values_are_sets,
    values_are_codes_of_diagnoses,
    name_says_what_it_is,
    nearly_every_record_has_its_own,
    codes_that_records_share,
    others_may_know_it,
)


def _stated(seen: Seen) -> Finding | None:
    """What the name of the column says, if it names nobody."""
    other = next((concept for concept in seen.concepts if concept.role is not Role.IDENTIFYING), None)
    if other is None or (other.role is Role.PLAIN and seen.distinct > _FILE_VALUES):
        return None
    unclear = "published as it is because of its name alone" if other.role is Role.PLAIN else ""
    return Finding(other.role, other.what, other.kind, unclear=unclear)
