"""Files as hospitals and survey teams have them: `;` between columns, commas in numbers and names, notes, telephone numbers.

Each kind of column is a way to make one cell, with the role that a steward would give it. The names of the columns say nothing.
"""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = [
    "Anna",
    "Peter",
    "Jürgen",
    "Élodie",
    "Fatma",
    "Olga",
    "Søren",
    "Zoë",
    "Björn",
    "Kofi",
    "Mei",
    "Luca",
    "Jean-Luc",
]
FAMILY = [
    "Müller",
    "Schmidt",
    "Weber",
    "O'Brien",
    "Nguyen",
    "García",
    "Öztürk",
    "Dubois",
    "Rossi",
    "Lindqvist",
    "Okafor",
]
STREETS = [
    "Hauptstraße {}",
    "Lindenweg {}",
    "{}, Main Street",
    "{} rue de Lyon",
    "Calle Mayor {}",
    "Markt, Gartenstr. {}",
]
DRUGS = ["aspirin", "ibuprofen", "metformin", "ramipril", "insulin", "heparin", "codeine"]
CODES = ["E11", "I10", "J45.0", "F32", "M54", "K21", "N18.3", "Z96"]
SEEN = [
    "Husten, Fieber seit {} Tagen",
    "kam mit Begleitung, Zimmer {}",
    "Frau {} informiert, Rückruf",
    "o.B., in {} Wochen",
]


@dataclass(frozen=True)
class UglyColumn:
    cell: Callable[[random.Random], str]
    role: str
    mark: str = ""  # between the items of a set

    @property
    def kind(self) -> str:
        return "set" if self.mark else "scalar"


def _sometimes(cell: Callable[[random.Random], str], share: float, other: str = "") -> Callable[[random.Random], str]:
    return lambda chance: other if chance.random() < share else cell(chance)


def _name(chance: random.Random, form: str) -> str:
    return form.format(family=chance.choice(FAMILY), given=chance.choice(GIVEN))


def _phone(chance: random.Random) -> str:
    forms = ("+49 {} {}", "0{}/{}", "(0{}) {}", "+33{}{}")
    return chance.choice(forms).format(chance.randint(20, 999), chance.randint(100_000, 9_999_999))


def _sets(vocabulary: list[str], mark: str, most: int = 4) -> Callable[[random.Random], str]:
    def cell(chance: random.Random) -> str:
        held = chance.sample(vocabulary, chance.randint(1, most))
        return mark.join(sorted(held) if chance.random() < 0.5 else held)

    return cell


def _address(chance: random.Random) -> str:
    place = chance.choice(["10115 Berlin", "69001 Lyon", "28013 Madrid", "Springfield"])
    return f"{chance.choice(STREETS).format(chance.randint(1, 200))}, {place}"


def _iban(chance: random.Random) -> str:
    rest = "".join(str(chance.randint(0, 9)) for _ in range(18))
    check = 98 - int(f"{rest}131400") % 97
    return f"DE{check:02}{rest}"


COLUMNS: dict[str, UglyColumn] = {
    "last_first": UglyColumn(lambda c: _name(c, "{family}, {given}"), "identifying"),
    "last_first_glued": UglyColumn(lambda c: _name(c, "{family},{given}"), "identifying"),
    "with_title": UglyColumn(
        _sometimes(lambda c: _name(c, "{family}, Dr. {given}"), 0.6, "Weber, Anna"), "identifying"
    ),
    "shouted": UglyColumn(lambda c: _name(c, "{family}, {given}").upper(), "identifying"),
    "first_last": UglyColumn(lambda c: _name(c, "{given} {family}"), "identifying"),
    "given": UglyColumn(lambda c: _name(c, "{given}"), "identifying"),
    "family": UglyColumn(lambda c: _name(c, "{family}"), "identifying"),
    "relatives": UglyColumn(lambda c: ", ".join(c.sample(GIVEN, c.randint(1, 4))), "identifying"),
    "relatives_bar": UglyColumn(lambda c: "|".join(c.sample(GIVEN, c.randint(1, 4))), "identifying"),
    "phone": UglyColumn(_phone, "identifying"),
    "phones": UglyColumn(lambda c: ", ".join(_phone(c) for _ in range(c.randint(1, 3))), "identifying"),
    "few_phones": UglyColumn(
        lambda c: ", ".join(
            c.sample(["+49 30 1234567", "0171 5551234", "+49 40 99887766", "089/1234567"], c.randint(1, 2))
        ),
        "identifying",
    ),
    "contact": UglyColumn(lambda c: f"{c.choice(GIVEN)}, {_phone(c)}", "identifying"),
    "email": UglyColumn(lambda c: f"p{c.randint(1, 10**6)}@example.org", "identifying"),
    "emails": UglyColumn(
        lambda c: ",".join(f"{c.choice('abc')}@example.org" for _ in range(c.randint(1, 3))), "identifying"
    ),
    "address": UglyColumn(_address, "identifying"),
    "iban": UglyColumn(_iban, "identifying"),
    "insurance": UglyColumn(lambda c: f"{c.choice('ABCKX')}{c.randint(10**8, 10**9 - 1)}", "identifying"),
    "position": UglyColumn(lambda c: f"{c.uniform(47, 55):.5f}, {c.uniform(6, 15):.5f}", "identifying"),
    "note": UglyColumn(lambda c: f"{c.choice(SEEN).format(c.randint(1, 999))}, {c.choice(GIVEN)}", "identifying"),
    "long_note": UglyColumn(
        lambda c: f"Patient klagt über Schmerzen, die Tochter {c.choice(GIVEN)} war dabei, Tel. notiert", "identifying"
    ),
    "rare_note": UglyColumn(
        _sometimes(lambda c: f"bitte {c.choice(GIVEN)} anrufen, Zimmer {c.randint(1, 900)}", 0.8), "identifying"
    ),
    "number": UglyColumn(lambda c: str(c.randint(10_000, 99_999_999)), "identifying"),
    "height": UglyColumn(lambda c: f"{c.randint(1400, 2050) / 10}".replace(".", ","), "quasi"),
    "amount": UglyColumn(lambda c: f"{c.randint(1, 9)}.{c.randint(100, 999)},{c.randint(10, 99)}", "quasi"),
    "with_unit": UglyColumn(lambda c: f"{c.randint(10, 99)},{c.randint(0, 9)} kg", "quasi"),
    "some_decimals": UglyColumn(_sometimes(lambda c: f"{c.randint(1, 9)},5", 0.5, "7"), "quasi"),
    "date": UglyColumn(lambda c: f"{c.randint(1, 28):02}.{c.randint(1, 12):02}.{c.randint(1930, 2005)}", "quasi"),
    "month": UglyColumn(lambda c: f"{c.randint(1, 12):02}, {c.randint(1950, 1990)}", "quasi"),
    "town": UglyColumn(lambda c: c.choice(["Ulm", "Bad Tölz", "Köln", "Hof"]), "quasi"),
    "ward": UglyColumn(lambda c: c.choice(["3A", "3B", "5C"]), "quasi"),
    "codes_comma": UglyColumn(_sets(CODES, ","), "quasi", ","),
    "codes_bar": UglyColumn(_sets(CODES, "|"), "quasi", "|"),
    "codes_some_empty": UglyColumn(_sometimes(_sets(CODES, ","), 0.3), "quasi", ","),
    "drugs_comma": UglyColumn(_sets(DRUGS, ","), "quasi", ","),
    "drugs_bar": UglyColumn(_sets(DRUGS, "|"), "quasi", "|"),
    "many_codes": UglyColumn(_sets([f"{a}{n:02}" for a in "ABCDE" for n in range(8)], ",", 12), "quasi", ","),
    "phrases": UglyColumn(_sets(["whole milk", "rye bread", "green tea", "butter", "eggs"], "|"), "quasi", "|"),
}


def ugly_text(names: list[str], delimiter: str, *, quoted: bool, seed: int, records: int = 150) -> str:
    chance = random.Random(seed)
    out = io.StringIO()
    write = csv.writer(
        out, delimiter=delimiter, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator="\n"
    )
    write.writerow([f"F{place}" for place in range(len(names))])
    for _ in range(records):
        write.writerow([COLUMNS[name].cell(chance) for name in names])
    return out.getvalue()
